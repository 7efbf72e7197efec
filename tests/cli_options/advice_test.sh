#!/bin/sh
# SPDX-License-Identifier: MIT
# What src/check advises in a gate (finding_can_be_followed) are the options that `tare gate` has, all of them and no other.
#
#   advice_test.sh TARE
set -eu
tare=$1
check=$(dirname "$0")/../../src/check
has() # TEXT OPTION
{
    printf '%s\n' "$1" | grep -q -e "$2\([^a-z-]\|\$\)"
}
gate=$("$tare" gate --help-all)
taken=$(sed -n 's/.*taken\[\] = "\(.*\)";/\1/p' "$check/finding.c")
[ "$taken" ] || { echo "finding.c lists no option of a gate"; exit 1; }
options=$(grep -oh -e '--[a-z][a-z-]*' "$check"/*.c | sort -u)
for option in $options; do
    if has "$gate" "$option" && ! has "$taken" "$option"; then
        echo "tare gate has $option, which finding.c drops from its advice"
        exit 1
    elif has "$taken" "$option" && ! has "$gate" "$option"; then
        echo "finding.c lets gates advise $option, which tare gate lacks"
        exit 1
    fi
done
