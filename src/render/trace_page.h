/* SPDX-License-Identifier: MIT
 *
 * trace_page.h - pieces of the answer of tare trace, and of its repetition. For trace_result.c, trace_lines.c and rerun_result.c alone.
 */
#ifndef TRACE_PAGE_H
#define TRACE_PAGE_H

#include "layout.h"
#include "record_arcs.h"

/* trace_result.c */
struct unit trace_time_unit(const struct page *p, double ns);
void trace_put_time(struct page *p, double ns, double half_ns); /* half_ns: what its digits follow; NaN: three of them */
void trace_put_share(struct page *p, double share);
void trace_put_count(struct page *p, double n);

/* trace_lines.c: "  Points: ..." of a subject, or nothing where there is nothing to say. */
void trace_begin_words(struct page *p, const char *head);
void trace_end_words(struct page *p);
void trace_say_coverage(struct page *p, int subject);
void trace_say_probe(struct page *p, int subject);
void trace_say_classes(struct page *p, int subject);
void trace_say_losses(struct page *p, int subject);
void trace_say_clocks(struct page *p, int subject);
void trace_say_partly_timed(struct page *p, int subject);
void trace_say_foreign(struct page *p); /* of what another tool wrote */

#endif
