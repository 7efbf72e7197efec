/* SPDX-License-Identifier: MIT
 *
 * The four searches as benchmarks: the columns Startup and Steady and the table Memory of the talk, each by a profile of `tare bench`.
 *
 *     WORDS=FOLDER tare bench --profile startup ./bench-hashcrack
 *
 * FOLDER holds words-5.txt, words-50.txt and words-absent.txt by make-words: lists that differ in how deep the answer lies. The array is what the
 * others are compared with, at the same depth. A search of the command line starts a process and OpenSSL too; `tare run` measures that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>
#include <unistd.h>

#include "search.h"

/* Of the word that make-words hides when it is told nothing else: open-sesame. */
static const char answer[] = "d7ecdf25eaf3deba0f2628771dbdd22d4138ab6cf38f91ed02a2ca0dec7c8ab7";

static int cpus(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > SEARCH_THREADS_MAX ? SEARCH_THREADS_MAX : (int)n;
}

static bool list_of(char *path, size_t size, const char *depth)
{
    const char *folder = getenv("WORDS");
    int n = snprintf(path, size, "%s/words-%s.txt", folder ? folder : "", depth);
    return folder && n > 0 && (size_t)n < size && access(path, R_OK) == 0;
}

static void measure(struct tare_state *st, enum search_end (*look)(struct search *s))
{
    char path[4096];
    const char *depth = tare_word(st, 0);
    if (!list_of(path, sizeof path, depth)) {
        tare_skip(st, "WORDS names no folder with this list; make-words makes it");
        return;
    }
    enum search_end expected = strcmp(depth, "absent") == 0 ? SEARCH_ABSENT : SEARCH_FOUND;
    int64_t lines = 0;
    TARE_LOOP(st)
    {
        struct search s = {.path = path, .threads = cpus()};
        sha256_parse(s.want, answer);
        tare_check(st, look(&s) == expected);
        lines = s.lines;
        search_finish(&s);
    }
    tare_items(st, (double)lines); /* of the last one: where threads stop, others differ by a few */
}

#define DEPTHS TARE_WORDS("depth", "5", "50", "absent")

TARE_BENCH(array, .args = DEPTHS, .baseline = true)
{
    measure(st, search_array);
}

TARE_BENCH(stream, .args = DEPTHS)
{
    measure(st, search_stream);
}

TARE_BENCH(threads, .args = DEPTHS)
{
    measure(st, search_threads);
}

TARE_BENCH(threads_stop, .args = DEPTHS)
{
    measure(st, search_threads_stop);
}

TARE_MAIN()
