#!/bin/bash
# SPDX-License-Identifier: MIT
# check_symbols.sh LIBRARY.so: the library's dynamic symbols must all begin with firn_, and there must be some.
set -u
symbols=$(nm -D --defined-only --format=posix "$1" | cut -d ' ' -f 1) || exit 1
[ -n "$symbols" ] || { echo "check_symbols: $1 exports nothing"; exit 1; }
foreign=$(grep -v '^firn_' <<<"$symbols")
[ -z "$foreign" ] && exit 0
echo "check_symbols: $1 exports what does not begin with firn_:"
echo "$foreign"
exit 1
