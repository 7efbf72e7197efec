/* SPDX-License-Identifier: MIT
 *
 * tick_sources.h - those who know the counter's frequency without measuring it.
 */
#ifndef TICK_SOURCES_H
#define TICK_SOURCES_H

#include "clocks.h"

/* hz where it is OK; UNSUPPORTED or PERMISSION with the reason. */
enum tare_status tick_source_kernel(double *hz, struct tare_err *err);
enum tare_status tick_source_cpuid_15(double *hz, struct tare_err *err);
enum tare_status tick_source_hypervisor(double *hz, struct tare_err *err);
enum tare_status tick_source_register(double *hz, struct tare_err *err);

#endif
