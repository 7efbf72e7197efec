/* SPDX-License-Identifier: MIT
 * The event of peer_cost.c for lttng-ust: one number, as a point with a value. Read several times by its headers. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER tare_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_point.h"
#if !defined(LTTNG_POINT_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_POINT_H
#include <lttng/tracepoint.h>
LTTNG_UST_TRACEPOINT_EVENT(tare_bench, pass, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
#endif
#include <lttng/tracepoint-event.h>
