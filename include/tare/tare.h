/* SPDX-License-Identifier: MIT
 *
 * tare/tare.h - all of libtare: benchmarks, leak targets, plain calls, clocks, statistics.
 *
 *     #include <tare/tare.h>
 *
 * Each of the headers below can be had alone.
 */
#ifndef TARE_TARE_H
#define TARE_TARE_H

#include <tare/bench.h>
#include <tare/clock.h>
#include <tare/leak.h>
#include <tare/measure.h>
#include <tare/point.h>
#include <tare/stats.h>
#include <tare/stats_more.h>
#include <tare/status.h>
#include <tare/ticks.h>

#endif
