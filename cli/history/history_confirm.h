/* SPDX-License-Identifier: MIT
 *
 * history_confirm.h - nominated changes measured again: both sides of each in fresh interleaved rounds, the answers noted as events.
 *
 *     status = history_find_changes(&r, -1, &err);
 *     code = history_confirm(&r, 0.05);
 *
 * The probability of a wrong answer is split evenly over the changes, so that `error` holds for all of them together.
 */
#ifndef HISTORY_CONFIRM_H
#define HISTORY_CONFIRM_H

#include "cli.h"
#include "display_options.h"
#include "history.h"
#include "history_reading.h"
#include "revisions.h"

/* ---- commits measured in work trees: two against each other in interleaved rounds by the words of a series, or one for the history.
 *
 *     struct measure_question q = {.cli = cli, .words = session->words, .series = series, .margin = 0.01, .level = 0.05 / 3};
 *     struct measure_answer a;
 *     measure_pair(&q, before, after, &a);
 *     if (a.end == MEASURE_DONE && verdict_differs(a.verdict)) ...
 *
 * Both commits are checked out and built in work trees of their own, which are removed whatever happens. The session is one of tare run or
 * tare bench with one subject on each side: its rounds, interim analyses, stop rule and verdict are theirs. Only measure_commit stores something. */

/* Work trees that stay after a measurement, for the next one of the same commits. Zeroed: none. */
struct measure_kept {
    struct revisions rs;
    const char *revisions[2], *build;
    bool any;
};

struct measure_answer;

struct measure_question {
    struct cli *cli;
    const char *const *words; /* tare's command line, closed by NULL; the first is tare itself */
    const char *build;        /* NULL: nothing is built */
    bool of_database;         /* the history: what is built and measured gets no password of one */
    const char *benchmark, *arguments,
        *metric;         /* of the series; NULL: the words have but one, all of them, the one that decides */
    double margin;       /* relative */
    double level;        /* probability of a wrong answer, over all interim analyses */
    int64_t max_time_ns; /* 0: what is usual */
    const struct display_options *display;
    struct measure_kept *kept;        /* NULL: work trees are removed at once */
    const struct measure_kept *ready; /* from measure_ready; NULL */
    const char *const *others;        /* further metrics that the same session is asked for, closed by NULL; NULL: none */
    struct measure_answer *answers;   /* of each of these; DONE where the session compared it */
};

enum measure_end {
    MEASURE_DONE,
    MEASURE_UNBUILT,    /* a commit does not build, or its program failed */
    MEASURE_IMPOSSIBLE, /* the words cannot be run so: `why` */
    MEASURE_FAILED,     /* tare could not do its work: `why` */
    MEASURE_INTERRUPTED
};

struct measure_answer {
    enum measure_end end;
    int unbuilt; /* 0 the one before, 1 the one after; -1: not known which */
    enum verdict verdict;
    double shift, low, high; /* after against before: ln ratio with its interval */
    bool difference;         /* they are differences: not both sides are positive */
    int rounds;
    int signal; /* INTERRUPTED: to die of once all is tidy */
    struct tare_err why;
};

/* Checks one commit out and builds it, for several pairs that have it: MEASURE_DONE, else why not. After all measure_kept_remove. */
void measure_ready(const struct measure_question *q, const char *revision, struct measure_kept *k, struct measure_answer *a);
void measure_pair(const struct measure_question *q, const char *before, const char *after, struct measure_answer *a);
void measure_kept_remove(struct measure_kept *k, struct cli *cli); /* a failure is told */

/* One commit, whose results are added to `keep` where the session comes to its end: MEASURE_DONE. Benchmark, metric, margin and level of q are not
 * looked at. */
struct history_keep;
void measure_commit(const struct measure_question *q, const char *revision, struct history_keep *keep, struct measure_answer *a);

/* What would be run and what builds it, for people who are asked whether it may: "tare run -- ./prog, built by 'make'". */
void measure_put_words(const struct measure_question *q, struct buf *b);

/* Of each nominated change in r->changes. EXIT_ANSWERED, or after an error line the code; the changes are as before until
 * history_find_changes in what history_reading_again has opened. */
enum exit_code history_confirm(struct history_reading *r, double error);

/* Notes that the revision does not build, or with a series or a command line (`words`, in one line) that it does not run these. Each may be NULL. */
enum tare_status history_note_unbuildable(const struct history_reading *r, const char *series, const char *revision,
                                          const char *words, struct tare_err *err);
/* e: CONFIRMED or REFUTED, its series and its commits; the answer is added here. */
enum tare_status history_note_measured(const struct history_reading *r, struct history_event e, const struct measure_answer *a,
                                       struct tare_err *err);
/* Asks whether what the history names may run: each command line once. */
enum exit_code history_consent(const struct history_reading *r, const struct measure_question *questions, int n);
/* By the options; words: as below, or NULL. */
struct measure_question history_question(const struct history_reading *r, const char *const *words);
/* tare's command line by its operands from the first one on; NULL: there are none, or no memory. */
const char *const *history_words_given(const struct cli *cli, int first);
/* Of the series as the session has it, where the user did not say otherwise. INVALID: its words are not known, or it is of another machine than this one and
 * the user named no class. */
enum tare_status history_question_of(struct measure_question *q, const struct history_reading *r, const struct history_series *s,
                                     int session, struct tare_err *err);
/* Whether this machine is one of the class; where that cannot be found out, no harm is known. */
bool history_is_here(const char *class);
/* Neither a difference nor its absence was shown. */
bool history_open_answer(const struct measure_answer *a);
/* The same once more, for longer. */
struct measure_question history_longer(const struct measure_question *q);
/* Says "1a2b3c4 its subject does not build", and what would help. */
void history_say_unbuilt(const struct history_reading *r, const struct history_commit *c, const struct measure_question *q,
                         const struct measure_answer *a);

#endif
