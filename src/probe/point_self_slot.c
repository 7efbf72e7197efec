/* SPDX-License-Identifier: MIT
 *
 * What points know of a thread is behind a pointer in a slot of the system's.
 */
#include "point_state.h"

struct tare_trace_thread *point_self(void)
{
    return plat_thread_block(sizeof(struct tare_trace_thread));
}

bool point_self_prepare(void)
{
    return plat_thread_slot(&tare_trace_control.slot);
}

void point_self_end(void)
{
    plat_thread_block_end();
}
