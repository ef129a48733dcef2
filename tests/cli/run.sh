#!/bin/bash
# SPDX-License-Identifier: MIT
# run.sh FIRN TINY.yaml: run and resume as a user and a farm meet them - progress, refusals, signals, disks that fill
# up, pipes that close. Prints one line a check that fails; the exit code is 1 if any did.
firn=$(realpath "$1")
scene=$(realpath "$2")
failures=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export FIRN_THREADS=2
fail() { echo "failed: $*"; failures=$((failures + 1)); }

# wait_for PID COMMAND...: until the command succeeds, however busy the machine is, as long as the process lives
wait_for() {
    local process=$1
    shift
    until "$@" 2>/dev/null; do
        kill -0 "$process" 2>/dev/null || { fail "process $process has ended before: $*"; return 1; }
        sleep 0.02
    done
}

# expect CODE WORDS ARGUMENTS...: the exit code, and what stderr must contain ("": nothing is asked of it)
expect() {
    local code=$1 words=$2
    shift 2
    "$firn" "$@" >out 2>err </dev/null
    local got=$?
    [ $got -eq "$code" ] || { fail "firn $*: exit code $got, expected $code"; head -3 err; }
    [ -z "$words" ] || grep -qF -- "$words" err || { fail "firn $*: stderr lacks '$words'"; head -3 err; }
}
# The hashes of the state at every frame, as the records of a shot have them.
hashes() { grep -o '"state_hash": *"[0-9a-f]*"' "$1/frames.jsonl"; }

# ---- a whole run, and its three ways of telling
expect 0 "" run "$scene" --out whole --progress json
[ "$(wc -l <out)" -eq 9 ] || fail "json progress: $(wc -l <out) lines for frames 0 to 8"
python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' <out || fail "json progress is not JSON"
[ "$(hashes whole | wc -l)" -eq 9 ] || fail "the records do not have 9 state hashes"
[ "$(find whole -name 'tiny.*.bgeo' | wc -l)" -eq 9 ] || fail "not 9 caches"

# ---- probes: the same states, and the same samples from a run in two parts
{ cat "$scene"; echo 'probes: {low: {measure: lowest, axis: y, every: 700 us}, force: {measure: wall_impulse, axis: y}}'
  echo 'expect: [{measure: probe, of: low, over: min, at_least: -0.05, source: the floor}]'; } >probes.yaml
expect 0 "" run probes.yaml --out probes --quiet
[ "$(hashes probes)" = "$(hashes whole)" ] || fail "probes change the states"
[ "$(grep -c ^low, probes/probes.csv)" -eq 115 ] || fail "not 115 samples: $(grep -c ^low, probes/probes.csv)"
expect 0 "" run probes.yaml --out parts --quiet --frames :3
expect 0 "" resume parts --quiet --frames :8
cmp -s probes/probes.csv parts/probes.csv || fail "probes of a run in two parts differ"
expect 0 "" verify probes

# ---- surfaces: several frames at the same time give the same files; what is not there is called so
expect 0 "" mesh whole --format ply --frames :3 --out one --jobs 1
expect 0 "" mesh whole --format ply --frames :3 --out three --jobs 3 --adaptivity 0
[ "$(find one -name 'tiny.*.ply' | wc -l)" -eq 4 ] || fail "firn mesh did not make 4 surfaces"
diff -rq one three || fail "surfaces made at the same time differ"
expect 4 "/nonexistent: no such file or folder" mesh /nonexistent
expect 1 "--format obj" mesh whole --frames 0 --out surface.obj
expect 1 "--density cannot be used with --format ply: a fog volume needs .vdb files; try: --format vdb" \
    mesh whole --frames 0 --format ply --density
expect 1 "--full-float cannot be used with --format obj" mesh whole --frames 0 --format obj --full-float
expect 1 "--adaptivity cannot be used with --format vdb (the default)" mesh whole --frames 0 --adaptivity 0.5
expect 0 "--max-memory: less than one frame needs" mesh whole --frames 0 --out small --max-memory 1M
expect 0 "" mesh whole --frames 0 --out small --max-memory 100G
[ ! -s err ] || fail "firn mesh has something to say about 100 GB: $(cat err)"
printf 'ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nproperty float pscale\nend_header\n0 0 0 0.1\nnan 0 0 0.1\n' >nowhere.ply
expect 2 "nowhere.ply: surface: position of particle 1 is nan; allowed: within 1e9 m" mesh nowhere.ply --out nowhere
# ---- a shot of nothing but volumes: its records know them, and who needs points says so
{ cat "$scene"; echo 'outputs: [{format: volumes.vdb, attributes: P v T pscale}]'; } >volumes.yaml
expect 0 "" run volumes.yaml --out volumes --quiet --frames :4
expect 0 "" resume volumes --quiet --frames :8
[ "$(find volumes -name 'tiny.*.volumes.vdb' | wc -l)" -eq 9 ] || fail "not 9 caches of volumes: $(ls volumes)"
expect 0 "" verify volumes volumes/tiny.0003.volumes.vdb
expect 0 "" info volumes
grep -q '9 caches' out || fail "firn info does not count caches of volumes: $(cat out)"
expect 2 "volumes: its caches *.volumes.vdb hold volumes and no points; points are needed here" mesh volumes
expect 2 "volumes: its caches *.volumes.vdb hold volumes and no points; points are needed here" render volumes
printf x | dd of=volumes/tiny.0003.volumes.vdb bs=1 seek=200 conv=notrunc status=none
expect 4 "tiny.0003.volumes.vdb: damaged" verify volumes
mkdir empty && expect 2 "empty: no caches of particles; allowed: files NAME.0001.bgeo" mesh empty
[ ! -e surface.obj ] || fail "a folder was made where a file was meant"
# ---- a .vdb of an equal run differs in the random UUID of its header alone
expect 0 "" run volumes.yaml --out again --quiet --frames :2
cmp -s <(tail -c +58 again/tiny.0002.volumes.vdb) <(tail -c +58 volumes/tiny.0002.volumes.vdb) &&
    cmp -s -n 21 again/tiny.0002.volumes.vdb volumes/tiny.0002.volumes.vdb || fail "volumes of two equal runs differ"
# ---- a mesh that was cut is damaged, one that says what no mesh may is refused
sed 's/shape: {.*}, velocity/shape: {kind: mesh, file: body.obj}, velocity/' "$scene" >body.yaml
printf 'v 0 0 0\nv 1 0 0\nv 0 1' >body.obj
expect 4 "body.obj:3: a coordinate is missing or not a number (the file may be cut off)" check body.yaml
expect 4 "body.obj:3: a coordinate is missing" run body.yaml --out body
printf 'v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n' >body.obj
expect 2 "body.obj:3: a coordinate is nan" check body.yaml
# ---- points in few bytes that unpack to 128 MB
python3 -c "import gzip, struct
with gzip.open('bomb.bgeo.gz', 'wb', 9) as f:
    f.write(b'BgeoV' + struct.pack('>9i', 5, 8000000, 0, 0, 0, 0, 0, 0, 0))
    for k in range(1000): f.write(bytes(128000))
    f.write(b'\\0\\xff')"
sed 's/shape: {.*}, velocity/points: bomb.bgeo.gz, velocity/' "$scene" >bomb.yaml
for verb in check "run --out bomb"; do
    expect 5 "bomb.bgeo.gz: unpacks to more than may be held in memory; allowed: 100 MiB" $verb bomb.yaml --max-memory 100M
done
expect 0 "" run "$scene" --out plain --threads 1
grep -q '^frame 8/8 100 %' out || fail "no plain line for the last frame"
grep -q $'\r' out && fail "a living line in a file"
cmp -s <(hashes whole) <(hashes plain) || fail "one thread and two give different states"
cmp -s whole/tiny.0008.bgeo plain/tiny.0008.bgeo || fail "the same frame in two folders is not the same file"
expect 0 "" run "$scene" --out quiet --quiet --frames 2:3
[ ! -s out ] || fail "--quiet says something"
[ "$(find quiet -name 'tiny.*.bgeo' | sort | tr '\n' ' ')" = "quiet/tiny.0002.bgeo quiet/tiny.0003.bgeo " ] ||
    fail "--frames 2:3 wrote $(ls quiet)"

expect 0 "" run "$scene" --out watched --while-running --quiet
[ "$(head -c 4 watched/preview.png | tail -c 3)" = PNG ] || fail "--while-running leaves no picture"
cmp -s <(hashes whole) <(hashes watched) || fail "--while-running changes what is simulated"
expect 0 "" verify watched

# ---- refusals say what, where, what to do
expect 4 "no-such.yaml" run no-such.yaml
expect 2 "holds a shot" run "$scene" --out whole
expect 0 "" run "$scene" --out whole --overwrite --until 0.03
[ "$(find whole -name 'tiny.*.bgeo' | wc -l)" -eq 4 ] || fail "--overwrite or --until 0.03 left $(ls whole)"
expect 0 "" run "$scene" --out renamed --quiet
expect 0 "" run "$scene" --out renamed --quiet --overwrite --set scene.name=other
[ -z "$(find renamed -name 'tiny.*')" ] || fail "--overwrite left caches of another name: $(ls renamed)"
expect 0 "" verify renamed
expect 2 "nosuch" run "$scene" --set grid.nosuch=1 --out refused
[ ! -e refused ] || fail "a refused run left a folder"
expect 1 "did you mean" run "$scene" --thread 2
expect 1 "frames: the first (200) is after the last (8)" run "$scene" --out refused --frames 200:
expect 5 "" run "$scene" --out memory --max-memory 64K
expect 4 "" run "$scene" --out /dev/null/shot
expect 4 "no-such-shot: no such file or folder" resume no-such-shot
long=$(printf '%01030d' 0 | sed 's|.\{103\}|&/|g') # folders of 103 letters; a path that was cut at 1023 bytes would exist
mkdir -p "$long" && cp -r renamed/. "${long:0:1023}"
expect 2 "folder of the shot: the path has 1040 bytes; allowed: 1 to 1023" resume "$long"
cp -r renamed sealed && sed -i 's/"fps": 100/"fps": 101/' sealed/manifest.json
expect 4 "sealed/manifest.json: damaged (checksum does not match)" resume sealed --frames :20

# ---- a pipe that closes does not end the run
"$firn" run "$scene" --out pipe --progress plain 2>err | head -n 1 >out
code=${PIPESTATUS[0]}
[ $code -eq 0 ] || fail "run | head ended with $code"
[ "$(hashes pipe | wc -l)" -eq 9 ] || fail "run | head did not finish the shot"

# ---- a disk that is full: an error, and what is there stays whole
(
    trap '' XFSZ
    ulimit -f 12 # kB
    "$firn" run "$scene" --out full --set outputs='[{format: bgeo, attributes: P v F C stress id}]' >out 2>err
    [ $? -eq 4 ] || echo "full disk: exit code is not 4: $(head -1 err)"
    [ -s err ] || echo "full disk: nothing is said"
) | grep . && failures=$((failures + 1))

# ---- signals: the step ends, a checkpoint is written, the way on is named
# (a shell without job control starts background programs deaf to INT; as such they are left below, and must stay so)
hearing=(env --default-signal=INT,HUP)
for signal in INT TERM HUP; do
    rm -rf cut
    "${hearing[@]}" "$firn" run "$scene" --out cut --set scene.frames=100000 >out 2>err &
    pid=$!
    wait_for $pid test -s cut/frames.jsonl
    kill -$signal $pid
    wait $pid
    [ $? -eq 6 ] || fail "SIG$signal: the exit code is not 6"
    grep -q "firn resume cut" err || fail "SIG$signal: the way on is not named"
done

"$firn" run "$scene" --out deaf --set scene.frames=100000 >out 2>err &
pid=$!
wait_for $pid test -s deaf/frames.jsonl
kill -INT $pid
has_gone_on() { [ "$(wc -l <deaf/frames.jsonl)" -gt "$before" ]; }
before=$(($(wc -l <deaf/frames.jsonl) + 2))
wait_for $pid has_gone_on
kill -TERM $pid
wait $pid
[ $? -eq 6 ] || fail "after an ignored SIGINT: the exit code is not 6"
grep -q "asked to end: writing a checkpoint" err || fail "a SIGINT that was ignored at the start ends a run: $(cat err)"

# ---- signals before the first step: the same exit code, and nothing is left or touched
cp -r cut early
listens() { grep -q ^firn /proc/$pid/comm && grep -q '^SigCgt:.*[2367abef]$' /proc/$pid/status; }
export OMP_WAIT_POLICY=passive # else the program starts itself again, and is deaf for a moment
for what in "run $scene --set grid.dx=5mm --out never" "check $scene --set grid.dx=5mm" \
    "resume early --set bodies.cube.particles_per_cell=8"; do
    "${hearing[@]}" "$firn" $what >out 2>err &
    pid=$!
    wait_for $pid listens # it is this program, and has its handlers
    kill -INT $pid
    wait $pid
    [ $? -eq 6 ] || fail "SIGINT before the first step of firn $what: the exit code is not 6"
    grep -q "^firn: note: interrupted" err || fail "SIGINT before the first step of firn $what: $(cat err)"
done
unset OMP_WAIT_POLICY
[ ! -e never ] || fail "a run that was interrupted before its first step left a folder"

# ---- surfaces that are interrupted: how many are made is said, and what makes the others does
"${hearing[@]}" "$firn" mesh cut --out surfaces --jobs 1 --voxel 0.004 >out 2>err &
pid=$!
has_surfaces() { [ -n "$(ls surfaces)" ]; }
wait_for $pid has_surfaces
kill -INT $pid
wait $pid
[ $? -eq 6 ] || fail "firn mesh, interrupted: the exit code is not 6"
made=$(find surfaces -name 'tiny.*.vdb' | wc -l) all=$(find cut -name 'tiny.*.bgeo' | wc -l)
grep -q "interrupted; $made of $all surfaces done; to make the others: --frames $made:$((all - 1))" err ||
    fail "firn mesh, interrupted after $made of $all: $(cat err)"
expect 0 "" mesh cut --out surfaces --voxel 0.05 --frames "$(grep -o '[0-9][0-9]*:[0-9][0-9]*' err)"
[ "$(find surfaces -name 'tiny.*.vdb' | wc -l)" -eq "$all" ] || fail "firn mesh: not all surfaces after going on"

# ---- resume: the same bits as an undisturbed run, further than the scene, with edits
last=$(hashes cut | wc -l)
expect 0 "" resume cut --frames ":$((last + 20))" --quiet
expect 0 "" run "$scene" --out straight --set scene.frames=100000 --frames ":$((last + 20))" --quiet
cmp -s <(hashes cut) <(hashes straight) || fail "an interrupted and resumed run differs from a straight one"
plate=$(dirname "$scene")/../../scenes/dough_plate.yaml # a body that sticks to a plate, particle by particle
for frames in 2 3; do expect 0 "" run "$plate" --out "plate$frames" --set "grid.dx=8 mm" --frames ":$frames" --quiet; done
expect 0 "" resume plate2 --frames :3 --quiet
cmp -s <(hashes plate2) <(hashes plate3) || fail "resumed in the middle of a contact, a run differs from a straight one"
expect 0 "nothing left to simulate" resume plain
expect 0 "" resume plain --frames :12 --set gravity='[0, 1, 0]'
[ "$(hashes plain | wc -l)" -eq 13 ] || fail "a longer shot has $(hashes plain | wc -l) frames, not 13"
grep -q "gravity" plain/manifest.json || fail "the manifest does not tell of the edit"

# ---- what may be edited, and what is refused with its reason; a refused edit leaves the shot as it was
expect 0 "" run "$scene" --out edit --quiet --set checkpoints.every_frames=2 --set checkpoints.keep=9
cp -r edit kept
refused() { expect 2 "$1" resume edit --frames :12 "${@:2}"; cmp -s edit/manifest.json kept/manifest.json || fail "a refused edit changed the shot: ${*:2}"; }
refused "scene.fps cannot change on resume: it numbers the frames that are written" --set scene.fps=50
refused "bodies cannot change on resume" --set bodies.cube.velocity='[0, 5, 0]'
refused "materials.jelly.rho cannot change on resume" --set materials.jelly.rho=500
refused "dx cannot change" --set grid.dx=5cm
refused "precision of a run cannot change" --set scene.precision=double
refused "number of grips or emitters differs from the scene (0 and 0, scene 0 and 1)" --set emitters='[{name: e, material: jelly, shape: {kind: sphere, radius: 0.1}}]'
refused "number of materials differs from the scene (1, scene 2)" --set materials='[{name: jelly, rho: 1000, law: neo_hookean}, {name: x, law: snow}]'
sed 's/law: neo_hookean/law: hencky/' "$scene" >other.yaml
refused "materials.jelly.law cannot change on resume" --scene other.yaml
refused "materials.jelly.law cannot change on resume" --set materials.jelly.law=sand
[ "$(grep -c error: err)" -eq 1 ] || fail "a changed law is told of more than once: $(cat err)"
[ -e edit/checkpoints/checkpoint.000001.firn ] || fail "no checkpoint after the first frame"
rm edit/checkpoints/checkpoint.000001.firn edit/checkpoints/checkpoint.000002.firn
expect 4 "the earliest is of frame 4" resume edit --from 3
for setting in materials.jelly.E=40kPa 'colliders=[{name: post, shape: {kind: sphere, radius: 20 cm}}]' time.cfl=0.2 \
    'forces=[{name: wind, kind: drag, vector: [1, 0, 0], strength: 1}]' 'outputs=[{format: ply, attributes: P v, substeps: 2}]'; do
    rm -rf edit && cp -r kept edit
    expect 0 "" resume edit --from 5 --quiet --frames :12 --set "$setting"
    expect 0 "" verify --quiet edit
    grep -qF "\"edits\": [\"$setting\"]" edit/manifest.json || fail "the manifest does not tell of $setting"
    [ "$(hashes edit | wc -l)" -eq 13 ] || fail "$setting: $(hashes edit | wc -l) frames instead of 13"
    cmp -s <(hashes edit | head -5) <(hashes kept | head -5) || fail "$setting: the frames before the edit changed"
done

# ---- files that change behind a shot: going on is allowed, and told, file by file
mkdir seq
for k in $(seq 25); do # a slab that rises by half a millimetre a file
    python3 -c 'import sys, itertools
for x, y, z in itertools.product((-0.5, 0.5), (-0.2, 0.05), (-0.5, 0.5)): print("v", x, y + 0.0005 * int(sys.argv[1]), z)
for f in "1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4": print("f", f)' "$k" >"seq/slide.$(printf %04d "$k").obj"
done
cp seq/slide.0001.obj plate.obj
{ cat "$scene"; echo 'colliders: [{name: slide, shape: {kind: mesh, file: seq/slide.%04d.obj, fps: 100}}, {name: plate, shape: {kind: mesh, file: plate.obj}}]'; } >slide.yaml
expect 0 "" run slide.yaml --out slide --quiet --frames :4
[ "$(grep -o '"file": "[^"]*\.obj", "bytes": [0-9]*, "checksum": "[0-9a-f]*"' slide/manifest.json | wc -l)" -eq 26 ] ||
    fail "the manifest does not have the 26 files of the scene"
cp -r slide slide.kept
expect 0 "" resume slide --quiet --frames :6
[ ! -s err ] || fail "files that are as they were are told of: $(cat err)"
rm seq/slide.001[0-9].obj
cp seq/slide.0025.obj seq/slide.0026.obj
echo '# other' >>plate.obj
expect 0 "/seq/slide.0010.obj: input file no longer exists" resume slide --quiet --frames :8
for words in "/seq/slide.0026.obj: input file is new since the shot last read this sequence" \
    "/plate.obj: input file has changed since the shot last read it" "slide: 12 input files have changed"; do
    grep -qF "$words" err || fail "resume with other files lacks '$words': $(cat err)"
done
[ "$(grep -c 'input file no longer exists' err)" -eq 10 ] || fail "not all 10 files that are gone are told of: $(cat err)"
for words in '/seq/slide.0019.obj", "what": "gone"}' '/seq/slide.0026.obj", "what": "new", "bytes"' '/plate.obj", "what": "changed", "bytes"'; do
    grep -F '"what": "resume"' slide/manifest.json | grep -qF "$words" || fail "the history lacks $words"
done
expect 0 "" verify --quiet slide
expect 0 "files missing between number 1 and 26" resume slide --quiet --frames :9
grep -q "slide.0010\|input file" err && fail "what was told once is told again: $(cat err)"
expect 0 "1 input file has changed" resume slide.kept --quiet --frames :9 \
    --set "colliders=[{name: plate, shape: {kind: mesh, file: $PWD/plate.obj}}]"
python3 -c 'import json; exit(any("slide." in i["name"] for i in json.load(open("slide.kept/manifest.json"))["inputs"]))' ||
    fail "files that an edit left out stay among those of the scene"

# ---- particles too far apart to hold each other: told when the scene is read, or once they are drawn so far, once
expect 0 "bodies.cube puts its particles 1 cells apart" check "$scene" --seconds 0 --set bodies.cube.particles_per_cell=1
[ "$(grep -c warning: err)" -eq 1 ] || fail "a sparse body is warned of $(grep -c warning: err) times: $(cat err)"
expect 0 "material 'jelly': particle 0 at" run "$scene" --out drawn --set 'bodies.cube.F=[2, 1, 1]' --frames :2
[ "$(grep -c 'is stretched to 2 times its length' err)" -eq 1 ] || fail "a stretched body: $(cat err)"
python3 -c 'import csv, sys; sys.exit(abs(float(next(csv.DictReader(open("drawn/ledger.csv")))["max_gap"]) - 1) > 1e-4)' ||
    fail "max_gap of a body stretched to twice its length is not 1 cell"

# A collider that becomes a hundred times faster in the fourth frame: check and run say so.
cat >faster.yaml <<END
$(cat "$scene")
colliders:
  ball: {shape: {kind: sphere, radius: 1 cm}, motion: {keys: [{time: 0, position: [0, 1.5, 0]}, {time: 0.03, position: [0.1, 1.5, 0]},
    {time: 0.04, position: [10, 1.5, 0]}]}}
END
"$firn" check faster.yaml >out 2>&1 || fail "check of a scene that becomes faster: $(tail -1 out)"
grep -q 'steps per frame, up to [0-9]* when material falls or is struck' out || fail "check does not expect more steps: $(grep steps out)"
"$firn" run faster.yaml --out faster --progress none >out 2>err || fail "a scene that becomes faster: $(tail -1 err)"
grep -q 'frame 4 took [0-9]* steps, .* times those of any frame before: dt .*, limited by collider' err ||
    fail "a frame of many steps is not told: $(cat err)"

# OpenMP ends the program where it gets no threads: a sentence and 5 instead of 1. Sanitizers need the address space.
if ! nm -D "$firn" 2>/dev/null | grep -q __asan; then
    (ulimit -v 1000000; "$firn" run "$scene" --out no_threads --threads 500 --progress none) >out 2>err </dev/null
    code=$?
    [ $code -eq 5 ] && grep -q 'out of memory' err || fail "without threads: exit code $code: $(tail -1 err)"
fi

[ $failures -eq 0 ] && echo "all checks of run and resume passed"
exit $((failures > 0))
