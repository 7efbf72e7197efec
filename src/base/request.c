/* SPDX-License-Identifier: MIT */
#include "request.h"
#include <string.h>

void request_write(struct buf *out, const struct request_field *fields, const void *object)
{
    for (const struct request_field *f = fields; f->word; f++) {
        int value;
        uint64_t wide;
        double number;
        switch (f->form) {
        case REQUEST_INT:
            memcpy(&value, (const char *)object + f->offset, sizeof value);
            if (f->words)
                buf_format(out, "%s %s\n", f->word, f->words[value]);
            else if (value >= 0)
                buf_format(out, "%s %d\n", f->word, value);
            break;
        case REQUEST_U64:
            memcpy(&wide, (const char *)object + f->offset, sizeof wide);
            buf_format(out, "%s %llu\n", f->word, (unsigned long long)wide);
            break;
        case REQUEST_DECIMAL:
            memcpy(&number, (const char *)object + f->offset, sizeof number);
            buf_format(out, "%s %.9f\n", f->word, number);
            break;
        }
    }
}

bool request_line(const char *text, size_t size, size_t *at, struct request_line *out)
{
    if (*at >= size)
        return false;
    const char *begin = text + *at, *end = memchr(begin, '\n', size - *at);
    size_t length = end ? (size_t)(end - begin) : size - *at;
    const char *blank = memchr(begin, ' ', length);
    out->word = begin;
    out->word_size = blank ? (size_t)(blank - begin) : length;
    out->value = blank ? blank + 1 : begin + length;
    out->value_size = blank ? length - out->word_size - 1 : 0;
    *at += length + (end != NULL);
    return true;
}

static bool is_word(const char *text, size_t size, const char *word)
{
    return strlen(word) == size && memcmp(text, word, size) == 0;
}

bool request_is(const struct request_line *l, const char *word)
{
    return is_word(l->word, l->word_size, word);
}

const char *request_digits(const char *at, const char *end, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    const char *begin = at;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (digit > max || value > (max - digit) / 10)
            return NULL;
        value = value * 10 + digit;
    }
    *out = value;
    return at == begin ? NULL : at;
}

int request_word(const char *text, size_t size, const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (size && is_word(text, size, words[i]))
            return i;
    return -1;
}

/* Digits, with or without others after a point. */
static bool read_decimal(const struct request_line *l, const struct request_field *f, double *out)
{
    uint64_t whole = 0, part = 0;
    const char *end = l->value + l->value_size, *at = request_digits(l->value, end, f->most, &whole);
    const char *point = at && at < end && *at == '.' ? at + 1 : NULL;
    const char *after = point ? request_digits(point, end, 1000000000000000u, &part) : at;
    if (!after || after != end)
        return false;
    double scale = 1;
    for (const char *digit = point; digit && digit < end; digit++)
        scale *= 10;
    *out = (double)whole + (double)part / scale;
    return *out >= (double)f->least && *out <= (double)f->most;
}

bool request_take(const struct request_line *l, const struct request_field *fields, void *object)
{
    for (const struct request_field *f = fields; f->word; f++)
        if (request_is(l, f->word)) {
            uint64_t wide = 0;
            double number = 0;
            if (f->form == REQUEST_DECIMAL) {
                bool good = read_decimal(l, f, &number);
                memcpy((char *)object + f->offset, &number, sizeof number);
                return good;
            }
            int value = f->words ? request_word(l->value, l->value_size, f->words, (int)f->most + 1) : 0;
            const char *end = l->value + l->value_size;
            if (value < 0 || (!f->words && request_digits(l->value, end, f->most, &wide) != end))
                return false;
            value = f->words ? value : (int)wide;
            if (f->form == REQUEST_U64)
                memcpy((char *)object + f->offset, &wide, sizeof wide);
            else
                memcpy((char *)object + f->offset, &value, sizeof value);
            return true;
        }
    return true;
}

enum tare_status request_wrong(const struct request_line *l, const char *variable, struct tare_err *err)
{
    return err_set(err, TARE_FORMAT, "%s: the line \"%.*s %.*s\" is not understood", variable, (int)l->word_size, l->word,
                   (int)l->value_size, l->value);
}
