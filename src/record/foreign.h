/* SPDX-License-Identifier: MIT
 *
 * foreign.h - what the readers of other tools' files share. Inside of stored_read.h; not for others.
 *
 *     foreign_subject(f, &subject, columns, n, &series);      // a name that is taken gets a number
 *     f->values[0] = ns;
 *     foreign_row(f, series, false);
 */
#ifndef FOREIGN_H
#define FOREIGN_H

#include "json_read.h"
#include "stored_read.h"

enum { FOREIGN_SUBJECTS_MAX = 4096, FOREIGN_COLUMNS_MAX = 64, FOREIGN_PARAMETERS_MAX = 64, FOREIGN_METRICS_MAX = 1000 };
enum { FOREIGN_NAME_IN_TEXT = 400 }; /* bytes of it in a sentence */

struct foreign {
    struct record *r;
    struct record_reading *out;
    struct tare_err *err;
    struct arena arena; /* until the file is read */
    double values[FOREIGN_COLUMNS_MAX];
    int64_t left_out;    /* values that could not be understood */
    double *families;    /* of google-benchmark's subjects; NULL in files of others */
    bool tests_failed;   /* the program that ran the benchmarks says so at its end */
    bool notes_left_out; /* the others are enough for one reader */
    bool at_end;         /* what is noted now is of the file as one, and has its place */
    bool units_differ;   /* of metrics of one name */
    struct {             /* benchmarks of which one value is a summary */
        const char *first;
        int n;
    } medians, means;
    struct foreign_name *names; /* of subjects, a hash table; NULL: there is none */
    struct {                    /* of foreign_cell: the row that is being gathered, its values in `values` */
        const char *benchmark, *columns[FOREIGN_COLUMNS_MAX];
        int n;
        bool gap; /* the file says of one that it has no value */
    } row;
};

struct foreign_source {
    const char *format; /* "hyperfine JSON" */
    const char *value;  /* what one value is: "one run" */
    const char *order;  /* why the order is not known, or what it was */
    const char *limits; /* what the file cannot claim, a sentence without its full stop */
    bool alternatives;
    bool sorted; /* by size: in which order the values were measured is lost */
};

enum tare_status foreign_wrong(struct foreign *f, const char *what); /* FORMAT */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void foreign_note(struct foreign *f, const char *format, ...);

/* Names that were gathered, to be found again: files may have as many as they like. */
struct foreign_names {
    const char **names;
    int n;
};
enum tare_status foreign_names_room(struct foreign *f, struct foreign_names *s, int most);
void foreign_names_sort(struct foreign_names *s); /* before the first question */
bool foreign_names_have(const struct foreign_names *s, const char *name);

enum tare_status foreign_metric(struct foreign *f, const struct metric *m);
/* Another column, unless it is there; returns how many there are then. */
int foreign_add_column(const char **columns, int n, const char *id);
/* Adds the subject with these columns. */
enum tare_status foreign_subject(struct foreign *f, const struct subject *s, const char *const *columns, int n, int *series);
/* f->values as the next row (or warm-up row) of the series. */
enum tare_status foreign_row(struct foreign *f, int series, bool warmup);
/* What a value with this unit is kept as: a time as "wall" in ns, bytes as "memory", anything else as a metric with the unit's name, of which
 * is better what the unit says ("ops/s", "MB/s": higher; "B/op": lower). */
struct foreign_unit {
    const char *column;
    double factor; /* from the file's unit to ours */
};
enum tare_status foreign_unit(struct foreign *f, const char *unit, struct foreign_unit *out);
/* The same for a metric that has a name of its own: a metric of tare under its name, with the unit or in base units where that is ""; the time
 * of an iteration as "wall". `id` NULL: by the unit alone. */
enum tare_status foreign_named_unit(struct foreign *f, const char *id, const char *unit, struct foreign_unit *out);
/* Of metrics of one name in several units, those in another unit than the first have it in theirs: "rate (ops/ms)"; foreign_finish gives the
 * first one its own, so that the order of the file names none. NULL: no memory. */
const char *foreign_metric_id(struct foreign *f, const char *id, const char *unit);
/* The subject of that name; -1: none. */
int foreign_find(const struct foreign *f, const char *name);
/* values[0] times the factor, and the others as they are, as the next row; left out and counted where values[0] is no finite number or cannot be. */
enum tare_status foreign_value(struct foreign *f, int series, double value, double factor);
/* For files that have a value after the other: those of one benchmark that follow each other are a row, until a metric comes again. A row with
 * the metrics of an earlier one of that benchmark is its next. NaN is a gap in it. Both texts live as long as f. */
enum tare_status foreign_cell(struct foreign *f, const char *benchmark, const char *column, double value);
enum tare_status foreign_cells_end(struct foreign *f);
/* A subject with one metric and the step in which its values are printed, and such a value. */
enum tare_status foreign_printed_subject(struct foreign *f, const char *name, const char *metric, int *series);
enum tare_status foreign_printed(struct foreign *f, int series, double value, double step, double factor);
enum { FOREIGN_STEP = 1 }; /* the column with its step */
/* Zeros at an end are not always printed: the step of all values is the finest of these. INFINITY: none is known, and stays so. */
void foreign_finest_step(struct series *s, int column, double finest);
double foreign_least_step(const struct series *s, int column);
/* False: a negative time, size or number of something, by the column's id. Such a value says that the file is damaged or made up: its row is
 * left out and counted (f->left_out). NaN, which is not known, is possible. */
bool foreign_possible(const char *column, double value);
/* A benchmark, or a repetition of one, failed or was skipped and has no value. */
enum tare_status foreign_failed(struct foreign *f, const char *benchmark, bool skipped, const char *reason);
/* A value of the benchmark could not be understood, or cannot be: that repetition counts as failed. */
enum tare_status foreign_left_out(struct foreign *f, const char *benchmark);
/* A benchmark of which the file has a summary alone: the median, or else the mean, is its one value, with f->values as its other columns.
 * foreign_summed: such a value was taken, which is noted at the end. */
void foreign_summed(struct foreign *f, int series, bool is_median);
bool foreign_is_summary(const struct json_value *median, const struct json_value *mean);
enum tare_status foreign_summary(struct foreign *f, int series, const struct json_value *median, const struct json_value *mean,
                                 double factor);
/* An entry without values, which is noted; a failure where no other entry of that name has values. */
enum tare_status foreign_without_values(struct foreign *f, const char *benchmark, const char *reason);
/* A fact from a JSON member when it is there: text, number or truth value. */
enum tare_status foreign_fact(struct foreign *f, struct facts *facts, const char *key, const struct json_value *v);

/* Where values are missing that the file was to have, the record is unverified: which they are may depend on what they would have been. */
enum tare_status foreign_gaps(struct foreign *f);
/* What decides: the first of the record's metrics with a column, "wall" if that is there. FORMAT when there is no row at all. Then foreign_gaps. */
enum tare_status foreign_finish(struct foreign *f);

/* A format, beside its reader; stored_read.c asks all of them, in its order. What a file is must show within its beginning. */
enum { FOREIGN_BEGINNING_MAX = 4 << 20 };
struct json_format {
    bool (*is)(const struct json_value *root);
    enum tare_status (*read)(struct foreign *f, const struct json_value *root);
    const struct foreign_source *source;
};
struct text_format {
    bool (*is)(const char *text, size_t n);                                  /* the text behind its blanks */
    enum tare_status (*read)(struct foreign *f, const char *text, size_t n); /* NULL: a record */
    const struct foreign_source *source;                                     /* NULL: its own reader finds it */
};
extern const struct json_format hyperfine_format, google_benchmark_format, pyperf_format, pytest_benchmark_format, jmh_format,
    benchmarkdotnet_format, tinybench_format, criterion_format, asv_format, lnt_format, bmf_format, action_format,
    sampler_graph_format;
extern const struct text_format go_benchmark_format, go_events_format, criterion_csv_format, otava_format, perf_stat_format,
    catch2_format, junit_format, value_lines_format, sampler_lines_format;

/* github-action-benchmark: its data.js is JSON behind this. */
#define ACTION_SCRIPT "window.BENCHMARK_DATA"
const struct json_value *action_newest(const struct json_value *suite); /* the benchmarks of its newest entry; NULL: none */
/* Whether two suites of data.js have a benchmark of one name; then all names get their suite's before them, which is NULL else. NULL: no memory. */
enum tare_status action_suites_overlap(const struct json_value *entries, struct arena *a, bool *overlap, struct tare_err *err);
const char *action_name(const char *suite, const char *benchmark, struct arena *a);

#endif
