/* SPDX-License-Identifier: MIT */
#include "exit_status.h"
#include <string.h>

enum tare_status exit_status_not_started(const struct plat_child_result *result, const char *what, const char *program,
                                         struct tare_err *err)
{
    return err_set(err, TARE_CHILD, "%s: '%s' could not be started: %s%s", what, program, plat_errno_text(result->code),
                   plat_start_advice(result->code));
}

/* A signal without a name has its number. */
static void name_signal(struct buf *b, int number)
{
    const char *name = plat_signal_name(number);
    if (strncmp(name, "SIG", 3))
        buf_format(b, "signal %d", number);
    else
        buf_str(b, name);
}

void exit_status_describe(struct buf *b, const struct plat_child_result *result, int64_t timeout_ns)
{
    if (result->end == CHILD_TIMED_OUT)
        buf_format(b, "was stopped at the timeout of %g s", (double)timeout_ns / 1e9);
    else if (result->end == CHILD_SIGNALLED) {
        buf_str(b, "was ended by ");
        name_signal(b, result->code);
    } else
        buf_format(b, "ended with exit code %d", result->code);
}

/* SIGTTIN and SIGTTOU: a run that is not the terminal's foreground stops at them, and would never end. */
const char *exit_status_advice(const struct plat_child_result *result)
{
    if (result->end == CHILD_TIMED_OUT)
        return "give more time with --timeout";
    if (result->end == CHILD_SIGNALLED && !strncmp(plat_signal_name(result->code), "SIGTT", 5))
        return "it wants the terminal, which it has with --input - while tare is in the foreground";
    return "see its output with --show-output, or accept failures with -i";
}

bool exit_status_failed(const struct plat_child_result *result)
{
    return result->end != CHILD_EXITED || result->code != 0;
}

/* A signal has the code by which shells know it: 128 + its number. */
bool exit_status_ignored(const struct exec_options *o, const struct plat_child_result *result)
{
    int code = result->end == CHILD_SIGNALLED ? 128 + result->code : result->code;
    if (result->end == CHILD_TIMED_OUT)
        return false;
    if (o->ignore_all)
        return true;
    for (int i = 0; i < o->n_ignore_codes; i++)
        if (o->ignore_codes[i] == code)
            return true;
    return false;
}
