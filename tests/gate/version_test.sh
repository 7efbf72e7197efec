#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A benchmark of another version measures something else: a gate compares it with nothing.
#
#   version_test.sh TARE OLD NEW      programs with one benchmark, of version 1 and 2
set -eu
tare=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work" GIT_CONFIG_GLOBAL=/dev/null TMPDIR="$work"
mkdir "$work/repository"
cd "$work/repository"
git init -q .
for program in "$2" "$3"; do
    cp "$program" bench
    git add bench
    git -c user.name=t -c user.email=t@example.org -c commit.gpgsign=false commit -qm "$program"
done
code=0
"$tare" gate --style basic --base HEAD~1 --build : --bench ./bench >out 2>err || code=$?
[ "$code" -eq 5 ] && grep -q 'new, so not compared: work (version 2)' out && grep -q 'in the base only: work (version 1)' out && exit
cat out err >&2
echo "exit code $code" >&2
exit 1
