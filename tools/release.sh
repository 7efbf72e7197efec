#!/bin/sh
# SPDX-License-Identifier: MIT
# A release of the commit that is checked out, into FOLDER: archive of the sources, Debian packages, static programs for Linux, program and libtare for Windows,
# how each is installed, manual in HTML, recipes of other systems' packages (packaging/), list of materials (SPDX), checksums. All is built from the
# archive, and nothing depends on when, where or by whom, but for the maintainer that Debian's packages name.
#
#   DEBEMAIL="NAME <ADDRESS>" [TARE_URL=URL] tools/release.sh [--check] FOLDER      or ADDRESS, and DEBFULLNAME=NAME
#
# --check: builds all twice, in two folders, and compares. TARE_URL: where the files will be found, for the recipes.
# TARE_WINDOWS_LIBRARIES, TARE_STATIC_LIBRARIES, TARE_AARCH64_LIBRARIES: folders of tools/libraries.sh, made where they are not there.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
check=no
if [ "${1:-}" = --check ]; then
    check=yes
    shift
fi
fail() {
    echo "tools/release.sh: $*" >&2
    exit 6
}
[ $# -eq 1 ] || { echo "usage: tools/release.sh [--check] FOLDER" >&2 && exit 2; }
[ -n "${DEBEMAIL:-}" ] || fail "DEBEMAIL is not set: who maintains the Debian packages, as \"NAME <ADDRESS>\""
for program in git gzip tar zip mandoc musl-gcc aarch64-linux-gnu-gcc x86_64-w64-mingw32-gcc dpkg-shlibdeps; do
    command -v $program >/dev/null || fail "$program is missing (./dev deps build package release installs it)"
done
[ ! -e "$1" ] || [ -z "$(ls -A "$1")" ] || fail "$1 is not empty"
mkdir -p "$1"
out=$(cd "$1" && pwd)
commit=$(git -C "$here" rev-parse HEAD)
git -C "$here" diff --quiet HEAD || echo "note: what is not committed is not released" >&2
SOURCE_DATE_EPOCH=$(git -C "$here" log -1 --format=%ct)
LC_ALL=C TZ=UTC
export SOURCE_DATE_EPOCH LC_ALL TZ
umask 022
libraries() { # PRESET FOLDER: where its libraries are
    "$here/tools/libraries.sh" "$1" "$2" >&2
    (cd "$2" && pwd)
}
static=$(libraries static "${TARE_STATIC_LIBRARIES:-$here/build-static-libraries}")
aarch64=$(libraries aarch64 "${TARE_AARCH64_LIBRARIES:-$here/build-aarch64-libraries}")
windows=$(libraries mingw "${TARE_WINDOWS_LIBRARIES:-$here/build-windows-libraries}")

quiet() { # COMMAND...: its output where it fails
    "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2 && fail "failed: $*"; }
}

build() { # PRESET OPTION...
    preset=$1
    shift
    quiet cmake --preset "$preset" -S "$tree" "$@"
    quiet cmake --build "$tree/build-$preset" -j "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"
}

pack() { # FOLDER: all of it as an archive that depends on nothing else
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$1" | gzip -9n
}

notices() { # PACKAGE...: the licences of what is linked in
    for package; do
        printf '==== %s ====\n\n' "$package"
        cat "/usr/share/doc/$package/copyright"
        echo
    done
}

debian() {
    build package
    (cd "$tree/build-package" && quiet cpack)
    cp "$tree"/build-package/*.deb "$to"
}

static_program() { # PRESET MACHINE LIBRARIES C-LIBRARY
    build "$1" "-DTARE_LIBRARIES=$3"
    name=tare-$version-linux-$2
    quiet cmake --install "$tree/build-$1" --prefix "$work/$name" --component program --strip
    # what this machine can make and a build for another cannot
    quiet cmake --install "$tree/build-package" --prefix "$work/native" --component program
    mkdir -p "$work/$name/share"
    for folder in man bash-completion zsh fish; do
        cp -r "$work/native/share/$folder" "$work/$name/share"
    done
    notices libcjson-dev zlib1g-dev "$4" >"$work/$name/share/doc/tare/NOTICES"
    (cd "$work" && pack "$name") >"$to/$name.tar.gz"
}

windows_program() {
    build mingw "-DTARE_LIBRARIES=$windows" -DCMAKE_BUILD_TYPE=Release -DTARE_TESTS=OFF -DTARE_WERROR=OFF
    name=tare-$version-windows-x86_64
    for component in program library development; do
        quiet cmake --install "$tree/build-mingw" --prefix "$work/$name" --component $component --strip
    done
    notices libcjson-dev zlib1g-dev mingw-w64-common >"$work/$name/NOTICES.txt"
    find "$work/$name" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    (cd "$work" && find "$name" | sort | zip -9Xq@ "$to/$name.zip")
}

manual() { # as it is read in a browser; mandoc makes no links of what scdoc writes
    mkdir "$to/manual"
    for page in "$tree"/build-package/docs/man[1-9]/*.[1-9]; do
        mandoc -T html "$page" | sed -E '/<t(itle|d)/!s#(<b>)?((tare|sampler)[a-z-]*)(</b>)?\(([1-9])\)#<a href="\2.\5.html">\2(\5)</a>#g' \
            >"$to/manual/$(basename "$page").html"
    done
}

release() { # WORK TO
    work=$1 to=$2
    tree=$work/tare-$version
    mkdir -p "$work" "$to"
    git -C "$here" archive --format=tar --prefix="tare-$version/" "$commit" | gzip -9n >"$to/tare-$version.tar.gz"
    tar -xzf "$to/tare-$version.tar.gz" -C "$work"
    debian
    static_program static x86_64 "$static" musl-dev
    static_program static-aarch64 aarch64 "$aarch64" libc6-dev-arm64-cross
    windows_program
    manual
    "$here/tools/release_texts.sh" "$tree" "$to" "$version" "$commit"
    (cd "$to" && find . -type f | sed 's|^\./||' | sort | xargs sha256sum) >"$work/sums"
    mv "$work/sums" "$to/SHA256SUMS"
}

version=$(sed -n 's/^project(tare VERSION \([0-9.]*\).*/\1/p' "$here/CMakeLists.txt")
both=$(mktemp -d)
trap 'rm -rf "$both"' EXIT
release "$both/one" "$out"
if [ $check = yes ]; then
    release "$both/and/another" "$both/second"
    diff -r "$out" "$both/second" || fail "built twice, the files differ"
    echo "built twice, in two folders: the same bytes"
fi
cat "$out/SHA256SUMS"
