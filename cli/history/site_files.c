/* SPDX-License-Identifier: MIT */
#include "site_files.h"
#include <stdlib.h>
#include <string.h>

/* The manifest, a fact a line, words by tabs:
 *     tare history html 1
 *     state TEXT
 *     note TEXT
 *     file NAME
 *     page NAME KEY N, and N lines: card STATE CHANGED SIZE ENTRY-TIME HTML ATOM */
#define MANIFEST "site.manifest"
#define MARKER   "tare history html 1\n"
enum { FIELDS_MOST = 7, PATH_MOST = 1 << 16 };
#define MANIFEST_MOST ((size_t)1 << 31)

struct file {
    const char *name, *key; /* key: of a page */
    const struct site_card *cards;
    int n;
    bool there; /* in the folder */
    bool named; /* by this run */
    bool written;
};

struct site_files {
    const char *folder, *state, *note;
    struct arena *arena;
    struct file *files;
    int n, room;
    int *table, slots; /* of files by name: 1 + its number, 0: free. At most half full */
    const char **written;
    int n_written, room_written;
    bool reduced; /* the manifest is its marker only */
};

static enum tare_status no_memory(struct tare_err *err)
{
    return err_set(err, TARE_NO_MEMORY, "no memory for the list of the pages");
}

static const char *path_of(const struct site_files *f, const char *name, struct buf *b)
{
    buf_clear(b);
    buf_format(b, "%s/%s", f->folder, name);
    return buf_text(b);
}

/* ---- the list ---- */

static int *slot_of(const struct site_files *f, const char *name)
{
    uint32_t hash = 2166136261;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619;
    int at = (int)(hash & (uint32_t)(f->slots - 1));
    while (f->table[at] && strcmp(f->files[f->table[at] - 1].name, name))
        at = (at + 1) & (f->slots - 1);
    return &f->table[at];
}

static struct file *find(const struct site_files *f, const char *name)
{
    const int number = f->slots ? *slot_of(f, name) : 0;
    return number ? &f->files[number - 1] : NULL;
}

static bool grow(struct site_files *f)
{
    const int room = f->room ? 2 * f->room : 64;
    struct file *files = arena_array(f->arena, (size_t)room, sizeof *files);
    int *table = arena_array(f->arena, 2 * (size_t)room, sizeof *table);
    if (!files || !table)
        return false;
    if (f->n)
        memcpy(files, f->files, (size_t)f->n * sizeof *files);
    f->files = files;
    f->room = room;
    f->table = table;
    f->slots = 2 * room;
    for (int i = 0; i < f->n; i++)
        *slot_of(f, files[i].name) = i + 1;
    return true;
}

/* The file of that name, new or not; NULL: no memory. */
static struct file *add(struct site_files *f, const char *name)
{
    if (!name || (f->n == f->room && !grow(f)))
        return NULL;
    int *slot = slot_of(f, name);
    if (!*slot) {
        f->files[f->n++] = (struct file){.name = name};
        *slot = f->n;
    }
    return &f->files[*slot - 1];
}

/* ---- reading ---- */

/* Cuts the line at its tabs and at its end; returns what follows. */
static char *cut(char *line, char *fields[FIELDS_MOST], int *n)
{
    char *end = line + strcspn(line, "\n"), *next = *end ? end + 1 : end;
    *end = 0;
    *n = 0;
    for (char *at = line; at && *n < FIELDS_MOST; (*n)++) {
        fields[*n] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = 0;
    }
    return next;
}

/* False: it is not what was written, as after a merge of two. */
static bool take_card(struct site_card *card, char *const fields[FIELDS_MOST], int n)
{
    if (n != FIELDS_MOST || strcmp(fields[0], "card"))
        return false;
    const long state = strtol(fields[1], NULL, 10);
    *card = (struct site_card){.state = (enum site_state)state,
                               .changed_s = strtoll(fields[2], NULL, 10),
                               .size = strtoll(fields[3], NULL, 10),
                               .entry_utc_ns = strtoll(fields[4], NULL, 10),
                               .card = fields[5],
                               .entry = fields[6]};
    return state >= 0 && state < N_SITE_STATES;
}

static char *take_cards(struct site_files *f, char *at, struct file *file, int n, bool *good)
{
    struct site_card *cards = n > 0 && n < 1 << 24 ? arena_array(f->arena, (size_t)n, sizeof *cards) : NULL;
    char *fields[FIELDS_MOST];
    *good = cards != NULL;
    for (int i = 0, count; i < n && *good; i++) {
        at = cut(at, fields, &count);
        *good = take_card(&cards[i], fields, count);
    }
    file->cards = cards;
    file->n = *good ? n : 0;
    return at;
}

/* The names are kept whatever the state was: they are ours. */
static bool take_lines(struct site_files *f, char *at)
{
    char *fields[FIELDS_MOST];
    bool same = false, good = true;
    while (*at && good) {
        int n;
        at = cut(at, fields, &n);
        if (n == 2 && !strcmp(fields[0], "state"))
            same = !strcmp(fields[1], f->state);
        else if (n == 2 && !strcmp(fields[0], "note"))
            f->note = fields[1];
        else if ((n == 2 && !strcmp(fields[0], "file")) || (n == 4 && !strcmp(fields[0], "page"))) {
            struct file *file = *fields[1] == '.' || strchr(fields[1], '/') ? NULL : add(f, fields[1]);
            good = file != NULL;
            if (good && n == 4) {
                file->key = fields[2];
                at = take_cards(f, at, file, (int)strtol(fields[3], NULL, 10), &good);
            }
        }
    }
    return same && good;
}

void site_files_forget(struct site_files *f)
{
    f->note = "";
    for (int i = 0; i < f->n; i++)
        f->files[i].key = NULL;
}

static enum tare_status read_manifest(struct site_files *f, struct tare_err *err)
{
    struct buf path = BUF_INIT(PATH_MOST), text = BUF_INIT(MANIFEST_MOST);
    struct plat_file_state state;
    enum tare_status status = plat_file_state(path_of(f, MANIFEST, &path), &state, err);
    if (!status && !state.regular)
        status = err_set(err, TARE_INVALID, "%s: its %s is no regular file; give an empty folder", f->folder, MANIFEST);
    if (!status)
        status = plat_file_read(buf_text(&path), &text, err);
    char *kept = status ? NULL : arena_copy(f->arena, buf_text(&text), text.len);
    buf_finish(&path);
    buf_finish(&text);
    if (status)
        return status;
    if (!kept)
        return no_memory(err);
    if (strncmp(kept, MARKER, strlen(MARKER)))
        return err_set(err, TARE_INVALID, "%s: its %s is not one of tare's; give an empty folder", f->folder, MANIFEST);
    if (!take_lines(f, kept + strlen(MARKER)))
        site_files_forget(f);
    return TARE_OK;
}

/* Whatever the manifest says: nothing else is ever removed. */
static bool is_page(const char *name, size_t n)
{
    return n == SITE_NAME_BYTES - 1 + strlen(".html") && strspn(name, "0123456789abcdef") == SITE_NAME_BYTES - 1 &&
           !strncmp(name + SITE_NAME_BYTES - 1, ".html", strlen(".html"));
}

/* Of a file that we were writing: NAME.12345678.tmp. */
static bool left_over(const struct site_files *f, const char *name)
{
    const size_t n = strlen(name), end = strlen(".12345678.tmp");
    if (n <= end || strcmp(name + n - 4, ".tmp") != 0 || name[n - end] != '.' ||
        strspn(name + n - end + 1, "0123456789abcdef") != 8)
        return false;
    if (is_page(name, n - end) || (n - end == strlen(MANIFEST) && !strncmp(name, MANIFEST, n - end)))
        return true;
    for (int i = 0; i < f->n; i++)
        if (strlen(f->files[i].name) == n - end && !strncmp(f->files[i].name, name, n - end))
            return true;
    return false;
}

static enum tare_status look_at(struct site_files *f, const struct buf *names, int n, struct tare_err *err)
{
    const char *name = buf_text(names), *foreign = NULL;
    bool ours = false;
    for (int i = 0; i < n; i++, name += strlen(name) + 1) {
        ours |= !strcmp(name, MANIFEST);
        foreign = *name == '.' ? foreign : name;
    }
    if (!ours)
        return foreign
                   ? err_set(err, TARE_INVALID, "%s has files that tare did not write, as %.200s; give a new or an empty folder",
                             f->folder, foreign)
                   : TARE_OK;
    enum tare_status status = read_manifest(f, err);
    struct buf path = BUF_INIT(PATH_MOST);
    name = buf_text(names);
    for (int i = 0; i < n && !status; i++, name += strlen(name) + 1) {
        struct file *file = find(f, name);
        if (file)
            file->there = true;
        else if (left_over(f, name)) /* of a run that was killed */
            status = plat_file_remove(path_of(f, name, &path), err);
    }
    buf_finish(&path);
    return status;
}

enum tare_status site_files_open(struct site_files **out, const char *folder, const char *state, struct arena *a,
                                 struct tare_err *err)
{
    struct site_files *f = *out = arena_alloc(a, sizeof *f);
    if (!f)
        return no_memory(err);
    *f = (struct site_files){.folder = folder, .state = state, .note = "", .arena = a};
    enum tare_status status = plat_directory_make(folder, err);
    struct buf names = BUF_INIT(1 << 28);
    int n = 0;
    if (!status)
        status = plat_directory_list(folder, &names, &n, err);
    if (!status)
        status = look_at(f, &names, n, err);
    buf_finish(&names);
    return status;
}

const char *site_files_noted(const struct site_files *f)
{
    return f->note;
}

const struct site_card *site_files_known(struct site_files *f, const char *name, const char *key, int n)
{
    char text[32];
    struct buf b = buf_over(text, sizeof text);
    buf_format(&b, "%s.html", name);
    struct file *file = find(f, text);
    if (!file || !file->there || !file->key || file->n != n || strcmp(file->key, key))
        return NULL;
    file->named = true;
    return file->cards;
}

/* ---- writing ---- */

static bool same_content(const char *path, const void *bytes, size_t n)
{
    struct plat_file_state state;
    struct tare_err ignored;
    struct buf there = BUF_INIT(n + 1);
    bool same = !plat_file_state(path, &state, &ignored) && state.regular && state.bytes == (int64_t)n &&
                !plat_file_read(path, &there, &ignored) && there.len == n && !memcmp(buf_text(&there), bytes, n);
    buf_finish(&there);
    return same;
}

static enum tare_status reduce(struct site_files *f, struct tare_err *err)
{
    if (f->reduced)
        return TARE_OK;
    struct buf path = BUF_INIT(PATH_MOST), text = BUF_INIT(MANIFEST_MOST);
    buf_str(&text, MARKER);
    for (int i = 0; i < f->n; i++) /* what this run does not come to is still ours */
        buf_format(&text, "file\t%s\n", f->files[i].name);
    enum tare_status status = text.status ? no_memory(err) : plat_file_put(path_of(f, MANIFEST, &path), text.data, text.len, err);
    f->reduced = !status;
    buf_finish(&path);
    buf_finish(&text);
    return status;
}

static enum tare_status note_written(struct site_files *f, struct file *file, struct tare_err *err)
{
    if (file->written)
        return TARE_OK;
    if (f->n_written == f->room_written) {
        int room = f->room_written ? 2 * f->room_written : 64;
        const char **grown = arena_array(f->arena, (size_t)room, sizeof(const char *));
        if (!grown)
            return no_memory(err);
        if (f->n_written)
            memcpy(grown, f->written, (size_t)f->n_written * sizeof(const char *));
        f->written = grown;
        f->room_written = room;
    }
    file->written = true;
    f->written[f->n_written++] = file->name;
    return TARE_OK;
}

static enum tare_status put(struct site_files *f, struct file *file, const void *bytes, size_t n, struct tare_err *err)
{
    struct buf path = BUF_INIT(PATH_MOST);
    enum tare_status status = TARE_OK;
    path_of(f, file->name, &path);
    file->named = true;
    if (!file->there || !same_content(buf_text(&path), bytes, n)) {
        status = reduce(f, err);
        if (!status)
            status = plat_file_put(buf_text(&path), bytes, n, err);
        if (!status)
            status = note_written(f, file, err);
    }
    buf_finish(&path);
    return status;
}

static struct file *named(struct site_files *f, const char *name)
{
    struct file *file = find(f, name);
    return file ? file : add(f, arena_strdup(f->arena, name));
}

enum tare_status site_files_put(struct site_files *f, const char *name, const void *bytes, size_t n, struct tare_err *err)
{
    struct file *file = named(f, name);
    return file ? put(f, file, bytes, n, err) : no_memory(err);
}

enum tare_status site_files_page(struct site_files *f, const char *name, const char *key, const struct buf *text,
                                 const struct site_card *cards, int n, struct tare_err *err)
{
    const char *full = arena_format(f->arena, "%s.html", name);
    struct file *file = full ? named(f, full) : NULL;
    if (!file || text->status)
        return no_memory(err);
    file->key = arena_strdup(f->arena, key);
    file->cards = cards;
    file->n = n;
    return file->key ? put(f, file, buf_text(text), text->len, err) : no_memory(err);
}

/* ---- pages of other processes ---- */

static void put_file(struct buf *b, const struct file *file)
{
    if (!file->key) {
        buf_format(b, "file\t%s\n", file->name);
        return;
    }
    buf_format(b, "page\t%s\t%s\t%d\n", file->name, file->key, file->n);
    for (int i = 0; i < file->n; i++) {
        const struct site_card *c = &file->cards[i];
        buf_format(b, "card\t%d\t%lld\t%lld\t%lld\t", c->state, (long long)c->changed_s, (long long)c->size,
                   (long long)c->entry_utc_ns);
        buf_str(b, c->card);
        buf_char(b, '\t');
        buf_str(b, c->entry);
        buf_char(b, '\n');
    }
}

void site_files_tell(const struct site_files *f, const char *name, struct buf *out)
{
    char text[32];
    struct buf b = buf_over(text, sizeof text);
    buf_format(&b, "%s.html", name);
    const struct file *file = find(f, text);
    buf_char(out, file->written ? '+' : '=');
    put_file(out, file);
}

const struct site_card *site_files_told(struct site_files *f, const char *facts, size_t n, struct tare_err *err)
{
    char *text = arena_copy(f->arena, facts, n), *fields[FIELDS_MOST];
    int count = 0;
    char *cards = text && n ? cut(text + 1, fields, &count) : NULL;
    struct file *file = count == 4 ? add(f, fields[1]) : NULL;
    bool good = file != NULL;
    if (good)
        take_cards(f, cards, file, (int)strtol(fields[3], NULL, 10), &good);
    if (!good) {
        no_memory(err);
        return NULL;
    }
    file->key = fields[2];
    file->named = true;
    return *text == '+' && note_written(f, file, err) ? NULL : file->cards;
}

int site_files_written(const struct site_files *f)
{
    return f->n_written;
}

const char *site_files_written_name(const struct site_files *f, int i)
{
    return f->written[i];
}

static int compare_files(const void *a, const void *b)
{
    return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

enum tare_status site_files_close(struct site_files *f, const char *note, struct tare_err *err)
{
    struct buf path = BUF_INIT(PATH_MOST), text = BUF_INIT(MANIFEST_MOST);
    enum tare_status status = TARE_OK;
    buf_format(&text, MARKER "state\t%s\nnote\t", f->state);
    buf_str(&text, note);
    buf_char(&text, '\n');
    qsort(f->files, (size_t)f->n, sizeof *f->files, compare_files);
    for (int i = 0; i < f->n && !status; i++)
        if (f->files[i].named)
            put_file(&text, &f->files[i]);
        else if (is_page(f->files[i].name, strlen(f->files[i].name)))
            status = plat_file_remove(path_of(f, f->files[i].name, &path), err);
    if (!status && text.status)
        status = no_memory(err);
    path_of(f, MANIFEST, &path);
    if (!status && !same_content(buf_text(&path), buf_text(&text), text.len))
        status = plat_file_put(buf_text(&path), text.data, text.len, err);
    buf_finish(&path);
    buf_finish(&text);
    return status;
}
