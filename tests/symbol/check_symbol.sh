#!/bin/sh
# SPDX-License-Identifier: MIT
# tare-symbol as tare leak starts it: functions of the C library are measured, what a call writes and what is public has its place, and what cannot
# be called is refused in one line before anything runs.
#
#   tests/symbol/check_symbol.sh TARE-SYMBOL WORK-FOLDER
set -eu
symbol=$1
work=$2
mkdir -p "$work"

measure() { # WORDS-THAT-THE-RECORD-HAS LEAK-KIND SIGNATURE [CLASS...]
    words=$1 kind=$2 signature=$3
    shift 3
    name=${signature%%(*}
    TARE_WIRE="tare-wire 1 9
mode leak
leak-kind $kind
leak-ns 600000000000
run 50 ${name##*:}" "$symbol" "$signature" "$@" 9>"$work/record" || { echo "$signature: exit code $?" && exit 1; }
    for word in $words; do
        grep -qa -- "$word" "$work/record" || { echo "$signature: the record has no \"$word\"" && exit 1; }
    done
    [ "$(wc -c <"$work/record")" -gt 900 ] || { echo "$signature: no times" && strings "$work/record" && exit 1; }
    echo "ok  $signature"
}

measure "equal random" pairs 'libc.so.6:memcmp(in:32,in:32,len)'
measure "zero random" pairs 'libc.so.6:strnlen(in:32,len)->u64'
measure "length:3 length:9" pairs 'libc.so.6:strlen(in:16)->u64' length:3 length:9
measure "zero random" pairs 'libc.so.6:memcpy(out:24,in:24,len)->void'
measure "differs-first equal" pairs 'libc.so.6:memcmp(in:16,public:16,0x10)' equal differs-first
measure "labs" scan 'libc.so.6:labs(u64)->i64'

refuse() { # EXIT-CODE WORDS SIGNATURE [CLASS...]
    expected=$1 words=$2
    shift 2
    "$symbol" "$@" >"$work/out.txt" 2>&1 && code=0 || code=$?
    lines=$(wc -l <"$work/out.txt") # of a target that can be named there are two more: what it is, and its name
    if [ "$code" -ne "$expected" ] || [ "$lines" -ne "$([ $# -gt 1 ] && echo 3 || echo 1)" ] || ! grep -q -- "$words" "$work/out.txt"; then
        echo "$*: exit code $code, not $expected, or not said: $words"
        cat "$work/out.txt"
        exit 1
    fi
    echo "ok  refused: $*"
}

refuse 2 'expected LIBRARY:SYMBOL'
refuse 5 'no such library' 'libnosuch.so.9:f(in:1)'
refuse 2 'no such symbol' 'libc.so.6:no_such_function(in:1)'
refuse 2 'a number of bytes' 'libc.so.6:memcmp(in:x)'
refuse 5 'no predefined class "nothing"' 'libc.so.6:memcmp(in:32,in:32,len)' equal nothing
refuse 5 '2 to 16' 'libc.so.6:memcmp(in:32,in:32,len)' equal
