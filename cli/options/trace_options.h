/* SPDX-License-Identifier: MIT
 *
 * trace_options.h - the options of `tare trace`, parsed and checked: those that it shares with `tare run`, and its own. Operands: one program
 * with its arguments, or two or more commands that are compared.
 */
#ifndef TRACE_OPTIONS_H
#define TRACE_OPTIONS_H

#include "run_options.h"
#include "trace_format.h"

struct trace_options {
    struct run_options run;            /* first: its RUN_GIVEN looks into this table by `set` */
    struct option_list modes;          /* as typed: MODE or GROUP=MODE; the check reads them into the next two */
    enum trace_mode mode;              /* of all groups but those below */
    uint8_t group_modes[TRACE_GROUPS]; /* enum trace_mode; 0xFF: as mode */
    int order;                         /* index of its choices: enum trace_order, less one */
    int64_t limit_bytes;               /* of the files of one process; 0: the library's choice */
    int burst_gap;                     /* 0: the same */
    const char *clock;                 /* "auto", "raw" */
    bool prove;                        /* the probe's weight is held against what doubling and trebling it does */
    const char *trace_dir;             /* where the raw files stay; NULL: they go when they were read */
};

extern const struct option_set trace_option_set;
#define TRACE_GIVEN(o, field) option_given(&trace_option_set, (o), offsetof(struct trace_options, field))

#endif
