/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "cli.h"
#include "show_options.h"

int cmd_show(struct cli *cli, const void *options)
{
    struct tare_err err;
    (void)options;
    err_set(&err, TARE_UNSUPPORTED, "this build cannot read records yet");
    return cli_fail(cli, EXIT_TOOL, &err);
}
