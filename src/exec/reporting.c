/* SPDX-License-Identifier: MIT */
#include "reporting.h"
#include "exit_status.h"
#include <string.h>

enum { COULD_NOT_REPORT = 6 }; /* libtare's exit code */
enum { FAILURE_BYTES = sizeof((struct bench_request *)NULL)->failure };
_Static_assert(sizeof((struct leak_request *)NULL)->failure == FAILURE_BYTES, "one length for both");

char *reporting_failure(const struct exec_command *c)
{
    return c->bench ? c->bench->failure : c->leak ? c->leak->failure : NULL;
}

void reporting_give_up(const struct exec_command *c, const char *what, const char *more, int round)
{
    struct buf b = buf_over(reporting_failure(c), FAILURE_BYTES);
    bool by_its_word = c->leak && !strncmp(what, "failed: ", 8);
    if (by_its_word || !strncmp(what, "skipped", 7) || !strncmp(what, "optimised-away", 14)) /* all its processes would */
        buf_format(&b, "%.200s", what);
    else
        buf_format(&b, "%.160s in process %d%s%s", what, round + 1, *more ? "; " : "", more);
}

void reporting_judge(const struct exec_command *c, int round, const struct plat_child_result *result, int64_t timeout_ns,
                     const char *trouble, bool hello, bool told)
{
    if (trouble[0] && (told || !exit_status_failed(result) || !hello))
        reporting_give_up(c, trouble, "", round);
    if (!exit_status_failed(result) || told)
        return;
    struct buf exit_status = BUF_INIT(256);
    exit_status_describe(&exit_status, result, timeout_ns);
    bool mute = result->end == CHILD_EXITED && result->code == COULD_NOT_REPORT;
    reporting_give_up(c, buf_text(&exit_status),
                      result->end == CHILD_TIMED_OUT ? "give more time with --timeout"
                      : mute                         ? "it could not report: does it close descriptors that are not its own?"
                                                     : "",
                      round);
    buf_finish(&exit_status);
}
