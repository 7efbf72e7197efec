/* SPDX-License-Identifier: MIT */
#include "stored_keep.h"
#include "plat.h"
#include "record_kind.h"
#include "record_read.h"
#include <string.h>

enum { HEAD_MAX = 1 << 24 };

struct head {
    struct buf text;
    bool enough;
};

static enum tare_status take(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    static const char first_row[] = "\n{\"type\":\"row\"";
    struct head *h = context;
    size_t searched = h->text.len < sizeof first_row ? 0 : h->text.len - sizeof first_row;
    buf_add(&h->text, bytes, n);
    h->enough = h->text.status == TARE_TOO_LARGE || strstr(buf_text(&h->text) + searched, first_row);
    if (h->enough)
        return err_set(err, TARE_TOO_LARGE, "the rest is not read");
    return h->text.status ? err_set(err, h->text.status, "no memory to read it") : TARE_OK;
}

/* A session that was cut off in its own head has nothing, and others may follow it. */
static enum tare_status read_first(struct record *r, const char *text, size_t n, struct tare_err *err)
{
    enum tare_status status;
    do {
        struct record_reading reading;
        status = record_read(r, text, n, &reading, err);
        record_reading_finish(&reading);
        size_t next = record_next(text, n);
        text += next;
        n -= next;
    } while (status == TARE_TRUNCATED && n);
    return status;
}

static enum tare_status is_there(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    (void)bytes;
    *(bool *)context = n > 0;
    return n ? err_set(err, TARE_TOO_LARGE, "the rest is not read") : TARE_OK;
}

static bool has_times(const char *path)
{
    bool has = false;
    struct buf times = BUF_INIT(1 << 16);
    buf_format(&times, "%s.raw", path);
    if (plat_same_file(buf_text(&times), buf_text(&times))) /* no pipe, for which nobody may ever write */
        (void)plat_input_pour(buf_text(&times), &(struct sink){.write = is_there, .context = &has}, NULL);
    buf_finish(&times);
    return has;
}

static enum tare_status check(const char *path, const struct record *there, struct stored_keep by, struct tare_err *err)
{
    bool leaks = record_kind(there)->targets;
    if (there->session && by.sessions && by.leaks == leaks)
        return err_set(err, TARE_INVALID, "%.200s holds sessions already: --continue goes on after them; or give another file",
                       path);
    if (there->session)
        return err_set(err, TARE_INVALID, "--save would replace the sessions that %.200s holds; give another file", path);
    if (leaks && (by.sessions || !by.leaks) && has_times(path))
        return err_set(err, TARE_INVALID,
                       "--save would replace the session of tare leak that %.200s holds, and leave its times in %.200s.raw; give "
                       "another file",
                       path, path);
    return TARE_OK;
}

/* Of a record that was moved away, or of somebody else. */
static enum tare_status check_times(const char *path, struct tare_err *err)
{
    if (!has_times(path))
        return TARE_OK;
    return err_set(err, TARE_INVALID,
                   "--save would replace %.200s.raw, and there is no %.200s to which it belongs; move it, or give another file",
                   path, path);
}

enum tare_status stored_keep(const char *path, struct stored_keep by, struct tare_err *err)
{
    struct record there = {0};
    if (!path || !strcmp(path, "-") || !plat_same_file(path, path)) /* a pipe or a device holds nothing */
        return TARE_OK;
    struct head h = {.text = BUF_INIT(HEAD_MAX)};
    enum tare_status status = plat_input_pour(path, &(struct sink){.write = take, .context = &h}, err);
    if (!status || h.enough)
        status = read_first(&there, buf_text(&h.text), h.text.len, err);
    buf_finish(&h.text);
    if (!status)
        status = check(path, &there, by, err);
    else if (status == TARE_NOT_FOUND && by.leaks && !by.sessions)
        status = check_times(path, err);
    else if (!by.sessions || status == TARE_NOT_FOUND || status == TARE_TRUNCATED)
        status = TARE_OK;
    else
        err_prefix(err, path);
    record_finish(&there);
    return status;
}
