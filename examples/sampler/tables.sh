#!/bin/sh
# SPDX-License-Identifier: MIT
# The tables and pictures of test_cyc and test_sub, into one folder:
#
#   examples/sampler/tables.sh FOLDER      with an installed tare
#
# cold, touched: SAMPLER's table of test_cyc as it is, and with the array touched first and WORK passes; sub: that of test_sub;
# ratios.txt: what each arc is to the first, by the means and by the least disturbed passages; compared.txt: test_cyc against test_sub, arc by arc, by tare trace.
# TARE, REPEAT, CC and FLAGS (what finds sampler.h and the library) say where things are that are not installed; SIZE, WORK, RUNS as you like.
set -eu
[ $# -eq 1 ] || { echo 'Usage: examples/sampler/tables.sh FOLDER' >&2 && exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
tare=${TARE:-tare} repeat=${REPEAT:-sampler-repeat} cc=${CC:-cc} size=${SIZE:-10000} work=${WORK:-40} runs=${RUNS:-30}
flags=${FLAGS:-$(pkg-config --cflags --libs sampler)}
mkdir -p "$1" && cd "$1"

build() { # PROGRAM SOURCE DEFINITIONS...: their points are of one file, so that tare trace finds which is which
    program=$1 source=$2
    shift 2
    # shellcheck disable=SC2086 # flags are words
    "$cc" -O1 -fno-tree-vectorize -fno-unroll-loops -falign-loops=64 "$@" -DSIZE="$size" "-fmacro-prefix-map=$here/$source=loops" "$here/$source" \
        -o "$program" $flags
}
build cold test_cyc.c
build touched test_cyc.c -DTOUCHED -DWORK="$work"
build sub test_sub.c -DTOUCHED -DWORK="$work"

: >ratios.txt
for program in cold touched sub; do
    "$repeat" "$((runs + 5))" 5 "./$program"
    mv sampler.out "$program.out"
    "$tare" show -q --style none --export-table "$program.md" --export-dot "$program.dot" --export-svg "$program.svg" --export-csv "$program.csv" "$program.out"
    for figure in mean_ns min_ns; do
        sort -t, -n -k3,3 "$program.csv" | awk -F, -v program="$program" -v figure="$figure" '
            $1 == "program" && $2 == "from_file" { for (i = 1; i <= NF; i++) if ($i == figure) column = i; next }
            $3 < $7 { row[++n] = $0 }
            END {
                for (i = 1; i <= n; i++) {
                    split(row[i], field, ",")
                    first = first ? first : field[column]
                    line = line sprintf("%s%.3f", i > 1 ? " : " : "", field[column] / first)
                }
                print program ", by " figure ": " line
            }' >>ratios.txt
    done
    [ -z "$(command -v dot)" ] || dot -Tpng -Gdpi=96 "$program.dot" -o "$program.png"
done
"$tare" trace --style basic -r "$runs" ./touched ./sub >compared.txt
cat cold.md touched.md sub.md ratios.txt compared.txt
