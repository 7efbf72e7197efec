/* SPDX-License-Identifier: MIT
 *
 * Thousands of simulated sessions have the same few schedules of looks, and laying out one takes longer than all the rest of a session. So in
 * simulations the linker puts this before tare_looks_level and tare_looks_spent (--wrap): it asks for each schedule and alpha once, and remembers the
 * answer. And before tare_signed_rank_k, which adds up the law of n ranks anew for each interval of n values at the same level; and before the law of so
 * many tosses of a coin and the normal quantile of its tails, of which a shift function needs thousands.
 */
#include "stats_beyond.h"
#include <stdint.h>
#include <string.h>
#include <tare/stats.h>

enum { LOOKS_MOST = 32, PLACES = 8192 };

struct remembered {
    int n_at[LOOKS_MOST], k; /* 0: none */
    double alpha, level;
    enum tare_status status;
};

enum tare_status __real_tare_looks_level(const int *n_at, int k, double alpha, double *level);
enum tare_status __wrap_tare_looks_level(const int *n_at, int k, double alpha, double *level);

static struct remembered memory[PLACES];

/* FNV-1a */
static uint64_t stir(uint64_t hash, const void *bytes, size_t n)
{
    for (const unsigned char *p = bytes; n--; p++)
        hash = (hash ^ *p) * UINT64_C(0x100000001b3);
    return hash;
}

enum tare_status __wrap_tare_looks_level(const int *n_at, int k, double alpha, double *level)
{
    if (k < 1 || k > LOOKS_MOST)
        return __real_tare_looks_level(n_at, k, alpha, level);
    const size_t bytes = (size_t)k * sizeof *n_at;
    const uint64_t hash = stir(stir(UINT64_C(0xcbf29ce484222325), n_at, bytes), &alpha, sizeof alpha);
    struct remembered *m = &memory[hash % PLACES];
    if (m->k != k || m->alpha != alpha || memcmp(m->n_at, n_at, bytes) != 0) {
        m->k = k;
        m->alpha = alpha;
        memcpy(m->n_at, n_at, bytes);
        m->status = __real_tare_looks_level(n_at, k, alpha, &m->level);
    }
    *level = m->level;
    return m->status;
}

struct remembered_spent {
    int n_at[LOOKS_MOST], k;
    double spent[LOOKS_MOST], level;
};

enum tare_status __real_tare_looks_spent(const int *n_at, const double *spent, int k, double *level);
enum tare_status __wrap_tare_looks_spent(const int *n_at, const double *spent, int k, double *level);

static struct remembered_spent spent_memory[PLACES];

/* Where time ends a session no two spend alike, but each look of one follows those before it: it goes on from there. */
static double spent_level(const int *n_at, const double *spent, int k)
{
    static struct {
        int n, n_at[LOOKS_MOST];
        double spent[LOOKS_MOST], level[LOOKS_MOST];
        struct stats_looks looks[LOOKS_MOST];
    } row;
    int j = 0;
    while (j < k && j < row.n && row.n_at[j] == n_at[j] && row.spent[j] == spent[j])
        j++;
    for (; j < k; j++) {
        row.n_at[j] = n_at[j];
        row.spent[j] = spent[j];
        row.level[j] = stats_looks_next(j ? &row.looks[j - 1] : NULL, n_at, spent, j, &row.looks[j]);
        row.n = j + 1;
    }
    return row.level[k - 1];
}

enum tare_status __wrap_tare_looks_spent(const int *n_at, const double *spent, int k, double *level)
{
    if (k > LOOKS_MOST || !stats_looks_ok(n_at, spent, k))
        return __real_tare_looks_spent(n_at, spent, k, level);
    const size_t n_bytes = (size_t)k * sizeof *n_at, bytes = (size_t)k * sizeof *spent;
    const uint64_t hash = stir(stir(UINT64_C(0xcbf29ce484222325), n_at, n_bytes), spent, bytes);
    struct remembered_spent *m = &spent_memory[hash % PLACES];
    if (m->k != k || memcmp(m->n_at, n_at, n_bytes) != 0 || memcmp(m->spent, spent, bytes) != 0) {
        m->k = k;
        memcpy(m->n_at, n_at, n_bytes);
        memcpy(m->spent, spent, bytes);
        m->level = spent_level(n_at, spent, k);
    }
    *level = m->level;
    return TARE_OK;
}

struct remembered_k {
    ptrdiff_t n;
    int64_t k;
    double level;
};

int64_t __real_tare_signed_rank_k(ptrdiff_t n, double level, void *scratch);
int64_t __wrap_tare_signed_rank_k(ptrdiff_t n, double level, void *scratch);

static struct remembered_k rank_memory[PLACES];

int64_t __wrap_tare_signed_rank_k(ptrdiff_t n, double level, void *scratch)
{
    const uint64_t hash = stir(stir(UINT64_C(0xcbf29ce484222325), &n, sizeof n), &level, sizeof level);
    struct remembered_k *m = &rank_memory[hash % PLACES];
    if (n < 1 || m->n != n || m->level != level)
        *m = (struct remembered_k){n, __real_tare_signed_rank_k(n, level, scratch), level};
    return m->k;
}

enum { TOSSES = 640 };

double __real_tare_binomial_cdf(ptrdiff_t k, ptrdiff_t n, double p);
double __wrap_tare_binomial_cdf(ptrdiff_t k, ptrdiff_t n, double p);

double __wrap_tare_binomial_cdf(ptrdiff_t k, ptrdiff_t n, double p)
{
    static double tosses[TOSSES][TOSSES]; /* 0: not yet */
    if (p != 0.5 || k < 0 || k > n || n >= TOSSES)
        return __real_tare_binomial_cdf(k, n, p);
    double *known = &tosses[n][k];
    return *known > 0 ? *known : (*known = __real_tare_binomial_cdf(k, n, p));
}

double __real_tare_normal_quantile(double p);
double __wrap_tare_normal_quantile(double p);

double __wrap_tare_normal_quantile(double p)
{
    static struct {
        double p, z;
    } quantiles[PLACES];
    const uint64_t place = stir(UINT64_C(0xcbf29ce484222325), &p, sizeof p) % PLACES;
    if (!(p > 0)) /* 0 is what an empty place has */
        return __real_tare_normal_quantile(p);
    if (p != quantiles[place].p) {
        quantiles[place].z = __real_tare_normal_quantile(p);
        quantiles[place].p = p;
    }
    return quantiles[place].z;
}
