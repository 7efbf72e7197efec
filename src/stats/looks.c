/* SPDX-License-Identifier: MIT
 *
 * Levels for repeated looks at growing data: one critical value c for all looks (Pocock 1977) such that
 * P(|Z_k| >= c at any look) = alpha, with Z_k the standardised sum of n_k independent increments.
 *
 * Recursion of Armitage, McPherson and Rowe (1969): the density of Z_k on paths that never left [-c, c] is
 *     f_k(z) = integral over |y| < c of f_(k-1)(y) phi((z - rho y) / tau) / tau dy, rho^2 = n_(k-1)/n_k, tau^2 = 1 - rho^2.
 * All f_k are even, so half the line suffices. Each integral is a sum over panels of 16 Gauss-Legendre points, as many panels
 * as the narrowest kernel beside it needs. c is found between the single-look value and Bonferroni's.
 * Looks closer than the grid can resolve are moved apart: that lowers the correlations, which can only raise the error
 * computed for a given c (Sidak 1967), so the level errs to the safe side.
 *
 * Looks that were not planned (Lan & DeMets 1983): the error spent by look k, a function of the share of the session, is fixed before its data are
 * read, and the same recursion gives the c_k with P(no exit before, |Z_k| >= c_k) = spent_k - spent_(k-1), one look after the other. Z_k as above;
 * the shares say when error is spent and need not be proportional to n_k. Nested: where every increment grows with alpha, so does
 * every level, for earlier bounds that are closer leave less density, of which more is to exit. Any k from 1; nothing to spend: level 0.
 */
#include "stats_beyond.h"
#include "stats_core.h"

enum { POINTS = STATS_LOOKS_POINTS, PANELS_MAX = STATS_LOOKS_NODES / POINTS };
#define LEAST_ALPHA 1e-6 /* below, 1 - P(inside) has too few digits: Bonferroni, little less there */
#define PANEL_WIDTH 4.0  /* in kernel widths tau; 16 points then integrate the kernel to about 1e-10 */
#define FARTHEST    9.0  /* no path comes so far: 2e-19 */

struct schedule {
    const int *n_at;
    int k;
    double alpha;
    double narrowest; /* smallest tau that the grid can resolve */
    const struct stats_looks_rule *rule;
};

/* Legendre polynomial P_16 at x, and its derivative. */
static double legendre(double x, double *slope)
{
    double p = x, before = 1;
    for (int j = 2; j <= POINTS; j++) {
        double next = ((2 * j - 1) * x * p - (j - 1) * before) / j;
        before = p;
        p = next;
    }
    *slope = POINTS * (before - x * p) / (1 - x * x);
    return p;
}

static void gauss_legendre(struct stats_looks_rule *rule)
{
    for (int i = 0; i < POINTS; i++) {
        double x = cos(STATS_PI * (i + 0.75) / (POINTS + 0.5)), slope;
        for (int newton = 0; newton < 5; newton++) /* no bit changes after the fourth */
            x -= legendre(x, &slope) / slope;
        legendre(x, &slope);
        rule->point[i] = x;
        rule->weight[i] = 2 / ((1 - x * x) * slope * slope);
    }
}

/* tau of the step from look j-1 to look j (0-based); infinite where there is no such step. */
static double step_width(const struct schedule *s, int j)
{
    if (j < 1 || j >= s->k)
        return INFINITY;
    double tau = sqrt((double)(s->n_at[j] - s->n_at[j - 1]) / (double)s->n_at[j]);
    return tau > s->narrowest ? tau : s->narrowest;
}

/* Lays the nodes for look j; mass is the bare weight. */
static void lay_grid(const struct schedule *s, int j, double c, struct stats_looks_grid *g)
{
    double kernel = fmin(1, fmin(step_width(s, j), step_width(s, j + 1)));
    int panels = (int)ceil(c / (PANEL_WIDTH * kernel));
    panels = panels < 1 ? 1 : panels > PANELS_MAX ? PANELS_MAX : panels;
    double half = c / panels / 2;
    g->n = panels * POINTS;
    for (int i = 0; i < g->n; i++) {
        g->at[i] = half * (2 * (i / POINTS) + 1 + s->rule->point[i % POINTS]);
        g->mass[i] = half * s->rule->weight[i % POINTS];
    }
}

/* Density at z after one step from `from`, and the mirror image of `from`. */
static double step_density(const struct stats_looks_grid *from, double z, double rho, double tau)
{
    double sum = 0;
    for (int i = 0; i < from->n; i++) {
        double a = (z - rho * from->at[i]) / tau, b = (z + rho * from->at[i]) / tau;
        if (fabs(a) < 9)
            sum += from->mass[i] * exp(-a * a / 2);
        if (b < 9)
            sum += from->mass[i] * exp(-b * b / 2);
    }
    return sum / (tau * sqrt(2 * STATS_PI));
}

/* Mass that stays inside [-c, c] in the last step. */
static double last_step(const struct stats_looks_grid *from, double c, double rho, double tau)
{
    double sum = 0;
    for (int i = 0; i < from->n; i++) {
        double y = rho * from->at[i];
        sum += 2 * from->mass[i] * (1 - tare_normal_cdf((y - c) / tau) - tare_normal_cdf((-y - c) / tau));
    }
    return sum;
}

/* P(outside [-c, c] at any look) - alpha. */
static double excess(double c, const void *context)
{
    const struct schedule *s = context;
    struct stats_looks_grid grids[2], *now = &grids[0], *next = &grids[1];
    lay_grid(s, 0, c, now);
    for (int i = 0; i < now->n; i++)
        now->mass[i] *= stats_normal_density(now->at[i]);
    for (int j = 1; j < s->k; j++) {
        double tau = step_width(s, j), rho = sqrt(1 - tau * tau);
        if (j == s->k - 1)
            return 1 - last_step(now, c, rho, tau) - s->alpha;
        lay_grid(s, j, c, next);
        for (int i = 0; i < next->n; i++)
            next->mass[i] *= step_density(now, next->at[i], rho, tau);
        struct stats_looks_grid *t = now;
        now = next, next = t;
    }
    return 2 * tare_normal_cdf(-c) - s->alpha; /* one look */
}

enum tare_status tare_looks_level(const int *n_at, int k, double alpha, double *level)
{
    *level = NAN;
    bool ascending = k > 0 && n_at[0] > 0;
    for (int i = 1; i < k; i++)
        ascending &= n_at[i] > n_at[i - 1];
    if (!ascending || !stats_level_ok(alpha))
        return TARE_INVALID;
    *level = alpha;
    if (k > 1 && alpha < LEAST_ALPHA)
        *level = alpha / k;
    if (k == 1 || alpha < LEAST_ALPHA)
        return TARE_OK;
    double single = -tare_normal_quantile(alpha / 2), bonferroni = -tare_normal_quantile(alpha / 2 / k);
    struct stats_looks_rule rule;
    struct schedule s = {n_at, k, alpha, bonferroni / (PANEL_WIDTH * PANELS_MAX), &rule};
    gauss_legendre(&rule);
    *level = 2 * tare_normal_cdf(-stats_root(excess, &s, single, bonferroni));
    return TARE_OK;
}

double tare_spending(enum tare_spending family, double exponent, double share, double alpha)
{
    if (!(share >= 0 && share <= 1) || !stats_level_ok(alpha) ||
        (family == TARE_SPEND_POWER && !(exponent > 0 && exponent <= 1e3)))
        return NAN;
    if (share == 0 || share == 1)
        return share * alpha;
    switch (family) {
    case TARE_SPEND_OBRIEN_FLEMING:
        return 4 * tare_normal_cdf(tare_normal_quantile(alpha / 4) / sqrt(share));
    case TARE_SPEND_POCOCK:
        return alpha * log1p(expm1(1) * share);
    case TARE_SPEND_POWER:
        return alpha * pow(share, exponent);
    }
    return NAN;
}

/* The last of a row of looks, whose bound is sought. */
struct last_look {
    const struct stats_looks_grid *from;
    double rho, tau, exit;
};

/* P(no exit before, |Z| >= c) - exit. */
static double exit_excess(double c, const void *context)
{
    const struct last_look *l = context;
    double sum = 0;
    for (int i = 0; i < l->from->n; i++) {
        double y = l->rho * l->from->at[i];
        sum += 2 * l->from->mass[i] * (tare_normal_cdf((y - c) / l->tau) + tare_normal_cdf((-y - c) / l->tau));
    }
    return sum - l->exit;
}

/* The bound lies between what it would be without earlier looks, and were no path that exits now among those that left before. */
static double spent_bound(const struct last_look *l, double spent)
{
    double near = -tare_normal_quantile(spent / 2), far = l->exit > 0 ? -tare_normal_quantile(l->exit / 2) : INFINITY;
    if (far >= FARTHEST || exit_excess(far, l) >= 0)
        return far;
    return exit_excess(near, l) <= 0 ? near : stats_root(exit_excess, l, near, far);
}

bool stats_looks_ok(const int *n_at, const double *spent, int k)
{
    bool ok = k > 0 && n_at[0] > 0 && spent[0] >= 0 && spent[k - 1] < 1;
    for (int i = 1; i < k; i++)
        ok &= n_at[i] > n_at[i - 1] && spent[i] >= spent[i - 1];
    return ok;
}

/* Density of the paths that are inside the bounds up to look j. */
static void carry_on(const struct schedule *s, int j, const struct stats_looks *before, struct stats_looks_grid *inside)
{
    const double tau = j ? step_width(s, j) : 1, rho = sqrt(1 - tau * tau);
    lay_grid(s, j, before->bound, inside);
    for (int i = 0; i < inside->n; i++)
        inside->mass[i] *= j ? step_density(&before->inside, inside->at[i], rho, tau) : stats_normal_density(inside->at[i]);
}

double stats_looks_next(const struct stats_looks *before, const int *n_at, const double *spent, int j, struct stats_looks *now)
{
    const struct schedule s = {.n_at = n_at, .k = j + 1, .narrowest = FARTHEST / (PANEL_WIDTH * PANELS_MAX), .rule = &now->rule};
    const double tau = j ? step_width(&s, j) : 1;
    const struct last_look look = {&now->inside, sqrt(1 - tau * tau), tau, j ? spent[j] - spent[j - 1] : spent[0]};
    double c = INFINITY;
    if (j) {
        now->rule = before->rule;
        carry_on(&s, j - 1, before, &now->inside);
    } else {
        gauss_legendre(&now->rule);
    }
    if (look.exit > 0)
        c = j && spent[j] >= LEAST_ALPHA ? spent_bound(&look, spent[j]) : -tare_normal_quantile(look.exit / 2);
    now->bound = fmin(c, FARTHEST);
    return fmax(2 * tare_normal_cdf(-c), look.exit);
}

enum tare_status tare_looks_spent(const int *n_at, const double *spent, int k, double *level)
{
    struct stats_looks looks[2];
    *level = NAN;
    if (!stats_looks_ok(n_at, spent, k))
        return TARE_INVALID;
    for (int j = 0; j < k; j++)
        *level = stats_looks_next(&looks[(j + 1) % 2], n_at, spent, j, &looks[j % 2]);
    return TARE_OK;
}
