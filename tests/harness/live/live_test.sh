#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Programs of google/benchmark, Go, Catch2 and criterion.rs, built here and measured as they are: their lists, their names, what fails, and that three times the work is not called the same.
#
#   live_test.sh TARE HARNESS      google-benchmark, go, catch2 or criterion; 77: it is not installed
#   live_test.sh TARE TOOL         pytest-benchmark or hyperfine: the file that it writes is read to the last digit that its own figures have
set -eu
tare=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ ! -d "$HOME/.rustup" ] || export RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}"
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

catch2() {
    command -v g++ >/dev/null || skip "no g++"
    header=$(echo '#include <catch2/catch.hpp>' | g++ -M -x c++ - 2>/dev/null | tr ' ' '\n' | grep '/catch2/catch.hpp$') || skip "no Catch2 2 (catch2)"
    mkdir "$work/catch2" # the header as it is, but for how long each process looks at its clock before it measures: most of the time here
    sed '/const auto \(warmup\|clock_resolution_estimation\)_time =/s/milliseconds([0-9]*)/milliseconds(2)/' "$header" >"$work/catch2/catch.hpp"
    g++ -O0 -I"$work" -c "$here/catch2.cc" -o "$work/catch2.o"
    for amount in 1000 3000; do
        echo "extern const long amount = $amount;" | g++ "$work/catch2.o" -x c++ - -o "$work/$amount"
    done
    mv "$work/1000" "$work/old"
    mv "$work/3000" "$work/new"
    printf '%s\n' chain/plain 'chain/one/a/b & <c> "d"' chain/two/plain 'of [x], "y" \ */made by hand' throws/t asserts/a crashes/c >"$work/expected"
}

criterion() {
    registry=/usr/share/cargo/registry
    cargo --version >/dev/null 2>&1 || skip "no cargo"
    ls -d "$registry"/criterion-0.3* >/dev/null 2>&1 || skip "no criterion.rs (librust-criterion-dev)"
    export CARGO_HOME="$work/cargo" CARGO_NET_OFFLINE=true CARGO_TARGET_DIR="$work/target" TMPDIR="$work/tmp"
    mkdir -p "$CARGO_HOME" "$TMPDIR"
    printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "%s"\n' "$registry" >"$CARGO_HOME/config.toml"
    cp -R "$here/criterion" "$work/source"
    cd "$work/source"
    build_criterion "$work/old"
    sed 's/WORK: u64 = 1000/WORK: u64 = 3000/' "$here/criterion/src/lib.rs" >src/lib.rs
    build_criterion "$work/new"
    printf '%s\n' chain 'group (a|b)*/made/of/8' 'group (a|b)*/made/of/64' 'by hand' panics >"$work/expected"
}

build_criterion() { # PROGRAM
    rm -f "$work"/target/release/deps/sample-*
    cargo build --release --benches --quiet
    for built in "$work"/target/release/deps/sample-*; do
        case $built in *.d) ;; *) cp "$built" "$1" ;; esac
    done
}

session() { # OPTION...: a short one, its table in $work/out
    code=0
    "$tare" bench --style none --export-markdown - -r 6 -w 0 --sample-time 1ms "$@" >"$work/out" 2>"$work/err" || code=$?
}

check_list() {
    "$tare" bench --list "$work/old" >"$work/list"
    diff "$work/expected" "$work/list" || fail "the list differs"
}

same_median() { # FILE BENCHMARK NS: of the file of the tool, whose median is that, to its last digit
    "$tare" show --style none --export-json tare.json "$1" >/dev/null 2>&1
    /usr/bin/python3 - "$2" "$3" <<'END' || fail "the median of $1 differs"
import json, sys
ours = [r["median"] * 1e9 for r in json.load(open("tare.json"))["results"] if r["command"] == sys.argv[1]]
assert len(ours) == 1 and abs(ours[0] - float(sys.argv[2])) <= 1e-14 * ours[0], (ours, sys.argv)
END
}

check_google() {
    ./old '--benchmark_filter=^plain$' --benchmark_repetitions=4 --benchmark_min_time=0.01 --benchmark_out=r.json >"$work/out" 2>&1
    same_median r.json plain "$(sed -n '/"plain_median"/,/real_time/s/.*"real_time": \(.*\),/\1/p' r.json)"
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
    ./old -test.run '^$' -test.bench Chain -test.count 3 -test.benchtime 100x >r.txt
    same_median r.txt "$(awk '/^BenchmarkChain/ { print $1; exit }' r.txt)" "$(awk '/^BenchmarkChain/ { print $3 }' r.txt | sort -n | sed -n 2p)"
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
    # Go's main goroutine races with the panic: where it is first, the list is complete, and the benchmark fails when it is measured.
    grep -q -e 'failed with exit code 2 in BenchmarkPanics: to list its benchmarks, each is run once; it wrote: panic: out of reach' \
        -e "'BenchmarkPanics' is given up: " "$work/err" || { cat "$work/err" >&2 && fail "the panic is not said"; }
}

slower() { # NAME...: of ./new
    for name; do
        grep -F "\`$name (./new)\`" "$work/out" | grep -q -e '| slower |' -e '| undecided |' || { cat "$work/out" "$work/err" >&2 && fail "the verdict of $name"; }
    done
}

check_catch2() {
    ./old chain -c one -r xml --benchmark-samples 5 >r.xml
    same_median r.xml 'chain/one/a/b & <c> "d"' "$(sed -n 's/.*<mean value="\([^"]*\)".*/\1/p' r.xml | tail -n 1)"
    session -f chain/plain -f chain/two -f hand ./old ./new
    [ "$code" = 0 ] || { cat "$work/err" "$work/out" >&2 && fail "exit $code"; }
    slower chain/plain chain/two/plain 'of [x], "y" \ */made by hand'
    HARNESS_BAD=throw session -f throws ./old
    has "$work/err" "'throws/t' is given up: failed: no data here"
    HARNESS_BAD=assert session -f chain/two ./old # its benchmark does not run, so it is not listed
    [ "$code" = 0 ] || { cat "$work/err" "$work/out" >&2 && fail "exit $code"; }
    HARNESS_BAD=crash session ./old
    has "$work/err" 'failed in crashes: to list its benchmarks, each is run once'
}

check_criterion() {
    session -r 3 -f chain -f made/of/8 -f hand ./old ./new
    [ "$code" = 0 ] || { cat "$work/err" "$work/out" >&2 && fail "exit $code"; }
    for name in chain 'group (a\|b)*/made/of/8' 'by hand'; do
        grep -qF "\`$name (./new)\`" "$work/out" || { cat "$work/out" "$work/err" >&2 && fail "no $name"; }
    done
    HARNESS_BAD=panic session -f panics ./old
    has "$work/err" "'panics' is given up: ended with exit code 101 in process 1"
    [ -z "$(ls "$TMPDIR")" ] || { ls "$TMPDIR" >&2 && fail "a folder is left"; }
}

same_figures() { # FILE MEMBER: medians in the file of the tool, of lists of results under that name, and those that tare reads
    "$tare" show --style none --export-json tare.json "$1" 2>/dev/null
    /usr/bin/python3 - "$1" "$2" <<'END' || fail "the figures of $1 differ"
import json, sys
theirs = [one.get("stats", one) for one in json.load(open(sys.argv[1]))[sys.argv[2]]]
ours = json.load(open("tare.json"))["results"]
assert theirs and len(theirs) == len(ours)
for a, b in zip(theirs, ours):
    for figure in "median", "mean", "min", "max":
        assert abs(a[figure] - b[figure]) <= 1e-9 * a[figure], (figure, a[figure], b[figure])
END
}

results() { # OLD NEW: commands that write r.json; NEW does three times the work
    code=0
    "$tare" bench --style none --export-markdown - -r 6 -w 0 --results r.json -n old -n new "$1" "$2" >"$work/out" 2>"$work/err" || code=$?
    [ "$code" = 0 ] || { cat "$work/err" "$work/out" >&2 && fail "exit $code"; }
    grep -q -e '| slower |' -e '| undecided |' "$work/out" || { cat "$work/out" >&2 && fail "no verdict"; }
}

pytest_benchmark() {
    /usr/bin/python3 -c 'import pytest_benchmark' 2>/dev/null || skip "no pytest-benchmark (python3-pytest-benchmark)"
    printf 'import os\ndef test_sort(benchmark): benchmark(lambda: sorted(range(int(os.environ["N"]), 0, -1)))\n' >"$work/test_sort.py"
    run='/usr/bin/python3 -m pytest -q -p no:cacheprovider --benchmark-json=r.json --benchmark-max-time=0.05 test_sort.py'
    results "env N=1000 $run" "env N=3000 $run"
    same_figures r.json benchmarks
}

hyperfine_file() {
    command -v hyperfine >/dev/null || skip "no hyperfine"
    results "hyperfine -N -r 5 -n it --export-json r.json 'sleep 0.01'" "hyperfine -N -r 5 -n it --export-json r.json 'sleep 0.03'"
    same_figures r.json results
}

cd "$work"
case $2 in
pytest-benchmark) pytest_benchmark && exit ;;
hyperfine) hyperfine_file && exit ;;
google-benchmark) google ;;
go) go_test ;;
catch2) catch2 ;;
criterion) criterion ;;
esac
cd "$work"
check_list
case $2 in
google-benchmark) check_google ;;
go) check_go ;;
catch2) check_catch2 ;;
criterion) check_criterion ;;
esac
