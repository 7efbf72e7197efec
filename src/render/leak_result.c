/* SPDX-License-Identifier: MIT
 *
 * Leak targets: a sentence each, what it rests on below it, and once what all of them are about.
 *
 *     memcmp_32: LEAK larger than 1 ns between "equal" and "random": "random" takes 12.4 ns [12.1, 12.7] less than "equal" (37 cycles), with
 *       99 % confidence over 17 processes; about 11 calls tell them apart
 *       214 k calls in 0.2 s; odds 10^612 against "no leak" (location, by mean at 50 %); A/A quiet; a planted 1 ns was found after 4200 blocks
 */
#include "layout.h"
#include "leak_sentences.h"
#include "quote.h"
#include <math.h>
#include <string.h>

/* A text of sentences with names in it, without blanks at its end: a text of the record may be empty. */
static void put_sentence(struct page *p, struct buf *text)
{
    while (text->len && text->data[text->len - 1] == ' ')
        text->data[--text->len] = 0;
    put_text(p, buf_text(text));
    buf_finish(text);
}

static enum hue hue_of(const struct leak_target *t)
{
    return t->verdict == VERDICT_NO_LEAK                                 ? HUE_GOOD
           : t->verdict == VERDICT_LEAK || t->verdict == VERDICT_INVALID ? HUE_BAD
                                                                         : HUE_BOLD;
}

static void put_head(struct page *p, const struct leak_target *t)
{
    struct buf rest = BUF_INIT(1 << 16);
    flow_begin(p, 0, 2);
    quote_mask(&p->piece, p->r->subjects[t->subject].name, p->o->unicode);
    buf_char(&p->piece, ':');
    flow_put_hued(p, "", HUE_BOLD);
    buf_str(&p->piece, leak_word(p->r, t));
    flow_put_hued(p, " ", hue_of(t));
    leak_rest(p->r, t, &rest);
    buf_char(&rest, '.');
    put_sentence(p, &rest);
    flow_spread(p, "", HUE_PLAIN);
    flow_end(p);
}

static void put_line(struct page *p, struct buf *text, enum hue hue)
{
    if (!text->len) {
        buf_finish(text);
        return;
    }
    flow_begin(p, 2, 4);
    put_sentence(p, text);
    flow_spread(p, "", hue);
    flow_end(p);
}

static void put_words(struct page *p, const char *before, const char *text)
{
    struct buf b = BUF_INIT(1 << 16);
    if (text)
        buf_format(&b, "%s%s", before, text);
    put_line(p, &b, HUE_PLAIN);
}

/* ---- every figure, with -v ---- */

static bool hidden(const char *id)
{
    static const char *const shown_above[] = {"seconds", "unfit", "seconds_needed"};
    for (size_t i = 0; i < sizeof shown_above / sizeof *shown_above; i++)
        if (!strcmp(shown_above[i], id))
            return true;
    return false;
}

static void put_figures(struct page *p, const struct leak_target *found)
{
    struct leak_target t = *found;
    flow_begin(p, 4, 6);
    for (int i = 0; leak_figure_at(i); i++) {
        const struct leak_figure *f = leak_figure_at(i);
        double value = *leak_figure_of(&t, f);
        if (isnan(value) || hidden(f->id))
            continue;
        buf_format(&p->piece, "%s ", f->id);
        figure_put(&p->piece, value, isinf(value) ? 0 : figure_digits(value, 4));
        flow_put_hued(p, p->fresh ? "" : "   ", HUE_DIM);
    }
    flow_end(p);
}

static void render_target(struct page *p, int subject)
{
    const struct leak_target *t = record_leak_target(p->r, subject);
    struct buf evidence = BUF_INIT(1 << 16), places = BUF_INIT(1 << 16), dudect = BUF_INIT(1 << 16);
    struct leak_target none;
    if (!t) {
        leak_target_init(&none, subject);
        none.verdict = p->r->subjects[subject].failure ? VERDICT_INVALID : VERDICT_UNDECIDED;
        none.why = p->r->subjects[subject].failure;
        t = &none;
    }
    put_head(p, t);
    if (!(t->calls > 0))
        return;
    leak_dudect_sentence(t, &dudect); /* where it decides, it is the answer */
    put_line(p, &dudect, HUE_PLAIN);
    if (p->o->verbosity < 0)
        return;
    leak_evidence(t, &evidence);
    put_line(p, &evidence, HUE_DIM);
    leak_places(t, &places);
    put_line(p, &places, HUE_DIM);
    put_words(p, "beside the times: ", t->facts);
    put_words(p, "", p->r->subjects[subject].remark);
    put_words(p, "taint: ", t->taint);
    if (p->o->verbosity > 0) {
        put_words(p, "data-independent timing: ", t->dit);
        put_figures(p, t);
    }
}

void render_leaks(struct page *p)
{
    struct buf claim = BUF_INIT(1 << 16);
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].kind == SUBJECT_LEAK)
            render_target(p, i);
    leak_claim(p->r, &claim);
    if (p->o->verbosity < 0 || !claim.len) {
        buf_finish(&claim);
        return;
    }
    put_sentence(p, &claim);
    flow_line(p, 0, HUE_DIM);
}

/* ---- before it runs ---- */

static void put_dry(struct page *p, const char *label, struct buf *text)
{
    flow_label(p, 0, 2, label, HUE_DIM);
    put_sentence(p, text);
    flow_spread(p, " ", HUE_PLAIN);
    flow_end(p);
}

void render_leak_dry_run(const struct record *r, double max_time_s, const struct render_options *o, struct buf *out)
{
    struct page page = page_over(r, o, out), *p = &page;
    struct buf text = BUF_INIT(1 << 16), question = BUF_INIT(1 << 16);
    buf_str(&text, "nothing was executed, but that the programs were asked for their targets.");
    put_dry(p, "Dry run:", &text);
    for (int i = 0; i < r->n_subjects; i++) {
        text = BUF_INIT(1 << 16);
        buf_format(&text, "%s", r->subjects[i].command);
        put_dry(p, "Target:", &text);
    }
    text = BUF_INIT(1 << 16);
    buf_format(&text,
               "a process of each target that is not decided, in shuffled order; %s, longer where calls or the session are long, "
               "1 s at most; until all are decided, at most %g s in all (seed %llu).",
               !strcmp(r->rule.leaks.kind, "growth") ? "0.3 s each" : "some 50 ms each", max_time_s, (unsigned long long)r->seed);
    put_dry(p, "Rounds:", &text);
    if (r->sessions) {
        text = BUF_INIT(1 << 16);
        buf_format(&text, "%d, each as above", r->sessions);
        if (r->every_ns)
            buf_format(&text, ", one every %g s", (double)r->every_ns / 1e9);
        buf_str(&text, "; then sizes and a verdict over them.");
        put_dry(p, "Sessions:", &text);
    }
    leak_question(r, &question);
    put_dry(p, "Question:", &question);
    page_finish(p);
}
