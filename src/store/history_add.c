/* SPDX-License-Identifier: MIT */
#include "history_file.h"
#include "history_ingest.h"
#include "plat.h"
#include <string.h>

enum tare_status history_check_folder(const char *folder, struct tare_err *err)
{
    struct plat_file_state state;
    return plat_is_directory(folder) || plat_file_state(folder, &state, NULL)
               ? TARE_OK
               : err_set(err, TARE_IO, "%.300s is not a folder", folder);
}

enum tare_status history_make_folder(const char *folder, struct tare_err *err)
{
    struct buf b = BUF_INIT(1 << 16);
    enum tare_status status = TARE_OK;
    if (plat_is_directory(folder))
        return TARE_OK;
    for (const char *at = folder; !status && *at;) {
        const size_t n = strcspn(at + 1, "/") + 1;
        buf_add(&b, at, n);
        at += n;
        status = history_check_folder(buf_text(&b), err);
        if (!status && !plat_is_directory(buf_text(&b)))
            status = plat_directory_make(buf_text(&b), err);
    }
    buf_finish(&b);
    return status;
}

/* Whether it is there as it would be written. */
static bool is_there(const char *path, const struct buf *text)
{
    struct buf old = BUF_INIT(HISTORY_FILE_MAX);
    struct plat_file_state state;
    bool same = !plat_file_state(path, &state, NULL) && state.regular && !plat_file_read(path, &old, NULL) &&
                old.len == text->len && !memcmp(old.data, text->data, old.len);
    buf_finish(&old);
    return same;
}

/* What killed processes left of files that they were writing: on most file systems nothing, see plat_file_create. */
static void clean_up(const char *folder)
{
    enum { NAMES_MAX = 1 << 28 };
    const int64_t before = plat_utc_ns() - INT64_C(3600000000000); /* a living one has long renamed it */
    struct buf names = BUF_INIT(NAMES_MAX), path = BUF_INIT(1 << 16);
    struct plat_file_state state;
    int n = 0;
    const char *name = plat_directory_list(folder, &names, &n, NULL) ? NULL : buf_text(&names);
    for (int i = 0; name && i < n; i++, name += strlen(name) + 1) {
        const size_t length = plat_file_left_over(name), suffix = strlen(HISTORY_SUFFIX);
        if (length < suffix || strncmp(name + length - suffix, HISTORY_SUFFIX, suffix) != 0)
            continue;
        buf_clear(&path);
        buf_format(&path, "%s/%s", folder, name);
        if (!plat_file_state(buf_text(&path), &state, NULL) && state.regular && state.modified_utc_ns < before)
            (void)plat_file_remove(buf_text(&path), NULL);
    }
    buf_finish(&path);
    buf_finish(&names);
}

static enum tare_status add_text(const char *folder, const struct buf *text, char id[HISTORY_ID_BYTES], bool *added,
                                 struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    enum tare_status status = history_make_folder(folder, err);
    history_text_id(text->data, text->len, id);
    buf_format(&path, "%s/%s%s", folder, id, HISTORY_SUFFIX);
    *added = !status && !is_there(buf_text(&path), text);
    if (*added) {
        clean_up(folder);
        history_keep_out_of_commits(folder);
        status = plat_file_replace(buf_text(&path), text->data, text->len, err);
    }
    buf_finish(&path);
    return status;
}

enum tare_status history_add(const char *folder, const struct history_entry *e, char id[HISTORY_ID_BYTES], bool *added,
                             struct tare_err *err)
{
    struct buf text = BUF_INIT(HISTORY_FILE_MAX);
    enum tare_status status = history_entry_text(e, &text, err);
    if (!status)
        status = add_text(folder, &text, id, added, err);
    buf_finish(&text);
    return status;
}

enum tare_status history_add_event(const char *folder, const struct history_event *e, char id[HISTORY_ID_BYTES],
                                   struct tare_err *err)
{
    struct buf text = BUF_INIT(HISTORY_FILE_MAX);
    bool added;
    enum tare_status status = history_event_text(e, &text, err);
    if (!status)
        status = add_text(folder, &text, id, &added, err);
    buf_finish(&text);
    return status;
}

enum tare_status history_replace(const char *folder, const char *old, const struct history_entry *entry, struct tare_err *err)
{
    char id[HISTORY_ID_BYTES];
    bool added;
    struct buf path = BUF_INIT(1 << 16);
    if (strlen(old) != HISTORY_ID_BYTES - 1 || strspn(old, "0123456789abcdef") != HISTORY_ID_BYTES - 1)
        return err_set(err, TARE_INVALID, "not the id of a file");
    enum tare_status status = history_add(folder, entry, id, &added, err);
    buf_format(&path, "%s/%s%s", folder, old, HISTORY_SUFFIX);
    if (!status && strcmp(id, old) != 0)
        status = plat_file_remove(buf_text(&path), err);
    buf_finish(&path);
    return status;
}
