#!/bin/sh
# SPDX-License-Identifier: MIT
# How true peak memory is: programs that read their own VmHWM just before their end, against `--memory=exact` of the very same run, and wait4's
# figure of the timed run before it. Prints Markdown.
#
#   ./dev bench memory [SESSIONS]      bench/memory.sh BUILD-FOLDER [SESSIONS]; half a minute with the default of 10
#
# A session is one round of one command: the timed run, then the followed one, whose output is what the file holds at the end. Every
# session has a hook of 300 MB before each run. Differences are tare's figure less the program's, smallest and largest of all sessions.
set -eu
cd "$(dirname "$0")/.."
build=$PWD/$1
sessions=${2:-10}
tare=$build/cli/tare
work=$build/bench/work-memory
cmake --build "$build" --target peak_probe_dynamic peak_probe_static tare >/dev/null
rm -rf "$work" && mkdir -p "$work" && cd "$work"
dynamic=$build/tests/plat/peak_probe_dynamic
static=$build/tests/plat/peak_probe_static

# NAME COMMAND: a line of values for each session: the program's, the exact and wait4's, in KiB.
measure() {
    i=0
    while [ $i -lt "$sessions" ]; do
        "$tare" run --style none -r 1 --memory=exact --output ./told --save session.jsonl -p "$dynamic own 300" "$2" 2>/dev/null
        awk -F'[][,]+' -v told="$(sort -n told | tail -n 1)" '
            /^{"type":"columns","series":0,/ { sub(/.*"ids":/, ""); n = split($0, id, /[][",}]+/)
                for (k = 2; k < n; k++) column[id[k]] = k }
            /^{"type":"row","series":0,/ { sub(/.*"row":/, ""); split($0, v, /[][,}]+/)
                print told, v[column["peak"] + 4] / 1024, v[column["rss"] + 4] / 1024 }
        ' session.jsonl
        i=$((i + 1))
    done >values
    awk -v name="$1" '
        { exact = $2 - $1; rest = $3 - $1
          if (NR == 1) { le = he = exact; lr = hr = rest; lt = ht = $1 }
          if (exact < le) le = exact; if (exact > he) he = exact; if (rest < lr) lr = rest; if (rest > hr) hr = rest
          if ($1 < lt) lt = $1; if ($1 > ht) ht = $1 }
        END { printf "| %s | %d to %d | %+d to %+d | %+d to %+d |\n", name, lt, ht, le, he, lr, hr }
    ' values
}

echo "Machine: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs, kernel $(uname -r), $(date -u +%Y-%m-%d)." \
    "tare $("$tare" --version | awk 'NR == 1 { print $2 }'), $sessions sessions of each."
echo
echo "| program | its own VmHWM, KiB | exact, difference in KiB | wait4, difference in KiB |"
echo "|---|---|---|---|"
for size in 512 1 64 8 1 512; do
    measure "fills $size MB" "$dynamic own $size"
done
measure "fills 1 MB, static" "$static own 1"
measure "fills 64 MB and gives them back" "$dynamic freed 64"
measure "three children of 8, 64, 1 MB, one after the other" "$dynamic tree 8 64 1"
measure "8 threads fill 8 MB each" "$dynamic threads 8 8"
measure "vfork and exec of one that fills 64 MB" "$dynamic vforked 64"
measure "executes itself: 1, 8, 64 MB" "$dynamic chain 1 8 64"
measure "executes itself: 64, 8, 1 MB" "$dynamic chain 64 8 1"
