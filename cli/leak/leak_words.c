/* SPDX-License-Identifier: MIT */
#include "leak_words.h"
#include <math.h>
#include <string.h>

static enum verdict verdict_word(enum leak_verdict v)
{
    switch (v) {
    case LEAK_NONE:
        return VERDICT_NO_LEAK;
    case LEAK_SMALL:
        return VERDICT_LEAK_SMALL;
    case LEAK_FOUND:
        return VERDICT_LEAK;
    case LEAK_INVALID:
        return VERDICT_INVALID;
    case LEAK_UNDECIDED:
    case LEAK_VERDICTS:
        break;
    }
    return VERDICT_UNDECIDED;
}

/* ---- beside the times ---- */

void leak_tally_add(struct leak_tally *t, const struct leak_report *r)
{
    t->calls += (int64_t)r->end.calls;
    t->elapsed_ns += r->end.elapsed_ns;
    t->saturated += (int64_t)r->end.saturated;
    t->migrated += (int64_t)r->end.migrated;
    t->facts |= r->end.facts;
    t->dit = (int)r->target.dit;
    struct buf b = buf_over(t->dit_words, sizeof t->dit_words);
    buf_str(&b, r->target.dit_words ? r->target.dit_words : "");
}

static const struct {
    uint32_t fact;
    const char *says;
} facts[] = {{WIRE_EQUAL_CLASSES, "two classes give the same input"},
             {WIRE_NOT_DETERMINISTIC, "the same input gives two results"},
             {WIRE_READ_OUTSIDE, "it reads outside of its input"},
             {WIRE_WROTE_OUTSIDE, "it writes outside of its input"},
             {WIRE_INPUT_CHANGED, "it changes its input"},
             {WIRE_ALLOCATED, "it allocates memory, whose time depends on what was allocated before"},
             {WIRE_TOO_COARSE, "the clock is too coarse for it"},
             {WIRE_TOO_SLOW, "a call is so long that few fit into a process"},
             {WIRE_LONG_READINGS, "so many calls in a reading last longer than a process"}};

void leak_words_names(struct buf *words, const char *const *classes, int n)
{
    struct buf *b = &words[WORDS_CLASSES];
    buf_clear(b);
    for (int i = 0; i < n; i++)
        buf_format(b, "%s%s", i ? ", " : "", classes[i]);
}

void leak_words_tally(struct buf *words, const struct leak_tally *tally, const struct leak_units *u, struct leak_target *t)
{
    struct buf *said = &words[WORDS_FACTS], *dit = &words[WORDS_DIT];
    buf_clear(said);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (tally->facts & facts[i].fact)
            buf_format(said, "%s%s", said->len ? "; " : "", facts[i].says);
    buf_clear(dit);
    if (tally->dit >= 0 && tally->dit < WIRE_DITS) {
        buf_str(dit, wire_dit_word((enum wire_dit)tally->dit));
        if (tally->dit_words[0])
            buf_format(dit, " (%s)", tally->dit_words);
    }
    t->calls = (double)tally->calls;
    t->seconds = (double)tally->elapsed_ns / 1e9;
    t->saturated = (double)tally->saturated;
    t->migrated = (double)tally->migrated;
    t->ticks_hz = u->hz;
    t->repeat = u->repeat;
    t->cycles_per_tick = u->cycles_per_tick;
    t->facts = said->len ? buf_text(said) : NULL;
    t->dit = dit->len ? buf_text(dit) : NULL;
    t->classes = words[WORDS_CLASSES].len ? buf_text(&words[WORDS_CLASSES]) : NULL;
}

/* ---- pairs ---- */

static double starved(enum leak_reason why)
{
    return why == LEAK_WHY_FEW || why == LEAK_WHY_PROCESSES ? 1 : NAN;
}

static double decimal(double natural)
{
    return natural / log(10);
}

static void scaled(const struct tare_interval *ticks, double factor, double *point, double *low, double *high)
{
    *point = ticks->point * factor;
    *low = ticks->low * factor;
    *high = ticks->high * factor;
}

/* What the phase of a clock may hide is not in what it shows. */
static struct tare_interval widened(struct tare_interval ticks, double step)
{
    ticks.low -= step;
    ticks.high += step;
    return ticks;
}

static void size_words(const struct leak_reading *r, const struct leak_units *u, struct leak_target *t)
{
    const struct leak_pair *p = &r->pair[r->worst];
    const struct leak_difference *d = &p->at[r->headline];
    const double step = r->step_ticks;
    const struct tare_interval ticks = widened(d->ticks, step);
    const bool of_each = !isnan(d->cycles.point); /* each process by the cycles of its own core */
    scaled(&ticks, u->ns, &t->difference_ns, &t->low_ns, &t->high_ns);
    scaled(of_each ? &d->cycles : &ticks, of_each ? 1 / u->repeat : u->cycles, &t->difference_cycles, &t->low_cycles,
           &t->high_cycles);
    t->clip = d->clip;
    t->clip_ns = (d->clip_ticks - u->empty_ticks) * u->ns;
    t->least_ns = INFINITY;
    t->most_ns = -INFINITY;
    for (int i = 0; i < r->pairs; i++)
        for (int k = 0; k < LEAK_CLIPS; k++)
            if (r->pair[i].at[k].judged) {
                t->least_ns = fmin(t->least_ns, (r->pair[i].at[k].ticks.low - step) * u->ns);
                t->most_ns = fmax(t->most_ns, (r->pair[i].at[k].ticks.high + step) * u->ns);
            }
    if (t->least_ns > t->most_ns)
        t->least_ns = t->most_ns = NAN;
    t->step_ns = step > 0 ? step * u->ns : NAN;
    t->margin_ns = r->margin_ticks * u->ns;
    t->median_ns = (r->median_ticks - u->empty_ticks) * u->ns;
    if (u->repeat > 1) /* what a reading of several calls tells says nothing of who sees one */
        return;
    t->advantage = p->advantage.point;
    t->advantage_low = p->advantage.low;
    t->advantage_high = p->advantage.high;
    t->calls_to_distinguish = r->calls_to_distinguish;
    t->calls_to_distinguish_low = r->calls_to_distinguish_low;
    t->bits_per_call = r->bits_per_call;
}

static void evidence_words(const struct leak_reading *r, struct leak_target *t)
{
    t->log10_e = r->log10_e;
    t->log10_e_most = decimal(r->log_e_most);
    t->location_log10_e = decimal(r->family_log_e[LEAK_LOCATION]);
    t->tail_log10_e = decimal(r->family_log_e[LEAK_TAIL]);
    t->spread_log10_e = decimal(r->family_log_e[LEAK_SPREAD]);
    t->component = r->component.name;
    t->family = r->component.name ? leak_family_name(r->component.family) : NULL;
    t->component_at = r->component.at;
    t->blocks = (double)r->blocks;
    t->blocks_needed = r->blocks_needed;
}

static void check_words(const struct leak_selfcheck *c, const struct leak_units *u, struct leak_target *t)
{
    t->aa_blocks = (double)c->aa_blocks;
    t->aa_log10_e = decimal(c->aa_log_e);
    t->aa_limit_log10_e = decimal(c->aa_threshold);
    scaled(&c->aa_ticks, u->ns, &t->aa_ns, &t->aa_low_ns, &t->aa_high_ns);
    t->spike_replanted = c->spike_replanted ? c->spike_replanted : NAN;
    t->spike_blocks = (double)c->spike_blocks;
    t->spike_found_after = c->spike_found_after >= 0 ? (double)c->spike_found_after : NAN;
    t->spike_planted_ns = c->spike_planted_ticks * u->ns;
    scaled(&c->spike_ticks, u->ns, &t->spike_ns, &t->spike_low_ns, &t->spike_high_ns);
    t->spike_power = c->power.point;
    t->spike_power_low = isnan(c->power.point) ? NAN : c->power.low;
    t->spike_power_high = isnan(c->power.point) ? NAN : c->power.high;
    t->power_blocks = c->power_stretches ? (double)c->power_blocks : NAN;
    t->power_stretches = c->power_stretches ? (double)c->power_stretches : NAN;
    t->power_found = c->power_stretches ? (double)c->power_found : NAN;
    t->order_ns = c->order_ticks.point * u->ns;
    t->drift_share = c->drift_share;
    t->drift_cusum = c->drift_cusum;
    t->drift_after = isnan(c->drift_cusum) ? NAN : (double)c->drift_after;
}

static void place_words(struct leak_lists *lists, const struct leak_reading *r, const struct leak_units *u, struct leak_target *t)
{
    _Static_assert((int)LEAK_PLACES_MAX == (int)LEAK_CPUS_MAX, "each CPU has its place");
    for (int i = 0; i < r->n_cpus; i++) {
        struct leak_place *p = &lists->places[i];
        *p = (struct leak_place){.cpu = r->cpu[i].cpu, .processes = (double)r->cpu[i].processes};
        scaled(&r->cpu[i].ticks, u->ns, &p->ns, &p->low_ns, &p->high_ns);
    }
    t->places = lists->places;
    t->n_places = r->n_cpus;
    t->cpus_differ = r->cpus_differ < 0 ? NAN : r->cpus_differ;
    t->core_hz_low = r->cycles_per_tick_low * u->hz;
    t->core_hz_high = r->cycles_per_tick_high * u->hz;
}

static double cycles_of(const struct leak_difference *d, const struct leak_units *u)
{
    return isnan(d->cycles.point) ? d->ticks.point * u->cycles : d->cycles.point / u->repeat;
}

static void list_sizes(struct leak_lists *lists, const struct leak_reading *r, const struct leak_units *u, struct leak_target *t)
{
    t->sizes = lists->sizes;
    for (int i = 0; i < r->pairs; i++)
        for (int k = 0; k < LEAK_CLIPS && t->n_sizes < LEAK_PAIR_SIZES_MAX; k++) {
            const struct leak_difference *d = &r->pair[i].at[k];
            if (d->judged)
                lists->sizes[t->n_sizes++] = (struct leak_pair_size){.first = r->pair[i].first,
                                                                     .second = r->pair[i].second,
                                                                     .clip = d->clip,
                                                                     .ns = d->ticks.point * u->ns,
                                                                     .cycles = cycles_of(d, u)};
        }
}

void leak_words_pairs(struct leak_lists *lists, const struct leak_reading *r, const char *const *classes,
                      const struct leak_units *u, struct leak_target *t)
{
    t->verdict = verdict_word(r->verdict);
    t->why = leak_reason_text(r->why);
    t->starved = starved(r->why);
    t->decided = r->stop;
    t->exact = r->exact;
    t->processes = r->processes >= 0 ? (double)r->processes : NAN;
    evidence_words(r, t);
    if (r->pairs > 0) {
        t->first = classes[r->pair[r->worst].first];
        t->second = classes[r->pair[r->worst].second];
        size_words(r, u, t);
        place_words(lists, r, u, t);
        list_sizes(lists, r, u, t);
    }
    check_words(&r->check, u, t);
    t->beyond_harness = r->check.aa_blocks > 1 ? r->check.beyond_harness : NAN;
}

void leak_words_shift(struct leak_lists *lists, struct buf *words, const struct leak_shift shift[LEAK_SHIFTS], double step_ticks,
                      const struct leak_units *u, struct leak_target *t)
{
    _Static_assert((int)LEAK_SHIFTS <= (int)LEAK_QUANTILES_MAX, "each has room");
    struct buf *why = &words[WORDS_SHIFT];
    bool all = true;
    for (int i = 0; i < LEAK_SHIFTS; i++) {
        struct leak_quantile *q = &lists->shift[i];
        q->quantile = shift[i].q;
        scaled(&shift[i].ticks, u->ns, &q->ns, &q->low_ns, &q->high_ns);
        all &= !isnan(q->ns);
    }
    t->shift = lists->shift;
    t->n_shift = LEAK_SHIFTS;
    if (all)
        return;
    buf_clear(why);
    buf_format(why, "not resolved by the clock: it steps by %.3g ns, and more than a tenth of the calls read the same there",
               step_ticks / u->hz * 1e9);
    t->shift_why = buf_text(why);
}

/* ---- scan ---- */

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

void leak_words_scan(struct buf *words, const struct leak_scan_reading *r, const struct leak_bit *bits,
                     const struct leak_units *u, struct leak_target *t)
{
    const struct leak_bit *worst = &bits[r->worst];
    t->verdict = verdict_word(r->verdict);
    t->why =
        r->why == LEAK_WHY_AA ? "the making of inputs changes the time of calls that do not get them" : leak_reason_text(r->why);
    t->decided = r->stop;
    t->log10_e = decimal(r->log_e);
    t->log10_e_most = decimal(r->log_e_most);
    t->blocks = (double)r->calls;
    t->blocks_needed = r->calls_needed;
    t->margin_ns = r->margin_ticks * u->ns;
    t->median_ns = (r->median_ticks - u->empty_ticks) * u->ns;
    t->scan_bits = r->bits;
    t->scan_leaking = r->leaking;
    t->scan_worst_bit = r->worst;
    t->scan_weight_leaks = r->weight_leaks;
    t->scan_weight_log10_e = decimal(r->weight_log_e);
    t->exact = false;
    t->processes = (double)r->processes;
    check_words(&r->check, u, t);
    t->beyond_harness = r->check.aa_blocks > 1 ? r->check.beyond_harness : NAN;
    scaled(&worst->ticks, u->ns, &t->difference_ns, &t->low_ns, &t->high_ns);
    scaled(&worst->ticks, u->cycles, &t->difference_cycles, &t->low_cycles, &t->high_cycles);
    scaled(&r->weight_ticks, u->ns, &t->scan_weight_ns, &t->scan_weight_low_ns, &t->scan_weight_high_ns);
    t->least_ns = INFINITY;
    t->most_ns = -INFINITY;
    for (int i = 0; i < r->bits; i++) {
        t->least_ns = fmin(t->least_ns, bits[i].ticks.low * u->ns);
        t->most_ns = fmax(t->most_ns, bits[i].ticks.high * u->ns);
    }
    put_bits(&words[WORDS_BITS], bits, r->bits);
    t->bits = words[WORDS_BITS].len ? buf_text(&words[WORDS_BITS]) : NULL;
}

/* ---- growth ---- */

/* Growth that is proven is the bad answer, as a leak is. */
static enum verdict growth_verdict(enum leak_growth_verdict v)
{
    return v == LEAK_GROWTH_BOUNDED   ? VERDICT_NO_LEAK
           : v == LEAK_GROWTH_GROWS   ? VERDICT_LEAK
           : v == LEAK_GROWTH_INVALID ? VERDICT_INVALID
                                      : VERDICT_UNDECIDED;
}

static const char *growth_reason(enum leak_reason why)
{
    return why == LEAK_WHY_AA    ? "what is done before a call for the largest size changes the time at the smallest"
           : why == LEAK_WHY_FEW ? "too few processes so far"
                                 : leak_reason_text(why);
}

void leak_words_growth(struct buf *words, const struct leak_growth_reading *r, const struct leak_units *u, struct leak_target *t)
{
    (void)words;
    t->verdict = growth_verdict(r->verdict);
    t->why = growth_reason(r->why);
    t->starved = starved(r->why);
    t->decided = r->stop;
    t->exact = false;
    t->growth_processes = (double)r->processes;
    t->median_ns = r->n_sizes ? (r->at[r->first].median_ticks - u->empty_ticks) * u->ns : NAN;
    check_words(&r->check, u, t);
    t->log10_e = decimal(r->log_e);
    t->blocks = (double)r->blocks;
    t->blocks_needed = r->blocks_needed;
    t->complexity = r->class;
    t->complexity_or = r->not_told_from[0] ? r->not_told_from : NULL;
    scaled(&r->growth_ticks, u->ns, &t->growth_ns, &t->growth_low_ns, &t->growth_high_ns);
    scaled(&r->per_element_ticks, u->ns, &t->growth_element_ns, &t->growth_element_low_ns, &t->growth_element_high_ns);
    t->growth_bound_ns = t->margin_ns = r->bound_ticks * u->ns;
    t->growth_slope = r->slope.point;
    t->growth_slope_low = r->slope.low;
    t->growth_slope_high = r->slope.high;
    t->growth_first = r->n_sizes ? r->at[r->first].size : NAN;
    t->growth_last = r->n_sizes ? r->at[r->n_sizes - 1].size : NAN;
}

/* ---- dudect ---- */

static const char *said(struct buf *b, const struct leak_dudect_said *s)
{
    buf_clear(b);
    buf_str(b, leak_dudect_word_text(s->word));
    return buf_text(b);
}

static void tries_words(const struct leak_dudect_said *s, double *tries, double *passed)
{
    *tries = s->tries;
    *passed = s->over ? s->passed : NAN;
}

void leak_words_dudect(struct buf *words, const struct leak_dudect_reading *r, double threshold, bool lab0, struct leak_target *t)
{
    t->dudect = said(&words[WORDS_DUDECT], &r->published);
    t->dudect_t = r->published.t;
    t->dudect_t_most = r->published.t_most;
    t->dudect_test = r->published.test;
    t->dudect_samples = r->published.samples;
    t->dudect_over_after = r->published.over_after >= 0 ? (double)r->published.over_after : NAN;
    t->corrected = said(&words[WORDS_CORRECTED], &r->corrected);
    t->corrected_t = r->corrected.t;
    t->corrected_t_most = r->corrected.t_most;
    t->corrected_test = r->corrected.test;
    t->corrected_samples = r->corrected.samples;
    t->corrected_over_after = r->corrected.over_after >= 0 ? (double)r->corrected.over_after : NAN;
    t->dudect_threshold = threshold;
    t->decided = r->corrected.over_after >= 0;
    if (!lab0)
        return;
    tries_words(&r->published, &t->dudect_tries, &t->dudect_passed);
    tries_words(&r->corrected, &t->corrected_tries, &t->corrected_passed);
    t->decided = r->corrected.over;
}
