#!/bin/sh
# SPDX-License-Identifier: MIT
# test_cyc over SIZE, beside the sizes of this machine's caches, into one folder:
#
#   examples/sampler/sizes.sh FOLDER      with an installed tare
#
# sizes.csv and sizes.svg: ns for each number, of the first loop in the first round (nothing was touched), of the same loop later (the loop over all came before
# it) and of the loop over all later. Where the array is larger than a cache, later loops gain nothing from it.
# TARE, REPEAT, CC and FLAGS as for tables.sh; SIZES: how many numbers, in rising order; RUNS.
set -eu
[ $# -eq 1 ] || { echo 'Usage: examples/sampler/sizes.sh FOLDER' >&2 && exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
tare=${TARE:-tare} repeat=${REPEAT:-sampler-repeat} cc=${CC:-cc} runs=${RUNS:-15}
flags=${FLAGS:-$(pkg-config --cflags --libs sampler)}
mkdir -p "$1" && cd "$1"

"$tare" run -q --style none -N -r 1 --save machine.jsonl true
fact() { # KEY: a number the record has of the machine; 0 where it is not known
    sed -n "s/.*\"$1\":\([0-9][0-9]*\).*/\1/p" machine.jsonl | head -n 1 | grep . || echo 0
}
l1=$(fact l1d_bytes) l2=$(fact l2_bytes) l3=$(fact l3_bytes)
sizes=${SIZES:-$(awk -v l2="$l2" -v l3="$l3" 'BEGIN {
    most = 4 * (l3 > 0 ? l3 : l2)
    most = most > 268435456 || most < 1 ? 268435456 : most
    for (n = 2000; 4 * n <= most; n *= 2) print n
}')}

echo "size,bytes,first tenth: first round,first tenth: later,all: later" >sizes.csv
for size in $sizes; do
    # shellcheck disable=SC2086 # flags are words
    "$cc" -O2 -fno-tree-vectorize -fno-unroll-loops -falign-loops=64 -DSIZE="$size" "$here/test_cyc.c" -o size_n $flags
    "$repeat" "$((runs + 2))" 2 ./size_n
    awk -f "$here/rounds.awk" sampler.out | awk -F '|' -v size="$size" '
        / round 1/ { first = $3 }
        / round [23] / { tenth += $3 / 2; all += $6 / 2 }
        END { printf "%d,%d,%.4f,%.4f,%.4f\n", size, 4 * size, first / (size / 10), tenth / (size / 10), all / size }' >>sizes.csv
done
rm -f size_n sampler.out
awk -F, -v caches="L1d:$l1 L2:$l2 L3:$l3" -v title="test_cyc: a store to each number of the array, medians of $runs runs" -f "$here/sizes_plot.awk" sizes.csv >sizes.svg
cat sizes.csv
