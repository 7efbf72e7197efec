/* SPDX-License-Identifier: MIT
 *
 * Pairs of classes (leak_engine.h), of a program or a file with times; and what dudect says of the same calls (leak_dudect.h). */
#include "leak_dudect.h"
#include "leak_method.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>

struct pairs {
    struct leak_engine *engine;
    struct leak_dudect *dudect; /* NULL: not asked */
    struct leak_reading reading;
    struct leak_pictures pictures; /* of the reading, once they were asked for */
    struct leak_place places[LEAK_PLACES_MAX];
    struct leak_quantile shift[LEAK_SHIFTS];
    struct leak_pair_size sizes[LEAK_PAIR_SIZES_MAX];
    char shift_why[160];
};

static enum tare_status create(struct leak_judge *j, const struct wire_target *t, struct tare_err *err)
{
    struct leak_rule rule;
    (void)t;
    if (j->n_classes < 2)
        return err_set(err, TARE_FORMAT, "has no two classes to compare; does it want --scan or --growth?");
    enum tare_status status = leak_rule_of(j, &rule, err);
    struct pairs *p = j->state = status ? NULL : calloc(1, sizeof *p);
    if (!status && !p)
        status = err_no_memory(err);
    return status ? status : leak_engine_create(&rule, &p->engine, err);
}

static void destroy(void *state)
{
    struct pairs *p = state;
    if (!p)
        return;
    leak_engine_destroy(p->engine);
    leak_dudect_destroy(p->dudect);
    free(p);
}

static enum tare_status take_blocks(struct leak_judge *j, const struct wire_blocks *b, const uint32_t *ticks,
                                    struct tare_err *err)
{
    static const enum leak_kind kinds[] = {[WIRE_MAIN] = LEAK_MAIN, [WIRE_AA] = LEAK_AA, [WIRE_SPIKE] = LEAK_SPIKE};
    const struct pairs *p = j->state;
    if (p->dudect && b->kind == WIRE_MAIN)
        leak_dudect_calls(p->dudect, (int64_t)b->n * b->k, b->classes, ticks);
    return leak_engine_blocks(p->engine, kinds[b->kind], (int)b->k, b->n, b->classes, ticks, err);
}

static void end_process(void *state, const struct leak_facts *facts)
{
    const struct pairs *p = state;
    leak_engine_facts(p->engine, facts);
    leak_engine_round(p->engine);
}

static void put_size(const struct leak_judge *j, const struct leak_reading *r, struct leak_target *t)
{
    const double ns = leak_ns_per_tick(j);
    const struct leak_pair *p = &r->pair[r->worst];
    const struct leak_difference *d = &p->at[r->headline];
    const double step = r->step_ticks;
    struct tare_interval ticks = d->ticks;
    ticks.low -= step; /* what the phase of a clock may hide is not in what it shows */
    ticks.high += step;
    const bool of_each = !isnan(d->cycles.point); /* each process by the cycles of its own core */
    leak_scaled(&ticks, ns, &t->difference_ns, &t->low_ns, &t->high_ns);
    leak_scaled(of_each ? &d->cycles : &ticks, of_each ? 1 / j->repeat : leak_cycles_per_tick(j), &t->difference_cycles,
                &t->low_cycles, &t->high_cycles);
    t->clip = d->clip;
    t->clip_ns = (d->clip_ticks - j->pair_ticks) * ns;
    t->least_ns = INFINITY;
    t->most_ns = -INFINITY;
    for (int i = 0; i < r->pairs; i++)
        for (int k = 0; k < LEAK_CLIPS; k++)
            if (r->pair[i].at[k].judged) {
                t->least_ns = fmin(t->least_ns, (r->pair[i].at[k].ticks.low - step) * ns);
                t->most_ns = fmax(t->most_ns, (r->pair[i].at[k].ticks.high + step) * ns);
            }
    if (t->least_ns > t->most_ns)
        t->least_ns = t->most_ns = NAN;
    t->step_ns = step > 0 ? step * ns : NAN;
    t->margin_ns = r->margin_ticks * ns;
    t->median_ns = (r->median_ticks - j->pair_ticks) * ns;
    if (j->repeat > 1) /* what a reading of several calls tells says nothing of who sees one */
        return;
    t->advantage = p->advantage.point;
    t->advantage_low = p->advantage.low;
    t->advantage_high = p->advantage.high;
    t->calls_to_distinguish = r->calls_to_distinguish;
    t->calls_to_distinguish_low = r->calls_to_distinguish_low;
    t->bits_per_call = r->bits_per_call;
}

static void put_evidence(const struct leak_reading *r, struct leak_target *t)
{
    t->log10_e = r->log10_e;
    t->log10_e_most = leak_decimal(r->log_e_most);
    t->location_log10_e = leak_decimal(r->family_log_e[LEAK_LOCATION]);
    t->tail_log10_e = leak_decimal(r->family_log_e[LEAK_TAIL]);
    t->spread_log10_e = leak_decimal(r->family_log_e[LEAK_SPREAD]);
    t->component = r->component.name;
    t->family = r->component.name ? leak_family_name(r->component.family) : NULL;
    t->component_at = r->component.at;
    t->blocks = (double)r->blocks;
    t->blocks_needed = r->blocks_needed;
}

static void put_places(const struct leak_judge *j, struct pairs *p, struct leak_target *t)
{
    const struct leak_reading *r = &p->reading;
    _Static_assert((int)LEAK_PLACES_MAX == (int)LEAK_CPUS_MAX, "each CPU has its place");
    for (int i = 0; i < r->n_cpus; i++) {
        struct leak_place *place = &p->places[i];
        *place = (struct leak_place){.cpu = r->cpu[i].cpu, .processes = (double)r->cpu[i].processes};
        leak_scaled(&r->cpu[i].ticks, leak_ns_per_tick(j), &place->ns, &place->low_ns, &place->high_ns);
    }
    t->places = p->places;
    t->n_places = r->n_cpus;
    t->cpus_differ = r->cpus_differ < 0 ? NAN : r->cpus_differ;
    t->core_hz_low = r->cycles_per_tick_low * j->hz;
    t->core_hz_high = r->cycles_per_tick_high * j->hz;
}

static void put_sizes(const struct leak_judge *j, struct pairs *p, struct leak_target *t)
{
    const struct leak_reading *r = &p->reading;
    t->sizes = p->sizes;
    for (int i = 0; i < r->pairs; i++)
        for (int k = 0; k < LEAK_CLIPS && t->n_sizes < LEAK_PAIR_SIZES_MAX; k++) {
            const struct leak_difference *d = &r->pair[i].at[k];
            if (d->judged)
                p->sizes[t->n_sizes++] = (struct leak_pair_size){
                    .first = r->pair[i].first,
                    .second = r->pair[i].second,
                    .clip = d->clip,
                    .ns = d->ticks.point * leak_ns_per_tick(j),
                    .cycles = isnan(d->cycles.point) ? d->ticks.point * leak_cycles_per_tick(j) : d->cycles.point / j->repeat};
        }
}

static void read_pairs(struct leak_judge *j, struct leak_target *t)
{
    struct pairs *p = j->state;
    const struct leak_reading *r = &p->reading;
    leak_engine_read(p->engine, &p->reading);
    j->now.log_e = r->log_e;
    j->now.margin_ticks = r->margin_ticks;
    j->now.warmup = (double)r->warmup;
    j->now.blocks = (double)r->blocks;
    t->verdict = leak_verdict_of(r->verdict);
    t->why = leak_reason_text(r->why);
    t->starved = leak_starved(r->why);
    t->decided = r->stop;
    t->exact = r->exact;
    t->processes = r->processes >= 0 ? (double)r->processes : NAN;
    put_evidence(r, t);
    if (r->pairs > 0) {
        t->first = j->classes[r->pair[r->worst].first];
        t->second = j->classes[r->pair[r->worst].second];
        put_size(j, r, t);
        put_places(j, p, t);
        put_sizes(j, p, t);
    }
    leak_put_checks(j, &r->check, t);
    t->beyond_harness = r->check.aa_blocks > 1 ? r->check.beyond_harness : NAN;
    t->visible_ns = leak_engine_visible(p->engine, r->blocks) * leak_ns_per_tick(j);
}

static double visible_ticks(const void *state, int64_t blocks)
{
    return leak_engine_visible(((const struct pairs *)state)->engine, blocks);
}

static void put_shift(const struct leak_judge *j, struct pairs *p, struct leak_target *t)
{
    _Static_assert((int)LEAK_SHIFTS <= (int)LEAK_QUANTILES_MAX, "each has room");
    const struct leak_shift *shift = p->pictures.shift;
    bool all = true;
    for (int i = 0; i < LEAK_SHIFTS; i++) {
        struct leak_quantile *q = &p->shift[i];
        q->quantile = shift[i].q;
        leak_scaled(&shift[i].ticks, leak_ns_per_tick(j), &q->ns, &q->low_ns, &q->high_ns);
        all &= !isnan(q->ns);
    }
    t->shift = p->shift;
    t->n_shift = LEAK_SHIFTS;
    if (all)
        return;
    struct buf why = buf_over(p->shift_why, sizeof p->shift_why);
    buf_format(&why, "not resolved by the clock: it steps by %s, and more than a tenth of the calls read the same there",
               scaled_text("ns", fmax(j->step_ticks, j->drawn_step_ticks) / j->hz * 1e9).at);
    t->shift_why = p->shift_why;
}

static int draw_pairs(struct leak_judge *j, struct leak_target *t, struct arena *arena, struct chart *out)
{
    struct pairs *p = j->state;
    leak_engine_draw(p->engine, &p->reading, &p->pictures);
    if (p->reading.blocks > 0)
        put_shift(j, p, t);
    const struct leak_chart_words words = leak_chart_words_of(j, t);
    return leak_charts(&p->reading, &p->pictures, &words, arena, out);
}

const struct leak_method leak_by_pairs = {.kind = "pairs",
                                          .create = create,
                                          .destroy = destroy,
                                          .blocks = take_blocks,
                                          .end_process = end_process,
                                          .read = read_pairs,
                                          .visible_ticks = visible_ticks,
                                          .draw = draw_pairs};

static enum tare_status create_both(struct leak_judge *j, const struct wire_target *t, struct tare_err *err)
{
    const struct rule_leaks *u = &j->rule->leaks;
    struct leak_dudect_rule rule = u->lab0 ? leak_dudect_rule_lab0() : leak_dudect_rule_default();
    rule.measurements = u->measurements;
    rule.drop = u->drop;
    rule.drop_end = u->lab0 ? u->drop : rule.drop_end;
    rule.sorted_in_place = u->lab0 && u->percentiles > 0;
    rule.percentiles = u->percentiles;
    rule.order = u->order;
    rule.threshold = u->threshold;
    enum tare_status status = create(j, t, err);
    return status ? status : leak_dudect_create(&rule, &((struct pairs *)j->state)->dudect, err);
}

static void read_both(struct leak_judge *j, struct leak_target *t)
{
    struct leak_dudect_reading r;
    read_pairs(j, t);
    leak_dudect_read(((const struct pairs *)j->state)->dudect, &r);
    t->dudect = leak_dudect_word_text(r.published.word);
    t->dudect_t = r.published.t;
    t->dudect_t_most = r.published.t_most;
    t->dudect_test = r.published.test;
    t->dudect_samples = r.published.samples;
    t->dudect_over_after = r.published.over_after >= 0 ? (double)r.published.over_after : NAN;
    t->corrected = leak_dudect_word_text(r.corrected.word);
    t->corrected_t = r.corrected.t;
    t->corrected_t_most = r.corrected.t_most;
    t->corrected_test = r.corrected.test;
    t->corrected_samples = r.corrected.samples;
    t->corrected_over_after = r.corrected.over_after >= 0 ? (double)r.corrected.over_after : NAN;
    t->dudect_threshold = j->rule->leaks.threshold;
    t->decided = r.corrected.over_after >= 0;
    if (!j->rule->leaks.lab0)
        return;
    t->dudect_tries = r.published.tries;
    t->dudect_passed = r.published.over ? r.published.passed : NAN;
    t->corrected_tries = r.corrected.tries;
    t->corrected_passed = r.corrected.over ? r.corrected.passed : NAN;
    t->decided = r.corrected.over;
}

static int draw_both(struct leak_judge *j, struct leak_target *t, struct arena *arena, struct chart *out)
{
    struct leak_dudect_reading r;
    leak_dudect_read(((const struct pairs *)j->state)->dudect, &r);
    const int n = leak_dudect_charts(&r, j->rule->leaks.threshold, arena, out);
    return n + draw_pairs(j, t, arena, out + n);
}

const struct leak_method leak_by_dudect = {.kind = "pairs",
                                           .create = create_both,
                                           .destroy = destroy,
                                           .blocks = take_blocks,
                                           .end_process = end_process,
                                           .read = read_both,
                                           .visible_ticks = visible_ticks,
                                           .draw = draw_both};
