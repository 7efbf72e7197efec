/* SPDX-License-Identifier: MIT
 *
 * reporting.h - a process that reports, of a benchmark or of a leak target: why no more of them are made. Used by exec_reporting.c only.
 *
 *     reporting_judge(c, round, &result, timeout_ns, report.trouble, report.has_hello, told);
 *     if (reporting_failure(c)[0]) ...          // "ended with signal 11 in process 3"
 */
#ifndef REPORTING_H
#define REPORTING_H

#include "exec.h"

char *reporting_failure(const struct exec_command *c); /* its own text, "" while all is well; NULL: it is a command */
/* The first reason; `more` is advice, or "". */
void reporting_give_up(const struct exec_command *c, const char *what, const char *more, int round);
/* A process that died is described by its end; what it reported may explain it. trouble: what is wrong with the report; told: by its own word. */
void reporting_judge(const struct exec_command *c, int round, const struct plat_child_result *result, int64_t timeout_ns,
                     const char *trouble, bool hello, bool told);

#endif
