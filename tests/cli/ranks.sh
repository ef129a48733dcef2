#!/bin/bash
# SPDX-License-Identifier: MIT
# ranks.sh FIRN: a run on several ranks writes the files of a run on one: caches, ledger, checkpoints, state hashes.
# Ranks of one machine, of Open MPI and of MPICH (each where it is installed and firn was built with it); a rank that is
# killed or paused, a signal, and a resume with another number of ranks; what is refused.
firn=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export OMP_WAIT_POLICY=passive
fail() { echo "FAILED: $*"; cat out 2>/dev/null; exit 1; }

cat >ball.yaml <<'END'
scene: {name: ball, frames: 5, fps: 24}
grid: {dx: 8 cm, box_min: [-60 cm, 0, -60 cm], box_max: [60 cm, 2 m, 60 cm], walls: [slip, slip, separate, open, slip, slip]}
materials:
  snow: {preset: powder_snow}
  jelly: {law: neo_hookean, E: 20 kPa, nu: 0.3, rho: 500 kg/m^3}
bodies:
  ball: {material: snow, shape: {kind: sphere, center: [0, 60 cm, 0], radius: 25 cm}, velocity: [1 m/s, -6 m/s, 0]}
  cube: {material: jelly, shape: {kind: box, center: [0, 15 cm, 10 cm], size: [30 cm, 30 cm, 30 cm]}}
emitters:
  tap: {material: snow, shape: {kind: sphere, center: [30 cm, 60 cm, -30 cm], radius: 9 cm}, velocity: [0, -3 m/s, 0]}
outputs: {format: bgeo, attributes: [P, v, id]}
checkpoints: {every_frames: 1, keep: 9}
END

# The files that must be the same, and the state hashes.
files_of() {
    (cd "$1" && cat ledger.csv ./*.bgeo checkpoints/* | sha256sum && sed 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/' frames.jsonl)
}
same() { [ "$(files_of one)" = "$(files_of "$1")" ] || fail "$1: other files than on one rank"; }
states_of() { sed 's/.*"frame": \([0-9]*\),.*"state_hash": "\([0-9a-f]*\)".*/\1 \2/' "$1/frames.jsonl"; }

"$firn" run ball.yaml --threads 1 -q -o one >out 2>&1 || fail "one rank"
"$firn" run ball.yaml --ranks 2 --threads 2 -q -o two >out 2>&1 || fail "two ranks"
same two
"$firn" run ball.yaml --ranks 3 --threads 1 --progress plain -o three >out 2>&1 || fail "three ranks"
same three
grep -q '^3 ranks: imbalance 1\.[0-9]*,' out || fail "no balance of ranks in the summary"

# Through MPI.
through() { # NAME LIBRARY COMMAND...
    local name=$1 library=$2
    shift 2
    # MPI libraries keep memory until the end, unloaded by then: the leak sanitizer cannot name them
    local ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
    export ASAN_OPTIONS
    [ -e "$(dirname "$firn")/libfirn_mpi_$library.so" ] && command -v "$1" >/dev/null || { echo "not tested: $library"; return; }
    "$@" "$firn" run ball.yaml --threads 1 -q -o "$name" >out 2>&1 || fail "$name: code $?"
    same "$name"
    "$@" "$firn" run ball.yaml --ranks 2 -q -o no >out 2>&1 && fail "--ranks in ranks of mpirun"
    grep -q -e '--ranks: mpirun has started' out || fail "--ranks in ranks of mpirun: no sentence"
}
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
through openmpi openmpi mpirun.openmpi -n 2
through mpich mpich mpiexec.mpich -n 3

# The ranks of a run in the background that has written its first checkpoint.
begin() { # FOLDER FRAMES
    "$firn" run ball.yaml --ranks 3 --threads 1 --frames ":$2" -q -o "$1" >out 2>&1 &
    parent=$!
    until ls "$1"/checkpoints/checkpoint.* >/dev/null 2>&1; do
        kill -0 $parent 2>/dev/null || fail "$1: ended before its first checkpoint"
        sleep 0.05
    done
    ranks=($(pgrep -P $parent))
    [ ${#ranks[@]} -eq 3 ] || fail "$1: ${#ranks[@]} ranks are running"
}
frames=400

begin killed $frames
kill -9 "${ranks[1]}"
wait $parent
[ $? -eq 3 ] || fail "killed: another code than 3"
grep -q 'rank 1 of 3: ended by signal 9' out || fail "killed: no sentence"
for rank in "${ranks[@]}"; do kill -0 "$rank" 2>/dev/null && fail "killed: rank $rank is left"; done
"$firn" verify killed >out 2>&1 || fail "killed: the shot is not whole"
"$firn" resume killed --ranks 2 --threads 1 --frames :5 -q >out 2>&1
code=$?
[ $code -eq 0 ] || fail "killed: resume with code $code"
diff <(states_of one) <(states_of killed | head -6) >/dev/null || fail "killed: other states after resume"

begin asked $frames
kill -STOP "${ranks[2]}"
kill -TERM $parent
sleep 0.3
kill -0 "${ranks[0]}" || fail "asked: rank 0 did not wait for a paused rank"
kill -CONT "${ranks[2]}"
wait $parent
[ $? -eq 6 ] || fail "asked: another code than 6"
"$firn" resume asked --threads 1 --frames :5 -q >out 2>&1
diff <(states_of one | head -5) <(states_of asked | head -5) >/dev/null || fail "asked: other states after resume"

# Refused with a sentence, before anything is written.
refused() { # SENTENCE SETTING...
    local sentence=$1
    shift
    "$firn" run ball.yaml --ranks 2 -q -o no "$@" >out 2>&1
    [ $? -eq 2 ] || fail "$*: another code than 2"
    grep -q "$sentence: does not work on several ranks" out || fail "$*: no sentence"
    [ "$(grep -c error out)" -eq 1 ] || fail "$*: more than one error"
    [ ! -e no ] || fail "$*: something was written"
}
refused 'time.integrator: an implicit one' -s time.integrator=implicit
refused 'grid.walls: mirror' -s 'grid.walls=[slip, slip, mirror, open, slip, slip]'
refused 'materials: heat_capacity' -s 'materials.snow.heat_capacity=2000'
echo "the same files on 1, 2, 3 ranks"
