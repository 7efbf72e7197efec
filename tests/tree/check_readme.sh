#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command of README.md's code blocks is one that there is: those that measure are planned with --dry-run, those that show read a
# record of two short runs, those of ./dev are looked up in its help. What it shows of the worked example has the headings that the example prints today.
#
#   tests/tree/check_readme.sh TARE
set -eu
tare=$1
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' README.md | sed 's/ *#.*//' >"$work/commands"
"$tare" run -q -N -r 2 --save "$work/sums.jsonl" true 'sleep 0' >"$work/saved" 2>&1 || { cat "$work/saved" && exit 1; }
grep -c . "$work/commands" >"$work/count" || { echo "README.md shows no command" && exit 1; }

while read -r line; do
    case $line in
    './dev '*)
        word=${line#./dev }
        ./dev help | grep -q "^  ${word%% *} " || { echo "./dev help does not know: $line" && bad=1; }
        ;;
    'tare run --rev '*)
        (cd "$work" && git init -q . && for n in 1 2; do
            git -c user.name=t -c user.email=t@example.org -c commit.gpgsign=false commit -q --allow-empty -m $n
        done && eval "\"$tare\" run --dry-run ${line#tare run }" >out 2>&1) || { echo "not accepted: $line" && cat "$work/out" && bad=1; }
        ;;
    'tare run '*)
        # the line is a shell command line of our own README
        (cd "$work" && : >words.txt && eval "\"$tare\" run --dry-run ${line#tare run }" >out 2>&1) ||
            { echo "not accepted: $line" && cat "$work/out" && bad=1; }
        ;;
    'cd build-release/demo') grep -q '^cd .*build/demo"$' tools/demo.sh || { echo "./dev demo makes no such folder: $line" && bad=1; } ;;
    PATH=*) ;;
    'tare clock') "$tare" clock --help | grep -q -- "--export-json" || { echo "not accepted: $line" && bad=1; } ;;
    'tare system show') "$tare" system show --help | grep -q -- "--probe" || { echo "not accepted: $line" && bad=1; } ;;
    'tare show '*)
        (cd "$work" && eval "\"$tare\" ${line#tare }" >out 2>&1) || { echo "not accepted: $line" && cat "$work/out" && bad=1; }
        ;;
    'tare rerun '*)
        (cd "$work" && eval "\"$tare\" rerun --dry-run ${line#tare rerun }" >out 2>&1) || { echo "not accepted: $line" && cat "$work/out" && bad=1; }
        ;;
    *) echo "unknown kind of command: $line" && bad=1 ;;
    esac
done <"$work/commands"

grep '^### \|^| *| .* |$\|^[1-4]\. \*' README.md | sed 's/\(^[1-4]\. \*[^*]*\*\).*/\1/; s/^| *| //; s/ |$//' >"$work/headings"
[ "$(grep -c . "$work/headings")" -ge 9 ] || { echo "README.md does not show the worked example" && bad=1; }
while read -r line; do
    grep -qF -- "$line" examples/hashcrack/tables.awk || { echo "the worked example does not print: $line" && bad=1; }
done <"$work/headings"
exit $bad
