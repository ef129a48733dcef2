#!/bin/bash
# SPDX-License-Identifier: MIT
# looks.sh SCENE.yaml [OPTION OF firn run...]: how much of a scene's steps goes into looks at colliders' surfaces - all
# that firn_contact_distance, _distance_query, _surface and firn_distance_cache_surface do, waits for memory included. Samples of perf with
# call chains over a whole run, of a build with frame pointers (made once, in build-looks or $FIRN_LOOKS_BUILD). Setting up
# and writing do not count, but for what other threads than the first do of it. Needs perf (package linux-perf); a
# minute, then as long as the scene takes.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || { sed -n '2,6s/^# //p' "$0" >&2; exit 1; }
command -v perf >/dev/null || { echo "looks: perf is not there; it comes with the package linux-perf" >&2; exit 1; }
build=${FIRN_LOOKS_BUILD:-$root/build-looks}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
[ -d "$build" ] || meson setup "$build" "$root" -Dc_args="-fno-omit-frame-pointer -fno-optimize-sibling-calls" >/dev/null
ninja -C "$build" src/firn >/dev/null || { echo "looks: it does not build" >&2; exit 1; }
perf record -q -o "$scratch/samples" -F 1999 --call-graph fp "$build/src/firn" run "$@" --out "$scratch/shot" \
    >"$scratch/log" 2>&1 || { tail -n 5 "$scratch/log" >&2; exit 1; }
# A sample is its functions, innermost first, and an empty line.
perf script -i "$scratch/samples" -F ip,sym 2>/dev/null | awk '
    function count() {
        if (in_step && !in_files) { step++; if (by != "") { looks++; whose[by]++ } }
        in_step = in_files = 0; by = ""
    }
    NF == 0 { count(); next }
    $2 == "firn_sim_step" || $2 ~ /_omp_fn/ { in_step = 1 }
    /openvdb|tbb::|firn_vdb|firn_sdf_finish|spread/ { in_files = 1 }
    $2 ~ /^firn_distance_cache_surface/ { by = "nodes" }
    $2 ~ /^firn_contact_(distance|glance|surface)/ { by = "particles" }
    END {
        count()
        if (!step) { print "looks: no step was sampled" > "/dev/stderr"; exit 1 }
        printf "looks at colliders: %.1f %% of the steps (nodes %.1f, particles and blocks %.1f), %d samples\n",
               100 * looks / step, 100 * whose["nodes"] / step, 100 * whose["particles"] / step, step
    }'
