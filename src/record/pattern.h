/* SPDX-License-Identifier: MIT
 *
 * pattern.h - regular expressions whose search is bounded: for --metric regex:, on output that anyone may have written.
 *
 *     struct pattern *p;
 *     status = pattern_compile(&p, "qps: ([0-9.]+)", &arena, &err);
 *     struct pattern_group g;
 *     if (pattern_last(p, text, n, PATTERN_STEPS, &g) == PATTERN_FOUND && g.start) ... n bytes at g.start are the first group
 *
 * POSIX extended expressions with the additions that people know from Perl: . [a-z] [^a-z] [[:digit:]] ( ) (?: ) | * + ? {m,n} and
 * their lazy forms *? +? ?? {m,n}?, ^ and $ at the ends of a line, \d \w \s \D \W \S \b \B \t, and a backslash before any sign that
 * is no letter or digit. Alternatives are tried from left to right, as in Perl. Bytes, not characters: . is one byte.
 * Refused: backreferences (no bounded way to match them exists), look-around, a pattern without a group or of more than
 * PATTERN_BYTES, repetitions above 255 or that multiply to more than PATTERN_STATES states.
 *
 * The search keeps all possible states side by side (Thompson 1968, with positions as in Pike's sam), so the work is at most bytes
 * times states, whatever the pattern. It does not match across lines.
 * Ownership: all memory is the arena's. A pattern is used by one thread at a time: its scratch is inside.
 */
#ifndef PATTERN_H
#define PATTERN_H

#include "arena.h"
#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>

enum { PATTERN_BYTES = 1000, PATTERN_STATES = 2000, PATTERN_STEPS = 200000000 };

struct pattern;

/* INVALID: err says what is wrong with it, without naming the pattern. NO_MEMORY. */
enum tare_status pattern_compile(struct pattern **out, const char *text, struct arena *a, struct tare_err *err);

struct pattern_group {
    const char *start; /* into the text; NULL: the match did not pass through the group */
    size_t n;
};

enum pattern_result { PATTERN_NONE, PATTERN_FOUND, PATTERN_GAVE_UP };

/* The first group of the last match. Lines end with \n or \r\n; the last line that has a match counts, and in it the last of those
 * that do not overlap, found from left to right. PATTERN_GAVE_UP: after max_steps steps nothing was decided. */
enum pattern_result pattern_last(struct pattern *p, const char *text, size_t n, int64_t max_steps, struct pattern_group *group);

#endif
