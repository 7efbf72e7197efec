/* SPDX-License-Identifier: MIT
 *
 * plain.h - between the files of tare/measure.h: quantities in words.
 */
#ifndef PLAIN_H
#define PLAIN_H

#include "buf.h"
#include <stdbool.h>

/* "844.6 ms", "21.3 MiB". */
void plain_quantity(struct buf *b, double value, bool bytes);

#endif
