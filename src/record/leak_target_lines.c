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

/* A site that cannot be understood is left out. */
static int read_taint_sites(struct reader *rd, const struct json_value *sites, struct leak_site out[LEAK_SITES_MAX])
{
    int n = 0;
    for (const struct json_value *v = json_first(sites); v && n < LEAK_SITES_MAX; v = json_next(v)) {
        struct leak_site s = {.kind = reader_text(rd, v, "kind"), .count = number(v, "count", NAN)};
        s.file = reader_text(rd, v, "file");
        s.function = reader_text(rd, v, "function");
        s.object = reader_text(rd, v, "object");
        whole(v, "line", 0, INT32_MAX, &s.line);
        if (s.kind && s.count > 0)
            out[n++] = s;
    }
    return n;
}

/* What cannot be understood is left out. */
static int read_places(const struct json_value *places, struct leak_place out[LEAK_PLACES_MAX])
{
    int n = 0;
    for (const struct json_value *v = json_first(places); v && n < LEAK_PLACES_MAX; v = json_next(v)) {
        struct leak_place p = {.processes = number(v, "processes", NAN), .ns = number(v, "ns", NAN)};
        p.low_ns = number(v, "low_ns", -INFINITY);
        p.high_ns = number(v, "high_ns", INFINITY);
        if (whole(v, "cpu", 0, INT32_MAX, &p.cpu) && p.processes > 0)
            out[n++] = p;
    }
    return n;
}

static int read_sizes(const struct json_value *sizes, struct leak_pair_size out[LEAK_PAIR_SIZES_MAX])
{
    int n = 0;
    for (const struct json_value *v = json_first(sizes); v && n < LEAK_PAIR_SIZES_MAX; v = json_next(v)) {
        struct leak_pair_size s = {
            .clip = number(v, "clip", NAN), .ns = number(v, "ns", NAN), .cycles = number(v, "cycles", NAN)};
        if (whole(v, "first", 0, INT32_MAX, &s.first) && whole(v, "second", 0, INT32_MAX, &s.second) && s.clip > 0)
            out[n++] = s;
    }
    return n;
}

static int read_shift(const struct json_value *shift, struct leak_quantile out[LEAK_QUANTILES_MAX])
{
    int n = 0;
    for (const struct json_value *v = json_first(shift); v && n < LEAK_QUANTILES_MAX; v = json_next(v)) {
        struct leak_quantile q = {.quantile = number(v, "quantile", NAN), .ns = number(v, "ns", NAN)};
        q.low_ns = number(v, "low_ns", -INFINITY);
        q.high_ns = number(v, "high_ns", INFINITY);
        if (q.quantile > 0 && q.quantile < 1)
            out[n++] = q;
    }
    return n;
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
    t.n_taint_sites = read_taint_sites(rd, json_member(v, "taint_sites"), sites);
    t.taint_sites = sites;
    t.n_places = read_places(json_member(v, "places"), places);
    t.places = places;
    t.n_sizes = read_sizes(json_member(v, "sizes"), sizes);
    t.sizes = sizes;
    t.n_shift = read_shift(json_member(v, "shift"), quantiles);
    t.shift = quantiles;
    return record_set_leak_target(rd->r, &t) ? reader_no_memory(rd) : TARE_OK;
}
