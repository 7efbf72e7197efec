/* SPDX-License-Identifier: MIT
 *
 * layout.h - inside render: symbols, hues, lines that wrap, and figures with the digits they deserve.
 *
 *     struct page p = page_over(record, options, out);
 *     flow_begin(&p, 2, 4);
 *     buf_format(&p.piece, "median %s", ...);
 *     flow_put(&p, "  ");                    // the piece goes on this line or, where it does not fit, on the next
 *     flow_end(&p);
 *     page_finish(&p);
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "buf.h"
#include "record.h"
#include "render.h"
#include "units.h"

/* ---- signs ---- */

struct symbols {
    const char *minus, *times, *plus_minus, *dots, *arrow, *infinity, *middle_dot;
    const char *levels[8];  /* of a sparkline, lowest first */
    const char *eighths[8]; /* of a bar's last cell; [0] is empty */
};

const struct symbols *symbols_for(bool unicode);

enum hue { HUE_PLAIN, HUE_BOLD, HUE_DIM, HUE_GOOD, HUE_BAD };

/* ---- a page: the record, how to show it, and the line being filled ---- */

struct page {
    const struct record *r;
    const struct render_options *o;
    const struct symbols *sym;
    struct buf *out;
    struct buf piece; /* what flow_put adds next */
    int column, hang; /* of the open line */
    bool fresh;       /* nothing stands on the line yet */
};

struct page page_over(const struct record *r, const struct render_options *o, struct buf *out);
void page_finish(struct page *p);

void hue_on(struct page *p, struct buf *b, enum hue hue);
void hue_off(struct page *p, struct buf *b, enum hue hue);

/* Begins a line at column `indent`; what does not fit goes on at column `hang`. */
void flow_begin(struct page *p, int indent, int hang);
/* Adds the piece after `gap` (dropped at the start of a line), unbroken where a whole line can hold it, and clears it. */
void flow_put(struct page *p, const char *gap);
void flow_put_hued(struct page *p, const char *gap, enum hue hue);
/* As flow_put for a text that may break at any blank. */
void flow_words(struct page *p, const char *text);
void flow_end(struct page *p);
/* Room for one name where `names` of them share a line. */
int name_columns(const struct page *p, int names);

/* ---- figures ---- */

/* Decimals down to the uncertainty's second digit, or its first where that is large (0.4 and up): a reader never sees digits
 * that say nothing. Both arguments in the unit shown. */
int figure_decimals(double value, double uncertainty);
/* NaN when an end is infinite or missing. */
double half_width(double low, double high);
/* Number with a real minus sign; signed_number with + too. An infinite end is shown as infinity. */
void put_number(struct page *p, double value, int decimals);
void put_signed(struct page *p, double value, int decimals);
void put_percent(struct page *p, double fraction); /* "95 %": as many digits as it has */
void put_unit(struct page *p, struct unit u);      /* " ms" */

/* Unit for a metric in all lines and tables of this record: fits the middle of what its medians span. */
struct unit metric_unit(const struct page *p, const char *metric);
/* "12.30 ms [12.21, 12.38]" from an estimate; without interval where it has none. */
void put_estimate(struct page *p, const struct estimate *e, struct unit u);
bool has_interval(const struct estimate *e);
bool comparison_has_interval(const struct comparison *c);
int estimate_decimals(const struct estimate *e, struct unit u);

/* The effect of a comparison as reader and word expect it: "1.82 × as fast [1.80, 1.84]", "+0.4 % [−0.8, +1.6]",
 * "−120 [−130, −110]". */
void put_effect(struct page *p, const struct comparison *c);
/* "1 %", "5 ns": the margin of a comparison. */
void put_margin(struct page *p, const struct comparison *c);

/* ---- names ---- */

/* A subject's name in quotation marks, cut to `columns`; with its number before it where two cut names would look the same. */
void put_name(struct page *p, int subject, int columns);
/* Subjects that are commands, in the order of display; returns how many. `order` has room for n_subjects. */
int subject_order(const struct page *p, enum render_sort sort, int *order);
int command_count(const struct record *r);
const char *metric_title(const struct page *p, const char *metric);

/* ---- parts of the result ---- */

void render_comparisons(struct page *p);

#endif
