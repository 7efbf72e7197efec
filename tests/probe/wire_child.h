/* SPDX-License-Identifier: MIT
 *
 * wire_child.h - runs a program with benchmarks as a runner does, and keeps its record.
 *
 *     struct buf record = BUF_INIT(1 << 26);
 *     int code = wire_child("./subject", "run 0 chain_3\n", &record);    // lines of wire.h behind the first
 */
#ifndef WIRE_CHILD_H
#define WIRE_CHILD_H

#include "buf.h"

/* The exit code; 128 + N for signal N; -1: it could not be started. */
int wire_child(const char *program, const char *lines, struct buf *record);
/* The same under valgrind, whose path is given: exit code 99 where it found an error. */
int wire_child_under(const char *valgrind, const char *program, const char *lines, struct buf *record);

#endif
