/* SPDX-License-Identifier: MIT */
#include "leak_csv.h"
#include "decimal_read.h"
#include "leak_engine.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

/* The step of a clock, from times that it measured: the period of the lattice that they lie on.
 *
 * The most common values that have 95 % of the calls together are kept (two at least), so that a few values off the lattice do not matter. Where all of these lie within two units, or 10^-4 of
 * themselves, rounding or a frequency that varies may have made them of one reading: the step is then the time itself, which refuses any bound. Else, of these:
 *   1. The greatest common divisor of their distances from the least, in units of the last decimal place (Euclid), where it is more than one unit:
 *      clocks of 10, 100, 1000 ns, with any constant offset.
 *   2. Else a lattice whose points were rounded, as 41.666 ns are in whole ns: values a unit apart, or 10^-5 of themselves (six digits), are one point;
 *      the shortest distance between points, six units at least, is a first period; distances from short to long, each a whole number of periods,
 *      refine it. It holds where each distance is off by 1.25 units at most, and with two points alone where they are multiples of it too. What is
 *      returned is a unit more, for the rounding.
 *   3. Else, where a value has five calls and more on average, the distance to the next value that 90 % of the calls do not exceed, up to five units,
 *      and one more: a rounded lattice of a few units. Else the unit.
 * Where several answers fit, the larger one is taken: it refuses a bound that a smaller one would give. Two values alone that are further apart are a step apart.
 *
 * Assumes that the times are readings of one clock. Not found: a step of which each time has a share (means of several readings), or whose length
 * was changed for each time by itself; a rounded one between 1 and 2 units; and one of whole
 * units is taken for exact, so that 7.027 ns may be called 7. NaN: not allowed. n of 0 or 1, or all alike: NaN. Ties: what it lives on.
 */

static const double KEPT = .95, DIGITS = 1e-5, NEAR = 1.25, ONE_POINT = 1e-4;
enum { LEAST_UNITS = 6, TYPICAL_CALLS = 5 };

static ptrdiff_t count_values(double *times, ptrdiff_t n, struct leak_step_value *out)
{
    ptrdiff_t kinds = 0;
    tare_sort(times, n);
    for (ptrdiff_t i = 0; i < n; i++) {
        if (!kinds || times[i] != out[kinds - 1].at)
            out[kinds++] = (struct leak_step_value){times[i], 0};
        out[kinds - 1].calls++;
    }
    return kinds;
}

static int by_calls(const void *a, const void *b)
{
    int64_t x = ((const struct leak_step_value *)a)->calls, y = ((const struct leak_step_value *)b)->calls;
    return (x < y) - (x > y);
}

static int by_value(const void *a, const void *b)
{
    double x = ((const struct leak_step_value *)a)->at, y = ((const struct leak_step_value *)b)->at;
    return (x > y) - (x < y);
}

/* Those with as many calls as the least common of them go or stay together. */
static ptrdiff_t keep_common(struct leak_step_value *v, ptrdiff_t kinds, ptrdiff_t n)
{
    int64_t calls = 0;
    ptrdiff_t kept = 0;
    qsort(v, (size_t)kinds, sizeof *v, by_calls);
    while (kept < kinds && (kept < 2 || (double)calls < KEPT * (double)n || v[kept].calls == v[kept - 1].calls))
        calls += v[kept++].calls;
    qsort(v, (size_t)kept, sizeof *v, by_value);
    return kept;
}

static double divisor_of(const struct leak_step_value *v, ptrdiff_t n, double unit)
{
    double all = 0;
    for (ptrdiff_t i = 1; i < n && all != 1; i++)
        for (double rest = rint((v[i].at - v[0].at) / unit); rest > 0;) { /* Euclid, of whole numbers below 2^53 */
            double next = fmod(all, rest);
            all = rest;
            rest = next;
        }
    return all;
}

/* Neighbours that rounding makes of one point become one, in place. Their number, 0: one is too wide for a point. */
static ptrdiff_t make_points(struct leak_step_value *v, ptrdiff_t n, double unit)
{
    ptrdiff_t points = 0;
    for (ptrdiff_t i = 0; i < n;) {
        double first = v[i].at, last = first, sum = 0, near = fmax(1.01 * unit, DIGITS * first);
        int64_t calls = 0;
        for (; i < n && v[i].at - last <= near; i++) {
            last = v[i].at;
            sum += (last - first) * (double)v[i].calls;
            calls += v[i].calls;
        }
        if (last - first > 2 * near)
            return 0;
        v[points++] = (struct leak_step_value){first + sum / (double)calls, calls};
    }
    return points;
}

static bool distance_fits(double distance, double step, double near)
{
    return fabs(distance - rint(distance / step) * step) <= NEAR * near;
}

/* 0: none. distance: scratch, for those of neighbours. */
static double rounded_lattice(const struct leak_step_value *v, ptrdiff_t n, double unit, double *distance)
{
    double near = fmax(unit, DIGITS * v[n - 1].at);
    for (ptrdiff_t i = 1; i < n; i++)
        distance[i - 1] = v[i].at - v[i - 1].at;
    tare_sort(distance, n - 1);
    if (distance[0] < LEAST_UNITS * near)
        return 0;
    double step = distance[0], sum = 0, periods = 0;
    for (ptrdiff_t i = 0; i < n - 1; i++) {
        sum += distance[i];
        periods += rint(distance[i] / step);
        step = sum / periods;
    }
    bool good = n > 2 || distance_fits(v[0].at, step, near);
    for (ptrdiff_t i = 0; i < n - 1; i++)
        good = good && distance_fits(distance[i], step, near);
    return good ? step + near : 0;
}

static double typical_distance(const struct leak_step_value *v, ptrdiff_t n, double unit)
{
    double most = 0, all = 0, within[LEAST_UNITS] = {0}; /* calls whose next value is so many units away */
    for (ptrdiff_t i = 0; i < n; i++)
        all += (double)v[i].calls;
    if (all < TYPICAL_CALLS * (double)n)
        return unit;
    for (ptrdiff_t i = 0; i + 1 < n; i++) {
        double units = rint((v[i + 1].at - v[i].at) / unit);
        most += (double)v[i].calls;
        if (units < LEAST_UNITS)
            within[(int)units] += (double)v[i].calls;
    }
    double sum = within[0] + within[1];
    if (sum >= .9 * most)
        return unit;
    for (int units = 2; units < LEAST_UNITS; units++)
        if ((sum += within[units]) >= .9 * most)
            return (units + 1) * unit;
    return unit;
}

double leak_step_of(double *times, ptrdiff_t n, double unit, struct leak_step_value *scratch)
{
    ptrdiff_t kinds = count_values(times, n, scratch);
    if (kinds < 2)
        return NAN;
    ptrdiff_t kept = keep_common(scratch, kinds, n);
    const double span = scratch[kept - 1].at - scratch[0].at, least = fabs(scratch[0].at);
    if (least > 0 && span <= fmax(2 * unit, ONE_POINT * least))
        return least;
    unit = fmax(unit, ldexp(span, -50)); /* below it there is no whole number of units */
    double divisor = divisor_of(scratch, kept, unit);
    if (divisor > 1)
        return divisor * unit;
    double few = typical_distance(scratch, kept, unit);
    ptrdiff_t points = make_points(scratch, kept, unit);
    double step = points > 1 ? rounded_lattice(scratch, points, unit, times) : 0; /* its values are in scratch */
    return step > 0 ? step : few;
}

enum { LABEL_MAX = 200, FIELDS_MAX = 3, FIRST_BLOCKS = 2000, MOST_BLOCKS = 200000 };

struct field {
    const char *at;
    size_t n;
};

struct scan {
    const char *text;
    size_t n, at;
    int64_t line;
    char separator, newline;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\r' || c == '\t';
}

static struct field trimmed_field(const char *at, size_t n)
{
    while (n && is_blank(*at)) {
        at++;
        n--;
    }
    while (n && is_blank(at[n - 1]))
        n--;
    return (struct field){at, n};
}

static struct field take_field(const char **at, const char *end, char separator)
{
    const char *begin = *at;
    if (begin < end && *begin == '"') {
        const char *close = memchr(begin + 1, '"', (size_t)(end - begin - 1));
        while (close && end - close > 1 && close[1] == '"') /* a quotation mark within; it stays double */
            close = memchr(close + 2, '"', (size_t)(end - close - 2));
        const char *next = close ? memchr(close, separator, (size_t)(end - close)) : NULL;
        /* With more behind it the field is what stands there: cut, two labels might become one. */
        if (close && !trimmed_field(close + 1, (size_t)((next ? next : end) - close - 1)).n) {
            *at = next ? next + 1 : NULL;
            return (struct field){begin + 1, (size_t)(close - begin - 1)};
        }
    }
    const char *next = memchr(begin, separator, (size_t)(end - begin));
    *at = next ? next + 1 : NULL;
    return trimmed_field(begin, (size_t)((next ? next : end) - begin));
}

/* The fields of the next line that is not empty; how many there were, FIELDS_MAX + 1 for more than fit, 0: the end. */
static int next_fields(struct scan *s, struct field out[FIELDS_MAX])
{
    while (s->at < s->n) {
        const char *begin = s->text + s->at, *newline = memchr(begin, s->newline, s->n - s->at);
        const char *end = newline ? newline : s->text + s->n, *at = begin;
        s->at = (size_t)(end - s->text) + (newline != NULL);
        s->line++;
        if (!trimmed_field(begin, (size_t)(end - begin)).n)
            continue;
        if (!s->separator)
            s->separator = memchr(begin, ',', (size_t)(end - begin))    ? ','
                           : memchr(begin, ';', (size_t)(end - begin))  ? ';'
                           : memchr(begin, '\t', (size_t)(end - begin)) ? '\t'
                                                                        : ',';
        int n = 0;
        while (at && n < FIELDS_MAX)
            out[n++] = take_field(&at, end, s->separator);
        return n + (at != NULL);
    }
    return 0;
}

static bool is_word(const char *at, size_t n, const char *word)
{
    size_t i = 0;
    while (i < n && word[i] && (at[i] == word[i] || at[i] == word[i] - 'a' + 'A'))
        i++;
    return i == n && !word[i];
}

/* A number, or meant for one: such a line is no header. */
static bool is_numeric(const struct field *f)
{
    const char *at = f->at, *end = f->at + f->n;
    at += at < end && (*at == '-' || *at == '+');
    at += at < end && *at == '.';
    if (at < end && *at >= '0' && *at <= '9')
        return true;
    size_t n = (size_t)(end - at);
    return is_word(at, n, "nan") || is_word(at, n, "inf") || is_word(at, n, "infinity");
}

/* A zero byte would end the name early, and the others do no good in a terminal. */
static bool is_printable(const struct field *f)
{
    for (size_t i = 0; i < f->n; i++)
        if ((unsigned char)f->at[i] < ' ' || f->at[i] == 127)
            return false;
    return true;
}

static int label_of(struct leak_csv *csv, const struct field *f)
{
    for (int i = 0; i < csv->n_labels; i++)
        if (csv->name_bytes[i] == f->n && !memcmp(csv->names[i], f->at, f->n))
            return i;
    if (csv->n_labels == WIRE_CLASSES_MAX)
        return -1;
    char *name = malloc(f->n + 1);
    if (!name)
        return -2;
    memcpy(name, f->at, f->n);
    name[f->n] = 0;
    csv->names[csv->n_labels] = name;
    csv->name_bytes[csv->n_labels] = f->n;
    return csv->n_labels++;
}

static bool add_call(struct leak_csv *csv, const struct leak_csv_call *call)
{
    if (csv->n == csv->room) {
        int64_t room = csv->room ? csv->room + csv->room / 2 : 4096;
        struct leak_csv_call *more = realloc(csv->calls, (size_t)room * sizeof *more);
        if (!more)
            return false;
        csv->calls = more;
        csv->room = room;
    }
    csv->calls[csv->n++] = *call;
    return true;
}

#define WRONG(...) return err_set(err, TARE_FORMAT, __VA_ARGS__)

static enum tare_status take_line(struct leak_csv *csv, const struct scan *s, const struct field *f, int n, uint32_t block,
                                  struct tare_err *err)
{
    static const double most_ns = 1e18;
    struct leak_csv_call call = {.block = block};
    if (n < 2)
        WRONG("line %lld has no time; lines are label,time or label,time,block", (long long)s->line);
    if (n > FIELDS_MAX)
        WRONG("line %lld has more than %d fields; lines are label,time or label,time,block", (long long)s->line, (int)FIELDS_MAX);
    if (csv->blocks != (n > 2))
        WRONG("line %lld has %s block, unlike those before it", (long long)s->line, n > 2 ? "a" : "no");
    if (!f[0].n || f[0].n > LABEL_MAX)
        WRONG("line %lld has a label of %zu bytes; 1 to %d are fine", (long long)s->line, f[0].n, (int)LABEL_MAX);
    if (!is_printable(&f[0]))
        WRONG("line %lld has a label with a control character; is it text in UTF-8?", (long long)s->line);
    if (!decimal_read(f[1].at, f[1].n, &call.time) || !isfinite(call.time))
        WRONG("line %lld: '%.*s' is not a time", (long long)s->line, (int)(f[1].n < 40 ? f[1].n : 40), f[1].at);
    if (call.time < 0)
        WRONG("line %lld: a time of %g is negative; times are durations, in nanoseconds", (long long)s->line, call.time);
    if (call.time > most_ns)
        WRONG("line %lld: a time of %g is more than 30 years; times are in nanoseconds", (long long)s->line, call.time);
    int label = label_of(csv, &f[0]);
    if (label == -1)
        return err_set(err, TARE_TOO_LARGE,
                       "line %lld has label number %d; at most %d are compared. Do the fields stand in the order label,time?",
                       (long long)s->line, (int)WIRE_CLASSES_MAX + 1, (int)WIRE_CLASSES_MAX);
    call.label = (uint8_t)label;
    return label >= 0 && add_call(csv, &call) ? TARE_OK : err_no_memory(err);
}

/* Names that count up by one step (1 2 3, 0 10 20), anew from the first where files were joined. Others say nothing of what is missing. */
struct counter {
    bool broken;
    int64_t first, last, names;
    int64_t steps, least, common; /* the least of them, and the largest number that divides them all */
    double sum;
};

static bool read_number(const struct field *f, int64_t *out)
{
    enum { DIGITS_MOST = 15 };
    *out = 0;
    for (size_t i = 0; i < f->n && i < DIGITS_MOST; i++) {
        if (f->at[i] < '0' || f->at[i] > '9')
            return false;
        *out = 10 * *out + (f->at[i] - '0');
    }
    return f->n > 0 && f->n <= DIGITS_MOST;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

static void count_name(struct counter *c, const struct field *name)
{
    int64_t number;
    c->broken = c->broken || !read_number(name, &number);
    if (c->broken)
        return;
    if (!c->names++)
        c->first = number;
    else if (number > c->last) {
        const int64_t step = number - c->last;
        c->least = !c->least || step < c->least ? step : c->least;
        c->common = common_divisor(step, c->common);
        c->sum += (double)step;
        c->steps++;
    } else {
        c->broken = number != c->first;
    }
    c->last = number;
}

/* Moves whole blocks to the front of the table, in their order; the others are left over. The file may begin and end within a block. */
static void keep_whole_blocks(struct leak_csv *csv)
{
    int64_t kept = 0, k = csv->n_labels;
    for (int64_t at = 0; at < csv->n;) {
        int64_t end = at;
        uint32_t seen = 0;
        bool whole = true; /* so far: no label twice */
        for (; end < csv->n && csv->calls[end].block == csv->calls[at].block; end++) {
            whole = whole && !(seen & 1u << csv->calls[end].label);
            seen |= 1u << csv->calls[end].label;
        }
        if (whole && end - at == k) {
            memmove(csv->calls + kept, csv->calls + at, (size_t)k * sizeof *csv->calls);
            kept += k;
        } else {
            csv->left_over += end - at;
            *(whole ? &csv->torn : &csv->doubled) += at > 0 && end < csv->n;
        }
        at = end;
    }
    csv->n_blocks = kept / k;
}

static bool is_complete(const struct leak_csv *csv, int64_t at)
{
    uint32_t seen = 0;
    for (int i = 0; i < csv->n_labels; i++)
        seen |= 1u << csv->calls[at + i].label;
    return seen == (1u << csv->n_labels) - 1;
}

/* Where the label of each call was drawn by itself, k calls next to each other that have each label once have them in any order alike (von Neumann's
 * coin): blocks as good as drawn ones. Windows stand at set places, so that none is chosen by what is in it. False: too few for such labels. */
static bool keep_neighbours(struct leak_csv *csv)
{
    enum { LEAST = 50 };
    int64_t k = csv->n_labels, windows = csv->n / k, whole = 0, kept = 0;
    double share = 1; /* k! / k^k */
    for (int i = 1; i <= k; i++)
        share *= (double)i / (double)k;
    for (int64_t w = 0; w < windows; w++)
        whole += is_complete(csv, w * k);
    if (whole < LEAST || (double)whole < share * (double)windows / 2)
        return false;
    for (int64_t w = 0; w < windows; w++)
        if (is_complete(csv, w * k)) {
            memmove(csv->calls + kept, csv->calls + w * k, (size_t)k * sizeof *csv->calls);
            kept += k;
        }
    csv->left_over = csv->n - kept;
    csv->n_blocks = whole;
    csv->neighbours = true;
    return true;
}

/* Blocks of the oldest call of each label that is in none, in the order in which they came. */
static bool make_blocks(struct leak_csv *csv)
{
    int64_t k = csv->n_labels, waiting[WIRE_CLASSES_MAX] = {0}, most = INT64_MAX, *slot;
    for (int64_t i = 0; i < csv->n; i++)
        waiting[csv->calls[i].label]++;
    for (int i = 0; i < k; i++)
        most = waiting[i] < most ? waiting[i] : most;
    struct leak_csv_call *sorted = malloc((size_t)(most * k + 1) * sizeof *sorted);
    slot = calloc((size_t)most + 1, sizeof *slot);
    if (!sorted || !slot) {
        free(sorted);
        free(slot);
        return false;
    }
    memset(waiting, 0, sizeof waiting);
    for (int64_t i = 0; i < csv->n; i++) {
        int64_t block = waiting[csv->calls[i].label]++;
        if (block < most)
            sorted[block * k + slot[block]++] = csv->calls[i];
    }
    csv->left_over = csv->n - most * k;
    free(slot);
    free(csv->calls);
    csv->calls = sorted;
    csv->n_blocks = most;
    return true;
}

/* Hits among n of chance p each may be so many, to 1 in 10^9. */
static bool may_be(int64_t hits, int64_t n, double p)
{
    static const double beyond_chance = 6.1; /* standard deviations */
    return fabs((double)hits - (double)n * p) <= beyond_chance * sqrt((double)n * p * (1 - p)) + 1;
}

static bool make_loose(struct leak_csv *csv)
{
    /* Labels that were drawn call by call repeat as often as their shares say. Sorted ones do not: what is between them is between times of the day too. */
    int64_t of[WIRE_CLASSES_MAX] = {0}, again = 0;
    double p = 0;
    for (int64_t i = 0; i < csv->n; i++) {
        of[csv->calls[i].label]++;
        again += i && csv->calls[i].label == csv->calls[i - 1].label;
    }
    for (int i = 0; i < csv->n_labels; i++)
        p += pow((double)of[i] / (double)csv->n, 2);
    csv->drawn = may_be(again, csv->n - 1, p);
    return make_blocks(csv);
}

/* Decimal places that the times have, at most six; 1e2: two. */
static double decimals_of(const double *sample, int64_t n)
{
    double decimals = 1;
    for (int64_t i = 0; i < n; i++)
        while (decimals < 1e6 && fabs(sample[i] * decimals - rint(sample[i] * decimals)) > 1e-7 * fmax(1, sample[i] * decimals))
            decimals *= 10;
    return decimals;
}

/* From one time that all of the sample have to the nearest other one. */
static double distance_to_another(const struct leak_csv *csv, double time)
{
    double least = INFINITY;
    for (int64_t i = 0; i < csv->n_blocks * csv->n_labels; i++)
        if (csv->calls[i].time != time)
            least = fmin(least, fabs(csv->calls[i].time - time));
    return least;
}

/* Whole numbers stay as they are. Others get as many decimals as they have, at most six; where the bulk would not fit, its range is
 * spread over the ticks there are. What lies far beyond the bulk is cut, as a clipped mean would. */
static void choose_ticks(struct leak_csv *csv, double bulk, double decimals)
{
    static const double most_ticks = 2e9;
    double low = INFINITY;
    for (int64_t i = 0; i < csv->n_blocks * csv->n_labels; i++)
        low = fmin(low, csv->calls[i].time);
    csv->offset = bulk * decimals * 16 < most_ticks ? 0 : low;
    csv->scale = decimals;
    if ((bulk - csv->offset) * csv->scale * 2 > most_ticks)
        csv->scale = most_ticks / 2 / (bulk - csv->offset);
}

static bool choose_scale(struct leak_csv *csv)
{
    enum { SAMPLE = 20000 };
    int64_t n = csv->n_blocks * csv->n_labels, every = (n - 1) / SAMPLE + 1, taken = 0;
    struct rng chance = rng_seeded((uint64_t)n);
    double *sample = malloc((SAMPLE + 2) * sizeof *sample);
    struct leak_step_value *values = malloc((SAMPLE + 2) * sizeof *values);
    if (sample && values) {
        /* Of very many one of each so-and-so-many, at random: labels that alternate would leave out a class. */
        for (int64_t from = 0; from < n; from += every)
            sample[taken++] =
                csv->calls[from + (int64_t)rng_below(&chance, (uint64_t)(n - from < every ? n - from : every))].time;
        tare_sort(sample, taken);
        double first = sample[0], decimals = decimals_of(sample, taken);
        choose_ticks(csv, sample[taken - 1 - taken / 100], decimals);
        csv->step = leak_step_of(sample, taken, 1 / decimals, values);
        if (isnan(csv->step))
            csv->step = distance_to_another(csv, first);
        csv->step = fmax(isfinite(csv->step) ? csv->step : 0, 1 / csv->scale);
    }
    bool good = sample && values;
    free(sample);
    free(values);
    return good;
}

static uint32_t ticks_of(struct leak_csv *csv, double time, double more_ns)
{
    double ticks = rint((time - csv->offset + more_ns) * csv->scale);
    csv->saturated += ticks >= UINT32_MAX;
    return ticks >= UINT32_MAX ? UINT32_MAX : ticks < 0 ? 0 : (uint32_t)ticks;
}

static enum tare_status make_table(struct leak_csv *csv, struct tare_err *err)
{
    if (!csv->n)
        return err_set(err, TARE_TRUNCATED, "holds no times; lines are label,time or label,time,block");
    if (csv->n_labels < 2)
        return err_set(err, TARE_TOO_FEW, "has one label only ('%.60s'); a leak is a difference between two", csv->names[0]);
    const enum tare_status each_once = leak_csv_each_once(csv, err);
    if (each_once == TARE_NO_MEMORY)
        return each_once;
    if (csv->blocks)
        keep_whole_blocks(csv);
    else if (!keep_neighbours(csv) && !make_loose(csv))
        return err_no_memory(err);
    if (!csv->n_blocks)
        return err_set(err, TARE_TOO_FEW, "has no block with each of its %d labels once, in lines next to each other",
                       csv->n_labels);
    if (csv->blocks || csv->neighbours || !csv->drawn) { /* else there is no order to judge, and none is claimed */
        /* Of a drawn order the first label comes first in one of k blocks, give or take, and the label that comes first is that of the block
         * before in one of k too: with two labels that is the number of runs (Wald and Wolfowitz 1940), and finds ab ba ab ba. */
        int64_t first = 0, again = 0, k = csv->n_labels;
        for (int64_t b = 0; b < csv->n_blocks; b++) {
            first += csv->calls[b * k].label == 0;
            again += b && csv->calls[b * k].label == csv->calls[(b - 1) * k].label;
        }
        csv->drawn = may_be(first, csv->n_blocks, 1. / (double)k) && may_be(again, csv->n_blocks - 1, 1. / (double)k);
    }
    if (!choose_scale(csv))
        return err_no_memory(err);
    return csv->drawn ? each_once : TARE_OK; /* an order that is none comes again too */
}

enum tare_status leak_csv_read(struct leak_csv *csv, const char *text, size_t n, uint64_t seed, struct tare_err *err)
{
    *csv = (struct leak_csv){.coin = rng_seeded(seed), .spike_every = 1};
    const size_t mark = n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
    text += mark;
    n -= mark;
    struct scan s = {
        .text = text, .n = n, .newline = memchr(text, '\n', n) ? '\n' : '\r'}; /* \r: old Macs and some instruments */
    struct field f[FIELDS_MAX], before = {NULL, 0};
    struct counter names = {.broken = false};
    uint32_t block = 0;
    bool first = true;
    enum tare_status status = TARE_OK;
    for (int fields; !status && (fields = next_fields(&s, f)) > 0;) {
        if (first) {
            first = false;
            csv->blocks = fields > 2;
            if (fields > 1 && !is_numeric(&f[1])) /* a header */
                continue;
        }
        const bool begins = fields > 2 && (!before.at || before.n != f[2].n || memcmp(before.at, f[2].at, f[2].n) != 0);
        block += begins && before.at;
        if (begins)
            count_name(&names, &f[2]);
        before = fields > 2 ? f[2] : before;
        status = take_line(csv, &s, f, fields, block, err);
    }
    /* Names that the others skip; steps that are none of a counter, as those of times of day, skip none. */
    static const double most = 1e15;
    const bool counts = !names.broken && names.steps && names.least == names.common;
    csv->absent = counts ? (int64_t)fmin(names.sum / (double)names.least - (double)names.steps, most) : 0;
    if (!status)
        status = make_table(csv, err);
    if (status)
        leak_csv_finish(csv);
    return status;
}

void leak_csv_finish(struct leak_csv *csv)
{
    for (int i = 0; i < csv->n_labels; i++)
        free(csv->names[i]);
    free(csv->calls);
    *csv = (struct leak_csv){0};
}

struct batch {
    uint8_t *class;
    uint32_t *ticks;
    int64_t from, n;
};

static void put_blocks(struct leak_csv *csv, const struct batch *b, struct buf *out)
{
    int64_t k = csv->n_labels;
    for (int64_t i = 0; i < b->n * k; i++) {
        const struct leak_csv_call *call = &csv->calls[b->from * k + i];
        b->class[i] = call->label;
        b->ticks[i] = ticks_of(csv, call->time, 0);
    }
    const struct wire_blocks w = {.kind = WIRE_MAIN, .k = (uint32_t)k, .n = (uint32_t)b->n, .repeat = 1};
    wire_put_blocks(out, &w, b->class, b->ticks);
}

static double time_of_first(const struct leak_csv *csv, int64_t block)
{
    const struct leak_csv_call *calls = &csv->calls[block * csv->n_labels];
    int i = 0;
    while (i < csv->n_labels - 1 && calls[i].label != 0)
        i++;
    return calls[i].time;
}

/* What a clock of this step adds to a time that is so much longer, where the phase is drawn: whole steps, of that mean. Added as it is, a delay below the
 * step would be found in values that such a clock never shows. */
static double through_the_clock(struct leak_csv *csv, double delay_ns)
{
    return delay_ns > 0 ? floor(delay_ns / csv->step + rng_uniform(&csv->coin)) * csv->step : 0;
}

static void put_checks(struct leak_csv *csv, const struct batch *b, enum wire_blocks_kind kind, double spike_ns, struct buf *out)
{
    int64_t every = kind == WIRE_SPIKE ? csv->spike_every : 1, n = b->n / 2 / every;
    for (int64_t i = 0; i < n; i++) {
        bool turned = rng_below(&csv->coin, 2);
        for (int place = 0; place < 2; place++) {
            int class = place ^ turned;
            b->class[2 * i + place] = (uint8_t) class;
            b->ticks[2 * i + place] =
                ticks_of(csv, time_of_first(csv, b->from + 2 * i * every + place), class ? through_the_clock(csv, spike_ns) : 0);
        }
    }
    const struct wire_blocks w = {.kind = kind, .k = 2, .n = (uint32_t)n, .repeat = 1};
    if (n)
        wire_put_blocks(out, &w, b->class, b->ticks);
}

static void put_frames(struct leak_csv *csv, const struct batch *b, const char *name, double spike_ns, struct buf *out)
{
    const struct wire_hello hello = {.version = WIRE_VERSION, .library = "csv", .pid = 0, .trouble = "", .targets = 1};
    const struct wire_clock clock = {.name = "file",
                                     .source = "file",
                                     .hz = 1e9 * csv->scale,
                                     .step_ticks = csv->step * csv->scale,
                                     .reason = "",
                                     .no_core = "a file has none"};
    const struct wire_bye bye = {.drift_ppm = NAN, .drift_bound_ppm = NAN};
    struct wire_target target = {
        .name = name, .file = "", .flags = WIRE_TARGET_CLASSES, .n_classes = (uint32_t)csv->n_labels, .dit_words = ""};
    struct wire_target_end end = {.state = WIRE_OK,
                                  .reason = "",
                                  .remark = "",
                                  .repeat = 1,
                                  .pair_ticks = -csv->offset * csv->scale,
                                  .spike_ticks = spike_ns > 0 ? spike_ns * csv->scale : NAN,
                                  .spike_cycles = NAN,
                                  .calls = (uint64_t)(b->n * csv->n_labels)};
    for (int i = 0; i < csv->n_labels; i++)
        target.classes[i] = csv->names[i];
    wire_put_hello(out, &hello);
    wire_put_clock(out, &clock);
    wire_put_target(out, &target);
    int64_t before = csv->saturated;
    put_blocks(csv, b, out);
    end.saturated = (uint64_t)(csv->saturated - before);
    put_checks(csv, b, WIRE_AA, 0, out);
    if (spike_ns > 0)
        put_checks(csv, b, WIRE_SPIKE, spike_ns, out);
    wire_put_target_end(out, &end);
    wire_put_bye(out, &bye);
}

bool leak_csv_next(struct leak_csv *csv, const char *name, double spike_ns, struct buf *out)
{
    int64_t n = csv->at + csv->at / 2 < FIRST_BLOCKS ? FIRST_BLOCKS : csv->at / 2;
    n = n > MOST_BLOCKS ? MOST_BLOCKS : n;
    struct batch b = {.from = csv->at, .n = csv->n_blocks - csv->at < n ? csv->n_blocks - csv->at : n};
    if (!b.n)
        return false;
    b.class = malloc((size_t)(b.n * csv->n_labels));
    b.ticks = malloc((size_t)(b.n * csv->n_labels) * sizeof *b.ticks);
    if (b.class && b.ticks)
        put_frames(csv, &b, name, spike_ns, out);
    else
        out->status = TARE_NO_MEMORY;
    free(b.class);
    free(b.ticks);
    csv->at += b.n;
    return true;
}
