/* SPDX-License-Identifier: MIT
 *
 * gate_session.h - what `tare gate` holds while it works: two revisions, their benchmarks, and what three sessions of tare bench say of them.
 *
 *     gate_sides_find(&g, &err);           // which commits: reads the repository
 *     gate_sides_build(&g, &err);          // work trees and builds
 *     gate_benchmarks_find(&g, &err);      // which benchmarks both have
 *     gate_measure(&g, &err);              // all; those near the limit; slowdowns again
 *     gate_conclude(&g);
 *     ... gate_page.h ...
 *     gate_sides_remove(&g);               // whatever happened before
 *
 * Sessions, records and their statistics are those of tare bench; the answer is gate_answer's.
 */
#ifndef GATE_SESSION_H
#define GATE_SESSION_H

#include "bench_session.h"
#include "gate_answer.h"
#include "gate_options.h"
#include "gate_rounds.h"
#include "git.h"

#define GATE_ALPHA .05 /* that a gate of equal builds fails, over all its benchmarks and looks */

enum gate_phase { GATE_SCREEN, GATE_NARROW, GATE_CONFIRM, GATE_PHASES };
extern const char *const gate_phase_names[GATE_PHASES];

struct gate_program { /* of --bench */
    const char *name;
    struct bench_program side[2]; /* path NULL: that build has none */
    const char *equal;            /* why it need not be measured; NULL: it must be */
};

enum { GATE_SESSIONS_MAX = GATE_LOOKS_MAX + 4 };
enum gate_kind { GATE_BOTH, GATE_NEW, GATE_DELETED, GATE_EQUAL, GATE_SKIPPED };
extern const char
    *const gate_kind_keys[]; /* of the record's facts with the names that no session measures; of the three kinds between */

struct gate_benchmark {
    struct gate_case *c; /* of the same index in the gate's cases; what is not measured is a control there, without rounds */
    enum gate_kind kind;
    bool control;
    int program;
    const struct bench_case *side[2];
    double *values[2];        /* of c->screen and c->confirm: room for all rounds that are made */
    double ns[2];             /* medians for the page, see gate_shows; --merge: the least of the machines' */
    int ns_rounds;            /* of their session */
    double most_ns[2];        /* --merge: the largest */
    const char *program_name; /* --merge of several programs; else NULL */
    const char *remark;       /* what else is to be known of its verdict; NULL */
    double injected;          /* ln ratio that is added to what was measured: --qualify */
    struct gate_result result;
    bool faster; /* by the limit or more, at a level that holds for all benchmarks together */
};

struct gate_session { /* one that was made */
    enum gate_phase phase;
    int benchmarks, rounds;
    double seconds;
};

struct gate {
    struct cli *cli;
    const struct gate_options *o;
    /* what is compared */
    struct revisions rs;
    struct git git;
    const char *top;
    const char *revisions[2]; /* for revisions_resolve: a hash, or as given */
    const char *base_note;    /* "merge base with main" */
    bool own_file;            /* options are from .tare/gate */
    bool file_changed;        /* which the head changes */
    struct buf said;          /* what the builds said when they failed */
    struct sink talk;         /* where it goes too */
    struct cli builder;       /* cli with a talk that is kept */
    struct plat_file *log;
    struct tare_err log_lost; /* why it is not complete; "": it is */
    struct gate_program *programs;
    int n_programs;
    struct gate_benchmark *items;
    struct gate_case *cases;  /* of the same index */
    struct gate_found *found; /* of each */
    double *cost_s;           /* of a round of both builds */
    int n;
    /* what was measured */
    struct plat_file *save;
    struct buf saved;       /* what is in it, for it may be swept away; with a status: not all */
    bool save_failed;       /* which was said */
    struct record *records; /* of the sessions, for exports: the screening, and for a page those behind it */
    int n_records;
    const char *disturbance; /* what disturbed a session most; NULL: nothing */
    double disturbance_weight;
    struct gate_session sessions[GATE_SESSIONS_MAX];
    int n_sessions;
    int64_t start_utc_ns; /* of the command */
    struct spent spent;
    double build_seconds, seconds; /* seconds: --merge: of all records together */
    int number;                    /* --qualify: of the gate */
    int signal_number;
    /* the answer */
    enum gate_verdict verdict;
    struct gate_advice advice;
    const char *failure;                /* why there is no result at all; NULL */
    int runners;                        /* --merge: so many records' machines; 0: this one */
    const char *hashes[2], *changes[2]; /* of these records; changes: the commit that holds what was not committed, else "" */
    const char *unit;                   /* of their values */
};

/* INVALID: no such revision, or nothing to compare. */
enum tare_status gate_sides_find(struct gate *g, struct tare_err *err);
/* CHILD: a build failed; INTERRUPTED. */
enum tare_status gate_sides_build(struct gate *g, struct tare_err *err);
/* In new work trees; gate_benchmarks_find is to be called again. */
enum tare_status gate_sides_build_again(struct gate *g, struct tare_err *err);
enum tare_status gate_sides_remove(struct gate *g, struct tare_err *err); /* zeroed is fine */

/* Programs are asked for their benchmarks. CHILD: one is not there or does not answer. */
enum tare_status gate_benchmarks_find(struct gate *g, struct tare_err *err);
void gate_note_unused(const struct gate *g); /* patterns of options that fit no benchmark */
/* CHILD, IO ...: nothing could be measured; INTERRUPTED. What fails of a single benchmark is its failure. */
enum tare_status gate_measure(struct gate *g, struct tare_err *err);
void gate_forget(struct gate *g); /* what was measured, for another one of the same builds */
void gate_drop_records(struct gate *g);
/* Of the record of one of its sessions the gravest remark on the session itself, unless that of one before is graver. */
void gate_keep_disturbance(struct gate *g, const struct record *r);
double gate_largest_of(const struct gate *g); /* gate_largest, once it is concluded */
void gate_conclude(struct gate *g);           /* answers from what was measured */
/* What could be asked is equal in both builds, or accepted: no failure. */
bool gate_nothing_to_ask(const struct gate *g);
/* In place of the sessions, where no benchmark had to be measured: a record without rounds, for --merge and tare show. */
enum tare_status gate_keep_equal(struct gate *g, struct tare_err *err);
bool gate_asked(const struct gate_benchmark *b); /* it can fail */
/* Once its rounds of a session are there: the screening is looked at. */
void gate_end_phase(struct gate_case *c, enum gate_phase phase);
/* Whether the page is to have the medians of this session of a benchmark: of the longest so far, or the one that confirms. most: 0 at first. */
bool gate_shows(enum gate_phase phase, int rounds, int *most);

/* The options of a session of tare bench with exactly `runs` rounds, unless max_time_ns are over before. NO_MEMORY, INVALID. */
enum tare_status gate_bench_options(const struct gate *g, int runs, int64_t max_time_ns, struct bench_options *out,
                                    struct tare_err *err);
/* The same of the command after `--`, at both revisions. */
enum tare_status gate_run_options(const struct gate *g, int runs, int64_t max_time_ns, struct run_options *out,
                                  struct tare_err *err);
/* A line on standard error, unless --quiet. */
BUF_FORMATS(2, 3) void gate_note(const struct gate *g, const char *format, ...);

bool gate_name_in(const struct option_list *globs, const char *name);
const char *gate_name_of(struct arena *a, const struct subject *s); /* what the gate calls its benchmark; NULL: no memory */

/* The answer from the records of the command line, 2 or 6 where they cannot be used. */
enum exit_code gate_of_machines(struct gate *g);

enum exit_code gate_code(enum gate_verdict v);

#endif
