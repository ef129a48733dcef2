#!/bin/bash
# SPDX-License-Identifier: MIT
# bench.sh [-o FOLDER] [-r ROUNDS] [YARDSTICK.c]: measures every case of the table in tests/bench/README.md with the release build
# and keeps the numbers as FOLDER/PROCESSOR-INSTRUCTIONS-THREADS.csv (tests/bench). A yardstick is a C program that
# prints `... best N M...`, its M updates/s of a full step; compiled outside the tree with -DDEG=3 (cubic) and -DDEG=2 (quadratic)
# and run before and after, so that ratios are of one machine in the same minutes. Two to eight minutes
# on a quiet machine, in two rounds; warns where it is not.
set -u
cd "$(dirname "$0")/.." || exit 1
folder=tests/bench rounds=2
while getopts o:r: option; do
    case $option in
    o) folder=$OPTARG ;;
    r) rounds=$OPTARG ;;
    *) exit 1 ;;
    esac
done
shift $((OPTIND - 1))
[[ $rounds =~ ^[1-9][0-9]*$ ]] || { echo "bench: -r: number of rounds ($rounds); allowed: 1 and more" >&2; exit 1; }
firn=build/src/firn
[ -x $firn ] || { echo "bench: not built; try: tools/quickstart.sh" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
threads=$(nproc)
busy=$(cut -d' ' -f1 /proc/loadavg)
awk -v l="$busy" 'BEGIN { exit !(l > 0.5) }' && echo "bench: the machine is busy (load $busy); ratios will be wrong" >&2

yardstick() { # degree: best of three, M updates/s; nothing without a yardstick
    [ -x "$scratch/full_$1" ] || return
    for _ in 1 2 3; do "$scratch/full_$1" "$threads" 50 8 15 1; done |
        sed -nE 's/.* best ([0-9.]+) M.*/\1/p' | sort -g | tail -n 1
}
if [ $# -gt 0 ]; then
    isa=512
    grep -q avx512f /proc/cpuinfo || isa=256
    for degree in 3 2; do
        gcc -O3 -march=native -mprefer-vector-width=$isa -fopenmp -w -DDEG=$degree -DISA=$isa "$1" -lm -o "$scratch/full_$degree" ||
            { echo "bench: the yardstick does not compile" >&2; exit 1; }
    done
fi

cubic=$(yardstick 3) quadratic=$(yardstick 2)
# The best of each case over the rounds: else a slow minute of a shared machine would count as a slow case.
for round in $(seq "$rounds"); do
    $firn bench --all --steps 5 --repeats 8 --scene scenes/snowball.yaml --at 0.2633 --csv >"$scratch/round$round" || exit 1
done
awk -F, 'NR == 1 { print }
    FNR == 1 { next }
    !($1 in row) { order[++n] = $1 }
    !($1 in row) || $5 + 0 > best[$1] { best[$1] = $5 + 0; row[$1] = $0 }
    END { for (i = 1; i <= n; i++) print row[order[i]] }' "$scratch"/round* >"$scratch/rows"
cubic2=$(yardstick 3) quadratic2=$(yardstick 2)

# The cost of writing: the same shot with a cache at every frame and with none after the first.
wall() {
    local began ended
    began=$(date +%s.%N)
    $firn run scenes/snowball.yaml --out "$scratch/shot" --overwrite --frames :24 --quiet --set checkpoints.every_seconds=0 "$@" || exit 1
    ended=$(date +%s.%N)
    awk -v a="$began" -v b="$ended" 'BEGIN { print b - a }'
}
every='--set=outputs=[{format: bgeo}]' first='--set=outputs=[{format: bgeo, every: 1000000}]'
with=$(wall "$every") without=$(wall "$first")

cpuinfo() { sed -nE "0,/^$1/s/^$1[^:]*: *//p" /proc/cpuinfo; }
processor=$(cpuinfo 'model name')
case $processor in *[0-9]*) ;; *) processor="$processor family $(cpuinfo 'cpu family') model $(cpuinfo 'model\t')" ;; esac # "AMD EPYC"
processor=$(tr -cs 'A-Za-z0-9\n' '_' <<<"$processor" | sed 's/_*$//')
variant=$(awk -F, 'NR == 2 { print $2 }' "$scratch/rows")
mkdir -p "$folder"
out=$folder/${processor:-unknown}-$variant-$threads.csv
{
    cat "$scratch/rows"
    [ -z "$cubic" ] || printf 'yardstick cubic,,%s,1000000,%s\nyardstick quadratic,,%s,1000000,%s\n' \
        "$threads" "$(awk -v a="$cubic" -v b="$cubic2" 'BEGIN { print (a > b ? a : b) * 1e6 }')" \
        "$threads" "$(awk -v a="$quadratic" -v b="$quadratic2" 'BEGIN { print (a > b ? a : b) * 1e6 }')"
    printf 'shot without caches over with bgeo every frame,,%s,,%s\n' "$threads" "$(awk -v a="$without" -v b="$with" 'BEGIN { print a / b }')"
} >"$out"
awk -F, '
    { best[$1] = $5; bytes[$1] = $0; n = split($0, f, ","); peak[$1] = f[18] }
    function ratio(what, a, b, least, aim) {
        if (!(a in best) || !(b in best)) return
        r = best[a] / best[b]
        printf "%-52s %6.2f  at least %-5s aim %-5s%s\n", what, r, least, aim, r < least ? "  missed" : ""
    }
    END {
        a = "cubic APIC mls"
        ratio(a " / yardstick", a, "yardstick cubic", .45, .70)
        ratio("cubic APIC gradient / yardstick", "cubic APIC gradient", "yardstick cubic", .35, .55)
        ratio("quadratic APIC mls / yardstick", "quadratic APIC mls", "yardstick quadratic", .40, .65)
        ratio("FLIP mls / APIC mls", "cubic FLIP mls", a, .9, 1)
        ratio("FLIP gradient / APIC gradient", "cubic FLIP gradient", "cubic APIC gradient", .9, 1)
        ratio("PIC / APIC", "cubic PIC mls", a, .9, 1)
        ratio("snow / sand", "snow", a, .8, 1.1)
        ratio("dough / sand", "dough", a, .8, 1.1)
        ratio("Neo-Hookean / sand", "Neo-Hookean", a, .8, 1.1)
        ratio("developed flow (snowball) / the cube", "scene", a, .6, .8)
        ratio("all threads / 1 thread", a, "one thread", 1.8, 1.95)
        ratio("8 M particles / 1 M", "eight times the particles", a, .8, .95)
        ratio("AVX2 / this", "avx2", a, .6, .75)
        ratio("double / float", "double", a, .35, .5)
        ratio("steps checked / not checked", a, "steps not checked", .93, .98)
        printf "%-52s %6.2f  at least .95   aim .99\n", "bgeo every frame / none", best["shot without caches over with bgeo every frame"]
        printf "%-52s %6.1f  at most  200   aim 160\n", "peak bytes per particle", peak[a]
    }' "$out"
echo "kept in $out"
