#!/bin/sh
# SPDX-License-Identifier: MIT
# Fills in what tare prints where README.md and docs/ show it: real sessions of a build, in a terminal of 100 columns.
#
#   tools/screens.sh BUILD-FOLDER [SCREEN...]      all of them without names; takes some minutes, on a machine that does nothing else
#
# In a page `<!-- screen NAME -->`, a code block and `<!-- end -->` are one place. The screen `run` is docs/screen.svg, in colour.
set -eu
build=$(cd "${1:?usage: tools/screens.sh BUILD-FOLDER [SCREEN...]}" && pwd)
shift
top=$(cd "$(dirname "$0")/.." && pwd)
work=$build/screens
columns=100
PATH=$build/cli:$PATH
export PATH
export TERM=xterm-256color LC_ALL=C.UTF-8
pages=$(cd "$top" && grep -l '^<!-- screen [a-z_]* -->$' README.md docs/*.md docs/how-it-works/*.md)

# NAME COMMAND: what is shown is what is run.
sessions() {
    cat <<'END'
run tare run 'sha256sum words.txt' 'sha1sum words.txt' 'md5sum words.txt'
start tare run 'sha256sum words.txt' 'md5sum words.txt'
bench tare bench ./old ./new
leak tare leak ./leak-cases --filter memcmp_32 --filter or_compare
trace tare trace -r 30 ./sorts
END
}

# Input, and the programs of the tutorial, of docs/trace.md and of examples/leak, in one folder.
prepare() {
    mkdir -p "$work"
    cd "$work"
    [ -s words.txt ] || awk -v bytes=20000000 -f "$top/tools/words.awk" >words.txt
    awk '/^```/ { kind = kind ? "" : substr($0, 4); file = ""; next } kind == "c" && !file { file = $2 } kind == "c" { print >file }' \
        "$top/docs/tutorial-bench.md"
    for which in old new; do
        cc -O2 -I "$top/include" mine.c adler_$which.c -o $which "$build/src/libtare.a" -lm
    done
    awk '/^```c$/ { on = !done; next } /^```/ { done = done || on; on = 0 } on' "$top/docs/trace.md" >sorts.c
    cc -O2 -I "$top/include" sorts.c -o sorts "$build/src/libtare.a" -lm
    cp "$build/examples/leak/leak-cases" .
}

# COMMAND: its output as a terminal shows it in the end; what a carriage return or an erased line took away is gone.
in_terminal() {
    script -qefc "stty cols $columns rows 50; exec $1" /dev/null </dev/null |
        awk '{ sub(/\r$/, ""); while (n = match($0, /[^\033]*\r(\033\[K)?/)) $0 = substr($0, RSTART + RLENGTH); gsub(/\033\[K/, ""); print }'
}

show() { # NAME COMMAND: screens/NAME.txt
    { printf '$ %s\n' "$2" && NO_COLOR=1 in_terminal "$2"; } >"$1.txt"
    cat "$1.txt"
}

fill() { # PAGE
    awk -v folder="$work" '
        $1 == "<!--" && $2 == "screen" { print; file = folder "/" $3 ".txt"; inside = (getline first <file) > 0 }
        !inside && $1 == "<!--" && $2 == "screen" { next }
        inside == 1 {
            getline
            print $1
            print first
            while ((getline line <file) > 0)
                print line
            print "```"
            inside = 2
            next
        }
        /^<!-- end -->$/ { inside = 0 }
        inside == 2 { next }
        { print }' "$1" >"$work/page"
    cat "$work/page" >"$1"
}

prepare
sessions | while read -r name command; do
    [ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
    show "$name" "$command" </dev/null
    [ "$name" != run ] || in_terminal "$command" </dev/null |
        awk -v command="$command" -v columns="$columns" -f "$top/tools/screen_svg.awk" >"$top/docs/screen.svg"
done
cd "$top"
for page in $pages; do
    fill "$page"
done
