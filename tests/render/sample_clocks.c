/* SPDX-License-Identifier: MIT */
#include "sample_clocks.h"
#include <string.h>

static void add(struct record *r, int subject, const char *metric, const char *statistic, double point, const char *reason)
{
    record_add_estimate(r, &(struct estimate){.subject = subject,
                                              .metric = metric,
                                              .statistic = statistic,
                                              .method = "as observed",
                                              .point = point,
                                              .low = -INFINITY,
                                              .high = INFINITY,
                                              .n = 201,
                                              .n_effective = NAN,
                                              .reason = reason});
}

static int subject(struct record *r, enum subject_kind kind, const char *name, const char *property, const char *value)
{
    const struct parameter parameter = {property, value};
    const struct subject s = {
        .kind = kind, .name = name, .command = name, .parameters = &parameter, .n_parameters = property ? 1 : 0};
    return record_add_subject(r, &s, NULL, 0);
}

static void quantiles(struct record *r, int s, const char *metric, double p10, double median, double p99)
{
    add(r, s, metric, "p10", p10, NULL);
    add(r, s, metric, "median", median, NULL);
    add(r, s, metric, "p99", p99, NULL);
}

static void clock(struct record *r, const char *name, const char *vdso, double cost, double step, double rate, double skew)
{
    int s = subject(r, SUBJECT_CLOCK, name, "vdso", vdso);
    quantiles(r, s, "cost", cost * 0.98, cost, cost * 1.31);
    add(r, s, "step", "min", step, NULL);
    add(r, s, "rate", "session", rate, isnan(rate) ? "it does not run all the time" : NULL);
    add(r, s, "skew", "max", skew, isnan(skew) ? "only one CPU may be used" : NULL);
}

static void clocks(struct record *r)
{
    int s = subject(r, SUBJECT_CLOCK, "tsc", "invariant", "yes");
    quantiles(r, s, "cost", 11.5, 12, 16.4);
    add(r, s, "step", "min", 1, NULL);
    add(r, s, "ordering", "of 1000", 0.41, NULL);
    add(r, s, "rate", "session", -0.17, NULL);
    add(r, s, "skew", "max", 2, NULL);
    add(r, s, "skew", "bound", 41, NULL);
    add(r, s, "frequency", "measured", 2000000412, NULL);
    add(r, s, "frequency", "kernel", 2000000000, NULL);
    add(r, s, "frequency", "CPUID 15H", NAN, "the leaf is not there");
    add(r, s, "apart", "frequency", 0.206, NULL);
    clock(r, "CLOCK_MONOTONIC", "yes", 27.1, 1, 3.12, NAN);
    clock(r, "CLOCK_MONOTONIC_COARSE", "yes", 5.5, 4e6, 3.12, NAN);
    clock(r, "CLOCK_THREAD_CPUTIME_ID", "no", 224, 180, NAN, NAN);
}

static void serialisers(struct record *r)
{
    int s = subject(r, SUBJECT_SERIALISER, "lfence", "sequence", "lfence; rdtsc; lfence ... rdtscp; lfence");
    quantiles(r, s, "weight", 44, 46, 62);
    add(r, s, "ordering", "of 100", 0.9, NULL);
    add(r, s, "ordering", "of 1000", 0.12, NULL);
    s = subject(r, SUBJECT_SERIALISER, "none", "sequence", "rdtsc ... rdtsc");
    quantiles(r, s, "weight", 26, 28, 36);
    add(r, s, "cost_ticks", "median", 57.5, NULL);
    add(r, s, "ordering", "of 100", -92.1, NULL);
    add(r, s, "ordering", "of 1000", -12.4, NULL);
    s = subject(r, SUBJECT_SERIALISER, "serialize", "sequence", "serialize; rdtsc ... serialize; rdtsc");
    add(r, s, "weight", "median", NAN, "this processor has no such instruction");
}

/* ---- rows ---- */

static void row(struct record *r, int series, const double *values)
{
    const struct row one = {.round = r->series[series].main.n, .start_ns = 1000000 * r->series[series].main.n, .values = values};
    record_append_row(r, series, &one);
}

static void timers(struct record *r)
{
    static const char *const sleep_columns[] = {"asked", "wall", "late"}, *const slice_columns[] = {"slice"};
    int s = subject(r, SUBJECT_TIMER, "sleeps of 1 to 20 ms", NULL, NULL);
    record_set_columns(r, s, sleep_columns, 3);
    add(r, s, "slack", "told", 50000, NULL);
    for (int i = 0; i < 60; i++) {
        double asked = 1e6 * (i % 20 + 1), late = 55000 + 700 * (i % 7);
        row(r, s, (const double[]){asked, asked + late, late});
    }
    add(r, s, "late", "min", 55000, NULL);
    add(r, s, "late", "median", 57100, NULL);
    add(r, s, "late", "max", 59200, NULL);
    add(r, s, "late", "granularity", 58500, NULL);
    s = subject(r, SUBJECT_TIMER, "scheduler", NULL, NULL);
    record_set_columns(r, s, slice_columns, 1);
    add(r, s, "tick", "told", 4e6, NULL);
    add(r, s, "slice", "told", 2.8e6, NULL);
    for (int i = 0; i < 40; i++)
        row(r, s, (const double[]){i % 8 ? 4e6 - 1000 * i : 8e6});
    add(r, s, "slice", "min", 3.96e6, NULL);
    add(r, s, "slice", "median", 3.98e6, NULL);
    add(r, s, "slice", "max", 8e6, NULL);
}

static void experiment(struct record *r, const char *name, double least_ticks, int runs)
{
    static const char *const columns[] = {"ticks", "net_ticks", "wall", "net_wall"};
    int s = subject(r, SUBJECT_EXPERIMENT, name, NULL, NULL);
    record_set_columns(r, s, columns, 4);
    if (!runs)
        add(r, s, "ticks", "median", NAN, "reading the counter is forbidden to this process (prctl PR_SET_TSC)");
    for (int i = 0; i < runs; i++) {
        double ticks = least_ticks + (i * 3 + 2) % 5 * 2, net = ticks - 46.5;
        row(r, s, (const double[]){ticks, net, ticks / 2.0, net / 2.0});
    }
    static const char *const statistics[] = {"min", "median", "p90", "max"};
    for (int i = 0; runs && i < 4; i++) {
        double ticks = least_ticks + 2 * i;
        add(r, s, "ticks", statistics[i], ticks, NULL);
        add(r, s, "net_ticks", statistics[i], ticks - 46.5, NULL);
        add(r, s, "wall", statistics[i], ticks / 2, NULL);
        add(r, s, "net_wall", statistics[i], (ticks - 46.5) / 2, NULL);
    }
}

static void experiments(struct record *r, int runs)
{
    int s = subject(r, SUBJECT_EXPERIMENT, "reference chains", NULL, NULL);
    add(r, s, "core_hz", "multiplies", 2.5942e9, NULL);
    add(r, s, "core_hz", "adds", 2.5971e9, NULL);
    add(r, s, "apart", "chains", 1117, NULL);
    if (runs) {
        s = subject(r, SUBJECT_EXPERIMENT, "nothing", NULL, NULL);
        quantiles(r, s, "weight", 44, 46.5, 62);
    }
    experiment(r, "RDTSC", 68, runs);
    experiment(r, "LFENCE", 52, runs);
    experiment(r, "Sleep(500 ms)", 1000118210, runs);
}

static void machine(struct record *r)
{
    facts_add_text(r, &r->machine, "os", "Linux");
    facts_add_text(r, &r->machine, "kernel", "6.1.0-28-amd64");
    facts_add_text(r, &r->machine, "architecture", "x86_64");
    facts_add_text(r, &r->machine, "cpu_brand", "Some(R) Processor @ 2.00GHz");
    facts_add_text(r, &r->machine, "cpu_family", "6");
    facts_add_text(r, &r->machine, "cpu_model", "143");
    facts_add_unknown(r, &r->machine, "cpu_stepping", "not in /proc/cpuinfo");
    facts_add_text(r, &r->machine, "virtual_machine", "yes");
    facts_add_number(r, &r->machine, "memory_bytes", 8e9);
    facts_add_number(r, &r->before, "cpus_allowed", 2);
    facts_add_number(r, &r->before, "measured_on_cpu", 1);
    facts_add_text(r, &r->before, "scheduling_policy", "fifo");
    facts_add_number(r, &r->before, "nice", 0);
    facts_add_number(r, &r->before, "real_time_priority", 1);
    facts_add_text(r, &r->before, "clocksource", "tsc");
}

void sample_clocks(struct record *r, int runs)
{
    record_init(r);
    r->tool_version = "1.2.3";
    r->rule = (struct rule){.metric = "wall", .confidence = 0.95, .fail_if_slower = NAN};
    r->ended = "answered";
    record_add_clock_metrics(r);
    machine(r);
    clocks(r);
    serialisers(r);
    timers(r);
    experiments(r, runs);
    record_add_finding(r, &(struct finding){.id = "ticks_are_not_cycles",
                                            .subject = 10,
                                            .text = "the core runs at 2.594 GHz, its counter at 2.000 GHz",
                                            .advice = "do not compare ticks with cycles",
                                            .weight = 1});
}
