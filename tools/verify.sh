#!/bin/bash
# SPDX-License-Identifier: MIT
# verify.sh [--table] [--quick|--full] [--build DIR] [FOLDER]: runs every verification program (tests/verify) and
# prints one table with the columns case, reference, firn, error, gate; the curves go to FOLDER as CSV, those of convergence and
# the dam's front also as plots (SVG).
# --table is the default and means the full resolutions; exits with 1 when a row misses its gate.
set -u
cd "$(dirname "$0")/.." || exit 1
build=build mode=--full folder=
while [ $# -gt 0 ]; do
    case $1 in
    --table | --full) mode=--full ;;
    --quick) mode= ;;
    --build) build=$2; shift ;;
    -*) echo "verify: unknown option ($1); allowed: --table --full --quick --build DIR" >&2; exit 1 ;;
    *) folder=$1 ;;
    esac
    shift
done
[ -z "$folder" ] || mkdir -p "$folder" || exit 1
programs=$(meson introspect "$build" --tests |
    python3 -c 'import json, sys; print(*sorted({t["cmd"][0] for t in json.load(sys.stdin) if t["name"].startswith("verify-")}))')
[ -n "$programs" ] || { echo "verify: no verification programs in $build; try: ninja -C $build" >&2; exit 1; }
rows=$(mktemp -d) || exit 1
trap 'rm -rf "$rows"' EXIT
# one program per core at a time
printf '%s\n' $programs | xargs -P "$(nproc)" -I{} sh -c \
    'name=${1##*/}; shift; "$0" "$@" >"'"$rows"'/$name.rows" || touch "'"$rows"'/$name.missed"' {} {} $mode ${folder:+--csv "$folder"}
{ echo 'case,reference,firn,error,gate'; cat "$rows"/*.rows; } >"$rows/table"
[ -z "$folder" ] || cp "$rows/table" "$folder/table.csv"
column -t -s, -o ' | ' "$rows/table"
! ls "$rows"/*.missed >/dev/null 2>&1
