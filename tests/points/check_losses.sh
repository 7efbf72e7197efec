#!/bin/sh
# SPDX-License-Identifier: MIT
# Arcs of runs that lost hits answer nothing: invalid in the comparison, 4 where a decision is asked for, with -q, in stored files and exports too.
#
#   tests/points/check_losses.sh TARE PROGRAM FOLDER
set -u
tare=$1 program=$2 work=$3
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
fast="$program 40000 20" slow="$program 40000 2000"
bad=0

expect() { # WHAT CODE PATTERN: of the last call
    if [ "$code" -ne "$2" ] || ! grep -Eq -- "$3" said; then
        echo "$1: exit $code, not $2, or no '$3' in:"
        cat said
        bad=1
    fi
}
call() {
    "$tare" "$@" >said 2>&1
    code=$?
}

# With room each of these says FAILED: the second takes a hundred times as long. Of several arcs six rounds prove one only if all others differ too.
call trace -q -r 10 --fail-if-slower 50% "$fast" "$slow"
expect 'with room' 1 'FAILED: slower than that'
lost='[0-9]+ hits lost in [0-9]+ runs'
call trace -q -r 6 --limit 200kB --order precise --fail-if-slower 50% "$fast" "$slow"
expect '-q' 4 "no answer: invalid: $lost"
call trace -r 6 --limit 200kB --order precise --margin 10000% --save lossy.tare --export-json lossy.json "$fast" "$slow"
expect 'without a gate' 0 "invalid"
for member in '"verdict": "invalid"' "\"reason\": \"$lost"; do
    grep -Eq "$member" lossy.json || { echo "lossy.json: no $member" && bad=1; }
done
call show lossy.tare
expect 'shown again' 0 "invalid"
call trace -r 6 --save fast.tare "$fast"
call trace -r 6 --limit 200kB --order precise --save slow.tare "$fast"
call compare --assume-no-drift --fail-if-slower 50% fast.tare slow.tare
expect 'stored sessions' 4 "$lost"

# On a full disk, as a limit of the system makes one: where times are only of windows, and where not even a table has room.
for blocks in 80 48; do
    printf '#!/bin/sh\nulimit -f %d\nexec "$@"\n' $blocks >full-$blocks
    chmod +x full-$blocks
done
# Windows come by chance: there are so many hits that in each run more windows come than there is room for.
call trace -q -r 6 --mode burst --fail-if-slower 50% "./full-80 $program 400000 20" "./full-80 $program 400000 200"
expect '-q, burst' 4 "no answer: invalid: $lost"
call trace -q -r 6 --fail-if-slower 50% "./full-48 $fast" "./full-48 $slow"
expect '-q, no arc' 6 'no arc of .* is left: [0-9]+ entries were not stored'
call trace -q -r 6 --mode count --fail-if-slower 50% "$fast" "$slow"
expect 'only counted' 3 'undecided: no arc that both programs have'

# What became slower is in an arc that the first program has not, or in one that the second is still in.
call trace -q -r 6 --fail-if-slower 100000% "$program 200 2000" "$program 200 2000 behind"
expect 'an arc of one program' 3 "'[^']* behind', end -> behind: undecided: the program it is compared with has no such arc"
call trace -q -r 6 --fail-if-slower 100000% "$program 200 2000" "$program 200 2000 later"
expect 'a process that goes on' 4 'no answer: invalid: hits were lost in [0-9]+ runs'
call trace -q -r 6 --fail-if-slower 100000% "$program 200 2000" "$program 200 2000 bare"
expect 'a child that makes no file' 4 'no answer: invalid: hits were lost in 6 runs'
call trace -q -r 6 --fail-if-slower 100000% "$program 200 2000" "$program 200 2000 gone"
expect 'a child whose file is removed' 4 'no answer: invalid: hits were lost in 6 runs'
call trace -r 2 --export-json copied.json "$program 200 2000 copied"
expect 'a file that is there twice' 0 'left out: .* is a copy of another file'
grep -q '"n": 400$' copied.json || { echo "copied.json: no point with 400 hits:" && grep '"n":' copied.json && bad=1; }
call trace -r 2 --trace-dir kept "$program 200 2000 forks"
expect 'a child whose file is there' 0 'nothing lost'
for file in kept/run-0001/*.trace; do
    call show "$file"
    expect 'one file of a run with several' 0 'nothing lost'
done
cp -r kept/run-0001 kept/run-0003
call show kept
expect 'a run that is there twice' 0 'left out: .*/run-0003/.* is a copy of another file'
expect 'a run that is there twice' 0 ' 2 runs '
while read -r child; do
    kill -9 "$child"
done <later
exit $bad
