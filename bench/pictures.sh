#!/bin/sh
# SPDX-License-Identifier: MIT
# The pictures and outputs of `tare trace` in docs/, made anew by the programs they show.
#
#   ./dev bench pictures [NAME...]      bench/pictures.sh BUILD-FOLDER [NAME...]
#       road       examples/points/road.c: docs/trace-road.svg, and its block in docs/trace.md
#       lua        the Lua interpreter with the points of examples/real: docs/trace-lua.svg and its block in docs/archive/trace-examples.md
#       self       tare itself (tare-selftrace): docs/trace-self.svg and its block
#       sampler    test_cyc and test_sub of examples/sampler: docs/sampler-sizes.svg, docs/sampler-sub.svg and the blocks of docs/sampler.md
#       gallery    the pages of docs/gallery.md (bench/pages.sh), which needs Chromium; only where it is asked for
#       --check    changes nothing: makes them small, and says whether those in docs/ show the arcs, points and headings that there are today.
#                  MADE in the environment: a folder in which those of sampler were made already
#
# A block stands between <!-- NAME --> and <!-- end of NAME -->; it says the command, the day and the kind of machine. Exit 1: --check found a
# difference. 77: all that was asked for could not be had here (the source of lua needs a network).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
shift
names='' check=no
for word; do
    case $word in
    --check) check=yes ;;
    road | lua | self | sampler | gallery) names="$names $word" ;;
    *) echo "pictures: there are road, lua, self, sampler and gallery, and no '$word'" >&2 && exit 2 ;;
    esac
done
names=${names:-road lua self sampler}
tare=$build/cli/tare
runs=30 bad=0 made=0 work=$build/bench/pictures
if [ $check = yes ]; then # two tests may do so at once
    runs=6 work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work"
cd "$work"
TARE=$tare REPEAT=$root/tools/sampler-repeat
export TARE REPEAT

machine() { # in words: no names of hosts
    echo "$(date -u +%Y-%m-%d), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) CPUs$(grep -q ' hypervisor' /proc/cpuinfo &&
        echo ', a shared virtual machine'); $("$tare" --version | head -n 1)"
}

wrong() {
    echo "$1"
    bad=1
}

# The block NAME of PAGE from standard input
into() { # PAGE NAME
    cat >block
    grep -q "^<!-- $2 -->\$" "$root/docs/$1" || { wrong "docs/$1 has no block $2" && return; }
    [ $check = no ] || return 0
    awk -v name="$2" 'FNR == NR { block = block $0 "\n"; next }
        $0 == "<!-- " name " -->" { print; printf "%s", block; on = 1; next }
        $0 == "<!-- end of " name " -->" { on = 0 }
        !on' block "$root/docs/$1" >page
    cp page "$root/docs/$1"
}

block_of() { # PAGE NAME
    awk -v name="$2" '$0 == "<!-- end of " name " -->" { on = 0 } on; $0 == "<!-- " name " -->" { on = 1 }' "$root/docs/$1"
}

arcs_of() { # SVG: from and to of each arc in it
    grep -o '<title>[^<:]* → .*' "$1" | sed 's/<title>//; s/\(→ .*\): [^:]* · .*/\1/' | sort
}

# words of a line of text, without its figures and their signs
bare() {
    sed -E 's/(^|[ (:|])-([0-9])/\1\2/g; s/[0-9][0-9.,]*/N/g' | tr -s ' '
}

# WHAT: $what.svg and $what.txt of a session
keep() { # NAME COMMAND PAGE
    made=$((made + 1))
    {
        printf '%s\n' "$(machine):" '' '```' "\$ $2"
        awk '/^$/ { exit } { print }' "$1.txt" # remarks behind that are about other programs of that hour
        printf '%s\n' '```'
    } | into "$3" "$1"
    if [ $check = no ]; then
        cp "$1.svg" "$root/docs/trace-$1.svg"
        return
    fi
    arcs_of "$1.svg" >arcs.today
    arcs_of "$root/docs/trace-$1.svg" >arcs.shown
    [ -s arcs.today ] || wrong "$1: a picture without arcs"
    cmp -s arcs.today arcs.shown || wrong "docs/trace-$1.svg shows other arcs than today's: $(diff arcs.shown arcs.today)"
    block_of "$3" "$1" >shown
    grep -qxF "\$ $2" shown || wrong "docs/$3, $1: another command"
    for line in '^  from ' ' points hit '; do
        [ "$(grep "$line" shown | bare)" = "$(grep "$line" "$1.txt" | bare)" ] || wrong "docs/$3, $1: $(grep "$line" shown), today: $(grep "$line" "$1.txt")"
    done
}

traced() { # NAME WORD...
    name=$1
    shift
    "$tare" trace --style nocolor -r $runs --export-svg "$name.svg" "$@" >"$name.txt" 2>said || { cat said >&2 && exit 1; }
}

make_road() {
    ln -sf "$build/examples/points/road" road
    traced road -- ./road 10000 0
    keep road 'tare trace -r 30 --export-svg trace-road.svg -- ./road 10000 0' trace.md
}

make_lua() {
    [ $check = no ] || [ -x "$build/examples/real/work/pointed/lua" ] || { echo "left out: lua, which examples/real/run.sh builds" && return; }
    if [ $check = no ]; then # with the libtare of today
        FLAGS="-I$root/include $build/src/libtare.a -lm" RUNS=6 sh "$root/examples/real/run.sh" "$build/examples/real/work" >lua.log 2>&1 || {
            cat lua.log >&2
            echo "left out: lua"
            return
        }
    fi
    ln -sf "$build/examples/real/work/pointed/lua" lua
    ln -sf "$root/examples/real/work.lua" work.lua
    traced lua -- ./lua work.lua result incremental
    keep lua 'tare trace -r 30 --export-svg trace-lua.svg -- ./lua work.lua result incremental' archive/trace-examples.md
}

make_self() {
    ln -sf "$build/cli/tare-selftrace" tare-selftrace
    traced self -- ./tare-selftrace run -N -r 20 true
    keep self 'tare trace -r 30 --export-svg trace-self.svg -- ./tare-selftrace run -N -r 20 true' archive/trace-examples.md
}

make_sampler() {
    made=$((made + 1))
    FLAGS="-I$root/include $build/src/libsampler.a -lm"
    export FLAGS
    if [ $check = no ]; then
        sh "$root/examples/sampler/tables.sh" sampler >log 2>&1
        sh "$root/examples/sampler/sizes.sh" sampler >log 2>&1
        cp sampler/sizes.svg "$root/docs/sampler-sizes.svg"
        cp sampler/sub.svg "$root/docs/sampler-sub.svg"
    elif [ -n "${MADE:-}" ]; then
        ln -s "$MADE" sampler
    else
        RUNS=2 sh "$root/examples/sampler/tables.sh" sampler >log 2>&1
        RUNS=2 SIZES='1000 10000' sh "$root/examples/sampler/sizes.sh" sampler >log 2>&1
    fi
    {
        printf '%s\n' "$(machine):" ''
        cat sampler/sub.md
        echo
        cat sampler/rounds.md
        sed 's/^/    /' sampler/ratios.txt
        echo
        cat sampler/verdicts.md
    } | into sampler.md sampler
    [ $check = no ] || {
        arcs_of sampler/sub.svg >arcs.today
        arcs_of "$root/docs/sampler-sub.svg" >arcs.shown
        cmp -s arcs.today arcs.shown || wrong "docs/sampler-sub.svg shows other arcs than today's"
        block_of sampler.md sampler | bare | grep '^| *[a-z(]\|^ [a-z]' | sed 's/N ns.*//' >shown
        bare <block | grep '^| *[a-z(]\|^ [a-z]' | sed 's/N ns.*//' >today
        for line in '^| from' '^| |' '^ cold' '^ sub' '^| arc'; do
            [ "$(grep "$line" shown)" = "$(grep "$line" today)" ] || wrong "docs/sampler.md: $(grep "$line" shown), today: $(grep "$line" today)"
        done
        for line in 'first tenth: first round' 'first tenth: later' 'all: later'; do
            grep -q ">$line<" "$root/docs/sampler-sizes.svg" || wrong "docs/sampler-sizes.svg has no line '$line'"
        done
    }
}

for name in $names; do
    case $name in
    road) make_road ;;
    lua) make_lua ;;
    self) make_self ;;
    sampler) make_sampler ;;
    gallery)
        sh "$root/bench/pages.sh" "$build" --gallery || bad=1
        made=$((made + 1))
        ;;
    esac
done
[ "$made" -gt 0 ] || exit 77
exit $bad
