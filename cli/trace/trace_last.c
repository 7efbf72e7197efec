/* SPDX-License-Identifier: MIT */
#include "trace_last.h"
#include "plat.h"
#include "trace_files.h"
#include <stdlib.h>
#include <string.h>

enum tare_status trace_last_set(struct trace_last *l, const char *path, bool folder)
{
    if (!l->path.cap)
        l->path = BUF_INIT(1 << 16);
    buf_clear(&l->path);
    buf_str(&l->path, path);
    l->folder = folder;
    return l->path.status;
}

static bool room_for_one(struct trace_last *l)
{
    if (l->n < l->room)
        return true;
    int room = l->room ? 2 * l->room : 16;
    struct trace_file **files = realloc(l->files, (size_t)room * sizeof *files);
    if (!files)
        return false;
    l->files = files;
    l->room = room;
    return true;
}

static enum tare_status open_one(struct trace_last *l, const char *path, struct tare_err *err)
{
    if (!room_for_one(l))
        return err_set(err, TARE_NO_MEMORY, "no memory for another trace");
    enum tare_status status = trace_file_open(&l->files[l->n], path, err);
    l->n += !status;
    return status == TARE_NO_MEMORY ? status : TARE_OK;
}

static enum tare_status open_folder(struct trace_last *l, struct tare_err *err)
{
    struct buf names = BUF_INIT(1 << 26), path = BUF_INIT(1 << 16);
    int n;
    enum tare_status status = plat_directory_list(buf_text(&l->path), &names, &n, err);
    const char *name = names.data;
    for (int i = 0; i < n && !status; i++, name += strlen(name) + 1) {
        buf_clear(&path);
        buf_format(&path, "%s/%s", buf_text(&l->path), name);
        if (trace_files_named(name))
            status = open_one(l, buf_text(&path), err);
    }
    buf_finish(&path);
    buf_finish(&names);
    return status;
}

enum tare_status trace_last_open(void *last, const struct trace_file *const **files, int *n, struct tare_err *err)
{
    struct trace_last *l = last;
    enum tare_status status = TARE_OK;
    if (l->path.len && !l->n)
        status = l->folder ? open_folder(l, err) : open_one(l, buf_text(&l->path), err);
    *files = (const struct trace_file *const *)l->files;
    *n = l->n;
    return status;
}

void trace_last_finish(struct trace_last *l)
{
    for (int i = 0; i < l->n; i++)
        trace_file_close(l->files[i]);
    free(l->files);
    buf_finish(&l->path);
    *l = (struct trace_last){0};
}
