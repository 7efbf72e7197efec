#!/bin/sh
# SPDX-License-Identifier: MIT
# How often a gate answers right. Prints Markdown; docs/how-it-works/gate.md holds one run of it.
#
#   ./dev bench gate --simulated [GATES [SLOWER [QUALIFIED [MERGED [TIMED]]]]]      bench/gate.sh BUILD-FOLDER --simulated ...
#   ./dev bench gate --live [MINUTES] [OPTION...]                  bench/gate.sh BUILD-FOLDER --live ...
#       --minutes M       how long (60); the gate that has begun is finished
#       --time S          seconds that each method measures, after the builds (60)
#       --scenario NAME   only this load: quiet, or loaded, a busy loop on every second CPU, on or off by a coin every 5 s; repeatable. Without it they take turns
#       --sizes LIST      injected slowdowns in percent, 0 for none ('0 2 5 10')
#       --part NAME       only this method: tare, compare.py, blocks; repeatable
#       --label TEXT      what is said of the machine, kept in every line
#       --out FOLDER      where the raw lines go (BUILD-FOLDER/bench/gate); a later call appends to what is there
#       --summary         print the tables of what is there and end
#   ./dev bench gate --three [OPTION...]: --time (120) and --out as above, --part google or go
#
# --three: gates of three commits in a scratch repository: 5 % more work, another README, a source that does not compile; with google/benchmark and with Go
# (bench/harness), those that are installed. Exit code 1: an answer is not FAIL, PASS, NO RESULT. On a loaded machine the first may be CANNOT TELL.
#
# --simulated: gates on simulated machines (tests/analyse/gate_world.h): GATES for each row without a slowdown (3334: 10 000 over the three machines), SLOWER for each
# with one, QUALIFIED for each of gates that 19 others qualified, MERGED for each of gates of 2 or 4 runners whose records are merged, and TIMED for each of
# those that show how long gates of 10 to 200 benchmarks take. It uses all processors. A later call makes further gates and adds them to those that are
# there (BUILD-FOLDER/bench/gate/simulated.tsv); with 0 for all it prints the tables alone.
#
# --live: gates of a scratch repository whose suite has 44 benchmarks (bench/gate/suite.cc). Base and head are built anew for each gate; with size 0 they do
# the same, else one benchmark of the head, drawn anew, has that much more work. In the same minutes, in random order, for the same time and on the two
# programs that this gate built:
#   tare         tare gate with P = 2 % and --max-time S
#   compare.py   ten repetitions of all in one process of the base, then of the head: a benchmark is called slower by the U test of google/benchmark's
#                compare.py at 5 %, or by its medians alone where these differ by more than a flat threshold (2, 5, 10 %), as critcmp's
#   blocks       ten processes of the base, then ten of the head: Mann-Whitney's test at 5 %, alone or with medians 2 % apart or more
# Of the last two FAIL is that a benchmark is called slower, PASS that none is. tare's JSON is kept where it names what is not slower or has no result.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
shift

simulated_tables() {
    awk -F'\t' "$(cat bench/figures.awk)"'
        function share(k, n) { return n ? sprintf(" %.1f (%.1f–%.1f) |", 100 * k / n, 100 * least(k, n), 100 * upper(k, n)) : " |" }
        function heading(kind, merged) {
            if (kind == "time") {
                print "\n| machine | benchmarks | injected, % | gates | PASS or named | s | with a third phase, % | s of it |"
                print "|---|---:|---:|---:|---:|---:|---:|---:|"
                return }
            print "\n| machine | " (merged ? "runners | " : "") "benchmarks | min | layout, % | gates | " asked[kind] " | open | s |"
            print "|---|" (merged ? "---:|" : "") "---|---:|---|---:|---:|---:|---:|---:|---:|---:|" }
        BEGIN {
            asked["equal"] = "FAIL | PASS | one below P named | PASS though one is above P"
            asked["injected"] = "injected, % | named | another one, below P, named | it passes though above P" }
        { key = $1; for (i = 2; i <= 7; i++) key = key "\t" $i
          if (!(key in gates)) keys[++of] = key
          gates[key] += $9
          for (i = 10; i <= 19; i++) sum[key, i] += $i }
        END {
            for (i = 1; i <= of; i++) {
                key = keys[i]; n = gates[key]; split(key, is, "\t"); merged = is[3] > 0
                if (is[1] != kind || merged != before) heading(is[1], merged)
                kind = is[1]; before = merged
                right = share(sum[key, is[7] > 0 ? 12 : 11], n)
                if (kind == "time") {
                    third = sum[key, 18]
                    printf "| %s | %d | %s | %d |%s %.0f | %.0f | %.0f |\n", is[2], is[4], is[7], n, right, sum[key, 17] / n, 100 * third / n,
                        third ? sum[key, 19] / third : 0
                    continue }
                if (is[1] == "equal" && is[3] == 0) {
                    what = is[6] ~ /qualified/ ? "qualification" : is[6] ~ /heavy/ ? "heavy tails" : is[6] " % of layout"
                    if (!(what in all)) sums[++parts] = what
                    all[what] += n; failed[what] += sum[key, 10] }
                printf "| %s | %s%s | %s | %s | %d |%s%s%s%s %.1f | %.0f |\n", is[2], (merged ? is[3] " | " : ""), (is[4] > 0 ? is[4] : "40–200"), is[5], is[6], n,
                    (kind == "equal" ? share(sum[key, 10], n) : " " is[7] " |"), right, share(sum[key, 13], n), share(sum[key, 15], sum[key, 14]),
                    sum[key, 16] / n, sum[key, 17] / n }
            printf "\nFAIL of equal builds, all machines together (rows share seeds):"
            for (i = 1; i <= parts; i++) printf "%s %d of %d with %s", (i > 1 ? "," : ""), failed[sums[i]], all[sums[i]], sums[i]
            print "." }' "$raw"
}

simulated() { # [GATES [SLOWER [QUALIFIED [MERGED [TIMED]]]]]
    raw=$build/bench/gate/simulated.tsv
    mkdir -p "$build/bench/gate"
    touch "$raw"
    from=$(awk -F'\t' '$8 + $9 > n { n = $8 + $9 } END { print n + 0 }' "$raw")
    "$build/bench/gate_simulated" "$from" "${1:-3334}" "${2:-1000}" "${3:-200}" "${4:-500}" "${5:-200}" >>"$raw"
    echo "Machine: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs, kernel $(uname -r), $(date -u +%Y-%m-%d)." \
        "tare $("$build/cli/tare" --version | awk 'NR == 1 { print $2 }')."
    simulated_tables
    exit
}

case ${1:-} in
--simulated) shift && simulated "$@" ;;
--live | --three) mode=${1#--} && shift ;;
*)
    echo "gate.sh: --simulated, --live or --three first" >&2
    exit 2
    ;;
esac

script=gate
minutes=60 time=$([ "$mode" = three ] && echo 120 || echo 60) sizes='0 2 5 10' label=unnamed out=$build/bench/gate wanted='' summary=no
# shellcheck source=bench/script.sh
. bench/script.sh
if [ "$mode" = three ]; then
    read_options part time -- "$@"
    check_wanted harness google go
else
    read_options part scenario sizes time -- "$@"
    check_wanted 'method or load' tare compare.py blocks quiet loaded
fi
case $time in '' | 0* | *[!0-9]*) fail "--time: a whole number" ;; esac
for size in $sizes; do
    case $size in *[!0-9]*) fail "--sizes: whole numbers" ;; esac
done
open_folder
tare=$build/cli/tare
u_test=$PWD/bench/harness/u_test.awk
suite=$PWD/bench/gate/suite.cc
suites=$PWD/bench/harness
limit=2

tables() {
    awk -F'\t' "$figures"'
        function mean(sum, n) { return n ? sprintf("%.1f", sum / n) : "" }
        /^#/ { next }
        { key = $1 "\t" $2 "\t" $4
          if (!(key in n)) { sorted[++of] = key; size[of] = $2 + 0 }
          n[key]++; answers[key, $5]++; named[key] += $6; others[key] += $7; beside[key] += $7 > 0; open[key] += $8; seconds[key] += $9
          rounds[key] += $10; again[key] += $11 > 0; confirming[key] += $12 }
        END {
            for (i = 2; i <= of; i++)
                for (k = i; k > 1 && size[k - 1] > size[k]; k--) {
                    x = sorted[k]; sorted[k] = sorted[k - 1]; sorted[k - 1] = x
                    x = size[k]; size[k] = size[k - 1]; size[k - 1] = x }
            print "| nothing injected: load | method | PASS (exact 95 %) | FAIL | CANNOT TELL | no result | named in one gate, mean |"
            print "|---|---|---:|---:|---:|---:|---:|"
            for (i = 1; i <= of; i++) {
                key = sorted[i]; split(key, name, "\t"); m = n[key]
                if (!size[i])
                    printf "| %s | %s | %s | %s | %d | %d | %.2f |\n", name[1], name[3], exact_share(answers[key, "pass"], m), exact_share(answers[key, "fail"], m),
                        answers[key, "cannot_tell"], answers[key, "no_result"], others[key] / m }
            print "\n| injected | load | method | FAIL that names it (exact 95 %) | PASS | CANNOT TELL | no result | gates that name others |"
            print "|---:|---|---|---:|---:|---:|---:|---:|"
            for (i = 1; i <= of; i++) {
                key = sorted[i]; split(key, name, "\t"); m = n[key]
                if (size[i])
                    printf "| %s %% | %s | %s | %s | %d | %d | %d | %s |\n", name[2], name[1], name[3], exact_share(named[key], m), answers[key, "pass"],
                        answers[key, "cannot_tell"], answers[key, "no_result"], exact_share(beside[key], m) }
            print "\n| injected | load | method | gates | seconds, mean | benchmarks left open, mean | rounds of all, mean | gates with a third phase | seconds of it, mean |"
            print "|---:|---|---|---:|---:|---:|---:|---:|---:|"
            for (i = 1; i <= of; i++) {
                key = sorted[i]; split(key, name, "\t"); m = n[key]
                if (name[3] ~ /,/) continue # another rule for the same measurement
                is = name[3] == "tare"
                printf "| %s %% | %s | %s | %d | %.0f | %s | %s | %s | %s |\n", name[2], name[1], name[3], m, seconds[key] / m,
                    is ? mean(open[key], m) : "", is ? mean(rounds[key], m) : "", is ? again[key] + 0 : "", is ? mean(confirming[key], again[key]) : "" } }' "$raw"
}

[ "$summary" = no ] || [ -f "$raw" ] || fail "nothing is there yet"
answer_summary '' tables

child='' load=''

run() { # COMMAND...: so that a signal need not wait for its end
    "$@" &
    child=$!
    code=0
    wait $child || code=$?
    child=''
    return $code
}

end_all() {
    # shellcheck disable=SC2086 # none, or one
    [ -z "$child$load" ] || kill $child $load 2>/dev/null || :
    wait 2>/dev/null || :
}

come_and_go() {
    end_with end_load
    while :; do
        [ "$(random 2)" = 0 ] || begin_load
        sleep 5 &
        nap=$!
        busy="$busy $nap"
        wait $nap
        end_load
    done
}

commit() { # TEXT
    git add -A
    git -c user.name=bench -c user.email=bench@example.org -c commit.gpgsign=false commit -qm "$1"
}

begin_repository() {
    rm -rf "$work/repository"
    mkdir -p "$work/repository"
    cd "$work/repository"
    git init -q -b main .
    echo suite >.gitignore
}

lay_repository() {
    begin_repository
    cp "$suite" suite.cc
    echo "-DSLOWER=-1 -DPERCENT=0" >extra
    echo 0 >input
    # shellcheck disable=SC2016 # for the script
    echo 'exec c++ -O2 $(cat extra) suite.cc -o suite -lbenchmark -lpthread' >build.sh
    commit base
    build base
    "$work/base" --benchmark_list_tests=true >"$work/names"
}

build() { # SIDE: what is checked out, for the other methods
    run sh build.sh || fail "no google/benchmark here (Debian: libbenchmark-dev)"
    mv suite "$work/$1"
}

# A head. Where nothing is injected, an input differs that no benchmark reads: equal programs with equal inputs are not measured.
lay_head() {
    drawn=- slower=-1
    if [ "$size" != 0 ]; then
        slower=$(random "$(wc -l <"$work/names")")
        drawn=$(sed -n "$((slower + 1))p" "$work/names")
    fi
    git checkout -q -B change main
    echo "-DSLOWER=$slower -DPERCENT=$size" >extra
    now >input
    commit change
    build head
}

keep() { # METHOD ANSWER NAMED OTHERS OPEN SECONDS ROUNDS CONFIRMED CONFIRMING
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$chosen" "$size" "$drawn" "$@" "$label" >>"$raw"
    case "$1 $2 $4" in 'tare no_result '* | tare*\ [1-9]*) cp "$work/out.json" "$out/$(date +%s).json" ;; esac
    echo "gate $gates, $chosen, $size % more in $drawn: $1 $2$([ "$3" = 0 ] || echo ', named')$([ "$4" = 0 ] || echo ", $4 others named"), ${6%.*} s" >&2
}

# "ANSWER NAMED OTHERS OPEN SECONDS ROUNDS CONFIRMED CONFIRMING" of tare's JSON
answer_of_tare() {
    awk -v drawn="$drawn" '
        { key = $1; value = $0; gsub(/[":]/, "", key); sub(/^[^:]*: "?/, "", value); sub(/"?,?$/, "", value) }
        key == "verdict" && !answer { answer = value; next }
        key == "seconds" && !all { all = value; next }
        key == "name" { name = value }
        key == "verdict" && value == "fail" { if (name == drawn) named = 1; else others++ }
        key == "verdict" && value == "cannot_tell" { open++ }
        key == "phase" { phase = value }
        key == "benchmarks" && phase == "confirm" { confirmed = value }
        key == "rounds" && phase == "screen" { rounds = value }
        key == "seconds" && phase == "confirm" { confirming = value }
        END { print answer, named + 0, others + 0, open + 0, all + 0, rounds + 0, confirmed + 0, confirming + 0 }' "$work/out.json"
}

by_tare() {
    code=0
    rm -f "$work/out.json"
    run "$tare" gate -q --style none --build 'sh build.sh' --bench suite --max-time "${time}s" --fail-if-slower $limit% \
        --export-json "$work/out.json" >"$work/said" 2>"$work/err" || code=$?
    case $code in 0 | 1 | 3 | 5) ;; *) fail "$(cat "$work/err")" ;; esac
    [ -f "$work/out.json" ] || fail "no answer: $(cat "$work/err")"
    # shellcheck disable=SC2046 # eight words
    keep tare $(answer_of_tare)
}

# judge METHOD TESTED LEAST: FAIL if a benchmark is slower by more than LEAST percent, and where TESTED is 1 by the test
judge() {
    # shellcheck disable=SC2046 # four words
    keep "$1" $(awk -v drawn="$drawn" -v tested="$2" -v least="$3" '
        (!tested || $2 == "slower") && $3 > 1 + least / 100 { if ($1 == drawn) named = 1; else others++ }
        END { print named + others ? "fail" : "pass", named + 0, others + 0, 0 }' "$work/found") "$seconds" 0 0 0
}

repetitions() { # N SIDE: of all benchmarks in one process
    run "$work/$2" --benchmark_repetitions="$1" --benchmark_min_time="$repetition" --benchmark_format=csv >"$work/csv" 2>/dev/null || fail "the suite fails"
    google_values "$([ "$2" = base ] && echo 0 || echo 1)" <"$work/csv" >>"$work/values"
}

# begin_values SHARE: what google/benchmark takes besides the least time of a repetition is the rest
begin_values() {
    : >"$work/values"
    begun=$(now)
    repetition=$(calculate "$1 * $time / 20 / $(wc -l <"$work/names")")
}

test_values() { # TOOL
    seconds=$(calculate "$(now) - $begun")
    awk -v tool="$1" -f "$u_test" "$work/values" >"$work/found"
}

by_compare() {
    begin_values .7
    repetitions 10 base
    repetitions 10 head
    test_values compare.py
    judge compare.py 1 0
    for least in 2 5 10; do judge "medians, $least %" 0 $least; done
}

ten() { # COMMAND...: ten times
    left=10
    while [ $left -gt 0 ]; do
        "$@"
        left=$((left - 1))
    done
}

by_blocks() {
    begin_values .55
    for side in base head; do
        ten repetitions 1 $side
    done
    test_values benchstat
    judge blocks 1 0
    judge "blocks, $limit %" 1 $limit
}

gate() {
    gates=$((gates + 1))
    lay_head
    if [ "$chosen" = loaded ]; then
        come_and_go &
        load=$!
    fi
    # shellcheck disable=SC2086 # words
    for method in $(shuf -e $methods); do "by_${method%.py}"; done
    if [ "$load" ]; then
        kill "$load"
        wait "$load" || :
        load=''
    fi
}

# ---- --three

lay_google() {
    echo '#include <benchmark/benchmark.h>' | c++ -fsyntax-only -x c++ - 2>/dev/null || return
    source=suite.cc
    # shellcheck disable=SC2016 # for the script
    echo 'exec c++ -O2 -DUNITS="$(cat units)" suite.cc -o suite -lbenchmark -lpthread' >build.sh
}

lay_go() {
    command -v go >/dev/null || return
    source=suite_test.go
    export GOCACHE="$work/cache" GOFLAGS=-mod=mod GOPROXY=off
    printf 'module suite\n\ngo 1.19\n' >go.mod
    # shellcheck disable=SC2016
    printf '%s\n' 'echo "package suite; const units = $(cat units)" >units.go' 'exec go test -c -o suite .' >build.sh
}

answer() { # COMMIT EXIT-CODE CHANGE...: of a branch that the command changes
    git checkout -q -b "$1" main
    what=$1 wanted=$2 code=0
    shift 2
    "$@"
    commit "$what"
    run "$tare" gate --style basic --build 'sh build.sh' --bench suite --max-time "${time}s" --fail-if-slower $limit% >"$work/said" 2>"$work/err" || code=$?
    right=yes
    [ $code = "$wanted" ] || right=no wrong=1
    printf '| %s | %s | %s | %s | %s |\n' "$harness" "$what" "$(sed -n '/./ { s/^ *//; p; q }' "$work/said")" \
        "$(awk '$1 == "FAIL" { printf "%s%s", named++ ? ", " : "", $2 }' "$work/said")" $right
}

write() { # FILE LINE
    echo "$2" >>"$1"
}

three() {
    wrong=0 asked=''
    end_with end_all
    printf '| harness | commit | answer | named | right |\n|---|---|---|---|---|\n'
    for harness in $(wanted_of google go); do
        begin_repository
        "lay_$harness" || { echo "| $harness | | not installed, so left out | | |" && continue; }
        asked=$harness
        cp "$suites/$source" .
        echo 1000 >units
        write README.md text
        write .gitignore units.go
        commit base
        answer slower 1 sed -i s/1000/1050/ units
        answer text 0 write README.md more
        answer broken 5 write "$source" 'no language ('
    done
    [ "$asked" ] || fail "neither google/benchmark nor Go is here (Debian: libbenchmark-dev, golang-go)"
    exit $wrong
}

[ "$mode" = live ] || three

methods=$(wanted_of tare compare.py blocks)
loads=$(wanted_of quiet loaded)
begin_file load percent drawn method answer named others open seconds rounds confirmed confirming label
version_line "P = $limit %, $time s a method"
end_with end_all
lay_repository
gates=0
begin_minutes
while within; do
    for size in $sizes; do
        for chosen in $loads; do
            ! within || gate
        done
    done
done
tables
