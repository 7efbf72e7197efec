/* SPDX-License-Identifier: MIT */
#include "history_file.h"
#include "history_ingest.h"
#include "plat.h"
#include "plat_state.h"
#include "server.h"
#include "sha2.h"
#include <string.h>

enum tare_status history_check_folder(const char *folder, struct tare_err *err)
{
    struct plat_file_state state;
    return plat_is_directory(folder) || plat_file_state(folder, &state, NULL)
               ? TARE_OK
               : err_set(err, TARE_IO, "%.300s is not a folder", folder);
}

bool history_is_url(const char *folder)
{
    return !strncmp(folder, "postgresql://", 13) || !strncmp(folder, "postgres://", 11);
}

static bool is_away(enum tare_status status)
{
    return status == TARE_IO || status == TARE_BUSY;
}

/* One that is away will be asked again when there is something to add. */
static enum tare_status make_tables(const char *url, struct tare_err *err)
{
    struct server *s = NULL;
    enum tare_status status = server_open(&s, url, SERVER_ADD, err);
    server_close(s);
    return is_away(status) ? TARE_OK : status;
}

enum tare_status history_make_folder(const char *folder, struct tare_err *err)
{
    if (history_is_url(folder))
        return make_tables(folder, err);
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

void history_clean_up(const char *folder)
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

static enum tare_status put_file(const char *folder, const struct buf *text, char id[HISTORY_ID_BYTES], bool *added,
                                 struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    enum tare_status status = history_make_folder(folder, err);
    history_text_id(text->data, text->len, id);
    buf_format(&path, "%s/%s%s", folder, id, HISTORY_SUFFIX);
    *added = !status && !is_there(buf_text(&path), text);
    if (*added) {
        history_keep_out_of_commits(folder);
        status = plat_file_replace(buf_text(&path), text->data, text->len, err);
    }
    buf_finish(&path);
    return status;
}

/* Where files wait for this database. */
static enum tare_status waiting_folder(struct buf *folder, const char *url, struct tare_err *err)
{
    char name[13];
    sha256_digits(url, strlen(url), name, sizeof name);
    if (!plat_state_home(false, folder))
        return err_set(err, TARE_PERMISSION, "without HOME or XDG_STATE_HOME there is no place to keep it");
    buf_format(folder, "/tare/unsent/%s", name);
    return folder->status;
}

/* Another process may send it too, and remove it first. */
static enum tare_status send_file(struct server *s, const char *path, const char *name, struct tare_err *err)
{
    struct buf text = BUF_INIT(HISTORY_FILE_MAX);
    char id[HISTORY_ID_BYTES];
    bool added;
    enum tare_status status = plat_file_read(path, &text, err);
    if (!status) {
        history_text_id(buf_text(&text), text.len, id);
        status = strncmp(name, id, HISTORY_ID_BYTES - 1)
                     ? err_set(err, TARE_FORMAT, "changed after it was written; restore it or remove it")
                     : server_add(s, &text, NULL, id, &added, err);
        if (!status)
            (void)plat_file_remove(path, NULL);
    }
    buf_finish(&text);
    return status == TARE_NOT_FOUND ? TARE_OK : status;
}

static enum tare_status send_waiting(struct server *s, const char *url, struct tare_err *err)
{
    enum { NAMES_MAX = 1 << 28 };
    struct buf folder = BUF_INIT(1 << 16), names = BUF_INIT(NAMES_MAX), path = BUF_INIT(1 << 16);
    int n = 0;
    enum tare_status status = TARE_OK;
    if (!waiting_folder(&folder, url, NULL) && plat_is_directory(buf_text(&folder)))
        status = plat_directory_list(buf_text(&folder), &names, &n, err);
    const char *name = buf_text(&names);
    for (int i = 0; i < n && !status; i++, name += strlen(name) + 1) {
        const size_t length = strlen(name), suffix = strlen(HISTORY_SUFFIX);
        if (*name == '.' || length <= suffix || strcmp(name + length - suffix, HISTORY_SUFFIX) != 0)
            continue;
        buf_clear(&path);
        buf_format(&path, "%s/%s", buf_text(&folder), name);
        status = send_file(s, buf_text(&path), name, err);
        if (status)
            err_prefix(err, buf_text(&path));
    }
    if (status)
        err_prefix(err, "this one was added, and what waited for the database was not");
    buf_finish(&path);
    buf_finish(&names);
    buf_finish(&folder);
    return status;
}

/* As the journal's folder beside it, which is refused where others may write: whatever the umask. Others that keep something there now lock it. */
static enum tare_status make_waiting_folder(const char *folder, struct tare_err *err)
{
    struct plat_state *s = NULL;
    enum tare_status status = plat_state_open(&s, folder, err);
    plat_state_close(s);
    return status == TARE_BUSY ? TARE_OK : status;
}

/* What the database said is in err. */
static enum tare_status keep_waiting(const char *url, const struct buf *text, char id[HISTORY_ID_BYTES], enum tare_status said,
                                     struct tare_err *err)
{
    struct buf folder = BUF_INIT(1 << 16);
    const struct tare_err why = *err;
    bool added;
    enum tare_status status = waiting_folder(&folder, url, err);
    if (!status)
        status = make_waiting_folder(buf_text(&folder), err);
    if (!status)
        history_clean_up(buf_text(&folder));
    if (!status)
        status = put_file(buf_text(&folder), text, id, &added, err);
    if (!status)
        status = err_set(err, said, "kept in %s until something is added there next: %s", buf_text(&folder), why.text);
    buf_finish(&folder);
    return status;
}

static enum tare_status deliver(const char *url, const struct buf *text, const char *old, char id[HISTORY_ID_BYTES], bool *added,
                                struct tare_err *err)
{
    struct server *s = NULL;
    enum tare_status status = server_open(&s, url, SERVER_ADD, err);
    if (!status)
        status = server_add(s, text, old, id, added, err);
    if (is_away(status) && !old)
        status = keep_waiting(url, text, id, status, err);
    else if (!status)
        status = send_waiting(s, url, err);
    server_close(s);
    return status;
}

static enum tare_status add_text(const char *folder, const struct buf *text, char id[HISTORY_ID_BYTES], bool *added,
                                 struct tare_err *err)
{
    return history_is_url(folder) ? deliver(folder, text, NULL, id, added, err) : put_file(folder, text, id, added, err);
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

/* In one step. */
static enum tare_status replace_in_database(const char *url, const char *old, const struct history_entry *entry,
                                            struct tare_err *err)
{
    struct buf text = BUF_INIT(HISTORY_FILE_MAX);
    char id[HISTORY_ID_BYTES];
    bool added;
    enum tare_status status = history_entry_text(entry, &text, err);
    if (!status)
        status = deliver(url, &text, old, id, &added, err);
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
    if (history_is_url(folder))
        return replace_in_database(folder, old, entry, err);
    enum tare_status status = history_add(folder, entry, id, &added, err);
    buf_format(&path, "%s/%s%s", folder, old, HISTORY_SUFFIX);
    if (!status && strcmp(id, old) != 0)
        status = plat_file_remove(buf_text(&path), err);
    buf_finish(&path);
    return status;
}
