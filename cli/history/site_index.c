/* SPDX-License-Identifier: MIT */
#include "history_words.h"
#include "html.h"
#include "quote.h"
#include "sha2.h"
#include "site.h"
#include "utc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 4000, NEWEST = 10 };

static void put_scripts(struct buf *b, const struct site *site)
{
    if (site->charts)
        buf_str(b, "<link rel=\"stylesheet\" href=\"uPlot.min.css\">\n<script defer src=\"uPlot.min.js\"></script>\n"
                   "<script defer src=\"commits.js\"></script>\n");
    buf_str(b, "<link rel=\"stylesheet\" href=\"style.css\">\n<script defer src=\"site.js\"></script>\n");
}

static void site_head(struct buf *b, const struct site *site, const char *title, const char *class)
{
    html_open(b, title);
    put_scripts(b, site);
    buf_str(b, "<link rel=\"alternate\" type=\"application/atom+xml\" title=\"Confirmed changes\" href=\"feed.xml\">\n");
    buf_format(b, "</head>\n<body class=\"%s\">\n<main>\n", class);
}

/* "sort n=1000", escaped */
static void site_benchmark(struct buf *b, const struct history_series *s)
{
    site_put(b, *s->arguments ? "% %" : "%", s->benchmark, s->arguments);
}

static void put_newest(struct buf *b, const struct site *site, const struct site_series *x)
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

static void put_levels(struct buf *b, const struct site_series *x, const struct view_change *c)
{
    const struct unit u = history_unit(&x->escaped, fmax(fabs(c->before), fabs(c->after)));
    const int decimals = figure_decimals(c->after / u.factor, fabs(c->after - c->before) / u.factor / 5);
    figure_put(b, c->before / u.factor, decimals);
    buf_str(b, " → ");
    figure_with(b, c->after, u, decimals);
}

static void put_said(struct buf *b, const struct site_series *x, const struct view_change *c)
{
    const struct history_event *e = c->said;
    if (c->undone)
        buf_str(b, "a later confirmed change takes it back");
    if (!e)
        return;
    const bool noted = e->note && *e->note;
    struct buf found = BUF_INIT(1 << 12);
    history_put_measured(&found, &x->escaped, e);
    buf_str(b, c->undone && (noted || found.len) ? "; " : "");
    if (found.len)
        buf_format(b, "measured again%s%s", buf_text(&found), noted ? "; " : "");
    buf_finish(&found);
    if (noted)
        html_attribute(b, e->note, TEXT_MOST);
    if (e->who && *e->who && (noted || e->kind > HISTORY_REFUTED)) /* that tare has measured it the state says */
        site_put(b, noted ? " (%)" : "(%)", e->who);
}

static const char *mark_of(const struct view_change *c)
{
    return c->state == CHANGE_NOMINATED         ? "◇"
           : c->state != CHANGE_CONFIRMED       ? "□"
           : c->ratio > (c->difference ? 0 : 1) ? "▲"
                                                : "▼";
}

/* "between 1a2b3c4 and 9f8e7d6 (3 commits)", "in 9f8e7d6": the last commit without the change and the first that has it; links where `links`. */
static void site_where(struct buf *b, const struct site *site, const struct history_view *v, const struct view_change *c,
                       bool links)
{
    const int n = c->commits;
    if (n <= 1 || !c->from) {
        buf_str(b, n <= 1 ? "in " : "up to ");
        site_commit(b, site, v, c->to, links);
    } else {
        buf_str(b, "between ");
        site_commit(b, site, v, c->from - 1, links);
        buf_str(b, " and ");
        site_commit(b, site, v, c->to, links);
    }
    if (n > 1)
        buf_format(b, " (%d %s)", n, site->line ? "commits" : "measured revisions");
}

static bool has_notes(const struct site_series *x)
{
    struct buf said = BUF_INIT(1 << 16);
    for (int i = 0; i < x->v->n_changes; i++)
        put_said(&said, x, &x->v->changes[i]);
    const bool any = said.len > 0;
    buf_finish(&said);
    return any;
}

static void change_row(struct buf *b, const struct site *site, const struct site_series *x, const struct view_change *c,
                       bool notes)
{
    const int position = x->v->points[c->at].position;
    buf_format(b, "<tr><td class=\"%s\">%s ", site_change_class(c), mark_of(c));
    history_put_state(b, c);
    buf_str(b, "</td><td>");
    site_effect(b, x, c);
    buf_str(b, "</td><td>");
    put_levels(b, x, c);
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
    if (notes) {
        buf_str(b, "</td><td class=\"text\">");
        put_said(b, x, c);
    }
    buf_str(b, "</td></tr>\n");
}

static void put_way_on(struct buf *b, const struct site *site, const struct site_series *x)
{
    const struct view_change *c = x->v->changes, *end = c + x->v->n_changes;
    while (c < end && !(change_open(c) && c->state == CHANGE_NOMINATED))
        c++;
    if (c == end)
        return;
    const bool imported = site->imported && site->imported[x->v->points[c->last].last];
    struct buf class = BUF_INIT(1 << 12);
    if (*x->s->class) {
        buf_str(&class, " --class ");
        quote_word(&class, x->s->class, true);
    }
    buf_str(b, "<p class=\"soft\">Nominated: seen in the results so far. <code>tare history ");
    site_put(b, imported ? "bisect% % -- run COMMAND" : "check --confirm%", buf_text(&class), x->s->id);
    buf_str(b, "</code> measures both commits again, which confirms or refutes it.</p>\n");
    buf_finish(&class);
}

static void put_changes(struct buf *b, const struct site *site, const struct site_series *x)
{
    if (!x->v->n_changes)
        return;
    const bool notes = has_notes(x);
    buf_format(b,
               "<div class=\"wide\" tabindex=\"0\"><table>\n<tr><th>Change</th><th>Effect</th><th>Levels</th><th>Date</th>"
               "<th class=\"text\">Location</th>%s</tr>\n",
               notes ? "<th class=\"text\">Notes</th>" : "");
    bool measured = false;
    for (int i = x->v->n_changes - 1; i >= 0; i--) {
        change_row(b, site, x, &x->v->changes[i], notes);
        measured |= x->v->changes[i].measured;
    }
    buf_str(b, "</table></div>\n");
    if (measured)
        html_element(b, "p class=\"soft\"",
                     "Of a change that was confirmed, the effect is that of the new measurement of both commits, the levels are "
                     "those of the results.");
    put_way_on(b, site, x);
}

static void put_facts(struct buf *b, const struct history_series *s)
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

static void put_section(struct buf *b, const struct site *site, const struct site_series *x)
{
    site_put(b, "<section id=\"%\">\n<h2>", x->s->id);
    site_metric(b, x);
    site_put(b, *x->s->class ? " <small>%</small>" : "", x->s->class);
    buf_str(b, "</h2>\n<p>");
    site_sentence(b, x);
    buf_str(b, ".</p>\n");
    site_chart(b, site, x);
    site_data(b, site, x);
    put_changes(b, site, x);
    if (x->v->n)
        put_newest(b, site, x);
    put_facts(b, x->s);
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
                put_section(b, site, &series[i]);
    buf_str(b, "</main>\n");
    html_foot(b);
}

/* Its interval is not broken between two lines. */
static void put_card_effect(struct buf *b, const struct site_series *x, const struct view_change *c)
{
    struct buf effect = BUF_INIT(1 << 16);
    site_effect(&effect, x, c);
    const char *text = buf_text(&effect), *interval = strchr(text, '(');
    buf_format(b, "%.*s", (int)(interval ? interval - text : (ptrdiff_t)effect.len), text);
    if (interval)
        buf_format(b, "<span class=\"interval\">%s</span>", interval);
    buf_finish(&effect);
}

static void put_card(struct buf *b, const struct site *site, const struct site_series *x, const char *page)
{
    const struct view_change *c = site_change(x->v);
    const enum site_state state = site_state(x->v);
    site_put(b, " href=\"%#%\"><b>", page, x->s->id);
    site_benchmark(b, x->s);
    buf_str(b, "</b><span class=\"soft\">");
    site_metric(b, x);
    site_put(b, *x->s->class ? " · %</span>" : "</span>", x->s->class);
    site_sparkline(b, x->v);
    buf_str(b, "<span class=\"now\">");
    const struct view_point *p = x->v->n ? &x->v->points[x->v->n - 1] : NULL;
    if (p)
        history_put_value(b, &x->escaped, p->value, p->low, p->high);
    buf_str(b, "</span><span class=\"what\">");
    if (c && state != SITE_DRIFT) {
        put_card_effect(b, x, c);
        buf_str(b, "</span><span class=\"soft\">");
        history_put_state(b, c);
        buf_str(b, ", ");
        site_where(b, site, x->v, c, false);
    } else {
        site_brief(b, x);
    }
    buf_str(b, "</span></a>");
}

/* A name that stays: of the series and the commit, as a UUID of version 8. */
static void put_id(struct buf *b, const char *series, const char *revision)
{
    struct sha256 hash = sha256_begin();
    char h[SHA256_TEXT];
    sha256_add(&hash, series, strlen(series) + 1);
    sha256_add(&hash, revision, strlen(revision) + 1);
    sha256_text(&hash, h);
    buf_format(b, "urn:uuid:%.8s-%.4s-8%.3s-a%.3s-%.12s", h, h + 8, h + 13, h + 17, h + 20);
}

static void put_entry(struct buf *b, const struct site *site, const struct site_series *x, const struct view_change *c,
                      const char *page, int64_t at_ns)
{
    buf_str(b, "<entry><id>");
    put_id(b, x->s->id, c->confirmed && c->confirmed->revision ? c->confirmed->revision : site_hash(site, x->v, c->to));
    buf_str(b, "</id><title>");
    site_benchmark(b, x->s);
    buf_str(b, ": ");
    site_metric(b, x);
    buf_char(b, ' ');
    site_effect(b, x, c);
    buf_str(b, "</title><updated>");
    utc_text(b, at_ns);
    site_put(b, "</updated><link href=\"%%#%\"/><summary>confirmed ", site->feed_url ? site->feed_url : "", page, x->s->id);
    site_where(b, site, x->v, c, false);
    site_put(b, *x->s->class ? ", on %</summary></entry>" : "</summary></entry>", x->s->class);
}

static int64_t when_ns(const struct site *site, const struct site_series *x, const struct view_change *c)
{
    if (c->said && c->said->at_utc_ns > 0)
        return c->said->at_utc_ns;
    const int64_t s = site_time_s(site, x->v, x->v->points[c->at].position);
    return s > 0 && s < 9000000000 ? s * 1000000000 : 0;
}

static void put_entries(struct buf *b, struct site_card *card, const struct site *site, const struct site_series *x,
                        const char *page)
{
    for (int i = x->v->n_changes - 1; i >= 0; i--) {
        const struct view_change *c = &x->v->changes[i];
        if (c->state != CHANGE_CONFIRMED)
            continue;
        const int64_t at = when_ns(site, x, c);
        put_entry(b, site, x, c, page, at);
        card->entry_utc_ns = card->entry_utc_ns > at ? card->entry_utc_ns : at;
    }
}

enum tare_status site_card(struct site_card *card, const struct site *site, const struct site_series *x, const char *page,
                           struct arena *a)
{
    const struct view_change *c = site_change(x->v);
    *card = (struct site_card){.state = site_state(x->v)};
    if (x->v->n)
        card->newest_s = site_time_s(site, x->v, x->v->points[x->v->n - 1].position);
    if (c) {
        card->changed_s = site_time_s(site, x->v, x->v->points[c->at].position);
        card->size = x->v->difference || !(c->ratio > 0) ? 0 : (int64_t)fmin(fabs(log(c->ratio)) * 1e6, 1e15);
    }
    struct buf text = BUF_INIT(1 << 20), entry = BUF_INIT(1 << 20);
    put_card(&text, site, x, page);
    put_entries(&entry, card, site, x, page);
    card->card = arena_keep(a, &text);
    card->entry = entry.len ? arena_keep(a, &entry) : "";
    return card->card && card->entry ? TARE_OK : TARE_NO_MEMORY;
}

struct placed {
    const struct site_card *card;
    int by_name, by_change, by_size; /* places */
    int64_t key;                     /* the largest first, */
    int then;                        /* where that is the same the smallest */
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key) - (x->key > y->key) : (x->then > y->then) - (x->then < y->then);
}

/* What needs a person first, and there the newest. */
static struct placed *place_cards(const struct site_card *cards, int n, struct arena *a)
{
    struct placed *p = arena_array(a, (size_t)n + 1, sizeof *p);
    if (!p)
        return NULL;
    for (int i = 0; i < n; i++)
        p[i] = (struct placed){.card = &cards[i], .by_name = i, .key = cards[i].changed_s, .then = i};
    qsort(p, (size_t)n, sizeof *p, compare_placed);
    for (int i = 0; i < n; i++) {
        p[i].by_change = i;
        p[i].key = p[i].card->size;
    }
    qsort(p, (size_t)n, sizeof *p, compare_placed);
    for (int i = 0; i < n; i++) {
        p[i].by_size = i;
        p[i].key = -(int64_t)p[i].card->state;
        p[i].then = p[i].by_change;
    }
    qsort(p, (size_t)n, sizeof *p, compare_placed);
    return p;
}

static void put_totals(struct buf *b, const struct site *site, int n, const int counts[N_SITE_STATES])
{
    buf_format(b, "<p>%d series", n);
    if (site->line && site->line->n) {
        buf_format(b, " over %d commits, up to ", site->line->n);
        site_commit(b, site, NULL, site->line->n - 1, true);
        buf_str(b, " of ");
        site_date(b, site->line->commits[site->line->n - 1].time_s);
    }
    const char *before = ": ";
    for (int s = 0; s < N_SITE_STATES; s++)
        if (counts[s]) {
            buf_format(b, "%s%d %s", before, counts[s], site_states[s].shown);
            before = ", ";
        }
    buf_str(b, ".</p>\n");
    if (!site->line)
        buf_str(b, "<p class=\"soft\">No repository was read: results are in the order in which they were measured.</p>\n");
}

/* Choices that need no script: the rules of style.css show and order by what is checked. */
static void put_choices(struct buf *b, const int counts[N_SITE_STATES])
{
    static const char *const orders[][2] = {
        {"need", "state"}, {"change", "newest change"}, {"size", "largest change"}, {"name", "name"}};
    buf_str(b, "<span class=\"choice\"><span class=\"soft\">Show</span>\n"
               "<label><input type=\"radio\" name=\"show\" value=\"all\" checked>all</label>\n");
    for (int s = 0; s < N_SITE_STATES; s++)
        if (counts[s])
            buf_format(b, "<label><input type=\"radio\" name=\"show\" value=\"%s\">%s %d</label>\n", site_states[s].class,
                       site_states[s].class, counts[s]);
    buf_str(b, "</span>\n<span class=\"choice\"><span class=\"soft\">Sorted by</span>\n");
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        buf_format(b, "<label><input type=\"radio\" name=\"sort\" value=\"%s\"%s>%s</label>\n", orders[i][0], i ? "" : " checked",
                   orders[i][1]);
    buf_str(b, "</span>\n<label class=\"find\" hidden>Find <input type=\"search\" id=\"find\"></label>\n");
}

void site_index(struct buf *b, const struct site *site, const struct site_card *cards, int n, struct arena *a)
{
    int counts[N_SITE_STATES] = {0};
    const struct placed *placed = place_cards(cards, n, a);
    if (!placed) {
        b->status = TARE_NO_MEMORY;
        return;
    }
    for (int i = 0; i < n; i++)
        counts[cards[i].state]++;
    site_head(b, site, site->title, "index");
    html_element(b, "h1", site->title);
    put_totals(b, site, n, counts);
    put_choices(b, counts);
    buf_str(b, "<div class=\"cards\">\n");
    for (int i = 0; i < n; i++)
        buf_format(b, "<a class=\"card %s\" style=\"--name:%d;--change:%d;--size:%d\"%s\n",
                   site_states[placed[i].card->state].class, placed[i].by_name, placed[i].by_change, placed[i].by_size,
                   placed[i].card->card);
    buf_str(b, "</div>\n<p class=\"soft\"><a href=\"feed.xml\">Feed of confirmed changes</a></p>\n</main>\n");
    html_foot(b);
}

static int compare_entries(const void *a, const void *b)
{
    const struct site_card *x = *(const struct site_card *const *)a, *y = *(const struct site_card *const *)b;
    return x->entry_utc_ns != y->entry_utc_ns ? (x->entry_utc_ns < y->entry_utc_ns) - (x->entry_utc_ns > y->entry_utc_ns)
                                              : (x > y) - (x < y);
}

void site_feed(struct buf *b, const struct site *site, const struct site_card *cards, int n, struct arena *a)
{
    const struct site_card **with = arena_array(a, (size_t)n + 1, sizeof(const struct site_card *));
    int found = 0;
    int64_t newest_s = 0; /* without entries what changes the feed is that there is none in the newest result either */
    for (int i = 0; with && i < n; i++) {
        if (*cards[i].entry)
            with[found++] = &cards[i];
        newest_s = cards[i].newest_s > newest_s ? cards[i].newest_s : newest_s;
    }
    if (!with) {
        b->status = TARE_NO_MEMORY;
        return;
    }
    qsort(with, (size_t)found, sizeof *with, compare_entries);
    buf_str(b, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<id>");
    put_id(b, "", site->project ? site->project : "");
    site_put(
        b,
        "</id>\n<title>%: confirmed changes</title>\n<author><name>tare</name></author>\n<link href=\"%index.html\"/>\n<updated>",
        site->title, site->feed_url ? site->feed_url : "");
    utc_text(b, found ? with[0]->entry_utc_ns : newest_s < 9000000000 ? newest_s * 1000000000 : 0);
    buf_str(b, "</updated>\n");
    for (int i = 0; i < found; i++)
        buf_format(b, "%s\n", with[i]->entry);
    buf_str(b, "</feed>\n");
}
