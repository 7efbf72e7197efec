#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command of the code blocks of README.md, docs/start.md and docs/run.md exists: those that measure are planned with --dry-run, those that show read a
# record of two short runs, those of ./dev are looked up in its help. Screens are those of tools/screens.sh, and that of `tare run` has today's columns. README.md has at most 900 words. What is printed of the worked example has the headings that the
# example prints today.
#
#   tests/tree/check_readme.sh TARE
set -eu
tare=$1
cd "$(dirname "$0")/../.."
example=$PWD/examples/hashcrack
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

tries() { # LINE ARG...: tare with these, in the folder of the record
    line=$1
    shift
    (cd "$work" && "$@" >out 2>&1) || { echo "not accepted: $line" && cat "$work/out" && bad=1; }
}

: >"$work/commands"
for page in README.md docs/start.md docs/run.md; do
    awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$page" | sed 's/ *  #.*//; s/ *#[^!]*$//' >"$work/of_page"
    grep -q '^tare ' "$work/of_page" || { echo "$page shows no command" && exit 1; }
    cat "$work/of_page" >>"$work/commands"
done
(cd "$work" && git init -q . && for n in 1 2; do
    git -c user.name=t -c user.email=t@example.org -c commit.gpgsign=false commit -q --allow-empty -m $n
done)
: >"$work/words.txt"
tries 'tare run --save' "$tare" run -q -N -r 2 --save sums.jsonl true 'sleep 0'
cp "$work/sums.jsonl" "$work/old.jsonl"
cp "$work/sums.jsonl" "$work/new.jsonl"
for name in o1 o2 o3 n1 n2 n3; do
    tries 'tare run --save' "$tare" run -q -N -r 2 --save $name true
done

while read -r line; do
    words=${line#tare }
    case $line in
    './dev '*)
        word=${line#./dev }
        ./dev help | grep -q "^  ${word%% *} " || { echo "./dev help does not know: $line" && bad=1; }
        ;;
    # the lines are shell command lines of our own pages
    'tare run '*) tries "$line" sh -c "\"$tare\" run --dry-run ${words#run }" ;;
    'tare rerun '*) tries "$line" sh -c "\"$tare\" rerun --dry-run ${words#rerun }" ;;
    'tare show '* | 'tare compare '*) tries "$line" sh -c "\"$tare\" $words" ;;
    'tare clock') tries "$line" "$tare" clock --help ;;
    'tare system show') tries "$line" "$tare" system show --help ;;
    'seq '*) ;;
    *) echo "unknown kind of command: $line" && bad=1 ;;
    esac
done <"$work/commands"

for page in README.md docs/start.md; do
    awk '/^<!-- screen / { name = $3 } /^\$ / && name { print name, substr($0, 3); name = "" }' "$page" >"$work/screens"
    while read -r screen; do
        grep -qxF -e "$screen" tools/screens.sh || { echo "$page: tools/screens.sh has no screen: $screen" && bad=1; }
    done <"$work/screens"
done
titles() { # of the first table
    sed -n 's/^  *command  *//p' "$1" | head -n 1 | sed 's/  */ /g'
}
(cd "$work" && "$tare" run --style none -N -r 6 --save six.jsonl 'sha256sum words.txt' 'md5sum words.txt' && "$tare" show six.jsonl >six) || bad=1
[ "$(titles docs/start.md)" = "$(titles "$work/six")" ] ||
    { echo "docs/start.md: its screen has other columns than today's: $(titles "$work/six")" && bad=1; }

words=$(tr -s '[:space:]' '\n' <README.md | grep -c '[[:alnum:]]') # as tests/tree/check_links.sh counts them
[ "$words" -le 900 ] || { echo "README.md has $words words, more than 900" && bad=1; }

grep '^### \|^| *| .* |$\|^[1-4]\. \*' "$example/README.md" | sed 's/\(^[1-4]\. \*[^*]*\*\).*/\1/; s/^| *| //; s/ |$//' >"$work/headings"
[ "$(grep -c . "$work/headings")" -ge 9 ] || { echo "examples/hashcrack/README.md does not show what was measured" && bad=1; }
while read -r line; do
    grep -qF -- "$line" "$example/tables.awk" || { echo "the worked example does not print: $line" && bad=1; }
done <"$work/headings"
exit $bad
