#!/bin/sh
# SPDX-License-Identifier: MIT
# A loop with nothing in it gets a figure that no time can tell from a cycle of work; the remark that says so reaches the user of tare bench too.
#
#   tests/functions/remark_test.sh INCLUDE-FOLDER LIBTARE.A TARE
#
# Whether an iteration costs what an empty one does is judged by time, so a busy machine gets three tries.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >empty.c <<'EOF'
#include <tare/tare.h>
TARE_BENCH(nothing) { TARE_LOOP(st) { tare_use(tare_opaque(3)); } }
TARE_MAIN()
EOF
cc -std=c11 -O2 -I "$1" empty.c -o empty "$2" -lm
for try in 1 2 3; do
    "$3" bench --style basic --processes 3 ./empty >out 2>notes || { cat notes && exit 1; }
    grep -q "^note: 'nothing': no slower than an empty loop" notes && exit 0
    echo "try $try:" && cat out notes
done
exit 1
