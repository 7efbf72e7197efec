# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154,SC1003 # read by windows.sh, whose variables and functions these are
# tare run, show and compare. No time is looked at but the verdict on a fifth more work.
cp measured.exe 'größer €.exe'

run children 0 "$folder/tests/ports/child_test.exe"
shows '^all as wanted'

# 1.0 against 1.2 of the same work, until it is decided; the name without its extension is found in the current folder.
run planted 0 "$tare" run --max-time 240 --margin 5% -n one -n fifth_more --save planted.jsonl --export-json planted.json \
    'measured spin 100000000' './measured.exe spin 120000000'
shows 'one .* reference' 'fifth_more .* slower'
grep -q '"verdict": *"slower"' planted.json || fail "planted: not slower in its export"
run reread 0 "$tare" show planted.jsonl
shows 'fifth_more .* slower'
# What a host is judged by.
run work 0 "$folder/libexec/tare/tare-work.exe" 1000 64
run adaptive 0 "$tare" run --max-time 1 -v 'measured exit 0'
shows 'an empty program'
run untold 0 "$tare" run -r 6 -v 'measured exit 0'
shows 'context switches: not measurable: Wine does not report what a process used that has ended'
run compared 0 "$tare" compare planted.jsonl planted.jsonl
shows 'undecided|likely_same|same'

run failing 5 "$tare" run -r 2 'measured exit 7'
talks "ended with exit code 7 in run 1"
run fault 5 "$tare" run -r 1 'measured fault'
talks 'ended with exit code 0xc0000005 \(access violation\)'
run ignored 0 "$tare" run -r 2 -i=7,0xc0000428 'measured exit 7' 'measured exit -1073740760'
run unnamed 5 "$tare" run -r 1 'measured exit -1073740760'
talks 'ended with exit code 0xc0000428 in run 1'

# What the program started is ended with it: the file that it would make after 3 seconds never comes (windows.sh looks for it at its end).
run timeout 5 "$tare" run -r 1 --timeout 1 'measured parent late.txt'
talks 'was stopped at the timeout of 1 s'

run words 0 "$tare" run -r 1 --show-output -- measured words 'a b' 'c"d' 'e\' 'f\"g' 'ä€𝄞' '' '*.c' 'x\\' "'q'" 'k l\'
tr -d '\r' <"$out" | grep '^<' >words.txt || :
cat >wanted.txt <<'WORDS'
<a b>
<c"d>
<e\>
<f\"g>
<ä€𝄞>
<>
<*.c>
<x\\>
<'q'>
<k l\>
WORDS
cmp -s words.txt wanted.txt || { fail "words:" && diff wanted.txt words.txt; }
run text 0 "$tare" run -r 1 --show-output 'measured words C:\new\table "two words" \"'
shows '^<C:\\new\\table>' '^<two words>' '^<">'
run name 0 "$tare" run -r 1 '"größer €.exe" exit 0'
shows 'größer €\.exe'

# A program is not written over, whichever slash its name has; the script of an interpreter is noted.
run own_file 2 "$tare" run -r 1 --export-json '.\measured.exe' '.\measured.exe exit 0'
talks 'are one file'
cp measured.exe python3.exe
echo 'no program' >script.py
run script 0 "$tare" run -r 1 --save script.jsonl '.\python3.exe exit script.py'
grep -q '"program_1_script_path":"script.py"' script.jsonl || fail "script: not noted"
run devices 0 "$tare" run -r 1 --save NUL --export-json ./nul 'measured exit 0'

echo '@echo from the batch file' >batch.bat
run batch 5 "$tare" run -r 1 batch
talks 'cannot execute batch.(bat|BAT): a batch file needs cmd.exe.*--shell=default'
run batch_in_shell 0 "$tare" run -r 1 --shell=default --show-output batch
shows '^from the batch file'
run shell 0 "$tare" run -r 1 --show-output 'measured words "a b" & echo and more'
shows '^<a b>' '^and more'
talks "cmd.exe runs the command: the command uses '&'"
run no_shell 2 "$tare" run -r 1 -N 'measured words a & echo b'
run missing 5 "$tare" run -r 1 'no_such_program 1'
talks 'cannot find the program no_such_program in the current folder or on PATH'

# Beyond 260 characters, as a program and as a folder.
long=
for name in a b c d; do
    long=$long$(printf '%90s' '' | tr ' ' "$name")/
done
mkdir -p "$long"
cp measured.exe "$long/long ö.exe"
run long 0 "$tare" run -r 1 -n long -- "$long/long ö.exe" exit 0
run long_folder 0 "$tare" run -r 1 -n long --cwd "$long" --show-output -- 'long ö.exe' folder
shows '^in a folder'

# In a console, which Wine makes of a terminal: Ctrl-C ends the session, and its record says so. The file's name is on the screen.
{
    until_there . stopped.jsonl && printf '\003' && until_there '"type":"trailer"' stopped.jsonl
} | timeout 120 script -qec "wine '$tare' run -r 10000 --style none --save stopped.jsonl 'measured exit 0'" /dev/null >console.txt 2>&1 || :
tail -n 1 stopped.jsonl | grep -q '"ended":"interrupted","partial":true' || fail "Ctrl-C: the record does not say that it was interrupted"
timeout 60 script -qec "wine '$tare' run -r 1 '\"größer €.exe\" exit 0'" /dev/null >console.txt 2>&1 </dev/null || fail "console: not run"
grep -q '€' console.txt || fail "console: no € on the screen"

# A watchdog, and a class that goes back when all is over, or at once where other programs made more gaps meanwhile: of them Wine does not tell.
run tuned 0 "$tare" run -r 2 --tune=priority -v 'measured exit 0'
shows 'Tuned for it, CPU [0-9]+: (priority|nothing stays changed\. held states: undone, because)'

printf 'what is read\n' >input.txt
run streams 0 "$tare" run -r 2 --input input.txt --output ./output.txt 'measured copy'
grep -q 'what is read' output.txt || fail "streams: the input did not reach the output"
run pipe 0 "$tare" run -r 2 --input input.txt --output pipe 'measured copy'
run placed 0 "$tare" run -r 2 --pin 0 --priority high 'measured exit 0'
run padding 0 "$tare" run -r 1 --show-output 'set HYPERFINE'
shows '^HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET=X'
run environment 0 "$tare" run -r 1 --env 'WORD=größer' --show-output 'echo %WORD%'
run variable 0 "$tare" run -r 1 --env 'Word=one' --env 'wORD=two' --show-output 'set word'
shows '^wORD=two'
! grep -q 'Word=one' "$out" || fail "variable: there are two of one name"
