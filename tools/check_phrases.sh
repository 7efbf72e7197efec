#!/bin/sh
# SPDX-License-Identifier: MIT
# Looks for the phrases of tools/phrases.txt in all that users read: strings of the sources, the manual, README, CHANGELOG and docs.
#
#   tools/check_phrases.sh [ROOT]      a line for each phrase found; exit 1 if there is one
#
# Names are not its matter: strings without a blank, code in Markdown, *members* and *options* in the manual.
set -eu
tools=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$tools/..}"
texts=$(mktemp)
trap 'rm -f "$texts"' EXIT

# FILE:LINE:TEXT, with what `names` matches left out, and blocks of code, whose texts are in the sources
prose() {
    names=$1
    shift
    for file in "$@"; do
        [ ! -f "$file" ] || awk -v names="$names" '/^ *```/ { code = !code } !code { gsub(names, ""); print FILENAME ":" FNR ":" $0 }' "$file"
    done
}

{
    for folder in include src cli; do
        [ ! -d "$folder" ] || find "$folder" -name '*.[ch]' -o -name '*.def'
    done | sort | xargs awk -f "$tools/visible_strings.awk"
    # shellcheck disable=SC2016 # a backquote is meant
    prose '`[^`]*`' README.md CHANGELOG.md docs/*.md docs/how-it-works/*.md
    prose '[*][^*]*[*]' docs/man/*.scd
} >"$texts"

tab=$(printf '\t')
grep -v '^#' "$tools/phrases_allowed.txt" | while IFS=$tab read -r allowed _; do
    sed -E -i "s~$allowed~~gI" "$texts"
done

bad=0
while IFS=$tab read -r phrase term; do
    case $phrase in '#'*) continue ;; esac
    if grep -iE "[^[:alnum:]_-]($phrase)([^[:alnum:]_-]|\$)" "$texts"; then
        echo "  ^ not '$phrase', but: $term"
        bad=1
    fi
done <"$tools/phrases.txt"
exit $bad
