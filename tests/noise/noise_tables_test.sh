#!/bin/sh
# SPDX-License-Identifier: MIT
# noise_tables_test.sh NOISE_BENCH PAGE: what the bench prints of its recognition has the form in which the page shows it: whole tables, and every line of it on the page, but for the figures.
set -u
printed=$("$1" recognise 60 7) || exit 1
page=$2
bad=0
complain() {
    echo "$1: $2"
    bad=1
}
form() { sed 's/no sample/N [N, N]/g; s/nan/N/g; s/[0-9][0-9.]*/N/g'; }
page_form=$(form <"$page")
while IFS= read -r line; do
    case $line in
    \|*\| | "") ;;
    *\|*) complain "a bar, and no row of a table" "$line" ;;
    esac
    [ -z "$line" ] || printf '%s\n' "$page_form" | grep -qxF -e "$(printf '%s\n' "$line" | form)" || complain "not on the page" "$line"
done <<END
$(printf '%s\n' "$printed" | sed '/^Misses/,$d')
END
printf '%s\n' "$printed" | grep -q '^Of ' || complain "nothing of time lost" "$printed"
exit $bad
