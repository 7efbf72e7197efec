/* SPDX-License-Identifier: MIT
 *
 * harness.h - benchmark programs of other harnesses, run as they are. A harness is recognised by texts in the program's file and says how its
 * programs are asked for the list of their benchmarks and for one of them. What they print becomes the frames of wire.h, in which programs of libtare
 * report: from there on nothing differs. Results are read by stored_read, as files of that tool are.
 *
 *     const struct harness *h = harness_of_file(path, release);   // NULL: of none of them
 *     argv = harness_ask_list(h, path, arena);
 *     ... run it, its standard output is text ...
 *     status = harness_list(h, text, n, &frames, &err);           // HELLO, BENCH..., BYE
 *     argv = harness_ask(h, path, benchmark, 3, release, &words, arena);
 *     harness_set_time(&words, 15000000);                         // before each process
 *     ... run it ...
 *     harness_result(&words, benchmark, text, n, &frames, &err);      // HELLO, CLOCK, BENCH, SAMPLES, END, BYE; or HELLO with trouble
 *
 * To add one: a file here and a line in harnesses.def. Nothing here starts a process.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include "arena.h"
#include "buf.h"
#include "record.h"
#include "wire.h"
#include <stdbool.h>

enum { HARNESS_RELEASE_MAX = 16 };
/* In which times (ns) were printed, then the counters of the END frame, in their order; NaN: not known; 0: exactly. */
enum { HARNESS_STEPS = 1 + WIRE_COUNTERS_MAX };

struct harness_words { /* of a command line: how long a sample is to be, and how many a process makes */
    const struct harness *harness;
    int samples;
    const char *release; /* of the harness, as its program's file says; "": not known */
    const char *home;    /* the folder for files of results; NULL: there is none */
    int own_samples;     /* those of the harness that make one of ours, or iterations, asked for last; 0: none were */
    double own_ns;       /* what one of them takes; 0: not known yet */
    /* Benchmarks that one process measures, see harness_share: the first, whose words it gets, and the next one; NULL: it has its own, is the last. */
    struct harness_words *first, *next;
    int wanted;                  /* of such ones, by this benchmark */
    int64_t least_ns;            /* what a sample is to take, by what the last result says of memory; 0: any */
    double steps[HARNESS_STEPS]; /* of the last result */
    char time[64], samples_word[64], warmup[64];
};

struct harness_names {
    char **items; /* room for HARNESS_LISTED_MAX */
    int n;
    struct arena arena; /* of items that are in no other text */
};

struct harness_column { /* finite values of the samples, and the times of an iteration in each; cpu_ns NULL: not said */
    const double *value, *wall_ns, *cpu_ns;
    int n;
};

struct harness {
    const char *name; /* as --harness takes it: "google-benchmark" */
    const char *what; /* it prints, for messages: "google-benchmark JSON" */
    /* Lists closed by NULL: texts of which a program's file has at least one; the words that ask for the list of benchmarks; those for one benchmark,
     * where HARNESS_NAME, HARNESS_TIME, HARNESS_SAMPLES and HARNESS_WARMUP stand for what follows. */
    const char *const *marks, *const *list, *const *one;
    const char *release;         /* in a program's file the text before the harness's version; NULL: it is not looked for */
    const char *const *releases; /* how those begin that are known, closed by NULL */
    const char *name_word;       /* before "^name$", a regular expression */
    const char *time_word[2];    /* before and after the seconds of a sample */
    const char *iterations_word
        [2]; /* before and after the iterations of a sample, for which it is asked as soon as their time is known; NULL: never */
    const char *samples_word; /* before the number of samples */
    int samples;              /* of a process, where nobody asks for another number */
    int64_t first_ns;         /* that these take together, at first; 0: HARNESS_USUAL_NS */
    const char *
        allocated; /* the column with the bytes that an iteration allocates, of a runtime that collects garbage; NULL: there is none */
    int least_samples, most_samples; /* 0: any */
    const char *home;                /* the variable with the folder for files of results; NULL: it prints them */
    const char *begins;              /* the line with which results begin, others may stand before it; NULL: any */
    bool braces;                     /* it prints a tree of JSON, between a line that is "{" and one that is "}" */
    bool levels;                     /* each part of the name between two '/' is a regular expression of its own */
    bool runs_to_list;               /* to be listed a benchmark runs once: one that fails is listed too */
    int list_code;                   /* the largest exit code of a program that lists what it has */
    bool runs_others;                /* beside the one that is asked for, which is no fault of the program */
    /* In place of the words above; NULL: those. */
    void (*put_name)(struct buf *b, const char *name);
    void (*put_time)(struct buf *b, struct harness_words *w, int64_t ns);
    void (*put_warmup)(struct buf *b, const struct harness_words *w);
    char *(*listed)(char *line); /* the name in this line of the list, which may be cut; NULL: there is none */
    /* Where a list has no lines of names, in place of `listed`: its names, and the last one that it came to. */
    enum tare_status (*take_names)(const char *text, size_t n, struct harness_names *names, struct tare_err *err);
    void (*last_name)(const char *text, size_t n, struct buf *out);
    /* Appends what the files in the folder say, as one text; nothing where there are none. */
    enum tare_status (*gather)(const char *folder, struct buf *text, struct tare_err *err);
    /* Why the benchmark has no result, or none that counts; nothing: it has not failed. NULL: the reader says. */
    void (*failure)(const char *text, size_t n, const char *benchmark, struct buf *why, bool *skipped);
    /* Whether a result of that name is one of the listed benchmark. NULL: its name is the same. */
    bool (*is_of)(const char *benchmark, const char *reported);
    /* Its times may be any: set by hand, or summed up over threads. NULL: as any_time says. */
    bool (*own_time)(const char *benchmark);
    bool any_time; /* those of all its benchmarks */
    /* What of the result has a place of its own in the frame. False: it is a counter. NULL: all are. */
    bool (*take)(const char *benchmark, const char *id, const struct harness_column *column, struct wire_end *end);
};

/* Words that stand for others. */
#define HARNESS_NAME     "\1"
#define HARNESS_TIME     "\2"
#define HARNESS_SAMPLES  "\3"
#define HARNESS_WARMUP   "\4"
#define HARNESS_CPU_TIME "cpu_time" /* counter: CPU time of an iteration, in ns */

enum {
    HARNESS_RESULT_BYTES = 64 << 20,
    HARNESS_LISTED_MAX = 100000,
    HARNESS_USUAL_NS = 50000000, /* of the samples of a process: what a runtime needs that collects garbage or compiles */
};

/* By the texts in the file; NULL: of none, of libtare, or the file cannot be read. release: its version, "" where that is not known. */
const struct harness *harness_of_file(const char *path, char release[HARNESS_RELEASE_MAX]);
bool harness_knows(const struct harness *h, const char *release); /* or has not been told */
const struct harness *harness_at(int index);                      /* in the order of harnesses.def; NULL outside of it */

/* Command lines, closed by NULL; NULL: no memory. `words` are among them, and hold no time yet; `release` lives as long. */
const char **harness_ask_list(const struct harness *h, const char *path, struct arena *a);
const char **harness_ask(const struct harness *h, const char *path, const char *benchmark, int samples, const char *release,
                         struct harness_words *words, struct arena *a);
void harness_set_time(struct harness_words *words, int64_t ns);
/* Both are measured by one process of the words of `first`, which makes as many samples as the one of them that needs most. Only where the harness runs
 * others beside what it is asked for, and with equal words. */
void harness_share(struct harness_words *first, struct harness_words *words);

/* FORMAT: no list; TOO_LARGE: of more than HARNESS_LISTED_MAX. */
enum tare_status harness_list(const struct harness *h, const char *text, size_t n, struct buf *frames, struct tare_err *err);
/* The last name in the part of a list that there is, whose text is cut and has room for one byte more; "its first one" where it has none. */
void harness_last_listed(const struct harness *h, char *text, size_t n, struct buf *out);
/* What cannot be read, or is of another benchmark, is trouble in the HELLO frame. The text is changed. NO_MEMORY. */
enum tare_status harness_result(struct harness_words *words, const char *benchmark, char *text, size_t n, struct buf *frames,
                                struct tare_err *err);

/* ---- harness_names.c, for the files of harnesses ---- */

/* The name is not copied. TOO_LARGE. */
enum tare_status harness_add_name(struct harness_names *names, char *name, struct tare_err *err);
/* A regular expression that fits the text alone. */
void harness_put_pattern(struct buf *b, const char *text, size_t n);

#endif
