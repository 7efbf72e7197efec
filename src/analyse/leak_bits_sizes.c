/* SPDX-License-Identifier: MIT
 *
 * How much a bit of a secret adds to the time, and how much each further bit that is set, over processes.
 *
 * In a process, with v the times clipped at 99 % (leak_bits.c), x 1 for the calls with the bit set and 0 for the others, n calls:
 *     b = 4 sum (x - mean x)(v - mean v) / (n - 1)
 * and for the number of ones w the same with the variance of w, a quarter of the bits, in place of 1/4. A bit is a fair coin, independent of all that
 * came before, so b is without bias for the mean time with the bit set less that without, in this process; the level of the process
 * falls out of it, and so does what one draw of ones and zeros differs from another. Processes differ (addresses, layout), so they are
 * the unit: leak_over_processes() of the b, (1 - confidence) over all bits and the weight (Bonferroni). It is about the mean over
 * processes, at every number of them, exactly where the b are normal; which needs no two calls to be independent.
 *
 * Which process is put together with the next one: as in leak_processes.c.
 * Smallest n: 2 calls for an estimate, 2 processes, unbounded below about 6 of them. Ties: none special.
 */
#include "leak_bits.h"

enum { CLIP = SHEET_MEANS - 1 };

bool leak_bit_sizes_start(struct leak_bit_sizes *z, int bits)
{
    *z = (struct leak_bit_sizes){.of = calloc((size_t)bits + 1, sizeof *z->of)};
    return z->of != NULL;
}

void leak_bit_sizes_finish(struct leak_bit_sizes *z)
{
    free(z->of);
    z->of = NULL;
}

/* Sums so far: of v over the set bits, and how many they are; at the end those of the weight, which is told from half of the bits. */
static void add_process(struct leak_bit_size *of, double sum, double ones, double total, double n, double variance, double share)
{
    double covariance = (sum - of->sum - (ones - of->ones) * total / n) / (n - 1);
    leak_running_add(&of->over, covariance / variance, share);
    of->sum = sum;
    of->ones = ones;
}

void leak_bit_sizes_end_process(struct leak_bit_sizes *z, const struct leak_sheet *s)
{
    const int64_t n = s->n - z->calls, warming = s->warmup - z->warmup;
    z->warmup = s->warmup;
    if (n < 2 || !leak_counts_alone(n, warming, z->processes, z->calls))
        return;
    double total = s->all.total[CLIP] - z->total, share = 1 / (double)++z->processes, ones = 0;
    for (int i = 0; i < s->bits; i++) {
        const struct leak_sheet_bit *bit = &s->bit[i];
        add_process(&z->of[i], bit->sum[CLIP], (double)bit->set, total, (double)n, .25, share);
        ones += (double)bit->set;
    }
    ones -= (double)s->n * s->bits / 2;
    add_process(&z->of[s->bits], (double)s->n * s->weight[CLIP].mean, ones, total, (double)n, s->bits / 4.0, share);
    z->calls = s->n;
    z->total = s->all.total[CLIP];
}

struct tare_interval leak_bit_sizes_read(const struct leak_bit_sizes *z, const struct leak_sheet *s, int bit, double level)
{
    bool known = bit < s->bits ? !leak_sheet_fixed(s, bit) : !leak_sheet_fixed_bits(s);
    return leak_over_processes(&z->of[bit].over, known ? z->processes : 0, level);
}
