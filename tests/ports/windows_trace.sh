# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154,SC1003 # read by windows.sh, whose variables and functions these are
# tare trace: programs with tare's points and with SAMPLER's, linked with the archives and with the DLLs as they are installed. Hits are counted, no time is
# looked at but the verdict on twice the work.
calls() { # FROM TO CALLS: of one arc, in all runs of the csv that the program wrote last; none: the point FROM was never hit
    seen=$(awk -F, -v from="$1" -v to="$2" '$5 == from && $9 == to { n += $12 } END { print n + 0 }' "$out")
    [ "$seen" -eq "$3" ] || fail "$name: $1 to $2 $seen times, not $3"
}
trace() { # NAME RUNS WORD...: into csv
    traced=$1 runs=$2
    shift 2
    run "$traced" 0 "$tare" trace -q --style none -r "$runs" --export-csv - "$@"
}

for program in traced smaller shared; do
    trace "walk of $program" 2 -- "$program.exe" walk 1000
    calls begin end 2000
    calls end begin 1998
    grep -q ',never,never,' "$out" || fail "$program: the point that was never hit is not known"
done
# TerminateProcess within the program: nothing that was written is lost.
trace killed 2 --trace-dir 'killed ü' -- ./traced.exe killed 50000
calls begin end 100000
talks_not() { # REGEX
    ! grep -Eq -- "$1" "$out.talk" || { fail "$name: '$1' in:" && cat "$out.talk"; }
}
talks_not 'lost'
[ "$(echo 'killed ü'/run-0001/*.trace | wc -w)" -eq 2 ] || fail "killed: its file is not in the folder"
run shown 0 "$tare" show 'killed ü'
shows 'begin → end .* 50\.0 k' 'nothing lost'
run 'shown of one file' 0 "$tare" show "$(echo 'killed ü'/run-0001/*.trace)"
shows '1 run · 2 of 3 points hit .* nothing lost'
trace children 1 -- traced.exe children 1000
calls begin end 4000
for program in traced shared crowded; do
    trace "threads of $program" 1 -- "$program.exe" threads 20000
    calls begin end 80000
    calls end begin 79996
    trace "many threads of $program" 1 -- "$program.exe" many 10
    calls begin end 3000
    trace "leaving $program" 1 -- "$program.exe" leave 100
done
for mode in count aggregate burst; do
    for program in shared crowded; do
        trace "threads of $program, $mode" 1 --mode $mode -- $program.exe threads 20000
        calls begin end 80000
    done
done
trace plugin 1 -- shared.exe plugin 100
calls begin end 300
calls end detach 3
trace cxx 1 -- cxx.exe 10
calls inline inline 0
calls template value 20
calls thread inline 2

# Limits: what does not fit is added up, or counted as lost.
trace limit 1 --limit 256kB -- traced.exe walk 50000
calls begin end 50000
run full 0 "$tare" trace -r 1 -v --limit 256kB --order precise -- traced.exe walk 50000
shows 'data lost' '[0-9]+ entries were not stored: no room was left'
run timeout 5 "$tare" trace -r 1 --timeout 1 -- traced.exe sleep 1000
talks 'was stopped at the timeout of 1 s'

# SAMPLER: alone by lines, under tare by points. The four arcs are as 1:2:5:10.
for program in sub sub_shared; do
    run "lines of $program" 0 "./$program.exe" -o sampler.out
    [ "$(grep -c '^{"prev":{"file":"[^"]*test_sub.c","line":[0-9]*,"func":"main"},"curr":.*"dt":[0-9]*,"ref_start":' sampler.out)" -eq 4 ] || fail "$program: not four lines"
    run "arcs of $program" 0 "$tare" trace -r 3 -- "$program.exe"
    shows 'test_sub.c:31 \(main\) → test_sub.c:33 \(main\) ' 'test_sub.c:33 .* → test_sub.c:35 ' \
        'test_sub.c:35 .* → test_sub.c:37 ' 'test_sub.c:37 .* → test_sub.c:39 ' '3 runs · 5 of 5 points hit .* nothing lost'
done
run 'lines in line' 0 ./sub_in_line.exe -O 1
[ "$(grep -c '"ref_end"' "$out")" -eq 4 ] || fail "in line: not four lines"
run 'stored lines' 0 "$tare" show sampler.out
shows 'test_sub.c:37 .* → test_sub.c:39 '
run compared 1 "$tare" trace --max-time 600 -r 12 --fail-if-slower 20% --save two.jsonl ./sub.exe '.\subü.exe'
shows 'test_sub.c:31 .* slower'
shows 'FAILED: slower'
run reread 0 "$tare" show two.jsonl
shows 'test_sub.c:31 .* slower'
