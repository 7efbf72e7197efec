/* SPDX-License-Identifier: MIT */
#include "tune_parts.h"
#include <string.h>

/* "cpu memory" is not to be written back; "-cpuset" is. */
static void add_switch(struct buf *out, const char *read, const char *like)
{
    const char *word = like && *like ? like + 1 : "";
    buf_str(out, "+");
    buf_str(out, word);
    if (!out->status && !setting_holds(FORM_SWITCH, read, out->data))
        out->data[0] = '-';
}

enum tare_status value_read(struct tuning *t, const char *path, enum setting_form form, const char *like, struct buf *out)
{
    enum tare_status status = root_read(t->root, path, &t->file, t->err);
    if (status)
        return status;
    buf_clear(out);
    if (form == FORM_SWITCH)
        add_switch(out, buf_text(&t->file), like);
    else
        setting_value(out, form, buf_text(&t->file));
    if (!out->len)
        buf_char(out, '\n'); /* an empty write is none */
    return out->status ? err_set(t->err, out->status, "%s holds too much", path) : TARE_OK;
}

bool value_holds(const struct tuning *t, enum setting_form form, const char *value)
{
    return value && setting_holds(form, buf_text(&t->file), value);
}

enum tare_status identity_check(struct tuning *t, const char *identity, const char *identity_path, struct buf *now,
                                struct tare_err *err)
{
    buf_clear(now);
    enum tare_status status = identity_path ? root_read(t->root, identity_path, now, err) : TARE_OK;
    if (status && status != TARE_NOT_FOUND)
        return status;
    if (status)
        buf_clear(now);
    if (!identity_path || !strcmp(buf_text(now), identity))
        return TARE_OK;
    return err_set(err, TARE_NOT_FOUND, "it belongs to another one by now");
}
