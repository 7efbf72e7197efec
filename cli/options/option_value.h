/* SPDX-License-Identifier: MIT
 *
 * option_value.h - what the files of the option parser share about values. Others include option.h.
 */
#ifndef OPTION_VALUE_H
#define OPTION_VALUE_H

#include "buf.h"
#include "option.h"

/* "1 to 1000 runs", "0.01% or more"; nothing without limits. */
void option_put_range(struct buf *b, const struct option *o);

/* The index-th of the choices as a slice; false past the last. */
bool option_choice(const struct option *o, int index, const char **word, int *len);

/* NO_MEMORY is the only failure. */
enum tare_status option_list_add(struct option_list *list, const char *word, struct arena *a);

#endif
