/* SPDX-License-Identifier: MIT */
#include "screen.h"
#include "plat.h"

enum { SCREEN_MAX = 1 << 26 };

struct render_options screen_options(const struct display_options *d)
{
    const struct render_terminal terminal = {.is_terminal = plat_is_terminal(1),
                                             .width = plat_terminal_width(1),
                                             .no_color = plat_getenv("NO_COLOR"),
                                             .term = plat_getenv("TERM"),
                                             .lc_all = plat_getenv("LC_ALL"),
                                             .lc_ctype = plat_getenv("LC_CTYPE"),
                                             .lang = plat_getenv("LANG")};
    struct render_options o = {
        .verbosity = d->quiet ? -1 : d->verbose, .time_unit = d->time_unit, .sort = (enum render_sort)d->sort};
    render_style_apply(&o, (enum render_style)d->style, &terminal);
    return o;
}

enum exit_code screen_text(struct cli *cli, const struct buf *text)
{
    struct tare_err err;
    if (text->status) {
        err_set(&err, text->status, "no memory for the result");
        return cli_fail(cli, EXIT_TOOL, &err);
    }
    cli->out.write(cli->out.context, buf_text(text), text->len, NULL); /* a failure is kept and reported at the end */
    return EXIT_ANSWERED;
}

enum exit_code screen_result(struct cli *cli, const struct display_options *d, const struct record *r)
{
    if (d->style == STYLE_NONE)
        return EXIT_ANSWERED;
    struct render_options options = screen_options(d);
    struct buf b = BUF_INIT(SCREEN_MAX);
    render_result(r, &options, &b);
    enum exit_code code = screen_text(cli, &b);
    buf_finish(&b);
    return code;
}
