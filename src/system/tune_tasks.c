/* SPDX-License-Identifier: MIT
 *
 * Tasks from one control group to another. New ones may be forked into the list that is being emptied, so it is read again until nothing in it moves any more.
 */
#include "tune_parts.h"
#include "whole.h"
#include <string.h>

enum { ROUNDS_MAX = 16, DIGITS = 24 };

static enum tare_status move_one(struct tuning *t, const char *from, const char *to, int64_t id, struct task_moves *round)
{
    char text[DIGITS];
    struct buf b = buf_over(text, sizeof text);
    struct tare_err err;
    int error = 0;
    buf_format(&b, "%lld", (long long)id);
    enum tare_status status = root_write(t->root, to, text, &error, &err);
    if (!status)
        status = root_task_left(t->root, from, text, &err);
    if (!status)
        round->moved++;
    else {
        round->stayed++;
        round->error = error;
    }
    return TARE_OK;
}

static enum tare_status move_all(struct tuning *t, const char *list, const char *from, const char *to, struct task_moves *round)
{
    enum tare_status status = TARE_OK;
    *round = (struct task_moves){.moved = 0};
    for (const char *p = list, *end = list + strlen(list); !status && p < end;) {
        int64_t id;
        if (whole_take(&p, end, 10, &id))
            status = move_one(t, from, to, id, round);
        else
            p++;
    }
    return status;
}

enum tare_status tasks_move(struct tuning *t, const char *from, const char *to, struct task_moves *moves)
{
    struct buf list = BUF_INIT(ROOT_FILE_MAX);
    enum tare_status status = TARE_OK;
    *moves = (struct task_moves){.moved = 0};
    for (int i = 0; i < ROUNDS_MAX && !status; i++) {
        struct task_moves round;
        status = root_read(t->root, from, &list, t->err);
        if (!status)
            status = move_all(t, buf_text(&list), from, to, &round);
        if (status)
            break;
        moves->moved += round.moved;
        moves->stayed = round.stayed;
        moves->error = round.error;
        if (!round.moved)
            break;
    }
    buf_finish(&list);
    return status;
}
