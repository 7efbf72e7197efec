/* SPDX-License-Identifier: MIT
 *
 * record_kind.h - what kind of session a record is of, and what follows from it. Who shows, exports or judges records asks for a property here, not
 * for the kind; a kind more is one line in record_kinds.def, its struct in record_kind.c, and a view and an export of its own.
 *
 *     if (record_kind(&record)->arcs) ...
 */
#ifndef RECORD_KIND_H
#define RECORD_KIND_H

#include "record.h"

enum record_kind_id {
#define RECORD_KIND(id) RECORD_OF_##id,
#include "record_kinds.def"
    RECORD_KINDS
};

struct record_kind {
    enum record_kind_id id;
    enum subject_kind
        of; /* it has one of these, and of those before it in record_kinds.def none; COMMAND: nothing else; CLOCK: clocks and the like alone */
    const char *results; /* what its results are, in messages: "leak targets" */
    const char *subject; /* one of them: "benchmark" */
    const char *time;    /* the metric of their times: "wall" */
    bool processes; /* a row is a process, its figure is made of the process's samples; each subject has a reference of its own */
    bool arcs;      /* what is compared lies between points */
    bool many;      /* comparisons are judged together: each has a p value, and their words are corrected */
    bool targets;   /* judged each by itself, at any time, by calls that the record has only the sums of */
    bool own_commands; /* what is run is tare's, not the user's: nothing is said of single subjects */
    const char *alone; /* why two such sessions are not put side by side; NULL: they are */
    const char *again; /* why it is not measured again from its file; NULL: it is */
};

#define RECORD_KIND(id) extern const struct record_kind record_kind_##id;
#include "record_kinds.def"

const struct record_kind *record_kind(const struct record *r); /* never NULL; without a subject: of commands */
/* Of n rows: "run", "runs", "process", "processes"; over sessions: "session". */
const char *record_rows_word(const struct record *r, ptrdiff_t n);
bool record_has_plan(const struct record *r); /* it is of a session that tare rerun can make again */

#endif
