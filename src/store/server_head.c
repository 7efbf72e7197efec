/* SPDX-License-Identifier: MIT */
#include "history_file.h"
#include "server.h"
#include <string.h>

/* Its head has to name the project of its row, by which the database says who may have written it. */
struct owner {
    const char *project;
    bool other;
};

static enum tare_status owner_of_session(void *context, const struct history_session *s, struct tare_err *err)
{
    struct owner *o = context;
    (void)err;
    o->other = strcmp(s->project, o->project) != 0;
    return TARE_OK;
}

static enum tare_status owner_of_event(void *context, const struct history_event *e, struct tare_err *err)
{
    struct owner *o = context;
    (void)err;
    o->other = strcmp(e->project ? e->project : "", o->project) != 0;
    return TARE_OK;
}

enum tare_status server_check_head(const char *head, const char *project, struct buf *why)
{
    struct tare_err err = {""};
    struct owner of = {.project = project};
    const struct history_visit visit = {.session = owner_of_session, .event = owner_of_event, .context = &of};
    struct buf notes = BUF_INIT(1 << 12);
    enum tare_status status = history_text_read(head, strlen(head), &visit, &notes, &err);
    buf_finish(&notes);
    if (status == TARE_NO_MEMORY)
        return status;
    if (status || of.other)
        buf_str(why, status ? err.text : "of another project than the one that it was added to");
    return TARE_OK;
}
