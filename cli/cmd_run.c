/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "cli.h"
#include "run_options.h"

int cmd_run(struct cli *cli, const void *options)
{
    struct tare_err err;
    (void)options;
    err_set(&err, TARE_UNSUPPORTED, "this build cannot measure yet");
    return cli_fail(cli, EXIT_TOOL, &err);
}
