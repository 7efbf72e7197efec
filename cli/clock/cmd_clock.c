/* SPDX-License-Identifier: MIT
 *
 * `tare clock`: the machine, its clocks, and the overhead of measuring with them.
 */
#include "analyse.h"
#include "causes.h"
#include "check.h"
#include "cli.h"
#include "clock_options.h"
#include "clocks.h"
#include "cpu.h"
#include "live.h"
#include "machine.h"
#include "noise_thread.h"
#include "outputs.h"
#include "plat.h"
#include "plat_clock.h"
#include "screen.h"
#include "stepped.h"
#include "stored_file.h"
#include "timers.h"
#include "tuning.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

/* What it holds while it works. Each step measures one thing into the record; TARE_INTERRUPTED: a signal came, what was measured before is there. */
enum { CLOCK_OTHERS_MAX = 16, CLOCK_KINDS_MAX = 16 };

struct clock_session {
    struct cli *cli;
    const struct clock_options *o;
    struct record record;
    struct outputs outputs;
    struct render_options render;
    struct live live;
    int phases; /* begun */
    struct timers timers;
    int64_t start_ns;                       /* plat_now_ns clock */
    int cpu;                                /* on which all is measured */
    int others[CLOCK_OTHERS_MAX], n_others; /* CPUs with which its counter is compared: at most so many, evenly chosen */
    struct clock_core core;                 /* meaningless where why_no_core says something */
    struct tare_err why_no_core;
    int clocks[CLOCK_KINDS_MAX], counter; /* subjects of each clock_kind_at, -1: none; that of the counter */
    struct clock_moment moments[CLOCK_KINDS_MAX];
    int empty, read, fence, sleep; /* subjects: the experiments */
    struct tare_err save_error;
    bool save_failed;
};

/* The phase shown while it works. */
static void clock_phase(struct clock_session *s, const char *phase)
{
    enum { PHASES = 5 };
    live_phase(&s->live, &s->record, phase, (s->phases++ + 0.5) / PHASES);
}

static enum exit_code keep_files(struct clock_session *s)
{
    struct tare_err err;
    enum exit_code code = EXIT_ANSWERED;
    if (s->save_failed)
        code = cli_fail(s->cli, EXIT_TOOL, &s->save_error);
    else if (s->outputs.save && record_write_tail(&s->outputs.writer, &s->record, &err))
        code = cli_fail(s->cli, EXIT_TOOL, &err);
    if (outputs_export(&s->outputs, &s->record, &err))
        code = cli_fail(s->cli, EXIT_TOOL, &err);
    if (outputs_finish(&s->outputs, &err))
        code = cli_fail(s->cli, EXIT_TOOL, &err);
    return code;
}

/* One estimate as observed, of n values; NaN with its reason. NO_MEMORY. */
static enum tare_status clock_estimate(struct clock_session *s, int subject, const char *metric, const char *statistic,
                                       double point, int n, const char *reason)
{
    const struct estimate e = {.subject = subject,
                               .metric = metric,
                               .statistic = statistic,
                               .method = "as observed",
                               .point = point,
                               .low = -INFINITY,
                               .high = INFINITY,
                               .n = n,
                               .n_effective = NAN,
                               .reason = reason};
    return record_add_estimate(&s->record, &e) < 0 ? TARE_NO_MEMORY : TARE_OK;
}

/* Estimates from the rows, findings, the screen, the files. `outcome` is what measuring returned. */
static enum exit_code clock_report(struct clock_session *s, enum tare_status outcome, const struct tare_err *why)
{
    struct record *r = &s->record;
    struct tare_err err;
    enum exit_code code = EXIT_ANSWERED;
    live_end(&s->live);
    machine_conditions(r, &r->after);
    const int64_t took_ns = plat_now_ns() - s->start_ns;
    r->seconds = took_ns < 0 ? NAN : (double)took_ns / 1e9; /* it was set back */
    r->ended = outcome == TARE_INTERRUPTED ? "interrupted" : outcome ? "failed" : "answered";
    r->partial = outcome != TARE_OK;
    if (outcome)
        code = cli_fail(s->cli, EXIT_TOOL, why); /* after a signal the process then dies of it */
    if (analyse_clocks(r, &err) || check_record(r, &(struct check_facts){0}, &err))
        code = cli_fail(s->cli, EXIT_TOOL, &err);
    code = cli_worse(code, screen_result(s->cli, &s->o->display, r, false));
    return cli_worse(code, keep_files(s));
}

/* ---- into the record: what the processor's counter and its core are worth, then the clocks and the orders of reading the counter as subjects ---- */

/* A register of Arm is no source that a time-stamp counter lacks, nor cpuid one of Arm's. */
static bool source_is_of_here(const struct clock_counter *c, enum clock_source source)
{
    bool tsc = !strcmp(c->name, "tsc");
    return source == SOURCE_REGISTER ? !tsc : source == SOURCE_CPUID_15 || source == SOURCE_HYPERVISOR ? tsc : true;
}

/* What each source says of the frequency of the processor's counter. NO_MEMORY. */
static enum tare_status clock_add_frequency(struct clock_session *s, int subject)
{
    const struct clock_counter *c = &clock_state()->counter;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < CLOCK_SOURCES && !status; i++)
        if (source_is_of_here(c, (enum clock_source)i)) {
            bool known = c->sources[i].status == TARE_OK;
            status = clock_estimate(s, subject, "frequency", clock_source_name((enum clock_source)i),
                                    known ? c->sources[i].hz : NAN, 1, known ? NULL : c->sources[i].reason);
        }
    /* Largest distance of a source from the measured frequency; NaN where no other source speaks. */
    double apart = NAN;
    for (int i = 0; i < SOURCE_MEASURED; i++)
        if (c->sources[i].status == TARE_OK && !isnan(c->sources[i].off_ppm))
            apart = fmax(isnan(apart) ? 0 : apart, fabs(c->sources[i].off_ppm));
    if (!status && !isnan(apart))
        status = clock_estimate(s, subject, "apart", "frequency", apart, 1, NULL);
    return status;
}

/* The core's frequency, which tells the length of a known chain. */
static enum tare_status clock_measure_core(struct clock_session *s, struct tare_err *err)
{
    static const char name[] = "reference chains";
    const struct subject subject = {.kind = SUBJECT_EXPERIMENT, .name = name, .command = name};
    int chains = record_add_subject(&s->record, &subject, NULL, 0);
    const struct clock_core *core = &s->core;
    if (chains < 0)
        return err_no_memory(err);
    bool ran = clock_core_examine(&s->core, &s->why_no_core) == TARE_OK;
    if (ran && !core->agree)
        err_set(&s->why_no_core, TARE_UNSUPPORTED, "%s", core->reason);
    const char *reason = ran && !isnan(core->hz) && !isnan(core->adds_hz) ? NULL : s->why_no_core.text;
    enum tare_status status = clock_estimate(s, chains, "core_hz", "multiplies", ran ? core->hz : NAN, 1, reason);
    if (!status)
        status = clock_estimate(s, chains, "core_hz", "adds", ran ? core->adds_hz : NAN, 1, reason);
    if (!status && ran)
        status = clock_estimate(s, chains, "apart", "chains", fabs(core->hz / core->adds_hz - 1) * 1e6, 1, reason);
    return status ? err_set(err, status, "no memory for the reference chains") : TARE_OK;
}

enum { PROPERTIES_MAX = 6 };

struct described {
    struct parameter items[PROPERTIES_MAX];
    int n;
};

static void describe_fact(struct described *d, const char *name, const char *value)
{
    if (value && *value && d->n < PROPERTIES_MAX)
        d->items[d->n++] = (struct parameter){name, value};
}

static int add_subject(struct clock_session *s, enum subject_kind kind, const char *name, const struct described *d)
{
    const struct subject subject = {.kind = kind, .name = name, .command = name, .parameters = d->items, .n_parameters = d->n};
    return record_add_subject(&s->record, &subject, NULL, 0);
}

static enum tare_status add_spread(struct clock_session *s, int subject, const char *metric, const struct clock_spread *spread,
                                   const char *reason)
{
    enum tare_status status = clock_estimate(s, subject, metric, "p10", spread->p10, spread->n, reason);
    if (!status)
        status = clock_estimate(s, subject, metric, "median", spread->median, spread->n, reason);
    return status ? status : clock_estimate(s, subject, metric, "p99", spread->p99, spread->n, reason);
}

static bool is_counter(const struct clock_kind *kind)
{
    return kind->properties & CLOCK_COUNTS_TICKS;
}

/* The counter of another architecture is no clock of this machine, and not a missing one either. */
static bool is_of_here(const struct clock_kind *kind)
{
    return !is_counter(kind) || !strcmp(kind->id, clock_state()->counter.name);
}

static void describe_counter(struct described *d)
{
    const struct clock_state *c = clock_state();
    if (!c->counter.trusted) {
        describe_fact(d, "distrusted", c->counter.reason);
        return;
    }
    describe_fact(d, "frequency_source", clock_source_name(c->counter.chosen));
    describe_fact(d, "used_by_brackets", "yes");
}

static const char *path_word(enum clock_path path)
{
    return path == CLOCK_IN_USER_SPACE ? "yes" : path == CLOCK_IN_KERNEL ? "no" : NULL;
}

static enum tare_status add_step(struct clock_session *s, int subject, const struct clock_kind *kind)
{
    struct clock_step step;
    struct tare_err why = {{0}};
    bool seen = clock_step(kind, &step, &why) == TARE_OK;
    enum tare_status status = clock_estimate(s, subject, "step", "min", seen ? step.ns : NAN, seen ? step.changes : 0,
                                             seen ? "its frequency is not known" : why.text);
    return status || !seen ? status : clock_estimate(s, subject, "backward", "count", step.backwards, step.changes, NULL);
}

static int add_kind(struct clock_session *s, const struct clock_kind *kind, struct clock_spread *cost, double *kernel_cost)
{
    struct described d = {.n = 0};
    *cost = clock_cost(kind);
    struct clock_spread kernel = clock_kernel_cost(kind);
    *kernel_cost = kernel.median;
    describe_fact(&d, "vdso",
                  path_word(clock_path(kind, cost->min, kernel.min))); /* the least: on a busy machine the medians wander */
    describe_fact(&d, "steady", kind->properties & CLOCK_STEADY ? "yes" : "no: it may step");
    describe_fact(&d, "slewed", kind->properties & CLOCK_SLEWED ? "yes" : "no");
    describe_fact(&d, "counts_suspend", kind->properties & CLOCK_COUNTS_SUSPEND ? "yes" : "no");
    describe_fact(&d, "source", kind->clock < PLAT_CLOCKS ? plat_clock_source(kind->clock) : NULL);
    if (kind->properties & CLOCK_OF_CPU)
        describe_fact(&d, "runs", "only while the process has the CPU");
    if (is_counter(kind))
        describe_counter(&d);
    return add_subject(s, SUBJECT_CLOCK, kind->title, &d);
}

static enum tare_status measure_kind(struct clock_session *s, int index, const struct clock_kind *kind)
{
    struct clock_spread cost;
    double kernel_cost;
    int subject = s->clocks[index] = add_kind(s, kind, &cost, &kernel_cost);
    if (subject < 0)
        return TARE_NO_MEMORY;
    enum tare_status status = add_spread(s, subject, "cost", &cost, isnan(cost.median) ? "its frequency is not known" : NULL);
    if (!status && !isnan(kernel_cost))
        status = clock_estimate(s, subject, "cost", "by system call", kernel_cost, 1, NULL);
    if (!status)
        status = add_step(s, subject, kind);
    if (status)
        return status;
    double error = NAN;
    struct tare_err why = {{0}};
    bool seen = clock_order_error(kind, &error, &why) == TARE_OK;
    return clock_estimate(s, subject, "ordering", "of 1000", seen ? 100 * error : NAN, 1, seen ? NULL : why.text);
}

static enum tare_status add_missing(struct clock_session *s, int index, const struct clock_kind *kind, const char *reason)
{
    struct described d = {.n = 0};
    if (is_counter(kind))
        describe_fact(&d, "distrusted", reason);
    int subject = s->clocks[index] = add_subject(s, SUBJECT_CLOCK, kind->title, &d);
    return subject < 0 ? TARE_NO_MEMORY : clock_estimate(s, subject, "cost", "median", NAN, 0, reason);
}

static enum tare_status measure_clock(struct clock_session *s, int index)
{
    const struct clock_kind *kind = clock_kind_at(index);
    struct tare_err why = {{0}};
    s->clocks[index] = -1;
    if (!is_of_here(kind))
        return TARE_OK;
    bool there = kind->probe(&why) == TARE_OK;
    enum tare_status status = there ? measure_kind(s, index, kind) : add_missing(s, index, kind, why.text);
    if (status || !is_counter(kind))
        return status;
    s->counter = s->clocks[index];
    return there ? clock_add_frequency(s, s->counter) : TARE_OK;
}

/* Of an empty chain the error is in ticks above the timing overhead: it has no per cent. */
static enum tare_status add_chains(struct clock_session *s, int subject, const struct clock_order *o)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < CLOCK_CHAINS && !status; i++) {
        const char *kept = arena_format(&s->record.arena, "of %d", o->chain[i].multiplies);
        const char *name = kept ? kept : "of a chain";
        double error = 100 * (o->chain[i].cycles / o->chain[i].expected_cycles - 1);
        status = clock_estimate(s, subject, "net_ticks", name, o->chain[i].net_ticks, 201, NULL);
        if (!status && o->chain[i].multiplies)
            status = clock_estimate(s, subject, "ordering", name, error, 201, isnan(error) ? s->why_no_core.text : NULL);
    }
    return status;
}

static enum tare_status add_order(struct clock_session *s, const struct clock_order *o)
{
    struct described d = {.n = 0};
    describe_fact(&d, "sequence", arena_format(&s->record.arena, "%s ... %s", o->order.begin, o->order.end));
    int subject = add_subject(s, SUBJECT_SERIALISER, o->order.name, &d);
    if (subject < 0)
        return TARE_NO_MEMORY;
    if (o->order.missing)
        return clock_estimate(s, subject, "weight", "median", NAN, 0, o->order.missing);
    enum tare_status status = add_spread(s, subject, "weight", &o->empty, NULL);
    if (!status)
        status = clock_estimate(s, subject, "cost_ticks", "median", o->pair_ticks, 1, NULL);
    return status ? status : add_chains(s, subject, o);
}

static enum tare_status measure_orders(struct clock_session *s)
{
    struct clock_order order;
    enum tare_status status = TARE_OK;
    for (int i = 0; !status && clock_order(i, &order); i++)
        status = plat_signal() ? TARE_INTERRUPTED : add_order(s, &order);
    return status;
}

/* Of all differences the one that is most surely none of the measurement's own, with its sign, in ns: a large one that is known badly
 * must not hide a small one that is known well. */
static enum tare_status measure_skew(struct clock_session *s)
{
    const struct clock_state *c = clock_state();
    struct clock_skew most = {NAN, NAN, 0};
    int compared = 0;
    struct tare_err why = {{0}};
    err_set(&why, TARE_UNSUPPORTED, "%s", c->counter.trusted ? "only one CPU may be used" : c->counter.reason);
    for (int i = 0; i < s->n_others && c->counter.trusted && !plat_signal(); i++) {
        struct clock_skew skew;
        if (clock_skew(s->cpu, s->others[i], &skew, &why))
            continue;
        if (!compared++ || fabs(skew.ticks) - skew.bound_ticks > fabs(most.ticks) - most.bound_ticks)
            most = skew;
    }
    double ns_a_tick = 1e9 / c->hz;
    enum tare_status status =
        clock_estimate(s, s->counter, "skew", "max", most.ticks * ns_a_tick, compared, compared ? NULL : why.text);
    return status || !compared ? status
                               : clock_estimate(s, s->counter, "skew", "bound", most.bound_ticks * ns_a_tick, compared, NULL);
}

static bool can_be_read(const struct clock_session *s, int index)
{
    return s->clocks[index] >= 0 && clock_kind_at(index)->probe(NULL) == TARE_OK;
}

static bool is_reference(const struct clock_kind *kind)
{
    return !is_counter(kind) && clock_reference() == PLAT_CLOCK_RAW && !strcmp(kind->id, "raw");
}

static const double rate_bound_ppm = 50; /* beyond, a rate says nothing: time keeping itself may slew by 500 */

static enum tare_status add_rate(struct clock_session *s, int index)
{
    const struct clock_kind *kind = clock_kind_at(index);
    struct clock_moment now;
    struct tare_err why = {{0}};
    double ppm = NAN, bound = NAN;
    clock_moment(kind, &now);
    bool known = clock_ppm(kind, &s->moments[index], &now, &ppm, &bound, &why) == TARE_OK;
    if (known && bound > rate_bound_ppm) {
        known = false;
        err_set(&why, TARE_UNSUPPORTED, "its step limits the accuracy to %.0f ppm", bound);
    }
    enum tare_status status =
        clock_estimate(s, s->clocks[index], "rate", "session", known ? ppm : NAN, 1, known ? NULL : why.text);
    return status || !known ? status : clock_estimate(s, s->clocks[index], "rate", "bound", bound, 1, NULL);
}

/* How far the clocks ran apart since: at the end, as seconds tell more than milliseconds. */
static enum tare_status clock_measure_rates(struct clock_session *s, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; clock_kind_at(i) && !status; i++)
        if (can_be_read(s, i) && !is_reference(clock_kind_at(i)))
            status = add_rate(s, i);
    return status ? err_set(err, status, "no memory for the clocks") : TARE_OK;
}

static enum tare_status clock_measure_clocks(struct clock_session *s, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    s->counter = -1;
    for (int i = 0; clock_kind_at(i) && !status; i++)
        status = plat_signal() ? TARE_INTERRUPTED : measure_clock(s, i);
    if (!status)
        status = measure_orders(s);
    if (!status && s->counter >= 0)
        status = measure_skew(s);
    if (!status) {
        for (int i = 0; clock_kind_at(i); i++)
            if (can_be_read(s, i))
                clock_moment(clock_kind_at(i), &s->moments[i]);
    }
    if (status == TARE_INTERRUPTED)
        return err_set(err, status, "interrupted while the clocks were measured");
    return status ? err_set(err, status, "no memory for the clocks") : TARE_OK;
}

/* Without --pin: where we are, so that nothing is measured across a migration that nobody asked for. */
static enum tare_status choose_cpu(struct clock_session *s, struct tare_err *err)
{
    s->cpu = s->o->pin_cpu >= 0 ? s->o->pin_cpu : plat_cpu_now();
    if (s->o->pin_cpu < 0 || plat_cpu_allowed(s->cpu))
        return TARE_OK;
    if (!plat_thread_pin(s->cpu, err)) /* more is permitted than what we were started on, and that was somebody's wish */
        err_set(err, TARE_INVALID, "CPU %d is not among those that tare was started on (taskset -p $$)", s->cpu);
    err_prefix(err, "--pin");
    return TARE_INVALID;
}

static enum tare_status keep_to_cpu(struct clock_session *s, struct tare_err *err)
{
    /* The other CPUs that we may use: all where they are few, else evenly over them. Asked before we keep to one. */
    enum { CPUS_MAX = 8192 };
    int allowed = plat_cpus_allowed() - 1, passed = 0;
    int wanted = allowed < CLOCK_OTHERS_MAX ? allowed : CLOCK_OTHERS_MAX;
    for (int cpu = 0; cpu < CPUS_MAX && s->n_others < wanted; cpu++) {
        if (cpu == s->cpu || !plat_cpu_allowed(cpu))
            continue;
        if (passed++ >= (int)((int64_t)s->n_others * allowed / wanted))
            s->others[s->n_others++] = cpu;
    }
    if (s->cpu < 0) /* unknown: stay where the scheduler puts us */
        return TARE_OK;
    return plat_thread_pin(s->cpu, err);
}

static enum tare_status add_class(struct record *r, const struct plat_scheduling *now)
{
    enum tare_status status = facts_add_text(r, &r->before, "priority_class", now->policy);
    if (status)
        return status;
    return now->base ? facts_add_number(r, &r->before, "base_priority", now->base)
                     : facts_add_unknown(r, &r->before, "base_priority", now->base_unknown);
}

/* As it is now, whatever was asked for. */
static enum tare_status add_scheduling(struct record *r)
{
    struct plat_scheduling now;
    struct tare_err why;
    if (plat_scheduling(&now, &why))
        return facts_add_unknown(r, &r->before, "scheduling_policy", why.text);
    if (now.base || now.base_unknown)
        return add_class(r, &now);
    enum tare_status status = facts_add_text(r, &r->before, "scheduling_policy", now.policy);
    if (!status)
        status = facts_add_number(r, &r->before, "nice", now.nice);
    return status ? status : facts_add_number(r, &r->before, "real_time_priority", now.real_time);
}

static enum tare_status describe_machine(struct clock_session *s, struct tare_err *err)
{
    struct record *r = &s->record;
    enum tare_status status = machine_identity(r, &r->machine);
    if (!status)
        status = machine_conditions(r, &r->before);
    if (!status)
        status = add_scheduling(r);
    if (!status)
        status = s->cpu >= 0 ? facts_add_number(r, &r->before, "measured_on_cpu", s->cpu)
                             : facts_add_unknown(r, &r->before, "measured_on_cpu", "the system does not say");
    return status ? err_set(err, status, "cannot describe the machine") : TARE_OK;
}

static enum tare_status open_outputs(struct clock_session *s, struct tare_err *err)
{
    const struct outputs_place save = {"--save", s->o->save, false};
    enum tare_status status = outputs_check(&s->o->display, &save, 1, err);
    if (!status)
        status = stored_keep(s->o->save, (struct stored_keep){0}, err);
    return status ? status : outputs_open(&s->outputs, &s->o->display, s->o->save, err);
}

/* For after_row: keeps the newest row of this series. The context is the session. */
static void clock_row_added(void *session, int series)
{
    struct clock_session *s = session;
    int newest = s->record.series[series].main.n - 1;
    if (s->outputs.save && !s->save_failed)
        s->save_failed = record_write_row(&s->outputs.writer, &s->record, series, false, newest, &s->save_error) != TARE_OK;
}

/* Options to record, files, signals, priority: all that can fail before anything is measured. INVALID: wrong use. */
static enum tare_status clock_open(struct clock_session *s, struct tare_err *err)
{
    record_init(&s->record);
    /* What a tuner that was killed left is in every figure below. */
    struct buf notice = BUF_INIT(1 << 12);
    tuning_notice(&notice);
    cli_say(s->cli, s->o->display.quiet, &notice);
    s->render = screen_options(&s->o->display);
    struct record *r = &s->record;
    r->argv = arena_words(&r->arena, (const char *const *)s->cli->argv);
    r->tool_version = CLI_VERSION;
    r->start_utc_ns = plat_utc_ns();
    r->rule = (struct rule){.metric = "wall", .confidence = 0.95, .margin = 0.01, .fail_if_slower = NAN};
    bool good = r->argv && !record_add_clock_metrics(r);
    enum tare_status status = good ? TARE_OK : err_no_memory(err);
    if (!status)
        status = choose_cpu(s, err);
    if (!status && (status = plat_signals_watch()))
        err_set(err, status, "cannot watch signals");
    if (!status)
        status = CLOCK_GIVEN(s->o, priority) ? plat_set_priority((enum plat_priority)s->o->priority, err) : TARE_OK;
    if (!status)
        status = open_outputs(s, err);
    if (!status)
        status = describe_machine(s, err);
    if (!status)
        status = keep_to_cpu(s, err);
    s->start_ns = plat_now_ns();
    s->timers =
        (struct timers){.record = &s->record, .start_ns = s->start_ns, .cpu = s->cpu, .after_row = clock_row_added, .context = s};
    live_begin(&s->live, &s->render, s->cli->talk);
    return status;
}

/* The experiments, one after the other: the timing overhead, then one reading of the counter, one fence, and a sleep of half a second, each
 * as often as asked. The overhead is measured again around every run, because it follows the core's frequency.
 */

enum { EMPTIES = 1001, AROUND = 8 };

static const int64_t sleep_ns = 500000000;
static const char *const columns[] = {"ticks", "net_ticks", "wall", "net_wall", "delay"}; /* the last of the sleep only */

/* "rdtsc" as people write it: "RDTSC". */
static const char *upper(struct clock_session *s, const char *name)
{
    char *copy = arena_strdup(&s->record.arena, name);
    for (char *c = copy; c && *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return copy ? copy : name;
}

/* asked: the length that it must have, in ns, where that is known; NULL. */
static int add_experiment(struct clock_session *s, const char *name, int n_columns, const char *asked)
{
    const struct parameter parameter = {"asked_ns", asked};
    const struct subject subject = {
        .kind = SUBJECT_EXPERIMENT, .name = name, .command = name, .parameters = &parameter, .n_parameters = asked != NULL};
    return record_add_subject(&s->record, &subject, columns, n_columns);
}

/* Their subjects, before the head is written; then their runs. */
static enum tare_status clock_describe_experiments(struct clock_session *s, struct tare_err *err)
{
    struct cpu_order fenced, bare;
    bool named = cpu_order(0, &fenced) && cpu_order(1, &bare);
    s->empty = add_experiment(s, "timing overhead", 0, NULL);
    s->read = add_experiment(s, named ? upper(s, bare.begin) : "the counter", 4, NULL);
    s->fence = add_experiment(s, named ? upper(s, fenced.name) : "a fence", 4, NULL);
    s->sleep = add_experiment(s, "Sleep(500 ms)", 5, "500000000");
    return s->empty < 0 || s->read < 0 || s->fence < 0 || s->sleep < 0 ? err_no_memory(err) : TARE_OK;
}

/* In the counter's ticks; NaN where they have no length in nanoseconds. */
static double ns_of(double ticks)
{
    const struct clock_state *c = clock_state();
    return c->counter.trusted ? ticks / c->hz * 1e9 : NAN;
}

static enum tare_status add_row(struct clock_session *s, int series, int64_t start_ns, uint32_t flags, const double *values)
{
    const struct row row = {
        .round = s->record.series[series].main.n, .start_ns = start_ns - s->start_ns, .flags = flags, .values = values};
    enum tare_status status = record_append_row(&s->record, series, &row);
    if (!status)
        clock_row_added(s, series);
    return status;
}

static double bracket(struct clock_phase *phase, enum cpu_subject subject)
{
    clock_phase_draw(phase);
    return (double)cpu_bracket(0, subject);
}

static enum tare_status run_instruction(struct clock_session *s, int series, struct clock_phase *phase,
                                        enum cpu_subject instruction)
{
    double empty[2 * AROUND];
    const int64_t start = plat_now_ns();
    for (int i = 0; i < AROUND; i++)
        empty[i] = bracket(phase, SUBJECT_NOTHING);
    const double gross = bracket(phase, instruction);
    for (int i = AROUND; i < 2 * AROUND; i++)
        empty[i] = bracket(phase, SUBJECT_NOTHING);
    const double net = gross - stepped_mean(empty, 2 * AROUND, (double)clock_state()->counter.step_ticks).mean;
    return add_row(s, series, start, 0, (const double[]){gross, net, ns_of(gross), ns_of(net)});
}

static enum tare_status run_instructions(struct clock_session *s, int series, enum cpu_subject instruction)
{
    enum tare_status status = TARE_OK;
    struct clock_phase phase;
    clock_phase_open(&phase, (uint64_t)instruction, clock_step_ns());
    cpu_bracket(0, instruction); /* its code is then in the cache */
    for (int i = 0; i < s->o->runs && !status; i++)
        status = run_instruction(s, series, &phase, instruction);
    return status;
}

static enum tare_status run_sleep(struct clock_session *s, struct noise_thread *thread, struct noise_history *history)
{
    struct tare_bracket t;
    struct tare_elapsed e;
    int64_t start = plat_now_ns();
    noise_thread_begin(thread);
    TARE_START(t);
    plat_nap_ns(sleep_ns);
    TARE_STOP(t);
    tare_bracket_elapsed(&t, &e);
    struct noise_delta delta = noise_thread_end(thread, (double)e.gross_ns);
    if (plat_signal())
        return TARE_INTERRUPTED;
    struct noise_account account = noise_judge(history, &delta);
    bool counted = clock_state()->counter.trusted;
    return add_row(s, s->sleep, start, account.flags & causes_exogenous(),
                   (const double[]){counted ? (double)e.gross_ticks : NAN, counted ? (double)e.ticks : NAN, (double)e.gross_ns,
                                    (double)e.ns, account.delay_ns});
}

static enum tare_status run_sleeps(struct clock_session *s)
{
    struct noise_thread thread;
    struct noise_history history = {0};
    enum tare_status status = TARE_OK;
    noise_thread_open(&thread, NULL); /* a signal that is absent raises no flag */
    for (int i = 0; i < s->o->runs && !status; i++) {
        clock_phase(s, "sleeps of 500 ms");
        status = run_sleep(s, &thread, &history);
    }
    noise_thread_close(&thread);
    return status;
}

static enum tare_status calibrate(struct clock_session *s)
{
    int64_t empty[EMPTIES];
    for (int i = 0; i < EMPTIES; i++)
        empty[i] = cpu_bracket(0, SUBJECT_NOTHING);
    struct clock_spread spread = clock_spread_of(empty, EMPTIES);
    enum tare_status status = clock_estimate(s, s->empty, "weight", "p10", spread.p10, EMPTIES, NULL);
    if (!status)
        status = clock_estimate(s, s->empty, "weight", "median", spread.median, EMPTIES, NULL);
    return status ? status : clock_estimate(s, s->empty, "weight", "p99", spread.p99, EMPTIES, NULL);
}

static enum tare_status measure_instructions(struct clock_session *s)
{
    struct tare_err why;
    if (plat_ticks_allowed(&why)) {
        enum tare_status status = clock_estimate(s, s->read, "ticks", "median", NAN, 0, why.text);
        return status ? status : clock_estimate(s, s->fence, "ticks", "median", NAN, 0, why.text);
    }
    enum tare_status status = calibrate(s);
    if (!status)
        status = run_instructions(s, s->read, SUBJECT_READ);
    return status ? status : run_instructions(s, s->fence, SUBJECT_FENCE);
}

static enum tare_status clock_measure_experiments(struct clock_session *s, struct tare_err *err)
{
    clock_phase(s, "experiments");
    enum tare_status status = measure_instructions(s);
    if (!status)
        status = run_sleeps(s);
    if (status == TARE_INTERRUPTED)
        return err_set(err, status, "interrupted while the experiments were made");
    return status ? err_no_memory(err) : TARE_OK;
}

static enum tare_status measure_timers(struct clock_session *s, struct tare_err *err)
{
    clock_phase(s, "sleeps");
    enum tare_status status = timers_measure_sleeps(&s->timers, err);
    if (status)
        return status;
    clock_phase(s, "slices of the scheduler");
    return timers_measure_slices(&s->timers, err);
}

static enum tare_status measure_all(struct clock_session *s, struct tare_err *err)
{
    clock_phase(s, "clocks");
    enum tare_status status = clock_measure_core(s, err);
    if (!status)
        status = clock_measure_clocks(s, err);
    if (!status)
        status = timers_describe(&s->timers, err);
    if (!status)
        status = clock_describe_experiments(s, err);
    /* The record's head, once the subjects are known; then every row is written as it comes. A failure to save is reported at the end; what was measured is still shown. */
    if (s->outputs.save)
        s->save_failed = record_write_head(&s->outputs.writer, &s->record, &s->save_error) != TARE_OK;
    if (!status)
        status = measure_timers(s, err);
    if (!status)
        status = clock_measure_experiments(s, err);
    if (!status)
        status = clock_measure_rates(s, err);
    return status;
}

int cmd_clock(struct cli *cli, const void *options)
{
    struct clock_session s = {.cli = cli, .o = options};
    struct tare_err err;
    enum tare_status status = clock_open(&s, &err);
    enum exit_code code;
    if (status)
        code = cli_refuse(cli, status, &err);
    else {
        status = measure_all(&s, &err);
        code = clock_report(&s, status, &err);
    }
    live_end(&s.live);
    outputs_finish(&s.outputs, NULL);
    record_finish(&s.record);
    if (plat_signal())
        plat_die_of(plat_signal());
    return code;
}
