#!/bin/sh
# SPDX-License-Identifier: MIT
# check_msan.sh SOURCE-FOLDER WORK-FOLDER TARE: an MSan build of libtare and a program times, scans, grows and follows marks without a report about
# libtare itself. 77: there is no clang with MSan here.
set -u
source=$1 work=$2 tare=$3
mkdir -p "$work"
cd "$work" || exit 1
echo 'int main(void) { return 0; }' >try.c
clang -fsanitize=memory try.c -o try 2>/dev/null && ./try || exit 77
cat >targets.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <tare/tare.h>

TARE_LEAK(naive, .bytes = 32, .classes = TARE_CLASSES("equal", "random"))
{
    for (int i = 0; i < 16; i++)
        if (in[i] != in[16 + i])
            return 0;
    return 1;
}

TARE_LEAK(by_or, .bytes = 32, .classes = TARE_CLASSES("equal", "random"))
{
    unsigned char different = 0;
    for (int i = 0; i < 16; i++)
        different = (unsigned char)(different | (in[i] ^ in[16 + i]));
    return different;
}

static void *build(void *state, int64_t n)
{
    int64_t *p = calloc((size_t)n + 1, sizeof *p);
    (void)state;
    p[0] = n;
    return p;
}

TARE_LEAK(walk, .build = build, .destroy = free, .growth = TARE_ARGS(1, 256, 65536))
{
    const int64_t *p = state;
    uint64_t sum = 0;
    (void)in;
    for (int64_t i = 0; i < p[0]; i++)
        sum += (uint64_t)p[i + 1] + (uint64_t)i;
    return sum;
}

/* Its standard error is none that tare reads. */
__attribute__((constructor)) static void be_silent(void)
{
    if (getenv("SILENT") && !freopen("/dev/null", "w", stderr))
        abort();
}

TARE_MAIN()
END
export CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER
cmake -S "$source" -B build -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_C_FLAGS=-fsanitize=memory -DTARE_TESTS=OFF -DTARE_MANUAL=OFF >log 2>&1 || { cat log && exit 1; }
cmake --build build --target tare_static >>log 2>&1 || { cat log && exit 1; }
clang -std=c11 -fsanitize=memory -fsanitize-recover=memory -g -gdwarf-4 -O1 -I "$source/include" targets.c -o targets build/src/libtare.a -lm || exit 1
bad=0

ask() { # TARGET OPTION...: MSan has nothing to say, and nothing is wrong with the target
    target=$1
    shift
    "$tare" leak ./targets --filter "$target" --show-output --max-time 900 --timeout 900 --export-json out.json "$@" >out 2>&1
    found=$(sed -n 's/^ *"verdict": "\([a-z_]*\)".*/\1/p' out.json | head -1)
    if grep -q MemorySanitizer out || [ -z "$found" ] || { [ "$found" = invalid ] && ! grep -q 'the harness itself\|planted delay' out; }; then
        echo "$target $*: $found" && cat out && bad=1
    fi
}

leaks() { # TARGET OPTION...: a session ends with its answer; one of a thousand may call itself invalid
    for try in 1 2 3; do
        : "$try"
        ask "$@"
        [ "$found" = invalid ] || break
    done
    [ "$found" = leak ] || { echo "$*: $found, expected leak" && cat out && bad=1; }
}

leaks naive
ask by_or --max-calls 20000 --margin 50cycles
ask by_or --max-calls 20000 --scan
ask naive --max-calls 20000 --cache cold
leaks walk --growth
grep -q 'is an MSan build' out || { echo "not said that it is an MSan build" && bad=1; }
taint() { # PATTERN OPTION...
    pattern=$1
    shift
    "$tare" leak ./targets --taint --max-calls 20000 --max-time 900 --timeout 900 --export-json out.json "$@" >out 2>&1
    tr -d ' \n' <out.json | grep -q "$pattern" || { echo "taint $*: no $pattern" && cat out out.json && bad=1; }
}
line='"verdict":"found","tool":"MemorySanitizer","text":"[^"]*","sites":\[{"kind":"use","file":"targets.c","line":8,'
taint "$line"
# Reports that go elsewhere are asked for where tare reads; those that do not come are none that there are not.
MSAN_OPTIONS=log_path=$work/elsewhere taint "$line" --filter naive
SILENT=1 taint '"verdict":"failed","tool":"MemorySanitizer"' --filter naive
exit $bad
