#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs every example of the manual: examples_test.sh TARE-FAKE PAGE.scd...   (absolute paths)
#
# An example is a block between ``` lines under EXAMPLES. It must end with 0 and say nothing but notes; `tare` is tare-fake in the
# world of `script`, in a fresh folder that holds what the examples read. An example whose first word is not installed here is
# skipped and named; one of tare never is.
set -u
here=$(cd "$(dirname "$0")" && pwd)
fake=$1
shift
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/home"
ln -s "$fake" "$scratch/bin/tare"
PATH=$scratch/bin:$PATH HOME=$scratch/home TARE_FAKE_SCRIPT=$here/script
export PATH HOME TARE_FAKE_SCRIPT
mkdir -p "$HOME/.local/share/bash-completion/completions" "$HOME/.config/fish/completions" "$HOME/.zfunc"
cd "$HOME" || exit 1
tare run --save session.jsonl -r 12 'sleep 0.1' 'sort words' >/dev/null 2>setup.err || {
    cat setup.err
    exit 1
}
cp session.jsonl old.jsonl
cp session.jsonl new.jsonl
tare show --style none --export-json before.json session.jsonl
cp before.json after.json

examples_of() { # PAGE: one example a line
    awk '/^# / { in_examples = ($0 == "# EXAMPLES") } /^```$/ { inside = !inside; next } in_examples && inside' "$1"
}

count=0 bad=0
for page; do
    examples_of "$page" >lines
    while IFS= read -r line; do
        first=${line%% *}
        if [ "$first" != tare ] && ! command -v "$first" >/dev/null; then
            echo "skipped, no $first here: $line"
            continue
        fi
        count=$((count + 1))
        sh -c "$line" >out 2>err </dev/null
        code=$?
        grep -v '^note: ' err >wrong
        [ "$code" = 0 ] && [ ! -s wrong ] && continue
        printf '%s\n  exit %s\n' "$line" "$code"
        cat wrong
        bad=1
    done <lines
done
echo "$count examples"
[ "$count" -gt 0 ] && [ "$bad" = 0 ]
