/* SPDX-License-Identifier: MIT */
#include "csv_read.h"
#include <string.h>

enum { FIELD_MAX = 1 << 20 };

struct csv_reader csv_reader_over(const char *text, size_t n, struct arena *a)
{
    return (struct csv_reader){.at = text, .end = text + n, .arena = a};
}

static bool at_end(const struct csv_reader *c)
{
    return c->at == c->end;
}

static bool line_ends(const struct csv_reader *c)
{
    return at_end(c) || *c->at == '\n' || *c->at == '\r';
}

static void take_line_end(struct csv_reader *c)
{
    if (!at_end(c) && *c->at == '\r')
        c->at++;
    if (!at_end(c) && *c->at == '\n')
        c->at++;
    c->line++;
}

/* Behind the opening quotation mark. False: it is not closed. */
static bool take_quoted(struct csv_reader *c, struct buf *field)
{
    for (; !at_end(c); c->at++) {
        c->line += *c->at == '\n';
        if (*c->at != '"') {
            buf_char(field, *c->at);
            continue;
        }
        if (++c->at == c->end || *c->at != '"')
            return true;
        buf_char(field, '"');
    }
    return false;
}

static const char *kept_field(const struct csv_reader *c, struct buf *field)
{
    const char *text = buf_text(field);
    const bool guarded = text[0] == '\'' && text[1] && strchr("=+-@\t\r", text[1]);
    const char *kept = field->status || memchr(text, 0, field->len) ? NULL : arena_strdup(c->arena, text + guarded);
    buf_finish(field);
    return kept;
}

/* NULL: FORMAT. */
static const char *take_field(struct csv_reader *c)
{
    struct buf field = BUF_INIT(FIELD_MAX);
    if (at_end(c) || *c->at != '"') {
        const char *from = c->at;
        while (!line_ends(c) && *c->at != ',')
            c->at++;
        buf_add(&field, from, (size_t)(c->at - from));
        return kept_field(c, &field);
    }
    c->at++;
    const bool closed = take_quoted(c, &field);
    const char *kept = kept_field(c, &field);
    return closed && (line_ends(c) || *c->at == ',') ? kept : NULL;
}

static enum tare_status refuse_line(const struct csv_reader *c, const char *why, struct tare_err *err)
{
    return err_set(err, TARE_FORMAT, "line %ld: %s", c->line + 1, why);
}

enum tare_status csv_reader_head(struct csv_reader *c, struct tare_err *err)
{
    c->names = arena_array(c->arena, CSV_COLUMNS_MAX, sizeof *c->names);
    c->fields = arena_array(c->arena, CSV_COLUMNS_MAX, sizeof *c->fields);
    if (!c->names || !c->fields)
        return err_set(err, TARE_NO_MEMORY, "out of memory");
    if (c->end - c->at >= 3 && !memcmp(c->at, "\xef\xbb\xbf", 3))
        c->at += 3;
    for (bool more = !line_ends(c); more; c->at += more) {
        const char *name = c->n < CSV_COLUMNS_MAX ? take_field(c) : NULL;
        if (!name)
            return refuse_line(c, "no names of columns", err);
        c->names[c->n++] = name;
        more = !at_end(c) && *c->at == ',';
    }
    if (!c->n)
        return refuse_line(c, "no names of columns", err);
    take_line_end(c);
    return TARE_OK;
}

enum tare_status csv_reader_next(struct csv_reader *c, bool *more, struct tare_err *err)
{
    while (!at_end(c) && line_ends(c))
        take_line_end(c);
    *more = !at_end(c);
    for (int i = 0; *more && i < c->n; i++) {
        c->fields[i] = take_field(c);
        const bool last = i == c->n - 1;
        if (!c->fields[i] || (last ? !line_ends(c) : at_end(c) || *c->at != ','))
            return refuse_line(c, "the number of fields is not that of the first line", err);
        c->at += !last;
    }
    if (*more)
        take_line_end(c);
    return TARE_OK;
}

static int column_of(const struct csv_reader *c, const char *name)
{
    int i = 0;
    while (i < c->n && strcmp(c->names[i], name) != 0)
        i++;
    return i;
}

bool csv_reader_has(const struct csv_reader *c, const char *name)
{
    return column_of(c, name) < c->n;
}

const char *csv_reader_field(const struct csv_reader *c, const char *name)
{
    const int column = column_of(c, name);
    return column < c->n ? c->fields[column] : NULL;
}
