/* SPDX-License-Identifier: MIT */
#include "arcs_record.h"
#include "trace_format.h"
#include <math.h>

void arcs_close_to(double actual, double expected, const char *what, int line)
{
    if (!(fabs(actual - expected) <= 1e-9 * fmax(1, fabs(expected))))
        fail_msg("line %d: %s is %.17g, not %.17g", line, what, actual, expected);
}

void begin(struct record *r, int subjects)
{
    static const char *const names[] = {"a", "b"}, *const columns[] = {"wall"};
    record_init(r);
    assert_int_equal(record_add_arc_metric(r), TARE_OK);
    assert_true(record_add_metric(r, metric_builtin_find("wall")) >= 0);
    for (int i = 0; i < subjects; i++)
        assert_int_equal(
            record_add_subject(r, &(struct subject){.kind = SUBJECT_TRACE, .name = names[i], .command = names[i]}, columns, 1),
            i);
    r->rule = (struct rule){.metric = "wall", .confidence = .95, .margin = .01, .interleaved = true, .fail_if_slower = NAN};
}

int point(struct record *r, int subject, int line, const char *func, const char *name)
{
    return record_add_point(
        r, &(struct point){.subject = subject, .file = "/x/a.c", .func = func, .name = name, .line = line, .partner = -1});
}

int run(struct record *r, int subject, int round, int repeat, double weight)
{
    const double wall = 1e6;
    record_append_row(r, subject, &(struct row){.round = round, .slot = subject, .start_ns = round, .values = &wall});
    return record_add_traced_run(r, &(struct traced_run){.subject = subject,
                                                         .round = round,
                                                         .clock = "tsc",
                                                         .order = "ordered",
                                                         .hz = 2e9, /* a unit is half a nanosecond */
                                                         .step = 1,
                                                         .repeat = repeat,
                                                         .weight = weight,
                                                         .weight_sd = 1,
                                                         .weight_rows = 100,
                                                         .residual_ppm = NAN});
}

/* n passages of the same time. */
void passed(struct record *r, int of_run, int from, int to, uint64_t n, int64_t units)
{
    struct arc_bin bin = {trace_bin((uint64_t)units), n};
    record_add_traced_arc(r, &(struct traced_arc){.run = of_run,
                                                  .from = from,
                                                  .to = to,
                                                  .passes = n,
                                                  .n = n,
                                                  .sum = (int64_t)n * units,
                                                  .square_low = n * (uint64_t)units * (uint64_t)units,
                                                  .min = units,
                                                  .max = units,
                                                  .clean_n = n,
                                                  .clean_sum = (int64_t)n * units,
                                                  .bins = &bin,
                                                  .n_bins = 1});
}

void analyse(struct record *r, int rounds)
{
    static const int both[] = {0, 1};
    const struct look look = {1, rounds, .05, 0};
    record_clear_results(r);
    r->rule.n_looks = 1;
    r->rule.look_at[0] = rounds;
    r->rule.look_level[0] = .05;
    assert_int_equal(analyse_group(r, both, r->n_subjects, &look, NULL), TARE_OK);
}

const struct arc_result *result(const struct record *r, int from, int to)
{
    for (int i = 0; i < r->traced->n_results; i++)
        if (r->traced->results[i].from == from && r->traced->results[i].to == to)
            return &r->traced->results[i];
    fail_msg("no result from %d to %d", from, to);
    return NULL;
}
