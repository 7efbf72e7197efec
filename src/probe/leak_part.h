/* SPDX-License-Identifier: MIT
 *
 * leak_part.h - leak targets as the main of a program sees them. The first target that is registered puts its part here; a program with benchmarks
 * alone never names it, so that the linker leaves the whole harness out of it.
 *
 *     for (int i = 0; i < leak_part_targets(); i++)
 *         say(leak_part->name(i));
 *
 * Written before main, like the list of targets; by one thread.
 */
#ifndef LEAK_PART_H
#define LEAK_PART_H

#include "probe.h"

struct leak_part {
    int (*targets)(void);
    const char *(*name)(int index);
    enum tare_status (*check)(int index, struct tare_err *err); /* INVALID: this one cannot be run; err says why */
    enum tare_status (*check_list)(struct tare_err *err);       /* INVALID: none of them can */
    uint32_t (*taint_ways)(void);                               /* bits of enum wire_taint: how this build follows secrets */
    void (*put_target)(struct buf *out, int index);             /* TARGET of the list */
    /* Does what a request of the mode WIRE_LEAK asks for; out is written by flush. *ran: targets. *fault: one ended by a fault, and nothing was
     * done after it. */
    enum tare_status (*serve)(const struct wire_request *q, struct probe_session *session, struct buf *out,
                              enum tare_status (*flush)(void *context), void *flush_context, uint32_t *ran, bool *fault);
};
extern const struct leak_part *leak_part; /* NULL: no target was registered */

static inline int leak_part_targets(void)
{
    return leak_part ? leak_part->targets() : 0;
}

static inline uint32_t leak_part_taint_ways(void)
{
    return leak_part ? leak_part->taint_ways() : 0;
}

static inline enum tare_status leak_part_check(struct tare_err *err)
{
    return leak_part ? leak_part->check_list(err) : TARE_OK;
}

/* leak_watch.c: from begin to its end what calls the C library is libtare, of whose memory MSan knows nothing. */
void leak_unwatched(bool begin);

#endif
