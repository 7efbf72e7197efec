#!/bin/sh
# SPDX-License-Identifier: MIT
# Points that share a line are told apart, and each is one however often it was compiled: by every compiler and its options, with other code before them, in C
# and C++, as points of SAMPLER too. What was never passed counts.
#
#   tests/points/check_lines.sh TARE FOLDER-OF-LIBTARE WORK-FOLDER      exit 77: none of the compilers is there
set -eu
tare=$1 libraries=$2 work=$3
cd "$(dirname "$0")/../.."
mkdir -p "$work"
tried=0

# file:line of the points, which one there, function, name, kind, passes
cat >"$work/c.txt" <<'END'
points_lines.c:6 0 one_of_three  point 0
points_lines.c:6 1 one_of_three  point 10
points_lines.c:6 2 one_of_three third point 0
points_lines.c:13 0 main  point 10
points_lines.c:13 1 main  point 10
points_lines.h:12 0 either  point 10
points_lines.h:12 1 either  point 10
points_lines.h:13 0 scopes s begin 20
points_lines.h:13 0 scopes s end 20
points_lines.h:13 1 scopes s begin 20
points_lines.h:13 1 scopes s end 20
END
cat "$work/c.txt" - <<'END' | sort >"$work/cxx.txt"
points_lines.h:15 0 chosen t point 20
points_lines.h:15 1 chosen t point 10
points_lines.h:16 0 picked  point 10
points_lines.h:16 1 picked  point 10
points_lines.h:17 0 shared  point 30
points_lines.h:17 1 shared  point 0
points_lines.h:17 2 shared s begin 30
points_lines.h:17 2 shared s end 30
points_lines.h:17 3 shared s begin 30
points_lines.h:17 3 shared s end 30
points_lines.h:20 0 apart first begin 30
points_lines.h:20 0 apart first end 30
points_lines.h:21 0 apart second begin 30
points_lines.h:21 0 apart second end 30
END
sort -o "$work/c.txt" "$work/c.txt"

points() { # PROGRAM
    "$tare" trace -q -r 1 --export-jsonl "$work/out.jsonl" -- "$1" >"$work/said.txt" 2>&1 || { cat "$work/said.txt" && exit 1; }
    sed -n '/"type":"point"/s/.*"file":"[^"]*\/\([^"/]*\)","line":\([0-9]*\),"ordinal":\([0-9]*\),"func":"\([^"]*\)","name":"\([^"]*\)","kind":"\([a-z]*\)","n":\([0-9]*\).*/\1:\2 \3 \4 \5 \6 \7/p' \
        "$work/out.jsonl" | sort
}

lines() { # EXPECTED COMPILER FLAGS...
    expected=$1
    shift
    for shift in "" -DPOINTS_SHIFT; do
        # shellcheck disable=SC2086 # words, or none
        "$@" $shift -Iinclude tests/points/points_lines.c tests/points/points_lines_elsewhere.c -x none "$libraries/libtare.a" -pthread -lm -o "$work/lines"
        points "$work/lines" >"$work/found.txt"
        diff "$expected" "$work/found.txt" || { echo "not so: $* $shift" && exit 1; }
    done
    echo "ok  $*"
    tried=$((tried + 1))
}

for flags in -O0 -O2 "-O2 -flto" "-O2 -ffunction-sections -fuse-ld=gold -Wl,--icf=all"; do
    case $flags in *gold*) command -v ld.gold >/dev/null || continue ;; esac
    for compiler in gcc clang; do
        # shellcheck disable=SC2086 # words
        ! command -v $compiler >/dev/null || lines "$work/c.txt" $compiler -std=c11 $flags
    done
    for compiler in g++ clang++; do
        # shellcheck disable=SC2086 # words
        ! command -v $compiler >/dev/null || lines "$work/cxx.txt" $compiler -x c++ -std=c++17 $flags
    done
done
[ "$tried" -gt 0 ] || exit 77

# ---- SAMPLER ----

printf '#include <sampler.h>\nint main(void)\n{\nfor (int i = 0; i < 5; i++) { SAMPLE; SAMPLE; if (i > 5) SAMPLE; }\nreturn 0;\n}\n' >"$work/sampled.c"
cat >"$work/sampled.txt" <<'END'
sampled.c:4 0 main  point 5
sampled.c:4 1 main  point 5
sampled.c:4 2 main  point 0
END
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    $compiler -O2 -Iinclude "$work/sampled.c" "$libraries/libsampler.a" -pthread -o "$work/sampled"
    points "$work/sampled" >"$work/found.txt"
    diff "$work/sampled.txt" "$work/found.txt" || { echo "not so: SAMPLE, $compiler" && exit 1; }
    echo "ok  SAMPLE, $compiler"
    "$tare" trace -q -r 1 --export-sampler "$work/graph.json" -- "$work/sampled" >"$work/said.txt" 2>&1
    "$tare" show -q --export-jsonl "$work/back.jsonl" "$work/graph.json" >"$work/said.txt" 2>&1
    sed -n '/"type":"point"/s/.*"line":4,"ordinal":\([0-9]*\),.*/\1/p' "$work/back.jsonl" | sort | tr '\n' ' ' | grep -qx '0 1 2 ' ||
        { echo "a graph of SAMPLER has lost points of a line" && exit 1; }
done

# ---- source files of one name ----

# Those of two folders are two, in the program and in a shared object that is loaded, unloaded and loaded again; a header is one.
cat >"$work/three.h" <<'END'
#ifdef __cplusplus
extern "C"
#endif
int three(int n);
int one(int n);
int two(int n);
END
for folder in one two three; do
    mkdir -p "$work/$folder"
    cat >"$work/$folder/same.h" <<'END'
#include <tare/point.h>
static inline int both(int n) { TARE_POINT(); return n; }
END
    cat >"$work/$folder/same.c" <<END
#include "../three.h"
#include "same.h"
static int work(int n) { if (n) { TARE_POINT(); TARE_POINT(); } return both(n); }
int $folder(int n) { return work(n); }
END
done
cat >"$work/namesakes.c" <<'END'
#include "three.h"
#include <dlfcn.h>
int main(int argc, char **argv)
{
    one(1);
    two(0);
    for (int i = 0; i < argc; i++) {
        void *object = dlopen(argv[1], RTLD_NOW);
        int (*load)(int) = object ? (int (*)(int))dlsym(object, "three") : 0;
        if (!load)
            return 1;
        load(1);
        dlclose(object);
    }
    return 0;
}
END
cat >"$work/namesakes.txt" <<'END'
same.c:3 0 work  point 2
same.c:3 1 work  point 2
same.c:3 2 work  point 0
same.c:3 3 work  point 0
same.c:3 4 work  point 4
same.c:3 5 work  point 4
same.h:2 0 both  point 8
END
include=$PWD/include
for compiler in "gcc -x c" "clang -x c" "g++ -x c++"; do
    command -v "${compiler%% *}" >/dev/null || continue
    for folder in one two three; do
        (cd "$work/$folder" && $compiler -O2 -fPIC "-I$include" -c same.c -o same.o)
    done
    (cd "$work" && $compiler -x none -shared three/same.o "-L$libraries" -ltare -o three.so &&
        $compiler namesakes.c -x none one/same.o two/same.o "-L$libraries" -ltare "-Wl,-rpath,$libraries" -ldl -o namesakes)
    "$tare" trace -q -r 2 --export-jsonl "$work/out.jsonl" -- "$work/namesakes" "$work/three.so" >"$work/said.txt" 2>&1 || { cat "$work/said.txt" && exit 1; }
    sed -n '/"type":"point"/s/.*"file":"[./]*\([^"]*\)","line":\([0-9]*\),"ordinal":\([0-9]*\),"func":"\([^"]*\)","name":"\([^"]*\)","kind":"\([a-z]*\)","n":\([0-9]*\).*/\1:\2 \3 \4 \5 \6 \7/p' \
        "$work/out.jsonl" | sort >"$work/found.txt"
    diff "$work/namesakes.txt" "$work/found.txt" || { echo "not so: source files of one name, $compiler" && exit 1; }
    echo "ok  source files of one name, $compiler"
done

# Of two programs nobody can say it, but that they were counted as one; of two processes of one it is nothing to mention.
for folder in one two; do
    printf '#include <tare/point.h>\nint main(int argc, char **argv) { (void)argv; if (argc > 1) { TARE_POINT(); } TARE_POINT(); %s return 0; }\n' \
        "$([ $folder = one ] || echo 'TARE_POINT();')" >"$work/$folder/main.c"
    (cd "$work/$folder" && gcc -O2 "-I$include" main.c "-L$libraries" -ltare "-Wl,-rpath,$libraries" -o main)
done
merged() { # SCRIPT
    "$tare" trace -r 1 -v -- sh -c "$1" >"$work/said.txt" 2>&1
    grep -o '[0-9][0-9]* points\{0,1\} .* counted as one' "$work/said.txt" || echo none
}
[ "$(merged "$work/one/main; $work/two/main x")" = "2 points are counted as one" ] || { echo "points of two programs are one without a word" && exit 1; }
[ "$(merged "$work/one/main; $work/one/main x")" = none ] || { echo "processes of one program are taken for two" && exit 1; }
