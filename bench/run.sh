#!/bin/sh
# SPDX-License-Identifier: MIT
# What `tare run` costs and how often its words are true, on this machine. Prints Markdown.
#
#   ./dev bench run [SESSIONS]        bench/run.sh BUILD-FOLDER [SESSIONS]; 40 to 60 minutes with the default of 80 sessions a scenario; 5 gives a first look
#
# Nothing here is compared with a fixed number: machines differ. docs/how-it-works/figures-run.md has the figures.
set -eu
cd "$(dirname "$0")/.."
build=$PWD/$1
sessions=${2:-80}
tare=$build/cli/tare
work=$build/bench/work
rm -rf "$work" && mkdir -p "$work" && cd "$work"
noop=$build/libexec/tare/tare-noop
spin=$build/bench/spin
stamp=$build/bench/stamp

# quantiles NAME: one number a line on stdin -> "| NAME | n | p10 | median | p90 |"
quantiles() {
    sort -n | awk -v name="$1" '{ x[NR] = $1 } END {
        if (NR == 0) { print "| " name " | 0 | | | |"; exit }
        printf "| %s | %d | %.1f | %.1f | %.1f |\n", name, NR, x[int(1 + (NR - 1) * .1)], x[int(1 + (NR - 1) * .5)], x[int(1 + (NR - 1) * .9)] }'
}

# rows FILE: start_ns and wall_ns of each row of a record, in the order in which they ran
rows() {
    awk -F'[][,:]' '/^{"type":"row"/ { print $11, $13 }' "$1"
}

machine() {
    echo "Machine: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs, kernel $(uname -r)," \
        "$(grep -q ' hypervisor' /proc/cpuinfo && echo 'virtual machine' || echo 'no hypervisor seen'), $(date -u +%Y-%m-%d)." \
        "tare $("$tare" --version | awk 'NR == 1 { print $2 }'), $(hyperfine --version), $sessions sessions a scenario."
}

between_runs() {
    "$tare" run -r 1000 --save gap.jsonl --style none -N "$noop" "$noop"
    rows gap.jsonl | awk 'NR > 1 { print ($1 - end) / 1000 } { end = $1 + $2 }' | quantiles "end of a run to the start of the next, two commands, saved, µs"
    "$tare" run -r 1000 --save gap1.jsonl --style none -N "$noop"
    rows gap1.jsonl | awk 'NR > 1 { print ($1 - end) / 1000 } { end = $1 + $2 }' | quantiles "the same, one command, µs"
}

first_spawn() {
    rm -f stamps
    i=0
    while [ $i -lt 50 ]; do
        "$stamp" stamps "$tare" run -r 1 --style none -N "$stamp stamps"
        i=$((i + 1))
    done
    awk 'NR % 2 { t = $1; next } { print ($1 - t) / 1000 }' stamps | quantiles "start of tare to the first stamp in its first child, µs"
}

memory() {
    echo "| runs | peak resident memory of tare, kB | seconds | µs a run, first tenth | µs a run, last tenth |"
    echo "|---:|---:|---:|---:|---:|"
    for n in 1000 10000 100000; do
        "$tare" run -r 1 --export-json tare.json --style none -- "$tare" run -r $n --save many.jsonl --style none -N "$noop"
        rss=$(sed -n 's/.*"memory_usage_byte": \[\([0-9]*\).*/\1/p' tare.json | head -1)
        took=$(sed -n 's/.*"times": \[\([0-9.]*\).*/\1/p' tare.json | head -1)
        rows many.jsonl | awk -v n=$n -v kb=$((rss / 1000)) -v s="$took" '{ start[NR] = $1 } END { t = int(n / 10)
            printf "| %d | %d | %.1f | %.1f | %.1f |\n", n, kb, s, (start[t] - start[1]) / (t - 1) / 1000, (start[NR] - start[NR - t + 1]) / (t - 1) / 1000 }'
    done
}

# A number of iterations that takes about 5 ms
calibrate() {
    "$tare" run -r 15 --export-json cal.json --style none -N "$spin 4000000"
    sed -n 's/.*"median": \([0-9.e-]*\).*/\1/p' cal.json | head -1 | awk '{ printf "%d\n", 4000000 * .005 / $1 }'
}

# session A B OPTION... -> "verdict seconds rounds" of B against A
session() {
    a=$1 b=$2
    shift 2
    "$tare" run --export-json s.json --style none -N "$@" "$a" "$b"
    sed -n 's/.*"verdict": "\([a-z_]*\)".*/\1/p; s/.*"seconds": \([0-9.e-]*\).*/\1/p; s/.*"rounds": \([0-9]*\).*/\1/p' s.json | tr '\n' ' '
    echo
}

# scenario NAME OPTION...: null and planted sessions, alternated; the planted one is always the second command: only its place on the command line,
# as every round draws its order anew
scenario() {
    title=$1
    shift
    : >null.txt && : >slow.txt
    i=0
    while [ $i -lt "$sessions" ]; do
        session "$spin $n" "$spin $n" "$@" >>null.txt
        session "$spin $n" "$spin $more" "$@" >>slow.txt
        i=$((i + 1))
    done
    for part in null slow; do
        awk -v name="$title" -v part=$part '
            { for (i = 1; i <= NF; i++) if ($i ~ /^[a-z]/) word = $i; else if ($i ~ /\./) s = $i; else r = $i
              count[word]++; second[NR] = s; if (s <= 1) quick[word]++ }
            END { n = asort_(second, NR); printf "| %s | %s | %d | %d | %d | %d | %d | %d | %d | %.2f | %.2f |\n", name, part == "null" ? "A/A" : "+1 %", NR,
                count["faster"], count["slower"], count["same"], count["undecided"], quick["same"], quick["slower"], second[int(1 + (NR - 1) * .5)], second[int(1 + (NR - 1) * .9)] }
            function asort_(a, n,  i, j, t) { for (i = 2; i <= n; i++) { t = a[i]; for (j = i - 1; j > 0 && a[j] > t; j--) a[j + 1] = a[j]; a[j + 1] = t } return n }' $part.txt
    done
}

# A neighbour that works and rests in turns of a few seconds
background() {
    while :; do
        timeout 3 sh -c 'while :; do :; done' || :
        sleep 2
    done
}

# The empty program: tare's spawner and hand-written loops in interleaved rounds, then hyperfine in a block of its own.
spawn_floor() {
    "$build/bench/spawn_floor" "$noop" 2000
    hyperfine -N --warmup 20 --runs 2000 --export-json hyperfine.json "$noop" >/dev/null 2>&1
    sed -n 's/.*"median": \([0-9.e-]*\).*/\1/p' hyperfine.json | head -1 | awk '{ printf "| hyperfine -N, not interleaved | 2000 | %.1f | |\n", $1 * 1e6 }'
}

machine
echo
spawn_floor
echo
echo "| what | n | p10 | median | p90 |"
echo "|---|---:|---:|---:|---:|"
between_runs
first_spawn
echo
memory
echo
n=$(calibrate)
more=$(awk -v n="$n" 'BEGIN { printf "%d", n * 1.01 }')
echo "Words: \`spin $n\` (about 5 ms) against itself and against \`spin $more\`, one session each in turn, all options at their defaults where nothing else is said."
echo
echo "| machine | truth | sessions | faster | slower | same | undecided | same within 1 s | slower within 1 s | s, median | s, p90 |"
echo "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
scenario "as it is"
scenario "as it is, --pin 1" --pin 1
background &
load=$!
trap 'kill $load 2>/dev/null' EXIT
scenario "one CPU busy 3 s of 5"
