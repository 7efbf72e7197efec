/* SPDX-License-Identifier: MIT
 *
 * sample_clocks.h - a session of tare clock to be laid out: a guest whose processor is masked, with one clock that lacks its skew.
 *
 *     struct record r = {0};
 *     sample_clocks(&r, 5);
 */
#ifndef SAMPLE_CLOCKS_H
#define SAMPLE_CLOCKS_H

#include "record.h"

/* runs: of each experiment; 0: the counter may not be read. */
void sample_clocks(struct record *r, int runs);

#endif
