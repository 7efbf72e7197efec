/* SPDX-License-Identifier: MIT */
#include "random_record.h"
#include "buf.h"
#include "leak_target.h"
#include "record_arcs.h"
#include "record_fields.h"
#include "rng.h"
#include "rng_normal.h"
#include <string.h>

struct maker {
    struct rng rng;
    char text[8][64];
    int next;
};

static int below(struct maker *m, int limit)
{
    return (int)rng_below(&m->rng, (uint64_t)limit);
}

static bool coin(struct maker *m)
{
    return below(m, 2);
}

/* Any bytes but 0: quotes, controls, broken UTF-8. Valid for the next 7 calls. */
static const char *text(struct maker *m)
{
    char *t = m->text[m->next++ % 8];
    int n = below(m, 20);
    for (int i = 0; i < n; i++)
        t[i] = (char)(coin(m) ? 'a' + below(m, 26) : 1 + below(m, 255));
    t[n] = 0;
    return t;
}

static const char *text_or_null(struct maker *m)
{
    return coin(m) ? text(m) : NULL;
}

static double any_double(struct maker *m)
{
    uint64_t bits = rng_next(&m->rng);
    double x;
    memcpy(&x, &bits, sizeof x);
    return isfinite(x) ? x : 0.5;
}

static double double_or_nan(struct maker *m)
{
    return below(m, 4) ? any_double(m) : NAN;
}

static double size_or_nan(struct maker *m)
{
    return below(m, 4) ? rng_uniform(&m->rng) * 1e9 : NAN;
}

static double end_or_unbounded(struct maker *m, double unbounded)
{
    return below(m, 4) ? any_double(m) : unbounded;
}

/* Keys are tare's own words; the same one may come twice. */
static const char *key(struct maker *m)
{
    static const char *const keys[] = {"cpu_brand", "memory_bytes", "kernel", "load", "governor", "x"};
    return keys[below(m, 6)];
}

static void some_facts(struct maker *m, struct record *r, struct facts *f)
{
    for (int i = below(m, 6); i > 0; i--)
        switch (below(m, 3)) {
        case 0:
            facts_add_text(r, f, key(m), text(m));
            break;
        case 1:
            facts_add_number(r, f, key(m), any_double(m));
            break;
        default:
            facts_add_unknown(r, f, key(m), key(m));
        }
}

static void a_rule(struct maker *m, struct rule *u, const char *metric)
{
    *u = (struct rule){.metric = metric,
                       .confidence = rng_uniform(&m->rng),
                       .precision = rng_uniform(&m->rng),
                       .margin = rng_uniform(&m->rng),
                       .margin_unit = coin(m) ? "ns" : NULL,
                       .spending = coin(m) ? .001 + rng_uniform(&m->rng) : 0,
                       .n_looks = below(m, LOOKS_MAX + 1),
                       .interleaved = coin(m),
                       .fail_if_slower = double_or_nan(m),
                       .on_dirty = (enum on_dirty)below(m, 3)};
    for (int i = 0; i < u->n_looks; i++) {
        u->look_at[i] = i ? u->look_at[i - 1] + 1 + below(m, 100) : 1 + below(m, 100);
        u->look_level[i] = rng_uniform(&m->rng);
        if (u->spending > 0)
            u->look_share[i] = (i + rng_uniform(&m->rng)) / u->n_looks;
    }
    if (coin(m)) {
        u->leaks = (struct rule_leaks){.kind = coin(m) ? "scan" : "pairs",
                                       .cache = coin(m) ? "cold" : "warm",
                                       .alpha = rng_uniform(&m->rng),
                                       .advantage = rng_uniform(&m->rng),
                                       .exact = coin(m),
                                       .strict = coin(m),
                                       .noise = coin(m),
                                       .dit = coin(m),
                                       .latency_ns = coin(m) ? rng_uniform(&m->rng) * 200 : 0,
                                       .selfcheck = below(m, 46),
                                       .max_calls = below(m, 1000)};
        if (coin(m)) {
            u->leaks.dudect = true;
            u->leaks.measurements = 1 + below(m, 1000);
            u->leaks.drop = below(m, 100);
            u->leaks.percentiles = below(m, 101);
            u->leaks.order = 1 + below(m, 2);
            u->leaks.threshold = 4.5;
        }
    }
    if (coin(m))
        return;
    u->method = METHOD_GEORGES;
    u->georges_runs = 1 + below(m, 100);
    u->georges_min = 1 + below(m, u->georges_runs);
}

static void a_subject(struct maker *m, struct record *r)
{
    char name[32];
    struct buf b = buf_over(name, sizeof name);
    buf_format(&b, "subject %d", r->n_subjects);
    const char *argv[] = {text(m), text(m), NULL};
    const struct parameter parameters[] = {{text(m), text(m)}, {text(m), text(m)}};
    struct subject s = {.kind = coin(m) ? SUBJECT_COMMAND : (enum subject_kind)below(m, SUBJECT_EXPERIMENT + 1),
                        .name = name,
                        .argv = coin(m) ? argv : NULL,
                        .shell = coin(m)};
    s.parameters = parameters;
    s.n_parameters = below(m, 3);
    s.anchor = s.n_parameters == 2;
    const char *columns[] = {"wall", "cpu", "exit", "perf:cycles"};
    int index = record_add_subject(r, &s, columns, below(m, 5));
    if (coin(m))
        r->series[index].look =
            (struct own_look){1 + below(m, LOOKS_MAX), 1 + below(m, 100), rng_uniform(&m->rng), rng_uniform(&m->rng)};
    struct subject *own = &r->subjects[index]; /* more texts than the maker holds at once */
    own->command = arena_strdup(&r->arena, text(m));
    own->setup = arena_strdup(&r->arena, text_or_null(m));
    own->prepare = arena_strdup(&r->arena, text_or_null(m));
    own->conclude = arena_strdup(&r->arena, text_or_null(m));
    own->cleanup = arena_strdup(&r->arena, text_or_null(m));
}

static void a_round(struct maker *m, struct record *r, int round, bool warmup, int64_t *now)
{
    for (int slot = 0; slot < r->n_subjects; slot++) {
        double values[4];
        for (int i = 0; i < 4; i++)
            values[i] = coin(m) ? (double)below(m, 1000000000) : i < 2 ? NAN : double_or_nan(m); /* times are whole */
        *now += 1 + below(m, 1000000);
        struct row row = {round, slot, *now, (warmup ? ROW_WARMUP : 0) | (uint32_t)(coin(m) ? ROW_FAILED : 0), values};
        record_append_row(r, slot, &row);
        if (!warmup && slot == 0) {
            const struct count swaps = {.name = "sw\"aps", .unit = "1", .per = COUNT_PER_SECOND, .inverted = true};
            record_add_count(r, slot, round, &swaps, values[0]);
            record_set_remark(r, slot, "no slower than \"nothing\"");
            record_set_label(r, slot, "sse4.2 \"wide\"");
        }
    }
}

static void some_rows(struct maker *m, struct record *r)
{
    int64_t now = 0;
    for (int warmups = below(m, 3), i = 0; i < warmups; i++)
        a_round(m, r, i, true, &now);
    for (int rounds = below(m, 30), i = 0; i < rounds; i++) {
        a_round(m, r, i, false, &now);
        while (r->rule.on_dirty == DIRTY_RERUN && coin(m)) {
            for (int k = 0; k < r->n_subjects; k++)
                record_replace_round(r, &k, 1, i);
            a_round(m, r, i, false, &now);
        }
    }
}

static void some_results(struct maker *m, struct record *r)
{
    for (int i = below(m, 6); i > 0; i--) {
        double confidence = coin(m) ? 0.95 : 0;
        struct estimate e = {.subject = below(m, r->n_subjects),
                             .metric = r->metrics[below(m, r->n_metrics)].id,
                             .statistic = text(m),
                             .method = text_or_null(m),
                             .point = double_or_nan(m),
                             .confidence = confidence,
                             .level = rng_uniform(&m->rng),
                             .n = below(m, 100),
                             .n_effective = double_or_nan(m),
                             .reason = text_or_null(m)};
        e.low = end_or_unbounded(m, -INFINITY);
        e.high = end_or_unbounded(m, INFINITY);
        record_add_estimate(r, &e);
    }
    for (int i = below(m, 6); i > 0; i--) {
        struct comparison c = {.reference = below(m, r->n_subjects),
                               .subject = below(m, r->n_subjects),
                               .metric = r->metrics[below(m, r->n_metrics)].id};
        c.kind = (enum metric_kind)below(m, 3);
        c.shift = double_or_nan(m);
        c.low = end_or_unbounded(m, -INFINITY);
        c.high = end_or_unbounded(m, INFINITY);
        c.mean_ratio = double_or_nan(m);
        c.mean_low = end_or_unbounded(m, -INFINITY);
        c.mean_high = end_or_unbounded(m, INFINITY);
        c.confidence = rng_uniform(&m->rng);
        c.level = rng_uniform(&m->rng);
        c.look = below(m, 10);
        c.looks_planned = below(m, 11) - 1;
        c.effective_rounds = coin(m) ? 1 + rng_uniform(&m->rng) : 0;
        c.widened = coin(m) ? 1 + rng_uniform(&m->rng) : 0;
        c.share = coin(m) ? rng_uniform(&m->rng) : 0;
        c.margin = rng_uniform(&m->rng);
        c.verdict = (enum verdict)below(m, VERDICT_NOT_COMPARABLE + 1);
        c.beyond_margin = coin(m);
        c.sign_proven = coin(m);
        c.better = below(m, r->n_subjects + 1) - 1;
        c.rounds = below(m, 100);
        c.seconds = rng_uniform(&m->rng);
        c.slot_effect = double_or_nan(m);
        c.slot_p = double_or_nan(m);
        c.rounds_needed = double_or_nan(m);
        c.reason = text_or_null(m);
        record_add_comparison(r, &c);
    }
    for (int i = below(m, 6); i > 0; i--) {
        struct finding f = {.id = text(m),
                            .severity = (enum severity)below(m, 3),
                            .subject = below(m, r->n_subjects + 1) - 1,
                            .text = text(m),
                            .advice = text_or_null(m),
                            .detail = text_or_null(m),
                            .weight = rng_uniform(&m->rng),
                            .trend = rng_uniform(&m->rng) - 0.5};
        record_add_finding(r, &f);
    }
}

static void some_leak_targets(struct maker *m, struct record *r)
{
    for (int i = 0; i < r->n_subjects; i++) {
        struct leak_target t;
        leak_target_init(&t, i);
        t.verdict = (enum verdict)below(m, VERDICT_NO_LEAK + 1);
        t.exact = coin(m);
        t.decided = coin(m);
        for (int k = 0; leak_figure_at(k); k++)
            *leak_figure_of(&t, leak_figure_at(k)) = end_or_unbounded(m, coin(m) ? NAN : coin(m) ? INFINITY : -INFINITY);
        for (int k = 0; leak_text_at(k); k++) {
            char own[64];
            struct buf b = buf_over(own, sizeof own);
            buf_str(&b, text(m));
            *leak_text_of(&t, leak_text_at(k)) = coin(m) ? arena_strdup(&r->arena, buf_text(&b)) : NULL;
        }
        struct leak_site sites[3];
        t.n_taint_sites = below(m, 4);
        t.taint_sites = sites;
        for (int k = 0; k < t.n_taint_sites; k++)
            sites[k] = (struct leak_site){.kind = "jump",
                                          .file = coin(m) ? "a \"b\".c" : NULL,
                                          .function = coin(m) ? "f" : NULL,
                                          .object = coin(m) ? "libc.so.6" : NULL,
                                          .line = below(m, 1000),
                                          .count = 1 + below(m, 1000)};
        const struct leak_place places[] = {{below(m, 9), 1 + below(m, 9), rng_normal(&m->rng), -INFINITY, INFINITY}};
        const struct leak_pair_size sizes[] = {{0, 1, .9, rng_normal(&m->rng), NAN}, {0, 2, .5, 1, 3}};
        const struct leak_quantile shift[] = {{.1, rng_normal(&m->rng), -1, INFINITY}, {.5, NAN, -INFINITY, INFINITY}};
        t.places = places;
        t.sizes = sizes;
        t.shift = shift;
        t.n_places = below(m, 2);
        t.n_sizes = below(m, 3);
        t.n_shift = below(m, 3);
        if (coin(m))
            record_set_leak_target(r, &t);
    }
}

static void random_heap(struct maker *m, struct timeline *t)
{
    t->heap_peak = rng_uniform(&m->rng) * 1e9;
    t->heap_peak_ns = rng_uniform(&m->rng) * 1e9;
    t->heap_peak_exact = coin(m);
    t->heap_left = size_or_nan(m);
    t->allocations = below(m, 1000);
    t->reallocations = below(m, 1000);
    t->frees = below(m, 1000);
    t->failures = below(m, 3);
    t->allocated_bytes = rng_uniform(&m->rng) * 1e12;
    t->unwatched = below(m, 3);
    t->left_count = below(m, 3);
}

static void some_timelines(struct maker *m, struct record *r)
{
    for (int i = below(m, 3); i > 0; i--) {
        struct timeline_samples samples;
        struct timeline t;
        timeline_init(&t, &samples, 1 + below(m, 1000000));
        t.subject = below(m, r->n_subjects);
        t.start_ns = below(m, 1000000);
        t.wall_ns = size_or_nan(m);
        t.exit_status = text_or_null(m);
        t.largest_process = size_or_nan(m);
        t.processes = below(m, 9);
        t.heap_reason = text_or_null(m);
        if (!t.heap_reason)
            random_heap(m, &t);
        int64_t at = 0;
        for (int k = below(m, 20); k > 0; k--)
            timeline_add(&t, at += below(m, 3000000), rng_uniform(&m->rng) * 1e9, t.heap_reason ? NAN : size_or_nan(m));
        record_add_timeline(r, &t);
    }
}

static void some_points(struct maker *m, struct record *r)
{
    for (int i = below(m, 6); i > 0; i--)
        record_add_point(r, &(struct point){.subject = below(m, r->n_subjects),
                                            .kind = (enum point_kind)below(m, POINT_KINDS),
                                            .file = text(m),
                                            .func = text(m),
                                            .name = text(m),
                                            .line = below(m, 100000),
                                            .group = below(m, 32),
                                            .ordinal = below(m, 3),
                                            .partner = coin(m) ? -1 : 0});
}

/* Index of a point of the subject, -1: it has none. */
static int a_point_of(struct maker *m, const struct record *r, int subject)
{
    int n = r->traced ? r->traced->n_points : 0, from = n ? below(m, n) : 0;
    for (int i = 0; i < n; i++)
        if (r->traced->points[(from + i) % n].subject == subject)
            return (from + i) % n;
    return -1;
}

static void a_traced_arc(struct maker *m, struct record *r, int run, int from, int to)
{
    struct arc_bin bins[3] = {{below(m, 100), rng_next(&m->rng) >> 14}, {100, 1}, {391, 7}};
    struct traced_arc a = {.run = run, .from = from, .to = to, .n_bins = below(m, 4), .bins = bins, .estimated = coin(m)};
    for (int i = 0; i < a.n_bins; i++)
        a.n += bins[i].n;
    a.passes = a.n + (uint64_t)below(m, 3);
    a.square_low = rng_next(&m->rng);
    a.square_high = coin(m) ? rng_next(&m->rng) : 0;
    a.min = -below(m, 1000);
    a.max = below(m, 1000);
    a.sum = (int64_t)(a.n / 2) * (coin(m) ? a.min : a.max);
    a.clean_n = a.n / 2;
    a.clean_sum = (int64_t)rng_next(&m->rng);
    uint64_t *const classes[] = {&a.gaps, &a.gap_units, &a.migrated, &a.handlers, &a.nested, &a.interrupted, &a.backwards};
    for (int i = 0; i < 7; i++)
        *classes[i] = coin(m) ? rng_next(&m->rng) : 0;
    record_add_traced_arc(r, &a);
}

static void a_traced_run(struct maker *m, struct record *r)
{
    struct traced_run t = {.subject = below(m, r->n_subjects), .round = below(m, 9) - 1, .clock = "tsc", .order = text(m)};
    int point = a_point_of(m, r, t.subject), other = a_point_of(m, r, t.subject);
    struct point_passes passes = {point, rng_next(&m->rng)};
    t.hz = coin(m) ? NAN : 2e9;
    t.step = double_or_nan(m);
    t.repeat = 1 + below(m, 3);
    t.processes = below(m, 9);
    t.threads = below(m, 9);
    t.events = rng_next(&m->rng);
    t.degraded = coin(m);
    t.burst = coin(m);
    t.weight = double_or_nan(m);
    t.weight_sd = double_or_nan(m);
    t.weight_rows = rng_next(&m->rng);
    t.residual_ppm = double_or_nan(m);
    t.jumps = below(m, 3);
    t.steps = below(m, 3);
    t.jump_ns = double_or_nan(m);
    t.step_ns = double_or_nan(m);
    t.span_ns = any_double(m);
    t.lost = text_or_null(m);
    t.passes = &passes;
    t.n_passes = point >= 0 && coin(m);
    int run = record_add_traced_run(r, &t);
    for (int i = point >= 0 ? below(m, 4) : 0; i > 0; i--)
        a_traced_arc(m, r, run, point, other);
}

static void some_arc_results(struct maker *m, struct record *r)
{
    for (int i = below(m, 4); i > 0; i--) {
        int subject = below(m, r->n_subjects), from = a_point_of(m, r, subject), to = a_point_of(m, r, subject);
        struct arc_result a;
        arc_result_init(&a, subject, from, to);
        for (const struct field *f = arc_result_fields; f->key; f++) {
            const double figure = any_double(m);
            const uint64_t count = rng_next(&m->rng);
            if (f->kind == FIELD_NUMBER && coin(m))
                memcpy((char *)&a + f->offset, &figure, sizeof figure);
            if (f->kind == FIELD_UNSIGNED)
                memcpy((char *)&a + f->offset, &count, sizeof count);
        }
        a.runs = below(m, 9);
        a.runs_passed = below(m, 9);
        a.below_resolution = coin(m);
        a.whole = coin(m);
        a.reason = text_or_null(m);
        if (from >= 0)
            record_add_arc_result(r, &a);
    }
    for (int i = 0; r->traced && r->traced->n_results && i < r->n_comparisons; i++)
        r->comparisons[i].arc = r->comparisons[i].reference_arc = below(m, r->traced->n_results + 1);
}

static void some_traces(struct maker *m, struct record *r)
{
    some_points(m, r);
    for (int i = below(m, 5); i > 0; i--)
        a_traced_run(m, r);
    some_arc_results(m, r);
}

void random_record(struct record *r, uint64_t seed)
{
    struct maker m = {.rng = rng_seeded(seed)};
    record_init(r);
    r->tool_version = "0.1.0";
    const char *argv[] = {"tare", text(&m), text(&m), NULL};
    const char **copies = arena_array(&r->arena, 4, sizeof *copies);
    for (int i = 0; argv[i]; i++)
        copies[i] = arena_strdup(&r->arena, argv[i]);
    r->argv = copies;
    r->seed = coin(&m) ? rng_next(&m.rng) : rng_below(&m.rng, 1000);
    r->start_utc_ns = (int64_t)(rng_next(&m.rng) >> 1) * (coin(&m) ? 1 : -1);
    a_rule(&m, &r->rule, "wall");
    some_facts(&m, r, &r->machine);
    some_facts(&m, r, &r->before);
    some_facts(&m, r, &r->after);
    some_facts(&m, r, &r->build);
    for (int i = 0; metric_builtin(i); i++)
        record_add_metric(r, metric_builtin(i));
    record_add_metric(
        r, &(struct metric){"perf:cycles", text(&m), "1", METRIC_COUNT, METRIC_NEUTRAL, below(&m, 2) ? text(&m) : NULL});
    for (int i = 1 + below(&m, 4); i > 0; i--)
        a_subject(&m, r);
    some_rows(&m, r);
    some_results(&m, r);
    some_leak_targets(&m, r);
    some_timelines(&m, r);
    if (seed % 4 == 2) /* they are long, and one test reads its record as often as it has bytes */
        some_traces(&m, r);
    r->seconds = rng_uniform(&m.rng) * 100;
    r->look = below(&m, 10);
    r->rounds = below(&m, 30);
    r->ended = coin(&m) ? "answered" : "interrupted";
    r->partial = coin(&m);
}
