/* SPDX-License-Identifier: MIT
 *
 * tune_parts.h - what making changes and undoing them share. Never included outside of these files.
 */
#ifndef TUNE_PARTS_H
#define TUNE_PARTS_H

#include "journal.h"
#include "tune.h"

enum { STAGES = STAGE_NONE + 1 };

/* One call of tune_apply or tune_reset. */
struct tuning {
    const struct system_root *root;
    struct journal *j;
    struct tune_report *report;
    struct buf file; /* the one that was read last */
    bool goes_on;    /* more changes follow: the journal stays though nothing is left to undo */
    struct tare_err *err;
};

/* ---- the report ---- */

/* Texts are copied; NO_MEMORY is the only failure. */
enum tare_status report_add(struct tune_report *r, const struct change *c);
enum tare_status report_warn(struct tune_report *r, const char *sentence);
/* Of files that were refused because their mount is read-only (EROFS): a warning that says so and what to do; nothing where there are none. */
enum tare_status report_read_only(struct tune_report *r);
extern const char read_only_text[]; /* that mount, and what to do, without a full stop */

/* ---- values ---- */

/* Reads the file and appends to `out` what would have to be written to get it back. `like`: a value of that file, which tells the word of a FORM_SWITCH. */
enum tare_status value_read(struct tuning *t, const char *path, enum setting_form form, const char *like, struct buf *out,
                            struct tare_err *err);
/* Whether what was read last is this value. */
bool value_holds(const struct tuning *t, enum setting_form form, const char *value);
/* Whether the setting still belongs to whom it belonged. NOT_FOUND: to another one by now, or to nobody; any other failure: that cannot be read. */
enum tare_status identity_check(struct tuning *t, const char *identity, const char *identity_path, struct buf *now,
                                struct tare_err *err);

/* ---- tasks ---- */

struct task_moves {
    int moved, stayed;
    int error; /* of the last that stayed */
};
/* Each of list `from` into list `to`, as far as the kernel lets it go. Statuses: those of reading the lists, and INTERRUPTED. */
enum tare_status tasks_move(struct tuning *t, const char *from, const char *to, struct task_moves *moves, struct tare_err *err);

/* ---- undoing (tune_reset.c) ---- */

/* Entries of the stages low to high, as tune_reset. */
enum tare_status undo_stages(struct tuning *t, enum knob_stage low, enum knob_stage high, bool force);

/* ---- others ---- */

struct other_tuners {
    char names[STAGES][96]; /* of each stage, who steers it: "irqbalance (pid 812)"; "" : nobody */
};
void others_find(struct other_tuners *out, const struct system_root *root);

#endif
