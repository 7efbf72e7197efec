#!/bin/sh
# SPDX-License-Identifier: MIT
# The runner itself: it must fail on each kind of difference, and a recorded case must pass.
set -u
here=$(cd "$(dirname "$0")" && pwd)
export TARE=true TARE_FAKE=true
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failures=0

# case NAME CMD STDOUT STDERR EXIT: a case folder; an empty expectation stays absent.
case_of() {
    mkdir "$scratch/$1"
    printf '%s\n' "$2" >"$scratch/$1/cmd"
    [ -z "$3" ] || printf '%b' "$3" >"$scratch/$1/stdout"
    [ -z "$4" ] || printf '%b' "$4" >"$scratch/$1/stderr"
    [ -z "$5" ] || printf '%s\n' "$5" >"$scratch/$1/exit"
}

expect() {
    "$here/run.sh" "$scratch/$2" >"$scratch/log" 2>&1
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
    "$here/run.sh" --record "$scratch/$name"
    expect 0 "$name"
done

case_of not_to_be_tried 'echo no such thing here; exit 77' 'a\n' '' ''
expect 77 not_to_be_tried

case_of keeps_patterns 'echo a1; echo new; echo x; echo y; echo end' '~a[0-9]+\n~*\nend\n' '' ''
"$here/run.sh" --record "$scratch/keeps_patterns"
printf '~a[0-9]+\n~*\nend\n' | cmp - "$scratch/keeps_patterns/stdout" || failures=$((failures + 1))
[ "$failures" -eq 0 ]
