/* SPDX-License-Identifier: MIT
 *
 * html.h - what the pages of --export-html share: the answer first, then what qualifies it, at the end the environment and how the session is repeated, with its
 * record to keep. Complete without its script, page.js, which only adds values under the pointer or by arrow keys, and sorts and filters tables of class "list";
 * nothing is loaded from elsewhere. Dark where the reader's system is, fit for paper and for narrow screens.
 *
 *     html_begin(&out, r, o, "Timing leaks", rules_of_this_page);
 *     ... tables and pictures ...
 *     html_end(&out, r, o);
 */
#ifndef HTML_H
#define HTML_H

#include "chart.h"
#include "export_kind.h"
#include "svg_parts.h"

/* A sentence as text, in which no line breaks within an option: a browser would break --pin behind its hyphens. */
void html_words(struct buf *b, const char *text);
/* "Charts of 12 of 39 results", and how to have the others. */
void html_some(struct buf *b, const char *before, int shown, int n, const char *what);
extern const char html_style[];                   /* the rules of every page */
void html_open(struct buf *b, const char *title); /* up to its title, without rules of style */
/* Foreign text in an element: html_element(b, "p class=\"soft\"", text). */
void html_element(struct buf *b, const char *tag, const char *text);
/* Foreign text, at most so many characters of it, as the value of an attribute in quotation marks of either kind, or as content of an element. */
void html_attribute(struct buf *b, const char *text, int most);
void html_foot(struct buf *b);

/* A page with an answer: up to what it shows, and from there on. `style`: rules that only this page has. And that of a session. */
void html_page_begin(struct buf *b, const char *title, const char *answer, const char *narrow, const char *style);
void html_begin(struct export_out *out, const struct record *r, const struct export_options *o, const char *title,
                const char *style);
/* The same without what qualifies the answer, which the page has further below. */
void html_begin_answer(struct export_out *out, const struct record *r, const struct export_options *o, const char *title,
                       const char *style);
void html_end(struct export_out *out, const struct record *r, const struct export_options *o);
/* A figure as wide as the page: begins with title and sentence (NULL: none), which wrap. */
void html_figure_begin(struct export_out *out, const char *title, const char *says);
/* A chart; its title is its name for screen readers. */
void html_chart(struct picture *p, const struct chart *c);

/* Figures with their ranges on one scale, below each other: each has its name and what it says in words, which wrap, above its mark (page_ranges.c). */
struct ranged {
    const char *name, *words;
    double low, point, high; /* an end that is not finite: there is no range */
};
struct ranges {
    const char *heading, *x_title;
    const struct ranged *items;
    int n;
    struct axis x;
    double rule;                 /* to compare with; NaN: none */
    struct chart_stretch shaded; /* of x */
};
void html_ranges(struct picture *p, const struct ranges *m);

/* What grows with an argument or a parameter, and its figures (page_growth.c). NO_MEMORY alone is a failure. */
enum tare_status html_growth(struct picture *p, const struct export_options *o);
/* What was found that a reader should know, unless the answer says it, as a section of that name (page_remarks.c). */
void html_remarks(struct buf *b, const struct record *r, const char *name, const char *answer);
/* Machine, conditions and programs, from the record's facts (page_facts.c). */
void html_environment(struct export_out *out, const struct record *r);
/* What disturbed how many runs of each command; nothing where the session did not look for it. */
void html_noise(struct export_out *out, const struct record *r);
bool html_has_noise(const struct record *r);

/* Rules of style of pages with tables of figures, beyond those of html_begin. */
extern const char html_table_style[];
/* The page of clocks. */
kind_write html_clocks_write;
/* The page of commands and benchmarks, and of a session that has no other: `k` is what the record is of. */
enum tare_status html_table_write(const struct kind_export *k, const struct record *r, const struct export_options *o,
                                  const struct sink *sink, struct tare_err *err);

/* ---- the runs of commands and benchmarks as charts (charts_of_runs.c) ----
 *
 *     struct runs_charts m = {.r = r, .unit = svg_unit(r, NULL), .most = 2000, .make = {.arena = &arena, .out = charts}};
 *     charts_of_runs(&m, subject, reference);         // reference -1: of the subject alone
 *     if (m.make.failed) ... no memory ...            // else m.make.n charts, at most RUNS_CHARTS_MAX
 *
 * Runs are drawn as they were observed; what is estimated is handed in. Of very many runs a chart shows `most` marks: in the order of the runs the least and
 * the largest of each stretch, so that no outlier is left out. */

enum { RUNS_CHARTS_MAX = 7 };

struct runs_charts {
    const struct record *r;
    struct unit unit; /* of the deciding metric */
    int most;
    const struct shift_function *shifts; /* of each subject; NULL: none */
    bool noise_elsewhere;                /* the page's table of what disturbed the runs is of others */
    struct chart_maker make;             /* out: RUNS_CHARTS_MAX */
};

void charts_of_runs(struct runs_charts *m, int subject, int reference);

#endif
