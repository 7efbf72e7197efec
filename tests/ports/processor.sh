#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds tare (aarch64) or libtare alone for another processor, with warnings as errors, and runs its unit tests and the cases of tests/cli there. Those
# that PROCESSOR.txt names (cli.CASE, unit.PROGRAM:test for one of a program's tests, unit.PROGRAM where it is by chance which) must fail, each for the
# reason beside it, and no others may; those after "not run:" are left out. Then aarch64 as one static file. 77: compiler or emulator missing.
#
#   tests/ports/processor.sh aarch64|riscv64|i686 BUILD-FOLDER
set -eu
processor=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
command -v "$processor-linux-gnu-gcc" >/dev/null || { echo "skipped: there is no $processor-linux-gnu-gcc (./dev deps processor installs it)" && exit 77; }
"$here/under_qemu.sh" "$processor" true
{
    "$here/../../tools/libraries.sh" "$processor" "$folder-libraries" units
    cmake --preset "$processor" -S "$here/../.." -B "$folder" -DTARE_LIBRARIES="$folder-libraries" -DTARE_TREE_TESTS=OFF
    cmake --build "$folder" -j "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"
} >"$folder.build" 2>&1 || { cat "$folder.build" && exit 1; }

left_out=$(sed -n 's/^not run: \([^ ]*\) .*/\1/p' "$here/$processor.txt" | paste -sd '|' -)
failed=$folder/Testing/Temporary/LastTestsFailed.log
rm -f "$failed"
"$here/under_qemu.sh" "$processor" ctest --test-dir "$folder" -L '^(unit|cli)$' -LE '^(sim|slow|machine)$' -E "^(${left_out:-none})\$" --no-tests=error \
    -j "${CTEST_PARALLEL_LEVEL:-$(nproc)}" --output-on-failure >"$folder.tests" 2>&1 || [ -s "$failed" ] || { tail -n 40 "$folder.tests" && exit 1; }
sed -n 's/^\([a-z_]*\.[^ ]*\) .*/\1/p' "$here/$processor.txt" | sort >"$folder.known"
[ -e "$failed" ] || : >"$failed"
awk '
    FILENAME == ARGV[1] { known[$0]; next }
    FILENAME == ARGV[2] { sub(/^[0-9]*:/, ""); failed[$0]; next }
    $2 == "Test" && $3 ~ /^#[0-9]+:$/ { program = $4 }
    /^\[  FAILED  ].* listed below:$/ && !(program in known) && (program in failed || program in parts) {
        listed = 1
        parts[program]
        delete failed[program]
        next
    }
    !/^\[  FAILED  ]/ { listed = 0 }
    listed { failed[program ":" $NF] }
    END { for (f in failed) print f }' "$folder.known" "$failed" "$folder.tests" | sort >"$folder.failed"
if ! diff -u --label "known to fail ($processor.txt)" --label "failed" "$folder.known" "$folder.failed"; then
    echo "what they print is in $folder.tests"
    exit 1
fi
many() { grep -c "$1" "$folder.tests" || :; }
echo "$(many ' Passed ') tests pass on $processor, $(many '\*\*\*Skipped ') are skipped, and $(wc -l <"$folder.known") fail as known"
[ "$processor" != aarch64 ] || "$here/static.sh" "$folder-static" "$processor"
