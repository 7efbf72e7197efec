/* SPDX-License-Identifier: MIT
 *
 * system_shown.h - what `tare system show` found, and the forms in which it is told. Used by cli/system only.
 */
#ifndef SYSTEM_SHOWN_H
#define SYSTEM_SHOWN_H

#include "jitter.h"
#include "journal.h"
#include "knob.h"
#include "render.h"

struct system_shown {
    const struct look *look;
    int64_t start_utc_ns;
    const char *machine;            /* "a copied tree: DIR" or "" for this machine */
    const struct jitter *jitter;    /* --probe; NULL: not asked */
    struct jitter_figures *figures; /* of each of its CPUs */
    struct journal_notice journal;  /* what tare itself has changed here */
    bool noisy;                     /* and something can be done about it here, at run time */
    struct arena *arena;
};

/* Whether tare system tune would write it; and whether --tune would hold it besides, for as long as it measures. */
bool system_setting_pending(const struct setting *s);
bool system_setting_held(const struct setting *s);
/* Who can quiet a row that is noisy. The first two can do it here at run time: only they decide whether the machine is ready. */
enum relief {
    RELIEF_TUNE,   /* tare system tune */
    RELIEF_PEOPLE, /* who ends programs, waits, plugs it in, asks tune for more: as the row's advice says */
    RELIEF_HELD,   /* --tune of the measuring commands, for as long as they measure */
    RELIEF_OUTSIDE /* a restart with another command line, firmware, the host, other hardware */
};
enum { RELIEFS = RELIEF_OUTSIDE + 1 };
enum relief system_relief(const struct look *l, const struct knob_row *row);
/* Whether something is noisy that can be quieted here at run time. */
bool system_noisy(const struct look *l);
/* Whether tune would, by itself, write anything for this row. */
bool system_row_tunable(const struct look *l, const struct knob_row *row);
/* Rows that are NOISY, those that move results most first; closed by NULL. NULL: no memory. */
const struct knob_row **system_advice(const struct look *l, struct arena *a);
/* The verdict in one line, without a line end. */
void system_verdict(struct buf *out, const struct system_shown *s);

void system_show_json(const struct system_shown *s, struct buf *out);

#endif
