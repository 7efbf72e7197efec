/* SPDX-License-Identifier: MIT */
#include "tabled_record.h"

enum { COMMANDS_MAX = 8 };

static void add_metric(struct record *r, const char *id)
{
    const struct metric own = {.id = id, .title = id, .unit = "1", .kind = METRIC_COUNT, .direction = METRIC_LOWER};
    const struct metric *builtin = metric_builtin_find(id);
    assert_true(record_add_metric(r, builtin ? builtin : &own) >= 0);
}

static void add_command(struct record *r, const char *metric, int n, int rounds, const double *values)
{
    const char name[] = {(char)('a' + r->n_subjects), 0};
    const struct subject s = {.name = name, .command = name};
    const char *const columns[] = {metric, "exit"};
    int subject = record_add_subject(r, &s, columns, 2);
    assert_true(subject >= 0);
    for (int i = 0; i < rounds; i++) {
        const double row_values[] = {values[i], 0};
        struct row row = {.round = i, .slot = (subject + n - i % n) % n, .start_ns = i * INT64_C(1000000), .values = row_values};
        assert_int_equal(record_append_row(r, subject, &row), TARE_OK);
    }
}

void tabled_record(struct record *r, const char *metric, int n_commands, int rounds, const double *values)
{
    assert_true(n_commands <= COMMANDS_MAX);
    record_init(r);
    add_metric(r, metric);
    for (int i = 0; i < n_commands; i++)
        add_command(r, metric, n_commands, rounds, values + i * rounds);
    r->rule = (struct rule){.metric = metric,
                            .confidence = 0.95,
                            .margin = 0.01,
                            .n_looks = 1,
                            .look_at = {rounds},
                            .look_level = {0.05},
                            .interleaved = true,
                            .fail_if_slower = NAN};
}

struct look tabled_look(int rounds, double level)
{
    return (struct look){.number = 1, .rounds = rounds, .level = level};
}

void tabled_analyse(struct record *r, const struct look *look)
{
    static const int all[COMMANDS_MAX] = {0, 1, 2, 3, 4, 5, 6, 7};
    record_clear_results(r);
    assert_int_equal(analyse_group(r, all, r->n_subjects, look, NULL), TARE_OK);
}

const struct comparison *tabled_comparison(const struct record *r, int i)
{
    assert_true(i < r->n_comparisons);
    return &r->comparisons[i];
}

const struct estimate *tabled_estimate(const struct record *r, int subject, const char *statistic)
{
    const struct estimate *e = record_estimate(r, subject, r->rule.metric, statistic);
    if (!e)
        fail_msg("no %s of command %d", statistic, subject);
    return e;
}

void assert_close_at(double actual, double expected, double tolerance, const char *file, int line)
{
    if (actual == expected || (isnan(actual) && isnan(expected)))
        return;
    if (fabs(actual - expected) <= tolerance * fmax(fabs(expected), 1e-300))
        return;
    print_error("got %.17g, expected %.17g\n", actual, expected);
    _fail(file, line);
}
