#!/bin/bash
# SPDX-License-Identifier: MIT
# compare.sh FIRN SOURCE: studies as a user starts them - the shipped ones are sound, one runs without a simulation, and
# one of real runs, which the second time finds everything done. One line a check that fails; exits with their number.
firn=$1 source=$2
failures=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "failed: $*"; failures=$((failures + 1)); }

for study in elastic_bar_release bar_time_matched bar_resolution figures_5_7 snow_block_drop dough_press; do
    "$firn" compare "$source/scenes/studies/$study.yaml" --list >"$folder/out" 2>&1 || fail "$study: $(head -1 "$folder/out")"
done

"$firn" compare "$source/scenes/studies/figures_5_7.yaml" --out "$folder/figures" >"$folder/out" 2>&1 || fail "figures_5_7"
[ "$(grep -c '<svg' "$folder/figures/report.html")" -eq 5 ] || fail "figures_5_7: not five pictures"
# links to the sources of laws are no part of the page
grep -o 'https\?://[^"<]*' "$folder/figures/report.html" | grep -v '^http://www.w3.org/2000/svg$\|^https://doi.org/' | grep -q . &&
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
[ "$(grep -c ': reused' "$folder/out")" -eq 2 ] || fail "finished runs are not reused"

# repeats with another shift of the grid are other runs of the same scene, with a spread that is not nothing
printf 'study: shifted\nscenes: tiny.yaml\nmetrics: [top_speed, steps]\nrepeat: 3\nvary: shift\n' >"$folder/shifted.yaml"
"$firn" compare "$folder/shifted.yaml" --out "$folder/shifted" --jobs 2 >"$folder/out" 2>&1 || fail "shifted: $(tail -1 "$folder/out")"
[ "$(grep -c ': done' "$folder/out")" -eq 3 ] || fail "shifted: not three runs"
[ "$(grep -ho '"shift": *\[[^]]*\]' "$folder"/shifted/runs/*/manifest.json | sort -u | wc -l)" -eq 3 ] || fail "not three shifts of the grid"
[ "$(tail -qn 1 "$folder"/shifted/runs/*/frames.jsonl | grep -o '"state_hash": *"[^"]*"' | sort -u | wc -l)" -eq 3 ] ||
    fail "shifts do not change the states"
[ "$(tail -qn 1 "$folder"/shifted/runs/*/frames.jsonl | grep -o '"particles": *[0-9]*' | sort -u | wc -l)" -eq 1 ] ||
    fail "shifts change the number of particles"
grep -q '3 runs' "$folder/shifted/report.html" || fail "the report of a shifted study has no spread"

# an edited scene makes other runs, though their commands are the same; a damaged shot is run again
shot=$(echo "$folder"/tiny/runs/001*/)
cp -r "$shot" "$folder/older"
sed -i 's/20 kPa/21 kPa/' "$folder/tiny.yaml"
"$firn" compare "$folder/study.yaml" --out "$folder/tiny" >"$folder/out" 2>&1
[ "$(grep -c ': done' "$folder/out")" -eq 2 ] || fail "an edited scene is not run again"
# a run that was ended before it had begun leaves the shot of the scene before, under its own command
rm -r "$shot" && mv "$folder/older" "$shot"
"$firn" compare "$folder/study.yaml" --out "$folder/tiny" >"$folder/out" 2>&1
[ "$(grep -c ': done' "$folder/out")" -eq 1 ] || fail "the shot of an older scene is taken for that of an edited one"
printf x >>"$(echo "$folder"/tiny/runs/001*/ledger.csv)"
cp "$folder/tiny/summary.csv" "$folder/first.csv"
"$firn" compare "$folder/study.yaml" --out "$folder/tiny" >"$folder/out" 2>&1
[ "$(grep -c ': reused' "$folder/out")" -eq 1 ] && [ "$(grep -c ': done' "$folder/out")" -eq 1 ] ||
    fail "a damaged shot: $(cat "$folder/out")"
cmp -s "$folder/first.csv" "$folder/tiny/summary.csv" || fail "the repaired study is not that of before"

# killed in the middle: what is finished is reused, the rest is resumed or run, to the same states
sed 's/transfers:.*/transfers: [apic, flip, pic, aflip]/' "$folder/study.yaml" >"$folder/long.yaml"
states() { sed 's/.*,\([0-9a-f]\{16\}\),\([0-9a-f]\{16\}\),.*/\1 \2/' "$1/summary.csv"; }
whole() { # FRAMES: every run that long, and the study undisturbed
    sed -i "s/frames: [0-9]*/frames: $1/" "$folder/tiny.yaml"
    rm -rf "$folder/whole"
    "$firn" compare "$folder/long.yaml" --out "$folder/whole" --jobs 2 >"$folder/out" 2>&1 || fail "long: $(tail -1 "$folder/out")"
}
# Starts the study and sends the signal after the first of its four runs; sets $code. (A shell without job control starts
# background programs deaf to INT, so TERM stands for both.) ALONE: the parent alone is killed; what it started must end.
disturb() {
    rm -rf "${folder:?}/$1"
    setsid "$firn" compare "$folder/long.yaml" --out "$folder/$1" >"$folder/killed" 2>&1 &
    pid=$!
    for _ in $(seq 6000); do grep -q "^\[1/4\]" "$folder/killed" && break; sleep 0.05; done
    case $1 in TERM) kill -TERM $pid ;; KILL) kill -KILL -- -$pid ;; ALONE) kill -KILL $pid ;; esac
    wait $pid 2>/dev/null
    code=$?
}
frames=240
whole $frames
for signal in TERM KILL ALONE; do
    disturb $signal
    while grep -q '^\[4/4\]' "$folder/killed" && [ $frames -lt 20000 ]; do # a busy machine: the signal came after the end
        frames=$((3 * frames))
        whole $frames
        disturb $signal
    done
    [ -e "$folder/$signal/report.html" ] && fail "$signal: a report of half a study"
    for _ in $(seq 300); do pgrep -f -- "--out $folder/$signal/" >"$folder/left" || break; sleep 0.1; done
    [ -s "$folder/left" ] && fail "$signal: a run goes on without its parent"
    [ $signal != TERM ] || [ $code -eq 6 ] || fail "TERM: exit code $code"
    [ $signal != TERM ] || grep -q 'interrupted; to continue: the same command' "$folder/killed" || fail "TERM: $(tail -1 "$folder/killed")"
    "$firn" compare "$folder/long.yaml" --out "$folder/$signal" --jobs 2 >"$folder/out" 2>&1 || fail "$signal: again"
    reused=$(grep -c ': reused' "$folder/out") made=$(grep -c ': done' "$folder/out")
    [ "$reused" -ge 1 ] && [ "$made" -ge 1 ] && [ $((reused + made)) -eq 4 ] || fail "$signal: $reused reused, $made done"
    cmp -s <(states "$folder/whole") <(states "$folder/$signal") || fail "$signal: other states than undisturbed"
done

# four doughs under a plate, coarse and short, with their flow curves
"$firn" compare "$source/scenes/studies/dough_press.yaml" --set grid.dx=2cm --set scene.frames=8 --jobs 2 \
    --out "$folder/dough" >"$folder/out" 2>&1 || fail "dough_press: $(tail -1 "$folder/out")"
[ "$(grep -c ',finished,' "$folder/dough/summary.csv")" -eq 4 ] || fail "dough_press: not four finished runs"
grep -q 'memory_strain = 0.6' "$folder/dough/report.html" || fail "dough_press: the report lacks parameters"
grep -q 'measured' "$folder/dough/report.html" || fail "dough_press: no published curve in the report"

# one time step for all: the same number of steps; and an order of convergence
"$firn" compare "$source/scenes/studies/bar_time_matched.yaml" --set grid.dx=0.3125mm --set scene.frames=20 \
    --out "$folder/matched" >"$folder/out" 2>&1 || fail "bar_time_matched: $(tail -1 "$folder/out")"
[ "$(sed 1d "$folder/matched/summary.csv" | cut -d, -f3 | sort -u | wc -l)" -eq 1 ] || fail "bar_time_matched: steps differ"
cat >"$folder/resolution.yaml" <<END
$(sed "s|scenes: |scenes: $source/scenes/studies/|; s|, 0.15625 mm||" "$source/scenes/studies/bar_resolution.yaml")
END
"$firn" compare "$folder/resolution.yaml" --jobs 2 --out "$folder/resolution" >"$folder/out" 2>&1 ||
    fail "bar_resolution: $(tail -1 "$folder/out")"
# the table: runs, energies lost, order; for the APIC rows it is between a half and one
order=$(grep -A3 'Order of convergence' "$folder/resolution/report.html" | grep -o '<td>[-0-9.e]*</td></tr>' | head -1 | tr -dc '0-9.')
awk -v o="$order" 'BEGIN { exit !(o > 0.5 && o < 1.2) }' || fail "bar_resolution: order '$order'"

# the lab and a fit of what it wrote
"$firn" lab neo_hookean,E=200\ kPa,nu=0.3 --to 1.6 -n 40 -o "$folder/band" >/dev/null || fail "lab"
"$firn" fit "$folder/band.csv" --law neo_hookean,nu=0.3 -o "$folder/fitted" >"$folder/out" 2>&1 || fail "fit"
grep -q 'E: \(199\.9\|200\)' <(sed 's/\([0-9]\{3\}\)\([0-9]\{3\}\)/\1.\2/' "$folder/fitted.yaml") || fail "fit: $(cat "$folder/fitted.yaml")"
# what was fitted, as the preset of a scene; the scene's own words go before; what is wrong is told with its place
sed 's/{law: neo_hookean.*}/{preset: fitted.yaml, rho: 900}/; s/frames: [0-9]*/frames: 1/' "$source/tests/cli/tiny.yaml" >"$folder/fitted_scene.yaml"
grep -q 'preset: fitted.yaml' "$folder/fitted_scene.yaml" || fail "tiny.yaml has changed"
"$firn" run "$folder/fitted_scene.yaml" --out "$folder/fitted_shot" --progress none >"$folder/out" 2>&1 || fail "a fitted preset: $(tail -1 "$folder/out")"
tr -d ' \n' <"$folder/fitted_shot/manifest.json" | grep -q 'neo_hookean.*1999[0-9][0-9]\|neo_hookean.*2000[0-9][0-9]' || fail "a fitted preset: its E is not in the scene"
sed 's/fitted.yaml/absent.yaml/' "$folder/fitted_scene.yaml" >"$folder/absent_scene.yaml"
"$firn" check "$folder/absent_scene.yaml" >"$folder/out" 2>&1 && fail "a preset file that is not there is taken"
[ "$(wc -l <"$folder/out")" -eq 1 ] || fail "an absent preset is told of more than once: $(cat "$folder/out")"
grep -q 'absent_scene.yaml:[0-9]*:[0-9]*: preset file .*absent.yaml' "$folder/out" || fail "an absent preset: $(cat "$folder/out")"
echo 'materials: {a: {law: snow, theta_z: 1}}' >"$folder/absent.yaml"
"$firn" check "$folder/absent_scene.yaml" >"$folder/out" 2>&1 && fail "a preset file with an unknown parameter is taken"
grep -q 'absent.yaml:1:[0-9]*: .*theta_z' "$folder/out" || fail "a wrong preset file: $(cat "$folder/out")"

# a map of stability: the loss on the axis and the earlier one beside it
"$firn" lab st_venant_kirchhoff,E=100,nu=0.2 --map -n 12 -o "$folder/map" >"$folder/out" || fail "lab --map"
[ -s "$folder/map.csv" ] && [ -s "$folder/map.svg" ] && [ -s "$folder/map.png" ] || fail "lab --map: a file is missing"
grep -q 'along the axis, those of a bar, are lost at stretch 0.577350' "$folder/out" || fail "lab --map: $(cat "$folder/out")"
exit $failures
