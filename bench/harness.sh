#!/bin/sh
# SPDX-License-Identifier: MIT
# How often tare bench, compare.py, benchstat and criterion.rs call programs of google/benchmark, Go and criterion.rs different that are equal, find planted
# differences, and how long each takes: the same builds in the same minutes, in random order. Prints Markdown.
#
#   ./dev bench harness [MINUTES] [OPTION...]      bench/harness.sh BUILD-FOLDER [MINUTES] [OPTION...]
#       --minutes M       how long (15); the pair that has begun is finished
#       --part NAME       only this harness (google, go, criterion); repeatable
#       --scenario NAME   only this load: quiet, or loaded, a busy loop on every second CPU by a coin for each run; repeatable. Without it they take turns
#       --sizes LIST      planted differences in percent ('0 1 2 5'); the program with more work is the new one by a coin
#       --budget S        seconds of one repetition where the harness measures by itself (0.1; by default google takes 0.5 and Go 1); criterion.rs gets 30
#                         times as much for its 100 samples and ten times to warm up (by default 5 s and 3)
#       --label TEXT      what is said of the machine, kept in every line
#       --out FOLDER      where the raw lines go (BUILD-FOLDER/bench/harness); a later call appends to what is there
#       --summary         print the tables of what is there and end
#
# A suite has four benchmarks: a chain of known length, sort, map and copy. compare.py's test is that of its U-test (10 repetitions of each program, one
# program after the other); benchstat's is applied to -test.count=10 of each; criterion.rs compares with the
# baseline that the old program saved. tare bench decides by its own rule, with nothing but the two programs given.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
shift

script=harness
minutes=15 sizes='0 1 2 5' budget=0.1 label=unnamed out=$build/bench/harness wanted='' summary=no
# shellcheck source=bench/script.sh
. bench/script.sh
read_options part scenario sizes budget -- "$@"
check_wanted 'harness or load' google go criterion quiet loaded
open_folder
tare=$build/cli/tare
sources=$PWD/bench/harness

tables() {
    awk -F'\t' "$figures"'
        /^#/ { next }
        { key = $1 "\t" $2 "\t" $3 "\t" $5
          if (!(key in n)) keys[++of] = key
          n[key]++
          truth = $4 > 1 ? "slower" : $4 < 1 ? "faster" : "same"
          called = $7 == "slower" || $7 == "faster"
          right[key] += called && $7 == truth; wrong[key] += called && $7 != truth
          same[key] += $7 == "same"; open[key] += $7 == "undecided"
          held[key] += $9 != "" && $9 <= $4 && $4 <= $10; bounded[key] += $9 != ""
          if ($11 > 0) { one = $1 "\t" $2 "\t" $5; if (!(one in runs)) methods[++of_methods] = one; runs[one]++; seconds[one] += $11; processes[one] += $12 } }
        END {
            print "| harness | load | difference | method | found | called wrongly (exact 95 %) | same | undecided | intervals with the truth |"
            print "|---|---|---:|---|---:|---:|---:|---:|---:|"
            for (i = 1; i <= of; i++) {
                key = keys[i]; split(key, name, "\t"); m = n[key]
                printf "| %s | %s | %s %% | %s | %s | %s | %d | %s | %s |\n", name[1], name[2], name[3], name[4],
                    (name[3] + 0 ? right[key] " of " m : ""), exact_share(wrong[key], m), same[key], (name[4] == "tare" ? open[key] : ""),
                    (bounded[key] ? held[key] " of " bounded[key] : "") }
            print ""
            print "| harness | load | method | comparisons of two programs | seconds for one, mean | processes in one, mean | processes a second |"
            print "|---|---|---|---:|---:|---:|---:|"
            for (i = 1; i <= of_methods; i++) {
                one = methods[i]; split(one, name, "\t")
                printf "| %s | %s | %s | %d | %.1f | %.0f | %.1f |\n", name[1], name[2], name[3], runs[one], seconds[one] / runs[one],
                    processes[one] / runs[one], processes[one] / seconds[one] } }' "$raw" | sort_rows
}

sort_rows() { # the order of the rows is that in which they came; that of their names reads better
    awk '/^\| harness/ { table++; print; getline; print; next } /^$/ { close("sort"); print; next } { print | "sort"; fflush() } END { close("sort") }'
}

[ "$summary" = no ] || [ -f "$raw" ] || fail "nothing is there yet"
answer_summary '' tables

# The programs: builds of each size, two of those without a difference

units_of() { # PERCENT
    calculate "1000 + 10 * $1"
}

build_google() { # UNITS FILE
    c++ -O2 -DUNITS="$1" "$sources/suite.cc" -o "$2" -lbenchmark -lpthread || fail "no google/benchmark here (Debian: libbenchmark-dev)"
}

build_go() { # UNITS FILE
    rm -rf source && mkdir source
    cp "$sources/suite_test.go" source/
    printf 'module suite\n\ngo 1.19\n' >source/go.mod
    printf 'package suite\n\nconst units = %s\n' "$1" >source/units.go
    (cd source && GOCACHE=$work/cache GOFLAGS=-mod=mod go test -c -o "$2" .) || fail "no Go here (Debian: golang-go)"
}

build_criterion() { # UNITS FILE
    registry=/usr/share/cargo/registry
    mkdir -p rust/benches rust/src cargo
    cp "$sources/suite.rs" rust/benches/
    echo "pub const UNITS: usize = $1;" >rust/src/lib.rs
    printf '[package]\nname = "suite"\nversion = "0.1.0"\nedition = "2018"\n[lib]\nbench = false\n[[bench]]\nname = "suite"\nharness = false\n[dev-dependencies]\n' >rust/Cargo.toml
    echo 'criterion = { version = "0.3", default-features = false, features = ["cargo_bench_support"] }' >>rust/Cargo.toml
    printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "%s"\n' "$registry" >cargo/config.toml
    rm -f rust/target/release/deps/suite-*
    (cd rust && CARGO_HOME=$work/cargo CARGO_NET_OFFLINE=true CARGO_TARGET_DIR=target cargo build --release --benches --quiet) ||
        fail "no criterion.rs here (Debian: cargo, librust-criterion-dev)"
    for built in rust/target/release/deps/suite-*; do
        case $built in *.d) ;; *) cp "$built" "$2" ;; esac
    done
}

base=0.0 # a copy of the program without a difference, to be compared with it
harnesses=$(wanted_of google go criterion)
loads=$(wanted_of quiet loaded)
cd "$work"
for harness in $harnesses; do
    for size in 0 $sizes; do
        mkdir -p "$harness"
        [ -x "$harness/$size" ] || "build_$harness" "$(units_of "$size")" "$work/$harness/$size"
    done
    cp "$harness/0" "$harness/$base"
done

end_with end_load

load() { # for one run of a program, or one session
    [ "$chosen" = loaded ] && [ "$(random 2)" = 1 ] || return 0
    begin_load
}

# The methods; each leaves "NAME VERDICT RATIO LOW HIGH" in `found`, and the number of processes in `processes`

values_of_go() { # SIDE: as google_values
    awk -v side="$1" '$4 == "ns/op" { sub(/-[0-9]+$/, "", $1); print $1, side, $3 }'
}

by_google() { # SIDE: ten repetitions of one program
    "./$harness/$2" --benchmark_repetitions=10 --benchmark_min_time="$budget" --benchmark_format=csv 2>/dev/null | google_values "$1"
}

by_go() {
    "./$harness/$2" -test.run='^$' -test.bench=. -test.count=10 -test.benchtime="${budget}s" | values_of_go "$1"
}

one_after_the_other() { # TOOL
    : >values
    for side in 0 1; do
        load
        "by_$harness" $side "$([ $side = 0 ] && echo "$old" || echo "$new")" >>values
        end_load
    done
    awk -v tool="$1" -f "$sources/u_test.awk" values | awk '{ print $1, $2, $3 }' >found
    processes=2
}

by_itself() { # criterion.rs: what its second run says of the baseline of the first
    rm -rf own && mkdir own
    set -- --bench --color never --measurement-time "$(calculate "30 * $budget")" --warm-up-time "$(calculate "10 * $budget")"
    load
    (cd own && "../criterion/$old" "$@" --save-baseline old) >values 2>&1 || fail "$(cat values)"
    end_load
    load
    (cd own && "../criterion/$new" "$@" --baseline old) >values 2>&1 || fail "$(cat values)"
    end_load
    awk '/ time: / { name = $1 }
        $1 == "change:" { gsub(/[][%]/, ""); ratio = 1 + $3 / 100; low = 1 + $2 / 100; high = 1 + $4 / 100 }
        /^ *(Performance has|No change|Change within)/ { print name, (/regressed/ ? "slower" : /improved/ ? "faster" : "same"), ratio, low, high }' values >found
    [ "$(wc -l <found)" -eq 4 ] || fail "four answers expected of criterion.rs: $(cat values)"
    processes=2
}

interleaved() {
    load
    "$tare" bench -q --style none --save session --export-csv out.csv "./$harness/$old" "./$harness/$new" 2>err || [ $? -le 4 ] || fail "$(cat err)"
    end_load
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["reference"] != "" { sub(/ .*/, "", $1); print $1, $at["verdict"], $at["ratio"], $at["ratio_low"], $at["ratio_high"] }' out.csv >found
    processes=$(grep -c '^{"type":"row"' session)
}

keep() { # METHOD SECONDS: the time stands in the first line of the comparison
    truth=$(calculate "$(units_of "$new") / $(units_of "$old")")
    awk -v OFS='\t' -v harness="$harness" -v load="$chosen" -v size="$size" -v truth="$truth" -v method="$1" -v seconds="$2" -v n="$processes" -v label="$label" \
        '{ print harness, load, size, truth, method, $1, $2, $3, $4, $5, NR == 1 ? seconds : "", NR == 1 ? n : "", label }' found >>"$raw"
}

measure() { # METHOD
    begun=$(now)
    case $1 in
    tare) interleaved ;;
    criterion.rs) by_itself ;;
    *) one_after_the_other "$1" ;;
    esac
    keep "$1" "$(calculate "$(now) - $begun")"
}

compare() { # HARNESS SIZE LOAD
    harness=$1 size=$2 chosen=$3 old=$base new=$2
    [ "$(random 2)" = 0 ] || { old=$2 && new=$base; }
    case $harness in google) other=compare.py ;; go) other=benchstat ;; criterion) other=criterion.rs ;; esac
    if [ "$(random 2)" = 0 ]; then measure tare && measure "$other"; else measure "$other" && measure tare; fi
}

begin_file harness load percent truth method benchmark verdict ratio low high seconds processes label
version_line "$budget s a repetition"
begin_minutes
while within; do
    for size in $sizes; do
        for chosen in $loads; do
            for harness in $harnesses; do
                ! within || compare "$harness" "$size" "$chosen"
            done
        done
    done
done
tables
