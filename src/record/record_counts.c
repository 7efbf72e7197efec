/* SPDX-License-Identifier: MIT
 * What the processes of a benchmark counted themselves. */
#include "record.h"
#include <stdlib.h>
#include <string.h>

bool count_is_ours(const struct count *c)
{
    return !strcmp(c->name, COUNT_ALLOCATIONS) || !strcmp(c->name, COUNT_ALLOCATED);
}

bool count_comes_last(const struct count *c)
{
    return count_is_ours(c) || !strncmp(c->name, COUNT_EVENT, strlen(COUNT_EVENT));
}

static struct count *named(struct series *s, const char *name)
{
    for (int i = 0; i < s->n_counts; i++)
        if (!strcmp(s->counts[i].name, name))
            return &s->counts[i];
    return NULL;
}

static enum tare_status add_name(struct record *r, struct series *s, const struct count *what, struct count **out)
{
    if (s->n_counts == COUNTS_MAX)
        return TARE_INVALID;
    if (!s->counts)
        s->counts = arena_array(&r->arena, COUNTS_MAX, sizeof *s->counts);
    const char *name = arena_strdup(&r->arena, what->name), *unit = arena_strdup(&r->arena, what->unit ? what->unit : "");
    if (!s->counts || !name || !unit)
        return TARE_NO_MEMORY;
    *out = &s->counts[s->n_counts++];
    **out = (struct count){.name = name, .unit = unit, .per = what->per, .inverted = what->inverted};
    return TARE_OK;
}

static bool room_for_value(struct count *c)
{
    enum { FEW = 16 };
    if (c->n < c->room)
        return true;
    size_t room = c->room ? 2 * (size_t)c->room : FEW;
    int32_t *round = room > INT32_MAX ? NULL : realloc(c->round, room * sizeof *round);
    if (!round)
        return false;
    c->round = round;
    double *value = realloc(c->value, room * sizeof *value);
    if (!value)
        return false;
    c->value = value;
    c->room = (int)room;
    return true;
}

enum tare_status record_add_count(struct record *r, int series, int round, const struct count *what, double value)
{
    struct series *s = &r->series[series];
    struct count *c = named(s, what->name);
    enum tare_status status = c ? TARE_OK : add_name(r, s, what, &c);
    if (status)
        return status;
    int last = c->n ? c->round[c->n - 1] : -1;
    if (round < last)
        return TARE_INVALID;
    if (!room_for_value(c))
        return TARE_NO_MEMORY;
    c->n += round > last;
    c->round[c->n - 1] = round;
    c->value[c->n - 1] = value;
    return TARE_OK;
}

void record_counts_forget(struct series *s, int round)
{
    for (int i = 0; i < s->n_counts; i++)
        if (s->counts[i].n && s->counts[i].round[s->counts[i].n - 1] == round)
            s->counts[i].n--;
}

void record_counts_finish(struct series *s)
{
    for (int i = 0; i < s->n_counts; i++) {
        free(s->counts[i].round);
        free(s->counts[i].value);
    }
}
