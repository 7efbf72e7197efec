/* SPDX-License-Identifier: MIT
 *
 * memcheck's XML, protocol 4: an <error> with kind and stack each time a new one is found, and at the end <errorcounts>, how often
 * each happened. The second stack of an error says where the bytes came from: with marked secrets always the mark, so it is passed over. */
#include "taint_report.h"
#include "xml_read.h"
#include <string.h>

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

static int64_t digits(const char *text)
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
            f->line = digits(text) > 0 && digits(text) < INT32_MAX ? (int)digits(text) : 0;
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
            x->pair_count = digits(text);
        else if (xml_is(t, "unique"))
            keep_unique(x->pair_unique, text);
    }
}

/* An element that ends as it began; an empty one does both. */
static bool closes(struct reading *x, const struct xml_tag *t)
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
        if ((t.closing || t.empty) && !closes(x, &t))
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
