/* SPDX-License-Identifier: MIT */
#include "axis.h"
#include <math.h>

void extent_widen(struct extent *e, double value)
{
    if (!isfinite(value))
        return;
    e->low = fmin(e->low, value);
    e->high = fmax(e->high, value);
}

bool axis_wants_logarithm(double low, double high)
{
    return low > 0 && high / low >= 8;
}

struct axis axis_over(double low, double high, bool logarithmic)
{
    struct axis a = {.low = low, .high = high, .logarithmic = logarithmic && low > 0};
    if (low < high)
        return a;
    a.logarithmic = a.logarithmic && low / 2 > 0 && isfinite(high * 2);
    a.low = a.logarithmic ? low / 2 : low == 0 ? -1 : low - fabs(low) / 2;
    a.high = a.logarithmic ? high * 2 : high == 0 ? 1 : high + fabs(high) / 2;
    return a;
}

double axis_place(const struct axis *a, double value)
{
    if (!a->logarithmic)
        return (value - a->low) / (a->high - a->low);
    return value > 0 ? log(value / a->low) / log(a->high / a->low) : NAN;
}

/* The least of 1, 2, 5, 10, 20 ... times a power of ten that is not below `wanted`. */
static double round_up(double wanted)
{
    double power = pow(10, floor(log10(wanted))), x = wanted / power;
    return power * (x <= 1 + 1e-9 ? 1 : x <= 2 + 1e-9 ? 2 : x <= 5 + 1e-9 ? 5 : 10);
}

static int linear_ticks(const struct axis *a, int most, double *ticks)
{
    double step = round_up((a->high - a->low) / (most - 1));
    if (a->whole && step < 1)
        step = 1;
    int n = 0;
    const double low = a->whole ? fmax(a->low, a->first) : a->low;
    for (double i = ceil(low / step - 1e-9); i * step <= a->high + step * 1e-9 && n < most; i++)
        ticks[n++] = i * step + 0.0; /* no tick is -0 */
    return n;
}

/* Powers of ten, each `every`th of them, with 2 and 5 times them between where `fine` says so. */
static int power_ticks(const struct axis *a, int every, int fine, int most, double *ticks)
{
    static const double within[3][3] = {{1}, {1, 3}, {1, 2, 5}};
    int n = 0;
    for (int e = (int)floor(log10(a->low)); e <= (int)ceil(log10(a->high)); e++)
        for (int i = 0; i <= fine && e % every == 0; i++) {
            double tick = within[fine][i] * pow(10, e);
            if (tick < a->low * (1 - 1e-9) || tick > a->high * (1 + 1e-9))
                continue;
            if (n == most)
                return most + 1;
            ticks[n++] = tick;
        }
    return n;
}

static int given_ticks(const struct axis *a, int most, double *ticks)
{
    const double apart = 0.6 / most; /* of the axis: figures of neighbours do not touch */
    double last = -INFINITY;
    int n = 0;
    for (int i = 0; i < a->n_at && n < most; i++) {
        const double place = axis_place(a, a->at[i]);
        if (!(place >= -1e-9 && place <= 1 + 1e-9 && place - last >= apart))
            continue;
        ticks[n++] = a->at[i];
        last = place;
    }
    return n;
}

int axis_ticks(const struct axis *a, int most, double *ticks)
{
    if (a->n_at)
        return given_ticks(a, most, ticks);
    if (!a->logarithmic)
        return linear_ticks(a, most, ticks);
    for (int fine = 2; fine >= 0; fine--) {
        int n = power_ticks(a, 1, fine, most, ticks);
        if (fine == 2 && n < 3)
            return linear_ticks(a, most, ticks);
        if (n <= most && (n >= 2 || !fine))
            return n >= 2 ? n : linear_ticks(a, most, ticks);
    }
    int every = 2;
    while (power_ticks(a, every, 0, most, ticks) > most)
        every++;
    return power_ticks(a, every, 0, most, ticks);
}
