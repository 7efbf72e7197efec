/* SPDX-License-Identifier: MIT
 *
 * machine.h - the machine and its present conditions as facts for the record.
 *
 *     machine_identity(&r, &r.machine);
 *     machine_conditions(&r, &r.before);
 *
 * Identity is clock/identity.h as facts: what stays the same until somebody changes the machine (no host name, no frequency of
 * the moment). Conditions hold what is controlled (governor, turbo, SMT, address randomisation ...) and what is observed (load, steal).
 * What cannot be read is "unknown" with the reason, never a guess. Nothing is changed. Some 50 small files, on large machines
 * 200: about a millisecond.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include "record.h"

enum tare_status machine_identity(struct record *r, struct facts *f);
enum tare_status machine_conditions(struct record *r, struct facts *f);

#endif
