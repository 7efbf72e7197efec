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
 *
 * Size of a bit: mean of 2X at the 99 % clip = mean time with the bit set less mean time without; tare_mean_cs_asymptotic at (1 - confidence)
 * over bits and weight. Limits move as in leak_components.c. What else changes the time, other bits too, is noise here: a bit that acts
 * only together with another one is not seen. A bit that is never set, or always, is no coin and is left out; the number of ones then is too. Secrets that are no coins void everything: their shares are held against
 * 1/2 by the same bet, and a chance of 1 in 10^9 makes the verdict invalid. Smallest n: 2. Ties: none special.
 */
#include "buf.h"
#include "leak_core.h"
#include "leak_scan.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MEANS = LEAK_JUDGED,
    SCORES = MEANS + 1,
    COINS = 2,
    FEELERS = SCORES + COINS,
    LIMITS_MOVE_MOST = 65536,
    LEAST_SAMPLE = 50
};
static const int coin_limits[COINS] = {9, 19}; /* of leak_limit_quantiles: 50 and 99 % */
static const double UNFAIR = 1e-9;

struct bit {
    double sum[FEELERS]; /* of the scores, of 1 for the coins, over the calls with the bit set */
    int64_t set;
};

struct leak_scan {
    struct leak_rule rule;
    int bytes, bits;
    bool warm;
    int64_t n, warmup, next_limits, next_look;
    struct leak_limits limits;
    double centre[SCORES], scale[SCORES]; /* mean of the scores in the past; mean square in the warm-up */
    double median, margin;
    double total[FEELERS], square[SCORES];
    struct leak_running weight[MEANS];
    double weight_scale[MEANS], least, most, log_e, log_e_most;
    int64_t found_after;
    struct leak_sample recent;
    struct bit *bit;
    double *scratch;
};

enum tare_status leak_scan_create(int secret_bytes, const struct leak_rule *rule, struct leak_scan **out, struct tare_err *err)
{
    *out = NULL;
    if (secret_bytes < 1 || secret_bytes > LEAK_SECRET_MAX)
        return err_set(err, TARE_INVALID, "a scan takes secrets of 1 to %d bytes, not of %d", LEAK_SECRET_MAX, secret_bytes);
    struct leak_scan *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(err, TARE_NO_MEMORY, "no memory for a scan");
    s->rule = *rule;
    s->bytes = secret_bytes;
    s->bits = 8 * secret_bytes;
    s->found_after = -1;
    s->median = s->margin = NAN;
    s->least = INFINITY;
    s->most = -INFINITY;
    s->bit = calloc((size_t)s->bits, sizeof *s->bit);
    s->scratch = malloc(LEAK_SAMPLE_TIMES * sizeof *s->scratch);
    if (!s->bit || !s->scratch || leak_sample_start(&s->recent, 1, LEAK_SAMPLE_TIMES)) {
        leak_scan_destroy(s);
        return err_set(err, TARE_NO_MEMORY, "no memory for a scan of %d bytes", secret_bytes);
    }
    *out = s;
    return TARE_OK;
}

void leak_scan_destroy(struct leak_scan *s)
{
    if (!s)
        return;
    leak_sample_finish(&s->recent);
    free(s->bit);
    free(s->scratch);
    free(s);
}

/* ---- limits ---- */

static double raw_score(const struct leak_limits *l, int i, double t)
{
    return i < MEANS ? leak_clipped(l, i, t) : fmin(fabs(t - l->middle), l->spread_clip[0]);
}

static void set_limits(struct leak_scan *s)
{
    leak_limits_set(&s->limits, &s->recent, s->scratch);
    for (int i = 0; i < SCORES; i++) {
        double sum = 0;
        for (int k = 0; k < s->recent.n; k++)
            sum += raw_score(&s->limits, i, s->recent.ticks[k]);
        s->centre[i] = sum / s->recent.n;
    }
}

static void end_warmup(struct leak_scan *s)
{
    set_limits(s);
    for (int i = 0; i < SCORES; i++) {
        double sum = 0;
        for (int k = 0; k < s->recent.n; k++) {
            double off = raw_score(&s->limits, i, s->recent.ticks[k]) - s->centre[i];
            sum += off * off;
        }
        s->scale[i] = fmax(sum, 1) / s->recent.n;
    }
    for (int i = 0; i < MEANS; i++)
        s->weight_scale[i] = s->scale[i] * s->bits / 4;
    s->median = s->limits.middle;
    s->margin = s->rule.margin_ticks > 0 ? s->rule.margin_ticks : s->rule.margin_share * s->median;
    s->warm = true;
    s->next_limits = s->warmup;
    s->next_look = 1;
    leak_sample_clear(&s->recent);
}

static void move_limits(struct leak_scan *s)
{
    s->next_limits += s->next_limits < LIMITS_MOVE_MOST ? s->next_limits : LIMITS_MOVE_MOST;
    if (s->recent.n < LEAST_SAMPLE)
        return;
    set_limits(s);
    leak_sample_clear(&s->recent);
}

/* ---- evidence ---- */

static void evidence_of(const struct leak_scan *s, const struct bit *b, double *each)
{
    for (int i = 0; i < SCORES; i++)
        each[i] = s->n ? tare_log_e_symmetric(2 * b->sum[i] - s->total[i], s->square[i], s->scale[i]) : 0;
    for (int i = SCORES; i < FEELERS; i++)
        each[i] = tare_log_e_coin(b->sum[i], s->total[i] - b->sum[i]);
}

static bool is_fixed(const struct leak_scan *s, int bit)
{
    return s->bit[bit].set == 0 || s->bit[bit].set == s->n;
}

static int fixed_bits(const struct leak_scan *s)
{
    int n = 0;
    for (int i = 0; i < s->bits; i++)
        n += is_fixed(s, i);
    return n;
}

static double log_e_of_bit(const struct leak_scan *s, int bit)
{
    if (is_fixed(s, bit))
        return 0;
    double each[FEELERS];
    evidence_of(s, &s->bit[bit], each);
    return tare_log_mean_exp(each, FEELERS);
}

static double log_e_of_weight(const struct leak_scan *s)
{
    if (fixed_bits(s)) /* it is not symmetric about half of the bits */
        return 0;
    double each[MEANS];
    for (int i = 0; i < MEANS; i++) {
        double sum = (double)s->n * s->weight[i].mean;
        each[i] = s->n ? tare_log_e_symmetric(sum, s->weight[i].m2 + sum * s->weight[i].mean, s->weight_scale[i]) : 0;
    }
    return tare_log_mean_exp(each, MEANS);
}

/* The average over bits and weight, in one pass: log(mean) = most + log(sum exp(x - most)). */
static double log_e_of_all(const struct leak_scan *s)
{
    double most = log_e_of_weight(s), sum = 1;
    for (int i = 0; i < s->bits; i++) {
        double x = log_e_of_bit(s, i);
        if (x > most) {
            sum = sum * exp(most - x) + 1;
            most = x;
        } else {
            sum += exp(x - most);
        }
    }
    return most + log(sum / (s->bits + 1));
}

static void look(struct leak_scan *s)
{
    s->next_look += 1 + s->next_look / 12 + s->bits / 8;
    s->log_e = log_e_of_all(s);
    s->log_e_most = fmax(s->log_e_most, s->log_e);
    if (s->found_after < 0 && s->log_e >= -log(s->rule.alpha))
        s->found_after = s->n;
}

/* ---- a call ---- */

static int add_to_bits(struct leak_scan *s, const uint8_t *secret, const double *v)
{
    int ones = 0;
    for (int i = 0; i < s->bytes; i++)
        for (int b = 0; b < 8; b++)
            if (secret[i] >> b & 1) {
                struct bit *bit = &s->bit[8 * i + b];
                ones++;
                bit->set++;
                for (int f = 0; f < FEELERS; f++)
                    bit->sum[f] += v[f];
            }
    return ones;
}

static void weigh(struct leak_scan *s, double ones_off, const double *v)
{
    for (int i = 0; i < MEANS; i++) {
        double x = ones_off * v[i], off = x - s->weight[i].mean;
        s->weight[i].mean += off / (double)s->n;
        s->weight[i].m2 += off * (x - s->weight[i].mean);
    }
}

static void judge_call(struct leak_scan *s, const uint8_t *secret, double t)
{
    double v[FEELERS];
    for (int i = 0; i < SCORES; i++) {
        v[i] = raw_score(&s->limits, i, t) - s->centre[i];
        s->square[i] += v[i] * v[i];
    }
    for (int i = 0; i < COINS; i++)
        v[SCORES + i] = t > s->limits.at[coin_limits[i]];
    for (int i = 0; i < FEELERS; i++)
        s->total[i] += v[i];
    s->n++;
    s->least = fmin(s->least, t);
    s->most = fmax(s->most, t);
    weigh(s, add_to_bits(s, secret, v) - s->bits / 2.0, v);
    if (s->n >= s->next_limits)
        move_limits(s);
    if (s->n >= s->next_look)
        look(s);
}

void leak_scan_calls(struct leak_scan *s, int64_t n, const uint8_t *secret, const uint32_t *ticks)
{
    for (int64_t i = 0; i < n; i++) {
        double t = ticks[i];
        leak_sample_add(&s->recent, &t);
        if (s->warm)
            judge_call(s, secret + i * s->bytes, t);
        else if (++s->warmup >= s->rule.warmup_blocks)
            end_warmup(s);
    }
}

/* ---- reading ---- */

static struct tare_interval size_of_bit(const struct leak_scan *s, int bit, double level)
{
    struct tare_interval out;
    const int clip = MEANS - 1;
    double n = is_fixed(s, bit) ? 0 : (double)s->n, mean = 2 * (2 * s->bit[bit].sum[clip] - s->total[clip]) / n;
    double sd = n > 1 ? sqrt(fmax(0, 4 * s->square[clip] / n - mean * mean) * n / (n - 1)) : 0;
    tare_mean_cs_asymptotic(n > 0 ? mean : NAN, sd, (ptrdiff_t)n, (ptrdiff_t)s->rule.tight_blocks, level, &out);
    return out;
}

static void read_shares(const struct leak_scan *s, struct leak_scan_reading *out)
{
    out->least_share = 1;
    out->most_share = 0;
    out->fixed = s->n ? fixed_bits(s) : 0;
    for (int i = 0; i < s->bits && s->n; i++) {
        if (is_fixed(s, i))
            continue;
        double set = (double)s->bit[i].set, share = set / (double)s->n;
        out->least_share = fmin(out->least_share, share);
        out->most_share = fmax(out->most_share, share);
        out->unfair |= tare_log_e_coin(set, (double)s->n - set) - log(s->bits) >= -log(UNFAIR);
    }
}

static void read_weight(const struct leak_scan *s, double level, struct leak_scan_reading *out)
{
    double variance = s->bits / 4.0;
    struct leak_running r = s->weight[MEANS - 1];
    r.mean /= variance;
    r.m2 /= variance * variance;
    out->weight_log_e = log_e_of_weight(s);
    out->weight_ticks = leak_running_interval(&r, fixed_bits(s) ? 0 : s->n, s->rule.tight_blocks, level);
}

static bool claim(const struct leak_scan *s, struct leak_scan_reading *out, struct leak_bit *bits)
{
    ptrdiff_t n = s->bits + 1;
    double *log_e = malloc((size_t)n * 2 * sizeof *log_e);
    bool *rejected = malloc((size_t)n * sizeof *rejected);
    if (log_e && rejected) {
        for (int i = 0; i < s->bits; i++)
            log_e[i] = bits[i].log_e;
        log_e[s->bits] = out->weight_log_e;
        tare_e_bh(log_e, n, s->rule.alpha, rejected, log_e + n);
        for (int i = 0; i < s->bits; i++)
            out->leaking += bits[i].leaks = rejected[i];
        out->weight_leaks = rejected[s->bits];
    }
    bool ok = log_e && rejected;
    free(log_e);
    free(rejected);
    return ok;
}

/* How the intervals lie to the margin, and how many calls until all are inside. */
struct lie {
    bool inside, beyond;
    double needed;
};

static struct lie lie_of(const struct leak_scan *s, const struct leak_bit *bits, const struct tare_interval *weight)
{
    struct lie lie = {.inside = s->n >= LEAK_BURN_IN};
    for (int i = 0; i <= s->bits && s->n >= LEAK_BURN_IN; i++) {
        const struct tare_interval *x = i < s->bits ? &bits[i].ticks : weight;
        if (isnan(x->point)) /* fixed */
            continue;
        double half = (x->high - x->low) / 2, centre = x->low > 0 || x->high < 0 ? fabs(x->point) : 0, room = s->margin - centre;
        lie.inside &= x->low >= -s->margin && x->high <= s->margin;
        lie.beyond |= x->low > s->margin || x->high < -s->margin;
        lie.needed = fmax(lie.needed, room > 0 ? (double)s->n * (half / room) * (half / room) : INFINITY);
    }
    lie.needed = s->n >= LEAK_BURN_IN && isfinite(lie.needed) ? fmax(0, lie.needed - (double)s->n) : NAN;
    return lie;
}

static void decide(const struct leak_scan *s, const struct lie *lie, struct leak_scan_reading *out)
{
    bool found = s->found_after >= 0 && out->fixed < out->bits, stuck = s->n >= LEAST_SAMPLE && s->least == s->most;
    if (stuck || out->unfair || (s->n >= LEAK_BURN_IN && out->fixed == out->bits)) {
        out->verdict = LEAK_INVALID;
        out->why = stuck ? LEAK_WHY_CLOCK : LEAK_WHY_UNFAIR;
    } else if (found) {
        out->verdict = lie->inside ? LEAK_SMALL : LEAK_FOUND;
        out->why = lie->inside ? LEAK_WHY_SMALLER : lie->beyond ? LEAK_WHY_LARGER : LEAK_WHY_UNSETTLED;
    } else {
        out->verdict = lie->inside && !out->fixed ? LEAK_NONE : LEAK_UNDECIDED;
        out->why = lie->inside           ? out->fixed ? LEAK_WHY_FIXED : LEAK_WHY_BOUNDED
                   : s->n < LEAK_BURN_IN ? LEAK_WHY_FEW
                                         : LEAK_WHY_WIDE;
    }
    out->stop = out->why == LEAK_WHY_FIXED || (out->verdict != LEAK_UNDECIDED && out->why != LEAK_WHY_UNSETTLED);
    out->calls_needed = out->stop ? 0 : lie->needed;
}

bool leak_scan_read(const struct leak_scan *s, struct leak_scan_reading *out, struct leak_bit *bits)
{
    *out = (struct leak_scan_reading){
        .calls = s->n, .warmup = s->warmup, .margin_ticks = s->margin, .median_ticks = s->median, .bits = s->bits};
    double level = (1 - s->rule.confidence) / (s->bits + 1);
    for (int i = 0; i < s->bits; i++) {
        bits[i] = (struct leak_bit){.log_e = log_e_of_bit(s, i), .ticks = size_of_bit(s, i, level)};
        if (bits[i].log_e > bits[out->worst].log_e)
            out->worst = i;
    }
    read_weight(s, level, out);
    read_shares(s, out);
    if (!claim(s, out, bits))
        return false;
    out->log_e = s->n ? log_e_of_all(s) : 0;
    out->log_e_most = fmax(out->log_e, s->log_e_most);
    struct lie lie = lie_of(s, bits, &out->weight_ticks);
    decide(s, &lie, out);
    return true;
}
