#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the commands of the table of wishes: wishes_test.sh TARE-FAKE PAGE.md   (absolute paths)
#
# A row of the table is | number | wish | asked in | command | shows |. The command stands in backticks and is run in the world of `script`; what
# `shows` has in its first backticks is a part of what it prints, and `exit N` there its exit code (else 0). A wish without a command has its reason
# in place of one. All eighteen are there, in order.
set -u
here=$(cd "$(dirname "$0")" && pwd)
fake=$1
page=$2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/home"
ln -s "$fake" "$scratch/bin/tare"
PATH=$scratch/bin:$PATH HOME=$scratch/home TARE_FAKE_SCRIPT=$here/script
export PATH HOME TARE_FAKE_SCRIPT
cd "$HOME" || exit 1
tare run --style none --save old.jsonl -r 12 ./old ./new >/dev/null 2>&1 || exit 1

# The table's cells, apart by tabs; a bar within a cell is written \|.
awk '/^## Eighteen wishes$/ { here = 1; next } /^## / { here = 0 } here && /^\| *[0-9]+ *\|/' "$page" |
    sed 's/^| *//; s/ *|$//; s/\([^\\]\) *| */\1\t/g; s/\\|/|/g' >rows

number=0 bad=0 ran=0
while IFS='	' read -r given wish asked command shows; do
    number=$((number + 1))
    case $number:$wish:$asked in
    "$given":?*:?*) ;;
    *) echo "row $number has the number $given, or no wish, or nobody asked" && bad=1 ;;
    esac
    case $command in
    '`'*) ;;
    ??????????????????????????????*) continue ;; # a reason
    *) echo "row $number: neither a command nor a reason" && bad=1 && continue ;;
    esac
    line=$(printf '%s\n' "$command" | cut -d '`' -f 2)
    part=$(printf '%s\n' "$shows" | cut -d '`' -f 2)
    expected=$(printf '%s\n' "$shows" | sed -n 's/.*exit \([0-9]\).*/\1/p')
    sh -c "$line" >out 2>&1 </dev/null
    code=$?
    ran=$((ran + 1))
    if [ "$code" != "${expected:-0}" ] || ! grep -qF -e "$part" out; then
        printf 'row %s: %s\n  exit %s, and [%s] should be in:\n' "$number" "$line" $code "$part"
        cat out
        bad=1
    fi
done <rows
echo "$ran commands for $number wishes"
[ $number = 18 ] && [ $ran -ge 15 ] && [ $bad = 0 ]
