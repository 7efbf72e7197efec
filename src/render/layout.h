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
#include "verdict_text.h"

enum hue { HUE_PLAIN, HUE_BOLD, HUE_DIM, HUE_GOOD, HUE_BAD };

struct known_unit {
    const char *metric;
    struct unit unit;
};

/* ---- a page: the record, how to show it, and the line being filled ---- */

struct page;
typedef void put_listed(const struct page *p, int index, struct buf *name); /* puts nothing for what is not shown */

struct name_cuts { /* of the list of names that was asked for last: how each looks when cut, as a hash, in its order */
    put_listed *put;
    int columns, n;
    struct name_cut {
        uint64_t hash;
        int index;
    } * at;
};

struct page {
    const struct record *r;
    const struct render_options *o;
    struct buf *out;
    struct buf piece;            /* what flow_put adds next */
    int column, indent, hang;    /* of the open line */
    bool fresh;                  /* nothing stands on the line yet */
    const char *told;            /* the reason of all verdicts, which is said below them; NULL */
    struct known_unit units[16]; /* chosen so far */
    int n_units;
    struct name_cuts cuts;
};

struct page page_over(const struct record *r, const struct render_options *o, struct buf *out);
void page_finish(struct page *p);
void piece_clear(struct page *p);
/* Where only ASCII may be shown: our own signs in the piece become their twins, whatever else is none an escape. Pieces are written in UTF-8. */
void piece_adapt(struct page *p);

void hue_on(struct page *p, struct buf *b, enum hue hue);
void hue_off(struct page *p, struct buf *b, enum hue hue);

/* Begins a line at column `indent`; what does not fit goes on at column `hang`. */
void flow_begin(struct page *p, int indent, int hang);
/* Adds the piece after `gap` (dropped at the start of a line), unbroken where a whole line can hold it, and clears it. */
void flow_put(struct page *p, const char *gap);
void flow_put_hued(struct page *p, const char *gap, enum hue hue);
/* As flow_put_hued for a text that may break at any blank. */
void flow_spread(struct page *p, const char *gap, enum hue hue);
/* The piece as a paragraph of its own, at column `indent` and two further in; nothing where it is empty. */
void flow_line(struct page *p, int indent, enum hue hue);
/* Begins a line at `indent`, which goes on at `hang`, with this text; what belongs to it follows. */
void flow_label(struct page *p, int indent, int hang, const char *text, enum hue hue);
/* The piece becomes the next part of a line of parts, " · " between them, that flow_begin(p, 2, 4) began. */
void summary_part(struct page *p);
BUF_FORMATS(2, 3) void summary_format(struct page *p, const char *format, ...); /* with this behind it */
void put_two_sessions(struct page *p);               /* the part of what two sessions or sets rest on */
const char *drift_words(const struct comparison *c); /* of stored sessions: "not interleaved", "no drift assumed" */
/* "! partial:", which flow_rest ends. */
void flow_warning(struct page *p, const char *label);
/* The piece behind a blank ends the paragraph. */
void flow_rest(struct page *p);
/* What follows begins a new line of the same paragraph. */
void flow_break(struct page *p);
/* Ends the paragraph; nothing is left of one into which nothing was put. */
void flow_end(struct page *p);
/* A blank line, unless the page is still empty. */
void blank_line(struct page *p);
void gap_of_stacked(struct page *p); /* before a line that a row of several lines would take for its own */
/* The width that names are cut for; 0: they are not. */
int cutting_width(const struct page *p);
/* Room for one name where `names` of them share a line. */
int name_columns(const struct page *p, int names);

/* ---- figures ---- */

const char *base_unit(const struct record *r, const char *metric); /* "ns", "bytes", "1" */
/* Unit for a metric in all lines and tables of this record: fits the middle of what its medians span. */
struct unit metric_unit(struct page *p, const char *metric);
bool is_known(const struct estimate *e); /* it is there and has a value */
/* Of the metric that decides: the median, in the published method the mean; NULL: none. */
const struct estimate *lead_estimate(const struct page *p, int subject);
/* Of an estimate with the digits of its interval, nothing where it is not known: "12.30", "12.30 ms (12.21–12.38)". */
void put_point(struct page *p, const struct estimate *e, struct unit u);
void put_estimate(struct page *p, const struct estimate *e, struct unit u);
/* "27.1 ns" behind `before`, in the unit that fits it; "not measurable (REASON)" where it has no value; nothing where there is none. */
void put_figure(struct page *p, int subject, const char *before, const char *metric, const char *statistic, int digits);
/* "1.20 ms": in a unit of its own, three digits. */
void put_time(struct page *p, double ns);
/* The unit for one value: --time-unit for times, else the one that fits. */
struct unit page_unit(const struct page *p, const char *base, double value);
bool has_interval(const struct estimate *e);
/* What ended the runs of --method georges: their interval, their number, or neither of the two, as the session's time or a signal. */
void put_georges_end(struct buf *out, const struct rule *rule, const struct estimate *mean);
/* All values are alike: an interval would claim what needs no claim. */
bool is_exact(const struct page *p, const struct estimate *e);
const char *exact_word(const struct page *p, const struct estimate *e);
/* e: of the metric, may be NULL. */
const char *why_no_value(const struct page *p, const struct estimate *e, int subject, const char *metric);
bool comparison_has_interval(const struct comparison *c);
/* " over 5 interim analyses"; " over all interim analyses" where their number was not planned; nothing for one. */
void put_looks(struct page *p);
int estimate_decimals(const struct estimate *e, struct unit u);
/* In a column: the digits of the interval, and at most three; of a range beside it more where its ends would read alike. */
int column_decimals(const struct estimate *e, struct unit u);
int range_decimals(const struct estimate *beside, double low, double high, struct unit u);
/* "131–178" */
void put_column_range(struct page *p, const struct estimate *beside, double low, double high, struct unit u);
/* The unit for an estimate by itself: a row may take nanoseconds and the next one seconds. */
struct unit estimate_unit(const struct page *p, const struct estimate *e);
void put_in_own_unit(struct page *p, const struct estimate *e); /* "12.3 ms"; nothing where it is not known */
/* Beside it, dim: its interval or "exact"; where no row has an interval, the range of what was observed. */
void put_own_range(struct page *p, const struct estimate *e, bool any_interval);

/* The effect of a comparison where no verdict stands beside it (verdict_put_effect where one does): "1.82× faster (1.80–1.84)", "same +0.4 % (−0.8 to +1.6)", "invalid", "ratio 1.2 in 1 round". */
void put_answer(struct page *p, const struct comparison *c);
extern const char *const spark_levels[8]; /* "▁" to "█" */
/* A horizontal bar of so many columns, in eighths of one where the signs exist; what is above 0 shows. */
void put_bar(struct page *p, double columns);
/* "1 %", "5 ns": the margin of a comparison. */
void put_margin(struct page *p, const struct comparison *c);

/* ---- names ---- */

/* A subject's name in quotation marks, cut to `columns`; with its number before it where two cut names would look the same. */
void put_name(struct page *p, int subject, int columns);
/* The same without quotation marks, cut so that what tells it from names like it stays, or with its number. */
void put_short_name(struct page *p, int subject, int columns);
/* As that, of any names that stand below each other. */
struct name_list {
    int n;
    bool all_differ; /* else two that are equal mean the same */
    put_listed *put;
    int (*number)(const struct record *r, int index); /* NULL: its place in the list */
};
void put_listed_name(struct page *p, const struct name_list *list, int index, int columns);
void put_cut(struct page *p, const char *text, int columns);                 /* masked and cut; 0 columns: uncut */
void put_name_part(struct page *p, const char *text, size_t n, int columns); /* n bytes of it likewise */
/* Subjects that are commands, in the order of display, *n of them. Freed by the caller; *n is 0 (and p->out has a status)
 * without memory. */
int *subject_order(struct page *p, enum render_sort sort, int *n);
/* Likewise, as the table of commands has them: by time, unless they are two, are scanned, or the reader wants another order. */
int *table_order(struct page *p, int *n);
bool is_scan_of_commands(const struct record *r); /* all have parameters, and are more than two */
struct ranked {
    double key;
    int index;
};
/* By rising key, NaN last, equal ones by index. */
void sort_ranked(struct ranked *items, int n);
/* The first subject of this kind that has an estimate of this metric, -1: none. */
int subject_with(const struct page *p, enum subject_kind kind, const char *metric);
int command_count(const struct record *r);
int asked_count(const struct record *r);                         /* without anchors */
const char *role_of(const struct record *r, int subject);        /* "reference" of a comparison, "anchor", or "" */
int command_number(const struct record *r, int subject);         /* 1-based, as the commands were given */
void put_title(struct page *p, const char *metric, int columns); /* its title, cut to `columns`; 0: whole */
void put_text(struct page *p, const char *text);                 /* a sentence or word of the record, masked; NULL adds nothing */

/* ---- revisions ---- */

bool has_revisions(const struct record *r);
/* What was checked out and built for the commands; nothing where no revisions were measured. */
void render_revisions(struct page *p);

/* ---- tables ----
 *
 *     table_begin(&t, &page, columns, 3);
 *     for (...) {
 *         put_name(&page, subject, 20);       // into the piece
 *         table_cell(&t);                     // which becomes the next cell, row by row
 *         table_format(&t, "%d", rounds);
 *         table_cell(&t);                     // an empty one
 *     }
 *     table_end(&t, 2);
 */

enum {
    TABLE_KEPT = 1000, /* a weight: left out only where all of its cells are empty */
    TABLE_NEVER = -1   /* likewise: not shown, though its cells are put as those of the others */
};

enum table_side { SIDE_LEFT, SIDE_RIGHT, SIDE_POINT }; /* POINT: decimal points stand below each other */

struct table_column {
    const char *title;
    enum table_side side;
    int weight; /* how much it is worth: where the lines are too long the column of least weight goes first; 0 never */
};

enum { TABLE_COLUMNS_MAX = 20 };

struct table {
    struct page *p;
    struct table_column columns[TABLE_COLUMNS_MAX];
    int n_columns;
    struct arena arena;
    const char **cells; /* row by row */
    int n_cells, room;
    bool headed; /* the title of the names says more than what they are: it stands above rows of several lines too */
    bool failed;
};

void table_begin(struct table *t, struct page *p, const struct table_column *columns, int n_columns);
/* One more, to the right of the others; before the first cell. */
void table_column(struct table *t, struct table_column column);
/* The piece as a text that lives as long as the table: for titles that are made up. Never NULL. */
const char *table_text(struct table *t);
/* A column with the piece for its title. */
void table_titled(struct table *t, enum table_side side, int weight);
/* "95 % CI", "change (95 % CI)": by the level of the session. */
const char *interval_title(struct table *t, const char *before, const char *after);
/* "change (95 % CI)"; "change" where no comparison has an interval. */
const char *change_title(struct table *t);
/* The piece, with this behind it, becomes the next cell. */
void table_cell(struct table *t);
BUF_FORMATS(2, 3) void table_format(struct table *t, const char *format, ...);
/* The piece becomes the last cell of its row, which goes on to the end of the line and widens no column. */
void table_rest(struct table *t);
/* Cells of a comparison, empty of NULL: the effect with its interval, what was observed where there is none, or that it is refused; the verdict's
 * word where the effect does not say it. `brief`, where there is no room for both: an open verdict without its figures, and no second cell. */
void verdict_cells(struct table *t, const struct comparison *c, bool brief);
/* As these, of what a row about a subject has: of what is no comparison its role. */
void subject_verdict_cells(struct table *t, int subject, bool brief);
void min_cell(struct table *t, int subject); /* in the unit of the lead without saying it; nothing of a single value */
void undisturbed_cell(
    struct table *t, int subject); /* with --on-dirty=drop: the median of those runs; of all where nobody knows which these are */
void anchor_cell(struct table *t, int subject); /* "1.94 (1.93–1.95)", "anchor"; nothing where it has none */
/* Columns that the widest line leaves at this width, once what does not fit is hidden; below 0 where it does not fit even so. */
int table_room(const struct table *t, int indent);
/* Writes head and rows at column `indent`, nothing of a table without rows, and frees it. */
void table_end(struct table *t, int indent);
void table_drop(struct table *t); /* frees it unwritten */

/* ---- parts of the result; each writes whole lines ---- */

void render_traces(struct page *p);       /* arcs, with what is to be known of all of them */
void render_leaks(struct page *p);        /* targets, each with what is claimed of it */
void render_machine(struct page *p);      /* all that is known of it, as tare clock -v shows it */
void render_machine_line(struct page *p); /* the same in one line */
void render_clock_result(struct page *p); /* all of it, for a record of clocks */
void render_host_result(struct page *p);  /* what a host is good for and what it is like, without the sessions and the findings */

void render_benchmarks(struct page *p);        /* all of them, with one line that sums up, and what qualifies them */
void render_benchmark_details(struct page *p); /* for -v: the list behind a table of pairs, and each by itself */
void render_against_itself(struct page *p);    /* what sessions of commands or benchmarks against themselves say; --aa */
/* Whether false positives are as rare as allowed, by the interval of their share: "undecided: 1 of 40 verdicts was a false positive (0.1–13.2 %), at
 * most 5 % allowed; WAY ON". `errors` is the count in words. And the verdict alone: "unfit", "good", "undecided". */
void render_error_rate(struct page *p, const char *errors, double low, double high, double allowed, const char *way_on);
const char *error_rate_verdict(double low, double high, double allowed);
int error_rate_trials(double level, double allowed); /* of so many without an error the interval ends at what is allowed */
void render_command(struct page *p, int subject);
void render_disturbed(struct page *p, int subject);               /* how many of its runs were, where that matters */
void render_undisturbed(struct page *p, int subject, int indent); /* the figures of the others; nothing where all were quiet */
void render_account(struct page *p, int subject);                 /* all of it */
void render_comparisons(struct page *p);
bool metric_is_asked(const char *metric); /* it is none of those that every run has */
/* "1.10 × anchor": the geometric mean over the sessions, of which the comparison is. False: it is of the values themselves, and nothing was put. */
bool put_multiple_of_anchor(struct page *p, const struct comparison *c, int subject);
void put_ratio_to_anchor(struct page *p, int subject); /* "1.94 (1.93–1.95)"; nothing where it has none */
const char *short_reason(const struct comparison *c);  /* for one line; NULL: nothing more is to be said */
const char *reason_of_several(const char *why);        /* what short_reason gave, of more than one comparison */
/* Of those that more rounds may decide the one that needs most; NULL: there is none. */
const struct comparison *hardest_comparison(const struct record *r);
/* A number of rounds or processes that is an estimate: 311 is 320. */
double two_digits_up(double n);
/* A ratio that passes a limit of so much, in few digits: .104 is 11 %, .0662 is 6.7 %. */
double upper_bound(double ratio);
bool can_project(const struct comparison *c); /* it is known how many rounds would decide */
void put_way_on(struct page *p, const struct comparison *c, bool duration);
/* "2 faster, 0 slower, 1 same": how often each verdict was reached, n[VERDICTS]; "2 less, 0 more" where they are not of times. */
enum { VERDICTS = VERDICT_LIKELY_SAME + 1 };
void put_verdict_counts(struct page *p, const int *n, bool of_times);
/* "! undecided:", "! no verdict:", which what it is true of and why follows. */
void warn_of_verdict(struct page *p, enum verdict v);
struct run_counts {
    int least, most, warmup, untimed, followed;
};
struct run_counts count_runs(const struct record *r); /* over the commands */
void render_command_table(struct page *p);  /* a line each, with the verdicts; of a single one a histogram of one line below */
void render_lead_lines(struct page *p);     /* the figure of each command in a line, for -q */
void render_pair_table(struct page *p);     /* of two stored sessions, a line a pair */
void render_interruption(struct page *p);   /* that the session did not come to its end, in one line; nothing where it did */
void render_run_design(struct page *p);     /* what was measured, in one line */
void render_run_summary(struct page *p);    /* the same, and why there is no verdict */
void render_verdicts(struct page *p);       /* a line each, without anything else */
void render_timelines(struct page *p);      /* memory over time */
void render_timeline_peaks(struct page *p); /* the same in a line each, for -q */
/* Of a scan: the growth with each parameter, with what was found about it (GROWTH_FINDING), and a picture. */
void render_growth(struct page *p);
#define GROWTH_FINDING "not_a_power"
void render_findings(struct page *p);
void render_runs(struct page *p, int subject);

#endif
