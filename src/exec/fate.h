/* SPDX-License-Identifier: MIT
 *
 * fate.h - how a run ended, and in words. Used by the files of exec only. Pure.
 *
 *     if (fate_failed(&result) && !fate_ignored(options, &result)) {
 *         fate_describe(&text, &result, options->timeout_ns);        // "ended with exit code 3"
 *         ... fate_advice(&result) ...
 *     }
 */
#ifndef FATE_H
#define FATE_H

#include "exec.h"

bool fate_failed(const struct plat_child_result *result);
/* The user accepts this failure. */
bool fate_ignored(const struct exec_options *o, const struct plat_child_result *result);
void fate_describe(struct buf *b, const struct plat_child_result *result, int64_t timeout_ns);
const char *fate_advice(const struct plat_child_result *result);
/* TARE_CHILD, and why; `what` stands in front. */
enum tare_status fate_not_started(const struct plat_child_result *result, const char *what, const char *program,
                                  struct tare_err *err);

#endif
