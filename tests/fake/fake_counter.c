/* SPDX-License-Identifier: MIT */
#include "fake_parts.h"
#include "plat.h"
#include <stdlib.h>
#include <string.h>

struct plat_counter {
    const char *event; /* the script's word */
    double total, running_ratio;
    bool user_only;
    struct plat_counter *next;
};

void fake_counters_add(struct fake_state *w, const char *event, double n)
{
    for (struct plat_counter *c = w->counters; c; c = c->next)
        if (!strcmp(c->event, event))
            c->total += n;
}

static const struct fake_event *event_named(const struct fake_script *s, const char *event)
{
    const struct fake_event *found = NULL;
    for (const struct fake_event *e = s->events; e; e = e->next)
        if (!strcmp(e->event, event))
            found = e;
    return found;
}

static const char *counted_as(const struct fake_script *s, const char *event)
{
    for (const struct fake_program *p = s->programs; p; p = p->next)
        for (const struct fake_count *c = p->counts; c; c = c->next)
            if (!strcmp(c->event, event))
                return c->event;
    return NULL;
}

enum tare_status plat_counter_open(struct plat_counter **out, struct plat_spawner *s, const char *event, struct tare_err *err)
{
    (void)s;
    struct fake_state *w = fake_state();
    const struct fake_event *e = event_named(&w->script, event);
    const char *name = e ? e->event : counted_as(&w->script, event);
    if (!name)
        return err_set(err, TARE_INVALID, "no event is called %s", event);
    if (e && e->kind != COUNTER_OPEN)
        return err_set(err, e->kind == COUNTER_DENIED ? TARE_PERMISSION : TARE_UNSUPPORTED, "cannot count %s: %s", event,
                       e->reason);
    struct plat_counter *c = calloc(1, sizeof *c);
    if (!c)
        return err_set(err, TARE_NO_MEMORY, "cannot count %s: out of memory", event);
    *c = (struct plat_counter){
        .event = name, .running_ratio = e ? e->running_ratio : 1, .user_only = e && e->user_only, .next = w->counters};
    w->counters = c;
    *out = c;
    return TARE_OK;
}

enum tare_status plat_counter_read(struct plat_counter *c, double *total, double *running_ratio)
{
    *total = c->total;
    *running_ratio = c->running_ratio;
    return TARE_OK;
}

bool plat_counter_user_only(const struct plat_counter *c)
{
    return c->user_only;
}

void plat_counter_close(struct plat_counter *c)
{
    if (!c)
        return;
    struct plat_counter **slot = &fake_state()->counters;
    while (*slot && *slot != c)
        slot = &(*slot)->next;
    if (*slot)
        *slot = c->next;
    free(c);
}

void plat_counter_event(const struct plat_counter *c, uint64_t *type, uint64_t *config)
{
    (void)c;
    *type = *config = 0;
}
