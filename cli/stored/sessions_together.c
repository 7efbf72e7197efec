/* SPDX-License-Identifier: MIT */
#include "sessions_together.h"
#include "analyse_sessions.h"
#include "gate.h"
#include "screen.h"
#include <math.h>

static enum exit_code show(struct cli *cli, const struct display_options *d, struct record *over, double fail_if_slower)
{
    struct render_options o = screen_options(d);
    struct buf text = BUF_INIT(1 << 26);
    enum exit_code code = EXIT_ANSWERED;
    if (o.verbosity >= 0)
        buf_char(&text, '\n');
    render_sessions(over, &o, &text);
    over->rule.fail_if_slower = fail_if_slower;
    if (!isnan(fail_if_slower))
        code = gate_slower(over, o.unicode, &text);
    return cli_worse(code, screen_text(cli, d, &text));
}

enum exit_code sessions_together(struct cli *cli, const struct display_options *d, const struct record *sessions, int n,
                                 bool partial, double fail_if_slower, struct outputs *exports,
                                 enum exit_code (*answer)(const struct record *over))
{
    struct record over = {0};
    struct tare_err err;
    enum exit_code code;
    if (analyse_sessions(&over, sessions, n, &err)) {
        code = (enum exit_code)cli_fail(cli, EXIT_TOOL, &err);
    } else {
        over.partial = partial;
        code = show(cli, d, &over, fail_if_slower);
        code = answer ? cli_worse(code, answer(&over)) : code;
        if (outputs_export(exports, &over, &err))
            code = cli_worse(code, (enum exit_code)cli_fail(cli, EXIT_TOOL, &err));
    }
    record_finish(&over);
    return code;
}
