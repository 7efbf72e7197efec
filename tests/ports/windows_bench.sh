# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # read by windows.sh, whose variables and functions these are
# tare bench and what is done with its records, tare run --rev, gates and histories. No time is looked at but the verdict on 30 % more work.
cp old.exe "größer €.exe"

run bench_list 0 "$tare" bench --list ill
tr -d '\r' <"$out" | tr '\n' ' ' | grep -q '^work faults divides exits fails closes garbage floods hangs $' ||
    { fail "bench_list: not in the order of the file:" && cat "$out"; }
run bench_filter 0 "$tare" bench --list --filter '/^f/' --exclude loo ill
tr -d '\r' <"$out" | tr '\n' ' ' | grep -q '^faults fails $' || { fail "bench_filter:" && cat "$out"; }
run bench_none 5 "$tare" bench measured.exe
talks 'measured.exe is not built with libtare'
run bench_missing 5 "$tare" bench no_such_program
talks 'cannot find the program no_such_program'

run bench_planted 1 "$tare" bench --save bench.jsonl --export-json bench.json --fail-if-slower 1% ./old.exe ./new.exe
shows '^  work .* slower' 'FAILED'
grep -q '"verdict": *"slower"' bench.json || fail "bench_planted: not slower in its export"
run bench_show 0 "$tare" show bench.jsonl
shows '^  work .* slower'
run bench_compare 0 "$tare" compare bench.jsonl bench.jsonl
shows '^  work \(./old.exe\) '
run bench_dll 0 "$tare" bench -r 2 by_dll
shows '^  work '
run bench_name 0 "$tare" bench -r 2 --pin 0 './größer €.exe'
shows '^  work '

# Each failure is named, and the others are measured.
run bench_ill 5 "$tare" bench -r 3 --exclude hangs ill
shows '^  work +[0-9]' \
    'faults +failed: ended with exit code 0xc0000005 \(access violation\) in process 1' \
    'divides +failed: ended with exit code 0xc0000094 \(integer division by zero\)' \
    'exits +failed: ended with exit code 3' 'fails +failed: it needs a moon' \
    'closes +failed: ended with exit code 6 in process 1; it could not report' \
    'garbage +failed: reported what cannot be read' 'floods +failed: reported what cannot be read'
run bench_hangs 5 "$tare" bench -r 3 --timeout 1.5 --filter hangs ill
shows 'hangs +failed: was stopped at the timeout of 1.5 s'

# A session that is killed leaves no process behind.
rm -f hangs.txt
wine "$tare" bench -r 3 --filter hangs ill >/dev/null 2>&1 </dev/null &
until_there hangs hangs.txt
kill -9 $!
wait $! 2>/dev/null || :

# Exit codes of the gate, of which bench_planted is the one for slower: not slower, undecided, a record that was changed, a benchmark that fails.
# A busy machine makes one process of eight five times slower: the limit is beyond that.
run gate_passes 0 "$tare" bench -r 8 --fail-if-slower 2000% ./old.exe ./new.exe
shows 'passed'
run gate_undecided 3 "$tare" bench -r 2 --fail-if-slower 1% ./old.exe ./new.exe
sed 's/"seed":/"seed" :/' bench.jsonl >changed.jsonl
run gate_changed 4 "$tare" compare --fail-if-slower 1% bench.jsonl changed.jsonl
run gate_failing 5 "$tare" bench -r 3 --fail-if-slower 60% --filter work --filter exits ./old.exe ./ill.exe

# A record says what to run, so its user is asked, and what was changed decides nothing.
run rerun_unasked 2 "$tare" rerun bench.jsonl
talks 'Benchmark 2: work \(./new.exe\)' 'no terminal to ask on; nothing was run'
run rerun_dry 0 "$tare" rerun --dry-run bench.jsonl
shows 'Dry run: nothing was executed'
run rerun_changed 4 "$tare" rerun --yes changed.jsonl
talks 'changed after it was written, so nothing is concluded from it'
run rerun_told 3 "$tare" rerun --yes -r 2 bench.jsonl

# In a console, which Wine makes of a terminal: the question is answered there, and Ctrl-C ends a session, as its record says.
rm -f console.txt
{
    until_there 'Run this?' console.txt
    until [ -s rerun.jsonl ]; do # Wine drops the end of a line that is typed before the program reads
        printf 'y\r'
        sleep 0.2
    done
    until_there '"type":"trailer"' rerun.jsonl
} | timeout 60 script -qfec "wine '$tare' rerun --style none --save rerun.jsonl -r 2 bench.jsonl" console.txt >/dev/null 2>&1 || :
grep -q '"type":"trailer"' rerun.jsonl || { fail "rerun: not run after a yes" && cat console.txt; }
{
    until_there . stopped_bench.jsonl
    until grep -q '"type":"trailer"' stopped_bench.jsonl; do # Wine tells a program one in some dozens never; a second that is told would end tare without a trailer
        printf '\003'
        for _ in $(seq 100); do
            ! grep -q '"type":"trailer"' stopped_bench.jsonl || break
            sleep 0.1
        done
    done
} | timeout 60 script -qec "wine '$tare' bench -r 10000 --style none --save stopped_bench.jsonl ./old.exe" /dev/null >console.txt 2>&1 || :
tail -n 1 stopped_bench.jsonl | grep -q '"ended":"interrupted","partial":true' || fail "bench_stopped: the record does not say that it was interrupted"

# Revisions, of a git that is not there under Wine (git_stand_in.c): old.exe and new.exe by turns, each built by cmd.exe in a folder that goes with the session.
cd repository || exit
run rev_unknown 2 "$tare" run --rev none --rev new ./prog.exe
talks '--rev none: no such commit'
run rev 0 "$tare" run -r 2 --rev old --rev new --build 'copy source.exe prog.exe && echo built' './prog.exe --sample-time 0.00001'
shows '^  1111111 \(old\) ' '^  2222222 \(new\) '
talks 'building 1111111 \(old\): copy source.exe'
run rev_broken 5 "$tare" run -r 2 --rev old --rev new --build 'copy missing.exe prog.exe' ./prog.exe
talks '1111111 \(old\) does not build'

# The gate: its file has the line ends of Windows, a program needs no .exe, and equal builds are not measured.
mkdir -p .tare
printf '# of this repository\r\n--build copy source.exe prog.exe\r\n--bench prog\r\n--filter work\r\n' >.tare/gate
run gate_fails 1 "$tare" gate --max-time 40 --fail-if-slower 5%
shows '^  FAIL: the benchmark is slower' 'FAIL +work .* slower'
run gate_equal 0 "$tare" gate --base old --head old
shows 'PASS'
run gate_absolute 2 "$tare" gate --bench 'C:\prog.exe'
talks 'each work tree has its own'
rm -r .tare
run rev_folder 2 "$tare" run --rev old --rev new --cwd 'C:\users' ./prog.exe
talks 'is in no revision'

# A history, whose commits are measured too; one that only adds results is none of them.
run history_run 0 "$tare" history run --dir kept --build 'copy source.exe prog.exe' -- bench -r 3 --filter work ./prog
shows '^  2 commits measured'
run history_list 0 "$tare" history list --dir kept
shows 'work'
mkdir results
run history_results 0 "$tare" history run --dry-run --dir '.\results' -- bench ./prog
shows '^  1 commit to measure'
cd "$place" || exit
for left in "$WINEPREFIX"/drive_c/users/*/Temp/tare-rev-*; do
    [ ! -e "$left" ] || fail "rev: it left $left behind"
done
