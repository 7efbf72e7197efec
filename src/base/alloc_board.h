/* SPDX-License-Identifier: MIT
 *
 * alloc_board.h - the memory in which measured programs say how much heap they hold: written by libtare_alloc.so
 * (src/plat/interpose), which is preloaded into them, read by tare while they run.
 *
 *     TARE_ALLOC_BOARD=/proc/4711/fd/9 LD_PRELOAD=.../libtare_alloc.so program
 *
 * One slot for each program image: a process takes one when the library is loaded into it, a forked process one of its own at once or
 * at its first allocation, and a process that executes another program leaves its slot and takes a new one. pid[i] is the process
 * of slot[i], negative once that image is gone by an exec; a process that ended keeps its number there, so readers ask the system
 * who lives. Slots are not given back: when all are taken `crowded` counts the images without one.
 *
 * Sizes: live and peak are the bytes that blocks really have room for (malloc_usable_size), at least what was asked for, as only these
 * are known at free; allocated_bytes sums what was asked for. What a forked process inherited is not in its own slot: its live
 * bytes fall below zero where it frees such blocks.
 */
#ifndef ALLOC_BOARD_H
#define ALLOC_BOARD_H

#include <stdatomic.h>
#include <stdint.h>

#define ALLOC_BOARD_VARIABLE "TARE_ALLOC_BOARD" /* the board's path */

enum { ALLOC_BOARD_LAYOUT = 0x7461a002, ALLOC_SLOTS = 8192 };

struct alloc_slot {
    _Alignas(128) _Atomic int64_t live_bytes; /* processes do not share a cache line */
    _Atomic int64_t peak_bytes;
    _Atomic int64_t peak_ns;         /* CLOCK_MONOTONIC, when the peak was reached */
    _Atomic int64_t allocations;     /* calls that handed out a new block */
    _Atomic int64_t reallocations;   /* calls that changed one */
    _Atomic int64_t frees;           /* calls that took one back */
    _Atomic int64_t allocated_bytes; /* asked for, growth by realloc included */
    _Atomic int64_t failures;        /* calls that got nothing */
    _Atomic uint64_t image;          /* where the image's stack begins, as /proc tells it; 0: not known */
};

struct alloc_board {
    uint32_t layout; /* ALLOC_BOARD_LAYOUT, written by tare */
    _Atomic uint32_t used, crowded;
    _Atomic int32_t pid[ALLOC_SLOTS];
    struct alloc_slot slot[ALLOC_SLOTS];
};

#endif
