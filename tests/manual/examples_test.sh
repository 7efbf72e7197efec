#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs every example of the manual: examples_test.sh TARE-FAKE TARE PAGE.scd...   (absolute paths)
#
# An example is a block between ``` lines under EXAMPLES. It must end with 0 and say nothing but notes; `tare` is tare-fake in the
# world of `script`, in a fresh folder that holds what the examples read. An example whose first word is not installed here is
# skipped and named; one of tare never is, but for those as root, which change the machine. Only those with --rev are for real, as git and builds are, in a
# repository of their own, and those of tare system.
set -u
here=$(cd "$(dirname "$0")" && pwd)
fake=$1
real=$2
shift 2
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
for i in 1 2 3; do # sessions of two sides
    tare run --style none -q --seed $i -r 6 --save "o$i" 'sort words'
    tare run --style none -q --seed "1$i" -r 6 --save "n$i" 'sort words'
done
tare show --style none --export-json before.json session.jsonl
cp before.json after.json
awk '/^@@ / { on = $2 == "script"; next } on' "$here/../cli/qualify_good.case" >"$scratch/quiet_host" # its fake script
TARE_FAKE_SCRIPT=$scratch/quiet_host tare system qualify -q --save one.jsonl >/dev/null
cp one.jsonl other.jsonl
awk 'BEGIN { srand(3); for (b = 0; b < 300000; b++) { first = rand() < 0.5
    for (i = 0; i < 2; i++) printf "%s,%.1f,%d\n", (i == 0) == first ? "valid" : "invalid", 100 + (rand() < 0.25 ? 0.1 * (1 + int(3 * rand())) : 0), b } }' >times.csv

# Two commits, of which the second makes ./prog slower.
repository() {
    git init -q repository && cd repository || return
    printf '%s\n' 'prog: prog.in' '	cp prog.in prog' '	chmod +x prog' >Makefile
    for pause in 0.01 0.02; do
        printf '#!/bin/sh\nsleep %s\n' $pause >prog.in
        git add . && git -c user.name=t -c user.email=t@example.org -c commit.gpgsign=false commit -q -m "$pause" || return
    done
}

# A history of two tags, whose commits and series have the same names everywhere.
with_history() {
    awk '/^@@ / { on = $2 == "lay_history"; next } on' "$here/../cli/history_series.case" >lay_history
    # shellcheck source=/dev/null
    . ./lay_history
    git tag v1.0 HEAD~30 && git tag v1.2 HEAD~5
    "$real" history import -q ../results.csv && "$real" history export --format github-action-benchmark data.js || return
    mkdir results && cp ../results.csv ../../session.jsonl . && cp session.jsonl results
}

# By tare itself, not on the scripted machine
really() {
    env PATH="$scratch/real:$PATH" sh -c "$1"
}

example() {
    case $1 in
    'tare system qualify'*) TARE_FAKE_SCRIPT=$scratch/quiet_host sh -c "$1" ;; # for real it would take minutes
    'tare system '*) really "$1" ;;                  # the scripted machine has no settings; these only look
    'tare history '*) (cd with_history/repository && really "$1") ;;
    *' --rev '*) (cd repository && really "$1") ;;
    *) sh -c "$1" ;;
    esac
}

mkdir "$scratch/real"
ln -s "$real" "$scratch/real/tare"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
(repository) || exit 1
(mkdir with_history && cd with_history && with_history) || exit 1

examples_of() { # PAGE: one example a line
    awk '/^# / { in_examples = ($0 == "# EXAMPLES") } /^```$/ { inside = !inside; next } in_examples && inside' "$1"
}

count=0 bad=0
for page; do
    examples_of "$page" >lines
    while IFS= read -r line; do
        first=${line%% *}
        if [ "$first" = sudo ]; then
            echo "skipped, it would change this machine: $line"
            continue
        fi
        if [ "$first" != tare ] && ! command -v "$first" >/dev/null; then
            echo "skipped, no $first here: $line"
            continue
        fi
        case $line in
        *--dry-run*) ;;
        'tare history bisect '* | 'tare history run '* | *--confirm* | 'tare gate '*)
            echo "skipped, it needs a repository with benchmarks, or its records: $line"
            continue
            ;;
        *'--engine slurm'*)
            echo "skipped, it needs a cluster, as tests/ports/slurm.sh brings up: $line"
            continue
            ;;
        *'--engine queue'* | 'tare fleet work '*)
            echo "skipped, it needs a database, as tests/ports/queue.sh brings up: $line"
            continue
            ;;
        esac
        count=$((count + 1))
        example "$line" >out 2>err </dev/null
        code=$?
        grep -v '^note: ' err >wrong
        case $line in
        'tare history check '*) [ "$code" != 3 ] || code=0 ;; # nominated changes
        'tare system '*) [ "$code" -gt 1 ] || code=0 ;; # 1 is an answer too: noisy, or something to do
        esac
        [ "$code" = 0 ] && [ ! -s wrong ] && continue
        printf '%s\n  exit %s\n' "$line" "$code"
        cat wrong
        bad=1
    done <lines
done
echo "$count examples"
[ "$count" -gt 0 ] && [ "$bad" = 0 ]
