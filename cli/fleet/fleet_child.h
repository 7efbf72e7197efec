/* SPDX-License-Identifier: MIT
 *
 * fleet_child.h - a program that an engine starts: its words as they are, by no shell; what it wrote, and how it ended.
 *
 *     struct said said;
 *     status = child_said("/usr/bin/srun", argv, (struct limits){.timeout_ns = 5000000000}, &said, &err);
 *     const char *why = said_reason(&said, arena);          // unless it ended well
 *     said_finish(&said);
 */
#ifndef FLEET_CHILD_H
#define FLEET_CHILD_H

#include "arena.h"
#include "plat.h"

struct limits { /* of plat_child_spec */
    bool after_signal;
    int64_t timeout_ns;
    int64_t (*watch)(void *context);
    void *watch_context;
    const char *const *environment; /* NULL: ours */
};

struct said {
    struct plat_child_result ended;
    int64_t timeout_ns;  /* that it had */
    struct buf out, err; /* at most a megabyte each */
};

/* Ours without what opens a database, for nothing that is measured needs it, and without the variables ("NAME=VALUE") for which `left_out` says so; that may be
 * NULL. NULL: no memory. */
const char *const *child_environment(struct arena *a, bool (*left_out)(const char *variable));
/* argv[0] is not looked for: path is what is executed. OK however it ends; finish `said` in any case. */
enum tare_status child_said(const char *path, const char *const *argv, struct limits limits, struct said *said,
                            struct tare_err *err);
void said_finish(struct said *s);
/* The text behind a mark in the last line that has it; NULL: none has. */
const char *said_behind(const struct buf *text, const char *mark, struct arena *a);
/* Why it did not do its work: what tare said there, else what came behind "error: ", else how it ended. Never NULL. */
const char *said_reason(const struct said *s, struct arena *a);

#endif
