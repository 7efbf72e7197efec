#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds all of it with sanitizers and runs the tests whose labels match but no simulations, in a build folder of its own. Compiles with all CPUs, or as
# many as CMAKE_BUILD_PARALLEL_LEVEL says; tests run two at a time.
#
# Undefined behaviour ends a program by a trap; the printed stack names the line. The preset's messages would make gcc guard each of these texts, and tare
# would take twice as long to start.
#
#   tools/sanitized.sh asan|tsan BUILD-FOLDER LABELS
set -eu
preset=$1
folder=$2
labels=$3
cd "$(dirname "$0")/.."
cmake --preset "$preset" -B "$folder" -DTARE_TREE_TESTS=OFF -DTARE_SIMULATIONS=OFF -DCMAKE_C_FLAGS="-fsanitize-undefined-trap-on-error ${CFLAGS-}" \
    >"$folder.log" 2>&1 || { cat "$folder.log" && exit 1; }
cmake --build "$folder" -j "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" -- --quiet
export ASAN_OPTIONS="handle_sigill=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
ctest --test-dir "$folder" -L "$labels" -LE "slow|sim" -j 2 --output-on-failure --no-tests=error
