/* SPDX-License-Identifier: MIT
 *
 * Of platforms on which a thread counts no events in itself.
 */
#include "plat_thread.h"
#include <math.h>

int plat_event_open(uint64_t type, uint64_t config, bool user_only)
{
    (void)type;
    (void)config;
    (void)user_only;
    return -1;
}

void plat_event_switch(int fd, bool on)
{
    (void)fd;
    (void)on;
}

double plat_event_read(int fd, double *counted)
{
    (void)fd;
    (void)counted;
    return NAN;
}

void plat_event_close(int fd)
{
    (void)fd;
}
