#!/bin/sh
# SPDX-License-Identifier: MIT
# tables_of_leak_test.sh LEAK_TABLES.AWK: the tables of bench/leak.sh say what is in its raw lines.
set -u
tables=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
{
    printf '# part label\n# 2026-01-01T00:00:00Z label x; a machine\n'
    printf 'suite\tx\t1\t0\tone\t\tleak\tleak\tyes\t1.0\t1000\t9\n'
    printf 'suite\tx\t1\t0\tone\t\tleak\tundecided\tno\t3.0\t3000\t9\n'
    printf 'suite\tx\t1\t0\ttwo\t\tany\tno_leak\t-\t2.0\t2000\t0\n'
    printf 'growth\tx\t1\t0\tsize\t1\tbounded\tgrows\tno\t1.0\tn\tnull\tno\t1\n'
    printf 'growth\tx\t1\t0\twalk\tn\tgrows\tgrows\tyes\t2.0\tn\tlog n\tyes\t1\n'
    i=0
    while [ $i -lt 100 ]; do
        printf 'again\tx\t1\t0\tsame\t\tnone\tundecided\tyes\t1.0\t1000000\t0.1\n'
        i=$((i + 1))
    done
    printf 'settled\tx\t1\t0\tone\t5\tno_leak\tno_leak\tyes\t0.5\t1000\n'
    printf 'settled\tx\t1\t0\tone\t5\tno_leak\tundecided\tno\t10\t1000\n'
    printf 'planted\tx\t1\t0\tone\t1 x 1\t\t\t-\t1.0\t7\t1\t1\t20\t90000\tleak\t5000\t40000\t-1\t-1\t-1\t11\t11\t10\t0\t1\t0\n'
    printf 'cost\tx\t1\t0\tone\tcalls\t\t\t-\t1.0\t1000000\t0.5\t100\n'
} >"$work/raw"
awk -F '	' -f "$tables" "$work/raw" >"$work/out" || { echo "awk failed" && bad=1; }
while IFS= read -r line; do
    grep -qF "$line" "$work/out" || { echo "missing: $line" && bad=1; }
done <<'END'
Measured by `./dev bench leak`, 2026-01-01T00:00:00Z label x; a machine.
Right: 1 of 2 runs that can be judged.
| two | any | no_leak | - | 2.0 | 2000 |
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
