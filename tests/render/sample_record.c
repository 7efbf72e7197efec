/* SPDX-License-Identifier: MIT */
#include "sample_record.h"
#include "rng.h"
#include "rng_normal.h"
#include <string.h>

static const int looks_at[] = {10, 15, 22, 33, 50, 75, 112, 168, 252, 378, 567, 850};

void sample_begin(struct record *r, int rounds, int looks)
{
    record_init(r);
    for (int i = 0; metric_builtin(i); i++)
        record_add_metric(r, metric_builtin(i));
    r->tool_version = "0.1.0";
    r->seed = 42;
    r->rule = (struct rule){.method = METHOD_TARE, .metric = "wall", .confidence = 0.95, .precision = 0.01, .margin = 0.01};
    r->rule.n_looks = looks;
    for (int i = 0; i < looks; i++) {
        r->rule.look_at[i] = looks == 1 ? rounds : looks_at[i];
        r->rule.look_level[i] = looks == 1 ? 0.05 : 0.009;
    }
    r->rule.interleaved = true;
    r->rule.fail_if_slower = NAN;
    r->rounds = rounds;
    r->look = looks == 1 ? 1 : 5;
    r->seconds = 3.2;
    r->ended = "answered";
}

static void add_rows(struct record *r, int subject, double median, int n)
{
    struct rng g = rng_seeded((uint64_t)subject + 1);
    for (int i = -1; i < n; i++) { /* -1: the warm-up round */
        double wall = median * (1 + 0.02 * rng_normal(&g) + 0.02 * rng_uniform(&g) * rng_uniform(&g) * 6);
        if (i == -1)
            wall *= 3.1;
        double values[] = {wall, wall * 0.98, wall * 0.9, wall * 0.08, 3.1e6, 0, 320, 2};
        struct row row = {.round = i < 0 ? 0 : i, .slot = subject, .start_ns = (int64_t)(i + 1) * 50000000, .values = values};
        row.flags = i < 0 ? ROW_WARMUP : 0;
        record_append_row(r, subject, &row);
    }
}

void sample_estimate(struct record *r, int subject, const char *metric, const char *statistic, double point, double half)
{
    bool mean = !strcmp(statistic, "mean"), median = !strcmp(statistic, "median");
    struct estimate e = {.subject = subject, .metric = metric, .statistic = statistic, .point = point, .n = r->rounds};
    e.method = mean ? "Student t" : median ? "order statistics" : "as observed";
    e.low = half > 0 ? point - half : -INFINITY;
    e.high = half > 0 ? point + half : INFINITY;
    e.confidence = mean || median ? r->rule.confidence : 0;
    e.level = r->rule.n_looks ? r->rule.look_level[0] : NAN;
    e.n_effective = mean || median ? floor(r->rounds * 0.8) : NAN;
    record_add_estimate(r, &e);
}

void sample_estimates(struct record *r, int subject, double median, double half)
{
    sample_estimate(r, subject, "wall", "median", median, half);
    sample_estimate(r, subject, "wall", "mean", median * 1.003, half * 0.7);
    sample_estimate(r, subject, "wall", "min", median * 0.968, 0);
    sample_estimate(r, subject, "wall", "max", median * 1.154, 0);
    sample_estimate(r, subject, "wall", "stddev", median * 0.025, 0);
}

int sample_command(struct record *r, const char *name, double median, double half)
{
    static const char *const columns[] = {"wall", "cpu", "user", "sys", "rss", "majflt", "minflt", "ctx"};
    const char *argv[] = {"sh", "-c", name, NULL};
    struct subject s = {.kind = SUBJECT_COMMAND, .name = name, .command = name, .argv = argv, .shell = true};
    int i = record_add_subject(r, &s, columns, 8);
    add_rows(r, i, median, r->rounds);
    sample_estimates(r, i, median, half);
    sample_estimate(r, i, "cpu", "median", median * 0.98, half * 1.1);
    sample_estimate(r, i, "user", "median", median * 0.9, half * 1.1);
    sample_estimate(r, i, "sys", "median", median * 0.08, half);
    sample_estimate(r, i, "rss", "median", 3.14e6 + 1e6 * i, 4096);
    return i;
}

struct comparison sample_comparison(const struct record *r, int subject, enum verdict verdict, double shift, double low,
                                    double high)
{
    struct comparison c = {.reference = 0, .subject = subject, .metric = r->rule.metric, .kind = METRIC_TIME};
    c.shift = shift, c.low = low, c.high = high;
    c.mean_ratio = exp(shift), c.mean_low = exp(low), c.mean_high = exp(high);
    c.confidence = r->rule.confidence;
    c.level = r->rule.look_level[0];
    c.look = r->look, c.looks_planned = r->rule.n_looks;
    c.margin = r->rule.margin;
    c.verdict = verdict;
    c.sign_proven = low > 0 || high < 0;
    c.beyond_margin = low >= log1p(c.margin) || high <= -log1p(c.margin);
    c.better = high < 0 ? subject : low > 0 ? 0 : -1;
    c.rounds = r->rounds;
    c.seconds = r->seconds;
    c.slot_effect = NAN, c.slot_p = NAN, c.rounds_needed = NAN;
    return c;
}
