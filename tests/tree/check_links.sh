#!/bin/sh
# SPDX-License-Identifier: MIT
# The pages are connected and name what there is: every relative link of a Markdown page leads to a file, and its anchor to a heading; every page that sources and pages
# name by docs/..., and every source file that docs/how-it-works names in `backquotes`, exists. The pages together stay readable: at most 30 000 words without the archive
# of old figures and the specification of the record.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0
complain() {
    echo "$1"
    bad=1
}

find . -name '*.md' -not -path './build*' -not -path './.*' | sed 's#^\./##' | sort >"$work/pages"
[ "$(grep -c . "$work/pages")" -ge 20 ] || complain "too few pages found"

anchors() { # PAGE: the anchors of its headings, as code hosts make them
    awk '/^```/ { code = !code } !code && /^#/ { sub(/^#+ */, ""); print }' "$1" |
        tr '[:upper:]' '[:lower:]' | sed 's/`//g; s/[^a-z0-9 _-]//g; s/ /-/g'
}

# shellcheck disable=SC2016 # the quotes of Markdown
links() { # PAGE: the targets of its links, code left out
    awk '/^```/ { code = !code } !code' "$1" | sed 's/`[^`]*`//g' | grep -oE '\]\([^)#]*(#[^)]*)?\)' | sed 's/^](//; s/)$//'
}

n=0
while IFS= read -r page; do
    here=$(dirname "$page")
    links "$page" >"$work/links"
    while IFS= read -r link; do
        case $link in
        http*://* | mailto:* | "") continue ;;
        esac
        n=$((n + 1)) file=${link%%#*} anchor=
        case $link in *\#*) anchor=${link#*\#} ;; esac
        target=$page
        [ -z "$file" ] || target=$here/$file
        if [ ! -e "$target" ]; then
            complain "$page: $link leads nowhere"
        elif [ -n "$anchor" ] && ! anchors "$target" | grep -qxF -e "$anchor"; then
            complain "$page: $link: no such heading"
        fi
    done <"$work/links"
done <"$work/pages"
[ "$n" -ge 50 ] || complain "too few links found: $n"

grep -rnoE 'docs/[a-z/-]+\.md' --include='*.[ch]' --include='*.def' --include='*.sh' --include='*.scd' --include='CMakeLists.txt' --include='*.md' \
    src cli include tests bench examples fuzz tools docs README.md CONTRIBUTING.md SECURITY.md | sort -u >"$work/named"
while IFS=: read -r where line page; do
    [ -e "$page" ] || complain "$where:$line: there is no $page"
done <"$work/named"

# shellcheck disable=SC2016
grep -ohE '`[A-Za-z0-9_/]+\.(c|h|def|sh)`' docs/how-it-works/*.md CONTRIBUTING.md | tr -d '`' | grep -v -e NAME -e GROUP | sort -u >"$work/files"
find src cli include tests bench examples fuzz tools -type f | sed 's#^#/#' >"$work/tree"
while IFS= read -r file; do
    grep -qF -e "/$file" "$work/tree" || complain "there is no $file, which a page names"
done <"$work/files"

# The screen of docs/history.md is one that a test holds.
awk '/^series  / { on = 1 } !/  / { on = 0 } on' docs/history.md >"$work/screen"
[ "$(grep -c . "$work/screen")" -ge 4 ] || complain "docs/history.md shows no list of series"
while IFS= read -r line; do
    grep -qxF -e "$line" tests/cli/history_screens.case || complain "docs/history.md: tare history list does not print: $line"
done <"$work/screen"

# A word has a letter or a digit: the rules of tables are none.
words=$(grep -v -e '^docs/archive/' -e '^docs/record-format.md$' "$work/pages" | grep '^docs/' | xargs cat | tr -s '[:space:]' '\n' | grep -c '[[:alnum:]]')
[ "$words" -le 30000 ] || complain "the pages of docs have $words words, more than 30000"
exit $bad
