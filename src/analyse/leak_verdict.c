/* SPDX-License-Identifier: MIT
 *
 * From evidence and sizes to a word. In this order:
 *   invalid     a fact spoils the question (classes equal, result not deterministic, wrote outside, failed, a clock that does not move), or the
 *               harness makes a difference of its own (A/A reached 1/alpha_selfcheck): whatever the times say, it is not of the target
 *   leak, leak_small    E reached 1/alpha at some look (Ville: with classes without effect, by chance at most alpha, ever).
 *               leak_small when all judged intervals lie inside the margin and the advantage below its tolerance, and, where the strongest
 *               evidence is of a tail, which a clip hides, that of the mean without a clip too; leak else
 *   invalid     no such evidence, and the harness is blind (leak_selfcheck.c): what it does not see may be there. What it does see is; a blind one only says nothing small of it, so never leak_small
 *   no_leak     no such evidence, all inside, and A/A was quiet over 50 blocks and the planted delay was found
 *   undecided   else
 * Intervals decide from LEAK_BURN_IN blocks on, `exact` ones from 2; over processes from leak_least_processes of them on, whatever the word: of fewer
 * a skewed kind of layout may show one side alone. An interval is inside when -margin <= low and high <= margin; beyond when it
 * lies outside as a whole. Of a clock with steps whose phase nobody drew (rule.step_ticks) each call's time is known to less than a step on one side
 * and the rest of it on the other, which clipping only narrows: means of two classes that begin at like phases, and so their difference, are off by less
 * than a step, whatever the phases were. So an interval is inside a step earlier and beyond a step later, and a margin of a step or less has no bound;
 * evidence and advantage, which are about what the clock shows, stay as they are. (A phase that is uniform would hide nothing in the mean; nothing in the times proves it.) The sentence that goes with a word, with processor, binary, classes and confidence, is the caller's; no word
 * of these says "constant time".
 *
 * Blocks needed, a projection and no promise: an interval's radius shrinks as its formula says (leak_processes_at_radius with processes of as many
 * blocks as there were, leak_blocks_at_radius), of `exact` ones like 1/sqrt(n), about its point; ln E of a component that grows, like its rate (ln E + ln(n)/2)/n, against ln(1/alpha) + ln J + ln(n)/2.
 */
#include "leak_core.h"
#include "leak_growth.h"
#include <math.h>

enum { PROJECTION_MOST = 1000 }; /* beyond so many times what there is, a projection is a guess */

const char *leak_verdict_name(enum leak_verdict v)
{
    static const char *const names[LEAK_VERDICTS] = {
        [LEAK_UNDECIDED] = "undecided", [LEAK_NONE] = "no_leak",    [LEAK_SMALL] = "leak_small",
        [LEAK_FOUND] = "leak",          [LEAK_INVALID] = "invalid",
    };
    return names[v];
}

const char *leak_family_name(enum leak_family f)
{
    static const char *const names[LEAK_FAMILIES] = {"location", "tail", "spread"};
    return names[f];
}

static bool is_inside(const struct tare_interval *ticks, double most)
{
    return ticks->low >= -most && ticks->high <= most;
}

static bool sizes_inside(const struct leak_reading *r, double most)
{
    for (int p = 0; p < r->pairs; p++)
        for (int c = 0; c < LEAK_CLIPS; c++) {
            const struct leak_difference *d = &r->pair[p].at[c];
            if (d->judged && !is_inside(&d->ticks, most))
                return false;
        }
    return true;
}

static bool all_inside(const struct leak_rule *rule, const struct leak_reading *r, double most)
{
    for (int p = 0; p < r->pairs && !rule->sizes_alone; p++)
        if (!(r->pair[p].advantage.high < rule->advantage))
            return false;
    return sizes_inside(r, most);
}

static bool size_beyond(const struct leak_reading *r, double least)
{
    for (int p = 0; p < r->pairs; p++)
        for (int c = 0; c < LEAK_CLIPS; c++) {
            const struct leak_difference *d = &r->pair[p].at[c];
            if (d->judged && (d->ticks.low > least || d->ticks.high < -least))
                return true;
        }
    return false;
}

static bool advantage_beyond(const struct leak_rule *rule, const struct leak_reading *r)
{
    for (int p = 0; p < r->pairs && !rule->sizes_alone; p++)
        if (r->pair[p].advantage.low > rule->advantage)
            return true;
    return false;
}

/* The clock's step alone keeps a size from being known to be inside or beyond. */
static bool is_step_in_the_way(const struct leak_rule *rule, const struct leak_reading *r)
{
    double margin = r->margin_ticks, step = rule->step_ticks;
    return step > 0 && (margin <= step || sizes_inside(r, margin) || size_beyond(r, margin)) && !sizes_inside(r, margin - step) &&
           !size_beyond(r, margin + step);
}

/* Blocks at which an interval about `point`, now of this radius, fits below `room`. */
static double blocks_to_fit(const struct leak_rule *rule, const struct leak_reading *r, double level, double point, double radius,
                            double room, double off)
{
    double left = room - fabs(point), n = (double)r->blocks;
    if (leak_rule_over_processes(rule)) {
        double each = n / (double)(r->processes > 0 ? r->processes : 1);
        return each * leak_processes_at_radius(r->processes, radius, left, off, leak_least_processes(rule->confidence), level);
    }
    if (!(left > 0) || !isfinite(radius))
        return INFINITY;
    return rule->exact ? n * (radius / left) * (radius / left)
                       : leak_blocks_at_radius(n, radius, left, off, rule->tight_blocks, level);
}

static double blocks_to_bound(const struct leak_rule *rule, const struct leak_reading *r)
{
    double most = 0;
    for (int p = 0; p < r->pairs; p++) {
        const struct tare_interval *a = &r->pair[p].advantage;
        double radius = a->high - a->point;
        /* a largest of many is above 0 even where no limit tells anything: its point is noise of the size of the radius */
        if (!rule->sizes_alone)
            most = fmax(most, a->low > 0 ? blocks_to_fit(rule, r, a->level, a->point, radius, rule->advantage, LEAK_TYPICALLY_OFF)
                                         : blocks_to_fit(rule, r, a->level, 0, a->high, rule->advantage, 0));
        for (int c = 0; c < LEAK_JUDGED; c++) {
            const struct tare_interval *d = &r->pair[p].at[c].ticks;
            double half = (d->high - d->low) / 2, centre = d->low > 0 || d->high < 0 ? (d->high + d->low) / 2 : 0;
            most = fmax(most,
                        blocks_to_fit(rule, r, d->level, centre, half, r->margin_ticks - rule->step_ticks, LEAK_TYPICALLY_OFF));
        }
    }
    return fmax(0, most - (double)r->blocks);
}

static double blocks_to_leak(const struct leak_rule *rule, const struct leak_reading *r)
{
    double n = (double)r->blocks, toll = log(LEAK_COMPONENTS * r->pairs) + .5 * log(n);
    double rate = (r->component.log_e + .5 * log(n)) / n;
    if (r->component.log_e < 2) /* what pure noise reaches all the time */
        return INFINITY;
    return fmax(1, (toll - log(rule->alpha)) / rate - n);
}

static void project(const struct leak_rule *rule, struct leak_reading *r)
{
    r->blocks_to_leak = r->blocks_to_bound = r->blocks_needed = NAN;
    if (r->verdict == LEAK_INVALID)
        return;
    if (r->blocks < 2) {
        /* the least that any verdict takes, of which there is less so far */
        double least = rule->exact ? 2 : LEAK_BURN_IN, warming = fmax(0, LEAK_LEAST_WARMUP - (double)r->warmup);
        r->blocks_needed = fmax(0, least - (double)r->blocks) + (r->blocks ? 0 : warming);
        return;
    }
    r->blocks_to_leak = r->found_after >= 0 ? 0 : blocks_to_leak(rule, r);
    r->blocks_to_bound = blocks_to_bound(rule, r);
    double needed = r->found_after >= 0 ? r->blocks_to_bound : fmin(r->blocks_to_leak, r->blocks_to_bound);
    r->blocks_needed = r->stop ? 0 : needed <= PROJECTION_MOST * (double)r->blocks ? needed : NAN;
}

enum leak_reason leak_spoiled(const struct leak_facts *f, const struct leak_selfcheck *c, bool harness, bool found)
{
    return f->failed                  ? LEAK_WHY_FAILED
           : f->wrote_outside         ? LEAK_WHY_OUTSIDE
           : f->classes_equal         ? LEAK_WHY_CLASSES
           : f->not_deterministic     ? LEAK_WHY_DETERMINISM
           : c->clock_stuck           ? LEAK_WHY_CLOCK
           : harness                  ? LEAK_WHY_AA
           : c->spike_blind && !found ? LEAK_WHY_BLIND
                                      : LEAK_WHYS;
}

static enum leak_reason why_leak(const struct leak_rule *rule, const struct leak_reading *r, bool enough_data, bool inside)
{
    bool sees = !r->check.spike_blind && !injected_delay_waits(&r->check);
    const struct tare_interval *tail = &r->pair[r->worst].at[LEAK_CLIPS - 1].ticks;
    if (inside && sees && (r->component.family != LEAK_TAIL || is_inside(tail, r->margin_ticks - rule->step_ticks)))
        return LEAK_WHY_SMALLER;
    return inside && sees                                                      ? LEAK_WHY_TAIL
           : enough_data && size_beyond(r, r->margin_ticks + rule->step_ticks) ? LEAK_WHY_LARGER
           : enough_data && advantage_beyond(rule, r)                          ? LEAK_WHY_LARGER
           : enough_data && is_step_in_the_way(rule, r)                        ? LEAK_WHY_RESOLUTION
                                                                               : LEAK_WHY_UNSETTLED;
}

static enum leak_verdict word(const struct leak_rule *rule, const struct leak_facts *facts, struct leak_reading *r)
{
    r->why = leak_spoiled(facts, &r->check, r->check.aa_fired, r->found_after >= 0);
    if (r->why != LEAK_WHYS)
        return LEAK_INVALID;
    double most = r->margin_ticks - rule->step_ticks;
    bool few = r->blocks < (rule->exact ? 2 : LEAK_BURN_IN),
         enough_processes = !leak_rule_over_processes(rule) || r->processes >= leak_least_processes(rule->confidence),
         enough_data = !few && enough_processes, inside = enough_data && all_inside(rule, r, most);
    if (r->found_after >= 0) {
        r->why = why_leak(rule, r, enough_data, inside);
        return r->why == LEAK_WHY_SMALLER ? LEAK_SMALL : LEAK_FOUND;
    }
    bool checked = !rule->selfchecks || leak_checks_passed(&r->check);
    if (inside && checked) {
        r->why = LEAK_WHY_BOUNDED;
        return LEAK_NONE;
    }
    r->why = few                           ? LEAK_WHY_FEW
             : !enough_data                ? LEAK_WHY_PROCESSES
             : is_step_in_the_way(rule, r) ? LEAK_WHY_RESOLUTION
             : inside                      ? LEAK_WHY_NO_SPIKE
             : sizes_inside(r, most)       ? LEAK_WHY_ADVANTAGE
                                           : LEAK_WHY_WIDE;
    return LEAK_UNDECIDED;
}

void leak_decide(const struct leak_rule *rule, const struct leak_facts *facts, struct leak_reading *out)
{
    out->verdict = word(rule, facts, out);
    out->stop = out->verdict != LEAK_UNDECIDED && out->why != LEAK_WHY_UNSETTLED && out->why != LEAK_WHY_TAIL;
    project(rule, out);
}
