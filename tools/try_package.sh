#!/bin/sh
# SPDX-License-Identifier: MIT
# The Debian packages in a Debian 12 that has nothing else: installed, used as a newcomer would, purged. Root, debootstrap and network.
#
#   tools/try_package.sh [--root FOLDER] PACKAGE.deb...     FOLDER: a Debian that is there (kept); else one is made and removed
set -eu
root=
if [ "${1:-}" = --root ]; then
    root=$2
    shift 2
fi
[ $# -gt 0 ] || { echo "usage: tools/try_package.sh [--root FOLDER] PACKAGE.deb..." >&2 && exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "tools/try_package.sh: a chroot needs root" >&2 && exit 6; }

step() {
    printf '%s\n' "-- $*"
}

inside() {
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"
}

made=
leave() {
    umount "$root/proc" 2>/dev/null || true
    rm -rf "$root/tmp/packages"
    # never through a mount that is still there
    [ -z "$made" ] || [ -d "$root/proc/1" ] || rm -rf "$root"
}

if [ -z "$root" ]; then
    step "a fresh Debian 12"
    root=$(mktemp -d) made=yes
    trap leave EXIT
    debootstrap --variant=minbase bookworm "$root" >"$root.log" 2>&1 || { tail "$root.log" && exit 6; }
    rm -f "$root.log"
else
    trap leave EXIT
fi
mount -t proc proc "$root/proc"
mkdir -p "$root/tmp/packages"
cp "$@" "$root/tmp/packages"

step "what the packages need"
# a minimal image leaves manual pages and documents away: here they are looked for
rm -f "$root/etc/dpkg/dpkg.cfg.d/docker" "$root/etc/dpkg/dpkg.cfg.d/excludes"
inside apt-get update -qq
inside apt-get install -qq -y --no-install-recommends man-db gcc libc6-dev pkgconf >/dev/null
files() { # where a package of ours may have left something
    (cd "$root"; find usr etc var/lib/dpkg/info opt -xdev ! -path '*/cache/*' | grep -i tare) || true
}
files >"$root/tmp/before"
needs=$(for package; do dpkg-deb -f "$package" Depends; done | tr ',' '\n' | sed 's/|.*//; s/ *(.*//; s/ //g' | grep -v '^libtare' | sort -u)
# shellcheck disable=SC2086 # a list of words
inside apt-get install -qq -y --no-install-recommends $needs >/dev/null

step "dpkg -i"
inside sh -c 'dpkg -i /tmp/packages/*.deb' >"$root/tmp/dpkg.log" 2>&1 || { cat "$root/tmp/dpkg.log" && exit 1; }

step "the program"
inside tare --version
inside tare run --style basic -r 3 true
inside sh -c 'cd /tmp && tare run --style none --save try.jsonl -r 6 "sleep 0.001" "sleep 0.02" && tare show --style basic try.jsonl | grep -w slower && rm try.jsonl'
step "manual, completions, documents, examples"
inside man -w tare tare-run
inside sh -c 'man tare-run | grep -q -- --rev'
for file in bash-completion/completions/tare zsh/site-functions/_tare fish/vendor_completions.d/tare.fish doc/tare/README.md \
    doc/tare/copyright doc/tare/changelog.gz doc/tare/examples/hashcrack/hashcrack.c; do
    [ -s "$root/usr/share/$file" ] || { echo "no /usr/share/$file" && exit 1; }
done

step "the library"
# shellcheck disable=SC2016 # the shell inside expands them
inside sh -c 'cd /tmp && cat >use.c && cc -std=c17 use.c $(pkg-config --cflags --libs tare) -o shared && ./shared &&
    cc -std=c17 use.c $(pkg-config --cflags tare) -l:libtare.a -lm -o static && ./static && rm use.c shared static' <<'END'
#include <stdio.h>
#include <tare/stats.h>
int main(void)
{
    const double x[] = {1, 2, 3, 4};
    (void)x;
    return puts(tare_status_text(TARE_OK)) < 0;
}
END

step "purged"
inside sh -c 'dpkg --purge libtare-dev libtare0 tare' >/dev/null
files | diff "$root/tmp/before" - || { echo "this stayed behind" && exit 1; }
rm -f "$root/tmp/before" "$root/tmp/dpkg.log"
echo "nothing stayed behind"
