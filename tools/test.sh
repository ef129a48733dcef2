#!/bin/bash
# SPDX-License-Identifier: MIT
# test.sh [meson test arguments]: installs the packages of the tests, builds, runs every test. The last line is
# `N passed, N failed` (`, N skipped: why`), counted by the cases inside the test programs; the exit code is 1 where any
# failed. Idempotent; works as root or through sudo, without a terminal.
set -u
cd "$(dirname "$0")/.." || exit 1
started=$(date +%s)
export OMP_WAIT_POLICY=passive # tests share the cores: a waiting thread must not spin
say() { printf '== %s (%d s)\n' "$*" "$(($(date +%s) - started))"; }

say "packages"
packages=$(dpkg-query -W | cksum)
tools/install.sh required optional || { echo "0 passed, 1 failed"; exit 1; }
# meson remembers what was missing when the build was set up
[ "$packages" = "$(dpkg-query -W | cksum)" ] || [ ! -d build ] || again=--wipe
tools/install.sh test || { echo "0 passed, 1 failed"; exit 1; }
say "building (release)"
if ! { [ -f build/build.ninja ] && [ -z "${again:-}" ] || meson setup ${again:-} build; } || ! ninja -C build; then
    echo "test: the build failed" >&2
    echo "0 passed, 1 failed"
    exit 1
fi
say "testing"
rm -f build/meson-logs/testlog.json
meson test -C build --no-rebuild --timeout-multiplier 4 --print-errorlogs "$@" </dev/null
say "tests have run"
exec python3 tools/count_tests.py build/meson-logs/testlog.json
