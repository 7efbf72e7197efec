/* SPDX-License-Identifier: MIT
 *
 * Hodges-Lehmann by selection against the full list of Walsh averages, and the signed-rank law against every sign vector.
 */
#include "repeated.h"
#include "rng.h"
#include "rng_normal.h"
#include "stats_test.h"

enum { N_MAX = 130 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All Walsh averages, sorted with the C library. */
static ptrdiff_t full_list(const double *d, ptrdiff_t n, double *w)
{
    ptrdiff_t m = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = i; j < n; j++)
            w[m++] = d[i] / 2 + d[j] / 2;
    qsort(w, (size_t)m, sizeof *w, ascending);
    return m;
}

static void assert_same_as_full_list(const double *d, ptrdiff_t n, double level)
{
    static double w[N_MAX * (N_MAX + 1) / 2];
    void *scratch = scratch_for(n);
    struct tare_interval ci;
    assert_int_equal(tare_hl_ci_walsh(d, n, level, scratch, &ci), TARE_OK);
    ptrdiff_t m = full_list(d, n, w), k = tare_signed_rank_k(n, level, scratch);
    assert_close(ci.point, m % 2 ? w[m / 2] : w[m / 2 - 1] / 2 + w[m / 2] / 2, 0);
    assert_close(ci.low, k > 0 ? w[k - 1] : -INFINITY, 0);
    assert_close(ci.high, k > 0 ? w[m - k] : INFINITY, 0);
    assert_int_equal(ci.n, n);
    assert_close(ci.level, level, 0);
    free(scratch);
}

static double draw(int kind, struct rng *r)
{
    switch (kind) {
    case 0:
        return rng_normal(r);
    case 1:
        return (double)rng_below(r, 5) - 2; /* heavy ties, many zeros */
    case 2:
        return rng_normal(r) / fabs(rng_normal(r)); /* Cauchy */
    case 3:
        return exp(100 * rng_normal(r)) * (rng_below(r, 2) ? 1 : -1); /* from 1e-200 to 1e200 */
    case 4:
        return round(rng_normal(r) * 20) / 1024 + 1; /* ties among sums, near 1 */
    default:
        return rng_below(r, 20) ? 0.25 : rng_normal(r); /* almost constant */
    }
}

static void selection_gives_what_the_full_list_gives(void **state)
{
    (void)state;
    struct rng r = rng_seeded(42);
    double d[N_MAX];
    for (int n = 1; n <= N_MAX; n++)
        for (int kind = 0; kind < 6; kind++) {
            for (int i = 0; i < n; i++)
                d[i] = draw(kind, &r);
            assert_same_as_full_list(d, n, kind % 2 ? .05 : .009);
        }
}

static void selection_survives_the_largest_and_smallest_doubles(void **state)
{
    (void)state;
    const double d[] = {1.7e308, -1.7e308, 1.7e308, 1e308, -1e308, 5e-308, -5e-308, 0, 1, -1, 1e-300, 1.7e308};
    for (int n = 1; n <= 12; n++)
        assert_same_as_full_list(d, n, .05);
}

/* Number of Walsh averages below x and up to x, in O(n log n), without the code under test. */
static void rank_of(const double *sorted, ptrdiff_t n, double x, double *below, double *upto)
{
    *below = *upto = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        ptrdiff_t a = i, b = i;
        for (ptrdiff_t hi = n; a < hi;) {
            ptrdiff_t mid = a + (hi - a) / 2;
            if (sorted[i] / 2 + sorted[mid] / 2 < x)
                a = mid + 1;
            else
                hi = mid;
        }
        for (ptrdiff_t hi = n; b < hi;) {
            ptrdiff_t mid = b + (hi - b) / 2;
            if (sorted[i] / 2 + sorted[mid] / 2 <= x)
                b = mid + 1;
            else
                hi = mid;
        }
        *below += (double)(a - i);
        *upto += (double)(b - i);
    }
}

static void large_samples_have_ends_of_the_right_rank(void **state)
{
    (void)state;
    struct rng r = rng_seeded(43);
    const ptrdiff_t sizes[] = {201, 1000, 4321, 50000};
    for (int s = 0; s < 4; s++)
        for (int kind = 0; kind < 6; kind++) {
            ptrdiff_t n = sizes[s], k;
            double *d = malloc((size_t)n * sizeof *d), below, upto, m = (double)n * (double)(n + 1) / 2;
            void *scratch = scratch_for(n);
            for (ptrdiff_t i = 0; i < n; i++)
                d[i] = draw(kind, &r);
            struct tare_interval ci;
            assert_int_equal(tare_hl_ci_walsh(d, n, .01, scratch, &ci), TARE_OK);
            k = tare_signed_rank_k(n, .01, scratch);
            qsort(d, (size_t)n, sizeof *d, ascending);
            rank_of(d, n, ci.low, &below, &upto);
            assert_true(below < (double)k && (double)k <= upto);
            rank_of(d, n, ci.high, &below, &upto);
            assert_true(below < m + 1 - (double)k && m + 1 - (double)k <= upto);
            assert_true(ci.low <= ci.point && ci.point <= ci.high);
            free(scratch);
            free(d);
        }
}

static void equal_differences_give_a_point_interval_once_n_allows_one(void **state)
{
    (void)state;
    double d[60];
    for (int i = 0; i < 60; i++)
        d[i] = 0.1;
    for (int n = 1; n <= 60; n++) {
        void *scratch = scratch_for(n);
        struct tare_interval ci;
        tare_hl_ci_walsh(d, n, .05, scratch, &ci);
        assert_interval(ci, 0.1, n < 6 ? -INFINITY : 0.1, n < 6 ? INFINITY : 0.1, 0);
        free(scratch);
    }
}

/* Two-sided p by walking through all 2^n sign vectors of the ranks of |d|, zeros ranked but not signed. */
static double p_by_enumeration(const double *d, int n, double *v_seen)
{
    double rank[16], v = 0, total = 0;
    int signed_n = 0;
    for (int i = 0; i < n; i++) {
        int below = 0, equal = 0;
        for (int j = 0; j < n; j++)
            below += fabs(d[j]) < fabs(d[i]), equal += fabs(d[j]) == fabs(d[i]);
        if (d[i] == 0)
            continue;
        rank[signed_n] = below + (equal + 1) / 2.0;
        v += d[i] > 0 ? rank[signed_n] : 0;
        total += rank[signed_n++];
    }
    int as_extreme = 0;
    for (int s = 0; s < 1 << signed_n; s++) {
        double w = 0;
        for (int i = 0; i < signed_n; i++)
            w += s >> i & 1 ? rank[i] : 0;
        as_extreme += fabs(w - total / 2) >= fabs(v - total / 2);
    }
    *v_seen = v;
    return (double)as_extreme / (1 << signed_n);
}

static void signed_rank_p_is_that_of_all_sign_vectors(void **state)
{
    (void)state;
    struct rng r = rng_seeded(44);
    double d[12];
    for (int n = 0; n <= 12; n++)
        for (int round = 0; round < 30; round++) {
            for (int i = 0; i < n; i++)
                d[i] = round % 3 ? (double)rng_below(&r, 7) - 2 : rng_normal(&r) + .3; /* ties and zeros in two of three */
            void *scratch = scratch_for(n);
            double v, p, v_expected, p_expected = p_by_enumeration(d, n, &v_expected);
            assert_int_equal(tare_signed_rank_test(d, n, scratch, &v, &p), TARE_OK);
            assert_close(v, v_expected, 0);
            assert_close(p, p_expected, 1e-13);
            free(scratch);
        }
}

static void interval_excludes_zero_exactly_when_the_test_rejects(void **state)
{
    (void)state;
    struct rng r = rng_seeded(45);
    double d[60];
    for (int round = 0; round < REPEATED(2000); round++) {
        int n = 6 + (int)rng_below(&r, 55);
        double shift = 0.5 * rng_normal(&r), v, p, level = round % 2 ? .05 : .009;
        for (int i = 0; i < n; i++)
            d[i] = rng_normal(&r) + shift;
        void *scratch = scratch_for(n);
        struct tare_interval ci;
        tare_hl_ci_walsh(d, n, level, scratch, &ci);
        tare_signed_rank_test(d, n, scratch, &v, &p);
        assert_int_equal(p <= level * (1 + 1e-12), ci.low > 0 || ci.high < 0);
        free(scratch);
    }
}

/* P(V = s) for s below room, of a sum V in which each rank is in or out by a coin, in the plainest way. */
static double *plain_law(const int *ranks, int n, int room)
{
    double *p = calloc((size_t)room, sizeof *p);
    p[0] = 1;
    for (int i = 0; i < n; i++)
        for (int s = room - 1; s >= 0; s--)
            p[s] = 0.5 * p[s] + (s >= ranks[i] ? 0.5 * p[s - ranks[i]] : 0);
    return p;
}

/* The code is exact up to n = 200 and approximate beyond. */
static void k_is_exact_up_to_200_and_beyond_except_far_out(void **state)
{
    (void)state;
    const int sizes[] = {150, 199, 200, 201, 202, 260, 400};
    int ranks[400];
    for (int i = 0; i < 400; i++)
        ranks[i] = i + 1;
    for (int i = 0; i < 7; i++) {
        int n = sizes[i], room = n * (n + 1) / 4 + 1;
        double *law = plain_law(ranks, n, room);
        void *scratch = scratch_for(n);
        for (double level = .3; level > 1e-8; level /= 1.3) {
            double sum = 0;
            int k = 0;
            while (k < room && (sum += law[k]) <= level / 2)
                k++;
            ptrdiff_t got = tare_signed_rank_k(n, level, scratch);
            assert_in_range(got, (uintmax_t)(n <= 200 || level > 1e-5 ? k : k - 1),
                            (uintmax_t)(n <= 200 || level > 1e-5 ? k : k + 1));
        }
        free(scratch);
        free(law);
    }
}

/* Differences whose ranks, doubled, are `ranks`, with the first `negatives` of them negative, against the plain law. */
static void assert_large_sample_p(const double *sizes, const int *ranks, int n, int negatives)
{
    double d[300], v, p, expected = 0;
    int doubled_v = 0;
    for (int i = 0; i < n; i++) {
        d[i] = i < negatives ? -sizes[i] : sizes[i];
        doubled_v += i < negatives ? ranks[i] : 0;
    }
    double *law = plain_law(ranks, n, doubled_v + 1);
    for (int s = 0; s <= doubled_v; s++)
        expected += 2 * law[s];
    void *scratch = scratch_for(n);
    assert_int_equal(tare_signed_rank_test(d, n, scratch, &v, &p), TARE_OK);
    assert_close(v, (n * (n + 1) - doubled_v) / 2.0, 0);
    assert_close(p, expected, expected > 1e-4 ? 2e-6 : expected > 1e-8 ? 1e-3 : .1);
    free(law);
    free(scratch);
}

static void p_of_large_samples_is_close_to_the_exact_one(void **state)
{
    (void)state;
    double plain[300], paired[300];
    int plain_ranks[300], paired_ranks[300];
    for (int i = 0; i < 300; i++) {
        plain[i] = i + 1, plain_ranks[i] = 2 * (i + 1);
        paired[i] = 1 + i / 2, paired_ranks[i] = 4 * (i / 2) + 3; /* ranks 1.5 1.5 3.5 3.5 ... */
    }
    for (int n = 202; n <= 300; n += 14)
        for (int negatives = n * 57 / 100; negatives < n * 7 / 10; negatives += 9) {
            assert_large_sample_p(plain, plain_ranks, n, negatives);
            assert_large_sample_p(paired, paired_ranks, n, negatives);
        }
}

int walsh_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selection_gives_what_the_full_list_gives),
        cmocka_unit_test(selection_survives_the_largest_and_smallest_doubles),
        cmocka_unit_test(large_samples_have_ends_of_the_right_rank),
        cmocka_unit_test(equal_differences_give_a_point_interval_once_n_allows_one),
        cmocka_unit_test(signed_rank_p_is_that_of_all_sign_vectors),
        cmocka_unit_test(interval_excludes_zero_exactly_when_the_test_rejects),
        cmocka_unit_test(k_is_exact_up_to_200_and_beyond_except_far_out),
        cmocka_unit_test(p_of_large_samples_is_close_to_the_exact_one),
    };
    return cmocka_run_group_tests_name("Hodges-Lehmann and signed ranks", tests, NULL, NULL);
}
