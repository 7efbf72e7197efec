/* SPDX-License-Identifier: MIT */
#include "cpu.h"

int cpu_subject_multiplies(enum cpu_subject subject)
{
    static const int multiplies[SUBJECTS] = {
        [SUBJECT_MULTIPLY_20] = 20, [SUBJECT_MULTIPLY_100] = 100, [SUBJECT_MULTIPLY_1000] = 1000};
    return multiplies[subject];
}
