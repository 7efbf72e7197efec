/* SPDX-License-Identifier: MIT
 *
 * memcheck's XML, protocol 4: an <error> with kind and stack each time a new one is found, and at the end <errorcounts>, how often
 * each happened. The second stack of an error says where the bytes came from: with marked secrets always the mark, so it is passed over. */
#include "taint_report.h"
#include <expat.h>
#include <string.h>

enum { TEXT_MAX = 4096, ERRORS_MAX = 65536 };

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
    char text[TEXT_MAX];
    size_t text_len;
    XML_Parser parser;
};

static void on_text(void *context, const XML_Char *text, int n)
{
    struct reading *x = context;
    for (int i = 0; i < n && x->text_len < TEXT_MAX - 1; i++)
        x->text[x->text_len++] = text[i];
}

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

static void on_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
    struct reading *x = context;
    (void)attributes;
    x->text_len = 0;
    if (!strcmp(name, "error")) {
        x->now = (struct error_entry){.kind = TAINT_MEMORY};
        x->in_error = true;
        x->first_stack_over = x->in_stack = x->in_frame = false; /* an error within an error's frame has no frame yet */
    } else if (!strcmp(name, "stack")) {
        x->in_stack = x->in_error && !x->first_stack_over;
    } else if (!strcmp(name, "frame") && x->in_stack) {
        x->in_frame = x->now.n_frames < TAINT_FRAMES;
        if (x->in_frame)
            x->now.frames[x->now.n_frames++] = (struct taint_frame){"", "", "", 0};
    } else if (!strcmp(name, "pair")) {
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

static void part_of_error(struct reading *x, const char *name, const char *text)
{
    if (x->in_frame) {
        struct taint_frame *f = &x->now.frames[x->now.n_frames - 1];
        if (!strcmp(name, "fn"))
            f->function = keep_text(x, text);
        else if (!strcmp(name, "obj"))
            f->object = keep_text(x, text);
        else if (!strcmp(name, "file"))
            f->file = keep_text(x, text);
        else if (!strcmp(name, "line"))
            f->line = digits(text) > 0 && digits(text) < INT32_MAX ? (int)digits(text) : 0;
    } else if (!strcmp(name, "unique"))
        keep_unique(x->now.unique, text);
    else if (!strcmp(name, "kind"))
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

static void on_end(void *context, const XML_Char *name)
{
    struct reading *x = context;
    x->text[x->text_len] = 0;
    if (!strcmp(name, "protocolversion"))
        x->known_protocol = !strcmp(x->text, "4");
    else if (!strcmp(name, "protocoltool"))
        x->memcheck = !strcmp(x->text, "memcheck");
    else if (!strcmp(name, "frame"))
        x->in_frame = false;
    else if (!strcmp(name, "stack"))
        x->in_stack = false, x->first_stack_over = x->in_error;
    else if (!strcmp(name, "error") && x->in_error)
        end_of_error(x);
    else if (!strcmp(name, "pair"))
        end_of_pair(x);
    else if (!strcmp(name, "valgrindoutput"))
        x->at_end = true;
    else if (!x->in_error && !x->in_pair && !strcmp(name, "line"))
        take_version(x, x->text);
    else if (x->in_error)
        part_of_error(x, name, x->text);
    else if (x->in_pair) {
        if (!strcmp(name, "count"))
            x->pair_count = digits(x->text);
        else if (!strcmp(name, "unique"))
            keep_unique(x->pair_unique, x->text);
    }
    x->text_len = 0;
    if (x->no_memory)
        XML_StopParser(x->parser, XML_FALSE);
}

/* Valgrind declares no entities: a text that does is not from it, and entities are how small XML becomes large. */
static void on_entity(void *context, const XML_Char *name, int is_parameter, const XML_Char *value, int length,
                      const XML_Char *base, const XML_Char *system_id, const XML_Char *public_id, const XML_Char *notation)
{
    struct reading *x = context;
    (void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system_id, (void)public_id, (void)notation;
    XML_StopParser(x->parser, XML_FALSE);
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

bool taint_xml_known(void)
{
    return true;
}

enum tare_status taint_xml_read(const char *bytes, size_t n, struct arena *arena, struct taint_report *out, struct tare_err *err)
{
    struct reading *x = arena_alloc(arena, sizeof *x);
    *out = (struct taint_report){.tool = "memcheck"};
    if (!x || n > INT32_MAX)
        return err_set(err, x ? TARE_TOO_LARGE : TARE_NO_MEMORY, "valgrind's report of %zu bytes cannot be held", n);
    x->arena = arena;
    x->out = out;
    x->parser = XML_ParserCreate("UTF-8");
    if (!x->parser)
        return err_no_memory(err);
    XML_SetUserData(x->parser, x);
    XML_SetElementHandler(x->parser, on_start, on_end);
    XML_SetCharacterDataHandler(x->parser, on_text);
    XML_SetEntityDeclHandler(x->parser, on_entity);
    bool well_formed = XML_Parse(x->parser, bytes, (int)n, 1) == XML_STATUS_OK;
    XML_ParserFree(x->parser);
    enum tare_status status = x->no_memory ? TARE_NO_MEMORY : hand_over(x);
    if (status)
        return err_set(err, status, "no memory for valgrind's report");
    out->whole = well_formed && x->at_end;
    if (!x->memcheck || !x->known_protocol)
        return err_set(err, TARE_FORMAT, "this is not a memcheck report in valgrind's XML protocol 4");
    return well_formed ? TARE_OK : err_set(err, TARE_FORMAT, "valgrind's report breaks off: it, or the program in it, was ended");
}
