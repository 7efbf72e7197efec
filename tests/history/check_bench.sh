#!/bin/sh
# SPDX-License-Identifier: MIT
# A benchmark's change is found in a history, measured again in a session of two programs, and narrowed to its commit: all of it for real, with times
# that the program says.
#
#   check_bench.sh TARE LEVEL-BENCH
set -eu
tare=$1 program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
cd "$folder"
git init -q -b main .
git config user.name t && git config user.email t@example.org
printf '.tare\nbench\n' >.gitignore
for i in $(seq 0 23); do
    # levels of 1000 and 1100 ns with noise of up to 0.4 %
    awk -v i="$i" 'BEGIN { x = i * 0.377; printf "%.3f\n", (i < 14 ? 1000 : 1100) * (1 + 0.008 * (x - int(x) - 0.5)) }' >level
    git add . && git commit -q -m "step $i"
done
fail() {
    echo "$1" >&2
    cat said answer >&2
    exit 1
}
"$tare" history run --build "cp '$program' bench" -- bench -r 4 ./bench >answer 2>said || fail "commits were not measured"
"$tare" history check >answer 2>said && fail "no change was nominated"
grep -q 'parse .*step 14 *nominated' answer || fail "the change is not nominated at its commit"
grep -q '2 series: 1 with changes .*, 1 with none found' answer || fail "other changes than the one were found"
code=0
"$tare" history check --confirm --yes >answer 2>said || code=$?
[ "$code" = 1 ] || fail "a confirmed worsening ends with $code"
grep -q 'parse .*slower.*step 14 *confirmed worse' answer || fail "the change is not confirmed"
"$tare" history bisect parse --yes --good HEAD~14 --bad HEAD~4 >answer 2>said || fail "the search ends with $?"
grep -q 'step 14' answer || fail "another commit than step 14"
grep -rqs "\"reference\": *\"$(git rev-parse HEAD~14)\"" .tare || fail "what the size is against is not kept"
[ "$(git worktree list | wc -l)" = 1 ] || fail "a work tree is left"
cat answer
