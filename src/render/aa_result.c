/* SPDX-License-Identifier: MIT
 *
 *     'sort words' against itself: 40 sessions of 15 to 75 rounds, 18.2 s in all
 *       false words    1 of 40 called faster or slower: 2.5 % [0.1, 13.2] (95 %, Clopper and Pearson); at most 5 % are promised
 *       other words    36 the same within 1 %, 3 undecided
 *       one session    knows the ratio to ±0.62 % (median); its pairs scatter by 1.4 % (robust standard deviation)
 *       it can show    a difference of 0.9 %, 9 times in 10, in the 75 rounds of its last look
 *
 * With -v each session has its line. Of several benchmarks a line before tells the words of them all.
 */
#include "layout.h"
#include <math.h>
#include <string.h>

struct tally {
    int sessions, words, same, undecided, fewest, most;
    int invalid; /* without a verdict */
};

enum { OF_ALL = -1 };

/* Whether the comparison is of what `subject` is the first copy of. */
static bool is_of(const struct record *r, const struct comparison *c, int subject)
{
    return subject == OF_ALL || record_first_copy(r, c->reference) == subject;
}

/* The comparison has none where it was not looked at. */
static int rounds_of(const struct record *r, const struct comparison *c)
{
    return c->rounds ? c->rounds : record_rounds(r, (const int[]){c->reference, c->subject}, 2);
}

static struct tally count(const struct record *r, int subject)
{
    struct tally t = {0};
    for (int i = 0; i < r->n_comparisons; i++) {
        const struct comparison *c = &r->comparisons[i];
        if (!is_of(r, c, subject))
            continue;
        t.invalid += !comparison_judged(c);
        t.same += c->verdict == VERDICT_SAME;
        t.undecided += c->verdict == VERDICT_UNDECIDED && comparison_judged(c);
        const int rounds = rounds_of(r, c);
        t.fewest = !t.sessions || rounds < t.fewest ? rounds : t.fewest;
        t.most = rounds > t.most ? rounds : t.most;
        t.sessions++;
    }
    t.words = t.sessions - t.same - t.undecided - t.invalid;
    return t;
}

static const struct estimate *found(const struct page *p, int subject, const char *statistic)
{
    return record_estimate(p->r, subject, p->r->rule.metric, statistic);
}

enum { LABEL = 15 };

static void line_end(struct page *p, const char *gap)
{
    flow_spread(p, gap, HUE_PLAIN);
    flow_end(p);
}

static void put_sessions(struct page *p, const struct tally *t)
{
    buf_format(&p->piece, "%d session%s of ", t->sessions, buf_plural(t->sessions));
    if (t->fewest < t->most)
        buf_format(&p->piece, "%d to ", t->fewest);
    buf_format(&p->piece, "%d round%s", t->most, buf_plural(t->most));
}

static void render_title(struct page *p, int subject, const struct tally *t, bool alone)
{
    put_name(p, subject, name_columns(p, 1));
    buf_str(&p->piece, " against itself: ");
    if (t->sessions)
        put_sessions(p, t);
    else
        buf_str(&p->piece, "no session");
    if (alone) {
        buf_str(&p->piece, ", ");
        figure_duration(&p->piece, p->r->seconds);
        buf_str(&p->piece, " in all");
    }
    flow_line(p, 0, HUE_BOLD);
}

static void put_false_words(struct page *p, const struct tally *t, const struct estimate *e, const char *whose)
{
    if (t->invalid == t->sessions) {
        buf_str(&p->piece, "none can be counted: no session reached a verdict");
        return;
    }
    buf_format(&p->piece, "%d of %d called faster or slower", t->words, t->sessions - t->invalid);
    if (!is_known(e))
        return;
    buf_str(&p->piece, ": ");
    put_share(p, e);
    buf_str(&p->piece, " (");
    figure_level(&p->piece, e->confidence);
    buf_str(&p->piece, ", ");
    put_text(p, e->method);
    buf_str(&p->piece, "); at most ");
    figure_level(&p->piece, 1 - p->r->rule.confidence);
    buf_str(&p->piece, " are promised");
    if (e->low > 1 - p->r->rule.confidence)
        buf_format(&p->piece, ": more than that. Do not trust such words for %s on this machine", whose);
    if (t->invalid)
        buf_format(&p->piece, "; %d without a verdict %s left out", t->invalid, t->invalid == 1 ? "is" : "are");
}

static void render_words(struct page *p, int subject, const struct tally *t)
{
    bool benchmark = p->r->subjects[subject].kind == SUBJECT_BENCH;
    flow_field(p, LABEL, "false words", HUE_DIM);
    put_false_words(p, t, found(p, subject, "aa_false_words"), benchmark ? "this benchmark" : "this command");
    line_end(p, " ");
    flow_field(p, LABEL, "other words", HUE_DIM);
    buf_format(&p->piece, "%d the same within ", t->same);
    put_margin(p, &p->r->comparisons[0]);
    buf_format(&p->piece, ", %d undecided", t->undecided);
    if (t->invalid)
        buf_format(&p->piece, ", %d without a verdict", t->invalid);
    line_end(p, " ");
}

static void render_sharpness(struct page *p, int subject)
{
    const struct estimate *half = found(p, subject, "aa_half_width"), *sd = found(p, subject, "aa_pair_sd"),
                          *least = found(p, subject, "aa_detectable");
    const struct rule *rule = &p->r->rule;
    flow_field(p, LABEL, "one session", HUE_DIM);
    if (is_known(half)) {
        buf_str(&p->piece, "knows the ratio to ±");
        figure_share(&p->piece, half->point);
        buf_str(&p->piece, " (median)");
    } else {
        buf_str(&p->piece, "has no interval");
    }
    if (is_known(sd)) {
        buf_str(&p->piece, "; its pairs scatter by ");
        figure_share(&p->piece, sd->point);
        buf_str(&p->piece, " (robust standard deviation)");
    }
    line_end(p, " ");
    if (!is_known(least))
        return;
    flow_field(p, LABEL, "it can show", HUE_DIM);
    buf_str(&p->piece, "a difference of ");
    figure_share(&p->piece, least->point);
    if (rule->spending > 0)
        buf_str(&p->piece, ", 9 times in 10, if it goes on to its end");
    else if (rule->n_looks)
        buf_format(&p->piece, ", 9 times in 10, in the %d rounds of its last look", rule->look_at[rule->n_looks - 1]);
    line_end(p, " ");
}

static void render_session(struct page *p, const struct comparison *c, int number)
{
    flow_begin(p, 2, 17);
    buf_format(&p->piece, "session %-6d", number);
    flow_put_hued(p, "", HUE_DIM);
    put_answer(p, c);
    flow_put(p, " ");
    const int rounds = rounds_of(p->r, c);
    buf_format(&p->piece, "%d round%s", rounds, buf_plural(rounds));
    flow_put(p, ", ");
    if (c->reason) {
        put_text(p, c->reason);
        flow_spread(p, ", ", HUE_PLAIN);
    }
    flow_end(p);
}

static void render_each_session(struct page *p, int subject)
{
    int number = 0;
    for (int i = 0; i < p->r->n_comparisons; i++)
        if (is_of(p->r, &p->r->comparisons[i], subject))
            render_session(p, &p->r->comparisons[i], ++number);
}

static void render_given_up(struct page *p, int subject)
{
    const struct subject *s = &p->r->subjects[subject];
    flow_field(p, LABEL, "no figures", HUE_DIM);
    buf_str(&p->piece, s->failure && strcmp(subject_given_up(s), "failed") ? "" : "given up: ");
    put_text(p, s->failure ? s->failure : "no session was completed");
    line_end(p, " ");
}

static void render_one(struct page *p, int subject, bool alone)
{
    struct tally t = count(p->r, subject);
    render_title(p, subject, &t, alone);
    if (!t.sessions) {
        render_given_up(p, subject);
        return;
    }
    render_words(p, subject, &t);
    render_sharpness(p, subject);
    if (p->o->verbosity > 0)
        render_each_session(p, subject);
}

static void render_all(struct page *p, int benchmarks, int first)
{
    struct tally t = count(p->r, OF_ALL);
    buf_format(&p->piece, "%d benchmarks against themselves, ", benchmarks);
    figure_duration(&p->piece, p->r->seconds);
    buf_str(&p->piece, " in all: ");
    put_false_words(p, &t, found(p, first, "aa_false_words_of_all"), "these benchmarks");
    flow_line(p, 0, HUE_BOLD);
}

static bool is_first(const struct record *r, int subject)
{
    return subject_measured(&r->subjects[subject]) && record_first_copy(r, subject) == subject;
}

void render_against_itself(struct page *p)
{
    int n = 0, first = -1;
    for (int i = 0; i < p->r->n_subjects; i++)
        if (is_first(p->r, i))
            first = n++ ? first : i;
    if (!p->r->n_comparisons)
        return;
    if (n > 1)
        render_all(p, n, first);
    for (int i = 0; i < p->r->n_subjects; i++)
        if (is_first(p->r, i))
            render_one(p, i, n == 1);
}
