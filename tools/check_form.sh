#!/bin/sh
# SPDX-License-Identifier: MIT
# The measurable part of how our code looks: sizes of files and functions, names, first lines, no notes left behind.
#
#   tools/check_form.sh [ROOT]      one line per offence, then the sizes found; exit 1 if there is an offence
#
# A flat table or switch may be longer than 60 lines: name it in tools/long_functions.txt, with the reason.
set -eu
cd "${1:-$(dirname "$0")/..}"
offences=$(mktemp)
sizes=$(mktemp)
trap 'rm -f "$offences" "$sizes"' EXIT

sources() {
    for folder in include src cli examples tests fuzz bench tools; do
        [ ! -d "$folder" ] || find "$folder" -type f \( -name '*.c' -o -name '*.h' -o -name '*.def' \)
    done | sort
}

# "lines file function" for each function body: from its opening to its closing brace in column 1
# shellcheck disable=SC2016 # awk's own fields
sources | xargs awk '
    FNR == 1 { start = 0; name = "" }
    /^[a-zA-Z_].*\(/ && !/;$/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
    /^\{/ { start = FNR }
    /^\}/ && start { print FNR - start + 1, FILENAME, name; start = 0 }' >"$sizes"

long_functions() {
    awk '$1 > 60 { print $2, $3, $1 }' "$sizes" | while read -r file name lines; do
        grep -q "^$name " tools/long_functions.txt || echo "$file: $name has $lines lines; over 60 only for flat tables"
    done
}

long_files() {
    sources | xargs wc -l | awk '$1 > 800 && $2 != "total" { print $2 ": " $1 " lines; past 800 look for the seam" }'
}

unlicensed() {
    sources | while read -r file; do
        head -n 1 "$file" | grep -q 'SPDX-License-Identifier: MIT' || echo "$file: the first line is not the SPDX line"
    done
}

notes_and_names() {
    sources | xargs grep -nE '(TO''DO|FIX''ME|\bXX''X\b)' | sed 's/$/ (no notes left behind)/' || true
    sources | xargs grep -nE '^(typedef .*|\}) *[a-z_]+_t;' | sed 's/$/ (no _t on our types)/' || true
}

# Unique over the tree; the twins under plat/ and cpu/ are meant.
names_used_twice() {
    sources | grep -v '^src/plat/[a-z0-9]*/' | sed 's|.*/||' | sort | uniq -d | sed 's/$/: more than one file of this name/'
}

{
    long_functions
    long_files
    unlicensed
    notes_and_names
    names_used_twice
} >"$offences"

cat "$offences"
sort -n "$sizes" | awk '
    { lines[NR] = $1; if ($1 < 10) short++; if ($1 < 40) medium++ }
    END { printf "%d functions: median %d lines, %.0f %% under 10, %.0f %% under 40, longest %d\n",
          NR, lines[int((NR + 1) / 2)], 100 * short / NR, 100 * medium / NR, lines[NR] }'
[ ! -s "$offences" ]
