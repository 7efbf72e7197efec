#!/bin/sh
# SPDX-License-Identifier: MIT
# The README's first command: two real programs on real input, one of them against itself, then the worked example.
#
#   tools/demo.sh BUILD-FOLDER [--full]
set -eu
example=$(cd "$(dirname "$0")/../examples/hashcrack" && pwd)
build=$(cd "$1" && pwd)
tare=$build/cli/tare
words=$(cd "$(dirname "$0")" && pwd)/words.awk
case ${2:-} in
'' | --full) ;;
*) echo "demo: there is --full, and no $2" >&2 && exit 2 ;;
esac
mkdir -p "$build/demo"
cd "$build/demo"

if [ ! -s words.txt ]; then
    echo "Making 20 MB of text: words.txt in $build/demo"
    awk -v bytes=20000000 -f "$words" >words.txt.new
    mv words.txt.new words.txt
fi

show() {
    printf '\n$ tare'
    for word; do
        case $word in
        *' '*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    "$tare" "$@"
}

echo
echo "Which of two checksums is faster, and by how much? Both read the same 20 MB."
show run 'sha256sum words.txt' 'md5sum words.txt'
echo
echo "And what does tare say when there is nothing to find? The same command twice:"
show run 'md5sum words.txt' 'md5sum words.txt'

echo
if [ -x "$build/examples/hashcrack/hashcrack" ]; then
    echo "And the worked example: four ways to find a password, and what a talk said about them."
    "$example/demo.sh" "$build" ${2:+"$2"}
else
    echo "The worked example is not built: it needs libcrypto's headers (Debian: libssl-dev). ./dev demo installs them unless told --no-deps."
fi
