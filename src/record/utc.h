/* SPDX-License-Identifier: MIT
 *
 * utc.h - moments as text: "2026-11-21T09:08:07.000000001Z". No time zones, no leap seconds; years 1677 to 2262.
 */
#ifndef UTC_H
#define UTC_H

#include "buf.h"

void utc_text(struct buf *out, int64_t utc_ns); /* nanoseconds since 1970 */
int64_t utc_from_text(const char *text);        /* exactly that form; 0 for any other text and for NULL */

#endif
