#!/bin/bash
# compare.sh FIRN SOURCE: studies as a user starts them - the shipped ones are sound, one runs without a simulation, and
# one of real runs, which the second time finds everything done. One line a check that fails; exits with their number.
firn=$1 source=$2
failures=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "failed: $*"; failures=$((failures + 1)); }

for study in elastic_bar_release figures_5_7 snow_block_drop; do
    "$firn" compare "$source/scenes/studies/$study.yaml" --list >"$folder/out" 2>&1 || fail "$study: $(head -1 "$folder/out")"
done

"$firn" compare "$source/scenes/studies/figures_5_7.yaml" --out "$folder/figures" >"$folder/out" 2>&1 || fail "figures_5_7"
[ "$(grep -c '<svg' "$folder/figures/report.html")" -eq 4 ] || fail "figures_5_7: not four pictures"
grep -q 'http://\|https://' <(grep -v 'xmlns="http://www.w3.org/2000/svg"' "$folder/figures/report.html") &&
    fail "the report refers to the network"

cp "$source/tests/cli/tiny.yaml" "$folder/tiny.yaml"
cat >"$folder/study.yaml" <<END
study: tiny
scenes: tiny.yaml
transfers: [apic, flip]
metrics: [top_speed, steps]
END
"$firn" compare "$folder/study.yaml" --out "$folder/tiny" --jobs 2 >"$folder/out" 2>&1 || fail "tiny: $(tail -1 "$folder/out")"
[ "$(grep -c ': done' "$folder/out")" -eq 2 ] || fail "tiny: not two runs"
grep -q 'scheme apic.*,finished,' "$folder/tiny/summary.csv" || fail "tiny: summary.csv lacks a finished run"
# the command in the report makes the same shot: same hash of the last state
command=$(sed -n '2s/.*,"\(firn run .*\)"$/\1/p' "$folder/tiny/summary.csv")
cp "$folder/tiny/summary.csv" "$folder/first.csv"
rm -r "$folder"/tiny/runs/001*
(eval "${command/#firn/\"$firn\"} --progress none" >"$folder/out" 2>&1) || fail "the command of a run: $(head -1 "$folder/out")"
"$firn" compare "$folder/study.yaml" --out "$folder/tiny" >"$folder/out" 2>&1 || fail "tiny again"
cmp -s "$folder/first.csv" "$folder/tiny/summary.csv" || fail "the second report is not that of the first"
"$firn" compare "$folder/study.yaml" --out "$folder/tiny" >"$folder/out" 2>&1
[ "$(grep -c 'was there already' "$folder/out")" -eq 2 ] || fail "what was done is done again"

# the lab and a fit of what it wrote
"$firn" lab neo_hookean,E=200\ kPa,nu=0.3 --to 1.6 -n 40 -o "$folder/band" >/dev/null || fail "lab"
"$firn" fit "$folder/band.csv" --law neo_hookean,nu=0.3 --free E -o "$folder/fitted" >"$folder/out" 2>&1 || fail "fit"
grep -q 'E: \(199\.9\|200\)' <(sed 's/\([0-9]\{3\}\)\([0-9]\{3\}\)/\1.\2/' "$folder/fitted.yaml") || fail "fit: $(cat "$folder/fitted.yaml")"
"$firn" lab --figures "$folder/pictures" >"$folder/out" || fail "lab --figures"
[ "$(wc -l <"$folder/out")" -eq 9 ] || fail "lab --figures: not nine files"
exit $failures
