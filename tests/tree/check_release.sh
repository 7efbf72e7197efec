#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the release of the commit that is checked out twice, compares, and uses what came by its own instructions: checksums, static programs (that for aarch64
# under qemu), program and libtare for Windows under wine, recipes and manifests by the tools that read them, as far as they are here.
#
#   tests/tree/check_release.sh BUILD-FOLDER      77: a tool for making it is missing
set -eu
build=$(cd "$1" && pwd)/release
source=$(cd "$(dirname "$0")/../.." && pwd)
for program in git musl-gcc aarch64-linux-gnu-gcc x86_64-w64-mingw32-gcc zip mandoc dpkg-shlibdeps; do
    command -v $program >/dev/null || { echo "skipped: no $program here" && exit 77; }
done
git -C "$source" rev-parse -q --verify HEAD >/dev/null || { echo "skipped: not a clone" && exit 77; }
bad=0
step() {
    printf '%s\n' "-- $*"
}
wrong() {
    printf '%s\n' "$*"
    bad=1
}
with() { # PROGRAM COMMAND...: where the program is
    program=$1
    shift
    if command -v "$program" >/dev/null; then
        "$@" || wrong "failed: $*"
    else
        echo "not checked, as there is no $program: $*"
    fi
}

step "made twice"
rm -rf "$build"
mkdir -p "$build"
DEBEMAIL="A Maintainer <maintainer@example.org>" TARE_STATIC_LIBRARIES=$build-libraries TARE_AARCH64_LIBRARIES=$build-aarch64-libraries \
    TARE_WINDOWS_LIBRARIES=$build-windows-libraries \
    "$source/tools/release.sh" --check "$build/files" >"$build/log" 2>&1 || { tail -n 40 "$build/log" && exit 1; }
grep -q 'the same bytes' "$build/log" || { cat "$build/log" && exit 1; }
cd "$build/files"
version=$(sed -n 's/^project(tare VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")

step "what is there"
sha256sum -c --quiet SHA256SUMS || bad=1
for file in "tare-$version.tar.gz" "tare-$version-linux-x86_64.tar.gz" "tare-$version-linux-aarch64.tar.gz" "tare-$version.spdx.json" manual/tare.1.html manual/tare-run.1.html \
    packaging/homebrew/tare.rb packaging/arch/PKGBUILD packaging/alpine/APKBUILD packaging/nix/default.nix packaging/docker/Dockerfile \
    packaging/winget/tare.tare.installer.yaml "tare-$version-windows-x86_64.zip" INSTALL.md; do
    [ -s "$file" ] || wrong "no $file"
done
for text in "$(dpkg-deb -f tare_*.deb Maintainer)" "$(sed -n 's/^# Maintainer: //p' packaging/arch/PKGBUILD)" \
    "$(sed -n 's/^maintainer="\(.*\)"/\1/p' packaging/alpine/APKBUILD)"; do
    [ "$text" = "A Maintainer <maintainer@example.org>" ] || wrong "the maintainer is '$text'"
done
if grep -rlE '@[A-Z0-9_]+@' packaging INSTALL.md ./*.json; then
    wrong "these have a gap"
fi

instruction() { # SYSTEM: what INSTALL.md says for it
    awk -v heading="## $1" '/^## / { on = index($0, heading) == 1 } on && /^```/ { inside = !inside; next } on && inside' INSTALL.md
}

commit=$(git -C "$source" rev-parse HEAD | cut -c1-12)
try_static() { # MACHINE WORD...: in an empty folder; WORD...: what starts its programs here
    machine=$1 linux=tare-$version-linux-$1 place=$build/static-$1
    shift
    mkdir "$place"
    ln "$linux.tar.gz" "$place"
    said=$(instruction "Any Linux" | sed "s/x86_64/$machine/g" | (cd "$place" && "$@" env -i PATH="$PATH" sh -eu)) || bad=1
    [ "$said" = "tare $version ($commit)" ] || wrong "$linux says: $said"
    tare=$place/$linux/bin/tare
    if ! "$@" env -i "$tare" run -N --style basic --max-time 600 "$tare run -N -q -r 20 '$tare --version'" "$tare --version" >"$place.out" 2>&1 ||
        ! grep -q faster "$place.out"; then
        wrong "the first comparison of $linux:"
        cat "$place.out"
    fi
}
step "the static programs"
try_static x86_64
if command -v qemu-aarch64-static >/dev/null; then
    try_static aarch64 "$source/tests/ports/under_qemu.sh" aarch64
else
    echo "there is no qemu-aarch64-static, so the program for aarch64 was not tried"
fi

step "the manual, recipes and manifests"
grep -oh 'href="[^"#]*' manual/*.html | sed 's/href="//; /^$/d' | sort -u >../links
grep -qx tare-run.1.html ../links || wrong "the pages of the manual have no links to each other"
while IFS= read -r page; do
    [ -s "manual/$page" ] || wrong "the manual has no $page"
done <../links
with ruby ruby -c packaging/homebrew/tare.rb
copied=$(sed -n 's|^COPY --from=unpack \(.*\) .*|\1|p' packaging/docker/Dockerfile)
for file in $copied; do
    [ -s "$build/static-x86_64/tare-$version-linux-x86_64/${file#/usr/local/}" ] || wrong "the Dockerfile wants $file, which is not in its archive"
done
if command -v makepkg >/dev/null; then
    user='' arch=$(mktemp -d)
    [ "$(id -u)" -ne 0 ] || user='setpriv --reuid=65534 --regid=65534 --clear-groups' # makepkg does not work for root
    chmod 777 "$arch"
    cp packaging/arch/PKGBUILD "$arch"
    # shellcheck disable=SC2086 # words
    (cd "$arch" && $user env HOME="$arch" PACMAN=true makepkg --printsrcinfo) >../srcinfo || bad=1
    grep -q "sha256sums = $(sha256sum "tare-$version.tar.gz" | cut -d' ' -f1)" ../srcinfo || wrong "makepkg reads: $(cat ../srcinfo)"
    rm -rf "$arch"
fi
bash -n packaging/arch/PKGBUILD || bad=1
sh -n packaging/alpine/APKBUILD || bad=1
with shellcheck shellcheck -s bash packaging/arch/PKGBUILD
with yamllint yamllint -d relaxed packaging/winget
with nix-instantiate nix-instantiate --parse packaging/nix/default.nix
with python3 python3 -m json.tool "tare-$version.spdx.json" /dev/null
with lintian lintian --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog,initial-upload-closes-no-bugs --fail-on error,warning ./*.deb

zip=tare-$version-windows-x86_64.zip
if command -v wine >/dev/null; then
    step "the program for Windows"
    WINEPREFIX=$(mktemp -d)
    export WINEPREFIX WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
    mkdir ../windows
    (cd ../windows && cmake -E tar xf "../files/$zip") # Wine has no tar
    { echo '@echo off' && instruction Windows | grep -v '^tar '; } >../windows/install.cmd
    said=$(cd ../windows && wine cmd /c install.cmd 2>/dev/null | tr -d '\r')
    [ "$said" = "tare $version ($commit)" ] || wrong "under wine it says: $said"
    there=../windows/tare-$version-windows-x86_64
    for file in tare-noop.exe tare-work.exe; do
        [ -s "$there/bin/$file" ] || wrong "no $file in $zip"
    done
    for static in -static ''; do
        # shellcheck disable=SC2086 # a word, or none
        x86_64-w64-mingw32-gcc -O2 "$source/tests/ports/bracket_user.c" -I "$there/include" -L "$there/lib" -ltare $static -o "$there/bin/user.exe"
        wine "$there/bin/user.exe" 2>/dev/null | grep -Eq '^[0-9]+ ticks, [0-9]+\.[0-9]{3} us' || wrong "a program with TARE_START, linked '-ltare $static'"
    done
    if ! wine "$there/bin/tare.exe" run -N --style basic -r 10 'cmd /c ping -n 2 127.0.0.1' 'cmd /c ver' \
        >../windows.out 2>/dev/null || ! grep -q faster ../windows.out; then
        wrong "its first comparison:"
        cat ../windows.out
    fi
    wineserver -k || :
    rm -rf "$WINEPREFIX"
fi
exit $bad
