/* SPDX-License-Identifier: MIT */
#include "display_options.h"
#include "buf.h"
#include "same_text.h"
#include <string.h>

static const char *const export_names[N_EXPORTS] = {
#define EXPORTER(name, id, help, detail) "--export-" #name,
#include "exporters.def"
#undef EXPORTER
};

const char *display_export_name(enum display_export e)
{
    return export_names[e];
}

bool display_wants_events(const struct display_options *d)
{
    for (int i = EXPORT_TO_CALLGRIND; i < N_EXPORTS; i++) /* they come last */
        if (d->export_file[i])
            return true;
    return d->export_file[EXPORT_TO_HTML] != NULL; /* has a flame graph */
}

bool display_is_stdout(const char *path)
{
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/proc/thread-self/fd/1"};
    return path && text_among(path, names, sizeof names / sizeof *names);
}

/* Which names stand for one file is seen where files are opened (outputs_check). */
enum tare_status display_options_check(struct display_options *d, const char *save, struct tare_err *err)
{
    d->stdout_taken = display_is_stdout(save);
    for (int i = 0; i < N_EXPORTS; i++)
        d->stdout_taken |= display_is_stdout(d->export_file[i]);
    if (d->quiet && d->verbose)
        return err_set(err, TARE_INVALID, "--quiet and --verbose contradict each other; give only one");
    return TARE_OK;
}
