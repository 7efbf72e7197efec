#!/bin/sh
# SPDX-License-Identifier: MIT
# `tare bench --allocs`: what an iteration allocates, to the call and the byte; null where it cannot be told, with the reason; and the record shown
# again says the same.
#
#   tests/functions/allocs_test.sh TARE PROGRAM
set -eu
tare=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0

"$tare" bench --style none -q --allocs -r 1 --samples 3 --save session.jsonl --export-json first.json "$program" 2>notes || { echo "tare ended with $?" && cat notes && exit 1; }
"$tare" show --style none --export-json again.json session.jsonl
for file in first.json again.json; do
    awk -F '[:,]' '/"benchmarks"/ { on = 1 } !on { next } /^      "name"/ { gsub(/[" ]/, "", $2); name = $2 } /"allocs": null/ { print name, "null" }
        /"calls_per_iteration"/ { calls = $2 + 0 } /"bytes_per_iteration"/ { print name, calls, $2 + 0 }' $file | sort >found
    cat >expected <<'TABLE'
fickle null
in_threads/threads 1 64
large_input null
none 0 0
two_blocks 2 128
TABLE
    diff expected found || { echo "in $file" && bad=1; }
done
"$tare" bench --style none --allocs -r 1 --samples 3 -f large -f fickle "$program" 2>notes
grep -q 'allocations of large_input are not counted: the inputs of one iteration' notes || { cat notes && bad=1; }
grep -q 'allocations of fickle are not counted: its processes do not allocate alike' notes || { cat notes && bad=1; }
exit $bad
