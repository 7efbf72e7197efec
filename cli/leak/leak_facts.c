/* SPDX-License-Identifier: MIT
 *
 * The figures of a target as lines for a page: all that have a value, by the names that JSON and record give them. */
#include "leak_session.h"
#include <math.h>
#include <string.h>

enum { FACTS_MOST = 160, DIGITS = 4 };

struct facts_maker {
    struct arena *arena;
    struct chart_fact *facts;
    int n;
    bool failed;
};

static void add(struct facts_maker *m, const char *name, const char *value)
{
    const char *kept = arena_strdup(m->arena, value);
    m->failed = m->failed || !kept;
    if (kept && m->n < FACTS_MOST)
        m->facts[m->n++] = (struct chart_fact){name, kept};
}

static void add_figure(struct facts_maker *m, const struct leak_figure *f, double value)
{
    char room[64];
    struct buf text = buf_over(room, sizeof room);
    if (isnan(value))
        return;
    if (isinf(value))
        buf_str(&text, value > 0 ? "unbounded" : "unbounded below");
    else
        buf_format(&text, fabs(value) < 1e6 && value == rint(value) ? "%.0f" : "%.4g", value);
    if (strcmp(f->unit, "1") != 0)
        buf_format(&text, " %s", f->unit);
    add(m, f->id, buf_text(&text));
}

const struct chart_fact *leak_facts_of(struct leak_target *t, struct arena *arena, int *n)
{
    struct facts_maker m = {.arena = arena, .facts = arena_array(arena, FACTS_MOST, sizeof *m.facts)};
    *n = 0;
    if (!m.facts)
        return NULL;
    for (int i = 0; leak_text_at(i); i++) {
        const char *value = *leak_text_of(t, leak_text_at(i));
        if (value && *value)
            add(&m, leak_text_at(i)->id, value);
    }
    for (int i = 0; leak_figure_at(i); i++)
        add_figure(&m, leak_figure_at(i), *leak_figure_of(t, leak_figure_at(i)));
    *n = m.n;
    return m.failed ? NULL : m.facts;
}
