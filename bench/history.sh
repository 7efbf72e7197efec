#!/bin/sh
# SPDX-License-Identifier: MIT
# How often changes in a history are found, where and how fast, on simulated series with known truth; how fast its files are read; and how long the pages of
# tare history html take. Prints Markdown; docs/how-it-works/history.md holds figures of one run.
#
#   ./dev bench history [SERIES [SESSIONS [PAGES]]]      bench/history.sh BUILD-FOLDER [SERIES [SESSIONS [PAGES]]]; about three minutes with the defaults
set -eu
cd "$(dirname "$0")/.."
build=$PWD/$1
series=${2:-1000}
sessions=${3:-1000} # of 1000 results each, for the speed of the store
pages=${4:-10000}   # of series of 1000 commits, each with one; then 100 of them again

echo "Machine: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs, kernel $(uname -r)," \
    "$(grep -q ' hypervisor' /proc/cpuinfo && echo 'virtual machine' || echo 'no hypervisor seen'), $(date -u +%Y-%m-%d)." \
    "tare $("$build/cli/tare" --version | awk 'NR == 1 { print $NF }'), load average $(cut -d' ' -f1 /proc/loadavg) at the start," \
    "$series series for a figure. Columns of other tools are references from elsewhere (docs/how-it-works/history.md)."
echo
"$build/bench/history_accuracy" "$series"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
echo
"$build/bench/ingest" "$folder/history" "$sessions" 1000 30
echo
"$build/bench/history_site" "$folder/site" "$pages" 1000 100
printf '%s kB in %s files\n' "$(du -sk "$folder/site" | cut -f1)" "$(find "$folder/site" -type f | wc -l)"
