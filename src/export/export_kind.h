/* SPDX-License-Identifier: MIT
 *
 * export_kind.h - how each kind of session (record_kinds.def) is written in the formats that differ by kind. Those of arcs and of events are of
 * traces alone.
 */
#ifndef EXPORT_KIND_H
#define EXPORT_KIND_H

#include "export.h"
#include "export_out.h"
#include "json_write.h"
#include "markup.h"

typedef enum tare_status kind_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                                    struct tare_err *err);

struct kind_export {
    /* Members of the JSON document: what results it has, in order where it is given; and what follows the scans and timelines. NULL: nothing. */
    void (*json)(struct json_write *j, struct export_out *out, const struct record *r, const int *order);
    void (*json_more)(struct json_write *j, struct export_out *out, const struct record *r);
    const char *pages; /* the title of its pictures, where the record has pages of them; NULL: it never has */
    kind_write *svg;   /* of one without pages; NULL: there is none, and why */
    const char *no_picture;
    kind_write *csv;
    /* Its results as a table in a language of markup.h; NULL: its tables are of arcs. */
    enum tare_status (*table)(const struct markup *m, const struct record *r, const struct export_options *o,
                              const struct sink *sink, struct tare_err *err);
    kind_write *markdown,
        *html; /* without pages, of a kind that has a form of its own; NULL: the table, with its picture in HTML */
};

const struct kind_export *kind_export(const struct record *r);
/* By its `table`; UNSUPPORTED of a kind without. */
enum tare_status table_write(const struct markup *m, const struct record *r, const struct export_options *o,
                             const struct sink *sink, struct tare_err *err);

/* Of commands, and of benchmarks as if they were commands. */
kind_write table_csv_write, table_svg_write;

/* ---- results that are no commands as a table: the targets of tare leak, and the figures of clocks and hosts, one in a row. In CSV numbers
 * are in base units (nanoseconds, bytes), elsewhere in the unit that fits. */

kind_write targets_csv_write, figures_csv_write;
enum tare_status targets_table_write(const struct markup *m, const struct record *r, const struct export_options *o,
                                     const struct sink *sink, struct tare_err *err);
enum tare_status figures_table_write(const struct markup *m, const struct record *r, const struct export_options *o,
                                     const struct sink *sink, struct tare_err *err);
/* Those of one kind of subject. */
enum tare_status figures_of_kind_write(const struct markup *m, const struct record *r, enum subject_kind kind,
                                       const struct sink *sink, struct tare_err *err);

#endif
