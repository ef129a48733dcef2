#!/bin/bash
# SPDX-License-Identifier: MIT
# working.sh FIRN SCENE.yaml: what somebody meets who works with firn day by day: words of other programs, help by any
# word, files that are wrong, shots that are replaced and cleaned. One line a check that fails; exits with their number.
firn=$(realpath "$1") scene=$(realpath "$2")
failures=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "failed: $*"; failures=$((failures + 1)); }
cd "$folder" || exit 1

# ---- words of other programs: what is meant is named
meant() { # SED COMMAND, WHAT IS MEANT
    sed "$1" "$scene" >a.yaml
    cmp -s a.yaml "$scene" && fail "tiny.yaml has changed: $1"
    "$firn" check a.yaml >out 2>&1 && fail "$1 is taken"
    grep -q "did you mean \"$2\"?" out || fail "$1: $(head -1 out)"
}
meant 's/dx: 10 cm/domain: 1, dx: 10 cm/' box_min
meant 's/dx: 10 cm/resolution: 10 cm/' dx
meant 's/rho: 1000/density: 1000/' rho
meant 's/E: 20 kPa/stiffness: 20 kPa/' E
meant 's/E: 20 kPa/E: 20 kPa, colour: red/' color
meant 's/E: 20 kPa/E: 20 kPa, viscosity: 3/' 'viscosity of the law liquid'
meant 's/kind: box/kind: ball/' sphere
meant 's/kind: box/kind: cube/' box
meant 's/center:/position:/' center
meant 's/material: jelly, shape/material: jelly, position: [0,1,0], shape/' shape.center
meant 's/shape: {/density: 3, shape: {/' 'materials, at the top of the file'
meant 's/scene: {/scene: {gravity: [0, -9.81, 0], /' 'gravity, at the top of the file'
meant 's/^bodies:/objects:/' bodies
meant 's/fps: 100/fps: 100, duration: 3/' frames
sed 's/law: neo_hookean, rho: 1000, E: 20 kPa, nu: 0.3/law: honey/' "$scene" >a.yaml
"$firn" check a.yaml >out 2>&1
grep -q 'try: preset: honey' out || fail "law: honey: $(cat out)"
"$firn" check "$scene" --set bodies.cube.position=1 >out 2>&1
grep -q 'did you mean "shape.center"?' out || fail "--set position: $(cat out)"

# ---- help by any word
finds() { # WORD, LINES that must be there
    "$firn" help "$1" >out 2>&1 || fail "help $1: $(head -1 out)"
    for line in "${@:2}"; do grep -q -- "$line" out || fail "help $1 lacks '$line'"; done
}
finds honey 'honey, a preset of the law liquid' 'rho=1417'
finds motion '^[a-z]*.motion: A rigid motion'
finds friction '^scene.colliders.friction' 'firn help scene.grid.wall_friction' 'firn materials sand: friction_angle'
finds melting '^melting: From solid to liquid'
finds heat '^heat: Conduction' 'firn help scene.heat.walls'
finds grid.dx '^scene.grid.dx' 'sets resolution'
finds bodies '^bodies: Regions'
finds resolution 'firn help scene.grid.dx'
finds checkpoint 'firn clean --checkpoints'
"$firn" help '' >out 2>&1 && fail "help of nothing: $(head -1 out)"
"$firn" help qwxyz >out 2>&1 && fail "help of a word that is nowhere"
grep -q "unknown topic 'qwxyz'" out || fail "help qwxyz: $(cat out)"

# ---- files: which line of the scene reads them; sizes, as a file may be in other units
sed 's/shape: {kind: box.*}, vel/shape: {kind: mesh, file: no.obj}, vel/' "$scene" >m.yaml
for verb in check run; do
    "$firn" $verb m.yaml >out 2>&1 && fail "$verb without its mesh"
    grep -q 'm.yaml:7:[0-9]*: bodies.cube.shape reads the file no.obj' out || fail "$verb: no line of the scene: $(cat out)"
done
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n' >no.obj
"$firn" check m.yaml >out 2>&1 && fail "a damaged mesh"
grep -q 'no.obj:4: ' out && grep -q 'm.yaml:7:' out || fail "a damaged mesh: $(cat out)"
"$firn" check "$scene" >out 2>&1 || fail "check: $(tail -1 out)"
grep -q 'sizes      cube 0.4 x 0.4 x 0.4 m' out || fail "check says no sizes: $(cat out)"
"$firn" check "$scene" --set bodies.cube.shape.size='[1mm, 1mm, 1mm]' >out 2>&1
grep -q '(0.001 x 0.001 x 0.001 m)' out || fail "an empty body says no size: $(cat out)"
mkdir sealed && chmod 555 sealed
if [ ! -w sealed ]; then
    "$firn" check "$scene" --out sealed/shot >out 2>&1
    [ $? -eq 4 ] && grep -q 'cannot be written' out || fail "check in a folder that cannot be written: $(tail -1 out)"
fi
touch a_file
"$firn" check "$scene" --out a_file/shot >out 2>&1
[ $? -eq 4 ] && grep -q 'it is no folder' out || fail "check below a file: $(tail -1 out)"

# ---- the last words of a run, and what becomes of an older shot's pictures
"$firn" run "$scene" --out 'my shot' >out 2>&1 || fail "run: $(tail -1 out)"
grep -q '^done: frames 0 to 8 in my shot: 9 caches, tiny.0000.bgeo to tiny.0008.bgeo' out || fail "no last words: $(tail -2 out)"
grep -q "^next: firn render 'my shot'" out || fail "no way on: $(tail -1 out)"
"$firn" run "$scene" --out bare --set outputs='[]' >out 2>&1 || fail "run without outputs"
grep -q 'no caches; ledger.csv' out || fail "a run without outputs: $(tail -2 out)"
"$firn" render 'my shot' --preview >out 2>&1 && "$firn" mesh 'my shot' --format obj >out 2>&1 || fail "render, mesh: $(tail -1 out)"
touch 'my shot/pictures/mine.png'
"$firn" run "$scene" --out 'my shot' --overwrite --quiet >out 2>&1 || fail "--overwrite: $(cat out)"
grep -q 'pictures (9) and surfaces (9) of the replaced shot' out || fail "--overwrite does not tell: $(cat out)"
[ "$(ls 'my shot/pictures')" = mine.png ] && [ ! -e 'my shot/surface' ] || fail "--overwrite: $(ls 'my shot'/*)"

# ---- clean: tells, removes what is named, and the shot stays whole
"$firn" clean 'my shot' >out 2>&1 || fail "clean: $(cat out)"
grep -q 'my shot: 9 caches, .*; to remove: --caches' out || fail "clean: $(cat out)"
"$firn" clean 'my shot' --caches --checkpoints --dry-run >out 2>&1
grep -q 'would be removed' out && [ -e 'my shot/tiny.0003.bgeo' ] || fail "clean --dry-run: $(cat out)"
"$firn" clean 'my shot' --caches --frames 2:4 >out 2>&1 || fail "clean --caches: $(cat out)"
grep -q '3 caches, .* removed' out && [ ! -e 'my shot/tiny.0003.bgeo' ] && [ -e 'my shot/tiny.0005.bgeo' ] || fail "clean --caches: $(cat out)"
"$firn" verify 'my shot' >out 2>&1 || fail "a cleaned shot is damaged: $(cat out)"
grep -q '3 caches were removed by firn clean' out || fail "verify: $(cat out)"
"$firn" clean 'my shot' --checkpoints --quiet || fail "clean --checkpoints"
"$firn" resume 'my shot' --frames :12 >out 2>&1
[ $? -eq 4 ] && grep -q 'no checkpoint is left to continue from.*try: ' out || fail "resume without checkpoints: $(cat out)"
"$firn" clean . >out 2>&1
[ $? -eq 2 ] && grep -q 'no shot' out || fail "clean of another folder: $(cat out)"

# ---- sub-frames: caches, pictures and surfaces sort by time; another speed
"$firn" run "$scene" --out sub --quiet --set 'outputs=[{format: bgeo, substeps: 2}]' --frames :4 || fail "run with sub-frames"
[ "$(cd sub && ls *.bgeo | head -3 | tr '\n' ' ')" = 'tiny.0000.000.bgeo tiny.0000.500.bgeo tiny.0001.000.bgeo ' ] || fail "sub-frames: $(ls sub)"
"$firn" verify sub --quiet || fail "a shot with sub-frames"
"$firn" resume sub --quiet --frames :6 && "$firn" verify sub --quiet || fail "resuming with sub-frames"
"$firn" render sub --preview --frames 1:2 >out 2>&1 || fail "render of sub-frames: $(cat out)"
[ "$(ls sub/pictures | tr '\n' ' ')" = 'tiny.0001.000.png tiny.0001.500.png tiny.0002.000.png tiny.0002.500.png ' ] ||
    fail "pictures of sub-frames: $(ls sub/pictures)"
"$firn" clean sub --pictures --caches --frames 1:2 >out 2>&1
grep -q '4 pictures' out && grep -q '4 caches' out || fail "clean of sub-frames: $(cat out)"
"$firn" run "$scene" --out 'my shot' --overwrite --quiet 2>out || fail "run: $(cat out)"
"$firn" convert --retime 0.5 'my shot' slow >out 2>&1 || fail "retime: $(cat out)"
[ "$(ls slow | wc -l)" -eq 17 ] || fail "retime: $(ls slow)"
"$firn" info slow/tiny.0016.bgeo >out 2>&1 || fail "info of a retimed cache: $(cat out)"
"$firn" render slow --preview --bare >out 2>&1 || fail "render of retimed caches: $(tail -1 out)"
"$firn" convert --retime 2 'my shot' fast >out 2>&1 && [ "$(ls fast | wc -l)" -eq 5 ] || fail "retime 2: $(ls fast)"
"$firn" convert --retime 1 'my shot' same >out 2>&1 || fail "retime 1"
"$firn" convert 'my shot/tiny.0005.bgeo' a.ply && "$firn" convert same/tiny.0005.bgeo b.ply && cmp -s a.ply b.ply || fail "retime 1 changes a cache"
"$firn" convert --retime 0.5 slow 'my shot' >out 2>&1
[ $? -eq 2 ] && grep -q 'holds a shot' out || fail "retime into a shot: $(cat out)"
exit $failures
