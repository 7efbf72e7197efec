/* SPDX-License-Identifier: MIT
 *
 * The steady state against a second way to it: every partition's cost by all beginnings of each segment, in long double and without
 * prefix sums. And how much work it takes. The sources are part of this program so that its looks at segments can be counted.
 */
static long looks;
#include "repeated.h"
#include "rng.h"
#include "rng_normal.h"
#include "stats_test.h"
#define sqrt(a) (looks++, sqrt(a)) /* one in each look at a segment */
#include "../../src/stats/partition.c"
#include "../../src/stats/steady.c"
#undef sqrt

enum { MOST = 1000, KINDS = 8 };

static const char *const kinds[KINDS] = {"noise", "a step", "a decay", "a line", "levels", "spikes", "a walk", "a wave"};

static void series(struct rng *r, int kind, double phi, bool rounded, double *x, int n)
{
    double ar = rng_normal(r), level = 0;
    for (int i = 0; i < n; i++) {
        ar = phi * ar + sqrt(1 - phi * phi) * rng_normal(r);
        level = kind == 6 ? level + rng_normal(r) : kind == 4 && rng_uniform(r) < .02 ? 5 * rng_normal(r) : level;
        const double signals[KINDS] = {0,     10. * (i < n / 3), 20 * exp(-5. * i / n), 30. * i / n, level, 0,
                                       level, 3 * sin(.05 * i)};
        x[i] = 100 * exp(.01 * (ar + signals[kind] + (kind == 5 && rng_uniform(r) < .03 ? 10 * rng_uniform(r) : 0)));
        x[i] = rounded ? rint(x[i]) : x[i];
    }
}

/* ---- the second way ---- */

static double middle(const double *x, int n)
{
    double sorted[MOST];
    memcpy(sorted, x, (size_t)n * sizeof *x);
    tare_sort(sorted, n);
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

static int far_values(const double *x, int n)
{
    int found = 0, width = n < 200 ? n : 200;
    for (int i = 0; i < n; i++) {
        int first = i - width / 2 < 0 ? 0 : i - width / 2 > n - width ? n - width : i - width / 2;
        double sorted[200];
        memcpy(sorted, x + first, (size_t)width * sizeof *x);
        tare_sort(sorted, width);
        double spread = tare_quantile_sorted(sorted, width, .9) - tare_quantile_sorted(sorted, width, .1);
        found += spread > 0 && fabs(x[i] - middle(sorted, width)) > 3 * spread;
    }
    return found;
}

static void limited(const double *y, double *w, int n)
{
    double about[MOST], off[MOST] = {0};
    for (int i = 0; i < n; i++) {
        const int width = i < 3 || n - i < 4 ? 5 : 7, first = i - width / 2;
        about[i] = middle(y + (first < 0 ? 0 : first > n - width ? n - width : first), width);
        off[i] = fabs(y[i] - about[i]);
    }
    const double reach = 3 * 1.482602218505602 * middle(off, n);
    for (int i = 0; i < n; i++)
        w[i] = y[i] < about[i] - reach ? about[i] - reach : y[i] > about[i] + reach ? about[i] + reach : y[i];
}

/* The mean of a stretch, and its squares about it, one value more at a time (Welford). */
struct level {
    long double mean, squares;
};
static struct level levels[MOST + 1][MOST + 1]; /* [first][end] */

static void all_levels(const double *w, int n)
{
    for (int first = 0; first < n; first++) {
        struct level l = {0, 0};
        for (int end = first + 1; end <= n; end++) {
            long double d = w[end - 1] - l.mean;
            l.mean += d / (end - first);
            l.squares += d * (w[end - 1] - l.mean);
            levels[first][end] = l;
        }
    }
}

static void all_partitions(int *last, int n, long double price)
{
    long double best[MOST + 1];
    best[0] = -price;
    for (int end = 3; end <= n; end++) {
        best[end] = INFINITY;
        for (int first = 0; first <= end - 3; first++)
            if ((first == 0 || first >= 3) && best[first] + levels[first][end].squares + price < best[end]) {
                best[end] = best[first] + levels[first][end].squares + price;
                last[end] = first;
            }
    }
}

struct judged {
    double bad, rho, sigma;
    int segments;
};

static struct judged judge(const double *w, const int *last, int n)
{
    long double residual[MOST], squares = 0, products = 0;
    struct judged j = {0};
    for (int end = n; end > 0; end = last[end], j.segments++)
        for (int i = last[end]; i < end; i++)
            residual[i] = w[i] - levels[last[end]][end].mean;
    for (int i = 0; i < n; i++) {
        squares += residual[i] * residual[i];
        products += i ? residual[i] * residual[i - 1] : 0;
    }
    const double seen = squares > 0 ? (double)(products / squares) : 0, rho = seen < 0 ? 0 : seen > .95 ? .95 : seen;
    j.bad =
        (n - 7) * log(((double)squares / n + 1e-8) * (1 - rho * rho)) - 8 * log(1 - rho) + (j.segments - 1) * (3 + 4 * log(n));
    j.rho = seen + (1 + 3 * seen) * j.segments / n;
    j.rho = j.rho < -.5 ? -.5 : j.rho > .95 ? .95 : j.rho;
    j.sigma = sqrt((double)squares / (n - j.segments));
    j.sigma = j.sigma < 1e-4 ? 1e-4 : j.sigma;
    return j;
}

static struct judged likeliest(const double *y, const double *w, int *last, int n)
{
    double steps[MOST];
    for (int i = 1; i < n; i++)
        steps[i - 1] = fabs(y[i] - y[i - 1]);
    const double sigma = 1.482602218505602 * middle(steps, n - 1) / sqrt(2);
    const double lowest = 3 * log(n) * (sigma < 1e-4 ? 1e-8 : sigma * sigma);
    struct judged best = {.bad = INFINITY};
    for (double price = 1.01 * (double)levels[0][n].squares;; price /= 3) {
        const bool least = price <= lowest;
        int cuts[MOST + 1];
        all_partitions(cuts, n, least ? lowest : price);
        const struct judged j = judge(w, cuts, n);
        if (j.bad < best.bad) {
            best = j;
            memcpy(last, cuts, sizeof cuts);
        }
        if (least)
            return best;
    }
}

static struct tare_steady second_way(const double *x, int n)
{
    double y[MOST], w[MOST];
    int last[MOST + 1];
    for (int i = 0; i < n; i++)
        y[i] = log(x[i]);
    limited(y, w, n);
    all_levels(w, n);
    const struct judged j = likeliest(y, w, last, n);
    struct tare_steady s = {.segments = j.segments, .outliers = far_values(x, n), .sigma = j.sigma, .rho = j.rho};
    const struct level final = levels[last[n]][n];
    double like = sqrt((double) final.squares / (n - last[n] - 1));
    like = like < .01 ? .01 : like;
    bool flat = true, faster = false, steady = true;
    for (int end = n, first; end > 0; end = first) {
        first = last[end];
        const double above = (double)(levels[first][end].mean - final.mean);
        const bool alike = fabs(above) <= like;
        steady = steady && alike;
        s.onset = steady ? first : s.onset;
        flat = flat && alike;
        faster = faster || (!alike && above < 0);
    }
    for (int half; (half = (int)(n - s.onset) / 2) >= 3; s.onset += half, flat = false) {
        const double above = (double)(levels[n - half][n].mean - levels[s.onset][s.onset + half].mean),
                     rho = j.rho > 0 ? j.rho : 0;
        const double sure = 4 * j.sigma * sqrt(2 * (1 + rho) / (1 - rho) / half);
        if (fabs(above) <= .0025 || fabs(above) <= sure)
            break;
        faster = faster || above > 0;
    }
    const bool late = (double)s.onset > .75 * n;
    s.word = flat ? TARE_STEADY_FLAT : late ? TARE_STEADY_NONE : faster ? TARE_STEADY_SLOW_DOWN : TARE_STEADY_WARM_UP;
    for (ptrdiff_t i = s.onset; i < n; i++)
        s.level += x[i] / (double)(n - s.onset);
    return s;
}

static void assert_same_answers(struct rng *r, int i, int n, void *scratch)
{
    double x[MOST];
    const int kind = i % KINDS;
    series(r, kind, (i / KINDS % 3) * .4, i / KINDS % 4 == 3, x, n);
    struct tare_steady s;
    assert_int_equal(tare_steady_state(x, n, scratch, &s), TARE_OK);
    const struct tare_steady other = second_way(x, n);
    if (s.word != other.word || s.onset != other.onset || s.segments != other.segments || s.outliers != other.outliers)
        print_error("series %d, %s, %d values: %s from %td on, %td segments; the second way: %s from %td on, %td\n", i,
                    kinds[kind], n, tare_steady_name(s.word), s.onset, s.segments, tare_steady_name(other.word), other.onset,
                    other.segments);
    assert_true(s.word == other.word && s.onset == other.onset && s.segments == other.segments && s.outliers == other.outliers);
    assert_close(s.sigma, other.sigma, 1e-9);
    assert_near(s.rho, other.rho, 1e-9);
    assert_close(s.level, other.level, 1e-12);
}

static void all_beginnings_give_the_same_segments(void **state)
{
    (void)state;
    struct rng r = rng_seeded(81);
    void *scratch = malloc(tare_steady_scratch_bytes(MOST));
    for (int i = 0; i < REPEATED(800); i++)
        assert_same_answers(&r, i, 12 + (int)(rng_uniform(&r) * 140), scratch);
    for (int i = 0; i < 2 * KINDS; i++)
        assert_same_answers(&r, i, i < KINDS ? 400 : MOST, scratch);
    free(scratch);
}

/* Looks per value at all prices, in series sixteen times as long. Beginnings left out by their cost alone, it was 22 times as many where nothing
 * changes. */
static void looks_per_value_hardly_grow_with_the_series(void **state)
{
    (void)state;
    enum { SHORT = 2000, LONG = 16 * SHORT };
    static double x[LONG];
    void *scratch = malloc(tare_steady_scratch_bytes(LONG));
    for (int kind = 0; kind <= KINDS; kind++) {
        double per_value[2];
        for (int l = 0; l < 2; l++) {
            struct rng r = rng_seeded(82);
            const int n = l ? LONG : SHORT;
            series(&r, kind % KINDS, .4, false, x, n);
            for (int i = 0; i < n && kind == KINDS; i++)
                x[i] = 1 + 1. * i / n;
            struct tare_steady s;
            looks = 0;
            assert_int_equal(tare_steady_state(x, n, scratch, &s), TARE_OK);
            per_value[l] = (double)looks / n;
        }
        if (per_value[1] > 4 * per_value[0])
            print_error("%s: %.0f looks per value of %d, %.0f of %d\n", kind < KINDS ? kinds[kind] : "no noise", per_value[0],
                        SHORT, per_value[1], LONG);
        assert_true(per_value[1] <= 4 * per_value[0]);
    }
    free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_beginnings_give_the_same_segments),
        cmocka_unit_test(looks_per_value_hardly_grow_with_the_series),
    };
    return cmocka_run_group_tests_name("steady state", tests, NULL, NULL);
}
