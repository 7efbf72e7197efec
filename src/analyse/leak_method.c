/* SPDX-License-Identifier: MIT */
#include "leak_method.h"
#include <math.h>
#include <string.h>

double leak_ns_per_tick(const struct leak_judge *j)
{
    return 1e9 / j->hz / j->repeat;
}

double leak_cycles_per_tick(const struct leak_judge *j)
{
    return j->cycles_per_tick / j->repeat;
}

enum tare_status leak_margin_ticks(const struct leak_judge *j, double *out, struct tare_err *err)
{
    const struct rule *u = j->rule;
    *out = 0;
    if (!u->margin_unit) {
        *out = j->typical_ticks > 0 ? u->margin * j->typical_ticks : 0;
        return TARE_OK;
    }
    if (!strcmp(u->margin_unit, "ns")) {
        *out = u->margin / leak_ns_per_tick(j);
        return TARE_OK;
    }
    if (!(j->cycles_per_tick > 0))
        return err_set(err, TARE_INVALID, "its core cycles are not known here%s%s; give --margin in ns",
                       j->why_no_core[0] ? ": " : "", j->why_no_core);
    *out = u->margin / j->cycles_per_tick * j->repeat;
    return TARE_OK;
}

enum tare_status leak_rule_of(const struct leak_judge *j, struct leak_rule *out, struct tare_err *err)
{
    const struct rule *u = j->rule;
    *out = leak_rule_default(j->n_classes ? j->n_classes : 2);
    out->alpha = u->leaks.alpha;
    out->confidence = u->confidence;
    out->advantage = u->leaks.advantage;
    out->exact = u->leaks.exact;
    out->sizes_alone = j->own_inputs;
    out->margin_share = u->margin_unit ? out->margin_share : u->margin;
    out->processes = strcmp(u->leaks.kind, "csv") != 0;
    out->step_ticks = j->step_ticks;
    out->drawn_step_ticks = j->drawn_step_ticks;
    out->replantings = out->processes ? out->replantings : 0; /* there is no next process */
    out->zero_ticks = fmin(0, j->pair_ticks); /* of a file whose times were shifted; that of an empty bracket is above */
    return leak_margin_ticks(j, &out->margin_ticks, err);
}

enum verdict leak_verdict_of(enum leak_verdict v)
{
    static const enum verdict verdicts[LEAK_VERDICTS] = {[LEAK_UNDECIDED] = VERDICT_UNDECIDED,
                                                         [LEAK_NONE] = VERDICT_NO_LEAK,
                                                         [LEAK_SMALL] = VERDICT_LEAK_SMALL,
                                                         [LEAK_FOUND] = VERDICT_LEAK,
                                                         [LEAK_INVALID] = VERDICT_INVALID};
    return verdicts[v];
}

double leak_starved(enum leak_reason why)
{
    return why == LEAK_WHY_FEW || why == LEAK_WHY_PROCESSES ? 1 : NAN;
}

double leak_decimal(double natural)
{
    return natural / log(10);
}

void leak_scaled(const struct tare_interval *ticks, double factor, double *point, double *low, double *high)
{
    *point = ticks->point * factor;
    *low = ticks->low * factor;
    *high = ticks->high * factor;
}

void leak_put_checks(struct leak_judge *j, const struct leak_selfcheck *c, struct leak_target *t)
{
    const double ns = leak_ns_per_tick(j);
    j->now.replanted = c->spike_replanted;
    j->now.share_wanted = c->share_wanted;
    t->aa_blocks = (double)c->aa_blocks;
    t->aa_log10_e = leak_decimal(c->aa_log_e);
    t->aa_limit_log10_e = leak_decimal(c->aa_threshold);
    leak_scaled(&c->aa_ticks, ns, &t->aa_ns, &t->aa_low_ns, &t->aa_high_ns);
    t->spike_replanted = c->spike_replanted ? c->spike_replanted : NAN;
    t->spike_blocks = (double)c->spike_blocks;
    t->spike_found_after = c->spike_found_after >= 0 ? (double)c->spike_found_after : NAN;
    t->spike_planted_ns = c->spike_planted_ticks * ns;
    leak_scaled(&c->spike_ticks, ns, &t->spike_ns, &t->spike_low_ns, &t->spike_high_ns);
    t->spike_power = c->power.point;
    t->spike_power_low = isnan(c->power.point) ? NAN : c->power.low;
    t->spike_power_high = isnan(c->power.point) ? NAN : c->power.high;
    t->power_blocks = c->power_stretches ? (double)c->power_blocks : NAN;
    t->power_stretches = c->power_stretches ? (double)c->power_stretches : NAN;
    t->power_found = c->power_stretches ? (double)c->power_found : NAN;
    t->order_ns = c->order_ticks.point * ns;
    t->drift_share = leak_drift_share(c, j->pair_ticks);
    t->drift_cusum = c->drift_cusum;
    t->drift_after = isnan(c->drift_cusum) ? NAN : (double)c->drift_after;
}

struct leak_chart_words leak_chart_words_of(const struct leak_judge *j, const struct leak_target *t)
{
    return (struct leak_chart_words){.class_names = j->classes,
                                     .n_classes = j->n_classes,
                                     .alpha = j->rule->leaks.alpha,
                                     .confidence = j->rule->confidence,
                                     .unresolved = t->shift_why,
                                     .scale = {.per_tick = leak_ns_per_tick(j), .empty_ticks = j->pair_ticks, .unit = "ns"}};
}
