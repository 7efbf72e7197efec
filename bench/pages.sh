#!/bin/sh
# SPDX-License-Identifier: MIT
# The pages of --export-html: how large they are, how long they take, and whether a browser finds fault with them.
#
#   ./dev bench pages [--gallery]     bench/pages.sh BUILD-FOLDER [--gallery]
#
# A page of each kind of session is made and opened in Chromium (headless, without a network) by pages/open_pages.py: at three widths, light and dark, with axe-core,
# which looks for faults of accessibility, and printed. axe-core comes from npm: AXE names its axe.min.js, else `npm install` is tried in the build folder. Without Chromium
# the pages are made all the same. --gallery: the pictures of docs/gallery.md are made anew. Exit 1: a fault was found.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
shift
case $* in '' | --gallery) ;; *) echo "pages: it takes --gallery or nothing" >&2 && exit 2 ;; esac
gallery=$*
tare=$build/cli/tare work=$build/bench/pages bad=0
mkdir -p "$work"
cd "$work"

# ---- the pages ----

page() { # NAME COMMAND WORD...: an answer of any kind is one; a failure ends it
    name=$1 command=$2 code=0
    shift 2
    # shellcheck disable=SC2086 # a command of two words
    "$tare" $command -q --export-html "$name.html" "$@" >"$name.txt" 2>&1 || code=$?
    [ $code -lt 4 ] || { cat "$name.txt" >&2 && exit 1; }
    pages="$pages $name.html"
}
pages=''
cp -f "$build/examples/functions/bench-sort" old
cp -f "$build/examples/functions/bench-sort" new
cp -f "$build/examples/points/road" road
cp -f "$build/examples/leak/leak-cases" leak-cases
page run run -r 60 --save run.jsonl -n quick -n slow -n slower 'sleep 0.004' 'sleep 0.005' 'sleep 0.008'
page scan run -r 10 -L n 1,2,4,8 'sleep 0.00{n}'
page memory run -r 10 --memory-timeline 'seq 1 200000 | sort -r'
page bench bench --max-time 20s ./old ./new
page trace trace -r 20 ./road
page leak leak --max-time 12s -f memcmp_32 -f sodium_memcmp ./leak-cases
page dudect leak --method dudect --max-time 6s -f memcmp_32 ./leak-cases
page clock clock
page host 'system qualify' --minutes 0.2 --aa 6 --planted 6

# ---- size and time ----

# A record of so many rows, made of those of run.jsonl over and over.
rows() { # ROWS
    python3 - "$1" >rows.jsonl <<'END'
import re, sys
lines = open("run.jsonl").read().splitlines()
rows = [re.split(r'(?<="row":\[\[)\d+', x, maxsplit=1) for x in lines if x.startswith('{"type":"row"')]
made = ("trailer", "estimate", "comparison", "finding", "look", "plan", "row")
print(*(x for x in lines if not x.startswith(tuple(f'{{"type":"{m}"' for m in made))), sep="\n")
for i in range(int(sys.argv[1])):
    before, after = rows[i % len(rows)]
    print(before, i // 3, after, sep="")
END
}

echo "| rows | page, kB | CPU seconds beyond showing it |"
echo "|---:|---:|---:|"
for n in 12 999 1000000; do
    rows $n
    "$tare" run -q -r $((n < 10000 ? 5 : 1)) -w 0 --style none --export-json time.json -n shown -n page "$tare show -q rows.jsonl" \
        "$tare show -q --export-html rows.html rows.jsonl" >/dev/null 2>&1 || true
    python3 - "$n" <<'END'
import json, os, sys
shown, page = (r["user"] + r["system"] for r in json.load(open("time.json"))["results"])
print(f"| {sys.argv[1]} | {os.path.getsize('rows.html') / 1000:.0f} | {page - shown:.2f} |")
END
done
rm -f rows.jsonl

# ---- in a browser ----

command -v chromium >/dev/null || { echo "pages: no chromium, so no page was opened" && exit 0; }
axe=${AXE:-$work/node_modules/axe-core/axe.min.js}
[ -f "$axe" ] || npm install --silent --no-audit --no-fund axe-core >/dev/null 2>&1 || true
[ -f "$axe" ] || axe=-
# shellcheck disable=SC2086 # a list of words
python3 "$root/bench/pages/open_pages.py" "$axe" views $pages rows.html || bad=1

if [ -n "$gallery" ]; then
    python3 "$root/bench/pages/open_pages.py" --gallery "$root/docs/gallery" run.html:h1:1040 bench.html:h1:1000 trace.html:h2:1000 leak.html:h2:1040
fi
exit $bad
