/* SPDX-License-Identifier: MIT
 *
 * live.h - the live line of a session: drawn between two runs, at most ten times a second, never while a child runs.
 */
#ifndef LIVE_H
#define LIVE_H

#include "plan.h"
#include "render.h"
#include "sink.h"

struct live {
    const struct render_options *options; /* options->live false: draws nothing */
    struct sink talk;
    struct buf line;
    int64_t drawn_ns, begun_ns;
    bool shown;
    char waits_for[40]; /* the beginning of it */
};

void live_begin(struct live *l, const struct render_options *options, struct sink talk);
/* Of the group-th of so many groups; `of` names what they are: "command". */
void live_progress(struct live *l, const struct record *r, const struct plan *p, int group, int groups, const char *of);
/* What is waited for, and for how long. */
void live_wait(struct live *l, const struct record *r, const char *phase, double left_s);
/* What is being done where no rounds are made, and the share of all that is done; NaN: not known. */
void live_phase(struct live *l, const struct record *r, const char *phase, double share);
void live_clear(struct live *l); /* takes the line away until the next progress: before something is printed */
void live_end(struct live *l);   /* takes it away for good; a zeroed one is fine */

#endif
