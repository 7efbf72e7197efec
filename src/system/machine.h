/* SPDX-License-Identifier: MIT
 *
 * machine.h - the machine and its present conditions as facts for the record.
 *
 *     machine_identity(&r, &r.machine);
 *     machine_conditions(&r, &r.before);
 *
 * Identity holds only what stays the same over reboots and renames (no host name, no frequency of the moment). Conditions hold
 * what is controlled (governor, turbo, SMT, address randomisation ...) and what is observed (load, steal). What cannot be read is
 * "unknown" with the reason, never a guess. Nothing is changed. A few file reads: below a millisecond.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include "record.h"

enum tare_status machine_identity(struct record *r, struct facts *f);
enum tare_status machine_conditions(struct record *r, struct facts *f);

#endif
