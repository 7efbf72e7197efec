#!/bin/sh
# SPDX-License-Identifier: MIT
# Control points in a program that others wrote: the Lua interpreter, from Debian's source package. Fetches it, puts points into it by a table
# (lua.points), builds it with and without them, and holds what tare says against what is known otherwise:
#
#   examples/real/run.sh FOLDER      with an installed tare
#
# - the result of the program is the same to the byte: as it came, with points, with points while it is traced;
# - with -DTARE_POINTS_OFF its objects are those of the source as it came;
# - each point was passed as often, in each run, as gcov counted its line in the program as it came;
# - a source of so many statements passes the point of statements so often.
# Leaves in FOLDER: traced.txt and counts.txt (what tare says; the two counts of each point), lua.html, lua.svg, lua.csv and others, compared.txt (the
# collector's two ways, arc by arc), lua.jsonl (for tare show), and lua itself in pointed/.
# TARE, CC and FLAGS (what finds tare/point.h and the library) say where things are that are not installed; RUNS.
# Exit 1: something did not agree. 77: the source cannot be had here.
set -eu
[ $# -eq 1 ] || { echo 'Usage: examples/real/run.sh FOLDER' >&2 && exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
tare=${TARE:-tare} cc=${CC:-cc} runs=${RUNS:-30}
flags=${FLAGS:-$(pkg-config --cflags --libs tare)}
mkdir -p "$1" && cd "$1"
bad=0

wrong() {
    echo "$1"
    bad=1
}

# The source, thrice

sh "$here/fetch_source.sh" lua5.4 "$PWD/source" >source.path || exit $?
source=$(tail -n 1 source.path)
files=$(awk -F '\t' '!/^#/ && NF == 3 && !seen[$1]++ { print $1 }' "$here/lua.points")
rm -rf plain pointed counted
for folder in plain pointed counted; do
    mkdir $folder
    cp "$source"/src/*.[ch] $folder
    rm -f $folder/luac.c
    # made by the package's rules: where modules lie, of which none are used here
    echo '#define DEB_HOST_MULTIARCH "none"' >$folder/lua5.4-deb-multiarch.h
done
for file in $files; do
    awk -v file="$file" -f "$here/insert_points.awk" "$here/lua.points" "plain/$file" >"pointed/$file"
done

# One seed for the hashes of texts, which else is drawn by each process: tables then grow at the same moments in all of them.
options='-std=gnu11 -DLUA_USE_POSIX -Dluai_makeseed(...)=1'

compile() { # FOLDER FLAGS... -- FILE...: in FOLDER, several at once
    folder=$1
    shift
    (
        cd "$folder"
        words=$options
        while [ "$1" != -- ]; do
            words="$words $1"
            shift
        done
        shift
        # shellcheck disable=SC2086 # words are words
        printf '%s\n' "$@" | xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 4 "$cc" $words -c
    )
}

link() { # PROGRAM WORD...
    program=$1
    shift
    "$cc" -o "$program" "$@" -lm
}

headers= # of FLAGS, what the compiler needs
for word in $flags; do
    case $word in -I*) headers="$headers $word" ;; esac
done

sources=$(cd plain && echo ./*.c)
# The collector goes by bytes in use, of which the program's own name is a part: pointed/lua and counted/lua are as long.
# shellcheck disable=SC2086
{
    compile plain -O2 -- $sources
    compile pointed -O2 -DTARE_POINTS_OFF $headers -include tare/point.h -- $files
    for file in $files; do
        cmp "plain/${file%.c}.o" "pointed/${file%.c}.o" || wrong "$file: with -DTARE_POINTS_OFF another object than without points"
    done
    compile pointed -O2 $headers -include tare/point.h -- $files
    compile counted -O0 --coverage -- $sources
    link plain/lua plain/*.o
    for object in plain/*.o; do
        [ -f "pointed/${object#plain/}" ] || cp "$object" pointed
    done
    link pointed/lua pointed/*.o $flags
    link counted/lua --coverage counted/*.o
}

work() { # PROGRAM RESULT
    "$1" work.lua "$2" incremental
}
cp "$here/work.lua" .
work plain/lua expected
for program in pointed/lua counted/lua; do
    work $program result
    cmp expected result || wrong "$program: another result than as it came"
done
rm -f result
"$tare" trace --style basic -r "$runs" --save lua.jsonl --export-html lua.html --export-svg lua.svg --export-dot lua.dot --export-csv lua.csv \
    --export-jsonl arcs.jsonl -- pointed/lua work.lua result incremental >traced.txt
cmp expected result || wrong "traced: another result than as it came"

for file in $files; do
    (cd counted && gcov -t "$file") | awk -F : -v file="$file" '{ gsub(/[ *]/, "", $1); gsub(/ /, "", $2) } $1 ~ /^[0-9]+$/ || $1 ~ /^#+$/ { print file, $2, $1 + 0 }'
done >lines.txt
[ -s lines.txt ] || wrong "gcov counted nothing"
sed -n 's/^{"type":"point".*"file":"\([^"]*\)","line":\([0-9]*\),.*"name":"\([^"]*\)".*"n":\([0-9]*\)}$/\1\t\2\t\4\t\3/p' arcs.jsonl |
    awk -v runs="$runs" -v points="$(grep -o 'TARE_POINT' "$here/lua.points" | wc -l)" 'FNR == NR { counted[$1, $2] = $3; next }
        BEGIN { printf "%-24s %-14s %12s %12s\n", "point", "line", "tare, a run", "gcov" }
        {
            split($0, part, "\t")
            file = part[1]
            sub(/.*\//, "", file)
            known = (file, part[2]) in counted
            agree = known && part[3] == runs * counted[file, part[2]]
            printf "%-24s %-14s %12s %12s%s\n", part[4], file ":" part[2], part[3] / runs, known ? counted[file, part[2]] : "none", agree ? "" : "  differs"
            bad += !agree
            n++
        }
        END { exit bad || n != points }' lines.txt - >counts.txt || wrong "counts differ"
cat counts.txt

awk 'BEGIN { for (i = 0; i < 5000; i++) print "x = " i }' >statements.lua
"$tare" trace -q --style none -r 3 --export-jsonl arcs.jsonl -- pointed/lua statements.lua
grep '"type":"point"' arcs.jsonl | grep '"name":"statement"' | grep -q '"n":15000}' || wrong "3 runs of 5000 statements did not pass 15000"

# And compared: the collector's two ways

"$tare" trace --style basic -r "$runs" "pointed/lua work.lua result incremental" "pointed/lua work.lua result generational" >compared.txt
cmp expected result || wrong "compared: another result than as it came"
cat traced.txt compared.txt
exit $bad
