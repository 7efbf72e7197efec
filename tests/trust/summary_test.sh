#!/bin/sh
# SPDX-License-Identifier: MIT
# The tables of bench/trust over lines whose counts are known: tests/trust/summary_test.sh TRUST_SUMMARY
set -eu
summary=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# line SCENARIO UNIX_S TOOL SIZE SIGN WORD LN LOW HIGH SCORE
line() {
    expected=$(awk -v s="$4" -v g="$5" 'BEGIN { printf "%.6f", g * log(1 + s / 100) }')
    printf 'mine\t%s\t1\t%s\t2.0\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t30\t0.500\tnan\n' "$1" "$2" "$3" "$4" "$5" "$expected" "$6" "$7" "$8" "$9" "${10}"
}

{
    echo "# label scenario ..."
    echo "# 2026-01-01T00:00:00Z label mine; tare 1; here"
    i=0
    while [ $i -lt 40 ]; do # 38 the same, 2 false words, which follow each other in opposite senses
        case $i in
        10) line quiet $i tare 0 1 slower 0.02 0.01 0.03 9 ;;
        11) line quiet $i tare 0 1 faster -0.02 -0.03 -0.01 9 ;;
        *) line quiet $i tare 0 1 same 0.001 -0.004 0.006 9 ;;
        esac
        line quiet $i hyperfine 0 -1 none 0.001 -0.004 0.006 0.2
        i=$((i + 1))
    done
    line quiet 50 tare 5 1 slower 0.05 0.04 0.06 5   # right
    line quiet 51 tare 5 -1 faster -0.05 -0.06 -0.04 5 # right: the first command was the slower one
    line quiet 52 tare 5 -1 slower 0.05 0.04 0.06 5  # wrong
    line quiet 53 tare 5 1 same 0.001 -0.004 0.006 5 # and that is dangerous
    line quiet 54 tare 5 1 undecided nan nan nan nan # no interval
    echo "mine	cut"
} >"$scratch/raw.tsv"
"$summary" "$scratch/raw.tsv" >"$scratch/out"

want() { # TEXT: a whole line of the output
    grep -qxF -e "$1" "$scratch/out" || {
        echo "missing: $1"
        cat "$scratch/out"
        exit 1
    }
}
want '## mine machine: 85 sessions, 1970-01-01 00:00 to 1970-01-01 00:00 UTC'
want '- 2026-01-01T00:00:00Z label mine; tare 1; here'
want '| quiet | 2 of 40: 5.0 % [0.6, 16.9] | 0 of 40: 0.0 % [0.0, 8.8] | | |'
want '| quiet | 38 same, 0 undecided, 2 false, 0 invalid |'
want '| quiet | - / - / - / 40 %; 1 of 5 wrong | | | |'
want '| quiet | 0.50, 0.50 s (100 %) / - / - / - / 0.50, 0.50 s (80 %) |'
want '| quiet | 1 of 5: 20.0 % [0.5, 71.6] |'
want '| quiet | 40 of 44: 90.9 % [78.3, 97.5] | 40 of 40: 100.0 % [91.2, 100.0] | | |'
want '| quiet | 2 of 43: 4.7 % [0.6, 15.8] | 0 of 39: 0.0 % [0.0, 9.0] | | |'
want '| scripted | opposite words in succession | 2 of 43: 4.7 % [0.6, 15.8] | 0 of 39: 0.0 % [0.0, 9.0] | |'
want '1 lines were not understood and are left out.'
