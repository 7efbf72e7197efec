#!/bin/sh
# SPDX-License-Identifier: MIT
# The README's first command: two real programs on real input, then one of them against itself.
#
#   tools/demo.sh BUILD-FOLDER
set -eu
tare=$(cd "$1" && pwd)/cli/tare
words=$(cd "$(dirname "$0")" && pwd)/words.awk
mkdir -p "$1/demo"
cd "$1/demo"

if [ ! -s words.txt ]; then
    echo "Making 20 MB of text: words.txt in $1/demo"
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
