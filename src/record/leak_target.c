/* SPDX-License-Identifier: MIT */
#include "leak_target.h"
#include "leak_reason.h"
#include "record_fields.h"
#include <stdlib.h>
#include <string.h>

static const struct leak_figure figures[] = {
#define FIGURE(id, unit, meaning) {#id, unit, meaning, offsetof(struct leak_target, id)},
#include "leak_figures.def"
};

static const struct leak_text texts[] = {
#define TEXT(id, meaning) {#id, meaning, offsetof(struct leak_target, id)},
#include "leak_texts.def"
};

const struct leak_figure *leak_figure_at(int index)
{
    return index >= 0 && index < (int)(sizeof figures / sizeof *figures) ? &figures[index] : NULL;
}

const struct leak_text *leak_text_at(int index)
{
    return index >= 0 && index < (int)(sizeof texts / sizeof *texts) ? &texts[index] : NULL;
}

double *leak_figure_of(struct leak_target *t, const struct leak_figure *f)
{
    return (double *)(void *)((char *)t + f->offset);
}

const char **leak_text_of(struct leak_target *t, const struct leak_text *x)
{
    return (const char **)(void *)((char *)t + x->offset);
}

void leak_target_init(struct leak_target *t, int subject)
{
    *t = (struct leak_target){.subject = subject};
    for (int i = 0; leak_figure_at(i); i++)
        *leak_figure_of(t, leak_figure_at(i)) = NAN;
}

static struct leak_target *place_of(struct record *r, int subject)
{
    for (int i = 0; i < r->n_leak_targets; i++)
        if (r->leak_targets[i].subject == subject)
            return &r->leak_targets[i];
    struct leak_target *more = realloc(r->leak_targets, (size_t)(r->n_leak_targets + 1) * sizeof *more);
    if (!more)
        return NULL;
    r->leak_targets = more;
    more[r->n_leak_targets] = (struct leak_target){.subject = subject};
    return &more[r->n_leak_targets++];
}

/* A text is often that of the look before. */
static bool copy_text(struct record *r, const char **old, const char **own)
{
    if (!*own)
        return true;
    *own = *old && !strcmp(*old, *own) ? *old : arena_strdup(&r->arena, *own);
    return *own != NULL;
}

static bool copy_sites(struct record *r, const struct leak_target *old, struct leak_target *own)
{
    if (!own->n_taint_sites || own->taint_sites == old->taint_sites)
        return true;
    struct leak_site *sites = arena_array(&r->arena, (size_t)own->n_taint_sites, sizeof *sites);
    for (int i = 0; sites && i < own->n_taint_sites; i++) {
        sites[i] = own->taint_sites[i];
        if (!record_fields_own(r, leak_site_fields, &sites[i]))
            return false;
    }
    own->taint_sites = sites;
    return sites != NULL;
}

/* An array of n items, into the record. One of the look before that has as many is written over. */
static bool copy_items(struct record *r, const void *old, int n_old, const void **own, int n, size_t bytes)
{
    void *to = n == n_old && old ? (void *)(uintptr_t)old : n ? arena_array(&r->arena, (size_t)n, bytes) : NULL;
    if (n && !to)
        return false;
    if (n && to != *own)
        memcpy(to, *own, (size_t)n * bytes);
    *own = to;
    return true;
}

static bool copy_sizes(struct record *r, const struct leak_target *old, struct leak_target *own)
{
    const void *places = own->places, *sizes = own->sizes, *shift = own->shift;
    const bool copied = copy_items(r, old->places, old->n_places, &places, own->n_places, sizeof *own->places) &&
                        copy_items(r, old->sizes, old->n_sizes, &sizes, own->n_sizes, sizeof *own->sizes) &&
                        copy_items(r, old->shift, old->n_shift, &shift, own->n_shift, sizeof *own->shift);
    own->places = places;
    own->sizes = sizes;
    own->shift = shift;
    return copied;
}

enum tare_status record_set_leak_target(struct record *r, const struct leak_target *t)
{
    struct leak_target *place = place_of(r, t->subject), own = *t;
    for (int i = 0; place && leak_text_at(i); i++)
        if (!copy_text(r, leak_text_of(place, leak_text_at(i)), leak_text_of(&own, leak_text_at(i))))
            return TARE_NO_MEMORY;
    if (!place || !copy_sites(r, place, &own) || !copy_sizes(r, place, &own))
        return TARE_NO_MEMORY;
    *place = own;
    return TARE_OK;
}

const struct leak_target *record_leak_target(const struct record *r, int subject)
{
    for (int i = 0; i < r->n_leak_targets; i++)
        if (r->leak_targets[i].subject == subject)
            return &r->leak_targets[i];
    return NULL;
}

static const struct {
    const char *text, *shown, *advice;
} reasons[LEAK_WHYS] = {
#define REASON(id, text, shown, advice) {text, shown, advice},
#include "leak_reasons.def"
};

const char *leak_reason_text(enum leak_reason why)
{
    return reasons[why].text;
}

const char *leak_reason_shown(const char *text, const char **advice)
{
    int i = 0;
    while (i < LEAK_WHYS && strcmp(reasons[i].text, text) != 0)
        i++;
    *advice = i < LEAK_WHYS ? reasons[i].advice : NULL;
    return i < LEAK_WHYS && reasons[i].shown ? reasons[i].shown : text;
}
