/* SPDX-License-Identifier: MIT */
#include "history_ingest.h"
#include "fnv.h"
#include "history_file.h"
#include "history_series.h"
#include "plat.h"
#include "same_text.h"
#include "sha2.h"
#include <stdlib.h>
#include <string.h>

enum { POINTS_AT_ONCE = 1 << 18, NAMES_MAX = 1 << 28 };

/* Series that were met, by their identity: open addressing. */

struct met {
    uint64_t hash;
    const char *identity; /* NULL: free */
    size_t n;
    int64_t key;
};

/* A file that is in the index. */
struct known {
    const char *name; /* first: text_order */
    int64_t key;
    int64_t bytes, modified_utc_ns;
    bool unchanged;
};

struct ingest {
    struct history_index *ix;
    const char *folder;
    struct buf text, path, notes, identity;
    struct met *met;
    int n_met, room_met; /* a power of two */
    struct arena identities;
    struct indexed_point *points;
    int n_points, room_points;
    /* of the file at hand */
    struct history_series of_session;
    int64_t file, measured_utc_ns;
    bool unread; /* it could not be, which may pass without a change of it */
    struct arena arena;
    /* of the folder */
    struct known *known; /* by name */
    int n_known, room_known;
    int64_t last_file; /* the largest key that was given away */
    struct arena names;
};

static struct met *met_place(struct met *met, int room, const struct met *like)
{
    const uint64_t mask = (uint64_t)room - 1;
    uint64_t at = like->hash;
    for (; met[at & mask].identity; at++) {
        const struct met *m = &met[at & mask];
        if (m->hash == like->hash && m->n == like->n && !memcmp(m->identity, like->identity, m->n))
            break;
    }
    return &met[at & mask];
}

static bool met_room(struct ingest *in)
{
    if (2 * in->n_met < in->room_met)
        return true;
    const int room = in->room_met ? 2 * in->room_met : 256;
    struct met *more = calloc((size_t)room, sizeof *more);
    if (!more)
        return false;
    for (int i = 0; i < in->room_met; i++)
        if (in->met[i].identity)
            *met_place(more, room, &in->met[i]) = in->met[i];
    free(in->met);
    in->met = more;
    in->room_met = room;
    return true;
}

/* Where the series at hand is among those that were met, or is to be; in->identity is its. NULL: no memory. */
static struct met *met_of(struct ingest *in, const struct history_series *s)
{
    buf_clear(&in->identity);
    history_series_identity(&in->identity, s);
    if (in->identity.status || !met_room(in))
        return NULL;
    const struct met like = {fnv1a64(FNV1A64_EMPTY, in->identity.data, in->identity.len), in->identity.data, in->identity.len, 0};
    struct met *m = met_place(in->met, in->room_met, &like);
    if (!m->identity)
        *m = (struct met){.hash = like.hash, .n = like.n};
    return m;
}

static enum tare_status meet(struct ingest *in, struct met *m, int64_t key, struct tare_err *err)
{
    m->key = key;
    m->identity = arena_copy(&in->identities, in->identity.data, in->identity.len);
    in->n_met += m->identity != NULL;
    return m->identity ? TARE_OK : err_no_memory(err);
}

/* One that the index has. */
static enum tare_status take_series(void *context, const struct history_series *s, int64_t key)
{
    struct ingest *in = context;
    struct met *m = met_of(in, s);
    return !m ? TARE_NO_MEMORY : m->identity ? TARE_OK : meet(in, m, key, NULL);
}

static enum tare_status series_key(struct ingest *in, struct history_series *s, int64_t *key, struct tare_err *err)
{
    char id[HISTORY_SERIES_ID];
    struct met *m = met_of(in, s);
    enum tare_status status = m ? TARE_OK : err_no_memory(err);
    if (!status && !m->identity) {
        sha256_digits(in->identity.data, in->identity.len, id, sizeof id);
        s->id = id;
        status = history_index_add_series(in->ix, s, key, err);
        if (!status)
            status = meet(in, m, *key, err);
    }
    if (!status)
        *key = m->key;
    return status;
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
    return (x->place > y->place) - (x->place < y->place);
}

static enum tare_status flush(struct ingest *in, struct tare_err *err)
{
    if (in->n_points)
        qsort(in->points, (size_t)in->n_points, sizeof *in->points, by_series);
    enum tare_status status = history_index_add_points(in->ix, in->points, in->n_points, err);
    in->n_points = 0;
    return status;
}

static enum tare_status take_session(void *context, const struct history_session *s, struct tare_err *err)
{
    struct ingest *in = context;
    in->measured_utc_ns = s->measured_utc_ns;
    in->of_session = (struct history_series){.project = s->project, .class = s->class, .anchor = s->anchor};
    return history_series_keep(&in->of_session, &in->arena) ? TARE_OK : err_no_memory(err);
}

static enum tare_status take_result(void *context, const struct history_result *r, struct tare_err *err)
{
    struct ingest *in = context;
    struct history_series s = in->of_session;
    s.benchmark = r->benchmark;
    s.arguments = r->arguments;
    s.version = r->version;
    s.metric = *r->metric;
    if (isnan(r->point.ratio)) /* this metric, or this one, was not held against it */
        s.anchor = NULL;
    int64_t key;
    enum tare_status status = series_key(in, &s, &key, err);
    if (!status && key > INT32_MAX)
        status = err_set(err, TARE_TOO_LARGE, "more series than the index can hold");
    if (!status && in->n_points >= POINTS_AT_ONCE)
        status = flush(in, err);
    if (status)
        return status;
    if (!array_room(&in->points, in->n_points, &in->room_points, sizeof *in->points))
        return err_no_memory(err);
    const struct history_point *p = &r->point;
    in->points[in->n_points++] = (struct indexed_point){.series = (int32_t)key,
                                                        .n = p->n,
                                                        .file = in->file,
                                                        .place = p->place,
                                                        .measured_utc_ns = in->measured_utc_ns,
                                                        .median = p->median,
                                                        .low = p->low,
                                                        .high = p->high,
                                                        .ratio = p->ratio,
                                                        .ratio_low = p->ratio_low,
                                                        .ratio_high = p->ratio_high};
    return TARE_OK;
}

/* Whether the content has this name; else why not. */
static bool is_named_by_content(struct ingest *in, const char *name)
{
    char id[HISTORY_ID_BYTES];
    history_text_id(buf_text(&in->text), in->text.len, id);
    const size_t n = strlen(name) - strlen(HISTORY_SUFFIX);
    if (n == HISTORY_ID_BYTES - 1 && !strncmp(name, id, n))
        return true;
    if (n == HISTORY_ID_BYTES - 1 && strspn(name, "0123456789abcdef") == n)
        buf_str(&in->notes, "changed after it was written, so nothing is taken from it; restore it (git checkout) or remove it");
    else
        buf_format(&in->notes, "not named by its content; if it belongs here, rename it to %s%s", id, HISTORY_SUFFIX);
    return false;
}

/* Into in->text; where that is not to be, in->notes says why. */
static bool load(struct ingest *in, const char *name, const struct plat_file_state *state)
{
    struct tare_err why;
    if (!state->regular || state->bytes > HISTORY_FILE_MAX) {
        if (state->regular)
            buf_format(&in->notes, "larger than %d bytes", (int)HISTORY_FILE_MAX);
        else
            buf_str(&in->notes, "no regular file");
        return false;
    }
    in->unread = plat_file_read(buf_text(&in->path), &in->text, &why);
    if (in->unread) {
        buf_str(&in->notes, why.text);
        return false;
    }
    return is_named_by_content(in, name);
}

/* Its lines to the index; *head: the first one, "" where nothing of the file is served. A head that cannot be read is found out before anything was
 * visited. */
static enum tare_status ingest_text(struct ingest *in, const char **head, struct tare_err *err)
{
    const struct history_visit visit = {.session = take_session, .result = take_result, .context = in};
    const char *text = buf_text(&in->text);
    struct tare_err why = {""};
    enum tare_status status = history_text_read(text, in->text.len, &visit, &in->notes, &why);
    *head = "";
    if (status == TARE_FORMAT || status == TARE_VERSION || status == TARE_TOO_LARGE || status == TARE_UNSUPPORTED) {
        buf_str(&in->notes, why.text);
        return TARE_OK;
    }
    if (status)
        return err_set(err, status, "%s", why.text);
    *head = arena_copy(&in->arena, text, strcspn(text, "\n"));
    return *head ? TARE_OK : err_no_memory(err);
}

/* unseen: why nothing is known of it; NULL: it is known. */
static enum tare_status ingest_file(struct ingest *in, const char *name, const struct plat_file_state *state, const char *unseen,
                                    struct tare_err *err)
{
    const char *head = "";
    enum tare_status status = TARE_OK;
    buf_clear(&in->text);
    buf_clear(&in->notes);
    in->file = ++in->last_file;
    in->unread = unseen != NULL;
    if (unseen)
        buf_str(&in->notes, unseen);
    else if (load(in, name, state))
        status = ingest_text(in, &head, err);
    const struct indexed_file f = {.key = in->file,
                                   .name = name,
                                   .bytes = in->unread ? -1 : state->bytes, /* so it is tried again */
                                   .modified_utc_ns = state->modified_utc_ns,
                                   .head = head,
                                   .problem = buf_text(&in->notes)};
    if (!status)
        status = history_index_add_file(in->ix, &f, err);
    arena_finish(&in->arena);
    return status;
}

static enum tare_status take_known(void *context, const struct indexed_file *f)
{
    struct ingest *in = context;
    if (!array_room(&in->known, in->n_known, &in->room_known, sizeof *in->known))
        return TARE_NO_MEMORY;
    in->known[in->n_known] = (struct known){arena_strdup(&in->names, f->name), f->key, f->bytes, f->modified_utc_ns, false};
    in->last_file = f->key > in->last_file ? f->key : in->last_file;
    return in->known[in->n_known++].name ? TARE_OK : TARE_NO_MEMORY;
}

static enum tare_status load_known(struct ingest *in, struct tare_err *err)
{
    in->n_known = 0;
    arena_finish(&in->names);
    enum tare_status status = history_index_files(in->ix, &(struct index_visit){.file = take_known, .context = in}, err);
    if (!status && in->n_known)
        qsort(in->known, (size_t)in->n_known, sizeof *in->known, text_order);
    return status;
}

static bool is_candidate(const char *name)
{
    const size_t n = strlen(name), suffix = strlen(HISTORY_SUFFIX);
    return *name != '.' && n > suffix && !strcmp(name + n - suffix, HISTORY_SUFFIX);
}

/* A name without a file is one that has gone meanwhile, or a link to nothing. */
static bool still_listed(const struct ingest *in, const char *name)
{
    struct buf names = BUF_INIT(NAMES_MAX);
    int n = 0;
    bool listed = false;
    if (!plat_directory_list(in->folder, &names, &n, NULL))
        for (const char *at = buf_text(&names); n > 0 && !listed; n--, at += strlen(at) + 1)
            listed = !strcmp(at, name);
    buf_finish(&names);
    return listed;
}

/* *differs: whether the file is not in the index as it is now. Where `write`, it then is. One that has gone meanwhile is not there. */
static enum tare_status compare_file(struct ingest *in, const char *name, bool write, bool *differs, struct tare_err *err)
{
    struct plat_file_state state = {.bytes = -1};
    /* What the index has of a file. */
    const struct known wanted = {.name = name};
    struct known *k = in->n_known ? bsearch(&wanted, in->known, (size_t)in->n_known, sizeof wanted, text_order) : NULL;
    struct tare_err why;
    buf_clear(&in->path);
    buf_format(&in->path, "%s/%s", in->folder, name);
    const enum tare_status unseen = plat_file_state(buf_text(&in->path), &state, &why);
    if (unseen == TARE_NOT_FOUND && !still_listed(in, name))
        return TARE_OK;
    if (!unseen && k && k->bytes == state.bytes && k->modified_utc_ns == state.modified_utc_ns) {
        k->unchanged = true;
        return TARE_OK;
    }
    *differs = true;
    const char *unread =
        unseen == TARE_NOT_FOUND ? "a link to a file that is not there; restore the file or remove the link" : why.text;
    return write ? ingest_file(in, name, &state, unseen ? unread : NULL, err) : TARE_OK;
}

static enum tare_status compare_folder(struct ingest *in, bool write, bool *differs, struct tare_err *err)
{
    struct buf names = BUF_INIT(NAMES_MAX);
    int n = 0;
    enum tare_status status = plat_directory_list(in->folder, &names, &n, err);
    if (!status)
        status = load_known(in, err);
    const char *name = buf_text(&names);
    for (int i = 0; !status && i < n; i++, name += strlen(name) + 1)
        if (is_candidate(name))
            status = compare_file(in, name, write, differs, err);
    for (int i = 0; i < in->n_known; i++)
        *differs |= !in->known[i].unchanged;
    buf_finish(&names);
    return status;
}

static enum tare_status remove_gone(struct ingest *in, struct tare_err *err)
{
    int n = 0;
    int64_t *keys = malloc(((size_t)in->n_known + 1) * sizeof *keys);
    if (!keys)
        return err_no_memory(err);
    for (int i = 0; i < in->n_known; i++)
        if (!in->known[i].unchanged)
            keys[n++] = in->known[i].key;
    enum tare_status status = n ? history_index_remove(in->ix, keys, n, err) : TARE_OK;
    free(keys);
    return status;
}

/* Another process may have brought it up to date while we waited, with files that came since, so all is looked at again. */
static enum tare_status update(struct ingest *in, struct tare_err *err)
{
    bool differs = false;
    enum tare_status status = history_index_begin(in->ix, err);
    if (!status)
        status = history_index_each_series(in->ix, &(struct index_visit){.series = take_series, .context = in}, err);
    if (!status)
        status = compare_folder(in, true, &differs, err);
    if (!status)
        status = flush(in, err);
    if (!status)
        status = remove_gone(in, err);
    return status ? status : history_index_commit(in->ix, err);
}

enum tare_status history_ingest(struct history_index *ix, const char *folder, struct tare_err *err)
{
    struct ingest in = {.ix = ix,
                        .folder = folder,
                        .text = BUF_INIT(HISTORY_FILE_MAX),
                        .path = BUF_INIT(1 << 16),
                        .notes = BUF_INIT(1 << 12),
                        .identity = BUF_INIT(HISTORY_IDENTITY_MAX)};
    bool differs = false;
    enum tare_status status = compare_folder(&in, false, &differs, err);
    if (!status && differs)
        status = update(&in, err);
    buf_finish(&in.text);
    buf_finish(&in.path);
    buf_finish(&in.notes);
    buf_finish(&in.identity);
    arena_finish(&in.identities);
    arena_finish(&in.names);
    free(in.known);
    free(in.met);
    free(in.points);
    return status;
}

void history_keep_out_of_commits(const char *folder)
{
    static const char text[] = "/index.sqlite*\n*.tmp\n";
    struct buf path = BUF_INIT(1 << 16);
    struct plat_file_state state;
    buf_format(&path, "%s/.gitignore", folder);
    if (plat_file_state(buf_text(&path), &state, NULL))
        (void)plat_file_put(buf_text(&path), text, sizeof text - 1, NULL);
    buf_finish(&path);
}
