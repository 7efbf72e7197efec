#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of docs/platforms.md: which commands the tests of each platform call, and what they see refused there. Tests count if they passed when they
# last ran (tests/ports/results.txt); a case that fails on a platform (tests/ports/PROCESSOR.txt) does not.
#
#   tools/platforms.sh [--write | --check]      on standard output; into the page, between its marks; whether the page has it
#   tools/platforms.sh --results LOG            into results.txt: how tests ended, by the build/Testing/Temporary/LastTest.log of ./dev test --ports
set -eu
cd "$(dirname "$0")/.."
page=docs/platforms.md results=tests/ports/results.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ "${1:-}" = --results ]; then
    awk '
        BEGIN { print "# How the tests of the ports ended when they last ran: tools/platforms.sh --results" }
        /^[0-9]+\/[0-9]+ Test: / { name = $3 }
        /^"[^"]*" start time: / { at = "date -d \"" $4 " " $5 " " $6 " " $7 "\" +%F"; at | getline day; close(at) }
        /^Test (Passed|Failed)\./ && name ~ /^(ports|install)\./ { print name, tolower(substr($2, 1, 6)), day | "sort" }' "$2" >"$work/results"
    [ "$(wc -l <"$work/results")" -gt 1 ] || { echo "$2 has no test of a port" >&2 && exit 1; }
    awk 'FILENAME != ARGV[1] && !($1 in now) && !/^#/ { print } FILENAME == ARGV[1] { now[$1]; print }' "$work/results" "$results" | sort >"$work/all"
    cp "$work/all" "$results"
    exit
fi

passed() { # TEST...: whether all of them did
    for test in "$@"; do
        grep -q "^$test passed " $results || return 1
    done
}

last() { # TEST...: "passed 2026-11-28", of the one that ran first
    how=passed
    for test in "$@"; do
        grep -q "^$test " $results || { echo "not run" && return; }
        passed "$test" || how=failed
    done
    echo "$how $(grep -E "^($(echo "$*" | sed 's/ /|/g')) " $results | awk '{ print $3 }' | sort | head -n 1)"
}

# PLATFORM EXIT-CODE COMMAND OPTION..., a line for each call
calls() {
    for case in tests/cli/*.case; do
        grep -oE '"?\$\{?TARE(_FAKE)?\}?"? +[a-z]+' "$case" | sed 's/.* //' >"$work/commands" || :
        sed 's/^/x86-64 0 /' "$work/commands"
        ! passed ports.aarch64 || grep -q "^cli.$(basename "$case" .case) " tests/ports/aarch64.txt || sed 's/^/aarch64 0 /' "$work/commands"
    done
    ! passed ports.static || sed -nE "s/^shows ([0-9]) ('[^']*'|[^ ]+) ([a-z]+.*)/static \1 \3/p" tests/ports/static.sh
    # shellcheck disable=SC2086 # a list of tests
    ! passed $windows || sed -nE "s/^ *run [^0-9]* ([0-9]) \"[^\"]*tare(\.exe)?\" ([a-z]+.*)/windows \1 \3/p" tests/ports/windows*.sh
}

windows='ports.windows ports.windows_units ports.windows_sessions ports.windows_queue'
calls >"$work/calls"
sed -n 's/^COMMAND(\([a-z]*\).*/\1/p' cli/options/commands.def | awk '!seen[$0]++ && !/^(help|completion)$/' >"$work/known"
{
    echo '| has tests (✓) | Linux x86-64 | aarch64, under qemu | one static file | Windows, under Wine |'
    echo '|---|---|---|---|---|'
    awk '
        FILENAME ~ /known$/ { order[++n] = $1; next }
        $2 == 6 && match($0, /--[a-z]+/) { refused[$3, $1] = refused[$3, $1] ", `" substr($0, RSTART, RLENGTH) "`"; next }
        { called[$3, $1] = 1 }
        function cell(command, platform) {
            return refused[command, platform] ? (called[command, platform] ? "✓; " : "") "refuses " substr(refused[command, platform], 3) \
                : called[command, platform] ? "✓" : "–"
        }
        END {
            for (i = 1; i <= n; i++)
                printf "| `%s` | %s | %s | %s | %s |\n", order[i], cell(order[i], "x86-64"), cell(order[i], "aarch64"), cell(order[i], "static"),
                    cell(order[i], "windows")
        }' "$work/known" "$work/calls"
    others=$(sed -n 's/^foreach(processor aarch64 \(.*\))/\1/p' tests/ports/CMakeLists.txt)
    echo "| libtare | ✓ | ✓; also on $(echo "$others" | sed 's/ / and /g') | – | ✓ |"
    failing=
    for processor in aarch64 $others; do
        list=tests/ports/$processor.txt
        n=$(grep -vc '^#' "$list") || continue
        failing="$failing${failing:+, }$n: \`$list\`"
    done
    # shellcheck disable=SC2086 # a list of tests
    echo "| last run | each commit | $(last ports.aarch64) | $(last ports.static) | $(last $windows) |"
    echo "| known failures | – | $failing | – | – |"
} >"$work/table"
awk -v table="$work/table" '
    /^<!-- end of table -->/ { inside = 0 }
    !inside { print }
    /^<!-- table/ { inside = 1; while ((getline line < table) > 0) print line }' "$page" >"$work/page"
case ${1:-} in
--write) cat "$work/page" >"$page" ;;
--check) diff -u "$page" "$work/page" || { echo "$page is not what the tests run: tools/platforms.sh --write" && exit 1; } ;;
*) cat "$work/table" ;;
esac
