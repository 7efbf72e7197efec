/* SPDX-License-Identifier: MIT
 *
 * points_world.h - a folder for traces, and programs that are run to leave some there.
 *
 *     cmocka_unit_test_setup_teardown(test, world_set_up, world_tear_down)
 *     struct seen *s = world_run(*state, "threads", 1000, NULL);
 */
#ifndef POINTS_WORLD_H
#define POINTS_WORLD_H

#include "points_seen.h"
#include "trace_request.h"
#include <sys/types.h>

struct world {
    char folder[64];
    struct trace_request request;
};

int world_set_up(void **state);
int world_tear_down(void **state);
void world_clean(const struct world *w); /* no files any more */

/* points_subject NAME N FILE, as the request says. */
pid_t world_start(const struct world *w, const char *program, const char *name, int n, const char *file);
int world_finish(pid_t child); /* its wait status */
/* It must exit with 0. */
struct seen *world_run(const struct world *w, const char *name, int n, const char *file);

#endif
