#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs with benchmarks compile without a word: by gcc and clang, each language version, pedantic, for other systems; those built for this
# one run, against the archive and the shared library. What must not compile does not.
#
#   tests/probe/check_compile.sh FOLDER-OF-LIBTARE WORK-FOLDER      exit 77: none of the compilers is there
set -eu
libraries=$1
work=$2
cd "$(dirname "$0")/../.."
mkdir -p "$work"
tried=0

there() {
    command -v "$1" >/dev/null
}

compile() { # COMPILER FLAGS... : without a word
    "$@" -pedantic -Wall -Wextra -Werror -Iinclude
    tried=$((tried + 1))
    echo "ok  $*"
}

# What a standard allows is said while reading: only the optimiser's warnings, which are the same in each, need objects.
sources='tests/probe/subject.c tests/probe/traps.c tests/probe/leak_subject.c'
for compiler in gcc clang; do
    there $compiler || continue
    for standard in c11 c17 c2x gnu17; do
        # shellcheck disable=SC2086 # words
        compile $compiler -std=$standard -Wshadow -Wdouble-promotion -fsyntax-only $sources
    done
    for source in $sources; do
        compile $compiler -std=c17 -O0 -Wshadow -c "$source" -o "$work/object.o"
        compile $compiler -std=c11 -O2 -Wshadow -c "$source" -o "$work/object.o"
    done
done
for compiler in g++ clang++; do
    there $compiler || continue
    for standard in c++17 c++20; do
        compile $compiler -std=$standard -Wshadow -Wdouble-promotion -Wold-style-cast -fsyntax-only tests/probe/subject_cxx.cpp
    done
    compile $compiler -std=c++17 -O0 -c tests/probe/subject_cxx.cpp -o "$work/object.o"
    compile $compiler -std=c++20 -O2 -fno-rtti -c tests/probe/subject_cxx.cpp -o "$work/object.o"
done
# A loop that is always left says nothing of how it was to be unrolled, and takes no other warning along.
left='TARE_BENCH(x) { TARE_LOOP(st) { tare_fail(st, "always"); break; } }'
for language in "gcc -x c -std=c17" "clang -x c -std=c17" "g++ -x c++ -std=c++17" "clang++ -x c++ -std=c++17"; do
    there "${language%% *}" || continue
    for level in -O0 -O2; do
        printf '#include <tare/bench.h>\n%s\n' "$left" >"$work/left.source"
        # shellcheck disable=SC2086 # words
        compile $language $level -c "$work/left.source" -o "$work/object.o"
        printf '#include <tare/bench.h>\n%s\n' "${left%\} \}}int unused; } }" >"$work/left.source"
        # shellcheck disable=SC2086
        if $language $level -Wall -Werror -Iinclude -c "$work/left.source" -o "$work/object.o" 2>"$work/left.txt" || ! grep -q unused "$work/left.txt"; then
            echo "$language $level: no word of a variable that is not used" && exit 1
        fi
    done
done
for compiler in x86_64-w64-mingw32-gcc aarch64-linux-gnu-gcc; do
    there $compiler || continue
    compile $compiler -std=c17 -O2 -c tests/probe/subject.c -o "$work/object.o"
    compile $compiler -std=c17 -O2 -c tests/probe/leak_subject.c -o "$work/object.o"
done
[ "$tried" -gt 0 ] || exit 77

# Macros that programs have are theirs: whatever they stand for, headers that come after them compile and leave them alone.
names='A B C D E F G H I J K L M N O P Q R S T U V W X Y Z MIN MAX ABS OK ERROR FAIL FAILED TRUE FALSE IN OUT BEGIN END ENTRY LIST NAME FIELD
    TYPE VALUE KIND COUNT SIZE TEST CHECK EXPECT REQUIRE BENCHMARK LIKELY UNLIKELY UNUSED ALWAYS_INLINE FOR FOREACH JOIN CONCAT CAT STR STRINGIFY
    ROW PASS WORD GROUP LOOP OPAQUE USE INVALID IO NOT_FOUND PERMISSION UNSUPPORTED VERSION BUSY CHILD Where Begin End Value Values Args Type
    likely unlikely near far small interface forever noinline always_inline unused used packed aligned constructor destructor cold hot weak
    section cleanup retain visibility format tls_model'
calls='min max abs swap list map each foreach index check fail expect require error fatal unit step where begin end count size test print log
    assert_true lock unlock get put add take'
for macro in $names; do
    printf '#define %s "hostile" @ )\n' "$macro"
done >"$work/hostile.h"
for macro in $calls; do
    printf '#define %s(argument) "hostile" @ )\n' "$macro"
done >>"$work/hostile.h"
{
    cat "$work/hostile.h"
    for header in include/tare/*.h include/sampler.h; do
        echo "#include <${header#include/}>"
    done
    for macro in $names $calls; do
        printf '#ifndef %s\n#error "%s is gone"\n#endif\n' "$macro" "$macro"
    done
    cat tests/probe/hostile_uses.h
} >"$work/hostile.source"
for language in "gcc -x c -std=c11" "clang -x c -std=c17" "g++ -x c++ -std=c++17" "clang++ -x c++ -std=c++20"; do
    there "${language%% *}" || continue
    # shellcheck disable=SC2086 # words
    compile $language -O2 -Wshadow -c "$work/hostile.source" -o "$work/object.o"
done

refuse() { # NAME COMPILER FLAGS... : reads source from standard input
    name=$1
    shift
    cat >"$work/refused.source"
    if "$@" -Iinclude -fsyntax-only "$work/refused.source" 2>"$work/refused.txt"; then
        echo "$name compiles, and must not"
        exit 1
    fi
    grep -q 'error' "$work/refused.txt" || { cat "$work/refused.txt" && exit 1; }
    echo "ok  refused: $name"
}

body='struct s { long a, b, c; }; TARE_BENCH(x) { struct s v = {1, 2, 3}; TARE_LOOP(st) { tare_use(v); } }'
! there gcc || printf '#include <tare/bench.h>\n%s\n' "$body" | refuse "a struct in tare_use, C" gcc -std=c17 -x c
! there g++ || printf '#include <tare/bench.h>\n%s\n' "$body" | refuse "a struct in tare_use, C++" g++ -std=c++17 -x c++
! there gcc || printf '#include <tare/bench.h>\n%s\n%s\n' "TARE_BENCH(x) { TARE_LOOP(st) {} }" "TARE_BENCH(x) { TARE_LOOP(st) {} }" |
    refuse "two benchmarks of one name in one file" gcc -std=c17 -x c

# C's designators in C++: the first error says what to write.
for compiler in g++ clang++; do
    there $compiler || continue
    printf '#include <tare/tare.h>\n%s\n' "TARE_BENCH(x, .args = TARE_ARGS(100, 1000)) { TARE_LOOP(st) {} }" |
        refuse "designators in TARE_BENCH, $compiler" $compiler -std=c++17 -pedantic -x c++
    grep -m1 'error' "$work/refused.txt" | grep -qF 'tare::opts().args(100, 1000)' || { cat "$work/refused.txt" && exit 1; }
    printf '#include <tare/tare.h>\n%s\n' "TARE_LEAK(x, .bytes = 64) { return in[0]; }" |
        refuse "designators in TARE_LEAK, $compiler" $compiler -std=c++17 -pedantic -x c++
    grep -m1 'error' "$work/refused.txt" | grep -qF 'tare::leak_opts().bytes(64)' || { cat "$work/refused.txt" && exit 1; }
done

run() { # NAME FLAGS...: of the C++ program, which has arguments of every kind
    name=$1
    shift
    compile "$@" -o "$work/$name"
    LD_LIBRARY_PATH=$libraries "$work/$name" --sample-time 0.00001 --samples 6 >"$work/$name.txt" && code=0 || code=$?
    [ "$code" -eq 5 ] || { echo "$name: exit code $code, not 5" && cat "$work/$name.txt" && exit 1; }
    [ "$(grep -c '^throws.*FAILED: .*it threw an exception' "$work/$name.txt")" -eq 4 ] || { cat "$work/$name.txt" && exit 1; }
    [ "$(grep -cE '^(compare|vector_size)$' "$work/$name.txt")" -eq 2 ] || { cat "$work/$name.txt" && exit 1; }
    [ "$(grep -cE '^(plain|sum|each|types|filled)[^ ]* +[0-9]' "$work/$name.txt")" -eq 14 ] || { cat "$work/$name.txt" && exit 1; }
    [ "$(grep -cE '^stepped/sign:-?1/size:(8|16) .*  products [0-9.]+ ns each  in C\+\+' "$work/$name.txt")" -eq 4 ] || { cat "$work/$name.txt" && exit 1; }
}
if there g++; then
    run with_archive g++ -std=c++17 -O2 tests/probe/subject_cxx.cpp "$libraries/libtare.a"
    run with_shared g++ -std=c++17 -O2 tests/probe/subject_cxx.cpp -L"$libraries" -ltare
    run static g++ -static -std=c++17 -O2 tests/probe/subject_cxx.cpp "$libraries/libtare.a"
    run link_time g++ -flto -std=c++17 -O2 tests/probe/subject_cxx.cpp "$libraries/libtare.a"
fi
