/* SPDX-License-Identifier: MIT
 *
 * All that can be said of a leak run at this moment, put together from the engine's parts.
 */
#include "leak_state.h"
#include <math.h>
#include <string.h>

enum { HEADLINE = 1, CLOCK_STUCK_FROM = 50 }; /* HEADLINE: the clip at 90 % */
static const double CHECK_LEVEL = .01;

struct leak_look leak_look_now(const struct leak_engine *e)
{
    const struct leak_test_set *b = &e->at[LEAK_MAIN];
    struct leak_difference d;
    leak_size_at_clip(b, b->worst, HEADLINE, &d);
    return (struct leak_look){.blocks = b->n, .log10_e = b->log_e / log(10), .ticks = d.ticks, .clip = d.clip};
}

/* ---- pairs ---- */

static void set_clipped_shares(const struct leak_engine *e, struct leak_pair *p)
{
    for (int c = 0; c < LEAK_CLIPS; c++)
        for (int side = 0; side < 2; side++) {
            double below;
            leak_histogram_below(&e->histogram[side ? p->second : p->first], e->base, &p->at[c].clip_ticks, 1, &below);
            p->at[c].clipped[side] = isnan(p->at[c].clip_ticks) ? 0 : 1 - below;
        }
}

static void read_pairs(const struct leak_engine *e, struct leak_reading *out)
{
    const struct leak_test_set *b = &e->at[LEAK_MAIN];
    int pair = 0;
    out->pairs = b->pairs;
    out->worst = 0;
    for (int first = 0; first < b->k; first++)
        for (int second = first + 1; second < b->k; second++, pair++) {
            struct leak_pair *p = &out->pair[pair];
            *p = (struct leak_pair){.first = first, .second = second, .log_e = leak_pair_log_e(b, pair)};
            leak_size_of_pair(b, pair, p);
            if (p->log_e > out->pair[out->worst].log_e)
                out->worst = pair;
            set_clipped_shares(e, p);
        }
}

/* How far the interval lies from 0, in its widths; below 0 where it holds it. */
static double clear_of_zero(const struct leak_difference *d)
{
    double clear = fmax(d->ticks.low, -d->ticks.high) / (d->ticks.high - d->ticks.low);
    return isnan(clear) ? -INFINITY : clear;
}

/* The same in each session where it can be: sizes at different clips are different figures. Where it shows no difference, the one that shows it best. */
static int headline_of(const struct leak_pair *p)
{
    int best = HEADLINE;
    if (clear_of_zero(&p->at[HEADLINE]) > 0)
        return HEADLINE;
    for (int c = 0; c < LEAK_JUDGED; c++)
        if (clear_of_zero(&p->at[c]) > fmax(0, clear_of_zero(&p->at[best])))
            best = c;
    return best;
}

static void read_components(const struct leak_test_set *b, struct leak_reading *out)
{
    struct leak_component c[LEAK_COMPONENTS];
    int n = leak_components(b, out->worst, c);
    double shape = -INFINITY; /* of what speaks for a location and cannot be a spread: signs and means */
    out->component = c[0];
    for (int f = 0; f < LEAK_FAMILIES; f++)
        out->family_log_e[f] = -INFINITY;
    for (int i = 0; i < n; i++) {
        if (c[i].log_e > out->component.log_e)
            out->component = c[i];
        out->family_log_e[c[i].family] = fmax(out->family_log_e[c[i].family], c[i].log_e);
        if (c[i].family == LEAK_LOCATION && strcmp(c[i].name, "mcnemar") != 0)
            shape = fmax(shape, c[i].log_e);
    }
    /* The mean without a clip feels what those with one do; a tail is what they do not. */
    if (!strcmp(out->component.name, "mean") && out->family_log_e[LEAK_LOCATION] > out->component.log_e / 2)
        out->component.family = LEAK_LOCATION;
    /* A limit far from the middle feels a wider class too. */
    if (out->component.family == LEAK_LOCATION && out->family_log_e[LEAK_SPREAD] > shape)
        out->component.family = LEAK_SPREAD;
}

static void read_evidence(const struct leak_engine *e, struct leak_reading *out)
{
    const struct leak_test_set *b = &e->at[LEAK_MAIN];
    out->blocks = b->n;
    out->warmup = b->warmup;
    out->calls = e->calls;
    out->log_e = b->log_e;
    out->log_e_most = b->most;
    out->log10_e = b->log_e / log(10);
    out->found_after = e->found_after;
    out->exact = e->rule.exact;
    out->processes = b->over.pair ? b->over.processes : -1;
    out->median_ticks = b->median;
    out->margin_ticks = b->warm ? e->margin : NAN;
    out->step_ticks = e->rule.step_ticks;
    out->bits_per_call = b->n ? fmax(0, b->log_e) / log(2) / ((double)b->n * b->k) : 0;
    read_components(b, out);
}

/* ---- self-checks ---- */

static void read_drift(const struct leak_engine *e, struct leak_selfcheck *c)
{
    double means[LEAK_EPOCHS_MAX], least = INFINITY, most = -INFINITY, sum = 0;
    int at;
    for (int i = 0; i < e->epochs; i++) {
        means[i] = 0;
        for (int k = 0; k < e->rule.classes; k++)
            means[i] += e->epoch[i].mean_ticks[k] / e->rule.classes;
        least = fmin(least, means[i]);
        most = fmax(most, means[i]);
        sum += means[i];
    }
    c->drift_share = e->epochs < 2 || !(sum > 0) ? NAN : (most - least) / (sum / e->epochs);
    c->drift_cusum = leak_cusum(means, e->epochs, &at);
    c->drift_after = 0;
    for (int i = 0; i < at; i++)
        c->drift_after += e->epoch[i].blocks;
}

static void read_checks(const struct leak_engine *e, struct leak_selfcheck *c)
{
    const struct leak_test_set *main = &e->at[LEAK_MAIN];
    leak_selfcheck_read(&e->at[LEAK_AA], &e->at[LEAK_SPIKE], &e->spike, e->facts.spike_ticks, main->n, c);
    c->order_ticks = leak_running_interval(&e->order, main->n, e->rule.tight_blocks, CHECK_LEVEL);
    c->clock_stuck = main->n >= CLOCK_STUCK_FROM && e->least == e->most;
    c->clock_coarse = main->warm && e->facts.step_ticks > e->margin;
    c->distinct = main->limits.distinct;
    read_drift(e, c);
}

/* ---- pictures ---- */

void leak_engine_draw(const struct leak_engine *e, const struct leak_reading *read, struct leak_pictures *out)
{
    const struct leak_pair *p = &read->pair[read->worst];
    const struct leak_histogram *first = &e->histogram[p->first], *second = &e->histogram[p->second];
    memset(out, 0, sizeof *out);
    leak_shift_function(first, second, e->base, &e->rule, out->shift);
    out->ecdf_points = leak_ecdf(first, second, e->base, &e->rule, out->ecdf);
    out->looks = e->looks;
    memcpy(out->look, e->look, (size_t)e->looks * sizeof *e->look);
    if (out->looks < LEAK_SERIES_MAX && read->blocks && (out->looks == 0 || out->look[out->looks - 1].blocks < read->blocks))
        out->look[out->looks++] = leak_look_now(e);
    out->epochs = e->epochs;
    memcpy(out->epoch, e->epoch, (size_t)e->epochs * sizeof *e->epoch);
}

/* ---- all of it ---- */

/* Judged sizes are inside or will be before as many blocks again. */
static bool nearly_done(const struct leak_reading *r)
{
    return r->why == LEAK_WHY_NO_SPIKE || (r->verdict == LEAK_UNDECIDED && r->blocks_to_bound < (double)r->blocks);
}

static void read_advice(const struct leak_engine *e, struct leak_reading *out)
{
    const struct tare_interval *own = &out->check.aa_ticks, *found = &out->pair[out->worst].at[out->headline].ticks;
    bool waits = e->rule.selfchecks && out->check.spike_found_after < 0;
    out->check.share_wanted = waits && nearly_done(out) ? 30 : 0;
    out->check.beyond_harness = fmax(-own->low, own->high) < fabs(found->point);
}

/* Where its processes ran. */
static void read_places(const struct leak_engine *e, struct leak_reading *out)
{
    const struct leak_over *o = &e->at[LEAK_MAIN].over;
    const bool known = o->pair && o->with_cycles > 0;
    out->cpus_differ = -1;
    out->cycles_per_tick_low = known ? o->cycles_low : NAN;
    out->cycles_per_tick_high = known ? o->cycles_high : NAN;
    if (o->pair)
        leak_strata_read(&o->strata, e->at[LEAK_MAIN].pairs, out->worst, out->headline, 1 - e->rule.confidence, out);
}

void leak_engine_read(const struct leak_engine *e, struct leak_reading *out)
{
    memset(out, 0, sizeof *out);
    read_pairs(e, out);
    read_evidence(e, out);
    read_checks(e, &out->check);
    out->headline = headline_of(&out->pair[out->worst]);
    const struct tare_interval *a = &out->pair[out->worst].advantage;
    out->calls_to_distinguish = 2 * log(100) / (a->point * a->point);
    out->calls_to_distinguish_low = 2 * log(100) / (a->high * a->high);
    read_places(e, out);
    leak_decide(&e->rule, &e->facts, out);
    read_advice(e, out);
}
