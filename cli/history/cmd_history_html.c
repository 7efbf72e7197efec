/* SPDX-License-Identifier: MIT
 *
 * Where nothing changed since the last time, nothing but the history's index is read. Else all pages are made, and those that differ are written: one more
 * commit that was measured changes most of them. */
#include "history_reading.h"
#include "sha2.h"
#include "site_files.h"
#include <stdlib.h>
#include <string.h>

enum { FILE_NAME_BYTES = SITE_NAME_BYTES + 5 /* with ".html" */ };

struct shown {
    char page[FILE_NAME_BYTES];
    int series;
};

struct made_page {
    const struct shown *shown; /* the series on it */
    int n;
};

struct work {
    struct history_reading r;
    struct site site;
    struct site_files files;
    struct shown *shown; /* series by page, and there as they are in the history */
    int n;
    struct made_page *pages;
    int n_pages;
    struct site_card *cards; /* of each series; those that are not shown have none */
    int written;
    struct buf report;
    struct tare_err *err;
};

static void add_text(struct sha256 *hash, const char *text)
{
    sha256_add(hash, text ? text : "", strlen(text ? text : "") + 1);
}

static void make_state(const struct work *w, char state[SHA256_TEXT])
{
    struct sha256 hash = sha256_begin();
    const struct history *h = w->r.h;
    const int commits = w->r.commits.n;
    const char *const texts[] = {CLI_VERSION,
                                 w->site.title,
                                 w->site.project,
                                 w->site.commit_url,
                                 w->site.feed_url,
                                 w->r.o->class,
                                 w->site.charts ? "charts" : "",
                                 commits ? w->r.commits.commits[commits - 1].hash : ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_text(&hash, texts[i]);
    sha256_add(&hash, &commits, sizeof commits);
    for (int i = 0; i < history_n_sessions(h); i++)
        add_text(&hash, history_session_at(h, i)->id);
    for (int i = 0; i < history_n_events(h); i++)
        add_text(&hash, history_event_at(h, i)->id);
    for (int i = 0; i < history_n_series(h); i++) { /* of a damaged file fewer results can be read */
        add_text(&hash, history_series_at(h, i)->id);
        sha256_add(&hash, &history_series_at(h, i)->n, sizeof history_series_at(h, i)->n);
    }
    sha256_text(&hash, state);
}

static int compare_shown(const void *a, const void *b)
{
    const struct shown *x = a, *y = b;
    const int order = strcmp(x->page, y->page);
    return order ? order : (x->series > y->series) - (x->series < y->series);
}

static enum tare_status make_order(struct work *w)
{
    const size_t room = (size_t)history_n_series(w->r.h) + 1;
    w->shown = arena_array(w->r.cli->arena, room, sizeof *w->shown);
    w->cards = arena_array(w->r.cli->arena, room, sizeof *w->cards);
    w->pages = arena_array(w->r.cli->arena, room, sizeof *w->pages);
    if (!w->shown || !w->cards || !w->pages)
        return err_no_memory(w->err);
    for (int i = 0; i < history_n_series(w->r.h); i++)
        if (history_wanted(history_series_at(w->r.h, i), w->r.o)) {
            struct shown *x = &w->shown[w->n++];
            site_name(x->page, history_series_at(w->r.h, i));
            memcpy(x->page + SITE_NAME_BYTES - 1, ".html", sizeof ".html");
            x->series = i;
        }
    qsort(w->shown, (size_t)w->n, sizeof *w->shown, compare_shown);
    for (int i = 0; i < w->n; i++)
        if (i && !strcmp(w->shown[i].page, w->shown[i - 1].page))
            w->pages[w->n_pages - 1].n++;
        else
            w->pages[w->n_pages++] = (struct made_page){&w->shown[i], 1};
    return TARE_OK;
}

static enum tare_status view_series(struct work *w, struct site_series *x, int series, struct arena *a)
{
    const struct view_options defaults = {.margin = HISTORY_MARGIN, .places = w->r.places}; /* as of check, show and list */
    struct history_view *v = arena_alloc(a, sizeof *v);
    if (!v)
        return err_no_memory(w->err);
    enum tare_status status = history_view_make(v, w->r.h, series, w->site.line, &defaults, a, w->err);
    return !status && site_series_make(x, history_series_at(w->r.h, series), v, a) ? err_no_memory(w->err) : status;
}

/* For history_share: whether the page was written, and its cards, each with its texts behind it. */
static enum tare_status make_page(struct work *w, const struct made_page *p, struct arena *a, struct buf *out)
{
    struct site_series *x = arena_array(a, (size_t)p->n, sizeof *x);
    struct site_card *cards = arena_array(a, (size_t)p->n, sizeof *cards);
    bool written = false;
    enum tare_status status = x && cards ? TARE_OK : err_no_memory(w->err);
    for (int i = 0; i < p->n && !status; i++) {
        status = view_series(w, &x[i], p->shown[i].series, a);
        if (!status && site_card(&cards[i], &w->site, &x[i], p->shown->page, a))
            status = err_no_memory(w->err);
    }
    if (status)
        return status;
    struct buf text = BUF_INIT((size_t)1 << 30);
    site_page(&text, &w->site, x, p->n);
    status = text.status ? err_no_memory(w->err)
                         : site_files_put(&w->files, p->shown->page, buf_text(&text), text.len, &written, w->err);
    buf_finish(&text);
    buf_char(out, written);
    for (int i = 0; i < p->n; i++) {
        buf_add(out, &cards[i], sizeof cards[i]);
        buf_add(out, cards[i].card, strlen(cards[i].card) + 1);
        buf_add(out, cards[i].entry, strlen(cards[i].entry) + 1);
    }
    return status;
}

static enum tare_status make_card(void *context, int item, struct buf *out, struct tare_err *err)
{
    struct work *w = context;
    struct arena arena = {0};
    w->err = err;
    enum tare_status status = make_page(w, &w->pages[item], &arena, out);
    arena_finish(&arena);
    return status;
}

static void note_written(struct work *w, const char *name, bool written)
{
    w->written += written;
    if (written && w->r.o->display.verbose > 0)
        buf_format(&w->report, "%s/%s\n", w->files.folder, name);
}

static enum tare_status take_card(void *context, int item, const char *bytes, size_t n, struct tare_err *err)
{
    struct work *w = context;
    const struct made_page *p = &w->pages[item];
    const char *at = arena_copy(w->r.cli->arena, bytes, n);
    if (!at)
        return err_set(err, TARE_NO_MEMORY, "no memory for the index");
    note_written(w, p->shown->page, *at++);
    for (int i = 0; i < p->n; i++) {
        struct site_card *card = &w->cards[p->shown[i].series];
        memcpy(card, at, sizeof *card);
        card->card = at + sizeof *card;
        card->entry = card->card + strlen(card->card) + 1;
        at = card->entry + strlen(card->entry) + 1;
    }
    return TARE_OK;
}

static enum tare_status do_pages(struct work *w)
{
    int *order = arena_array(w->r.cli->arena, (size_t)w->n + 1, sizeof *order);
    if (!order)
        return err_no_memory(w->err);
    for (int i = 0; i < w->n; i++)
        order[i] = w->shown[i].series;
    history_expect(w->r.h, order, w->n);
    const struct history_share share = {.r = &w->r, .n = w->n_pages, .make = make_card, .take = take_card, .context = w};
    struct tare_err *err = w->err;
    enum tare_status status = history_share(&share, err);
    w->err = err;
    return status;
}

static enum tare_status put_file(struct work *w, const char *name, const void *bytes, size_t n)
{
    bool written = false;
    enum tare_status status = site_files_put(&w->files, name, bytes, n, &written, w->err);
    note_written(w, name, written);
    return status;
}

static enum tare_status put_text(struct work *w, const char *name, struct buf *b)
{
    enum tare_status status = b->status ? err_no_memory(w->err) : put_file(w, name, buf_text(b), b->len);
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
    bool *shown = arena_array(w->r.cli->arena, (size_t)w->r.commits.n + 1, sizeof *shown);
    if (!shown)
        return err_no_memory(w->err);
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
    site_index(&b, &w->site, w->cards, n, w->r.cli->arena);
    enum tare_status status = put_text(w, "index.html", &b);
    site_feed(&b, &w->site, w->cards, n, w->r.cli->arena);
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
            status = put_file(w, asset.name, asset.bytes, asset.n);
    buf_finish(&b);
    return status;
}

/* Whether all files are there already; from now on they belong there. */
static bool keep_all(struct work *w)
{
    static const char *const beside[] = {"index.html", "feed.xml", "style.css"};
    struct site_asset asset;
    bool all = !w->site.charts || site_files_keep(&w->files, "commits.js");
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        all &= site_files_keep(&w->files, beside[i]);
    for (int i = 0; (asset = site_asset(i)).name; i++)
        all &= (asset.of_charts && !w->site.charts) || site_files_keep(&w->files, asset.name);
    for (int i = 0; i < w->n_pages; i++)
        all &= site_files_keep(&w->files, w->pages[i].shown->page);
    return all;
}

static enum tare_status write_site(struct work *w)
{
    char state[SHA256_TEXT];
    const char *folder = w->r.cli->operands.items[0];
    make_state(w, state);
    enum tare_status status = make_order(w);
    if (!status)
        status = history_make_folder(folder, w->err);
    if (!status)
        status = site_files_open(&w->files, folder, state, w->r.cli->arena, w->err);
    if (status || (keep_all(w) && w->files.same))
        return status;
    status = site_files_begin(&w->files, w->err);
    if (!status)
        status = do_pages(w);
    if (!status)
        status = put_others(w);
    return status ? status : site_files_close(&w->files, w->err);
}

static enum tare_status set_site(struct work *w)
{
    const struct history_place *p = &w->r.place;
    const char *slash = p->repository ? strrchr(p->top, '/') : NULL, *feed = w->r.o->feed_url;
    const int n = history_n_sessions(w->r.h);
    int64_t *times = arena_array(w->r.cli->arena, (size_t)n + 1, sizeof *times);
    bool *imported = arena_array(w->r.cli->arena, (size_t)n + 1, sizeof *imported);
    if (!times || !imported)
        return err_no_memory(w->err);
    for (int i = 0; i < n; i++) {
        imported[i] = !history_is_repeatable(w->r.h, i);
        times[i] = history_session_at(w->r.h, i)->measured_utc_ns / 1000000000;
    }
    w->site = (struct site){
        .title = w->r.o->title       ? w->r.o->title
                 : slash && slash[1] ? slash + 1
                                     : "Benchmarks",
        .project = w->r.line ? w->r.line->root
                   : n       ? history_session_at(w->r.h, 0)->project
                             : "",
        .commit_url = w->r.o->commit_url,
        .feed_url = !feed || (*feed && feed[strlen(feed) - 1] == '/') ? feed : arena_format(w->r.cli->arena, "%s/", feed),
        .line = w->r.line,
        .session_s = times,
        .imported = imported,
        .charts = site_has_uplot()};
    return TARE_OK;
}

static enum tare_status html_work(void *context, enum exit_code *code, struct tare_err *err)
{
    struct work *w = context;
    w->err = err;
    if (w->r.line && w->r.line->shallow)
        cli_note(w->r.cli, "warning",
                 "this clone is shallow, so older results are left out; git fetch --unshallow brings the rest");
    if (history_is_missing(&w->r)) { /* a slip of its name empties no site */
        *code = history_say_empty(&w->r);
        return TARE_OK;
    }
    enum tare_status status = set_site(w);
    if (!status)
        status = write_site(w);
    if (status)
        return status;
    if (!w->r.o->display.quiet)
        buf_format(&w->report, "%s/index.html: %d series on %d page%s; %d file%s written\n", w->files.folder, w->n, w->n_pages,
                   buf_plural(w->n_pages), w->written, buf_plural(w->written));
    *code = history_say_empty(&w->r);
    *code = cli_worse(*code, cli_print(w->r.cli, &w->report));
    return TARE_OK;
}

int cmd_history_html(struct cli *cli, const void *options)
{
    struct work w = {.report = BUF_INIT(1 << 24)};
    const int code = history_command(&w.r, cli, options, html_work, &w);
    buf_finish(&w.report);
    return code;
}
