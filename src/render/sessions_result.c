/* SPDX-License-Identifier: MIT
 *
 *     command  mean of medians  95 % CI      between sessions  vs ./old
 *     ./old           12.34 ms  12.29–12.39             0.4 %  reference
 *     ./new           12.60 ms  12.50–12.69             0.5 %  2.1 % slower (1.6–2.6)
 *     6 sessions, 2026-11-21T10:00:00Z to 2026-11-21T15:00:09Z
 *
 * Of a fleet the sessions are its nodes, and what they differ by follows. Of benchmarks the table is that of tare bench.
 */
#include "layout.h"
#include "record_kind.h"
#include "utc.h"
#include <math.h>
#include <string.h>

enum { SESSIONS_ADVISED = 6 };

/* What the rows of the record are: of a fleet nodes, or where all were on one machine, blocks on it. */
static const char *row_word(const struct page *p)
{
    const double hosts = facts_number(&p->r->build, "fleet_hosts");
    return hosts > 1 ? "node" : hosts == 1 ? "block" : "session";
}

/* "vs './old'" where all are compared with one. */
static const char *answer_title(struct table *t)
{
    struct page *p = t->p;
    const struct record *r = p->r;
    bool one = true;
    for (int i = 1; i < r->n_comparisons; i++)
        one &= r->comparisons[i].reference == r->comparisons[0].reference;
    buf_str(&p->piece, "vs ");
    if (one)
        put_short_name(p, r->comparisons[0].reference, name_columns(p, 3));
    else
        buf_str(&p->piece, "its reference");
    return table_text(t);
}

static void session_row(struct table *t, int subject)
{
    struct page *p = t->p;
    const struct estimate *mean = record_known(p->r, subject, p->r->rule.metric, "mean"),
                          *sd = record_known(p->r, subject, p->r->rule.metric, "stddev");
    const struct comparison *c = record_comparison(p->r, subject, p->r->rule.metric);
    const struct unit u = metric_unit(p, p->r->rule.metric);
    put_short_name(p, subject, name_columns(p, 2));
    table_cell(t);
    put_point(p, mean, u);
    if (mean)
        unit_put(&p->piece, u);
    table_cell(t);
    if (mean && has_interval(mean) && mean->low == mean->high)
        buf_str(&p->piece, exact_word(p, mean));
    else if (mean && has_interval(mean))
        figure_range(&p->piece, mean->low, mean->high, u, estimate_decimals(mean, u));
    table_cell(t);
    if (sd && mean && mean->point > 0)
        figure_share(&p->piece, sd->point / mean->point);
    table_cell(t);
    if (c)
        put_answer(p, c);
    else
        buf_str(&p->piece, role_of(p->r, subject));
    table_cell(t);
}

static void render_table(struct page *p)
{
    struct table t;
    table_begin(&t, p, (const struct table_column[]){{"command", SIDE_LEFT, 0}, {"mean of medians", SIDE_RIGHT, 0}}, 2);
    table_column(&t, (struct table_column){interval_title(&t, "", ""), SIDE_RIGHT, 0});
    buf_format(&p->piece, "between %ss", row_word(p));
    table_titled(&t, SIDE_RIGHT, 1);
    if (p->r->n_comparisons)
        table_column(&t, (struct table_column){answer_title(&t), SIDE_LEFT, 0});
    else
        table_column(&t, (struct table_column){"", SIDE_LEFT, TABLE_NEVER});
    for (int i = 0; i < p->r->n_subjects; i++)
        if (record_estimate(p->r, i, p->r->rule.metric, "mean"))
            session_row(&t, i);
    table_end(&t, 2);
}

struct second { /* "2026-11-21T10:00:00" */
    char at[40];
};

static struct second time_of(const struct page *p, int row)
{
    struct second s;
    struct buf b = buf_over(s.at, sizeof s.at);
    utc_text(&b, p->r->start_utc_ns + p->r->series[0].main.start_ns[row]);
    s.at[strcspn(s.at, ".")] = 0;
    return s;
}

/* The row that began first, or last. Sessions are in that order, whatever their clock said; nodes are not. */
static int row_in_time(const struct page *p, bool last)
{
    const struct rows *rows = &p->r->series[0].main;
    int at = 0;
    if (!facts_find(&p->r->build, "fleet_hosts"))
        return last ? p->r->sessions - 1 : 0;
    for (int i = 1; i < p->r->sessions && i < rows->n; i++)
        if (last ? rows->start_ns[i] > rows->start_ns[at] : rows->start_ns[i] < rows->start_ns[at])
            at = i;
    return at;
}

/* Where the fact counts any of them. */
static void warn_of_some(struct page *p, const char *fact, const char *label, const char *before, const char *after)
{
    const double n = facts_number(&p->r->before, fact);
    if (!(n > 0))
        return;
    flow_warning(p, label);
    buf_format(&p->piece, "%s%.0f of %d %ss%s", before, n, p->r->sessions, row_word(p), after);
    flow_rest(p);
}

/* what: more about leaks, else "". */
static void render_basis(struct page *p, const char *what)
{
    const int n = p->r->sessions;
    flow_begin(p, 2, 4);
    const char *word = row_word(p);
    buf_format(&p->piece, "%d %s%s%s, ", n, word, buf_plural(n), *word == 'b' ? " on one machine" : "");
    const struct second first = time_of(p, row_in_time(p, false)), last = time_of(p, row_in_time(p, true));
    buf_format(&p->piece, "%sZ", first.at);
    if (n > 1)
        buf_format(&p->piece, strcmp(first.at, last.at) ? " to %sZ" : ", all begun within a second", last.at);
    summary_part(p);
    if (strcmp(p->r->rule.metric, "wall") != 0 && !record_kind(p->r)->targets && !record_kind(p->r)->processes)
        put_title(p, p->r->rule.metric, 0);
    summary_part(p);
    const bool explains = p->o->verbosity > 0 && n > 1;
    if (explains)
        buf_format(&p->piece, "Student t over %ss%s", word, what);
    if (explains && !*what && p->r->n_comparisons)
        buf_format(&p->piece, "; ratios: mean of the %ss' Hodges-Lehmann shifts", word);
    summary_part(p);
    flow_end(p);
    warn_of_some(p, "sessions_beside_tare", "other tare", "another tare measured at the same time as ",
                 "; measure one after the other");
    warn_of_some(p, "sessions_by_another_version", "two versions", "",
                 " were measured by another version of tare than the first; use one version");
    if (n < 2 || n >= SESSIONS_ADVISED)
        return;
    char label[16];
    buf_print(label, sizeof label, "few %ss", word);
    flow_warning(p, label);
    buf_format(&p->piece, "the intervals assume that %ss vary normally%s; make %d or more", word,
               n == 2 ? ", and with two they are very wide, and by chance sometimes narrow" : "", SESSIONS_ADVISED);
    flow_rest(p);
}

/* Of a fleet: hosts that are none of its class. */
static void render_excluded(struct page *p)
{
    char key[40];
    for (int i = 1;; i++) {
        struct buf name = buf_over(key, sizeof key);
        buf_format(&name, "fleet_excluded_%d", i);
        const char *text = facts_text(&p->r->build, key);
        if (!text)
            return;
        flow_warning(p, "excluded");
        put_text(p, text);
        flow_rest(p);
    }
}

/* "0.41 % beyond errors of measurement (tau), 63 % of the variance (I2)" */
static void put_between(struct page *p, const struct comparison *c)
{
    const double tau = record_point(p->r, c->subject, c->metric, STATISTIC_OF_TAU),
                 share = record_point(p->r, c->subject, c->metric, STATISTIC_OF_SHARE);
    if (isnan(tau)) {
        buf_str(&p->piece, "what is measurement error is not known");
        return;
    }
    if (c->kind == METRIC_COUNT)
        figure_scaled(&p->piece, base_unit(p->r, c->metric), tau, 3);
    else
        figure_share(&p->piece, tau);
    buf_format(&p->piece, " beyond errors of measurement (tau), %s of the variance (I2)", figure_text(figure_share, share).at);
}

/* "another node: 2.1 % slower (1.0–3.2), 95 %"; nothing below the fewest that predict one. */
static void put_another(struct page *p, const struct comparison *c)
{
    const struct estimate *e = record_estimate(p->r, c->subject, c->metric, STATISTIC_OF_ANOTHER);
    if (!e || !isfinite(e->low) || !isfinite(e->high))
        return;
    struct comparison another = *c;
    another.low = e->low;
    another.high = e->high;
    another.verdict = e->low > 0 || e->high < 0 ? c->verdict : VERDICT_UNDECIDED;
    buf_format(&p->piece, "another %s: ", row_word(p));
    verdict_put_effect(&p->piece, p->r, &another);
    const double digits = pow(10, 2 - floor(log10(e->level))); /* 98.33 %, of a level that is shared by three */
    buf_format(&p->piece, ", %s", figure_text(figure_level, 1 - round(e->level * digits) / digits).at);
}

static bool is_bounded(const struct comparison *c)
{
    return isfinite(c->low) && isfinite(c->high);
}

/* Of many benchmarks the one with the largest tau; -1: of none it is known. */
static int widest(const struct page *p)
{
    int found = -1;
    double most = -1;
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const struct comparison *c = &p->r->comparisons[i];
        const double tau = c->kind == METRIC_COUNT ? NAN : record_point(p->r, c->subject, c->metric, STATISTIC_OF_TAU);
        if (is_bounded(c) && tau > most) {
            found = i;
            most = tau;
        }
    }
    return found;
}

/* Of a fleet: how far the nodes differ, and what is then to be expected of another one. */
static void render_nodes(struct page *p)
{
    const bool briefly = record_kind(p->r)->processes && p->r->n_comparisons > 1 && p->o->verbosity < 1;
    const int one = briefly ? widest(p) : -1;
    for (int i = 0; i < p->r->n_comparisons && facts_find(&p->r->build, "fleet_hosts"); i++) {
        const struct comparison *c = &p->r->comparisons[i];
        if (!is_bounded(c) || (briefly && i != one))
            continue;
        flow_begin(p, 2, 4);
        if (p->r->n_comparisons > 1 && !briefly) {
            put_name(p, c->subject, name_columns(p, 2));
            buf_char(&p->piece, ' ');
        }
        buf_format(&p->piece, "between %ss", row_word(p));
        if (briefly) {
            buf_str(&p->piece, " (most: ");
            put_name(p, c->subject, name_columns(p, 2));
            buf_char(&p->piece, ')');
        }
        buf_str(&p->piece, ": ");
        put_between(p, c);
        summary_part(p);
        put_another(p, c);
        summary_part(p);
        buf_str(&p->piece, briefly ? "each with -v" : "");
        summary_part(p);
        flow_end(p);
    }
}

static void render_reasons(struct page *p)
{
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const struct comparison *c = &p->r->comparisons[i];
        if (!c->reason)
            continue;
        put_name(p, c->subject, name_columns(p, 1));
        buf_str(&p->piece, ": ");
        put_text(p, c->reason);
        flow_line(p, 2, HUE_DIM);
    }
}

void render_sessions(const struct record *over, const struct render_options *o, struct buf *out)
{
    struct page p = page_over(over, o, out);
    if (record_kind(over)->targets) {
        buf_str(&p.piece, "All sessions together");
        flow_line(&p, 0, HUE_BOLD);
        render_leaks(&p);
        render_basis(&p, "; one level for all sizes of a target together; evidence of independent sessions multiplies");
    } else if (record_kind(over)->processes) {
        render_benchmarks(&p);
        render_basis(&p, "");
        render_excluded(&p);
        render_nodes(&p);
    } else {
        render_table(&p);
        render_basis(&p, "");
        render_excluded(&p);
        render_nodes(&p);
        render_reasons(&p);
    }
    page_finish(&p);
}
