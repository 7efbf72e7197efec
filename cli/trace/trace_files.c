/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include "trace_request.h"
#include "trace_session.h"
#include <stdbool.h>
#include <string.h>

enum { NOTES_MAX = 3 };

bool trace_files_named(const char *name)
{
    size_t n = strlen(name), end = sizeof TRACE_SUFFIX - 1;
    return n > end && !strcmp(name + n - end, TRACE_SUFFIX);
}

static void drop_files(struct trace_kept *k, int subject, bool all)
{
    int left = 0;
    for (int i = 0; i < k->n; i++) {
        if (all || k->subject[i] == subject) {
            trace_file_close(k->files[i]);
            continue;
        }
        k->files[left] = k->files[i];
        k->subject[left++] = k->subject[i];
    }
    k->n = left;
}

void trace_kept_next(struct trace_kept *k, int subject)
{
    drop_files(k, subject, false);
    k->now = subject;
    k->more = 0;
}

void trace_kept_close(struct trace_kept *k)
{
    drop_files(k, 0, true);
}

/* In the order of the subjects, whatever the order of their runs was. */
static void keep_or_close(struct trace_kept *k, struct trace_file *f)
{
    if (k && k->n < TRACE_KEPT_MAX) {
        int at = k->n++;
        for (; at && k->subject[at - 1] > k->now; at--) {
            k->subject[at] = k->subject[at - 1];
            k->files[at] = k->files[at - 1];
        }
        k->subject[at] = k->now;
        k->files[at] = f;
        return;
    }
    if (k)
        k->more++;
    trace_file_close(f);
}

/* A pipe would be waited for. */
static enum tare_status open_regular(struct trace_file **out, const char *path, struct tare_err *err)
{
    struct plat_file_state state;
    if (!plat_file_state(path, &state, NULL) && !state.regular)
        return err_set(err, TARE_FORMAT, "%s: is not a regular file", path);
    return trace_file_open(out, path, err);
}

/* path NULL: the reason names it. */
static enum tare_status leave_out(struct trace_files *t, const char *path, const char *why)
{
    if (t->left_out++ >= NOTES_MAX)
        return TARE_OK;
    struct buf text = BUF_INIT(1 << 16);
    buf_format(&text, "left out: %s%s%s", path ? path : "", path ? ": " : "", why);
    t->note(t->context, buf_text(&text));
    buf_finish(&text);
    return TARE_OK;
}

enum tare_status trace_files_add(struct trace_files *t, struct trace_sums *sums, const char *path, struct tare_err *err)
{
    struct trace_file *f;
    struct tare_err why;
    enum tare_status status = open_regular(&f, path, &why);
    if (status) {
        if (err)
            *err = why;
        /* The others of the run count. */
        if (status != TARE_FORMAT && status != TARE_VERSION && status != TARE_TRUNCATED)
            return status;
        trace_sums_miss(sums);
        t->no_room += status == TARE_TRUNCATED;
        return leave_out(t, NULL, why.text);
    }
    if (trace_sums_again(sums, f)) {
        trace_file_close(f);
        return leave_out(t, path, "is a copy of another file");
    }
    status = trace_sums_add(sums, f, err);
    const struct trace_head *head = trace_file_head(f);
    if (!status && head->end == TRACE_RUNNING && plat_process_began((int)head->pid) == (int64_t)head->process_start)
        trace_sums_outlived(sums);
    keep_or_close(t->keep, f);
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
