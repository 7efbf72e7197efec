/* SPDX-License-Identifier: MIT */
#include "timers.h"
#include "plat.h"
#include "plat_clock.h"

enum { ROUNDS = 3, LONGEST_MS = 20, SLICES_MAX = 256 };

static const int64_t contest_ns = 200000000, millisecond_ns = 1000000;

/* One figure without interval; reason: why it is not known, else NULL. */
static enum tare_status add_figure(struct timers *t, int subject, const char *metric, const char *statistic, const char *method,
                                   double ns, const char *reason)
{
    const struct estimate e = {.subject = subject,
                               .metric = metric,
                               .statistic = statistic,
                               .method = method,
                               .point = reason ? NAN : ns,
                               .low = -INFINITY,
                               .high = INFINITY,
                               .n_effective = NAN,
                               .reason = reason};
    return record_add_estimate(t->record, &e) < 0 ? TARE_NO_MEMORY : TARE_OK;
}

static bool add_told(struct timers *t, int subject, const char *metric, int64_t ns)
{
    return !add_figure(t, subject, metric, "told", "the kernel's word", (double)ns, ns < 0 ? "the kernel does not tell" : NULL);
}

/* The coarse clock moves on with the tick. */
static int64_t tick_ns(void)
{
    int64_t ns = plat_clock_step_ns(PLAT_CLOCK_COARSE);
    return ns > 0 ? ns : -1;
}

/* The timer by whose interrupts sleeps end, where there is one. */

static enum tare_status add_period(struct timers *t, int subject, const char *statistic, int64_t ns, const char *reason)
{
    return add_figure(t, subject, "period", statistic, "the system's word", (double)ns, reason);
}

static enum tare_status describe_period(struct timers *t, const char *const *columns, int n_columns)
{
    const struct subject finest = {.kind = SUBJECT_TIMER, .name = TIMERS_PERIOD, .command = TIMERS_PERIOD};
    struct plat_timer_period p = {0};
    struct tare_err why = {{0}};
    enum tare_status told = plat_timer_period(&p, &why);
    const char *reason = told ? why.text : NULL;
    t->period = -1;
    if (told == TARE_NOT_FOUND)
        return TARE_OK;
    t->period = record_add_subject(t->record, &finest, columns, n_columns);
    const struct {
        const char *statistic;
        int64_t ns;
    } figures[] = {
        {"now", p.now_ns}, {"finest", p.finest_ns}, {"coarsest", p.coarsest_ns}, {"day", p.day_ns}, {"day slew", p.day_slew_ns}};
    enum tare_status status = t->period < 0 ? TARE_NO_MEMORY : TARE_OK;
    for (size_t i = 0; i < sizeof figures / sizeof *figures && !status; i++)
        status = add_period(t, t->period, figures[i].statistic, figures[i].ns, reason);
    return status;
}

enum tare_status timers_describe(struct timers *t, struct tare_err *err)
{
    static const char *const sleep_columns[] = {"asked", "wall", "late"}, *const slice_columns[] = {"slice"};
    const struct subject sleeps = {.kind = SUBJECT_TIMER, .name = TIMERS_SLEEPS, .command = TIMERS_SLEEPS};
    const struct subject scheduler = {.kind = SUBJECT_TIMER, .name = TIMERS_SCHEDULER, .command = TIMERS_SCHEDULER};
    t->sleeps = record_add_subject(t->record, &sleeps, sleep_columns, 3);
    t->scheduler = record_add_subject(t->record, &scheduler, slice_columns, 1);
    bool good = t->sleeps >= 0 && t->scheduler >= 0 && !describe_period(t, sleep_columns, 3) &&
                add_told(t, t->sleeps, "slack", plat_timer_slack_ns()) && add_told(t, t->scheduler, "tick", tick_ns()) &&
                add_told(t, t->scheduler, "slice", plat_slice_told_ns());
    return good ? TARE_OK : err_no_memory(err);
}

static enum tare_status add_row(struct timers *t, int series, int64_t start_ns, const double *values)
{
    const struct row row = {.round = t->record->series[series].main.n, .start_ns = start_ns - t->start_ns, .values = values};
    enum tare_status status = record_append_row(t->record, series, &row);
    if (!status && t->after_row)
        t->after_row(t->context, series);
    return status;
}

static enum tare_status one_sleep(struct timers *t, int subject, int64_t asked_ns)
{
    int64_t start = plat_now_ns();
    plat_nap_ns(asked_ns);
    int64_t end = plat_now_ns();
    if (plat_signal()) /* it may have ended early */
        return TARE_INTERRUPTED;
    return add_row(t, subject, start,
                   (const double[]){(double)asked_ns, (double)(end - start), (double)(end - start - asked_ns)});
}

static enum tare_status measure_sleeps(struct timers *t, int subject)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < ROUNDS * LONGEST_MS && !status; i++)
        status = one_sleep(t, subject, (i % LONGEST_MS + 1) * millisecond_ns);
    return status;
}

/* What the system then has as its period is told too: a wish is not a command. */
static enum tare_status measure_finest(struct timers *t)
{
    struct plat_timer_period p;
    struct tare_err why = {{0}};
    enum tare_status refused = plat_timer_period(&p, &why);
    if (refused) /* said already */
        return TARE_OK;
    refused = plat_timer_wish(p.finest_ns, &why);
    refused = refused ? refused : plat_timer_period(&p, &why);
    enum tare_status status = add_period(t, t->period, "requested", p.now_ns, refused ? why.text : NULL);
    if (!status && !refused)
        status = measure_sleeps(t, t->period);
    plat_timer_wish(0, NULL);
    return status;
}

enum tare_status timers_measure_sleeps(struct timers *t, struct tare_err *err)
{
    enum tare_status status = measure_sleeps(t, t->sleeps);
    if (!status && t->period >= 0)
        status = measure_finest(t);
    if (status == TARE_INTERRUPTED)
        return err_set(err, status, "interrupted while the sleeps were measured");
    return status ? err_no_memory(err) : TARE_OK;
}

static enum tare_status not_measured(struct timers *t, const char *reason, struct tare_err *err)
{
    return add_figure(t, t->scheduler, "slice", "median", "as observed", NAN, reason) ? err_no_memory(err) : TARE_OK;
}

enum tare_status timers_measure_slices(struct timers *t, struct tare_err *err)
{
    double slices[SLICES_MAX];
    struct tare_err why;
    int n;
    int64_t start = plat_now_ns();
    enum tare_status status = plat_slices_measure(t->cpu, contest_ns, slices, SLICES_MAX, &n, &why);
    if (plat_signal())
        return err_set(err, TARE_INTERRUPTED, "interrupted while the scheduler's slices were measured");
    if (status)
        return not_measured(t, why.text, err);
    if (!n)
        return not_measured(t, "neither of two threads on one CPU gave way to the other within 0.2 s", err);
    for (int i = 0; i < n && !status; i++)
        status = add_row(t, t->scheduler, start, &slices[i]);
    return status ? err_no_memory(err) : TARE_OK;
}
