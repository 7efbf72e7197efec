/* SPDX-License-Identifier: MIT
 * What was found of leak targets into the record. */
#include "leak_target.h"
#include "record_lines.h"
#include <string.h>

/* Infinite is a word, absent has no value. */
static double figure_of(struct reader *rd, const struct json_value *figures, const char *id)
{
    const char *word = reader_text(rd, figures, id);
    return !word ? number(figures, id, NAN) : !strcmp(word, "inf") ? INFINITY : !strcmp(word, "-inf") ? -INFINITY : NAN;
}

/* Up to `most` objects of an array, `size` bytes each. One that cannot be understood is left out. */
static int read_list(struct reader *rd, const struct json_value *list, const struct field *fields,
                     bool (*is_possible)(const void *item), void *out, size_t size, int most)
{
    int n = 0;
    for (const struct json_value *v = json_first(list); v && n < most; v = json_next(v)) {
        void *item = (char *)out + (size_t)n * size;
        memset(item, 0, size);
        if (reader_fields(rd, v, fields, item) && is_possible(item))
            n++;
    }
    return n;
}

static bool site_is_possible(const void *item)
{
    return ((const struct leak_site *)item)->count > 0;
}

static bool place_is_possible(const void *item)
{
    return ((const struct leak_place *)item)->processes > 0;
}

static bool size_is_possible(const void *item)
{
    return ((const struct leak_pair_size *)item)->clip > 0;
}

static bool quantile_is_possible(const void *item)
{
    const struct leak_quantile *q = item;
    return q->quantile > 0 && q->quantile < 1;
}

enum tare_status read_leak_target(struct reader *rd)
{
    const struct json_value *v = rd->line, *figures = json_member(v, "figures");
    const char *verdict = reader_text(rd, v, "verdict");
    struct leak_site sites[LEAK_SITES_MAX];
    struct leak_place places[LEAK_PLACES_MAX];
    struct leak_pair_size sizes[LEAK_PAIR_SIZES_MAX];
    struct leak_quantile quantiles[LEAK_QUANTILES_MAX];
    struct leak_target t;
    leak_target_init(&t, 0);
    if (!verdict || !verdict_from_name(verdict, &t.verdict) || !whole(v, "subject", 0, rd->r->n_subjects - 1, &t.subject) ||
        record_leak_target(rd->r, t.subject))
        return reader_wrong(rd, "a target without subject or known verdict, or twice");
    t.exact = flag(v, "exact");
    t.decided = flag(v, "decided");
    for (int i = 0; leak_text_at(i); i++)
        *leak_text_of(&t, leak_text_at(i)) = reader_text(rd, v, leak_text_at(i)->id);
    for (int i = 0; leak_figure_at(i); i++)
        *leak_figure_of(&t, leak_figure_at(i)) = figure_of(rd, figures, leak_figure_at(i)->id);
    t.n_taint_sites =
        read_list(rd, json_member(v, "taint_sites"), leak_site_fields, site_is_possible, sites, sizeof *sites, LEAK_SITES_MAX);
    t.taint_sites = sites;
    t.n_places =
        read_list(rd, json_member(v, "places"), leak_place_fields, place_is_possible, places, sizeof *places, LEAK_PLACES_MAX);
    t.places = places;
    t.n_sizes = read_list(rd, json_member(v, "sizes"), leak_pair_size_fields, size_is_possible, sizes, sizeof *sizes,
                          LEAK_PAIR_SIZES_MAX);
    t.sizes = sizes;
    t.n_shift = read_list(rd, json_member(v, "shift"), leak_quantile_fields, quantile_is_possible, quantiles, sizeof *quantiles,
                          LEAK_QUANTILES_MAX);
    t.shift = quantiles;
    return record_set_leak_target(rd->r, &t) ? reader_no_memory(rd) : TARE_OK;
}
