/* SPDX-License-Identifier: MIT
 *
 * series_name.h - a benchmark and its metric as one name, for formats that have one name a value: "parse n=1000 [wall]".
 */
#ifndef SERIES_NAME_H
#define SERIES_NAME_H

#include "arena.h"
#include "buf.h"

void series_name_put(struct buf *b, const char *benchmark, const char *arguments, const char *metric);
/* The metric of such a name, and *benchmark before it; of any other name NULL, and it is all *benchmark, which is NULL without memory. */
const char *series_name_split(struct arena *a, const char *name, const char **benchmark);

#endif
