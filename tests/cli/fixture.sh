#!/bin/bash
# SPDX-License-Identifier: MIT
# fixture.sh PROGRAM SOURCE: a law from outside (tests/law_fixture), as a user of the program meets it: listed and
# described, checked in a scene with its ranges, run, put through the lab, fitted and compared, without another edit.
# One line a check that fails; exits with their number.
firn=$1 source=$2
failures=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "failed: $*"; failures=$((failures + 1)); }

"$firn" materials >"$folder/out" && grep -q '^ *spring$' "$folder/out" || fail "materials does not list it: $(head -3 "$folder/out")"
"$firn" materials spring >"$folder/out" && grep -q 'Psi = mu sum' "$folder/out" || fail "materials spring"

# in a scene: typed and checked by its table, and run
sed 's/{law: neo_hookean, rho: 1000, E: 20 kPa, nu: 0.3}/{law: spring, rho: 1000, E: 20 kPa}/' "$source/tests/cli/tiny.yaml" >"$folder/tiny.yaml"
grep -q spring "$folder/tiny.yaml" || fail "tiny.yaml has changed"
"$firn" check "$folder/tiny.yaml" >"$folder/out" 2>&1 || fail "check: $(tail -1 "$folder/out")"
"$firn" check "$folder/tiny.yaml" --set materials.jelly.nu=0.3 >"$folder/out" 2>&1 && fail "a parameter that it lacks is taken"
grep -q 'rho, E' "$folder/out" || fail "the sentence does not name its parameters: $(cat "$folder/out")"
"$firn" check "$folder/tiny.yaml" --set materials.jelly.E=-1 >"$folder/out" 2>&1 && fail "a value out of its range is taken"
"$firn" run "$folder/tiny.yaml" --out "$folder/shot" --progress none >"$folder/out" 2>&1 || fail "run: $(tail -1 "$folder/out")"
"$firn" verify "$folder/shot" >"$folder/out" 2>&1 || fail "verify: $(tail -1 "$folder/out")"

# in the lab: uniaxial strain s has P = E (s - 1); a map; a fit
"$firn" lab spring,E=100\ kPa --path uniaxial_strain --to 1.5 -n 10 -o "$folder/band" >"$folder/out" 2>&1 || fail "lab: $(tail -1 "$folder/out")"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i ~ /^stretch/) s = i; if ($i ~ /^nominal_xx/) p = i } }
         NR > 1 { e = $p - 1e5 * ($s - 1); if (e * e > 1) exit 1; n++ } END { exit n != 11 }' "$folder/band.csv" || fail "lab: wrong stress"
"$firn" lab spring --map -n 6 -o "$folder/map" >"$folder/out" 2>&1 && [ -s "$folder/map.png" ] || fail "lab --map: $(tail -1 "$folder/out")"
"$firn" fit "$folder/band.csv" --law spring,E=1\ kPa --free E --path uniaxial_strain -o "$folder/fitted" >"$folder/out" 2>&1 || fail "fit: $(tail -1 "$folder/out")"
grep -q 'E: 100000' "$folder/fitted.yaml" || fail "fit: $(cat "$folder/fitted.yaml")"

# compared with others, in runs and in the lab
cat >"$folder/study.yaml" <<END
study: fixture
scenes: tiny.yaml
material: jelly
laws: ['spring,E=20 kPa', 'neo_hookean,E=20 kPa']
metrics: [top_speed, steps]
lab: [{path: uniaxial, to: 1.2}]
END
"$firn" compare "$folder/study.yaml" --out "$folder/study" --jobs 2 >"$folder/out" 2>&1 || fail "compare: $(tail -1 "$folder/out")"
[ "$(grep -c ',finished,' "$folder/study/summary.csv")" -eq 2 ] || fail "compare: not two finished runs"
grep -q 'jelly: spring, rho = 1000 kg/m^3, E = 20000 Pa' "$folder/study/report.html" || fail "compare: the report lacks its parameters"
exit $failures
