/* SPDX-License-Identifier: MIT */
#include "taint_report.h"
#include "xml_read.h"
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

const char *taint_kind_word(enum taint_kind kind)
{
    static const char *const words[TAINT_KINDS] = {"jump", "address", "system call", "use", "memory error"};
    return words[kind];
}

static bool is_text(const char *a, const char *b)
{
    return !strcmp(a ? a : "", b ? b : "");
}

static bool same_place(const struct taint_frame *a, const struct taint_frame *b)
{
    if (a->line || b->line)
        return a->line == b->line && is_text(a->file, b->file);
    return is_text(a->function, b->function) && is_text(a->object, b->object);
}

static struct taint_place *find_place(struct taint_report *r, enum taint_kind kind, const struct taint_frame *at)
{
    for (int i = 0; i < r->n_places; i++)
        if (r->places[i].kind == kind && same_place(&r->places[i].at, at))
            return &r->places[i];
    return NULL;
}

static struct taint_place *new_place(struct taint_report *r, struct arena *arena)
{
    int n = r->n_places;
    if (!n || (n >= FIRST_ROOM && !(n & (n - 1)))) {
        struct taint_place *more = arena_array(arena, (size_t)(n ? 2 * n : FIRST_ROOM), sizeof *more);
        if (!more)
            return NULL;
        if (n)
            memcpy(more, r->places, (size_t)n * sizeof *more);
        r->places = more;
    }
    r->n_places++;
    return &r->places[n];
}

static enum tare_status add_place(struct taint_report *r, struct arena *arena, const struct taint_place *place)
{
    struct taint_place *known = find_place(r, place->kind, &place->at);
    if (known) {
        known->count += place->count;
        known->stacks++;
        return TARE_OK;
    }
    if (r->n_places >= TAINT_PLACES_MAX) {
        r->crowded = true;
        return TARE_OK;
    }
    struct taint_place *added = new_place(r, arena);
    if (!added)
        return TARE_NO_MEMORY;
    *added = *place;
    return TARE_OK;
}

enum tare_status taint_add(struct taint_report *r, struct arena *arena, enum taint_kind kind, const struct taint_frame *frames,
                           int n, int64_t count)
{
    int own = 0;
    /* memcheck puts functions of its own in the place of memcmp, strlen and the like. */
    while (own < n - 1 && frames[own].object && strstr(frames[own].object, "vgpreload_"))
        own++;
    struct taint_place place = {.kind = kind, .count = count, .stacks = 1};
    if (n > 0)
        place.at = frames[own];
    if (own)
        place.through = frames[own - 1].function;
    place.n_frames = n < TAINT_FRAMES ? n : TAINT_FRAMES;
    if (n > 0)
        memcpy(place.frames, frames, (size_t)place.n_frames * sizeof *frames);
    r->count[kind] += count;
    return add_place(r, arena, &place);
}

static int by_weight(const void *a, const void *b)
{
    const struct taint_place *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    int by_file = strcmp(x->at.file ? x->at.file : "", y->at.file ? y->at.file : "");
    return by_file ? by_file : x->at.line - y->at.line;
}

/* Most often first, jumps before addresses where equal; to be called when all were added. */
static void taint_sort(struct taint_report *r)
{
    if (r->n_places > 1)
        qsort(r->places, (size_t)r->n_places, sizeof *r->places, by_weight);
}

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

void taint_put_frame(struct buf *b, const struct taint_frame *f)
{
    const char *function = f->function && *f->function ? f->function : NULL, *object = base_name(f->object);
    if (f->line && f->file)
        buf_format(b, "%s:%d%s%s%s", f->file, f->line, function ? " (" : "", function ? function : "", function ? ")" : "");
    else if (object && *object)
        buf_format(b, "%s in %s", function ? function : "code without a name", object);
    else
        buf_str(b, function ? function : "code without a name");
}

static bool has_name(const struct taint_frame *f)
{
    return f->function && *f->function;
}

void taint_put_place(struct buf *b, const struct taint_place *p)
{
    taint_put_frame(b, &p->at);
    for (int i = 1; i < p->n_frames && !p->at.line; i++) {
        const struct taint_frame *f = &p->frames[i];
        if (f->line || (!has_name(&p->at) && has_name(f))) {
            buf_str(b, ", from ");
            taint_put_frame(b, f);
            return;
        }
    }
}

/*     ==123==WARNING: MemorySanitizer: use-of-uninitialized-value
 *         #0 0x4a5b6c in compare /home/x/compare.c:12:9
 *         #1 0x4a5b6d in leak_call (/usr/bin/prog+0x4a5b6d) (BuildId: 1234)
 *
 * and an empty line or the next heading. It does not say whether a jump or an address depended on the value. */

enum { LINE_MAX_BYTES = 4096 };

struct msan_reading {
    struct arena *arena;
    struct taint_report *out;
    struct taint_frame frames[TAINT_FRAMES];
    int n;
    bool open, memory_error, own_stack; /* own_stack: of the use; later ones in one report say where the value came from */
    enum tare_status status;
};

static void close_report(struct msan_reading *m)
{
    if (m->open && !m->status)
        m->status = taint_add(m->out, m->arena, m->memory_error ? TAINT_MEMORY : TAINT_USE, m->frames, m->n, 1);
    m->open = false;
    m->n = 0;
}

static const char *copy_text(struct msan_reading *m, const char *from, const char *to)
{
    const char *kept = arena_copy(m->arena, from, (size_t)(to - from));
    if (!kept)
        m->status = TARE_NO_MEMORY;
    return kept ? kept : "";
}

/* The number after the colon at `at`, and where its digits end; -1: there is none. */
static int number_after(const char *at, const char **end)
{
    int value = 0, n = 0;
    for (at++; *at >= '0' && *at <= '9' && n < 9; at++, n++)
        value = 10 * value + (*at - '0');
    *end = at;
    return n ? value : -1;
}

/* "/folder/file.c:12:9" */
static bool take_line(struct msan_reading *m, const char *path, struct taint_frame *f)
{
    const char *end;
    for (const char *colon = strchr(path, ':'); colon; colon = strchr(colon + 1, ':')) {
        int line = number_after(colon, &end);
        if (line < 0)
            continue;
        const char *name = colon;
        while (name > path && name[-1] != '/')
            name--;
        f->file = copy_text(m, name, colon);
        f->line = line;
        return true;
    }
    return false;
}

/* "(/usr/lib/libfoo.so+0x123) (BuildId: ...)" */
static void take_object(struct msan_reading *m, const char *text, struct taint_frame *f)
{
    const char *plus = strstr(text, "+0x");
    if (*text == '(' && plus)
        f->object = copy_text(m, text + 1, plus);
}

/* A path from the root, an object in brackets, or a word that ends in a line number. */
static bool is_place(const char *text)
{
    const char *end, *colon = strchr(text, ':');
    if (*text == '/' || (*text == '(' && text[1] == '/'))
        return true;
    return !strchr(text, ' ') && colon && colon > text && number_after(colon, &end) >= 0;
}

/* "#0 0x4a in NAME PLACE": the name may hold blanks (C++). */
static void take_frame(struct msan_reading *m, const char *text)
{
    const char *name = strstr(text, " in ");
    if (m->n >= TAINT_FRAMES || !name)
        return;
    name += 4;
    const char *place = NULL;
    for (const char *at = strchr(name, ' '); at && !place; at = strchr(at + 1, ' '))
        if (is_place(at + 1))
            place = at;
    struct taint_frame f = {"", "", "", 0};
    f.function = copy_text(m, name, place ? place : name + strlen(name));
    if (place && !take_line(m, place + 1, &f))
        take_object(m, place + 1, &f);
    m->frames[m->n++] = f;
}

static void read_msan_line(struct msan_reading *m, const char *line)
{
    const char *heading = strstr(line, "MemorySanitizer: "), *text = line + strspn(line, " ");
    if (heading && strstr(line, "WARNING")) {
        close_report(m);
        m->open = m->own_stack = true;
        m->memory_error = !strstr(heading, "use-of-uninitialized-value");
    } else if (m->open && *text == '#') {
        if (m->own_stack)
            take_frame(m, text);
    } else if (m->open && !*text) {
        m->own_stack = m->own_stack && !m->n; /* the stack is over */
    } else if (!strncmp(text, "SUMMARY:", 8)) {
        close_report(m);
    }
}

enum tare_status taint_msan_read(const char *bytes, size_t n, struct arena *arena, struct taint_report *out, struct tare_err *err)
{
    struct msan_reading m = {.arena = arena, .out = out};
    char line[LINE_MAX_BYTES];
    *out = (struct taint_report){.tool = "MemorySanitizer", .complete = true};
    for (size_t at = 0; at < n && !m.status;) {
        const char *end = memchr(bytes + at, '\n', n - at);
        size_t bytes_of_line = end ? (size_t)(end - bytes) - at : n - at,
               kept = bytes_of_line < LINE_MAX_BYTES - 1 ? bytes_of_line : LINE_MAX_BYTES - 1;
        memcpy(line, bytes + at, kept);
        line[kept] = 0;
        read_msan_line(&m, line);
        at += bytes_of_line + 1;
    }
    close_report(&m);
    taint_sort(out);
    return m.status ? err_set(err, m.status, "no memory for the report of MemorySanitizer") : TARE_OK;
}

/* memcheck's XML, protocol 4: an <error> with kind and stack each time a new one is found, and at the end <errorcounts>, how often
 * each happened. The second stack of an error says where the bytes came from: with marked secrets always the mark, so it is passed over.
 */

enum { TEXT_MAX = 4096, ERRORS_MAX = 65536, DEPTH_MAX = 32 };

struct error_entry {
    char unique[24];
    enum taint_kind kind;
    struct taint_frame frames[TAINT_FRAMES];
    int n_frames;
    int64_t count; /* 0 until the counts tell */
};

struct reading {
    struct arena *arena;
    struct taint_report *out;
    struct error_entry *errors;
    int n, room;
    struct error_entry now;
    bool in_error, in_stack, in_frame, in_pair, first_stack_over, memcheck, known_protocol, no_memory, at_end;
    char pair_unique[24];
    int64_t pair_count;
    struct xml_tag open[DEPTH_MAX];
    int depth;
};

static int64_t digits_of(const char *text)
{
    int64_t value = 0;
    while (*text >= '0' && *text <= '9' && value < INT64_MAX / 16)
        value = 10 * value + (*text++ - '0');
    return *text ? -1 : value;
}

static void keep_unique(char room[24], const char *text)
{
    size_t n = strlen(text);
    memset(room, 0, 24);
    memcpy(room, text, n < 23 ? n : 23);
}

static const char *keep_text(struct reading *x, const char *text)
{
    const char *kept = arena_strdup(x->arena, text);
    x->no_memory = x->no_memory || !kept;
    return kept ? kept : "";
}

static enum taint_kind kind_of(const char *word)
{
    if (!strcmp(word, "UninitCondition"))
        return TAINT_JUMP;
    if (!strcmp(word, "UninitValue"))
        return TAINT_ADDRESS;
    if (!strcmp(word, "SyscallParam"))
        return TAINT_SYSCALL;
    return !strcmp(word, "ClientCheck") ? TAINT_USE : TAINT_MEMORY;
}

static void on_start(struct reading *x, const struct xml_tag *t)
{
    if (xml_is(t, "error")) {
        x->now = (struct error_entry){.kind = TAINT_MEMORY};
        x->in_error = true;
        x->first_stack_over = x->in_stack = x->in_frame = false; /* an error within an error's frame has no frame yet */
    } else if (xml_is(t, "stack")) {
        x->in_stack = x->in_error && !x->first_stack_over;
    } else if (xml_is(t, "frame") && x->in_stack) {
        x->in_frame = x->now.n_frames < TAINT_FRAMES;
        if (x->in_frame)
            x->now.frames[x->now.n_frames++] = (struct taint_frame){"", "", "", 0};
    } else if (xml_is(t, "pair")) {
        x->in_pair = true;
        x->pair_count = 0;
        x->pair_unique[0] = 0;
    }
}

static void end_of_error(struct reading *x)
{
    x->in_error = false;
    if (x->n >= ERRORS_MAX) {
        x->out->crowded = true;
        return;
    }
    if (arena_room(x->arena, &x->errors, x->n, &x->room, sizeof *x->errors))
        x->errors[x->n++] = x->now;
    else
        x->no_memory = true;
}

static void end_of_pair(struct reading *x)
{
    x->in_pair = false;
    for (int i = 0; i < x->n; i++)
        if (!strcmp(x->errors[i].unique, x->pair_unique)) {
            x->errors[i].count = x->pair_count;
            return;
        }
    x->out->unreadable++; /* a suppressed one is counted elsewhere, so this has no error */
}

static void part_of_error(struct reading *x, const struct xml_tag *t, const char *text)
{
    if (x->in_frame) {
        struct taint_frame *f = &x->now.frames[x->now.n_frames - 1];
        if (xml_is(t, "fn"))
            f->function = keep_text(x, text);
        else if (xml_is(t, "obj"))
            f->object = keep_text(x, text);
        else if (xml_is(t, "file"))
            f->file = keep_text(x, text);
        else if (xml_is(t, "line"))
            f->line = digits_of(text) > 0 && digits_of(text) < INT32_MAX ? (int)digits_of(text) : 0;
    } else if (xml_is(t, "unique"))
        keep_unique(x->now.unique, text);
    else if (xml_is(t, "kind"))
        x->now.kind = kind_of(text);
}

/* "Using Valgrind-3.19.0 and LibVEX; rerun with -h for copyright info" */
static void take_version(struct reading *x, const char *text)
{
    static const char before[] = "Using Valgrind-";
    if (strncmp(text, before, sizeof before - 1))
        return;
    struct buf b = buf_over(x->out->tool, sizeof x->out->tool);
    const char *version = text + sizeof before - 1;
    buf_format(&b, "valgrind %.*s memcheck", (int)strspn(version, "0123456789."), version);
}

static void on_end(struct reading *x, const struct xml_tag *t, const char *text)
{
    if (xml_is(t, "protocolversion"))
        x->known_protocol = !strcmp(text, "4");
    else if (xml_is(t, "protocoltool"))
        x->memcheck = !strcmp(text, "memcheck");
    else if (xml_is(t, "frame"))
        x->in_frame = false;
    else if (xml_is(t, "stack"))
        x->in_stack = false, x->first_stack_over = x->in_error;
    else if (xml_is(t, "error") && x->in_error)
        end_of_error(x);
    else if (xml_is(t, "pair"))
        end_of_pair(x);
    else if (xml_is(t, "valgrindoutput"))
        x->at_end = true;
    else if (!x->in_error && !x->in_pair && xml_is(t, "line"))
        take_version(x, text);
    else if (x->in_error)
        part_of_error(x, t, text);
    else if (x->in_pair) {
        if (xml_is(t, "count"))
            x->pair_count = digits_of(text);
        else if (xml_is(t, "unique"))
            keep_unique(x->pair_unique, text);
    }
}

/* An element that ends as it began; an empty one does both. */
static bool closes_error(struct reading *x, const struct xml_tag *t)
{
    const struct xml_tag *open = x->depth ? &x->open[--x->depth] : NULL;
    return open && open->n == t->n && !memcmp(open->name, t->name, t->n);
}

/* What an element holds is the text between the tag before its end and that. False: the text breaks off, or is not valgrind's. */
static bool read_elements(struct reading *x, const char *bytes, size_t n)
{
    struct xml xml = {bytes, bytes + n};
    struct xml_tag t;
    int found = 0;
    for (const char *text = bytes; !x->no_memory && (found = xml_next(&xml, &t)) > 0; text = xml.at) {
        char room[TEXT_MAX];
        struct buf held = buf_over(room, sizeof room);
        if (!t.closing) {
            if (x->depth == DEPTH_MAX)
                return false;
            on_start(x, &t);
            x->open[x->depth++] = t;
        } else {
            xml_decode(&held, text, (size_t)(t.name - strlen("</") - text));
        }
        if ((t.closing || t.empty) && !closes_error(x, &t))
            return false;
        if (t.closing || t.empty)
            on_end(x, &t, buf_text(&held));
    }
    return !found && !x->depth;
}

static enum tare_status hand_over(struct reading *x)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < x->n && !status; i++) {
        const struct error_entry *e = &x->errors[i];
        status = taint_add(x->out, x->arena, e->kind, e->frames, e->n_frames, e->count > 0 ? e->count : 1);
    }
    taint_sort(x->out);
    return status;
}

enum tare_status taint_xml_read(const char *bytes, size_t n, struct arena *arena, struct taint_report *out, struct tare_err *err)
{
    struct reading *x = arena_alloc(arena, sizeof *x);
    *out = (struct taint_report){.tool = "memcheck"};
    if (!x)
        return err_set(err, TARE_NO_MEMORY, "valgrind's report of %zu bytes cannot be held", n);
    x->arena = arena;
    x->out = out;
    const bool well_formed = n && read_elements(x, bytes, n);
    enum tare_status status = x->no_memory ? TARE_NO_MEMORY : hand_over(x);
    if (status)
        return err_set(err, status, "no memory for valgrind's report");
    out->complete = well_formed && x->at_end;
    if (!x->memcheck || !x->known_protocol)
        return err_set(err, TARE_FORMAT, "this is not a memcheck report in valgrind's XML protocol 4");
    return well_formed ? TARE_OK : err_set(err, TARE_FORMAT, "valgrind's report breaks off: it, or the program in it, was ended");
}
