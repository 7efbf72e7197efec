#!/bin/sh
# SPDX-License-Identifier: MIT
# The C of README.md, docs/*.md and the examples' pages compiles without a warning by the line that the documents give, from a prefix that the loader does not know,
# and runs.
#
#   tests/tree/check_fragments.sh BUILD-FOLDER
#
# A block that begins with a comment like /* adler.h */ is that file. One that includes something begins a program; one that does not goes on with the
# program before it. Files that include a header of their page are linked with each file of the page that has no main. Nothing else is left out: what is written for other libraries is fenced
# as c++, and there is one such block.
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$build/fragments
rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log" && exit 1; }
mv "$work/first" "$work/prefix"
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name tare.pc)")
PATH=$work/prefix/bin:$PATH
export PKG_CONFIG_PATH PATH
unset LD_LIBRARY_PATH
bad=0 programs=0

fail() { # TEXT: and what was printed
    echo "$1" && cat "$work/out"
    bad=1
}

# The C blocks of a page as files in the current folder; a complaint for each that is none.
split() {
    awk -v page="$page" '
        /^```/ {
            fence = fence ? "" : substr($0, 4) " "
            at = 0
            next
        }
        !fence { next }
        !at++ && fence == "c " {
            named = $0 ~ "^/[*] [a-z_0-9]+[.][ch] [*]/$"
            if (named)
                file = $2
            else if (/^#include/ || /^\/\*/)
                file = "program" ++n ".c"
            else if (!file)
                print page ":" NR ": goes on with no program"
        }
        fence == "c " && file { print >file; next }
        fence == "c++ " && /benchmark::State/ { others++ }
        /TARE_[A-Z]+\(|^#include/ { print page ":" NR ": C outside of a C block" }
        END {
            for (; others > (page ~ /google-benchmark/); others--)
                print page ": a block for another library"
        }' "$1"
}

# PROGRAM: a moment of it, as what it is. Figures are not judged.
try() {
    programs=$((programs + 1)) code=0
    if grep -q '^TARE_LEAK' "$2"; then
        tare leak -q --max-calls 2000 --max-time 900 --timeout 900 "./$1" >"$work/out" 2>&1 || code=$?
        case $code in 1 | 3 | 4) code=0 ;; esac
    elif grep -q '^TARE_BENCH' "$2"; then
        "./$1" --sample-time 0.00001 --samples 5 >"$work/out" 2>&1 || code=$?
    elif grep -q 'tare/point.h' "$2"; then
        tare trace -q -r 2 "./$1" >"$work/out" 2>&1 || code=$?
    else
        "./$1" >"$work/out" 2>&1 || code=$?
    fi
    [ "$code" = 0 ] || fail "$page: $1 of $2 ends with $code"
}

link() { # PROGRAM FILE...
    name=$1
    shift
    # shellcheck disable=SC2046 # the answers of pkg-config are words
    if cc -std=c17 -O2 -Wall -Wextra -Wpedantic -Werror "$@" -o "$name" $(pkg-config --cflags --libs tare) >"$work/out" 2>&1; then
        try "$name" "$1"
    else
        fail "$page: $* cannot be compiled"
    fi
}

has_main() {
    grep -Eq '^TARE_MAIN\(\)|^int main\(' "$1"
}

of_page() { # each program of the current folder
    for file in *.c; do
        if ! has_main "$file"; then
            grep -l '^#include "' -- *.c | grep -qvxF "$file" || { echo "$page: $file has no main" && bad=1; }
            continue
        fi
        if grep -q '^#include "' "$file"; then
            for part in *.c; do
                has_main "$part" || link "${part%.c}_part" "$file" "$part"
            done
        else
            link "${file%.c}" "$file"
        fi
    done
}

for page in "$source"/README.md "$source"/docs/*.md "$source"/examples/*/README.md; do
    here=$work/$(printf '%s' "${page#"$source"/}" | tr / _)
    mkdir "$here"
    cd "$here"
    page=${page#"$source"/}
    split "$source/$page" >"$work/out"
    [ ! -s "$work/out" ] || fail "not understood:"
    [ -z "$(ls)" ] || of_page
done

# In the README's text, between backquotes.
page=README.md
# shellcheck disable=SC2016 # the backquotes are Markdown's
bracket=$(sed -n 's/.*(`\(struct tare_bracket[^`]*\)`).*/\1/p' "$source/README.md")
[ -n "$bracket" ] || { echo "README.md shows no bracket" && bad=1; }
printf '#include <tare/clock.h>\nstatic void work(void) {}\nint main(void)\n{\n%s\nreturn 0;\n}\n' "$bracket" >bracket.c
link bracket bracket.c
echo "$programs programs"
[ "$programs" -ge 10 ] || { echo "the documents show more" && bad=1; }
exit $bad
