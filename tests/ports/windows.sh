#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds tare for Windows and runs it under wine, in a prefix of its own: what it prints is looked at for what must be there, as times are the machine's.
# 77: there is no wine.
#
#   tests/ports/windows.sh BUILD-FOLDER             tare.exe, its clock and its runs, and libtare
#   tests/ports/windows.sh BUILD-FOLDER sessions    its benchmarks, gates, histories, traces and leak tests
#   tests/ports/windows.sh BUILD-FOLDER queue       hosts of a fleet, with a PostgreSQL server that is brought up here without privileges; 77: a package is missing
#   tests/ports/windows.sh BUILD-FOLDER units       the unit tests of what every platform has
set -eu
# Wine has a page at a fixed address. Where Linux chooses addresses, the heap of one program in 2000 lies there, and that one does not start (error 1359).
[ "${fixed_addresses:-}" ] || ! setarch -R true 2>/dev/null || exec env fixed_addresses=yes setarch -R "$0" "$@"
folder=$1 mode=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
command -v wine >/dev/null || { echo "skipped: there is no wine (./dev deps ports installs it)" && exit 77; }
# shellcheck source=tests/ports/script.sh
. "$here/script.sh" # fail is another below
if [ "$mode" = queue ]; then
    # shellcheck source=tests/store/database.sh
    . "$here/../store/database.sh"
    has_postgresql || { echo "skipped: there is no PostgreSQL (./dev deps ports installs it)" && exit 77; }
fi
tools=$here/../../tools
WINEPREFIX=$(mktemp -d)
# shellcheck disable=SC2154 # set when the trap runs
trap 'code=$?; wineserver -k 2>/dev/null || :; rm -rf "$WINEPREFIX"; exit "$code"' EXIT
# Wine would start a debugger for each program that crashes, and at the first key in a console a desktop, which takes 10 seconds without a display.
export LC_ALL=C.UTF-8 WINEPREFIX WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=;winedbg.exe,explorer.exe=d"
unset DISPLAY
wineserver -p # one for all programs: between two of them it would end, and a start just then fails
wine wineboot -i >/dev/null 2>&1 &
[ "$mode" != sessions ] || set -- "$folder"
"$tools/cross.sh" mingw "$@" >"$folder.build" 2>&1 || { cat "$folder.build" && exit 1; }
wait $!

out=$folder.out
rm -f "$folder.failed"
fail() { # WHAT
    echo "failed: $1"
    touch "$folder.failed"
}
run() { # NAME CODE WORD...: under wine, its output into $out
    name=$1 code=$2 got=0
    shift 2
    wine "$@" >"$out" 2>"$out.err" </dev/null || got=$?
    # The message about a missing loader of 32-bit programs is Debian's, not ours.
    grep -v 'wine32\|multiarch\|dpkg --add-architecture\|apt-get install' "$out.err" >"$out.talk" || :
    [ "$got" -eq "$code" ] || { fail "$name: exit code $got, not $code" && cat "$out" "$out.talk"; }
}
until_there() { # TEXT FILE: not for ever
    for _ in $(seq 600); do
        grep -q "$1" "$2" 2>/dev/null && return
        sleep 0.05
    done
}
shows() { # REGEX...: each is in the output
    for wanted; do
        grep -Eq -- "$wanted" "$out" || { fail "$name: nothing like '$wanted' in:" && cat "$out"; }
    done
}
talks() { # REGEX...: each is on standard error
    for wanted; do
        grep -Eq -- "$wanted" "$out.talk" || { fail "$name: nothing like '$wanted' in:" && cat "$out.talk"; }
    done
}

nobody_lives() { # What was to be ended had its 3 seconds.
    for late in "$place"/late*.txt; do
        [ ! -e "$late" ] || fail "$late: a child of a program that was ended lived on"
    done
}

if [ "$mode" = units ]; then
    tests=0
    for test in "$folder"/tests/*/test_*.exe; do
        run "$(basename "$test" .exe)" 0 "$test"
        tests=$((tests + 1))
    done
    [ "$tests" -gt 1 ] || fail "there are no unit tests in $folder"
    [ ! -e "$folder.failed" ] || exit 1
    echo "$tests programs of unit tests pass under $(wine --version)"
    exit
fi

if [ "$mode" = queue ]; then
    # shellcheck source=tests/ports/windows_queue.sh
    . "$here/windows_queue.sh"
    [ ! -e "$folder.failed" ] || exit 1
    echo "workers of a queue do what they must under $(wine --version)"
    exit
fi

# What is measured, built meanwhile as a stranger builds it: with libtare as it is installed, moved, its headers clean, its archives and its DLLs.
there=$folder.prefix
place=$folder.place
rm -rf "$there" "$there.first" "$place"
for part in development library; do
    cmake --install "$folder" --prefix "$there.first" --component "$part" >"$out" || { fail "install: $(cat "$out")"; }
done
mv "$there.first" "$there"
mkdir -p "$place/repository"
cp "$there"/bin/*.dll "$place"
compile() { # COMPILER WORD...: beside all else
    compiler=x86_64-w64-mingw32-$1
    shift
    { "$compiler" -pedantic -Wall -Wextra -Werror -I"$there/include" "$@" || fail "$compiler $*"; } >>"$folder.compiled" 2>&1 &
}
program() { # COMPILER SOURCE PROGRAM WORD...
    compiler=$1 standard=-std=c17 source=$2 program=$3
    shift 3
    [ "$compiler" = gcc ] || standard=-std=c++17
    compile "$compiler" $standard -O2 "$source" -o "$place/$program" -L"$there/lib" "$@"
}
: >"$folder.compiled"
consumer=$here/../tree/consumer
examples=$here/../../examples/sampler
program gcc "$here/bracket_user.c" user.exe -ltare -static
program gcc "$consumer/consumer.c" static.exe -ltare -static
program gcc "$consumer/consumer.c" dynamic.exe -ltare
program gcc "$consumer/consumer_bench.c" bench.exe -ltare -static
program g++ "$consumer/consumer_cxx.cpp" consumer_cxx.exe -ltare -static
program gcc "$here/measured.c" measured.exe -municode -static
program gcc "$here/git_stand_in.c" repository/git.exe -static
program gcc "$here/benched.c" old.exe -DSTEPS=100 -ltare -static
program gcc "$here/benched.c" new.exe -DSTEPS=130 -ltare -static
program gcc "$here/benched.c" ill.exe -DSTEPS=100 -DILL -ltare -static
program gcc "$here/benched.c" by_dll.exe -DSTEPS=100 -ltare
program gcc "$here/traced.c" traced.exe -ltare -static
program gcc "$here/traced.c" smaller.exe -ffunction-sections -fdata-sections -ltare -static -Wl,--gc-sections -s
program gcc "$here/traced.c" crowded.exe -DCROWDED -ltare -static
program gcc "$here/traced.c" shared.exe -ltare
program gcc "$here/traced.c" plugin.dll -DPLUGIN -shared -ltare
program g++ "$here/../points/points_cxx.cpp" cxx.exe -ltare -static
program gcc "$examples/test_sub.c" sub.exe -DTOUCHED -DWORK=500 -lsampler -static
program gcc "$examples/test_sub.c" subü.exe -DTOUCHED -DWORK=1000 -lsampler -static
program gcc "$examples/test_sub.c" sub_shared.exe -DTOUCHED -DWORK=500 -lsampler -ltare
program gcc "$examples/test_sub.c" sub_in_line.exe -std=gnu17 -DTOUCHED -DSAMPLER_MACRO -lsampler -static
program gcc "$here/leaking.c" leaking.exe -ltare -static
program gcc "$here/leaking.c" leaking_shared.exe -ltare
for header in "$there"/include/tare/*.h "$there"/include/tare/*.hpp; do
    alone=$place/${header##*/}
    printf '#include <tare/%s>\nextern int nothing;\n' "${header##*/}" >"$alone.cpp"
    cp "$alone.cpp" "$alone.c"
    case $header in *.h) set -- "$@" "$alone.c" ;; esac
done
shift
compile gcc -std=c17 -fsyntax-only "$@"
compile g++ -std=c++17 -fsyntax-only "$place"/*.cpp

tare=$folder/cli/tare.exe
if [ "$mode" = sessions ]; then
    wait
    [ ! -e "$folder.failed" ] || cat "$folder.compiled"
    cd "$place"
    # shellcheck source=tests/ports/windows_bench.sh
    . "$here/windows_bench.sh"
    # shellcheck source=tests/ports/windows_trace.sh
    . "$here/windows_trace.sh"
    # shellcheck source=tests/ports/windows_leak.sh
    . "$here/windows_leak.sh"
    nobody_lives
    [ ! -e "$folder.failed" ] || exit 1
    echo "benchmarks, gates, histories, traces and leak tests do what they must under $(wine --version)"
    exit
fi

run version 0 "$folder/cli/tare.exe" --version
shows '^tare [0-9.]+( [(].*[)])?$'
! grep -q "$(printf '\r')" "$out" || fail "version: lines end in CR LF"
run help 0 "$folder/cli/tare.exe" --help
shows '^tare measures the speed of programs' '^  machine +clock '
run usage 2 "$folder/cli/tare.exe" clok
grep -q "did you mean tare clock" "$out.talk" || fail "usage: no advice in $(cat "$out.talk")"

# Every line of the profiler's screen.
record=$folder-größe-測定.jsonl # a name in letters that no code page of Windows has together
run clock 0 "$folder/cli/tare.exe" clock -v --priority high --save "$record"
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
    '^  RDTSC$' '^  LFENCE$' '^  Sleep\(500 ms\)$' '^        5 +1 +[0-9]+ +-?[0-9]+ +[0-9]+\.[0-9]{3} +-?[0-9]+\.[0-9]{3}( |$)' \
    'ticks  net_ticks, ticks +wall, [uµ]+s +net_wall, [uµ]+s'
! grep -q steal "$out" || fail "clock: it reads the /proc of the host"
[ "$(grep -cE '^        [1-5]      1 ' "$out")" -eq 15 ] || fail "clock: not three times five runs"
grep -q '"type":"trailer"' "$record" || fail "clock: its record has no end"

run show 0 "$folder/cli/tare.exe" show -v "$record"
shows 'priority class high' '^  Sleep\(500 ms\)$'
run export 0 "$folder/cli/tare.exe" show --export-json - "$record"
shows '"clocks"'
run missing 6 "$folder/cli/tare.exe" show "$folder-日本.jsonl"
grep -q '日本.jsonl' "$out.talk" || fail "missing: the name is not in $(cat "$out.talk")"
grep -aq 'activeCodePage' "$folder/cli/tare.exe" || fail "tare.exe has no manifest"

run live 0 "$folder/tests/portable/portable_clock_live.exe"
run scripted 0 "$folder/tests/ports/nt_test.exe"
shows '^all as wanted' # the C library ends its lines with CR LF
run settings 0 "$folder/tests/ports/settings_test.exe"
shows '^all as wanted'

# What the system does not tell is said for each source.
run system 0 "$folder/cli/tare.exe" system show -v
shows 'power-plan +unavailable: Wine has no power plans' 'ecoqos +unavailable: ' 'virtualization +unavailable: ' 'priority +normal' \
    'indexer +(not installed|stopped|running)' 'job-limit +(none|unavailable)'
run tune 0 "$folder/cli/tare.exe" system tune
shows 'nothing to do'
run reset 0 "$folder/cli/tare.exe" system reset
shows 'nothing to restore'

wait
[ ! -e "$folder.failed" ] || cat "$folder.compiled"
cd "$place"
run user 0 user.exe
shows '^tsc at [0-9]+ MHz, by ' '^[0-9]+ ticks, [0-9]+\.[0-9]{3} us'
run static 0 static.exe
run dynamic 0 dynamic.exe
x86_64-w64-mingw32-objdump -p dynamic.exe | grep -q 'DLL Name: libtare-0.dll' || fail "dynamic: it does not use the DLL"
run bench 0 bench.exe --sample-time 0.00001
shows '^triple/2 *[0-9]'
run cxx 0 consumer_cxx.exe
# Memory of threads cannot be exported.
x86_64-w64-mingw32-objdump -p "$there/bin/libtare-0.dll" |
    awk '/Ordinal\/Name Pointer/ { on = 1; next } on && !NF { on = 0 } on { print $NF }' | sort >"$out"
grep '^tare_' "$here/../../src/libtare.exports" | grep -v '^tare_trace_thread$' | sort | diff - "$out" || fail "the DLL exports other names"

# shellcheck source=tests/ports/windows_run.sh
. "$here/windows_run.sh"

nobody_lives

[ ! -e "$folder.failed" ] || exit 1
echo "tare.exe, its clock, its runs, libtare and a program with TARE_START do what they must under $(wine --version)"
