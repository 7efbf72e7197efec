/* SPDX-License-Identifier: MIT
 *
 * cpu_mask.h - sets of CPUs as Linux writes masks: hexadecimal, in groups of 32 bits, the highest first: "ff", "00000001,ffffffff".
 *
 *     struct cpu_list cpus;
 *     int groups;
 *     if (cpu_mask_parse(&cpus, &groups, "00000000,0000000f") == TARE_OK)
 *         cpu_mask_write(&b, &cpus, groups);          // "00000000,0000000f"
 */
#ifndef CPU_MASK_H
#define CPU_MASK_H

#include "cpu_list.h"

/* *groups: how many there were. FORMAT: anything else, the empty text too. TOO_LARGE: a bit of CPU_LIST_MAX or above. */
enum tare_status cpu_mask_parse(struct cpu_list *out, int *groups, const char *text);
/* At least so many groups, of eight digits each; one group alone has as many digits as it needs. */
void cpu_mask_write(struct buf *out, const struct cpu_list *cpus, int groups);

#endif
