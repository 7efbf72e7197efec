/* SPDX-License-Identifier: MIT */
#include "json_write.h"
#include "quote.h"
#include <assert.h>
#include <math.h>

bool utf8_valid(const char *text)
{
    uint32_t c;
    for (int n; *text; text += n)
        if (!(n = quote_decode(text, &c)))
            return false;
    return true;
}

struct json_write json_into(struct buf *out, int indent)
{
    return (struct json_write){.out = out, .indent = indent};
}

static void line_break(struct json_write *j)
{
    if (!j->indent)
        return;
    buf_char(j->out, '\n');
    buf_repeat(j->out, ' ', j->indent * j->depth);
}

static void quoted(struct buf *b, const char *text);

static void item(struct json_write *j, const char *key)
{
    uint32_t level = UINT32_C(1) << j->depth;
    assert(!key == (j->depth == 0 || (j->is_array & level)));
    if (j->has_items & level)
        buf_char(j->out, ',');
    if (j->depth)
        line_break(j);
    j->has_items |= level;
    if (!key)
        return;
    quoted(j->out, key);
    buf_str(j->out, j->indent ? ": " : ":");
}

static void begin_value(struct json_write *j, const char *key, bool is_array)
{
    item(j, key);
    buf_char(j->out, is_array ? '[' : '{');
    j->depth++;
    assert(j->depth < 32);
    uint32_t level = UINT32_C(1) << j->depth;
    j->has_items &= ~level;
    j->is_array = is_array ? j->is_array | level : j->is_array & ~level;
}

void json_object(struct json_write *j, const char *key)
{
    begin_value(j, key, false);
}

void json_array(struct json_write *j, const char *key)
{
    begin_value(j, key, true);
}

void json_end(struct json_write *j)
{
    assert(j->depth > 0);
    uint32_t level = UINT32_C(1) << j->depth;
    j->depth--;
    if (j->has_items & level)
        line_break(j);
    buf_char(j->out, j->is_array & level ? ']' : '}');
}

void json_null(struct json_write *j, const char *key)
{
    item(j, key);
    buf_str(j->out, "null");
}

void json_bool(struct json_write *j, const char *key, bool value)
{
    item(j, key);
    buf_str(j->out, value ? "true" : "false");
}

/* A row has a dozen integers and is written between two runs: this is several times quicker than buf_format. */
static void digits(struct buf *b, bool negative, uint64_t magnitude)
{
    char text[24];
    int at = sizeof text;
    do
        text[--at] = (char)('0' + magnitude % 10);
    while (magnitude /= 10);
    if (negative)
        text[--at] = '-';
    buf_add(b, text + at, sizeof text - (size_t)at);
}

static void integer(struct json_write *j, const char *key, bool negative, uint64_t magnitude)
{
    const char *quote = magnitude > UINT64_C(1) << 53 ? "\"" : "";
    item(j, key);
    buf_str(j->out, quote);
    digits(j->out, negative, magnitude);
    buf_str(j->out, quote);
}

static const double exact_limit = 9007199254740992.0; /* 2^53: every integer up to it is a double */

void json_number(struct json_write *j, const char *key, double value)
{
    if (!isfinite(value)) {
        json_null(j, key);
        return;
    }
    item(j, key);
    if (fabs(value) <= exact_limit && value == (double)(int64_t)value && !(value == 0 && signbit(value)))
        digits(j->out, value < 0, (uint64_t)fabs(value)); /* the same text as %g */
    else
        buf_format(j->out, "%g", value);
}

void json_integer(struct json_write *j, const char *key, int64_t value)
{
    integer(j, key, value < 0, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void json_unsigned(struct json_write *j, const char *key, uint64_t value)
{
    integer(j, key, false, value);
}

/* Beyond what JSON asks for, all that quote.h calls unsafe: a record shown on a terminal must not drive it. */
static void escaped(struct buf *b, uint32_t c)
{
    if (c == '\n')
        buf_str(b, "\\n");
    else if (c == '\t')
        buf_str(b, "\\t");
    else if (c == '\r')
        buf_str(b, "\\r");
    else if (c > 0xffff)
        buf_format(b, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (c >> 10)), (unsigned)(0xdc00 + (c & 0x3ff)));
    else
        buf_format(b, "\\u%04x", (unsigned)c);
}

/* Bytes at its begin that stand for themselves: most texts are all of these. */
static size_t plain_begin(const char *text)
{
    size_t n = 0;
    while (text[n] >= 0x20 && text[n] <= 0x7e && text[n] != '"' && text[n] != '\\')
        n++;
    return n;
}

static void quoted(struct buf *b, const char *text)
{
    buf_char(b, '"');
    while (*text) {
        const size_t plain = plain_begin(text);
        if (plain) {
            buf_add(b, text, plain);
            text += plain;
            continue;
        }
        uint32_t c;
        const int n = quote_decode(text, &c);
        if (!n)
            buf_str(b, "\xef\xbf\xbd");
        else if (quote_unsafe(c))
            escaped(b, c);
        else {
            if (*text == '"' || *text == '\\')
                buf_char(b, '\\');
            buf_add(b, text, (size_t)n);
        }
        text += n ? n : 1;
    }
    buf_char(b, '"');
}

void json_string(struct json_write *j, const char *key, const char *text)
{
    if (!text) {
        json_null(j, key);
        return;
    }
    item(j, key);
    quoted(j->out, text);
}

void json_hex(struct json_write *j, const char *key, const char *text)
{
    if (!text) {
        json_null(j, key);
        return;
    }
    item(j, key);
    buf_char(j->out, '"');
    for (; *text; text++)
        buf_format(j->out, "%02x", (unsigned)(unsigned char)*text);
    buf_char(j->out, '"');
}

void json_bytes(struct json_write *j, const char *key, const char *text)
{
    json_string(j, key, text);
    if (!text || utf8_valid(text))
        return;
    char name[64];
    struct buf b = buf_over(name, sizeof name);
    buf_format(&b, "%s_hex", key);
    assert(!b.status);
    json_hex(j, name, text);
}
