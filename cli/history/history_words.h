/* SPDX-License-Identifier: MIT
 *
 * history_words.h - what a series and its changes are called on the screen.
 *
 *     history_put_value(&b, s, p->value, p->low, p->high);      // "12.3 ms", "1.034×" of a ratio to an anchor
 *     history_put_effect(&b, s, change);                        // "8.2 % slower (7.1–9.3)"
 *     history_put_commits(&b, change);                          // "1a2b3c4", "9f8e7d6..1a2b3c4 (5)"
 */
#ifndef HISTORY_WORDS_H
#define HISTORY_WORDS_H

#include "history_view.h"
#include "units.h"

enum { HISTORY_BRIEF = 7, HISTORY_BRIEF_ID = 8 }; /* of a commit's hash, of an id as they are shown */

struct unit history_unit(const struct history_series *s, double value);
const char *history_unit_id(const struct history_series *s); /* "ns"; "1" of ratios to an anchor */
void history_put_value(struct buf *b, const struct history_series *s, double value, double low, double high);
/* Without an interval with digits enough to distinguish values that differ by `step`. */
void history_put_value_to(struct buf *b, const struct history_series *s, const struct view_point *p, double step);
/* A commit as people know it: "1a2b3c4". What is none is shown with escapes. */
void history_put_brief(struct buf *b, const char *hash);
void history_put_commit(struct buf *b, const struct history_commit *c, int columns, bool unicode); /* "1a2b3c4 its subject" */
/* "./reference" of "./reference 0123456789abcdef" */
void history_put_anchor(struct buf *b, const char *anchor, int columns, bool unicode);
/* "wall time", "wall time / ./reference" */
void history_put_metric(struct buf *b, const struct history_series *s, int columns, bool unicode);
/* "parse n=1000" */
void history_put_name(struct buf *b, const struct history_series *s, int columns, bool unicode);
void history_put_effect(struct buf *b, const struct history_series *s, const struct view_change *c);
/* What a new measurement found of it: ": +0.1 % (−0.7 to +0.9)". Nothing of an event without figures. */
void history_put_measured(struct buf *b, const struct history_series *s, const struct history_event *e);
/* The n commits of which one made the change: "1a2b3c4", or as git writes a range, without its first commit, "9f8e7d6..1a2b3c4 (5)". */
void history_put_range(struct buf *b, const char *prior, const char *until, int n);
void history_put_commits(struct buf *b, const struct view_change *c);
/* "12.1–12.5 ms"; nothing where there is none. */
void history_put_interval(struct buf *b, const struct history_series *s, const struct view_point *p);
void history_put_time(struct buf *b, int64_t utc_ns, int digits);   /* "2026-11-21T09:08:07": so many characters of it */
const char *history_state(enum change_state state);                 /* "nominated" */
void history_put_state(struct buf *b, const struct view_change *c); /* "nominated, may be a drift" */
/* Without a change: "no change found", "too few commits", "drift of +1.2 %", "step or drift of +1.2 %". */
void history_put_course(struct buf *b, const struct history_view *v);

#endif
