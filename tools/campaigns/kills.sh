#!/bin/bash
# SPDX-License-Identifier: MIT
# kills.sh BUILD [N] [SCENE.yaml]: the kills of the unit tests N times (1,000), and those of the program: a run is
# killed with -9 at random times and resumed until it is finished. After every kill the shot must verify; at the end the
# state of every frame must have the hash of an undisturbed run, and the manifest must say "finished". BUILD is a build
# folder; the exit code is 0 when all held.
set -u
build=${1:?usage: kills.sh BUILD [N] [SCENE.yaml]}
kills=${2:-1000}
scene=${3:-$(dirname "$0")/../../tests/cli/tiny.yaml}
firn=$build/src/firn
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo "records and checkpoints, $kills kills of a writing process"
FIRN_TEST_KILLS=$kills "$build/tests/test_checkpoint" >"$folder/log" 2>&1 || { tail -5 "$folder/log"; exit 1; }
echo "every bit of every file of a shot"
FIRN_TEST_ALL=1 "$build/tests/test_shot_verify" >"$folder/log" 2>&1 || { tail -5 "$folder/log"; exit 1; }

# hashes SHOT: frame and state hash, a line each
hashes() { sed 's/.*"frame": \([0-9]*\),.*"state_hash": "\([0-9a-f]*\)".*/\1 \2/' "$1/frames.jsonl"; }

settings=(--frames :40 --set checkpoints.every_frames=5 --quiet)
"$firn" run "$scene" --out "$folder/whole" "${settings[@]}" || exit 1
hashes "$folder/whole" >"$folder/whole.hashes"
echo "$kills kills of firn run and firn resume, $(wc -l <"$folder/whole.hashes") frames"
shot=$folder/killed
done_runs=0
# go_on: starts the shot, or resumes it where there is a checkpoint
go_on() {
    if [ -e "$shot/manifest.json" ] && ls "$shot"/checkpoints/checkpoint.*.firn >/dev/null 2>&1; then
        exec "$firn" resume "$shot" --frames :40 --quiet
    else
        exec "$firn" run "$scene" --out "$shot" --overwrite "${settings[@]}"
    fi
}
for ((i = 0; i < kills; i++)); do
    (go_on) >"$folder/log" 2>&1 &
    sleep "0.$(printf '%03d' $((RANDOM % 1000)))"
    if kill -9 $! 2>/dev/null; then
        wait $! 2>/dev/null
    else
        wait $! || { echo "kill $i: the program failed:"; cat "$folder/log"; exit 1; }
    fi
    [ -e "$shot/manifest.json" ] || continue
    "$firn" verify --quiet "$shot" >"$folder/log" 2>&1 || { echo "kill $i:"; cat "$folder/log"; exit 1; }
    if grep -q '"state": "finished"' "$shot/manifest.json"; then
        hashes "$shot" | cmp - "$folder/whole.hashes" || { echo "kill $i: another result"; exit 1; }
        rm -rf "$shot"
        done_runs=$((done_runs + 1))
    fi
done
(go_on) >"$folder/log" 2>&1 || { echo "the last shot cannot be finished:"; cat "$folder/log"; exit 1; }
hashes "$shot" | cmp - "$folder/whole.hashes" || { echo "the last shot: another result"; exit 1; }
grep -q '"state": "finished"' "$shot/manifest.json" || { echo "the last shot: not marked as finished"; exit 1; }
done_runs=$((done_runs + 1))
echo "all $kills kills survived; $done_runs shots were finished, each with the hashes of the undisturbed one"
