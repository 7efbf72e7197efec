/* SPDX-License-Identifier: MIT */
#include "accounted_record.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

void accounted_fill(struct accounted_run *runs, int n, double wall)
{
    for (int i = 0; i < n; i++) {
        double own = rint(wall * (1 + 0.0005 * (i * 7 % 9 - 4)));
        runs[i] = (struct accounted_run){.wall = own, .cpu = own, .throttled = NAN, .core_hz = NAN};
    }
}

struct accounted_run accounted_preempted(struct accounted_run run, double delay_ns)
{
    run.wall += delay_ns;
    run.delay += delay_ns;
    run.flags |= ROW_PREEMPTED;
    return run;
}

static void add_command(struct record *r, int n_commands, int rounds, const struct accounted_run *runs)
{
    static const char *const columns[] = {"wall",      "cpu",       "exit",      "delay",    "steal",
                                          "throttled", "voluntary", "first_cpu", "last_cpu", "core_hz"};
    const char name[] = {(char)('a' + r->n_subjects), 0};
    const struct subject s = {.name = name, .command = name};
    int subject = record_add_subject(r, &s, columns, 10);
    assert_true(subject >= 0);
    for (int i = 0; i < rounds; i++) {
        const struct accounted_run *run = &runs[i];
        const double values[] = {
            run->wall,      run->cpu,      0,           run->delay, run->steal, run->throttled, run->voluntary,
            run->first_cpu, run->last_cpu, run->core_hz};
        struct row row = {.round = i,
                          .slot = (subject + i) % n_commands,
                          .start_ns = (i * n_commands + (subject + i) % n_commands) * INT64_C(100000000),
                          .flags = run->flags,
                          .values = values};
        assert_int_equal(record_append_row(r, subject, &row), TARE_OK);
    }
}

void accounted_record(struct record *r, int n_commands, int rounds, const struct accounted_run *runs)
{
    record_init(r);
    record_add_metric(r, metric_builtin_find("wall"));
    record_add_metric(r, metric_builtin_find("cpu"));
    for (int i = 0; i < n_commands; i++)
        add_command(r, n_commands, rounds, runs + i * rounds);
    r->rule = (struct rule){.metric = "wall",
                            .confidence = 0.95,
                            .margin = 0.01,
                            .n_looks = 1,
                            .look_at = {rounds},
                            .look_level = {0.05},
                            .interleaved = true,
                            .fail_if_slower = NAN};
    r->seconds = 10;
    r->rounds = rounds;
    r->look = 1;
    r->ended = "answered";
}
