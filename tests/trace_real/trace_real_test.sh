#!/bin/sh
# SPDX-License-Identifier: MIT
# tare trace with a real program: trace_real_test.sh TARE SUBJECT
#
# However the subject ends, all its passes are there, and the exit code says how it went. Numbers of passes are checked, times never.
set -u
tare=$1 subject=$2
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

# trace CODE OPTION... -- WORD...: $runs runs; the arcs go to `arcs`
runs=3
trace() {
    code=$1
    shift
    "$tare" trace --style none -r $runs --timeout 600s --export-jsonl arcs "$@" >out 2>err
    got=$?
    [ $got = "$code" ] || wrong "$*: exit code $got instead of $code: $(cat out err)"
    [ -z "$(ls tmp)" ] || wrong "$*: left in the temporary folder: $(ls tmp)"
}

# passed N NAME: so many passes of that point in all runs
passed() {
    grep '"type":"point"' arcs | grep "\"name\":\"$2\"" | grep -q "\"n\":$1}" || wrong "point $2: not $1 passes: $(grep "\"$2\"" arcs)"
}

# A disk with few files left: where the program had none for its own, that is what is said, and not that it hit no point.
few_inodes() { # N: as root of a namespace, where one may be had
    unshare -Urm sh -c "mount -t tmpfs -o size=8m,nr_inodes=$1 tmpfs tmp && cd tmp &&
        { '$tare' trace --style none -q -r 3 --save kept '$subject' >../out 2>../err; echo \$? >../code; }" 2>/dev/null
}
for inodes in 4 5 6 7 8 9; do
    few_inodes $inodes || break
    case $(cat code) in
    0) ;;
    6) grep -q 'No space left\|had no space' err || wrong "$inodes inodes: $(cat err)" ;;
    *) wrong "$inodes inodes: exit code $(cat code): $(cat err)" ;;
    esac
done

trace 0 -- "$subject"
passed 150 one
passed 150 two
passed 3 end
passed 0 child
for how in elsewhere closed; do
    trace 0 -- "$subject" $how
    passed 150 two
    passed 3 end
done
trace 0 -- "$subject" leaves
passed 150 two
passed 0 end
trace 0 -- "$subject" executes
passed 300 two
passed 3 end
trace 0 -- "$subject" forks
passed 150 two
passed 21 child
trace 5 -- "$subject" aborts
passed 50 two
trace 5 -- "$subject" killed
passed 50 two
trace 5 -- "$subject" fails
passed 50 two
trace 0 -i -- "$subject" fails
passed 150 two
trace 5 -- "$subject" none
passed 0 one
trace 5 -- sh -c :
grep -q 'has no points: put TARE_POINT()' err || wrong "a program without points: $(cat err)"
for mode in count aggregate; do
    trace 0 --mode $mode -- "$subject"
    passed 150 two
done
runs=6
trace 0 --prove -- "$subject"
passed 300 two
runs=3
trace 0 --order precise -- "$subject"
passed 150 two

# The record, the raw files and the session say the same.
"$tare" trace --style basic -q -r 4 --save r.jsonl --trace-dir raw -- "$subject" >session 2>err || wrong "a session: $(cat err)"
for kept in r.jsonl raw; do
    "$tare" show --style basic -q $kept >shown 2>err
    cmp session shown || wrong "$kept shows another result: $(cat err)"
done
[ "$(ls raw)" = "run-0001
run-0002
run-0003
run-0004" ] || wrong "raw files are in: $(ls raw)"

# Two programs by their paths; a signal in the middle leaves nothing behind.
"$tare" trace --style none -r 6 "$subject" "$subject elsewhere" --export-json j >out 2>err || wrong "two programs: $(cat err)"
grep -q '"verdict"' j || wrong "two programs have no verdicts"
"$tare" trace --style none -r 1000000 --max-time 600 "$subject" >out 2>&1 &
tare_pid=$!
while [ -z "$(ls tmp)" ] && kill -0 $tare_pid 2>/dev/null; do sleep 0.05; done
kill -TERM $tare_pid
wait $tare_pid
got=$?
[ $got = 143 ] || wrong "ended by SIGTERM with $got: $(cat out)"
[ -z "$(ls tmp)" ] || wrong "a signal left in the temporary folder: $(ls tmp)"

# What goes on without a pass is told, once for each run.
"$tare" trace --style basic -r 3 -v -- "$subject" daemon "$scratch/over" >out 2>err || wrong "a daemon: $(cat err)"
: >over
[ "$(grep -c 'Lost: data in all 3 runs' out)" = 1 ] || wrong "a daemon is not told of: $(cat out)"
[ "$(grep -o 'Run [123]: 1 process without a hit was still running' out | wc -l)" = 3 ] || wrong "a daemon is not told of in each run: $(cat out)"
rm over
"$tare" trace --style basic -r 2 -v -- "$subject" turns "$scratch/over" >out 2>err || wrong "a daemon that goes on in a child: $(cat err)"
: >over
[ "$(grep -o 'Run [12]: 1 process without a hit was still running' out | wc -l)" = 2 ] || wrong "a daemon that goes on in a child is not told of: $(cat out)"

# Two builds, two sessions, two paths: compared arc by arc, unless their arguments differ.
mkdir old new
cp "$subject" old/prog
cp "$subject" new/prog
"$tare" trace --style none -r 4 --save old.jsonl -- old/prog >out 2>&1 || wrong "the first build: $(cat out)"
"$tare" trace --style none -r 4 --save new.jsonl -- new/prog >out 2>&1 || wrong "the second build: $(cat out)"
"$tare" trace --style none -r 4 --save named.jsonl -n prog -- old/prog >out 2>&1 || wrong "the first build by a name: $(cat out)"
"$tare" trace --style none -r 4 --save again.jsonl -n prog -- new/prog >out 2>&1 || wrong "the second build by a name: $(cat out)"
"$tare" trace --style none -r 4 --save other.jsonl -- new/prog elsewhere >out 2>&1 || wrong "other arguments: $(cat out)"
for pair in old:new named:again; do
    "$tare" compare --style basic "${pair%:*}.jsonl" "${pair#*:}.jsonl" >out 2>err || wrong "compare $pair: $(cat err)"
    grep -q 'change (95 % CI)' out || wrong "compare $pair says nothing of arcs: $(cat out err)"
    grep -q 'only in' err && wrong "compare $pair leaves something out: $(cat err)"
    grep -q 'not comparable' out && wrong "compare $pair: $(cat out)"
done
"$tare" compare --style basic old.jsonl other.jsonl >out 2>err
grep -q "not comparable.*arguments '' and 'elsewhere'" out || wrong "other arguments are compared: $(cat out err)"

# A session that is killed outright leaves its folder to the next one, which removes it and nothing else.
mkdir tmp2 elsewhere
TMPDIR=$scratch/tmp2
"$tare" trace --style none -r 100000 --max-time 60 "$subject" >out 2>&1 &
tare_pid=$!
while [ -z "$(ls tmp2)" ] && kill -0 $tare_pid 2>/dev/null; do sleep 0.05; done
kill -KILL $tare_pid
wait $tare_pid 2>/dev/null
left=$(ls tmp2)
case $left in
tare-trace-*-$tare_pid-*-??????)
    world=${left#tare-trace-} && world=${world%%-*}
    start=$(sed 's/.*) //' /proc/$$/stat | cut -d ' ' -f 20)
    : >elsewhere/kept
    mkdir "tmp2/tare-trace-$world-$$-$start-aaaaaa" "tmp2/tare-trace-0123456789abcdef-999999998-1-aaaaaa" tmp2/tare-trace-notes \
        "tmp2/tare-trace-$world-999999998-1" "tmp2/tare-trace-${world}0-999999998-1-aaaaaa" "tmp2/xtare-trace-$world-999999998-1-aaaaaa"
    ln -s ../elsewhere "tmp2/tare-trace-$world-999999998-1-bbbbbb"
    : >"tmp2/tare-trace-$world-999999998-1-cccccc"
    mv "tmp2/$left" aside
    ls tmp2 >expected
    mv aside "tmp2/$left"
    mkdir -p "tmp2/tare-trace-$world-$$-1-dddddd/run-0001" # the number of one that lives, and began at another time
    "$tare" trace --style none -r 3 "$subject" >out 2>err || wrong "after a killed session: $(cat out err)"
    ls tmp2 >found
    cmp expected found || wrong "in the temporary folder: $(cat found), not $(cat expected)"
    [ -e elsewhere/kept ] || wrong "a link was followed"
    grep -q "removed what a killed session left behind: $scratch/tmp2/$left" err || wrong "what was removed is not told: $(cat err)"
    ;;
*) wrong "a killed session of $tare_pid left: $left" ;;
esac
exit $bad
