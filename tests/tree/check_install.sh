#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs a build, moves the installed tree elsewhere, and uses it there as strangers do: by CMake, by pkg-config, in C and C++.
#
#   tests/tree/check_install.sh BUILD-FOLDER
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")/consumer" && pwd)
work=$build/consumer
rm -rf "$work"
mkdir -p "$work"

step() {
    printf '%s\n' "-- $*"
}

step "install and move"
cmake --install "$build" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log" && exit 1; }
mv "$work/first" "$work/moved"
prefix=$work/moved

step "nothing names the folders it was built in or installed to"
source=$(cd "$here/../../.." && pwd)
names_a_folder() { # FOLDER...: files of the prefix that hold one of these paths
    for folder; do
        grep -rlF -- "$folder" "$prefix" | sed "s|^$prefix/||; s|\$|: names $folder|"
    done
}
found=$(names_a_folder "$build" "$work/first" "$source/")
[ -z "$found" ] || { printf '%s\n' "$found" && exit 1; }

step "every public header alone, in C17 (but for those of C++) and in C++17"
for header in "$prefix"/include/tare/*.h "$prefix"/include/tare/*.hpp; do
    name=tare/$(basename "$header")
    [ "${name%.hpp}" != "$name" ] || printf "#include <%s>\nextern int nothing;\n" "$name" | cc -std=c17 -pedantic -Wall -Wextra -Werror -I"$prefix/include" -fsyntax-only -x c -
    printf "#include <%s>\nextern int nothing;\n" "$name" | c++ -std=c++17 -pedantic -Wall -Wextra -Werror -I"$prefix/include" -fsyntax-only -x c++ -
done

step "find_package"
cmake -G Ninja -S "$here" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" >"$work/cmake.log" || { cat "$work/cmake.log" && exit 1; }
cmake --build "$work/cmake" >"$work/build.log" || { cat "$work/build.log" && exit 1; }
for program in "$work"/cmake/consumer_*_static "$work"/cmake/consumer_*_tare "$work"/cmake/consumer_*_shared; do
    [ -x "$program" ] || continue
    "$program" >"$work/consumer.txt" || { echo "$program" && cat "$work/consumer.txt" && exit 1; }
done
for kind in tare shared; do
    "$work/cmake/consumer_bench_$kind" --sample-time 0.00001 | grep -q '^triple/2 *[0-9]' || { echo "consumer_bench_$kind gives no figure" && exit 1; }
done

step "pkg-config"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tare.pc)")
export PKG_CONFIG_PATH
libdir=$(pkg-config --variable=libdir tare)
# shellcheck disable=SC2046 # the answers of pkg-config are words
{
    # as documented, nothing more: the program starts, though the loader does not know the prefix
    cc -std=c17 -pedantic -Wall -Wextra -Werror "$here/consumer.c" -o "$work/pc_shared" $(pkg-config --cflags --libs tare)
    cc -std=c17 -pedantic -Wall -Wextra -Werror "$here/consumer_bench.c" -o "$work/pc_bench" $(pkg-config --cflags --libs tare)
    cc -std=c17 -pedantic -Wall -Wextra -Werror "$here/consumer.c" -o "$work/pc_static" \
        $(pkg-config --cflags --libs --static tare | sed 's/-ltare/-l:libtare.a/')
}
unset LD_LIBRARY_PATH
"$work/pc_shared"
"$work/pc_static"
"$work/pc_bench" --sample-time 0.00001 | grep -q '^triple/2 *[0-9]' || { echo "the program of pkg-config gives no figure" && exit 1; }
ldd "$work/pc_shared" | grep -qF "libtare.so.0 => $libdir/" || { echo "the shared consumer does not use the shared library" && exit 1; }
cc "$here/consumer.c" -I"$prefix/include" -L"$libdir" -ltare -lm -o "$work/not_found"
if "$prefix/bin/tare" bench -q "$work/not_found" >/dev/null 2>"$work/says.txt"; then
    echo "a program that does not start was measured"
    exit 1
fi
grep -q 'libtare.so.0: cannot open shared object file' "$work/says.txt" || { echo "its own error is not shown:" && cat "$work/says.txt" && exit 1; }

step "SAMPLER v2's points"
sampler=$here/../../../examples/sampler/test_sub.c
cc -std=c99 -pedantic -Wall -Wextra -Werror "$sampler" -I"$prefix/include" -L"$libdir" -lsampler -o "$work/sampler_plain"
cc -O0 "$sampler" -I"$prefix/include" "$libdir/libsampler.a" -o "$work/sampler_path"
cc "$sampler" -I"$prefix/include" -L"$libdir" -l:libsampler.so.0 -Wl,-rpath,"$libdir" -o "$work/sampler_shared"
# shellcheck disable=SC2046 # the answers of pkg-config are words
cc "$sampler" -o "$work/sampler_static" $(pkg-config --cflags --libs sampler)
arcs() { # PROGRAM EXPECTED
    "$1" -o "$work/arcs.out"
    [ "$(grep -c '"dt":' "$work/arcs.out")" -eq "$2" ] || { echo "$1: not its $2 arcs" && cat "$work/arcs.out" && exit 1; }
}
arcs "$work/sampler_plain" 4
arcs "$work/sampler_path" 4
arcs "$work/sampler_shared" 4
arcs "$work/sampler_static" 4
arcs "$work/cmake/consumer_sampler" 1
arcs "$work/cmake/consumer_sampler_shared" 1
(cd "$work" && "$prefix/bin/sampler-repeat" 3 1 cmake/consumer_sampler && "$prefix/bin/tare" show -q --style basic sampler.out)

step "the programs"
"$prefix/bin/tare" --version
(cd / && "$prefix/bin/tare" run -r 1 true >/dev/null)
# what counts allocations is found beside it too; without it the heap's figure has a reason instead
(cd / && "$prefix/bin/tare" run --style basic -w 0 -r 1 --memory-timeline 'sort /etc/passwd' >"$work/timeline.txt" 2>&1)
grep -q 'live heap.*allocations' "$work/timeline.txt" || { cat "$work/timeline.txt" && exit 1; }
mv "$prefix/libexec/tare/tare-spawn" "$work/spawn-elsewhere"
if "$prefix/bin/tare" run -r 1 true >/dev/null 2>"$work/no-helper.txt"; then
    echo "tare ran without the installed helper: which one did it take?"
    exit 1
fi
mv "$work/spawn-elsewhere" "$prefix/libexec/tare/tare-spawn"

step "what is there, and nothing else in bin"
bad=0
for page in "$here"/../../../docs/man/*.scd; do
    name=$(basename "$page" .scd)
    [ -s "$prefix/share/man/man${name##*.}/$name" ] || { echo "no manual page $name" && bad=1; }
done
for file in share/bash-completion/completions/tare share/zsh/site-functions/_tare share/fish/vendor_completions.d/tare.fish \
    share/doc/tare/LICENSE share/doc/tare/README.md share/doc/tare/docs/how-it-works/noise.md share/doc/tare/examples/hashcrack/hashcrack.c \
    libexec/tare/tare-noop libexec/tare/tare-work libexec/tare/tare-symbol libexec/tare/libtare_alloc.so; do
    [ -s "$prefix/$file" ] || { echo "no $file" && bad=1; }
done
[ "$(cd "$prefix/bin" && echo *)" = "sampler-repeat tare" ] || { echo "bin holds: $(ls "$prefix/bin")" && bad=1; }
exit $bad
