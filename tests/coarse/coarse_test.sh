#!/bin/sh
# SPDX-License-Identifier: MIT
# coarse_test.sh SUBJECT: libtare on the coarse counter finds its step, every reading is on the grid, and the origin is drawn anew in each process.
set -eu
subject=$1
origins=
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
    said=$("$subject")
    case $said in
    *'counter 0'*) # not trusted here: nothing is read in line
        echo "skipped: $said"
        exit 77
        ;;
    origin\ *' step 26 off_grid 0') ;;
    *)
        echo "not a counter of 26 ticks: $said" >&2
        exit 1
        ;;
    esac
    origin=${said#origin }
    origins="$origins ${origin%% *}"
done
# Twelve equal draws of 26 happen once in 10^15.
# shellcheck disable=SC2086 # a list of words
[ "$(printf '%s\n' $origins | sort -u | wc -l)" -gt 1 ] || {
    echo "the origin is not drawn:$origins" >&2
    exit 1
}
