#!/bin/sh
# SPDX-License-Identifier: MIT
# cases_test.sh TARE LEAK-CASES QUEUE-CASES EXAMPLES: the tables name the targets that there are, and what is beyond doubt gets its word.
# A leak of several cycles is found on any machine, however busy; what has none is never called one. How soon is not asked.
set -u
tare=$1 leak_cases=$2 queue_cases=$3 examples=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

names() { # TABLE
    grep -v '^#' "$1" | cut -f1 | sort
}

# A target without a line, or a line whose target can never be: only libraries that are absent explain a line too many.
for pair in "$leak_cases $examples/leak/cases.tsv" "$queue_cases $examples/queue/growth.tsv --growth"; do
    # shellcheck disable=SC2086 # two or three words
    set -- $pair
    # shellcheck disable=SC2086 # a word or none
    "$tare" leak "$1" --list ${3:-} | sort >"$work/targets" || { echo "$1 --list fails" && bad=1; }
    names "$2" >"$work/names"
    extra=$(comm -13 "$work/names" "$work/targets")
    [ -z "$extra" ] || { echo "not in $2:" && echo "$extra" && bad=1; }
    [ "$(comm -12 "$work/names" "$work/targets" | grep -c .)" -ge 10 ] || { echo "$2 names fewer than 10 targets that there are" && bad=1; }
    awk -F '\t' '!/^#/ { for (i = 1; i <= 4; i++) if ($i == "") { print FILENAME ":" FNR ": empty column " i; wrong = 1 } } END { exit wrong }' "$2" || bad=1
done

word() { # PROGRAM TARGET OPTION...
    program=$1 target=$2
    shift 2
    rm -f "$work/out.json"
    "$tare" leak "$program" --filter "$target" --style basic --timeout 900 --export-json "$work/out.json" "$@" >"$work/out" 2>&1
    code=$?
    verdict=$(sed -n 's/^ *"verdict": "\([a-z_]*\)".*/\1/p' "$work/out.json" | head -1)
}

# The time is only a limit: a session ends with its answer. Its self-check may call one run of a thousand invalid, and says so; then another one is asked.
leaks() { # PROGRAM TARGET OPTION...
    for try in 1 2 3; do
        : "$try"
        word "$@" --max-time 900
        [ "$verdict" = invalid ] || break
    done
    [ "$verdict $code" = "leak 1" ] || { echo "$2: $verdict, exit $code" && cat "$work/out" && bad=1; }
}
for target in naive_compare naive_strlen padding_check hash_collisions; do
    leaks "$leak_cases" "$target"
done
for target in or_compare montgomery_ladder bitsliced_chi; do
    word "$leak_cases" "$target" --max-time 3 --margin 50cycles
    case $verdict in leak | leak_small) echo "$target: $verdict" && cat "$work/out" && bad=1 ;; esac
done
leaks "$queue_cases" queue_size_walk --growth
word "$queue_cases" queue_size_kept --growth --max-time 5
[ "$verdict" != leak ] || { echo "queue_size_kept grows" && cat "$work/out" && bad=1; }
exit $bad
