#!/bin/sh
# SPDX-License-Identifier: MIT
# What --priority asks for is what the processes of a target run with, by their own word; where it is not allowed tare says so and measures nothing.
#   check_priority.sh TARE SCHEDULING_SUBJECT
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

level() { # LEVEL "POLICY NICE REAL-TIME" (SCHED_OTHER 0, SCHED_FIFO 1, SCHED_BATCH 3)
    rm -f "$work/said"
    "$1" leak --priority "$3" --max-calls 500 --max-time 900 --env "TARE_TEST_SAYS=$work/said" "$2" \
        >"$work/out" 2>&1 && code=0 || code=$?
    if [ "$code" = 6 ] && [ ! -e "$work/said" ] && grep -q 'cannot set priority\|not permitted' "$work/out"; then
        echo "skipped: $(cat "$work/out")"
        return
    fi
    case $code in 0 | 1 | 3 | 4) ;; *) echo "$3: exit $code" && cat "$work/out" && bad=1 && return ;; esac
    if [ "$(sort -u "$work/said")" != "$4" ]; then
        echo "$3: its processes ran with $(sort -u "$work/said") and not with $4"
        bad=1
    else
        echo "ok  $3: $4 in $(wc -l <"$work/said") processes"
    fi
}

level "$1" "$2" idle '3 19 0'
level "$1" "$2" high '0 -10 0'
level "$1" "$2" realtime "1 $(nice) 1" # which leaves the nice value as it is
exit $bad
