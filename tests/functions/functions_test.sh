#!/bin/sh
# SPDX-License-Identifier: MIT
# Each program of examples/functions is measured, alone and over processes: every benchmark that it lists gives a figure, and none was
# taken away by the compiler. What the figures are is not judged.
#
#   tests/functions/functions_test.sh TARE PROGRAM...
#
# Samples are short here, and a busy machine may make one program look at a moment as if its loop were gone. What the compiler did is the
# same in every process, so a benchmark is wrong when it is so three times in a row.
set -eu
tare=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0 cases=0

figure='[0-9][0-9.]* '

alone() { # PROGRAM NAME
    for try in 1 2 3; do
        "$1" --sample-time 0.0001 --samples 6 "$2" >table 2>err || continue
        # a name may begin another one, as bytes:64 does bytes:64000: only its own row counts
        awk -v name="$2" '$1 == name' table | grep -q "^$2 *$figure *$figure" && return
        : "$try"
    done
    echo "alone, $2 gives no figure:"
    cat err table
    bad=1
}

over_processes() { # PROGRAM: for all names
    for try in 1 2 3; do
        : "$try"
        "$tare" bench --style none --runs 2 --samples 3 --timeout 900 --sample-time 100us --export-csv figures.csv "$1" 2>err || continue
        awk -F, 'NR > 1 && $2 + 0 > 0 && $0 !~ /nan/ { print $1 }' figures.csv | sort >measured
        cmp -s names measured && return
    done
    echo "tare bench $1: these have no figure:"
    cat err
    comm -23 names measured
    bad=1
}

for program; do
    "$program" --list | sort >names
    [ -s names ] || { echo "$program lists no benchmark" && bad=1; }
    : >measured
    while read -r name; do
        cases=$((cases + 1))
        alone "$program" "$name"
    done <names
    over_processes "$program"
done
lies() { # WORDS COMMANDS: of the last program, asked for its list
    printf '#!/bin/sh\n%s\n' "$2" >liar && chmod +x liar
    "$tare" bench --list ./liar >said 2>&1 && code=0 || code=$?
    [ "$code" = 5 ] && grep -q "$1" said && return
    echo "exit $code where the list is a lie ($1):"
    cat said
    bad=1
}
lies 'answered twice' "'$program'; '$program'"
lies 'says that it has [0-9]* benchmarks, and its list has 0' "TARE_WIRE=\"\$TARE_WIRE
filter nosuch\" exec '$program'"

echo "$cases benchmarks"
[ "$cases" -gt 0 ] || bad=1
exit $bad
