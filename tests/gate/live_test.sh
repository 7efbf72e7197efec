#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tare gate on repositories with benchmarks of google/benchmark and Go, which are built here: a change that makes one three times as slow, one that
# changes a text, one that breaks the build.
#
#   live_test.sh TARE HARNESS      google-benchmark or go; 77: it is not installed
set -eu
tare=$1 harness=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work" GIT_CONFIG_GLOBAL=/dev/null TMPDIR="$work/tmp"
mkdir "$work/repository" "$TMPDIR"
cd "$work/repository"

skip() {
    echo "skipped: $*"
    exit 77
}

commit() {
    git add -A
    git -c user.name=t -c user.email=t@example.org -c commit.gpgsign=false commit -qm "$1"
}

google() {
    echo '#include <benchmark/benchmark.h>' | c++ -fsyntax-only -x c++ - 2>/dev/null || skip "no google/benchmark (libbenchmark-dev)"
    build='mkdir -p build; c++ -O1 -g bench.cc -o build/bench -lbenchmark -lpthread' program=build/bench source=bench.cc
    cat >bench.cc <<'END'
#include <benchmark/benchmark.h>
static void walk(benchmark::State &state, int n)
{
    for (auto _ : state) {
        unsigned x = 1;
        for (int i = 0; i < n; i++)
            x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        benchmark::DoNotOptimize(x);
    }
}
BENCHMARK_CAPTURE(walk, one, 1000);
BENCHMARK_CAPTURE(walk, other, 999);
BENCHMARK_MAIN();
END
    slower="sed -i 's/one, 1000/one, 3000/' bench.cc"
}

go_test() {
    command -v go >/dev/null || skip "no go (golang-go)"
    export GOCACHE="$work/cache" GOFLAGS=-mod=mod GOPATH="$work/path" GOPROXY=off GOTOOLCHAIN=local
    build='go test -c -o walk.test .' program=walk.test source=walk_test.go
    printf 'module example.org/walk\n\ngo 1.19\n' >go.mod
    cat >walk_test.go <<'END'
package walk

import "testing"

var sink uint32

func walk(b *testing.B, n int) {
	for i := 0; i < b.N; i++ {
		x := uint32(1)
		for k := 0; k < n; k++ {
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
		}
		sink = x
	}
}

func BenchmarkOne(b *testing.B)   { walk(b, 1000) }
func BenchmarkOther(b *testing.B) { walk(b, 999) }
END
    slower="sed -i 's/walk(b, 1000)/walk(b, 3000)/' walk_test.go"
}

gate() { # EXIT-CODE TEXT [OPTION...]: of a gate of the branch that is checked out
    code=0 expected=$1 text=$2
    shift 2
    "$tare" gate --style basic --fail-if-slower 20% --max-time 40s --build "$build" --bench "$program" "$@" >out 2>err || code=$?
    if [ "$code" != "$expected" ] || ! grep -q "$text" out; then
        echo "exit $code instead of $expected, or no '$text'" >&2
        cat out err >&2
        exit 1
    fi
    rm out err
    if [ -n "$(ls -A "$TMPDIR")" ] || [ "$(git worktree list | wc -l)" != 1 ]; then
        echo "a work tree is left" >&2
        exit 1
    fi
}

git init -q -b main .
case $harness in
google-benchmark) google ;;
go) go_test ;;
esac
echo text >README.md
printf 'build/\n*.test\n' >.gitignore
commit first
git checkout -q -b slower && eval "$slower" && commit slower
gate 1 'FAIL: 1 of 2 benchmarks is slower by 20 % or more'
git checkout -q -b text main && echo more >>README.md && commit text
gate 0 'PASS: both builds make the same programs'
echo older >"$work/none" # whose place it takes
"$tare" gate --build "$build" --bench "$program" --save "$work/none" >out 2>&1
rm out
for again in 'gate --merge' show; do # a runner of several may make equal programs
    # shellcheck disable=SC2086
    "$tare" $again "$work/none" >out 2>&1
    grep -q 'PASS: both builds make the same programs' out || { echo "$again: $(cat out)" >&2 && exit 1; }
    grep -q '2 not measured' out || { echo "$again lacks the benchmarks" >&2 && exit 1; }
done
rm out
# Equal on one machine, slower on another, whose build makes it so: on the first it is asked too.
as_it_is=$build build="if grep -q more README.md; then $slower; fi; $build"
gate 1 'FAIL: 1 of 2 benchmarks is slower by 20 % or more' --save "$work/slower"
build=$as_it_is
for records in "$work/none $work/slower" "$work/slower $work/none"; do
    code=0
    # shellcheck disable=SC2086
    "$tare" gate --fail-if-slower 20% --merge $records >out 2>&1 || code=$?
    if [ $code != 3 ] || ! grep -q 'CANNOT TELL .*fails in 1 of 2 records' out; then
        echo "exit $code: $(cat out)" >&2
        exit 1
    fi
done
rm out
mkdir other && echo 1 >other/data && commit data
gate 0 'PASS: both builds make the same programs' --inputs "$source" --inputs 'other/*=other'
# An input below the folder in which tare starts, and a submodule of which git diff says nothing. Both are measured, if only for a moment.
mkdir sub module && echo 1 | tee data >sub/data && printf '[submodule "module"]\n\tpath = module\n\turl = ./none\n\tignore = all\n' >.gitmodules
link() { git update-index --add --cacheinfo "160000,$(git rev-parse "$1"),module" && commit "$2"; }
link main link && git branch linked && echo 2 >sub/data && commit below
(
    cd sub && build="cd .. && $build" program=../$program
    gate 3 'CANNOT TELL' --base linked --inputs data --max-time 1ms
)
git checkout -q linked && link HEAD other
gate 3 'CANNOT TELL' --base linked~1 --max-time 1ms
git checkout -q -b broken main && echo 'no language (' >>"$source" && commit broken
gate 5 'NO RESULT: .*does not build'
