/* SPDX-License-Identifier: MIT
 *
 * compare_options.h - the options of `tare compare A B`. Operands: two paths of stored sessions, "-" is standard input.
 */
#ifndef COMPARE_OPTIONS_H
#define COMPARE_OPTIONS_H

#include "display_options.h"

struct compare_options {
    struct option_base base;
    const char *metric; /* NULL: what decided in the second session */
    double confidence;
    struct option_margin margin;
    double fail_if_slower; /* NaN: not asked */
    bool assume_no_drift;
    struct display_options display;
};

#endif
