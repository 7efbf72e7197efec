/* SPDX-License-Identifier: MIT
 *
 * Whether the time of an operation grows with the size of what it works on (leak_growth.h). */
#include "leak_growth.h"
#include "leak_method.h"
#include <math.h>
#include <stdlib.h>

struct growth {
    struct leak_growth *engine;
    struct leak_growth_reading reading;
};

static enum tare_status create(struct leak_judge *j, const struct wire_target *t, struct tare_err *err)
{
    double sizes[WIRE_SIZES_MAX];
    for (uint32_t i = 0; i < t->n_sizes; i++)
        sizes[i] = (double)t->sizes[i];
    struct leak_growth_rule rule = leak_growth_rule_default(sizes, (int)t->n_sizes);
    rule.confidence = j->rule->confidence;
    rule.drawn_step_ticks = j->drawn_step_ticks;
    rule.repeat = j->repeat;
    if (!j->rule->margin_unit && j->rule->margin > 0)
        rule.bound_share = j->rule->margin;
    enum tare_status status = leak_margin_ticks(j, &rule.bound_ticks, err);
    if (j->rule->leaks.latency_ns > 0)
        rule.latency_ticks = j->rule->leaks.latency_ns / leak_ns_per_tick(j);
    if (!j->rule->margin_unit && rule.latency_ticks > 0) /* a share of what is short is no allowance for what leaves the caches */
        rule.bound_ticks = fmax(rule.bound_ticks, 4 * rule.latency_ticks);
    struct growth *g = j->state = status ? NULL : calloc(1, sizeof *g);
    if (!status && !g)
        status = err_set(err, TARE_NO_MEMORY, "no memory for growth");
    return status ? status : leak_growth_create(&rule, &g->engine, err);
}

static void destroy(void *state)
{
    struct growth *g = state;
    if (g)
        leak_growth_destroy(g->engine);
    free(g);
}

static enum tare_status take_blocks(struct leak_judge *j, const struct wire_blocks *b, const uint32_t *ticks,
                                    struct tare_err *err)
{
    struct leak_growth *g = ((const struct growth *)j->state)->engine;
    return b->kind == WIRE_GROWTH_SIZES
               ? leak_growth_blocks(g, (int)b->k, b->n, b->classes, ticks, err)
               : leak_growth_checks(g, b->kind == WIRE_AA ? LEAK_AA : LEAK_SPIKE, b->n, b->classes, ticks, err);
}

static void end_process(void *state, const struct leak_facts *facts)
{
    const struct growth *g = state;
    leak_growth_facts(g->engine, facts);
    leak_growth_round(g->engine);
}

static const char *growth_reason(enum leak_reason why)
{
    return why == LEAK_WHY_AA    ? "what is done before a call for the largest size changes the time at the smallest"
           : why == LEAK_WHY_FEW ? "too few processes so far"
                                 : leak_reason_text(why);
}

static void read_growth(struct leak_judge *j, struct leak_target *t)
{
    struct growth *g = j->state;
    const struct leak_growth_reading *r = &g->reading;
    const double ns = leak_ns_per_tick(j);
    leak_growth_read(g->engine, &g->reading);
    j->now.log_e = r->log_e;
    j->now.margin_ticks = r->bound_ticks;
    j->now.warmup = (double)r->warmup;
    t->verdict = r->verdict == LEAK_GROWTH_BOUNDED   ? VERDICT_NO_LEAK
                 : r->verdict == LEAK_GROWTH_GROWS   ? VERDICT_LEAK /* the bad answer, as a leak is */
                 : r->verdict == LEAK_GROWTH_INVALID ? VERDICT_INVALID
                                                     : VERDICT_UNDECIDED;
    t->why = growth_reason(r->why);
    t->starved = leak_starved(r->why);
    t->decided = r->stop;
    t->exact = false;
    t->growth_processes = (double)r->processes;
    t->median_ns = r->n_sizes ? (r->at[r->first].median_ticks - j->pair_ticks) * ns : NAN;
    leak_put_checks(j, &r->check, t);
    j->now.share_wanted = 0; /* leak_judge_selfcheck takes growth_calls */
    t->log10_e = leak_decimal(r->log_e);
    t->blocks = (double)r->blocks;
    t->blocks_needed = r->blocks_needed;
    t->complexity = r->class;
    t->complexity_or = r->not_told_from[0] ? r->not_told_from : NULL;
    leak_scaled(&r->growth_ticks, ns, &t->growth_ns, &t->growth_low_ns, &t->growth_high_ns);
    leak_scaled(&r->per_element_ticks, ns, &t->growth_element_ns, &t->growth_element_low_ns, &t->growth_element_high_ns);
    t->growth_bound_ns = t->margin_ns = r->bound_ticks * ns;
    t->growth_slope = r->slope.point;
    t->growth_slope_low = r->slope.low;
    t->growth_slope_high = r->slope.high;
    t->growth_first = r->n_sizes ? r->at[r->first].size : NAN;
    t->growth_last = r->n_sizes ? r->at[r->n_sizes - 1].size : NAN;
}

static int draw(struct leak_judge *j, struct leak_target *t, struct arena *arena, struct chart *out)
{
    const struct leak_chart_words words = leak_chart_words_of(j, t);
    return leak_growth_charts(&((const struct growth *)j->state)->reading, &words, arena, out);
}

const struct leak_method leak_by_growth = {.kind = "growth",
                                           .sizes = true,
                                           .create = create,
                                           .destroy = destroy,
                                           .blocks = take_blocks,
                                           .end_process = end_process,
                                           .read = read_growth,
                                           .draw = draw};
