#!/bin/sh
# SPDX-License-Identifier: MIT
# taint_test.sh TARE LEAK-CASES LEAK-FORKS: what memcheck finds in known cases, beside the timing, in the JSON, and what is said where it cannot run. 77: there
# is no valgrind here, or this build does not know it.
set -u
tare=$1 leak_cases=$2 leak_forks=$3
command -v valgrind >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp"
TMPDIR=$work/tmp
export TMPDIR
bad=0

run() { # EXPECTED-CODE TARGET OPTION...
    expected=$1 target=$2
    shift 2
    "$tare" leak "$leak_cases" --filter "$target" --style basic --max-calls 20000 --max-time 900 --timeout 900 --taint --export-json "$work/out.json" "$@" >"$work/out" 2>"$work/err"
    code=$?
    [ "$code" = "$expected" ] || [ "$expected" = any ] || { echo "$target $*: exit $code, expected $expected" && cat "$work/out" "$work/err" && bad=1; }
}

has() { # FILE PATTERN
    grep -Eq "$2" "$work/$1" || { echo "no '$2' in:" && cat "$work/$1" && bad=1; }
}

run any naive_compare -v
if [ "$code" = 6 ] && grep -q 'Debian: ' "$work/err"; then
    exit 77 # built without valgrind's header
fi
[ "$code" = 1 ] || { echo "naive_compare: exit $code" && cat "$work/out" && bad=1; }
has out '; taint: found$'
has out '^taint by valgrind [0-9.]* memcheck:'
has out '^  naive_compare +found: [0-9]+ jumps?$'
has out 'jump +case_compare.c:[0-9]+ \(tare_target_naive_compare\)'
has out '^What taint does not show:'
has out 'division'
object() { # FILE: the taint of its only target, in one line
    tr -d '\n ' <"$work/$1" | grep -o '"taint":{.*"sites_left_out":[0-9]*}'
}
object out.json >"$work/object"
has object '^"taint":\{"verdict":"found","tool":"valgrind[0-9.]*memcheck","text":"found:[0-9]+jumps?;[^"]*","sites":\[\{"kind":"jump","file":"case_compare.c","line":[0-9]+,"function":"tare_target_naive_compare","object":"[^"]+","count":[0-9]+\}'
run any naive_compare --save "$work/s.jsonl"
object out.json >"$work/object"
"$tare" leak --replay "$work/s.jsonl" --export-json "$work/again.json" >"$work/out" 2>&1
object again.json | cmp - "$work/object" || { echo "a replay has lost what taint found" && bad=1; }
"$tare" leak --replay "$work/s.jsonl" --margin 1ms --advantage 0.99 >"$work/out" 2>&1
[ $? = 1 ] || { echo "a replay whose times show no more than a small leak forgets what taint found" && cat "$work/out" && bad=1; }

run any or_compare
[ "$code" != 1 ] || { echo "or_compare: exit 1" && cat "$work/out" && bad=1; }
has out 'taint: clean$'
run 1 table_many_lines
has out 'address +case_tables.c:[0-9]+ '

cat >"$work/known.supp" <<'END'
{
   known
   Memcheck:Cond
   fun:tare_target_naive_compare
}
END
run any naive_compare --suppressions "$work/known.supp"
has out 'taint: clean$'
# Only what the command line names is passed over.
run 1 naive_compare --env "VALGRIND_OPTS=--suppressions=$work/known.supp"
has out 'taint: found$'
# What another process does with the secret is not known.
for target in in_a_child by_a_shell; do
    "$tare" leak "$leak_forks" --filter $target --style basic --max-calls 200 --max-time 900 --timeout 900 --taint >"$work/out" 2>"$work/err"
    has out 'taint: failed$'
    has out 'it starts other processes, and what these do with the secret is not followed'
done
run 6 naive_compare --env PATH=/nonexistent
has err 'valgrind is needed for --taint and is not on PATH'
run 2 naive_compare --suppressions "$work/absent"
"$tare" leak "$leak_cases" --suppressions "$work/known.supp" >"$work/out" 2>"$work/err"
[ $? = 2 ] || { echo "--suppressions without --taint is accepted" && bad=1; }
# Killed while valgrind is there, it leaves nothing behind either.
mkdir "$work/bin"
cat >"$work/bin/valgrind" <<'END'
#!/bin/sh
read -r _ _ _ tare _ <"/proc/$PPID/stat"
kill -KILL "$tare"
END
chmod +x "$work/bin/valgrind"
run 137 or_compare --env PATH="$work/bin:$PATH"
[ -z "$(ls "$TMPDIR")" ] || { echo "left behind: $(ls "$TMPDIR")" && bad=1; }
exit $bad
