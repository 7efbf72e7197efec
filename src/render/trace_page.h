/* SPDX-License-Identifier: MIT
 *
 * trace_page.h - pieces of the answer of tare trace, and of its repetition. For trace_result.c and rerun_result.c alone.
 */
#ifndef TRACE_PAGE_H
#define TRACE_PAGE_H

#include "layout.h"
#include "record_arcs.h"

void trace_put_time(struct page *p, double ns, double half_ns); /* half_ns: what its digits follow; NaN: three of them */
void trace_put_share(struct page *p, double share);

#endif
