#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The step of the action: tare gate with the variables that a GitHub runner sets and the inputs of action.yml as TARE_BUILD, TARE_BENCH, TARE_OPTIONS,
# TARE_UNDECIDED and TARE_DEB. The exit code is that of the gate, but for 3 (CANNOT TELL) with TARE_UNDECIDED=warn.
set -u

case ${TARE_UNDECIDED:-warn} in
warn | fail) ;;
*)
    echo "::error::undecided: is warn or fail, and not $TARE_UNDECIDED"
    exit 2
    ;;
esac

if [ -n "${TARE_DEB:-}" ]; then
    package=$RUNNER_TEMP/tare.deb
    case $TARE_DEB in
    http://* | https://*) curl -fsSL -o "$package" "$TARE_DEB" || exit 6 ;;
    *) cp "$TARE_DEB" "$package" || exit 6 ;;
    esac
    sudo apt-get install -y -qq "$package" || exit 6
fi

comment=$RUNNER_TEMP/tare-comment.md
rm -f "$comment" # of another step
[ -z "${GITHUB_OUTPUT:-}" ] || echo "comment=$comment" >>"$GITHUB_OUTPUT"

# The options are words of a shell, and the workflow's own.
eval "set -- ${TARE_OPTIONS:-}"
[ -z "${TARE_BUILD:-}" ] || set -- "$@" --build "$TARE_BUILD"
for program in ${TARE_BENCH:-}; do
    set -- "$@" --bench "$program"
done
# Of a pull request into another branch than the default one
if [ -n "${GITHUB_BASE_REF:-}" ]; then
    base=$(git merge-base "origin/$GITHUB_BASE_REF" HEAD) || {
        echo "::error::no common commit with $GITHUB_BASE_REF; check out with fetch-depth: 0"
        exit 2
    }
    set -- "$@" --base "$base"
fi

code=0
tare gate --summary github --annotate github --comment "$comment" "$@" || code=$?
if [ "$code" = 3 ] && [ "${TARE_UNDECIDED:-warn}" = warn ]; then
    echo "::warning title=tare gate::CANNOT TELL: see the summary of this job"
    exit 0
fi
exit "$code"
