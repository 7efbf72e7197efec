#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs with SAMPLER's points by themselves: their arguments, their lines, and what kills, threads and forks leave; sampler-repeat; under tare.
#
#   tests/sampler/check_sampler.sh SUBJECT SUBJECT-IN-LINE TARE REPEAT WORK-FOLDER
set -u
subject=$1 in_line=$2 tare=$3 repeat=$4 work=$5
rm -rf "$work"
mkdir -p "$work" && cd "$work" || exit 1
bad=0

is() { # WHAT EXPECTED SEEN
    [ "$2" = "$3" ] || { printf '%s: expected %s, saw %s\n' "$1" "$2" "$3" && bad=1; }
}
line='^{"prev":{"file":"[^"]*","line":[0-9]*,"func":"[a-z]*"},"curr":{"file":"[^"]*","line":[0-9]*,"func":"[a-z]*"},"dt":-*[0-9]*,"ref_start":-*[0-9]*,"ref_end":-*[0-9]*}$'
whole() { grep -c "$line" "$1"; }
empty() { grep -c '^$' "$1"; }
other() { grep -v "$line" "$1" | grep -vc '^$'; }

for program in "$subject" "$in_line"; do
    "$program" -o a.out -- walk 10
    is "arcs" 19 "$(whole a.out)"
    is "empty lines" 1 "$(empty a.out)"
    "$program" -O 3 -- kill 1000 3>a.out
    is "arcs of a killed run" 1999 "$(whole a.out)"
    is "torn lines of a killed run" 0 "$(other a.out)"
    "$program" -o a.out -- threads 1000
    is "arcs of four threads" 7996 "$(whole a.out)"
    is "torn lines of threads" 0 "$(other a.out)"
    is "arcs that cross threads" 2 "$(sed 's/"dt".*//' a.out | grep -v '^$' | sort -u | wc -l)"
    "$program" -o a.out -- children 20
    is "arcs of 20 children and their parent" 21 "$(whole a.out)"
    is "empty lines with children" 1 "$(empty a.out)"
    "$program" -o a.out -- signals 20
    is "arcs with a signal handler" 21 "$(whole a.out)"
    is "arguments" 'arguments -o (end)' "$("$program" -O 3 -- arguments -o 3>a.out | sed 1d | xargs)"
    is "a foreign argument ends them" 'arguments -o x (end)' "$("$program" arguments -o x | grep -v '^{' | grep -v '^$' | sed 1d | xargs)"
    is "standard output" 1 "$("$program" | grep -c "$line")"
done

"$subject" -o 2>err
is "no file: exit code" "2 sampler: -o needs the name of a file" "$? $(cat err)"
"$subject" -O x 2>err
is "no number: exit code" "2 sampler: -O needs the number of an open descriptor" "$? $(cat err)"
"$subject" -o nowhere/x 2>err
is "no folder: exit code" 2 $?
is "no folder" 1 "$(grep -c '^sampler: .*nowhere/x' err)"
"$subject" -O 9 9>&- 2>err
is "a closed descriptor does not end the program" 0 $?
is "a closed descriptor is said once" 1 "$(grep -c '^sampler: arcs are missing' err)"
if [ -w /dev/full ]; then
    "$subject" -o /dev/full 2>err
    is "a full disk" "0 1" "$? $(grep -c '^sampler: arcs are missing' err)"
fi

for how in walk _exit; do
    "$repeat" 10 5 "$subject" "$how" 2 || bad=1
    is "repeat $how: arcs" 15 "$(whole sampler.out)"
    is "repeat $how: runs" 5 "$(empty sampler.out)"
done
"$repeat" 3 3 "$subject" 2>err
is "none left" 2 $?
"$repeat" 3 1 false 2>err
is "a run that fails" 1 $?

TARE_TRACE='' "$tare" trace -q --style none -r 3 --export-csv arcs.csv -- "$subject" -o lines walk 10 || bad=1
is "no lines under tare" 0 "$(wc -c <lines)"
is "arcs under tare" 1 "$(grep -c 'sampler_subject.c,19,walk,,[^,]*sampler_subject.c,20,walk' arcs.csv)"
TARE_TRACE='' "$tare" trace -q --style none -r 2 --export-lines again.out -- "$subject" walk 10 || bad=1
is "a run as lines" "19 1 0" "$(whole again.out) $(empty again.out) $(other again.out)"
exit $bad
