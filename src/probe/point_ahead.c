/* SPDX-License-Identifier: MIT
 *
 * A thread that makes the next segment of each other thread while that one fills its present one, so that none has to fetch memory itself.
 * Only where the runner asked for it. A forked child has none, and does without.
 */
#include "point_state.h"

static _Atomic(struct point_thread *) all;
static _Atomic uint32_t bell, leaving;

static void serve_thread(struct point_thread *own)
{
    const uint32_t units = atomic_exchange(&own->ahead_wanted, 0);
    if (units && !atomic_load(&own->ahead))
        atomic_store(&own->ahead, point_segment(TRACE_EVENTS, units));
}

static void run_helper(void)
{
    while (!atomic_load(&leaving)) {
        const uint32_t heard = atomic_load(&bell);
        for (struct point_thread *own = atomic_load(&all); own; own = own->next_of_all)
            serve_thread(own);
        plat_helper_wait(&bell, heard);
    }
}

static void ring_bell(void)
{
    atomic_fetch_add(&bell, 1);
    plat_helper_wake(&bell);
}

void point_ahead_begin(void)
{
    if (plat_helper_begin(run_helper))
        atomic_store(&point_shared()->ahead, 1);
}

void point_ahead_end(void)
{
    if (!atomic_exchange(&point_shared()->ahead, 0))
        return;
    atomic_store(&leaving, 1);
    ring_bell();
    plat_helper_end();
}

void point_ahead_add(struct point_thread *own)
{
    own->next_of_all = atomic_load(&all);
    atomic_store(&all, own);
}

void point_ahead_want(struct point_thread *own)
{
    if (!atomic_load(&point_shared()->ahead))
        return;
    atomic_store(&own->ahead_wanted, own->units);
    ring_bell();
}
