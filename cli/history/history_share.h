/* SPDX-License-Identifier: MIT
 *
 * history_share.h - one piece of work for each of many series, on all CPUs that we may use.
 *
 *     const struct history_share s = {.r = &r, .n = n, .make = make, .take = take, .context = &work};
 *     status = history_share(&s, &err);      // make for each of 0 .. n-1, in any process; take for each, in this one and in order
 *
 * Where there are few it all happens in this process. Else processes are forked, each for a part of them in a row: what make changes in memory stays
 * there, and only what it puts into `out` comes back. Pointers to what was there before stay valid on both sides, so plain structs can be sent.
 */
#ifndef HISTORY_SHARE_H
#define HISTORY_SHARE_H

#include "history_reading.h"

struct history_share {
    struct history_reading *r;
    int n;
    enum tare_status (*make)(void *context, int item, struct buf *out, struct tare_err *err);
    enum tare_status (*take)(void *context, int item, const char *bytes, size_t n, struct tare_err *err); /* bytes: not aligned */
    void *context;
};

/* The first failure of make or take; CHILD: a process died. */
enum tare_status history_share(const struct history_share *s, struct tare_err *err);

#endif
