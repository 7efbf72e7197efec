/* SPDX-License-Identifier: MIT
 *
 * session.h - one measuring session over commands: the loop of every mode, `while (plan_next) { do one step }`, with its hooks
 * around it, its rows saved as they come and its progress shown between runs.
 *
 *     struct session s = {.record = &r, ...};
 *     status = session_measure(&s, &err);
 *
 * The session decides nothing (plan), computes nothing (analyse) and prints nothing but the live line.
 */
#ifndef SESSION_H
#define SESSION_H

#include "exec.h"
#include "plan.h"
#include "record_write.h"

struct session_hooks { /* per command; those of a group run once in each folder that they name */
    struct exec_hook setup, cleanup;
};

struct session {
    struct record *record;
    struct exec *exec;
    const struct session_hooks *hooks; /* of each command */
    int n_commands;                    /* subjects 0 .. n_commands-1 of the record are the commands */
    bool blocks;                       /* one command after the other (see why) */
    const char *why_blocks;
    bool pairs;                   /* --aa: subjects 2 i and 2 i + 1 share rounds, in a session of their own */
    struct plan_options plan;     /* subjects are set by the session */
    struct record_writer *writer; /* NULL: rows are not saved */
    struct tare_err save_error;   /* the first failure of saving; measuring goes on */
    bool save_failed;
    /* progress; NULL: none */
    void (*progress)(void *context, const struct session *s, const struct plan *p, int group);
    void *progress_context;
    /* One sentence worth knowing while there is still time to act on it; NULL: nobody listens. */
    void (*note)(void *context, const char *text);
    void *note_context;
    /* Runs that nobody times, of these commands, after their last round and before their clean-up; their failure leaves the figures
     * whole, and is the session's outcome. NULL: none. */
    enum tare_status (*untimed)(void *context, const int *subjects, int n, struct tare_err *err);
    void *untimed_context;
    /* What a look says of these commands, into the record; NULL: analyse_group. METHOD_ANYTIME: a target that is decided then leaves. */
    enum tare_status (*judge)(void *context, const int *subjects, int n, struct tare_err *err);
    void *judge_context;
    int rounds_before; /* of a session that this one goes on with: rounds are counted on from there */
    int signal_number; /* out: the signal that ended it, 0 = none */
    /* while measuring */
    const struct plan *current;
    int group;
};

/* Setup hooks, all groups, cleanup hooks (also after a failure or a signal). On return the record holds all rows and the results of
 * the last looks. TARE_CHILD, TARE_INTERRUPTED: what was measured before is there all the same. */
enum tare_status session_measure(struct session *s, struct tare_err *err);

/* How many groups of commands that share rounds there are. */
int session_groups(const struct session *s);

/* For exec_options.after_row, with the session as context. */
void session_after_row(void *session, int subject, bool warmup);

#endif
