/* SPDX-License-Identifier: MIT
 *
 * real.h - what the real platforms, and the fake where it stands on one, have in common and need no system for.
 */
#ifndef REAL_H
#define REAL_H

#include "plat.h"

/* The sooner of two times to wait in ns; < 0: for ever. */
int64_t real_sooner(int64_t left, int64_t other);
/* Calls the watch of a run when its time has come; how long until it comes again, at most `left`. *due_ns: when that is, INT64_MAX: never again. */
int64_t real_watch(const struct plat_child_spec *spec, int64_t *due_ns, int64_t left);

/* What a run wrote beyond the room that its spec gives is given back. */
void real_trim(const struct plat_child_spec *spec);

/* A sink's write: into `out`, up to its cap. The context is one of these. */
struct real_collecting {
    struct buf *out;
    const char *name; /* of the file, for err */
};
enum tare_status real_collect(void *context, const void *bytes, size_t n, struct tare_err *err);

#endif
