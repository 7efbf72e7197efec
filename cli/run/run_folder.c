/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include "run.h"
#include <string.h>

enum { RANDOM_CHARS = 6 };

/* The mark in the name of such a folder; false: it is none, or has none. */
static bool mark_of(const char *name, const char *prefix, struct buf *mark)
{
    const size_t n = strlen(name), before = strlen(prefix), around = before + 1 + RANDOM_CHARS;
    if (n <= around || strncmp(name, prefix, before) != 0 || name[n - RANDOM_CHARS - 1] != '-')
        return false;
    buf_clear(mark);
    buf_add(mark, name + before, n - around);
    return !mark->status;
}

static void remove_one(const struct run *run, const char *path)
{
    struct tare_err err;
    if (!plat_directory_own(path))
        return;
    if (plat_directory_remove(path, &err))
        run_note(run, "a session that was killed left a folder behind: %s", err.text);
    else
        run_note(run, "removed what a killed session left behind: %s", path);
}

static void remove_leftovers(const struct run *run, const char *prefix, const char *place)
{
    struct buf names = BUF_INIT(1 << 26), mark = BUF_INIT(1 << 12), path = BUF_INIT(1 << 16);
    int n = 0;
    plat_directory_list(place, &names, &n, NULL);
    const char *name = names.data;
    for (int i = 0; i < n && !names.status; i++, name += strlen(name) + 1) {
        if (!mark_of(name, prefix, &mark) || !plat_process_mark_ended(buf_text(&mark)))
            continue;
        buf_clear(&path);
        buf_format(&path, "%s/%s", place, name);
        remove_one(run, buf_text(&path));
    }
    buf_finish(&path);
    buf_finish(&mark);
    buf_finish(&names);
}

enum tare_status run_folder(const struct run *run, const char *prefix, struct buf *path, struct tare_err *err)
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
    const size_t n = (size_t)(plat_base_name(path->data) - path->data);
    buf_add(&place, path->data, n ? n - 1 : 0);
    remove_leftovers(run, prefix, *buf_text(&place) ? buf_text(&place) : "/");
    buf_finish(&place);
    return TARE_OK;
}
