/* SPDX-License-Identifier: MIT
 * What follows from the rows: which matter most, which of them tune can quiet, and the verdict. */
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

static bool is_left(const struct setting *s)
{
    return s->why_not != NULL;
}

/* A setting of this knob for which it holds. */
static bool any_setting(const struct look *l, const struct knob *k, bool (*holds)(const struct setting *s))
{
    for (int i = 0; i < l->n_settings; i++)
        if (l->settings[i].knob == k && holds(&l->settings[i]))
            return true;
    return false;
}

bool system_row_tunable(const struct look *l, const struct knob_row *row)
{
    return any_setting(l, row->knob, system_setting_pending);
}

enum relief system_relief(const struct look *l, const struct knob_row *row)
{
    const struct knob *by = row->by ? knob_find(row->by) : row->knob;
    if (system_row_tunable(l, row) || any_setting(l, by, system_setting_pending))
        return RELIEF_TUNE;
    if (any_setting(l, row->knob, system_setting_held))
        return RELIEF_HELD;
    bool left = any_setting(l, row->knob, is_left) || any_setting(l, by, is_left);
    return row->outside || left ? RELIEF_OUTSIDE : RELIEF_PEOPLE;
}

static void count_reliefs(const struct look *l, int counts[RELIEFS])
{
    for (int i = 0; i < l->n_rows; i++)
        if (l->rows[i].state == KNOB_NOISY)
            counts[system_relief(l, &l->rows[i])]++;
}

bool system_noisy(const struct look *l)
{
    int counts[RELIEFS] = {0};
    count_reliefs(l, counts);
    return counts[RELIEF_TUNE] || counts[RELIEF_PEOPLE];
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

static int count_state(const struct look *l, enum knob_state state)
{
    int n = 0;
    for (int i = 0; i < l->n_rows; i++)
        n += l->rows[i].state == state;
    return n;
}

/* "tare system tune can quiet 4, you 1" */
static void put_reliefs(struct buf *out, const int counts[RELIEFS])
{
    static const char *const who[RELIEFS] = {[RELIEF_TUNE] = "tare system tune",
                                             [RELIEF_PEOPLE] = "you",
                                             [RELIEF_HELD] = "tare run --tune",
                                             [RELIEF_OUTSIDE] = "only a restart or the host"};
    bool first = true;
    for (int i = 0; i < RELIEFS; i++) {
        if (!counts[i])
            continue;
        buf_format(out, first ? "%s can quiet %d" : ", %s %d", who[i], counts[i]);
        first = false;
    }
}

void system_verdict(struct buf *out, const struct system_shown *s)
{
    const struct look *l = s->look;
    int counts[RELIEFS] = {0}, noisy = count_state(l, KNOB_NOISY);
    count_reliefs(l, counts);
    if (s->noisy)
        buf_format(out, "noisy: %d source%s of noise", noisy, buf_plural(noisy));
    else if (noisy)
        buf_format(out, "ready: nothing more can be done at run time; %d source%s of noise remain%s", noisy, buf_plural(noisy),
                   noisy == 1 ? "s" : "");
    else
        buf_format(out, "ready: all %d visible sources of noise are quiet", count_state(l, KNOB_OK));
    if (noisy)
        buf_str(out, "; ");
    put_reliefs(out, counts);
}
