#!/bin/sh
# SPDX-License-Identifier: MIT
# How often changes in a history are found, where and how fast, on simulated series with known truth; how fast its files are read; and how long the commands take
# over a history of many series. Prints Markdown; docs/how-it-works/history.md holds figures of one run.
#
#   ./dev bench history [SERIES [SESSIONS [MANY]]]      bench/history.sh BUILD-FOLDER [SERIES [SESSIONS [MANY]]]
#
# About six minutes and 3 GB of disk with the defaults.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
series=${2:-1000}
sessions=${3:-1000} # of 1000 results each, for the speed of the store
many=${4:-10000}    # series of 1000 results each, for the commands

echo "Machine: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs, kernel $(uname -r)," \
    "$(grep -q ' hypervisor' /proc/cpuinfo && echo 'virtual machine' || echo 'no hypervisor seen'), $(date -u +%Y-%m-%d)." \
    "tare $("$build/cli/tare" --version | awk 'NR == 1 { print $2 }'), load average $(cut -d' ' -f1 /proc/loadavg) at the start," \
    "$series series for a figure. Columns of other tools are references from elsewhere (docs/how-it-works/history.md)."
echo
"$build/bench/history_accuracy" "$series"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
echo
"$build/bench/ingest" "$folder/history" "$sessions" 1000 30
rm -rf "$folder/history"

# The commands, in a repository of 1001 commits

repository=$folder/repository
git init -q -b main "$repository"
awk 'BEGIN {
    for (i = 0; i <= 1000; i++)
        printf "commit refs/heads/main\ncommitter t <t@example.org> %d +0000\ndata 4\nstep\nM 644 inline f\ndata 4\n%04d\n", 1764000000 + 28800 * i, i
}' | git -C "$repository" fast-import --quiet
git -C "$repository" log --reverse --format=%H >"$folder/commits"
mkdir "$repository/.tare"
echo
"$build/bench/ingest" "$repository/.tare/history" 1000 "$many" 1 1 "$folder/commits"

# what WORD...: a row. Some end with 3, as changes are nominated.
measure() {
    what=$1 && shift
    "$build/cli/tare" run -w 0 -r 1 -i --style none --cwd "$repository" --export-csv - -- "$build/cli/tare" "$@" 2>"$folder/said" |
        awk -F, -v what="$what" 'NR == 2 { printf "| %s | %.1f | %.1f | %.0f |\n", what, $2, $5 + $6, $15 / 1e6 }'
}
printf '\n| %s series of 1000 commits | s | CPU s | largest process MB |\n|---|---:|---:|---:|\n' "$many"
measure check history check
measure list history list -q
measure 'html, first' history html "$folder/site"
measure 'html, again' history html "$folder/site"
"$build/bench/ingest" -w 1000 1001 "$repository/.tare/history" 1000 "$many" 1 1 "$folder/commits" >/dev/null
measure 'list, one commit more in all series' history list -q
measure 'html, one commit more in all series' history html "$folder/site"
