/* SPDX-License-Identifier: MIT
 *
 * fleet_queue.h - what leader, worker and status of a queue share.
 */
#ifndef FLEET_QUEUE_H
#define FLEET_QUEUE_H

#include "cli.h"
#include "fleet.h"
#include "unit_queue.h"

/* INVALID: it is no URL of a database, or has a password in it. UNSUPPORTED: without libpq. */
enum tare_status fleet_queue_check(const char *url, struct tare_err *err);

enum { QUEUE_TAG_BYTES = 17 };
/* What was drawn once and is kept in this file: 16 digits. path NULL: no memory; make false: NOT_FOUND where there is none. */
enum tare_status fleet_queue_tag(const char *path, bool make, char tag[QUEUE_TAG_BYTES], struct tare_err *err);
/* How this folder's plan is called in a queue: its id, and a number that is drawn once and kept in DIR/queue, so that the same plan of two folders is two. The arena's.
 * make false: NOT_FOUND where none was drawn. */
enum tare_status fleet_queue_name(const struct fleet *f, bool make, const char **name, struct tare_err *err);

/* A database that is away is waited for. */
struct patience {
    struct cli *cli;
    bool quiet;
    int64_t most_ns; /* so long; 0: as long as it takes */
    int64_t since_ns;
    int tries; /* since it went away; 0: it is there */
};
/* After a failure waits a moment and connects anew: OK, so what failed is to be tried once more. Else the failure: of another kind, or there was a signal or no
 * time left. */
enum tare_status patience_after(struct patience *p, struct queue *q, enum tare_status failure, struct tare_err *err);
void patience_over(struct patience *p); /* something succeeded */

#endif
