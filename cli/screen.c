/* SPDX-License-Identifier: MIT */
#include "screen.h"
#include "plat.h"

enum { SCREEN_MAX = 1 << 26 };

struct render_options screen_options(const struct display_options *d)
{
    int fd = d->stdout_taken ? 2 : 1;
    const struct render_terminal terminal = {.is_terminal = plat_is_terminal(fd),
                                             .width = plat_terminal_width(fd),
                                             .no_color = plat_getenv("NO_COLOR"),
                                             .term = plat_getenv("TERM"),
                                             .lc_all = plat_getenv("LC_ALL"),
                                             .lc_ctype = plat_getenv("LC_CTYPE"),
                                             .lang = plat_terminal_utf8(fd) ? "C.UTF-8" : plat_getenv("LANG")};
    struct render_options o = {
        .verbosity = d->quiet ? -1 : d->verbose, .time_unit = d->time_unit, .sort = (enum render_sort)d->sort};
    render_style_apply(&o, (enum render_style)d->style, &terminal);
    o.live = o.live && !d->quiet && plat_is_terminal(2); /* the live line is talk */
    return o;
}

enum exit_code screen_text(struct cli *cli, const struct display_options *d, struct buf *text)
{
    if (d->style != RENDER_NONE && !d->stdout_taken)
        return cli_print(cli, text);
    if (d->style != RENDER_NONE)
        cli->talk.write(cli->talk.context, buf_text(text), text->len, NULL);
    buf_finish(text);
    return EXIT_ANSWERED;
}

enum exit_code screen_result(struct cli *cli, const struct display_options *d, const struct record *r, bool stored)
{
    if (d->style == RENDER_NONE)
        return EXIT_ANSWERED;
    struct render_options options = screen_options(d);
    options.stored = stored;
    struct buf b = BUF_INIT(SCREEN_MAX);
    render_result(r, &options, &b);
    return screen_text(cli, d, &b);
}
