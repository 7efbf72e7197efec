/* SPDX-License-Identifier: MIT
 *
 * csv_read.h - reads a CSV file (RFC 4180) record by record, with the names of its columns.
 *
 *     struct csv_reader c = csv_reader_over(text, n, arena);
 *     status = csv_reader_head(&c, &err);
 *     while ((status = csv_reader_next(&c, &more, &err)) == TARE_OK && more)
 *         ... csv_reader_field(&c, "commit") ...              // NULL: there is no such column; "": empty
 *
 * The text is not trusted. An apostrophe that quote_csv has put before what looks like a formula is taken away.
 */
#ifndef CSV_READ_H
#define CSV_READ_H

#include "arena.h"
#include <stdbool.h>
#include <tare/status.h>

enum { CSV_COLUMNS_MAX = 10000 };

struct csv_reader {
    const char *at, *end;
    struct arena *arena;
    const char **names, **fields; /* n each */
    int n;
    long line; /* of the record that was read last */
};

struct csv_reader csv_reader_over(const char *text, size_t n, struct arena *a);
enum tare_status csv_reader_head(struct csv_reader *c, struct tare_err *err); /* FORMAT: no columns, or too many */
/* FORMAT: a record with another number of fields, which err names by its line. Blank lines are none. */
enum tare_status csv_reader_next(struct csv_reader *c, bool *more, struct tare_err *err);
bool csv_reader_has(const struct csv_reader *c, const char *name); /* such a column */
const char *csv_reader_field(const struct csv_reader *c, const char *name);

#endif
