#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles what is portable for another platform, with warnings as errors, so that no operating system slips in, and
# where it can be run here, compares its figures with those of the native build.
#
#   tools/cross.sh mingw|aarch64 BUILD-FOLDER NATIVE-PROGRAM
set -eu
preset=$1
folder=$2
native=$3
cd "$(dirname "$0")/.."
cmake --preset "$preset" -B "$folder" >"$folder.log" 2>&1 || { cat "$folder.log" && exit 1; }
cmake --build "$folder" -j 2

program=$folder/tests/portable/portable
if [ "$preset" = aarch64 ]; then
    "$native" >"$folder.native.txt"
    qemu-aarch64 -L /usr/aarch64-linux-gnu "$program" >"$folder.there.txt"
    diff -u --label "native" --label "$preset" "$folder.native.txt" "$folder.there.txt"
    echo "$(wc -l <"$folder.native.txt") lines of figures agree"
fi
