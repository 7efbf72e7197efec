/* SPDX-License-Identifier: MIT
 *
 * fleet_plan.h - one measurement over several machines, as a list of units: which node makes which session, in what order, from which seed.
 *
 *     struct fleet_plan p = {.argv = argv, .argc = 6, .nodes = 8, .blocks = 2, .seed = 7};
 *     struct fleet_unit units[16];
 *     fleet_plan_name(&p);
 *     fleet_plan_units(&p, units);           // in the order in which one machine would make them
 *     fleet_plan_put(&p, &b);                // JSON Lines: the plan, then a line a unit
 *     status = fleet_plan_read(&q, text, n, arena, &err);
 *
 * A unit is a block on a node: one session of tare run or tare bench, in which all builds and benchmarks run in every round, in an order that its seed
 * draws. So the node is what results are compared within, and no build is measured on one node and its partner on another. Of nodes
 * that one machine takes in turns block 1 comes first of all, in drawn order, then block 2.
 * All of it follows from argv, nodes, blocks and seed: the same of these are the same bytes, and a text that is not what they give was changed.
 * Nothing is measured here and no file is read.
 */
#ifndef FLEET_PLAN_H
#define FLEET_PLAN_H

#include "arena.h"
#include "buf.h"
#include <stdint.h>

enum { FLEET_NODES_LEAST = 2, FLEET_NODES_MOST = 1000, FLEET_BLOCKS_MOST = 100, FLEET_ID_BYTES = 13 };

struct fleet_plan {
    const char *const *argv; /* what each unit measures, "run" or "bench", "-r", ...: UTF-8, closed by NULL */
    int argc;
    int nodes, blocks;
    uint64_t seed;
    char id[FLEET_ID_BYTES]; /* by fleet_plan_name: digits of the hash of all that is above */
};

struct fleet_unit {
    int number;      /* its place in the order, from 1 */
    int node, block; /* from 1 */
    uint64_t seed;   /* of its session */
};

void fleet_plan_name(struct fleet_plan *p);
/* out: nodes times blocks. */
void fleet_plan_units(const struct fleet_plan *p, struct fleet_unit *out);
/* Of a plan with its id. A failure stays in the buf's status. */
void fleet_plan_put(const struct fleet_plan *p, struct buf *out);
/* What others wrote: FORMAT: it is no plan, or not as fleet_plan_put writes it; UNSUPPORTED: of a later tare; NO_MEMORY. Words live in the arena. */
enum tare_status fleet_plan_read(struct fleet_plan *out, const char *text, size_t n, struct arena *a, struct tare_err *err);

#endif
