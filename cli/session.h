/* SPDX-License-Identifier: MIT
 *
 * session.h - one measuring session over commands: the loop of every mode, `while (plan_next) { do one step }`, with its hooks
 * around it, its rows saved as they come and its progress shown between runs.
 *
 *     struct session s = {.record = &r, ...};
 *     status = session_measure(&s, &err);
 *
 * The session decides nothing (plan), computes nothing (analyse) and prints nothing but the live line and notes.
 */
#ifndef SESSION_H
#define SESSION_H

#include "cli.h"
#include "exec.h"
#include "live.h"
#include "machine.h"
#include "outputs.h"
#include "plan.h"
#include "record_write.h"

struct session_hooks { /* per command; those of a group run once in each folder that they name */
    struct exec_hook setup, cleanup;
};

/* Time since a start: a clock that is set back, as a preloaded one can be, gives none back. */
struct spent {
    int64_t start_ns, last_ns;
};

int64_t spent_ns(struct spent *s);

struct session {
    struct record *record;
    struct plat_spawner *spawner;
    struct exec *exec;
    struct outputs outputs;
    const struct session_hooks *hooks; /* of each command */
    int n_commands;                    /* subjects 0 .. n_commands-1 of the record are the commands */
    bool blocks;                       /* one command after the other (see why) */
    const char *why_blocks;
    bool pairs;                   /* --aa: subjects 2 i and 2 i + 1 share rounds, in a session of their own */
    struct plan_options plan;     /* subjects are set by the session */
    struct record_writer *writer; /* NULL: rows are not saved */
    struct tare_err save_error;   /* the first failure of saving; measuring goes on */
    bool save_failed;
    struct cli *cli;
    bool quiet;    /* notes are not said */
    bool outlooks; /* what the rest of the schedule can bring is a note */
    struct live live;
    struct surroundings surroundings;
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
    struct spent spent; /* of all that is measured */
    const struct plan *current;
    bool overrun_told; /* that a budget does not hold */
    int group;
};

/* Setup hooks, all groups, cleanup hooks (also after a failure or a signal). On return the record holds all rows and the results of
 * the last looks. TARE_CHILD, TARE_INTERRUPTED: what was measured before is there all the same. */
enum tare_status session_measure(struct session *s, struct tare_err *err);

/* One round: a row in the record for each run that has one, saved and shown before the next begins. A benchmark, target or traced program that fails is no failure
 * of the round, see exec_failure. CHILD: a run failed and failures are not ignored, its row is there; INTERRUPTED: the run that was cut short has none. */
enum tare_status session_round(struct session *s, const int *order, int n, int round, bool warmup, struct tare_err *err);
/* Of the newest row, from wherever it came: figures of its process, file, live line. */
void session_after_row(struct session *s, int subject, bool warmup);
/* One sentence worth knowing while there is still time to act on it; the live line is away. */
BUF_FORMATS(2, 3) void session_note(struct session *s, const char *format, ...);

#endif
