/* SPDX-License-Identifier: MIT
 *
 * request.h - lines "word value" in one variable of the environment, for wire_request.c and trace_request.c: fields that are named once, written and read.
 *
 *     static const struct request_field fields[] = {{"seed", REQUEST_U64, offsetof(struct q, seed), .most = UINT64_MAX}, {0}};
 *     request_write(out, fields, &q);
 *     while (request_line(text, size, &at, &l))
 *         if (!request_take(&l, fields, &q)) ... not understood ...
 *
 * The reader trusts nothing: digits alone, and within the field's range. A whole number below 0 is not written: it is what a reader has without it.
 */
#ifndef REQUEST_H
#define REQUEST_H

#include "buf.h"

enum request_form {
    REQUEST_INT,    /* int, uint32_t, or an enum with words, from 0 */
    REQUEST_U64,    /* int64_t too, from 0 */
    REQUEST_DECIMAL /* double, from 0 */
};

struct request_field {
    const char *word;
    enum request_form form;
    size_t offset;
    uint64_t most;
    uint64_t least;           /* of DECIMAL; of others 0 */
    const char *const *words; /* INT: the value is the index of one of them, of which there are `most` + 1; "" is none */
};

struct request_line {
    const char *word, *value;
    size_t word_size, value_size;
};

void request_write(struct buf *out, const struct request_field *fields, const void *object);
/* The line at *at, which moves to the next; false: there is none. */
bool request_line(const char *text, size_t size, size_t *at, struct request_line *out);
bool request_is(const struct request_line *l, const char *word);
/* False: a line of one of the fields whose value is none. */
bool request_take(const struct request_line *l, const struct request_field *fields, void *object);
/* Digits up to `end`, at most `max`. Returns what follows them; NULL: none, or too large. */
const char *request_digits(const char *at, const char *end, uint64_t max, uint64_t *out);
int request_word(const char *text, size_t size, const char *const *words, int n); /* its index; -1: none of them */
/* FORMAT: that line is not understood. */
enum tare_status request_wrong(const struct request_line *l, const char *variable, struct tare_err *err);

#endif
