/* SPDX-License-Identifier: MIT
 *
 * What points know of a thread is memory of the thread, which programs find by its name.
 */
#include "plat_trace.h"
#include <tare/detail/point_hit.h>

__thread struct tare_trace_thread tare_trace_thread;

struct tare_trace_thread *plat_trace_thread(void)
{
    return &tare_trace_thread;
}

bool plat_trace_thread_in_line(uint32_t *slot)
{
    (void)slot;
    return true;
}

void plat_trace_thread_end(void)
{
}
