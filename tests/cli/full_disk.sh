#!/bin/bash
# SPDX-License-Identifier: MIT
# full_disk.sh FIRN SCENE.yaml: a run into a file system of 400 kB. It must end with code 4 and a sentence, what was
# good must stay good, and with more room it must go on. Exit code 77 (skipped) where nothing may be mounted.
firn=$1 scene=$2
if [ -z "$FIRN_INSIDE" ]; then
    unshare -m true 2>/dev/null || { echo "skipped: no file system may be mounted"; exit 77; }
    FIRN_INSIDE=1 exec unshare -m "$0" "$firn" "$scene"
fi
folder=$(mktemp -d)
trap 'umount "$folder"; rmdir "$folder"' EXIT
mount -t tmpfs -o size=400k none "$folder" || { echo "skipped: no file system may be mounted"; exit 77; }
shot=$folder/shot
failures=0
fail() { echo "failed: $*"; failures=$((failures + 1)); }
said=$("$firn" run "$scene" --frames :40 --set checkpoints.every_frames=4 --out "$shot" --quiet 2>&1)
code=$?
[ $code -eq 4 ] || fail "exit code $code, expected 4: $said"
case $said in *"the disk is full"*) ;; *) fail "does not say that the disk is full: $said" ;; esac
"$firn" verify --quiet "$shot" || fail "what was good is not good any more"
grep -q '"state": "stopped"' "$shot/manifest.json" && fail "the simulation is said to have stopped by itself"
n=$(wc -l <"$shot/frames.jsonl")
mount -o remount,size=5m "$folder"
"$firn" resume "$shot" --frames :40 --quiet || fail "cannot go on with more room"
"$firn" verify --quiet "$shot" || fail "not whole after going on"
[ "$(wc -l <"$shot/frames.jsonl")" -eq 41 ] || fail "$(wc -l <"$shot/frames.jsonl") moments instead of 41 (was stopped after $n)"

# A file system that becomes read-only, and a folder that goes: a sentence, code 4; what was good stays good. Frames are
# long, so that between them there are moments without an open file.
watch() { # NAME COMMAND...: starts a run that would last, does the command once there are caches, tells how it ended
    local name=$1
    shift
    "$firn" run "$scene" --frames :1000000 --set scene.fps=0.2 --set checkpoints.every_frames=3 --set outputs='[{format: bgeo, every: 1000}]' \
        --out "$folder/$name" --quiet >"$said_to" 2>&1 &
    local pid=$!
    until [ -e "$folder/$name/checkpoints/checkpoint.000003.firn" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
    "$@"
    wait $pid
    code=$?
    [ $code -eq 4 ] || fail "$name: exit code $code, expected 4: $(cat "$said_to")"
    [ -s "$said_to" ] || fail "$name: nothing is said"
}
said_to=$(mktemp)
mount -o remount,size=200m "$folder"
make_readonly() { # refused as long as a file is open for writing, which it is most of the time
    while kill -0 $pid 2>/dev/null; do mount -o remount,ro "$folder" 2>/dev/null && return; done
    fail "the file system cannot be made read-only"
}
watch readonly make_readonly
grep -q "read-only" "$said_to" || fail "does not say that the file system is read-only: $(cat "$said_to")"
mount -o remount,rw "$folder"
"$firn" verify --quiet "$folder/readonly" || fail "read-only: what was good is not good any more"
n=$(($(wc -l <"$folder/readonly/frames.jsonl") + 3))
"$firn" resume "$folder/readonly" --frames ":$n" --quiet || fail "cannot go on when the file system can be written again"
"$firn" verify --quiet "$folder/readonly" || fail "not whole after going on"
watch gone mv "$folder/gone" "$folder/moved"
"$firn" verify --quiet "$folder/moved" || fail "the folder that was moved away is not whole"
rm -f "$said_to"

# Every format that is written: a sentence, and no file that is cut.
cache=$(find "$folder/readonly" -name '*.bgeo' | head -n 1)
mkdir "$folder/out"
dd if=/dev/zero of="$folder/filler" bs=64k 2>/dev/null # until nothing is left
for to in "mesh $cache --out $folder/out --format vdb" "mesh $cache --out $folder/out --format obj" \
    "mesh $cache --out $folder/out --format ply" "convert $cache $folder/out/a.vdb" "convert $cache $folder/out/a.vtp" \
    "convert $cache $folder/out/a.bgeo.gz"; do
    said=$("$firn" $to 2>&1 >/dev/null)
    code=$?
    [ $code -eq 4 ] || fail "full, $to: exit code $code, expected 4: $said"
    case $said in *"the disk is full"*) ;; *) fail "full, $to: does not say so: $said" ;; esac
    [ -z "$(ls "$folder/out")" ] || fail "full, $to: leaves $(ls "$folder/out")"
    rm -f "$folder/out"/*
done
exit $failures
