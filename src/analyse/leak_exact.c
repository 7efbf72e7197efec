/* SPDX-License-Identifier: MIT
 *
 * Intervals without an asymptotic step, for means of bounded values that may move.
 *
 * For y >= -c and 0 <= l c < 1: exp(l y - f(l) y^2) <= 1 + l y with f(l) = (-ln(1 - c l) - c l) / c^2 (Fan, Grama and Liu 2015). With y = x - p, p
 * predicted from the past, the product over blocks of exp(l (x - m) - f(l) (x - p)^2), m the conditional mean of x, has mean 1 at
 * most (Howard, Ramdas, McAuliffe and Sekhon 2021, theorem 4); so has the average over l of a fixed grid. It stays below 2 / level for ever
 * with a chance of level / 2 (Ville), and so does that of -x: with S the sum of x and V that of (x - p)^2, the sum of all m lies within
 *     S -+ u,   u the root of   average over l of exp(l u - f(l) V) = 2 / level.
 * What is covered is the mean so far of the conditional means: no constant mean, no independence, no shape. Each block may have another.
 *
 * Grid: l c = 0.8 / 2^i, i = 0 .. 15: within a factor of sqrt 2 of the best for V from a few to 10^9 c^2, which costs 6 % at most, and ln 16.
 * p: the mean so far; values in [-range, range] then have c = 2 range. Smallest n: 1. n of 0: unbounded, no point. Ties: none special.
 * Constants: V stays near 0, and the interval shrinks like 1/n.
 */
#include "leak_core.h"
#include <math.h>

enum { GRID = 16, HALVINGS = 40 };

struct leak_bernstein leak_bernstein_start(double range)
{
    return (struct leak_bernstein){.range = range};
}

void leak_bernstein_add(struct leak_bernstein *m, double x)
{
    double off = m->n ? x - m->sum / (double)m->n : x;
    m->n++;
    m->sum += x;
    m->v += off * off;
}

/* l and f(l) V of the grid, for c = 1. */
static void fill_grid(double v, double *l, double *toll)
{
    double each = .8;
    for (int i = 0; i < GRID; i++, each /= 2) {
        l[i] = each;
        toll[i] = (-log1p(-each) - each) * v;
    }
}

static double log_average(const double *l, const double *toll, double u)
{
    double at[GRID];
    for (int i = 0; i < GRID; i++)
        at[i] = l[i] * u - toll[i];
    return tare_log_mean_exp(at, GRID);
}

double leak_bernstein_radius(double v, double most, double level)
{
    double l[GRID], toll[GRID], wanted = log(2 / level), low = INFINITY, high = INFINITY;
    fill_grid(v / (most * most), l, toll);
    for (int i = 0; i < GRID; i++) { /* one l alone would do with the first, all but one being nothing with the second */
        low = fmin(low, (wanted + toll[i]) / l[i]);
        high = fmin(high, (wanted + log(GRID) + toll[i]) / l[i]);
    }
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (log_average(l, toll, middle) < wanted)
            low = middle;
        else
            high = middle;
    }
    return high * most;
}

struct tare_interval leak_bernstein_interval(const struct leak_bernstein *m, double level)
{
    struct tare_interval out = {NAN, -INFINITY, INFINITY, level, (ptrdiff_t)m->n};
    if (m->n == 0)
        return out;
    double n = (double)m->n, radius = leak_bernstein_radius(m->v, 2 * m->range, level) / n;
    out.point = m->sum / n;
    out.low = fmax(out.point - radius, -m->range);
    out.high = fmin(out.point + radius, m->range);
    return out;
}
