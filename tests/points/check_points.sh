#!/bin/sh
# SPDX-License-Identifier: MIT
# Control points compile without a word, by gcc and clang, in each version of the languages, for other systems too. Switched off when the program is
# compiled they leave no trace in the object, and their arguments are still checked. Programs linked in each way leave traces.
#
#   tests/points/check_points.sh FOLDER-OF-LIBTARE POINTS_PASSES WORK-FOLDER      exit 77: none of the compilers is there
set -eu
libraries=$1
passes=$2
work=$3
cd "$(dirname "$0")/../.."
mkdir -p "$work"
tried=0

there() {
    command -v "$1" >/dev/null
}

compile() { # COMPILER FLAGS... : without a word
    "$@" -pedantic -Wall -Wextra -Wshadow -Werror -Iinclude
    tried=$((tried + 1))
    echo "ok  $*"
}

# ---- compilers ----

# What a standard allows is said while reading: only the optimiser's warnings, which are the same in each, need objects.
forms() { # COMPILER SOURCE STANDARD...: objects in the first one
    compiler=$1 source=$2 first=$3
    there "$compiler" || return 0
    shift 3
    for standard; do
        compile "$compiler" "-std=$standard" -fsyntax-only "$source"
        compile "$compiler" "-std=$standard" -DTARE_POINTS_OFF -fsyntax-only "$source"
    done
    for flags in -O0 -O2 "-O2 -fPIC" "-O2 -DTARE_POINTS_OFF"; do
        # shellcheck disable=SC2086 # words
        compile "$compiler" "-std=$first" $flags -c "$source" -o "$work/object.o"
    done
}
for compiler in gcc clang; do
    forms $compiler tests/points/points_forms.c c17 c11 c2x gnu17
    ! there "$compiler" || compile "$compiler" -std=c17 -Wvla -Wc++-compat -fsyntax-only tests/points/points_forms.c
done
for compiler in g++ clang++; do
    forms $compiler tests/points/points_cxx.cpp c++17 c++20
done
for compiler in x86_64-w64-mingw32-gcc aarch64-linux-gnu-gcc; do
    there $compiler || continue
    compile $compiler -std=c17 -O2 -c tests/points/points_forms.c -o "$work/object.o"
done
[ "$tried" -gt 0 ] || exit 77

# ---- switched off when compiled ----

for compiler in gcc clang; do
    there $compiler || continue
    for level in -O0 -O1 -O2 -O3; do
        compile $compiler -std=c17 $level -g0 -DTARE_POINTS_OFF -c tests/points/points_forms.c -o "$work/off.o"
        compile $compiler -std=c17 $level -g0 -DNO_POINTS -c tests/points/points_forms.c -o "$work/none.o"
        cmp "$work/off.o" "$work/none.o" || { echo "$compiler $level: points that are switched off leave something" && exit 1; }
    done
done

refuse() { # NAME FLAGS : reads the body of a function
    printf '#include <tare/point.h>\nvoid f(const char *t, int n); void f(const char *t, int n) { (void)t; (void)n; %s }\n' "$(cat)" >"$work/refused.c"
    for flags in "" -DTARE_POINTS_OFF; do
        # shellcheck disable=SC2086 # words
        if gcc -std=c17 -Wall -Werror $flags -Iinclude -fsyntax-only "$work/refused.c" 2>"$work/refused.txt"; then
            echo "$1 compiles $flags, and must not"
            exit 1
        fi
    done
    echo "ok  refused: $1"
}
if there gcc; then
    echo 'TARE_POINT_VALUE("x", not_declared);' | refuse "a value that is not declared"
    echo 'TARE_POINT_NAMED(t);' | refuse "a name that is no literal"
    echo 'TARE_COUNTER("x", (struct s { int a; }){1});' | refuse "a struct as a value"
fi

# Without braces a scope would be over at once, or there whatever the `if` says: it does not compile, and what the compiler says names what is missing.
for compiler in "gcc -std=c11" "gcc -std=c2x" "clang -std=c11" "clang -std=c2x" "g++ -std=c++17 -x c++" "g++ -fpermissive -x c++" "clang++ -std=c++17 -x c++"; do
    there "${compiler%% *}" || continue
    for behind in "if (n)" "if (n) n++; else" "for (int i = 0; i < n; i++)" "while (n--)"; do
        printf '#include <tare/point.h>\nint f(int n); int f(int n)\n{\n%s\nTARE_SCOPE("x");\nreturn n;\n}\n' "$behind" >"$work/refused.c"
        # shellcheck disable=SC2086 # words
        if $compiler -Iinclude -fsyntax-only "$work/refused.c" 2>"$work/refused.txt"; then
            echo "$compiler: a scope behind $behind without braces compiles, and must not"
            exit 1
        fi
        grep -q TARE_SCOPE_needs_braces "$work/refused.txt" || { cat "$work/refused.txt" && exit 1; }
    done
    echo "ok  refused by $compiler: scopes without braces"
done

# A jump past a scope into its block would leave what was never begun.
for compiler in "gcc -std=c11" "gcc -std=c2x" "clang -std=c11" "clang -std=c2x" "g++ -std=c++17 -x c++" "clang++ -std=c++17 -x c++"; do
    there "${compiler%% *}" || continue
    for jump in 'switch (n) { case 1: TARE_SCOPE("x"); n++; break; case 2: n--; }' 'if (n) goto out; TARE_SCOPE("x"); n++; out: n--;'; do
        printf '#include <tare/point.h>\nint f(int n); int f(int n)\n{\n%s\nreturn n;\n}\n' "$jump" >"$work/refused.c"
        # shellcheck disable=SC2086 # words
        if $compiler -Iinclude -fsyntax-only "$work/refused.c" 2>"$work/refused.txt"; then
            echo "$compiler: $jump compiles, and must not"
            exit 1
        fi
    done
    echo "ok  refused by $compiler: jumps past a scope"
done

# ---- the way of a pass in line ----

# From the reserving to the store there are the reading of the clock, what puts the word together, and one branch that is not taken: whether there was room.
# Each point is no more than so many bytes, what is never reached but once in a while included, and all that it calls is the function of its object
# file and, where the CPU is another one, libtare's.
in_line() { # COMPILER LEVEL BYTES : of points_in_line.c
    compile "$1" -std=c17 "$2" -c tests/points/points_in_line.c -o "$work/object.o"
    nm -S "$work/object.o" | awk '$3 ~ /^[tT]$/ && $4 ~ /^eight_/ { sub(/\..*/, "", $4); print $4, $2 }' >"$work/sizes.txt"
    while read -r name size; do
        echo "$name $((0x$size))"
    done <"$work/sizes.txt" | awk -v most="$3" -v what="$1 $2" '{ bytes[$1] += $2 / 8 }
        END {
            for (name in bytes) {
                over = (bytes[name] > most)
                printf "%s  %s %s: %d bytes a point\n", over ? "NOT OK" : "ok", what, name, bytes[name]
                bad = bad || over
                n++
            }
            exit bad || n != 4 }' || { echo "$1 $2: a point is to be $3 bytes at most" && exit 1; }
    objdump -dr --no-show-raw-insn "$work/object.o" | awk '
        /^[0-9a-f]+ <.*>:$/ { at = $2 }
        at !~ /^<eight_/ { next }
        called { if ($0 !~ /R_X86_64_(PLT32|PC32|GOTPCRELX)/ ? target !~ /<tare_point_slow/ : $3 !~ /^(tare_point_(migrated|slow)|\.text)/) { print at " calls " target " " $3; bad = 1 } ; called = 0 }
        /\tcall/ { called = 1; calls++; target = $NF }
        END { exit bad || calls < 32 }' || { echo "$1 $2: calls that are not expected" && exit 1; }
}

if [ "$(uname -m)" = x86_64 ] && there objdump; then
    for compiler in gcc clang; do
        there $compiler || continue
        compile $compiler -std=c17 -O2 -c tests/points/points_forms.c -o "$work/object.o"
        objdump -d --no-show-raw-insn "$work/object.o" | awk '
            /\txadd / { inside = 1; branches = 0; next }
            inside && /\t(call|lock|syscall)/ { print "not expected here: " $0; bad = 1 }
            inside && /\tj/ { branches++ }
            inside && /\trdtscp? *$/ { read = 1; next }
            inside && read && /\tmov +%r[a-z0-9]+,(0x0)?\(%r[a-z0-9]+\)/ {
                if (branches > 1) { print branches " branches before the store"; bad = 1 }
                inside = read = 0; passes++
            }
            END { print passes + 0 " passes in line"; exit bad || passes < 6 }' || { echo "$compiler: the way of a pass" && exit 1; }
        in_line $compiler -O0 400
        in_line $compiler -O2 160
        in_line $compiler -O3 160
    done
fi

# ---- linked in each way ----

check() { # PROGRAM POINT EXPECTED ARGUMENTS...
    program=$1 point=$2 expected=$3
    shift 3
    rm -rf "$work/traces"
    mkdir "$work/traces"
    TARE_TRACE="tare-trace 1
folder $(cd "$work/traces" && pwd)" LD_LIBRARY_PATH=$libraries "$program" "$@" >/dev/null
    found=$("$passes" "$work/traces" "$point" 2>/dev/null | grep -E '^[0-9]+$') || { "$passes" "$work/traces" "$point" && exit 1; }
    [ "$found" = "$expected" ] || { echo "$program: $found passes of $point, not $expected" && exit 1; }
    echo "ok  $program: $found passes of $point"
}

for compiler in gcc clang; do
    there $compiler || continue
    for flags in "" -static -no-pie -flto -ffunction-sections\ -Wl,--gc-sections -fsanitize=address,undefined; do
        # shellcheck disable=SC2086 # words
        compile $compiler -std=c17 -O2 $flags tests/points/points_forms.c "$libraries/libtare.a" -lm -o "$work/program"
        check "$work/program" round 20 10
    done
    compile $compiler -std=c17 -O2 tests/points/points_forms.c -L"$libraries" -ltare -o "$work/program"
    check "$work/program" round 20 10
done
for compiler in g++ clang++; do
    there $compiler || continue
    for flags in "" -static -flto -O0; do
        # shellcheck disable=SC2086 # words
        compile $compiler -std=c++17 -O2 $flags tests/points/points_cxx.cpp "$libraries/libtare.a" -pthread -lm -o "$work/program"
        check "$work/program" template 40 10
        check "$work/program" caught 8 10
        check "$work/program" inline 12 10
    done
    compile $compiler -std=c++17 -O2 tests/points/points_cxx.cpp -L"$libraries" -ltare -pthread -o "$work/program"
    check "$work/program" lambda 20 10
    check "$work/program" destructor 11 10
done
