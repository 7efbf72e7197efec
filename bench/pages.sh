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

# The pages

page() { # NAME COMMAND WORD...: an answer of any kind is one, and that a program failed; without a page it ends
    name=$1 command=$2 code=0
    shift 2
    rm -f "$name.html"
    # shellcheck disable=SC2086 # a command of two words
    "$tare" $command -q --export-html "$name.html" "$@" >"$name.txt" 2>&1 || code=$?
    if [ $code -gt 5 ] || [ $code -eq 4 ] || ! [ -f "$name.html" ]; then
        cat "$name.txt" >&2 && echo "pages: $name: exit $code" >&2 && exit 1
    fi
    pages="$pages $name.html"
}
pages=''
cp -f "$build/examples/functions/bench-sort" old
cp -f "$build/examples/functions/bench-sort" new
cp -f "$build/examples/points/road" road
cp -f "$build/examples/leak/leak-cases" leak-cases
page run run -r 60 --save run.jsonl -n quick -n slow -n slower 'sleep 0.004' 'sleep 0.005' 'sleep 0.008'
"$tare" run -q -r 60 --save later.jsonl -n quick -n slow -n slower 'sleep 0.004' 'sleep 0.005' 'sleep 0.008' >/dev/null 2>&1 || true
page compare compare run.jsonl later.jsonl
page scan run -r 10 -L n 1,2,4,8 'sleep 0.00{n}'
page memory run -r 10 --memory-timeline 'seq 1 200000 | sort -r'
page bench bench --max-time 20s ./old ./new
page trace trace -r 20 ./road
page leak leak --max-time 12s -f memcmp_32 -f sodium_memcmp ./leak-cases
page dudect leak --method dudect --max-time 6s -f memcmp_32 ./leak-cases
page clock clock
page machine 'system show' --probe=1
page host 'system qualify' --minutes 0.2 --aa 6 --planted 6

# Less usual sessions

echo 0 >count
cat >rising <<'END'
#!/bin/sh
read -r n <count
echo $((n + 1)) >count
sleep 0.0$((100 + n))
END
chmod +x rising
page drift run -r 40 --save drift.jsonl -n rising -n flat ./rising 'sleep 0.01'
page alone run -r 30 'sleep 0.003'
page sessions run --sessions 3 -r 8 -n one -n two 'sleep 0.003' 'sleep 0.004'
for i in 1 2 3 4; do
    "$tare" run -q -r 8 --save old$i.jsonl -n prog 'sleep 0.003' >/dev/null 2>&1
    "$tare" run -q -r 8 --save new$i.jsonl -n prog 'sleep 0.003' >/dev/null 2>&1
done
page sets compare --baseline old1.jsonl --baseline old2.jsonl --baseline old3.jsonl --baseline old4.jsonl new1.jsonl new2.jsonl new3.jsonl new4.jsonl
page itself run --aa=10 -r 10 'sleep 0.002'
page failing run -r 8 -i -n fails -n good 'sleep 0.002; exit 3' 'sleep 0.002'
page counts run -r 8 --metric minflt -n one -n two 'seq 1 1000' 'seq 1 300000 | sort -r'
page again rerun --yes drift.jsonl
"$tare" run -q -r 400 --save cut.jsonl 'sleep 0.01' >/dev/null 2>&1 &
sleep 1
kill -9 $! && page cut show cut.jsonl
echo '{"results":[{"command":"old","times":[1.1,1.2,1.3,1.2,1.1,1.25,1.15]},{"command":"new","times":[1.0,1.1,1.2,1.1,1.0,1.15,1.05]}]}' >hyperfine.json
page foreign show hyperfine.json
page growth bench --max-time 15s "$build/examples/functions/bench-map"
for name in growth bench scan; do
    grep -q 'class="line c0 fit"' $name.html || { echo "pages: $name.html has no fitted curve" >&2 && bad=1; }
done
page trace_two trace -r 10 -n one -n other './road 10000 0' './road 20000 0'
page leak_scan leak --scan --max-time 8s -f memcmp_32 ./leak-cases
page leak_growth leak --growth --max-time 15s "$build/examples/queue/queue-cases"

# A gate, and a history with its site

repository=$work/repository
git_here() { git -C "$repository" -c user.name=t -c user.email=t@example.org -c commit.gpgsign=false "$@"; }
commits() { # two builds of a program that answers as google/benchmark's do: of the second one benchmark is slower
    rm -rf "$repository"
    git init -q -b main "$repository"
    cat >"$repository/program" <<'END'
#!/bin/sh
name=$(printf '%s\n' "$@" | sed -n 's/^--benchmark_filter=^\(.*\)$$/\1/p')
case " $* " in *benchmark_list_tests=true*) exec cut -d ' ' -f 1 "${0%/*}/times" ;; esac
sed -n "s|^$name ||p" "${0%/*}/times" | awk -v name="$name" -v seed="$(od -An -N3 -tu4 /dev/urandom)" '{
    srand(seed)
    ns = $1 * (1 + .004 * (rand() + rand() + rand() - 1.5) + (rand() < .05) * .03)
    printf "{\"benchmarks\": [{\"name\": \"%s\", \"run_name\": \"%s\", \"run_type\": \"iteration\", \"iterations\": 10, ", name, name
    printf "\"real_time\": %.4f, \"cpu_time\": %.4f, \"time_unit\": \"ns\"}]}\n", ns, ns }'
END
    printf 'mkdir -p build\ncp program build/bench\ncp times build\nchmod +x build/bench\n' >"$repository/build.sh"
    printf 'parse/4096 1200\nformat 310\nlookup 45\nsort/1000 8800\n' >"$repository/times"
    git_here add -A && git_here commit -qm 'as it was' && git_here branch base
    sed -i 's/4096 1200/4096 1265/' "$repository/times"
    git_here commit -qam 'parse: numbers in exponents'
}
commits
(cd "$repository" && page ../gate gate --base base --build 'sh build.sh' --bench build/bench --max-time 60s)
pages="$pages gate.html"
(cd "$repository" && page ../gate_qualified gate --qualify 4 --build 'sh build.sh' --bench build/bench --max-time 20s)
(cd "$repository" && echo 'exit 3' >build.sh && git_here commit -qam 'does not build' && page ../gate_broken gate --base base --build 'sh build.sh' --bench build/bench)
pages="$pages gate_qualified.html gate_broken.html"

# 80 commits; one series becomes slower, one drifts, one stays.
rm -rf "$repository" history
git init -q -b main "$repository"
awk 'BEGIN { for (i = 0; i < 80; i++)
    printf "commit refs/heads/main\ncommitter t <t@example.org> %d +0000\ndata <<END\nchange number %d\nEND\n", 1764000000 + 86400 * i, i }' | git -C "$repository" fast-import --quiet
git_here log --reverse --format=%H main | awk 'BEGIN { srand(26); print "commit,benchmark,metric,value,unit" }
    function noise() { return 1 + .006 * (rand() + rand() + rand() - 1.5) }
    { printf "%s,parse big.txt,wall,%.0f,ns\n%s,format,wall,%.0f,ns\n%s,lookup,wall,%.0f,ns\n%s,parse big.txt,rss,%.0f,bytes\n", $1,
          12e6 * noise() * (NR > 50 ? 1.08 : 1), $1, 3.1e6 * noise() * (1 + NR / 1500), $1, 45e4 * noise(), $1, 8.2e6 * noise() }' >history.csv
(cd "$repository" && "$tare" history import -q ../history.csv && "$tare" history html -q ../history)
pages="$pages history/index.html $(find history -name '*.html' ! -name index.html | sort | tr '\n' ' ')"

# Size and time

# A record of so many rows, made of those of run.jsonl, one session after the other; wall and CPU time, which come first, by some percent longer, each row by its own.
rows() { # ROWS
    python3 - "$1" >rows.jsonl <<'END'
import random, re, sys
random.seed(26)
lines = open("run.jsonl").read().splitlines()
rows = [re.fullmatch(r'(.*"row":\[\[)\d+(,\d+\],)(\d+)(,\d+,)(\d+),(\d+)(.*)', x).groups() for x in lines if x.startswith('{"type":"row"')]
session = max(int(row[2]) + int(row[4]) for row in rows)
made = ("trailer", "estimate", "comparison", "finding", "look", "plan", "row")
print(*(x for x in lines if not x.startswith(tuple(f'{{"type":"{m}"' for m in made))), sep="\n")
for i in range(int(sys.argv[1])):
    before, slot, start, flags, wall, cpu, after = rows[i % len(rows)]
    longer = 1 + abs(random.gauss(0, .03))
    print(before, i // 3, slot, int(start) + i // len(rows) * session, flags, int(int(wall) * longer), ",", int(int(cpu) * longer), after, sep="")
END
}

echo "| rows | page, kB | CPU seconds to show the record | to write the page besides |"
echo "|---:|---:|---:|---:|"
for n in 12 999 1000000; do
    rows $n
    "$tare" run -q -r $((n < 10000 ? 5 : 1)) -w 0 --style none --export-json time.json -n shown -n page "$tare show -q rows.jsonl" \
        "$tare show -q --export-html rows.html rows.jsonl" >/dev/null 2>&1 || true
    python3 - "$n" <<'END'
import json, os, sys
shown, page = (r["user"] + r["system"] for r in json.load(open("time.json"))["results"])
print(f"| {sys.argv[1]} | {os.path.getsize('rows.html') / 1000:.0f} | {shown:.2f} | {page - shown:.2f} |")
END
done
rm -f rows.jsonl

# In a browser

command -v chromium >/dev/null || { echo "pages: no chromium, so no page was opened" && exit 0; }
axe=${AXE:-$work/node_modules/axe-core/axe.min.js}
[ -f "$axe" ] || npm install --silent --no-audit --no-fund axe-core >/dev/null 2>&1 || true
[ -f "$axe" ] || axe=-
# shellcheck disable=SC2086 # a list of words
python3 "$root/bench/pages/open_pages.py" "$axe" views $pages rows.html || bad=1

if [ -n "$gallery" ]; then
    python3 "$root/bench/pages/open_pages.py" --gallery "$root/docs/gallery" run.html:h1:1040 bench.html:h1:1000 trace.html:h2:1500 leak.html:h2:1040
fi
exit $bad
