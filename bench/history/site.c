/* SPDX-License-Identifier: MIT
 *
 * site FOLDER SERIES POINTS [CHANGED]: how long the pages of a history take, of series made by formulas: first all of them, then again with a new
 * result in CHANGED of the series. Finding changes and reading the history are not in it. SERIES 0: the sample of the tests, once. */
#include "site_data.h"
#include "site_files.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 10 };

static const struct site_series *made(struct arena *a, int i, int points)
{
    struct history_view *v = made_view(a, (uint64_t)i, points, 1, 12.5e6, 0.01, points / 2, i % KINDS ? 1 : 1.1);
    if (i % KINDS == 0) {
        v->kind = VIEW_STEPS;
        v->n_changes = 1;
        v->changes = arena_alloc(a, sizeof *v->changes);
        *v->changes = made_change(v, points / 2, 1.1, i % (2 * KINDS) ? CHANGE_NOMINATED : CHANGE_CONFIRMED);
    }
    struct site_series *x = arena_alloc(a, sizeof *x);
    site_series_make(x, made_series(a, arena_format(a, "%012x", (unsigned)i), arena_format(a, "benchmark/%d", i), "machine"), v,
                     a);
    return x;
}

struct bench {
    struct arena kept;
    struct site site;
    struct site_files *files;
    struct site_card *cards;
    double making_s; /* the series, which is no part of it */
};

/* A page of series that follow each other. */
static bool one(struct bench *b, int i, const struct site_series *x, int n, const char *key, struct tare_err *err)
{
    char name[SITE_NAME_BYTES];
    struct buf text = BUF_INIT(1 << 28);
    site_name(name, x->s);
    for (int k = 0; k < n; k++)
        site_card(&b->cards[i + k], &b->site, &x[k], arena_format(&b->kept, "%s.html", name), &b->kept);
    site_page(&text, &b->site, x, n);
    bool good = !site_files_page(b->files, name, key, &text, &b->cards[i], n, err);
    buf_finish(&text);
    return good;
}

static bool put(struct bench *b, const char *name, struct buf *text, struct tare_err *err)
{
    bool good = !site_files_put(b->files, name, buf_text(text), text->len, err);
    buf_clear(text);
    return good;
}

static bool others(struct bench *b, int n, struct tare_err *err)
{
    struct buf text = BUF_INIT(1 << 30);
    site_index(&text, &b->site, b->cards, n, &b->kept);
    bool good = put(b, "index.html", &text, err);
    site_feed(&text, &b->site, b->cards, n, &b->kept);
    good = good && put(b, "feed.xml", &text, err);
    site_style(&text);
    good = good && put(b, "style.css", &text, err);
    struct site_asset asset;
    for (int i = 0; good && (asset = site_asset(i)).name; i++)
        good = !site_files_put(b->files, asset.name, asset.bytes, asset.n, err);
    bool shown[1 << 16] = {false};
    for (int i = 0; i < b->site.line->n && i < 1 << 16; i++)
        shown[i] = true;
    site_commits(&text, &b->site, shown);
    good = good && put(b, "commits.js", &text, err);
    buf_finish(&text);
    return good && !site_files_close(b->files, "", err);
}

static bool pass(const char *folder, int n, int points, int changed, bool all)
{
    struct bench b = {.site = {.title = "bench", .commit_url = "https://example.org/c/{rev}", .charts = site_has_uplot()}};
    struct history_line line = made_line(&b.kept, points + 1);
    struct tare_err err;
    const int64_t start = plat_now_ns();
    b.site.line = &line;
    b.cards = arena_array(&b.kept, (size_t)n, sizeof *b.cards);
    bool good = b.cards && !site_files_open(&b.files, folder, "1", &b.kept, &err);
    for (int i = 0; good && i < n; i++) {
        struct arena a = {0};
        char name[SITE_NAME_BYTES], key[32];
        struct buf text = buf_over(key, sizeof key);
        const bool grown = !all && i < changed;
        const struct history_series named = {.project = "0123456789abcdef0123456789abcdef01234567",
                                             .benchmark = arena_format(&a, "benchmark/%d", i),
                                             .arguments = ""};
        buf_format(&text, "%d", points + grown);
        site_name(name, &named);
        const struct site_card *known = site_files_known(b.files, name, key, 1);
        if (known) {
            b.cards[i] = *known;
        } else {
            const int64_t before = plat_now_ns();
            const struct site_series *x = made(&a, i, points + grown);
            b.making_s += (double)(plat_now_ns() - before) / 1e9;
            good = one(&b, i, x, 1, key, &err);
        }
        arena_finish(&a);
    }
    good = good && others(&b, n, &err);
    if (good)
        printf("%s: %.2f s, %d files written\n", all ? "all" : "again", (double)(plat_now_ns() - start) / 1e9 - b.making_s,
               site_files_written(b.files));
    else
        printf("%s\n", err.text);
    arena_finish(&b.kept);
    return good;
}

static bool sample(const char *folder)
{
    struct bench b = {0};
    struct tare_err err;
    int n;
    const struct site_series *x = made_site(&b.site, &b.kept, &n);
    b.site.charts = site_has_uplot();
    b.cards = arena_array(&b.kept, (size_t)n, sizeof *b.cards);
    bool good = !site_files_open(&b.files, folder, "1", &b.kept, &err);
    for (int i = 0; good && i < n; i += i ? 1 : 2) /* the first two are of one benchmark */
        good = one(&b, i, &x[i], i ? 1 : 2, "1", &err);
    good = good && others(&b, n, &err);
    if (!good)
        printf("%s\n", err.text);
    arena_finish(&b.kept);
    return good;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    const int n = atoi(argv[2]), points = atoi(argv[3]), changed = argc > 4 ? atoi(argv[4]) : 0;
    if (!n)
        return !sample(argv[1]);
    return !(pass(argv[1], n, points, 0, true) && (!changed || pass(argv[1], n, points, changed, false)));
}
