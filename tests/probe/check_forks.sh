#!/bin/sh
# SPDX-License-Identifier: MIT
# Code that forks and goes on in both processes is measured in one of them: each report is there once. A program that a benchmark starts is none that was
# asked, and a thread that ends itself ends its benchmark.
#   check_forks.sh TARE FORKS_SUBJECT
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$*" >&2
    cat "$work"/* >&2
    exit 1
}
"$1" bench --runs 3 --samples 5 --timeout 600 --exclude ending --export-json "$work/bench" "$2" >"$work/out" 2>&1 || fail "tare bench: exit $?"
[ "$(grep -c '"state": "ok"' "$work/bench")" -eq 2 ] || fail "the benchmarks were not measured"
"$1" bench --runs 2 --samples 5 --timeout 600 --filter ending "$2" >"$work/out" 2>&1 && code=0 || code=$?
[ "$code" -eq 5 ] || fail "tare bench: exit $code"
grep -q 'it ended its thread' "$work/out" || fail "not that it ended its thread"
"$1" leak --max-time 600 --max-calls 5000 --timeout 600 --export-json "$work/leak" "$2" >"$work/out" 2>&1 && code=0 || code=$?
case $code in 0 | 1 | 3 | 4) ;; *) fail "tare leak: exit $code" ;; esac
grep -q '"name": "forking_too"' "$work/leak" || fail "the target was not measured"
grep -q '"calls": [1-9]' "$work/leak" || fail "the target was not measured"
