/* SPDX-License-Identifier: MIT
 *
 * Pages whose input is what it was are not made again: neither are their results read, nor is anything looked for in them. That is known from the series'
 * numbers of results and their events, as long as nothing but additions happened: all sessions that were there still are, and the line of commits
 * goes on where it ended. */
#include "cli.h"
#include "history_options.h"
#include "history_share.h"
#include "sha2.h"
#include "site_files.h"
#include <stdlib.h>
#include <string.h>

enum { KEY_DIGITS = 24, SESSION_DIGITS = 16, NOTE_HEAD = 200 };

struct page {
    const char *name;
    const int *series;
    int n;
    char key[KEY_DIGITS + 1];
};

struct work {
    struct cli *cli;
    const struct history_html_options *o;
    struct history_reading r;
    struct site site;
    struct site_files *files;
    int *order; /* series by page, and there as they are in the history */
    char (*names)[SITE_NAME_BYTES];
    struct sha256 *keys; /* of each series' input */
    int n;               /* series that are shown */
    struct page *pages;  /* that have to be made */
    struct site_card *cards;
    struct tare_err *err;
};

static enum tare_status no_memory(const struct work *w)
{
    return err_set(w->err, TARE_NO_MEMORY, "no memory for the pages");
}

static void add_text(struct sha256 *hash, const char *text)
{
    sha256_add(hash, text ? text : "", strlen(text ? text : "") + 1);
}

/* ---- which series, and what they depend on ---- */

struct by_id {
    const char *id;
    int series;
};

static int compare_ids(const void *a, const void *b)
{
    return strcmp(((const struct by_id *)a)->id, ((const struct by_id *)b)->id);
}

static int compare_pages(const void *a, const void *b)
{
    const int x = ((const struct by_id *)a)->series, y = ((const struct by_id *)b)->series, order = compare_ids(a, b);
    return order ? order : (x > y) - (x < y);
}

/* Number of results and the events about it. */
static enum tare_status make_keys(struct work *w)
{
    const int n = history_n_series(w->r.h);
    struct by_id *ids = arena_array(w->cli->arena, (size_t)n + 1, sizeof *ids);
    w->keys = arena_array(w->cli->arena, (size_t)n + 1, sizeof *w->keys);
    if (!ids || !w->keys)
        return no_memory(w);
    for (int i = 0; i < n; i++) {
        const struct history_series *s = history_series_at(w->r.h, i);
        w->keys[i] = sha256_begin();
        add_text(&w->keys[i], s->id);
        sha256_add(&w->keys[i], &s->n, sizeof s->n);
        ids[i] = (struct by_id){s->id, i};
    }
    qsort(ids, (size_t)n, sizeof *ids, compare_ids);
    for (int i = 0; i < history_n_events(w->r.h); i++) {
        const struct history_event *e = history_event_at(w->r.h, i);
        const struct by_id wanted = {e->series, 0};
        const struct by_id *found = e->series ? bsearch(&wanted, ids, (size_t)n, sizeof *ids, compare_ids) : NULL;
        if (found)
            add_text(&w->keys[found->series], e->id);
    }
    return TARE_OK;
}

static enum tare_status make_order(struct work *w)
{
    const int n = history_n_series(w->r.h);
    w->order = arena_array(w->cli->arena, (size_t)n + 1, sizeof *w->order);
    w->names = arena_array(w->cli->arena, (size_t)n + 1, sizeof *w->names);
    struct by_id *pages = arena_array(w->cli->arena, (size_t)n + 1, sizeof *pages);
    w->cards = arena_array(w->cli->arena, (size_t)n + 1, sizeof *w->cards);
    if (!w->order || !w->names || !pages || !w->cards)
        return no_memory(w);
    for (int i = 0; i < n; i++) {
        site_name(w->names[i], history_series_at(w->r.h, i));
        if (history_wanted(history_series_at(w->r.h, i), w->o->class, NULL))
            pages[w->n++] = (struct by_id){w->names[i], i};
    }
    qsort(pages, (size_t)w->n, sizeof *pages, compare_pages);
    for (int i = 0; i < w->n; i++)
        w->order[i] = pages[i].series;
    return TARE_OK;
}

/* ---- what was there last time ---- */

static int compare_prefixes(const void *a, const void *b)
{
    return strncmp(*(const char *const *)a, *(const char *const *)b, SESSION_DIGITS);
}

/* "N HASH", where the line ended, and the sessions in order. */
static enum tare_status make_note(const struct work *w, struct buf *note)
{
    const int n = history_n_sessions(w->r.h), commits = w->r.commits.n;
    const char **ids = arena_array(w->cli->arena, (size_t)n + 1, sizeof(const char *));
    if (!ids)
        return no_memory(w);
    for (int i = 0; i < n; i++)
        ids[i] = history_session_at(w->r.h, i)->id;
    qsort(ids, (size_t)n, sizeof(const char *), compare_prefixes);
    buf_format(note, "%d %s", commits, commits ? w->r.commits.commits[commits - 1].hash : "none");
    for (int i = 0; i < n; i++)
        buf_format(note, " %.16s", ids[i]);
    return note->status ? no_memory(w) : TARE_OK;
}

/* Whether each word of `old` is one of `now`; both are in order. */
static bool all_there(const char *old, const char *now)
{
    while (*old == ' ') {
        const size_t n = 1 + strcspn(old + 1, " "), m = *now == ' ' ? 1 + strcspn(now + 1, " ") : 0;
        if (!m)
            return false;
        if (n == m && !strncmp(old, now, n))
            old += n;
        now += m;
    }
    return !*old;
}

static bool only_added(const struct work *w, const char *old, const char *now)
{
    char *rest;
    const long commits = strtol(old, &rest, 10);
    const char *hash = *rest == ' ' ? rest + 1 : "", *expected = "none";
    const size_t n = strcspn(hash, " ");
    if (rest == old || commits < 0 || commits > w->r.commits.n)
        return false;
    if (commits)
        expected = w->r.commits.commits[commits - 1].hash;
    else if (w->r.commits.n)
        return false;
    now = strchr(now, ' ');
    return strlen(expected) == n && !strncmp(expected, hash, n) && all_there(hash + n, now + 1 + strcspn(now + 1, " "));
}

/* All that is in every page. */
static void make_state(const struct work *w, char state[SHA256_TEXT])
{
    struct sha256 hash = sha256_begin();
    const char *const texts[] = {CLI_VERSION,
                                 w->site.title,
                                 w->site.project,
                                 w->site.commit_url,
                                 w->site.feed_url,
                                 w->o->class,
                                 w->site.charts ? "charts" : ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_text(&hash, texts[i]);
    for (int i = 0; i < history_n_events(w->r.h); i++) {
        const struct history_event *e = history_event_at(w->r.h, i);
        if (!e->series || e->kind == HISTORY_ALIAS)
            add_text(&hash, e->id);
    }
    sha256_text(&hash, state);
}

/* ---- pages ---- */

static void key_of(const struct work *w, struct page *p)
{
    struct sha256 hash = sha256_begin();
    char text[SHA256_TEXT];
    for (int i = 0; i < p->n; i++) {
        sha256_text(&w->keys[p->series[i]], text);
        add_text(&hash, text);
    }
    sha256_text(&hash, text);
    memcpy(p->key, text, KEY_DIGITS);
    p->key[KEY_DIGITS] = 0;
}

/* Results of other branches come onto the line when these are merged, so pages that have such are made whenever the line grows. */
static const char *key_of_tip(const struct work *w, const struct page *p)
{
    return arena_format(w->cli->arena, "%s.%.16s", p->key, w->r.commits.n ? w->r.commits.commits[w->r.commits.n - 1].hash : "");
}

static enum tare_status view(struct work *w, struct site_series *x, int series, struct arena *a, bool *off_line)
{
    const struct view_options defaults = {.margin = HISTORY_MARGIN,
                                          .places = w->r.places}; /* margin as of check, show and list */
    struct history_view *v = arena_alloc(a, sizeof *v);
    if (!v)
        return no_memory(w);
    enum tare_status status = history_view_make(v, w->r.h, series, w->site.line, &defaults, a, w->err);
    if (!status && site_series_make(x, history_series_at(w->r.h, series), v, a))
        status = no_memory(w);
    *off_line |= !status && v->off_line;
    return status;
}

static enum tare_status make_page(struct work *w, const struct page *p, struct arena *a)
{
    struct site_series *x = arena_array(a, (size_t)p->n, sizeof *x);
    struct site_card *cards = arena_array(w->cli->arena, (size_t)p->n, sizeof *cards);
    const char *file = arena_format(a, "%s.html", p->name);
    bool off_line = false;
    enum tare_status status = x && cards && file ? TARE_OK : no_memory(w);
    for (int i = 0; i < p->n && !status; i++) {
        status = view(w, &x[i], p->series[i], a, &off_line);
        if (!status && site_card(&cards[i], &w->site, &x[i], file, w->cli->arena))
            status = no_memory(w);
    }
    if (status)
        return status;
    struct buf text = BUF_INIT((size_t)1 << 30);
    site_page(&text, &w->site, x, p->n);
    const char *key = off_line ? key_of_tip(w, p) : p->key;
    status = key ? site_files_page(w->files, p->name, key, &text, cards, p->n, w->err) : no_memory(w);
    buf_finish(&text);
    return status;
}

/* For history_share. */
static enum tare_status make(void *context, int item, struct buf *out, struct tare_err *err)
{
    struct work *w = context;
    const struct page *p = &w->pages[item];
    struct arena arena = {0};
    w->err = err;
    enum tare_status status = make_page(w, p, &arena);
    if (!status)
        site_files_tell(w->files, p->name, out);
    arena_finish(&arena);
    return status;
}

static enum tare_status take(void *context, int item, const char *bytes, size_t n, struct tare_err *err)
{
    struct work *w = context;
    const struct page *p = &w->pages[item];
    const struct site_card *cards = site_files_told(w->files, bytes, n, err);
    for (int i = 0; i < p->n && cards; i++)
        w->cards[p->series[i]] = cards[i];
    return cards ? TARE_OK : TARE_NO_MEMORY;
}

/* Whether the page stays as it is. */
static bool is_known(struct work *w, const struct page *p)
{
    const char *of_tip = key_of_tip(w, p);
    const struct site_card *known = site_files_known(w->files, p->name, p->key, p->n);
    if (!known && of_tip)
        known = site_files_known(w->files, p->name, of_tip, p->n);
    for (int i = 0; i < p->n && known; i++)
        w->cards[p->series[i]] = known[i];
    return known;
}

static enum tare_status do_pages(struct work *w, int *pages)
{
    struct history_share share = {.r = &w->r, .make = make, .take = take, .context = w};
    w->pages = arena_array(w->cli->arena, (size_t)w->n + 1, sizeof *w->pages);
    if (!w->pages)
        return no_memory(w);
    for (int from = 0, to; from < w->n; from = to, ++*pages) {
        for (to = from + 1; to < w->n && !strcmp(w->names[w->order[to]], w->names[w->order[from]]); to++)
            ;
        struct page *p = &w->pages[share.n];
        *p = (struct page){.name = w->names[w->order[from]], .series = w->order + from, .n = to - from};
        key_of(w, p);
        share.n += !is_known(w, p);
    }
    return history_share(&share, w->err);
}

/* ---- what lies beside them ---- */

static enum tare_status put_text(struct work *w, const char *name, struct buf *b)
{
    enum tare_status status = b->status ? no_memory(w) : site_files_put(w->files, name, buf_text(b), b->len, w->err);
    buf_clear(b);
    return status;
}

/* The cards of what is shown, in the order of the history. */
static int shown_cards(const struct work *w)
{
    int n = 0;
    for (int i = 0; i < history_n_series(w->r.h); i++)
        if (w->cards[i].card)
            w->cards[n++] = w->cards[i];
    return n;
}

static enum tare_status put_commits(struct work *w, struct buf *b)
{
    bool *shown = arena_array(w->cli->arena, (size_t)w->r.commits.n + 1, sizeof *shown);
    if (!shown)
        return no_memory(w);
    for (int i = 0; i < history_n_sessions(w->r.h) && w->r.commits.n; i++) {
        const int position = history_position(w->r.line, history_session_at(w->r.h, i)->revision);
        if (position >= 0)
            shown[position] = true;
    }
    site_commits(b, &w->site, shown);
    return put_text(w, "commits.js", b);
}

static enum tare_status put_others(struct work *w)
{
    struct buf b = BUF_INIT((size_t)1 << 30);
    const int n = shown_cards(w);
    site_index(&b, &w->site, w->cards, n, w->cli->arena);
    enum tare_status status = put_text(w, "index.html", &b);
    site_feed(&b, &w->site, w->cards, n, w->cli->arena);
    if (!status)
        status = put_text(w, "feed.xml", &b);
    site_style(&b);
    if (!status)
        status = put_text(w, "style.css", &b);
    if (!status && w->site.charts)
        status = put_commits(w, &b);
    struct site_asset asset;
    for (int i = 0; (asset = site_asset(i)).name && !status; i++)
        if (w->site.charts || !asset.of_charts)
            status = site_files_put(w->files, asset.name, asset.bytes, asset.n, w->err);
    buf_finish(&b);
    return status;
}

/* ---- the command ---- */

static enum tare_status write_site(struct work *w, const char *folder, int *pages)
{
    char state[SHA256_TEXT];
    struct buf note = BUF_INIT(1 << 30);
    make_state(w, state);
    enum tare_status status = site_files_open(&w->files, folder, state, w->cli->arena, w->err);
    if (!status)
        status = make_note(w, &note);
    if (!status && !only_added(w, site_files_noted(w->files), buf_text(&note)))
        site_files_forget(w->files);
    if (!status)
        status = make_keys(w);
    if (!status)
        status = make_order(w);
    if (!status)
        status = do_pages(w, pages);
    if (!status)
        status = put_others(w);
    if (!status)
        status = site_files_close(w->files, buf_text(&note), w->err);
    buf_finish(&note);
    return status;
}

static enum tare_status set_site(struct work *w)
{
    const struct history_place *p = &w->r.place;
    const char *slash = p->repository ? strrchr(p->top, '/') : NULL, *feed = w->o->feed_url;
    const int n = history_n_sessions(w->r.h);
    int64_t *times = arena_array(w->cli->arena, (size_t)n + 1, sizeof *times);
    if (!times)
        return no_memory(w);
    for (int i = 0; i < n; i++)
        times[i] = history_session_at(w->r.h, i)->measured_utc_ns / 1000000000;
    w->site = (struct site){
        .title = w->o->title         ? w->o->title
                 : slash && slash[1] ? slash + 1
                                     : "Benchmarks",
        .project = w->r.line ? w->r.line->root
                   : n       ? history_session_at(w->r.h, 0)->project
                             : "",
        .commit_url = w->o->commit_url,
        .feed_url = !feed || (*feed && feed[strlen(feed) - 1] == '/') ? feed : arena_format(w->cli->arena, "%s/", feed),
        .line = w->r.line,
        .session_s = times,
        .charts = site_has_uplot()};
    return TARE_OK;
}

static int report(const struct work *w, const char *folder, int pages)
{
    struct buf b = BUF_INIT(1 << 24);
    const bool verbose = w->o->display.verbose > 0;
    for (int i = 0; i < site_files_written(w->files) && verbose; i++)
        buf_format(&b, "%s/%s\n", folder, site_files_written_name(w->files, i));
    if (!w->o->display.quiet)
        buf_format(&b, "%s/index.html: %d series on %d page%s; %d file%s written\n", folder, w->n, pages, buf_plural(pages),
                   site_files_written(w->files), buf_plural(site_files_written(w->files)));
    return cli_print(w->cli, &b);
}

static enum tare_status open_all(struct work *w)
{
    enum tare_status status = history_reading_open(&w->r, w->o->dir, w->cli->arena, w->err);
    for (int i = 0; !status && i < history_n_problems(w->r.h); i++)
        cli_note(w->cli, history_problem_at(w->r.h, i)->path, history_problem_at(w->r.h, i)->text);
    if (!status && w->r.line && w->r.line->shallow)
        cli_note(w->cli, "warning",
                 "this clone is shallow, so older results are left out; git fetch --unshallow brings the rest");
    return status ? status : set_site(w);
}

int cmd_history_html(struct cli *cli, const void *options)
{
    struct tare_err err;
    struct work w = {.cli = cli, .o = options, .err = &err};
    const char *folder = cli->operands.items[0];
    if (w.o->commit_url && !strstr(w.o->commit_url, "{rev}")) {
        err_set(&err, TARE_INVALID, "--commit-url has no {rev}, the place of the commit; as in https://example.org/commit/{rev}");
        return cli_fail(cli, EXIT_USAGE, &err);
    }
    int pages = 0;
    enum tare_status status = open_all(&w);
    if (!status)
        status = write_site(&w, folder, &pages);
    int code = status ? cli_fail(cli, EXIT_TOOL, &err) : report(&w, folder, pages);
    history_reading_close(&w.r);
    return code;
}
