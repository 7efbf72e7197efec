/* SPDX-License-Identifier: MIT
 *
 * CSV of otava: a line a commit with the columns "time" and "commit", attributes, and a column a metric. The last line that has a value is read; all are
 * what a history takes. A column "parse [rss]", as tare writes it, is that metric of parse.
 */
#include "csv_read.h"
#include "decimal_read.h"
#include "foreign.h"
#include "same_text.h"
#include <string.h>

static const struct foreign_source source = {
    .format = "otava CSV",
    .value = "the figure of one commit",
    .order = "unknown: the file has one figure for each commit",
    .limits = "otava's CSV has one figure for each metric, without unit and spread",
};

enum { HEAD_MAX = 1 << 16 };

static bool has_word(const char *line, size_t n, const char *word)
{
    const size_t m = strlen(word);
    for (size_t at = 0, end; at < n; at = end + 1) {
        const char *comma = memchr(line + at, ',', n - at);
        end = comma ? (size_t)(comma - line) : n;
        if (end - at == m && !memcmp(line + at, word, m))
            return true;
    }
    return false;
}

static bool otava_file(const char *text, size_t n)
{
    const char *end = memchr(text, '\n', n < HEAD_MAX ? n : HEAD_MAX);
    size_t length = end ? (size_t)(end - text) : 0;
    length -= length && text[length - 1] == '\r';
    return has_word(text, length, "time") && has_word(text, length, "commit");
}

static bool is_attribute(const char *column)
{
    static const char *const names[] = {"time", "commit", "branch", "version", "test_name"};
    return text_among(column, names, sizeof names / sizeof *names);
}

static bool is_number(const char *text, double *value)
{
    return decimal_read(text, strlen(text), value);
}

/* What is a metric shows in its values: an attribute may have any name. */
static bool has_value(const struct csv_reader *c, const char *const *fields, int i)
{
    double value;
    return !is_attribute(c->names[i]) && is_number(fields[i], &value);
}

static enum tare_status read_line(struct foreign *f, const struct csv_reader *c, const char *const *fields)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < c->n && !status; i++) {
        const char *benchmark;
        struct foreign_unit to;
        double value;
        if (!has_value(c, fields, i))
            continue;
        const char *id = series_name_split(&f->arena, c->names[i], &benchmark);
        status = benchmark ? foreign_named_unit(f, id, "", &to) : err_no_memory(f->err);
        if (!status && is_number(fields[i], &value))
            status = foreign_cell(f, benchmark, to.column, value);
    }
    return status;
}

static bool keep_line(const struct csv_reader *c, const char **kept)
{
    bool any = false;
    for (int i = 0; i < c->n && !any; i++)
        any = has_value(c, c->fields, i);
    if (any)
        memcpy(kept, c->fields, (size_t)c->n * sizeof *kept);
    return any;
}

static enum tare_status otava_read(struct foreign *f, const char *text, size_t n)
{
    struct csv_reader c = csv_reader_over(text, n, &f->arena);
    enum tare_status status = csv_reader_head(&c, f->err);
    if (!status && csv_reader_has(&c, "benchmark") && csv_reader_has(&c, "value"))
        return foreign_wrong(f, "CSV with a line for each result of a history; tare history import reads it");
    const char **kept = status ? NULL : arena_array(&f->arena, (size_t)c.n, sizeof *kept);
    int lines = 0;
    if (!status && !kept)
        status = err_no_memory(f->err);
    for (bool more = true; !status && more;) {
        status = csv_reader_next(&c, &more, f->err);
        if (!status && more)
            lines += keep_line(&c, kept);
    }
    if (lines > 1)
        foreign_note(f, "only the last of %d lines was read; tare history import reads those of all commits", lines);
    if (!status && lines)
        status = read_line(f, &c, kept);
    return status ? status : foreign_cells_end(f);
}

const struct text_format otava_format = {otava_file, otava_read, &source};
