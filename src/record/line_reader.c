/* SPDX-License-Identifier: MIT
 * Members of a line, and what becomes of it. */
#include "record_lines.h"
#include <string.h>

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The bytes behind a text that was not UTF-8, NULL when `hex` is not such a text. */
static const char *from_hex(struct reader *rd, const struct json_value *hex)
{
    const char *digits;
    if (!json_text_of(hex, &digits))
        return NULL;
    size_t n = strlen(digits);
    char *bytes = arena_alloc(&rd->arena, n / 2 + 1);
    if (!bytes || n % 2)
        return NULL;
    for (size_t i = 0; i < n; i += 2) {
        int high = hex_digit(digits[i]), low = hex_digit(digits[i + 1]);
        if (high < 0 || low < 0 || high + low == 0)
            return NULL;
        bytes[i / 2] = (char)(high * 16 + low);
    }
    return bytes;
}

const char *reader_text_with(struct reader *rd, const struct json_value *text, const struct json_value *hex)
{
    const char *plain = NULL;
    json_text_of(text, &plain);
    const char *bytes = plain ? from_hex(rd, hex) : NULL;
    return bytes ? bytes : plain;
}

const char *reader_text(struct reader *rd, const struct json_value *object, const char *key)
{
    char key_hex[64];
    struct buf b = buf_over(key_hex, sizeof key_hex);
    buf_str(&b, key); /* formatting takes as long as reading a short line */
    buf_str(&b, "_hex");
    return reader_text_with(rd, json_member(object, key), json_member(object, key_hex));
}

static bool read_int(struct reader *rd, const struct json_value *object, const struct field *f, int *out)
{
    const char *word;
    switch (f->kind) {
    case FIELD_SUBJECT:
        return integer_in(object, f->key, 0, rd->r->n_subjects - 1, out);
    case FIELD_INDEX:
        return index_or_null(object, f->key, f->high ? f->high : INT32_MAX, out);
    case FIELD_PLACE:
        if (!integer_in(object, f->key, 0, INT32_MAX - 1, out))
            return false;
        ++*out;
        return true;
    case FIELD_WORD:
        word = reader_text(rd, object, f->key);
        if (!word || words_value(f->words, word) < 0)
            return !word && !f->needed;
        *out = words_value(f->words, word);
        return true;
    default:
        return integer_in(object, f->key, f->low, f->high ? f->high : INT32_MAX, out);
    }
}

static bool read_field(struct reader *rd, const struct json_value *object, const struct field *f, void *at)
{
    switch (f->kind) {
    case FIELD_NUMBER:
        *(double *)at = number(object, f->key, f->absent);
        if (f->sparse && f->absent == 0 && !(*(double *)at > f->low)) /* it would have been left out */
            *(double *)at = 0;
        return true;
    case FIELD_FLAG:
        *(bool *)at = json_flag(object, f->key);
        return true;
    case FIELD_UNSIGNED:
        *(uint64_t *)at = 0;
        return !json_member(object, f->key) || json_unsigned_of(json_member(object, f->key), at);
    case FIELD_SIGNED:
        return json_integer_of(json_member(object, f->key), INT64_MIN, INT64_MAX, at);
    case FIELD_TEXT:
        return (*(const char **)at = reader_text(rd, object, f->key)) != NULL;
    default:
        return read_int(rd, object, f, at);
    }
}

bool reader_fields(struct reader *rd, const struct json_value *object, const struct field *fields, void *out)
{
    for (const struct field *f = fields; f->key; f++)
        if (record_field_given(fields, f, out) && !read_field(rd, object, f, (char *)out + f->offset) && (f->needed || f->known))
            return false;
    return true;
}

enum tare_status reader_wrong(struct reader *rd, const char *what)
{
    return err_set(&rd->err, TARE_FORMAT, "%s", what);
}

enum tare_status reader_added(struct reader *rd, int index)
{
    return index < 0 ? err_no_memory(&rd->err) : TARE_OK;
}

void reader_note(struct reader *rd, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    buf_vformat(&rd->out->notes, format, ap);
    va_end(ap);
    buf_char(&rd->out->notes, '\n');
}

bool reader_count_is(const struct json_value *counts, const char *key, int64_t expected)
{
    int64_t x;
    return json_integer_of(json_member(counts, key), expected, expected, &x);
}
