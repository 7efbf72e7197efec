/* SPDX-License-Identifier: MIT */
#include "trace_file.h"
#include "crc.h"
#include "plat.h"
#include "trace_parts.h"
#include <stdlib.h>
#include <string.h>

static void close_text(char *text, size_t size)
{
    text[size - 1] = 0;
}

static double sane(double x, double low, double high)
{
    return x >= low && x <= high ? x : 0;
}

/* Numbers out of their ranges become what "not known" is. */
static void tame_head(struct trace_head *h)
{
    close_text(h->program, sizeof h->program);
    close_text(h->arguments, sizeof h->arguments);
    close_text(h->reason, sizeof h->reason);
    h->clock = h->clock >= TRACE_CLOCK_TSC && h->clock <= TRACE_CLOCK_RAW ? h->clock : 0;
    h->order = h->order >= TRACE_ORDERED && h->order <= TRACE_PRECISE ? h->order : TRACE_ORDERED;
    h->full = h->full >= TRACE_FULL_AGGREGATE && h->full <= TRACE_FULL_STOP ? h->full : TRACE_FULL_AGGREGATE;
    h->repeat = h->repeat >= 1 && h->repeat <= 16 ? h->repeat : 1;
    h->end = h->end <= TRACE_EXECED ? h->end : TRACE_RUNNING;
    h->hz = sane(h->hz, 1e3, 1e12);
    h->error_ppm = sane(h->error_ppm, 0, 1e6);
    for (int i = 0; i < TRACE_GROUPS; i++)
        h->modes[i] = h->modes[i] < TRACE_MODES ? h->modes[i] : TRACE_TRACE;
}

static enum tare_status read_head(struct trace_file *f, struct tare_err *err)
{
    size_t n = f->size < (int64_t)sizeof f->head ? (size_t)f->size : sizeof f->head;
    if (!n)
        return err_set(err, TARE_TRUNCATED, "%s: is empty: the process found no space for a trace (is the disk full?)", f->name);
    enum tare_status status = trace_file_read(f, 0, &f->head, n, err);
    if (status)
        return status;
    struct trace_head *h = &f->head;
    const size_t from = offsetof(struct trace_head, session), to = offsetof(struct trace_head, counted);
    if (n < sizeof h->magic || memcmp(h->magic, TRACE_MAGIC, sizeof h->magic) != 0)
        return err_set(err, TARE_FORMAT, "%s: no trace of control points (it begins otherwise)", f->name);
    if (n < offsetof(struct trace_head, session))
        return err_set(err, TARE_TRUNCATED, "%s: ends within its head", f->name);
    if (h->version > TRACE_VERSION)
        return err_set(err, TARE_VERSION, "%s: written by a newer libtare (format %u, this tare reads %d): use its tare", f->name,
                       h->version, (int)TRACE_VERSION);
    if (h->version < 1 || h->unit_bytes != TRACE_UNIT || h->head_bytes < to || h->head_bytes > TRACE_TABLE_AT)
        return err_set(err, TARE_FORMAT, "%s: the head of this trace is damaged", f->name);
    if (n < sizeof *h)
        return err_set(err, TARE_TRUNCATED, "%s: ends within its head", f->name);
    f->loss.truncated_head = crc_of((const char *)h + from, to - from) != h->crc;
    if (h->head_bytes < sizeof *h) /* of an older writer: what it lacks is zero */
        memset((char *)h + h->head_bytes, 0, sizeof *h - h->head_bytes);
    tame_head(h);
    f->loss.words = h->lost;
    f->loss.unfiled = h->unfiled;
    f->loss.full = h->full_at != 0;
    f->loss.running = h->end == TRACE_RUNNING;
    return TARE_OK;
}

static enum tare_status opened(struct trace_file *f, struct trace_file **out, struct tare_err *err)
{
    enum tare_status status = read_head(f, err);
    if (!status)
        status = trace_find_segments(f, err);
    if (status)
        trace_file_close(f);
    else
        *out = f;
    return status;
}

static struct trace_file *make_file(const char *name)
{
    struct trace_file *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->fd = -1;
    f->name = arena_strdup(&f->arena, name);
    if (f->name)
        return f;
    free(f);
    return NULL;
}

enum tare_status trace_file_open(struct trace_file **out, const char *path, struct tare_err *err)
{
    *out = NULL;
    struct trace_file *f = make_file(path);
    if (!f)
        return err_set(err, TARE_NO_MEMORY, "no memory to open %s", path);
    f->fd = plat_open_input(path, err);
    if (f->fd < 0) {
        trace_file_close(f);
        return TARE_IO;
    }
    f->size = plat_input_bytes(f->fd);
    return opened(f, out, err);
}

enum tare_status trace_file_open_bytes(struct trace_file **out, const char *name, const void *bytes, size_t n,
                                       struct tare_err *err)
{
    *out = NULL;
    struct trace_file *f = make_file(name);
    if (!f)
        return err_set(err, TARE_NO_MEMORY, "no memory to open %s", name);
    f->bytes = bytes;
    f->size = (int64_t)n;
    return opened(f, out, err);
}

void trace_file_close(struct trace_file *f)
{
    if (!f)
        return;
    plat_close(f->fd);
    free(f->points);
    free(f->stretches);
    free(f->threads);
    free(f->tables);
    arena_finish(&f->arena);
    free(f);
}

const char *trace_file_name(const struct trace_file *f)
{
    return f->name;
}

const struct trace_head *trace_file_head(const struct trace_file *f)
{
    return &f->head;
}

const struct trace_loss *trace_file_loss(const struct trace_file *f)
{
    return &f->loss;
}

int trace_file_points(const struct trace_file *f, const struct trace_place **out)
{
    *out = f->points;
    return f->n_points;
}

int trace_point_index(const struct trace_file *f, uint32_t id)
{
    int low = 0, high = f->n_points;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (f->points[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->n_points && f->points[low].id == id ? low : -1;
}

const struct trace_place *trace_file_point(const struct trace_file *f, uint32_t id)
{
    int i = trace_point_index(f, id);
    return i < 0 ? NULL : &f->points[i];
}

int trace_file_threads(const struct trace_file *f, const struct trace_thread **out)
{
    *out = f->threads;
    return f->n_threads;
}

int trace_file_stretches(const struct trace_file *f, const struct trace_stretch **out)
{
    *out = f->stretches;
    return f->n_stretches;
}

/* In steps that double: setting 65 536 ids one by one is most of the time of a small file. */
void trace_fill(void *items, size_t bytes, size_t n)
{
    for (size_t done = 1; done < n; done *= 2)
        memcpy((char *)items + done * bytes, items, (done < n - done ? done : n - done) * bytes);
}

void trace_word_classes(const struct trace_file *f, uint32_t of[WORD_IDS])
{
    enum { CONTROLS = TRACE_ID_LAST + 1 };
    of[0] = (uint32_t)WORD_NONE << WORD_CLASS_SHIFT;
    of[TRACE_ID_FIRST] = (uint32_t)WORD_UNKNOWN << WORD_CLASS_SHIFT;
    of[CONTROLS] = (uint32_t)WORD_CONTROL << WORD_CLASS_SHIFT;
    trace_fill(of + TRACE_ID_FIRST, sizeof *of, CONTROLS - TRACE_ID_FIRST);
    trace_fill(of + CONTROLS, sizeof *of, WORD_IDS - CONTROLS);
    for (int i = 0; i < f->n_points && f->points[i].id <= TRACE_ID_LAST; i++) {
        const struct trace_place *p = &f->points[i];
        enum word_class class = p->kind == TRACE_COUNTER ? WORD_COUNTER : p->value ? WORD_VALUE : WORD_POINT;
        of[p->id] = (uint32_t) class << WORD_CLASS_SHIFT | (uint32_t)(i + 1);
    }
}

/* The cell at the cursor, which counts cells over all tables of the kind; false: there is none. */
static bool next_cell(const struct trace_file *f, enum trace_kind kind, size_t cell_bytes, int64_t *cursor, uint32_t *thread,
                      void *out)
{
    int64_t skip = *cursor;
    for (int i = 0; i < f->n_tables; i++) {
        const struct trace_table *t = &f->tables[i];
        int64_t cells = t->kind == kind ? t->bytes / (int64_t)cell_bytes : 0;
        if (skip >= cells) {
            skip -= cells;
            continue;
        }
        *thread = t->thread;
        ++*cursor;
        return trace_file_read(f, t->at + skip * (int64_t)cell_bytes, out, cell_bytes, NULL) == TARE_OK;
    }
    return false;
}

bool trace_file_next_arc(const struct trace_file *f, int64_t *cursor, uint32_t *thread, struct trace_arc *out)
{
    while (next_cell(f, TRACE_ARCS, sizeof *out, cursor, thread, out))
        if (out->to)
            return true;
    return false;
}

bool trace_file_next_count(const struct trace_file *f, int64_t *cursor, uint32_t *thread, struct trace_count *out)
{
    while (next_cell(f, TRACE_COUNTS, sizeof *out, cursor, thread, out))
        if (out->to)
            return true;
    return false;
}
