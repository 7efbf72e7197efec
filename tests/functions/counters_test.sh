#!/bin/sh
# SPDX-License-Identifier: MIT
# `tare bench --counters`: events of the kernel in an iteration, nothing of what is done between samples; what cannot be counted is said once, with its
# reason; and the record shown again says the same.
#
#   tests/functions/counters_test.sh TARE PROGRAM      exit 77: perf events are forbidden here
set -eu
tare=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0

"$tare" bench --style basic --counters page-faults --counters instructions -r 1 --samples 5 --save session.jsonl --export-json first.json \
    "$program" >out 2>notes || { echo "tare ended with $?" && cat notes && exit 1; }
grep -q 'cannot count page-faults' notes && cat notes && exit 77
"$tare" show --style basic --export-json again.json session.jsonl >shown
for file in first.json again.json; do
    awk -F '[:,]' '/^  "benchmarks"/ { on = 1 } !on { next } /^      "name"/ { gsub(/[" ]/, "", $2); name = $2 }
        /"name": "perf:page-faults/ { faults = 1 } faults && /"median"/ { faults = 0; print name, int(100 * $2 + 0.5) / 100 }' $file | sort >found
    cat >expected <<'TABLE'
before_the_clock 0
none 0
three_pages 3
TABLE
    diff expected found || { echo "in $file" && bad=1; }
done
for screen in out shown; do
    { grep -q '^ *benchmark .* perf:page-faults' $screen && grep -q '^ *three_pages .* 3\(\.00\)\{0,1\}\( \|$\)' $screen; } || { cat $screen && bad=1; }
done
# Either the processor counts instructions, in a column, or it is said once why not.
counted=$(grep -c 'perf:instructions' out || true) told=$(grep -c 'cannot count instructions' notes || true)
[ "$counted:$told" = 1:0 ] || [ "$counted:$told" = 0:1 ] || { echo "$counted counted, $told told" && cat out notes && bad=1; }
"$tare" bench --counters no-such-event "$program" 2>notes && bad=1
grep -q 'no event is called no-such-event' notes || { cat notes && bad=1; }
exit $bad
