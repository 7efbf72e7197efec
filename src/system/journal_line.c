/* SPDX-License-Identifier: MIT */
#include "journal_line.h"
#include "crc.h"
#include "whole.h"
#include <string.h>

enum { CHECKSUM_DIGITS = 8 };

/* ---- writing ---- */

static void write_field(struct buf *out, const char *field)
{
    if (!field) {
        buf_str(out, "\\-");
        return;
    }
    for (const unsigned char *p = (const unsigned char *)field; *p; p++) {
        if (*p == '\\')
            buf_str(out, "\\\\");
        else if (*p == '\t')
            buf_str(out, "\\t");
        else if (*p == '\n')
            buf_str(out, "\\n");
        else if (*p == '\r')
            buf_str(out, "\\r");
        else if (*p < 0x20 || *p == 0x7f)
            buf_format(out, "\\x%02x", (unsigned)*p);
        else
            buf_char(out, (char)*p);
    }
}

void journal_line_write(struct buf *out, int n, const char *const *fields)
{
    struct buf body = BUF_INIT(out->cap);
    for (int i = 0; i < n; i++) {
        buf_str(&body, i ? "\t" : "");
        write_field(&body, fields[i]);
    }
    if (body.status && !out->status)
        out->status = body.status;
    buf_format(out, "%08x\t", (unsigned)crc_of(buf_text(&body), body.len));
    buf_add(out, buf_text(&body), body.len);
    buf_char(out, '\n');
    buf_finish(&body);
}

/* ---- reading ---- */

static bool hexadecimal(const char *digits, int n, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < n; i++) {
        const char *known = "0123456789abcdef", *at = digits[i] ? strchr(known, digits[i]) : NULL;
        if (!at)
            return false;
        *out = *out << 4 | (uint32_t)(at - known);
    }
    return true;
}

/* The byte that an escape stands for, 0 for none; *p moves to its last character. */
static char escaped(const char **p, const char *end)
{
    uint32_t byte;
    switch (**p) {
    case '\\':
        return '\\';
    case 't':
        return '\t';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 'x':
        if (end - *p < 3 || !hexadecimal(*p + 1, 2, &byte))
            return 0;
        *p += 2;
        return (char)byte;
    default:
        return 0;
    }
}

/* Text at [from, end) in its place, closed by a zero. */
static bool unescape(char *from, const char *end, const char **field)
{
    char *to = from;
    if (end - from == 2 && !memcmp(from, "\\-", 2)) {
        *field = NULL;
        return true;
    }
    for (const char *p = from; p < end; p++) {
        char c = *p;
        if (c == '\\' && ++p < end)
            c = escaped(&p, end);
        else if (c == '\\')
            return false;
        if (!c)
            return false;
        *to++ = c;
    }
    *to = 0;
    *field = from;
    return true;
}

bool journal_line_read(struct journal_line *out, char *text, size_t n)
{
    uint32_t sum;
    *out = (struct journal_line){.n = 0};
    if (n < CHECKSUM_DIGITS + 1 || !hexadecimal(text, CHECKSUM_DIGITS, &sum) || text[CHECKSUM_DIGITS] != '\t')
        return false;
    char *at = text + CHECKSUM_DIGITS + 1, *end = text + n;
    if (crc_of(at, (size_t)(end - at)) != sum)
        return false;
    for (;;) {
        char *tab = memchr(at, '\t', (size_t)(end - at)), *stop = tab ? tab : end;
        if (out->n == JOURNAL_FIELDS_MAX || !unescape(at, stop, &out->fields[out->n]))
            return false;
        out->n++;
        if (!tab)
            return true;
        at = tab + 1;
    }
}

bool journal_number(const char *field, int64_t most, int64_t *out)
{
    const char *p = field;
    return field && whole_take(&p, field + strlen(field), 10, out) && !*p && *out <= most;
}
