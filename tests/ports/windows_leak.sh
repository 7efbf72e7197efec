# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # read by windows.sh, whose variables and functions these are
# tare leak: a planted leak of 1000 multiplications is found, none where there is none, by tare's rule and by dudect's.
run leak_list 0 "$tare" leak --list leaking.exe
[ "$(tr -d '\r' <"$out" | tr '\n' ' ')" = 'planted constant outside growing ' ] || fail "leak_list: $(cat "$out")"
mkdir times
run leak 1 "$tare" leak --max-time 60 --margin 200ns -f planted -f constant --save 'times\leak.jsonl' leaking.exe
shows '^  planted +LEAK .* between off and on' '^  constant +no leak +below 200 ns' 'self-checks passed'
# Its times lie beside it, wherever both are moved to.
mv times moved && mv moved/leak.jsonl moved/other.jsonl
run leak_replay 1 "$tare" leak --replay 'moved\other.jsonl'
shows '^  planted +LEAK '
run leak_show 0 "$tare" show moved/other.jsonl
shows '^  planted +LEAK ' '^  constant +no leak '
run leak_shared 1 "$tare" leak --max-time 60 --margin 200ns -f planted leaking_shared.exe
shows '^  planted +LEAK '
run leak_dudect 1 "$tare" leak --method dudect --measurements 5000 --max-time 60 --margin 200ns -f planted leaking.exe
shows '^  planted +LEAK .* dudect: "(probably|definitely) not constant time"' # t of 10, or of 500, which noise decides
run leak_dudect_constant 3 "$tare" leak --method dudect --measurements 5000 --max-time 1 --margin 200ns -f constant leaking.exe
! grep -q 'definitely' "$out" || fail "leak_dudect_constant: $(cat "$out")"
run leak_outside 5 "$tare" leak -f outside leaking.exe
shows '^  outside +failed +it read outside of its input of 24 bytes, 1 byte behind its last'
run leak_growth 1 "$tare" leak --growth --max-time 60 leaking.exe
shows '^  growing +GROWS '
run leak_taint 6 "$tare" leak --taint leaking.exe
talks 'valgrind does not run on Windows'
run leak_symbol 6 "$tare" leak --symbol 'msvcrt.dll:memcmp(in:32,in:32,len)'
talks 'functions of a DLL are not called on Windows yet'
