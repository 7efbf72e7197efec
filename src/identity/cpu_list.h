/* SPDX-License-Identifier: MIT
 *
 * cpu_list.h - sets of CPU numbers, and the text that Linux writes them in.
 *
 *     struct cpu_list cpus;
 *     if (cpu_list_parse(&cpus, "0-3,8,10-12\n") == TARE_OK)
 *         for (int cpu = cpu_list_next(&cpus, 0); cpu >= 0; cpu = cpu_list_next(&cpus, cpu + 1))
 *             ...
 *
 * The text: numbers and ranges closed by commas, blanks around them allowed; a range may have a stride, "0-31:2/8" (of each
 * 8 the first 2), as the kernel's command line has it. Empty text is the empty set. Masks, "00000001,ffffffff", have calls of their own.
 * A plain value of 1 KiB: no heap, copied by assignment. All calls are pure.
 */
#ifndef CPU_LIST_H
#define CPU_LIST_H

#include "buf.h"
#include <stdbool.h>
#include <stdint.h>
#include <tare/status.h>

enum { CPU_LIST_MAX = 8192 }; /* numbers 0..8191: the most that Linux can be built for */

struct cpu_list {
    uint64_t words[CPU_LIST_MAX / 64];
};

/* FORMAT: anything else than a list (backward ranges and stride 0 too); TOO_LARGE: a number of CPU_LIST_MAX or more. *out is then empty. */
enum tare_status cpu_list_parse(struct cpu_list *out, const char *text);
/* The shortest list text: "0-3,8". Nothing for the empty set. */
void cpu_list_write(struct buf *out, const struct cpu_list *list);

bool cpu_list_has(const struct cpu_list *list, int cpu); /* false for any number out of range */
void cpu_list_add(struct cpu_list *list, int cpu);       /* out of range: nothing */
void cpu_list_remove(struct cpu_list *list, const struct cpu_list *others);
void cpu_list_keep(struct cpu_list *list, const struct cpu_list *others); /* the intersection */
int cpu_list_count(const struct cpu_list *list);
int cpu_list_next(const struct cpu_list *list, int from); /* smallest member >= from; -1: none */

/* Masks: hexadecimal, in groups of 32 bits, the highest first: "ff", "00000001,ffffffff". *groups: how many there were. FORMAT: anything else, the empty text too. TOO_LARGE: a bit of CPU_LIST_MAX or above. */
enum tare_status cpu_mask_parse(struct cpu_list *out, int *groups, const char *text);
/* At least so many groups, of eight digits each; one group alone has as many digits as it needs. */
void cpu_mask_write(struct buf *out, const struct cpu_list *cpus, int groups);

#endif
