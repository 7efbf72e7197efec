/* SPDX-License-Identifier: MIT
 *
 * What a run says of itself: a class against itself must be quiet, and a planted delay must be found.
 *
 * A/A: the evidence of the two slots of one class; fired at E >= 1/alpha_selfcheck, which happens by chance with at most that (Ville).
 * Spike: class 0 against class 0 with a known delay. Seen: E >= 100 with a mean above 0 (what makes calls faster is not the delay), or an interval
 * at .01/3 of one of the clipped differences that leaves 0 above, from 100 blocks on. Hidden: not seen in 100 blocks of three
 * processes, and its interval below half of what was planted: one process alone may be laid out so that its predictors of branches take the long delay
 * for the short one, or the short for the long, some 10 ns a call.
 *
 * A delay may be hidden without any fault of the harness: what a process weighs before its blocks, it may weigh wrongly on a busy machine, and a
 * call that does not wait for its arguments runs beside the first cycles of it. So the next process plants anew, twice as long, and what was found so far is
 * forgotten; at most rule.replantings times. Hidden once more: blind. How much was planted stands with the result, so nothing is claimed of
 * shorter ones; by chance a delay that shows is called hidden at most once in 100 plantings.
 *
 * Power: the blocks of the spike are cut into stretches of w = 64, 128, 256 ... blocks, one behind the other; a stretch finds the delay when E of it
 * alone is 1/alpha at its end, that is, when the word would have been "leak" after w blocks. The order of each block is drawn anew, so stretches
 * are independent but for the state of the machine; of m of them k find it: exact binomial interval (Clopper and Pearson) at (1 - confidence)
 * over all lengths. A question that has n >= w blocks finds at least as often, for it looks at w blocks too: so the lower end
 * of any length up to n is one for n, and that with the highest is read. E of two neighbours is that of their summed
 * tallies (Chan, Golub and LeVeque for the means), so all lengths cost one addition a stretch. No stretch is over: no power.
 * Smallest n: 64 blocks behind the warm-up. Ties and constants: as leak_components.c.
 *
 * Drift: did the level move over a run? CUSUM of the means of its stretches.
 *
 * With means x_1 .. x_n, s^2 half of the mean square of neighbours' differences (von Neumann 1941: a step in the level hardly touches it), C the
 * largest of |sum of the first i of (x - mean)| / (s sqrt n). Without drift C is about the supremum of a Brownian bridge: P(C > c) about
 * 2 exp(-2 c^2), 1 of 100 over 1.63. Neighbours that are alike by a slow drift make s small and C large, which is what is asked
 * for. It is a description: drift falls on all classes of a block alike, and no verdict rests on it.
 * Smallest n: LEAK_DRIFT_LEAST. All means equal: NaN.
 */
#include "leak_core.h"
#include <math.h>

static const double CHECK_LEVEL = .01;

void leak_power_note(struct leak_power *p, int level, bool found)
{
    p->had[level]++;
    p->found[level] += found;
}

void leak_power_read(const struct leak_power *p, int64_t blocks, double level, struct leak_selfcheck *out)
{
    out->power = (struct tare_interval){NAN, 0, 1, level / LEAK_POWER_LEVELS, 0};
    out->power_blocks = out->power_stretches = out->power_found = 0;
    for (int i = 0; i < LEAK_POWER_LEVELS && (int64_t)LEAK_WINDOW << i <= blocks; i++) {
        struct tare_interval one;
        if (!p->had[i])
            continue;
        tare_binomial_ci_clopper_pearson((ptrdiff_t)p->found[i], (ptrdiff_t)p->had[i], level / LEAK_POWER_LEVELS, &one);
        if (out->power_stretches && one.low < out->power.low)
            continue;
        out->power = one;
        out->power_blocks = (int64_t)LEAK_WINDOW << i;
        out->power_stretches = p->had[i];
        out->power_found = p->found[i];
    }
}

static double planted_so_far(const struct leak_sought *s, double last_ticks)
{
    return s->kept ? tare_quantile_sorted(s->planted, s->kept, .5) : last_ticks;
}

static bool hides_so_far(const struct leak_sought *s, const struct tare_interval *found, double last_ticks)
{
    return s->found_after < 0 && s->blocks >= LEAK_SOUGHT_BURN_IN && found->high < planted_so_far(s, last_ticks) / 2;
}

static bool is_hidden(const struct leak_sought *s, const struct tare_interval *found, double last_ticks)
{
    return s->processes >= LEAK_HIDING_PROCESSES && hides_so_far(s, found, last_ticks);
}

static void note_planted(struct leak_sought *s, double ticks)
{
    const int64_t added = s->blocks - s->seen;
    int at = s->kept;
    s->seen = s->blocks;
    s->processes += added > 0;
    if (isnan(ticks) || !added || s->kept == LEAK_PLANTED_KEPT)
        return;
    for (; at > 0 && s->planted[at - 1] > ticks; at--)
        s->planted[at] = s->planted[at - 1];
    s->planted[at] = ticks;
    s->kept++;
}

bool leak_sought_end_process(struct leak_sought *s, const struct tare_interval *found, double planted_ticks, int replantings)
{
    note_planted(s, planted_ticks);
    if (s->replanted == replantings || !is_hidden(s, found, planted_ticks))
        return false;
    *s = (struct leak_sought){.replanted = s->replanted + 1, .found_after = -1};
    return true;
}

void leak_sought_read(const struct leak_sought *s, const struct tare_interval *found, double planted_ticks, int64_t question,
                      double level, struct leak_selfcheck *out)
{
    out->spike_blocks = s->blocks;
    out->spike_found_after = s->found_after;
    out->spike_planted_ticks = planted_so_far(s, planted_ticks);
    out->spike_ticks = *found;
    out->spike_replanted = s->replanted;
    out->spike_hides = hides_so_far(s, found, planted_ticks);
    out->spike_blind = is_hidden(s, found, planted_ticks);
    leak_power_read(&s->power, question, level, out);
}

bool injected_delay_waits(const struct leak_selfcheck *c)
{
    return c->spike_hides || (c->spike_replanted > 0 && c->spike_found_after < 0);
}

void injected_delay_start(struct injected_delay *s)
{
    *s = (struct injected_delay){.sought.found_after = -1};
}

void injected_delay_add(struct injected_delay *s, const struct leak_test_set *b, const double *two)
{
    const struct leak_limits *l = &b->limits;
    double d = leak_clipped(l, LEAK_JUDGED - 1, two[1]) - leak_clipped(l, LEAK_JUDGED - 1, two[0]);
    leak_running_add(&s->all, d, 1 / (double)++s->sought.blocks);
    leak_tally_note(b, &s->window, ++s->sought.in_window, two);
    if (s->sought.in_window == LEAK_WINDOW) {
        /* A stretch is over; with one that waits it makes one of twice the length. */
        struct leak_tally t = s->window;
        int64_t n = LEAK_WINDOW;
        for (int i = 0; i < LEAK_POWER_LEVELS; i++, n *= 2) {
            leak_power_note(&s->sought.power, i, leak_tally_log_e(b, &t, n) >= -log(b->rule->alpha));
            if (!s->sought.waits[i]) {
                s->waiting[i] = t;
                s->sought.waits[i] = true;
                break;
            }
            leak_tally_merge(&t, n, &s->waiting[i], n);
            s->sought.waits[i] = false;
        }
        s->window = (struct leak_tally){0};
        s->sought.in_window = 0;
    }
}

static bool is_seen(const struct leak_test_set *b)
{
    bool seen = b->log_e >= -log(CHECK_LEVEL) && b->tally[0].mean[LEAK_JUDGED - 1].mean > 0;
    for (int c = 0; c < LEAK_JUDGED && b->n >= LEAK_SOUGHT_BURN_IN; c++) {
        struct leak_running r = leak_careful(b, 0, c);
        seen |= leak_running_interval(&r, b->n, 10 * LEAK_SOUGHT_BURN_IN, CHECK_LEVEL / LEAK_JUDGED).low > 0;
    }
    return seen;
}

void injected_delay_look(struct injected_delay *s, struct leak_test_set *b)
{
    leak_test_set_look(b);
    if (s->sought.found_after < 0 && is_seen(b))
        s->sought.found_after = b->n;
}

static struct tare_interval found_ticks(const struct injected_delay *s)
{
    return leak_running_interval(&s->all, s->sought.blocks, 1000, CHECK_LEVEL);
}

void injected_delay_end_process(struct injected_delay *s, struct leak_test_set *b, double planted_ticks)
{
    const struct tare_interval found = found_ticks(s);
    if (!leak_sought_end_process(&s->sought, &found, planted_ticks, b->rule->replantings))
        return;
    leak_test_set_restart(b);
    *s = (struct injected_delay){.sought = s->sought};
}

static void look_at(struct leak_test_set *at, struct injected_delay *s, enum leak_kind kind)
{
    if (kind == LEAK_SPIKE)
        injected_delay_look(s, &at[kind]);
    else
        leak_test_set_look(&at[kind]);
}

void leak_check_block(struct leak_test_set *at, struct injected_delay *s, enum leak_kind kind, const double *two)
{
    if (at[kind].warm && kind == LEAK_SPIKE) /* before the limits move with this block */
        injected_delay_add(s, &at[kind], two);
    if (leak_test_set_add(&at[kind], two))
        look_at(at, s, kind);
}

void leak_check_end_process(struct leak_test_set *at, struct injected_delay *s, int64_t least_warmup, double planted_ticks)
{
    for (enum leak_kind i = LEAK_AA; i <= LEAK_SPIKE; i++) {
        if (at[i].warmup >= least_warmup)
            leak_test_set_end_warmup(&at[i]);
        leak_test_set_round(&at[i]);
        if (at[i].n)
            look_at(at, s, i);
    }
    injected_delay_end_process(s, &at[LEAK_SPIKE], planted_ticks);
}

void leak_selfcheck_read(const struct leak_test_set *aa, const struct injected_delay *s, double planted_ticks, int64_t blocks,
                         struct leak_selfcheck *out)
{
    const struct leak_rule *rule = aa->rule;
    out->aa_blocks = aa->n;
    out->aa_log_e = aa->most;
    out->aa_threshold = -log(rule->alpha_selfcheck);
    out->aa_fired = aa->most >= out->aa_threshold;
    out->aa_ticks = leak_running_interval(&aa->tally[0].mean[LEAK_JUDGED - 1], aa->n, 1000, CHECK_LEVEL);
    const struct tare_interval found = found_ticks(s);
    leak_sought_read(&s->sought, &found, planted_ticks, blocks, 1 - rule->confidence, out);
}

double leak_cusum(const double *means, int n, int *at)
{
    double mean = 0, square = 0, sum = 0, most = 0;
    *at = 0;
    if (n < LEAK_DRIFT_LEAST)
        return NAN;
    for (int i = 0; i < n; i++)
        mean += means[i] / n;
    for (int i = 1; i < n; i++)
        square += (means[i] - means[i - 1]) * (means[i] - means[i - 1]);
    for (int i = 0; i < n - 1; i++) {
        sum += means[i] - mean;
        if (fabs(sum) > most) {
            most = fabs(sum);
            *at = i + 1;
        }
    }
    double s = sqrt(square / 2 / (n - 1));
    return s > 0 ? most / (s * sqrt(n)) / (1 + 3.0 / n) : NAN;
}

void leak_levels_add(struct leak_levels *l, const double *x, int k)
{
    l->now.n++;
    for (int i = 0; i < k; i++)
        l->now.sum[i] += x[i];
}

void leak_levels_round(struct leak_levels *l)
{
    l->each = l->each ? l->each : 1;
    if (l->now.n == 0 || ++l->in_this < l->each)
        return;
    if (l->n == LEAK_EPOCHS_MAX) {
        for (int i = 0; i < l->n / 2; i++) {
            const struct leak_level *next = &l->at[2 * i + 1];
            l->at[i] = l->at[2 * i];
            l->at[i].n += next->n;
            for (int c = 0; c < LEAK_CLASSES_MAX; c++)
                l->at[i].sum[c] += next->sum[c];
        }
        l->n /= 2;
        l->each *= 2;
    }
    l->at[l->n++] = l->now;
    l->now = (struct leak_level){0};
    l->in_this = 0;
}

void leak_levels_read(const struct leak_levels *l, int k, struct leak_selfcheck *out)
{
    double means[LEAK_EPOCHS_MAX], least = INFINITY, most = -INFINITY, sum = 0;
    int at;
    for (int i = 0; i < l->n; i++) {
        means[i] = 0;
        for (int c = 0; c < k; c++)
            means[i] += l->at[i].sum[c] / (double)l->at[i].n / k;
        least = fmin(least, means[i]);
        most = fmax(most, means[i]);
        sum += means[i];
    }
    out->drift_ticks = l->n < 2 ? NAN : most - least;
    out->level_ticks = l->n < 2 ? NAN : sum / l->n;
    out->drift_cusum = leak_cusum(means, l->n, &at);
    out->drift_after = 0;
    for (int i = 0; i < at; i++)
        out->drift_after += l->at[i].n;
}

double leak_drift_share(const struct leak_selfcheck *c, double empty_ticks)
{
    const double level = c->level_ticks - empty_ticks;
    return level > 0 ? c->drift_ticks / level : NAN;
}
