#!/bin/sh
# SPDX-License-Identifier: MIT
# What `tare bench` promises of functions, held against truths that are known and against google/benchmark where it can do the same.
#
#   ./dev bench functions [MINUTES] [OPTION...]      bench/functions.sh BUILD-FOLDER [MINUTES] [OPTION...]
#       --minutes M         how long (60); the block that has begun is finished
#       --part NAME         only this one; repeatable. Without it they take turns, those that need most sessions most often
#         chains            chains of 1, 3, 6, 15 and 60 cycles, dependent loads and divisions against what they take: figure and interval
#         aa                a program against itself: words of difference are false
#         spread            the same figure again and again, at 0.5 to 10 s: how far it scatters, and what CPU time it takes to come within 1 %
#         planted           programs that differ by 0.5, 1, 2 and 5 %: is it found?
#         each              sorting fresh input: what making the input adds
#         load              figures while others compute or fill the caches
#         worlds            invented times: warm-up, drift, a late slow-down, spikes, rare slow processes
#         traps             what optimisers do to benchmarks (tests/probe/traps.c): wrong figures without a word
#         guard             one process each of code that does its work, on the counter as it is and made coarse (26 ticks), alone and beside two
#                           that compute: OPTIMISED-AWAY is false
#         memory            pages that a benchmark touches against the memory it is said to have taken
#         weight            of a sample, of the library in a program, of the header in a compilation
#       --budget S          wall time of a session of one benchmark in aa (3)
#       --label TEXT        what is said of the machine, kept in every line ("loaded", "quiet")
#       --out FOLDER        where the raw lines go (BUILD-FOLDER/bench/functions-raw); a later call appends to what is there
#       --summary           print the tables of what is there and end
#       --page              put them into docs/archive/bench.md, below its marker, and end
#
# google/benchmark gets the same wall time and the same source (bench/functions/kernels.c through other_bench.hpp), at its defaults but for that time.
# It gives no verdicts; its repetitions go through the test of Mann and Whitney at 5 %, as in its compare.py. Raw lines: raw.tsv, its columns
# in its head.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
shift

script=functions parts='chains aa spread planted each load worlds traps guard memory weight'
minutes=60 budget=3 label=unnamed out=$build/bench/functions-raw wanted='' summary=no
# shellcheck source=bench/script.sh
. bench/script.sh
read_options part budget -- "$@"
# shellcheck disable=SC2086 # parts are words
check_wanted part $parts
open_folder
tare=$build/cli/tare
programs=$build/bench
real='chain_15 copy_4k sort_1000 map_find chase'

answer_summary docs/archive/bench.md "$programs/functions_summary" "$raw"

# The Nth word of those that follow, N counted round
nth() {
    shift $(($1 % ($# - 1) + 1))
    echo "$1"
}

children_cpu() { # seconds of CPU of all processes that ended so far
    times >"$work/times"
    awk 'NR == 2 { split($1 "m" $2, t, "m"); printf "%.2f", t[1] * 60 + t[2] + t[3] * 60 + t[4] }' "$work/times"
}

# clocked COMMAND...: sets seconds and cpu
clocked() {
    begin=$(now)
    children_cpu >"$work/before"
    failed=no
    "$@" || failed=yes
    children_cpu >"$work/after"
    seconds=$(calculate "b - a" -v a="$begin" -v b="$(now)")
    cpu=$(calculate "b - a" -v a="$(cat "$work/before")" -v b="$(cat "$work/after")")
    [ $failed = no ]
}

# line TOOL KERNEL SIZE TRUTH WORD VALUE LOW HIGH N
line() {
    printf '%s\t%s\t%s\t%.0f\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$label" "$part" "$block" "$(now)" "$(load1)" \
        "$1" "$2" "$3" "$4" "$5" "$6" "$7" "$8" "$9" "${seconds:-nan}" "${cpu:-nan}" >>"$raw"
}

tare_bench() { # OPTION-OR-PROGRAM...: $work/tare.json
    "$tare" bench --style none -q --export-json "$work/tare.json" "$@" >"$work/tare.out" 2>&1
}

# A line each: name state ns low high cycles low high processes unsteady modes peak_bytes; what is not there is nan
benchmarks() {
    awk -F '"' 'function value(  v) { v = $0; sub(/^[^:]*: */, "", v); gsub(/[",]/, "", v); return v == "null" || v == "" ? "nan" : v }
        /^  "benchmarks"/ { on = 1 }
        !on { next }
        /^  \]/ { exit }
        /^    \{/ { ns = nsl = nsh = cy = cyl = cyh = "nan"; n = bad = modes = 0; peak = "nan"; name = ""; in_what = "" }
        /^      "ns": \{/ { in_what = "ns" }
        /^      "cycles": \{/ { in_what = "cycles" }
        /^      "steady": \{/ { in_what = "steady" }
        /^      "modes": \[/ { in_what = "modes" }
        /^      [\]}]/ { in_what = "" }
        in_what == "ns" && $2 == "median" { ns = value() }
        in_what == "ns" && $2 == "low" { nsl = value() }
        in_what == "ns" && $2 == "high" { nsh = value() }
        in_what == "cycles" && $2 == "median" { cy = value() }
        in_what == "cycles" && $2 == "low" { cyl = value() }
        in_what == "cycles" && $2 == "high" { cyh = value() }
        in_what == "steady" && ($2 == "slow_down" || $2 == "none") { bad += value() }
        in_what == "modes" && $2 == "ns" { modes++ }
        /^      "name": / && name == "" { name = value() }
        /^      "state": / { state = value(); gsub(/ /, "-", state) }
        /^      "processes": / { n = value() }
        /^      "peak_bytes": / { peak = value() }
        /^    \}/ { print name, state, ns, nsl, nsh, cy, cyl, cyh, n, bad, modes, peak }' "$work/tare.json"
}

# pick NAME: sets state ns ns_low ns_high cycles cycles_low cycles_high n unsteady modes peak
pick() {
    # shellcheck disable=SC2046
    set -- $(benchmarks | awk -v name="$1" '$1 == name { print; exit }')
    [ $# -eq 12 ] || return 1
    state=$2 ns=$3 ns_low=$4 ns_high=$5 cycles=$6 cycles_low=$7 cycles_high=$8 n=$9
    shift 9
    unsteady=$1 modes=$2 peak=$3
}

comparison_field() { # KEY
    sed -n '/"comparisons"/,/"benchmarks"/p' "$work/tare.json" | sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" | tail -1 | sed 's/^null$/nan/'
}

google() { # PROGRAM FILTER OPTION...: $work/google.json
    program=$1 filter=$2
    shift 2
    "$program" "--benchmark_filter=^$filter\$" --benchmark_format=json "$@" >"$work/google.json" 2>"$work/google.err"
}

# The CPU time of each repetition in nanoseconds, which is what it steers by; a line each
google_times() {
    awk -F '[:,]' '/"run_type": "aggregate"/ { skip = 1 } /"run_type": "iteration"/ { skip = 0 }
        /"cpu_time"/ { t = $2 } /"time_unit"/ && !skip { u = $2; gsub(/[" ]/, "", u); printf "%.9g\n", t * (u == "us" ? 1e3 : u == "ms" ? 1e6 : u == "s" ? 1e9 : 1) }' "$work/google.json"
}

has_google() {
    [ -x "$programs/kernels_google" ]
}

truth() { # sets ns_per_cycle; fails where chains of known length are not known
    for _ in 1 2 3 4 5; do # a neighbour on the core may disturb a while
        # shellcheck disable=SC2046
        set -- $("$programs/functions_truth")
        ns_per_cycle=$1
        [ "$(calculate "r > 2.9 && r < 3.1" -v r="$2")" = 0 ] || return 0
    done
    echo "functions: a multiply takes $2 adds of registers here, not 3: what chains take is not known" >&2
    return 1
}

around_truth() { # COMMAND...: runs it; ns_per_cycle from before and after it
    truth || return 1
    before_ns=$ns_per_cycle
    clocked "$@" || return 1
    truth || return 1
    ns_per_cycle=$(calculate "(a + b) / 2" -v a="$before_ns" -v b="$ns_per_cycle")
}

# The parts: a block each

part_chains() {
    around_truth tare_bench -f chain_ "$programs/kernels" || return 1
    for length in 1 3 6 15 60; do
        pick chain_$length || return 1
        line tare_cycles chain_$length $length $length "$state" "$cycles" "$cycles_low" "$cycles_high" "$n"
        line tare_ns chain_$length $length "$(calculate "$length * $ns_per_cycle")" "$state" "$ns" "$ns_low" "$ns_high" "$n"
    done
    for name in load divide; do
        pick chain_$name || return 1
        line tare_cycles chain_$name $name "$(calculate "int(c + .5)" -v c="$cycles")" "$state" "$cycles" "$cycles_low" "$cycles_high" "$n"
    done
    has_google || return 0
    for length in 1 3 6 15 60; do
        around_truth google "$programs/kernels_google" chain_$length || return 1
        line google chain_$length $length "$(calculate "$length * $ns_per_cycle")" none "$(google_times | head -1)" nan nan 1
    done
}

judge_google() { # the two files of times
    # shellcheck disable=SC2046
    set -- $("$programs/times_compare" "$1" "$2")
    [ $# -eq 2 ] || return 1
    word=$1 ratio=$2
}

# compare_google PROGRAM PROGRAM KERNEL SECONDS: ten repetitions of the first, then ten of the second
compare_google() {
    each=$(calculate "$4 / 20")
    google "$1" "$3" --benchmark_repetitions=10 --benchmark_min_time="$each" && google_times >"$work/one" &&
        google "$2" "$3" --benchmark_repetitions=10 --benchmark_min_time="$each" && google_times >"$work/two"
}

part_aa() {
    for kernel in $real; do
        clocked tare_bench --max-time "$budget" -f "$kernel" "$programs/kernels_a" "$programs/kernels_b" || return 1
        line tare "$kernel" "$budget" 1 "$(comparison_field verdict)" "$(comparison_field ratio)" "$(comparison_field ratio_low)" "$(comparison_field ratio_high)" "$(comparison_field rounds)"
        # What this test of it comes to is long known; every fourth block is enough.
        { has_google && [ $((turn % 4)) = 0 ]; } || continue
        clocked compare_google "$programs/kernels_google" "$programs/kernels_google" "$kernel" "$budget" || return 1
        judge_google "$work/one" "$work/two"
        line google "$kernel" "$budget" 1 "$word" "$ratio" nan nan 10
    done
}

part_spread() {
    seconds_given=$(nth "$turn" 0.5 2 1 4 0.5 2 10)
    for kernel in $real; do
        clocked tare_bench --max-time "$seconds_given" -f "$kernel" "$programs/kernels" || return 1
        pick "$kernel" || return 1
        line tare_cycles "$kernel" "$seconds_given" nan "$state" "$cycles" "$cycles_low" "$cycles_high" "$n"
        line tare_ns "$kernel" "$seconds_given" nan "$state" "$ns" "$ns_low" "$ns_high" "$n"
        has_google || continue
        # It runs longer than its min_time, by about as much again for finding the number of iterations
        clocked google "$programs/kernels_google" "$kernel" --benchmark_min_time="$(calculate "$seconds_given * 0.6")" || return 1
        line google "$kernel" "$seconds_given" nan none "$(google_times | head -1)" nan nan 1
    done
}

part_planted() {
    links=$(nth "$turn" 202 201 204 210)
    size=$(calculate "($links / 200 - 1) * 100")
    for kernel in links hash; do
        for metric in ns cycles; do
            one=$programs/kernels two=$programs/kernels_$links expected=$(calculate "$links / 200")
            [ "$(random 2)" = 0 ] || { one=$two two=$programs/kernels expected=$(calculate "200 / $links"); }
            clocked tare_bench --max-time 60 --margin "$(calculate "$size / 2")%" --metric $metric -f $kernel "$one" "$two" || return 1
            line "tare_$metric" $kernel "$size" "$expected" "$(comparison_field verdict)" "$(comparison_field ratio)" "$(comparison_field ratio_low)" "$(comparison_field ratio_high)" "$(comparison_field rounds)"
        done
        has_google || continue
        clocked compare_google "$programs/kernels_google" "$programs/kernels_google_$links" $kernel "$seconds" || return 1
        judge_google "$work/one" "$work/two"
        line google $kernel "$size" "$(calculate "$links / 200")" "$word" "$ratio" nan nan 10
    done
}

part_each() {
    clocked tare_bench -f sort_ -f both_ -f copy_ "$programs/kernels" || return 1
    for size in 8 32 100 1000; do
        pick both_$size && both=$ns && pick copy_$size || return 1
        expected=$(calculate "$both - $ns")
        pick sort_$size || return 1
        line tare sort "$size" "$expected" "$state" "$ns" "$ns_low" "$ns_high" "$n"
    done
    has_google || return 0
    for size in 8 32 100 1000; do
        google "$programs/kernels_google" both_$size && both=$(google_times | head -1)
        google "$programs/kernels_google" copy_$size && expected=$(calculate "$both - $(google_times | head -1)")
        clocked google "$programs/kernels_google" sort_$size || return 1
        line google sort "$size" "$expected" none "$(google_times | head -1)" nan nan 1
    done
}

# Severities of findings, in one word
found() {
    sed -n '/"findings"/,/\]/s/^ *"severity": "\([a-z]*\)".*/\1/p' "$work/tare.json" | sort | uniq -c | awk '{ printf "%s%d-%s", gap, $1, $2; gap = "+" } END { if (!NR) printf "none" }'
}

part_load() {
    last=$(($(getconf _NPROCESSORS_ONLN) - 1))
    [ "$last" -ge 1 ] || return 0
    for kernel in chain_15 copy_4k map_find; do
        tare_bench --max-time 5 --pin 0 -f $kernel "$programs/kernels" && pick $kernel || return 1
        quiet=$cycles quiet_ns=$ns quiet_google=nan
        { has_google && google "$programs/kernels_google" $kernel && quiet_google=$(google_times | head -1); } || :
        kind=$(nth "$turn" hog bursts thrash)
        where=$last
        [ "$kind" != bursts ] || where=0
        "$programs/functions_load" "$kind" "$where" &
        load=$!
        result=0
        clocked tare_bench --max-time 5 --pin 0 -f $kernel "$programs/kernels" && pick $kernel || result=1
        if [ $result = 0 ]; then
            line tare_cycles $kernel "$kind" "$quiet" "$(found)" "$cycles" "$cycles_low" "$cycles_high" "$n"
            line tare_ns $kernel "$kind" "$quiet_ns" "$(found)" "$ns" "$ns_low" "$ns_high" "$n"
            ! has_google || { clocked google "$programs/kernels_google" $kernel && line google $kernel "$kind" "$quiet_google" none "$(google_times | head -1)" nan nan 1; } || result=1
        fi
        kill $load
        wait $load 2>"$work/load.err" || :
        [ $result = 0 ] || return 1
    done
}

part_worlds() {
    clocked tare_bench --sample-time 1us --samples 100 -f decay -f rising -f late -f spikes "$programs/worlds" || return 1
    for world in decay_5 decay_20 decay_100 rising late spikes; do
        pick $world || return 1
        word=steady
        [ "$(calculate "b > n / 2" -v b="$unsteady" -v n="$n")" = 0 ] || word=flagged
        line tare $world 100 1000 $word "$ns" "$ns_low" "$ns_high" "$n"
    done
    clocked tare_bench --runs 33 --sample-time 1us --samples 20 -f mode "$programs/worlds" || return 1
    pick mode || return 1
    word=single
    [ "$modes" -lt 2 ] || word=modes
    line tare mode 33 1000 $word "$ns" "$ns_low" "$ns_high" "$n"
    clocked tare_bench --method georges --runs 30 --max-inner 30 -f decay -f rising -f late -f spikes "$programs/worlds" || return 1
    for world in decay_5 decay_20 decay_100 rising late spikes; do
        pick $world || return 1
        word=steady
        [ "$(calculate "b > n / 2" -v b="$unsteady" -v n="$n")" = 0 ] || word=flagged
        line georges $world 30 1000 $word "$ns" "$ns_low" "$ns_high" "$n"
    done
}

part_memory() {
    clocked tare_bench --profile memory "$programs/peaks" || return 1
    for kind in heap mapped twice; do
        pick "$kind/pages:128" || return 1
        least=$peak
        for pages in 256 4096 65536; do
            pick "$kind/pages:$pages" || return 1
            line tare $kind $pages $((pages - 128)) "$state" "$(calculate "($peak - $least) / 4096")" nan nan "$n"
        done
    done
}

trap_lines_tare() { # COMPILER FLAGS: program there
    "$programs/trap_check" "$work/traps" >"$work/traps.txt" || [ -s "$work/traps.txt" ] || return 1
    awk '$1 == "ok" || $1 == "BAD" { word = $1 == "BAD" ? "silent" : $3 == "ok" && $6 != "" ? "remark" : $3; print $2, word, $4 }' "$work/traps.txt" >"$work/traps.lines"
    while read -r name word value; do
        line tare "$name" "$1$2" 15 "$word" "$value" nan nan 1
    done <"$work/traps.lines"
}

trap_lines_google() {
    truth || return 1
    google "$work/traps_google" '.*' --benchmark_min_time=0.02 || return 1
    awk -F '[:,]' -v cycle="$ns_per_cycle" '/"name"/ { name = $2; gsub(/[" ]/, "", name) }
        /"cpu_time"/ { t = $2 } /"time_unit"/ { u = $2; gsub(/[" ]/, "", u); c = t * (u == "us" ? 1e3 : u == "ms" ? 1e6 : 1) / cycle; print name, c < 15 ? "silent" : "ok", c }' "$work/google.json" >"$work/traps.lines"
    while read -r name word value; do
        line google "$name" "$1$2" 15 "$word" "$value" nan nan 1
    done <"$work/traps.lines"
}

part_traps() {
    library=$build/src/libtare.a seconds=nan cpu=nan
    for compiler in gcc clang; do
        command -v $compiler >"$work/which" || continue
        case $compiler in gcc) cxx=g++ ;; *) cxx=clang++ ;; esac
        for flags in -O2 -O3 -O3-flto; do
            # shellcheck disable=SC2046
            $compiler -std=c17 $(echo "$flags" | sed 's/-flto/ -flto/') -Iinclude tests/probe/traps.c tests/probe/traps_other.c "$library" -lm -o "$work/traps" || return 1
            trap_lines_tare $compiler $flags || return 1
            has_google || continue
            # shellcheck disable=SC2046
            $cxx -std=c++17 -w -fpermissive $(echo "$flags" | sed 's/-flto/ -flto/') -DOTHER_BENCH -Ibench/functions -x c++ tests/probe/traps.c tests/probe/traps_other.c -x none -lbenchmark -lpthread \
                -o "$work/traps_google" || return 1
            trap_lines_google $compiler $flags || return 1
        done
    done
}

guard_sessions() { # PROGRAM LOAD: ten
    [ -x "$programs/$1" ] || return 0
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        "$programs/$1" >"$work/guard.txt" 2>"$work/guard.err" || :
        awk 'NR > 1 && NF == 0 { exit } NR > 1 { print $1, /OPTIMISED-AWAY/ ? "optimised-away" : /^[^ ]+ +[0-9]/ ? "figure" : "none", \
            match($0, / to [0-9.]+ +[0-9.]+/) ? $5 : "nan" }' "$work/guard.txt" >"$work/guard.lines"
        [ -s "$work/guard.lines" ] || return 1
        while read -r name word value; do
            line "$1" "$name" "$2" nan "$word" "$value" nan nan 1
        done <"$work/guard.lines"
    done
}

part_guard() {
    seconds=nan cpu=nan result=0
    guard_sessions guarded alone && guard_sessions guarded_coarse alone || return 1
    "$programs/functions_load" spin 0 &
    one=$!
    "$programs/functions_load" spin $(($(getconf _NPROCESSORS_ONLN) - 1)) &
    other=$!
    guard_sessions guarded beside_two && guard_sessions guarded_coarse beside_two || result=1
    kill $one $other
    wait $one $other 2>"$work/load.err" || :
    return $result
}

part_weight() {
    # shellcheck disable=SC2046
    set -- $("$programs/sample_weight" "$programs/kernels" chain_15)
    line tare "a_sample_beyond_what_is_measured_and_the_chain,_ns" - nan ok "$1" nan "$2" "$3"
    line tare "of_it_the_bracket_of_the_chain,_ns" - nan ok "$5" nan nan "$3"
    line tare "the_chain,_ns" - nan ok "$4" nan nan "$3"
    sh bench/footprint.sh "$build" >"$work/footprint.txt" || return 1
    while IFS=: read -r what value; do
        line tare "$(echo "$what" | tr ' ' '_')" - nan ok "$(echo "$value" | tr -d ' ')" nan nan 1
    done <"$work/footprint.txt"
}

run_block() { # PART
    part=$1 block=$(date +%s)
    turn=$(cat "$work/turn.$part" 2>/dev/null) || turn=0
    run_part "$part" "$work/tare.out" "$work/google.err"
    echo $((turn + 1)) >"$work/turn.$part"
}

[ -x "$programs/kernels" ] || fail "$programs/kernels is not there: './dev bench functions' builds it"
ln -sf kernels "$programs/kernels_a" # one file under two names
ln -sf kernels "$programs/kernels_b"
begin_file label part block unix_s load1 tool kernel size truth word value low high n seconds cpu_s
version_line "google/benchmark $(dpkg-query -W -f='${Version}' libbenchmark-dev 2>/dev/null || echo 'is not there'); $(gcc --version | head -1)"
has_google || echo "functions: google/benchmark is not there, tare alone is measured ('./dev deps bench' installs it)" >&2
begin_minutes
cycle=0
while within; do
    if [ -n "$wanted" ]; then
        chosen=$wanted
    else
        chosen='aa chains aa spread aa planted aa'
        [ $((cycle % 3)) != 0 ] || chosen="$chosen each load worlds"
        [ $((cycle % 12)) != 0 ] || chosen="traps guard memory weight $chosen"
    fi
    for name in $chosen; do
        ! within || run_block "$name"
    done
    cycle=$((cycle + 1))
done
echo "functions: $(grep -vc '^#' "$raw") lines are in $raw" >&2
