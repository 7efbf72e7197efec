/* SPDX-License-Identifier: MIT
 *
 * same_record.h - two records compared member by member, not through their text.
 */
#ifndef SAME_RECORD_H
#define SAME_RECORD_H

#include "record.h"

void assert_same_record(const struct record *a, const struct record *b); /* fails the cmocka test */

#endif
