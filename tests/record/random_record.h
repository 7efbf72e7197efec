/* SPDX-License-Identifier: MIT
 *
 * random_record.h - records for tests: any legal content, odd text and unbounded numbers included.
 */
#ifndef RANDOM_RECORD_H
#define RANDOM_RECORD_H

#include "record.h"

void random_record(struct record *r, uint64_t seed); /* zeroed struct in */

#endif
