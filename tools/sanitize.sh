#!/bin/bash
# sanitize.sh [test...]: builds with clang's address and undefined-behaviour sanitizers in build-asan (two variants of
# the kernels, see src/meson.build) and runs the unit tests, or only those named. The last line is `N passed, N failed`.
set -u
cd "$(dirname "$0")/.." || exit 1
export OMP_WAIT_POLICY=passive
[ -f build-asan/build.ninja ] ||
    CC=clang CXX=clang++ meson setup build-asan -Dbuildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false || exit 1
ninja -C build-asan || exit 1
rm -f build-asan/meson-logs/testlog.json
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export LSAN_OPTIONS="suppressions=$PWD/tools/lsan.txt"
# The verification programs would take an hour, and run nothing that the tests of the solver do not run.
[ $# -gt 0 ] || set -- $(meson test -C build-asan --suite unit --list 2>/dev/null | sed 's/.* \/ //' | grep -v '^verify-')
meson test -C build-asan --no-rebuild --timeout-multiplier 10 --print-errorlogs "$@" </dev/null
exec python3 tools/count_tests.py build-asan/meson-logs/testlog.json
