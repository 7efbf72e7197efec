/* SPDX-License-Identifier: MIT
 *
 * The calls of tare/measure.h. The same code runs on both sides: the parent, which counts processes and decides, and the process that was
 * started again for one call, which measures in it, answers and ends.
 *
 * The t interval of few values assumes that means of them are near normal. Smallest n: 2. Constant data: width 0.
 */
#include "buf.h"
#include "plat_process.h"
#include "probe.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <tare/measure.h>
#include <tare/stats.h>

enum { DIGITS = 4 };

static const char *base_of(enum tare_measured_kind kind)
{
    return kind == TARE_MEASURED_MEMORY ? "bytes" : "ns";
}

static void add_interval(struct buf *b, const struct tare_measured *m)
{
    const struct unit u = unit_for(base_of(m->kind), m->mean);
    const int decimals = figure_digits(m->mean / u.factor, DIGITS);
    buf_str(b, "between ");
    figure_put(b, m->low / u.factor, decimals);
    buf_str(b, " and ");
    figure_with(b, m->high, u, decimals);
    buf_format(b, " with %s confidence; mean ", figure_text(figure_level, m->confidence).at);
    figure_with(b, m->mean, u, decimals);
    buf_str(b, ", standard deviation ");
    figure_with(b, m->stddev, u, decimals);
    buf_format(b, ", width %s; n = %d, %s", figure_text(figure_share, m->width).at, m->n,
               m->stopped_early ? "stopped early" : "reached ");
    if (!m->stopped_early)
        buf_format(b, "%d", m->runs);
    if (m->unsteady)
        buf_format(b, "; %d of %d processes did not become steady", m->unsteady, m->n);
}

const char *tare_measured_text(const struct tare_measured *m, char *text, size_t size)
{
    if (!size)
        return "";
    struct buf b = buf_over(text, size);
    if (m->n > 1)
        add_interval(&b, m);
    else if (m->n == 1)
        figure_scaled(&b, base_of(m->kind), m->mean, DIGITS);
    buf_str(&b, m->n == 0 ? "not measured" : m->n == 1 ? ", once" : "");
    return text;
}

#define CALL_VARIABLE "TARE_CALL"

/* Calls made so far, and the one that this process was started for: a process has one main, as it has one clock. */
static int calls, wanted;
static int answer_fd = -1;

struct answer {
    uint64_t magic;
    double value;
    double steady; /* 1, or 0 */
};
static const uint64_t ANSWER = 0x7461726531303031u;

/* "NUMBER DESCRIPTOR", taken out of the environment so that what this process starts is not taken for one of ours. */
static void look_who_asks(void)
{
    char asked[64], *end;
    if (calls || !plat_process_take_variable(CALL_VARIABLE, asked, sizeof asked))
        return;
    wanted = (int)strtol(asked, &end, 10);
    answer_fd = (int)strtol(end, NULL, 10);
}

static double time_once(const struct probe_session *s, void (*fn)(void *context), void *context)
{
    uint64_t begin = s->read().count;
    fn(context); /* nothing else between the two reads */
    uint64_t end = s->read().count;
    return ((double)(int64_t)(end - begin) - s->pair_ticks) / s->hz * 1e9;
}

static enum tare_status open_clock(struct probe_session *s, struct tare_err *err)
{
    struct wire_request q = wire_request_default(-1);
    return probe_session_open(s, &q, err);
}

static void call_hook(void (*hook)(void *context), void *context)
{
    if (hook)
        hook(context);
}

struct task {
    enum tare_measured_kind kind;
    void (*fn)(void *context);
    void *context;
    const struct tare_measure *how;
};

/* The published rule: from the k-th time on, the last k must be alike. */
static struct answer measure_steady(const struct task *t, const struct probe_session *s)
{
    const struct tare_measure *how = t->how;
    double *ns = malloc((size_t)how->max_inner * sizeof *ns);
    struct answer a = {0};
    for (int i = 0; ns && i < how->max_inner; i++) {
        call_hook(i ? how->between : NULL, t->context);
        call_hook(how->before, t->context);
        ns[i] = time_once(s, t->fn, t->context);
        if (i + 1 < how->k)
            continue;
        const double *last = ns + i + 1 - how->k;
        a = (struct answer){ANSWER, tare_mean(last, how->k), tare_stddev(last, how->k) < how->cov * tare_mean(last, how->k)};
        if (a.steady > 0)
            break;
    }
    free(ns);
    return a;
}

static struct answer measure_here(const struct task *t)
{
    struct probe_session s;
    struct plat_process_memory memory;
    if (t->kind == TARE_MEASURED_MEMORY) {
        call_hook(t->how->before, t->context);
        t->fn(t->context);
        plat_process_memory(&memory);
        return (struct answer){memory.peak_bytes < 0 ? 0 : ANSWER, (double)memory.peak_bytes, 1};
    }
    if (open_clock(&s, NULL))
        return (struct answer){0};
    if (t->kind == TARE_MEASURED_STEADY)
        return measure_steady(t, &s);
    call_hook(t->how->before, t->context);
    return (struct answer){ANSWER, time_once(&s, t->fn, t->context), 1};
}

static void answer_and_end(const struct task *t)
{
    struct answer a = measure_here(t);
    enum tare_status status = plat_process_write(answer_fd, &a, sizeof a, NULL);
    plat_process_end(status ? 1 : 0);
}

static enum tare_status value_of_process(const struct task *t, int number, double *value, bool *steady, struct tare_err *err)
{
    char call[24];
    buf_print(call, sizeof call, "%d", number);
    struct answer a = {0};
    size_t n = 0;
    enum tare_status status = plat_process_again(CALL_VARIABLE, call, (int64_t)(t->how->timeout * 1e9), &a, sizeof a, &n, err);
    if (status)
        return status;
    if (n != sizeof a)
        return err_set(err, TARE_CHILD, "the program, started again, ended before it came to call %d of tare/measure.h", number);
    if (a.magic != ANSWER)
        return err_set(err, TARE_UNSUPPORTED, "the program, started again, could not measure here");
    *value = a.value;
    *steady = a.steady > 0;
    return TARE_OK;
}

static void describe_values(struct tare_measured *m, const double *values, int n, double level)
{
    struct tare_interval t;
    m->n = n;
    m->mean = tare_mean(values, n);
    m->stddev = tare_stddev(values, n);
    tare_mean_ci_student(values, n, level, &t);
    m->low = isfinite(t.low) ? t.low : NAN;
    m->high = isfinite(t.high) ? t.high : NAN;
    m->width = (m->high - m->low) / fabs(m->mean); /* less the overhead a mean may be negative */
}

/* At how many values the interval is looked at, and at which level. */
struct looks {
    int n_at[32], n;
    double level;
};

static enum tare_status plan_looks(const struct tare_measure *how, struct looks *l)
{
    enum { FIRST = 10, LOOKS_MAX = 32 };
    int at = how->min_runs > FIRST ? how->min_runs : FIRST;
    l->n = 0;
    while (at < how->runs && how->precision > 0 && l->n < LOOKS_MAX - 1) {
        l->n_at[l->n++] = at;
        at = (at * 3 + 1) / 2;
    }
    l->n_at[l->n++] = how->runs;
    return tare_looks_level(l->n_at, l->n, 1 - how->confidence, &l->level);
}

static bool is_look(const struct tare_measure *how, const struct looks *l, int n)
{
    if (how->method == TARE_METHOD_GEORGES)
        return n >= how->min_runs;
    for (int i = 0; i < l->n; i++)
        if (l->n_at[i] == n)
            return true;
    return false;
}

static void report_process(const struct task *t, int n, double value, bool steady, const struct tare_measured *m, bool look)
{
    char line[256];
    struct buf b = buf_over(line, sizeof line);
    buf_format(&b, "process %d of at most %d: ", n, t->how->runs);
    figure_scaled(&b, base_of(t->kind), value, DIGITS);
    if (t->kind == TARE_MEASURED_STEADY)
        buf_str(&b, steady ? ", steady" : ", not steady");
    if (look && n > 1)
        buf_format(&b, "; the interval is %s of the mean wide", figure_text(figure_share, m->width).at);
    if (t->how->verbose)
        t->how->verbose(t->how->verbose_context, buf_text(&b));
}

static enum tare_status count_processes(const struct task *t, double *values, struct tare_measured *m, struct tare_err *err)
{
    const struct tare_measure *how = t->how;
    struct looks looks;
    enum tare_status status = plan_looks(how, &looks);
    const double level = how->method == TARE_METHOD_GEORGES ? 1 - how->confidence : looks.level;
    const int number = calls;
    for (int n = 1; !status && n <= how->runs; n++) {
        bool steady = true;
        status = value_of_process(t, number, &values[n - 1], &steady, err);
        if (status)
            break;
        bool look = is_look(how, &looks, n);
        m->unsteady += !steady;
        describe_values(m, values, n, level);
        report_process(t, n, values[n - 1], steady, m, look);
        m->stopped_early = look && n < how->runs && m->width < how->precision;
        if (m->stopped_early)
            break;
    }
    return status;
}

static enum tare_status check_options(const struct tare_measure *how, struct tare_err *err)
{
    if (how->version != 1)
        return err_set(err, TARE_INVALID, "struct tare_measure has version 1, not %d: begin with TARE_MEASURE_DEFAULT",
                       how->version);
    if (how->runs < 2 || how->runs > 10000 || how->min_runs < 2 || how->min_runs > how->runs)
        return err_set(err, TARE_INVALID, "runs are 2 to 10000 and min_runs 2 to runs, not %d and %d", how->runs, how->min_runs);
    if (how->method != TARE_METHOD_TARE && how->method != TARE_METHOD_GEORGES)
        return err_set(err, TARE_INVALID, "there is no method %d", (int)how->method);
    if (!(how->confidence > 0 && how->confidence < 1 && 1 - how->confidence < 1) || !(how->precision >= 0) || !(how->cov > 0))
        return err_set(err, TARE_INVALID,
                       "confidence is in (0, 1), precision is not negative, cov is positive; not %g, %g and %g", how->confidence,
                       how->precision, how->cov);
    if (how->k < 2 || how->k > 1000 || how->max_inner < how->k || how->max_inner > 100000 ||
        !(how->timeout > 0 && how->timeout < 1e9))
        return err_set(err, TARE_INVALID, "k is 2 to 1000, max_inner k to 100000, timeout positive; not %d, %d and %g", how->k,
                       how->max_inner, how->timeout);
    return TARE_OK;
}

static enum tare_status measure_once(const struct task *t, struct tare_measured *out, struct tare_err *err)
{
    struct probe_session s;
    enum tare_status status = open_clock(&s, err);
    if (status)
        return status;
    call_hook(t->how->before, t->context);
    out->mean = time_once(&s, t->fn, t->context);
    out->n = 1;
    return TARE_OK;
}

static enum tare_status measure_kind(enum tare_measured_kind kind, void (*fn)(void *context), void *context,
                                     const struct tare_measure *how, struct tare_measured *out, struct tare_err *err)
{
    const struct tare_measure standard = TARE_MEASURE_DEFAULT;
    const struct task t = {kind, fn, context, how ? how : &standard};
    look_who_asks();
    calls++;
    enum tare_status status = check_options(t.how, err);
    *out = (struct tare_measured){.kind = t.kind,
                                  .method = t.how->method,
                                  .low = NAN,
                                  .high = NAN,
                                  .mean = NAN,
                                  .stddev = NAN,
                                  .width = NAN,
                                  .confidence = t.how->confidence,
                                  .runs = t.kind == TARE_MEASURED_ONCE ? 1 : t.how->runs};
    if (status)
        return status;
    if (wanted == calls && kind != TARE_MEASURED_ONCE)
        answer_and_end(&t);
    if (wanted)
        return TARE_OK; /* one of those on the way */
    if (kind == TARE_MEASURED_ONCE)
        return measure_once(&t, out, err);
    double *values = malloc((size_t)t.how->runs * sizeof *values);
    status =
        values ? count_processes(&t, values, out, err) : err_set(err, TARE_NO_MEMORY, "no memory for %d values", t.how->runs);
    free(values);
    return status;
}

enum tare_status tare_startup(void (*fn)(void *context), void *context, const struct tare_measure *how, struct tare_measured *out,
                              struct tare_err *err)
{
    return measure_kind(TARE_MEASURED_STARTUP, fn, context, how, out, err);
}

enum tare_status tare_steady(void (*fn)(void *context), void *context, const struct tare_measure *how, struct tare_measured *out,
                             struct tare_err *err)
{
    return measure_kind(TARE_MEASURED_STEADY, fn, context, how, out, err);
}

enum tare_status tare_memory(void (*fn)(void *context), void *context, const struct tare_measure *how, struct tare_measured *out,
                             struct tare_err *err)
{
    return measure_kind(TARE_MEASURED_MEMORY, fn, context, how, out, err);
}

enum tare_status tare_once(void (*fn)(void *context), void *context, const struct tare_measure *how, struct tare_measured *out,
                           struct tare_err *err)
{
    return measure_kind(TARE_MEASURED_ONCE, fn, context, how, out, err);
}
