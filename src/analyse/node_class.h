/* SPDX-License-Identifier: MIT
 *
 * node_class.h - which machines are of one class: by their conditions, and by a reference workload that ran against itself on each (tare run --aa).
 *
 *     struct node_class c = {.nodes = records, .n = 8, .bound = .05, .load = .5, .arena = &a};
 *     status = analyse_node_class(&c, &err);
 *     ... c.found[i].out                          // why machine i is none of them, NULL: it is
 *
 * A machine is out, in this order:
 *     conditions   a fact of the machine, its kernel or its settings (comparable_key) that more than half of those that know it have in common, and it has
 *                  otherwise; or other programs used more than `load` CPUs meanwhile. Where no value is that of most, nobody is out, and `open` says so
 *     reference    what the reference takes is more than `bound` from the class, and farther than like machines vary (stats_beyond.h; 3 % of classes)
 *     noise        its pairs of equal runs scatter more than 3 times as much as on the class, and more than is usual among like machines (1 %)
 *     A/A          so many of its sessions called the reference faster or slower than itself that chance does it on one of n machines in 1 % of classes at most (binomial)
 * So of classes whose machines are alike at most 5 % lose one by figures; none by conditions. Figures need STATS_CLASS_LEAST machines of one sort of
 * conditions, else nobody is out by them, and `open` says so. No figure of what is compared afterwards is known here.
 * It measures nothing. Assumes one record of `tare run --aa` a machine, of one plan.
 */
#ifndef NODE_CLASS_H
#define NODE_CLASS_H

#include "record.h"

struct node_found {
    double time;         /* of the reference: median of its sessions' medians, in the metric's unit; NaN: it has none above 0 */
    double noise;        /* standard deviation of its pairs, as a share; NaN: not known */
    int wrong, sessions; /* that called it faster or slower; with a verdict */
    const char *out;     /* why, as a sentence without a full stop; the arena's */
};

struct node_class {
    const struct record *nodes;
    int n;
    double bound; /* share above 0 */
    double load;  /* CPUs */
    struct arena *arena;
    /* what was found */
    struct node_found *found;
    double center;    /* what the reference takes on the class; NaN: too few machines */
    int in;           /* how many are of it */
    const char *open; /* what could not be held against a bound, and why; NULL: nothing */
};

/* NO_MEMORY. */
enum tare_status analyse_node_class(struct node_class *c, struct tare_err *err);
/* The part of it that looks at figures: found has them, and `out` of those that are out by their conditions; confidence: of the sessions. */
enum tare_status analyse_node_figures(struct node_class *c, double confidence, bool is_time, struct tare_err *err);

#endif
