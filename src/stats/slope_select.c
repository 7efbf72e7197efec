/* SPDX-License-Identifier: MIT */
#include "stats_core.h"
#include <stdbool.h>
#include <string.h>

/* Merges two ascending neighbours; returns the pairs whose left member is greater than the right. Which comes next is as good as random, so no branch
 * depends on it. */
static int64_t merge_sorted(const double *left, ptrdiff_t n_left, const double *right, ptrdiff_t n_right, double *into)
{
    const double *const left_end = left + n_left, *const right_end = right + n_right;
    int64_t falling = 0;
    while (left < left_end && right < right_end) {
        const ptrdiff_t falls = !(*left <= *right);
        *into++ = *(falls ? right : left);
        falling += falls * (left_end - left);
        right += falls;
        left += 1 - falls;
    }
    while (left < left_end)
        *into++ = *left++;
    while (right < right_end)
        *into++ = *right++;
    return falling;
}

/* Of two of the same size, from both ends at once: neither end waits for what the other compares, nor meets the end of a side. */
static int64_t merge_equals(const double *left, const double *right, ptrdiff_t n, double *into)
{
    const double *const left_end = left + n, *left_back = left_end, *right_back = right + n;
    double *back = into + 2 * n;
    int64_t falling = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const ptrdiff_t falls = !(*left <= *right), stays = left_back[-1] <= right_back[-1];
        *into++ = *(falls ? right : left);
        *--back = stays ? right_back[-1] : left_back[-1];
        falling += falls * (left_end - left) + stays * (left_end - left_back);
        right += falls, left += 1 - falls;
        right_back -= stays, left_back -= 1 - stays;
    }
    return falling;
}

int64_t stats_count_falling(double *x, double *spare, ptrdiff_t n)
{
    int64_t falling = 0;
    double *from = x, *into = spare;
    for (ptrdiff_t width = 1; width < n; width *= 2) {
        for (ptrdiff_t i = 0; i < n; i += 2 * width) {
            ptrdiff_t left = width < n - i ? width : n - i, right = width < n - i - left ? width : n - i - left;
            falling += left == right ? merge_equals(from + i, from + i + left, left, into + i)
                                     : merge_sorted(from + i, left, from + i + left, right, into + i);
        }
        double *t = from;
        from = into, into = t;
    }
    if (from != x)
        memcpy(x, from, (size_t)n * sizeof *x);
    return falling;
}

enum { FEW = 48 };

static double x_at(const struct stats_slopes *s, ptrdiff_t i)
{
    return s->x ? s->x[i * s->stride] : (double)i;
}

static double y_at(const struct stats_slopes *s, ptrdiff_t i)
{
    return s->y[i * s->stride] * s->y_unit;
}

static int64_t count_of_many(const struct stats_slopes *s, double b)
{
    for (ptrdiff_t i = 0; i < s->n; i++)
        s->residuals[i] = y_at(s, i) - b * x_at(s, i);
    return stats_count_falling(s->residuals, s->spare, s->n);
}

/* Where the k-th slope lies: below `hi` are k at least, below `lo` fewer; of all slopes `hi` may be the largest itself. */
struct bracket {
    double lo, hi;
    int64_t upto_lo, upto_hi;
};

/* Of few points, among the slopes themselves: to the last bit. */
static double number_of_few(const struct stats_slopes *s, int64_t k)
{
    double slopes[FEW * (FEW - 1) / 2];
    ptrdiff_t n = 0;
    for (ptrdiff_t i = 0; i < s->n; i++)
        for (ptrdiff_t j = i + 1; j < s->n; j++) {
            const double run = x_at(s, j) - x_at(s, i);
            if (run > 0)
                slopes[n++] = (y_at(s, j) - y_at(s, i)) / run;
        }
    stats_select(slopes, n, (ptrdiff_t)k - 1);
    return slopes[k - 1];
}

/* A step of b that moves no residual by more than it is rounded; of values far off, of which the slope hangs on none, nothing is asked. */
static double finest(const struct stats_slopes *s)
{
    double most = 0;
    for (ptrdiff_t i = 0; i < s->n; i++) {
        s->residuals[i] = fabs(y_at(s, i));
        most = s->residuals[i] > most ? s->residuals[i] : most;
    }
    const double usual = stats_quantile_of(s->residuals, s->n, 0.7);
    return (usual > 0 ? usual : most) * 0x1p-53 / (x_at(s, s->n - 1) - x_at(s, 0));
}

/* By the secant (Illinois), which is near at once because many slopes are spread smoothly, and halving after a step that did not get on. Where a value far
 * off makes the first bracket as wide as doubles are, by halving their number in the end. */
enum { LOOKS_BY_VALUE = 50 };
struct search {
    const struct stats_slopes *s;
    int64_t k;
    struct bracket w, after; /* after: the narrowest seen that holds number k + 1 as well */
    double stayed[2];        /* how much an end that stayed counts: lo, hi */
    int moved;               /* which end moved last */
    int looks;
    bool halve;
};

static void look_at(struct search *f, double b)
{
    struct bracket *w = &f->w;
    if (!(b > w->lo && b < w->hi))
        return;
    f->looks++;
    const double width = w->hi - w->lo;
    const int64_t below = count_of_many(f->s, b);
    const int moves = below >= f->k;
    f->stayed[!moves] = moves == f->moved ? f->stayed[!moves] / 2 : 1;
    f->stayed[moves] = 1;
    f->moved = moves;
    if (moves)
        w->hi = b, w->upto_hi = below;
    else
        w->lo = b, w->upto_lo = below;
    f->halve = w->hi - w->lo > width / 2;
    if (w->upto_hi > f->k)
        f->after = *w;
}

static double next_look(const struct search *f)
{
    const struct bracket *w = &f->w;
    const double under = f->stayed[0] * ((double)(f->k - w->upto_lo) - 0.5),
                 over = f->stayed[1] * ((double)(w->upto_hi - f->k) + 0.5);
    const double b = f->halve ? w->lo / 2 + w->hi / 2 : w->lo + (w->hi - w->lo) * (under / (under + over));
    return f->looks < LOOKS_BY_VALUE && b > w->lo && b < w->hi ? b : stats_middle_double(w->lo, w->hi);
}

static double residual(const struct stats_slopes *s, double b, double index)
{
    return y_at(s, (ptrdiff_t)index) - b * x_at(s, (ptrdiff_t)index);
}

/* The indices of the points, in one of the two arrays, in the order of their residuals; those that are equal as they came. */
static const double *by_residual(const struct stats_slopes *s, double b)
{
    double *from = s->residuals, *into = s->spare;
    for (ptrdiff_t i = 0; i < s->n; i++)
        from[i] = (double)i;
    for (ptrdiff_t width = 1; width < s->n; width *= 2) {
        for (ptrdiff_t start = 0; start < s->n; start += 2 * width) {
            const ptrdiff_t mid = width < s->n - start ? start + width : s->n, end = width < s->n - mid ? mid + width : s->n;
            for (ptrdiff_t i = start, j = mid, k = start; k < end; k++)
                into[k] = j == end || (i < mid && residual(s, b, from[i]) <= residual(s, b, from[j])) ? from[i++] : from[j++];
        }
        double *t = from;
        from = into, into = t;
    }
    return from;
}

/* The only slope between lo and hi: that of the two points, neighbours by their residuals at lo, that fall at hi. NaN: rounding leaves open
 * which these are. */
static double only_slope(const struct stats_slopes *s, double lo, double hi)
{
    const double *order = by_residual(s, lo);
    double slope = NAN;
    for (ptrdiff_t i = 1; i < s->n; i++) {
        const ptrdiff_t a = (ptrdiff_t)order[i - 1], b = (ptrdiff_t)order[i];
        if (residual(s, hi, order[i - 1]) > residual(s, hi, order[i])) {
            if (!isnan(slope))
                return NAN;
            slope = (y_at(s, b) - y_at(s, a)) / (x_at(s, b) - x_at(s, a));
        }
    }
    return slope >= lo && slope <= hi ? slope : NAN;
}

/* 0 where rounding leaves it possible: values in coarse steps have many slopes of 0. */
static double number_of_many(const struct stats_slopes *s, int64_t k, const struct bracket *within, struct bracket *after)
{
    const double step = finest(s);
    struct search f = {.s = s, .k = k, .w = *within, .after = *within, .stayed = {1, 1}, .moved = -1};
    look_at(&f, -step);
    look_at(&f, step);
    bool alone = false;
    for (double b; f.w.hi - f.w.lo > 2 * step && (b = next_look(&f)) > f.w.lo && b < f.w.hi;) {
        look_at(&f, b);
        *after = f.after;
        const bool was_alone = alone;
        alone = f.w.upto_hi - f.w.upto_lo == 1;
        const double slope = alone && !was_alone ? only_slope(s, f.w.lo, f.w.hi) : NAN;
        if (!isnan(slope))
            return slope;
    }
    *after = f.after;
    return f.w.lo < 0 && f.w.hi > 0 ? 0 : f.w.hi < s->most ? f.w.lo : f.w.hi;
}

double stats_slope_number(const struct stats_slopes *s, int64_t k)
{
    const struct bracket all = {s->least, s->most, 0, s->pairs};
    struct bracket after;
    return s->n <= FEW ? number_of_few(s, k) : number_of_many(s, k, &all, &after);
}

double stats_median_slope(const struct stats_slopes *s)
{
    const int64_t middle = (s->pairs + 1) / 2;
    struct bracket within = {s->least, s->most, 0, s->pairs};
    if (s->pairs % 2)
        return stats_slope_number(s, middle);
    if (s->n <= FEW)
        return number_of_few(s, middle) / 2 + number_of_few(s, middle + 1) / 2;
    const double first = number_of_many(s, middle, &within, &within);
    return first / 2 + number_of_many(s, middle + 1, &within, &within) / 2;
}
