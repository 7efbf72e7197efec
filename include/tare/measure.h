/* SPDX-License-Identifier: MIT
 *
 * tare/measure.h - one call measures any function: once, at startup, in steady state, or its memory.
 *
 *     static void find(void *context) { ... }
 *
 *     struct tare_measure how = TARE_MEASURE_DEFAULT;
 *     struct tare_measured m;
 *     char text[TARE_MEASURED_TEXT];
 *     if (tare_startup(find, &query, &how, &m, &err) == TARE_OK)
 *         puts(tare_measured_text(&m, text, sizeof text));
 *     // between 791.0 and 898.2 ms with 95 % confidence; mean 844.6 ms, ...
 *
 * tare_once      one timing in this process: to compare with the others, no statement about the next time
 * tare_startup   one timing in each of up to 30 new processes, start costs of the code included
 * tare_steady    up to 30 new processes; each runs the code 10 to 30 times, until the last 10 times differ by a coefficient of
 *                variation under 2 %; its result is their mean
 * tare_memory    the peak of resident memory of a new process that runs the code once, library code included; up to 30 processes
 *
 * NEW PROCESSES START main AGAIN. A function pointer does not survive a new program, so this program is started again with its own arguments
 * and the number of the call in its environment; it runs as it always does up to that call, measures there, reports to us, and ends in the call.
 * So all that comes before the call happens again in each process: files are written again, messages sent again, what asks at a terminal reads
 * nothing. Its output goes nowhere. Earlier calls of this header return at once there, TARE_OK with n of 0 and figures that are NaN. Put the
 * call early in main, and nothing before it that hurts when repeated. A fork instead would begin in a process that is warm already,
 * which is no startup. Which call it is must not depend on chance, time, or what earlier calls measured.
 *
 * Code with side effects: `before` puts things back before each run, the first included; repeated runs of code that deletes or appends
 * destroy data. `between` settles what one run leaves for the next within a process (tare_steady): give memory back, evict caches.
 *
 * Rules to stop. TARE_METHOD_TARE, the default: the interval is looked at after 10, 15, 23 and 30 processes, at a level for
 * which all looks together err as often as one; it stops where the interval is narrower than precision. TARE_METHOD_GEORGES: the published rule
 * (Georges, Buytaert, Eeckhout 2007): after each process from min_runs on, at the level of a single look. Its intervals miss the mean
 * more often than they say: in some 10 instead of 5 of 100 cases.
 *
 * What it does not do: print (verbose gets its lines), pin, tune the machine, or compare: for that `tare bench` and `tare run`.
 * Threads: one at a time. tare_startup, tare_steady and tare_memory: where the system can start the program again (Linux); else UNSUPPORTED.
 */
#ifndef TARE_MEASURE_H
#define TARE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <tare/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tare_method { TARE_METHOD_TARE, TARE_METHOD_GEORGES };

struct tare_measure {
    int version; /* 1 */
    enum tare_method method;
    int runs;          /* at most: 30; 2 to 10000 */
    int min_runs;      /* at least: 5; 2 to runs */
    double confidence; /* 0.95; in (0, 1) */
    double precision;  /* stop when (high - low) / mean is under it: 0.02; 0: never stop early */
    int k;             /* tare_steady: how many times in a row must be alike: 10; 2 to 1000 */
    double cov;        /* that is, standard deviation / mean under 0.02 */
    int max_inner;     /* and at most so many times in one process: 30; k to 100000 */
    double timeout;    /* seconds until a process is given up: 3600 */
    void (*before)(void *context);
    void (*between)(void *context);
    void (*verbose)(void *verbose_context, const char *line); /* each step in words; NULL: none */
    void *verbose_context;
};
#ifdef __cplusplus
#define TARE_MEASURE_DEFAULT                                                                           \
    tare_measure                                                                                       \
    {                                                                                                  \
        1, TARE_METHOD_TARE, 30, 5, 0.95, 0.02, 10, 0.02, 30, 3600, nullptr, nullptr, nullptr, nullptr \
    }
#else
#define TARE_MEASURE_DEFAULT \
    ((struct tare_measure){1, TARE_METHOD_TARE, 30, 5, 0.95, 0.02, 10, 0.02, 30, 3600, NULL, NULL, NULL, NULL})
#endif

enum tare_measured_kind { TARE_MEASURED_ONCE, TARE_MEASURED_STARTUP, TARE_MEASURED_STEADY, TARE_MEASURED_MEMORY };

/* Times in nanoseconds, memory in bytes. NaN: there is none (of one value no deviation and no interval). */
struct tare_measured {
    enum tare_measured_kind kind;
    enum tare_method method;
    double low, high; /* of the mean, at this confidence: Student's t */
    double mean, stddev;
    double width; /* (high - low) / |mean| */
    double confidence;
    int n, runs;        /* values; what was allowed */
    bool stopped_early; /* n is below runs, because the interval was narrow enough */
    int unsteady;       /* tare_steady: processes that did not come under cov in max_inner times; they count with their last k */
};

/* fn, which is not NULL, gets context, as the hooks do. how NULL: the default. *out is always written: after a failure its figures are NaN. INVALID: a
 * parameter out of its range; CHILD: a process failed, took longer than timeout, or ended before it came to the call; UNSUPPORTED; NO_MEMORY. err (may
 * be NULL) says which. Times are by the clock of tare/clock.h, its own overhead (the median of empty pairs of readings) taken off; memory is what the
 * kernel says of the whole process, in pages. */
enum tare_status tare_once(void (*fn)(void *context), void *context, const struct tare_measure *how, struct tare_measured *out,
                           struct tare_err *err);
enum tare_status tare_startup(void (*fn)(void *context), void *context, const struct tare_measure *how, struct tare_measured *out,
                              struct tare_err *err);
enum tare_status tare_steady(void (*fn)(void *context), void *context, const struct tare_measure *how, struct tare_measured *out,
                             struct tare_err *err);
enum tare_status tare_memory(void (*fn)(void *context), void *context, const struct tare_measure *how, struct tare_measured *out,
                             struct tare_err *err);

enum { TARE_MEASURED_TEXT = 320 };
/* The result as a sentence, cut to size - 1 bytes. Returns text; "" where size is 0. Any thread. */
const char *tare_measured_text(const struct tare_measured *m, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
