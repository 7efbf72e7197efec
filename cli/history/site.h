/* SPDX-License-Identifier: MIT
 *
 * site.h - the pages of `tare history html` as text: an index with a small picture of each series, a page a benchmark, a feed of the confirmed
 * changes. site_files.c writes them, and only those that changed.
 *
 *     struct site site = {.title = "project", .commit_url = "https://example.org/c/{rev}", .line = &line};
 *     site_page(&b, &site, series, n);                      // all series of one benchmark
 *     for (...) site_card(&cards[i], &site, &series[i], "1a2b3c4d5e6f.html");
 *     site_index(&b, &site, cards, n);
 *
 * Every page is complete without scripts; what is drawn is also said in words. All texts of others are escaped. Names of files come from site_name alone.
 * Pure: no files. The same input gives the same bytes.
 */
#ifndef SITE_H
#define SITE_H

#include "history_view.h"
#include "units.h"

struct site {
    const char *title;               /* of the index: what the history is of */
    const char *project;             /* its root commit; "": not known */
    const char *feed_url;            /* where the pages will be, with the closing slash; NULL: links of the feed are relative */
    const char *commit_url;          /* with "{rev}" where the commit goes; NULL: commits are no links */
    const struct history_line *line; /* NULL: there is no repository, and positions are those of measurements */
    const int64_t *session_s; /* when each session was measured, seconds since 1970: the dates without a line; NULL: none */
    const bool *imported;     /* sessions that do not say by which command line they were measured; NULL: none */
    bool charts;              /* uPlot lies beside the pages */
};

struct site_series {
    const struct history_series *s;
    const struct history_view *v;
    struct history_series escaped; /* its unit, which may be any text of the user's */
};
enum tare_status site_series_make(struct site_series *x, const struct history_series *s, const struct history_view *v,
                                  struct arena *a);

/* The format with a text of others for each %, escaped. */
void site_put(struct buf *b, const char *format, ...);

/* ---- one series ---- */

/* By which the index is ordered: what needs a person first. */
enum site_state { SITE_WORSE, SITE_NOMINATED, SITE_DRIFT, SITE_BETTER, SITE_SETTLED, SITE_FLAT, SITE_SHORT, N_SITE_STATES };
struct site_state_text {
    const char *class, *shown; /* of style.css; "with drift" */
};
extern const struct site_state_text site_states[N_SITE_STATES];
enum site_state site_state(const struct history_view *v);
/* The change that decides its state: the newest of those; NULL: none. */
const struct view_change *site_change(const struct history_view *v);

/* "wall time", "wall time, relative to ./base". */
void site_metric(struct buf *b, const struct site_series *x);
/* "12.3 % slower (11.0–13.5)". */
void site_effect(struct buf *b, const struct site_series *x, const struct view_change *c);
/* "No change found in 214 commits"; as a sentence with its noise and what was left out. */
void site_brief(struct buf *b, const struct site_series *x);
void site_sentence(struct buf *b, const struct site_series *x);
/* A class of style.css: "worse", "nominated" ... */
const char *site_change_class(const struct view_change *c);
const char *site_hash(const struct site *site, const struct history_view *v, int position);
int64_t site_time_s(const struct site *site, const struct history_view *v, int position); /* 0: not known */
void site_commit(struct buf *b, const struct site *site, const struct history_view *v, int position, bool link);
void site_date(struct buf *b, int64_t time_s); /* "2026-01-31" */

/* ---- pictures ---- */

void site_sparkline(struct buf *b, const struct history_view *v);
/* The chart of one series; `number` of it on its page. */
void site_chart(struct buf *b, const struct site *site, const struct site_series *x);
/* The same as JSON, for scripts: integers in steps of the smallest that is seen. */
void site_data(struct buf *b, const struct site *site, const struct site_series *x);

/* ---- pages ---- */

/* Up to the first element of the body, which gets the class. */
enum { SITE_NAME_BYTES = 13 };
/* Of the page of a series: 12 digits that stay the same for a project, benchmark and arguments. */
void site_name(char name[SITE_NAME_BYTES], const struct history_series *s);
/* The series are of one page. */
void site_page(struct buf *b, const struct site *site, const struct site_series *series, int n);

struct site_card { /* what the index and the feed have of a series */
    enum site_state state;
    int64_t newest_s;     /* when its newest result was committed, or measured; 0: not known */
    int64_t changed_s;    /* when its newest change was committed; 0: none */
    int64_t size;         /* of that change: |ln ratio| in millionths; 0: none */
    const char *card;     /* HTML, one line, from its class on */
    const char *entry;    /* Atom, one line; "": no confirmed change */
    int64_t entry_utc_ns; /* of the newest one */
};
/* `page`: the name of its file. Texts are the arena's. */
enum tare_status site_card(struct site_card *card, const struct site *site, const struct site_series *x, const char *page,
                           struct arena *a);
void site_index(struct buf *b, const struct site *site, const struct site_card *cards, int n, struct arena *a);
void site_feed(struct buf *b, const struct site *site, const struct site_card *cards, int n, struct arena *a);

/* ---- what lies beside the pages ---- */

struct site_asset {
    const char *name;
    const unsigned char *bytes;
    size_t n;
    bool of_charts;
};
struct site_asset site_asset(int i); /* the one past the end has no name */
bool site_has_uplot(void);           /* whether tare was built with it */
void site_style(struct buf *b);      /* style.css */
/* commits.js: those at the positions that are shown, of a line. */
void site_commits(struct buf *b, const struct site *site, const bool *shown);

#endif
