/* SPDX-License-Identifier: MIT
 *
 *     undecided: 1 of 40 verdicts was a false positive (0.1–13.2 %), at most 5 % allowed; more sessions would narrow this (--aa)
 *     against itself  sessions  false positives  95 % CI     same  undecided  ratio's CI  90 % power for
 *     sort words            40  1 (2.5 %)        0.1–13.2 %    36          3     ±0.62 %          0.90 %
 *     15 to 75 rounds a session, 18 s in all · at most 5 % false positives allowed
 *
 * The interval is the median of the sessions', and the power that of a session that goes on to its last interim analysis. With -v each session
 * has its line.
 */
#include "layout.h"
#include "record_kind.h"
#include <math.h>
#include <string.h>

struct tally {
    int sessions, false_positives, same, undecided, fewest, most;
    int invalid; /* without a verdict */
};

enum { OF_ALL = -1 };

/* Whether the comparison is of what `subject` is the first copy of. */
static bool is_of(const struct record *r, const struct comparison *c, int subject)
{
    return subject == OF_ALL || record_first_copy(r, c->reference) == subject;
}

/* The comparison has none where no interim analysis was made. */
static int rounds_of(const struct record *r, const struct comparison *c)
{
    return c->rounds ? c->rounds : record_rounds(r, (const int[]){c->reference, c->subject}, 2);
}

static struct tally count_verdicts(const struct record *r, int subject)
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
    t.false_positives = t.sessions - t.same - t.undecided - t.invalid;
    return t;
}

struct aa_row {
    int subject, first; /* subject OF_ALL: of all, whose share is an estimate of the first */
    struct tally tally;
};

static const struct estimate *share_of(const struct page *p, const struct aa_row *x)
{
    const bool all = x->subject == OF_ALL;
    return record_estimate(p->r, all ? x->first : x->subject, p->r->rule.metric,
                           all ? "aa_false_positives_of_all" : "aa_false_positives");
}

/* In percent; an end that is not the rate that is allowed does not look like it. */
static void put_rates(struct page *p, double low, double high, double allowed)
{
    const int decimals = figure_apart(100 * high, 100 * allowed, figure_apart(100 * low, 100 * allowed, 1));
    figure_range(&p->piece, 100 * low, 100 * high, unit_one, decimals);
    buf_str(&p->piece, " %");
}

/* "-" of one that has no session with a verdict. */
static void false_cells(struct table *t, const struct aa_row *x)
{
    struct page *p = t->p;
    const struct estimate *e = share_of(p, x);
    const bool none = x->tally.invalid == x->tally.sessions;
    if (none)
        buf_char(&p->piece, '-');
    else
        buf_format(&p->piece, "%d", x->tally.false_positives);
    if (!none && is_known(e))
        buf_format(&p->piece, " (%s)", figure_text(figure_share, e->point).at);
    table_cell(t);
    if (is_known(e) && has_interval(e))
        put_rates(p, e->low, e->high, 1 - p->r->rule.confidence);
    table_cell(t);
}

static void add_row(struct table *t, const struct aa_row *x)
{
    static const char *const sharpness[] = {"aa_half_width", "aa_detectable", "aa_pair_sd"};
    struct page *p = t->p;
    if (x->subject == OF_ALL)
        buf_str(&p->piece, "all");
    else
        put_short_name(p, x->subject, name_columns(p, 2));
    table_cell(t);
    table_format(t, "%d", x->tally.sessions);
    false_cells(t, x);
    table_format(t, "%d", x->tally.same);
    table_format(t, "%d", x->tally.undecided);
    for (int i = 0; i < 3; i++) {
        const struct estimate *e = x->subject == OF_ALL ? NULL : record_known(p->r, x->subject, p->r->rule.metric, sharpness[i]);
        if (e)
            buf_format(&p->piece, "%s%s", i ? "" : "±", figure_text(figure_share, e->point).at);
        table_cell(t);
    }
}

static void put_rounds(struct page *p, const struct tally *t)
{
    flow_begin(p, 2, 4);
    if (t->fewest < t->most)
        buf_format(&p->piece, "%d to ", t->fewest);
    summary_format(p, "%d round%s a session, %s in all", t->most, buf_plural(t->most),
                   figure_text(figure_duration, p->r->seconds).at);
    summary_format(p, "at most %s false positives allowed", figure_text(figure_level, 1 - p->r->rule.confidence).at);
    if (t->invalid)
        buf_format(&p->piece, "%d session%s without a verdict left out", t->invalid, buf_plural(t->invalid));
    summary_part(p);
    flow_end(p);
}

/* Skipped, failed, or without a verdict. */
static void render_missing(struct page *p, const struct aa_row *x)
{
    const struct subject *s = &p->r->subjects[x->subject];
    if (x->tally.sessions && x->tally.invalid < x->tally.sessions)
        return;
    put_name(p, x->subject, name_columns(p, 1));
    buf_str(&p->piece, ": ");
    if (x->tally.sessions)
        buf_str(&p->piece, "no session reached a verdict");
    else
        put_text(p, s->failure ? s->failure : "no session was completed");
    flow_line(p, 2, HUE_DIM);
}

const char *error_rate_verdict(double low, double high, double allowed)
{
    return low > allowed ? "unfit" : high <= allowed ? "good" : "undecided";
}

int error_rate_trials(double level, double allowed)
{
    return (int)ceil(log(level / 2) / log1p(-allowed));
}

void render_error_rate(struct page *p, const char *errors, double low, double high, double allowed, const char *way_on)
{
    const bool unfit = low > allowed, good = high <= allowed;
    flow_begin(p, 2, 4);
    buf_format(&p->piece, "%s:", error_rate_verdict(low, high, allowed));
    flow_put_hued(p, "", unfit ? HUE_BAD : good ? HUE_GOOD : HUE_BOLD);
    buf_format(&p->piece, "%s (", errors);
    put_rates(p, low, high, allowed);
    buf_str(&p->piece, "), at most ");
    figure_level(&p->piece, allowed);
    buf_format(&p->piece, " allowed%s%s", good ? "" : "; ", unfit ? "do not trust verdicts on this machine" : good ? "" : way_on);
    flow_spread(p, " ", HUE_PLAIN);
    flow_end(p);
}

/* Of one among several, which the verdict does not name. */
static void render_warning(struct page *p, const struct aa_row *x)
{
    const struct estimate *e = share_of(p, x);
    if (!is_known(e) || !(e->low > 1 - p->r->rule.confidence))
        return;
    flow_warning(p, "false positives");
    put_name(p, x->subject, name_columns(p, 2));
    buf_str(&p->piece, ": more than allowed; do not trust verdicts about it on this machine");
    flow_rest(p);
}

/* Nothing where no session reached a verdict, which is said below. */
static void render_verdict(struct page *p, const struct aa_row *x, int benchmarks)
{
    const struct estimate *e = share_of(p, x);
    const double allowed = 1 - p->r->rule.confidence;
    const int n = x->tally.false_positives, of = x->tally.sessions - x->tally.invalid;
    char errors[80], way_on[80];
    if (!is_known(e) || !has_interval(e))
        return;
    buf_print(errors, sizeof errors, "%d of %d verdict%s %s", n, of, buf_plural(of),
              n == 1 ? "was a false positive" : "were false positives");
    if (n)
        buf_print(way_on, sizeof way_on, "more sessions would narrow this (--aa)");
    else
        buf_print(way_on, sizeof way_on, "--aa %d without a false positive would be enough",
                  (error_rate_trials(1 - e->confidence, allowed) - 1) / benchmarks + 1);
    render_error_rate(p, errors, e->low, e->high, allowed, way_on);
}

static void render_each_session(struct page *p, const struct aa_row *x)
{
    int number = 0;
    if (!x->tally.sessions)
        return;
    put_name(p, x->subject, name_columns(p, 1));
    flow_line(p, 0, HUE_BOLD);
    for (int i = 0; i < p->r->n_comparisons; i++)
        if (is_of(p->r, &p->r->comparisons[i], x->subject)) {
            flow_begin(p, 2, 17);
            buf_format(&p->piece, "session %-6d", ++number);
            flow_put_hued(p, "", HUE_DIM);
            put_answer(p, &p->r->comparisons[i]);
            flow_put(p, " ");
            const int rounds = rounds_of(p->r, &p->r->comparisons[i]);
            buf_format(&p->piece, "%d round%s", rounds, buf_plural(rounds));
            flow_put(p, ", ");
            if (p->r->comparisons[i].reason) {
                put_text(p, p->r->comparisons[i].reason);
                flow_spread(p, ", ", HUE_PLAIN);
            }
            flow_end(p);
        }
}

/* What is the first copy of itself; in *first the first of them. */
static int count_measured(const struct record *r, int *first)
{
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++)
        if (subject_measured(&r->subjects[i]) && record_first_copy(r, i) == i)
            *first = n++ ? *first : i;
    return n;
}

static void each_row(struct page *p, struct table *t, void (*put)(struct page *p, const struct aa_row *x))
{
    for (int i = 0; i < p->r->n_subjects; i++) {
        const struct aa_row row = {i, i, count_verdicts(p->r, i)};
        if (!subject_measured(&p->r->subjects[i]) || record_first_copy(p->r, i) != i)
            continue;
        if (t)
            add_row(t, &row);
        else
            put(p, &row);
    }
}

void render_against_itself(struct page *p)
{
    const struct table_column first[] = {
        {"against itself", SIDE_LEFT, 0}, {"sessions", SIDE_RIGHT, 5}, {"false positives", SIDE_LEFT, 0}};
    const struct table_column others[] = {{"same", SIDE_RIGHT, 3},
                                          {"undecided", SIDE_RIGHT, 4},
                                          {"ratio's CI", SIDE_RIGHT, 2},
                                          {"90 % power for", SIDE_RIGHT, 6},
                                          {"scatter of pairs", SIDE_RIGHT, p->o->verbosity > 0 ? 1 : TABLE_NEVER}};
    struct table t;
    int first_measured = 0;
    const int benchmarks = count_measured(p->r, &first_measured);
    const struct aa_row all = {benchmarks > 1 ? OF_ALL : first_measured, first_measured, count_verdicts(p->r, OF_ALL)};
    if (!p->r->n_comparisons)
        return;
    if (!record_kind(p->r)->own_commands) /* a host has a verdict of its own */
        render_verdict(p, &all, benchmarks);
    table_begin(&t, p, first, sizeof first / sizeof *first);
    table_column(&t, (struct table_column){interval_title(&t, "", ""), SIDE_LEFT, 0});
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        table_column(&t, others[i]);
    if (benchmarks > 1)
        add_row(&t, &all);
    each_row(p, &t, NULL);
    table_end(&t, 2);
    put_rounds(p, &all.tally);
    each_row(p, NULL, render_missing);
    if (benchmarks > 1)
        each_row(p, NULL, render_warning);
    if (p->o->verbosity > 0)
        each_row(p, NULL, render_each_session);
}
