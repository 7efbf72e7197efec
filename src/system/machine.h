/* SPDX-License-Identifier: MIT
 *
 * machine.h - the machine and its present conditions as facts for the record.
 *
 *     machine_identity(&r, &r.machine);
 *     machine_conditions(&r, &r.before);
 *
 * Identity is src/identity as facts: what stays the same until somebody changes the machine (no host name, no frequency of
 * the moment). Conditions hold what is controlled (governor, turbo, SMT, address randomisation ...) and what is observed (load, steal).
 * What cannot be read is "unknown" with the reason, never a guess. Nothing is changed. Some 50 small files, on large machines
 * 200: about a millisecond.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include "cpu_users.h"
#include "quota.h"
#include "record.h"

enum tare_status machine_identity(struct record *r, struct facts *f);
enum tare_status machine_conditions(struct record *r, struct facts *f);

/* ---- what else the machine did while a session measured, as facts of the record's conditions ----
 *
 *     struct surroundings s;
 *     surroundings_open(&s);
 *     surroundings_add(&s, &r, &r.before);                 // with machine_conditions
 *     cpu_watch_begin(&s.users, spawner_pid, 1000000);      // just before the first run
 *     ... measure; surroundings_look(&s) after a run that waited for a CPU ...
 *     surroundings_add(&s, &r, &r.after);
 *     surroundings_add_users(&s, &r, &r.after);
 *     surroundings_close(&s);
 *
 * Facts, before and after: cpu_quota_cpus, cpu_quota_group, throttled_periods, throttled_ns, suspended_ns, cpu_pressure_us, other_tare. After:
 * cpu_users, cpu_users_seconds, cpu_unnamed_seconds, cpu_watch_seconds. docs/how-it-works/noise.md says what each means. What cannot be read is
 * unknown, with the reason. Nothing is judged here: see src/check/session_checks.c.
 * Ownership: the struct is the caller's, what it holds open ends with surroundings_close.
 */

struct plat_presence;

struct surroundings {
    struct plat_presence *presence; /* NULL: sessions cannot see each other here */
    struct noise_quota quota;
    struct cpu_watch users;
    int64_t looked_ns;
};

/* What cannot be opened is a fact later on, no failure. */
void surroundings_open(struct surroundings *s);
/* Between runs, after one that had to wait for a CPU: who is there? At most twice a second, a millisecond each. */
void surroundings_look(struct surroundings *s);
enum tare_status surroundings_add(struct surroundings *s, struct record *r, struct facts *f);
enum tare_status surroundings_add_users(struct surroundings *s, struct record *r, struct facts *f);
void surroundings_close(struct surroundings *s); /* a zeroed one is fine */

/* ---- how long an access to memory takes that no cache has, on the CPU that asks.
 *
 *     double ns = memory_latency_ns();      // 80 to 150 on most machines; NaN: not known
 *
 * A chain of reads through 128 MiB, each of whose addresses follows from the value that was read before, in an order that no prefetcher knows. It holds
 * what page tables cost, as a read by a program does. Takes about a tenth of a second and 128 MiB, which are given back.
 */
double memory_latency_ns(void);

#endif
