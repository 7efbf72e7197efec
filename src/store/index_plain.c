/* SPDX-License-Identifier: MIT
 *
 * The index of builds without SQLite: in memory, so that each opening reads all files.
 */
#include "history_index.h"
#include "history_series.h"
#include <stdlib.h>

struct plain_series {
    struct history_series s;
    struct indexed_point *points;
    int room;
};

struct history_index {
    struct arena arena;
    struct indexed_file *files;
    struct plain_series *series; /* the key of one is its place */
    int n_files, room_files, n_series, room_series;
};

enum tare_status history_index_open(struct history_index **out, const char *path, bool anew, struct tare_err *err)
{
    (void)path, (void)anew;
    *out = calloc(1, sizeof **out);
    return *out ? TARE_OK : err_no_memory(err);
}

void history_index_close(struct history_index *ix)
{
    if (!ix)
        return;
    for (int i = 0; i < ix->n_series; i++)
        free(ix->series[i].points);
    free(ix->files);
    free(ix->series);
    arena_finish(&ix->arena);
    free(ix);
}

enum tare_status history_index_forked(struct history_index **ix, const char *path, struct tare_err *err)
{
    (void)ix, (void)path, (void)err;
    return TARE_OK;
}

enum tare_status history_index_begin(struct history_index *ix, struct tare_err *err)
{
    (void)ix, (void)err;
    return TARE_OK;
}

enum tare_status history_index_commit(struct history_index *ix, struct tare_err *err)
{
    (void)ix, (void)err;
    return TARE_OK;
}

enum tare_status history_index_add_file(struct history_index *ix, const struct indexed_file *f, struct tare_err *err)
{
    if (!array_room(&ix->files, ix->n_files, &ix->room_files, sizeof *ix->files))
        return err_no_memory(err);
    struct indexed_file *kept = &ix->files[ix->n_files];
    *kept = *f;
    if (!HISTORY_KEEP(&ix->arena, &kept->name, &kept->head, &kept->problem))
        return err_no_memory(err);
    ix->n_files++;
    return TARE_OK;
}

enum tare_status history_index_remove(struct history_index *ix, int64_t *files, int n, struct tare_err *err)
{
    (void)ix, (void)files, (void)n, (void)err; /* it begins empty, so nothing is known too much */
    return TARE_OK;
}

enum tare_status history_index_add_series(struct history_index *ix, const struct history_series *s, int64_t *key,
                                          struct tare_err *err)
{
    if (!array_room(&ix->series, ix->n_series, &ix->room_series, sizeof *ix->series))
        return err_no_memory(err);
    struct plain_series *kept = &ix->series[ix->n_series];
    *kept = (struct plain_series){.s = *s};
    kept->s.n = 0;
    if (!history_series_keep(&kept->s, &ix->arena))
        return err_no_memory(err);
    *key = ix->n_series++;
    return TARE_OK;
}

enum tare_status history_index_add_points(struct history_index *ix, const struct indexed_point *points, int n,
                                          struct tare_err *err)
{
    for (int i = 0; i < n; i++) {
        struct plain_series *of = &ix->series[points[i].series];
        if (!array_room(&of->points, of->s.n, &of->room, sizeof *of->points))
            return err_no_memory(err);
        of->points[of->s.n++] = points[i];
    }
    return TARE_OK;
}

enum tare_status history_index_files(struct history_index *ix, const struct index_visit *visit, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    (void)err;
    for (int i = 0; !status && i < ix->n_files; i++)
        status = visit->file(visit->context, &ix->files[i]);
    return status;
}

enum tare_status history_index_each_series(struct history_index *ix, const struct index_visit *visit, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    (void)err;
    for (int i = 0; !status && i < ix->n_series; i++)
        status = visit->series(visit->context, &ix->series[i].s, i);
    return status;
}

enum tare_status history_index_points(struct history_index *ix, int64_t series, const struct indexed_point **items, int *n,
                                      struct tare_err *err)
{
    (void)err;
    *items = ix->series[series].points;
    *n = ix->series[series].s.n;
    return TARE_OK;
}
