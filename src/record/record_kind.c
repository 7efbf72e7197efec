/* SPDX-License-Identifier: MIT */
#include "record_kind.h"
#include "same_text.h"
#include <string.h>

static bool is_of_clocks(const struct record *r) /* it has nothing else */
{
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].kind < SUBJECT_CLOCK || r->subjects[i].kind == SUBJECT_HOST)
            return false;
    return r->n_subjects > 0;
}

static bool is_of(const struct record *r, enum subject_kind kind)
{
    for (int i = 0; i < r->n_subjects && kind != SUBJECT_CLOCK; i++)
        if (r->subjects[i].kind == kind)
            return true;
    return kind == SUBJECT_CLOCK ? is_of_clocks(r) : kind == SUBJECT_COMMAND; /* what is nothing else */
}

const struct record_kind record_kind_clocks = {
    .id = RECORD_OF_clocks,
    .of = SUBJECT_CLOCK,
    .results = "clocks",
    .subject = "clock",
    .time = "wall",
    .alone = "is of tare clock, and clocks are not compared; see tare show",
    .again = "is of tare clock; to measure clocks again: tare clock",
};

const struct record_kind record_kind_hosts = {
    .id = RECORD_OF_hosts,
    .of = SUBJECT_HOST,
    .results = "a host's figures",
    .subject = "command",
    .time = "wall",
    .own_commands = true,
};

const struct record_kind record_kind_leaks = {
    .id = RECORD_OF_leaks,
    .of = SUBJECT_LEAK,
    .results = "leak targets",
    .subject = "command",
    .time = "wall",
    .targets = true,
    .alone = "is of tare leak, whose targets are judged each by itself: tare leak --replay judges its calls once more, "
             "a new tare leak makes others, and --ledger counts them together",
};

const struct record_kind record_kind_traces = {
    .id = RECORD_OF_traces,
    .of = SUBJECT_TRACE,
    .results = "arcs",
    .subject = "command",
    .time = "wall",
    .arcs = true,
    .many = true,
};

const struct record_kind record_kind_benchmarks = {
    .id = RECORD_OF_benchmarks,
    .of = SUBJECT_BENCH,
    .results = "benchmarks",
    .subject = "benchmark",
    .time = "ns",
    .processes = true,
    .many = true,
};

const struct record_kind record_kind_commands = {
    .id = RECORD_OF_commands,
    .of = SUBJECT_COMMAND,
    .results = "commands",
    .subject = "command",
    .time = "wall",
};

const struct record_kind *record_kind(const struct record *r)
{
    static const struct record_kind *const kinds[] = {
#define RECORD_KIND(id) &record_kind_##id,
#include "record_kinds.def"
    };
    const struct record_kind *const *k = kinds;
    while (!is_of(r, (*k)->of))
        k++;
    return *k;
}

int record_clock_in_use(const struct record *r)
{
    int first = -1;
    for (int i = r->n_subjects - 1; i >= 0; i--) {
        const struct subject *s = &r->subjects[i];
        if (s->kind == SUBJECT_CLOCK && subject_parameter(s, "used_by_brackets"))
            return i;
        if (s->kind == SUBJECT_CLOCK && !subject_parameter(s, "distrusted"))
            first = i;
    }
    return first;
}

const char *subject_host_part(const struct subject *s)
{
    const char *part = s->kind == SUBJECT_HOST ? subject_parameter(s, "what") : NULL;
    return part ? part : "";
}

bool record_is_host_part(const struct record *r, int subject, const char *part)
{
    return !strcmp(subject_host_part(&r->subjects[subject]), part);
}

const char *record_rows_word(const struct record *r, ptrdiff_t n)
{
    if (record_is_over_sessions(r))
        return n == 1 ? "session" : "sessions";
    if (record_kind(r)->processes)
        return n == 1 ? "process" : "processes";
    return n == 1 ? "run" : "runs";
}

bool record_has_plan(const struct record *r)
{
    static const char *const repeatable[] = {"run", "bench", "trace"};
    if (record_source(r) || record_kind(r)->again || !r->argv || !r->argv[0] || !r->argv[1])
        return false;
    return text_among(r->argv[1], repeatable, sizeof repeatable / sizeof *repeatable);
}
