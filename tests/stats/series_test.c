/* SPDX-License-Identifier: MIT
 *
 * The descriptive checks: dependence, trend, outliers, two modes, tails; sorting and running moments.
 */
#include "rng.h"
#include "rng_normal.h"
#include "stats_beyond.h"
#include "stats_test.h"
#include <float.h>

static void lag1_of_the_reference_series(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 2, 1, 2, 3, 4, 3, 2};
    assert_close(tare_lag1_autocorrelation(x, 10), .334567901235, 1e-11);
    const double constant[] = {3, 3, 3};
    assert_true(isnan(tare_lag1_autocorrelation(constant, 3)));
}

static void dependence_of_ranks_ignores_the_size_of_outliers(void **state)
{
    (void)state;
    double x[100], scratch[200];
    struct rng r = rng_seeded(7);
    double ar = 0;
    for (int i = 0; i < 100; i++)
        x[i] = ar = 0.9 * ar + rng_normal(&r);
    struct tare_dependence plain, spiked;
    assert_int_equal(tare_serial_dependence(x, 100, scratch, &plain), TARE_OK);
    x[50] += 1e6;
    tare_serial_dependence(x, 100, scratch, &spiked);
    assert_true(plain.r_ranks > .6 && plain.r_ranks > plain.threshold);
    assert_true(fabs(spiked.r) < .05);
    assert_true(spiked.r_ranks > .6);
    assert_close(plain.threshold, .2, 0);
    double unbiased = plain.r_ranks + (1 + 3 * plain.r_ranks) / 100;
    assert_close(plain.n_effective, 100 * (1 - unbiased) / (1 + unbiased), 1e-15);
}

static void effective_n_stays_between_one_and_n(void **state)
{
    (void)state;
    double rising[50], zigzag[50], scratch[100];
    for (int i = 0; i < 50; i++)
        rising[i] = i, zigzag[i] = i % 2;
    struct tare_dependence d;
    tare_serial_dependence(rising, 50, scratch, &d);
    assert_close(d.n_effective, 1, 0);
    tare_serial_dependence(zigzag, 50, scratch, &d);
    assert_true(d.r_ranks < -.9);
    assert_close(d.n_effective, 50, 0);
    tare_serial_dependence(zigzag, 1, scratch, &d);
    assert_true(isnan(d.r_ranks));
    assert_close(d.n_effective, 1, 0);
}

/* S, tie-corrected variance and median slope by their definitions. */
static void trend_by_pairs(const double *x, int n, double *s, double *slope)
{
    static double slopes[200 * 200];
    int m = 0;
    *s = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            *s += (x[j] > x[i]) - (x[j] < x[i]);
            slopes[m++] = (x[j] - x[i]) / (j - i);
        }
    tare_sort(slopes, m);
    *slope = m % 2 ? slopes[m / 2] : slopes[m / 2 - 1] / 2 + slopes[m / 2] / 2;
}

/* Of very many values some pairs of neighbours are drawn. The period of these series is that of the stretches, or a part of it. */
static void neighbours_that_are_drawn_tell_what_all_tell(void **state)
{
    (void)state;
    enum { N = 200001 };
    static double x[N], sorted[N];
    for (int pattern = 0; pattern < 3; pattern++) {
        struct tare_dependence all, some;
        for (int i = 0; i < N; i++)
            sorted[i] = x[i] = pattern == 0 ? i / 2 % 2 : pattern == 1 ? i % 10 < 2 : i % 2;
        tare_sort(sorted, N);
        assert_int_equal(stats_serial_dependence(x, sorted, N, N, &all), TARE_OK);
        assert_int_equal(stats_serial_dependence(x, sorted, N, STATS_NEIGHBOURS, &some), TARE_OK);
        assert_true(fabs(some.r_ranks - all.r_ranks) < 0.05 && fabs(some.r_ranks) <= 1);
    }
}

/* All n, so that half of the counts of pairs are even: the median is then the mean of two slopes. Up to 48 values to the last bit. */
static void trend_agrees_with_the_list_of_all_pairs(void **state)
{
    (void)state;
    struct rng r = rng_seeded(8);
    double x[150], scratch[300], s, slope;
    for (int n = 2; n <= 150; n += 1 + (n > 60 ? n / 10 : 0))
        for (int kind = 0; kind < 4; kind++) {
            for (int i = 0; i < n; i++)
                x[i] = kind == 0   ? 0.01 * i + rng_normal(&r)
                       : kind == 1 ? 0.01 * i + (double)rng_below(&r, 4)
                       : kind == 2 ? (double)rng_below(&r, 7) - 3
                                   : rng_normal(&r) / rng_uniform(&r);
            struct tare_trend t;
            assert_int_equal(tare_mann_kendall(x, n, scratch, &t), TARE_OK);
            trend_by_pairs(x, n, &s, &slope);
            assert_close(t.s, s, 0);
            if (n <= 48)
                assert_close(t.slope, slope, 0);
            else
                assert_near(t.slope, slope, 1e-13);
        }
}

static void the_slope_of_an_even_number_of_pairs_is_the_mean_of_two(void **state)
{
    (void)state;
    const double x[] = {3, -3, -2, -1}; /* slopes -6, -5/2, -4/3, 1, 1, 1 */
    double scratch[8];
    struct tare_trend t;
    tare_mann_kendall(x, 4, scratch, &t);
    assert_close(t.slope, (1 - 4 / 3.0) / 2, 1e-15);
}

static void trend_of_a_worked_example_with_ties(void **state)
{
    (void)state;
    const double x[] = {1, 2, 2, 3, 5, 4, 4, 4, 6, 7};
    double scratch[20];
    struct tare_trend t;
    tare_mann_kendall(x, 10, scratch, &t);
    /* 45 pairs, 1 + 3 tied, falling 3: S = 38 - 3. 18 var = 10*9*25 - 2*1*9 - 3*2*11 = 2166 */
    assert_close(t.s, 35, 0);
    assert_close(t.z, 34 / sqrt(2166 / 18.0), 1e-15);
    assert_close(t.p, erfc(t.z / sqrt(2)), 1e-14);
    const double constant[] = {5, 5, 5, 5};
    tare_mann_kendall(constant, 4, scratch, &t);
    assert_close(t.s, 0, 0);
    assert_close(t.p, 1, 0);
    assert_close(t.slope, 0, 0);
}

static void outliers_are_counted_in_robust_standard_deviations(void **state)
{
    (void)state;
    const double sd = 1.482602218505602; /* of data with median 0 and median absolute deviation 1 */
    double x[41], scratch[41];
    const double far[] = {4.99 * sd, 5.01 * sd, 9.99 * sd, 10.01 * sd, 1000 * sd, -4.99 * sd, -5.01 * sd, -9.99 * sd, -1000 * sd};
    x[0] = 0;
    for (int i = 1; i < 41; i++)
        x[i] = i <= 9 ? far[i - 1] : i % 2 ? 1 : -1; /* 20 above 0, 20 below */
    struct tare_outliers o;
    assert_int_equal(tare_outliers(x, 41, scratch, &o), TARE_OK);
    assert_int_equal(o.scale, TARE_SCALE_MAD);
    assert_close(tare_mad(x, 41, scratch), 1, 0);
    assert_close(o.sd, sd, 1e-15);
    assert_int_equal(o.mild, 4);
    assert_int_equal(o.severe, 2);
    assert_int_equal(o.low, 3);
}

static void outliers_of_quantised_data_are_not_counted(void **state)
{
    (void)state;
    double x[] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 900}, scratch[10];
    struct tare_outliers o;
    tare_outliers(x, 10, scratch, &o);
    assert_int_equal(o.scale, TARE_SCALE_QUANTISED);
    assert_int_equal(o.mild + o.severe + o.low, 0);
    double y[] = {5, 5, 5, 5, 5, 5, 6, 6, 6, 900};
    tare_outliers(y, 10, scratch, &o);
    assert_int_equal(o.scale, TARE_SCALE_IQR);
    assert_close(o.sd, 1 / 1.348979500392164, 1e-15);
    assert_int_equal(o.severe, 1);
}

/* ln of the largest likelihood of exponential steps, m of them over this width. */
static long double likelihood(int m, long double width)
{
    return m * logl(m / width);
}

/* What two_modes.c says that a stretch of p steps beside one of q is worth. */
static long double worth(int p, int q, int n, long double valley, long double side)
{
    if (valley <= 0 || valley / p <= side / q)
        return -INFINITY;
    return likelihood(p, valley) + likelihood(q, side) - likelihood(p + q, valley + side) - logl((long double)n / (p + q));
}

static long double deepest_by_definition(const double *x, int n)
{
    const int group = (n + 9) / 10 > 3 ? (n + 9) / 10 : 3;
    long double step = INFINITY, deepest = -INFINITY;
    for (int i = 1; i < n; i++)
        if (x[i] > x[i - 1])
            step = fminl(step, x[i] - x[i - 1]);
    for (int p = 1; p < n; p *= 2)
        for (int first = group - 1; first + p <= n - group; first += p < 4 ? 1 : p / 4) {
            const int last = first + p, rooms[] = {first, n - 1 - last};
            long double of[2] = {-INFINITY, -INFINITY};
            for (int side = 0; side < 2; side++)
                for (int q = p < 4 ? 2 : p / 2; q <= 16 * p; q *= 2) {
                    const int steps = q < rooms[side] ? q : rooms[side];
                    const long double width = side ? x[last + steps] - x[last] : x[first] - x[first - steps];
                    of[side] = fmaxl(of[side], worth(p, steps, n, (long double)x[last] - x[first] - step, width + step));
                }
            deepest = fmaxl(deepest, fminl(of[0], of[1]));
        }
    return deepest;
}

static void the_valley_is_the_deepest_of_all_stretches(void **state)
{
    (void)state;
    struct rng r = rng_seeded(9);
    double x[150], scratch[150];
    int valleys = 0;
    for (int n = 6; n <= 150; n++) {
        for (int i = 0; i < n; i++)
            x[i] = n % 2 ? rng_normal(&r) + (i % 3 ? 5 : 0) : floor(50 * rng_uniform(&r)) / 10;
        struct tare_modes m;
        assert_int_equal(tare_two_modes(x, n, scratch, &m), TARE_OK);
        tare_sort(x, n);
        assert_close(m.ratio, (double)expl(deepest_by_definition(x, n)), 1e-9);
        valleys += m.ratio > 0;
        if (m.ratio == 0)
            continue;
        assert_int_equal(m.low_n + m.high_n, n);
        assert_true(m.low >= x[0] && m.low <= x[m.low_n - 1] && m.high >= x[m.low_n] && m.high <= x[n - 1]);
        assert_close(m.gap, (x[m.low_n - 1] + x[m.low_n]) / 2, 1e-13);
    }
    assert_true(valleys > 70);
}

static void two_modes_are_seen_and_scattered_slow_values_are_none(void **state)
{
    (void)state;
    struct rng r = rng_seeded(10);
    double x[100], scratch[100];
    struct tare_modes m;
    for (int i = 0; i < 100; i++)
        x[i] = rng_normal(&r) + (i % 3 == 0 ? 8 : 0);
    tare_two_modes(x, 100, scratch, &m);
    assert_true(m.ratio > m.critical);
    assert_int_equal(m.high_n, 34);
    for (int i = 0; i < 100; i++)
        x[i] = rng_normal(&r) + (i % 7 == 0 ? 1000 * rng_uniform(&r) : 0);
    tare_two_modes(x, 100, scratch, &m);
    assert_true(m.ratio < m.critical);
    for (int i = 0; i < 100; i++)
        x[i] = i < 6 ? 900 + i : i; /* six are fewer than a tenth */
    tare_two_modes(x, 100, scratch, &m);
    assert_true(m.ratio < m.critical);
}

/* Of two humps above the gap, at 7 and 12, the mean is 8.7, where no value is. */
static void a_mode_is_where_its_values_are(void **state)
{
    (void)state;
    struct rng r = rng_seeded(11);
    double x[300], scratch[300];
    struct tare_modes m;
    for (int i = 0; i < 300; i++)
        x[i] = (i < 240 ? 5 : i < 280 ? 7 : 12) + rng_normal(&r) / 20;
    assert_int_equal(tare_two_modes(x, 300, scratch, &m), TARE_OK);
    assert_true(m.ratio > m.critical);
    assert_int_equal(m.high_n, 60);
    assert_true(fabs(m.low - 5) < 0.1 && fabs(m.high - 7) < 0.1 && m.gap > 5.5 && m.gap < 6.5);
}

/* A counter whose step is as coarse as that can show one mode so. */
static void two_values_are_not_two_modes(void **state)
{
    (void)state;
    double x[100], scratch[100];
    struct tare_modes m;
    for (int i = 0; i < 100; i++)
        x[i] = i % 2;
    tare_two_modes(x, 100, scratch, &m);
    assert_true(m.ratio == 0);
    x[0] = 0.01; /* its step is finer */
    tare_two_modes(x, 100, scratch, &m);
    assert_true(m.ratio > m.critical);
    assert_int_equal(m.low_n, 50);
    const double rounded[] = {1, 1, 1, 1 + DBL_EPSILON, 1 + DBL_EPSILON, 1 + DBL_EPSILON}; /* one value, computed in two ways */
    tare_two_modes(rounded, 6, scratch, &m);
    assert_true(m.ratio == 0);
}

static void two_modes_critical_values_rise_slowly(void **state)
{
    (void)state;
    static double x[30000], scratch[30000];
    double before = 1;
    for (int i = 0; i < 30000; i++)
        x[i] = i;
    for (int n = 6; n <= 30000; n += 1 + n / 7) {
        struct tare_modes m;
        tare_two_modes(x, n, scratch, &m);
        assert_true(m.critical > before && m.critical < 20 * before);
        before = m.critical;
    }
    assert_true(before < 1e5);
}

static void tail_sign_test_counts_discordant_pairs(void **state)
{
    (void)state;
    double a[100], b[100], scratch[200];
    for (int i = 0; i < 100; i++)
        a[i] = b[i] = 1 + i * 1e-6;
    for (int i = 0; i < 15; i++)
        b[3 * i] = 2;
    a[1] = a[0] + 3, a[3] = 3; /* one of them meets a slow b */
    struct tare_tail t;
    assert_int_equal(tare_tail_sign_test(a, b, 100, scratch, &t), TARE_OK);
    int a_only = 0, b_only = 0;
    for (int i = 0; i < 100; i++) {
        a_only += a[i] > t.threshold && b[i] <= t.threshold;
        b_only += b[i] > t.threshold && a[i] <= t.threshold;
    }
    assert_int_equal(t.a_only, a_only);
    assert_int_equal(t.b_only, b_only);
    double sum = 0, term = pow(.5, a_only + b_only);
    for (int k = 0; k <= a_only; k++, term *= (double)(a_only + b_only - k + 1) / k)
        sum += term;
    assert_true(a_only < b_only);
    assert_close(t.p, 2 * sum, 1e-12);
    tare_tail_sign_test(a, a, 100, scratch, &t);
    assert_close(t.p, 1, 0);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Orders that make careless quicksorts quadratic: organ pipes, saw teeth, runs of equal values. */
static double pattern(int kind, int i, int n, struct rng *r)
{
    switch (kind) {
    case 0:
        return rng_normal(r);
    case 1:
        return i;
    case 2:
        return -i;
    case 3:
        return i < n / 2 ? i : n - i;
    case 4:
        return i % 7;
    case 5:
        return (double)rng_below(r, 3);
    case 6:
        return i == n / 2 ? -1 : i;
    default:
        return i % 2 ? INFINITY : -INFINITY;
    }
}

static void sort_agrees_with_the_c_library(void **state)
{
    (void)state;
    struct rng r = rng_seeded(11);
    static double x[5000], y[5000];
    for (int n = 0; n <= 5000; n = n < 70 ? n + 1 : n * 2 + 17)
        for (int kind = 0; kind < 8; kind++) {
            for (int i = 0; i < n; i++)
                x[i] = y[i] = pattern(kind, i, n, &r);
            tare_sort(x, n);
            qsort(y, (size_t)n, sizeof *y, ascending);
            assert_true(n == 0 || memcmp(x, y, (size_t)n * sizeof *x) == 0);
        }
}

static double middle(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Of 0 to n - 1 the order that tare_sort splits worst (McIlroy 1999): it is played through with values that are given only where a pivot is chosen, the least
 * of those left, so each split leaves nearly all on one side. */
static void order_badly(double *x, int n)
{
    static int at[5000]; /* which value is at a place */
    double next = 0;
    for (int i = 0; i < n; i++) {
        at[i] = i;
        x[i] = INFINITY;
    }
    for (int first = 0, below; n - first > 24; first += below) {
        int m = n - first, *a = at + first;
        const int three[] = {a[m / 4], a[m / 2], a[m - m / 4]};
        for (int k = 0; k < 2; k++)
            if (isinf(x[three[k]]))
                x[three[k]] = next++;
        const double pivot = middle(x[three[0]], x[three[1]], x[three[2]]);
        below = 0;
        for (int i = 0; i < m; i++) {
            const int v = a[i];
            a[i] = a[below];
            a[below] = v;
            below += x[v] < pivot;
        }
    }
    for (int i = 0; i < n; i++)
        if (isinf(x[i]))
            x[i] = next++;
}

static void sort_copes_with_the_order_that_splits_worst(void **state)
{
    (void)state;
    static double x[5000];
    for (int n = 100; n <= 5000; n *= 7) {
        order_badly(x, n);
        tare_sort(x, n);
        for (int i = 0; i < n; i++)
            assert_true(x[i] == i);
    }
}

static void sort_moves_nan_to_the_end(void **state)
{
    (void)state;
    struct rng r = rng_seeded(12);
    double x[300];
    int nans = 0;
    for (int i = 0; i < 300; i++) {
        bool nan = rng_below(&r, 3) == 0;
        x[i] = nan ? NAN : rng_normal(&r);
        nans += nan;
    }
    tare_sort(x, 300);
    for (int i = 1; i < 300 - nans; i++)
        assert_true(x[i - 1] <= x[i]);
    for (int i = 300 - nans; i < 300; i++)
        assert_true(isnan(x[i]));
}

static void type_7_quantiles(void **state)
{
    (void)state;
    const double x[] = {1, 2, 4, 8, 16};
    assert_close(tare_quantile_sorted(x, 5, 0), 1, 0);
    assert_close(tare_quantile_sorted(x, 5, .5), 4, 0);
    assert_close(tare_quantile_sorted(x, 5, .9), 12.8, 1e-15);
    assert_close(tare_quantile_sorted(x, 5, 1), 16, 0);
    assert_close(tare_quantile_sorted(x, 4, .5), 3, 0);
    assert_close(tare_quantile_sorted(x, 1, .3), 1, 0);
    double scratch[5];
    assert_close(tare_mad(x, 5, scratch), 3, 0); /* deviations 3 2 0 4 12 */
    assert_close(tare_geometric_mean(x, 5), 4, 1e-15);
}

int series_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lag1_of_the_reference_series),
        cmocka_unit_test(dependence_of_ranks_ignores_the_size_of_outliers),
        cmocka_unit_test(effective_n_stays_between_one_and_n),
        cmocka_unit_test(neighbours_that_are_drawn_tell_what_all_tell),
        cmocka_unit_test(trend_agrees_with_the_list_of_all_pairs),
        cmocka_unit_test(the_slope_of_an_even_number_of_pairs_is_the_mean_of_two),
        cmocka_unit_test(trend_of_a_worked_example_with_ties),
        cmocka_unit_test(outliers_are_counted_in_robust_standard_deviations),
        cmocka_unit_test(outliers_of_quantised_data_are_not_counted),
        cmocka_unit_test(the_valley_is_the_deepest_of_all_stretches),
        cmocka_unit_test(two_modes_are_seen_and_scattered_slow_values_are_none),
        cmocka_unit_test(a_mode_is_where_its_values_are),
        cmocka_unit_test(two_values_are_not_two_modes),
        cmocka_unit_test(two_modes_critical_values_rise_slowly),
        cmocka_unit_test(tail_sign_test_counts_discordant_pairs),
        cmocka_unit_test(sort_agrees_with_the_c_library),
        cmocka_unit_test(sort_copes_with_the_order_that_splits_worst),
        cmocka_unit_test(sort_moves_nan_to_the_end),
        cmocka_unit_test(type_7_quantiles),
    };
    return cmocka_run_group_tests_name("series and checks", tests, NULL, NULL);
}
