#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds tare as one static file, with musl (for another processor with glibc, as Debian has no musl for it), and uses it where nothing else is: for root in a folder that holds this file alone, as the root of the file
# system, with /proc and /dev/null as containers have them; else, and under qemu, without an environment. What it cannot do it must say. 77: there is no musl-gcc.
#
#   tests/ports/static.sh BUILD-FOLDER [PROCESSOR]
set -eu
processor=${2:-}
[ "$processor" ] || command -v musl-gcc >/dev/null || { echo "skipped: there is no musl-gcc (./dev deps ports installs it)" && exit 77; }
folder=$1
here=$(cd "$(dirname "$0")" && pwd)
"$here/../../tools/cross.sh" "static${processor:+-$processor}" "$folder" >"$folder.build" 2>&1 || { cat "$folder.build" && exit 1; }
tare=$folder/cli/tare
place=$folder.place
rm -rf "$place"
mkdir -p "$place/proc" "$place/dev" "$place/tmp"
: >"$place/dev/null"
cp "$tare" "$place/tare"
"${processor:+$processor-linux-gnu-}strip" "$place/tare"

bytes=$(wc -c <"$place/tare")
[ "$bytes" -le 3000000 ] || { echo "tare has $bytes bytes, more than 3 MB" && exit 1; }
if readelf -l "$place/tare" | grep -q INTERP; then
    echo "tare needs a loader"
    exit 1
fi

alone() { # WORD...: what tare prints, in a place with nothing but itself
    if [ "$processor" ]; then
        (cd "$place" && "$here/under_qemu.sh" "$processor" env -i ./tare "$@")
    elif [ "$(id -u)" -eq 0 ]; then
        # shellcheck disable=SC2016 # the shell inside expands them
        unshare -m sh -c 'mount -t proc proc "$1/proc" && mount --bind /dev/null "$1/dev/null" && shift && exec env -i "$@"' sh "$place" "$(command -v chroot)" "$place" /tare "$@"
    else
        (cd "$place" && env -i ./tare "$@")
    fi
}
shows() { # EXIT-CODE TEXT WORD...
    wanted=$1 text=$2 code=0
    shift 2
    alone "$@" >"$folder.out" 2>&1 </dev/null || code=$?
    [ "$code" -eq "$wanted" ] || { echo "tare $*: code $code, not $wanted:" && cat "$folder.out" && exit 1; }
    grep -q -e "$text" "$folder.out" || { echo "tare $*: nothing like '$text':" && cat "$folder.out" && exit 1; }
}
self=./tare
[ "$(id -u)" -ne 0 ] || [ "$processor" ] || self=/tare
slow="$self run -N -q -r 20 \"$self --version\""
shows 0 '^tare [0-9.]*' --version
shows 0 'faster' run -N --style basic --max-time 600 -- "$slow" "$self --version"
shows 0 'faster' run -N --style basic -r 10 --save tmp/record.jsonl -- "$slow" "$self --version"
shows 0 'faster' show --style basic tmp/record.jsonl
shows 0 . clock --style basic
shows 6 'one static file' leak --symbol libc.so.6:memcmp --class left --class right
shows 0 'one static file' run -N --style basic -r 6 --memory-timeline "$slow"
echo "tare as one file of $bytes bytes: its first comparison is right, with nothing beside it"
