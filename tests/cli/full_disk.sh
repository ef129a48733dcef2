#!/bin/bash
# full_disk.sh FIRN SCENE.yaml: a run into a file system of 400 kB. It must end with code 4 and a sentence, what was
# good must stay good, and with more room it must go on. Exit code 77 (skipped) where nothing may be mounted.
firn=$1 scene=$2
if [ -z "$FIRN_INSIDE" ]; then
    unshare -m true 2>/dev/null || exit 77
    FIRN_INSIDE=1 exec unshare -m "$0" "$firn" "$scene"
fi
folder=$(mktemp -d)
trap 'umount "$folder"; rmdir "$folder"' EXIT
mount -t tmpfs -o size=400k none "$folder" || exit 77
shot=$folder/shot
failures=0
fail() { echo "failed: $*"; failures=$((failures + 1)); }
said=$("$firn" run "$scene" --frames :40 --set checkpoints.every_frames=4 --out "$shot" --quiet 2>&1)
code=$?
[ $code -eq 4 ] || fail "exit code $code, expected 4: $said"
case $said in *"the disk is full"*) ;; *) fail "does not say that the disk is full: $said" ;; esac
"$firn" verify --quiet "$shot" || fail "what was good is not good any more"
n=$(wc -l <"$shot/frames.jsonl")
mount -o remount,size=5m "$folder"
"$firn" resume "$shot" --frames :40 --quiet || fail "cannot go on with more room"
"$firn" verify --quiet "$shot" || fail "not whole after going on"
[ "$(wc -l <"$shot/frames.jsonl")" -eq 41 ] || fail "$(wc -l <"$shot/frames.jsonl") moments instead of 41 (was stopped after $n)"
exit $failures
