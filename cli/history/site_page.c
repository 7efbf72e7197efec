/* SPDX-License-Identifier: MIT */
#include "history_words.h"
#include "html.h"
#include "site.h"
#include <math.h>

enum { TEXT_MOST = 4000, NEWEST = 10 };

static void scripts(struct buf *b, const struct site *site)
{
    if (site->charts)
        buf_str(b, "<link rel=\"stylesheet\" href=\"uPlot.min.css\">\n<script defer src=\"uPlot.min.js\"></script>\n"
                   "<script defer src=\"commits.js\"></script>\n");
    buf_str(b, "<link rel=\"stylesheet\" href=\"style.css\">\n<script defer src=\"site.js\"></script>\n");
}

void site_head(struct buf *b, const struct site *site, const char *title, const char *class)
{
    html_open(b, title);
    scripts(b, site);
    buf_str(b, "<link rel=\"alternate\" type=\"application/atom+xml\" title=\"Confirmed changes\" href=\"feed.xml\">\n");
    buf_format(b, "</head>\n<body class=\"%s\">\n<main>\n", class);
}

void site_benchmark(struct buf *b, const struct history_series *s)
{
    site_put(b, *s->arguments ? "% %" : "%", s->benchmark, s->arguments);
}

static void newest(struct buf *b, const struct site *site, const struct site_series *x)
{
    const struct history_view *v = x->v;
    buf_format(
        b,
        "<details><summary>Newest results</summary>\n<div class=\"wide\" tabindex=\"0\"><table>\n<tr><th>Commit</th><th>Date</th>"
        "<th>%s</th><th>Interval</th><th>Runs</th></tr>\n",
        x->s->anchor ? "Ratio" : "Median");
    for (int i = v->n - 1; i >= 0 && i >= v->n - NEWEST; i--) {
        const struct view_point *p = &v->points[i];
        buf_str(b, "<tr><td>");
        site_commit(b, site, v, p->position, true);
        buf_str(b, "</td><td>");
        site_date(b, site_time_s(site, v, p->position));
        buf_str(b, "</td><td>");
        history_put_value(b, &x->escaped, p->value, p->low, p->high);
        buf_str(b, "</td><td>");
        history_put_interval(b, &x->escaped, p);
        buf_format(b, "</td><td>%d</td></tr>\n", p->n);
    }
    buf_str(b, "</table></div></details>\n");
}

static void levels(struct buf *b, const struct site_series *x, const struct view_change *c)
{
    const struct unit u = history_unit(&x->escaped, fmax(fabs(c->before), fabs(c->after)));
    const int decimals = figure_decimals(c->after / u.factor, fabs(c->after - c->before) / u.factor / 5);
    figure_put(b, c->before / u.factor, decimals);
    buf_str(b, " → ");
    figure_with(b, c->after, u, decimals);
}

static void said(struct buf *b, const struct view_change *c)
{
    const struct history_event *e = c->said;
    if (c->undone)
        buf_str(b, "a later confirmed change takes it back");
    if (!e)
        return;
    const bool noted = e->note && *e->note;
    buf_str(b, c->undone && noted ? "; " : "");
    if (noted)
        html_attribute(b, e->note, TEXT_MOST);
    if (e->who && *e->who && (noted || e->kind > HISTORY_REFUTED)) /* that tare has measured it the state says */
        site_put(b, noted ? " (%)" : "(%)", e->who);
}

static const char *mark_of(const struct view_change *c)
{
    return c->state == CHANGE_NOMINATED ? "◇" : c->state != CHANGE_CONFIRMED ? "□" : c->ratio > (c->low < 0 ? 0 : 1) ? "▲" : "▼";
}

static void change_row(struct buf *b, const struct site *site, const struct site_series *x, const struct view_change *c)
{
    const int position = x->v->points[c->at].position;
    buf_format(b, "<tr><td class=\"%s\">%s ", site_change_class(c), mark_of(c));
    history_put_state(b, c);
    buf_str(b, "</td><td>");
    site_effect(b, x, c);
    buf_str(b, "</td><td>");
    levels(b, x, c);
    buf_str(b, "</td><td>");
    site_date(b, site_time_s(site, x->v, position));
    buf_str(b, "</td><td class=\"text\">");
    site_where(b, site, x->v, c, true);
    if (site->line && *site->line->commits[position].subject) {
        buf_str(b, c->from < c->to ? "; most likely " : ": ");
        if (c->from < c->to) {
            site_commit(b, site, x->v, position, true);
            buf_str(b, ": ");
        }
        site_put(b, "%", site->line->commits[position].subject);
    }
    buf_str(b, "</td><td class=\"text\">");
    said(b, c);
    buf_str(b, "</td></tr>\n");
}

static void changes(struct buf *b, const struct site *site, const struct site_series *x)
{
    if (!x->v->n_changes)
        return;
    buf_str(b, "<div class=\"wide\" tabindex=\"0\"><table>\n<tr><th>Change</th><th>Effect</th><th>Levels</th><th>Date</th>"
               "<th class=\"text\">Location</th><th class=\"text\">Notes</th></tr>\n");
    for (int i = x->v->n_changes - 1; i >= 0; i--)
        change_row(b, site, x, &x->v->changes[i]);
    buf_str(b, "</table></div>\n");
    for (int i = 0; i < x->v->n_changes; i++)
        if (change_open(&x->v->changes[i]) && x->v->changes[i].state == CHANGE_NOMINATED) {
            buf_str(b,
                    "<p class=\"soft\">Nominated: seen in the results so far. <code>tare history check --confirm</code> measures "
                    "both commits again, which confirms or refutes it.</p>\n");
            break;
        }
}

static void facts(struct buf *b, const struct history_series *s)
{
    const struct {
        const char *name, *value;
    } all[] = {{"machine class", s->class}, {"version", s->version}, {"series", s->id}};
    buf_str(b, "<p class=\"soft\">");
    const char *before = "";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].value && *all[i].value) {
            buf_str(b, before);
            site_put(b, "% %", all[i].name, all[i].value);
            before = " · ";
        }
    buf_str(b, "</p>\n");
}

static void section(struct buf *b, const struct site *site, const struct site_series *x)
{
    site_put(b, "<section id=\"%\">\n<h2>", x->s->id);
    site_metric(b, x);
    site_put(b, *x->s->class ? " <small>%</small>" : "", x->s->class);
    buf_str(b, "</h2>\n<p>");
    site_sentence(b, x);
    buf_str(b, ".</p>\n");
    site_chart(b, site, x);
    site_data(b, site, x);
    changes(b, site, x);
    if (x->v->n)
        newest(b, site, x);
    facts(b, x->s);
    buf_str(b, "</section>\n");
}

/* As the index: what became worse first; else as in the history. */
void site_page(struct buf *b, const struct site *site, const struct site_series *series, int n)
{
    struct buf title = BUF_INIT(1 << 16);
    buf_format(&title, "%s%s%s", series->s->benchmark, *series->s->arguments ? " " : "", series->s->arguments);
    site_head(b, site, buf_text(&title), "page");
    buf_finish(&title);
    site_put(b, "<nav><a href=\"index.html\">%</a></nav>\n<h1>", site->title);
    site_benchmark(b, series->s);
    buf_str(b, "</h1>\n");
    for (int state = 0; state < N_SITE_STATES; state++)
        for (int i = 0; i < n; i++)
            if ((int)site_state(series[i].v) == state)
                section(b, site, &series[i]);
    buf_str(b, "</main>\n");
    html_foot(b);
}
