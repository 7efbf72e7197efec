/* SPDX-License-Identifier: MIT
 *
 * What points know of a thread is memory of the thread, which programs find by its name.
 */
#include "point_state.h"

__thread struct tare_trace_thread tare_trace_thread;

struct tare_trace_thread *point_self(void)
{
    return &tare_trace_thread;
}

bool point_self_prepare(void)
{
    return true;
}

void point_self_end(void)
{
}
