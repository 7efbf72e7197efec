#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the Debian packages and looks into them: fields, dependencies, places, compression; the program runs from where they unpack.
#
#   tests/tree/check_package.sh BUILD-FOLDER      (tools/try_package.sh installs them for real); 77: no dpkg here
set -eu
for program in dpkg-deb dpkg-shlibdeps; do
    command -v $program >/dev/null || { echo "skipped: no $program here" && exit 77; }
done
build=$(cd "$1" && pwd)/package
source=$(cd "$(dirname "$0")/../.." && pwd)
bad=0

step() {
    printf '%s\n' "-- $*"
}

wrong() {
    printf '%s\n' "$*"
    bad=1
}

step "build"
export DEBFULLNAME="A Maintainer" DEBEMAIL=maintainer@example.org
{
    cmake -G Ninja -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DTARE_TESTS=OFF
    cmake --build "$build"
} >"$build.log" 2>&1 || { tail -n 40 "$build.log" && exit 1; }
rm -f "$build"/*.deb
(cd "$build" && umask 077 && cpack >"$build.log" 2>&1) || { tail -n 40 "$build.log" && exit 1; }

step "three packages, their fields"
upstream=$(sed -n 's/^project(tare VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
version=$upstream-1
arch=$(dpkg --print-architecture)
libdir=usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
for package in tare libtare0 libtare-dev; do
    file=$build/${package}_${version}_$arch.deb
    [ -s "$file" ] || { wrong "no $file" && continue; }
    for field in Package Version Architecture Maintainer Section Priority Description Installed-Size Depends; do
        [ -n "$(dpkg-deb -f "$file" $field)" ] || wrong "$package has no $field"
    done
    dpkg-deb -c "$file" | sed 's/ -> .*//' | awk '{ print $1, $2, $6 }' | sed 's|\./||' >"$build/$package.list"
    awk '$2 != "root/root" { print $3 " belongs to " $2; bad = 1 } END { exit bad }' "$build/$package.list" || bad=1
    awk '$1 ~ /^-/ && $3 ~ /share/ && $1 != "-rw-r--r--" { print $3 " is " $1; bad = 1 } $1 ~ /^d/ && $1 != "drwxr-xr-x" { print $3 " is " $1; bad = 1 }
        END { exit bad }' "$build/$package.list" || bad=1
    for doc in copyright changelog.gz changelog.Debian.gz; do
        grep -q "usr/share/doc/$package/$doc$" "$build/$package.list" || wrong "$package has no $doc"
    done
done
[ $bad = 0 ] || exit 1
depends() {
    dpkg-deb -f "$build/${1}_${version}_$arch.deb" Depends
}
dpkg-deb -f "$build/tare_${version}_$arch.deb" Maintainer | grep -qx 'A Maintainer <maintainer@example.org>' || wrong "the maintainer is not who builds"
depends tare | grep -q 'libc6 (>= .*libcjson1' || wrong "tare depends on: $(depends tare)"
depends libtare-dev | grep -q "libtare0 (= $version)" || wrong "libtare-dev depends on: $(depends libtare-dev)"

step "what is in them"
has() { # PACKAGE PATH...
    list=$build/$1.list
    shift
    for path; do
        grep -q " $path$" "$list" || wrong "$(basename "$list" .list) has no $path"
    done
}
for page in "$source"/docs/man/*.scd; do
    name=$(basename "$page" .scd)
    case $name in sampler-*) package=libtare-dev ;; *) package=tare ;; esac # a page goes with its program
    has $package "usr/share/man/man${name##*.}/$name.gz"
done
has tare usr/bin/tare usr/libexec/tare/tare-spawn usr/libexec/tare/tare-noop usr/libexec/tare/tare-work usr/libexec/tare/libtare_alloc.so usr/share/bash-completion/completions/tare \
    usr/share/zsh/site-functions/_tare usr/share/fish/vendor_completions.d/tare.fish usr/share/doc/tare/README.md \
    usr/share/doc/tare/docs/how-it-works/noise.md usr/share/doc/tare/examples/hashcrack/hashcrack.c
has libtare0 "$libdir/libtare.so.0" "$libdir/libtare.so.$upstream"
has libtare-dev "$libdir/libtare.so" "$libdir/libtare.a" "$libdir/pkgconfig/tare.pc" "$libdir/cmake/tare/tareConfig.cmake" usr/include/tare/stats.h usr/bin/sampler-repeat
grep -q 'usr/include\|libtare\.' "$build/tare.list" && wrong "tare holds parts of the library"

step "the program, from where it unpacks"
rm -rf "$build/unpacked"
dpkg-deb -x "$build/tare_${version}_$arch.deb" "$build/unpacked"
"$build/unpacked/usr/bin/tare" run --style none -r 2 true || wrong "it does not run"
zcat "$build/unpacked/usr/share/man/man1/tare-run.1.gz" | grep -q '^\.TH' || wrong "its manual page cannot be read"

if command -v lintian >/dev/null; then
    step "lintian"
    # the address of this test is nobody's
    lintian --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog,initial-upload-closes-no-bugs --fail-on error,warning "$build"/*.deb || bad=1
fi
exit $bad
