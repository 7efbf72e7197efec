/* SPDX-License-Identifier: MIT
 *
 * Two groups in one sample: the best split's variance between groups over the variance within (Engelman and Hartigan 1969,
 * "Percentage points of a test for clusters").
 *
 * For sorted values the best split is found by one walk over prefix sums, taken about the median so that nothing cancels.
 * The 1 % critical values for normal samples are those of two_modes_critical.def, simulated by tools/two_modes_critical.c;
 * between its sizes they are interpolated linearly in 1/sqrt(n), and beyond its last size towards the limit for n = infinity,
 * (2/pi) / (1 - 2/pi), the split of a normal at its mean. Flags flat plateaus and changes of regime too; see the header.
 * Constant data and data of which more than half are equal have no ratio.
 */
#include "stats_core.h"

static const struct {
    double n, critical;
} table[] = {
#define X(n, critical) {n, critical},
#include "two_modes_critical.def"
#undef X
    {INFINITY, 1.7519383938841},
};

enum { TABLE_SIZE = sizeof table / sizeof *table };

static double critical_value(double n)
{
    int i = 1;
    while (i < TABLE_SIZE - 1 && table[i].n < n)
        i++;
    double left = 1 / sqrt(table[i - 1].n), right = 1 / sqrt(table[i].n);
    double part = (left - 1 / sqrt(n)) / (left - right);
    return table[i - 1].critical + part * (table[i].critical - table[i - 1].critical);
}

/* The part of ascending values within 3 interquartile ranges of the quartiles. */
static const double *without_outliers(const double *sorted, ptrdiff_t *n)
{
    double q1 = tare_quantile_sorted(sorted, *n, 0.25), q3 = tare_quantile_sorted(sorted, *n, 0.75), reach = 3 * (q3 - q1);
    const double *first = sorted, *end = sorted + *n;
    while (*first < q1 - reach)
        first++;
    while (end[-1] > q3 + reach)
        end--;
    *n = end - first;
    return first;
}

enum { GROUP_MIN = 3 };

static void best_split(const double *x, ptrdiff_t n, struct tare_modes *out)
{
    double origin = stats_median_sorted(x, n), sum = 0, squares = 0, left = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        sum += x[i] - origin;
        squares += (x[i] - origin) * (x[i] - origin);
    }
    double total = squares - sum * sum / (double)n; /* about the mean */
    ptrdiff_t tenth = (n + 9) / 10, least = tenth > GROUP_MIN ? tenth : GROUP_MIN;
    double best = -1;
    for (ptrdiff_t k = 1; k <= n - least; k++) {
        left += x[k - 1] - origin;
        double a = (double)k, b = (double)(n - k), apart = left / a - (sum - left) / b,
               between = a * b / (double)n * apart * apart;
        if (k < least || between <= best)
            continue;
        best = between;
        out->low_n = k, out->high_n = n - k;
        out->low_mean = origin + left / a, out->high_mean = origin + (sum - left) / b;
    }
    double within = total - best;
    out->ratio = within > 1e-12 * total ? best / within : INFINITY;
}

enum tare_status tare_two_modes(const double *x, ptrdiff_t n, double *scratch, struct tare_modes *out)
{
    *out = (struct tare_modes){.ratio = NAN, .critical = NAN, .low_mean = NAN, .high_mean = NAN};
    if (n < 0 || !stats_all_finite(x, n))
        return TARE_INVALID;
    if (n < 2 * GROUP_MIN)
        return TARE_OK;
    out->critical = critical_value((double)n);
    const double unit = stats_unit(x, n);
    for (ptrdiff_t i = 0; i < n; i++)
        scratch[i] = x[i] * unit;
    tare_sort(scratch, n);
    const double *kept = without_outliers(scratch, &n);
    double quarter = tare_quantile_sorted(kept, n, 0.25), three = tare_quantile_sorted(kept, n, 0.75);
    if (n >= 2 * GROUP_MIN && three > quarter)
        best_split(kept, n, out);
    out->low_mean = stats_in_unit(out->low_mean, unit);
    out->high_mean = stats_in_unit(out->high_mean, unit);
    return TARE_OK;
}
