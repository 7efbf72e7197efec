#!/bin/sh
# SPDX-License-Identifier: MIT
# What the noise account costs, which causes it recognises and how much of the spread it explains, on this machine. Prints Markdown.
#
#   ./dev bench noise [SAMPLES] [SEED]      bench/noise.sh BUILD-FOLDER [SAMPLES] [SEED]; about a minute with the default of 6000 samples
#
# As root it also makes a control group with a CPU quota, and removes it. The machine should have nothing else to do, but need not:
# what others take is told apart by a witness of the bench's own. docs/archive/noise.md holds one run of it.
set -eu
cd "$(dirname "$0")/.."
build=$PWD/$1
samples=${2:-6000}
seed=${3:-1}
tare=$build/cli/tare
work=$build/bench/work_noise
rm -rf "$work" && mkdir -p "$work" && cd "$work"
bench=$build/bench/noise_bench
spin=$build/bench/spin
cp "$spin" neighbour

machine() {
    echo "Machine: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs, kernel $(uname -r)," \
        "$(grep -q ' hypervisor' /proc/cpuinfo && echo 'virtual machine' || echo 'no hypervisor seen'), $(date -u +%Y-%m-%d)." \
        "tare $("$tare" --version | awk 'NR == 1 { print $2 }'), load average $(cut -d' ' -f1 /proc/loadavg) at the start," \
        "$samples samples, seed $seed."
}

# The spinner of a user: begins in the middle of a session and ends before it is over. Its life in ns since 1970 goes to `life`.
neighbour() { # CPU
    sleep 0.5
    from=$(date +%s%N)
    timeout 0.6 taskset -c "$1" ./neighbour 1000000000000 || :
    echo "$from $(date +%s%N)" >life
}

# rows: overlap of each run with the neighbour's life in ms, and whether it is flagged as preempted (bit 8)
rows() {
    start=$(date -u -d "$(sed -n 's/.*"type":"header".*"start":"\([^"]*\)".*/\1/p' run.jsonl)" +%s%N)
    awk -F'[][,:]+' -v start="$start" -v life="$(cat life)" '
        BEGIN { split(life, at, " "); from = (at[1] - start) / 1e6; to = (at[2] - start) / 1e6 }
        /^{"type":"row"/ { for (i = 3; i <= NF && $i != "\"row\""; i++) ; begin = $(i + 3) / 1e6; end = begin + $(i + 5) / 1e6
            low = begin > from ? begin : from; high = end < to ? end : to
            over = high > low ? high - low : 0
            print (over > 15 ? "beside" : over > 0 ? "edge" : "alone"), int($(i + 4) / 256) % 2 }' run.jsonl
}

whole_commands() {
    cpu=$(taskset -cp $$ | sed 's/.*[-, :]//')
    : >all_rows
    named=0 sessions=10 n=1
    while [ $n -le $sessions ]; do
        neighbour "$cpu" &
        "$tare" run -r 60 --pin "$cpu" --save run.jsonl --style none -N "$spin 14000000"
        wait
        rows >>all_rows
        grep '"type":"finding"' run.jsonl | grep -q 'neighbour (pid' && named=$((named + 1))
        n=$((n + 1))
    done
    echo "| runs of a 20 ms program | n | flagged as preempted |"
    echo "|---|---:|---:|"
    awk '{ n[$1]++; flagged[$1] += $2 } END {
        printf "| beside a spinner for more than 15 ms | %d | %d |\n", n["beside"], flagged["beside"]
        printf "| at the edge of its life | %d | %d |\n", n["edge"], flagged["edge"]
        printf "| while it did not live | %d | %d |\n", n["alone"], flagged["alone"] }' all_rows
    echo
    echo "Sessions whose findings name the spinner: $named of $sessions."
}

machine
echo
"$bench" cost
"$bench" recognise "$samples" "$seed"
"$bench" spread $((samples / 2))
whole_commands
