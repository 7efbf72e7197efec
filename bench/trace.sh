#!/bin/sh
# SPDX-License-Identifier: MIT
# What `tare trace` promises of control points, held against known times, known counts and the bare reading of the clock; and other tracers beside it.
#
#   ./dev bench trace [MINUTES] [OPTION...]      bench/trace.sh BUILD-FOLDER [MINUTES] [OPTION...]
#       --minutes M         how long (60); the block that has begun is finished
#       --part NAME         only this one; repeatable. Without it they take turns
#         cost              a pass in each mode, beside the clock read of the same order in the same process; bytes of a pass. Of peers the same, where
#                           these are there: uftrace, lttng-ust, and four readings with a line of text (written anew here)
#         ladder            chains of known length between two points, 0 to 640 links, in each order of reading, added up, by the system's clock and where room
#                           ends; the truth from chains of 2000 and 4000 links in the same runs
#         coarse            the same where the counter moves in steps of 26 ticks (tests/coarse): its ticks rounded down, nothing else
#         compilers         the same program as other compilers and -O0 make it, in C and C++, by ordered readings: each is weighed by its own code
#         kills             programs that die at random instants (SIGKILL, abort, _exit, exec, SIGSEGV): what is lost
#         forks             a hundred children: what is lost, doubled or crossed
#         threads           a thousand threads at once, likewise
#         signals           a handler with a point, at 10 kHz, likewise
#         crowd             CPU time of a pass in 1 to 64 threads of a process
#         preempt           known times while twice as many programs as CPUs want to run, beside the same without them
#         fit               how well one line through the moments of a minute fits the two clocks
#         simulated         what intervals of arcs promise, in simulated sessions (a test of the build, where it is there)
#         nested            a region of constant work with 0 to 999 points in it
#         sort              what points make of the time of a sort
#         analyse           ns an event of the reader, its peak memory
#         branches          other paths in each run
#         aa                a program against itself: words of difference are false, and intervals of ratios should hold 1
#         off               objects with points compiled out against objects without points
#       --sizes LIST        events of analyse ("1000000 10000000 100000000")
#       --budget N          tenths of the usual size of a block (10); 1 to see that all works
#       --label TEXT        what is said of the machine, kept in every line ("loaded", "quiet")
#       --out FOLDER        where the raw lines go (BUILD-FOLDER/bench/trace-raw); a later call appends to what is there
#       --summary           print the tables of what is there and end
#       --page              put them into docs/archive/trace.md, below its marker, and end
#
# Raw lines: raw.tsv, its columns in its head. Traces lie in FOLDER/work while they are needed: up to 1 GB for 100 million events.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
shift

script=trace parts='cost ladder coarse compilers kills forks threads signals crowd preempt fit simulated nested sort analyse branches aa off'
minutes=60 budget=10 label=unnamed out=$build/bench/trace-raw wanted='' summary=no sizes='1000000 10000000 100000000'
# shellcheck source=bench/script.sh
. bench/script.sh
read_options part budget sizes -- "$@"
# shellcheck disable=SC2086 # parts are words
check_wanted part $parts
for number in $budget $sizes; do
    case $number in *[!0-9]* | 0*) fail "--budget and --sizes: whole numbers from 1 on" ;; esac
done
open_folder
tare=$build/cli/tare
programs=$build/bench
tab=$(printf '\t')

answer_summary docs/archive/trace.md awk -F "$tab" -f bench/figures.awk -f bench/trace/trace_tables.awk "$raw"

# WHAT SETTING VALUE...: what the values are, each part says
line() {
    {
        printf '%s\t%s\t%.0f\t%s' "$part" "$label" "$(now)" "$(load1)"
        printf '\t%s' "$@"
        echo
    } >>"$raw"
}

of_ten() { # NUMBER: as large as the budget allows, at least 1
    calculate "n < 1 ? 1 : n" -v n="$(($1 * budget / 10))"
}

fresh() { # a folder without anything in it; sets folder
    folder=$work/traces
    rm -rf "$folder"
    mkdir -p "$folder"
}

median() {
    sort -g | awk '{ a[NR] = $1 } END { if (!NR) print "nan"; else printf "%.6g\n", (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2 }'
}

traced() { # OPTION-OR-PROGRAM...: $work/arcs.csv
    "$tare" trace --style none -q --export-csv "$work/arcs.csv" "$@" >"$work/tare.out" 2>&1
}

# Columns of the CSV by name, one line for each arc that was passed: those of WHICH, in their order; what names hold no comma is the programs' business
arcs() { # WHICH...
    awk -F, -v which="$*" 'NR == 1 { n = split(which, name, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["passes"] > 0 { for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]] == "" ? "nan" : $at[name[i]], i < n ? " " : "\n" }' "$work/arcs.csv"
}

# In each process: the median over its rounds, and that of the difference to the reference of the same round
medians_of_rounds() { # RESULT WHAT REFERENCE
    ns=$(awk -v w="$2" '$1 == w { print $2 }' "$1" | median)
    more=$(awk -v w="$2" -v r="$3" '$1 == w { a[++n] = $2 } $1 == r { b[++m] = $2 } END { for (i = 1; i <= n && i <= m; i++) print a[i] - b[i] }' "$1" | median)
    mean=$(awk -v w="$2" '$1 == w { s += $2; n++ } END { print n ? s / n : "nan" }' "$1")
    line "$2" "$3" "$ns" "$more" "$mean"
}

part_cost() {
    fresh
    "$programs/trace_cost" "$folder" 50 "$(of_ten 20000)" >"$work/cost.txt" || return 1
    for pair in empty:empty read_ordered:empty read_fast:empty read_system:empty off:empty ordered:read_ordered value:read_ordered fast:read_fast \
        precise:read_ordered aggregate:read_ordered count:empty burst:empty stdio:read_system; do
        medians_of_rounds "$work/cost.txt" "${pair%:*}" "${pair#*:}"
    done
    line bytes_stdio - "$(awk '$1 == "bytes" { print $3 }' "$work/cost.txt")" nan nan
    fresh
    passes=$(of_ten 10000000)
    "$programs/trace_make" "$folder" "$passes" 1 >"$work/make.txt" || return 1
    line bytes_point - "$(calculate "b / n" -v b="$(du -b "$folder"/*.trace | cut -f1)" -v n="$passes")" nan nan
    cost_uftrace
    cost_lttng
    rm -rf "$folder"
}

cost_uftrace() {
    command -v uftrace >"$work/which" || { missing uftrace && return; }
    ${CC:-cc} -O2 -pg bench/trace/peer_cost.c -o "$work/peer_uftrace" || return
    rounds=20 passes=$(of_ten 20000)
    fresh
    uftrace record --no-libcall -d "$folder/data" "$work/peer_uftrace" uftrace $rounds "$passes" >"$work/cost.txt" 2>"$work/peer.err" || { missing "uftrace that runs" && return; }
    medians_of_rounds "$work/cost.txt" uftrace read_system
    line bytes_uftrace - "$(calculate "b / n" -v b="$(cat "$folder"/data/*.dat | wc -c)" -v n="$((2 * (rounds + 1) * passes))")" nan nan
}

lttng_asked() { # its commands, each bounded
    LTTNG_HOME=$work/lttng timeout 30 "$@" >>"$work/peer.err" 2>&1
}

cost_lttng() {
    command -v lttng-sessiond >"$work/which" || { missing lttng-tools && return; }
    ${CC:-cc} -O2 -DLTTNG -Ibench/trace bench/trace/peer_cost.c -o "$work/peer_lttng" -llttng-ust -ldl 2>"$work/peer.err" || { missing liblttng-ust-dev && return; }
    fresh
    rm -rf "$work/lttng"
    mkdir -p "$work/lttng"
    "$work/peer_lttng" lttng_off 20 "$(of_ten 20000)" >"$work/cost.txt" && medians_of_rounds "$work/cost.txt" lttng_off lttng_off
    lttng_asked lttng-sessiond --background --pidfile "$work/lttng/pid" || { missing "lttng-sessiond that starts" && return; }
    if lttng_asked lttng create bench -o "$folder/data" && lttng_asked lttng enable-channel -u --subbuf-size=4M --num-subbuf=8 all &&
        lttng_asked lttng enable-event -u -c all tare_bench:pass && lttng_asked lttng start &&
        LTTNG_HOME=$work/lttng timeout 60 "$work/peer_lttng" lttng 20 "$(of_ten 20000)" >"$work/cost.txt"; then
        medians_of_rounds "$work/cost.txt" lttng read_system
    else
        missing "lttng that records"
    fi
    lttng_asked lttng destroy bench || :
    kill "$(cat "$work/lttng/pid")" || :
}

missing() { # WHAT: said once
    case " ${said:-} " in *" $1 "*) return 0 ;; esac
    said="${said:-} $1"
    echo "trace: there is no $1 here, it is left out ('./dev deps peer' installs other tracers)" >&2
}

rungs() { # WHAT: of the session that was traced last
    arcs from_name to_name clean_ns median_ns mean_ns probe_ns mean_low_ns mean_high_ns >"$work/rungs.txt"
    # Passages that are added up have no sums by length to tell interrupted ones from the others by: the link of the session before
    case $1 in aggregate | full) ;; *) link=$(awk '$1 == "truth_once" { once = $3 } $1 == "truth_twice" { twice = $3 } END { print (twice - once) / 2000 }' "$work/rungs.txt") ;; esac
    while read -r from to clean middle mean probe low high; do
        case $from,$to in
        links_*,end) line "$1" "${from#links_}" "$(calculate "n * l" -v n="${from#links_}" -v l="$link")" "$clean" "$middle" "$mean" "$probe" "$low" "$high" ;;
        esac
    done <"$work/rungs.txt"
}

part_compilers() {
    passes=$(of_ten 2000)
    for compiler in gcc clang g++ clang++; do
        command -v $compiler >"$work/which" || { missing $compiler && continue; }
        case $compiler in *++) language='c++ -std=c++17' ;; *) language='c -std=c17' ;; esac
        for level in -O0 -O2; do
            # shellcheck disable=SC2086 # words
            $compiler -x $language $level -Iinclude bench/trace/trace_ladder.c -x none "$build/src/libtare.a" -lm -lpthread -o "$work/compiled" || return 1
            traced -r 10 -- "$work/compiled" "$passes" || return 1
            rungs "$compiler$level"
        done
    done
}

known_times() { # SUFFIX PROGRAM...
    suffix=$1
    shift
    for order in ordered fast precise aggregate raw full; do
        case $order in
        aggregate) how='--mode aggregate' ;;
        raw) how='--clock raw' ;;
        full) how='--limit 200kB' ;;
        *) how="--order $order" ;;
        esac
        # shellcheck disable=SC2086 # words
        traced -r 10 $how -- "$@" "$(of_ten 2000)" || return 1
        rungs "$order$suffix"
    done
}

part_ladder() {
    known_times '' "$programs/trace_ladder" || return 1
    "$programs/trace_stamps" "$(of_ten 20000)" >"$work/rungs.txt" || return 1
    while read -r from mean; do
        case $from in
        links_*) line stamps "${from#links_}" "$(calculate "n * l" -v n="${from#links_}" -v l="$link")" nan nan "$mean" nan ;;
        esac
    done <"$work/rungs.txt"
}

# The same where the counter moves in steps of 26 ticks (tests/coarse)
part_coarse() {
    [ -x "$build/tests/coarse/coarse_ladder" ] || { missing "program with a coarse counter (tests/coarse/coarse_ladder is not built)" && return; }
    known_times _coarse "$build/tests/coarse/coarse_traced" "$build/tests/coarse/coarse_ladder"
}

part_nested() {
    regions=$(of_ten 500)
    for pieces in 1 2 10 100 1000; do
        traced -r 10 -- "$programs/trace_nested" $pieces "$regions" || return 1
        # The time of a region: of all its arcs, as means of all passages and of those that were not interrupted
        # shellcheck disable=SC2046
        set -- $(arcs from_name runs passes total_ns clean_ns median_ns | awk -v regions="$regions" '$1 != "end" { all += $4; clean += $3 / $2 * $5; middle += $3 / $2 * $6 }
            END { print all / regions, clean / regions, middle / regions }')
        line region $((pieces - 1)) "$@"
    done
}

part_sort() {
    for grain in 8 64 1024; do
        fresh
        "$programs/trace_sort" "$folder" "$(of_ten 1000000)" $grain 9 >"$work/sort.txt" || return 1
        line sort "$(head -n 1 "$work/sort.txt" | cut -d' ' -f1)" "$(cut -d' ' -f2 "$work/sort.txt" | median)" \
            "$(awk '{ print $3 / $2 }' "$work/sort.txt" | median)" "$(awk '{ print $4 / $2 }' "$work/sort.txt" | median)" \
            "$(awk '{ print ($4 - $2) / $1 }' "$work/sort.txt" | median)"
    done
    rm -rf "$folder"
}

storm() { # WHAT TIMES SIZE
    fresh
    timeout 1800 "$programs/trace_storm" "$programs/storm_subject" "$folder" "$@" >"$work/storm.txt" || return 1
    while read -r way values; do
        # shellcheck disable=SC2086 # nine numbers
        line "$way" "$1" $values
    done <"$work/storm.txt"
    rm -rf "$folder"
}

part_kills() { storm kills "$(of_ten 200)" 0; }
part_forks() { storm forks 1 100; }
part_threads() { storm threads 1 1000; }
part_signals() { storm signals 1 "$(of_ten 10000)"; }

# Many at once, and long

part_crowd() {
    events=$(of_ten 4000000)
    for threads in 1 2 4 8 16 32 64; do
        fresh
        line crowd $threads "$("$programs/trace_make" "$folder" "$events" $threads)" || return 1
    done
    rm -rf "$folder"
}

# Spinners that end by themselves, should we not live to end them
crowd_begins() {
    spinners=
    for i in $(seq $((2 * $(nproc)))); do
        timeout 120 sh -c 'while :; do :; done' &
        spinners="$spinners $!"
    done
}

crowd_ends() {
    # shellcheck disable=SC2086 # words
    kill $spinners || :
    for i in $spinners; do
        wait "$i" || :
    done
}

part_preempt() {
    passes=$(of_ten 2000)
    traced -r 10 -- "$programs/trace_ladder" "$passes" || return 1
    rungs alone
    crowd_begins
    failed=no
    traced -r 10 -- "$programs/trace_ladder" "$passes" || failed=yes
    crowd_ends
    [ $failed = no ] || return 1
    rungs crowded
    # shellcheck disable=SC2046
    line interrupted - $(arcs n interrupted | awk '{ n += $1; of += $2 } END { print n, of, "nan", "nan", "nan" }')
}

part_fit() {
    traced -r 1 --save "$work/fit.jsonl" -- "$programs/trace_nested" 1 "$(of_ten 3000000)" || return 1
    # shellcheck disable=SC2046
    line fit 1 $(awk '/^\{"type":"traced"/ { for (i = split("span_ns residual_ppm jumps steps", key, " "); i; i--) { v = $0; sub(".*\"" key[i] "\":", "", v); sub(/[,}].*/, "", v); got[i] = v == "null" ? "nan" : v }
        print got[1], got[2], got[3], got[4] }' "$work/fit.jsonl")
}

part_simulated() {
    [ -x "$build/tests/analyse/test_arcs_sim" ] || { missing "simulation of sessions (tests/analyse/test_arcs_sim is not built)" && return; }
    "$build/tests/analyse/test_arcs_sim" >"$work/simulated.txt" 2>&1 || return 1
    awk '/RUN/ { section = /fixed/ ? "fixed" : /looks/ ? "looks" : "equal" }
        match($0, /: [0-9]+ of [0-9]+ = /) { split(substr($0, RSTART + 2), n, " "); world = substr($0, 1, RSTART - 1); sub(/^ */, "", world); print section, n[1], n[3], world }' \
        "$work/simulated.txt" >"$work/worlds.txt"
    while read -r section hits of world; do
        line "$world" "$section" "$hits" "$of"
    done <"$work/worlds.txt"
}

part_branches() {
    steps=$(of_ten 100000)
    traced -r 10 -- "$programs/trace_paths" "$steps" || return 1
    # shellcheck disable=SC2046
    set -- $(arcs passes runs runs_passed | awk '{ n += $1; arcs++; every += $2 == $3 } END { print n, arcs, every }')
    line passages 10 $((10 * (steps - 1))) "$@"
}

part_analyse() {
    for size in $sizes; do
        fresh
        events=$(of_ten "$size")
        "$programs/trace_make" "$folder" "$events" 4 >"$work/make.txt" || return 1
        for workers in 1 2 4; do
            [ $workers -le "$(nproc)" ] || continue
            "$programs/trace_read" "$folder"/*.trace $workers >"$work/read.txt" || return 1
            # shellcheck disable=SC2046 # events bytes seconds cpu peak
            line "$events" $workers $(cat "$work/read.txt")
        done
    done
    rm -rf "$folder"
}

# Of the comparison of two, a line for each arc: WORD RATIO LOW HIGH
compared_arcs() {
    awk -F '"' 'function value(  v) { v = $0; sub(/^[^:]*: */, "", v); gsub(/[",]/, "", v); return v == "null" || v == "" ? "nan" : v }
        /^  "comparisons"/ { on = 1 }
        !on { next }
        /^  \]/ { exit }
        /^    \{/ { metric = "" }
        $2 == "metric" { metric = value() }
        $2 == "ratio" { ratio = value() }
        $2 == "ratio_low" { low = value() }
        $2 == "ratio_high" { high = value() }
        $2 == "verdict" { word = value(); gsub(/ /, "-", word) }
        /^    \}/ && metric == "arc" { print word, ratio, low, high }' "$work/aa.json"
}

part_aa() {
    ln -sf "$programs/trace_paths" "$work/one"
    ln -sf "$programs/trace_paths" "$work/two"
    steps=$(of_ten 20000)
    "$tare" trace --style none -q -r 20 --export-json "$work/aa.json" "$work/one $steps 5" "$work/two $steps 5" >"$work/tare.out" 2>&1 || return 1
    compared_arcs >"$work/words.txt"
    while read -r word ratio low high; do
        line "$word" - "$ratio" "$low" "$high"
    done <"$work/words.txt"
    differ=none
    ! grep -Eq '^(slower|faster) ' "$work/words.txt" || differ=some
    line session $differ "$(wc -l <"$work/words.txt")"
}

part_off() {
    for compiler in gcc clang; do
        command -v $compiler >"$work/which" || { missing $compiler && continue; }
        for level in -O0 -O1 -O2 -O3; do
            $compiler -std=c17 $level -g0 -DTARE_POINTS_OFF -Iinclude -c tests/points/points_forms.c -o "$work/off.o" || return 1
            $compiler -std=c17 $level -g0 -DNO_POINTS -Iinclude -c tests/points/points_forms.c -o "$work/none.o" || return 1
            same=no
            ! cmp -s "$work/off.o" "$work/none.o" || same=yes
            line $compiler $level $same
        done
    done
}

[ -x "$programs/trace_cost" ] || fail "$programs/trace_cost is not there: './dev bench trace' builds it"
begin_file "part label unix_s load1 what setting, then the values of the part (see bench/trace/trace_tables.awk)"
version_line "uftrace $(dpkg-query -W -f='${Version}' uftrace 2>/dev/null || echo 'is not there'), lttng-ust $(dpkg-query -W -f='${Version}' liblttng-ust-dev 2>/dev/null || echo 'is not there'); $(gcc --version | head -1)"
begin_minutes
cycle=0
while within; do
    if [ -n "$wanted" ]; then
        chosen=$wanted
    else
        chosen='cost kills ladder coarse nested compilers aa'
        [ $((cycle % 5)) != 0 ] || chosen="$chosen forks threads signals crowd preempt sort branches analyse"
        [ $cycle != 0 ] || chosen="$chosen fit simulated off"
    fi
    for name in $chosen; do
        ! within || run_part "$name" "$work/tare.out"
    done
    cycle=$((cycle + 1))
done
echo "trace: $(grep -vc '^#' "$raw") lines are in $raw" >&2
