#!/bin/sh
# SPDX-License-Identifier: MIT
# The benchmark that a page shows in C compiles without a warning, and lists itself.
#
#   tests/functions/move_test.sh INCLUDE-FOLDER LIBTARE.A PAGE
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk '/^```/ { inside = $0 == "```c"; next } inside' "$3" >"$work/shown.c"
cc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -I "$1" "$work/shown.c" -o "$work/shown" "$2" -lm
"$work/shown" --list >"$work/names"
[ "$(grep -c . "$work/names")" -ge 2 ] || { echo "$3: lists no benchmarks" && exit 1; }
