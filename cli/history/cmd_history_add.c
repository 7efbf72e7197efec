/* SPDX-License-Identifier: MIT */
#include "cli.h"
#include "history_options.h"

int cmd_history_add(struct cli *cli, const void *options)
{
    struct tare_err err;
    (void)options;
    err_set(&err, TARE_UNSUPPORTED, "not there yet");
    return cli_fail(cli, EXIT_TOOL, &err);
}
