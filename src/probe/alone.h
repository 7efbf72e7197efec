/* SPDX-License-Identifier: MIT
 *
 * alone.h - a program with benchmarks that nobody runs but its user: arguments in, a table out.
 */
#ifndef ALONE_H
#define ALONE_H

#include <tare/bench.h>

/* Exit codes as of tare: 0 done, 2 usage, 5 a benchmark failed, 6 it could not be done. */
int probe_alone(int argc, char **argv, tare_write *write, void *context);

#endif
