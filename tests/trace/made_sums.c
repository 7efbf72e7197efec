/* SPDX-License-Identifier: MIT */
#include "made_sums.h"
#include <string.h>

void check(enum tare_status status, const struct tare_err *err)
{
    if (status)
        fail_msg("%s: %s", tare_status_name(status), err->text);
}

void add(struct trace_sums *s, struct made *m)
{
    struct trace_file *f;
    struct tare_err err = {0};
    made_end(m);
    check(trace_file_open_bytes(&f, "made", m->bytes, m->n, &err), &err);
    check(trace_sums_add(s, f, &err), &err);
    trace_file_close(f);
}

struct trace_sums *new_sums(int workers)
{
    struct trace_sums *s;
    struct tare_err err;
    check(trace_sums_create(&s, &(struct trace_sums_options){.workers = workers}, &err), &err);
    return s;
}

struct trace_sums *sums_of(struct made *m, int workers)
{
    struct trace_sums *s = new_sums(workers);
    struct tare_err err;
    add(s, m);
    check(trace_sums_finish(s, &err), &err);
    return s;
}

int number_of(const struct trace_sums *s, uint32_t line)
{
    const struct trace_sum_point *points;
    int n = trace_sums_points(s, &points);
    for (int i = 0; i < n; i++)
        if (points[i].place.line == line)
            return i;
    fail_msg("no point of line %u", line);
    return -1;
}

const struct trace_arc_sum *arc(const struct trace_sums *s, uint32_t from, uint32_t to)
{
    const struct trace_arc_sum *arcs;
    int n = trace_sums_arcs(s, &arcs), a = number_of(s, from), b = number_of(s, to);
    for (int i = 0; i < n; i++)
        if (arcs[i].from == a && arcs[i].to == b)
            return &arcs[i];
    fail_msg("no arc from %u to %u", from, to);
    return NULL;
}

const struct trace_arc_sum *arc_in(const struct trace_sums *s, uint32_t from, uint32_t to, int group)
{
    const struct trace_arc_sum *arcs;
    int n = trace_sums_arcs(s, &arcs), a = number_of(s, from), b = number_of(s, to);
    for (int i = 0; i < n; i++)
        if (arcs[i].from == a && arcs[i].to == b && arcs[i].group == group)
            return &arcs[i];
    fail_msg("no arc from %u to %u in the group %d", from, to, group);
    return NULL;
}

int arc_count(const struct trace_sums *s)
{
    const struct trace_arc_sum *arcs;
    return trace_sums_arcs(s, &arcs);
}

uint64_t passes(const struct trace_sums *s, uint32_t line)
{
    const struct trace_sum_point *points;
    trace_sums_points(s, &points);
    return points[number_of(s, line)].passes;
}

void begin_with(struct made *m, int n)
{
    made_begin(m);
    for (int i = 1; i <= n; i++)
        made_point(m, (uint32_t)i, "/src/a.c", (uint32_t)i, "main", "");
}
