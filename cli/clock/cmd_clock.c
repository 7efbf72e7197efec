/* SPDX-License-Identifier: MIT
 *
 * `tare clock`: the machine, its clocks, and the overhead of measuring with them.
 */
#include "causes.h"
#include "clock_session.h"
#include "clocks.h"
#include "cpu.h"
#include "machine.h"
#include "noise_thread.h"
#include "plat.h"
#include "plat_clock.h"
#include "screen.h"
#include "stepped.h"
#include "stored_keep.h"
#include "tuning.h"
#include <ctype.h>

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

static enum tare_status measure(struct clock_session *s, struct tare_err *err)
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
        status = measure(&s, &err);
        code = clock_report(&s, status, &err);
    }
    live_end(&s.live);
    outputs_finish(&s.outputs, NULL);
    record_finish(&s.record);
    if (plat_signal())
        plat_die_of(plat_signal());
    return code;
}
