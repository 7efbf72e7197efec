#!/bin/sh
# SPDX-License-Identifier: MIT
# How far the words of tare can be trusted, beside those of other tools: sessions with a planted truth, one line each.
#
#   ./dev bench trust [MINUTES] [OPTION...]      bench/trust.sh BUILD-FOLDER [MINUTES] [OPTION...]
#       --minutes M         how long (60); the block that has begun is finished
#       --scenario NAME     only this one; repeatable. Scripted: quiet drift ar regimes spikes modes mixed slow; real: spin stream chase syscalls malloc
#                           startup; scripted and real name them all. Without it they take turns
#       --budget S          wall time of one session (0.5; for real work 1, for slow 4)
#       --sizes "S..."      the planted slowdowns in per cent ("0 0.5 1 2 5"); "0" makes only sessions of equal commands
#       --label TEXT        what is said of the machine, kept in every line ("loaded", "quiet")
#       --out FOLDER        where the raw lines go (BUILD-FOLDER/bench/trust); a later call appends to what is there
#       --summary           print the tables of what is there and end
#       --page              put them into docs/archive/run.md, below its marker, and end
#
# A block: every tool gets every planted slowdown once, in random order; which of the two commands is the slower one, a coin decides. All
# get the same wall time. tare decides itself; of the others the means and deviations that they print go through Welch's test at 5 %
# (bench/trust/welch.c). multitime prints whole milliseconds, so it takes part only in `slow`. Raw lines: raw.tsv, its columns in its head.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
shift

script=trust
minutes=60 budget='' sizes='0 0.5 1 2 5' label=unnamed out=$build/bench/trust wanted='' summary=no
# shellcheck source=bench/script.sh
. bench/script.sh
read_options scenario budget sizes -- "$@"
case $sizes in '' | *[!0-9.\ ]*) fail "--sizes: per cents, with blanks between them" ;; esac

scripted='quiet drift ar regimes spikes modes mixed slow'
real='spin stream chase syscalls malloc startup'
seed=20261121 # of the scripted worlds
base_us=2000 slow_us=100000
open_folder
tare=$build/cli/tare
scripted_program=$build/bench/scripted
work_program=$build/bench/real_work

answer_summary docs/archive/run.md "$build/bench/trust_summary" "$raw"

# Sessions: each sets word ln low high score n decided

field() { # KEY FILE: a number or word of tare's JSON for scripts
    sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$2" | tail -1
}

session_tare() { # A B BUDGET
    "$tare" run -N --style none -q --max-time "$3" --export-json "$work/tare.json" "$1" "$2" 2>"$work/tare.err"
    sed -n '/"comparisons"/,/"findings"/p' "$work/tare.json" >"$work/comparison"
    word=$(field verdict "$work/comparison") n=$(field rounds "$work/comparison") decided=$(field seconds "$work/comparison")
    # shellcheck disable=SC2046 # four words
    set -- $(awk -v r="$(field ratio "$work/comparison")" -v l="$(field ratio_low "$work/comparison")" -v h="$(field ratio_high "$work/comparison")" 'BEGIN {
        if (r == "null" || l == "null" || h == "null" || h - l <= 0) { print "nan nan nan nan"; exit }
        r = log(r); l = log(l); h = log(h); printf "%.6f %.6f %.6f %.4f\n", r, l, h, (r < 0 ? -r : r) / ((h - l) / 2) }')
    [ $# -eq 4 ] && [ -n "$word" ] || return 1
    ln=$1 low=$2 high=$3 score=$4
}

# runs_of TOOL BUDGET: how many of each command fit, by what the last sessions cost
runs_of() {
    cost=$(cat "$work/cost.$scenario.$1" 2>/dev/null) || cost=$(calculate "$mean_us * 1.3e-6")
    calculate "int($2 / 2 / $cost) < 3 ? 3 : int($2 / 2 / $cost)"
}

learn() { # TOOL SECONDS: the cost of a run, the newest session counting a fifth
    cost=$(cat "$work/cost.$scenario.$1" 2>/dev/null) || cost=$(calculate "$2 / 2 / $n")
    calculate "0.8 * $cost + 0.2 * $2 / 2 / $n" >"$work/cost.$scenario.$1"
}

judge() { # N MEAN SD N MEAN SD [STEP]
    # shellcheck disable=SC2046
    set -- $("$build/bench/welch" "$@")
    [ $# -eq 5 ] || return 1
    word=$1 ln=$2 low=$3 high=$4 score=$5
}

session_hyperfine() {
    n=$(runs_of hyperfine "$3") decided=nan
    hyperfine -N --style none --runs "$n" --export-json "$work/hyperfine.json" "$1" "$2" >/dev/null 2>&1
    # shellcheck disable=SC2046
    judge $(awk -v n="$n" -F '[:,]' '/"mean"/ { m = $2 } /"stddev"/ { printf "%d %s %s ", n, m, $2 }' "$work/hyperfine.json")
}

perf_one() { # COMMAND: "n mean sd" from "MEAN +- ERROR seconds time elapsed", where ERROR is the standard error of the mean
    # shellcheck disable=SC2086 # the command's words
    LC_ALL=C perf stat -r "$n" -e task-clock -o "$work/perf.txt" $1 >/dev/null 2>&1
    awk -v n="$n" '/seconds time elapsed/ { print n, $1, $3 * sqrt(n) }' "$work/perf.txt"
}

session_perf() {
    n=$(runs_of perf "$3") decided=nan
    # shellcheck disable=SC2046
    judge $(perf_one "$1") $(perf_one "$2")
}

session_multitime() {
    n=$(runs_of multitime "$3") decided=nan
    printf '%s\n%s\n' "$1" "$2" >"$work/batch"
    # shellcheck disable=SC2046
    judge $(multitime -s 0 -n "$n" -b "$work/batch" 2>&1 >/dev/null | awk -v n="$n" '/^real/ { print n, $2, $3 * sqrt(n / (n - 1)) }') 0.001
}

# What lies after the wait of the scripted command: the shortest of 200 runs on a world without variation, for others may be computing
rest_us() {
    "$tare" run -N --style none -q -r 200 --export-json "$work/rest.json" "$scripted_program still 1 2000 1" 2>/dev/null
    calculate "t * 1e6 - 2000" -v t="$(sed -n 's/^ *"min": \([0-9.e-]*\),.*/\1/p' "$work/rest.json" | head -1)"
}

# Seconds of CPU of a command, the median of 15 runs: what others compute hardly changes it
cpu_of() {
    "$tare" run -N --style none -q -r 15 --export-json "$work/cpu.json" "$1" 2>/dev/null
    calculate "t / 1e9" -v t="$(sed -n '/"cpu": {/,/}/s/^ *"median": \([0-9.e-]*\),.*/\1/p' "$work/cpu.json" | head -1)"
}

# An amount of real work that takes about 6 ms, and its share of the time: the planted slowdown is of the work alone
calibrate() { # KIND
    [ ! -f "$work/amount.$1" ] || return 0
    none=$(cpu_of "$work_program $1 0")
    amount=1000 took=$none
    while [ "$(calculate "t - z < 0.004" -v t="$took" -v z="$none")" = 1 ]; do
        amount=$((amount * 2))
        took=$(cpu_of "$work_program $1 $amount")
    done
    amount=$(calculate "int(a * 0.006 / (t - z))" -v a="$amount" -v t="$took" -v z="$none")
    took=$(cpu_of "$work_program $1 $amount")
    calculate "(t - z) / t" -v t="$took" -v z="$none" >"$work/share.$1"
    calculate "t * 1e6" -v t="$took" >"$work/us.$1"
    echo "$amount" >"$work/amount.$1"
}

# subject SCENARIO SIZE: the command with that slowdown in per cent
subject() {
    case " $real " in
    *" $1 "*) echo "$work_program $1 $(calculate "int(a * (1 + s / 100) + 0.5)" -v a="$(cat "$work/amount.$1")" -v s="$2")" ;;
    *)
        world=$1 us=$base_us
        [ "$1" != slow ] || { world=mixed && us=$slow_us; }
        echo "$scripted_program $world $seed $us $(calculate "1 + s / 100" -v s="$2") $rest"
        ;;
    esac
}

prepare() { # SCENARIO: sets mean_us, share, seconds of a session and who takes part
    share=1 mean_us=$base_us seconds=${budget:-0.5} tools='tare hyperfine perf'
    case " $real " in *" $1 "*) calibrate "$1" && share=$(cat "$work/share.$1") mean_us=$(cat "$work/us.$1") seconds=${budget:-1} ;; esac
    [ "$1" != slow ] || { seconds=${budget:-4} mean_us=$slow_us && tools="$tools multitime"; }
}

session() { # TOOL SIZE
    reference=$(subject "$scenario" 0) other=$(subject "$scenario" "$2") sign=1
    begin=$(now)
    if [ "$(random 2)" = 1 ]; then
        sign=-1 && "session_$1" "$other" "$reference" "$seconds" || return 1
    else
        "session_$1" "$reference" "$other" "$seconds" || return 1
    fi
    took=$(calculate "b - a" -v a="$begin" -v b="$(now)")
    [ "$1" = tare ] || learn "$1" "$took"
    expected=$(calculate "g * log(1 + h * s / 100)" -v g=$sign -v h="$share" -v s="$2")
    printf '%s\t%s\t%s\t%.0f\t%s\t%s\t%s\t%s\t%.6f\t%s\t%s\t%s\t%s\t%s\t%s\t%.3f\t%s\n' "$label" "$scenario" "$block" "$begin" "$(load1)" \
        "$1" "$2" "$sign" "$expected" "$word" "$ln" "$low" "$high" "$score" "$n" "$took" "$decided" >>"$raw"
}

run_block() { # SCENARIO
    scenario=$1
    prepare "$scenario"
    block=$(date +%s)
    for tool in $tools; do
        for size in $sizes; do
            echo "$(random 1000000000) $tool $size"
        done
    done | sort -n >"$work/order"
    while read -r _ tool size <&3; do
        session "$tool" "$size" || echo "trust: a session of $tool on $scenario failed" >&2
    done 3<"$work/order"
}

# Everything in turn: all scripted worlds, then one kind of real work; `slow` each sixth time
one_cycle() {
    for world in $scripted; do
        [ "$world" != slow ] || [ $((cycle % 6)) = 0 ] || continue
        within && run_block "$world"
    done
    # shellcheck disable=SC2086
    set -- $real
    shift $((cycle % 6))
    within && run_block "$1"
}

# shellcheck disable=SC2086 # scenarios are words
check_wanted scenario $scripted $real scripted real
chosen=$(for name in $wanted; do case $name in scripted) echo "$scripted" ;; real) echo "$real" ;; *) echo "$name" ;; esac; done)
begin_file label scenario block unix_s load1 tool size_percent sign expected_ln word ln low high score n seconds decided_s
begin_minutes
rest=$(rest_us) || fail "the scripted program cannot be measured; is $scripted_program there? './dev bench trust' builds it"
version_line "$(hyperfine --version); $(perf --version); multitime $(dpkg-query -W -f='${Version}' multitime)" "seed of the worlds $seed, base $base_us us, rest $rest us"
cycle=0
while within; do
    if [ -n "$chosen" ]; then
        for name in $chosen; do
            ! within || run_block "$name"
        done
    else
        one_cycle || :
    fi
    cycle=$((cycle + 1))
done
echo "trust: $(grep -vc '^#' "$raw") sessions are in $raw" >&2
