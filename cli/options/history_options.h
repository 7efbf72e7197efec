/* SPDX-License-Identifier: MIT
 *
 * history_options.h - the options of the commands of `tare history`, one struct each.
 *
 * `dir` is the folder as it was typed; NULL: .tare/history at the top of the repository. `class` is the name of a kind of machine; NULL: all, or
 * where results are added the one of the record. Of the exports of `display` only JSON can be asked for, and neither order nor unit.
 */
#ifndef HISTORY_OPTIONS_H
#define HISTORY_OPTIONS_H

#include "display_options.h"

/* Operands: FILE..., or folders with such files. */
struct history_add_options {
    struct option_base base;
    const char *dir, *class;
    const char *revision; /* "HEAD" */
    const char *build;    /* NULL: not known */
    struct display_options display;
};

struct history_list_options {
    struct option_base base;
    const char *dir, *class;
    struct option_list filters; /* parts of benchmarks' names */
    struct display_options display;
};

/* Operand: SERIES, or none. */
struct history_show_options {
    struct option_base base;
    const char *dir, *class;
    const char *since; /* a revision; NULL: from the beginning */
    double margin;     /* a ratio */
    struct display_options display;
};

struct history_check_options {
    struct option_base base;
    const char *dir, *class;
    const char *since;          /* a revision; NULL: from the beginning */
    double margin;              /* a ratio */
    struct option_list metrics; /* ids; none: all */
    bool confirm, yes;
    const char *build;   /* NULL: as the sessions have it */
    int64_t max_time_ns; /* of one confirmation; 0: not given */
    struct display_options display;
};

/* Operands: SERIES, or none with --benchmark; then, after --, the words of tare that measure. */
struct history_bisect_options {
    struct option_base base;
    const char *dir, *class;
    const char *benchmark;  /* NULL: SERIES names it */
    const char *good, *bad; /* NULL: the interval of the newest nominated change */
    const char *build;      /* NULL: as the sessions have it */
    double margin, error;   /* ratios; error: of the whole search */
    int64_t max_time_ns;    /* of one step; 0: not given */
    bool yes;
    struct display_options display;
};

/* Operands after --: the words of tare that measure, "run", "-r", "20" ... */
struct history_run_options {
    struct option_base base;
    const char *dir, *class;
    const char *since; /* a revision; NULL: the root */
    int every;         /* 1: each commit */
    const char *build; /* NULL: none */
    bool again, dry_run;
    struct display_options display;
};

/* Operand: the folder of the pages. */
struct history_html_options {
    struct option_base base;
    const char *dir, *class;
    const char *commit_url; /* with {rev}; NULL: commits are no links */
    const char *title;      /* NULL: the name of the repository's folder */
    const char *feed_url;   /* where the pages will be, for the feed; NULL: no absolute links */
    struct display_options display;
};

/* The first of both lists are the same formats. */
enum history_format {
    HISTORY_FORMAT_CSV,
    HISTORY_FORMAT_OTAVA,                     /* CSV with a column a metric */
    HISTORY_FORMAT_ACTION,                    /* github-action-benchmark: the array of its custom tools, or its data.js */
    HISTORY_FORMAT_JSON,                      /* export only */
    HISTORY_FORMAT_AUTO = HISTORY_FORMAT_JSON /* import only */
};

/* Operands: FILE... */
struct history_import_options {
    struct option_base base;
    const char *dir, *class;
    int format;           /* enum history_format */
    const char *revision; /* of results that name none */
    struct display_options display;
};

/* Operand: FILE or none. */
struct history_export_options {
    struct option_base base;
    const char *dir, *class;
    int format;                 /* enum history_format */
    struct option_list filters; /* parts of benchmarks' names */
    struct display_options display;
};

/* Operands: SERIES REV; with --alias none. */
struct history_note_options {
    struct option_base base;
    const char *dir, *class;
    bool accepted, wrong, fixed, reset; /* at most one */
    const char *note;                   /* NULL: none */
    const char *who;                    /* NULL: git's user.name */
    const char *alias;                  /* "OLD=NEW"; NULL: none */
    const char *from, *to;              /* made of it by the check */
    struct display_options display;
};

struct history_prune_options {
    struct option_base base;
    const char *dir;
    const char *age_text; /* as typed */
    int64_t older_ns;     /* made of it by the check */
    int quantiles;
    bool dry_run;
    struct display_options display;
};

#endif
