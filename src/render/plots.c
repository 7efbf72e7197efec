/* SPDX-License-Identifier: MIT
 *
 *        11.8 ms ▏███████▌                    9
 *        12.0    ▏██████████████████████     27
 *      ≥ 13.0    ▏██▍                         3   up to 14.2
 *
 * The bins end where the bulk of the runs ends; what lies beyond is one bin of its own, drawn to the same scale, so that a
 * few slow runs neither flatten the picture nor vanish from it. Where the bulk spans more than a factor of 16 the bins have
 * equal ratios instead of equal widths. */
#include "plots.h"
#include "number_sort.h"
#include <math.h>
#include <stdlib.h>

enum { BINS_MAX = 40, BAR_MOST = 50 };

/* The finite values in rising order, *n of them; NULL when there are none or no memory. */
static double *sorted_copy(struct page *p, const double *values, int *n)
{
    double *sorted = malloc((2 * (size_t)*n + 1) * sizeof *sorted);
    int kept = 0;
    if (!sorted)
        p->out->status = TARE_NO_MEMORY;
    for (int i = 0; sorted && i < *n; i++)
        if (isfinite(values[i]))
            sorted[kept++] = values[i];
    *n = kept;
    if (!kept) {
        free(sorted);
        return NULL;
    }
    number_sort(sorted, kept, sorted + kept);
    return sorted;
}

/* Five half-spreads above the upper quartile; the maximum when nothing lies beyond, or when the middle half is all one value. */
static double bulk_end(const double *sorted, int n)
{
    double low = sorted[n / 4], high = sorted[n - 1 - n / 4], last = sorted[n - 1];
    double end = high + 2.5 * (high - low);
    return high > low && end < last ? end : last;
}

struct bins {
    int n;
    bool logarithmic;
    double first, step; /* edge i: first + i * step, or first * step^i */
    int decimals;       /* of an edge, in the unit shown; not for logarithmic bins */
    int count[BINS_MAX];
    int tail; /* values at or above the last edge */
};

static double edge(const struct bins *b, int i)
{
    return b->logarithmic ? b->first * pow(b->step, i) : b->first + i * b->step;
}

/* C libraries differ in the last digit of a power, and values often lie on an edge. */
static bool reaches(const struct bins *b, double value, int i)
{
    const double at = edge(b, i);
    return value >= at - 1e-12 * fabs(at);
}

/* 1, 2 or 5 times a power of ten, whichever is nearest by ratio. */
static double round_step(double wanted)
{
    double power = pow(10, floor(log10(wanted))), x = wanted / power;
    return power * (x < sqrt(2) ? 1 : x < sqrt(10) ? 2 : x < sqrt(50) ? 5 : 10);
}

static int wanted_bins(int n)
{
    int bins = (int)(2 * cbrt(n)); /* Rice's rule */
    return bins < 5 ? 5 : bins > 16 ? 16 : bins;
}

static struct bins linear_bins(double low, double high, int wanted, struct unit u)
{
    double step = round_step((high - low) / u.factor / wanted);
    double first = floor(low / u.factor / step + 1e-9) * step;
    struct bins b = {.first = first * u.factor, .step = step * u.factor};
    b.n = (int)fmin(floor((high / u.factor - first) / step + 1e-9) + 1, BINS_MAX);
    b.decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    return b;
}

static struct bins logarithmic_bins(double low, double high, int wanted)
{
    struct bins b = {.n = wanted, .logarithmic = true, .first = low, .step = pow(high / low, 1.0 / wanted)};
    b.n += reaches(&b, high, b.n); /* the maximum belongs to a bin */
    return b;
}

static struct bins make_bins(const double *sorted, int n, struct unit u)
{
    double low = sorted[0], end = bulk_end(sorted, n);
    struct bins b =
        low > 0 && end / low > 16 ? logarithmic_bins(low, end, wanted_bins(n)) : linear_bins(low, end, wanted_bins(n), u);
    int bin = 0;
    for (int i = 0; i < n; i++) {
        while (bin < b.n && reaches(&b, sorted[i], bin + 1))
            bin++;
        if (bin < b.n)
            b.count[bin]++;
        else
            b.tail++;
    }
    return b;
}

void put_bar(struct page *p, double cells)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!(cells > 0) || isinf(cells))
        return;
    bool fine = p->o->unicode;
    int eighths = (int)fmax(rint(cells * 8), 1), full = fine ? eighths / 8 : (int)fmax(rint(cells), 1);
    for (int i = 0; i < full; i++)
        buf_str(&p->piece, "█");
    if (fine)
        buf_str(&p->piece, parts[eighths % 8]);
}

static int most(const struct bins *b)
{
    int largest = b->tail;
    for (int i = 0; i < b->n; i++)
        largest = b->count[i] > largest ? b->count[i] : largest;
    return largest;
}

/* i == b->n: what lies beyond. */
static void bin_row(struct table *t, const struct bins *b, struct unit unit, int i, int room)
{
    const double value = edge(b, i) / unit.factor;
    const int count = i < b->n ? b->count[i] : b->tail;
    buf_str(&t->p->piece, i < b->n ? "" : "beyond ");
    /* Equal ratios: three digits each. */
    figure_put(&t->p->piece, value, b->logarithmic ? figure_digits(value, 3) : b->decimals > 12 ? 12 : b->decimals);
    table_cell(t);
    table_format(t, "%d", count);
    put_bar(t->p, (double)count / most(b) * room);
    table_cell(t);
}

static void draw_bins(struct page *p, const struct bins *b, double last, struct unit u)
{
    const int room = p->o->width > 0 ? p->o->width - 30 : BAR_MOST;
    struct table t;
    table_begin(&t, p, NULL, 0);
    buf_format(&p->piece, "from%s", *u.name ? "," : "");
    unit_put(&p->piece, u);
    table_titled(&t, SIDE_POINT, 0);
    table_column(&t, (struct table_column){"runs", SIDE_RIGHT, 0});
    table_column(&t, (struct table_column){b->logarithmic ? "(equal ratios)" : "", SIDE_LEFT, 1});
    for (int i = 0; i < b->n + (b->tail > 0); i++)
        bin_row(&t, b, u, i, room > BAR_MOST ? BAR_MOST : room < 8 ? 8 : room);
    table_end(&t, 4);
    if (!b->tail)
        return;
    flow_begin(p, 4, 4);
    buf_str(&p->piece, "the slowest: ");
    figure_with(&p->piece, last, u, figure_digits(last / u.factor, 4));
    flow_put(p, "");
    flow_end(p);
}

/* Whether bins can tell the values apart: neither too far apart nor too close for their size. */
static bool has_scale(double low, double high)
{
    double range = high - low;
    return isfinite(range) && range > 1e-9 * fmax(fabs(low), fabs(high)) && range > 1e-250;
}

void plot_histogram(struct page *p, const double *values, int n, struct unit u)
{
    double *sorted = sorted_copy(p, values, &n);
    if (!sorted)
        return;
    double low = sorted[0], high = sorted[n - 1];
    if (low == high) {
        flow_begin(p, 4, 4);
        buf_format(&p->piece, "%s ", n == 1 ? "one run:" : "all runs alike:");
        figure_with(&p->piece, low, u, figure_digits(low / u.factor, 4));
        flow_put(p, "");
        flow_end(p);
    } else if (has_scale(low, bulk_end(sorted, n))) {
        struct bins b = make_bins(sorted, n, u);
        draw_bins(p, &b, high, u);
    }
    free(sorted);
}

const char *const spark_levels[8] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

void plot_small_histogram(struct page *p, const double *values, int n, struct unit u)
{
    enum { LEAST = 6 };
    double *sorted = sorted_copy(p, values, &n);
    if (sorted && n >= LEAST && has_scale(sorted[0], bulk_end(sorted, n))) {
        const struct bins b = make_bins(sorted, n, u);
        const double low = sorted[0] / u.factor, high = sorted[n - 1] / u.factor;
        figure_put(&p->piece, low, figure_digits(low, FIGURE_DIGITS));
        buf_char(&p->piece, ' ');
        /* What lies beyond the bulk stands behind a gap. */
        for (int i = 0; i < b.n + 2 * (b.tail > 0); i++) {
            const int count = i < b.n ? b.count[i] : i == b.n ? 0 : b.tail;
            buf_str(&p->piece, count ? spark_levels[(int)rint(7.0 * count / most(&b))] : " ");
        }
        buf_char(&p->piece, ' ');
        figure_with(&p->piece, sorted[n - 1], u, figure_digits(high, FIGURE_DIGITS));
        flow_line(p, 2, HUE_PLAIN);
    }
    free(sorted);
}

/* The middle of values[from..to), NaN when none is finite. `room` holds twice to - from doubles. */
static double middle(const double *values, int from, int to, double *room)
{
    int n = 0;
    for (int i = from; i < to; i++)
        if (isfinite(values[i]))
            room[n++] = values[i];
    if (!n)
        return NAN;
    number_sort(room, n, room + n);
    return room[n / 2];
}

static int level_of(double value, double low, double high)
{
    double part = (value - low) / (high - low);
    return !(part > 0) ? 0 : part >= 1 ? 7 : (int)(part * 8);
}

void plot_order(struct page *p, const double *values, int n, struct unit u)
{
    enum { MARKS_MOST = 64, BESIDE = 8 };
    int known = n, room = p->o->width > 0 ? p->o->width - BESIDE : MARKS_MOST;
    double *sorted = sorted_copy(p, values, &known);
    if (!sorted)
        return;
    double low = sorted[0], high = bulk_end(sorted, known);
    int marks = n < MARKS_MOST ? n : MARKS_MOST;
    marks = marks < room ? marks : room > 1 ? room : 1;
    double *scratch = malloc((size_t)n * 2 * sizeof *scratch);
    if (scratch && has_scale(low, high)) {
        int decimals = figure_decimals(low / u.factor, (high - low) / u.factor / 10);
        flow_begin(p, 4, 4);
        for (int i = 0; i < marks; i++) {
            int from = (int)((int64_t)n * i / marks), to = (int)((int64_t)n * (i + 1) / marks);
            double value = middle(values, from, to, scratch);
            buf_str(&p->piece, isnan(value) ? " " : spark_levels[level_of(value, low, high)]);
        }
        flow_put(p, "");
        buf_str(&p->piece, "in order, ▁ ");
        figure_put(&p->piece, low / u.factor, decimals);
        buf_str(&p->piece, " █ ");
        figure_with(&p->piece, high, u, decimals);
        flow_put_hued(p, "  ", HUE_DIM);
        flow_end(p);
    }
    free(scratch);
    free(sorted);
}
