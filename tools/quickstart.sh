#!/bin/bash
# SPDX-License-Identifier: MIT
# quickstart.sh: from a bare Debian 12 to a simulated snowball. Installs what is missing, required and optional packages at
# once so that later commands keep this build, builds the release, runs scenes/snowball.yaml into shots/snowball.
# Idempotent; works as root or through sudo, without a terminal. A package manager that is at work is waited for.
set -eu
cd "$(dirname "$0")/.."
started=$(date +%s)
say() { printf '\n== %s (%d s)\n' "$*" "$(($(date +%s) - started))"; }

say "packages"
tools/install.sh required optional
say "building firn"
[ -f build/build.ninja ] || meson setup build
ninja -C build src/firn
say "simulating scenes/snowball.yaml"
build/src/firn run scenes/snowball.yaml --out shots/snowball --overwrite
say "done: the caches are in shots/snowball; next: build/src/firn render shots/snowball"
