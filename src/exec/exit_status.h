/* SPDX-License-Identifier: MIT
 *
 * exit_status.h - how a run ended, and in words. Used by the files of exec only. Pure.
 *
 *     if (exit_status_failed(&result) && !exit_status_ignored(options, &result)) {
 *         exit_status_describe(&text, &result, options->timeout_ns);        // "ended with exit code 3"
 *         ... exit_status_advice(&result) ...
 *     }
 */
#ifndef EXIT_STATUS_H
#define EXIT_STATUS_H

#include "exec.h"

bool exit_status_failed(const struct plat_child_result *result);
/* The user accepts this failure. */
bool exit_status_ignored(const struct exec_options *o, const struct plat_child_result *result);
void exit_status_describe(struct buf *b, const struct plat_child_result *result, int64_t timeout_ns);
const char *exit_status_advice(const struct plat_child_result *result);
/* TARE_CHILD, and why; `what` stands in front. */
enum tare_status exit_status_not_started(const struct plat_child_result *result, const char *what, const char *program,
                                         struct tare_err *err);

#endif
