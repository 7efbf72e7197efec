/* SPDX-License-Identifier: MIT */
#include "fleet_spool.h"
#include "plat.h"
#include "unit_queue.h"
#include <string.h>

enum { NAMES_BYTES = 1 << 26, PLAN_BYTES = 1 << 26 };

enum tare_status spool_open(struct spool *s, const char *dir, struct arena *a, struct tare_err *err)
{
    struct buf home = BUF_INIT(1 << 16);
    if (!dir && !plat_state_home(false, &home))
        return err_set(err, TARE_INVALID,
                       "without HOME or XDG_STATE_HOME there is no place to keep records; name one with --dir");
    s->dir = dir ? dir : arena_format(a, "%s/tare/fleet", buf_text(&home));
    buf_finish(&home);
    const enum tare_status status = s->dir ? plat_state_open(&s->lock, s->dir, err) : err_no_memory(err);
    return status == TARE_BUSY
               ? err_set(err, status, "another worker keeps its records in %.400s; a machine has one worker", s->dir)
               : status;
}

void spool_close(struct spool *s)
{
    plat_state_close(s->lock);
    s->lock = NULL;
}

const char *spool_folder(const struct spool *s, const char *name, struct arena *a)
{
    return arena_format(a, "%s/%s", s->dir, name);
}

enum tare_status spool_list(const struct spool *s, struct arena *a, const char ***names, int *n, int *room, struct tare_err *err)
{
    struct buf list = BUF_INIT(NAMES_BYTES);
    int all = 0;
    enum tare_status status = plat_directory_list(s->dir, &list, &all, err);
    const char *name = status ? "" : buf_text(&list);
    for (int i = 0; i < all && !status; i++, name += strlen(name) + 1) {
        if (!queue_is_name(name))
            continue;
        const char *kept = arena_strdup(a, name);
        if (!kept || !arena_room(a, names, *n, room, sizeof **names))
            status = err_no_memory(err);
        else
            (*names)[(*n)++] = kept;
    }
    buf_finish(&list);
    return status;
}

enum tare_status spool_put(const struct spool *s, const char *name, const char *plan, struct arena *a, struct tare_err *err)
{
    struct buf there = BUF_INIT(PLAN_BYTES);
    const char *folder = spool_folder(s, name, a), *path = arena_format(a, "%s/%s/plan.jsonl", s->dir, name);
    enum tare_status status = folder && path ? plat_directory_make(folder, err) : err_no_memory(err);
    if (!status)
        status = plat_file_read(path, &there, err);
    if (status == TARE_NOT_FOUND)
        status = plat_file_replace(path, plan, strlen(plan), err);
    else if (!status && (there.len != strlen(plan) || memcmp(there.data, plan, there.len) != 0))
        status = err_set(err, TARE_FORMAT, "%.400s holds another plan", folder);
    buf_finish(&there);
    return status;
}

void spool_remove(const struct spool *s, const char *name, struct arena *a)
{
    const char *folder = spool_folder(s, name, a);
    if (folder)
        (void)plat_directory_remove(folder, NULL);
}
