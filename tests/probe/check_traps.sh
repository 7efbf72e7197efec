#!/bin/sh
# SPDX-License-Identifier: MIT
# The optimiser's traps, built by gcc and clang, as people build, and checked.
#
#   tests/probe/check_traps.sh LIBTARE.A TRAP_CHECK FOLDER      exit 77: none of the compilers is there
set -eu
library=$1
check=$2
work=$3
cd "$(dirname "$0")/../.."
mkdir -p "$work"
built=0
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    for flags in -O2 -O3 "-O3 -flto"; do
        program=$work/traps_$compiler$(printf '%s' "$flags" | tr -d ' ')
        # shellcheck disable=SC2086 # words
        "$compiler" -std=c17 $flags -Iinclude tests/probe/traps.c tests/probe/traps_other.c "$library" -lm -o "$program" 2>"$program.txt" ||
            { cat "$program.txt" && exit 1; }
        echo "-- $compiler $flags"
        "$check" "$program"
        built=$((built + 1))
    done
done
[ "$built" -gt 0 ] || exit 77
