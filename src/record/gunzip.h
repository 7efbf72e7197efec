/* SPDX-License-Identifier: MIT
 *
 * gunzip.h - a gzip file in memory to the text in it. Inside of stored_read.h.
 *
 *     struct buf text = BUF_INIT(GUNZIP_MAX);
 *     status = gunzip(bytes, n, &text, &err);
 *
 * All members of the file one after the other, as gzip -d does. The text is held against the cap of the buf while it grows, so that a
 * file of a few kilobytes that would become terabytes costs no more than the cap. Built with zlib, or without it as a refusal.
 */
#ifndef GUNZIP_H
#define GUNZIP_H

#include "buf.h"

enum { GUNZIP_MAX = 1 << 28 };

/* TRUNCATED: it ends too early; FORMAT: damaged; TOO_LARGE: more text than out's cap; UNSUPPORTED: built without zlib. */
enum tare_status gunzip(const char *bytes, size_t n, struct buf *out, struct tare_err *err);

#endif
