#!/bin/bash
# SPDX-License-Identifier: MIT
# installed.sh BUILD SOURCE CC...: installs the build into a scratch folder, checks what is there, and builds and runs
# drop.c and bowl.c against it through pkg-config, with the shared and with the static library.
set -eu
build=$1 source=$2
shift 2
cc=("$@") # perhaps with a launcher before it
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "failed: $*"; exit 1; }

DESTDIR=$folder meson install -C "$build" --no-rebuild --quiet
pc=$(find "$folder" -name firn.pc)
[ -n "$pc" ] || fail "no firn.pc"
prefix=$folder$(sed -n 's/^prefix=//p' "$pc")
for file in bin/firn include/firn/firn.h share/man/man1/firn.1 share/bash-completion/completions/firn.bash \
    share/zsh/site-functions/_firn share/firn/materials.yaml; do
    [ -e "$prefix/$file" ] || fail "$file is not installed"
done
[ ! -d "$source/scenes" ] || [ -d "$prefix/share/firn/scenes" ] || fail "the scenes are not installed"
grep -rlE "$build|$source" "$prefix/include" "$prefix/share" "$pc" && fail "installed files name the build folder"

# Only the installed files may be used: the prefix is moved to where they are.
flags() { PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --define-variable=prefix="$prefix" "$@" firn; }
libdir=$(flags --variable=libdir)
cd "$folder"
for program in drop bowl; do
    "${cc[@]}" "$source/tests/installed/$program.c" $(flags --cflags --libs) -lm -o shared
    LD_LIBRARY_PATH=$libdir ./shared
done
[ -e "$libdir/libfirn.a" ] || fail "no static library"
rm "$libdir"/libfirn.so*
for program in drop bowl; do
    "${cc[@]}" "$source/tests/installed/$program.c" $(flags --cflags --libs --static) -o static
    ./static
done
"$prefix/bin/firn" --version >/dev/null
