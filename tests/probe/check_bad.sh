#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs and benchmarks that go wrong: one clear line each, the right exit code, and what was measured so far is kept.
#   check_bad.sh TARE BAD_SUBJECT
set -eu
tare=$1 subject=$2 machine=$(od -An -tx1 -j18 -N1 "$2" | tr -d " ") # of the ELF header; 3e: x86-64
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() {
    echo "$*" >&2
    cat out >&2
    exit 1
}
# expect CODE TEXT COMMAND...: a line of its output has the text
expect() {
    code=$1 text=$2
    shift 2
    found=0
    "$@" >out 2>&1 || found=$?
    [ $found = "$code" ] || fail "exit $found in place of $code: $*"
    grep -q -- "$text" out || fail "nobody says '$text': $*"
}
# bench CODE TEXT NAME [OPTION...]: two processes of one benchmark
bench() {
    code=$1 text=$2 name=$3
    shift 3
    expect "$code" "$text" "$tare" bench --style basic --runs 2 --samples 5 --filter "/^$name/" "$@" "$subject"
}

for limit in 1 15 120; do # a slow machine may stop the listing too
    found=0
    "$tare" bench --style basic --runs 2 --samples 5 --filter '/^never/' --timeout ${limit}s "$subject" >out 2>&1 || found=$?
    grep -q 'without an answer' out || break
done
[ "$found" = 5 ] || fail "exit $found in place of 5: never"
grep -q 'never *failed: was stopped at the timeout' out || fail "nobody says that never was stopped"
bench 5 "exits *failed: ended inside of the benchmark in process 1" exits
bench 5 "changes_items *failed: the items of an iteration changed from 1 to 2" changes_items
bench 0 "an iteration does 1 to 2 items, depending on the process" items_by_process
bench 0 prints prints
bench 5 "closes *failed: ended with exit code 6 in process 1; it could not report" closes
bench 0 empty/0 empty
bench 5 "huge *failed: no memory for" huge
bench 5 "no_time *failed: the time that it reports (tare_manual_ns) cannot be" no_time
bench 2 'no name fits --filter' nothing_of_this_name
bench 2 'is the counter of another kind of processor' good --clock "$([ "$machine" = 3e ] && echo cntvct || echo tsc)"

# The others go on, and 16 processes are in the file.
expect 5 "crashes_late *failed: was ended by SIGSEGV in process 17" "$tare" bench --style basic --runs 20 --samples 5 --filter crashes --filter good \
    --save s.jsonl "$subject"
expect 0 '^ *1 failed .* 20 processes' "$tare" show --style basic s.jsonl
grep -o '"type":"row","series":[0-9]*' s.jsonl | sort | uniq -c | grep -q '^ *16 ' || fail "16 processes were measured"

expect 5 "two benchmarks have the name good: " env TWINS=1 "$tare" bench "$subject"
expect 6 "two benchmarks have the name good: " env TWINS=1 "$subject"
expect 2 "no benchmark of this name" "$subject" nothing_of_this_name
expect 2 "there is no clock sundial" "$subject" --clock sundial good

# A program that may not read the counter is measured by the system's clock; where the counter was asked for, it is not measured.
if [ "$machine" = 3e ]; then
    export NO_COUNTER=1
    bench 0 good good
    bench 5 'the clock tsc cannot be used here: this process may not read the time-stamp counter' good --clock tsc
    expect 6 'the clock tsc cannot be used here: this process may not read' "$subject" --clock tsc good
    expect 0 good "$subject" --samples 5 good
    unset NO_COUNTER
fi
export NO_MEMORY=1
bench 5 "large *failed: no memory for 134217728 bytes" large
bench 5 "good *failed: no memory for 10000[0-9]* samples" good --samples 1000000
unset NO_MEMORY

# One CPU for all.
if command -v taskset >/dev/null; then
    cpu=$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')
    expect 0 good taskset -c "$cpu" "$tare" bench --style basic --runs 2 --samples 5 --filter '/^good/' "$subject"
fi
