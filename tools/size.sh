#!/bin/sh
# SPDX-License-Identifier: MIT
# How large the product is and how finely it is cut: lines, files, functions, headers with one user, circles of files, options.
#
#   tools/size.sh BUILD-FOLDER      a table on standard output; BUILD-FOLDER holds the objects of this tree (./dev test builds it in build)
#
# The product is src, cli and include. A user of a header or of a function is another product file that includes it or
# links to it; the file of a header's own name is none. A circle is a group of files that need each other through linked symbols. Functions of headers and static ones count in lengths only.
set -eu
cd "$(dirname "$0")/.."
build=${1:?usage: tools/size.sh BUILD-FOLDER}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sources() { # -name patterns are C files by default
    find include src cli -type f \( -name '*.c' -o -name '*.h' -o -name '*.hpp' -o -name '*.def' \) | sort
}

lines_by_module() {
    sources | xargs wc -l | awk '
        $2 == "total" { next }
        { n = split($2, at, "/"); module = at[1] == "src" ? "src/" at[2] : at[1]; lines[module] += $1; files[module]++; all += $1; count++ }
        END { for (m in lines) printf "%s %d %d\n", m, lines[m], files[m]; printf "all %d %d\n", all, count }' | sort
}

# shellcheck disable=SC2016 # awk's own fields
function_lengths() {
    sources | xargs awk '
        FNR == 1 { start = 0 }
        /^\{/ { start = FNR }
        /^[a-zA-Z_].*\) *\{$/ { start = FNR }
        /^\}$/ && start { print FNR - start + 1; start = 0 }' | sort -n
}

headers_with_one_user() {
    sources | xargs grep -HoE '^ *# *include *"[^"]+"' | sed 's/^\([^:]*\):.*"\(.*\/\)\{0,1\}\([^"]*\)"$/\1 \3/' >"$work/includes"
    find src cli -name '*.h' | awk -F/ -v includes="$work/includes" '
        BEGIN { while ((getline line < includes) > 0) { split(line, w, " "); own = w[1]; sub(/.*\//, "", own); sub(/\..*/, ".h", own); if (!seen[line]++ && own != w[2]) users[w[2]]++ } }
        { n++; if (users[$NF] <= 1) { one++ } }
        END { print one + 0, n }'
}

options_by_command() {
    "$build/cli/tare" --help | sed -n 's/^  [a-z ]\{10\} \([a-z]*\)  .*/\1/p' | while read -r command; do
        n=$("$build/cli/tare" "$command" --help-all 2>/dev/null | grep -cE '^ +(-[A-Za-z], )?--[a-z]' || true)
        [ "$n" = 0 ] || printf '%s %d, ' "$command" "$n"
    done | sed 's/, $//'
}

lines_by_module >"$work/lines"
function_lengths >"$work/lengths"
tools/linked.sh "$build" >"$work/linked"
awk '$1 == "circle" { print $2, $3 }' "$work/linked" >"$work/circles"
# shellcheck disable=SC2046 # words
set -- $(awk '$1 == "functions" { print $2, $3, $4 }' "$work/linked") $(awk '{ size[$1]++ } size[$1] > most { most = size[$1] } END { for (i in size) n++; print n + 0, most + 0 }' "$work/circles")
all=$(awk '$1 == "all" { print $2 }' "$work/lines")
echo "| what | figure |"
echo "|---|---:|"
awk '$1 != "all" { printf "| lines in %s, files | %d, %d |\n", $1, $2, $3 } $1 == "all" { last = sprintf("| **lines, files** | %d, %d |", $2, $3) } END { print last }' "$work/lines"
awk -v all="$all" '{ n[NR] = $1; short += $1 < 15; medium += $1 < 40 } END {
    printf "| functions, in 1000 lines | %d, %.0f |\n| their length: median, 90th percentile, longest | %d, %d, %d |\n| under 15 and under 40 lines | %.0f %%, %.0f %% |\n",
        NR, NR / all * 1000, n[int((NR + 1) / 2)], n[int(NR * .9 + .5)], n[NR], 100 * short / NR, 100 * medium / NR }' "$work/lengths"
echo "| global functions; that one other file uses; that none uses | $1; $2; $3 |"
echo "| circles of files; files in the largest | $4; $5 |"
echo "| private headers with one user, of | $(headers_with_one_user | sed 's/ /, /') |"
echo "| places that ask for the kind of a record, files | $(sources | xargs grep -ho 'record_is_of_[a-z_]*(' | wc -l), $(sources | xargs grep -l 'record_is_of_[a-z_]*(' | wc -l) |"
library=$(find "$build/src" -name 'libtare.so' | head -1)
[ -z "$library" ] || echo "| exported symbols of libtare | $(nm -D --defined-only "$library" | wc -l) |"
echo "| options | $(options_by_command) |"
[ ! -s "$work/circles" ] || {
    echo
    echo "Circles:"
    awk '{ files[$1] = files[$1] " " $2 } END { for (i in files) print "-" files[i] }' "$work/circles" | sort
}
