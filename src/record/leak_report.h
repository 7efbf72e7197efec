/* SPDX-License-Identifier: MIT
 *
 * leak_report.h - what one process of a leak target reported, and the values of its row.
 *
 *     struct leak_report report;
 *     leak_read(bytes, n, "memcmp_32", had_ns, &report);    // report.trouble "": all is well
 *     leak_fill(&report, raw_at, values);                   // LEAK_COLUMNS values: leak_columns.def
 *
 * The report is that of wire.h, of a program that may be broken: nothing in it is believed before it was held against what was asked for.
 * Ownership: texts and times point into the bytes, which are the caller's.
 */
#ifndef LEAK_REPORT_H
#define LEAK_REPORT_H

#include "wire.h"

enum {
    LEAK_COLUMNS = 0
#define LEAK_COLUMN(id, title, unit) +1
#include "leak_columns.def"
};

struct leak_report {
    const void *bytes;
    size_t n;
    struct wire_clock clock;
    struct wire_target target;
    struct wire_target_end end;
    bool has_hello, has_clock, has_target, has_end, has_bye;
    int64_t blocks[WIRE_BLOCKS_KINDS], calls; /* calls: of scans */
    uint64_t readings;                        /* times that came, of blocks and scans */
    double ticks;                             /* that they took at least, but for those that were too long to be kept */
    double core_hz; /* of the core just before the process, as the row says; who reads sets it; NaN: not known */
    int cpu;        /* that it ran on, likewise; -1: not known, or it moved */
    char trouble[256];
};

const char *leak_column(int index);            /* NULL past the end */
double leak_hash(const void *bytes, size_t n); /* as column raw_hash has it */
/* What the bytes say of the one target that was asked for. had_ns: what the process had (INFINITY: not known); a report of more is trouble.
 * Always fills out->trouble. */
void leak_read(const void *bytes, size_t n, const char *target, double had_ns, struct leak_report *out);
/* The CPU of a process by its row; -1: not known, or it moved. */
int leak_cpu(double first_cpu, double last_cpu);
/* raw_at: -1: the report was not kept. */
void leak_fill(const struct leak_report *report, int64_t raw_at, double *values);

#endif
