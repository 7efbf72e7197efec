/* SPDX-License-Identifier: MIT
 *
 * option_check.h - a table of options tested by itself, for tests of tables. */
#ifndef OPTION_CHECK_H
#define OPTION_CHECK_H

#include "option.h"

/* The table itself: names unique and well formed, defaults valid and within limits, groups together, helps present,
 * fields inside the struct. */
enum tare_status option_set_check(const struct option_set *set, struct tare_err *err);

#endif
