/* SPDX-License-Identifier: MIT
 *
 * The index of builds without SQLite: in memory, so that each opening reads all files.
 */
#include "arena.h"
#include "history_index.h"
#include <stdlib.h>
#include <string.h>

struct history_index {
    struct arena arena;
    struct indexed_file *files;
    struct history_series *series; /* the key of one is its place */
    struct indexed_point *points;
    int n_files, room_files, n_series, room_series, n_points, room_points;
};

static enum tare_status no_memory(struct tare_err *err)
{
    return err_set(err, TARE_NO_MEMORY, "no memory for the history");
}

enum tare_status history_index_open(struct history_index **out, const char *path, bool anew, struct tare_err *err)
{
    (void)path, (void)anew;
    *out = calloc(1, sizeof **out);
    return *out ? TARE_OK : no_memory(err);
}

void history_index_close(struct history_index *ix)
{
    if (!ix)
        return;
    free(ix->files);
    free(ix->series);
    free(ix->points);
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

static int by_series(const void *a, const void *b)
{
    const struct indexed_point *x = a, *y = b;
    if (x->series != y->series)
        return x->series < y->series ? -1 : 1;
    if (x->measured_utc_ns != y->measured_utc_ns)
        return x->measured_utc_ns < y->measured_utc_ns ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->point.place > y->point.place) - (x->point.place < y->point.place);
}

enum tare_status history_index_commit(struct history_index *ix, struct tare_err *err)
{
    (void)err;
    if (ix->n_points)
        qsort(ix->points, (size_t)ix->n_points, sizeof *ix->points, by_series);
    return TARE_OK;
}

enum tare_status history_index_add_file(struct history_index *ix, const struct indexed_file *f, struct tare_err *err)
{
    struct indexed_file *grown = array_grown(ix->files, ix->n_files, &ix->room_files, sizeof *grown);
    if (!grown)
        return no_memory(err);
    ix->files = grown;
    struct indexed_file *kept = &grown[ix->n_files];
    *kept = *f;
    kept->name = arena_strdup(&ix->arena, f->name);
    kept->head = arena_strdup(&ix->arena, f->head);
    kept->problem = arena_strdup(&ix->arena, f->problem);
    if (!kept->name || !kept->head || !kept->problem)
        return no_memory(err);
    ix->n_files++;
    return TARE_OK;
}

enum tare_status history_index_remove(struct history_index *ix, const int64_t *files, int n, struct tare_err *err)
{
    (void)ix, (void)files, (void)n, (void)err; /* it begins empty, so nothing is known too much */
    return TARE_OK;
}

enum tare_status history_index_series(struct history_index *ix, const struct history_series *s, int64_t *key,
                                      struct tare_err *err)
{
    struct history_series *grown = array_grown(ix->series, ix->n_series, &ix->room_series, sizeof *grown);
    if (!grown)
        return no_memory(err);
    ix->series = grown;
    struct history_series *kept = &grown[ix->n_series];
    *kept = *s;
    kept->n = 0;
    const char **const texts[] = {&kept->id,           &kept->project,     &kept->benchmark,        &kept->arguments,
                                  &kept->class,        &kept->version,     &kept->anchor,           &kept->metric.id,
                                  &kept->metric.title, &kept->metric.unit, &kept->metric.definition};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (*texts[i] && !(*texts[i] = arena_strdup(&ix->arena, *texts[i])))
            return no_memory(err);
    *key = ix->n_series++;
    return TARE_OK;
}

enum tare_status history_index_add_points(struct history_index *ix, const struct indexed_point *points, int n,
                                          struct tare_err *err)
{
    for (int i = 0; i < n; i++) {
        struct indexed_point *grown = array_grown(ix->points, ix->n_points, &ix->room_points, sizeof *grown);
        if (!grown)
            return no_memory(err);
        ix->points = grown;
        grown[ix->n_points++] = points[i];
        ix->series[points[i].series].n++;
    }
    return TARE_OK;
}

/* ---- visits ---- */

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
        status = visit->series(visit->context, &ix->series[i], i);
    return status;
}

static int first_of(const struct history_index *ix, int64_t series)
{
    int low = 0, high = ix->n_points;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (ix->points[middle].series < series)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum tare_status history_index_points(struct history_index *ix, int64_t series, const struct index_visit *visit,
                                      struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    (void)err;
    for (int i = first_of(ix, series); !status && i < ix->n_points && ix->points[i].series == series; i++)
        status = visit->point(visit->context, &ix->points[i]);
    return status;
}
