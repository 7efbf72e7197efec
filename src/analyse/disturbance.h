/* SPDX-License-Identifier: MIT
 *
 * disturbance.h - what the account of one command's runs says: totals of causes, what they explain, the typical run without
 * them and at one frequency. Used by analyse_group only.
 */
#ifndef DISTURBANCE_H
#define DISTURBANCE_H

#include "analyse.h"

/* Nothing for a series without account. rounds: all that were made; the look's are behind what has an interval. */
enum tare_status estimate_disturbance(struct record *r, int subject, int rounds, const struct look *look);

#endif
