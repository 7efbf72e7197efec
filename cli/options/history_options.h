/* SPDX-License-Identifier: MIT
 *
 * history_options.h - the options of all commands of `tare history`; a command leaves at zero what it does not have.
 *
 * `dir` is the folder as it was typed; NULL: .tare/history at the top of the repository. `class` is the name of a kind of machine; NULL: all, or
 * where results are added the one of the record. Of the exports of `display` only JSON can be asked for, and neither order nor unit.
 */
#ifndef HISTORY_OPTIONS_H
#define HISTORY_OPTIONS_H

#include "display_options.h"

/* The first of both lists are the same formats. */
enum history_format {
    HISTORY_FORMAT_CSV,
    HISTORY_FORMAT_OTAVA,                     /* CSV with a column a metric */
    HISTORY_FORMAT_ACTION,                    /* github-action-benchmark: the array of its custom tools, or its data.js */
    HISTORY_FORMAT_JSON,                      /* export only */
    HISTORY_FORMAT_AUTO = HISTORY_FORMAT_JSON /* import only */
};

struct history_options {
    struct option_base base;
    const char *dir, *class;
    struct display_options display;
    struct option_list filters, metrics; /* parts of benchmarks' names; ids; none: all */
    const char *since;                   /* a revision; NULL: from the beginning */
    const char *revision;                /* add: "HEAD"; import: of results that name none */
    const char *build;                   /* a shell command; NULL: as the sessions have it, of run: none */
    const char *benchmark;               /* bisect; NULL: SERIES names it */
    const char *good, *bad;              /* NULL: the interval of the newest nominated change */
    double margin, error;                /* ratios; error: of an entire search */
    int64_t max_time_ns;                 /* of one confirmation or step; 0: not given */
    bool confirm, yes, again, dry_run;
    int every;                   /* 1: each commit */
    int format;                  /* enum history_format */
    const char *commit_url;      /* with {rev}; NULL: commits are no links */
    const char *title;           /* NULL: the name of the repository's folder */
    const char *feed_url;        /* where the pages will be; NULL: no absolute links */
    bool accepted, wrong, fixed; /* of these and reset at most one */
    bool reset;
    const char *note, *who; /* NULL: none; git's user.name */
    const char *alias;      /* "OLD=NEW"; NULL: none */
    const char *from, *to;  /* made of it by the check */
    const char *age_text;   /* as typed */
    int64_t older_ns;       /* made of it by the check */
    int quantiles;
};

#endif
