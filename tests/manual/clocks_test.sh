#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/clocks.md explains what tare clock prints: clocks_test.sh TARE-FAKE ROOT
#
# Every heading and column of its output with -v and every finding that is made about clocks stands there, and every finding it names is made.
set -u
fake=$1 root=$2
page=$root/docs/clocks.md
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
bad=0

TARE_FAKE_SCRIPT=/dev/null "$fake" clock -r 1 -v >out || exit 1
grep -oE '^[A-Z][A-Za-z]*( [a-z]+)*' out | sort -u >headings
[ "$(wc -l <headings)" -ge 5 ] || { echo "too few headings found" && cat headings && bad=1; }
while read -r heading; do
    grep -q "^## $heading\$" "$page" || { echo "no section: $heading" && bad=1; }
done <headings

grep -oE '^ +clock  .*' out | tr -s ' ' '\n' | grep -v '^clock$' | grep . >columns
[ "$(wc -l <columns)" -ge 6 ] || { echo "too few columns found" && bad=1; }
while read -r column; do
    grep -qE "^\| (.*, )?${column}[ ,]" "$page" || { echo "no column: $column" && bad=1; }
done <columns

tr -d '\n' <"$root/src/check/clock_checks.c" | grep -oE 'finding_add\( *c, "[a-z_]+"' | cut -d'"' -f2 | sort -u >findings
[ "$(wc -l <findings)" -ge 10 ] || { echo "too few findings found" && bad=1; }
while read -r finding; do
    grep -q "\`$finding\`" "$page" || { echo "no finding: $finding" && bad=1; }
done <findings
# shellcheck disable=SC2016 # the quotes of Markdown
grep -oE '`[a-z]+(_[a-z]+)+`' "$page" | tr -d '`' | sort -u | while read -r named; do
    grep -qx "$named" findings || echo "$named"
done >unknown
[ ! -s unknown ] || { echo "named in the page, and no finding:" && cat unknown && bad=1; }
exit $bad
