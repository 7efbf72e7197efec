/* SPDX-License-Identifier: MIT */
#include "command_line.h"
#include "windows_quote.h"
#include <string.h>

/* In the first word backslashes are ever themselves, and a quote cannot be said. */
static enum tare_status add_program(struct buf *out, const char *name, struct tare_err *err)
{
    if (strchr(name, '"'))
        return err_set(err, TARE_INVALID, "cannot run %s: the name of a program on Windows has no quotes in it", name);
    const bool quoted = !*name || strpbrk(name, " \t\n\v");
    buf_format(out, quoted ? "\"%s\"" : "%s", name);
    return TARE_OK;
}

enum tare_status command_line(const char *const *argv, struct buf *out, struct tare_err *err)
{
    const bool cmd = windows_is_cmd(argv[0]);
    enum tare_status status = add_program(out, argv[0], err);
    bool text = false; /* the next word is cmd.exe's own */
    for (int i = 1; argv[i] && !status; i++) {
        buf_char(out, ' ');
        if (text && !argv[i + 1])
            buf_format(out, "\"%s\"", argv[i]); /* /s: the first and the last quote go, whatever is between them */
        else
            windows_quote(out, argv[i]);
        text = cmd && (windows_is_word(argv[i], "/c") || windows_is_word(argv[i], "/k"));
    }
    if (!status && out->status)
        return err_set(err, out->status, "cannot run %s: its command line is too long, or there is no memory", argv[0]);
    return status;
}
