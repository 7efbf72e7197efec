#!/bin/sh
# SPDX-License-Identifier: MIT
# Are the verdicts of tare leak right? Known cases, A/A runs, planted leaks in recorded calls beside dudect's statistics, and growth.
#
#   ./dev bench leak [MINUTES] [OPTION...]      bench/leak.sh BUILD-FOLDER [MINUTES] [OPTION...]
#       --minutes M         how long (60); the run that has begun is finished
#       --part NAME         only this one; repeatable: suite sessions triples taint growth again settled planted cost clocks chains. Without it they take turns
#       --case WORD         only the cases whose name contains WORD
#       --label TEXT        what is said of the machine, kept in every line ("quiet")
#       --out FOLDER        where the raw lines go (BUILD-FOLDER/bench/leak); a later call appends to what is there and goes on with what is missing
#       --summary           print the tables of what is there and end
#       --page              put them into docs/leak.md, below its marker, and end
#
# suite    every case of examples/leak/cases.tsv for at most 10 s, held against the verdict that is expected
# sessions the cases that leak, again and again: whether the intervals of one session hold what the others find
# triples  600 short sessions of two cases (tare leak --sessions, some 20 processes each): whether the intervals over 200 disjoint triples of them, drawn at
#          random from all, hold the mean of all
# taint    every case once under valgrind, held against what is expected
# growth   every case of examples/queue/growth.tsv: the confusion matrix of "is it O(1)?"
# again    A/A: the classes are the same; a million calls each, any leak is a false alarm
# settled  the constant-time cases with a margin of 1, 5 and 50 cycles: how many are settled as no_leak within 10 s
# planted  A/A calls as recorded, relabelled by a coin, with a delay of known size added to one class (bench/leak/leak_replay.c): calls to detection by
#          tare and by dudect's statistics on the same stream, and whether the intervals hold the planted size
# clocks   two leaks by the processor's counter and by the system's clocks (--clock)
# chains   chains of 1 to 60 adds as the harness times a call, by the counter at hand and by one that is made coarse (bench/leak/leak_chains.c): are means right?
# cost     what the harness takes for a call beside the call itself, and how soon a leak is said
# It can be stopped at any time: raw.tsv keeps what was measured, one line a run, its columns named in its head.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
shift

script=leak parts='suite sessions triples taint growth again settled planted cost clocks chains'
minutes=60 label=unnamed out=$build/bench/leak wanted='' cases='' summary=no
# shellcheck source=bench/script.sh
. bench/script.sh
read_options part case -- "$@"
# shellcheck disable=SC2086 # parts are words
check_wanted part $parts
open_folder
tare=$build/cli/tare
leak_cases=$build/examples/leak/leak-cases
queue_cases=$build/examples/queue/queue-cases
replay=$build/bench/leak_replay
table=examples/leak/cases.tsv growth_table=examples/queue/growth.tsv
tab=$(printf '\t')

answer_summary docs/archive/leak.md awk -F "$tab" -f bench/figures.awk -f bench/leak/leak_tables.awk "$raw"

seconds_since() {
    awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.3f", b - a }'
}

seed() {
    od -An -N4 -tu4 /dev/urandom | tr -d ' '
}

# One line of the raw file: PART CASE SETTING EXPECTED GOT RIGHT SECONDS and further values of the part
line() {
    part=$1
    shift
    {
        printf '%s\t%s\t%.0f\t%s' "$part" "$label" "$(date +%s)" "$(load1)"
        printf '\t%s' "$@"
        echo
    } >>"$raw"
}

# How many lines there are of a part with that case and setting
done_of() { # PART CASE [SETTING]
    awk -F "$tab" -v p="$1" -v c="$2" -v s="${3:-}" '$1 == p && $5 == c && (s == "" || $6 == s) { n++ } END { print n + 0 }' "$raw"
}

field() { # KEY: of the one target in the JSON that was exported
    sed -n '/^  "targets": \[/,/^  \]/p' "$work/out.json" |
        sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" | head -1
}

# Runs tare leak on one target; sets code, took. The JSON is in work/out.json
leak() { # PROGRAM CASE OPTION...
    program=$1 name=$2
    shift 2
    rm -f "$work/out.json"
    begin=$(now) code=0
    "$tare" leak "$program" --filter "$name" "$@" --seed "$(seed)" --style none -q --export-json "$work/out.json" >"$work/out" 2>"$work/err" || code=$?
    took=$(seconds_since "$begin")
    if [ ! -s "$work/out.json" ]; then
        echo "leak: $name $*: exit code $code: $(head -1 "$work/err")" >&2
        return 1
    fi
}

is_right() { # WORDS GOT: words with | between; any and cpu are not judged
    case "$1" in any | cpu) echo - && return ;; esac
    case "|$1|" in *"|$2|"*) echo yes ;; *) echo no ;; esac
}

wanting() { # LINES PART CASE [SETTING]: the case is in the program (its library was there at build), and has fewer lines
    grep -qx "$3" "$work/targets" || return 1
    lines=$1
    shift
    [ "$(done_of "$@")" -lt "$lines" ]
}

listed() { # FILE: lines without comments, of the chosen cases, in random order
    grep -v '^#' "$1" | awk -F "$tab" -v word="$cases" 'index($1, word)' | shuf
}

# Parts: each does one run, or returns 1 when nothing is left to be done in this turn

part_suite() {
    listed "$table" >"$work/list"
    while IFS="$tab" read -r case options timing taint _ <&3; do
        within || return 0
        wanting "$turn" suite "$case" || continue
        [ "$options" != - ] || options=
        # shellcheck disable=SC2086 # options are words
        leak "$leak_cases" "$case" $options --max-time 10 || continue
        verdict=$(field verdict)
        line suite "$case" "$options" "$timing" "$verdict" "$(is_right "$timing" "$verdict")" "$took" "$(field calls)" "$(field log10_e)" \
            "$(field difference_ns)" "$(field low_ns)" "$(field high_ns)" "$(field margin_ns)" "$code" "$(field why)"
    done 3<"$work/list"
}

part_sessions() {
    awk -F "$tab" '!/^#/ && $3 ~ /^leak/ { print $1 "\t" $2 }' "$table" | awk -F "$tab" -v word="$cases" 'index($1, word)' | shuf >"$work/list"
    while IFS="$tab" read -r case options <&3; do
        within || return 0
        [ "$(done_of sessions "$case")" -lt $((2 * turn)) ] || continue
        [ "$options" != - ] || options=
        # shellcheck disable=SC2086
        leak "$leak_cases" "$case" $options --max-time 5 || continue
        line sessions "$case" "$options" leak "$(field verdict)" - "$took" "$(field difference_ns)" "$(field low_ns)" "$(field high_ns)" "$(field calls)"
    done 3<"$work/list"
}

# So many more in one go, kept by tare itself
part_triples() {
    for case in memcmp_32 padding_check; do
        within || return 0
        case $case in *"$cases"*) ;; *) continue ;; esac
        done=$(done_of triples "$case") kept=$out/triples-$case.jsonl
        [ "$done" -lt 600 ] || continue
        [ "$done" -gt 0 ] || rm -f "$kept"
        begin=$(now)
        "$tare" leak "$leak_cases" --filter "$case" --max-calls 30000 --sessions $((done + 20)) --continue "$kept" --style none -q >"$work/out" 2>"$work/err" || true
        took=$(seconds_since "$begin")
        grep '"type":"target"' "$kept" | tail -n +$((done + 1)) |
            sed -n 's/.*"clip":0.9,"ns":\([^,}]*\),"cycles":\([^,}]*\)}.*/\1 \2/p' >"$work/sizes"
        if [ ! -s "$work/sizes" ]; then
            echo "leak: $case: no session: $(head -1 "$work/err")" >&2
            return 1
        fi
        while read -r ns cycles <&4; do
            line triples "$case" short leak "" - "$took" "$ns" "$cycles"
        done 4<"$work/sizes"
    done
}

number_before() { # WORD TEXT: of "found: 4 jumps, 2 addresses; ..."
    printf '%s\n' "${2%%;*}" | sed -n "s/.*[ :]\([0-9][0-9]*\) $1.*/\1/p" | grep . || echo 0
}

part_taint() {
    command -v valgrind >/dev/null || return 0
    listed "$table" >"$work/list"
    while IFS="$tab" read -r case options timing taint _ <&3; do
        within || return 0
        wanting 1 taint "$case" || continue
        leak "$leak_cases" "$case" --taint --max-time 0.5 || continue
        said=$(sed -n '/^ *"taint": {/,/\[/s/^ *"text": "\([^"]*\)",\{0,1\}$/\1/p' "$work/out.json" | head -1)
        state=${said%%:*} jumps=$(number_before jump "$said") addresses=$(number_before address "$said")
        case $taint in
        jump) right=$([ "$jumps" -gt 0 ] && echo yes || echo no) ;;
        address) right=$([ "$addresses" -gt 0 ] && echo yes || echo no) ;;
        clean) right=$([ "$state" = clean ] && echo yes || echo no) ;;
        *) right=- ;;
        esac
        line taint "$case" "" "$taint" "$state" "$right" "$took" "$jumps" "$addresses"
    done 3<"$work/list"
}

part_growth() {
    listed "$growth_table" >"$work/list"
    while IFS="$tab" read -r case verdict classes _ <&3; do
        within || return 0
        [ "$(done_of growth "$case")" -lt "$turn" ] || continue
        leak "$queue_cases" "$case" --growth --max-time 20 || continue
        got=$(field verdict) class=$(field class) other=$(field not_told_from)
        case $got in no_leak) word=bounded ;; leak) word=grows ;; *) word=$got ;; esac
        line growth "$case" "$classes" "$verdict" "$word" "$(is_right "$verdict" "$word")" "$took" "$class" "$other" \
            "$(is_right "$classes" "$class")" "$(field slope)"
    done 3<"$work/list"
}

part_again() {
    grep '^again_' "$table" | cut -f1 | shuf >"$work/list"
    while read -r case <&3; do
        within || return 0
        leak "$leak_cases" "$case" --margin 0.01cycles --max-calls 1000000 --max-time 60 || continue
        verdict=$(field verdict)
        case $verdict in leak | leak_small) right=no ;; *) right=yes ;; esac
        line again "$case" "" none "$verdict" "$right" "$took" "$(field calls)" "$(field log10_e_most)" "$(field why)"
    done 3<"$work/list"
}

part_settled() {
    awk -F "$tab" '!/^#/ && $3 == "no_leak" && $1 !~ /^again_/ { for (m = 1; m <= 50; m *= m == 1 ? 5 : 10) print $1 "\t" $2 "\t" m }' "$table" |
        awk -F "$tab" -v word="$cases" 'index($1, word)' | shuf >"$work/list"
    while IFS="$tab" read -r case options margin <&3; do
        within || return 0
        wanting "$turn" settled "$case" "$margin" || continue
        [ "$options" != - ] || options=
        # shellcheck disable=SC2086
        leak "$leak_cases" "$case" $options --margin "${margin}cycles" --max-time 10 || continue
        verdict=$(field verdict)
        line settled "$case" "$margin" no_leak "$verdict" "$(is_right no_leak "$verdict")" "$took" "$(field calls)"
    done 3<"$work/list"
}

# A stream of A/A calls, kept: what a leak is planted in
stream() { # NAME
    [ -s "$work/$1.jsonl.raw" ] && return 0
    leak "$leak_cases" "$1" --margin 0.01cycles --max-calls 1000000 --max-time 60 --save "$work/$1.jsonl"
}

part_planted() {
    for name in again_or again_branch again_allocation; do
        stream "$name" || continue
        for delay in 0 0.1 0.3 1 3 10 100; do
            for share in 1 0.01; do
                within || return 0
                [ "$delay" != 0 ] || [ "$share" = 1 ] || continue
                number=$(seed)
                begin=$(now)
                found=$("$replay" "$work/$name.jsonl.raw" "$number" "$delay" "$share" 20) || continue
                line planted "$name" "$delay x $share" "" "" - "$(seconds_since "$begin")" "$found"
            done
        done
    done
}

part_cost() {
    within || return 0
    leak "$leak_cases" again_or --margin 0.01cycles --max-calls 2000000 --max-time 20 || return 0
    line cost again_or calls "" "" - "$took" "$(field calls)" "$(field seconds)" "$(field median_ns)"
    within || return 0
    leak "$leak_cases" memcmp_32 --max-time 0.1 || return 0
    line cost memcmp_32 first "" "$(field verdict)" - "$took" "$(field calls)"
}

part_clocks() {
    for case in naive_compare memcmp_32; do
        case $case in *"$cases"*) ;; *) continue ;; esac
        for clock in auto raw monotonic; do
            within || return 0
            [ "$(done_of clocks "$clock" "$case")" -lt "$turn" ] || continue
            leak "$leak_cases" "$case" --clock "$clock" --max-time 5 || continue
            verdict=$(field verdict)
            line clocks "$clock" "$case" leak "$verdict" "$(is_right leak "$verdict")" "$took" "$(field calls_to_distinguish)" \
                "$(field difference_ns)" "$(field low_ns)" "$(field high_ns)"
        done
    done
}

part_chains() {
    for counter in leak_chains leak_chains_coarse; do
        within || return 0
        "$build/bench/$counter" 10000 "$(seed)" >"$work/chains"
        step=$(sed -n 's/^# step \([^ ]*\) ns.*/\1/p' "$work/chains")
        grep -v '^#' "$work/chains" | while IFS="$tab" read -r adds right found bias _; do
            line chains "$step" "$adds" "$right" "$found" - 0 "$bias"
        done
    done
}

for needed in "$tare" "$leak_cases" "$queue_cases" "$replay"; do
    [ -x "$needed" ] || fail "$needed is not there; './dev bench leak' builds it"
done
begin_file part label unix_s load1 case setting expected got right seconds and further values: see bench/leak.sh
"$tare" leak "$leak_cases" --list >"$work/targets"
version_line "$(valgrind --version 2>/dev/null || echo 'no valgrind')"
most_turns=$(awk -F "$tab" '$1 == "suite" || $1 == "growth" || $1 == "settled" { k = $1 $5 $6; if (++n[k] > most) most = n[k] } END { print most + 1 }' "$raw")
begin_minutes
turn=0 idle=0
while within; do
    turn=$((turn + 1)) before=$(wc -l <"$raw")
    for part_now in ${wanted:-$parts}; do
        ! within || "part_$part_now"
    done
    # Turns that find all done: what a stopped call had left of a turn is made up for, and then nothing is left
    if [ "$(wc -l <"$raw")" -gt "$before" ]; then idle=0; else idle=$((idle + 1)); fi
    [ $idle -lt 3 ] || [ "$turn" -le "$most_turns" ] || break
done
echo "leak: $(grep -vc '^#' "$raw") lines are in $raw" >&2
