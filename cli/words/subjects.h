/* SPDX-License-Identifier: MIT
 *
 * subjects.h - from the command line's texts, parameters and hooks to subjects that can be executed.
 *
 *     struct subject_input in = {.before = operands, .n_before = n, .prepare = ..., .program_exists = on_path};
 *     struct subject_plan plan;
 *     if ((status = subjects_make(&in, &arena, &plan, &err)))
 *         ...                                     // INVALID and TOO_LARGE are wrong use: exit 2, err says what to write instead
 *     for (int i = 0; i < plan.n_notes; i++)
 *         say(plan.notes[i]);                     // once, before the first run
 *     record_add_subject(&record, &plan.subjects[i], ...);
 *
 * The order is hyperfine's: the reference first, then the commands; with parameters the command changes fastest, then the first
 * parameter, then the second. What is decided here, once for all: which words are commands (`--`), who gets a shell, every name.
 * It starts nothing and asks the system one question only, through `program_exists`. argv[0] is as written: the search on PATH
 * is made anew before each run by who executes.
 * Ownership: the plan and all in it live in the caller's arena; texts of the input are used, not copied, and must live as long.
 */
#ifndef SUBJECTS_H
#define SUBJECTS_H

#include "arena.h"
#include "record.h"
#include "shell_syntax.h"
#include <stdbool.h>
#include <tare/status.h>

/* A revision of a repository; each command is made once for each of them, with the parameter "rev" beside the others. */
struct subject_revision {
    const char *id;    /* what {rev} becomes */
    const char *label; /* names the command, or stands behind its name */
};

struct subject_input {
    /* Operands in front of `--`: each is the text of one command. Those after it: the texts of commands if the first contains
     * blanks and is no program itself, else the words of one command. */
    const char *const *before, *const *after;
    int n_before, n_after;
    bool reading_told; /* which of them are commands: no note says it once more */
    int copies;        /* the one command that there may be then, so many times under names of their own; 0: as given */

    const char *const *scans; /* -P: three words each, VAR MIN MAX; hyperfine allows one, and none beside lists */
    int n_scans;
    const char *scan_step;    /* -D or NULL */
    const char *const *lists; /* -L: two words each, VAR a,b,c */
    int n_lists;
    const struct subject_revision *revisions; /* they change slowest; not beside a reference */
    int n_revisions;

    const char *const
        *names; /* -n: at most one per command; with parameters one for all, one per command text or one per command */
    int n_names;
    const char *reference, *reference_name; /* NULL = none */
    const char *anchor;                     /* one command more, the last, for all values of the parameters; NULL = none */

    const char *setup, *cleanup; /* NULL = none; so is a blank text */
    const char *const *prepare, *const
                                    *conclude; /* one for all, one per command text or one per command, the reference included */
    int n_prepare, n_conclude;

    const char *shell; /* -S: words of a shell, "default", "none"; NULL = decide */
    bool no_shell;     /* -N */
    bool windows;      /* texts are read as Windows does, and the shell is cmd.exe */

    shell_program_exists *program_exists; /* as exec would find it: on PATH, or at its path when it has a slash */
    void *context;
};

struct hook {
    const char *text;        /* parameters filled in; NULL = none */
    const char *const *argv; /* closed by NULL; NULL = none */
    bool shell;
};

struct subject_hooks {
    struct hook setup, prepare, conclude, cleanup;
};

struct subject_plan {
    struct subject *subjects;
    struct subject_hooks *hooks; /* same index */
    int n;
    int n_texts;        /* command texts, reference and anchor included, before parameters are filled in */
    bool has_reference; /* --reference was given; the reference is subject 0 in any case */
    bool has_anchor;    /* the last subject is the anchor */
    int per_revision;   /* subjects of one revision, which stand together; n without revisions */
    bool
        same_setup_cleanup; /* for all subjects of a revision: then they run once (in each revision) around all rounds, else in blocks */
    bool shell;             /* a shell runs every command */
    const char *shell_name;   /* "/bin/sh", "bash --norc"; NULL without */
    const char *shell_reason; /* "command 2 uses '|' at column 9"; NULL when -S asked for it, or without */
    const char **notes;       /* one line each, to be said once */
    int n_notes;
};

/* Fails with INVALID, TOO_LARGE or NO_MEMORY; *out is then zeroed. */
enum tare_status subjects_make(const struct subject_input *in, struct arena *a, struct subject_plan *out, struct tare_err *err);

/* The words of one more text that is executed beside the commands, as a hook is; `option` names it in messages. Notes go to the plan. INVALID:
 * err says what to write instead; NO_MEMORY. */
enum tare_status subjects_add_hook(const struct subject_input *in, struct arena *a, struct subject_plan *plan, const char *option,
                                   struct hook *h, struct tare_err *err);

/* Which of an option's n_given values belongs to this subject: for options given once, once per command text or once per
 * command (hyperfine's rule for --prepare, --conclude and --output). -1: that many fit nothing. */
int subjects_choice(const struct subject_plan *plan, int n_given, int subject);

#endif
