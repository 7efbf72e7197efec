/* SPDX-License-Identifier: MIT
 *
 * fleet_class.h - which hosts are of a class and which are not, as `tare fleet qualify` leaves it in a folder for run and collect.
 *
 *     {"type":"class","schema":1,"plan":"3f2a91c0b7d4","metric":"wall","bound":0.05,"center":10030000,"hosts":2}
 *     {"type":"host","host":"n1","out":null,"reference":10040000,"noise":0.004,"sessions":10,"wrong":0}
 *     {"type":"host","host":"n4","out":"the reference workload is 30 % slower ...","reference":13100000,"noise":0.004,"sessions":10,"wrong":0}
 *
 *     fleet_class_put(&c, &b);
 *     status = fleet_class_read(&c, text, n, arena, &err);
 *     why = fleet_class_out(&c, "n4");
 *
 * It may be edited: a host whose "out" is a text is not measured and does not count, for that reason. It judges nothing itself (node_class.h).
 */
#ifndef FLEET_CLASS_H
#define FLEET_CLASS_H

#include "fleet_plan.h"

struct fleet_host {
    const char *host;
    const char *out;         /* why it is none of the class; NULL: it is one */
    double reference, noise; /* what node_class.h found; NaN: not known */
    int sessions, wrong;
};

struct fleet_class {
    const char *plan, *metric; /* of the qualification: its plan's id, what it measured */
    double bound, center;      /* NaN: too few nodes for bounds */
    struct fleet_host *hosts;
    int n; /* 0: nothing is known of any */
};

/* A failure stays in the buf's status. */
void fleet_class_put(const struct fleet_class *c, struct buf *out);
/* What others wrote: FORMAT: it is none, or cut; UNSUPPORTED: of a later tare; NO_MEMORY. All is the arena's. */
enum tare_status fleet_class_read(struct fleet_class *out, const char *text, size_t n, struct arena *a, struct tare_err *err);
const struct fleet_host *fleet_class_find(const struct fleet_class *c, const char *host); /* NULL: not known */
const char *fleet_class_out(const struct fleet_class *c, const char *host);               /* NULL: of the class, or not known */

#endif
