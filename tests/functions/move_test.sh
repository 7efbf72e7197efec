#!/bin/sh
# SPDX-License-Identifier: MIT
# The benchmarks that a page shows in C compile without a warning, list themselves, and say what the page says of them.
#
#   tests/functions/move_test.sh INCLUDE-FOLDER LIBTARE.A PAGE
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk '/^```/ { inside = $0 == "```c"; next } inside' "$3" >"$work/shown.c"
cc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -I "$1" "$work/shown.c" -o "$work/shown" "$2" -lm
"$work/shown" --list >"$work/names"
[ "$(grep -c . "$work/names")" -ge 2 ] || { echo "$3: lists no benchmarks" && exit 1; }
[ "$(grep -c '^find/size:[0-9]*/load:\(25\|50\|75\)$' "$work/names")" = 9 ] || { cat "$work/names" && exit 1; }
"$work/shown" --samples 6 find/size:64/load:50 >"$work/out"
grep -q '^hash: multiplicative, 32 bits$' "$work/out" || { cat "$work/out" && exit 1; }
grep -q '^find/size:64/load:50 .*  lookups [0-9.e+]*/s  one lookup [0-9.]* ns each  open addressing' "$work/out" || { cat "$work/out" && exit 1; }
