#!/bin/sh
# SPDX-License-Identifier: MIT
# The talk's two tables and its lessons, measured here by tare. Prints Markdown.
#
#   examples/hashcrack/demo.sh BUILD-FOLDER [--full | --small]      a million lines, some four minutes; --full: 14 million; --small: 2000
#
# Nothing is compared with a fixed number, and nothing is expected: what the machine says is printed. The records of all sessions stay in
# BUILD-FOLDER/demo/hashcrack; `tare show` shows them.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
lines=1000000 startup_limit=40 steady_limit=80 budget=
case ${2:-} in
'') ;;
--full) lines=14000000 startup_limit=400 steady_limit=800 ;;
--small) lines=2000 startup_limit=300 steady_limit=300 budget='-r 6' ;; # the figures are those of starting a program; for the tests: so many runs, however slow
*) echo "demo.sh: there are --full and --small, and no $2" >&2 && exit 2 ;;
esac
PATH=$build/cli:$build/examples/hashcrack:$PATH
mkdir -p "$build/demo/hashcrack"
cd "$build/demo/hashcrack"
rm -f steady.jsonl
answer=open-sesame
hash=$(printf %s "$answer" | sha256sum | cut -c1-64)
methods=array,stream,threads,threads-stop

# The word lists: equal but for the place of the answer

lists() {
    for depth in 5 50 absent; do
        make-words --answer "$answer" --depth $depth "$lines" "words-$depth.txt"
    done
}

session() { # RECORD DEPTH OPTION...: all four searches
    record=$1 depth=$2
    shift 2
    options=$*
    # shellcheck disable=SC2016 # shown, not expanded
    printf '$ tare run %s-L method %s "hashcrack -m {method} $hash words-%s.txt"\n' "${options:+$options }" $methods "$depth"
    tare run "$@" -q --style none --save "$record.jsonl" -L method $methods "hashcrack -m {method} $hash words-$depth.txt"
}

# The same searches within a process, which repeats each until its times settle.
steady() {
    echo "\$ WORDS=. tare bench --method georges --profile steady --max-time $steady_limit -f '/depth:5\$/' bench-hashcrack"
    WORDS=. tare bench -q --style none --method georges --profile steady --max-time "$steady_limit" -f '/depth:5$/' --save steady.jsonl \
        "$build/examples/hashcrack/bench-hashcrack"
}

# The published rule repeats each search up to 30 times; on a machine that does not settle that needs a limit.
sessions() {
    for run in 1 2 3; do
        session "single-$run" 5 -r 1
    done
    session startup 5 --method georges --max-time $startup_limit
    # shellcheck disable=SC2086 # two words or none
    session time-5 5 $budget
    [ ! -x "$build/examples/hashcrack/bench-hashcrack" ] || steady
    session memory-startup 5 --method georges --metric rss --max-time $startup_limit
    # shellcheck disable=SC2086
    {
        session memory-5 5 --metric rss $budget
        session time-50 50 $budget
        session time-absent absent -i=1 $budget
    }
}

words_hashed() { # METHOD N: how many words each search hashes, in its own words
    for method in array stream threads threads-stop; do
        hashcrack -v -m $method "$hash" words-5.txt 2>&1 >/dev/null | sed -n "s/.*looked at \([0-9]*\) words/$method \1/p"
    done
}

machine() {
    echo "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1 | tr -s ' '), $(getconf _NPROCESSORS_ONLN) CPUs," \
        "$(grep -q ' hypervisor' /proc/cpuinfo && echo 'virtual machine' || echo 'no hypervisor seen')," \
        "load average $(cut -d' ' -f1 /proc/loadavg) at the start, $(date -u +%Y-%m-%d), tare $(tare --version | awk '{ print $NF }')"
}

where=$(machine)
echo "Which word of $lines has the SHA-256 $(printf %.12s "$hash")...? Four programs find it; how fast, and with how much memory?"
echo
lists
echo '```'
sessions
echo '```'
echo
words_hashed >hashed.txt
# shellcheck disable=SC2046 # one name or none
awk -v lines=$lines -v where="$where" -f "$here/tables.awk" hashed.txt single-?.jsonl startup.jsonl $(ls steady.jsonl 2>/dev/null) memory-startup.jsonl memory-5.jsonl \
    time-5.jsonl time-50.jsonl time-absent.jsonl
