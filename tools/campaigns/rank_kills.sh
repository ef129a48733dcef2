#!/bin/bash
# SPDX-License-Identifier: MIT
# rank_kills.sh BUILD [N] [SCENE.yaml]: runs on 1 to 4 ranks of this machine, of which one is killed with -9 at a random
# time, N times (100), each resumed with another number of ranks until the shot is finished. After every kill the others must
# be gone within ten seconds and the shot must verify; at the end the state of every frame must have the hash of an
# undisturbed run on one rank. BUILD is a build folder; the exit code is 0 when all held.
set -u
build=${1:?usage: rank_kills.sh BUILD [N] [SCENE.yaml]}
kills=${2:-100}
scene=${3:-$(dirname "$0")/../../tests/cli/tiny.yaml}
firn=$build/src/firn
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMP_WAIT_POLICY=passive

hashes() { sed 's/.*"frame": \([0-9]*\),.*"state_hash": "\([0-9a-f]*\)".*/\1 \2/' "$1/frames.jsonl"; }
settings=(--frames :40 --set checkpoints.every_frames=5 --threads 1 --quiet)
"$firn" run "$scene" --out "$folder/whole" "${settings[@]}" || exit 1
hashes "$folder/whole" >"$folder/whole.hashes"
shot=$folder/killed
finished=0 killed=0
while [ $killed -lt "$kills" ]; do
    n=$((2 + RANDOM % 3))
    if ls "$shot"/checkpoints/checkpoint.*.firn >/dev/null 2>&1; then
        "$firn" resume "$shot" --ranks $n --threads 1 --frames :40 --quiet >"$folder/log" 2>&1 &
    else
        "$firn" run "$scene" --out "$shot" --overwrite --ranks $n "${settings[@]}" >"$folder/log" 2>&1 &
    fi
    parent=$!
    sleep "$((RANDOM % 2)).$(printf '%03d' $((RANDOM % 1000)))"
    ranks=($(pgrep -P $parent))
    if [ ${#ranks[@]} -gt 0 ] && kill -9 "${ranks[RANDOM % ${#ranks[@]}]}" 2>/dev/null; then killed=$((killed + 1)); fi
    for ((i = 0; i < 100; i++)); do
        kill -0 $parent 2>/dev/null || break
        [ "$(pgrep -c -P $parent)" -eq $n ] && break # none was killed: it goes on
        sleep 0.1
    done
    [ $i -lt 100 ] || { echo "kill $killed: ranks are left after ten seconds"; exit 1; }
    wait $parent
    code=$?
    [ $code -eq 0 ] || [ $code -eq 3 ] || { echo "kill $killed: code $code"; cat "$folder/log"; exit 1; }
    [ -e "$shot/manifest.json" ] || continue
    "$firn" verify --quiet "$shot" >"$folder/log" 2>&1 || { echo "kill $killed:"; cat "$folder/log"; exit 1; }
    if grep -q '"state": "finished"' "$shot/manifest.json"; then
        hashes "$shot" | cmp - "$folder/whole.hashes" || { echo "kill $killed: another result"; exit 1; }
        rm -rf "$shot"
        finished=$((finished + 1))
    fi
done
echo "all $killed kills survived; $finished shots were finished, each with the hashes of the undisturbed one"
