/* SPDX-License-Identifier: MIT
 *
 * Command      runs   undisturbed   preempted              stolen
 * quick          60   55 (91.7 %)   3 (5.0 %), 4.10 ms     2 (3.3 %), 812 µs
 *
 * What disturbed the runs, cause by cause, with the time that it took from them where that can be told apart. A run may have several causes. */
#include "causes.h"
#include "html.h"

enum { OPEN_MOST = 12 };

static const char *const cause_texts[] = {
#define CAUSE(name, bit, word, exogenous, text) text,
#include "cause.def"
#undef CAUSE
};

static bool has_row(const struct record *r, int subject)
{
    return subject_measured(&r->subjects[subject]) && r->series[subject].main.n;
}

static int runs_with(const struct rows *rows, uint32_t bits)
{
    int n = 0;
    for (int i = 0; i < rows->n; i++)
        n += (rows->flags[i] & bits) != 0;
    return n;
}

static void put_runs(struct buf *b, int n, int of)
{
    buf_format(b, "<td>%d", n);
    if (n)
        buf_format(b, " (%.1f %%)", 100.0 * n / of);
}

static void put_cause(struct buf *b, const struct series *s, const struct cause *c)
{
    const char *name = cause_column(c);
    const int at = name ? series_column(s, name) : -1;
    double ns = 0;
    put_runs(b, runs_with(&s->main, c->bit), s->main.n);
    for (int i = 0; at >= 0 && i < s->main.n; i++)
        if ((s->main.flags[i] & c->bit) && isfinite(s->main.value[at][i]))
            ns += s->main.value[at][i];
    if (ns > 0) {
        buf_str(b, ", ");
        figure_scaled(b, "ns", ns, FIGURE_DIGITS);
    }
    buf_str(b, "</td>");
}

static void head(struct buf *b, uint32_t seen, bool replaced)
{
    buf_str(b, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"What disturbed the runs\">\n"
               "<table class=\"list noise\"><thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Runs</th><th "
               "scope=\"col\">Undisturbed</th>");
    for (int i = 0; cause_at(i); i++)
        if (seen & cause_at(i)->bit)
            buf_format(b, "<th scope=\"col\">%s</th>", cause_at(i)->word);
    buf_format(b, "%s</tr></thead><tbody>\n", replaced ? "<th scope=\"col\">Made again</th>" : "");
}

static void row(struct buf *b, const struct record *r, int subject, uint32_t seen, bool replaced)
{
    const struct series *s = &r->series[subject];
    buf_str(b, "<tr><td>");
    svg_text(b, r->subjects[subject].name, 200);
    buf_format(b, "</td><td>%d</td>", s->main.n);
    put_runs(b, s->main.n - runs_with(&s->main, causes_all()), s->main.n);
    buf_str(b, "</td>");
    for (int i = 0; cause_at(i); i++)
        if (seen & cause_at(i)->bit)
            put_cause(b, s, cause_at(i));
    if (replaced)
        buf_format(b, "<td>%d</td>", s->replaced.n);
    buf_str(b, "</tr>\n");
}

static void legend(struct buf *b, uint32_t seen)
{
    buf_str(b, "<p class=\"soft\">");
    for (int i = 0, n = 0; cause_at(i); i++)
        if (seen & cause_at(i)->bit)
            buf_format(b, "%s<b>%s</b>: %s", n++ ? "; " : "", cause_at(i)->word, cause_texts[i]);
    buf_str(b, ". Times are sums over these runs.</p>\n");
}

void html_noise(struct export_out *out, const struct record *r)
{
    uint32_t seen = 0;
    bool account = false, replaced = false;
    int rows = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        if (!has_row(r, i))
            continue;
        rows++;
        for (int k = 0; cause_at(k); k++)
            seen |= runs_with(&r->series[i].main, cause_at(k)->bit) ? cause_at(k)->bit : 0;
        account = account || series_has_account(&r->series[i]);
        replaced = replaced || r->series[i].replaced.n > 0;
    }
    if (!seen && !account)
        return;
    buf_format(&out->text, "<details%s><summary><h2>What disturbed the runs</h2></summary>\n", rows <= OPEN_MOST ? " open" : "");
    if (!seen && !replaced) {
        buf_str(&out->text, "<p>Nothing that tare observes: no run waited for a CPU, was moved to another, or is an outlier "
                            "without a reason.</p></details>\n");
        return;
    }
    head(&out->text, seen, replaced);
    for (int i = 0; i < r->n_subjects; i++)
        if (has_row(r, i)) {
            row(&out->text, r, i, seen, replaced);
            export_out_pass(out);
        }
    buf_str(&out->text, "</tbody></table></div>\n");
    if (seen)
        legend(&out->text, seen);
    buf_str(&out->text, "</details>\n");
}
