#!/bin/sh
# SPDX-License-Identifier: MIT
# What libtare adds to a program with benchmarks alone: nothing of what looks for timing leaks, reads frames or compares the ways to read the
# counter, and no more bytes than it may, as bench/footprint.sh counts them. With a leak target the harness is there, and works.
#
#   tests/probe/check_footprint.sh LIBTARE.a NM SIZE WORK-FOLDER      exit 77: no compiler
set -eu
library=$1 nm=$2 size=$3 work=$4
cd "$(dirname "$0")/../.."
limit=98304 limit_of_used=90112 # some 20 % above what they were when this was written
mkdir -p "$work"
command -v cc >/dev/null || exit 77

cat >"$work/one.c" <<'END'
#include <tare/bench.h>
TARE_BENCH(one) { uint64_t x = tare_seed(st); TARE_LOOP(st) { x *= 3; tare_chain(x); } }
TARE_MAIN()
END
cat >"$work/leak.c" <<'END'
#include <string.h>
#include <tare/tare.h>
TARE_LEAK(compare, .bytes = 32, .classes = TARE_CLASSES("equal", "random")) { return (uint64_t)memcmp(in, in + 16, 16); }
TARE_MAIN()
END
echo 'int main(void) { return 0; }' >"$work/none.c"
cc -O2 "$work/none.c" -o "$work/none"
cc -O2 -Iinclude "$work/one.c" "$library" -lm -o "$work/one"
cc -O2 -Iinclude "$work/one.c" "$library" -lm -Wl,--gc-sections -o "$work/used"
cc -O2 -Iinclude "$work/leak.c" "$library" -lm -o "$work/leak"

fail() {
    echo "$*"
    exit 1
}
has() { # PROGRAM NAME
    "$nm" "$work/$1" | grep -q " tare__$2\$"
}
loaded() { # PROGRAM: bytes of code and data
    "$size" "$work/$1" | awk 'NR == 2 { print $1 + $2 + $3 }'
}
has one probe_run || fail "names are not what this test takes them for"
for name in leak_run leak_targets plat_fault_catch wire_next cpu_order_rows noise_judge stats_beta stats_root; do
    ! has one $name || fail "a program with benchmarks alone contains $name"
done
! "$nm" "$work/one" | grep -q ' tare_bracket_elapsed$' || fail "a program with benchmarks alone contains the bracket of tare/clock.h"
has leak leak_run || fail "a program with a leak target lacks leak_run"
[ "$("$work/leak" --list)" = compare ] || fail "a program with a leak target does not list it"

whole=$(($(loaded one) - $(loaded none))) used=$(($(loaded used) - $(loaded none)))
echo "bytes loaded beyond an empty program: $whole; with --gc-sections: $used"
[ "$whole" -le $limit ] || fail "more than $limit"
[ "$used" -le $limit_of_used ] || fail "with --gc-sections more than $limit_of_used"
