/* SPDX-License-Identifier: MIT
 *
 * Lines of values: "12.5", "12.5 ms", "sort 12.5" or "sort by name 12.5 ms". Empty lines and those that begin with # say nothing. Lines of one name
 * are values of one subject; without a name that is "value". The unit is that of the name's first line; a later line may have another of its
 * scale (us, ms), and one of another scale is left out. One that is cut at the end says nothing.
 */
#include "foreign.h"
#include "own_metric.h"
#include <string.h>

static const struct foreign_source source = {
    .format = "lines of values",
    .value = "one line",
    .order = "as the lines stand",
    .limits = "lines of values say nothing of how they were measured, or where",
};

enum { LINE_MAX = 1 << 14, LOOKED_AT_MAX = 4 << 20 };

struct value_line {
    char text[LINE_MAX]; /* name, closed */
    const char *unit;    /* in text */
    double value, step;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool read_number(const char *text, struct value_line *v)
{
    const struct own_metric plain = {.unit = "1", .given = "", .factor = 1};
    size_t n = strlen(text);
    return n && text[strspn(text, "0123456789+-.eE")] == 0 && own_number(&plain, text, n, &v->value, &v->step);
}

/* The last word of what begins at `text`, cut off it. */
static char *cut_word(char *text)
{
    size_t n = strlen(text);
    while (n && is_blank(text[n - 1]))
        n--;
    text[n] = 0;
    while (n && !is_blank(text[n - 1]))
        n--;
    return text + n;
}

static bool split_line(struct value_line *v, const char *line, size_t n)
{
    if (n >= LINE_MAX || memchr(line, 0, n))
        return false;
    memcpy(v->text, line, n);
    v->text[n] = 0;
    char *word = cut_word(v->text);
    v->unit = "";
    if (!read_number(word, v)) {
        if (word == v->text)
            return false;
        v->unit = word;
        word[-1] = 0;
        word = cut_word(v->text);
        if (!read_number(word, v) || strlen(v->unit) > OWN_UNIT_BYTES)
            return false;
    }
    *word = 0;
    cut_word(v->text); /* blanks at the name's end */
    size_t digits = strspn(v->text, "0123456789+-.eE");
    return !digits || (v->text[digits] && !is_blank(v->text[digits])); /* else a table of numbers */
}

/* The next line that says something; false: none. */
static bool next_line(const char *text, size_t n, size_t *at, const char **line, size_t *length)
{
    while (*at < n) {
        const char *start = text + *at, *end = memchr(start, '\n', n - *at);
        size_t size = end ? (size_t)(end - start) : n - *at;
        *at += size + 1;
        for (; size && is_blank(*start); size--)
            start++;
        for (; size && is_blank(start[size - 1]); size--)
            ;
        if (size && *start != '#') {
            *line = start;
            *length = size;
            return true;
        }
    }
    return false;
}

static bool value_lines_file(const char *text, size_t n)
{
    struct value_line v;
    const char *line;
    size_t length, at = 0;
    int values = 0;
    n = n < LOOKED_AT_MAX ? n : LOOKED_AT_MAX;
    if (memchr(text, 0, n))
        return false; /* no text, be it in a comment */
    while (next_line(text, n, &at, &line, &length)) {
        if (split_line(&v, line, length))
            values++;
        else if (at <= n) /* else it may be cut */
            return false;
    }
    return values > 0;
}

/* Ones are exact where they are counted, and rounded where they are of a larger unit or measured. */
static double step_of(const struct value_line *v)
{
    return v->step > 0 ? v->step : own_scaled_behind(v->unit, strlen(v->unit)) ? 1 : 0;
}

static enum tare_status read_line(struct foreign *f, const struct value_line *v)
{
    const char *name = *v->text ? v->text : "value";
    struct foreign_unit unit;
    int series = foreign_find(f, name);
    enum tare_status status = foreign_unit(f, v->unit, &unit);
    if (!status && series < 0)
        status = foreign_printed_subject(f, name, unit.column, &series);
    if (status)
        return status;
    if (!strcmp(f->r->series[series].columns[0], unit.column))
        return foreign_printed(f, series, v->value, step_of(v), unit.factor);
    foreign_note(f, "'%s' has values in %s beside others, which were left out", name, *v->unit ? v->unit : "no unit");
    return foreign_left_out(f, name);
}

static enum tare_status value_lines_read(struct foreign *f, const char *text, size_t n)
{
    struct value_line v;
    const char *line;
    size_t length, at = 0;
    enum tare_status status = TARE_OK;
    while (!status && next_line(text, n, &at, &line, &length)) {
        if (split_line(&v, line, length))
            status = read_line(f, &v);
        else
            f->left_out++;
    }
    for (int i = 0; i < f->r->n_subjects; i++)
        foreign_finest_step(&f->r->series[i], FOREIGN_STEP, foreign_least_step(&f->r->series[i], FOREIGN_STEP));
    return status;
}

const struct text_format value_lines_format = {value_lines_file, value_lines_read, &source};
