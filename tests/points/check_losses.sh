#!/bin/sh
# SPDX-License-Identifier: MIT
# Arcs of runs that lost hits answer nothing: invalid in the comparison, 4 where a decision is asked for, with -q, in stored files and exports too.
#
#   tests/points/check_losses.sh TARE PROGRAM FOLDER
set -u
tare=$1 program=$2 work=$3
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
fast="$program 40000 20" slow="$program 40000 2000"
bad=0

expect() { # WHAT CODE PATTERN: of the last call
    if [ "$code" -ne "$2" ] || ! grep -Eq -- "$3" said; then
        echo "$1: exit $code, not $2, or no '$3' in:"
        cat said
        bad=1
    fi
}
call() {
    "$tare" "$@" >said 2>&1
    code=$?
}

# With room each of these says FAILED: the second takes a hundred times as long.
call trace -q -r 6 --fail-if-slower 50% "$fast" "$slow"
expect 'with room' 1 'FAILED: slower than that'
lost='[0-9]+ hits lost in [0-9]+ runs'
for full in stop wrap; do
    call trace -q -r 6 --limit 200kB --when-full $full --fail-if-slower 50% "$fast" "$slow"
    expect "-q, $full" 4 "no answer: invalid: $lost"
done
call trace -r 6 --limit 200kB --when-full stop --margin 10000% --save lossy.tare --export-json lossy.json "$fast" "$slow"
expect 'without a gate' 0 "INVALID"
for member in '"verdict": "invalid"' "\"reason\": \"$lost"; do
    grep -Eq "$member" lossy.json || { echo "lossy.json: no $member" && bad=1; }
done
call show lossy.tare
expect 'shown again' 0 "INVALID"
call trace -r 6 --save fast.tare "$fast"
call trace -r 6 --limit 200kB --when-full stop --save slow.tare "$fast"
call compare --assume-no-drift --fail-if-slower 50% fast.tare slow.tare
expect 'stored sessions' 4 "$lost"
exit $bad
