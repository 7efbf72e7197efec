#!/bin/sh
# SPDX-License-Identifier: MIT
# How often 0.3 % of a core-bound command of some 5 ms is found in sessions of 5 s, with and without --same-cpu, beside sessions in which nothing differs.
# Prints Markdown; docs/trust.md holds one run of it.
#
#   ./dev bench small [SESSIONS]      bench/small.sh BUILD-FOLDER [SESSIONS]; 20 s for each of them, 10 by default
set -eu
cd "$(dirname "$0")/.."
build=$PWD/$1
sessions=${2:-10}
steps=3800000
work=$build/bench/work-small
rm -rf "$work" && mkdir -p "$work" && cd "$work"

# session NAME STEPS [OPTION]: a line of its name, verdict, rounds and half-width in per cent
session() {
    "$build/cli/tare" run -q ${3:+"$3"} --margin 0.3% --max-time 5 --export-json session.json \
        "$build/bench/spin $steps" "$build/bench/spin $2" >log 2>&1
    sed -n '/"comparisons"/,$p' session.json | awk -v name="$1" -F '[:, ]+' '
        $2 == "\"ratio_low\"" { low = $3 }
        $2 == "\"ratio_high\"" { high = $3 }
        $2 == "\"verdict\"" { verdict = $3 }
        $2 == "\"rounds\"" { rounds = $3 }
        END { gsub(/"/, "", verdict); print name, verdict, rounds, 50 * (high - low) }' >>verdicts
}

i=0
while [ "$i" -lt "$sessions" ]; do
    session any-cpu,0.3_% $((steps + steps * 3 / 1000))
    session any-cpu,equal $steps
    session --same-cpu,0.3_% $((steps + steps * 3 / 1000)) --same-cpu
    session --same-cpu,equal $steps --same-cpu
    i=$((i + 1))
done
echo "| commands run on | second one takes | slower | faster | same | undecided | rounds | half-width, sessions of 5 s |"
echo "|---|---|---:|---:|---:|---:|---:|---:|"
sort verdicts | awk '
    { n[$1, $2]++; rounds[$1] += $3; all[$1]++ }
    $2 == "undecided" { half[$1] += $4 }
    END { for (name in all) {
        split(name, part, ",")
        sub(/_/, " ", part[2])
        open = n[name, "undecided"]
        printf "| %s | %s | %d | %d | %d | %d | %.0f | %s |\n", part[1], part[2], n[name, "slower"], n[name, "faster"], n[name, "same"], open,
            rounds[name] / all[name], open ? sprintf("±%.2f %%", half[name] / open) : ""
    } }' | sort
