/* SPDX-License-Identifier: MIT
 * What follows from the rows: which matter most, which of them tune can quiet, and what to call the whole. */
#include "system_shown.h"
#include <stdlib.h>
#include <string.h>

static bool is_wanting(const struct setting *s)
{
    return s->wanted && !s->why_not && !(s->now && !strcmp(s->now, s->wanted));
}

bool system_setting_pending(const struct setting *s)
{
    return s->kind != SETTING_HELD && is_wanting(s);
}

bool system_setting_held(const struct setting *s)
{
    return s->kind == SETTING_HELD && is_wanting(s);
}

bool system_row_tunable(const struct look *l, const struct knob_row *row)
{
    for (int i = 0; i < l->n_settings; i++)
        if (l->settings[i].knob == row->knob && system_setting_pending(&l->settings[i]))
            return true;
    return false;
}

static int by_effect(const void *a, const void *b)
{
    const struct knob_row *const *x = a, *const *y = b;
    if ((*x)->knob->effect != (*y)->knob->effect)
        return (*y)->knob->effect - (*x)->knob->effect;
    return (*x > *y) - (*x < *y);
}

const struct knob_row **system_advice(const struct look *l, struct arena *a)
{
    const struct knob_row **rows = arena_array(a, (size_t)l->n_rows + 1, sizeof *rows);
    int n = 0;
    for (int i = 0; i < l->n_rows && rows; i++)
        if (l->rows[i].state == KNOB_NOISY)
            rows[n++] = &l->rows[i];
    if (n)
        qsort(rows, (size_t)n, sizeof *rows, by_effect);
    return rows;
}

static int count(const struct look *l, enum knob_state state)
{
    int n = 0;
    for (int i = 0; i < l->n_rows; i++)
        n += l->rows[i].state == state;
    return n;
}

static int count_tunable(const struct look *l)
{
    int n = 0;
    for (int i = 0; i < l->n_rows; i++)
        n += l->rows[i].state == KNOB_NOISY && system_row_tunable(l, &l->rows[i]);
    return n;
}

void system_verdict(struct buf *out, const struct system_shown *s)
{
    const struct look *l = s->look;
    int noisy = count(l, KNOB_NOISY), quiet = count(l, KNOB_OK), unknown = count(l, KNOB_UNKNOWN), tunable = count_tunable(l);
    if (!noisy)
        buf_format(out, "ready: all %d sources of noise that can be seen here are quiet", quiet);
    else
        buf_format(out, "noisy: %d of %d sources of noise that can be seen here", noisy, noisy + quiet);
    if (unknown)
        buf_format(out, ", %d cannot be seen", unknown);
    if (noisy && tunable)
        buf_format(out, "; tare system tune can quiet %d", tunable);
    else if (noisy)
        buf_str(out, "; none of them is for tare system tune");
}
