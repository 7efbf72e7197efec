/* SPDX-License-Identifier: MIT
 *
 * leak_options.h - the options of `tare leak`, parsed and checked: those that it shares with `tare run`, and its own. Operands: programs that
 * were built with libtare; with --symbol, --csv and --replay none.
 */
#ifndef LEAK_OPTIONS_H
#define LEAK_OPTIONS_H

#include "run_options.h"

enum leak_method { LEAK_BY_TARE, LEAK_BY_DUDECT, LEAK_BY_LAB0 };

struct leak_options {
    struct run_options run; /* first: its RUN_GIVEN looks into this table by `set` */
    struct option_list filters;
    bool list, yes;
    uint64_t max_calls; /* of a target; 0: no limit */
    double alpha, advantage;
    bool strict, exact, dit;
    bool scan, growth, taint; /* at most one of scan and growth */
    int cache;                /* enum wire_cache */
    int repeat;               /* calls in a bracket */
    const char *clock;
    int selfcheck; /* 0..45 */
    int method;    /* enum leak_method */
    int measurements, drop, order;
    double threshold;
    const char *percentiles; /* "off" or a number, read into cropped */
    int cropped;
    struct option_list classes;                         /* of symbol */
    const char *csv, *replay, *go_on, *ledger, *symbol; /* NULL: not asked */
    const char *suppressions;
};

extern const struct option_set leak_option_set;
#define LEAK_GIVEN(o, field) option_given(&leak_option_set, (o), offsetof(struct leak_options, field))

#endif
