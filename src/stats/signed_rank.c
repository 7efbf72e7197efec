/* SPDX-License-Identifier: MIT
 *
 * Wilcoxon's signed-rank distribution and test (1945).
 *
 * V = sum of the ranks of the positive values; under the null each rank is in or out by a fair coin. The exact law comes from
 * one convolution per rank: p(s) becomes (p(s) + p(s - r)) / 2. Midranks are made whole by doubling all ranks. Zeros are ranked
 * and then left out (Pratt 1959). Beyond EXACT_MAX values: Edgeworth's expansion to the third order; V has mean T/2 and
 * cumulants sum r^2 / 4, -sum r^4 / 8, sum r^6 / 4, -17 sum r^8 / 16 (T the sum of ranks). Its probabilities are off by less than
 * 1e-6 relative down to 1e-4, 6e-4 at 5e-9; the plain normal would be off by 2 % at .0045 and a quarter at 1e-5.
 */
#include "stats_core.h"
#include <stdint.h>
#include <string.h>

enum { EXACT_MAX = 200 };

static int64_t rank_sum(ptrdiff_t n)
{
    return (int64_t)n * (n + 1) / 2;
}

/* Room for the law up to its middle, with doubled ranks. Kept for large n too, so that scratch made for the last look
 * serves all looks before it. */
static size_t law_room(ptrdiff_t n)
{
    return (size_t)rank_sum(n < EXACT_MAX ? n : EXACT_MAX) + 1;
}

size_t tare_hl_scratch_bytes(ptrdiff_t n)
{
    if (n <= 0 || n > PTRDIFF_MAX / 64)
        return n <= 0 ? 0 : SIZE_MAX;
    return sizeof(double) * (2 * (size_t)n + law_room(n));
}

/* The law of a sum of ranks as far as it has been added up, for sums below room. */
struct law {
    double *at;
    ptrdiff_t room, largest; /* sums above largest have probability 0 so far */
};

static struct law law_start(double *space, ptrdiff_t room)
{
    memset(space, 0, (size_t)room * sizeof *space);
    space[0] = 1;
    return (struct law){space, room, 0};
}

static void law_add_rank(struct law *law, ptrdiff_t rank)
{
    ptrdiff_t reach = law->largest + rank;
    law->largest = reach < law->room ? reach : law->room - 1;
    for (ptrdiff_t s = law->largest; s >= rank; s--)
        law->at[s] = 0.5 * (law->at[s] + law->at[s - rank]);
    for (ptrdiff_t s = (rank < law->room ? rank : law->room) - 1; s >= 0; s--)
        law->at[s] *= 0.5;
}

static ptrdiff_t exact_k_within(ptrdiff_t n, double limit, double *space, ptrdiff_t room)
{
    struct law law = law_start(space, room);
    for (ptrdiff_t r = 1; r <= n; r++)
        law_add_rank(&law, r);
    double sum = 0;
    ptrdiff_t k = 0;
    while (k < room && (sum += law.at[k]) <= limit)
        k++;
    return k;
}

/* Adds the cumulants of a rank that is in or out by a fair coin, `members` times. */
static void add_cumulants(struct stats_cumulants *c, double rank, double members)
{
    double square = rank * rank, fourth = square * square;
    c->mean += rank / 2 * members;
    c->k2 += square / 4 * members;
    c->k4 -= fourth / 8 * members;
    c->k6 += square * fourth / 4 * members;
    c->k8 -= 17 * fourth * fourth / 16 * members;
}

static int64_t approximate_k(ptrdiff_t n, double limit)
{
    struct stats_cumulants c = {0};
    for (ptrdiff_t r = 1; r <= n; r++)
        add_cumulants(&c, (double)r, 1);
    return stats_edgeworth_k(&c, rank_sum(n) / 2, limit);
}

/* The law at s needs no sums above s, so room a little beyond the approximate k does, unless the expansion is poor. */
static ptrdiff_t exact_k(ptrdiff_t n, double limit, double *space)
{
    ptrdiff_t middle = (ptrdiff_t)rank_sum(n) / 2 + 1, room = (ptrdiff_t)approximate_k(n, limit) + 16;
    ptrdiff_t k = exact_k_within(n, limit, space, room < middle ? room : middle);
    return k < room ? k : exact_k_within(n, limit, space, middle);
}

int64_t tare_signed_rank_k(ptrdiff_t n, double level, void *scratch)
{
    if (n <= 0 || !stats_level_ok(level))
        return 0;
    double limit = level / 2 * STATS_TIE;
    return n <= EXACT_MAX ? exact_k(n, limit, scratch) : approximate_k(n, limit);
}

/* What the test needs to know of the ranks; those of whole ranks are doubled so that midranks are whole. */
struct ranks {
    int64_t doubled_v, doubled_sum;   /* of the positive values; of all that are not zero */
    struct stats_cumulants cumulants; /* of V, not doubled */
    bool ties;
};

/* The sizes of the positive and of the negative values, each ascending. */
struct sides {
    double *positive, *negative;
    ptrdiff_t n_positive, n_negative;
};

static struct sides split_sides(const double *d, ptrdiff_t n, double *space)
{
    struct sides s = {.positive = space};
    for (ptrdiff_t i = 0; i < n; i++)
        if (d[i] > 0)
            space[s.n_positive++] = d[i];
    s.negative = space + s.n_positive;
    for (ptrdiff_t i = 0; i < n; i++)
        if (d[i] < 0)
            s.negative[s.n_negative++] = -d[i];
    tare_sort(s.positive, s.n_positive);
    tare_sort(s.negative, s.n_negative);
    return s;
}

/* Merges the two sides by size, group of ties by group; each rank is added to the law when there is one. */
static struct ranks rank_sides(const struct sides *s, ptrdiff_t zeros, struct law *law)
{
    struct ranks r = {0};
    for (ptrdiff_t p = 0, m = 0; p < s->n_positive || m < s->n_negative;) {
        double size =
            p == s->n_positive || (m < s->n_negative && s->negative[m] < s->positive[p]) ? s->negative[m] : s->positive[p];
        ptrdiff_t before = zeros + p + m, positives = 0, members = 0;
        for (; p < s->n_positive && s->positive[p] == size; p++, members++)
            positives++;
        for (; m < s->n_negative && s->negative[m] == size; m++)
            members++;
        ptrdiff_t doubled = 2 * before + members + 1; /* ranks before+1 .. before+members */
        r.ties |= members > 1;
        r.doubled_v += (int64_t)doubled * positives;
        r.doubled_sum += (int64_t)doubled * members;
        add_cumulants(&r.cumulants, (double)doubled / 2, (double)members);
        for (ptrdiff_t i = 0; law && i < members; i++)
            law_add_rank(law, doubled);
    }
    return r;
}

static double one_sided_exact(const double *law, int64_t upto)
{
    double p = 0;
    for (ptrdiff_t s = 0; s <= upto; s++)
        p += law[s];
    return p;
}

static double one_sided_approximate(const struct ranks *r, int64_t doubled)
{
    double step = r->ties ? 0.5 : 1;
    return stats_edgeworth_cdf(((double)doubled + step) / 2, &r->cumulants);
}

enum tare_status tare_signed_rank_test(const double *d, ptrdiff_t n, void *scratch, double *v, double *p)
{
    *v = *p = NAN;
    if (n < 0 || !stats_all_finite(d, n))
        return TARE_INVALID;
    *v = 0, *p = 1;
    if (n == 0)
        return TARE_OK;
    bool exact = n <= EXACT_MAX;
    struct law law = {0};
    if (exact)
        law = law_start((double *)scratch + n, (ptrdiff_t)law_room(n));
    struct sides s = split_sides(d, n, scratch);
    struct ranks r = rank_sides(&s, n - s.n_positive - s.n_negative, exact ? &law : NULL);
    int64_t rest = r.doubled_sum - r.doubled_v, smaller = r.doubled_v < rest ? r.doubled_v : rest;
    *v = (double)r.doubled_v / 2;
    if (r.doubled_sum > 0)
        *p = fmin(2 * (exact ? one_sided_exact(law.at, smaller) : one_sided_approximate(&r, smaller)), 1);
    return TARE_OK;
}
