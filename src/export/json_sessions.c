/* SPDX-License-Identifier: MIT
 * What several sessions say: those of --aa together, and a repeated one beside the first. */
#include "json_parts.h"
#include "record_kind.h"
#include "repetition.h"
#include "results.h"
#include "utc.h"

/* "against_itself": {"command", "sessions", "false_positives", "same", ..., "false_positive_share", "false_positive_share_low", ...}: what the sessions of --aa say together. Each
 * of them stands in "comparisons". Of benchmarks "command" is null and "benchmarks" has such an object, with "name", for each of them. */
enum { OF_ALL = -1 };

static void aa_verdicts(struct json_write *j, const struct record *r, int subject)
{
    int n = 0, same = 0, undecided = 0, invalid = 0;
    for (int i = 0; i < r->n_comparisons; i++) {
        const struct comparison *c = &r->comparisons[i];
        if (subject != OF_ALL && record_first_copy(r, c->reference) != subject)
            continue;
        n++;
        invalid += !comparison_judged(c);
        same += c->verdict == VERDICT_SAME;
        undecided += c->verdict == VERDICT_UNDECIDED && comparison_judged(c);
    }
    json_integer(j, "sessions", n);
    json_integer(j, "false_positives", n - same - undecided - invalid);
    json_integer(j, "same", same);
    json_integer(j, "undecided", undecided);
    json_integer(j, "invalid", invalid);
}

static void aa_share(struct json_write *j, const struct record *r, const struct estimate *e)
{
    json_number(j, "false_positive_share", e->point);
    json_number(j, "false_positive_share_low", e->confidence > 0 ? e->low : NAN);
    json_number(j, "false_positive_share_high", e->confidence > 0 ? e->high : NAN);
    json_number(j, "confidence", e->confidence > 0 ? e->confidence : NAN);
    json_string(j, "method", e->method);
    json_string(j, "reason", e->reason);
    json_number(j, "promised", 1 - r->rule.confidence);
}

static void aa_figure(struct json_write *j, const struct record *r, int subject, const char *key, const char *statistic)
{
    json_number(j, key, results_point(r, subject, r->rule.metric, statistic));
}

static void aa_figures(struct json_write *j, const struct record *r, int subject, const struct estimate *e)
{
    aa_verdicts(j, r, subject);
    aa_share(j, r, e);
    aa_figure(j, r, subject, "half_width", "aa_half_width");
    aa_figure(j, r, subject, "pair_sd", "aa_pair_sd");
    aa_figure(j, r, subject, "detectable", "aa_detectable");
}

static const struct estimate *false_positives(const struct record *r, int subject)
{
    bool counts = r->rule.against_itself && subject_measured(&r->subjects[subject]) && record_first_copy(r, subject) == subject;
    return counts ? record_estimate(r, subject, r->rule.metric, "aa_false_positives") : NULL;
}

static void aa_benchmarks(struct json_write *j, const struct record *r)
{
    json_array(j, "benchmarks");
    for (int i = 0; i < r->n_subjects; i++) {
        const struct estimate *e = false_positives(r, i);
        if (!e)
            continue;
        json_object(j, NULL);
        json_bytes(j, "name", r->subjects[i].benchmark);
        aa_figures(j, r, i, e);
        json_end(j);
    }
    json_end(j);
}

void json_against_itself(struct json_write *j, const struct record *r)
{
    const struct estimate *e = r->n_subjects ? false_positives(r, 0) : NULL;
    if (!e)
        return;
    json_object(j, "against_itself");
    if (record_kind(r)->processes) {
        /* Of all benchmarks together, or of the only one. */
        const struct estimate *all = record_estimate(r, 0, r->rule.metric, "aa_false_positives_of_all");
        json_string(j, "command", NULL);
        aa_verdicts(j, r, OF_ALL);
        aa_share(j, r, all ? all : e);
        aa_benchmarks(j, r);
    } else {
        json_bytes(j, "command", r->subjects[0].name);
        aa_figures(j, r, 0, e);
    }
    json_end(j);
}

/* "repetition": {"of", "measured", "seed", "word", "machine", ..., "items": [{"command", "reference", "from", "to", "word", ...}]}: what tare rerun says,
 * item by item in the order in which the screen has them. */

/* A ratio where they are compared by ratios, else a difference; null: not known. */
static void repeated_size(struct json_write *j, const struct repeated *p, double value, double low, double high)
{
    const bool difference = p->kind == METRIC_COUNT;
    const double all[] = {value, low, high};
    static const char *const ratio[] = {"ratio", "ratio_low", "ratio_high"}, *const differ[] = {"difference", "difference_low",
                                                                                                "difference_high"};
    for (int i = 0; i < 3; i++)
        json_number(j, difference ? differ[i] : ratio[i], difference || !isfinite(all[i]) ? all[i] : exp(all[i]));
}

/* Null for what was measured alone. */
static void repeated_side(struct json_write *j, const char *key, const struct repeated *p, const struct repeated_side *s)
{
    if (!s->rounds) {
        json_null(j, key);
        return;
    }
    json_object(j, key);
    json_string(j, "verdict", verdict_name(s->verdict));
    repeated_size(j, p, s->shift, s->low, s->high);
    json_integer(j, "rounds", s->rounds);
    json_end(j);
}

static void repeated_item(struct json_write *j, const struct record *now, const struct repetition *all, int index)
{
    const struct repeated *p = &all->items[index];
    const bool decides = index < all->n_deciding, arc = p->from != NULL;
    json_object(j, NULL);
    json_bytes(j, "command", p->name);
    json_bytes(j, "reference", p->reference >= 0 ? now->subjects[p->reference].name : NULL);
    if (p->now_arc)
        json_arc_ends(j, now, p->now_arc - 1);
    else if (p->then_arc)
        json_arc_ends(j, all->then, p->then_arc - 1);
    json_string(j, "metric", p->metric);
    json_bool(j, "decides", decides);
    json_string(j, "word", decides ? agreement_name(p->word) : NULL);
    json_string(j, "reason", p->reason);
    if (arc) {
        json_number(j, "then_ns", p->then_ns);
        json_number(j, "now_ns", p->now_ns);
        json_number(j, "share", p->share);
    }
    json_object(j, "change");
    repeated_size(j, p, p->change, p->low, p->high);
    json_number(j, "confidence", p->confidence > 0 ? p->confidence : NAN);
    json_end(j);
    repeated_side(j, "then", p, &p->then);
    repeated_side(j, "now", p, &p->now);
    json_end(j);
}

void json_repetition(struct json_write *j, struct export_out *out, const struct record *r)
{
    const struct repetition *x = r->repetition;
    if (!x)
        return;
    char start[40];
    struct buf when = buf_over(start, sizeof start);
    utc_text(&when, x->then->start_utc_ns);
    json_object(j, "repetition");
    json_bytes(j, "of", x->name);
    json_string(j, "measured", start);
    json_unsigned(j, "seed", x->then->seed);
    json_string(j, "word", agreement_name(x->word));
    json_string(j, "machine", x->machine);
    json_bool(j, "machine_known", x->machine_known);
    json_string(j, "programs", x->programs);
    json_string(j, "conditions", x->conditions);
    json_string(j, "tool", x->tool);
    json_array(j, "items");
    for (int i = 0; i < x->n; i++) {
        repeated_item(j, r, x, i);
        export_out_pass(out);
    }
    json_end(j);
    json_end(j);
}
