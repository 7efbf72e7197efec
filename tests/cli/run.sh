#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs CLI cases: tests/cli/run.sh [--record] CASE...
#
# A case is a file NAME.case of sections; a line `@@ FILE` begins each:
#   @@ cmd      a POSIX shell script. $TARE and $TARE_FAKE are the binaries; "$how_ended" [-p FILE] PROGRAM ARG... runs a program and
#               prints to standard output `exited 0` or `killed by signal 2`, which a shell cannot tell from `exit 130`; "$machine" NAME FOLDER
#               lays out the files of another machine (tests/system/trees), for --sysroot; "$kernel_counts" exits 77 where there are no perf events;
#               "$flush_fails" PROGRAM ARG... has fsync fail, with -n the making of files.
#   @@ script   the fake script of $TARE_FAKE (tests/fake/fake.h); absent: an empty one
#   @@ stdout   what cmd prints; absent: nothing
#   @@ stderr   likewise
#   @@ exit     cmd's exit code; absent: 0. 77 where that is not expected: it could not be tried here, and said why on standard output
#   @@ NAME     any other file that cmd needs; `@@ NAME of CASE SECTION` takes it from another case
# cmd runs in a fresh folder that holds the sections as files, without the expectations, with an empty environment but PATH, HOME (the folder),
# TERM=xterm, LC_ALL=C and standard input at its end. Where the folder's path is printed, <dir> stands in what is compared.
#
# Expected lines that begin with ~ are patterns, for what may vary:
#   ~REGEX   an extended regular expression for the whole line
#   ~*       any lines, none too, up to one that the next line of the expectation fits
#   ~=TEXT   the text itself (for lines that begin with ~)
#
# --record writes what came as the new expectation; patterns that still fit stay.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${TARE_BUILD:-$here/../../build}
TARE=${TARE:-$build/cli/tare}
TARE_FAKE=${TARE_FAKE:-$build/cli/tare-fake}
how_ended=${how_ended:-$build/tests/cli/how_ended}
machine=${machine:-$build/tests/cli/machine}
kernel_counts=${kernel_counts:-$build/tests/cli/kernel_counts}
flush_fails=${flush_fails:-$build/tests/cli/flush_fails}
record=false
if [ "${1-}" = --record ]; then
    record=true
    shift
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

# compare MODE EXPECTED ACTUAL: prints the expectation with its patterns filled in (MODE show) or a new one (MODE record).
compare() {
    awk -v mode="$1" -v expected_file="$2" '
        function fits(e, line) {
            if (e == "~*")
                return 0
            if (substr(e, 1, 2) == "~=")
                return substr(e, 3) == line
            if (substr(e, 1, 1) == "~")
                return line ~ ("^(" substr(e, 2) ")$")
            return e == line
        }
        function literal(line) { return substr(line, 1, 1) == "~" ? "~=" line : line }
        # The place of the first expected line from `from` on that the line fits; 0: none.
        function later(from, line,    k) {
            for (k = from; k <= n; k++)
                if (fits(expected[k], line))
                    return k
            return 0
        }
        function recorded(line,    k) {
            if (i <= n && expected[i] == "~*" && !(i < n && fits(expected[i + 1], line))) {
                if (!starred[i]++)
                    print expected[i]
                return
            }
            k = later(i, line)
            if (k && k > i && expected[k - 1] == "~*" && !starred[k - 1]++)
                print expected[k - 1]
            print k ? expected[k] : literal(line)
            if (k)
                i = k + 1
        }
        function shown(line) {
            if (i <= n && expected[i] == "~*") {
                if (i == n || !fits(expected[i + 1], line)) {
                    print line
                    return
                }
                i++
            }
            if (i <= n)
                print fits(expected[i], line) ? line : expected[i]
            i++
        }
        BEGIN {
            i = 1
            while ((getline line < expected_file) > 0)
                expected[++n] = line
        }
        { if (mode == "record") recorded($0); else shown($0) }
        END {
            for (; mode == "show" && i <= n; i++)
                if (expected[i] != "~*")
                    print expected[i]
        }' "$3"
}

# A last line without its newline is made visible, else the comparison by lines would not see it.
whole_lines() {
    cat "$1"
    if [ -s "$1" ] && [ "$(tail -c 1 "$1" | wc -l)" -eq 0 ]; then
        echo
        echo '<no newline at the end>'
    fi
}

# The copy's path, of which nothing may depend, becomes <dir>.
without_dir() {
    whole_lines "$1" | dir=$work awk '{
        while (at = index($0, ENVIRON["dir"]))
            $0 = substr($0, 1, at - 1) "<dir>" substr($0, at + length(ENVIRON["dir"]))
        print
    }'
}

# sections FILE FOLDER: each as a file there
sections() {
    awk -v to="$2" -v cases="$(dirname "$1")" '
        function copy(file, section, out,    line, on) {
            while ((getline line < file) > 0) {
                if (line ~ /^@@ /)
                    on = line == "@@ " section
                else if (on)
                    print line >out
            }
            close(file)
        }
        /^@@ / {
            if (out) close(out)
            out = to "/" $2
            printf "" >out
            if ($3 == "of") copy(cases "/" $4 ".case", $5, out)
            next
        }
        out { print >out }' "$1"
}

play() {
    work=$scratch/work out=$scratch/out given=$scratch/given
    rm -rf "$work" "$out" "$given"
    mkdir "$out" "$given"
    sections "$1" "$given"
    cp -R "$given" "$work"
    (cd "$work" && rm -f stdout stderr exit)
    [ -f "$work/script" ] || : >"$work/script"
    (cd "$work" && exec env -i PATH="$PATH" HOME="$work" TERM=xterm LC_ALL=C TARE="$TARE" TARE_FAKE="$TARE_FAKE" how_ended="$how_ended" machine="$machine" \
        kernel_counts="$kernel_counts" flush_fails="$flush_fails" TARE_FAKE_SCRIPT="$work/script" ASAN_OPTIONS="${ASAN_OPTIONS-}" UBSAN_OPTIONS="${UBSAN_OPTIONS-}" sh ./cmd) \
        </dev/null >"$out/stdout.raw" 2>"$out/stderr.raw"
    echo $? >"$out/exit"
    without_dir "$out/stdout.raw" >"$out/stdout"
    without_dir "$out/stderr.raw" >"$out/stderr"
}

expected_exit() {
    if [ -f "$given/exit" ]; then cat "$given/exit"; else echo 0; fi
}

check() {
    bad=false
    if [ "$(cat "$out/exit")" = 77 ] && [ "$(expected_exit)" != 77 ]; then
        cat "$out/stdout"
        skipped=$((skipped + 1))
        return 0
    fi
    for stream in stdout stderr; do
        compare show "$given/$stream" "$out/$stream" >"$out/$stream.expected"
        diff -u --label "expected $stream" --label "actual $stream" "$out/$stream.expected" "$out/$stream" || bad=true
    done
    if [ "$(expected_exit)" != "$(cat "$out/exit")" ]; then
        echo "exit code $(cat "$out/exit"), expected $(expected_exit)"
        bad=true
    fi
    if $bad; then
        echo "not as expected: $(basename "$1"); when it is right so: $0 --record $1"
        return 1
    fi
}

# What came instead of the three expectations, behind the sections that cmd needs.
keep() {
    awk '/^@@ / { kept = $2 !~ /^(stdout|stderr|exit)$/ } kept' "$1" >"$out/case"
    for stream in stdout stderr; do
        compare record "$given/$stream" "$out/$stream" >"$out/$stream.new"
        [ ! -s "$out/$stream.new" ] || { echo "@@ $stream" && cat "$out/$stream.new"; } >>"$out/case"
    done
    [ "$(cat "$out/exit")" = 0 ] || { echo "@@ exit" && cat "$out/exit"; } >>"$out/case"
    cp "$out/case" "$1"
}

failures=0 skipped=0
for case in "$@"; do
    if ! grep -qs '^@@ cmd$' "$case"; then
        echo "$case has no section cmd"
        exit 1
    fi
    play "$case"
    if $record; then
        keep "$case"
    else
        check "$case" || failures=$((failures + 1))
    fi
done
[ "$failures" -eq 0 ] || exit 1
[ $skipped -eq 0 ] || [ $skipped -lt $# ] || exit 77
