/* SPDX-License-Identifier: MIT
 * Says what the coarse counter looks like from inside: origin, step that libtare finds, whether each reading is on the grid. */
#include "coarse_ticks.h"
#include <inttypes.h>
#include <stdio.h>
#include <tare/clock.h>

int main(void)
{
    enum { READINGS = 10000 };
    struct tare_clock_info info;
    int off_grid = 0, cpu;
    tare_clock_describe(&info);
    for (int i = 0; i < READINGS; i++)
        off_grid += (tare_ticks_begin().count + coarse_origin) % COARSE_STEP != 0 ||
                    (tare_ticks_end(&cpu).count + coarse_origin) % COARSE_STEP != 0;
    printf("origin %" PRIu64 " counter %d step %.0f off_grid %d\n", coarse_origin, info.counter, info.step_ns * info.hz / 1e9,
           off_grid);
    return 0;
}
