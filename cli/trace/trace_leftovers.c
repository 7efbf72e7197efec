/* SPDX-License-Identifier: MIT
 * The folder for the files of the runs, and what a session that was killed left of its own: TMPDIR/tare-trace-MARK-aB3dE6, MARK of its process. */
#include "plat.h"
#include "trace_session.h"
#include <string.h>

static const char prefix[] = "tare-trace-";
enum { RANDOM_CHARS = 6 };

/* The mark in the name of such a folder; false: it is none, or has none. */
static bool mark_of(const char *name, struct buf *mark)
{
    const size_t n = strlen(name), around = sizeof prefix - 1 + 1 + RANDOM_CHARS;
    if (n <= around || strncmp(name, prefix, sizeof prefix - 1) != 0 || name[n - RANDOM_CHARS - 1] != '-')
        return false;
    buf_clear(mark);
    buf_add(mark, name + sizeof prefix - 1, n - around);
    return !mark->status;
}

static void remove_one(const struct trace *t, const char *path)
{
    struct tare_err err;
    struct buf text = BUF_INIT(1 << 16);
    if (!plat_directory_own(path))
        return;
    if (plat_directory_remove(path, &err))
        buf_format(&text, "a session that was killed left a folder behind: %s", err.text);
    else
        buf_format(&text, "removed what a killed session left behind: %s", path);
    run_note(&t->run, buf_text(&text));
    buf_finish(&text);
}

static void remove_leftovers(const struct trace *t, const char *place)
{
    struct buf names = BUF_INIT(1 << 26), mark = BUF_INIT(1 << 12), path = BUF_INIT(1 << 16);
    int n = 0;
    plat_directory_list(place, &names, &n, NULL);
    const char *name = names.data;
    for (int i = 0; i < n && !names.status; i++, name += strlen(name) + 1) {
        if (!mark_of(name, &mark) || !plat_process_mark_ended(buf_text(&mark)))
            continue;
        buf_clear(&path);
        buf_format(&path, "%s/%s", place, name);
        remove_one(t, buf_text(&path));
    }
    buf_finish(&path);
    buf_finish(&mark);
    buf_finish(&names);
}

enum tare_status trace_make_folder(const struct trace *t, struct buf *path, struct tare_err *err)
{
    struct buf name = BUF_INIT(1 << 12);
    buf_str(&name, prefix);
    const bool marked = plat_process_mark(&name);
    if (marked)
        buf_char(&name, '-');
    enum tare_status status = plat_directory_private(path, buf_text(&name), err);
    buf_finish(&name);
    if (status || !marked)
        return status;
    struct buf place = BUF_INIT(1 << 16);
    buf_add(&place, path->data, (size_t)(strrchr(path->data, '/') - path->data));
    remove_leftovers(t, *buf_text(&place) ? buf_text(&place) : "/");
    buf_finish(&place);
    return TARE_OK;
}
