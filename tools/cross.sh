#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles what is portable for another platform, with warnings as errors, so that no operating system slips in.
#
#   tools/cross.sh mingw|aarch64 BUILD-FOLDER
set -eu
preset=$1
folder=$2
cd "$(dirname "$0")/.."
cmake --preset "$preset" -B "$folder" >"$folder.log" 2>&1 || { cat "$folder.log" && exit 1; }
cmake --build "$folder" -j 2
