/* SPDX-License-Identifier: MIT
 *
 * Name         Runs   Undisturbed   preempted              stolen               Not observed
 * quick          60   55 (91.7 %)   3 (5.0 %), 4.10 ms     2 (3.3 %), 812 µs    0
 *
 * What disturbed the runs, cause by cause, with the time that it took from all of them where that can be told apart, from the account of the runs. A run may
 * have several causes; one that waited unseen is not known to be undisturbed. */
#include "causes.h"
#include "html.h"
#include "record_kind.h"
#include "results.h"

enum { OPEN_MOST = 12 };

static const char *const cause_texts[] = {
#define CAUSE(name, bit, word, exogenous, text) text,
#include "cause.def"
};

struct noise {
    const struct record *r;
    int rows;
    uint32_t seen;
    bool timed;                 /* of one cause at least it is known how long it took */
    bool unseen, replaced, cut; /* cut: of rounds that are not complete */
};

/* NULL: there is no account of its runs. */
static const struct estimate *account(const struct record *r, int subject)
{
    return record_estimate(r, subject, "wall", "disturbed_runs");
}

/* Of all runs, where clean_median is of those behind the last interim analysis. */
static int undisturbed(const struct record *r, int subject)
{
    const struct rows_watched watched = rows_watched(r, subject);
    const int most = account(r, subject)->n, rows = r->series[subject].main.n;
    int found = 0;
    for (int i = 0; i < most && i < rows; i++)
        found += row_undisturbed(&watched, i);
    return found;
}

static bool has_time(const struct record *r, int subject, const struct cause *c)
{
    return results_account_runs(r, subject, c->word) > 0 && results_account(r, subject, c->word, "_ns") > 0;
}

static struct noise all_noise(const struct record *r)
{
    struct noise n = {.r = r};
    for (int i = 0; i < r->n_subjects; i++) {
        if (!account(r, i))
            continue;
        n.rows++;
        for (int k = 0; cause_at(k); k++) {
            n.seen |= results_account_runs(r, i, cause_at(k)->word) > 0 ? cause_at(k)->bit : 0;
            n.timed |= has_time(r, i, cause_at(k));
        }
        n.unseen |= results_account_runs(r, i, "unseen") > 0;
        n.replaced |= r->series[i].replaced.n > 0;
        n.cut |= account(r, i)->n < r->series[i].main.n;
    }
    return n;
}

static void put_runs(struct buf *b, double runs, int of)
{
    buf_format(b, "<td>%.0f", runs);
    if (runs > 0)
        buf_format(b, " (%s)", figure_text(figure_share, runs / of).at);
}

static void put_cause(struct buf *b, const struct record *r, int subject, const struct cause *c)
{
    put_runs(b, results_account_runs(r, subject, c->word), account(r, subject)->n);
    if (has_time(r, subject, c))
        buf_format(b, ", %s", scaled_text("ns", results_account(r, subject, c->word, "_ns")).at);
    buf_str(b, "</td>");
}

static void put_column(struct buf *b, const char *title)
{
    buf_format(b, "<th scope=\"col\">%s</th>", title);
}

static void put_head(struct buf *b, const struct noise *n)
{
    buf_format(b,
               "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"What disturbed the %s\">\n"
               "<table class=\"list noise\"><thead><tr>",
               record_rows_word(n->r, 2));
    put_column(b, "Name");
    put_column(b, record_kind(n->r)->processes ? "Processes" : "Runs");
    put_column(b, "Undisturbed");
    for (int i = 0; cause_at(i); i++)
        if (n->seen & cause_at(i)->bit)
            put_column(b, cause_at(i)->word);
    if (n->unseen)
        put_column(b, "Not observed");
    if (n->replaced)
        put_column(b, "Repeated");
    buf_str(b, "</tr></thead><tbody>\n");
}

static void put_row(struct buf *b, const struct noise *n, int subject)
{
    const int runs = account(n->r, subject)->n;
    buf_str(b, "<tr><td>");
    svg_text(b, n->r->subjects[subject].name, 200);
    buf_format(b, "</td><td>%d</td>", runs);
    put_runs(b, undisturbed(n->r, subject), runs);
    buf_str(b, "</td>");
    for (int i = 0; cause_at(i); i++)
        if (n->seen & cause_at(i)->bit)
            put_cause(b, n->r, subject, cause_at(i));
    if (n->unseen) {
        put_runs(b, results_account_runs(n->r, subject, "unseen"), runs);
        buf_str(b, "</td>");
    }
    if (n->replaced)
        buf_format(b, "<td>%d</td>", n->r->series[subject].replaced.n);
    buf_str(b, "</tr>\n");
}

static void put_legend(struct buf *b, const struct noise *n)
{
    buf_str(b, "<p class=\"soft\">");
    for (int i = 0; cause_at(i); i++)
        if (n->seen & cause_at(i)->bit) {
            buf_format(b, "<b>%s</b>: ", cause_at(i)->word);
            html_words(b, cause_texts[i]);
            buf_format(b, "%s; ",
                       causes_exogenous() & cause_at(i)->bit ? "" : " (it may be the program itself: not counted as disturbed)");
        }
    if (n->unseen)
        buf_str(b, "<b>Not observed</b>: whether they waited for a CPU is not known, so they are not counted as undisturbed; ");
    const char *run = record_rows_word(n->r, 1), *runs = record_rows_word(n->r, 2);
    buf_format(b, "a %s may have several causes%s%s.%s", run, n->timed ? "; times are sums over all " : "", n->timed ? runs : "",
               n->cut ? " Rounds that are not complete are left out." : "");
    if (n->r->rule.on_dirty == DIRTY_FLAG)
        buf_format(b, " Disturbed %s count as the others do.", runs);
    buf_str(b, "</p>\n");
}

bool html_has_noise(const struct record *r)
{
    return all_noise(r).rows > 0;
}

void html_noise(struct export_out *out, const struct record *r)
{
    const struct noise n = all_noise(r);
    if (!n.rows)
        return;
    buf_format(&out->text, "<details%s><summary><h2>What disturbed the %s</h2></summary>\n", n.rows <= OPEN_MOST ? " open" : "",
               record_rows_word(r, 2));
    if (!n.seen && !n.unseen && !n.replaced) {
        buf_format(&out->text,
                   "<p>Nothing that tare observes: no %s waited for a CPU, was moved to another, or is an outlier without a "
                   "reason.</p></details>\n",
                   record_rows_word(r, 1));
        return;
    }
    put_head(&out->text, &n);
    for (int i = 0; i < r->n_subjects; i++)
        if (account(r, i)) {
            put_row(&out->text, &n, i);
            export_out_pass(out);
        }
    buf_str(&out->text, "</tbody></table></div>\n");
    put_legend(&out->text, &n);
    buf_str(&out->text, "</details>\n");
}
