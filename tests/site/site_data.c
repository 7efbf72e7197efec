/* SPDX-License-Identifier: MIT */
#include "site_data.h"
#include "rng.h"
#include "rng_normal.h"
#include <math.h>
#include <string.h>

enum { COMMITS = 60 };

struct history_line made_line(struct arena *a, int n)
{
    static const char *const subjects[] = {"parser: keep the tokens in one array", "docs: how to build",
                                           "tests: fewer allocations", "lexer: a table instead of a switch"};
    struct history_commit *commits = arena_array(a, (size_t)n, sizeof *commits);
    struct rng rng = rng_seeded(7);
    for (int i = 0; i < n; i++) {
        const unsigned long long second = rng_next(&rng), first = rng_next(&rng);
        commits[i] = (struct history_commit){.hash = arena_format(a, "%016llx%016llx%08x", first, second, (unsigned)i),
                                             .subject = subjects[i % 4],
                                             .author = "A. Author",
                                             .time_s = 1767225600 + 86400LL * i};
    }
    return (struct history_line){.commits = commits, .n = n, .root = commits[0].hash, .arena = a};
}

struct history_view *made_view(struct arena *a, uint64_t seed, int n, int each, double level, double noise, int step,
                               double ratio)
{
    struct rng rng = rng_seeded(seed);
    struct history_view *v = arena_alloc(a, sizeof *v);
    *v = (struct history_view){.course = STATS_COURSE_FLAT, .n = n, .noise = noise, .drift_ratio = NAN};
    v->points = arena_array(a, (size_t)n, sizeof *v->points);
    for (int i = 0; i < n; i++) {
        double value = level * (i >= step ? ratio : 1) * (1 + noise * rng_normal(&rng));
        v->points[i] = (struct view_point){.position = i * each,
                                           .revision = "",
                                           .value = value,
                                           .low = value * (1 - noise),
                                           .high = value * (1 + noise),
                                           .sessions = 1,
                                           .n = 20};
    }
    return v;
}

struct history_series *made_series(struct arena *a, const char *id, const char *benchmark, const char *class)
{
    struct history_series *s = arena_alloc(a, sizeof *s);
    *s = (struct history_series){.id = id,
                                 .project = "0123456789abcdef0123456789abcdef01234567",
                                 .benchmark = benchmark,
                                 .arguments = "",
                                 .class = class,
                                 .version = "",
                                 .metric = *metric_builtin_find("wall")};
    return s;
}

struct view_change made_change(const struct history_view *v, int step, double ratio, enum change_state state)
{
    return (struct view_change){.at = step,
                                .first = step - 1,
                                .last = step + 1,
                                .from = v->points[step - 1].position,
                                .to = v->points[step + 1].position,
                                .commits = v->points[step + 1].position - v->points[step - 1].position + 1,
                                .before = v->points[0].value,
                                .after = v->points[0].value * ratio,
                                .ratio = ratio,
                                .low = ratio * 0.995,
                                .high = ratio * 1.005,
                                .worse = ratio > 1,
                                .state = state};
}

static struct site_series *with(struct site_series *x, struct arena *a, struct history_series *s, struct history_view *v)
{
    site_series_make(x, s, v, a);
    return x;
}

static void add_changes(struct arena *a, struct history_view *v, int n, const struct view_change *changes)
{
    v->course = STATS_COURSE_STEPS;
    v->n_changes = n;
    v->changes = arena_array(a, (size_t)n, sizeof *changes);
    memcpy(v->changes, changes, (size_t)n * sizeof *changes);
}

static void hostile(struct arena *a, struct site_series *x)
{
    struct history_series *s =
        made_series(a, "h\"><script>alert(1)</script>", "<script>alert('x')</script>]]>\xe2\x80\xae&amp;\"",
                    "\"'><img src=x onerror=alert(1)>\n\x1b[31m");
    s->metric = (struct metric){
        .id = "own", .title = "</title><b>rate", .unit = "\"><i>", .kind = METRIC_OWN, .direction = METRIC_HIGHER};
    s->arguments = "n=<b> k=\xff";
    s->version = "</section>";
    s->anchor = NULL;
    struct history_view *v = made_view(a, 9, 20, 1, 5, 0.01, 10, 1.5);
    struct view_change c = made_change(v, 10, 1.5, CHANGE_CONFIRMED);
    struct history_event *e = arena_alloc(a, sizeof *e);
    *e = (struct history_event){.kind = HISTORY_CONFIRMED,
                                .revision = "\"><script>",
                                .who = "<b>who</b>",
                                .note = "]]></summary> & 'more'",
                                .at_utc_ns = 1767225600000000000};
    c.said = c.confirmed = e;
    c.measured = true;
    c.worse = false;
    add_changes(a, v, 1, &c);
    with(x, a, s, v);
}

static void several_changes(struct arena *a, struct site_series *x)
{
    struct history_view *v = made_view(a, 2, 60, 1, 12.5e6, 0.01, 40, 1.12);
    struct view_change c[3] = {made_change(v, 12, 1.0, CHANGE_REFUTED), made_change(v, 25, 0.99, CHANGE_ACCEPTED),
                               made_change(v, 40, 1.12, CHANGE_CONFIRMED)};
    struct history_event *e = arena_alloc(a, 3 * sizeof *e);
    e[0] = (struct history_event){.kind = HISTORY_ACCEPTED, .who = "Ada", .note = "the new allocator is worth it"};
    e[1] = (struct history_event){.kind = HISTORY_CONFIRMED, .revision = "f00d", .who = "CI", .at_utc_ns = 1770000000000000000};
    e[2] = e[1];
    e[2].revision = "beef"; /* found by bisect later: the entry of the feed keeps its id */
    c[0].ratio = 1.004, c[0].low = 0.99, c[0].high = 1.02;
    c[1].said = &e[0];
    c[2].confirmed = &e[1];
    c[2].measured = true;
    c[2].said = &e[2];
    add_changes(a, v, 3, c);
    with(x, a, made_series(a, "000000000001", "parse", "ryzen-7"), v);
}

struct site_series *made_site(struct site *site, struct arena *a, int *n)
{
    struct site_series *x = arena_array(a, 10, sizeof *x);
    struct history_line *line = arena_alloc(a, sizeof *line);
    *line = made_line(a, COMMITS);
    *site = (struct site){
        .title = "sample & co", .project = line->root, .line = line, .commit_url = "https://example.org/c/{rev}?a=1&b=2"};
    several_changes(a, &x[0]);
    struct history_series *rss = made_series(a, "000000000002", "parse", "ryzen-7");
    rss->metric = *metric_builtin_find("rss");
    with(&x[1], a, rss, made_view(a, 3, 60, 1, 41e6, 0.002, 99, 1));
    struct history_view *v = made_view(a, 4, 30, 2, 800e3, 0.02, 18, 1.06);
    struct view_change c = made_change(v, 18, 1.06, CHANGE_NOMINATED);
    add_changes(a, v, 1, &c);
    with(&x[2], a, made_series(a, "000000000003", "lex n=1000", "ryzen-7"), v);
    v = made_view(a, 5, 60, 1, 2.5e9, 0.004, 33, 0.8);
    c = made_change(v, 33, 0.8, CHANGE_CONFIRMED);
    add_changes(a, v, 1, &c);
    with(&x[3], a, made_series(a, "000000000004", "link", "ryzen-7"), v);
    v = made_view(a, 6, 60, 1, 50e3, 0.003, 99, 1);
    for (int i = 0; i < v->n; i++)
        v->points[i].value *= 1 + 0.0005 * i;
    v->course = STATS_COURSE_DRIFT;
    v->drift_ratio = 1.03;
    with(&x[4], a, made_series(a, "000000000005", "hash", "ryzen-7"), v);
    v = made_view(a, 7, 3, 20, 900, 0.01, 99, 1);
    v->course = STATS_COURSE_SHORT;
    v->off_line = 2;
    v->noise = NAN;
    with(&x[5], a, made_series(a, "000000000006", "new", "arm"), v);
    struct history_series *anchored = made_series(a, "000000000007", "sort", "arm");
    anchored->anchor = "./base 0123456789abcdef"; /* of its program, and no part of its name */
    v = made_view(a, 8, 40, 1, 1.03, 0.005, 99, 1);
    v->points[11].value *= 1.8;
    v->points[12].low = v->points[12].high = NAN;
    with(&x[6], a, anchored, v);
    hostile(a, &x[7]);
    v = made_view(a, 1, 0, 1, 1, 0, 0, 1);
    v->course = STATS_COURSE_SHORT;
    with(&x[8], a, made_series(a, "000000000009", "nothing", ""), v);
    *n = 9;
    return x;
}
