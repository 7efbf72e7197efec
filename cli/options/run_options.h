/* SPDX-License-Identifier: MIT
 *
 * run_options.h - the options of `tare run`, parsed and checked.
 *
 *     int cmd_run(struct cli *cli, const void *options)
 *     {
 *         const struct run_options *o = options;
 *         ... expand commands and parameters by subjects.h, giving n commands (a --reference included, in front) ...
 *         if (run_options_check_counts(o, n, &err))
 *             return cli_fail(cli, EXIT_USAGE, &err);
 *         run_options_rule(o, n, &record.rule);
 *         if (RUN_GIVEN(o, runs)) ...
 *
 * By the time cmd_run sees it, run_options_check has refused what contradicts itself and resolved what depends on several
 * options. What the texts of commands, hooks and parameters hold is not looked at here. A field that was not given has the default stated here. Strings live as long as argv and the command's arena.
 */
#ifndef RUN_OPTIONS_H
#define RUN_OPTIONS_H

#include "display_options.h"
#include "own_metric.h"
#include "record.h"
#include "subjects.h"

enum run_shell {
    RUN_SHELL_AUTO,    /* neither -S nor -N: the default shell, and only if a command needs one */
    RUN_SHELL_NONE,    /* -N or -S none: never */
    RUN_SHELL_DEFAULT, /* -S default: the platform's shell, always */
    RUN_SHELL_CUSTOM   /* -S TEXT: `shell` is a name, a path or a whole command line ("bash --norc"), always */
};

enum run_memory { RUN_MEMORY_WAIT4, RUN_MEMORY_EXACT };

enum run_priority { RUN_PRIORITY_IDLE, RUN_PRIORITY_NORMAL, RUN_PRIORITY_HIGH, RUN_PRIORITY_REALTIME }; /* as plat_priority */

enum { REVISIONS_MOST = 98 }; /* of --rev; one more may come by itself */

/* What a revision meant when it was measured. */
struct revision_commit {
    const char *hash, *changes; /* in full; changes: the commit that holds the working tree then, NULL: it had none */
};

struct run_options {
    struct option_base base;
    const struct option_set *set; /* the table that it was parsed by, for RUN_GIVEN; from the check on */

    /* ---- how often, how long ---- */
    int warmup;          /* runs of each command made and set aside; -1: not given, the default round of adaptive mode */
    int runs;            /* exactly so many of each command; 0: adaptive. georges: at most so many, 0 never (30) */
    int min_runs;        /* >= 1; 10, or max_runs when that is smaller. georges: 5, or runs when that is smaller */
    int max_runs;        /* >= min_runs; 0: no limit */
    int64_t min_time_ns; /* --min-benchmarking-time: no end before so much time went by; 0: none */
    int64_t max_time_ns; /* --max-time: a hard budget for the session; 0: not given, 5 s for each command, first look included */
    int64_t timeout_ns;  /* of one run; 0: none */

    /* ---- how sure ---- */
    double precision;             /* ratio; NaN: not given (run_options_rule knows the default) */
    double confidence;            /* 0.95 */
    struct option_margin margin;  /* 1 %. Its unit fits the deciding metric; "cycles" has become "1" */
    struct option_list metrics;   /* ids as typed ("wall", "perf:instructions"), all known, perf: or own; never empty: "wall".
                                    The first decides. Those of the user's own stand here by their names */
    const struct own_metric *own; /* made by the check; their commands have no words yet */
    int n_own;
    const char *results; /* a file that each run writes; NULL: none */
    int results_format;  /* 0: as it is recognised; else see result_file.h */
    int memory;          /* enum run_memory; exact as soon as a metric of followed runs is asked for */
    bool check_output;
    double fail_if_slower; /* ratio; NaN: not asked */
    bool fail_if_unstable;
    int on_dirty;       /* enum on_dirty of record.h */
    int aa_sessions;    /* --aa: the one command, or each benchmark, against itself, so often; 0: not asked */
    bool no_interleave; /* blocks of one command each; no word is given then */
    int method;         /* enum method of record.h */
    uint64_t seed;      /* RUN_GIVEN(o, seed) false: draw one */

    /* ---- hooks: texts with {parameters} not yet filled in ---- */
    const char *setup, *cleanup;          /* NULL: none */
    struct option_list prepare, conclude; /* none, one for all, or one for each command */

    /* ---- parameters ---- */
    struct option_list scan;  /* none, or VAR MIN MAX */
    const char *scan_step;    /* NULL: 1 */
    struct option_list lists; /* VAR VALUES VAR VALUES ...; VALUES has commas, `\,` is a comma inside a value */

    /* ---- commands ---- */
    struct option_list names;     /* shown instead of the commands, in their order; may be fewer */
    struct option_list revisions; /* --rev: as git reads them, or "." for the working tree; none: no revisions */
    const struct revision_commit *
        commits; /* of a repetition, by the record: for each revision, and for one that came by itself; NULL: the names are asked */
    const char *build;                  /* only with revisions; NULL: nothing to build */
    const char *reference;              /* one command more, in front, against which the others are compared; NULL: the first */
    const char *reference_name;         /* only with reference; NULL: its text */
    const char *anchor;                 /* one command more in each round, behind the others; NULL: none */
    enum run_shell shell_kind;          /* resolved from -S and -N */
    const char *shell;                  /* RUN_SHELL_CUSTOM: its text */
    bool no_shell;                      /* -N as given; shell_kind is what counts */
    struct option_codes ignore_failure; /* .any false: a failing run ends the session */
    struct option_list output; /* "null", "pipe", "inherit" or a file's path; none (null), one for all, or one for each */
    bool show_output;          /* --show-output; check has made it output = {"inherit"} */
    const char *input;         /* "null" or a file's path */
    struct option_list env;    /* NAME=VALUE, NAME not empty; later ones win */
    const char *cwd;           /* NULL: ours */
    struct option_list
        cwds;         /* tare bench: of each program, that of the anchor last; check leaves it empty where cwd is for all */
    int pin_cpu;      /* -1: as we run */
    bool same_cpu;    /* the runs of a round share a CPU, another one each round; not with pin_cpu */
    const char *tune; /* --tune: "all", or ids of knobs with commas between; NULL: the machine is taken as it is */
    int priority;     /* enum run_priority */
    struct option_list events; /* tare bench: one more process of each, untimed: what an iteration counts of these */
    bool allocs;               /* tare bench: two more processes of each, untimed: what an iteration allocates */
    bool memory_timeline;      /* one more run of each, untimed: memory over time. --export-timeline sets it too */

    /* ---- result ---- */
    struct display_options display;
    const char *save;            /* the record's file; NULL: none */
    const char *history;         /* the folder of the history to add the session to; "": that of the repository; NULL: none */
    const char *class;           /* of this machine, for the history; NULL: what it is */
    struct option_list baseline; /* files of stored sessions to compare with */
    bool assume_no_drift;        /* only with baseline: a word in spite of two sessions */
    int sessions;                /* so many sessions; 0: one, alone */
    int64_t every_ns;            /* between their starts; 0: at once */
    bool go_on;                  /* --continue: after the sessions that `save` holds */
    bool dry_run;                /* print what would be run and how often; run nothing, write no file */
};

extern const struct option_set run_option_set;

/* Was the option with this field on the command line? */
#define RUN_GIVEN(o, field) option_given((o)->set, (o), offsetof(struct run_options, field))

/* command.check of `tare run`. */
enum tare_status run_options_check(void *options, const struct option_operands *operands, struct arena *a, struct tare_err *err);
/* The same; by whichever table they were parsed. */
/* What --history needs and excludes. INVALID. */
enum tare_status run_options_check_history(const struct run_options *o, struct tare_err *err);
enum tare_status run_options_check_all(struct run_options *o, const struct option_operands *operands, struct arena *a,
                                       struct tare_err *err);
/* A row of a table of what does not go together; the first that is wrong is said. */
struct refusal {
    bool wrong;
    const char *why;
};
enum tare_status run_options_refuse(const struct refusal *table, size_t n, struct tare_err *err);
#define RUN_REFUSE(table) run_options_refuse(table, sizeof table / sizeof *table, err)

/* Whether a metric of one's own cannot have this name: it becomes a column of the rows, beside those that are there already. */
bool run_column_taken(const char *name);
/* Parts of it, for the commands that share these options with it: --runs, --min-runs and --max-runs (usual_most: where that is not given; 0: no
 * limit); --on-dirty, --aa and what --method and --no-interleave allow; --show-output and --output; --pin, --same-cpu and --env;
 * --anchor; --assume-no-drift. */
enum tare_status run_options_check_runs(struct run_options *o, int usual_most, struct tare_err *err);
enum tare_status run_options_check_rule(const struct run_options *o, struct tare_err *err);
enum tare_status run_options_check_output(struct run_options *o, struct arena *a, struct tare_err *err);
enum tare_status run_options_check_place(const struct run_options *o, struct tare_err *err);
enum tare_status run_options_check_revisions(const struct run_options *o, struct tare_err *err);
enum tare_status run_options_check_anchor(const struct run_options *o, struct tare_err *err);
enum tare_status run_options_check_baseline(const struct run_options *o, struct tare_err *err);
/* Once the number of commands is known (parameters expanded, reference counted): --fail-if-slower has something to compare. */
enum tare_status run_options_check_counts(const struct run_options *o, int n_commands, struct tare_err *err);
/* What subjects_make needs of them, but for who answers program_exists. */
struct subject_input run_options_subjects(const struct run_options *o, const struct option_operands *words);
/* The session's rule, looks not yet planned; n_together commands share rounds, 1 in blocks. Strings point into o. */
void run_options_rule(const struct run_options *o, int n_together, struct rule *out);

#endif
