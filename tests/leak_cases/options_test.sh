#!/bin/sh
# SPDX-License-Identifier: MIT
# options_test.sh TARE LEAK-CASES: what the options of `tare leak` ask for is what happens, by what a real session says of itself. How long anything
# takes is not asked.
set -u
tare=$1 leak_cases=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

run() { # TARGET OPTION...
    target=$1
    shift
    "$tare" leak "$leak_cases" --filter "$target" --style basic --seed 5 --max-calls 20000 --max-time 900 --timeout 900 --export-json "$work/out.json" "$@" >"$work/out" 2>"$work/err"
    code=$?
    case $code in 0 | 1 | 3 | 4) ;; *) echo "$target $*: exit $code" && cat "$work/err" && bad=1 ;; esac
    tr -d '\n' <"$work/out.json" | sed 's/  */ /g' >"$work/line"
}

has() { # FILE PATTERN
    grep -Eq -- "$2" "$work/$1" || { echo "no '$2' in:" && cat "$work/$1" && bad=1; }
}

figure() { # NAME: of out.json
    sed -n "s/^ *\"$1\": \([0-9.e+-]*\),\{0,1\}\$/\1/p" "$work/out.json" | tail -1
}

run or_compare --cache cold -v
has out 'and cold caches'
has line '"cache": "cold"'
run or_compare --cache random -v
has out 'and random caches'
run or_compare --dit -v
has out 'data-independent timing'
run or_compare --repeat 3
[ "$(figure repeat)" = 3 ] || { echo "--repeat 3: $(figure repeat) calls per reading" && bad=1; }
run or_compare --selfcheck 20
awk -v aa="$(figure aa_blocks)" -v all="$(figure blocks)" 'BEGIN { exit !(aa > .2 * all && aa < .5 * all) }' || {
    echo "--selfcheck 20: $(figure aa_blocks) A/A blocks beside $(figure blocks)" && bad=1
}
run or_compare --confidence 95%
has line '"confidence": 0.95'
run or_compare --exact
has line '"exact": true'
run or_compare --advantage 0.2 --margin 7ns
# the margin went to ticks and back
echo "$(figure tolerated_advantage) $(figure margin_ns)" | awk '{ exit !($1 == 0.2 && $2 > 6.99 && $2 < 7.01) }' || {
    echo "--advantage, --margin: $(figure tolerated_advantage) $(figure margin_ns)" && bad=1
}
run naive_compare --method dudect --measurements 500 --drop 20 --threshold 4.5 --percentiles off --order 1
has line '"threshold": 4.5'
[ "$(figure corrected_test)" = 0 ] || { echo "--percentiles off --order 1: test $(figure corrected_test) decides" && bad=1; }

# The programs' own surroundings. The loader prints what it is told to by a variable.
run or_compare --show-output --env LD_DEBUG=statistics
has err 'runtime linker statistics'
run or_compare --env LD_DEBUG=statistics
[ ! -s "$work/err" ] || ! grep -q 'linker statistics' "$work/err" || { echo "output is shown unasked" && bad=1; }
folder=$(dirname "$leak_cases") name=$(basename "$leak_cases")
(cd / && "$tare" leak --cwd "$folder" --list "./$name") | grep -q '^or_compare$' || { echo "--cwd is not where programs are" && bad=1; }

# A function of a library: the claim names its file, the session goes on, and what is wrong is one line.
"$tare" leak --symbol 'libc.so.6:memcmp(in:32,in:32,len)' --class equal --class random --style basic --max-calls 20000 --max-time 900 --timeout 900 -v --save "$work/s.jsonl" >"$work/out" 2>&1
has out 'Verdicts hold only for this file \(libc.so.6:memcmp\(in:32,in:32,len\) [0-9a-f]{16}\)'
has s.jsonl '"library_path":"/[^"]*libc[^"]*","library_bytes":[0-9]+,'
"$tare" leak --yes --continue "$work/s.jsonl" --max-calls 40000 --max-time 900 --timeout 900 --style basic >"$work/out" 2>&1
has out '^  memcmp  '
# Sessions of it go on with the same line, and take none of another function.
for sessions in 2 3; do
    "$tare" leak --sessions "$sessions" --continue "$work/f.jsonl" --symbol 'libc.so.6:memcmp(in:32,in:32,len)' --class equal --class random --style basic --max-calls 20000 --max-time 900 --timeout 900 >"$work/out" 2>&1
    has out "^  $sessions sessions, "
done
"$tare" leak --sessions 4 --continue "$work/f.jsonl" --symbol 'libc.so.6:memcmp(in:16,in:16,len)' --class equal --class random >"$work/out" 2>"$work/err"
[ $? -eq 2 ] || { echo "sessions of another function are taken" && bad=1; }
# A program that is another file now is refused before it is executed: it would leave a file here.
cp "$leak_cases" "$work/own"
"$tare" leak --filter or_compare --max-calls 2000 --max-time 900 --timeout 900 --save "$work/p.jsonl" "$work/own" >"$work/out" 2>&1
printf '#!/bin/sh\n: >"%s"\n' "$work/executed" >"$work/own"
"$tare" leak --yes --continue "$work/p.jsonl" >"$work/out" 2>"$work/err" </dev/null
[ $? -eq 2 ] || { echo "a program that is another file now does not end the session" && bad=1; }
has err 'own has changed since'
[ ! -e "$work/executed" ] || { echo "a program that is another file now was executed" && bad=1; }
# What a measured program does to the file of times, or to the ledger, is said: neither can be written anew.
cat >"$work/spoils" <<EOF
#!/bin/sh
for f in $work/t.jsonl.raw $work/ledger; do
    [ ! -s "\$f" ] || printf \$\$ | dd of="\$f" bs=1 seek=40 conv=notrunc 2>/dev/null
done
exec $leak_cases "\$@"
EOF
chmod +x "$work/spoils"
spoiled() { # OPTION FILE
    "$tare" leak --filter or_compare --max-calls 8000 --max-time 900 --timeout 900 "$@" "$work/spoils" >"$work/out" 2>"$work/err"
    [ $? -eq 6 ] || { echo "$*: a file that was changed is not said" && cat "$work/err" && bad=1; }
    has err 'was deleted, replaced or changed while tare measured'
}
spoiled --save "$work/t.jsonl"
"$tare" leak --filter or_compare --max-calls 2000 --max-time 900 --timeout 900 --ledger "$work/ledger" "$leak_cases" >"$work/out" 2>&1
spoiled --ledger "$work/ledger"
# A library that is measured is not written over.
libc=$(sed -n 's/.*"library_path":"\([^"]*\)".*/\1/p' "$work/s.jsonl" | head -n 1)
cp "$libc" "$work/copy.so"
for option in --export-json --save; do
    "$tare" leak --symbol "$work/copy.so:memcmp(in:32,in:32,len)" --class equal --class random --max-calls 2000 "$option" "$work/./copy.so" >"$work/out" 2>"$work/err"
    [ "$? $(cmp -s "$libc" "$work/copy.so" && echo same)" = '2 same' ] || { echo "$option is written over the library" && cat "$work/err" && bad=1; }
done
refuse() { # CODE SPEC [OPTION...]
    wanted=$1
    shift
    "$tare" leak --symbol "$@" >"$work/out" 2>"$work/err"
    code=$?
    [ "$code $(wc -l <"$work/err") $(($(wc -c <"$work/err") < 400))" = "$wanted 1 1" ] || { echo "$*: exit $code" && cat "$work/err" && bad=1; }
}
refuse 5 'libnosuch.so.9:f(in:1)'
refuse 2 'libc.so.6:no_such_function(in:1)'
refuse 2 'libc.so.6:memcmp(in:32,in:32,len)' --class equal --class nothing
refuse 2 'libc.so.6:memcmp(in:32,in:32,len)' --class equal
# What a library does when it is loaded is told as the library's, and a symbol may be at address 0.
if command -v "${CC:=cc}" >/dev/null; then
    printf '%s\n' '__asm__(".globl nowhere\n.set nowhere,0");' '#include <stdlib.h>' '__attribute__((constructor)) static void load(void) { if (getenv("ENDS")) _Exit(0); }' >"$work/hostile.c"
    "$CC" -shared -fPIC -o "$work/hostile.so" "$work/hostile.c"
    refuse 2 "$work/hostile.so:nowhere(in:1)"
    has err 'no such symbol: its address is 0'
    refuse 5 "$work/hostile.so:load(in:1)" --env ENDS=1
    has err 'the library ended the process, or closed its descriptors, when it was loaded: exit code 0$'
fi
# More inputs than a process holds are refused before anything is measured.
refuse 2 'libc.so.6:memcmp(in:32768,in:32768,len)' --class equal --class random --repeat 4096
has err 'at most --repeat 2047 has room'
refuse 2 "libc.so.6:memcmp(in:32,$(printf 'x%.0s' 1 2 3 4 5 6 7 8 9)$(head -c 2000 /dev/zero | tr '\0' y))"
exit $bad
