#!/bin/bash
# SPDX-License-Identifier: MIT
# distance_queries.sh SCENE.yaml [OPTION OF firn run...]: the share of a scene's steps that distance queries of colliders
# take: firn_contact_distance, firn_contact_distance_query, firn_contact_surface and firn_distance_cache_surface with all
# that they call, memory waits included. Samples of perf with call chains over a whole run, of a build with frame pointers
# (made once, in build-perf or $FIRN_PERF_BUILD). Setup and writing do not count. Needs perf (package linux-perf); takes a
# minute, then as long as the scene.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || { sed -n '3,7s/^# //p' "$0" >&2; exit 1; }
command -v perf >/dev/null || { echo "distance_queries: perf is not installed; try: apt install linux-perf" >&2; exit 1; }
build=${FIRN_PERF_BUILD:-$root/build-perf}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
[ -d "$build" ] || meson setup "$build" "$root" -Dc_args="-fno-omit-frame-pointer -fno-optimize-sibling-calls" >/dev/null
ninja -C "$build" src/firn >/dev/null || { echo "distance_queries: the build failed" >&2; exit 1; }
perf record -q -o "$scratch/samples" -F 1999 --call-graph fp "$build/src/firn" run "$@" --out "$scratch/shot" \
    >"$scratch/log" 2>&1 || { tail -n 5 "$scratch/log" >&2; exit 1; }
# A sample is its functions, innermost first, and an empty line. Reading and extrapolating files of a sequence happens
# inside a step, but is no query.
perf script -i "$scratch/samples" -F ip,sym 2>/dev/null | awk '
    function count() {
        if (in_step && !in_files) { step++; if (by != "") { queries++; of[by]++ } }
        in_step = in_files = 0; by = ""
    }
    NF == 0 { count(); next }
    $2 == "firn_sim_step" || $2 ~ /_omp_fn/ { in_step = 1 }
    /openvdb|tbb::|firn_vdb|firn_sdf_finish|firn_sdf_extrapolate/ { in_files = 1 }
    $2 ~ /^firn_distance_cache_surface/ { by = "nodes" }
    $2 ~ /^firn_contact_(distance|surface)/ { by = "particles" }
    END {
        count()
        if (!step) { print "distance_queries: no samples in steps" > "/dev/stderr"; exit 1 }
        printf "distance queries: %.1f %% of the steps (nodes %.1f, particles and blocks %.1f), %d samples\n",
               100 * queries / step, 100 * of["nodes"] / step, 100 * of["particles"] / step, step
    }'
