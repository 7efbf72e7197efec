#!/bin/sh
# SPDX-License-Identifier: MIT
# What libtare weighs: bytes that it adds to a program, as it is linked by default and with unused functions left out, and milliseconds that its
# header adds to a compilation (median of 21, an empty file and one with the header in turn).
#
#   bench/footprint.sh BUILD-FOLDER
set -eu
library=$(cd "$1" && pwd)/src/libtare.a
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/one.c" <<'END'
#include <tare/bench.h>
TARE_BENCH(one) { uint64_t x = tare_seed(st); TARE_LOOP(st) { x *= 3; tare_chain(x); } }
TARE_MAIN()
END
echo 'int main(void) { return 0; }' >"$work/none.c"

loaded() { # PROGRAM: bytes of code and data
    size "$1" | awk 'NR == 2 { print $1 + $2 + $3 }'
}
cc -O2 "$work/none.c" -o "$work/none"
cc -O2 -Iinclude "$work/one.c" "$library" -lm -o "$work/one"
cc -O2 -Iinclude "$work/one.c" "$library" -lm -Wl,--gc-sections -o "$work/small"
echo "bytes loaded beyond an empty program: $(($(loaded "$work/one") - $(loaded "$work/none")))"
echo "the same with --gc-sections:          $(($(loaded "$work/small") - $(loaded "$work/none")))"

now_ns() {
    date +%s%N
}
compile_ns() { # SOURCE
    begin=$(now_ns)
    cc -O2 -Iinclude -c "$1" -o "$work/object.o"
    echo $(($(now_ns) - begin))
}
for header in tare/bench.h tare/tare.h; do
    echo "#include <$header>" >"$work/with.c"
    : >"$work/without.c"
    : >"$work/list"
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do
        without=$(compile_ns "$work/without.c")
        with=$(compile_ns "$work/with.c")
        echo $((with - without)) >>"$work/list"
    done
    sort -n "$work/list" | awk -v h="$header" 'NR == 11 { printf "ms that including %s adds:  %.1f\n", h, $1 / 1e6 }'
done
