#!/bin/sh
# SPDX-License-Identifier: MIT
# How often changes in a history are found, where and how fast, on simulated series with known truth. Prints Markdown; docs/how-it-works/history.md
# holds figures of one run.
#
#   ./dev bench history [SERIES]      bench/history.sh BUILD-FOLDER [SERIES]; about a minute with the default of 1000 series for a figure
set -eu
cd "$(dirname "$0")/.."
build=$PWD/$1
series=${2:-1000}

echo "Machine: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs, kernel $(uname -r)," \
    "$(grep -q ' hypervisor' /proc/cpuinfo && echo 'virtual machine' || echo 'no hypervisor seen'), $(date -u +%Y-%m-%d)." \
    "tare $("$build/cli/tare" --version | awk 'NR == 1 { print $NF }'), load average $(cut -d' ' -f1 /proc/loadavg) at the start," \
    "$series series for a figure. Columns of other tools are references from elsewhere (docs/how-it-works/history.md)."
echo
"$build/bench/history_accuracy" "$series"

# ---- below: how fast results are added and a series is read (bench/history/ingest.*) ----
