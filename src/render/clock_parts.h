/* SPDX-License-Identifier: MIT
 *
 * clock_parts.h - the sections of a session of tare clock, and what they share. Inside of render.
 */
#ifndef CLOCK_PARTS_H
#define CLOCK_PARTS_H

#include "layout.h"

/* Each writes its heading and its lines; nothing where the record has nothing of it. */
void clock_machine(struct page *p);
void clock_table(struct page *p);
void clock_properties(struct page *p); /* all that is known of each clock, with -v */
void clock_serialisers(struct page *p);
void clock_timers(struct page *p);
void clock_experiments(struct page *p);

/* A blank line, then the heading in bold. Goes on as a paragraph: put what stands beside it, then flow_end. */
void clock_heading(struct page *p, const char *text);
/* The first subject of this kind that has an estimate of this metric, -1: none. */
int clock_subject(const struct page *p, enum subject_kind kind, const char *metric);
/* "27.1 ns" in the unit that fits it; "not measurable (REASON)" where it has no value; false, and nothing, where there is none. */
bool put_clock_figure(struct page *p, int subject, const char *metric, const char *statistic, int digits);

#endif
