/* SPDX-License-Identifier: MIT
 *
 * export_kind.h - how each kind of session (record_kinds.def) is written in the formats that differ by kind. Formats that are a table of commands
 * alone ask for `table`; those of arcs and of events are of traces alone.
 */
#ifndef EXPORT_KIND_H
#define EXPORT_KIND_H

#include "export.h"
#include "export_out.h"
#include "json_write.h"

typedef enum tare_status kind_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                                    struct tare_err *err);

struct kind_export {
    /* Members of the JSON document: what results it has, in order where it is given; and what follows the scans and timelines. NULL: nothing. */
    void (*json)(struct json_write *j, struct export_out *out, const struct record *r, const int *order);
    void (*json_more)(struct json_write *j, struct export_out *out, const struct record *r);
    kind_write *svg, *csv, *markdown;
    bool table; /* its results are a table of commands, or of benchmarks as if they were commands */
};

const struct kind_export *kind_export(const struct record *r);

/* UNSUPPORTED: the format is a table of commands, and the record is of something else. */
kind_write kind_refuse;

/* Of a record that has such a table. */
kind_write table_csv_write, table_markdown_write, table_asciidoc_write, table_orgmode_write, table_svg_write;

#endif
