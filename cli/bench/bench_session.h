/* SPDX-License-Identifier: MIT
 *
 * bench_session.h - what `tare bench` holds while it works: a session as `tare run` has it, with benchmarks of programs in place of commands.
 * Used by cli/bench, and by what makes its options from something else and then does the same: rerun, gate, fleet, history.
 *
 * The programs are asked for their benchmarks first; each benchmark of each becomes a subject, and from there on the
 * session is that of cli/run: the same plan, rounds, looks, record, findings, screen and files.
 */
#ifndef BENCH_SESSION_H
#define BENCH_SESSION_H

#include "bench_options.h"
#include "harness.h"
#include "run.h"
#include "wire.h"

struct bench_case { /* one benchmark of one program; texts live in the command's arena */
    const char *name, *group;
    const char *version; /* NULL: none */
    bool baseline, complexity;
    int n_args;
    struct parameter args[WIRE_ARGS_MAX];
    uint64_t terms; /* bench_terms of what its program listed; 0: not known */
};

struct bench_filter; /* words and patterns of --filter or --exclude */

struct bench_program {
    const char *path;  /* as the user named it */
    const char *label; /* behind the names of its benchmarks; NULL: there is one program */
    const char *const *argv;
    const char *cwd; /* NULL: where tare runs */
    const char *const *environment;
    const struct harness *harness; /* NULL: libtare's */
    char release[HARNESS_RELEASE_MAX];
    struct result_file *results; /* of a command that writes a file (--results), what it wrote last; NULL: it is a program */
    bool new_noted;              /* that its file has names that were not in the first one was said */
    bool anchor;                 /* the last one, of --anchor */
    int against;                 /* the program whose benchmarks of the same names its own are compared with; -1: none */
    struct bench_case *cases;
    int n_cases;
};

struct bench {
    struct run run;
    const struct bench_options *o;
    /* The caller's: path, label, against, cwd; with cases they are not asked. NULL: the words of the command line name them. */
    const struct bench_program *given;
    int n_given;
    struct bench_program *programs;
    int n_programs;
    struct bench_request *requests;   /* one for each subject */
    bool places_differ;               /* the programs have folders or variables of their own */
    struct harness_words *words;      /* likewise, of those of other harnesses */
    struct bench_filter *only, *not ; /* made by bench_describe */
    const struct record *recorded;    /* whose benchmarks are taken, and no program is started to ask; NULL: the programs say */
};

/* run_end frees what it holds. `options` must outlive it. */
void bench_begin(struct bench *b, struct cli *cli, const struct bench_options *options);
/* Options and words to subjects and rule; the programs are started once each, to be asked, unless `recorded` tells. */
enum tare_status bench_describe(struct bench *b, struct tare_err *err);
/* --env: a variable that is given once is set for all programs, and one that is given once for each, that of the anchor last, in its own. INVALID: another
 * number of times. */
enum tare_status bench_choose_environments(struct bench *b, struct tare_err *err);
/* Of --filter or --exclude. INVALID: a pattern that is none; `option` is named. */
enum tare_status bench_filter_make(struct bench_filter **out, const char *option, const struct option_list *words,
                                   struct arena *a, struct tare_err *err);
bool bench_filter_has_patterns(const struct bench_filter *f);
bool bench_wants(const struct bench *b, const char *name); /* by both */
/* --results: the words are commands, each a program. INVALID: as those of tare run. */
enum tare_status bench_name_commands(struct bench *b, struct tare_err *err);
/* The format of the first command's file, a fact of the record. */
enum tare_status bench_note_results(struct bench *b, const struct bench_program *p, struct tare_err *err);
/* What of subject i's request is that of a file with results. */
void bench_request_results(struct bench *b, const struct bench_program *p, int first_subject, int i);
const struct bench_program *bench_program_of(const struct bench *b, const struct subject *s);
const struct bench_case *bench_case_named(const struct bench_program *p, const char *name); /* NULL: it has none */

#endif
