#!/bin/sh
# SPDX-License-Identifier: MIT
# The libraries that a tare for another system is linked with, built for it from Debian's source packages (tools/libraries.txt), as archives under
# PREFIX. The sources come from where this machine's packages come from; apt's own configuration and lists are left alone. What PREFIX has
# in these versions already stays.
#
#   tools/libraries.sh PRESET PREFIX [units | queue]      PRESET: mingw, static, aarch64, riscv64 or i686; also what unit tests or that of a queue need
#   cmake --preset PRESET -DTARE_LIBRARIES=PREFIX
set -eu
here=$(cd "$(dirname "$0")" && pwd)
case $1 in
mingw) toolchain=mingw-x86_64 tools=x86_64-w64-mingw32- compiler=${tools}gcc ;;
static) toolchain=musl tools='' compiler=musl-gcc ;;
aarch64 | riscv64 | i686) toolchain=$1-linux-gnu tools=$toolchain- compiler=${tools}gcc ;;
*) echo "libraries.sh: '$1' is no preset: mingw, static, aarch64, riscv64, i686" >&2 && exit 2 ;;
esac
shift
mkdir -p "$1/built"
prefix=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
while read -r source version how purpose; do
    case $source in '#'*) continue ;; esac
    [ -z "$purpose" ] || [ "$purpose" = "${2:-}" ] || continue
    [ -e "$prefix/built/$source-$version" ] || echo "$source $version $how"
done <"$here/libraries.txt" >"$work/wanted"
[ -s "$work/wanted" ] || exit 0

fail() {
    echo "libraries.sh: $*" >&2
    exit 6
}
command -v dpkg-source >/dev/null || fail "dpkg-source is missing (./dev deps ports installs it)"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
apt() { # LIST WORD...
    places=$work/$1
    shift
    apt-get -qq -o Dir::Etc::SourceList="$places" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$work/lists" \
        -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"
}
# A line of sources for each place that packages of main come from.
# shellcheck disable=SC2016 # apt's own placeholders
apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Component: main' |
    grep '/debian' | sort -u >"$work/sources.list"
grep -v security "$work/sources.list" >"$work/main.list" || : # the place of security updates names what it does not hold
[ -s "$work/sources.list" ] || fail "apt knows no place of packages; apt-get update may help"
apt sources.list update || fail "the lists of sources cannot be read"

build_cmake() { # TREE
    cmake -S "$1" -B "$1-build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$here/../cmake/$toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF -DENABLE_CJSON_TEST=OFF \
        -DENABLE_CUSTOM_COMPILER_FLAGS=OFF -DWITH_EXAMPLES=OFF -DWITH_STATIC_LIB=ON &&
        cmake --build "$1-build" && cmake --install "$1-build"
}

build_cmocka() { # TREE: whose own build makes a DLL in any case
    build_cmake "$1" && rm -f "$prefix"/lib/libcmocka.dll.a "$prefix"/lib/libcmocka.so* && mv "$1-build/src/libcmocka-static.a" "$prefix/lib/libcmocka.a"
}

build_configure() { # TREE: zlib's, which knows no other system than this one; its archive needs none
    (cd "$1" && CC=$compiler AR=${tools}ar RANLIB=${tools}ranlib ./configure --static --prefix="$prefix" &&
        make -j"$(nproc)" libz.a && make install)
}

build_libpq() { # TREE: a DLL, as tare loads it, without TLS; of what PostgreSQL makes for all of its programs only what goes in
    (cd "$1" && ./configure --host="${tools%-}" --prefix="$prefix" --without-zlib --without-readline --with-system-tzdata=/ || exit
        for part in 'backend generated-headers' 'port libpgport_shlib.a' 'common libpgcommon_shlib.a' 'interfaces/libpq SHLIB_PREREQS= LIBS= install'; do
            # shellcheck disable=SC2086 # words
            make -j"$(nproc)" -C src/$part || exit
        done)
}

while read -r source version how; do
    (cd "$work" && { apt main.list source "$source=$version" || apt sources.list source "$source=$version"; } >"$source.log" 2>&1) ||
        { cat "$work/$source.log" >&2 && fail "no source $source $version"; }
    tree=$(find "$work" -maxdepth 1 -type d -name "$source-*" | head -n 1)
    "build_$how" "$tree" >"$work/$source.log" 2>&1 || { cat "$work/$source.log" >&2 && fail "$source does not build"; }
    echo "$source $version"
    touch "$prefix/built/$source-$version"
done <"$work/wanted"
