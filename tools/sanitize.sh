#!/bin/bash
# SPDX-License-Identifier: MIT
# sanitize.sh [--thread] [test...]: builds with clang's sanitizers (two variants of the kernels, see src/meson.build) and
# runs tests, or only those named. The last line is `N passed, N failed`.
#   without   address and undefined behaviour, in build-asan: the unit tests
#   --thread  data races, in build-tsan: tests that share data between threads, with four threads. LLVM's OpenMP and its
#             tool Archer report synchronisation to the sanitizer (gcc's libgomp does not, and every barrier would look
#             like a race); libraries that are not instrumented (OpenVDB, TBB, Embree) are left out.
set -u
cd "$(dirname "$0")/.." || exit 1
export OMP_WAIT_POLICY=passive
kinds=address,undefined folder=build-asan
if [ "${1:-}" = --thread ]; then
    shift
    kinds=thread folder=build-tsan
    archer=$(find /usr/lib -name libarcher.so 2>/dev/null | head -1)
    [ -n "$archer" ] || { echo "sanitize.sh: Archer is missing: tools/install.sh ci (libomp-dev)" >&2; exit 1; }
    export OMP_TOOL_LIBRARIES=$archer OMP_NUM_THREADS=4 FIRN_THREADS=4
    export TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=66"
    [ $# -gt 0 ] || set -- sim node_boundary ledger separation cache_queue live_preview render
fi
[ -f $folder/build.ninja ] ||
    CC=clang CXX=clang++ meson setup $folder -Dbuildtype=debugoptimized -Db_sanitize=$kinds -Db_lundef=false || exit 1
# A killed process leaves a file of LLVM's OpenMP; the next process with its number fails on it under the sanitizer.
for left in /dev/shm/__KMP_REGISTERED_LIB_*; do
    number=${left##*_LIB_}
    [ -e "/proc/${number%%_*}" ] || rm -f "$left"
done
rm -f $folder/meson-logs/testlog.json
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export LSAN_OPTIONS="suppressions=$PWD/tools/lsan.txt"
if [ $kinds = thread ]; then # meson builds what the tests need, a third of the targets
    built=
else
    ninja -C $folder || exit 1
    built=--no-rebuild
    # The verification programs take an hour and run only code that the tests of the solver run.
    [ $# -gt 0 ] || set -- $(meson test -C $folder --suite unit --list 2>/dev/null | sed 's/.* \/ //' | grep -v '^verify-')
fi
meson test -C $folder $built --timeout-multiplier 10 --print-errorlogs "$@" </dev/null
exec python3 tools/count_tests.py $folder/meson-logs/testlog.json
