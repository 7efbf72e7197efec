#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles tare for another platform, with warnings as errors, so that no operating system slips in, and for aarch64 compares its figures with
# those of the native build. Compiles with all CPUs, or as many as CMAKE_BUILD_PARALLEL_LEVEL says.
#
#   tools/cross.sh mingw BUILD-FOLDER [units | queue]      with the libraries of tools/libraries.sh
#   tools/cross.sh static BUILD-FOLDER             the same; static-aarch64 likewise
#   tools/cross.sh aarch64 BUILD-FOLDER NATIVE-PROGRAM...      one whose name ends in _live is run there, and not compared
set -eu
preset=$1
folder=$2
shift 2
cd "$(dirname "$0")/.."
libraries='' flags=''
case $preset in
mingw | aarch64) flags=-DCMAKE_C_FLAGS_RELWITHDEBINFO="-O1 -g1" ;; # compiled in two thirds of the time
esac
case $preset in
mingw | static*)
    libraries=$folder-libraries
    tools/libraries.sh "${preset#static-}" "$libraries" "$@"
    ;;
esac
cmake --preset "$preset" -B "$folder" ${flags:+"$flags"} ${libraries:+"-DTARE_LIBRARIES=$libraries"} >"$folder.log" 2>&1 || { cat "$folder.log" && exit 1; }
cmake --build "$folder" -j "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"

[ "$preset" = aarch64 ] || exit 0
there() { # PROGRAM
    qemu-aarch64 -L /usr/aarch64-linux-gnu "$folder/tests/portable/$1"
}
for native; do
    name=$(basename "$native")
    case $name in
    *_live)
        there "$name"
        continue
        ;;
    esac
    "$native" >"$folder.$name.native.txt"
    there "$name" >"$folder.$name.there.txt"
    diff -u --label "native" --label "$preset" "$folder.$name.native.txt" "$folder.$name.there.txt"
    echo "$(wc -l <"$folder.$name.there.txt") lines of figures of $name agree"
done
