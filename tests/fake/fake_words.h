/* SPDX-License-Identifier: MIT
 *
 * fake_words.h - one line of a fake script as words, and the readers for its values.
 *
 *     struct fake_words w = {.word = ..., .n = ..., .line = 12, .err = err};
 *     double ns;
 *     if (!fake_words_quantity(&w, "ns", &ns))
 *         return false;              // err says what was wrong with which word of which line
 *
 * Each reader takes one word and moves on. After the first fault all of them do nothing and return false.
 */
#ifndef FAKE_WORDS_H
#define FAKE_WORDS_H

#include "arena.h"
#include "fake_model.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>

struct fake_words {
    char **word;
    size_t *length; /* quoted words may hold zero bytes */
    int n, at, line;
    bool indented, failed;
    struct arena *arena;
    struct tare_err *err;
};

/* Splits the line that begins at *text and moves *text behind it. False: a fault, see err. */
bool fake_words_split(struct fake_words *w, const char **text);

/* All faults go through here. Always false. */
__attribute__((format(printf, 2, 3))) bool fake_words_fault(struct fake_words *w, const char *format, ...);

bool fake_words_left(const struct fake_words *w);
bool fake_words_accept(struct fake_words *w, const char *word); /* takes the next word if it is this one; no fault otherwise */
bool fake_words_text(struct fake_words *w, const char *what, char **out);
bool fake_words_integer(struct fake_words *w, const char *what, int64_t low, int64_t high, int64_t *out);
/* base "ns", "bytes" or "1", as in units.h. A time may be negative. */
bool fake_words_quantity(struct fake_words *w, const char *base, double *out);
bool fake_words_time(struct fake_words *w, int64_t *out_ns); /* whole, not negative */
bool fake_words_percent(struct fake_words *w, double *out);  /* "1%" gives 0.01 */
bool fake_words_factor(struct fake_words *w, double *out);   /* "3x" gives 3; above 0 */
bool fake_words_number_next(const struct fake_words *w);     /* the next word begins with a number */
bool fake_words_value(struct fake_words *w, const char *base, struct fake_value *out);
bool fake_words_model(struct fake_words *w, const char *base, struct fake_model *out);

#endif
