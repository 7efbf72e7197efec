#!/bin/sh
# SPDX-License-Identifier: MIT
# How often 0.3 % of a core-bound command of some 5 ms is found in sessions of 5 s, with and without --same-cpu, beside sessions in which nothing differs;
# before that, what the scatter of pairs is made of. Prints Markdown; docs/how-it-works/figures-run.md holds one run of it.
#
#   ./dev bench small [SESSIONS]      bench/small.sh BUILD-FOLDER [SESSIONS]; 30 s for each of them, 10 by default; 0: the scatter alone, 45 s
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

# scatter NAME COMMAND [OPTION]: of 300 pairs of a command with itself. The frequency after a run is that before the next one, where that is on the
# same CPU; R^2 is of a line through the logarithms.
scatter() {
    "$build/cli/tare" run -q -N -r 300 ${3:+"$3"} --save pairs.jsonl "$2" "$2" >log 2>&1
    awk -F '[][,:]' '/^{"type":"row"/ { print $11, $8, $4, $12, $13, $14, $27, $28, $29 }' pairs.jsonl | sort -n | awk -v name="$1" '
        function quantile(v, n, q,  i, j, t, a) {
            for (i = 1; i <= n; i++) { t = v[i]; for (j = i - 1; j > 0 && a[j] > t; j--) a[j + 1] = a[j]; a[j + 1] = t }
            return a[int(1 + q * (n - 1))]
        }
        function spread(v, n) {
            return (quantile(v, n, .75) - quantile(v, n, .25)) / 1.349
        }
        function sd(v, n,  i, m, s) {
            for (i = 1; i <= n; i++) m += v[i] / n
            for (i = 1; i <= n; i++) s += (v[i] - m) ^ 2 / (n - 1)
            return sqrt(s)
        }
        function r2(x, y, n,  i, mx, my, xx, yy, xy) {
            for (i = 1; i <= n; i++) { mx += x[i] / n; my += y[i] / n }
            for (i = 1; i <= n; i++) { xx += (x[i] - mx) ^ 2; yy += (y[i] - my) ^ 2; xy += (x[i] - mx) * (y[i] - my) }
            return xx * yy > 0 ? sprintf("%.3f", xy ^ 2 / xx / yy) : ""
        }
        { round[NR] = $2; subject[NR] = $3; flags[NR] = $4; wall[NR] = log($5); cpu[NR] = log($6); on[NR] = $7; last[NR] = $8; hz[NR] = $9 > 0 ? log($9) : 0 }
        END {
            for (i = 1; i < NR; i++) if (round[i] == round[i + 1]) {
                sign = subject[i] < subject[i + 1] ? 1 : -1
                d[++n] = sign * (wall[i + 1] - wall[i]); c[n] = sign * (cpu[i + 1] - cpu[i])
                if (hz[i] && hz[i + 1]) { f[++h] = sign * (hz[i + 1] - hz[i]); w[h] = d[n] }
                if (flags[i] < 256 && flags[i + 1] < 256) calm[++k] = d[n]
            }
            for (i = 1; i < NR; i++) if (hz[i] && hz[i + 1] && last[i] == on[i + 1] && on[i] == last[i]) {
                around[++m] = (hz[i] + hz[i + 1]) / 2; run[m] = cpu[i]
            }
            printf "| %s | %.0f | %d | %.2f %% | %.2f %% | %.2f %% | %.2f %% | %d | %s | %s | %s |\n", name, exp(quantile(wall, NR, .5)) / 1000, n, 100 * sd(d, n), 100 * spread(d, n),
                100 * sd(c, n), 100 * spread(c, n), k, (k > 1 ? sprintf("%.2f %%", 100 * sd(calm, k)) : ""), r2(f, w, h), r2(around, run, m)
        }'
}

echo "| command and where | µs | pairs | wall: sd | by quartiles | CPU time: sd | by quartiles | undisturbed pairs | wall: sd | R², wall and frequency before | R², CPU time and frequency around |"
echo "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
scatter "5 ms, any CPU" "$build/bench/spin $steps"
scatter "5 ms, --same-cpu" "$build/bench/spin $steps" --same-cpu
scatter "5 ms, --pin 1" "$build/bench/spin $steps" --pin=1
scatter "5 ms, --pin 1, addresses fixed (setarch -R)" "setarch -R $build/bench/spin $steps" --pin=1
scatter "50 ms, --pin 1" "$build/bench/spin ${steps}0" --pin=1
scatter "its start and end alone (spin 0), --pin 1" "$build/bench/spin 0" --pin=1
echo
[ "$sessions" -gt 0 ] || exit 0

i=0
while [ "$i" -lt "$sessions" ]; do
    session any-cpu,0.3_% $((steps + steps * 3 / 1000))
    session any-cpu,equal $steps
    session --same-cpu,0.3_% $((steps + steps * 3 / 1000)) --same-cpu
    session --same-cpu,equal $steps --same-cpu
    session any-cpu_by_CPU_time,0.3_% $((steps + steps * 3 / 1000)) --metric=cpu
    session any-cpu_by_CPU_time,equal $steps --metric=cpu
    i=$((i + 1))
done
echo "| commands run on | second one takes | slower | faster | same | undecided | rounds | half-width, sessions of 5 s |"
echo "|---|---|---:|---:|---:|---:|---:|---:|"
sort verdicts | awk '
    { n[$1, $2]++; rounds[$1] += $3; all[$1]++ }
    $2 == "undecided" { half[$1] += $4 }
    END { for (name in all) {
        split(name, part, ",")
        gsub(/_/, " ", part[1])
        sub(/_/, " ", part[2])
        open = n[name, "undecided"]
        printf "| %s | %s | %d | %d | %d | %d | %.0f | %s |\n", part[1], part[2], n[name, "slower"], n[name, "faster"], n[name, "same"], open,
            rounds[name] / all[name], open ? sprintf("±%.2f %%", half[name] / open) : ""
    } }' | sort
