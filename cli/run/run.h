/* SPDX-License-Identifier: MIT
 *
 * run.h - what `tare run` holds while it works, and its steps. Used by cmd_run.c with its run_*.c files, and by
 * what makes its options from something else and then does the same: rerun, history, fleet and qualify.
 */
#ifndef RUN_H
#define RUN_H

#include "cli.h"
#include "render.h"
#include "revisions.h"
#include "run_options.h"
#include "session.h"
#include "stored_file.h"
#include "subjects.h"
#include "tuning.h"
#include "wire.h"

enum { UNTIMED_KINDS_MAX = 8 };

struct run {
    struct cli *cli;
    const struct run_options *o;
    /* what is measured, made of options and words */
    bool benchmarks;        /* the subjects are those of tare bench */
    bool harnesses;         /* and their programs may be of other harnesses (--harness) */
    bool traced;            /* they are those of tare trace */
    const char *traced_how; /* what their points are asked to do, in words */
    const char *sampled_by; /* options of tare bench or tare trace that move what they measure, as words of a shell; NULL: none */
    bool reading_told;      /* how the words are read was said */
    struct subject_plan subjects;
    struct revisions revisions;    /* --rev; zeroed without */
    const struct revisions *ready; /* the caller's, as that of struct revisions */
    const struct subject_revision *revision_names;
    struct exec_command *commands; /* one per subject of the record, the no-op included */
    int n_commands;
    const char *const *noop_argv;
    struct session_hooks *hooks;
    struct exec_options exec_options;
    bool hides_passwords;       /* of databases, from what it runs; with --history of one that is always so */
    bool cpu_each_run;          /* where no CPU is chosen, each run gets one that is drawn: exec_options.cpu_each_run */
    struct tuning *tuning;      /* --tune; NULL without */
    bool tuned_before;          /* the session that is repeated was: where we may not, that is said and measured all the same */
    const uint64_t *shown_seed; /* the one that a plan showed before; NULL: none did */
    struct render_options render;
    /* what its session does and finds */
    struct session session;
    struct record record;
    struct history_keep *history;                              /* --history; NULL without */
    struct stored_side baseline;                               /* --baseline; zeroed without */
    bool (*expects)(const void *run, const struct subject *s); /* of a --baseline: was it to be measured again? NULL: all */
    struct plat_file *lent_save;   /* the record's file, held open over several sessions; NULL: session.outputs has its own */
    const char **missing_counters; /* one sentence each */
    int n_missing_counters;
    const char **user_only_counters; /* metric ids: asked for whole, counted in user space */
    int n_user_only_counters;
    const char *folder;          /* of ours, for files of its processes; removed by run_close. NULL: there is none */
    struct result_file *results; /* of tare bench --results: what each program's last process wrote */
    int n_results;
    uint64_t results_noted; /* --results: of which commands its first file was looked at, a bit each */
    bool told_events;       /* --counters: what cannot be counted was said */
    struct scaled_event {
        const char *name;
        double counted;        /* the least share of the time of a process */
    } scaled[WIRE_EVENTS_MAX]; /* events that were counted in a part of it */
    int n_scaled;
    /* Called when all is measured and the conditions after are known, before findings and screen: a record that holds more than the runs
     * gets its estimates then. NULL: nobody. */
    void (*settled)(void *context, struct run *run);
    /* Called with the whole result, after it was shown and before the record is closed; it then answers instead of --fail-if-slower. NULL:
     * nobody. */
    enum exit_code (*concluded)(void *context, struct run *run);
    /* Called when machine and programs are known, before anything of the record is written or measured; it may refuse. NULL: nobody. */
    enum tare_status (*described)(void *context, struct run *run, struct tare_err *err);
    void *context;
};

/* A folder of ours for files of its runs, TMPDIR/PREFIX-MARK-aB3dE6, MARK being that of our process; its path is appended. What sessions that were
 * killed left of this prefix beside it is removed, which is noted. */
enum tare_status run_folder(const struct run *run, const char *prefix, struct buf *path, struct tare_err *err);

/* Whether numbers of runs follow from the data; then tare may add runs of its own (a warm-up round, the no-op). */
bool run_adaptive(const struct run_options *o);

/* "note: TEXT" on standard error; nothing with --quiet. */
BUF_FORMATS(2, 3) void run_note(const struct run *run, const char *format, ...);
void run_print_notes(const struct run *run); /* how words were read, once subjects were made */

/* --baseline: read before anything runs, and compared after the result was shown. EXIT_ANSWERED without it. */
enum exit_code run_baseline_load(struct run *run);
enum exit_code run_against_baseline(struct run *run, struct record *sessions, int n);

/* Options and words to subjects, hooks and rule. Starts nothing. INVALID: wrong use. */
enum tare_status run_describe(struct run *run, struct tare_err *err);
/* Whether the clock of --clock can time what is measured here; "auto" always can. INVALID: the counter of another kind of processor. UNSUPPORTED: it cannot be
 * used here, err says why. */
enum tare_status run_check_clock(const char *name, struct tare_err *err);
/* Parts of it, for tare bench, which makes the subjects itself, and for tare trace: the environment first, what follows from run->subjects last. */
enum tare_status run_choose_environment(struct run *run, struct tare_err *err);
/* Without what opens a database, as nothing that is measured needs it. NULL: no memory. */
const char *const *run_without_passwords(struct arena *a, const char *const *environment);
/* --rev: to commits, unless it was done; then, where something has to be there to go on, their work trees and builds, which run_open makes otherwise. */
enum tare_status run_resolve_revisions(struct run *run, struct tare_err *err);
enum tare_status run_build_revisions(struct run *run, struct tare_err *err);
/* The folder in which what is of revision i runs. NULL: it is not checked out, or no memory. */
const char *run_revision_folder(const struct run *run, int i);
enum tare_status run_make_subjects(struct run *run, struct tare_err *err); /* from the words of the command line */
enum tare_status run_describe_subjects(struct run *run, struct tare_err *err);
/* Of words that are run elsewhere, or later: as run_make_subjects, but no revision is looked for. INVALID. */
enum tare_status run_check_words(struct run *run, struct tare_err *err);
/* Refuses files that are named for two things, or cannot be written: before anything is started. INVALID. */
enum tare_status run_check_places(const struct run *run, struct tare_err *err);
/* --history: the folder, the commit. INVALID: no repository; IO, PERMISSION: the folder cannot be written to. */
enum tare_status run_open_history(struct run *run, struct tare_err *err);
/* Which files they are, as facts of the record; one that a hook makes may not be there yet. NO_MEMORY. */
enum tare_status run_describe_programs(struct run *run);
/* What is given around the commands that changes what they do or how fast, as the fact "options": input, output, environment, folder, CPU, priority, and sampled_by. */
enum tare_status run_describe_options(struct run *run);
void run_put_option(struct buf *b, const char *name, const char *value); /* value NULL: it takes none */
/* Unless it is there already. */
enum tare_status run_start_spawner(struct run *run, struct tare_err *err);
/* The folder of a command; NULL: ours. */
const char *run_cwd(const struct run *run, int command);
/* The file that exec gets for this name, as seen from our folder. As plat_find_program. */
enum tare_status run_find_file(const char *name, const char *const *environment, const char *cwd, struct buf *out,
                               struct tare_err *err);
/* Whether a command's program is there; OK too when a hook may still make it. CHILD: it is not. */
enum tare_status run_find_program(const struct run *run, int command, struct tare_err *err);
/* Opens all that can fail before the first run: outputs, signals, priority, the spawner, descriptors, counters, the record file. */
enum tare_status run_open(struct run *run, struct tare_err *err);
/* Weighs the spawner with an empty program, then measures. */
enum tare_status run_measure(struct run *run, struct tare_err *err);
/* For session.untimed: the runs that nobody times and that come after the last round, of these commands. A new kind is a line of the table
 * in run_untimed.c. Those of --memory=exact are made within the rounds, by exec. */
enum tare_status run_untimed(void *run, const int *subjects, int n, struct tare_err *err);
/* A sentence for each kind, for --dry-run; how many, at most `room`. */
int run_untimed_purposes(const struct run_options *o, const char **purposes, int room);
/* Conditions after, findings, the screen, the files. `outcome` is what run_measure returned. */
enum exit_code run_report(struct run *run, enum tare_status outcome, const struct tare_err *why);
/* EXIT_TOOL: something of ours could not be removed. */
enum exit_code run_close(struct run *run);
/* How a session of a set is made, by tare run or another command. */
struct session_maker {
    void *context;
    /* A zeroed session with cli and o, which live as long. */
    struct run *(*begin)(void *context, struct cli *cli, const struct run_options *o);
    enum tare_status (*describe)(void *context, struct run *run, struct tare_err *err); /* as run_describe */
    enum exit_code (*measure)(void *context, struct run *run); /* as run_session; to be described before */
    void (*end)(void *context, struct run *run);               /* what is not the run's own; may be NULL */
    enum exit_code (*answer)(const struct record *over);       /* of what they say together; may be NULL */
};
/* --sessions: all of them, each as `described`, and what they say together. */
enum exit_code run_sessions(struct run *described, const struct session_maker *maker);

/* ---- the whole, from options to exit code ---- */

/* Of a failure to describe a session: of run_describe, or another command's. */
enum exit_code run_code_of(enum tare_status status);
/* The same behind what is checked before: a folder that is not there is no wrong use. */
enum exit_code run_open_code(enum tare_status status);
/* What would be run and how often, under a heading line. */
void run_plan_text(const struct run *run, const char *heading, struct buf *out);
enum exit_code run_dry(struct run *run);     /* prints it */
enum exit_code run_session(struct run *run); /* opens, measures and reports what was described */
/* Closes; dies of the signal that ended the session, if one did. */
enum exit_code run_end(struct run *run, enum exit_code code);

#endif
