#!/bin/sh
# SPDX-License-Identifier: MIT
# The tables of docs/testing.md: how long the tests took when they last ran in a build folder, by label and one by one.
#
#   tools/test_times.sh BUILD-FOLDER [--write]      on standard output; --write: into the page, between its two marks
#
# ctest keeps the times (Testing/Temporary/CTestCostData.txt: a mean over its runs); a test that never ran there has none and is counted apart.
set -eu
build=$(cd "${1:?usage: tools/test_times.sh BUILD-FOLDER [--write]}" && pwd)
cd "$(dirname "$0")/.."
page=docs/testing.md
least=120 # seconds, of tests that have a line of their own
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ctest --test-dir "$build" --print-labels | sed -n 's/^  \([a-z]*\)$/\1/p' | while read -r label; do
    ctest --test-dir "$build" -N -L "^$label\$" | sed -n "s/^ *Test *#[0-9]*: \(.*\)/\1 $label/p"
done >"$work/labels"

tables() {
    echo "$(date +%F), $(getconf _NPROCESSORS_ONLN) CPUs ($(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)); seconds of one test, while several run at once."
    awk -v least="$least" '
        FILENAME ~ /labels$/ { label[$1] = label[$1] (label[$1] == "" ? "" : ", ") $2; has[$1, $2] = 1; labels[$2] = 1; next }
        NF == 3 && $2 > 0 { seconds[$1] = $3 }
        END {
            print "\n| label | tests | seconds in all | not run |\n|---|---:|---:|---:|"
            for (l in labels) {
                n = sum = none = 0
                for (t in label)
                    if ((t, l) in has) {
                        n++
                        none += !(t in seconds)
                        sum += seconds[t]
                    }
                printf "| `%s` | %d | %.0f | %s |\n", l, n, sum, none ? none : "" | "sort"
            }
            close("sort")
            print "\n| test of " least " s and more | labels | seconds |\n|---|---|---:|"
            for (t in label)
                if (t in seconds && seconds[t] >= least)
                    printf "%09.2f | `%s` | %s | %.0f |\n", seconds[t], t, label[t], seconds[t] | "sort -r | sed \"s/^[0-9.]* //\""
            close("sort -r | sed \"s/^[0-9.]* //\"")
        }' "$work/labels" "$build/Testing/Temporary/CTestCostData.txt"
}

tables >"$work/tables"
[ "${2:-}" = --write ] || exec cat "$work/tables"
awk -v tables="$work/tables" '
    /^<!-- end of times -->/ { inside = 0 }
    !inside { print }
    /^<!-- times/ { inside = 1; while ((getline line < tables) > 0) print line }' "$page" >"$work/page"
cat "$work/page" >"$page"
