/* SPDX-License-Identifier: MIT */
#include "consent.h"
#include "plat.h"
#include <stdio.h>
#include <string.h>

/* A console of Windows ends a line in CR LF. */
static bool says_yes(void)
{
    static const char *const answers[] = {"y\n", "yes\n", "y\r\n", "yes\r\n"};
    char line[16] = "";
    bool yes = false;
    if (fgets(line, sizeof line, stdin))
        for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
            yes |= !strcmp(line, answers[i]);
    return yes;
}

enum exit_code cli_show_plan(struct cli *cli, const struct sink *where, struct buf *text)
{
    struct tare_err err;
    enum tare_status status = text->status;
    if (status)
        err_set(&err, status, "what it asks to run cannot be shown in full, so it is not run");
    else
        status = where->write(where->context, buf_text(text), text->len, &err);
    buf_finish(text);
    return status ? cli_fail(cli, EXIT_TOOL, &err) : EXIT_ANSWERED;
}

enum exit_code cli_consent(struct cli *cli, bool yes)
{
    static const char question[] = "Run this? [y/N] ";
    struct tare_err err;
    if (yes)
        return EXIT_ANSWERED;
    if (!plat_is_terminal(0) || !plat_is_terminal(2)) {
        err_set(&err, TARE_INVALID,
                "the file says what to run, and there is no terminal to ask on; nothing was run. To run it, add --yes");
        return cli_fail(cli, EXIT_USAGE, &err);
    }
    cli->talk.write(cli->talk.context, question, sizeof question - 1, NULL);
    if (says_yes())
        return EXIT_ANSWERED;
    err_set(&err, TARE_PERMISSION, "declined; nothing was run");
    return cli_fail(cli, EXIT_TOOL, &err);
}
