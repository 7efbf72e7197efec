/* SPDX-License-Identifier: MIT
 *
 * machines.h - machines of text and numbers, to be identified.
 *
 *     struct machine m = {.leaves = leaves, .files = files, .cpus = 8, .threads = 2};
 *     struct identity id = machine_identify(&m);
 *     ...
 *     machine_finish(&m);
 *
 * The files of single CPUs are made from cpus, threads and siblings, so that thousands of them need no table. A file that
 * `files` lists comes before one that is made. `reads` counts what was asked for.
 */
#ifndef MACHINES_H
#define MACHINES_H

#include "identity.h"

struct leaf {
    uint32_t leaf, subleaf, regs[4];
};
struct file {
    const char *path, *text; /* text NULL: not there */
};

enum siblings { SIBLINGS_ADJACENT, SIBLINGS_FAR }; /* 0-1,2-3 ... or 0,N/2 ... */

struct machine {
    const struct leaf *leaves; /* closed by regs all zero; NULL: no instruction */
    const struct file *files;  /* closed by path NULL; may be NULL */
    const char *architecture;  /* NULL: "x86_64" */
    int cpus, threads;         /* cpus 0: no /sys */
    int packages;              /* 0 is 1 */
    enum siblings siblings;
    const char *offline; /* list of those present and not online; NULL: none */
    int reads;
    struct arena arena;
};

struct identity machine_identify(struct machine *m);
void machine_finish(struct machine *m);

#endif
