/* SPDX-License-Identifier: MIT
 *
 * search.h - which word of a list has this SHA-256? Four searches with one answer and different costs.
 *
 *     struct search s = {.path = "words.txt", .threads = 2};
 *     sha256_parse(s.want, text);
 *     enum search_end end = search_stream(&s);
 *     if (end == SEARCH_FOUND)
 *         fwrite(s.word, 1, s.length, stdout);
 *     search_finish(&s);
 *
 * Nothing here prints.
 */
#ifndef HASHCRACK_SEARCH_H
#define HASHCRACK_SEARCH_H

#include <stdint.h>

#include "sha256.h"

enum search_end { SEARCH_FOUND, SEARCH_ABSENT, SEARCH_FAILED };

struct search {
    const char *path;
    unsigned char want[SHA256_BYTES];
    int threads; /* 1 ... SEARCH_THREADS_MAX; the searches by threads only */

    char *word; /* when found: its bytes, owned by this struct */
    size_t length;
    int64_t lines;    /* words looked at; by several threads, by all of them together */
    const char *what; /* when failed: what could not be done, a fixed text */
    int error;        /* and its errno, or 0 */
};

enum { SEARCH_THREADS_MAX = 256 };

/* Reads all lines into an array, then looks through it. */
enum search_end search_array(struct search *s);
/* Reads a line, looks at it, forgets it. */
enum search_end search_stream(struct search *s);
/* Threads take parts of the file in turn, until all parts are done. Needs a regular file, as the next one. */
enum search_end search_threads(struct search *s);
/* The same, but the threads stop as soon as one of them has found the word. */
enum search_end search_threads_stop(struct search *s);

void search_finish(struct search *s);

/* Helpers of the searches: keep the word that was found; say what failed. */
enum search_end search_found(struct search *s, const char *word, size_t length);
enum search_end search_failed(struct search *s, const char *what, int error);

#endif
