#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz_scene.sh [SECONDS]: fuzzes the scene reader with clang's libFuzzer (default 60 s). Its sources are built with the
# address and undefined-behaviour sanitizers, the rest of the library comes from an ordinary build, so that this starts
# in seconds. Inputs that crash are kept in build/fuzz/.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-60}
command -v clang > /dev/null || { echo "fuzz_scene: clang is not installed (see tools/packages.txt)"; exit 1; }
[ -d build ] || meson setup build > /dev/null
ninja -C build tests/test_scene > /dev/null
mkdir -p build/fuzz/corpus
cp scenes/*.yaml build/fuzz/corpus/
# all after the object file in the link line of the scene test: libraries
libraries=$(ninja -C build -t commands tests/test_scene | tail -1 | sed 's/.*-o tests\/test_scene [^ ]* //; s/-Wl,--no-undefined//')
sources="base/arena base/messages base/suggest base/text base/units base/name_table scene/scene scene/scene_bind scene/scene_check scene/scene_schema scene/scene_set scene/scene_value scene/scene_write scene/yaml_tree"
files=
for name in $sources; do files="$files ../src/$name.c"; done
cd build
# shellcheck disable=SC2086
clang -std=gnu17 -g -O1 -D_GNU_SOURCE -DFIRN_VERSION='"fuzz"' -I../include -I../src \
    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -o fuzz/fuzz_scene ../tests/scene/fuzz_scene.c $files $libraries
fuzz/fuzz_scene -max_total_time="$seconds" -max_len=4096 -artifact_prefix=fuzz/ fuzz/corpus
