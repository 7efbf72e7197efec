#!/bin/sh
# SPDX-License-Identifier: MIT
# The tables of the worked example from records whose figures are known: each verdict word, missing intervals, missing sessions.
#
#   tests/hashcrack/tables_test.sh TABLES.AWK
set -eu
tables=$1
expected=$(cd "$(dirname "$0")" && pwd)/tables_expected.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

estimate() { # SUBJECT METRIC STATISTIC POINT LOW HIGH N
    printf '{"type":"estimate","subject":%s,"metric":"%s","statistic":"%s","method":"m","point":%s,"low":%s,"high":%s,"confidence":0.95,"n":%s}\n' "$@"
}

comparison() { # SUBJECT METRIC SHIFT LOW HIGH VERDICT
    printf '{"type":"comparison","reference":0,"subject":%s,"metric":"%s","kind":"time","shift":%s,"low":%s,"high":%s,"verdict":"%s"}\n' "$@"
}

warning() { # ID SEVERITY
    printf '{"type":"finding","id":"%s","severity":"%s","subject":1,"text":"says \\"more\\"","advice":"a"}\n' "$@"
}

# ln 2 = 0.6931, ln 4 = 1.3863, ln 10 = 2.3026
for run in 1 2 3; do
    for subject in 0 1 2 3; do
        estimate $subject wall median $((run * 100000000 + subject * 1000000)) null null 1
    done >"single-$run.jsonl"
done
for subject in 0 1 2 3; do
    estimate $subject wall mean 100000000 99000000 101000000 12
done >startup.jsonl
{ estimate 0 ns mean 90000000 89000000 91000000 12 && estimate 1 ns mean 20000000 19900000 20100000 5; } >steady.jsonl
estimate 2 ns mean 80000000 null null 1 >>steady.jsonl
{ estimate 0 rss mean 50000000 50000000 50000000 5 && estimate 1 rss mean 5000000 4950000 5050000 30; } >memory-startup.jsonl
{ estimate 2 rss mean 5000000 null null 2 && estimate 3 rss mean 5000000 4000000 6000000 2; } >>memory-startup.jsonl
{
    estimate 0 wall median 200000000 190000000 210000000 15 && estimate 1 wall median 50000000 49000000 51000000 15
    estimate 2 wall median 800000000 null null 4 && estimate 3 wall median 9990000 9000000 null 6
    estimate 0 cpu median 150000000 1 2 15 && estimate 1 cpu median 20000000 1 2 15
    estimate 2 cpu median null null null 0 && estimate 3 cpu median 9000000 1 2 15
    comparison 1 wall -1.3863 -1.5 -1.2 faster && comparison 2 wall 1.3863 1.2 1.5 slower && comparison 3 wall -0.6931 null -0.5 faster
    warning noisy warning && warning noisy warning && warning steal info && warning drift warning
} >time-5.jsonl
{ estimate 0 rss median 50000000 49000000 51000000 15 && estimate 1 rss median 5000000 5000000 5000000 15; } >memory-5.jsonl
{ estimate 2 rss median 5000000 5000000 5000000 15 && estimate 3 rss median 60000000 59000000 61000000 15; } >>memory-5.jsonl
{ comparison 1 rss -2.3026 -2.4 -2.2 lower && comparison 2 rss 0 -0.001 0.001 same && comparison 3 rss 0.18 0.17 0.19 higher; } >>memory-5.jsonl
{ estimate 0 wall median 200000000 190000000 210000000 15 && estimate 1 wall median 190000000 180000000 200000000 15; } >time-50.jsonl
comparison 1 wall -0.05 -0.2 0.1 undecided >>time-50.jsonl
comparison 2 wall null null null none >>time-50.jsonl
comparison 1 wall 0.6931 0.5 0.9 slower >time-absent.jsonl
printf '%s\n' 'array 50' 'stream 50' 'threads 1000' 'threads-stop 61' >hashed.txt

awk -v lines=1000 -v where='a machine' -f "$tables" hashed.txt single-?.jsonl startup.jsonl steady.jsonl memory-startup.jsonl memory-5.jsonl \
    time-5.jsonl time-50.jsonl time-absent.jsonl >found.md
if [ "${RECORD:-}" ]; then
    cp found.md "$expected"
fi
diff "$expected" found.md
