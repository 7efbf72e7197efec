#!/bin/sh
# SPDX-License-Identifier: MIT
# Marks of secret bytes in a program as users build it: MSan, and valgrind where libtare was built with its requests, report the target that branches
# on its secret, at its line, and not the one that says the byte may be known.
#
#   tests/probe/check_taint.sh LIBTARE.A WORK-FOLDER      exit 77: neither is there
set -eu
library=$1
work=$2
cd "$(dirname "$0")/../.."
mkdir -p "$work"
tried=0
line=$(grep -n 'BRANCH' tests/probe/leak_subject.c | head -1 | cut -d: -f1)

taint() { # TARGET PROGRAM...: its output is in $work/out.txt, its record in $work/record
    target=$1
    shift
    TARE_WIRE="tare-wire 1 9
mode leak
leak-kind taint
run 0 $target" "$@" >"$work/out.txt" 2>&1 9>"$work/record" && code=0 || code=$?
}

expect() { # NAME PROGRAM...
    name=$1
    shift
    taint declassifies "$@"
    [ "$code" -eq 0 ] || { echo "$name: a declassified byte is reported (exit $code)" && cat "$work/out.txt" && exit 1; }
    grep -q 'declassifies' "$work/record" || { echo "$name: no record" && exit 1; }
    taint branches_on_secret "$@"
    [ "$code" -ne 0 ] || { echo "$name: a branch on a secret is not reported" && cat "$work/out.txt" && exit 1; }
    grep -q "leak_subject.c:$line" "$work/out.txt" || { echo "$name: not at line $line" && cat "$work/out.txt" && exit 1; }
    echo "ok  $name"
    tried=$((tried + 1))
}

flags="-std=c17 -O1 -g -Iinclude tests/probe/leak_subject.c"
if command -v clang >/dev/null; then
    # shellcheck disable=SC2086 # words
    if clang -fsanitize=memory -fno-omit-frame-pointer $flags "$library" -lm -o "$work/msan" 2>"$work/msan.txt"; then
        expect MSan "$work/msan"
    else
        cat "$work/msan.txt"
    fi
fi
# shellcheck disable=SC2086 # words
if command -v valgrind >/dev/null && cc $flags "$library" -lm -o "$work/plain"; then
    taint declassifies valgrind -q "$work/plain"
    grep -q 'marks have no effect' "$work/record" || expect valgrind valgrind -q --error-exitcode=99 "$work/plain"
fi
[ "$tried" -gt 0 ] || exit 77
