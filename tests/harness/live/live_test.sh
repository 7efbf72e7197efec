#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Programs of google/benchmark and Go, built here and measured as they are: their lists, their names, what fails, and that three times the work is not called the same.
#
#   live_test.sh TARE HARNESS      google-benchmark or go; 77: it is not installed
set -eu
tare=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work"

skip() {
    echo "skipped: $*"
    exit 77
}

fail() {
    echo "$*" >&2
    exit 1
}

has() { # FILE LINE: as a beginning, blanks counting as one
    tr -s ' ' <"$1" | grep -qF -e "$2" || { cat "$1" >&2 && fail "no '$2'"; }
}

google() {
    command -v g++ >/dev/null || skip "no g++"
    echo '#include <benchmark/benchmark.h>' | g++ -fsyntax-only -x c++ - 2>/dev/null || skip "no google/benchmark (libbenchmark-dev)"
    g++ -O1 "$here/google.cc" -o "$work/old" -lbenchmark -lpthread
    g++ -O1 -DWORK=3000 "$here/google.cc" -o "$work/new" -lbenchmark -lpthread
    printf '%s\n' 'a line before' plain wall/real_time parallel/threads:2 repeated/iterations:100/repeats:2 by_hand/manual_time \
        'a name (|x) a+b*/100' 'filled<std::vector<int>>' fails crashes 'and one behind' >"$work/expected"
}

go_test() {
    command -v go >/dev/null || skip "no go (golang-go)"
    export GOCACHE="$work/cache" GOFLAGS=-mod=mod GOPATH="$work/path" GOPROXY=off GOTOOLCHAIN=local
    cp -R "$here/go" "$work/source"
    cd "$work/source"
    go test -c -o "$work/old" .
    sed 's/work = 1000/work = 3000/' "$here/go/work.go" >work.go
    go test -c -o "$work/new" .
    printf 'Benchmark%s\n' Chain Make/n=64 Make/n=1024 Names/a_b Names/x/y 'Names/(r|e)*[' Names/q-8 Names/ü Skips Fails Panics >"$work/expected"
}

session() { # OPTION...: a short one, its table in $work/out
    code=0
    "$tare" bench --style none --export-markdown - -r 6 -w 0 --sample-time 1ms "$@" >"$work/out" 2>"$work/err" || code=$?
}

check_list() {
    "$tare" bench --list "$work/old" >"$work/list"
    diff "$work/expected" "$work/list" || fail "the list differs"
}

check_google() {
    session --exclude before --exclude behind --exclude fails --metric cpu_time ./old ./new
    [ "$code" = 0 ] || { cat "$work/err" "$work/out" >&2 && fail "exit $code"; }
    for name in plain wall/real_time parallel/threads:2 crashes; do
        grep -F "\`$name (./new)\`" "$work/out" | grep -q -e '| slower |' -e '| undecided |' || { cat "$work/out" >&2 && fail "the verdict of $name"; }
    done
    session -f hand ./old ./new
    grep -F 'by_hand/manual_time (./new)' "$work/out" | grep -q '| 3.00 | 3.00 … 3.00 | slower |' || { cat "$work/out" >&2 && fail "manual time"; }
    session -f plain --metric counter:work ./old ./new
    has "$work/out" '| 3.00 | 3.00 … 3.00 | higher |'
    session -f before -f plain ./old # what it prints itself stands among the names
    has "$work/err" "'a line before' is given up: printed no google-benchmark JSON with a result in process 1; it wrote: Failed to match"
    HARNESS_BAD=crash session -f fails -f crashes ./old
    [ "$code" = 5 ] || fail "exit $code"
    has "$work/err" "'fails' is given up: failed: no data here"
    has "$work/err" "'crashes' is given up: was ended by SIGABRT in process 1"
}

check_go() {
    session -f Chain -f Names ./old ./new
    [ "$code" = 0 ] || { cat "$work/err" "$work/out" >&2 && fail "exit $code"; }
    [ "$(grep '(./new)' "$work/out" | grep -c -e '| slower |' -e '| undecided |')" = 6 ] || { cat "$work/out" >&2 && fail "verdicts"; }
    for metric in B/op allocs/op halves/op; do
        session -f Make --metric "counter:$metric" ./old ./new
        [ "$(grep -c '(./new).*| same |' "$work/out")" = 2 ] || { cat "$work/out" >&2 && fail "$metric is not the same"; }
    done
    HARNESS_BAD=fail session -f Fails -f Skips ./old
    has "$work/err" "'BenchmarkSkips' skipped: sample_test.go:45: no data here"
    has "$work/err" "'BenchmarkFails' is given up: failed: sample_test.go:49: got 4"
    HARNESS_BAD=panic session ./old
    has "$work/err" 'failed in BenchmarkPanics: to list its benchmarks, each is run once; it wrote: panic: out of reach'
}

case $2 in
google-benchmark) google ;;
go) go_test ;;
esac
cd "$work"
check_list
case $2 in
google-benchmark) check_google ;;
go) check_go ;;
esac
