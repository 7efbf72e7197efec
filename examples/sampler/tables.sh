#!/bin/sh
# SPDX-License-Identifier: MIT
# The tables and pictures of test_cyc and test_sub, into one folder:
#
#   examples/sampler/tables.sh FOLDER      with an installed tare
#
# cold, touched: SAMPLER's table of test_cyc as it is, and with the array touched first and WORK passes; sub: that of test_sub. Of each the table (.md; by pandoc
# .plain and .odt, where it is installed) and the graph (.svg, .dot; .png where Graphviz is);
# rounds.md: test_cyc round by round, so that the first four arcs, which find a cold cache, stand apart from the rest, as it is and with the array touched first;
# ratios.txt: what each arc is to the first, by the means and by the medians; compared.txt: test_cyc against test_sub, arc by arc, by tare
# trace; verdicts.md: the words of that.
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
    "$cc" -O2 -fno-tree-vectorize -fno-unroll-loops -falign-loops=64 "$@" -DSIZE="$size" "-fmacro-prefix-map=$here/$source=loops" "$here/$source" \
        -o "$program" $flags
}
build cold test_cyc.c
build touched test_cyc.c -DTOUCHED -DWORK="$work"
build sub test_sub.c -DTOUCHED -DWORK="$work"

: >ratios.txt
: >rounds.md
for program in cold touched sub; do
    "$repeat" "$((runs + 5))" 5 "./$program"
    mv sampler.out "$program.out"
    "$tare" show -q --style none --export-table "$program.md" --export-dot "$program.dot" --export-svg "$program.svg" --export-csv "$program.csv" "$program.out"
    for figure in mean_ns median_ns; do
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
    case $program in
    cold) awk -v title="test_cyc as it is" -f "$here/rounds.awk" cold.out >>rounds.md ;;
    touched) awk -v title="test_cyc, the array touched first, $work times the work" -f "$here/rounds.awk" touched.out >>rounds.md ;;
    esac
    [ -z "$(command -v dot)" ] || dot -Tpng -Gdpi=96 "$program.dot" -o "$program.png"
    [ -z "$(command -v pandoc)" ] || for form in plain odt; do
        pandoc -f markdown -t $form "$program.md" -o "$program.$form"
    done
done
"$tare" trace --style basic -r "$((4 * runs))" --margin 2% --export-json compared.json ./touched ./sub >compared.txt
awk -F '"' 'function value(  v) { v = $0; sub(/^[^:]*: */, "", v); gsub(/[",]/, "", v); return v }
    BEGIN { print "| arc | sub / cyc | 95 % | word |\n|---|---:|---|---|" }
    /^  "comparisons"/ { on = 1 }
    !on { next }
    /^  \]/ { exit }
    $2 == "metric" { metric = value() }
    $2 == "from" || $2 == "to" { end = $2 }
    $2 == "line" { line[end] = value() }
    $2 == "ratio" { ratio = value() }
    $2 == "ratio_low" { low = value() }
    $2 == "ratio_high" { high = value() }
    $2 == "verdict" { word = value() }
    /^    \}/ && metric == "arc" { printf "| %s to %s | %.4f | [%.4f, %.4f] | %s |\n", line["from"], line["to"], ratio, low, high, word }' compared.json >verdicts.md
cat cold.md touched.md sub.md rounds.md ratios.txt compared.txt verdicts.md
