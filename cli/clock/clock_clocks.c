/* SPDX-License-Identifier: MIT
 *
 * The clocks and the orders of reading the counter as subjects of the record.
 */
#include "clock_session.h"
#include "clocks.h"
#include "plat.h"
#include <math.h>
#include <string.h>

/* What the processor's counter and its core are worth, as the record has it. */

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

enum tare_status clock_measure_core(struct clock_session *s, struct tare_err *err)
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

static void describe(struct described *d, const char *name, const char *value)
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
        describe(d, "distrusted", c->counter.reason);
        return;
    }
    describe(d, "frequency_source", clock_source_name(c->counter.chosen));
    describe(d, "used_by_brackets", "yes");
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
    describe(&d, "vdso",
             path_word(clock_path(kind, cost->min, kernel.min))); /* the least: on a busy machine the medians wander */
    describe(&d, "steady", kind->properties & CLOCK_STEADY ? "yes" : "no: it may step");
    describe(&d, "slewed", kind->properties & CLOCK_SLEWED ? "yes" : "no");
    describe(&d, "counts_suspend", kind->properties & CLOCK_COUNTS_SUSPEND ? "yes" : "no");
    describe(&d, "source", kind->clock < PLAT_CLOCKS ? plat_clock_source(kind->clock) : NULL);
    if (kind->properties & CLOCK_OF_CPU)
        describe(&d, "runs", "only while the process has the CPU");
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
        describe(&d, "distrusted", reason);
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
    describe(&d, "sequence", arena_format(&s->record.arena, "%s ... %s", o->order.begin, o->order.end));
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

enum tare_status clock_measure_rates(struct clock_session *s, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; clock_kind_at(i) && !status; i++)
        if (can_be_read(s, i) && !is_reference(clock_kind_at(i)))
            status = add_rate(s, i);
    return status ? err_set(err, status, "no memory for the clocks") : TARE_OK;
}

enum tare_status clock_measure_clocks(struct clock_session *s, struct tare_err *err)
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
