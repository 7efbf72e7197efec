/* SPDX-License-Identifier: MIT
 *
 * The experiments, one after the other: the timing overhead, then one reading of the counter, one fence, and a sleep of half a second, each
 * as often as asked. The overhead is measured again around every run, because it follows the core's frequency.
 */
#include "causes.h"
#include "clock_session.h"
#include "clocks.h"
#include "cpu.h"
#include "noise_thread.h"
#include "plat.h"
#include "stepped.h"
#include <ctype.h>

enum { EMPTIES = 1001, AROUND = 8 };

static const int64_t sleep_ns = 500000000;
static const char *const columns[] = {"ticks", "net_ticks", "wall", "net_wall", "delay"}; /* the last of the sleep only */

static enum tare_status no_memory(struct tare_err *err)
{
    return err_set(err, TARE_NO_MEMORY, "no memory for the experiments");
}

/* ---- what they are called ---- */

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

enum tare_status clock_describe_experiments(struct clock_session *s, struct tare_err *err)
{
    struct cpu_order fenced, bare;
    bool named = cpu_order(0, &fenced) && cpu_order(1, &bare);
    s->empty = add_experiment(s, "timing overhead", 0, NULL);
    s->read = add_experiment(s, named ? upper(s, bare.begin) : "the counter", 4, NULL);
    s->fence = add_experiment(s, named ? upper(s, fenced.name) : "a fence", 4, NULL);
    s->sleep = add_experiment(s, "Sleep(500 ms)", 5, "500000000");
    return s->empty < 0 || s->read < 0 || s->fence < 0 || s->sleep < 0 ? no_memory(err) : TARE_OK;
}

/* ---- rows ---- */

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

/* ---- one instruction ---- */

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

/* ---- the sleep ---- */

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

/* ---- all ---- */

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

enum tare_status clock_measure_experiments(struct clock_session *s, struct tare_err *err)
{
    clock_phase(s, "experiments");
    enum tare_status status = measure_instructions(s);
    if (!status)
        status = run_sleeps(s);
    if (status == TARE_INTERRUPTED)
        return err_set(err, status, "interrupted while the experiments were made");
    return status ? no_memory(err) : TARE_OK;
}
