/* SPDX-License-Identifier: MIT
 *
 * export.h - a finished record in the formats of other tools. Each format is one `struct exporter` in a file of its own and
 * one line in exporters.def.
 *
 *     const struct exporter *x = exporter_find("csv");
 *     status = exporter_write(x, &record, &(struct export_options){0}, &sink, &err);
 *
 * Keys, columns and headings of hyperfine come first, in its order and with its meaning, so that its scripts go on working;
 * ours follow. Times are seconds in JSON and CSV, one unit for the whole table in the others.
 * Exporters compute no statistics: they show the record's estimates and comparisons; what is not there is null or empty.
 * Pure but for the sink, which may be called several times. The empty program (SUBJECT_NOOP) is no result.
 */
#ifndef EXPORT_H
#define EXPORT_H

#include "record.h"
#include "sink.h"

struct shift_function;
struct trace_file;

enum { EXPORT_EVENTS = 200000 };                /* what viewers in a browser take well */
enum { ANSWER_NARROW = 38, ANSWER_WIDE = 110 }; /* columns that a telephone shows, and a page */

struct export_sessions {
    const struct record *items;
    int n;
};

struct export_options {
    const char *time_unit;     /* of tables, a name that unit_named("ns", ...) knows; NULL: fits the first command's mean */
    const char *file;          /* its name, where the format follows from it; NULL: the plain form */
    const char *title;         /* of a page; NULL: by what the record is of */
    const char *answer;        /* what tare says of it in words, lines for the head of a page; NULL: nothing */
    const char *answer_narrow; /* the same for a screen of ANSWER_NARROW columns; NULL: as it is */
    const int *order;          /* of a page: its commands as the answer has them, -1 behind the last; NULL: as in the record */
    const char *about;         /* of leaks: what their verdicts hold for, for the head of a page; NULL: nothing */
    struct export_sessions made_of[2];   /* those that the record was made of, of two sides; none: it is of a session itself */
    struct export_sessions phases;       /* of a gate: all that it measured, the record first; none: it is of no gate */
    const struct shift_function *shifts; /* of each subject, for pages; NULL: not made */
    const struct shift_function *last_shifts; /* the same of the last of phases */
    bool sort_by_mean; /* tables: fastest mean first, else the order of the record. JSON and CSV keep the record's order */
    /* of traced programs */
    double least_share; /* pictures and tables of arcs: only those with that share of the time, 0 to 1 */
    int most_arcs;      /* and at most so many, those with most time; 0: what the format has room for, tables all */
    const struct trace_file *const *traces; /* of formats of events: what the processes of a run left; NULL: there are none */
    int n_traces;
    int64_t most_events; /* of those about so many at most, as spans.h chooses them; 0: EXPORT_EVENTS; negative: all */
    /* Sentences about what is not in the file are appended here; NULL: only the file says so, where it can. */
    struct buf *left_out;
};

struct export_out;
struct events;
struct markup;
struct medians;

/* One of five: a writer of its own; a language for tables (markup.h); what it writes of each traced program (arcs_export.h), of the events of a run (events_export.h), of the medians of
 * commands (medians.h). */
struct exporter {
    const char *name;      /* "json" */
    const char *extension; /* of files, without a point */
    enum tare_status (*write)(const struct record *r, const struct export_options *o, const struct sink *sink,
                              struct tare_err *err);
    const struct markup *markup;
    enum tare_status (*arcs)(struct export_out *out, const struct record *r, int subject, const struct export_options *o,
                             struct arena *arena);
    enum tare_status (*events)(struct events *e, const struct sink *sink, struct tare_err *err);
    void (*medians)(struct export_out *out, const struct medians *m);
    bool spans; /* events: the single ones, not sums alone */
};

enum tare_status exporter_write(const struct exporter *x, const struct record *r, const struct export_options *o,
                                const struct sink *sink, struct tare_err *err);

const struct exporter *exporter_at(int index); /* NULL past the end; in the order of exporters.def */
const struct exporter *exporter_find(const char *name);

#endif
