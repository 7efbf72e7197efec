/* SPDX-License-Identifier: MIT */
#include "engine.h"
#include <assert.h>
#include <stdio.h>

void engine_init(struct engine *e, int n_subjects, enum method method)
{
    *e = (struct engine){0};
    record_init(&e->r);
    record_add_metric(&e->r, metric_builtin_find("wall"));
    const char *columns[] = {"wall"};
    for (int i = 0; i < n_subjects; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        struct subject s = {.name = name, .command = name};
        record_add_subject(&e->r, &s, columns, 1);
        e->subjects[i] = i;
    }
    e->r.rule = (struct rule){
        .method = method, .metric = "wall", .confidence = 0.95, .margin = 0.01, .interleaved = true, .fail_if_slower = NAN};
    if (n_subjects == 1)
        e->r.rule.precision = 0.01;
    if (method == METHOD_GEORGES) {
        e->r.rule.precision = 0.02;
        e->r.rule.georges_runs = 30;
        e->r.rule.georges_min = 5;
    }
    e->plan_options = (struct plan_options){
        .subjects = e->subjects, .n_subjects = n_subjects, .budget_ns = 5000000000 * (int64_t)n_subjects, .seed = 1};
}

void engine_init_pairs(struct engine *e, int n)
{
    *e = (struct engine){0};
    record_init(&e->r);
    record_add_bench_metrics(&e->r);
    const char *columns[] = {"ns", "clock_hz"}, *sampled[] = {"iterations", "ticks", "empty_ticks"};
    for (int i = 0; i < 2 * n; i++) {
        char name[32], benchmark[16];
        snprintf(benchmark, sizeof benchmark, "b%d", i / 2);
        snprintf(name, sizeof name, "%s %s", i % 2 ? "new" : "old", benchmark);
        record_add_subject(&e->r,
                           &(struct subject){.kind = SUBJECT_BENCH,
                                             .name = name,
                                             .command = name,
                                             .program = i % 2 ? "new" : "old",
                                             .benchmark = benchmark,
                                             .group = benchmark,
                                             .reference = i % 2 ? i - 1 : -1},
                           columns, 2);
        record_set_sample_columns(&e->r, i, sampled, 3);
        e->subjects[i] = i;
    }
    e->r.rule = (struct rule){.metric = "ns", .confidence = 0.95, .margin = 0.01, .interleaved = true, .fail_if_slower = NAN};
    e->plan_options = (struct plan_options){
        .subjects = e->subjects, .n_subjects = 2 * n, .budget_ns = 5000000000 * (int64_t)(2 * n), .sharing = 1, .seed = 1};
}

/* A process of a benchmark has one sample of one iteration. */
static void append(struct engine *e, int subject, const struct row *row)
{
    enum tare_status status = record_append_row(&e->r, subject, row);
    const double sample[] = {1, row->values[0], 0};
    if (!status && e->r.subjects[subject].kind == SUBJECT_BENCH && !(row->flags & ROW_WARMUP))
        status = record_append_sample(&e->r, subject, &(struct row){.round = row->round, .values = sample});
    assert(!status);
    (void)status;
}

/* Whether any of its runs was disturbed. */
static bool run_round(struct engine *e, const struct step *s, engine_world *world, void *context)
{
    bool disturbed = false;
    if (s->order[0] < 2)
        e->first_of_round[s->order[0]]++;
    for (int slot = 0; slot < s->n; slot++) {
        const double ns = world(context, s->order[slot], s->round, slot, e->elapsed_ns), values[] = {ns, 1e9};
        struct row row = {.round = s->round,
                          .slot = slot,
                          .start_ns = (int64_t)e->elapsed_ns,
                          .flags = s->kind == STEP_WARMUP ? ROW_WARMUP : 0,
                          .values = values};
        append(e, s->order[slot], &row);
        e->elapsed_ns += ns;
        disturbed |= e->dirty && e->dirty(context);
    }
    return disturbed && s->kind == STEP_ROUND;
}

static void release(struct engine *e, const struct look *look)
{
    int left[ENGINE_SUBJECTS], n = e->all_stay ? 0 : plan_release(&e->plan, &e->r, left);
    for (int i = 0; i < n; i++)
        e->r.series[left[i]].look = (struct own_look){look->number, look->rounds, look->level, look->share};
}

void engine_run(struct engine *e, engine_world *world, void *context)
{
    plan_init(&e->plan, &e->plan_options, &e->r.rule);
    for (;;) {
        struct step s = plan_next(&e->plan, &e->r, (int64_t)e->elapsed_ns);
        if (s.kind == STEP_END)
            return;
        if (s.kind != STEP_LOOK) {
            if (run_round(e, &s, world, context) && plan_again(&e->plan, (int64_t)e->elapsed_ns))
                record_replace_round(&e->r, s.order, s.n, s.round);
            continue;
        }
        struct look look = {.number = s.look, .rounds = s.rounds, .level = s.level, .share = s.share};
        record_clear_results(&e->r);
        enum tare_status status = analyse_group(&e->r, e->subjects, e->plan_options.n_subjects, &look, NULL);
        assert(!status);
        (void)status;
        release(e, &look);
        e->looks_taken++;
        e->last_look_rounds = s.rounds;
    }
}

void engine_finish(struct engine *e)
{
    record_finish(&e->r);
}
