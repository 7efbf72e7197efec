/* SPDX-License-Identifier: MIT
 *
 * programs.h - which files were measured, as facts of the record's `build`: program_1_path, program_1_bytes, program_1_modified,
 * program_1_fnv1a64, and so on for each command.
 *
 *     struct programs p = programs_begin(PROGRAMS_BYTES, environment);
 *     programs_add(&p, &record, &record.build, 1, "/usr/bin/tool", NULL);
 *
 * It looks at the file that exec gets: of a script that is the script, of a shell's command the shell. Of a script there is also what its first
 * line names (program_1_interpreter_path and so on; by env, what env finds). Contents are read up to PROGRAMS_BYTES in all and for 0.5 s at most; larger
 * files have a size and a date alone. Where the program is an interpreter, known by its name, the script that it is given is there too
 * (program_1_script_path and so on; further ones of a shell line: program_1_script_2_path). The hash finds other builds, not forgery.
 */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include "record.h"

enum { PROGRAMS_BYTES = 64 << 20, PROGRAMS_MOST = 100 }; /* of more commands nothing is noted, but for an anchor */
enum { PROGRAMS_CLAIM_BYTES = 512 << 20 }; /* where a claim is about the file: half a second and more for the largest */

enum { PROGRAMS_KNOWN = 64 };

struct program_known {
    const char *path, *hash, *reason; /* the record's */
};

struct programs {
    struct program_known known[PROGRAMS_KNOWN];
    int n_known;
    int64_t left_bytes, until_ns; /* until_ns: from the first large file on; 0: none yet */
    bool in_time;
    const char *const *environment;
};

/* bytes: that are read of all together at most; as many as PROGRAMS_CLAIM_BYTES however long it takes. environment: in which env finds interpreters. */
struct programs programs_begin(int64_t bytes, const char *const *environment);
/* number: of the command, from 1. path NULL: not known, and why. NO_MEMORY, else OK. */
enum tare_status programs_add(struct programs *p, struct record *r, struct facts *f, int number, const char *path,
                              const char *why);
/* The first word behind an interpreter that names a file; NULL: it is none, or has no such word. path: room for it. */
const char *programs_script(const char *const *argv, const char *cwd, struct buf *path);
/* script: which of the command's, from 0; of SCRIPTS_MOST and more nothing is noted. */
enum tare_status programs_add_script(struct programs *p, struct record *r, struct facts *f, int number, int script,
                                     const char *path);
/* A library of which a function is measured: library_path and so on. */
enum tare_status programs_add_library(struct programs *p, struct record *r, struct facts *f, const char *path, const char *why);

#endif
