/* SPDX-License-Identifier: MIT
 *
 * Which bits of a secret change the time (leak_scan.h). */
#include "leak_scan.h"
#include "buf.h"
#include "leak_bits.h"
#include "leak_method.h"
#include <math.h>
#include <stdlib.h>

/* A scan: the target's calls, its self-checks, and from evidence and sizes to a verdict.
 *
 * Size of a bit: mean time with the bit set less mean time without, at the 99 % clip; of the weight, for one more bit set. Over processes:
 * see below. In the self-checks: of the calls that were made, mean of 2X, tare_mean_cs_asymptotic.
 *
 * Self-checks, by calls of their own between those of the target:
 *   A/A    two inputs were made, as for every call, and the bits are those of the one that was not called with: nothing but their making can
 *          have changed the time. Fired at E >= 1/alpha_selfcheck, E the average over all bits and the weight
 *   spike  bits likewise, but bit 0 is a coin, and with it set the known delay is planted. Seen: E of that bit 100, or its interval at .01 leaves 0
 *          above, from 100 calls on. Hidden: not seen in as many of three processes, and the interval below half of what was planted; then it is
 *          planted anew, longer, as leak_selfcheck.c says, and blind is what stays hidden
 *   power  stretches as in leak_selfcheck.c; one finds the delay when E of bit 0, over the number of bits and one, is 1/alpha: the word would
 *          have been "leak" by that bit alone
 *   drift  leak_selfcheck.c over the processes
 * A call stands alone, so there is no order within a block to look at.
 *
 * A scan is more exposed than blocks are: an input is made right before its call. So a leak goes on until A/A's intervals, at .01 over all bits, lie
 * below what was found, or A/A fires.
 *
 * In this order: invalid (a fact, the clock, secrets that are no coins, A/A), leak or leak_small (E of the average), invalid (a blind spike), no_leak (all
 * intervals inside, no bit fixed, A/A quiet over 50 calls and the delay found), undecided. Intervals decide, whatever the word, over leak_least_processes(). Secrets
 * that are no coins void everything: their shares are held against 1/2 by the bets of a coin, and a chance of 1 in 10^9 makes the verdict invalid.
 * Smallest n: 200 calls for a word by sizes.
 */

/* One e-process for each bit of a secret, from calls with random secrets.
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
 * not seen. A bit that is never set, or always, is no coin and is left out; the number of ones then is too.
 * Smallest n: 2. Ties: none special.
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

static const int coin_limits[SHEET_COINS] = {9, 19}; /* of leak_limit_quantiles: 50 and 99 % */

static struct leak_sheet empty_sheet(int bytes, const struct leak_rule *rule, int64_t warmup, double *scratch)
{
    return (struct leak_sheet){.rule = rule,
                               .bytes = bytes,
                               .bits = 8 * bytes,
                               .warmup_calls = warmup,
                               .found_after = -1,
                               .median = NAN,
                               .least = INFINITY,
                               .most = -INFINITY,
                               .scratch = scratch};
}

bool leak_sheet_start(struct leak_sheet *s, int bytes, const struct leak_rule *rule, int64_t warmup, double *scratch)
{
    *s = empty_sheet(bytes, rule, warmup, scratch);
    s->bit = calloc((size_t)s->bits, sizeof *s->bit);
    return s->bit && !leak_sample_start(&s->recent, 1, LEAK_SAMPLE_TIMES);
}

void leak_sheet_finish(struct leak_sheet *s)
{
    leak_sample_finish(&s->recent);
    free(s->bit);
    s->bit = NULL;
}

/* as it was started */
static void leak_sheet_restart(struct leak_sheet *s)
{
    const struct leak_sheet old = *s;
    *s = empty_sheet(old.bytes, old.rule, old.warmup_calls, old.scratch);
    s->bit = memset(old.bit, 0, (size_t)old.bits * sizeof *old.bit);
    s->recent = old.recent;
    leak_sample_clear(&s->recent);
}

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

/* ln E of a bit over some calls; set: sums over those of them that have it set. */
static double leak_sheet_log_e(const struct leak_sheet *s, const struct leak_sheet_sums *all, const double *set)
{
    double each[SHEET_FEELERS];
    for (int i = 0; i < SHEET_SCORES; i++)
        each[i] = all->n ? tare_log_e_symmetric(2 * set[i] - all->total[i], all->square[i], s->scale[i]) : 0;
    for (int i = SHEET_SCORES; i < SHEET_FEELERS; i++)
        each[i] = tare_log_e_coin(set[i], all->total[i] - set[i]);
    return tare_log_mean_exp(each, SHEET_FEELERS);
}

static bool leak_sheet_fixed(const struct leak_sheet *s, int bit)
{
    return s->bit[bit].set == 0 || s->bit[bit].set == s->n;
}

static int leak_sheet_fixed_bits(const struct leak_sheet *s)
{
    int n = 0;
    for (int i = 0; i < s->bits; i++)
        n += leak_sheet_fixed(s, i);
    return n;
}

/* ln E of one bit; of the number of ones; of the average over all of them. */
static double leak_sheet_bit(const struct leak_sheet *s, int bit)
{
    return leak_sheet_fixed(s, bit) ? 0 : leak_sheet_log_e(s, &s->all, s->bit[bit].sum);
}

static double leak_sheet_weight(const struct leak_sheet *s)
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
static double leak_sheet_all(const struct leak_sheet *s)
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

static void leak_sheet_look(struct leak_sheet *s)
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

void leak_sheet_call(struct leak_sheet *s, const uint8_t *secret, double t)
{
    leak_sample_add(&s->recent, &t);
    if (s->warm) {
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
    } else if (++s->warmup >= s->warmup_calls)
        leak_sheet_end_warmup(s);
}

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

enum { STUCK_FROM = 50 };
static const double UNFAIR = 1e-9, CHECK_LEVEL = .01;

struct stretch { /* of calls with the planted delay; set: those of them that have bit 0 */
    struct leak_sheet_sums all;
    double set[SHEET_FEELERS];
};

struct scan_spike { /* what is found of the delay, in bit 0 */
    struct leak_sought sought;
    struct stretch window, waiting[LEAK_POWER_LEVELS];
};

struct leak_scan {
    struct leak_rule rule;
    struct leak_facts facts;
    struct leak_sheet of[LEAK_KINDS];
    struct leak_bit_sizes sizes;
    struct scan_spike spike;
    struct leak_levels levels;
    double *scratch;
};

enum tare_status leak_scan_create(int secret_bytes, const struct leak_rule *rule, struct leak_scan **out, struct tare_err *err)
{
    *out = NULL;
    if (secret_bytes < 1 || secret_bytes > LEAK_SECRET_MAX)
        return err_set(err, TARE_INVALID, "a scan takes secrets of 1 to %d bytes, not of %d", LEAK_SECRET_MAX, secret_bytes);
    struct leak_scan *s = calloc(1, sizeof *s);
    if (!s)
        return err_no_memory(err);
    s->rule = *rule;
    s->facts = leak_facts_none();
    s->spike.sought.found_after = -1;
    s->scratch = malloc(LEAK_SAMPLE_TIMES * sizeof *s->scratch);
    bool good = s->scratch != NULL;
    for (int i = 0; i < LEAK_KINDS && good; i++) {
        int64_t warmup = i == LEAK_MAIN || rule->warmup_blocks < LEAK_CHECK_WARMUP ? rule->warmup_blocks : LEAK_CHECK_WARMUP;
        good = leak_sheet_start(&s->of[i], secret_bytes, &s->rule, warmup, s->scratch);
    }
    good = good && leak_bit_sizes_start(&s->sizes, 8 * secret_bytes);
    if (!good) {
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
    for (int i = 0; i < LEAK_KINDS; i++)
        leak_sheet_finish(&s->of[i]);
    leak_bit_sizes_finish(&s->sizes);
    free(s->scratch);
    free(s);
}

static void add_stretch(struct stretch *to, const struct stretch *from)
{
    to->all.n += from->all.n;
    for (int i = 0; i < SHEET_FEELERS; i++) {
        to->all.total[i] += from->all.total[i];
        to->set[i] += from->set[i];
    }
    for (int i = 0; i < SHEET_SCORES; i++)
        to->all.square[i] += from->all.square[i];
}

/* As injected_delay_add. */
static void end_window(struct scan_spike *p, const struct leak_sheet *s)
{
    struct stretch t = p->window;
    const double wanted = -log(s->rule->alpha) + log(s->bits + 1);
    for (int i = 0; i < LEAK_POWER_LEVELS; i++) {
        leak_power_note(&p->sought.power, i, leak_sheet_log_e(s, &t.all, t.set) >= wanted);
        if (!p->sought.waits[i]) {
            p->waiting[i] = t;
            p->sought.waits[i] = true;
            break;
        }
        add_stretch(&t, &p->waiting[i]);
        p->sought.waits[i] = false;
    }
    p->window = (struct stretch){0};
    p->sought.in_window = 0;
}

static struct tare_interval size_of_bit(const struct leak_sheet *s, int bit, double level)
{
    struct tare_interval out;
    const int clip = SHEET_MEANS - 1;
    double n = leak_sheet_fixed(s, bit) ? 0 : (double)s->n, mean = 2 * (2 * s->bit[bit].sum[clip] - s->all.total[clip]) / n;
    double sd = n > 1 ? sqrt(fmax(0, 4 * s->all.square[clip] / n - mean * mean) * n / (n - 1)) : 0;
    tare_mean_cs_asymptotic(n > 0 ? mean : NAN, sd, (ptrdiff_t)n, (ptrdiff_t)s->rule->tight_blocks, level, &out);
    return out;
}

static void note_planted(struct leak_scan *scan, const uint8_t *secret, double t)
{
    struct leak_sheet *s = &scan->of[LEAK_SPIKE];
    struct scan_spike *p = &scan->spike;
    double v[SHEET_FEELERS];
    struct stretch one = {.all.n = 1};
    leak_sheet_scores(s, t, v);
    for (int i = 0; i < SHEET_FEELERS; i++) {
        one.all.total[i] = v[i];
        one.set[i] = secret[0] & 1 ? v[i] : 0;
    }
    for (int i = 0; i < SHEET_SCORES; i++)
        one.all.square[i] = v[i] * v[i];
    add_stretch(&p->window, &one);
    if (++p->sought.in_window == LEAK_WINDOW)
        end_window(p, s);
}

static struct tare_interval found_ticks(const struct leak_scan *s)
{
    return size_of_bit(&s->of[LEAK_SPIKE], 0, CHECK_LEVEL);
}

static void look_for_planted(struct leak_scan *scan)
{
    const struct leak_sheet *s = &scan->of[LEAK_SPIKE];
    struct leak_sought *p = &scan->spike.sought;
    p->blocks = s->n;
    if (s->n == 0 || p->found_after >= 0)
        return;
    const struct tare_interval found = found_ticks(scan);
    if ((leak_sheet_bit(s, 0) >= -log(CHECK_LEVEL) && found.point > 0) || (s->n >= LEAK_SOUGHT_BURN_IN && found.low > 0))
        p->found_after = s->n;
}

void leak_scan_calls(struct leak_scan *s, enum leak_kind kind, int64_t n, const uint8_t *secret, const uint32_t *ticks)
{
    struct leak_sheet *to = &s->of[kind];
    for (int64_t i = 0; i < n; i++) {
        if (to->warm && kind == LEAK_SPIKE) /* before the limits move with this call */
            note_planted(s, secret + i * to->bytes, ticks[i]);
        if (to->warm && kind == LEAK_MAIN)
            leak_levels_add(&s->levels, (double[]){leak_clipped(&to->limits, LEAK_JUDGED - 1, ticks[i])}, 1);
        leak_sheet_call(to, secret + i * to->bytes, ticks[i]);
    }
    if (kind == LEAK_SPIKE)
        look_for_planted(s);
}

void leak_scan_facts(struct leak_scan *s, const struct leak_facts *f)
{
    leak_facts_add(&s->facts, f);
}

void leak_scan_round(struct leak_scan *s)
{
    leak_levels_round(&s->levels);
    leak_bit_sizes_end_process(&s->sizes, &s->of[LEAK_MAIN]);
    for (int i = 0; i < LEAK_KINDS; i++)
        if (s->of[i].n)
            leak_sheet_look(&s->of[i]);
    look_for_planted(s);
    const struct tare_interval found = found_ticks(s);
    if (leak_sought_end_process(&s->spike.sought, &found, s->facts.spike_ticks, s->rule.replantings)) {
        s->spike = (struct scan_spike){.sought = s->spike.sought};
        leak_sheet_restart(&s->of[LEAK_SPIKE]);
    }
    for (int i = 0; i < LEAK_KINDS; i++)
        if (s->of[i].warm && leak_moves_begin_process(&s->of[i].moves, s->of[i].n)) /* limits begin anew */
            leak_sample_clear(&s->of[i].recent);
}

static void read_shares(const struct leak_sheet *s, struct leak_scan_reading *out)
{
    out->fixed = s->n ? leak_sheet_fixed_bits(s) : 0;
    for (int i = 0; i < s->bits && s->n; i++) {
        if (leak_sheet_fixed(s, i))
            continue;
        const double set = (double)s->bit[i].set;
        out->unfair |= tare_log_e_coin(set, (double)s->n - set) - log(s->bits) >= -log(UNFAIR);
    }
}

static struct tare_interval size_of_weight(const struct leak_sheet *s, double level)
{
    double variance = s->bits / 4.0;
    struct leak_running r = s->weight[SHEET_MEANS - 1];
    r.mean /= variance;
    r.m2 /= variance * variance;
    return leak_running_interval(&r, leak_sheet_fixed_bits(s) ? 0 : s->n, s->rule->tight_blocks, level);
}

static bool claim(const struct leak_sheet *s, struct leak_scan_reading *out, struct leak_bit *bits)
{
    ptrdiff_t n = s->bits + 1;
    double *log_e = malloc((size_t)n * 2 * sizeof *log_e);
    bool *rejected = malloc((size_t)n * sizeof *rejected);
    if (log_e && rejected) {
        for (int i = 0; i < s->bits; i++)
            log_e[i] = bits[i].log_e;
        log_e[s->bits] = out->weight_log_e;
        tare_e_bh(log_e, n, s->rule->alpha, rejected, log_e + n);
        for (int i = 0; i < s->bits; i++)
            out->leaking += bits[i].leaks = rejected[i];
        out->weight_leaks = rejected[s->bits];
    }
    bool ok = log_e && rejected;
    free(log_e);
    free(rejected);
    return ok;
}

static void read_checks(const struct leak_scan *s, struct leak_selfcheck *c)
{
    const struct leak_sheet *aa = &s->of[LEAK_AA], *main = &s->of[LEAK_MAIN];
    int worst = 0;
    double most = -INFINITY;
    for (int i = 0; i < aa->bits; i++) {
        double log_e = leak_sheet_bit(aa, i);
        if (log_e > most) {
            most = log_e;
            worst = i;
        }
    }
    c->aa_blocks = aa->n;
    c->aa_log_e = aa->log_e_most;
    c->aa_threshold = -log(s->rule.alpha_selfcheck);
    c->aa_fired = aa->log_e_most >= c->aa_threshold;
    c->aa_ticks = size_of_bit(aa, worst, CHECK_LEVEL / (aa->bits + 1));
    const struct tare_interval found = found_ticks(s);
    leak_sought_read(&s->spike.sought, &found, s->facts.spike_ticks, main->n, 1 - s->rule.confidence, c);
    leak_levels_read(&s->levels, 1, c);
    c->order_ticks = (struct tare_interval){NAN, NAN, NAN, NAN, 0};
    c->clock_stuck = main->n >= STUCK_FROM && main->least == main->most;
}

/* What the making of inputs does is less than what was found: of that bit, or of the weight where no single bit is claimed. */
static bool beyond_harness(const struct leak_scan *scan, const struct leak_scan_reading *r, const struct leak_bit *bits)
{
    const struct leak_sheet *aa = &scan->of[LEAK_AA];
    double level = CHECK_LEVEL / (aa->bits + 1);
    bool by_weight = !r->leaking && r->weight_leaks;
    double found = fabs(by_weight ? r->weight_ticks.point : bits[r->worst].ticks.point), most = 0;
    for (int i = 0; i <= aa->bits; i++) {
        bool asked = by_weight ? i == aa->bits : i < aa->bits && !leak_sheet_fixed(aa, i);
        struct tare_interval own;
        if (!asked)
            continue;
        own = i < aa->bits ? size_of_bit(aa, i, level) : size_of_weight(aa, level);
        most = fmax(most, fmax(-own.low, own.high));
    }
    return aa->n > 1 && most < found;
}

/* How the intervals lie to the margin, and how many calls until all are inside. */
struct lie {
    bool enough_data, inside, beyond; /* enough_data: of both for either */
    double needed;
};

/* `hardest`: the radius of an interval over what it may be. */
static double calls_needed(const struct leak_scan *scan, double hardest, int64_t least, double level)
{
    const double processes = (double)scan->sizes.processes, calls = (double)scan->sizes.calls / processes;
    double then = leak_processes_at_radius(scan->sizes.processes, hardest, 1, LEAK_TYPICALLY_OFF, least, level);
    return isfinite(then) ? (then - processes) * calls : NAN;
}

static struct lie lie_of(const struct leak_scan *scan, double margin, const struct leak_bit *bits,
                         const struct tare_interval *weight)
{
    const int64_t calls = scan->of[LEAK_MAIN].n, processes = scan->sizes.processes,
                  least = leak_least_processes(scan->rule.confidence);
    const bool enough_data = calls >= LEAK_BURN_IN && processes >= least;
    struct lie lie = {.enough_data = enough_data, .inside = enough_data, .needed = NAN};
    double hardest = 0;
    bool never = calls < LEAK_BURN_IN || processes == 0;
    for (int i = 0; i <= scan->of[LEAK_MAIN].bits; i++) {
        const struct tare_interval *x = i < scan->of[LEAK_MAIN].bits ? &bits[i].ticks : weight;
        if (isnan(x->point)) /* fixed */
            continue;
        double centre = x->low > 0 || x->high < 0 ? fabs(x->point) : 0, room = margin - centre;
        lie.inside &= x->low >= -margin && x->high <= margin;
        lie.beyond |= enough_data && (x->low > margin || x->high < -margin);
        never |= !(room > 0);
        hardest = fmax(hardest, (x->high - x->low) / 2 / room);
    }
    if (!never)
        lie.needed = calls_needed(scan, hardest, least, weight->level);
    return lie;
}

static void decide(const struct leak_scan *s, const struct lie *lie, struct leak_scan_reading *out)
{
    const struct leak_selfcheck *c = &out->check;
    bool found = s->of[LEAK_MAIN].found_after >= 0 && out->fixed < out->bits;
    const bool no_coins = out->unfair || (out->calls >= LEAK_BURN_IN && out->fixed == out->bits);
    out->why = leak_spoiled(&s->facts, c, no_coins || c->aa_fired, found);
    if (out->why == LEAK_WHY_AA && no_coins)
        out->why = LEAK_WHY_UNFAIR;
    if (out->why != LEAK_WHYS) {
        out->verdict = LEAK_INVALID;
    } else if (found) {
        bool small = lie->inside && !c->spike_blind && !injected_delay_waits(c);
        out->verdict = small ? LEAK_SMALL : LEAK_FOUND;
        out->why = small ? LEAK_WHY_SMALLER : lie->beyond ? LEAK_WHY_LARGER : LEAK_WHY_UNSETTLED;
    } else {
        /* Nothing was found; what there is to say. */
        bool checked = !s->rule.selfchecks || leak_checks_passed(&out->check);
        out->why = out->calls < LEAK_BURN_IN ? LEAK_WHY_FEW
                   : !lie->enough_data       ? LEAK_WHY_PROCESSES
                   : !lie->inside            ? LEAK_WHY_WIDE
                   : !checked                ? LEAK_WHY_NO_SPIKE
                   : out->fixed              ? LEAK_WHY_FIXED
                                             : LEAK_WHY_BOUNDED;
        out->verdict = out->why == LEAK_WHY_BOUNDED ? LEAK_NONE : LEAK_UNDECIDED;
    }
    bool leak = out->verdict == LEAK_FOUND || out->verdict == LEAK_SMALL;
    out->stop = out->why == LEAK_WHY_FIXED || (out->verdict != LEAK_UNDECIDED && out->why != LEAK_WHY_UNSETTLED &&
                                               !(leak && s->rule.selfchecks && !c->beyond_harness));
    out->calls_needed = out->stop ? 0 : lie->needed;
}

bool leak_scan_read(const struct leak_scan *scan, struct leak_scan_reading *out, struct leak_bit *bits)
{
    const struct leak_sheet *s = &scan->of[LEAK_MAIN];
    double margin = scan->rule.margin_ticks > 0 ? scan->rule.margin_ticks : scan->rule.margin_share * s->median;
    double level = (1 - scan->rule.confidence) / (s->bits + 1);
    *out = (struct leak_scan_reading){
        .calls = s->n, .processes = scan->sizes.processes, .margin_ticks = margin, .median_ticks = s->median, .bits = s->bits};
    for (int i = 0; i < s->bits; i++) {
        bits[i] = (struct leak_bit){.log_e = leak_sheet_bit(s, i), .ticks = leak_bit_sizes_read(&scan->sizes, s, i, level)};
        if (bits[i].log_e > bits[out->worst].log_e)
            out->worst = i;
    }
    out->weight_log_e = leak_sheet_weight(s);
    out->weight_ticks = leak_bit_sizes_read(&scan->sizes, s, s->bits, level);
    read_shares(s, out);
    read_checks(scan, &out->check);
    if (!claim(s, out, bits))
        return false;
    out->log_e = s->n ? leak_sheet_all(s) : 0;
    out->log_e_most = fmax(out->log_e, s->log_e_most);
    struct lie lie = lie_of(scan, margin, bits, &out->weight_ticks);
    out->check.beyond_harness = beyond_harness(scan, out, bits);
    decide(scan, &lie, out);
    bool waits = scan->rule.selfchecks && out->check.spike_found_after < 0,
         leak = out->verdict == LEAK_FOUND || out->verdict == LEAK_SMALL;
    out->check.share_wanted =
        (leak && !out->stop) || (waits && (out->why == LEAK_WHY_NO_SPIKE || lie.needed < (double)s->n)) ? 30 : 0;
    return true;
}

struct scan {
    struct leak_scan *engine;
    struct leak_scan_reading reading;
    struct leak_bit *bits;
    struct buf text; /* of those that leak */
};

static enum tare_status create_scan(struct leak_judge *j, const struct wire_target *t, struct tare_err *err)
{
    struct leak_rule rule;
    (void)t;
    enum tare_status status = leak_rule_of(j, &rule, err);
    struct scan *s = j->state = status ? NULL : calloc(1, sizeof *s);
    if (status)
        return status;
    if (!s || !(s->bits = calloc((size_t)j->secret_bytes * 8 + 1, sizeof *s->bits)))
        return err_set(err, TARE_NO_MEMORY, "no memory for %d bytes of secret", j->secret_bytes);
    s->text = BUF_INIT(1 << 16);
    return leak_scan_create(j->secret_bytes, &rule, &s->engine, err);
}

static void destroy_scan(void *state)
{
    struct scan *s = state;
    if (!s)
        return;
    leak_scan_destroy(s->engine);
    buf_finish(&s->text);
    free(s->bits);
    free(s);
}

static void take_calls(struct leak_judge *j, const struct wire_calls *c, const uint32_t *ticks)
{
    static const enum leak_kind kinds[WIRE_BLOCKS_KINDS] = {
        [WIRE_MAIN] = LEAK_MAIN, [WIRE_AA] = LEAK_AA, [WIRE_SPIKE] = LEAK_SPIKE, [WIRE_GROWTH_SIZES] = LEAK_MAIN};
    leak_scan_calls(((const struct scan *)j->state)->engine, kinds[c->kind], c->n, c->secrets, ticks);
}

static void end_process(void *state, const struct leak_facts *facts)
{
    const struct scan *s = state;
    leak_scan_facts(s->engine, facts);
    leak_scan_round(s->engine);
}

static void put_bits(struct buf *b, const struct leak_bit *bits, int n)
{
    enum { SHOWN = 24 };
    int shown = 0, leaking = 0;
    buf_clear(b);
    for (int i = 0; i < n; i++) {
        leaking += bits[i].leaks;
        if (bits[i].leaks && shown++ < SHOWN)
            buf_format(b, "%s%d.%d", b->len ? ", " : "", i / 8, i % 8);
    }
    if (leaking > SHOWN)
        buf_format(b, " and %d more", leaking - SHOWN);
}

static void read_scan(struct leak_judge *j, struct leak_target *t)
{
    struct scan *s = j->state;
    const struct leak_scan_reading *r = &s->reading;
    const struct leak_bit *bits = s->bits;
    leak_scan_read(s->engine, &s->reading, s->bits);
    const struct leak_bit *worst = &bits[r->worst];
    const double ns = leak_ns_per_tick(j), cycles = leak_cycles_per_tick(j);
    j->now.log_e = r->log_e;
    j->now.margin_ticks = r->margin_ticks;
    t->verdict = leak_verdict_of(r->verdict);
    t->why = leak_reason_text(r->why == LEAK_WHY_AA ? LEAK_WHY_AA_SCAN : r->why);
    t->decided = r->stop;
    t->log10_e = leak_decimal(r->log_e);
    t->log10_e_most = leak_decimal(r->log_e_most);
    t->blocks = (double)r->calls;
    t->blocks_needed = r->calls_needed;
    t->margin_ns = r->margin_ticks * ns;
    t->median_ns = (r->median_ticks - j->pair_ticks) * ns;
    t->scan_bits = r->bits;
    t->scan_leaking = r->leaking;
    t->scan_worst_bit = r->worst;
    t->scan_weight_leaks = r->weight_leaks;
    t->scan_weight_log10_e = leak_decimal(r->weight_log_e);
    t->exact = false;
    t->processes = (double)r->processes;
    leak_put_checks(j, &r->check, t);
    t->beyond_harness = r->check.aa_blocks > 1 ? r->check.beyond_harness : NAN;
    leak_scaled(&worst->ticks, ns, &t->difference_ns, &t->low_ns, &t->high_ns);
    leak_scaled(&worst->ticks, cycles, &t->difference_cycles, &t->low_cycles, &t->high_cycles);
    leak_scaled(&r->weight_ticks, ns, &t->scan_weight_ns, &t->scan_weight_low_ns, &t->scan_weight_high_ns);
    t->least_ns = INFINITY;
    t->most_ns = -INFINITY;
    for (int i = 0; i < r->bits; i++) {
        t->least_ns = fmin(t->least_ns, bits[i].ticks.low * ns);
        t->most_ns = fmax(t->most_ns, bits[i].ticks.high * ns);
    }
    put_bits(&s->text, bits, r->bits);
    t->bits = s->text.len ? buf_text(&s->text) : NULL;
}

static int draw_scan(struct leak_judge *j, struct leak_target *t, struct arena *arena, struct chart *out)
{
    const struct scan *s = j->state;
    const struct leak_chart_words words = leak_chart_words_of(j, t);
    return leak_scan_charts(&s->reading, s->bits, &words, arena, out);
}

const struct leak_method leak_by_scan = {.kind = "scan",
                                         .create = create_scan,
                                         .destroy = destroy_scan,
                                         .calls = take_calls,
                                         .end_process = end_process,
                                         .read = read_scan,
                                         .draw = draw_scan};
