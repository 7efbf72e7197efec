/* SPDX-License-Identifier: MIT
 * "repetition": {"of", "measured", "seed", "word", "machine", ..., "items": [{"command", "reference", "from", "to", "word", ...}]}: what tare rerun says,
 * item by item in the order in which the screen has them. */
#include "json_parts.h"
#include "record_arcs.h"
#include "repetition.h"
#include "results.h"
#include "utc.h"

/* A ratio where they are compared by ratios, else a difference; null: not known. */
static void size(struct json_write *j, const struct repeated *p, double value, double low, double high)
{
    const bool difference = p->kind == METRIC_COUNT;
    const double all[] = {value, low, high};
    static const char *const ratio[] = {"ratio", "ratio_low", "ratio_high"}, *const differ[] = {"difference", "difference_low",
                                                                                                "difference_high"};
    for (int i = 0; i < 3; i++)
        json_number(j, difference ? differ[i] : ratio[i], difference || !isfinite(all[i]) ? all[i] : exp(all[i]));
}

/* Null for what was measured alone. */
static void side(struct json_write *j, const char *key, const struct repeated *p, const struct repeated_side *s)
{
    if (!s->rounds) {
        json_null(j, key);
        return;
    }
    json_object(j, key);
    json_string(j, "verdict", verdict_name(s->verdict));
    size(j, p, s->shift, s->low, s->high);
    json_integer(j, "rounds", s->rounds);
    json_end(j);
}

static void item(struct json_write *j, const struct record *now, const struct repetition *all, int index)
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
    size(j, p, p->change, p->low, p->high);
    json_number(j, "confidence", p->confidence > 0 ? p->confidence : NAN);
    json_end(j);
    side(j, "then", p, &p->then);
    side(j, "now", p, &p->now);
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
        item(j, r, x, i);
        export_out_pass(out);
    }
    json_end(j);
    json_end(j);
}
