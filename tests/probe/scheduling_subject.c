/* SPDX-License-Identifier: MIT
 *
 * A leak target that says how its process is scheduled, for check_priority.sh.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <tare/tare.h>

/* Where it is asked to: how it is scheduled, a line in that file. */
static void *say_scheduling(void *context)
{
    static struct sched_param param;
    const char *path = getenv("TARE_TEST_SAYS");
    FILE *f = path ? fopen(path, "a") : NULL;
    (void)context;
    if (f && sched_getparam(0, &param) == 0)
        fprintf(f, "%d %d %d\n", sched_getscheduler(0), getpriority(PRIO_PROCESS, 0), param.sched_priority);
    return f && fclose(f) ? NULL : &param;
}

TARE_LEAK(says_scheduling, .bytes = 8, .classes = TARE_CLASSES("zero", "random"), .setup = say_scheduling)
{
    return in[0];
}

TARE_MAIN()
