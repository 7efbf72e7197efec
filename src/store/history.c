/* SPDX-License-Identifier: MIT */
#include "history.h"
#include "history_file.h"
#include "history_ingest.h"
#include "history_series.h"
#include "plat.h"
#include "same_text.h"
#include "server.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct stored_session {
    struct history_session s;
    int64_t file;
};

/* A series as its files have it, and the one that it counts as: another where an alias renames its benchmark. */
struct stored_series {
    struct history_series s;
    int64_t key;
    const char *benchmark; /* as the files have it */
};

struct merged_series {
    struct history_series s;
    int first, n; /* among `stored` */
    struct history_point *points;
    int n_points, room_points;
    bool loaded;
    bool fetched; /* from the database, as they came */
};

struct place_of_file {
    int64_t file;
    int session;
};

struct history {
    struct arena arena;
    const char *folder;
    struct history_index *index; /* of a folder; NULL: there is a database */
    struct server *server;
    struct stored_session *sessions;
    struct place_of_file *places; /* by file */
    struct stored_series *stored; /* those of one merged series beside each other */
    struct merged_series *merged;
    struct history_event *events;
    struct history_problem *problems;
    int n_sessions, n_stored, n_merged, n_events, n_problems;
    int room_sessions, room_stored, room_events, room_problems;
    const int *expected; /* series; the caller's */
    int n_expected, at_expected;
    int64_t file; /* whose head is being read */
    const char *id;
    const char *path;       /* of the index; NULL: in memory */
    struct history *backup; /* what is read once the index turned out to be damaged */
};

static enum tare_status take_session(void *context, const struct history_session *s, struct tare_err *err)
{
    struct history *h = context;
    if (!array_room(&h->sessions, h->n_sessions, &h->room_sessions, sizeof *h->sessions))
        return err_no_memory(err);
    struct history_session kept = *s;
    kept.id = h->id;
    kept.words = arena_words(&h->arena, s->words);
    if (!HISTORY_KEEP(&h->arena, &kept.id, &kept.project, &kept.revision, &kept.tool, &kept.class, &kept.machine, &kept.folder,
                      &kept.build, &kept.anchor, &kept.note) ||
        (s->words && !kept.words))
        return err_no_memory(err);
    h->sessions[h->n_sessions++] = (struct stored_session){kept, h->file};
    return TARE_OK;
}

static enum tare_status take_event(void *context, const struct history_event *e, struct tare_err *err)
{
    struct history *h = context;
    if (!array_room(&h->events, h->n_events, &h->room_events, sizeof *h->events))
        return err_no_memory(err);
    struct history_event kept = *e;
    kept.id = h->id;
    if (!HISTORY_KEEP(&h->arena, &kept.id, &kept.project, &kept.series, &kept.revision, &kept.before, &kept.reference, &kept.last,
                      &kept.patch, &kept.who, &kept.note, &kept.from, &kept.to, &kept.verdict))
        return err_no_memory(err);
    h->events[h->n_events++] = kept;
    return TARE_OK;
}

static enum tare_status add_problem(struct history *h, const char *name, const char *text)
{
    if (!array_room(&h->problems, h->n_problems, &h->room_problems, sizeof *h->problems))
        return TARE_NO_MEMORY;
    h->problems[h->n_problems] =
        (struct history_problem){arena_format(&h->arena, "%s/%s", h->folder, name), arena_strdup(&h->arena, text)};
    return h->problems[h->n_problems].path && h->problems[h->n_problems++].text ? TARE_OK : TARE_NO_MEMORY;
}

static enum tare_status take_file(void *context, const struct indexed_file *f)
{
    struct history *h = context;
    const struct history_visit visit = {.session = take_session, .event = take_event, .context = h};
    char id[HISTORY_ID_BYTES] = "";
    struct buf b = buf_over(id, sizeof id);
    struct buf notes = BUF_INIT(1 << 12); /* what there is to note was noted when the file was read */
    struct tare_err err = {""};
    buf_add(&b, f->name, strcspn(f->name, "."));
    h->file = f->key;
    h->id = id;
    enum tare_status status = *f->head ? history_text_read(f->head, strlen(f->head), &visit, &notes, &err) : TARE_OK;
    buf_finish(&notes);
    if (!status && *f->problem)
        status = add_problem(h, f->name, f->problem);
    return status;
}

static int by_time(const void *a, const void *b)
{
    const struct history_session *x = &((const struct stored_session *)a)->s, *y = &((const struct stored_session *)b)->s;
    if (x->measured_utc_ns != y->measured_utc_ns)
        return x->measured_utc_ns < y->measured_utc_ns ? -1 : 1;
    return strcmp(x->id, y->id);
}

static int events_by_time(const void *a, const void *b)
{
    const struct history_event *x = a, *y = b;
    if (x->at_utc_ns != y->at_utc_ns)
        return x->at_utc_ns < y->at_utc_ns ? -1 : 1;
    return strcmp(x->id, y->id);
}

static int by_file(const void *a, const void *b)
{
    const struct place_of_file *x = a, *y = b;
    return (x->file > y->file) - (x->file < y->file);
}

static void sort(void *items, int n, size_t size, int (*compare)(const void *, const void *))
{
    if (n)
        qsort(items, (size_t)n, size, compare);
}

static enum tare_status load_files(struct history *h, struct tare_err *err)
{
    const struct index_visit visit = {.file = take_file, .context = h};
    enum tare_status status = h->server ? server_files(h->server, &visit, err) : history_index_files(h->index, &visit, err);
    sort(h->sessions, h->n_sessions, sizeof *h->sessions, by_time);
    sort(h->events, h->n_events, sizeof *h->events, events_by_time);
    sort(h->problems, h->n_problems, sizeof *h->problems, text_order);
    if (status)
        return status;
    h->places = malloc(((size_t)h->n_sessions + 1) * sizeof *h->places);
    if (!h->places)
        return err_no_memory(err);
    for (int i = 0; i < h->n_sessions; i++)
        h->places[i] = (struct place_of_file){h->sessions[i].file, i};
    sort(h->places, h->n_sessions, sizeof *h->places, by_file);
    return TARE_OK;
}

static enum tare_status take_series(void *context, const struct history_series *s, int64_t key)
{
    struct history *h = context;
    if (!array_room(&h->stored, h->n_stored, &h->room_stored, sizeof *h->stored))
        return TARE_NO_MEMORY;
    struct stored_series kept = {*s, key, NULL};
    if (!s->n)
        return TARE_OK;
    if (!history_series_keep(&kept.s, &h->arena))
        return TARE_NO_MEMORY;
    kept.benchmark = kept.s.benchmark;
    h->stored[h->n_stored++] = kept;
    return TARE_OK;
}

static const struct history_event *last_alias(const struct history *h, const struct history_series *s, const char *name)
{
    for (int i = h->n_events - 1; i >= 0; i--) {
        const struct history_event *e = &h->events[i];
        if (e->kind == HISTORY_ALIAS && !strcmp(e->from, name) && (!e->series || !strcmp(e->series, s->id)) &&
            (!e->project || !strcmp(e->project, s->project)))
            return e;
    }
    return NULL;
}

/* What the benchmark of this series is called now. Of names that lead back to each other, as after renaming it back, it is the one given last: a name
 * that is marked after 1, 2, 4, ... steps is met again once all of them were passed since (Brent). */
static const char *name_now(const struct history *h, const struct history_series *s)
{
    const char *name = s->benchmark, *mark = name;
    const struct history_event *e, *last = NULL;
    for (int steps = 0, most = 1; (e = last_alias(h, s, name)); steps++) {
        if (steps == most) {
            mark = name;
            last = NULL;
            steps = 0;
            most *= 2;
        }
        name = e->to;
        last = !last || e > last ? e : last;
        if (!strcmp(name, mark))
            return last->to;
    }
    return name;
}

static enum tare_status rename_series(struct history *h, struct history_series *s)
{
    const char *name = name_now(h, s), *old = s->id;
    char id[HISTORY_SERIES_ID];
    if (!strcmp(name, s->benchmark))
        return TARE_OK;
    s->benchmark = name;
    s->id = history_series_id(s, id) ? NULL : arena_strdup(&h->arena, id);
    for (int i = 0; s->id && i < h->n_events; i++) /* what was said of it before goes with it */
        if (h->events[i].kind != HISTORY_ALIAS && h->events[i].series && !strcmp(h->events[i].series, old))
            h->events[i].series = s->id;
    return s->id ? TARE_OK : TARE_NO_MEMORY;
}

static int by_name(const void *a, const void *b)
{
    const struct history_series *x = &((const struct stored_series *)a)->s, *y = &((const struct stored_series *)b)->s;
    const char *const pairs[][2] = {{x->benchmark, y->benchmark},
                                    {x->arguments, y->arguments},
                                    {x->metric.id, y->metric.id},
                                    {x->class, y->class},
                                    {x->project, y->project},
                                    {x->metric.unit, y->metric.unit},
                                    {x->id, y->id}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const int order = strcmp(pairs[i][0], pairs[i][1]);
        if (order)
            return order;
    }
    return 0;
}

static enum tare_status load_series(struct history *h, struct tare_err *err)
{
    const struct index_visit visit = {.file = take_file, .series = take_series, .context = h};
    enum tare_status status =
        h->server ? server_each_series(h->server, &visit, err) : history_index_each_series(h->index, &visit, err);
    if (status)
        return status;
    h->merged = calloc((size_t)h->n_stored + 1, sizeof *h->merged);
    if (!h->merged)
        return err_no_memory(err);
    for (int i = 0; i < h->n_stored; i++)
        if (rename_series(h, &h->stored[i].s))
            return err_no_memory(err);
    sort(h->stored, h->n_stored, sizeof *h->stored, by_name);
    for (int i = 0; i < h->n_stored; i++) {
        const struct history_series *s = &h->stored[i].s;
        struct merged_series *last = &h->merged[h->n_merged ? h->n_merged - 1 : 0];
        if (!h->n_merged || strcmp(last->s.id, s->id) != 0) {
            last = &h->merged[h->n_merged++];
            *last = (struct merged_series){.s = *s, .first = i};
            last->s.n = 0;
        }
        last->n++;
        last->s.n += s->n;
    }
    return TARE_OK;
}

static enum tare_status fill(struct history *h, const char *index, bool anew, struct tare_err *err)
{
    const bool is_url = history_is_url(h->folder);
    enum tare_status status =
        is_url ? server_open(&h->server, h->folder, SERVER_READ, err) : history_index_open(&h->index, index, anew, err);
    if (!status && !is_url && plat_is_directory(h->folder))
        status = history_ingest(h->index, h->folder, err);
    if (!status)
        status = load_files(h, err);
    return status ? status : load_series(h, err);
}

static enum tare_status open_with(struct history **out, const char *folder, const char *index, bool anew, struct tare_err *err)
{
    struct history *h = calloc(1, sizeof *h);
    if (!h || !(h->folder = arena_strdup(&h->arena, folder)) || (index && !(h->path = arena_strdup(&h->arena, index)))) {
        history_close(h);
        return err_no_memory(err);
    }
    enum tare_status status = fill(h, h->path, anew, err);
    if (status) {
        history_close(h);
        return status;
    }
    *out = h;
    return TARE_OK;
}

/* The files are the truth: whatever is wrong with the index, they are read. */
static enum tare_status open_anyhow(struct history **out, const char *folder, const char *index, bool anew, struct tare_err *err)
{
    enum tare_status status = open_with(out, folder, index, anew, err);
    if (status == TARE_FORMAT && !anew)
        status = open_with(out, folder, index, true, err);
    if (status && status != TARE_NO_MEMORY && index)
        status = open_with(out, folder, NULL, false, err);
    return status;
}

enum tare_status history_open(struct history **out, const char *folder, struct tare_err *err)
{
    struct buf index = BUF_INIT(1 << 16);
    if (history_is_url(folder))
        return open_with(out, folder, NULL, false, err);
    enum tare_status status = history_check_folder(folder, err);
    if (status)
        return status;
    const bool known = !plat_directory_path(folder, &index, NULL); /* SQLite takes no path with links in it */
    if (known)
        history_keep_out_of_commits(folder);
    buf_str(&index, "/index.sqlite");
    status = open_anyhow(out, folder, known ? buf_text(&index) : NULL, false, err);
    buf_finish(&index);
    if (status)
        err_prefix(err, folder);
    return status;
}

void history_close(struct history *h)
{
    if (!h)
        return;
    for (int i = 0; i < h->n_merged; i++)
        free(h->merged[i].points);
    history_close(h->backup);
    history_index_close(h->index);
    server_close(h->server);
    free(h->sessions);
    free(h->places);
    free(h->stored);
    free(h->merged);
    free(h->events);
    free(h->problems);
    arena_finish(&h->arena);
    free(h);
}

enum tare_status history_forked(struct history *h, struct tare_err *err)
{
    if (h->server)
        return server_open(&h->server, h->folder, SERVER_READ, err); /* the parent's is not touched */
    enum tare_status status = history_index_forked(&h->index, h->path, err);
    return status || !h->backup ? status : history_forked(h->backup, err);
}

int history_n_sessions(const struct history *h)
{
    return h->n_sessions;
}

const struct history_session *history_session_at(const struct history *h, int i)
{
    return &h->sessions[i].s;
}

int history_n_series(const struct history *h)
{
    return h->n_merged;
}

const struct history_series *history_series_at(const struct history *h, int i)
{
    return &h->merged[i].s;
}

int history_n_events(const struct history *h)
{
    return h->n_events;
}

const struct history_event *history_event_at(const struct history *h, int i)
{
    return &h->events[i];
}

int history_n_problems(const struct history *h)
{
    return h->n_problems;
}

const struct history_problem *history_problem_at(const struct history *h, int i)
{
    return &h->problems[i];
}

/* Files are numbered in the order in which they came, so that most stand where their number says. */
static const struct place_of_file *place_of(const struct history *h, int64_t file)
{
    const struct place_of_file wanted = {.file = file};
    const int64_t guess = h->n_sessions ? file - h->places[0].file : -1;
    if (guess >= 0 && guess < h->n_sessions && h->places[guess].file == file)
        return &h->places[guess];
    return bsearch(&wanted, h->places, (size_t)h->n_sessions, sizeof wanted, by_file);
}

static enum tare_status take_point(struct merged_series *m, struct history_point p, int session, const char *benchmark)
{
    if (!array_room(&m->points, m->n_points, &m->room_points, sizeof *m->points))
        return TARE_NO_MEMORY;
    p.session = session;
    p.benchmark = benchmark;
    m->points[m->n_points++] = p;
    return TARE_OK;
}

/* Sessions are by time. */
static int by_session(const void *a, const void *b)
{
    const struct history_point *x = a, *y = b;
    if (x->session != y->session)
        return x->session - y->session;
    return (x->place > y->place) - (x->place < y->place);
}

/* The index has them by time already, but for what an alias adds. */
static void sort_points(struct merged_series *m)
{
    for (int i = 1; i < m->n_points; i++)
        if (by_session(&m->points[i - 1], &m->points[i]) > 0) {
            qsort(m->points, (size_t)m->n_points, sizeof *m->points, by_session);
            return;
        }
}

static bool is_thinned(const struct history_session *s)
{
    return s->note && strstr(s->note, "thinned to");
}

static bool same_number(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

/* A session that was thinned may be there as it was too: the thinning was cut off, or a merge kept both. It counts once, as it was where that is there. */
static bool is_copy(const struct history *h, const struct history_point *p, const struct history_point *other)
{
    const struct history_session *s = &h->sessions[p->session].s, *t = &h->sessions[other->session].s;
    return p->session != other->session && s->measured_utc_ns == t->measured_utc_ns && (!is_thinned(t) || other < p) &&
           p->n == other->n && same_number(p->median, other->median) && same_number(p->low, other->low) &&
           same_number(p->high, other->high) && same_number(p->ratio, other->ratio);
}

static bool has_original(const struct history *h, const struct merged_series *m, int i)
{
    const struct history_point *const p = &m->points[i];
    const int64_t at = h->sessions[p->session].s.measured_utc_ns;
    bool found = false;
    if (!is_thinned(&h->sessions[p->session].s))
        return false;
    for (int k = i - 1; !found && k >= 0 && h->sessions[m->points[k].session].s.measured_utc_ns == at; k--)
        found = is_copy(h, p, &m->points[k]);
    for (int k = i + 1; !found && k < m->n_points && h->sessions[m->points[k].session].s.measured_utc_ns == at; k++)
        found = is_copy(h, p, &m->points[k]);
    return found;
}

static void drop_copies(const struct history *h, struct merged_series *m)
{
    int kept = 0;
    for (int i = 0; i < m->n_points; i++)
        if (has_original(h, m, i))
            m->points[i].benchmark = NULL; /* for the next loop: they are looked at by those that follow */
    for (int i = 0; i < m->n_points; i++)
        if (m->points[i].benchmark)
            m->points[kept++] = m->points[i];
    m->n_points = kept;
}

static enum tare_status take_indexed(const struct history *h, struct merged_series *m, const struct indexed_point *p,
                                     const char *benchmark)
{
    const struct history_point point = {.median = p->median,
                                        .low = p->low,
                                        .high = p->high,
                                        .ratio = p->ratio,
                                        .ratio_low = p->ratio_low,
                                        .ratio_high = p->ratio_high,
                                        .n = p->n,
                                        .place = p->place};
    const struct place_of_file *place = place_of(h, p->file);
    return place ? take_point(m, point, place->session, benchmark) : TARE_OK; /* else another process has added it meanwhile */
}

static enum tare_status points_from_index(struct history *h, struct merged_series *m, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int i = m->first; !status && i < m->first + m->n; i++) {
        const struct indexed_point *items = NULL;
        int n = 0;
        status = history_index_points(h->index, h->stored[i].key, &items, &n, err);
        for (const struct indexed_point *p = items; !status && p < items + n; p++)
            status = take_indexed(h, m, p, h->stored[i].benchmark);
    }
    return status;
}

/* What the database is asked for. */
struct asked {
    struct merged_series *to;
    const struct stored_series *of;
};

struct question {
    struct asked *items;
    int n, room;
};

static enum tare_status ask_for(struct history *h, struct question *q, int series)
{
    struct merged_series *m = &h->merged[series];
    for (int i = m->first; i < m->first + m->n && !m->loaded && !m->fetched; i++) {
        if (!array_room(&q->items, q->n, &q->room, sizeof *q->items))
            return TARE_NO_MEMORY;
        q->items[q->n++] = (struct asked){m, &h->stored[i]};
    }
    return TARE_OK;
}

static enum tare_status ask_part(const struct history *h, const struct asked *asked, int n_asked, struct tare_err *err)
{
    int64_t keys[SERVER_SERIES_MOST];
    const struct indexed_point *items = NULL;
    int n = 0;
    for (int i = 0; i < n_asked; i++)
        keys[i] = asked[i].of->key;
    enum tare_status status = server_points(h->server, keys, n_asked, &items, &n, err);
    for (const struct indexed_point *p = items; !status && p < items + n; p++)
        status = take_indexed(h, asked[p->series].to, p, asked[p->series].of->benchmark);
    return status;
}

/* With those that are expected behind it. */
static enum tare_status points_from_server(struct history *h, int series, struct tare_err *err)
{
    enum { TOGETHER = SERVER_SERIES_MOST / 2 };
    struct question q = {0};
    enum tare_status status = ask_for(h, &q, series);
    int at = h->at_expected;
    while (at < h->n_expected && h->expected[at] != series)
        at++;
    for (; !status && at + 1 < h->n_expected && q.n < TOGETHER; at++)
        status = ask_for(h, &q, h->expected[at + 1]);
    if (at < h->n_expected)
        h->at_expected = at;
    for (int i = 0; !status && i < q.n; i += SERVER_SERIES_MOST)
        status = ask_part(h, q.items + i, q.n - i < SERVER_SERIES_MOST ? q.n - i : SERVER_SERIES_MOST, err);
    for (int i = 0; i < q.n; i++)
        if (status)
            history_forget_points(h, (int)(q.items[i].to - h->merged));
        else
            q.items[i].to->fetched = true;
    free(q.items);
    return status;
}

void history_expect(struct history *h, const int *series, int n)
{
    h->expected = series;
    h->n_expected = n;
    h->at_expected = 0;
}

static int series_of_id(const struct history *h, const char *id)
{
    for (int i = 0; i < h->n_merged; i++)
        if (!strcmp(h->merged[i].s.id, id))
            return i;
    return -1;
}

/* Those of a history that was opened anew from the files. What came since this one was opened is left out. */
static enum tare_status points_anew(struct history *h, struct merged_series *m, struct tare_err *err)
{
    enum tare_status status = h->backup ? TARE_OK : open_anyhow(&h->backup, h->folder, h->path, true, err);
    const int series = status ? -1 : series_of_id(h->backup, m->s.id);
    struct history_points p = {0};
    m->n_points = 0;
    if (series >= 0)
        status = history_points(h->backup, series, &p, err);
    for (int i = 0; !status && i < p.n; i++) {
        const struct stored_session *s =
            bsearch(&h->backup->sessions[p.items[i].session], h->sessions, (size_t)h->n_sessions, sizeof *s, by_time);
        if (s)
            status = take_point(m, p.items[i], (int)(s - h->sessions), p.items[i].benchmark);
    }
    return status;
}

enum tare_status history_points(struct history *h, int series, struct history_points *out, struct tare_err *err)
{
    struct merged_series *m = &h->merged[series];
    enum tare_status status = TARE_OK;
    if (!m->loaded) {
        if (h->server)
            status = m->fetched ? TARE_OK : points_from_server(h, series, err);
        else
            status = h->backup ? TARE_FORMAT : points_from_index(h, m, err);
        if (status && status != TARE_NO_MEMORY && !h->server)
            status = points_anew(h, m, err);
        if (status) {
            history_forget_points(h, series);
            return status;
        }
        sort_points(m);
        drop_copies(h, m);
        m->loaded = true;
    }
    *out = (struct history_points){m->points, m->n_points};
    return TARE_OK;
}

void history_forget_points(struct history *h, int series)
{
    struct merged_series *m = &h->merged[series];
    free(m->points);
    m->points = NULL;
    m->n_points = m->room_points = 0;
    m->loaded = m->fetched = false;
}

/* The line that begins at `place`, without its end. */
static enum tare_status read_line(int fd, int64_t place, struct buf *line, struct tare_err *err)
{
    enum { PIECE = 4096 };
    char piece[PIECE];
    const int64_t size = plat_input_bytes(fd);
    enum tare_status status = place < size ? TARE_OK : err_set(err, TARE_FORMAT, "it is shorter than it was");
    for (bool ended = false; !status && !ended && place < size;) {
        const size_t n = size - place < PIECE ? (size_t)(size - place) : PIECE;
        status = plat_input_part(fd, place, piece, n, err);
        const char *end = status ? NULL : memchr(piece, '\n', n);
        buf_add(line, piece, status ? 0 : end ? (size_t)(end - piece) : n);
        ended = end != NULL;
        place += (int64_t)n;
        if (!status && line->status)
            status = err_set(err, line->status, "a line is too long");
    }
    return status;
}

enum tare_status history_values(struct history *h, const struct history_point *p, double **values, int *n, double *step,
                                struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16), line = BUF_INIT(HISTORY_LINE_MAX);
    *values = NULL;
    *n = 0;
    *step = 0;
    if (h->server) {
        const struct stored_session *s = &h->sessions[p->session];
        return server_values(h->server, s->file, s->s.measured_utc_ns, p->place, values, n, step, err);
    }
    buf_format(&path, "%s/%s%s", h->folder, h->sessions[p->session].s.id, HISTORY_SUFFIX);
    int fd = plat_open_input(buf_text(&path), err);
    enum tare_status status = fd < 0 ? TARE_IO : read_line(fd, p->place, &line, err);
    plat_close(fd);
    if (!status)
        status = history_line_values(buf_text(&line), line.len, values, n, step, err);
    if (status && fd >= 0)
        err_prefix(err, buf_text(&path));
    buf_finish(&line);
    buf_finish(&path);
    return status;
}
