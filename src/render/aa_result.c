/* SPDX-License-Identifier: MIT
 *
 *     'sort words' against itself: 40 sessions of 15 to 75 rounds, 18.2 s in all
 *       false words    1 of 40 called faster or slower: 2.5 % [0.1, 13.2] (95 %, Clopper and Pearson); at most 5 % are promised
 *       other words    36 the same within 1 %, 3 undecided
 *       one session    knows the ratio to ±0.62 % (median); its pairs scatter by 1.4 % (robust standard deviation)
 *       it can show    a difference of 0.9 %, 9 times in 10, in the 75 rounds of its last look
 *
 * With -v each session has its line.
 */
#include "layout.h"
#include <math.h>

struct tally {
    int words, same, undecided, invalid, fewest, most;
};

static struct tally count(const struct record *r)
{
    struct tally t = {0};
    for (int i = 0; i < r->n_comparisons; i++) {
        const struct comparison *c = &r->comparisons[i];
        t.same += c->verdict == VERDICT_SAME;
        t.undecided += c->verdict == VERDICT_UNDECIDED;
        t.invalid += c->verdict == VERDICT_INVALID || c->verdict == VERDICT_NONE;
        t.fewest = i == 0 || c->rounds < t.fewest ? c->rounds : t.fewest;
        t.most = c->rounds > t.most ? c->rounds : t.most;
    }
    t.words = r->n_comparisons - t.same - t.undecided - t.invalid;
    return t;
}

static const struct estimate *found(const struct page *p, const char *statistic)
{
    return record_estimate(p->r, 0, p->r->rule.metric, statistic);
}

static bool known(const struct estimate *e)
{
    return e && !isnan(e->point);
}

static void line(struct page *p, const char *label)
{
    flow_begin(p, 2, 17);
    buf_str(&p->piece, label);
    flow_put_hued(p, "", HUE_DIM);
}

static void line_end(struct page *p, const char *gap)
{
    flow_spread(p, gap, HUE_PLAIN);
    flow_end(p);
}

/* A share in per cent, with the digits of a rough figure. */
static void put_rough(struct page *p, double share)
{
    put_number(p, 100 * share, significant_decimals(100 * share, 2));
}

static void render_title(struct page *p, const struct tally *t)
{
    flow_begin(p, 0, 2);
    put_name(p, 0, name_columns(p, 1));
    buf_format(&p->piece, " against itself: %d session%s of ", p->r->n_comparisons, buf_plural(p->r->n_comparisons));
    if (t->fewest < t->most)
        buf_format(&p->piece, "%d to ", t->fewest);
    buf_format(&p->piece, "%d round%s, %.1f s in all", t->most, buf_plural(t->most), p->r->seconds);
    flow_spread(p, "", HUE_BOLD);
    flow_end(p);
}

static void render_words(struct page *p, const struct tally *t)
{
    const struct estimate *e = found(p, "aa_false_words");
    line(p, "false words   ");
    buf_format(&p->piece, "%d of %d called faster or slower", t->words, p->r->n_comparisons);
    if (known(e)) {
        buf_str(&p->piece, ": ");
        put_number(p, 100 * e->point, 1);
        buf_str(&p->piece, " % ");
        put_interval(p, 100 * e->low, 100 * e->high, 1);
        buf_str(&p->piece, " (");
        put_percent(p, e->confidence);
        buf_str(&p->piece, ", ");
        put_text(p, e->method);
        buf_str(&p->piece, "); at most ");
        put_percent(p, 1 - p->r->rule.confidence);
        buf_str(&p->piece, " are promised");
        if (e->low > 1 - p->r->rule.confidence)
            buf_str(&p->piece, ": more than that. Do not trust such words for this command on this machine");
    }
    line_end(p, " ");
    line(p, "other words   ");
    buf_format(&p->piece, "%d the same within ", t->same);
    put_margin(p, &p->r->comparisons[0]);
    buf_format(&p->piece, ", %d undecided", t->undecided);
    if (t->invalid)
        buf_format(&p->piece, ", %d invalid", t->invalid);
    line_end(p, " ");
}

static void render_sharpness(struct page *p)
{
    const struct estimate *half = found(p, "aa_half_width"), *sd = found(p, "aa_pair_sd"), *least = found(p, "aa_detectable");
    const struct rule *rule = &p->r->rule;
    line(p, "one session   ");
    if (known(half)) {
        buf_format(&p->piece, "knows the ratio to %s", p->sym->plus_minus);
        put_rough(p, half->point);
        buf_str(&p->piece, " % (median)");
    } else {
        buf_str(&p->piece, "has no interval");
    }
    if (known(sd)) {
        buf_str(&p->piece, "; its pairs scatter by ");
        put_rough(p, sd->point);
        buf_str(&p->piece, " % (robust standard deviation)");
    }
    line_end(p, " ");
    if (!known(least) || !rule->n_looks)
        return;
    line(p, "it can show   ");
    buf_str(&p->piece, "a difference of ");
    put_rough(p, least->point);
    buf_format(&p->piece, " %%, 9 times in 10, in the %d rounds of its last look", rule->look_at[rule->n_looks - 1]);
    line_end(p, " ");
}

static void render_session(struct page *p, const struct comparison *c, int number)
{
    flow_begin(p, 2, 17);
    buf_format(&p->piece, "session %-6d", number);
    flow_put_hued(p, "", HUE_DIM);
    buf_str(&p->piece, verdict_name(c->verdict));
    flow_put(p, " ");
    if (comparison_has_interval(c)) {
        put_plain_effect(p, c);
        buf_char(&p->piece, ' ');
        put_plain_interval(p, c);
        flow_put(p, " ");
    }
    buf_format(&p->piece, "%d round%s", c->rounds, buf_plural(c->rounds));
    flow_put(p, ", ");
    if (c->reason) {
        put_text(p, c->reason);
        flow_spread(p, ", ", HUE_PLAIN);
    }
    flow_end(p);
}

void render_against_itself(struct page *p)
{
    if (!p->r->n_comparisons)
        return;
    struct tally t = count(p->r);
    render_title(p, &t);
    render_words(p, &t);
    render_sharpness(p);
    for (int i = 0; p->o->verbosity > 0 && i < p->r->n_comparisons; i++)
        render_session(p, &p->r->comparisons[i], i + 1);
}
