#!/bin/sh
# SPDX-License-Identifier: MIT
# Benchmarks that do what no benchmark should: each is named with one clear line, the sound one beside it is measured all the same, and the exit
# code says what happened. What the figures are is not judged.
#
#   tests/functions/faults_test.sh TARE FAULTS ARCHIVE-OF-LIBTARE
set -eu
tare=$1 faults=$2 archive=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0

bench() { # OPTION-OR-PROGRAM...: sets code
    code=0
    "$tare" bench --style none --runs 3 --samples 3 --sample-time 20us --timeout 600s --save record --export-csv figures "$@" >out 2>err || code=$?
}

wrong() {
    echo "$*"
    cat err out
    bad=1
}

measured() { # NAME
    awk -F, -v name="$1" '$1 == name && $2 + 0 > 0 { n++ } END { exit !n }' figures || wrong "$1 was not measured"
}

# is_given_up NAME LINE: exit 5, this line about it, and the benchmark beside it has its figure
is_given_up() {
    name=$1 line=$2
    [ "$code" = 5 ] || wrong "$name: exit $code and not 5"
    grep -qxE "note: '$name' $line" err ||
        wrong "$name: not the line expected: $line"
    [ "$(grep -c "'$name'" err)" = 1 ] || wrong "$name: not one line"
    measured sound
}

given_up() { # NAME LINE
    bench -f "$1" -f sound "$faults"
    is_given_up "$@"
}

# A limit that stops what hangs, and not the sound one beside it: on a machine that does, it is asked again with a longer one.
hangs() { # NAME
    for limit in 1 15 120; do
        bench -f "$1" -f sound --timeout ${limit}s "$faults"
        grep -q "^note: 'sound' .* timeout" err || break
    done
    is_given_up "$1" "is given up: was stopped at the timeout of $limit s in process 1; give more time with --timeout"
}

hangs never_returns
hangs spins_for_ever
given_up exits "is given up: ended with exit code 3 in process 1"
given_up exits_as_if_well "is given up: ended inside of the benchmark in process 1"
given_up aborts "is given up: was ended by SIGABRT in process 1"
given_up crashes "is given up: was ended by SIGSEGV in process 1"
given_up changes_its_items "is given up: failed: the items of an iteration changed from 1 to [0-9]+ in process 1"
given_up counts_nonsense "is given up: failed: the items of an iteration cannot be nan in process 1"
given_up closes_descriptors "is given up: ended with exit code 6 in process 1; it could not report: does it close descriptors that are not its own\?"
given_up too_much_memory "is given up: failed: no memory for [0-9]+ bytes in process 1"
for name in time_stands_still time_runs_backwards time_is_no_number; do
    bench -f "$name" -f sound "$faults"
    [ "$code" = 5 ] || wrong "$name: exit $code and not 5"
    ! grep -q "^$name,[0-9]" figures || wrong "$name has a figure"
    measured sound
done
bench -f time_runs_backwards "$faults"
grep -q "(tare_manual_ns) runs backwards: -" err || wrong "time_runs_backwards: not the line expected"

# In C++ what is thrown is told.
if command -v g++ >which; then
    g++ -std=c++17 -O2 -I"$root/include" "$root/tests/probe/subject_cxx.cpp" "$archive" -lm -o cxx
    bench -f throws -f plain ./cxx
    [ "$code" = 5 ] || wrong "throws: exit $code and not 5"
    [ "$(grep -c "^note: 'throws.* is given up: failed: " err)" = 4 ] || wrong "throws: not the lines expected"
    measured plain
fi

# In the 17th process: what was measured before is kept.
FAULTS_COUNT=$work/count bench --runs 25 --samples 2 -f late -f sound "$faults"
[ "$code" = 5 ] || wrong "late: exit $code and not 5"
grep -qx "note: 'late' is given up: was ended by SIGABRT in process 17" err || wrong "late: not the line expected"
{ [ "$(grep -c '"type":"row","series":0' record)" = 25 ] && [ "$(grep -c '"type":"row","series":1' record)" = 16 ]; } || wrong "late: rows are missing"
"$tare" show -q record >shown 2>err || wrong "late: the record is not readable"

# What it prints goes nowhere, and comes where it is asked for.
bench -f prints "$faults"
{ [ "$code" = 0 ] && [ ! -s out ]; } || wrong "prints: it is in the way"
measured prints
bench --show-output -f prints "$faults"
[ "$(grep -c 'not for you 7$' out)" -ge 3 ] || wrong "prints: it is not shown"

# Nothing to do, threads on one processor, no counter of the processor.
bench -f zero_sized "$faults"
[ "$code" = 0 ] || wrong "zero_sized: exit $code"
measured zero_sized/0
if command -v taskset >which; then
    cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
    for try in 1 2 3 4 5; do # three threads on a processor that others want too may wait longer in an empty sample than in a real one
        : "$try"
        code=0
        taskset -c "$cpu" "$tare" bench --style none --runs 3 --samples 3 --export-csv figures -f threads -f sound "$faults" >out 2>err || code=$?
        awk -F, '$1 ~ /^threads/ && $2 + 0 > 0 { n++ } END { exit !n }' figures && break
    done
    [ "$code" = 0 ] || wrong "one processor: exit $code"
    measured sound
    measured threads/threads:3
fi
bench --env FAULTS_NO_TSC=1 -f sound "$faults"
[ "$code" = 0 ] || wrong "a forbidden counter: exit $code"
measured sound
code=0
"$faults" no_such_name >out 2>err || code=$?
{ [ "$code" = 2 ] && [ "$(wc -l <out)" = 1 ] && grep -q '^no benchmark of this name' out; } || wrong "a name that fits nothing: exit $code, or not one line"
! "$faults" --list --no-such >out 2>err || wrong "an unknown option is taken"

# What keeps it from beginning.
bench --env FAULTS_TWINS=1 -f sound "$faults"
{ [ "$code" = 5 ] && [ "$(wc -l <err)" = 1 ] && grep -q 'two benchmarks have the name sound' err; } || wrong "twins: exit $code, or not the line expected"
bench -f no_such "$faults"
{ [ "$code" = 2 ] && [ "$(wc -l <err)" = 1 ]; } || wrong "no such benchmark: exit $code, or not one line"
code=0
# shellcheck disable=SC3045 # dash and bash have it
if (ulimit -v 20000 && exec "$tare" --version) >out 2>err; then
    (ulimit -v 20000 && exec "$tare" bench --style none --runs 3 -f sound "$faults") >out 2>err || code=$?
    { [ "$code" = 6 ] && [ "$(wc -l <err)" = 1 ]; } || wrong "no memory for tare: exit $code, or not one line"
else
    echo "not tried: no memory for tare (its libraries alone need more here)"
fi
exit $bad
