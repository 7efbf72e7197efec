/* SPDX-License-Identifier: MIT
 *
 * What stands behind the head of a trace: one unit after the other is looked at. A segment whose header is whole takes its units; what
 * is neither that nor empty is torn, and the next unit is tried.
 */
#include "crc.h"
#include "fnv.h"
#include "plat.h"
#include "trace_parts.h"
#include <stdlib.h>
#include <string.h>

enum tare_status trace_file_read(const struct trace_file *f, int64_t at, void *bytes, size_t n, struct tare_err *err)
{
    if (at < 0 || at > f->size || (uint64_t)(f->size - at) < n)
        return err_set(err, TARE_TRUNCATED, "%s: ends too early", f->name);
    if (f->bytes) {
        memcpy(bytes, f->bytes + at, n);
        return TARE_OK;
    }
    enum tare_status status = plat_input_part(f->fd, at, bytes, n, err);
    if (status)
        err_prefix(err, f->name);
    return status;
}

static enum tare_status no_memory(const struct trace_file *f, struct tare_err *err)
{
    return err_set(err, TARE_NO_MEMORY, "%s: no memory for its segments", f->name);
}

struct region { /* of descriptors, in memory */
    const uint8_t *bytes;
    size_t n;
};

/* The text at *at, which moves behind its zero; NULL: it has none before the end. */
static const char *text_at(const uint8_t *bytes, size_t n, size_t *at)
{
    const uint8_t *text = bytes + *at, *end = *at < n ? memchr(text, 0, n - *at) : NULL;
    if (!end)
        return NULL;
    *at += (size_t)(end - text) + 1;
    return (const char *)text;
}

static enum tare_status add_point(struct trace_file *f, const struct trace_point *p, const struct trace_origin *o,
                                  const char *const texts[3])
{
    if (!array_room(&f->points, f->n_points, &f->room_points, sizeof *f->points))
        return TARE_NO_MEMORY;
    struct trace_place own = {.id = p->id,
                              .line = p->line < INT32_MAX ? p->line : 0,
                              .partner = p->partner,
                              .kind = p->kind >= TRACE_POINT && p->kind <= TRACE_COUNTER ? p->kind : TRACE_POINT,
                              .value = p->value,
                              .group = p->group < TRACE_GROUPS ? p->group : 0,
                              .fast = p->fast != 0,
                              .unit = (uint64_t)o->unit_high << 32 | o->unit_low,
                              .count = o->count,
                              .namesake = o->namesake,
                              .file = arena_strdup(&f->arena, texts[0]),
                              .func = arena_strdup(&f->arena, texts[1]),
                              .name = arena_strdup(&f->arena, texts[2])};
    if (!own.file || !own.func || !own.name)
        return TARE_NO_MEMORY;
    f->points[f->n_points++] = own;
    return TARE_OK;
}

/* Bytes of the descriptor at `at`, 0: there is none that is whole. */
static size_t descriptor(const struct region *r, size_t at, struct trace_point *p, struct trace_origin *o, const char *texts[3])
{
    const size_t covered = offsetof(struct trace_point, length);
    if (r->n - at < sizeof *p)
        return 0;
    memcpy(p, r->bytes + at, sizeof *p);
    if (p->magic != TRACE_POINT_MAGIC || p->length < sizeof *p - covered || p->length > r->n - at - covered ||
        crc_of(r->bytes + at + covered, p->length) != p->crc || p->id < TRACE_ID_FIRST || p->id > TRACE_POINTS_MAX)
        return 0;
    size_t text = sizeof *p, n = covered + p->length;
    for (int i = 0; i < 3; i++)
        if (!(texts[i] = text_at(r->bytes + at, n, &text)))
            return 0;
    *o = (struct trace_origin){0};
    if (n - text >= offsetof(struct trace_origin, namesake)) /* what older writers have */
        memcpy(o, r->bytes + at + text, n - text < sizeof *o ? n - text : sizeof *o);
    return n;
}

static bool empty(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i])
            return false;
    return true;
}

static enum tare_status take_points(struct trace_file *f, const struct region *r)
{
    bool truncated = false; /* what lies behind the begin of a truncated one is not counted once more */
    for (size_t at = 0; at + TRACE_CELL <= r->n;) {
        struct trace_point p;
        struct trace_origin o;
        const char *texts[3];
        size_t n = descriptor(r, at, &p, &o, texts);
        if (n && add_point(f, &p, &o, texts))
            return TARE_NO_MEMORY;
        bool something = !n && !empty(r->bytes + at, TRACE_CELL);
        f->loss.truncated_points += something && !truncated;
        truncated = something;
        at += n ? (n + TRACE_CELL - 1) / TRACE_CELL * TRACE_CELL : TRACE_CELL;
    }
    return TARE_OK;
}

static enum tare_status read_points(struct trace_file *f, int64_t at, int64_t bytes, struct tare_err *err)
{
    uint8_t *room = malloc((size_t)bytes + 1);
    if (!room)
        return no_memory(f, err);
    enum tare_status status = trace_file_read(f, at, room, (size_t)bytes, err);
    if (!status && take_points(f, &(struct region){room, (size_t)bytes}))
        status = no_memory(f, err);
    free(room);
    return status;
}

static int by_id(const void *a, const void *b)
{
    const struct trace_place *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int by_line(const struct trace_place *a, const struct trace_place *b)
{
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    const int order = strcmp(a->file, b->file);
    return order ? order : strcmp(a->func, b->func);
}

static int by_number(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_count(const void *x, const void *y)
{
    const struct trace_place *a = *(struct trace_place *const *)x, *b = *(struct trace_place *const *)y;
    const int unit = by_number(a->unit, b->unit), order = unit ? unit : by_line(a, b);
    return order ? order : by_number(a->count, b->count);
}

static int by_namesake(const void *x, const void *y)
{
    const struct trace_place *a = *(struct trace_place *const *)x, *b = *(struct trace_place *const *)y;
    const int order = by_line(a, b), unit = order ? order : by_number(a->namesake, b->namesake);
    return unit ? unit : by_number(a->ordinal, b->ordinal);
}

static uint64_t place_hash(const struct trace_place *p)
{
    const uint32_t numbers[] = {p->line, p->kind, p->count};
    const uint64_t hash = fnv1a64(FNV1A64_EMPTY, numbers, sizeof numbers);
    return fnv1a64(fnv1a64(hash, p->func, strlen(p->func) + 1), p->name, strlen(p->name) + 1);
}

/* Of points in the order of their units. */
static void number_sources(struct trace_place **all, int n)
{
    for (int i = 0, k; i < n; i = k) {
        uint64_t hash = 1;
        for (k = i; k < n && all[k]->unit == all[i]->unit; k++)
            hash += place_hash(all[k]);
        for (int j = i; j < k; j++)
            all[j]->source = all[j]->namesake ? hash : 0;
    }
}

/* On a line of several source files of one name those of the first, then those of the next. */
static void number_namesakes(struct trace_place **all, int n)
{
    uint32_t before = 0, next = 0;
    qsort(all, (size_t)n, sizeof *all, by_namesake);
    for (int i = 0; i < n; i++) {
        const bool same_line = i > 0 && !by_line(all[i - 1], all[i]);
        before = !same_line ? 0 : all[i - 1]->namesake != all[i]->namesake ? next : before;
        all[i]->ordinal += before;
        next = all[i]->ordinal + 1;
    }
}

/* Within a unit, for counts of another one are others; within a function, for of two on one line a compiler may leave out one that is not called. */
static enum tare_status number_points(struct trace_file *f, struct tare_err *err)
{
    struct trace_place **all = malloc(((size_t)f->n_points + 1) * sizeof *all);
    if (!all)
        return no_memory(f, err);
    for (int i = 0; i < f->n_points; i++)
        all[i] = &f->points[i];
    qsort(all, (size_t)f->n_points, sizeof *all, by_count);
    for (int i = 1; i < f->n_points; i++)
        if (all[i - 1]->unit == all[i]->unit && !by_line(all[i - 1], all[i]))
            all[i]->ordinal = all[i - 1]->ordinal + (all[i]->count != all[i - 1]->count);
    number_sources(all, f->n_points);
    number_namesakes(all, f->n_points);
    free(all);
    return TARE_OK;
}

/* Where the last word that is not zero ends, from the segment's body on; not before `least`. */
static enum tare_status find_end(const struct trace_file *f, int64_t at, int64_t least, int64_t *bytes, struct tare_err *err)
{
    enum { WORDS = 512 };
    uint64_t words[WORDS];
    while (*bytes > least) {
        int64_t left = *bytes - least, n = left < (int64_t)sizeof words ? left : (int64_t)sizeof words, i = n / 8;
        enum tare_status status = trace_file_read(f, at + *bytes - n, words, (size_t)n, err);
        if (status)
            return status;
        while (i > 0 && !words[i - 1])
            i--;
        *bytes -= n - 8 * i;
        if (i)
            return TARE_OK;
    }
    return TARE_OK;
}

/* Of so many bytes that were used the words at the end that nothing was stored in: what did not fit, and what was reserved in vain behind that. */
static int64_t idle_words(int64_t used, int64_t room)
{
    const int64_t regular = room - TRACE_SLACK;
    return used > regular ? (used - regular) / 8 + TRACE_WORDS_MAX : 0;
}

static enum tare_status add_stretch(struct trace_file *f, const struct trace_segment *s, int64_t at, int64_t room,
                                    struct tare_err *err)
{
    if (!array_room(&f->stretches, f->n_stretches, &f->room_stretches, sizeof *f->stretches))
        return no_memory(f, err);
    const int64_t used = s->used < (uint64_t)room ? (int64_t)s->used / 8 * 8 : room / 8 * 8;
    struct trace_stretch own = {.at = at,
                                .open = !s->used,
                                .bytes = room / 8 * 8,
                                .idle = idle_words(used, room),
                                .sequence = s->sequence,
                                .thread = (int)(s->thread & INT32_MAX),
                                .last_point = s->last_point,
                                .last_tick = s->last_tick,
                                .lane = s->lane,
                                .moment = s->moment};
    enum tare_status status = find_end(f, own.at, used, &own.bytes, err);
    f->stretches[f->n_stretches++] = own;
    return status;
}

/* Kinds of a newer writer are passed over: what they hold, it did not have to be read for what is here. */
static enum tare_status take_segment(struct trace_file *f, const struct trace_segment *s, int64_t at, int64_t bytes,
                                     struct tare_err *err)
{
    at += (int64_t)sizeof *s;
    bytes -= (int64_t)sizeof *s;
    switch (s->kind) {
    case TRACE_EVENTS:
        return add_stretch(f, s, at, bytes, err);
    case TRACE_POINTS:
        return read_points(f, at, bytes, err);
    case TRACE_ARCS:
    case TRACE_COUNTS:
        if (!array_room(&f->tables, f->n_tables, &f->room_tables, sizeof *f->tables))
            return no_memory(f, err);
        f->tables[f->n_tables++] = (struct trace_table){s->kind, s->thread, at, bytes};
        /* Cells are taken one after the other: what is empty among those that were is a hole. */
        const int64_t cell = s->kind == TRACE_ARCS ? (int64_t)sizeof(struct trace_arc) : (int64_t)sizeof(struct trace_count);
        const int64_t used = s->used < (uint64_t)bytes ? (int64_t)s->used : bytes;
        enum tare_status status = TARE_OK;
        uint32_t ends[2] = {0, 1};
        for (int64_t i = 0; i + cell <= used && ends[1] && !status; i += cell)
            status = trace_file_read(f, at + i, ends, sizeof ends, err);
        f->loss.truncated_units += !ends[1];
        return status;
    default:
        return TARE_OK;
    }
}

static bool is_complete(const struct trace_segment *s)
{
    struct trace_segment copy = *s;
    copy.crc = 0;
    return s->magic == TRACE_SEGMENT_MAGIC && s->units >= 1 && s->units <= TRACE_SEGMENT_UNITS_MAX &&
           crc_of(&copy, offsetof(struct trace_segment, used)) == s->crc;
}

/* At the next unit, where something is in this one. A program can make a file of 10^12 bytes and write nothing into it: holes are stepped over, not read. */
static enum tare_status step_over(struct trace_file *f, int64_t *at, int64_t end, struct tare_err *err)
{
    const int64_t data = f->bytes ? *at : plat_input_data(f->fd, *at), next = data < end ? data : end, hole = next - *at;
    if (hole >= TRACE_UNIT) {
        f->loss.unused_units += (uint64_t)hole / TRACE_UNIT;
        *at += hole / TRACE_UNIT * TRACE_UNIT;
        return TARE_OK;
    }
    int64_t bytes = end - *at < TRACE_UNIT ? end - *at : TRACE_UNIT;
    enum tare_status status = find_end(f, *at, 0, &bytes, err);
    *(bytes ? &f->loss.truncated_units : &f->loss.unused_units) += 1;
    *at += TRACE_UNIT;
    return status;
}

static enum tare_status walk(struct trace_file *f, int64_t end, struct tare_err *err)
{
    uint64_t segments = 0;
    bool torn = false;
    for (int64_t at = TRACE_UNIT; at + (int64_t)sizeof(struct trace_segment) <= end;) {
        struct trace_segment s;
        enum tare_status status = trace_file_read(f, at, &s, sizeof s, err);
        if (status)
            return status;
        if (is_complete(&s)) {
            const int64_t bytes = (int64_t)s.units * TRACE_UNIT;
            status = take_segment(f, &s, at, bytes < end - at ? bytes : end - at, err);
            torn |= bytes > end - at;
            at += bytes;
            segments++;
        } else
            status = step_over(f, &at, end, err);
        if (status)
            return status;
    }
    f->loss.segments = f->head.segments > segments ? f->head.segments - segments : 0;
    /* Units that a process claimed, and ended before the file had them, hold nothing. */
    const bool all_there = f->head.segments && f->head.segments <= segments && f->size >= TRACE_UNIT;
    f->loss.cut = torn || (f->loss.cut && !all_there);
    return TARE_OK;
}

static int by_thread(const void *a, const void *b)
{
    const struct trace_stretch *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->sequence != y->sequence ? (x->sequence < y->sequence ? -1 : 1) : x->at < y->at ? -1 : x->at > y->at;
}

/* Of two with one number the first in the file stays. */
static void drop_doubles(struct trace_file *f)
{
    int n = 0;
    for (int i = 0; i < f->n_stretches; i++) {
        const struct trace_stretch *s = &f->stretches[i], *before = n ? &f->stretches[n - 1] : NULL;
        if (before && before->thread == s->thread && before->sequence == s->sequence)
            f->loss.truncated_units++;
        else
            f->stretches[n++] = *s;
    }
    f->n_stretches = n;
}

static int count_threads(const struct trace_file *f)
{
    int n = 0;
    for (int i = 0; i < f->n_stretches; i++)
        n += !i || f->stretches[i].thread != f->stretches[i - 1].thread;
    return n;
}

/* Stretches that others say must have been there. Sequences are not trusted: what they claim stays within reason. */
static uint64_t missing_before(const struct trace_stretch *s, const struct trace_stretch *before)
{
    uint64_t expected = before ? before->sequence + 1 : 0, gap = s->sequence - expected;
    return gap < INT32_MAX ? gap : 1;
}

static enum tare_status read_name(const struct trace_file *f, struct trace_thread *t, struct tare_err *err)
{
    struct trace_segment s;
    const struct trace_stretch *last = &f->stretches[t->first + t->n - 1];
    enum tare_status status = trace_file_read(f, last->at - (int64_t)sizeof s, &s, sizeof s, err);
    if (status)
        return status;
    t->tid = s.tid;
    memcpy(t->name, s.thread_name, sizeof s.thread_name);
    t->name[sizeof s.thread_name] = 0;
    return TARE_OK;
}

static enum tare_status find_threads(struct trace_file *f, struct tare_err *err)
{
    uint64_t missing = 0;
    if (f->n_stretches)
        qsort(f->stretches, (size_t)f->n_stretches, sizeof *f->stretches, by_thread);
    drop_doubles(f);
    f->threads = calloc((size_t)count_threads(f) + 1, sizeof *f->threads);
    if (!f->threads)
        return no_memory(f, err);
    for (int i = 0; i < f->n_stretches; i++) {
        struct trace_stretch *s = &f->stretches[i];
        const struct trace_stretch *before = i ? s - 1 : NULL;
        uint32_t number = (uint32_t)s->thread;
        bool begins = !f->n_threads || f->threads[f->n_threads - 1].number != number;
        if (begins)
            f->threads[f->n_threads++] = (struct trace_thread){.number = number, .first = i};
        f->threads[f->n_threads - 1].n++;
        missing += missing_before(s, begins ? NULL : before);
    }
    f->loss.segments = missing > f->loss.segments ? missing : f->loss.segments; /* some are seen both ways */
    enum tare_status status = TARE_OK;
    for (int i = 0; i < f->n_threads && !status; i++) {
        for (int k = 0; k < f->threads[i].n; k++)
            f->stretches[f->threads[i].first + k].thread = i;
        status = read_name(f, &f->threads[i], err);
    }
    return status;
}

/* Up to where there is anything: what was claimed. A head whose counters are lost claims nothing, and the whole file is looked at. */
static int64_t claimed_end(struct trace_file *f)
{
    uint64_t units = f->head.units, there = ((uint64_t)f->size + TRACE_UNIT - 1) / TRACE_UNIT;
    f->loss.cut = units > there || f->size < TRACE_UNIT;
    return !units || units > there ? f->size : (int64_t)units * TRACE_UNIT < f->size ? (int64_t)units * TRACE_UNIT : f->size;
}

enum tare_status trace_find_segments(struct trace_file *f, struct tare_err *err)
{
    int64_t end = claimed_end(f), table = f->size < TRACE_UNIT ? f->size : TRACE_UNIT;
    enum tare_status status = table > TRACE_TABLE_AT ? read_points(f, TRACE_TABLE_AT, table - TRACE_TABLE_AT, err) : TARE_OK;
    if (!status)
        status = walk(f, end, err);
    if (status)
        return status;
    /* Of two with one id the first that was found stays; which one that is does not matter, for no writer makes two. */
    int n = 0;
    if (f->n_points)
        qsort(f->points, (size_t)f->n_points, sizeof *f->points, by_id);
    for (int i = 0; i < f->n_points; i++)
        if (n && f->points[n - 1].id == f->points[i].id)
            f->loss.truncated_points++;
        else
            f->points[n++] = f->points[i];
    f->n_points = n;
    const uint64_t described = (uint64_t)f->n_points + f->loss.truncated_points;
    if (f->head.points > described && f->head.points <= TRACE_POINTS_MAX)
        f->loss.truncated_points = f->head.points - (uint64_t)f->n_points;
    status = number_points(f, err);
    return status ? status : find_threads(f, err);
}
