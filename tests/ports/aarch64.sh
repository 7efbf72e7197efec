#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds tare and unit tests for aarch64 and runs them under qemu: the tests of what every platform has, and the cases of tests/cli that use the scripted
# platform alone. 77: there is no compiler or emulator.
#
#   tests/ports/aarch64.sh BUILD-FOLDER
set -eu
folder=$1
here=$(cd "$(dirname "$0")" && pwd)
for program in aarch64-linux-gnu-gcc qemu-aarch64; do
    command -v $program >/dev/null || { echo "skipped: there is no $program (./dev deps test installs it)" && exit 77; }
done
libraries=$folder-libraries
{
    "$here/../../tools/libraries.sh" aarch64 "$libraries" units
    cmake --preset aarch64 -B "$folder" "-DTARE_LIBRARIES=$libraries"
    cmake --build "$folder" -j "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"
} >"$folder.build" 2>&1 || { cat "$folder.build" && exit 1; }
export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu LC_ALL=C.UTF-8
failed=0 tests=0
for test in "$folder"/tests/*/test_*; do
    [ -x "$test" ] || continue
    tests=$((tests + 1))
    qemu-aarch64 "$test" >"$folder.out" 2>&1 || { echo "failed: $(basename "$test")" && tail -n 20 "$folder.out" && failed=$((failed + 1)); }
done

mkdir -p "$folder/there"
for program in tare tare-fake; do
    printf '#!/bin/sh\nexec qemu-aarch64 -L %s "%s" "$@"\n' "$QEMU_LD_PREFIX" "$folder/cli/$program" >"$folder/there/$program"
    chmod +x "$folder/there/$program"
done
cases=0
for case in "$here"/../cli/*.case; do
    # shellcheck disable=SC2016 # as it is in the case
    ! sed -n '/^@@ cmd$/,/^@@ [^c]/p' "$case" | grep -qE '\$\{?(TARE|how_ended|machine)\b[^_]|"\$(TARE|how_ended|machine)"' || continue
    cases=$((cases + 1))
    TARE=$folder/there/tare TARE_FAKE=$folder/there/tare-fake how_ended=none machine=none "$here/../cli/run.sh" "$case" >"$folder.out" 2>&1 ||
        { echo "failed: $(basename "$case")" && head -n 30 "$folder.out" && failed=$((failed + 1)); }
done
if [ "$tests" -le 30 ] || [ "$cases" -le 30 ]; then
    echo "only $tests programs and $cases cases"
    exit 1
fi
[ $failed -eq 0 ] || { echo "$failed of $tests programs and $cases cases failed" && exit 1; }
echo "$tests programs of unit tests and $cases cases of tests/cli pass under $(qemu-aarch64 --version | head -n 1)"
