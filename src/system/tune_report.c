/* SPDX-License-Identifier: MIT */
#include "tune_parts.h"
#include <errno.h>
#include <string.h>

static const char *const outcome_texts[] = {"made",     "was so already", "refused", "undone",
                                            "conflict", "gone",           "void",    "no effect"};

const char *change_outcome_text(enum change_outcome o)
{
    return outcome_texts[o];
}

static bool make_room(struct tune_report *r)
{
    if (r->n < r->room)
        return true;
    int room = r->room ? 2 * r->room : 64;
    struct change *more = arena_array(r->arena, (size_t)room, sizeof *more);
    if (!more)
        return false;
    if (r->n)
        memcpy(more, r->changes, (size_t)r->n * sizeof *more);
    r->changes = more;
    r->room = room;
    return true;
}

static void count(struct tune_report *r, enum change_outcome o)
{
    int *const counts[] = {&r->made, NULL, &r->refused, &r->undone, &r->conflicts, &r->gone, &r->void_entries, &r->ineffective};
    if (counts[o])
        ++*counts[o];
}

enum tare_status report_add(struct tune_report *r, const struct change *c)
{
    if (!make_room(r))
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
    count(r, c->outcome);
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
