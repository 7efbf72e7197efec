/* SPDX-License-Identifier: MIT
 *
 * render.h - what people read in the terminal, laid out from a record into a buffer.
 *
 *     struct render_options o = {.width = 80, .unicode = true, .colour = true};
 *     struct buf b = BUF_INIT(1 << 24);
 *     render_result(&record, &o, &b);
 *
 * It lays out (bins, scales, digits, line breaks, words) and computes no statistics: every figure with an assumption behind
 * it is an estimate, a comparison or a finding of the record. It reads nothing, writes nothing but the buffer, and keeps no
 * state. Failures (no memory, cap reached) are in buf.status.
 *
 * Reading the output: (a–b) is an interval at the level that the line, its column or the head names. Colour never
 * carries meaning alone. Figures stop at the digit that their uncertainty reaches.
 */
#ifndef RENDER_H
#define RENDER_H

#include "buf.h"
#include "record.h"
#include "repetition.h"

/* ---- how ---- */

enum render_sort {
    RENDER_SORT_AUTO,
    RENDER_SORT_COMMAND,
    RENDER_SORT_MEAN_TIME
}; /* auto: commands as given, the comparison by time */

struct render_options {
    int width;     /* columns of the terminal; 0 = lines as long as they need */
    bool stacked;  /* a row of a table that is wider than that takes several lines, and nothing is left out or cut for it */
    bool colour;   /* may set colours */
    bool unicode;  /* else ASCII only */
    bool live;     /* the live line is drawn */
    bool stored;   /* shown again: the exit code that the session had is not said, as it is not that of who shows it */
    bool design;   /* beside the verdicts alone: how many runs, at what level, what would decide, what qualifies benchmarks */
    int verbosity; /* -1: the verdicts alone; 0; 1: with histograms, schedule, all findings; 2: every run too */
    const char *time_unit; /* a name known to unit_named("ns", ...), or NULL: chosen by the values */
    enum render_sort sort;
};

/* hyperfine's words. auto: full on a terminal, else basic; basic: neither colour nor live line; full: both; nocolor: the live
 * line; color: colours; none: as basic (the caller shows nothing at all). */
enum render_style {
#define STYLE(id, word) RENDER_##id,
#include "styles.def"
};

struct render_terminal { /* where the text will go; NULL for a variable that is not set */
    bool is_terminal;
    int width;
    const char *no_color, *term, *lc_all, *lc_ctype, *lang;
};

/* Sets width, colour, unicode and live. NO_COLOR and TERM=dumb count for `auto` alone: a style that was asked for wins.
 * A locale that is not UTF-8 gives ASCII. What is no terminal gets no width limit. */
void render_style_apply(struct render_options *o, enum render_style style, const struct render_terminal *terminal);

/* ---- the result of a session ---- */

/* A table with the verdicts in it, a line that sums up, the two weightiest findings, warnings first. With verbosity above 0 all findings, each
 * command's lines, metrics, histogram and order of runs, the schedule of looks, the rest of each comparison; below 0 the verdicts alone, or the
 * figure of each command. */
void render_result(const struct record *r, const struct render_options *o, struct buf *out);

/* The commands in the order of that table, -1 behind the last. The caller frees it; NULL: no memory. */
int *render_order(const struct record *r, const struct render_options *o);

/* What a session says about the one it repeats: the word, each claim then and now and by what it changed, and what is not the same in
 * machine, programs and conditions. `now` holds the names; `title` says what was repeated. With verbosity below 0 the words alone. */
void render_repetition(const struct record *now, const struct repetition *found, const char *title,
                       const struct render_options *o, struct buf *out);

/* What several sessions of one plan say together: a record of analyse_sessions. */
void render_sessions(const struct record *over, const struct render_options *o, struct buf *out);

/* Two hosts side by side: records of tare system qualify. Names head the columns. */
void render_hosts(const struct record *one, const struct record *other, const char *const names[2],
                  const struct render_options *o, struct buf *out);

/* A page of charts (chart.h) as characters: its heading, then one picture below the other; nothing where the terminal has no room for one. */
struct chart_page;
void render_charts(const struct chart_page *page, const struct render_options *o, struct buf *out);

/* ---- while it runs ---- */

struct render_progress {
    const char *phase;          /* "warm-up", "setup" ...; NULL while rounds are made */
    int group, groups;          /* 0-based; groups > 1: commands that do not share rounds */
    const char *of;             /* what they are groups of: "command", "session" */
    int rounds, rounds_planned; /* made, and in all; 0: not known yet */
    double share;               /* done of all, 0 to 1, for the bar; NaN: not known */
    double elapsed_s, left_s;   /* NaN: not known */
    bool at_most;               /* left_s is a limit; else an estimate */
};

/* One line over the one before: a bar, rounds, time left, and what the last interim analysis found (from the record, never a fresh one).
 * It ends before the last column and without a line feed. Nothing is added without options.live. The caller decides when: between
 * two runs, at most ten times a second. Its cost grows with the number of commands, not of rounds. */
void render_live(const struct record *r, const struct render_progress *progress, const struct render_options *o, struct buf *out);
/* Takes the line away. */
void render_live_clear(const struct render_options *o, struct buf *out);

struct render_outlook { /* what the rest of the schedule can bring */
    int rounds_planned;
    double half_width;    /* of the ln ratio's interval, then */
    double rounds_needed; /* for one as narrow as the margin */
};

/* One sentence without a line feed: the comparison will not be decided in the time there is, and what would help. */
void render_outlook(const struct record *r, const struct comparison *c, const struct render_outlook *o, struct buf *out);

/* ---- before it runs ---- */

/* Leak targets and their rule, of a record that has no rows yet; max_time_s: of all of them. */
void render_leak_dry_run(const struct record *r, double max_time_s, const struct render_options *o, struct buf *out);

struct render_plan {
    const char *heading;          /* the first line; NULL: that nothing was executed */
    int warmup;                   /* rounds made and set aside */
    int runs;                     /* exactly so many rounds; 0: as many as the question needs */
    int first_look;               /* rounds before the first look */
    int max_rounds;               /* 0: no limit */
    double max_time_s;            /* of a group that shares rounds; NaN: no limit */
    int follow_rounds;            /* in so many of them each command runs once more, followed; 0: none, INT_MAX: all */
    int sessions;                 /* so many of all this; 0: one */
    double every_s;               /* between their starts */
    bool empty_program;           /* an empty program is run too, to weigh the spawner */
    const char *why_blocks;       /* why the commands do not share rounds; NULL: they do */
    const char *const *after_run; /* texts of own metrics' commands */
    int n_after_run;
    const char *const *untimed; /* what each command is run for once more, without being timed: "its memory over time" */
    int n_untimed;
    const char *tuned;  /* what is changed of the machine before and put back after; NULL: nothing */
    const char *traced; /* what the points of a traced program are asked to do; NULL: it is none */
};

/* Subjects with their words and hooks, and the rule, of a record that has no rows yet. */
void render_dry_run(const struct record *r, const struct render_plan *plan, const struct render_options *o, struct buf *out);

#endif
