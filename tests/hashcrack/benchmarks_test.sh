#!/bin/sh
# SPDX-License-Identifier: MIT
# The four searches as benchmarks: each finds what it should at each depth and gives a figure, by the profiles that make the talk's tables; without
# lists each is skipped with the reason. What the figures are is not judged.
#
#   tests/hashcrack/benchmarks_test.sh TARE BENCH-HASHCRACK MAKE-WORDS
set -eu
tare=$1 program=$2 make=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0

unset WORDS
"$program" --list >names
[ "$(grep -c . names)" = 12 ] || { echo "12 benchmarks expected:" && cat names && bad=1; }
"$program" >skipped
[ "$(grep -c 'skipped: WORDS names no folder' skipped)" = 12 ] || { echo "not all skipped:" && cat skipped && bad=1; }

WORDS=$work
export WORDS
for depth in 5 50 absent; do
    "$make" --depth $depth 3000 words-$depth.txt
done
sort -o names names
for profile in startup steady memory; do
    code=0
    "$tare" bench --style none --runs 2 --timeout 900 --profile $profile --export-csv figures.csv "$program" >out 2>&1 || code=$?
    awk -F, 'NR > 1 && $2 + 0 > 0 { print $1 }' figures.csv | sort >measured
    if [ "$code" != 0 ] || ! cmp -s names measured; then
        echo "--profile $profile: exit $code; without a figure:"
        cat out
        comm -23 names measured
        bad=1
    fi
done

# a list whose answer is not where its name says
cp words-absent.txt words-5.txt
code=0
"$program" depth:5 >wrong || code=$?
if [ "$code" != 5 ] || [ "$(grep -c FAILED wrong)" -lt 4 ]; then
    echo "a wrong list was not noticed: exit $code"
    cat wrong
    bad=1
fi
exit $bad
