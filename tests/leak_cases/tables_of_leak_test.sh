#!/bin/sh
# SPDX-License-Identifier: MIT
# tables_of_leak_test.sh BENCH-FOLDER: the tables of bench/leak.sh say what is in its raw lines.
set -u
bench=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

row() { # LINE, with commas between its columns
    printf '%s\n' "$1" | tr ',' '\t'
}

{
    printf '%s\n' '# part label' '# 2026-01-01T00:00:00Z label x; a machine'
    row 'suite,x,1,0,one,,leak,leak,yes,1.0,1000,9'
    row 'suite,x,1,0,one,,leak,undecided,no,3.0,3000,9'
    row 'suite,x,1,0,two,,any,no_leak,-,2.0,2000,0'
    row 'sessions,x,1,0,one,,leak,leak,-,1.0,9,8,10,1000'
    row 'sessions,x,1,0,one,,leak,leak,-,1.0,11,10.5,11.5,1000'
    row 'sessions,x,1,0,one,,leak,undecided,-,1.0,99,98,100,1000'
    row 'growth,x,1,0,size,1,bounded,grows,no,1.0,n,null,no,1'
    row 'growth,x,1,0,walk,n,grows,grows,yes,2.0,n,log n,yes,1'
    i=0
    while [ $i -lt 100 ]; do
        row 'again,x,1,0,same,,none,undecided,yes,1.0,1000000,0.1'
        i=$((i + 1))
    done
    row 'settled,x,1,0,one,5,no_leak,no_leak,yes,0.5,1000'
    row 'settled,x,1,0,one,5,no_leak,undecided,no,10,1000'
    row 'planted,x,1,0,one,1 x 1,,,-,1.0,7,1,1,20,90000,leak,5000,40000,-1,-1,-1,11,11,10,0,1,0'
    row 'cost,x,1,0,one,calls,,,-,1.0,1000000,0.5,100'
} >"$work/raw"
awk -F '	' -f "$bench/figures.awk" -f "$bench/leak/leak_tables.awk" "$work/raw" >"$work/out" || { echo "awk failed" && bad=1; }
while IFS= read -r line; do
    grep -qF "$line" "$work/out" || { echo "missing: $line" && bad=1; }
done <<'END'
Measured by `./dev bench leak`, 2026-01-01T00:00:00Z label x; a machine.
Right: 1 of 2 runs that can be judged.
| two | any | no_leak | - | 2.0 | 2000 |
| one | 2 | 9 | 9 | 11 | 0.5 | 1 of 2 |
In all: 1 of 2; within a fifth of that mean: 2 of 2.
| bounded | 0 | 1 | 0 | 0 |
| grows | 0 | 1 | 0 | 0 |
| walk | grows | grows | n or log n | 2.0 |
A/A runs: 100, 1e+08 calls in all. False alarms: 0; the true rate is below 0.036 with 97.5 % confidence (Clopper-Pearson). Verdicts: undecided 100.
| 5 | 1 of 2 | 0.5 |
| 1 x 1 | 1 | 1 (5000) | 1 (40000) | 0 | 0 | 0 | 0, 1, 0 |
The harness takes 400 ns a call beside the call itself
END
[ $bad = 0 ] || cat "$work/out"
exit $bad
