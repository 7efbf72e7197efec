/* SPDX-License-Identifier: MIT
 *
 *     Dry run: nothing was executed.
 *     setup, once before all rounds: make
 *     Command 1: grep -c foo big.txt
 *       prepare: sync
 *       run:     grep -c foo big.txt
 *     Rounds: 1 warmup, then each command once a round in random order (seed 42); interim analyses from round 10 on; ...
 */
#include "layout.h"
#include "quote.h"
#include "record_arcs.h"
#include "record_kind.h"
#include "same_text.h"
#include <limits.h>
#include <math.h>

static const struct subject *first_command(const struct record *r)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (subject_measured(&r->subjects[i]))
            return &r->subjects[i];
    return NULL;
}

static bool outer_hooks_shared(const struct record *r)
{
    const struct subject *first = first_command(r);
    for (int i = 0; i < r->n_subjects; i++) {
        const struct subject *s = &r->subjects[i];
        if (subject_measured(s) && !(same_text(s->setup, first->setup) && same_text(s->cleanup, first->cleanup)))
            return false;
    }
    return true;
}

static void render_text(struct page *p, int indent, const char *label, const char *text)
{
    if (!text)
        return;
    flow_label(p, indent, indent + 2, label, HUE_DIM);
    quote_mask(&p->piece, text, p->o->unicode);
    flow_rest(p);
}

static void render_planned_command(struct page *p, int subject, int number, bool own_hooks)
{
    const struct subject *s = &p->r->subjects[subject];
    flow_begin(p, 0, 4);
    if (s->anchor)
        buf_str(&p->piece, "Anchor:");
    else
        buf_format(&p->piece, "%s %d:", s->kind == SUBJECT_BENCH ? "Benchmark" : "Command", number);
    flow_put_hued(p, "", HUE_BOLD);
    quote_mask(&p->piece, s->name, p->o->unicode);
    flow_rest(p);
    if (own_hooks)
        render_text(p, 2, "setup, once before its runs:", s->setup);
    render_text(p, 2, "prepare, before each run:", s->prepare);
    flow_label(p, 2, 4, s->shell ? "run, in a shell:" : "run:", HUE_DIM);
    if (s->argv)
        quote_words(&p->piece, s->argv, p->o->unicode);
    else
        quote_mask(&p->piece, s->command, p->o->unicode);
    flow_rest(p);
    render_text(p, 2, "conclude, after each run:", s->conclude);
    if (own_hooks)
        render_text(p, 2, "cleanup, once after its runs:", s->cleanup);
}

/* Not a copy of another one, as those of --aa are. */
static bool is_first(const struct record *r, int subject)
{
    return subject_measured(&r->subjects[subject]) && record_first_copy(r, subject) == subject;
}

static void put_order(struct page *p, const struct render_plan *plan)
{
    const int n = asked_count(p->r), all = command_count(p->r);
    if (plan->why_blocks) {
        buf_format(&p->piece, " of each %s, one %s after the other (", record_kind(p->r)->subject, record_kind(p->r)->subject);
        put_text(p, plan->why_blocks);
        buf_char(&p->piece, ')');
    } else if (p->r->rule.against_itself) {
        int different = 0;
        for (int i = 0; i < p->r->n_subjects; i++)
            different += is_first(p->r, i);
        buf_format(&p->piece, " of the %s twice, against itself, in each of %d sessions%s (seed %llu)",
                   record_kind(p->r)->subject, n / 2 / different, different > 1 ? " for each benchmark" : "",
                   (unsigned long long)p->r->seed);
    } else if (all > 1) {
        if (n > 1)
            buf_format(&p->piece, " of all %d %ss", n, record_kind(p->r)->subject);
        else
            buf_format(&p->piece, " of the %s", record_kind(p->r)->subject);
        buf_format(&p->piece, "%s, in random order (seed %llu)", all > n ? " and the anchor" : "",
                   (unsigned long long)p->r->seed);
    }
}

static void put_end(struct page *p, const struct render_plan *plan)
{
    const struct rule *rule = &p->r->rule;
    if (rule->method == METHOD_GEORGES) {
        buf_str(&p->piece, ", until the width of the mean's interval is within ");
        figure_level(&p->piece, rule->precision);
    } else if (asked_count(p->r) == 1 && record_kind(p->r)->arcs) {
        buf_str(&p->piece, ", until the mean of each arc with 1 % of the time or more is known within ");
        figure_level(&p->piece, rule->precision);
    } else if (asked_count(p->r) == 1 || plan->why_blocks) {
        buf_format(&p->piece, ", until the median is known within %s", figure_text(figure_level, rule->precision).at);
    } else {
        buf_str(&p->piece, ", until every verdict is decided");
    }
    if (plan->max_rounds)
        buf_format(&p->piece, ", at most %d round%s", plan->max_rounds, buf_plural(plan->max_rounds));
    if (isfinite(plan->max_time_s))
        buf_format(&p->piece, ", at most %s%s", figure_text(figure_limit, plan->max_time_s).at,
                   plan->why_blocks || p->r->rule.against_itself ? " each" : "");
}

static void render_rounds(struct page *p, const struct render_plan *plan)
{
    flow_label(p, 0, 2, "Rounds:", HUE_BOLD);
    if (plan->warmup)
        buf_format(&p->piece, "%d warmup, then ", plan->warmup);
    if (plan->runs)
        buf_format(&p->piece, "exactly %d", plan->runs);
    else
        buf_str(&p->piece, "as many as needed");
    put_order(p, plan);
    if (!plan->runs) {
        buf_format(&p->piece, "; interim analyses from round %d on", plan->first_look);
        put_end(p, plan);
    }
    buf_char(&p->piece, '.');
    if (plan->follow_rounds) {
        buf_str(&p->piece, " In each");
        if (plan->follow_rounds < INT_MAX)
            buf_format(&p->piece, " of the first %d", plan->follow_rounds);
        buf_str(&p->piece, " every command runs once more, untimed, for its exact peak memory.");
    }
    if (plan->empty_program)
        buf_str(&p->piece, " An empty program is run too, to measure the overhead of tare.");
    for (int i = 0; i < plan->n_untimed; i++)
        buf_format(&p->piece, " %s", plan->untimed[i]);
    flow_rest(p);
}

static void render_question(struct page *p)
{
    flow_label(p, 0, 2, "Question:", HUE_BOLD);
    if (record_kind(p->r)->arcs)
        buf_str(&p->piece, "time of a call of each arc");
    else
        put_title(p, p->r->rule.metric, 0);
    buf_format(&p->piece, ", confidence %s", figure_text(figure_level, p->r->rule.confidence).at);
    if (command_count(p->r) > 1 && p->r->rule.interleaved) {
        buf_str(&p->piece, ", margin ");
        const struct rule *rule = &p->r->rule;
        if (rule->margin_unit)
            figure_chosen(&p->piece, rule->margin_unit, rule->margin);
        else
            figure_level(&p->piece, rule->margin);
    }
    if (!isnan(p->r->rule.fail_if_slower))
        buf_format(&p->piece, ", fails if slower by %s", figure_text(figure_level, p->r->rule.fail_if_slower).at);
    flow_rest(p);
}

static void render_planned_sessions(struct page *p, const struct render_plan *plan)
{
    if (!plan->sessions)
        return;
    flow_label(p, 0, 2, "Sessions:", HUE_BOLD);
    buf_format(&p->piece, "%d of all this", plan->sessions);
    if (plan->every_s > 0)
        buf_format(&p->piece, ", one every %s", figure_text(figure_limit, plan->every_s).at);
    buf_char(&p->piece, '.');
    flow_rest(p);
}

static const char *build_command(const struct record *r)
{
    const struct fact *build = has_revisions(r) ? facts_find(&r->build, "build_command") : NULL;
    return build ? build->text : NULL;
}

void render_dry_run(const struct record *r, const struct render_plan *plan, const struct render_options *o, struct buf *out)
{
    struct page p = page_over(r, o, out);
    const struct subject *first = first_command(r);
    bool shared = outer_hooks_shared(r);
    /* Names and hashes of revisions are asked for all the same. */
    quote_mask(&p.piece,
               plan->heading
                   ? plan->heading
                   : (has_revisions(r) ? "Dry run: git was asked, and nothing executed." : "Dry run: nothing was executed."),
               o->unicode);
    flow_line(&p, 0, HUE_PLAIN);
    render_revisions(&p);
    render_text(&p, 0, "build, once in each revision:", build_command(r));
    if (first && shared)
        render_text(&p, 0,
                    p.r->rule.against_itself ? "setup, before each session:" : "setup, once before all rounds:", first->setup);
    for (int i = 0, number = 0; i < r->n_subjects; i++)
        if (is_first(r, i))
            render_planned_command(&p, i, ++number, !shared);
    if (first && shared)
        render_text(
            &p, 0, p.r->rule.against_itself ? "cleanup, after each session:" : "cleanup, once after all rounds:", first->cleanup);
    for (int i = 0; i < plan->n_after_run; i++)
        render_text(&p, 0, "after each run of any command, for a metric:", plan->after_run[i]);
    render_rounds(&p, plan);
    render_text(&p, 0, "Tuned:", plan->tuned);
    render_text(&p, 0, "Traced:", plan->traced);
    render_question(&p);
    render_planned_sessions(&p, plan);
    page_finish(&p);
}
