/* SPDX-License-Identifier: MIT */
#include "trace_files.h"
#include "plat.h"
#include "trace_request.h"
#include <string.h>

enum { NOTES_MAX = 3 };

bool trace_files_named(const char *name)
{
    size_t n = strlen(name), end = sizeof TRACE_SUFFIX - 1;
    return n > end && !strcmp(name + n - end, TRACE_SUFFIX);
}

/* The others of the run count. */
static enum tare_status leave_out(struct trace_files *t, const char *path, enum tare_status status, const struct tare_err *why)
{
    if (status != TARE_FORMAT && status != TARE_VERSION && status != TARE_TRUNCATED)
        return status;
    if (t->left_out++ >= NOTES_MAX)
        return TARE_OK;
    struct buf text = BUF_INIT(1 << 16);
    buf_format(&text, "%s is left out: %s", path, why->text);
    t->note(t->context, buf_text(&text));
    buf_finish(&text);
    return TARE_OK;
}

enum tare_status trace_files_add(struct trace_files *t, struct trace_sums *sums, const char *path, struct tare_err *err)
{
    struct trace_file *f;
    struct tare_err why;
    enum tare_status status = trace_file_open(&f, path, &why);
    if (status) {
        if (err)
            *err = why;
        return leave_out(t, path, status, &why);
    }
    status = trace_sums_add(sums, f, err);
    trace_file_close(f);
    if (status)
        err_prefix(err, path);
    return status;
}

enum tare_status trace_files_add_folder(struct trace_files *t, struct trace_sums *sums, const char *folder, struct tare_err *err)
{
    struct buf names = BUF_INIT(1 << 26), path = BUF_INIT(1 << 16);
    int n;
    enum tare_status status = plat_directory_list(folder, &names, &n, err);
    const char *name = names.data;
    for (int i = 0; i < n && !status; i++, name += strlen(name) + 1) {
        if (!trace_files_named(name))
            continue;
        buf_clear(&path);
        buf_format(&path, "%s/%s", folder, name);
        status = trace_files_add(t, sums, buf_text(&path), err);
    }
    buf_finish(&path);
    buf_finish(&names);
    return status;
}
