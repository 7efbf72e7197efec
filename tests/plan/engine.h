/* SPDX-License-Identifier: MIT
 *
 * engine.h - the whole engine over invented times: plan, record and analyse as a session uses them, without processes.
 *
 *     struct engine e;
 *     engine_init(&e, 2, METHOD_TARE);
 *     e.plan_options.runs = 30;
 *     engine_run(&e, world, context);      // world gives the time of one run
 *     engine_finish(&e);
 *
 * engine_init_pairs: instead, of n benchmarks in each of two programs; subject 2 i + 1 is compared with 2 i.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include "analyse.h"
#include "plan.h"

/* Nanoseconds that command `subject` takes in `round` when it runs at place `slot`; elapsed: the session's clock. */
typedef double engine_world(void *context, int subject, int round, int slot, double elapsed_ns);
/* Was the run that the world was last asked for disturbed? Rounds with one that was are made again. */
typedef bool engine_dirty(void *context);

enum { ENGINE_SUBJECTS = 80 };

struct engine {
    struct record r;
    struct plan plan;
    struct plan_options plan_options;
    int subjects[ENGINE_SUBJECTS];
    double elapsed_ns;
    engine_dirty *dirty; /* NULL: nothing ever is */
    bool all_stay;       /* nobody leaves before the end */
    int looks_taken, last_look_rounds;
    int first_of_round[2]; /* how often subject 0 and 1 ran first */
};

void engine_init(struct engine *e, int n_subjects, enum method method);
void engine_init_pairs(struct engine *e, int n);
void engine_run(struct engine *e, engine_world *world, void *context);
void engine_finish(struct engine *e);

#endif
