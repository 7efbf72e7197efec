/* SPDX-License-Identifier: MIT
 *
 * The clocks and the orders of reading the counter as subjects of the record.
 */
#include "clock_session.h"
#include "plat.h"
#include <math.h>

/* ---- subjects ---- */

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

/* ---- estimates ---- */

static enum tare_status add_spread(struct clock_session *s, int subject, const char *metric, const struct clock_spread *spread,
                                   const char *reason)
{
    enum tare_status status = clock_estimate(s, subject, metric, "p10", spread->p10, spread->n, reason);
    if (!status)
        status = clock_estimate(s, subject, metric, "median", spread->median, spread->n, reason);
    return status ? status : clock_estimate(s, subject, metric, "p99", spread->p99, spread->n, reason);
}

/* ---- clocks ---- */

static const char *shortcut_word(enum clock_shortcut shortcut)
{
    return shortcut == SHORTCUT_TAKEN ? "yes" : shortcut == SHORTCUT_NONE ? "no" : NULL;
}

static struct described properties_of(int way, const struct clock_way_found *found)
{
    const struct clock_state *c = clock_state();
    struct described d = {.n = 0};
    describe(&d, "vdso", shortcut_word(found->shortcut));
    if (way == CLOCK_COUNTER_WAY && c->counter.trusted) {
        describe(&d, "frequency_source", clock_source_name(c->counter.chosen));
        describe(&d, "used_by_brackets", "yes");
    } else if (way == CLOCK_COUNTER_WAY) {
        describe(&d, "distrusted", c->counter.reason);
    }
    return d;
}

static enum tare_status add_found(struct clock_session *s, int subject, const struct clock_way_found *found)
{
    const char *reason = found->there ? NULL : found->reason;
    enum tare_status status = add_spread(s, subject, "cost", &found->cost_ns, reason);
    if (status || !found->there)
        return status;
    status = clock_estimate(s, subject, "step", "min", found->step_ns, 1, isnan(found->step_ns) ? found->step_reason : NULL);
    if (!status && !isnan(found->kernel_cost_ns))
        status = clock_estimate(s, subject, "cost", "by system call", found->kernel_cost_ns, 1, NULL);
    if (!status)
        status = clock_estimate(s, subject, "backward", "count", (double)found->backward, 1, NULL);
    double percent = found->ordering * 100;
    return status ? status
                  : clock_estimate(s, subject, "ordering", "of 1000", percent, 1, isnan(percent) ? found->ordering_reason : NULL);
}

static enum tare_status measure_way(struct clock_session *s, int way)
{
    struct clock_way_found found;
    clock_way_measure(way, s->core_known ? &s->core : NULL, s->why_no_core.text, &found);
    struct described d = properties_of(way, &found);
    s->ways[way] = add_subject(s, SUBJECT_CLOCK, clock_way_name(way), &d);
    if (s->ways[way] < 0)
        return TARE_NO_MEMORY;
    enum tare_status status = add_found(s, s->ways[way], &found);
    return status || way != CLOCK_COUNTER_WAY ? status : clock_add_frequency(s, s->ways[way]);
}

/* ---- orders ---- */

static const char *sequence_of(struct clock_session *s, const struct cpu_order *order)
{
    struct buf b = BUF_INIT(1024);
    buf_format(&b, "%s ... %s", order->begin, order->end);
    const char *kept = arena_strdup(&s->record.arena, buf_text(&b));
    buf_finish(&b);
    return kept;
}

static enum tare_status add_errors(struct clock_session *s, int subject, const struct clock_order_found *found)
{
    static const char *const statistics[CLOCK_CHAINS] = {"of 20", "of 100", "of 1000"};
    const char *reason = s->why_no_core.text;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < CLOCK_CHAINS && !status; i++)
        status = clock_estimate(s, subject, "ordering", statistics[i], 100 * found->error[i], 1,
                                isnan(found->error[i]) ? reason : NULL);
    return status;
}

static enum tare_status measure_order(struct clock_session *s, int index, const struct cpu_order *order)
{
    struct described d = {.n = 0};
    describe(&d, "sequence", sequence_of(s, order));
    int subject = add_subject(s, SUBJECT_SERIALISER, order->name, &d);
    if (subject < 0)
        return TARE_NO_MEMORY;
    if (order->missing)
        return clock_estimate(s, subject, "weight", "median", NAN, 0, order->missing);
    struct clock_order_found found;
    clock_order_measure(index, s->core_known ? &s->core : NULL, &found);
    enum tare_status status = add_spread(s, subject, "weight", &found.weight_ticks, NULL);
    if (!status)
        status = clock_estimate(s, subject, "cost_ticks", "median", found.whole_ticks, 1, NULL);
    return status ? status : add_errors(s, subject, &found);
}

static enum tare_status measure_orders(struct clock_session *s)
{
    struct cpu_order order;
    enum tare_status status = TARE_OK;
    for (int i = 0; !status && plat_ticks_allowed(NULL) == TARE_OK && cpu_order(i, &order); i++)
        status = measure_order(s, i, &order);
    return status;
}

/* ---- between CPUs ---- */

/* The largest of all differences, with its sign. */
static enum tare_status measure_skew(struct clock_session *s)
{
    struct clock_skew_found largest = {NAN, NAN};
    struct tare_err why = {{0}};
    if (s->n_others == 0)
        err_set(&why, TARE_UNSUPPORTED, "only one CPU is allowed to us");
    for (int i = 0; i < s->n_others && !plat_signal(); i++) {
        struct clock_skew_found found;
        if (!clock_skew(s->cpu, s->others[i], &found, &why) && !(fabs(found.ns) <= fabs(largest.ns)))
            largest = found;
    }
    int counter = s->ways[CLOCK_COUNTER_WAY];
    enum tare_status status =
        clock_estimate(s, counter, "skew", "max", largest.ns, s->n_others, isnan(largest.ns) ? why.text : NULL);
    return status || isnan(largest.ns) ? status : clock_estimate(s, counter, "skew", "bound", largest.bound_ns, 1, NULL);
}

/* ---- all ---- */

enum tare_status clock_measure_clocks(struct clock_session *s, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int way = 0; way < clock_ways() && !status; way++)
        status = plat_signal() ? TARE_INTERRUPTED : measure_way(s, way);
    if (!status)
        status = measure_orders(s);
    if (!status)
        status = measure_skew(s);
    clock_rates_begin(&s->rates);
    if (status == TARE_INTERRUPTED)
        return err_set(err, status, "interrupted while the clocks were measured");
    return status ? err_set(err, status, "no memory for the clocks") : TARE_OK;
}

enum tare_status clock_measure_rates(struct clock_session *s, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    clock_rates_end(&s->rates);
    for (int way = 0; way < clock_ways() && !status; way++)
        if (!isnan(s->rates.ppm[way]) || (s->rates.reason[way] && *s->rates.reason[way]))
            status = clock_estimate(s, s->ways[way], "rate", "session", s->rates.ppm[way], 1, s->rates.reason[way]);
    return status ? err_set(err, status, "no memory for the clocks") : TARE_OK;
}
