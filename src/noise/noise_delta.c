/* SPDX-License-Identifier: MIT
 *
 * What is known of a sample before anything was read. Apart from the rules of noise.c, which measured programs do without.
 */
#include "noise.h"
#include <math.h>

struct noise_delta noise_unknown(double wall_ns)
{
    return (struct noise_delta){.wall_ns = wall_ns,
                                .cpu_ns = NAN,
                                .delay_ns = NAN,
                                .tree_delay_ns = NAN,
                                .throttled_ns = NAN,
                                .voluntary = NAN,
                                .involuntary = NAN,
                                .majflt = NAN,
                                .minflt = NAN,
                                .first_cpu = NAN,
                                .last_cpu = NAN,
                                .core_hz = NAN,
                                .clock_ppm = NAN};
}
