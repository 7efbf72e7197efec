#!/bin/sh
# SPDX-License-Identifier: MIT
# tare traced by tare: self_trace_test.sh TARE TARE-SELFTRACE ROAD NM READELF
#
# The points of tare's own program are in tare-selftrace and nowhere else; it does what tare does; and what it says of itself is true: numbers of
# rounds, runs, rows and looks are those that were asked for. Times are never checked.
set -u
tare=$1 self=$2 road=$3 nm=$4 readelf=$5
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
mkdir tmp
TMPDIR=$scratch/tmp
export TMPDIR
bad=0

wrong() {
    echo "$1"
    bad=1
}

# ---- none of it in tare ----

points_in() { # PROGRAM: symbols and sections of points
    "$nm" "$1" | grep -c ' tare_point\| tare_trace_\| tare_here'
    "$readelf" -SW "$1" | grep -c ' tare_points '
}
[ "$(points_in "$tare" | xargs)" = "0 0" ] || wrong "tare has points: $("$nm" "$tare" | grep ' tare_point\| tare_trace_\| tare_here' | head -n 5)"
case $(points_in "$self" | xargs) in
0* | *' 0') wrong "tare-selftrace has no points" ;;
esac

# ---- the same program ----

"$tare" run -q -N -r 3 --save r.jsonl true 'true x' >out 2>err || wrong "a record: $(cat err)"
for words in help 'help trace' 'show r.jsonl' 'show --export-json - r.jsonl' 'trce'; do
    # shellcheck disable=SC2086 # words are words
    "$tare" $words >expected 2>&1
    code=$?
    # shellcheck disable=SC2086
    "$self" $words >out 2>&1
    [ $? = $code ] || wrong "tare-selftrace $words: another exit code"
    cmp -s expected out || wrong "tare-selftrace $words prints something else: $(diff expected out | head -n 4)"
done

# ---- what it says of itself ----

# trace RUNS WORD...: what tare-selftrace WORD... does; the arcs go to `arcs`
trace() {
    runs=$1
    shift
    "$tare" trace --style none -r "$runs" --timeout 600s --export-jsonl arcs -- "$self" "$@" >out 2>err || wrong "$*: $(cat out err)"
    [ -z "$(ls tmp)" ] || wrong "$*: left in the temporary folder: $(ls tmp)"
}

# passed N NAME...: the points of these names so many times in all runs together
passed() {
    n=$1
    shift
    for name; do
        found=$(grep '"type":"point"' arcs | grep "\"name\":\"$name\"" | sed 's/.*"n":\([0-9]*\)}.*/\1/' | awk '{ n += $1 } END { print n + 0 }')
        [ "$found" = "$n" ] || wrong "point $name: $found passes, $n expected"
    done
}

# arc N FROM TO: likewise
arc() {
    found=$(grep '"type":"arc"' arcs | grep "\"from\":{[^}]*\"name\":\"$2\"" | grep "\"to\":{[^}]*\"name\":\"$3\"" |
        sed 's/.*"n":\([0-9]*\).*/\1/' | awk '{ n += $1 } END { print n + 0 }')
    [ "$found" = "$1" ] || wrong "arc $2 - $3: $found passages, $1 expected"
}

# Three processes of tare, each 7 runs and 2 for warm-up: 9 rounds, one look, and one more question to the plan, which ends it.
trace 3 run -N -w 2 -r 7 true
passed 3 tare options command open machine conditions programs measure weigh settle report findings screen close end
passed 27 round child 'child ended' row
passed 33 plan
passed 3 look
arc 27 round child
arc 27 child 'child ended'
arc 0 child child

# Two commands share a round.
trace 2 run -N -r 5 true 'true x' --export-json j --export-csv c
passed 10 round
passed 20 child row
passed 4 export

# A traced tare that traces: what it asks its programs is its own affair, and each process has its own file. 3 programs of 4 runs.
trace 3 trace -r 4 --export-jsonl "$scratch/inner" -- "$road" 100 0
passed 12 child 'read back' 'was read'
passed 0 milestone
n=$(grep '"type":"point"' inner | grep '"name":"milestone"' | sed 's/.*"n":\([0-9]*\)}.*/\1/')
[ "$n" = 400 ] || wrong "the inner session: $n milestones in place of 400"

# A traced tare that runs a program with points: they are of one run, in two files.
trace 2 run -N -r 3 -- "$road" 100 0
passed 6 child
passed 600 milestone
arc 0 child start
grep '"type":"point"' arcs | grep -q '"name":"start".*"n":6}' || wrong "road was not started 6 times"

# Reading takes its way too.
trace 2 show r.jsonl
passed 2 file parse print exports
passed 0 child
exit $bad
