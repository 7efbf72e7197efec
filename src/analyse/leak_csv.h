/* SPDX-License-Identifier: MIT
 *
 * leak_csv.h - lines label,time[,block] as the reports of processes (wire.h), so that a file with times goes the way that a program's go.
 *
 *     struct leak_csv csv;
 *     leak_csv_read(&csv, text, n, &err);
 *     while (leak_csv_next(&csv, seed, spike_ns, &report)) ...      // some blocks each, more from time to time: a look after each
 *     leak_csv_finish(&csv);
 *
 * Labels are 1 to 200 bytes, in quotation marks where they hold a comma; at most 16 of them. Times are decimal numbers, not negative. Fields are separated
 * by commas, semicolons or tabs, as the first line has them; lines end with LF, CR LF or CR. A first line whose time is no number, and nothing like one
 * ("nan", "12x"), is a header.
 * With a third field, the calls of one block stand together, each label once; without it a block is k calls next to each other, from each k-th on, that
 * have each of the k labels once, where labels came as if drawn; else the oldest call of each label that is not yet in one. What is left over is counted.
 * Block names that count up, from the first one on or anew from it, show which blocks are missing; without blocks nothing shows that calls are. Self-checks are made of the file's own times: of two blocks next to each other the calls of the first
 * label, once as they are (A/A) and once with the delay added to one of them, drawn by a coin, as the file's clock would show it.
 * Pure. Ownership: the struct holds a table of all calls, some 16 bytes each; the text is the caller's and must outlive it.
 */
#ifndef LEAK_CSV_H
#define LEAK_CSV_H

#include "buf.h"
#include "rng.h"
#include "wire.h"
#include <stddef.h>

struct leak_csv_call {
    double time;
    uint32_t block; /* number of the block, by where it begins */
    uint8_t label;
};

struct leak_csv {
    char *names[WIRE_CLASSES_MAX];
    size_t name_bytes[WIRE_CLASSES_MAX];
    int n_labels;
    struct leak_csv_call *calls; /* in the order of the file, then block by block */
    int64_t n, room;
    bool blocks;       /* the file has them */
    bool neighbours;   /* it has none, and calls next to each other are */
    int64_t n_blocks;  /* whole ones */
    int64_t left_over; /* calls that are in none */
    int64_t torn;      /* blocks that lack a call, but for the first and the last of the file */
    int64_t doubled;   /* blocks that have a label more than once, likewise */
    int64_t absent;    /* blocks that the numbers of the others skip; 0 where names are no numbers that count up */
    bool
        drawn; /* the order within blocks may have been drawn: places and repetitions are as often as they should be, to 1 in 10^9 */
    double scale;  /* ticks in a nanosecond */
    double offset; /* ns that are taken off all times, which changes no difference */
    double step;   /* ns, of the clock that the times show (leak_step_of); a tick at least */
    int64_t saturated;
    int64_t at;      /* blocks that were handed out */
    int spike_every; /* a delay is planted in one in so many pairs of blocks, 1 at first; for who has found enough of them */
    struct rng coin;
};

/* FORMAT: a line is no data, says which; TOO_FEW: one label only, no whole block, or calls that are there twice; TOO_LARGE: too many labels; NO_MEMORY. */
enum tare_status leak_csv_read(struct leak_csv *csv, const char *text, size_t n, uint64_t seed, struct tare_err *err);
void leak_csv_finish(struct leak_csv *csv);
/* Of a file that was read, in its order. TOO_FEW: the same 512 calls are there twice, which is no chance; says where. */
enum tare_status leak_csv_each_once(const struct leak_csv *csv, struct tare_err *err);
/* The report of the next blocks, appended to an empty out; false: there are no more. name: of the target. */
bool leak_csv_next(struct leak_csv *csv, const char *name, double spike_ns, struct buf *out);

struct leak_step_value {
    double at;
    int64_t calls;
};
/* The step of the clock that recorded times show (leak_csv.c: how, and what it cannot find): of n finite times, which it uses as scratch memory; unit: the last decimal place that they have, above 0; scratch: n values. At least `unit`; NaN: fewer than two
 * different times. */
double leak_step_of(double *times, ptrdiff_t n, double unit, struct leak_step_value *scratch);

#endif
