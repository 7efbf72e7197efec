#!/bin/sh
# SPDX-License-Identifier: MIT
# What src/check advises in a gate and in a trace (finding_can_be_followed) are the options that these commands have, all of them and no other.
#
#   advice_test.sh TARE
set -eu
tare=$1
check=$(dirname "$0")/../../src/check
has() # TEXT OPTION
{
    printf '%s\n' "$1" | grep -q -e "$2\([^a-z-]\|\$\)"
}
options=$(grep -oh -e '--[a-z][a-z-]*' "$check"/*.c | sort -u)
for command in gate trace; do
    help=$("$tare" $command --help-all)
    taken=$(sed -n "s/.*of_$command\[\] = \"\(.*\)\";/\1/p" "$check/finding.c")
    [ "$taken" ] || { echo "finding.c lists no option of tare $command"; exit 1; }
    for option in $options; do
        if has "$help" "$option" && ! has "$taken" "$option"; then
            echo "tare $command has $option, which finding.c drops from its advice"
            exit 1
        elif has "$taken" "$option" && ! has "$help" "$option"; then
            echo "finding.c lets tare $command advise $option, which it lacks"
            exit 1
        fi
    done
done
