/* SPDX-License-Identifier: MIT
 *
 *     Repetition of old.jsonl, measured 2026-11-20T10:00:00Z: AGREES
 *       './b' against './a' AGREES: changed by +0.2 % [-0.9, +1.3] (95 %)
 *         then FASTER, 1.82 x as fast [1.80, 1.84] (33 rounds)
 *         now FASTER, 1.81 x as fast [1.79, 1.84] (22 rounds)
 *       Machine: the same.
 *       Conditions: governor 'performance' and 'powersave'
 */
#include "layout.h"
#include "quote.h"
#include "trace_page.h"
#include <math.h>

static const struct {
    const char *word;
    enum hue hue;
} words[] = {[AGREES] = {"AGREES", HUE_GOOD}, [DIFFERS] = {"DIFFERS", HUE_BAD}, [NOT_COMPARABLE] = {"NOT COMPARABLE", HUE_BOLD}};

void rerun_put_word(struct page *p, enum agreement word)
{
    hue_on(p, &p->piece, words[word].hue);
    buf_str(&p->piece, words[word].word);
    hue_off(p, &p->piece, words[word].hue);
}

static void put_change(struct page *p, const struct repeated *x)
{
    const struct comparison c = {
        .kind = x->kind, .metric = x->metric, .shift = x->change, .low = x->low, .high = x->high, .better = -1};
    if (!isfinite(x->change))
        return;
    buf_str(&p->piece, "changed by ");
    put_effect(p, &c);
    if (comparison_has_interval(&c)) {
        buf_str(&p->piece, " (");
        put_percent(p, x->confidence);
        buf_char(&p->piece, ')');
    }
    flow_put(p, " ");
}

static void put_reason(struct page *p, const struct repeated *x)
{
    if (!x->reason)
        return;
    flow_break(p);
    put_text(p, x->reason);
    flow_spread(p, "", HUE_PLAIN);
}

static void put_side(struct page *p, const char *when, const struct repeated *x, const struct repeated_side *side)
{
    const struct comparison c = {.kind = x->kind,
                                 .metric = x->metric,
                                 .shift = side->shift,
                                 .low = side->low,
                                 .high = side->high,
                                 .verdict = side->verdict,
                                 .subject = x->subject,
                                 .reference = x->reference,
                                 .better = -1};
    if (!side->rounds)
        return;
    buf_str(&p->piece, when);
    put_verdict(p, &c);
    buf_str(&p->piece, ", ");
    put_effect(p, &c);
    buf_format(&p->piece, " (%d round%s)", side->rounds, buf_plural(side->rounds));
    flow_put(p, " ");
}

static void render_pair(struct page *p, const struct repeated *x)
{
    int columns = name_columns(p, 2);
    flow_begin(p, 2, 4);
    put_name(p, x->subject, columns);
    buf_str(&p->piece, " against ");
    put_name(p, x->reference, columns);
    buf_char(&p->piece, ' ');
    rerun_put_word(p, x->word);
    buf_char(&p->piece, ':');
    flow_put(p, "");
    put_change(p, x);
    put_reason(p, x);
    if (p->o->verbosity >= 0) {
        flow_break(p);
        put_side(p, "then ", x, &x->then);
        flow_break(p);
        put_side(p, "now ", x, &x->now);
    }
    flow_end(p);
}

/* Beside a comparison it decides nothing, and has no word. */
static void render_alone(struct page *p, const struct repeated *x, bool decides)
{
    flow_begin(p, 2, 4);
    if (x->subject >= 0)
        put_name(p, x->subject, name_columns(p, 1));
    else
        quote_name(&p->piece, x->name, name_columns(p, 1), p->o->unicode);
    if (decides) {
        buf_char(&p->piece, ' ');
        rerun_put_word(p, x->word);
    } else {
        buf_str(&p->piece, " by itself");
    }
    buf_char(&p->piece, ':');
    flow_put(p, "");
    put_change(p, x);
    if (isfinite(x->change)) {
        buf_str(&p->piece, "if nothing drifted between the two sessions");
        flow_spread(p, " ", HUE_DIM);
    }
    if (decides || !isfinite(x->change))
        put_reason(p, x);
    flow_end(p);
}

static void render_list(struct page *p, const char *what, const char *list, const char *none)
{
    flow_begin(p, 2, 4);
    buf_str(&p->piece, what);
    flow_put_hued(p, "", HUE_BOLD);
    put_text(p, *list ? list : none);
    flow_spread(p, " ", HUE_PLAIN);
    flow_end(p);
}

static void render_title(struct page *p, const char *title, enum agreement word)
{
    flow_begin(p, 0, 2);
    buf_str(&p->piece, "Repetition of ");
    quote_mask(&p->piece, title, p->o->unicode);
    buf_str(&p->piece, ": ");
    rerun_put_word(p, word);
    flow_spread(p, "", HUE_PLAIN);
    flow_end(p);
}

void render_repetition(const struct record *now, const struct repetition *found, const char *title,
                       const struct render_options *o, struct buf *out)
{
    struct page p = page_over(now, o, out);
    bool quiet = o->verbosity < 0;
    render_title(&p, title, found->word);
    render_repeated_arcs(&p, found);
    for (int i = 0; i < found->n && !(quiet && i >= found->n_deciding); i++)
        if (found->items[i].from)
            continue;
        else if (found->items[i].reference >= 0)
            render_pair(&p, &found->items[i]);
        else
            render_alone(&p, &found->items[i], i < found->n_deciding);
    if (!quiet) {
        render_list(&p, "Machine:", found->machine, found->machine_known ? "the same." : "not known of both.");
        render_list(&p, "Programs:", found->programs, "no difference known.");
        render_list(&p, "Conditions:", found->conditions, "no difference known.");
    }
    if (!quiet && *found->tool)
        render_list(&p, "Tool:", found->tool, "");
    page_finish(&p);
}
