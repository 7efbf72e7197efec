#!/bin/sh
# SPDX-License-Identifier: MIT
# The worked example from end to end on lists so small that only the form is checked: every cell is filled by a record of tare's.
#
#   tests/hashcrack/demo_test.sh DEMO.SH BUILD-FOLDER
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

"$1" "$2" --small >"$work/out" 2>"$work/err" || { echo "exit code $?" && bad=1; }
[ ! -s "$work/err" ] || { echo "it says:" && cat "$work/err" && bad=1; }
for method in array stream threads threads-stop; do
    rows=$(grep -c "^| .$method. | " "$work/out") || :
    [ "$rows" = 3 ] || { echo "$method has $rows rows, expected 3" && bad=1; }
done
[ "$(grep -c '^[1-4]\. \*' "$work/out")" = 4 ] || { echo "not four lessons" && bad=1; }
for gap in 'not measured' 'n = ,' '``' '^| .array. | [0-9., ]*?'; do
    ! grep '^[|1-4M]' "$work/out" | grep -- "$gap" || { echo "a gap: $gap" && bad=1; }
done
! "$1" "$2" --huge 2>"$work/err" || { echo "an unknown option was taken" && bad=1; }
[ $bad = 0 ] || cat "$work/out"
exit $bad
