#!/bin/sh
# SPDX-License-Identifier: MIT
# --pin and --priority of tare bench and tare leak take effect: the program looks at its own affinity, CPU and nice value. One that finds itself elsewhere
# fails, which is tried too.
#
#   tests/functions/placed_test.sh TARE PROGRAM
set -eu
tare=$1 program=$2
bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

expect() { # EXIT-CODE OPTION...: both commands end with 5, a failed benchmark or target, or for 0 with anything that is an answer
    wanted=$1
    shift
    for command in bench leak; do
        code=0
        if [ $command = bench ]; then
            "$tare" bench -r 1 --samples 3 --timeout 900 "$@" "$program" >out 2>&1 || code=$?
        else
            "$tare" leak --max-calls 2000 --max-time 900 --timeout 900 "$@" "$program" >out 2>&1 || code=$?
        fi
        case $wanted:$code in
        5:5 | 0:0 | 0:1 | 0:3 | 0:4) ;;
        *) echo "exit $code, wanted $wanted: $command $*" && cat out && bad=1 ;;
        esac
    done
}

# The CPUs this process may use: "0-1", "0,2".
cpus=$(awk '/^Cpus_allowed_list:/ { n = split($2, part, ","); for (i = 1; i <= n; i++) { split(part[i], ends, "-"); last = ends[2] == "" ? ends[1] : ends[2]
        for (c = ends[1]; c <= last; c++) print c } }' /proc/self/status)
first='' other=''
for cpu in $cpus; do
    if [ -z "$first" ]; then
        first=$cpu
    elif [ -z "$other" ]; then
        other=$cpu
    fi
done
for cpu in $first $other; do
    expect 0 --pin "$cpu" --env EXPECT_CPU="$cpu"
done
if [ -n "$other" ]; then # the check sees what it is there for
    expect 5 --pin "$first" --env EXPECT_CPU="$other"
fi
expect 0 --priority idle --env EXPECT_NICE=19
expect 5 --priority idle --env EXPECT_NICE=5
exit $bad
