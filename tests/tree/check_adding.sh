#!/bin/sh
# SPDX-License-Identifier: MIT
# "Adding one thing" in CONTRIBUTING.md, tried: in a copy of the tree a metric, an exporter, a finding and a knob are added, each in as many files as
# the page says, and a tare that is built there has all four.
#
#   tests/tree/check_adding.sh WORK-FOLDER      one line a thing; exit 1 if a number differs or a thing is not in the output
set -eu
work=${1:?usage: tests/tree/check_adding.sh WORK-FOLDER}
cd "$(dirname "$0")/../.."
rm -rf "$work/tree" "$work/before"
mkdir -p "$work/tree"
tar --exclude=./build* --exclude=./_install --exclude=./.git --exclude=./tests/cli --exclude=./tests/data --exclude=./fuzz/corpus --exclude=./shared -cf - . | tar -xf - -C "$work/tree"
cp -a "$work/tree" "$work/before"
cd "$work/tree"
bad=0

# FILE PATTERN TEXT: the text as lines of its own behind the first line that fits
behind() {
    awk -v pattern="$2" -v text="$3" '
        { print }
        !done && $0 ~ pattern { print text; done = 1 }
        END { exit !done }' "$1" >"$1.new" || {
        echo "$1: no line fits '$2'"
        exit 1
    }
    mv "$1.new" "$1"
}

# THING: how many files were touched since the last one, against the number in the page's table
counted() {
    files=$(diff -rq . ../before | wc -l)
    said=$(sed -n "s/^| $1 | \([0-9]*\) |.*/\1/p" CONTRIBUTING.md)
    state=as
    [ "$files" = "$said" ] || state='NOT as' bad=1
    echo "$1: $files files, $state the page says (${said:-nothing})"
    diff -rq . ../before | sed 's/^/    /'
    rm -rf ../before
    cp -a . ../before
}

shown() { # THING REGEX COMMAND...
    what=$1 regex=$2
    shift 2
    "$@" >../out 2>&1 || true
    grep -q "$regex" ../out && return
    echo "$what: not in the output of: $*"
    sed 's/^/    /' ../out
    bad=1
}

# ---- a metric: wall time that was no CPU time ----

behind src/record/metrics.def '^METRIC[(]ctx,' 'METRIC(idle, "time off the CPUs", "ns", METRIC_TIME, METRIC_LOWER)'
behind src/exec/exec_values.c 'or_unknown[(]result->ctx_voluntary[)] [+] or_unknown' \
    '        (double)(result->end_ns - result->start_ns - result->user_ns - result->sys_ns),'
sed 's/\(Also user, sys, majflt, minflt, ctx\)/\1, idle/' cli/options/run_options.c >new && mv new cli/options/run_options.c
counted metric

# ---- an exporter: the names of the commands ----

cat >src/export/names_list.c <<'END'
/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "exporters.h"

static enum tare_status write_names(const struct record *r, const struct export_options *o, const struct sink *sink, struct tare_err *err)
{
    struct buf b = BUF_INIT(1 << 20);
    (void)o;
    for (int i = 0; i < r->n_subjects; i++)
        buf_format(&b, "named %s\n", r->subjects[i].name);
    enum tare_status status = sink->write(sink->context, buf_text(&b), b.len, err);
    buf_finish(&b);
    return status;
}

const struct exporter exporter_names = {.name = "names", .extension = "txt", .write = write_names};
END
behind src/export/exporters.def '^EXPORTER[(]markdown,' 'EXPORTER(names, NAMES, "Write the names of the commands.", NULL)'
behind src/export/CMakeLists.txt '^    mermaid.c' '    names_list.c'
counted exporter

# ---- a finding: a session of few words ----

behind src/check/own_checks.c '^#include <string.h>' '
static void check_added(struct check *c)
{
    finding_add(c, "added", SEVERITY_NOTE, -1, 1, "Nothing has to be done.", "a finding was added");
}'
behind src/check/own_checks.c '^const struct check_test own_tests' '    {.ids = "added", .session = check_added},'
# shellcheck disable=SC2016 # Markdown's own
behind docs/findings.md '^[|] `few_runs` [|]' '| `added` | always |'
counted finding

# ---- a knob: one that is always well ----

behind src/system/knobs_memory.c '^#define MEMORY' '
static enum tare_status look_added(struct look *l, const struct knob *k)
{
    return row_ok(l, k, "well");
}'
behind src/system/knobs_memory.c '^static const struct knob memory' '    {"added", "an added knob", MEMORY, RISK_BOOT, STAGE_NONE, 1, NULL, .look = look_added},'
behind docs/system.md '^### thp: huge pages' '### added: an added knob'
counted knob

# ---- all four, built and seen ----

cmake -S . -B ../build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DTARE_WERROR=ON -DTARE_TESTS=OFF -DTARE_MANUAL=OFF >../log
cmake --build ../build --target tare tare-spawn tare-noop -- --quiet >>../log 2>&1 || {
    tail -n 30 ../log
    exit 1
}
tare=../build/cli/tare
shown metric 'time off the CPUs' "$tare" run -v -r 6 --style basic --metric idle 'sleep 0.001'
shown exporter '^named sleep 0.001' "$tare" run -r 6 --style none --export-names - 'sleep 0.001'
shown finding 'a finding was added' "$tare" run -v -r 6 --style basic 'sleep 0.001'
shown knob 'added  *well' "$tare" system show -v --style basic
exit $bad
