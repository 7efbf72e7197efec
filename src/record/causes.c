/* SPDX-License-Identifier: MIT */
#include "causes.h"
#include <math.h>

static const struct cause causes[] = {
#define CAUSE(name, bit, word, exogenous, text) {ROW_##name, word, exogenous},
#include "cause.def"
};

enum { CAUSES = sizeof causes / sizeof *causes };

const struct cause *cause_at(int index)
{
    return index >= 0 && index < CAUSES ? &causes[index] : NULL;
}

const char *cause_column(const struct cause *c)
{
    switch (c->bit) {
    case ROW_PREEMPTED:
        return "delay";
    case ROW_STOLEN:
        return "steal";
    case ROW_THROTTLED:
        return "throttled";
    }
    return NULL;
}

uint32_t causes_all(void)
{
    uint32_t all = 0;
    for (int i = 0; i < CAUSES; i++)
        all |= causes[i].bit;
    return all;
}

uint32_t causes_exogenous(void)
{
    uint32_t all = 0;
    for (int i = 0; i < CAUSES; i++)
        all |= causes[i].exogenous ? causes[i].bit : 0;
    return all;
}

bool series_has_account(const struct series *s)
{
    return series_column(s, "delay") >= 0;
}

struct rows_watched rows_watched(const struct record *r, int subject)
{
    const struct series *s = &r->series[subject];
    return (struct rows_watched){.flags = s->main.flags, .exogenous = causes_exogenous(), .delay = series_values(s, "delay")};
}

bool row_unseen(const struct rows_watched *w, int row)
{
    return w->delay && isnan(w->delay[row]);
}

bool row_undisturbed(const struct rows_watched *w, int row)
{
    return !(w->flags[row] & w->exogenous) && !row_unseen(w, row);
}
