/* SPDX-License-Identifier: MIT
 *
 * system_qualify.h - what `tare system qualify` holds while it works, and its parts. Used by its files, and by those that show stored records.
 */
#ifndef SYSTEM_QUALIFY_H
#define SYSTEM_QUALIFY_H

#include "host_verdict.h"
#include "qualify.h"
#include "qualify_options.h"
#include "run.h"

struct qualification {
    struct cli *cli;
    const struct qualify_options *o;
    struct cli as_run; /* with the words of the program that is measured */
    struct run_options run_options;
    struct run run;
    struct qualify host;
    struct host_verdict verdict;
    const char *work; /* path of the program */
    enum tare_status failed;
    struct tare_err why; /* of what the session could not be told */
};

/* The sessions with planted differences, once those of the program against itself are over. UNSUPPORTED: their size cannot be told. */
enum tare_status qualify_plant(struct qualification *x, struct tare_err *err);
/* What is measured with itself: THOUSANDS of multiplies, KIB of memory. */
enum { WORK_THOUSANDS = 4000, WORK_KIB = 2048 };
/* The options of a session, as `tare run` would have them, and its words. */
enum tare_status qualify_run_options(const struct qualification *x, struct run_options *out, struct option_operands *words,
                                     struct arena *a, struct tare_err *err);

int cmd_system_qualify(struct cli *cli, const void *options);

/* Estimates and verdict of a stored record of a host that lacks them. NO_MEMORY. */
enum tare_status qualify_complete(struct record *r, struct tare_err *err);
/* Pictures of gaps and throughput into r->pages, in the arena. False: no memory. */
bool qualify_make_pages(struct record *r, struct arena *a);

#endif
