#!/bin/sh
# SPDX-License-Identifier: MIT
# How true `tare clock` is on this machine: the cost and error of each clock, calibration against its length, brackets around chains of
# known length. Prints Markdown.
#
#   ./dev bench clock [SESSIONS]      bench/clock.sh BUILD-FOLDER [SESSIONS]; two minutes with the default of 20 sessions
#
# Each figure is the median over the sessions, with the smallest and the largest beside it where that says something. Nothing is compared
# with a fixed number: machines differ. docs/archive/clock.md holds one run of it.
set -eu
cd "$(dirname "$0")/.."
build=$PWD/$1
sessions=${2:-20}
tare=$build/cli/tare
work=$build/bench/work-clock
rm -rf "$work" && mkdir -p "$work" && cd "$work"

machine() {
    echo "Machine: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs, kernel $(uname -r)," \
        "$(grep -q ' hypervisor' /proc/cpuinfo && echo 'virtual machine' || echo 'no hypervisor seen'), $(date -u +%Y-%m-%d)," \
        "load $(cut -d' ' -f1-3 /proc/loadavg). tare $("$tare" --version | awk 'NR == 1 { print $2 }'), $sessions sessions."
}

# One line an estimate of all sessions: SUBJECT|KIND|METRIC|STATISTIC|VALUE
measure() {
    i=0
    : >values
    while [ $i -lt "$sessions" ]; do
        "$tare" clock -r 1 --save session.jsonl --style none
        awk -F'"' '
            /^{"type":"subject"/ { match($0, /"index":[0-9]+/); index_ = substr($0, RSTART + 8, RLENGTH - 8)
                match($0, /"kind":"[a-z]+"/); kind[index_] = substr($0, RSTART + 8, RLENGTH - 9)
                match($0, /"name":"[^"]*"/); name[index_] = substr($0, RSTART + 8, RLENGTH - 9) }
            /^{"type":"estimate"/ { match($0, /"subject":[0-9]+/); s = substr($0, RSTART + 10, RLENGTH - 10)
                match($0, /"metric":"[^"]*"/); m = substr($0, RSTART + 10, RLENGTH - 11)
                match($0, /"statistic":"[^"]*"/); t = substr($0, RSTART + 13, RLENGTH - 14)
                if (match($0, /"point":[-0-9.e+]+/)) print name[s] "|" kind[s] "|" m "|" t "|" substr($0, RSTART + 8, RLENGTH - 8) }
        ' session.jsonl >>values
        i=$((i + 1))
    done
}

# median SUBJECT METRIC STATISTIC DECIMALS: over the sessions; "-" where there is none
median() {
    awk -F'|' -v s="$1" -v m="$2" -v t="$3" '$1 == s && $3 == m && $4 == t { print $5 }' values | sort -g |
        awk -v d="$4" '{ x[NR] = $1 } END { if (!NR) print "-"; else printf "%.*f\n", d, x[int((NR + 1) / 2)] }'
}

# span SUBJECT METRIC STATISTIC DECIMALS: "smallest ... largest"
span() {
    awk -F'|' -v s="$1" -v m="$2" -v t="$3" '$1 == s && $3 == m && $4 == t { print $5 }' values | sort -g |
        awk -v d="$4" '{ x[NR] = $1 } END { if (!NR) print "-"; else printf "%.*f ... %.*f\n", d, x[1], d, x[NR] }'
}

subjects() { # KIND: names, in the order of the sessions
    awk -F'|' -v k="$1" '$2 == k && !seen[$1]++ { print $1 }' values
}

clocks() {
    echo "| clock | p10, ns | median, ns | p99, ns | by system call, ns | step, ns | chain of 1000, % | of all sessions | rate, ppm | skew, ns |"
    echo "|---|---:|---:|---:|---:|---:|---:|---|---:|---:|"
    subjects clock | while read -r name; do
        echo "| $name | $(median "$name" cost p10 1) | $(median "$name" cost median 1) | $(median "$name" cost p99 1)" \
            "| $(median "$name" cost "by system call" 1) | $(median "$name" step min 1) | $(median "$name" ordering "of 1000" 2)" \
            "| $(span "$name" ordering "of 1000" 2) | $(median "$name" rate session 3) | $(median "$name" skew max 0) |"
    done
}

orders() {
    echo "| order | empty, p10 | median | p99 | whole | around nothing, ticks | around 20, % | around 100, % | of all sessions | around 1000, % | of all sessions |"
    echo "|---|---:|---:|---:|---:|---:|---:|---:|---|---:|---|"
    subjects serialiser | while read -r name; do
        [ "$(median "$name" weight median 1)" != - ] || continue
        echo "| $name | $(median "$name" weight p10 1) | $(median "$name" weight median 1) | $(median "$name" weight p99 1)" \
            "| $(median "$name" cost_ticks median 0) | $(median "$name" net_ticks "of 0" 1) | $(median "$name" ordering "of 20" 1)" \
            "| $(median "$name" ordering "of 100" 2) | $(span "$name" ordering "of 100" 2) | $(median "$name" ordering "of 1000" 2)" \
            "| $(span "$name" ordering "of 1000" 2) |"
    done
}

calibration() {
    echo "| method | length, ms | calibrations | median error, ppm | p90 | largest |"
    echo "|---|---:|---:|---:|---:|---:|"
    "$build/bench/calibration" 100
}

sleeps() {
    echo "| of the system | median | smallest ... largest |"
    echo "|---|---:|---|"
    echo "| sleeps of 1 to 20 ms later than asked, median, ns | $(median "sleeps of 1 to 20 ms" late median 0) | $(span "sleeps of 1 to 20 ms" late median 0) |"
    echo "| granularity, ns | $(median "sleeps of 1 to 20 ms" late granularity 0) | $(span "sleeps of 1 to 20 ms" late granularity 0) |"
    echo "| slice of two on one CPU, median, ns | $(median scheduler slice median 0) | $(span scheduler slice median 0) |"
    echo "| Sleep(500 ms) by the counter, ns | $(median "Sleep(500 ms)" wall median 0) | $(span "Sleep(500 ms)" wall median 0) |"
    echo "| core frequency, the two chains apart, ppm | $(median "reference chains" apart chains 0) | $(span "reference chains" apart chains 0) |"
}

machine
measure
echo
clocks
echo
echo "Orders of reading the counter, in ticks; errors are of a bracket around so many dependent multiplies, less its median empty bracket:"
echo
orders
echo
calibration
echo
sleeps
