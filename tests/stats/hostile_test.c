/* SPDX-License-Identifier: MIT
 *
 * Every function of tare/stats.h and stats_more.h on hostile input: one table, whose rows are held against the headers' declarations, so a new function without a
 * row fails. Functions of arrays are run over generated data (constant, ties, noise, a far value, two modes; n from -1 to 31, odd and even counts
 * of pairs), multiplied by powers of two down to denormals and up to 1e301, and with NaN and infinities put in:
 *   - n < 0, NaN, infinity: refused, that is TARE_INVALID, or NaN where there is no status
 *   - finite data: never less than what the same data say at scale 1: each result is that at scale 1 times a power of two, exactly
 * Functions of numbers have a check each, by identities and by values to 30 digits from mpmath.
 */
#include "rng.h"
#include "rng_normal.h"
#include "stats_test.h"
#include <ctype.h>
#include <float.h>

enum { MOST = 31, VALUES = 8 };

struct result {
    enum tare_status status; /* TARE_INVALID too where a function without one gave NaN for data that it refuses */
    int n;
    double value[VALUES];
    int degree[VALUES]; /* the value grows with the data's scale to this power */
};

static void add(struct result *r, double value, int degree)
{
    r->value[r->n] = value;
    r->degree[r->n++] = degree;
}

static void add_interval(struct result *r, enum tare_status status, const struct tare_interval *i, int degree)
{
    r->status = status;
    add(r, i->point, degree);
    add(r, i->low, degree);
    add(r, i->high, degree);
}

static double scratch[30000];

/* A second sample and a variable without scale, from the first: neither is hostile by itself. */
static double other[MOST], order[MOST];

static void make_others(const double *x, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        other[i] = x[n - 1 - i] / 2;
        order[i] = (double)(i * 7 % 11);
    }
}

/* ---- functions of an array ---- */

static void mean(const double *x, ptrdiff_t n, struct result *r)
{
    add(r, tare_mean(x, n), 1);
}

static void stddev(const double *x, ptrdiff_t n, struct result *r)
{
    add(r, tare_stddev(x, n), 1);
}

static void sorted_copy(const double *x, ptrdiff_t n, double *sorted)
{
    for (ptrdiff_t i = 0; i < n; i++)
        sorted[i] = x[i];
    tare_sort(sorted, n);
}

static void quantile(const double *x, ptrdiff_t n, struct result *r)
{
    double sorted[MOST];
    sorted_copy(x, n, sorted);
    add(r, tare_quantile_sorted(sorted, n, .5), 1);
    add(r, tare_quantile_sorted(sorted, n, 0), 1);
    add(r, tare_quantile_sorted(sorted, n, 1), 1);
    add(r, tare_quantile_sorted(sorted, n, .9), 1);
}

static void mad(const double *x, ptrdiff_t n, struct result *r)
{
    add(r, tare_mad(x, n, scratch), 1);
}

static void lag1(const double *x, ptrdiff_t n, struct result *r)
{
    add(r, tare_lag1_autocorrelation(x, n), 0);
}

static void mean_ci(const double *x, ptrdiff_t n, struct result *r)
{
    struct tare_interval i;
    enum tare_status s = tare_mean_ci_student(x, n, .05, &i);
    add_interval(r, s, &i, 1);
}

static void median_ci(const double *x, ptrdiff_t n, struct result *r)
{
    double sorted[MOST];
    struct tare_interval i;
    sorted_copy(x, n, sorted);
    enum tare_status s = tare_median_ci_binomial(sorted, n, .05, &i);
    add_interval(r, s, &i, 1);
}

static void quantile_ci(const double *x, ptrdiff_t n, struct result *r)
{
    double sorted[MOST];
    struct tare_interval i;
    sorted_copy(x, n, sorted);
    enum tare_status s = tare_quantile_ci_binomial(sorted, n, .3, .05, &i);
    add_interval(r, s, &i, 1);
}

static void hl_ci(const double *x, ptrdiff_t n, struct result *r)
{
    struct tare_interval i;
    enum tare_status s = tare_hl_ci_walsh(x, n, .05, scratch, &i);
    add_interval(r, s, &i, 1);
}

static void signed_rank(const double *x, ptrdiff_t n, struct result *r)
{
    double v, p;
    r->status = tare_signed_rank_test(x, n, scratch, &v, &p);
    add(r, v, 0);
    add(r, p, 0);
}

static void rank_sum(const double *x, ptrdiff_t n, struct result *r)
{
    struct tare_rank_sum t;
    make_others(x, n);
    r->status = tare_rank_sum_test(x, n, other, n, scratch, &t);
    add(r, t.u, 0);
    add(r, t.z, 0);
    add(r, t.p, 0);
}

static void shift(const double *x, ptrdiff_t n, struct result *r)
{
    struct tare_interval i;
    make_others(x, n);
    enum tare_status s = tare_shift_ci_mann_whitney(x, n, other, n, .05, scratch, &i);
    add_interval(r, s, &i, 1);
}

static void welch(const double *x, ptrdiff_t n, struct result *r)
{
    struct tare_interval i;
    make_others(x, n);
    enum tare_status s = tare_shift_ci_welch(x, n, other, n, .05, &i);
    add_interval(r, s, &i, 1);
}

static void slope(const double *x, ptrdiff_t n, struct result *r)
{
    struct tare_interval i;
    make_others(x, n);
    enum tare_status s = tare_slope_ci_kendall(order, x, n, .05, scratch, &i);
    add_interval(r, s, &i, 1);
    s = tare_slope_ci_kendall(x, other, n, .05, scratch, &i);
    add_interval(r, s, &i, 0);
}

static void fieller(const double *x, ptrdiff_t n, struct result *r)
{
    struct tare_interval i;
    make_others(x, n);
    for (ptrdiff_t k = 0; k < n; k++)
        order[k] += 20;
    enum tare_status s = tare_ratio_ci_fieller(order, x, n, .05, &i);
    add_interval(r, s, &i, 1);
    tare_ratio_ci_fieller(x, other, n, .05, &i);
    add_interval(r, s, &i, 0);
}

static void dependence(const double *x, ptrdiff_t n, struct result *r)
{
    struct tare_dependence d;
    r->status = tare_serial_dependence(x, n, scratch, &d);
    add(r, d.r, 0);
    add(r, d.r_ranks, 0);
    add(r, d.n_effective, 0);
}

static void trend(const double *x, ptrdiff_t n, struct result *r)
{
    struct tare_trend t;
    r->status = tare_mann_kendall(x, n, scratch, &t);
    add(r, t.slope, 1);
    add(r, t.s, 0);
    add(r, t.z, 0);
    add(r, t.p, 0);
}

static void outliers(const double *x, ptrdiff_t n, struct result *r)
{
    struct tare_outliers o;
    r->status = tare_outliers(x, n, scratch, &o);
    add(r, o.median, 1);
    add(r, o.sd, 1);
    add(r, (double)o.scale, 0);
    add(r, (double)o.mild, 0);
    add(r, (double)o.severe, 0);
    add(r, (double)o.low, 0);
}

static void two_modes(const double *x, ptrdiff_t n, struct result *r)
{
    struct tare_modes m;
    r->status = tare_two_modes(x, n, scratch, &m);
    add(r, m.ratio, 0);
    add(r, m.critical, 0);
    add(r, m.low, 1);
    add(r, m.high, 1);
    add(r, m.gap, 1);
    add(r, (double)m.low_n, 0);
}

static void tail(const double *x, ptrdiff_t n, struct result *r)
{
    struct tare_tail t;
    make_others(x, n);
    r->status = tare_tail_sign_test(x, other, n, scratch, &t);
    add(r, t.threshold, 1);
    add(r, t.p, 0);
    add(r, (double)t.a_only, 0);
}

static void window_cov(const double *x, ptrdiff_t n, struct result *r)
{
    add(r, (double)tare_steady_window_cov(x, n, 3, .2), 0);
}

/* Of positive values. */
static void geometric(const double *x, ptrdiff_t n, struct result *r)
{
    add(r, tare_geometric_mean(x, n), 1);
}

static void modes(const double *x, ptrdiff_t n, struct result *r)
{
    struct tare_mode m[2] = {{.median = NAN}, {.median = NAN}};
    int found;
    r->status = tare_modes_by_gaps(x, n, .05, scratch, m, 2, &found);
    add(r, (double)found, 0);
    add(r, m[0].median, 1);
    add(r, m[0].low, 1);
    add(r, m[0].high, 1);
}

static void steady(const double *x, ptrdiff_t n, struct result *r)
{
    struct tare_steady s;
    r->status = tare_steady_state(x, n, scratch, &s);
    add(r, s.level, 1);
    add(r, (double)s.word, 0);
    add(r, (double)s.onset, 0);
}

/* The scale is that of the data's squares: within 1e+-150 alone. */
static void moments(const double *x, ptrdiff_t n, struct result *r)
{
    struct tare_moments m = {0}, second = {0};
    for (ptrdiff_t i = 0; i < n; i++)
        tare_moments_add(i % 2 ? &second : &m, x[i]);
    tare_moments_merge(&m, &second);
    add(r, tare_moments_mean(&m), 1);
    add(r, tare_moments_variance(&m), 2);
}

static void levels(const double *x, ptrdiff_t n, struct result *r)
{
    const ptrdiff_t sizes[] = {n / 2, n - n / 2};
    struct tare_levels l;
    r->status = n == 0 ? tare_two_levels(x, sizes, 0, &l) : tare_two_levels(x, sizes, n < 2 ? n : 2, &l);
    if (n == 1)
        r->status = tare_two_levels(x, &n, 1, &l);
    add(r, l.mean, 1);
    add(r, l.within, 2);
    add(r, l.between, 2);
    add(r, l.of_means, 2);
}

/* ---- functions of numbers ---- */

static void check_normal(void)
{
    static const struct {
        double p, z;
    } known[] = {
        {5e-324, -38.467405617144346}, {1e-300, -37.047096299361201}, {1e-250, -33.799586172694841}, {.025, -1.959963984540054}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_close(tare_normal_quantile(known[i].p), known[i].z, 1e-14);
    assert_true(tare_normal_quantile(0) == -INFINITY && tare_normal_quantile(1) == INFINITY && tare_normal_quantile(.5) == 0);
    assert_true(isnan(tare_normal_quantile(-5e-324)) && isnan(tare_normal_quantile(nextafter(1, 2))) &&
                isnan(tare_normal_quantile(NAN)));
    assert_true(tare_normal_cdf(-INFINITY) == 0 && tare_normal_cdf(INFINITY) == 1 && isnan(tare_normal_cdf(NAN)));
    assert_true(tare_normal_cdf(5e-324) == .5 && tare_normal_cdf(-DBL_MAX) == 0 && tare_normal_cdf(DBL_MAX) == 1);
}

static void check_student(void)
{
    static const struct {
        double p, df, t;
    } known[] = {{5e-324, 3, -6.0657619779399125e107}, {5e-324, 29, -692762909739.36707},
                 {5e-324, 200.5, -569.75676755013785}, {1e-300, 1, -3.183098861837907e299},
                 {1e-300, 3, -1.0331108360446634e100}, {5e-324, INFINITY, -38.467405617144346}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_close(tare_student_quantile(known[i].p, known[i].df), known[i].t, 1e-12);
    assert_true(isnan(tare_student_quantile(5e-324, 1)) &&
                isnan(tare_student_quantile(1e-300, .5))); /* beyond the largest double */
    assert_true(tare_student_quantile(0, 3) == -INFINITY && tare_student_quantile(1, 3) == INFINITY);
    const double bad[] = {0, -1, .25, NAN, -INFINITY};
    for (int i = 0; i < 5; i++)
        assert_true(isnan(tare_student_quantile(.3, bad[i])) && isnan(tare_student_cdf(.3, bad[i])));
    assert_true(isnan(tare_student_quantile(-5e-324, 3)) && isnan(tare_student_quantile(NAN, 3)) &&
                isnan(tare_student_cdf(NAN, 3)));
    assert_close(tare_student_cdf(-1e200, 1), 3.183098861837907e-201, 1e-13);
    assert_close(tare_student_cdf(-1e300, .5), 3.2070097541422290e-151, 1e-13);
    assert_true(tare_student_cdf(-DBL_MAX, 3) == 0 && tare_student_cdf(INFINITY, .5) == 1 &&
                tare_student_cdf(-INFINITY, 1e15) == 0);
    assert_true(tare_student_cdf(5e-324, 3) == .5 && tare_student_cdf(-1e-200, 3) == .5);
}

static void check_binomial(void)
{
    assert_true(isnan(tare_binomial_cdf(0, -1, .5)) && isnan(tare_binomial_cdf(0, 1, NAN)) &&
                isnan(tare_binomial_cdf(0, 1, -5e-324)));
    assert_true(tare_binomial_cdf(-1, 0, .5) == 0 && tare_binomial_cdf(0, 0, .5) == 1 &&
                tare_binomial_cdf(0, 1000000, 5e-324) == 1);
    assert_true(tare_binomial_cdf(0, 9, 0) == 1 && tare_binomial_cdf(8, 9, 1) == 0 && tare_binomial_cdf(PTRDIFF_MAX, 9, .5) == 1);
    assert_close(tare_binomial_cdf(0, 1000000, 1e-6), .36787925723165, 1e-12);
    struct tare_interval i;
    assert_int_equal(tare_binomial_ci_clopper_pearson(0, 0, .05, &i), TARE_OK);
    assert_interval(i, NAN, 0, 1, 0);
    assert_int_equal(tare_binomial_ci_clopper_pearson(1, 1000000000, 1e-200, &i), TARE_OK);
    assert_close(i.low, 5e-210, 1e-10); /* n p = level/2 */
    assert_true(i.high > i.point && i.high < 1e-6);
    assert_int_equal(tare_binomial_ci_clopper_pearson(1, 0, .05, &i), TARE_INVALID);
    assert_int_equal(tare_binomial_ci_clopper_pearson(0, -1, .05, &i), TARE_INVALID);
}

static void check_sort(void)
{
    double x[] = {NAN, 1, -INFINITY, DBL_MAX, -0.0, 5e-324, INFINITY, -NAN, -1};
    tare_sort(x, 9);
    assert_true(x[0] == -INFINITY && x[1] == -1 && x[2] == 0 && x[3] == 5e-324 && x[5] == DBL_MAX && x[6] == INFINITY &&
                isnan(x[8]));
    tare_sort(NULL, 0);
    tare_sort(x, -1);
}

static void check_places(void)
{
    assert_true(tare_signed_rank_k(-1, .05, NULL) == 0 && tare_signed_rank_k(0, .05, NULL) == 0 &&
                tare_signed_rank_k(9, NAN, NULL) == 0);
    assert_true(tare_signed_rank_k(30, 1e-280, scratch) == 0 && tare_signed_rank_k(30, 5e-324, scratch) == 0);
    assert_true(tare_mann_whitney_k(-1, 5, .05, NULL) == 0 && tare_mann_whitney_k(5, 0, .05, NULL) == 0);
    assert_true(tare_mann_whitney_k(5, 5, 1, NULL) == 0 && tare_mann_whitney_k(20, 20, 1e-280, scratch) == 0);
    assert_true(tare_hl_scratch_bytes(PTRDIFF_MAX) == SIZE_MAX && tare_hl_scratch_bytes(PTRDIFF_MIN) == 0);
    assert_true(tare_shift_scratch_bytes(PTRDIFF_MAX, 1) == SIZE_MAX && tare_shift_scratch_bytes(-1, 3) == 0);
    assert_true(tare_steady_scratch_bytes(PTRDIFF_MAX) == SIZE_MAX && tare_steady_scratch_bytes(-1) == 0);
}

static void check_looks(void)
{
    const int at[] = {10, 20, 2147483647}, zero[] = {0, 1}, same[] = {5, 5};
    double level;
    assert_int_equal(tare_looks_level(at, 3, 1e-250, &level), TARE_OK);
    assert_close(level, 1e-250 / 3, 1e-14);
    assert_int_equal(tare_looks_level(at, 3, .05, &level), TARE_OK);
    assert_true(level > .05 / 3 && level < .05);
    assert_int_equal(tare_looks_level(at, 3, .999999, &level), TARE_OK);
    assert_true(level > .333333 && level < 1);
    const double bad[] = {0, 1, 5e-324, NAN, -1, INFINITY};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(tare_looks_level(at, 3, bad[i], &level), TARE_INVALID);
        assert_true(isnan(level));
    }
    assert_int_equal(tare_looks_level(zero, 2, .05, &level), TARE_INVALID);
    assert_int_equal(tare_looks_level(same, 2, .05, &level), TARE_INVALID);
    assert_int_equal(tare_looks_level(NULL, 0, .05, &level), TARE_INVALID);
}

static void check_spending(void)
{
    const enum tare_spending families[] = {TARE_SPEND_OBRIEN_FLEMING, TARE_SPEND_POCOCK, TARE_SPEND_POWER};
    const double shares[] = {-1e-300, 1 + 1e-15, NAN, INFINITY, -INFINITY}, alphas[] = {0, 1, -1, NAN, INFINITY},
                 exponents[] = {0, -1, NAN, INFINITY, 1001};
    for (int f = 0; f < 3; f++) {
        assert_true(tare_spending(families[f], 1, 0, .05) == 0 && tare_spending(families[f], 1, 1, .05) == .05);
        assert_true(tare_spending(families[f], 1, 5e-324, 1e-270) >= 0);
        for (int i = 0; i < 5; i++)
            assert_true(isnan(tare_spending(families[f], 1, shares[i], .05)) &&
                        isnan(tare_spending(families[f], 1, .5, alphas[i])));
    }
    for (int i = 0; i < 5; i++)
        assert_true(isnan(tare_spending(TARE_SPEND_POWER, exponents[i], .5, .05)));
    assert_true(isnan(tare_spending((enum tare_spending)9, 1, .5, .05)));
}

static void check_spent_looks(void)
{
    const int at[] = {10, 20, 2147483647}, zero[] = {0, 1}, same[] = {5, 5};
    const double fine[] = {.01, .02, .05}, tiny[] = {0, 1e-260, 1e-250}, late[] = {0, 0, .05}, much[] = {.3, .6, .9999999},
                 still[] = {.01, .05, .05};
    double level;
    assert_int_equal(tare_looks_spent(at, fine, 3, &level), TARE_OK);
    assert_true(level > .03 && level < .05);
    assert_int_equal(tare_looks_spent(at, tiny, 3, &level), TARE_OK);
    assert_close(level, 1e-250, 1e-9);
    assert_int_equal(tare_looks_spent(at, late, 3, &level), TARE_OK);
    assert_close(level, .05, 1e-9); /* what was not spent is left in full */
    assert_int_equal(tare_looks_spent(at, much, 3, &level), TARE_OK);
    assert_true(level > .4 && level < 1);
    assert_int_equal(tare_looks_spent(at, still, 3, &level), TARE_OK);
    assert_true(level == 0);
    assert_int_equal(tare_looks_spent(at, tiny, 1, &level), TARE_OK);
    assert_true(level == 0);
    const double bad[][3] = {{.02, .01, .05}, {-.01, .02, .03}, {.01, .02, 1},       {NAN, .02, .05},
                             {.01, NAN, .05}, {.01, .02, NAN},  {.01, .02, INFINITY}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(tare_looks_spent(at, bad[i], 3, &level), TARE_INVALID);
        assert_true(isnan(level));
    }
    assert_int_equal(tare_looks_spent(zero, fine, 2, &level), TARE_INVALID);
    assert_int_equal(tare_looks_spent(same, fine, 2, &level), TARE_INVALID);
    assert_int_equal(tare_looks_spent(NULL, NULL, 0, &level), TARE_INVALID);
}

static void check_e_values(void)
{
    const double counts[] = {-1, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 4; i++)
        assert_true(isnan(tare_log_e_coin(counts[i], 3)) && isnan(tare_log_e_coin(3, counts[i])));
    assert_true(tare_log_e_coin(0, 0) == 0 && isnan(tare_log_e_coin(DBL_MAX, DBL_MAX)) && isfinite(tare_log_e_coin(1e15, 0)));
    assert_true(isnan(tare_log_e_symmetric(NAN, 1, 1)) && isnan(tare_log_e_symmetric(1, -1, 1)) &&
                isnan(tare_log_e_symmetric(1, 1, 0)));
    assert_true(isnan(tare_log_e_symmetric(1, INFINITY, 1)) && isnan(tare_log_e_symmetric(1, 1, INFINITY)) &&
                tare_log_e_symmetric(0, 0, 1) == 0);
    const double one = tare_log_e_symmetric(40, 500, 1); /* s scales as the root of v and of the guess */
    assert_close(tare_log_e_symmetric(ldexp(40, 500), ldexp(500, 1000), ldexp(1, 1000)), one, 1e-15);
    assert_close(tare_log_e_symmetric(ldexp(40, -500), ldexp(500, -1000), ldexp(1, -1000)), one, 1e-15);
    assert_true(isnan(tare_log_e_symmetric(1, DBL_MAX, 5e-324)));
    const double inf[] = {-INFINITY, INFINITY}, nan[] = {0, NAN}, far[] = {-DBL_MAX, 710};
    assert_true(tare_log_mean_exp(inf, 1) == -INFINITY && tare_log_mean_exp(inf, 2) == INFINITY &&
                isnan(tare_log_mean_exp(nan, 2)));
    assert_true(tare_log_mean_exp(NULL, 0) == -INFINITY && isnan(tare_log_mean_exp(nan, -1)));
    assert_close(tare_log_mean_exp(far, 2), 710 - log(2), 1e-15);
    bool rejected[2];
    assert_int_equal(tare_e_bh(inf, 2, .05, rejected, scratch), 1);
    assert_true(!rejected[0] && rejected[1]);
    assert_int_equal(tare_e_bh(nan, 2, .05, rejected, scratch), -1);
    assert_int_equal(tare_e_bh(inf, -1, .05, rejected, scratch), -1);
    assert_int_equal(tare_e_bh(inf, 2, 5e-324, rejected, scratch), -1);
    assert_int_equal(tare_e_bh(NULL, 0, .05, NULL, NULL), 0);
}

static void check_sequences(void)
{
    struct tare_interval i;
    assert_int_equal(tare_mean_cs_asymptotic(DBL_MAX, DBL_MAX, 30, 30, .05, &i), TARE_OK);
    assert_true(i.point == DBL_MAX && i.high == INFINITY && i.low < i.point);
    assert_int_equal(tare_mean_cs_asymptotic(1e-200, 5e-324, 30, PTRDIFF_MAX, 1e-200, &i), TARE_OK);
    assert_true(i.low <= i.point && i.point <= i.high);
    assert_int_equal(tare_mean_cs_asymptotic(NAN, 1, 30, 30, .05, &i), TARE_INVALID);
    assert_int_equal(tare_mean_cs_asymptotic(1, -1, 30, 30, .05, &i), TARE_INVALID);
    assert_int_equal(tare_mean_cs_asymptotic(1, 1, 30, 0, .05, &i), TARE_INVALID);
}

static void check_others(void)
{
    assert_true(tare_chance_to_see(1, 0) == 0 && tare_chance_to_see(0, 5) == 0 && tare_chance_to_see(1, 5) == 1);
    assert_true(tare_chance_to_see(5e-324, 1) == 5e-324 && isnan(tare_chance_to_see(NAN, 1)) &&
                isnan(tare_chance_to_see(.5, -1)));
    assert_string_equal(tare_steady_name((enum tare_steady_word)99), "unknown");
    const struct tare_levels l = {.within = 4, .between = 1}, nan = {.within = NAN, .between = 1};
    assert_true(isnan(tare_two_levels_best(&nan, 1, 1)) && isnan(tare_two_levels_best(&l, 0, 1)) &&
                isnan(tare_two_levels_best(&l, NAN, 1)));
    assert_close(tare_two_levels_best(&l, 1, 9), 6, 0);
}

/* ---- the table ---- */

enum { POSITIVE = 1, SQUARES = 2, NEAR = 4, NOT_REFUSING = 8 };

static const struct row {
    const char *names; /* the functions that it covers */
    void (*of_array)(const double *x, ptrdiff_t n, struct result *r);
    void (*of_numbers)(void);
    int traits; /* data > 0 alone; results of degree 2, so scales within 2^+-400; equal to 1e-12; NaN is no fault of n < 0 */
} rows[] = {
    {"tare_mean", mean, NULL, 0},
    {"tare_stddev", stddev, NULL, 0},
    {"tare_quantile_sorted", quantile, NULL, 0},
    {"tare_mad", mad, NULL, 0},
    {"tare_lag1_autocorrelation", lag1, NULL, 0},
    {"tare_mean_ci_student", mean_ci, NULL, 0},
    {"tare_median_ci_binomial", median_ci, NULL, 0},
    {"tare_quantile_ci_binomial", quantile_ci, NULL, 0},
    {"tare_hl_ci_walsh", hl_ci, NULL, 0},
    {"tare_signed_rank_test", signed_rank, NULL, 0},
    {"tare_rank_sum_test", rank_sum, NULL, 0},
    {"tare_shift_ci_mann_whitney", shift, NULL, 0},
    {"tare_shift_ci_welch", welch, NULL, 0},
    {"tare_slope_ci_kendall", slope, NULL, 0},
    {"tare_ratio_ci_fieller", fieller, NULL, 0},
    {"tare_serial_dependence", dependence, NULL, 0},
    {"tare_mann_kendall", trend, NULL, 0},
    {"tare_outliers", outliers, NULL, 0},
    {"tare_two_modes", two_modes, NULL, 0},
    {"tare_tail_sign_test", tail, NULL, 0},
    {"tare_steady_window_cov", window_cov, NULL, NOT_REFUSING},
    {"tare_geometric_mean", geometric, NULL, POSITIVE | NEAR},
    {"tare_modes_by_gaps", modes, NULL, POSITIVE},
    {"tare_steady_state", steady, NULL, POSITIVE},
    {"tare_moments_add tare_moments_merge tare_moments_mean tare_moments_variance", moments, NULL, SQUARES},
    {"tare_two_levels", levels, NULL, SQUARES},
    {"tare_normal_cdf tare_normal_quantile", NULL, check_normal, 0},
    {"tare_student_cdf tare_student_quantile", NULL, check_student, 0},
    {"tare_binomial_cdf tare_binomial_ci_clopper_pearson", NULL, check_binomial, 0},
    {"tare_sort", NULL, check_sort, 0},
    {"tare_signed_rank_k tare_mann_whitney_k tare_hl_scratch_bytes tare_shift_scratch_bytes tare_steady_scratch_bytes", NULL,
     check_places, 0},
    {"tare_looks_level", NULL, check_looks, 0},
    {"tare_spending", NULL, check_spending, 0},
    {"tare_looks_spent", NULL, check_spent_looks, 0},
    {"tare_log_e_coin tare_log_e_symmetric tare_log_mean_exp tare_e_bh", NULL, check_e_values, 0},
    {"tare_mean_cs_asymptotic", NULL, check_sequences, 0},
    {"tare_chance_to_see tare_steady_name tare_two_levels_best", NULL, check_others, 0},
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool has_row(const char *name)
{
    const size_t length = strlen(name);
    for (int i = 0; i < ROWS; i++)
        for (const char *at = rows[i].names; (at = strstr(at, name)) != NULL; at++)
            if ((at == rows[i].names || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
                return true;
    return false;
}

static int rows_of(const char *header)
{
    static char text[100000];
    FILE *f = fopen(header, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    int found = 0;
    bool comment = false;
    for (const char *at = text; *at; at++) {
        comment = comment ? strncmp(at, "*/", 2) != 0 : strncmp(at, "/*", 2) == 0;
        if (comment || strncmp(at, "tare_", 5) != 0 || isalnum((unsigned char)at[-1]) || at[-1] == '_')
            continue;
        char name[64] = "";
        size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
        if (at[n] != '(' || n >= sizeof name)
            continue;
        memcpy(name, at, n);
        found++;
        if (!has_row(name))
            fail_msg("%s has no row", name);
    }
    return found;
}

static void every_function_of_the_headers_has_a_row(void **state)
{
    (void)state;
    assert_true(rows_of(TESTS_DIR "/../../include/tare/stats.h") > 35);
    assert_true(rows_of(TESTS_DIR "/../../include/tare/stats_more.h") > 10);
}

/* ---- generated data ---- */

static const ptrdiff_t sizes[] = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 29, 30, 31};
enum { SIZES = sizeof sizes / sizeof *sizes, KINDS = 6 };

/* Whole numbers and sixteenths up to 64, so that times 2^-1068 they still are doubles. */
static void draw(int kind, ptrdiff_t n, bool positive, double *x)
{
    struct rng r = rng_seeded((uint64_t)(kind * 100 + n));
    for (ptrdiff_t i = 0; i < n; i++) {
        const double noise = round(4 * rng_normal(&r));
        x[i] = kind == 0   ? 3
               : kind == 1 ? (double)rng_below(&r, 3)
               : kind == 2 ? noise
               : kind == 3 ? (i == n / 2 ? 60 : noise / 4)
               : kind == 4 ? (i % 2 ? 40 : -8) + (double)rng_below(&r, 3)
                           : (double)i;
        if (positive)
            x[i] = fabs(x[i]) + 1;
    }
}

static void scale_by(const double *x, ptrdiff_t n, int exponent, double *scaled)
{
    for (ptrdiff_t i = 0; i < n; i++)
        scaled[i] = ldexp(x[i], exponent);
}

static bool agree(double got, double expected, int traits)
{
    if (isnan(expected) || isinf(expected) || got == expected)
        return isnan(expected) ? isnan(got) : got == expected;
    return fabs(got - expected) <=
           (traits & NEAR ? 1e-12 * fabs(expected) : 0) + 4 * 4.94065645841246544e-324; /* denormals are rounded */
}

static void finite_data_say_the_same_at_every_scale(void **state)
{
    (void)state;
    static const int exponents[] = {-1068, -1000, -660, -330, 330, 660, 1000};
    double x[MOST], scaled[MOST];
    for (int i = 0; i < ROWS; i++)
        for (int kind = 0; kind < KINDS && rows[i].of_array; kind++)
            for (int s = 1; s < SIZES; s++)
                for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
                    if ((rows[i].traits & SQUARES) && abs(exponents[e]) > 400)
                        continue;
                    struct result one = {0}, other_scale = {0};
                    draw(kind, sizes[s], rows[i].traits & POSITIVE, x);
                    scale_by(x, sizes[s], exponents[e], scaled);
                    rows[i].of_array(x, sizes[s], &one);
                    rows[i].of_array(scaled, sizes[s], &other_scale);
                    assert_int_equal(one.status, TARE_OK);
                    assert_int_equal(other_scale.status, TARE_OK);
                    for (int v = 0; v < one.n; v++)
                        if (!agree(other_scale.value[v], ldexp(one.value[v], one.degree[v] * exponents[e]), rows[i].traits))
                            fail_msg("%s, data %d, n %td, times 2^%d: value %d is %.17g, at scale 1 %.17g", rows[i].names, kind,
                                     sizes[s], exponents[e], v, other_scale.value[v], one.value[v]);
                }
}

static void negative_n_and_values_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    double x[MOST];
    for (int i = 0; i < ROWS; i++)
        for (int s = 0; s < SIZES && rows[i].of_array; s++)
            for (int b = 0; b < 3; b++)
                for (int at = 0; at < 3; at++) {
                    const ptrdiff_t n = sizes[s], place = at == 0 ? 0 : at == 1 ? n / 2 : n - 1;
                    struct result r = {0};
                    if (n == 0 || (n < 0 && rows[i].of_array == moments))
                        continue;
                    draw(2, n, rows[i].traits & POSITIVE, x);
                    if (n > 0)
                        x[place] = bad[b];
                    rows[i].of_array(x, n, &r);
                    const bool refused = r.status == TARE_INVALID || isnan(r.value[0]) || (rows[i].traits & NOT_REFUSING);
                    if (!refused)
                        fail_msg("%s, n %td, %g at %td: %g", rows[i].names, n, bad[b], place, r.value[0]);
                }
}

/* The widest data there are: whatever a result is, it is no NaN in an interval, and no point outside of it. */
static void the_largest_doubles_give_ordered_intervals(void **state)
{
    (void)state;
    double x[MOST];
    for (int i = 0; i < ROWS; i++)
        for (int s = 1; s < SIZES && rows[i].of_array; s++) {
            struct result r = {0};
            for (ptrdiff_t k = 0; k < sizes[s]; k++)
                x[k] = k % 2 && !(rows[i].traits & POSITIVE) ? -DBL_MAX : DBL_MAX;
            rows[i].of_array(x, sizes[s], &r);
            if (strstr(rows[i].names, "_ci_") && r.status == TARE_OK)
                assert_true(r.value[1] <= r.value[2] && !(r.value[0] < r.value[1]) && !(r.value[0] > r.value[2]));
        }
    const double two[] = {DBL_MAX, -DBL_MAX};
    assert_true(tare_mean(two, 2) == 0 && isnan(tare_stddev(two, 2))); /* 2.5e308 */
}

/* Of slopes a fourth of the points may be anywhere: one as far off as doubles reach, beside values of any size, changes them by little. */
static void a_value_as_far_off_as_doubles_reach_moves_no_slope(void **state)
{
    (void)state;
    static const int counts[] = {12, 30, 48, 49, 60, 301};
    static const double units[] = {1, 1e-9, 1e-25, 1e-120}, far[] = {1e300, -1e300, DBL_MAX};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t u = 0; u < sizeof units / sizeof *units; u++)
            for (size_t f = 0; f < sizeof far / sizeof *far; f++) {
                double x[301], y[301];
                struct rng r = rng_seeded(c);
                const int n = counts[c];
                struct tare_interval i;
                struct tare_trend t;
                for (int k = 0; k < n; k++) {
                    x[k] = k;
                    y[k] = units[u] * (3 * k + .1 * rng_uniform(&r));
                }
                y[n / 3] = far[f];
                assert_int_equal(tare_mann_kendall(y, n, scratch, &t), TARE_OK);
                assert_close(t.slope, 3 * units[u], 0.05);
                assert_int_equal(tare_slope_ci_kendall(x, y, n, .05, scratch, &i), TARE_OK);
                assert_close(i.point, 3 * units[u], 0.05);
                assert_true(i.low <= i.point && i.point <= i.high);
                assert_close(i.high - i.low + units[u], units[u], 0.3);
                assert_int_equal(tare_slope_ci_kendall(y, x, n, .05, scratch, &i), TARE_OK);
                assert_close(i.point, 1 / (3 * units[u]), 0.05);
            }
    const double zeros[4] = {0}, least[] = {5e-324, 5e-324, 5e-324, 5e-324}, far_apart[] = {-DBL_MAX, DBL_MAX};
    struct tare_interval i;
    struct tare_trend t;
    assert_int_equal(tare_shift_ci_mann_whitney(zeros, 4, least, 4, .05, scratch, &i), TARE_OK);
    assert_true(i.point == 5e-324 && i.low == i.point && i.high == i.point);
    assert_int_equal(tare_mann_kendall(far_apart, 2, scratch, &t), TARE_OK);
    assert_true(isnan(t.slope));
}

static void functions_of_numbers_keep_their_contract(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        if (rows[i].of_numbers)
            rows[i].of_numbers();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_of_the_headers_has_a_row),
        cmocka_unit_test(finite_data_say_the_same_at_every_scale),
        cmocka_unit_test(negative_n_and_values_that_are_not_finite_are_refused),
        cmocka_unit_test(the_largest_doubles_give_ordered_intervals),
        cmocka_unit_test(a_value_as_far_off_as_doubles_reach_moves_no_slope),
        cmocka_unit_test(functions_of_numbers_keep_their_contract),
    };
    return cmocka_run_group_tests_name("hostile input", tests, NULL, NULL);
}
