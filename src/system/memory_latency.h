/* SPDX-License-Identifier: MIT
 *
 * memory_latency.h - how long an access to memory takes that no cache has, on the CPU that asks.
 *
 *     double ns = memory_latency_ns();      // 80 to 150 on most machines; NaN: not known
 *
 * A chain of reads through 128 MiB, each of whose addresses follows from the value that was read before, in an order that no prefetcher knows. It holds
 * what page tables cost, as a read by a program does. Takes about a tenth of a second and 128 MiB, which are given back.
 */
#ifndef MEMORY_LATENCY_H
#define MEMORY_LATENCY_H

double memory_latency_ns(void);

#endif
