/* SPDX-License-Identifier: MIT
 * What the rows of a record amount to: rounds that are complete and shared, runs without a value, outputs that differ, what was observed of two
 * subjects. */
#include "buf.h"
#include "record.h"
#include <limits.h>
#include <math.h>
#include <string.h>

const char *null_column(const char *metric, char room[NULL_COLUMN_BYTES])
{
    struct buf b = buf_over(room, NULL_COLUMN_BYTES);
    buf_format(&b, "%s:null", metric);
    return room;
}

const char *step_column(const char *metric, char room[NULL_COLUMN_BYTES])
{
    struct buf b = buf_over(room, NULL_COLUMN_BYTES);
    buf_format(&b, "%s:step", metric);
    return room;
}

bool is_step_column(const char *id)
{
    const char *end = strrchr(id, ':');
    return end && !strcmp(end, ":step");
}

bool metric_is_cpu_time(const char *metric)
{
    return !strcmp(metric, "cpu") || !strcmp(metric, "user") || !strcmp(metric, "sys");
}

bool series_has_own_clock(const struct series *s, int row)
{
    const double *steps = series_values(s, "clock_step");
    return steps && isnan(steps[row]);
}

/* Ticks of a program's own clock: what all samples are multiples of. 0: it is not its own, or was printed; all samples are alike, or have
 * fractions. */
static double own_step(const struct series *s)
{
    const bool own = s->main.n && series_has_own_clock(s, 0) && !series_values(s, "ns:step");
    const double *ticks = own ? series_samples(s, "ticks") : NULL;
    double step = 0, least = INFINITY, most = 0;
    for (int i = 0; ticks && i < s->samples.n; i++) {
        double rest = fabs(ticks[i]);
        if (s->samples.flags[i] & ROW_WARMUP || !isfinite(rest))
            continue;
        least = fmin(least, rest);
        most = fmax(most, rest);
        while (rest > 0) {
            const double next = step > 0 ? fmod(step, rest) : 0;
            step = rest;
            rest = next;
        }
    }
    return least < most && step >= 1 ? step : 0;
}

double series_reading_step(const struct series *s, const char *metric)
{
    const double *cpu = metric_is_cpu_time(metric) ? series_values(s, CPU_STEP_COLUMN) : NULL;
    if (cpu)
        return s->main.n ? cpu[0] : NAN;
    const bool time = !strcmp(metric, "ns");
    const double *ticks = time ? series_values(s, "clock_step") : NULL, *hz = time ? series_values(s, "clock_hz") : NULL,
                 *iterations = ticks && hz ? series_samples(s, "iterations") : NULL;
    const double own = iterations ? own_step(s) : 0;
    double largest = NAN;
    for (int i = 0, k = 0; iterations && i < s->main.n; i++) {
        int counted = 0;
        double each = NAN;
        for (; k < s->samples.n && s->samples.round[k] <= s->main.round[i]; k++) {
            if (iterations[k] != 1 && !own)
                return NAN;
            const bool counts = s->samples.round[k] == s->main.round[i] && !(s->samples.flags[k] & ROW_WARMUP);
            counted += counts;
            each = counts ? iterations[k] : each;
        }
        if (counted)
            largest = fmax(largest, (counted == 1 ? 2 : 1) * (own ? own : ticks[i]) / each / hz[i] * 1e9);
    }
    return largest;
}

double series_step(const struct series *s, const char *metric)
{
    char room[NULL_COLUMN_BYTES];
    const double *steps = series_values(s, step_column(metric, room));
    double largest = steps ? NAN : series_reading_step(s, metric);
    for (int i = 0; steps && i < s->main.n; i++)
        largest = fmax(largest, steps[i]);
    return largest;
}

bool values_tell(const double *x, int n)
{
    enum { DIFFERENT = 6 };
    double seen[DIFFERENT];
    int found = 0;
    for (int i = 0; x && i < n && found < DIFFERENT; i++) {
        int k = 0;
        while (k < found && seen[k] != x[i])
            k++;
        if (k == found && !isnan(x[i]))
            seen[found++] = x[i];
    }
    return found == DIFFERENT;
}

static const double *reasons_of(const struct series *s, const char *metric)
{
    char room[NULL_COLUMN_BYTES];
    return series_values(s, null_column(metric, room));
}

bool series_has_nulls(const struct series *s, const char *metric)
{
    return reasons_of(s, metric) != NULL;
}

int record_asked(const struct series *s, const char *metric, int n)
{
    const double *codes = reasons_of(s, metric);
    int asked = 0;
    for (int i = 0; i < n; i++)
        asked += !codes || codes[i] != NULL_NOT_ASKED;
    return asked;
}

enum { REASONS_MAX = 32 };

int record_nulls(const struct series *s, const char *metric, int n, const char **why)
{
    const double *values = series_values(s, metric), *codes = reasons_of(s, metric);
    int nulls = 0, of_code[REASONS_MAX] = {0}, most = 0;
    for (int i = 0; values && i < n; i++) {
        if (!isnan(values[i]) || (codes && codes[i] == NULL_NOT_ASKED))
            continue;
        nulls++;
        int code = codes && codes[i] > 0 && codes[i] < REASONS_MAX ? (int)codes[i] : 0;
        if (++of_code[code] > of_code[most])
            most = code;
    }
    if (why)
        *why = null_reason_text(most);
    return nulls;
}

bool record_outputs_differ(const struct series *s, int n, int *one, int *other)
{
    const double *hash = series_values(s, OUTPUT_COLUMN);
    *one = 0;
    for (*other = 0; hash && *other < n; ++*other)
        if (!(hash[*other] == hash[0]))
            return true;
    return false;
}

static int first_of_other_program(const struct rows *rows)
{
    for (int i = 0; i < rows->n; i++)
        if (rows->flags[i] & ROW_OTHER_PROGRAM)
            return rows->round[i] + 1;
    return 0;
}

int rows_failed(const struct rows *rows, int n)
{
    int failed = 0;
    for (int i = 0; i < n; i++)
        failed += (rows->flags[i] & (ROW_FAILED | ROW_TIMED_OUT)) != 0;
    return failed;
}

bool record_other_program(const struct series *s, struct buf *text)
{
    const int warmup = first_of_other_program(&s->warmup), run = warmup ? warmup : first_of_other_program(&s->main);
    if (run)
        buf_format(text, "was replaced or changed before %s %d", warmup ? "warm-up run" : "run", run);
    return run > 0;
}

/* It is the run that was started last. */
int record_series_that_failed(const struct record *r)
{
    int latest = -1;
    int64_t latest_ns = INT64_MIN;
    for (int i = 0; r->ended && !strcmp(r->ended, "failed") && i < r->n_subjects; i++) {
        const struct rows *rows = &r->series[i].main;
        if (!rows->n || rows->start_ns[rows->n - 1] < latest_ns)
            continue;
        latest_ns = rows->start_ns[rows->n - 1];
        latest = rows->flags[rows->n - 1] & ROW_FAILED ? i : -1;
    }
    return latest;
}

bool record_failed_unseen(const struct record *r)
{
    return r->ended && !strcmp(r->ended, "failed") && record_series_that_failed(r) < 0;
}

int record_first_copy(const struct record *r, int subject)
{
    const struct subject *s = &r->subjects[subject];
    if (!r->rule.against_itself || !subject_measured(s))
        return subject;
    for (int i = 0; s->kind == SUBJECT_BENCH && i < subject; i++)
        if (r->subjects[i].kind == SUBJECT_BENCH && !strcmp(r->subjects[i].benchmark, s->benchmark) &&
            !strcmp(r->subjects[i].program, s->program))
            return i;
    return s->kind == SUBJECT_BENCH ? subject : 0; /* commands: there is one */
}

bool record_shares_rounds(const struct record *r, int one, int other)
{
    bool commands = subject_measured(&r->subjects[one]) && subject_measured(&r->subjects[other]) && !r->subjects[one].failure &&
                    !r->subjects[other].failure; /* a benchmark that was given up has fewer rows */
    return one == other || (commands && r->rule.interleaved && (!r->rule.against_itself || one / 2 == other / 2));
}

bool subject_left(const struct record *r, int subject)
{
    return r->series[subject].look.number && r->rule.interleaved && !r->rule.against_itself;
}

int record_rounds(const struct record *r, const int *subjects, int n_subjects)
{
    int fewest = INT_MAX, most = 0, failed = record_series_that_failed(r);
    for (int i = 0; i < n_subjects; i++) {
        int n = r->series[subjects[i]].main.n - (subjects[i] == failed);
        if (subject_left(r, subjects[i]))
            most = n > most ? n : most;
        else
            fewest = n < fewest ? n : fewest;
    }
    return fewest < INT_MAX ? fewest : most;
}

struct observed comparison_observed(const struct record *r, const struct comparison *c)
{
    const struct series *a = &r->series[c->reference], *b = &r->series[c->subject];
    const double *x = series_values(a, c->metric), *y = series_values(b, c->metric);
    struct observed o = {INFINITY, -INFINITY, 0};
    const bool of_some = record_is_over_sessions(r) && isnan(c->shift); /* which say nothing of all */
    if (!x || !y || c->reference_rounds || !r->rule.interleaved || of_some)
        return o;
    for (int i = 0, k = 0; i < a->main.n && k < b->main.n;) {
        const int one = a->main.round[i], other = b->main.round[k];
        const double value = c->kind == METRIC_COUNT ? y[k] - x[i] : y[k] / x[i];
        if (one == other && isfinite(value)) {
            o.low = fmin(o.low, value);
            o.high = fmax(o.high, value);
            o.n++;
        }
        i += one <= other;
        k += other <= one;
    }
    return o;
}
