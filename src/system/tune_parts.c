/* SPDX-License-Identifier: MIT */
#include "tune_parts.h"
#include "knob_look.h"
#include "whole.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>

_Static_assert(offsetof(struct tune_report, ineffective) ==
                   offsetof(struct tune_report, outcomes) + CHANGE_INEFFECTIVE * sizeof(int),
               "the named counts are the outcomes in their order");

static const char *const outcome_texts[] = {
    [CHANGE_MADE] = "made",     [CHANGE_KEPT] = "was so already",  [CHANGE_REFUSED] = "refused",
    [CHANGE_UNDONE] = "undone", [CHANGE_CONFLICT] = "conflict",    [CHANGE_GONE] = "gone",
    [CHANGE_VOID] = "void",     [CHANGE_INEFFECTIVE] = "no effect"};

const char *change_outcome_text(enum change_outcome o)
{
    return outcome_texts[o];
}

enum tare_status report_add(struct tune_report *r, const struct change *c)
{
    if (!arena_room(r->arena, &r->changes, r->n, &r->room, sizeof *r->changes))
        return TARE_NO_MEMORY;
    struct change *to = &r->changes[r->n];
    *to = *c;
    to->knob = arena_strdup(r->arena, c->knob);
    to->path = arena_strdup(r->arena, c->path);
    to->from = arena_strdup(r->arena, c->from);
    to->to = arena_strdup(r->arena, c->to);
    to->note = arena_strdup(r->arena, c->note ? c->note : "");
    if (!to->knob || !to->path || !to->note || (c->from && !to->from) || (c->to && !to->to))
        return TARE_NO_MEMORY;
    r->n++;
    r->outcomes[c->outcome]++;
    return TARE_OK;
}

enum tare_status report_warn(struct tune_report *r, const char *sentence)
{
    struct buf b = BUF_INIT(1 << 16);
    if (r->warning)
        buf_format(&b, "%s; ", r->warning);
    buf_str(&b, sentence);
    const char *text = b.status ? NULL : arena_strdup(r->arena, buf_text(&b));
    if (text)
        r->warning = text;
    buf_finish(&b);
    return text ? TARE_OK : TARE_NO_MEMORY;
}

const char read_only_text[] =
    "/sys or /proc/sys is mounted read-only here, as in a container, which root does not change: do it on "
    "the host, or start the container with --privileged";

enum tare_status report_read_only(struct tune_report *r)
{
    int n = 0;
    for (int i = 0; i < r->n; i++)
        n += r->changes[i].outcome == CHANGE_REFUSED && r->changes[i].error == EROFS;
    if (!n)
        return TARE_OK;
    struct buf b = BUF_INIT(1 << 12);
    buf_format(&b, "%d file%s could not be written: %s", n, buf_plural(n), read_only_text);
    enum tare_status status = report_warn(r, buf_text(&b));
    buf_finish(&b);
    return status;
}

enum tare_status value_read(struct tuning *t, const char *path, enum setting_form form, const char *like, struct buf *out,
                            struct tare_err *err)
{
    enum tare_status status = root_read(t->root, path, &t->file, err);
    if (status)
        return status;
    buf_clear(out);
    if (form == FORM_SWITCH) {
        /* "cpu memory" is not to be written back; "-cpuset" is. */
        const char *word = like && *like ? like + 1 : "";
        buf_format(out, "+%s", word);
        if (!out->status && !setting_holds(FORM_SWITCH, buf_text(&t->file), out->data))
            out->data[0] = '-';
    } else
        setting_value(out, form, buf_text(&t->file));
    if (!out->len)
        buf_char(out, '\n'); /* an empty write is none */
    return out->status ? err_set(err, out->status, "%s holds too much", path) : TARE_OK;
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

/* Tasks from one control group to another: new ones may be forked into the list that is being emptied, so it is read again until nothing in it moves any more. */

enum { ROUNDS_MAX = 16, DIGITS = 24 };

static void move_one(struct tuning *t, const char *from, const char *to, int64_t id, struct task_moves *round)
{
    char text[DIGITS];
    struct buf b = buf_over(text, sizeof text);
    struct tare_err err;
    int error = 0;
    buf_format(&b, "%lld", (long long)id);
    if (!root_write(t->root, to, text, &error, &err) && !root_task_left(t->root, from, text, &err)) {
        round->moved++;
        return;
    }
    round->stayed++;
    round->error = error;
}

static struct task_moves move_all(struct tuning *t, const char *list, const char *from, const char *to)
{
    struct task_moves round = {.moved = 0};
    for (const char *p = list, *end = list + strlen(list); p < end;) {
        int64_t id;
        if (whole_take(&p, end, 10, &id))
            move_one(t, from, to, id, &round);
        else
            p++;
    }
    return round;
}

enum tare_status tasks_move(struct tuning *t, const char *from, const char *to, struct task_moves *moves, struct tare_err *err)
{
    struct buf list = BUF_INIT(ROOT_FILE_MAX);
    enum tare_status status = TARE_OK;
    *moves = (struct task_moves){.moved = 0};
    for (int i = 0; i < ROUNDS_MAX && !(status = root_read(t->root, from, &list, err)); i++) {
        struct task_moves round = move_all(t, buf_text(&list), from, to);
        moves->moved += round.moved;
        moves->stayed = round.stayed;
        moves->error = round.error;
        if (!round.moved)
            break;
    }
    buf_finish(&list);
    return status;
}

/* Who steers the same settings just now, by the table that `show` names them by; and whether a battery does. */

static void note_tuner(struct other_tuners *out, unsigned stages, const char *name, int64_t pid)
{
    for (int s = 0; s < STAGES; s++) {
        if (!(stages & 1u << s) || out->names[s][0])
            continue;
        struct buf b = buf_over(out->names[s], sizeof out->names[s]);
        buf_format(&b, "%s (pid %lld)", name, (long long)pid);
    }
}

static void look_at(struct other_tuners *out, const struct system_root *root, const char *process, struct buf *comm)
{
    char path[64];
    struct buf b = buf_over(path, sizeof path);
    const char *p = process;
    int64_t pid;
    if (!whole_take(&p, process + strlen(process), 10, &pid) || *p)
        return;
    buf_format(&b, "/proc/%s/comm", process);
    if (b.status || root_read(root, path, comm, NULL))
        return;
    for (int i = 0; i < n_tuners; i++)
        if (!strcmp(buf_text(comm), tuners[i].name))
            note_tuner(out, tuners[i].stages, tuners[i].name, pid);
}

void others_find(struct other_tuners *out, const struct system_root *root)
{
    struct buf names = BUF_INIT(1 << 24), comm = BUF_INIT(4096);
    int n = 0;
    memset(out, 0, sizeof *out);
    if (root_list(root, "/proc", &names, &n, NULL))
        n = 0;
    for (const char *name = buf_text(&names); n--; name += strlen(name) + 1)
        look_at(out, root, name, &comm);
    buf_finish(&names);
    buf_finish(&comm);
}
