#!/bin/sh
# SPDX-License-Identifier: MIT
# How often sets of stored sessions of one and the same command are said to differ: live sessions, minutes apart, on a quiet and on a loaded machine, with
# and without an anchor. Every likely_faster and likely_slower is false; at most 5 % of the comparisons may be, and at least 95 % of the intervals hold 1.
#
#   ./dev bench sessions [MINUTES] [OPTION...]      bench/sessions.sh BUILD-FOLDER [MINUTES] [OPTION...]
#       --minutes M       how long (60); the group that has begun is finished
#       --apart S         seconds between the beginnings of two sessions (60)
#       --sides N         sessions on each side (3)
#       --groups G        so many groups take their sessions right after each other (1): many comparisons where sessions are far apart
#       --scenario NAME   only this load; repeatable. none; all: in all sessions a busy loop on every second CPU; some: in each by a coin. Without it they take turns
#       --label TEXT      what is said of the machine, kept in every line
#       --out FOLDER      where the raw lines go (BUILD-FOLDER/bench/sessions); a later call appends to what is there
#       --summary         print the table of what is there and end
#
# A group is 2 N sessions under one load, of a command drawn anew; each session is made with an anchor (a copy of the program) and, right after it, without. They
# are held against each other twice: in turns (1 3 5 against 2 4 6), and one set after the other (1 2 3 against 4 5 6), which what drifts slowly separates.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
shift

script=sessions
minutes=60 apart=60 sides=3 groups=1 label=unnamed out=$build/bench/sessions wanted='' summary=no
# shellcheck source=bench/script.sh
. bench/script.sh
read_options scenario apart sides groups -- "$@"
loads='none all some'
check_wanted load "$loads"
case $apart$sides$groups in '' | *[!0-9]*) fail "--apart, --sides and --groups: whole numbers" ;; esac
[ "$groups" -ge 1 ] || fail "--groups: 1 at least"
[ "$sides" -ge 3 ] || fail "--sides: 3 at least, fewer give no verdict"
open_folder
tare=$build/cli/tare

table() {
    awk -F'\t' "$figures"'
        BEGIN { print "| load | order of the sides | values | comparisons | false | likely same | undecided | intervals with 1 | half-width (median) |"
                print "|---|---|---|---:|---:|---:|---:|---:|---:|" }
        /^#/ { next }
        { key = $1 "\t" $2 "\t" $3
          if (!(key in n)) keys[++of] = key
          n[key]++; wrong[key] += $5 == "likely_faster" || $5 == "likely_slower"; same[key] += $5 == "likely_same"
          open[key] += $5 == "undecided"; held[key] += $6 <= 1 && $7 >= 1
          width[key, n[key]] = log($7 / $6) / 2 }
        END { for (i = 1; i <= of; i++) {
            key = keys[i]; split(key, name, "\t"); m = n[key]
            for (a = 2; a <= m; a++) for (b = a; b > 1 && width[key, b] < width[key, b - 1]; b--) {
                x = width[key, b]; width[key, b] = width[key, b - 1]; width[key, b - 1] = x }
            printf "| %s | %s | %s | %d | %d (at most %.1f %%) | %d | %d | %.1f %% (at least %.1f) | %.2f %% |\n", name[1], name[2], name[3], m,
                wrong[key], 100 * upper(wrong[key], m), same[key], open[key], 100 * held[key] / m, 100 * least(held[key], m),
                100 * width[key, int((m + 1) / 2)] } }' "$raw"
}

[ "$summary" = no ] || [ -f "$raw" ] || fail "nothing is there yet"
answer_summary '' table

mkdir -p "$work/anchor"
cp "$build/bench/real_work" "$work/"
cp "$build/bench/real_work" "$work/anchor/"
cd "$work"
end_with end_load

load() { # LOAD: for one session
    [ "$1" = all ] || { [ "$1" = some ] && [ "$(random 2)" = 1 ]; } || return 0
    begin_load
}

wait_for_next() {
    left=$((begun + apart - $(date +%s)))
    [ $left -le 0 ] || sleep $left
    begun=$(date +%s)
}

measure() { # WORD...
    "$tare" run -N -r 10 -w 1 -q --style none "$@" 2>err || fail "$(cat err)"
}

session() { # NUMBER
    load "$chosen"
    measure --anchor "../anchor/$command" --save "with$1" "../$command"
    measure --save "without$1" "../$command"
    end_load
}

value() { # KEY of out.json
    sed -n '/"comparisons"/,$p' out.json | sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" | head -1
}

# held_against KIND FIRST... -- SECOND...
held_against() {
    kind=$1 olds=''
    shift
    while [ "$1" != -- ]; do
        olds="$olds --baseline $kind$1"
        shift
    done
    shift
    news=''
    for i in "$@"; do news="$news $kind$i"; done
    # shellcheck disable=SC2086 # words
    "$tare" compare -q --style none --export-json out.json $olds $news 2>err
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$chosen" "$order" "$([ "$kind" = with ] && echo 'ratios to the anchor' || echo times)" "$command" \
        "$(value verdict)" "$(value ratio_low)" "$(value ratio_high)" "$label" >>"$raw"
}

hold_against_each_other() {
    # shellcheck disable=SC2046,SC2086 # words
    set -- $(seq 1 $((2 * sides)))
    odd=$(seq 1 2 $((2 * sides))) even=$(seq 2 2 $((2 * sides))) first=$(seq 1 "$sides") last=$(seq $((sides + 1)) $((2 * sides)))
    for kind in with without; do
        # shellcheck disable=SC2086 # words
        { order='in turns' && held_against $kind $odd -- $even; }
        # shellcheck disable=SC2086 # words
        { order='one after the other' && held_against $kind $first -- $last; }
    done
}

# Groups: each in a folder of its own, with a load and a command

draw_load() { # NUMBER: they take turns, over all groups
    # shellcheck disable=SC2086 # words
    set -- "$1" ${wanted:-$loads}
    skip=$(($1 % ($# - 1)))
    shift $((skip + 1))
    chosen=$1
}

draw_command() {
    case $(random 3) in
    0) command='real_work spin 10000000' ;;
    1) command='real_work chase 1000000' ;;
    *) command='real_work malloc 500000' ;;
    esac
}

prepare_groups() {
    for g in $(seq 1 "$groups"); do
        rm -rf "group$g"
        mkdir "group$g"
        draw_load "$drawn" && draw_command
        printf '%s\n%s\n' "$chosen" "$command" >"group$g/drawn"
        drawn=$((drawn + 1))
    done
}

in_each_group() { # COMMAND...
    for g in $(seq 1 "$groups"); do
        cd "$work/group$g"
        { read -r chosen && read -r command; } <drawn
        "$@"
    done
    cd "$work"
}

begin_file load order values command verdict low high label
version_line "sets of $sides sessions, $apart s apart"
begun=0 drawn=0
begin_minutes
while within; do
    prepare_groups
    for i in $(seq 1 $((2 * sides))); do
        wait_for_next
        in_each_group session "$i"
    done
    in_each_group hold_against_each_other
done
table
