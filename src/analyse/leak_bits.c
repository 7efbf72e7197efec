/* SPDX-License-Identifier: MIT
 *
 * One e-process for each bit of a secret, from calls with random secrets.
 *
 * Each bit is a fair coin, independent of the others and of the past. Were a bit without effect, it would be independent of its call's time
 * too, so with v any score of that time that the past alone shaped, X = +v for a set bit and -v for the other is symmetric about 0 given
 * the past and v (tare_log_e_symmetric). V = sum v^2 is one for all bits, and S = 2 sum over set bits of v - sum v, so a call costs a few
 * additions for each set bit. Scores: the time clipped at 50, 90, 99 %, its distance from the median clipped at 90 %, each less its mean in
 * the past. Coins: of the calls above the median, and above the 99 % limit, the share with the bit set (tare_log_e_coin). E of a
 * bit is the average of its six; of the scan, the average over bits and the weight. Which bits: e-BH over all of them, at alpha.
 * Weight: (number of ones - half of the bits) v, symmetric likewise. Its size: for one bit more, mean of that product at 99 % over a
 * quarter of the bits, the variance of the number of ones.
 * Limits move as in leak_components.c. What else changes the time, other bits too, is noise here: a bit that acts only together with another one is
 * not seen. A bit that is never set, or always, is no coin and is left out; the number of ones then is too. Sizes, words and self-checks:
 * leak_secrets.c. Smallest n: 2. Ties: none special.
 *
 * How much a bit of a secret adds to the time, and how much each further bit that is set, over processes.
 *
 * In a process, with v the times clipped at 99 % (as above), x 1 for the calls with the bit set and 0 for the others, n calls:
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

static const int coin_limits[SHEET_COINS] = {9, 19}; /* of leak_limit_quantiles: 50 and 99 % */

bool leak_sheet_start(struct leak_sheet *s, int bytes, const struct leak_rule *rule, int64_t warmup, double *scratch)
{
    *s = (struct leak_sheet){.rule = rule,
                             .bytes = bytes,
                             .bits = 8 * bytes,
                             .warmup_calls = warmup,
                             .found_after = -1,
                             .median = NAN,
                             .least = INFINITY,
                             .most = -INFINITY,
                             .scratch = scratch};
    s->bit = calloc((size_t)s->bits, sizeof *s->bit);
    return s->bit && !leak_sample_start(&s->recent, 1, LEAK_SAMPLE_TIMES);
}

void leak_sheet_finish(struct leak_sheet *s)
{
    leak_sample_finish(&s->recent);
    free(s->bit);
    s->bit = NULL;
}

void leak_sheet_restart(struct leak_sheet *s)
{
    struct leak_sheet fresh = {.rule = s->rule,
                               .bytes = s->bytes,
                               .bits = s->bits,
                               .warmup_calls = s->warmup_calls,
                               .found_after = -1,
                               .median = NAN,
                               .least = INFINITY,
                               .most = -INFINITY,
                               .recent = s->recent,
                               .bit = s->bit,
                               .scratch = s->scratch};
    memset(s->bit, 0, (size_t)s->bits * sizeof *s->bit);
    *s = fresh;
    leak_sample_clear(&s->recent);
}

/* ---- limits ---- */

static double raw_score(const struct leak_limits *l, int i, double t)
{
    return i < SHEET_MEANS ? leak_clipped(l, i, t) : fmin(fabs(t - l->middle), l->spread_clip[0]);
}

static void set_limits(struct leak_sheet *s)
{
    leak_limits_set(&s->limits, &s->recent, s->rule, s->scratch);
    for (int i = 0; i < SHEET_SCORES; i++) {
        double sum = 0;
        for (int k = 0; k < s->recent.n; k++)
            sum += raw_score(&s->limits, i, s->recent.ticks[k]);
        s->centre[i] = sum / s->recent.n;
    }
}

static void leak_sheet_end_warmup(struct leak_sheet *s)
{
    if (s->warm || s->recent.n == 0)
        return;
    set_limits(s);
    for (int i = 0; i < SHEET_SCORES; i++) {
        double sum = 0;
        for (int k = 0; k < s->recent.n; k++) {
            double off = raw_score(&s->limits, i, s->recent.ticks[k]) - s->centre[i];
            sum += off * off;
        }
        s->scale[i] = fmax(sum, 1) / s->recent.n;
    }
    for (int i = 0; i < SHEET_MEANS; i++)
        s->weight_scale[i] = s->scale[i] * s->bits / 4;
    s->median = s->limits.middle;
    s->warm = true;
    s->moves.next = s->warmup;
    s->next_look = 1;
    leak_sample_clear(&s->recent);
}

static void move_limits(struct leak_sheet *s)
{
    leak_moves_on(&s->moves);
    if (s->recent.n < LEAK_MOVE_LEAST)
        return;
    set_limits(s);
    leak_sample_clear(&s->recent);
}

void leak_sheet_begin_process(struct leak_sheet *s)
{
    if (s->warm && leak_moves_begin_process(&s->moves, s->n))
        leak_sample_clear(&s->recent);
}

/* ---- evidence ---- */

double leak_sheet_log_e(const struct leak_sheet *s, const struct leak_sheet_sums *all, const double *set)
{
    double each[SHEET_FEELERS];
    for (int i = 0; i < SHEET_SCORES; i++)
        each[i] = all->n ? tare_log_e_symmetric(2 * set[i] - all->total[i], all->square[i], s->scale[i]) : 0;
    for (int i = SHEET_SCORES; i < SHEET_FEELERS; i++)
        each[i] = tare_log_e_coin(set[i], all->total[i] - set[i]);
    return tare_log_mean_exp(each, SHEET_FEELERS);
}

bool leak_sheet_fixed(const struct leak_sheet *s, int bit)
{
    return s->bit[bit].set == 0 || s->bit[bit].set == s->n;
}

int leak_sheet_fixed_bits(const struct leak_sheet *s)
{
    int n = 0;
    for (int i = 0; i < s->bits; i++)
        n += leak_sheet_fixed(s, i);
    return n;
}

double leak_sheet_bit(const struct leak_sheet *s, int bit)
{
    return leak_sheet_fixed(s, bit) ? 0 : leak_sheet_log_e(s, &s->all, s->bit[bit].sum);
}

double leak_sheet_weight(const struct leak_sheet *s)
{
    if (leak_sheet_fixed_bits(s)) /* it is not symmetric about half of the bits */
        return 0;
    double each[SHEET_MEANS];
    for (int i = 0; i < SHEET_MEANS; i++) {
        double sum = (double)s->n * s->weight[i].mean;
        each[i] = s->n ? tare_log_e_symmetric(sum, s->weight[i].m2 + sum * s->weight[i].mean, s->weight_scale[i]) : 0;
    }
    return tare_log_mean_exp(each, SHEET_MEANS);
}

/* The average over bits and weight, in one pass: log(mean) = most + log(sum exp(x - most)). */
double leak_sheet_all(const struct leak_sheet *s)
{
    double most = leak_sheet_weight(s), sum = 1;
    for (int i = 0; i < s->bits; i++) {
        double x = leak_sheet_bit(s, i);
        if (x > most) {
            sum = sum * exp(most - x) + 1;
            most = x;
        } else {
            sum += exp(x - most);
        }
    }
    return most + log(sum / (s->bits + 1));
}

void leak_sheet_look(struct leak_sheet *s)
{
    s->log_e = leak_sheet_all(s);
    s->log_e_most = fmax(s->log_e_most, s->log_e);
    if (s->found_after < 0 && s->log_e >= -log(s->rule->alpha))
        s->found_after = s->n;
}

static bool is_due(struct leak_sheet *s)
{
    if (s->n < s->next_look) /* where the stretches of leak_selfcheck.c end there is a look in any case */
        return s->n >= LEAK_WINDOW && !(s->n & (s->n - 1));
    s->next_look += 1 + s->next_look / 12 + s->bits / 8;
    return true;
}

/* ---- a call ---- */

/* Bit 8 i + b of the result is bit b of byte i. */
static uint64_t word_of(const uint8_t *bytes, int n)
{
    uint64_t word = 0;
    for (int i = 0; i < n; i++)
        word |= (uint64_t)bytes[i] << 8 * i;
    return word;
}

/* From one bit that is set to the next: a question of each of them would be foretold wrongly every second time. */
static int add_to_bits(struct leak_sheet *s, const uint8_t *secret, const double *v)
{
    enum { WORD = 8 };
    int ones = 0;
    for (int i = 0; i < s->bytes; i += WORD)
        for (uint64_t left = word_of(secret + i, s->bytes - i < WORD ? s->bytes - i : WORD); left; left &= left - 1) {
            struct leak_sheet_bit *bit = &s->bit[8 * i + __builtin_ctzll(left)];
            ones++;
            bit->set++;
            for (int f = 0; f < SHEET_FEELERS; f++)
                bit->sum[f] += v[f];
        }
    return ones;
}

void leak_sheet_scores(const struct leak_sheet *s, double t, double *v)
{
    for (int i = 0; i < SHEET_SCORES; i++)
        v[i] = raw_score(&s->limits, i, t) - s->centre[i];
    for (int i = 0; i < SHEET_COINS; i++)
        v[SHEET_SCORES + i] = t > s->limits.at[coin_limits[i]];
}

static void judge_call(struct leak_sheet *s, const uint8_t *secret, double t)
{
    double v[SHEET_FEELERS];
    leak_sheet_scores(s, t, v);
    for (int i = 0; i < SHEET_SCORES; i++)
        s->all.square[i] += v[i] * v[i];
    for (int i = 0; i < SHEET_FEELERS; i++)
        s->all.total[i] += v[i];
    s->n = ++s->all.n;
    s->least = fmin(s->least, t);
    s->most = fmax(s->most, t);
    const double ones_off = add_to_bits(s, secret, v) - s->bits / 2.0, share = 1 / (double)s->n;
    for (int i = 0; i < SHEET_MEANS; i++)
        leak_running_add(&s->weight[i], ones_off * v[i], share);
    if (s->n >= s->moves.next)
        move_limits(s);
    if (is_due(s))
        leak_sheet_look(s);
}

void leak_sheet_call(struct leak_sheet *s, const uint8_t *secret, double t)
{
    leak_sample_add(&s->recent, &t);
    if (s->warm)
        judge_call(s, secret, t);
    else if (++s->warmup >= s->warmup_calls)
        leak_sheet_end_warmup(s);
}

/* ---- sizes over processes ---- */

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
