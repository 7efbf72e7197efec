#!/bin/sh
# SPDX-License-Identifier: MIT
# The runner itself: it must fail on each kind of difference, and a recorded case must pass.
set -u
here=$(cd "$(dirname "$0")" && pwd)
export TARE=true TARE_FAKE=true
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failures=0

# case NAME CMD STDOUT STDERR EXIT: a case; an empty expectation stays absent.
case_of() {
    {
        printf '@@ cmd\n%s\n' "$2"
        [ -z "$3" ] || printf '@@ stdout\n%b' "$3"
        [ -z "$4" ] || printf '@@ stderr\n%b' "$4"
        [ -z "$5" ] || printf '@@ exit\n%s\n' "$5"
    } >"$scratch/$1.case"
}

expect() {
    "$here/run.sh" "$scratch/$2.case" >"$scratch/log" 2>&1
    code=$?
    if [ "$code" -ne "$1" ]; then
        echo "$2: exit $code, expected $1"
        cat "$scratch/log"
        failures=$((failures + 1))
    fi
}

case_of same 'echo a; echo b >&2; exit 3' 'a\n' 'b\n' 3
case_of pattern 'echo a1; echo x; echo y; echo "~z"; echo end' '~a[0-9]+\n~*\n~=~z\nend\n' '' ''
case_of nothing_between 'echo a; echo end' 'a\n~*\nend\n' '' ''
case_of star_at_the_end 'echo a; echo b; echo c' 'a\n~*\n' '' ''
case_of folder 'pwd; [ ! -e stdout ] && [ -e cmd ]' '<dir>\n' '' ''
for name in same pattern nothing_between star_at_the_end folder; do
    expect 0 "$name"
done

case_of other_line 'echo a' 'b\n' '' ''
case_of line_missing 'echo a' 'a\nb\n' '' ''
case_of line_more 'echo a; echo b' 'a\n' '' ''
case_of unexpected_stdout 'echo a' '' '' ''
case_of unexpected_stderr 'echo a >&2' '' '' ''
case_of stderr_missing 'true' '' 'a\n' ''
case_of unexpected_exit 'exit 1' '' '' ''
case_of wrong_exit 'exit 1' '' '' 2
case_of pattern_is_for_the_whole_line 'echo a12b' '~a[0-9]+\n' '' ''
case_of after_the_star 'echo a; echo b' '~*\nc\n' '' ''
case_of no_newline 'printf a' 'a\n' '' ''
for name in other_line line_missing line_more unexpected_stdout unexpected_stderr stderr_missing unexpected_exit wrong_exit \
    pattern_is_for_the_whole_line after_the_star no_newline; do
    expect 1 "$name"
    "$here/run.sh" --record "$scratch/$name.case"
    expect 0 "$name"
done

printf '@@ cmd\ncat words; cat cmd2\n@@ words\na\nb\n@@ cmd2 of same cmd\n@@ stdout\na\nb\necho a; echo b >&2; exit 3\n' >"$scratch/other_files.case"
expect 0 other_files
case_of no_command 'true' '' '' ''
sed -i 1d "$scratch/no_command.case"
expect 1 no_command

case_of not_to_be_tried 'echo no such thing here; exit 77' 'a\n' '' ''
expect 77 not_to_be_tried

case_of keeps_patterns 'echo a1; echo new; echo x; echo y; echo end' '~a[0-9]+\n~*\nend\n' '' ''
"$here/run.sh" --record "$scratch/keeps_patterns.case"
printf '@@ cmd\n%s\n@@ stdout\n~a[0-9]+\n~*\nend\n' 'echo a1; echo new; echo x; echo y; echo end' | cmp - "$scratch/keeps_patterns.case" || failures=$((failures + 1))
[ "$failures" -eq 0 ]
