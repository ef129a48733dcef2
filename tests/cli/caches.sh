#!/bin/bash
# SPDX-License-Identifier: MIT
# caches.sh FIRN: info, convert and verify as a shell sees them, on a cache of two points typed here byte by byte.
# Prints one line a check that fails; the exit code is the number of failures.
firn=$1
failures=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "failed: $*"; failures=$((failures + 1)); }
expect() { # CODE WORDS ARGUMENTS...: exit code, and what stdout or stderr must contain
    local code=$1 words=$2
    shift 2
    "$firn" "$@" >"$folder/said" 2>&1 </dev/null
    local got=$?
    [ $got -eq "$code" ] || fail "firn $*: exit code $got, expected $code: $(head -1 "$folder/said")"
    [ -z "$words" ] || grep -qF -- "$words" "$folder/said" || fail "firn $*: does not say '$words': $(head -1 "$folder/said")"
}

# header; one point attribute Jp (float, default 0); records x y z w Jp; no details; trailer
{
    printf 'BgeoV\0\0\0\5\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0'
    printf '\0\2Jp\0\1\0\0\0\0\0\0\0\0'
    printf '\0\0\0\0\0\0\0\0\0\0\0\0\77\200\0\0\77\200\0\0'
    printf '\100\0\0\0\0\0\0\0\0\0\0\0\77\200\0\0\77\0\0\0'
    printf '\0\377'
} >"$folder/a.bgeo"
expect 0 "2 points, bgeo, 97 bytes" info "$folder/a.bgeo"
expect 0 "bounding box: 2 x 0 x 0 m" info "$folder/a.bgeo"
expect 0 '"points": 2' info --json "$folder/a.bgeo"
expect 0 "" convert "$folder/a.bgeo" "$folder/b.bgeo.gz"
expect 0 "2 points, bgeo.gz" info "$folder/b.bgeo.gz"
expect 0 "" convert "$folder/b.bgeo.gz" "$folder/c.bgeo"
cmp -s "$folder/a.bgeo" "$folder/c.bgeo" || fail "to gzip and back is not the same"
expect 0 "" convert -n 2 -a Jp "$folder/a.bgeo" "$folder/d.bgeo"
expect 0 "1 points" info "$folder/d.bgeo"
expect 1 "attribute 'v' does not exist" convert -a v "$folder/a.bgeo" "$folder/e.bgeo"
[ -e "$folder/e.bgeo" ] && fail "a refused conversion left a file"
expect 2 "a.xyz: unknown extension; allowed: .bgeo" convert "$folder/a.bgeo" "$folder/a.xyz"
expect 1 "\`firn convert\` needs two files; usage: firn convert [options] FROM TO" convert "$folder/a.bgeo"
expect 0 ".bgeo.gz" convert --list
expect 0 ".volumes.vdb  -w" convert --list
expect 0 "volumes.vdb         writes" help formats
expect 0 "" convert "$folder/a.bgeo" "$folder/a.volumes.vdb"
expect 0 "a.volumes.vdb: no damage" verify "$folder/a.volumes.vdb"
for verb in info render mesh; do
    expect 2 ".volumes.vdb files hold volumes and no points" "$verb" "$folder/a.volumes.vdb"
done
mkdir "$folder/only" && cp "$folder/a.volumes.vdb" "$folder/only/a.0001.volumes.vdb"
expect 2 "its caches *.volumes.vdb hold volumes and no points" mesh "$folder/only"
(ulimit -f 0 && "$firn" convert "$folder/a.bgeo" "$folder/limit.vtp" >/dev/null 2>&1 </dev/null)
[ $? -eq 4 ] || fail "a limit on the size of files does not end with code 4"
[ -e "$folder/limit.vtp" ] && fail "a limit on the size of files left half a file"
expect 4 "no such file or folder" info "$folder/none.bgeo"
expect 0 "a.bgeo: no damage" verify "$folder/a.bgeo"
head -c 60 "$folder/a.bgeo" >"$folder/cut.bgeo"
expect 4 "damaged or not a classic bgeo" verify "$folder/cut.bgeo"
expect 4 "not the folder of a shot" verify "$folder"
expect 4 "not the folder of a shot" info "$folder"
exit $failures
