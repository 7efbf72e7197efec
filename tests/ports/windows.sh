#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds tare for Windows and runs it under wine, in a prefix of its own: what it prints is looked at for what must be there, as times are the machine's.
# 77: there is no wine.
#
#   tests/ports/windows.sh BUILD-FOLDER
set -eu
folder=$1
here=$(cd "$(dirname "$0")" && pwd)
command -v wine >/dev/null || { echo "skipped: there is no wine (./dev deps ports installs it)" && exit 77; }
tools=$here/../../tools
{
    "$tools/windows_libraries.sh" "$folder-libraries" && cmake --preset mingw -B "$folder" -DTARE_WINDOWS_LIBRARIES="$folder-libraries" &&
        "$tools/cross.sh" mingw "$folder"
} >"$folder.build" 2>&1 || { cat "$folder.build" && exit 1; }

WINEPREFIX=$(mktemp -d)
# shellcheck disable=SC2154 # set when the trap runs
trap 'code=$?; wineserver -k 2>/dev/null || :; rm -rf "$WINEPREFIX"; exit "$code"' EXIT
export WINEPREFIX WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
unset DISPLAY
wine wineboot -i >/dev/null 2>&1

failed=0
out=$folder.out
fail() { # WHAT
    echo "failed: $1" && failed=1
}
run() { # NAME CODE WORD...: under wine, its output into $out
    name=$1 code=$2 got=0
    shift 2
    wine "$@" >"$out" 2>"$out.err" </dev/null || got=$?
    # The message about a missing loader of 32-bit programs is Debian's, not ours.
    grep -v 'wine32\|multiarch\|dpkg --add-architecture\|apt-get install' "$out.err" >"$out.talk" || :
    [ "$got" -eq "$code" ] || { fail "$name: exit code $got, not $code" && cat "$out" "$out.talk"; }
}
shows() { # REGEX...: each is in the output
    for wanted; do
        grep -Eq -- "$wanted" "$out" || { fail "$name: nothing like '$wanted' in:" && cat "$out"; }
    done
}

run version 0 "$folder/cli/tare.exe" --version
shows '^tare [0-9.]+$'
! grep -q "$(printf '\r')" "$out" || fail "version: lines end in CR LF"
run help 0 "$folder/cli/tare.exe" --help
shows '^tare measures the speed of programs' '^  machine +clock '
run usage 2 "$folder/cli/tare.exe" clok
grep -q "did you mean tare clock" "$out.talk" || fail "usage: no advice in $(cat "$out.talk")"

# Every line of the profiler's screen.
run clock 0 "$folder/cli/tare.exe" clock -v --priority high --save "$folder.jsonl"
shows 'Windows [0-9]+\.[0-9]+\.[0-9]+ as Wine [0-9.]+ shows it, x86_64' \
    ', family [0-9]+, model [0-9]+, stepping [0-9]+$' \
    '^  code name ' \
    '^  [0-9]+ CPUs? on [0-9]+ cores? of [0-9]+ threads?; L1d ' \
    '^  core [0-9.]+ GHz by dependent multiplies, [0-9.]+ GHz by dependent adds' \
    'measured on CPU [0-9]+, priority class high, base priority not known \(Wine ' \
    '^  QueryPerformanceCounter ' \
    '^  GetSystemTimePreciseAsFileTime ' \
    'rate: against QueryPerformanceCounter, ppm' \
    'QueryPerformanceCounter: .*source [0-9]+ Hz, the time-stamp counter' \
    '^  time-stamp counter runs at [0-9.]+ [GM]Hz \(measured' \
    '^  (lfence|none|rdtscp|cpuid) +[0-9]' \
    'timer period [0-9.]+ ms now, [0-9.]+ .s at the finest, 15.625 ms by default; the time of day moves by 15.625 ms' \
    'with the finest period asked for it is [0-9.]+ .s; 60 sleeps of 1 to 20 ms ended later' \
    'scheduler tick 15.6 ms \(64 Hz\), slice ' \
    '^  RDTSC$' '^  LFENCE$' '^  Sleep\(500 ms\)$' '^        5 +1 +[0-9]+ +-?[0-9]+ +[0-9]+ +-?[0-9]+'
! grep -q steal "$out" || fail "clock: it reads the /proc of the host"
[ "$(grep -cE '^        [1-5]      1 ' "$out")" -eq 15 ] || fail "clock: not three times five runs"
grep -q '"type":"trailer"' "$folder.jsonl" || fail "clock: its record has no end"

run show 0 "$folder/cli/tare.exe" show -v "$folder.jsonl"
shows 'priority class high' '^  Sleep\(500 ms\)$'
run export 0 "$folder/cli/tare.exe" show --export-json - "$folder.jsonl"
shows '"clocks"'

run live 0 "$folder/tests/portable/portable_clock_live.exe"
run scripted 0 "$folder/tests/ports/nt_test.exe"
shows '^all as wanted' # the C library ends its lines with CR LF

x86_64-w64-mingw32-gcc -std=c17 -O2 -Wall -Wextra -pedantic -Werror -Iinclude "$here/bracket_user.c" "$folder/src/libtare.a" -o "$folder.user.exe" -static
run user 0 "$folder.user.exe"
shows '^tsc at [0-9]+ MHz, by ' '^[0-9]+ ticks, [0-9]+\.[0-9]{3} us'

# shellcheck source=tests/ports/windows_run.sh
. "$here/windows_run.sh"

[ "$failed" -eq 0 ] && echo "tare.exe, its clock, its runs and a program with TARE_START do what they must under $(wine --version)"
exit "$failed"
