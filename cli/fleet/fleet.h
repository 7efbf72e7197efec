/* SPDX-License-Identifier: MIT
 *
 * fleet.h - what `tare fleet` holds while it works: a plan in a folder, and a record for each of its units that was measured.
 *
 *     DIR/plan.jsonl           the plan (fleet_plan.h)
 *     DIR/unit-0001.jsonl      the record of a unit, by a temporary name and a rename: it is there when it is complete
 *     DIR/unit-0001.failed     how often it failed, and why, or on which host that is none of the class; gone once it is measured
 *     DIR/queue                by what number a queue knows this folder's plan, while it may be there
 *     DIR/class.jsonl          which hosts are of a class (fleet_class.h); where there is none all are
 *     DIR/qualify/             what that follows from, a fleet of its own, whose plan measures a reference against itself
 *
 *     code = fleet_make(&f) or fleet_open(&f);
 *     fleet_load(&f);                      // what is there, and what of it does not count
 *     code = fleet_measure(&f);            // the units without a record
 *     code = fleet_conclude(&f, &exports);
 *     fleet_close(&f);
 *
 * A session is one of tare run or tare bench, and what nodes say together is analyse_sessions, as for tare run --sessions. The records come from other machines: a
 * unit counts only where its plan, number, seed, programs and class of machine are those of the plan and of the others.
 */
#ifndef FLEET_H
#define FLEET_H

#include "bench_options.h"
#include "cli.h"
#include "fleet_class.h"
#include "fleet_options.h"
#include "fleet_plan.h"
#include "outputs.h"

struct history_keep;

struct fleet_result {     /* of a unit */
    struct record record; /* `there`: it counts; else zeroed */
    bool there;
    const char *refused;  /* why its record does not count; NULL */
    const char *excluded; /* its host, which is none of the class; NULL. It is neither measured there nor counts */
    int attempts;         /* that failed, since it was measured last */
    const char *failure;  /* of the last of them; NULL */
    bool told;            /* that was said when it happened */
    const char *queued;   /* what its queue says of it, for status; NULL */
};

union fleet_measured { /* each begins with those of tare run */
    struct run_options run;
    struct bench_options bench;
};

struct fleet {
    struct cli *cli;
    const struct fleet_options *o;
    struct fleet_plan plan;
    bool qualifies;           /* the plan is that of tare fleet qualify */
    struct fleet_class class; /* n 0: nobody was excluded */
    struct fleet_unit *units;
    struct fleet_result *results; /* of the same index */
    int n;
    const struct command *command; /* tare run or tare bench: what each unit measures is argv of the plan, read by its table */
    union fleet_measured measured;
    struct option_operands operands;
    bool notes_said;              /* how argv is read was */
    int signal_number;            /* that ended the measuring; 0: none */
    struct history_keep *history; /* to which the records that count go; NULL: none */
};

/* Who makes the units that have no record that counts: each by what `tare fleet run --node` does, so that a new engine only places and fetches. */
struct fleet_engine {
    const char *name;
    enum exit_code (*measure)(struct fleet *f); /* as fleet_measure, all nodes held */
};
extern const struct fleet_engine fleet_slurm, fleet_queue;

#define FLEET_HOST_VARIABLE "TARE_FLEET_HOST" /* of tare fleet run: how this machine is called in its record */

struct fleet_nodes {
    struct fleet *f;
    struct record *items; /* one a node that has results; of several hosts one a host */
    int n, hosts;
};
/* Takes the records; finish `items` in any case. */
enum tare_status fleet_make_nodes(struct fleet_nodes *x, struct tare_err *err);
/* What of the plan is not in the answer, a line each, and how many have no record yet. */
enum exit_code fleet_say_left_out(const struct fleet *f);

/* Each: EXIT_ANSWERED, else a line was said. */
enum exit_code fleet_make(struct fleet *f);      /* the plan of the command line; no folder is touched */
enum exit_code fleet_open(struct fleet *f);      /* the plan of the folder, and its class */
enum exit_code fleet_keep_plan(struct fleet *f); /* the plan of the command line into the folder, unless that has it already */
enum exit_code fleet_load(struct fleet *f);      /* what does not count is said in results; a quiet --node needs not all */
enum exit_code fleet_load_unit(struct fleet *f, int unit);               /* one that is not there yet */
enum exit_code fleet_measure(struct fleet *f);                           /* EXIT_CHILD: a unit failed; the others were measured */
enum exit_code fleet_conclude(struct fleet *f, struct outputs *exports); /* takes the records */
enum exit_code fleet_check_places(const struct fleet *f);                /* no export goes over a file of the fleet */
enum exit_code fleet_load_class(struct fleet *f);
enum exit_code fleet_open_history(struct fleet *f); /* --history: of the commit that is checked out here */
void fleet_close(struct fleet *f);

/* FORMAT: what is there is a pipe, for which nobody may ever write, or a link, which leads to a file that nobody named. Others may write in the folder. */
enum tare_status fleet_check_file(const char *path, struct tare_err *err);
/* That it has this plan still. FORMAT: it was deleted or replaced, and what is written would be lost, or be among another plan's. */
enum tare_status fleet_check_folder(const struct fleet *f, struct tare_err *err);
enum exit_code fleet_check_kept(const struct fleet *f); /* the same, and the records that were measured or were there */
/* One more attempt that came to nothing; why NULL: nothing was said. What stood there and does not count is the reason before all. */
void fleet_keep_failure(struct fleet *f, int unit, const char *why);
int64_t fleet_step_limit_ns(const struct fleet *f); /* after which a session is lost */
bool fleet_to_measure(const struct fleet *f);       /* there is a unit for this call to measure */
/* Its file in the folder; in the arena. */
const char *fleet_path(const struct fleet *f, const struct fleet_unit *u, const char *ending);
const char *fleet_queue_path(const struct fleet *f);                  /* NULL: no memory */
bool fleet_counts(struct fleet *f, int unit, const struct record *r); /* else results say why not */
const char *fleet_host(const struct record *r);                       /* "": not known */
const char *fleet_host_here(struct arena *a);                         /* "" likewise */
bool fleet_of_benchmarks(const struct fleet *f);
bool fleet_node_busy(const struct fleet *f, int node); /* another tare is measuring it in this folder */
int fleet_there(const struct fleet *f);                /* units with a record that counts */
int fleet_excluded(const struct fleet *f);             /* units whose host is none of the class */
/* A note that this unit was given to this host, which is none of the class. */
void fleet_keep_exclusion(struct fleet *f, int unit, const char *host);

#endif
