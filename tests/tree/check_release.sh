#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the release of the commit that is checked out twice, compares, and uses what came by its own instructions: checksums, static program, program for
# Windows under wine, recipes and manifests by the tools that read them, as far as they are here.
#
#   tests/tree/check_release.sh BUILD-FOLDER      77: a tool for making it is missing
set -eu
build=$(cd "$1" && pwd)/release
source=$(cd "$(dirname "$0")/../.." && pwd)
for program in git musl-gcc x86_64-w64-mingw32-gcc zip mandoc dpkg-shlibdeps; do
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
DEBEMAIL="A Maintainer <maintainer@example.org>" TARE_STATIC_LIBRARIES=$build-libraries TARE_WINDOWS_LIBRARIES=$build-windows-libraries \
    "$source/tools/release.sh" --check "$build/files" >"$build/log" 2>&1 || { tail -n 40 "$build/log" && exit 1; }
grep -q 'the same bytes' "$build/log" || { cat "$build/log" && exit 1; }
cd "$build/files"
version=$(sed -n 's/^project(tare VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")

step "what is there"
sha256sum -c --quiet SHA256SUMS || bad=1
for file in "tare-$version.tar.gz" "tare-$version-linux-x86_64.tar.gz" "tare-$version.spdx.json" manual/tare.1.html manual/tare-run.1.html \
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

step "the static program"
linux=tare-$version-linux-x86_64
mkdir ../static
ln "$linux.tar.gz" ../static
commit=$(git -C "$source" rev-parse HEAD | cut -c1-12)
said=$(instruction "Any Linux" | (cd ../static && env -i PATH="$PATH" sh -eu)) || bad=1
[ "$said" = "tare $version ($commit)" ] || wrong "it says: $said"
tare=$build/static/$linux/bin/tare
if ! env -i "$tare" run -N --style basic --max-time 20 "$tare run -N -q -r 20 '$tare --version'" "$tare --version" >../static.out 2>&1 ||
    ! grep -q faster ../static.out; then
    wrong "its first comparison:"
    cat ../static.out
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
    [ -s "../static/$linux/${file#/usr/local/}" ] || wrong "the Dockerfile wants $file, which is not in $linux.tar.gz"
done
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
    for file in tare-noop.exe tare-work.exe; do
        [ -s "../windows/tare-$version-windows-x86_64/bin/$file" ] || wrong "no $file in $zip"
    done
    if ! wine "../windows/tare-$version-windows-x86_64/bin/tare.exe" run -N --style basic -r 10 'cmd /c ping -n 2 127.0.0.1' 'cmd /c ver' \
        >../windows.out 2>/dev/null || ! grep -q faster ../windows.out; then
        wrong "its first comparison:"
        cat ../windows.out
    fi
    wineserver -k || :
    rm -rf "$WINEPREFIX"
fi
exit $bad
