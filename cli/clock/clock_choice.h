/* SPDX-License-Identifier: MIT
 *
 * clock_choice.h - whether the clock of --clock NAME can time what is measured here. Used by tare bench and tare leak.
 */
#ifndef CLOCK_CHOICE_H
#define CLOCK_CHOICE_H

#include <tare/status.h>

/* name: "auto", which always can, or a clock of the option's table. INVALID: the counter of another kind of processor. UNSUPPORTED: it cannot be used
 * here, err says why. */
enum tare_status clock_check_choice(const char *name, struct tare_err *err);

#endif
