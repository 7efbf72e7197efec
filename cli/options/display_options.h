/* SPDX-License-Identifier: MIT
 *
 * display_options.h - the options of every command that shows a record: how it looks and which files it becomes.
 *
 * A command embeds `struct display_options display;` and takes the options into its table:
 *
 *     static const struct option items[] = {
 *     #define T struct show_options
 *     #include "display_options.def"
 *     #undef T
 *
 * With DISPLAY_ARCS defined, the formats that only traced programs have are among them.
 */
#ifndef DISPLAY_OPTIONS_H
#define DISPLAY_OPTIONS_H

#include "option.h"
#include "render.h"

enum display_export { /* EXPORT_TO_CSV ... */
#define EXPORTER(name, id, help, detail) EXPORT_TO_##id,
#include "exporters.def"
#undef EXPORTER
                      N_EXPORTS
};

struct display_options {
    int style;             /* enum render_style; auto: full on a terminal, basic elsewhere and with --show-output */
    int sort;              /* enum render_sort; auto: comparison by time, exported tables in the order of the command line */
    const char *time_unit; /* a name that unit_named("ns", ...) knows; NULL: chosen for each figure */
    bool quiet;            /* only the answer: no notes, no progress, no figures beside it */
    int verbose;           /* 0, 1 (histogram and schedule), 2 (every run) */
    const char *export_file[N_EXPORTS]; /* path, "-" is standard output; NULL: not asked. No two name the same file */
    double least_share;                 /* of traced programs, exports of arcs: only those with so much of the time; 0: all */
    int most_arcs;                      /* and at most so many; 0: what a format has room for */
    int most_events;                    /* exports of single passes: about so many at most; 0: what viewers take well */
    bool stdout_taken;                  /* by an export or a record that can be piped on: the text for people goes beside it */
};

bool display_is_stdout(const char *path); /* NULL is not */
/* Refuses --quiet with --verbose and two exports into one file. `save` is where a record goes, NULL: nowhere. */
enum tare_status display_options_check(struct display_options *d, const char *save, struct tare_err *err);
/* "--export-csv" of EXPORT_TO_CSV */
const char *display_export_name(enum display_export e);
bool display_wants_events(const struct display_options *d); /* an export that shows the events of a run and not its sums */

#endif
