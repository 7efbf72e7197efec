/* SPDX-License-Identifier: MIT
 *
 * show_options.h - the options of `tare show FILE...`. Operands: paths of records, "-" is standard input; at least one.
 */
#ifndef SHOW_OPTIONS_H
#define SHOW_OPTIONS_H

#include "display_options.h"

struct show_options {
    struct option_base base;
    const char *filter; /* NULL: all commands */
    bool check;
    bool percentiles;
    struct display_options display;
};

extern const struct option_set show_option_set;

#endif
