/* SPDX-License-Identifier: MIT */
#include "option.h"
#include "buf.h"
#include "nearest.h"
#include "option_value.h"
#include <assert.h>
#include <string.h>

struct parser {
    const struct option_set *set;
    char *options; /* the struct, as bytes */
    int argc;
    char *const *argv;
    int next;     /* the word to be read next */
    bool unknown; /* an option like none that there is */
    char *unknown_name;
    struct option_list operands;
    const char **kept; /* NULL: nobody asks */
    int n_kept;
    bool (*left_out)(const struct option *o);
    bool stays; /* the word that is read has an option that is not left out */
    struct arena *arena;
    struct tare_err *err;
};

int option_words(const struct option *o)
{
    if (o->bare)
        return 0;
    switch (o->type) {
    case OPTION_FLAG:
    case OPTION_COUNT:
    case OPTION_CODES:
    case OPTION_HELP:
    case OPTION_HELP_ALL:
    case OPTION_VERSION:
        return 0;
    case OPTION_LIST:
        return o->words > 1 ? o->words : 1;
    default:
        return 1;
    }
}

bool option_takes_value(const struct option *o)
{
    return option_words(o) > 0;
}

bool option_may_take_value(const struct option *o)
{
    return o->type == OPTION_CODES || o->bare;
}

enum option_suggest option_suggests(const struct option *o)
{
    if (o->suggest)
        return o->suggest;
    return o->type == OPTION_FILE ? SUGGEST_FILES : o->type == OPTION_DIRECTORY ? SUGGEST_DIRECTORIES : SUGGEST_NOTHING;
}

const struct option *option_named(const struct option_set *set, const char *name)
{
    for (int i = 0; i < set->n; i++)
        if (set->items[i].name && !strcmp(set->items[i].name, name))
            return &set->items[i];
    return NULL;
}

const struct option *option_lettered(const struct option_set *set, char letter)
{
    for (int i = 0; i < set->n; i++)
        if (letter && set->items[i].letter == letter)
            return &set->items[i];
    return NULL;
}

static struct option_base *base_of(void *options)
{
    return options;
}

static bool is_given(const struct option_base *base, long index)
{
    return base->given[index / 64] >> (index % 64) & 1;
}

bool option_given(const struct option_set *set, const void *options, size_t offset)
{
    for (int i = 0; i < set->n; i++)
        if (set->items[i].offset == offset && is_given(options, i))
            return true;
    return false;
}

void option_forget(const struct option_set *set, void *options, size_t offset)
{
    struct option_base *base = options;
    for (int i = 0; i < set->n; i++)
        if (set->items[i].offset == offset)
            base->given[i / 64] &= ~((uint64_t)1 << (i % 64));
}

static void set_absent(const struct option *o, void *field)
{
    if (o->type == OPTION_INT)
        *(int *)field = (int)o->absent;
    else if (o->type == OPTION_PERCENT || o->type == OPTION_NUMBER)
        *(double *)field = o->absent;
    else if (o->type == OPTION_DURATION || o->type == OPTION_SIZE)
        *(int64_t *)field = (int64_t)o->absent;
}

void option_defaults(const struct option_set *set, void *options)
{
    memset(options, 0, set->size);
    for (int i = 0; i < set->n; i++) {
        const struct option *o = &set->items[i];
        void *field = (char *)options + o->offset;
        if (!o->preset)
            set_absent(o, field);
        else if (option_value_set(o, o->preset, field, NULL, NULL)) /* lists and codes have no preset: no arena needed */
            assert(!"a default that its own option refuses; see tests/cli_options/option_check.h");
    }
}

static const char *name_text(const struct option *o, char *room, size_t size)
{
    struct buf b = buf_over(room, size);
    /* What the user typed to name the option, for messages. */
    if (o->name)
        buf_format(&b, "--%s", o->name);
    else
        buf_format(&b, "-%c", o->letter);
    return room;
}

static enum tare_status store_value(struct parser *p, const struct option *o, const char *text)
{
    enum tare_status s = option_value_set(o, text, p->options + o->offset, p->arena, p->err);
    char room[64];
    if (s)
        err_prefix(p->err, name_text(o, room, sizeof room));
    return s;
}

static enum tare_status mark_given(struct parser *p, const struct option *o)
{
    struct option_base *base = base_of(p->options);
    long index = o - p->set->items;
    char room[64];
    if (o->once && is_given(base, index))
        return err_set(p->err, TARE_INVALID, "%s is given twice; give it once", name_text(o, room, sizeof room));
    base->given[index / 64] |= (uint64_t)1 << (index % 64);
    p->stays |= p->kept && !p->left_out(o);
    base->help_all |= o->type == OPTION_HELP_ALL;
    base->help |= o->type == OPTION_HELP || base->help_all;
    base->version |= o->type == OPTION_VERSION;
    return TARE_OK;
}

/* `attached`: the value in the same word, or NULL. */
static enum tare_status apply_option(struct parser *p, const struct option *o, const char *attached)
{
    enum tare_status s = mark_given(p, o);
    int words = option_words(o);
    char room[64];
    if (s || base_of(p->options)->help || base_of(p->options)->version)
        return s;
    if (words == 0)
        return store_value(p, o, attached);
    int missing = words - (attached != NULL) - (p->argc - p->next);
    if (missing > 0)
        return err_set(p->err, TARE_INVALID, "%s needs %s after it", name_text(o, room, sizeof room), o->arg);
    for (int i = 0; i < words && s == TARE_OK; i++)
        s = store_value(p, o, i == 0 && attached ? attached : p->argv[p->next++]);
    if (words > (attached != NULL)) {
        base_of(p->options)->last = o;
        base_of(p->options)->last_word = p->argv[p->next - 1];
    }
    return s;
}

void option_hint_taken(const struct option_base *base, struct tare_err *err)
{
    const struct option *o = base->last;
    bool any_word = o && (o->type == OPTION_TEXT || o->type == OPTION_FILE || o->type == OPTION_LIST);
    if (!any_word)
        return;
    const struct tare_err before = *err;
    char room[64];
    err_set(err, TARE_INVALID, "%s; '%.60s' was taken by %s %s", before.text, base->last_word, name_text(o, room, sizeof room),
            o->arg);
}

static enum tare_status unknown_long(struct parser *p, const char *typed)
{
    if (p->unknown_name)
        memcpy(p->unknown_name, typed, strlen(typed) + 1);
    struct nearest near = {.word = typed};
    for (int i = 0; i < p->set->n; i++)
        if (p->set->items[i].name && !p->set->items[i].hidden)
            nearest_try(&near, p->set->items[i].name);
    if (near.best)
        return err_set(p->err, TARE_INVALID, "unknown option --%s; did you mean --%s?", typed, near.best);
    p->unknown = true;
    return err_set(p->err, TARE_INVALID, "unknown option --%s" OPTION_UNKNOWN, typed);
}

/* A hidden option must be written out, and what --help begins with is no --help-all. */
static bool may_begin(const struct option *o, const char *name, size_t len)
{
    return o->name && !o->hidden && !strncmp(o->name, name, len) && (o->type != OPTION_HELP_ALL || len > strlen("help"));
}

static enum tare_status refuse_ambiguous(struct parser *p, const char *name, size_t len)
{
    char room[256];
    struct buf list = buf_over(room, sizeof room);
    for (int i = 0; i < p->set->n; i++) {
        const struct option *o = &p->set->items[i];
        if (may_begin(o, name, len))
            buf_format(&list, "%s--%s", list.len ? ", " : "", o->name);
    }
    return err_set(p->err, TARE_INVALID, "--%.*s could be any of %s; write more of it", (int)len, name, room);
}

/* The full name, or the only name that begins so. */
static enum tare_status find_long(struct parser *p, const char *name, size_t len, const struct option **out)
{
    char room[64];
    buf_print(room, sizeof room, "%.*s", len > 60 ? 60 : (int)len, name);
    *out = option_named(p->set, len > 60 ? "" : room);
    if (*out)
        return TARE_OK;
    int matches = 0;
    for (int i = 0; i < p->set->n; i++) {
        const struct option *o = &p->set->items[i];
        if (may_begin(o, name, len)) {
            *out = o;
            matches++;
        }
    }
    if (matches == 1)
        return TARE_OK;
    return matches ? refuse_ambiguous(p, name, len) : unknown_long(p, room);
}

static enum tare_status read_long(struct parser *p, const char *word)
{
    const char *name = word + 2, *equals = strchr(name, '=');
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    const struct option *o;
    enum tare_status s = find_long(p, name, len, &o);
    if (s)
        return s;
    if (equals && option_words(o) == 0 && !option_may_take_value(o))
        return err_set(p->err, TARE_INVALID, "--%s takes no value; omit '=%.60s'", o->name, equals + 1);
    return apply_option(p, o, equals ? equals + 1 : NULL);
}

static enum tare_status unknown_letter(struct parser *p, const char *word, const char *at)
{
    if (word[2] && option_named(p->set, word + 1))
        return err_set(p->err, TARE_INVALID, "unknown option %.60s; long names have two dashes: -%.60s", word, word);
    p->unknown = true;
    if (p->unknown_name)
        p->unknown_name[0] = *at;
    if ((unsigned char)*at < 0x20 || (unsigned char)*at >= 0x7f)
        return err_set(p->err, TARE_INVALID, "unknown option in '%.60s'" OPTION_UNKNOWN, word);
    return err_set(p->err, TARE_INVALID, "unknown option -%c%s%.60s%s" OPTION_UNKNOWN, *at, at > word + 1 ? " in '" : "",
                   at > word + 1 ? word : "", at > word + 1 ? "'" : "");
}

/* `at` is behind the letter. Returns what is attached as value, NULL for none. */
static const char *attached_value(const struct option *o, const char *at)
{
    if (*at == '=' && (option_takes_value(o) || option_may_take_value(o)))
        return at + 1;
    return *at && option_takes_value(o) ? at : NULL;
}

static enum tare_status read_letters(struct parser *p, const char *word)
{
    for (const char *at = word + 1; *at;) {
        const struct option *o = option_lettered(p->set, *at);
        if (!o)
            return unknown_letter(p, word, at);
        const char *value = attached_value(o, ++at);
        enum tare_status s = apply_option(p, o, value);
        if (s && at == word + 2 && option_named(p->set, word + 1))
            return err_set(p->err, TARE_INVALID, "%.60s is read as -%c with a value; long names have two dashes: -%.60s", word,
                           o->letter, word);
        if (s || value || base_of(p->options)->help || base_of(p->options)->version)
            return s;
    }
    return TARE_OK;
}

static enum tare_status add_operand(struct parser *p, const char *word)
{
    return option_list_add(&p->operands, word, p->arena) ? err_no_memory(p->err) : TARE_OK;
}

static enum tare_status read_word(struct parser *p, const char *word)
{
    if (word[0] != '-' || word[1] == '\0')
        return add_operand(p, word);
    return word[1] == '-' ? read_long(p, word) : read_letters(p, word);
}

static void keep_words(struct parser *p, int from)
{
    for (int i = from; p->kept && i < p->next; i++)
        p->kept[p->n_kept++] = p->argv[i];
}

/* After `--` or at the end: what is left. */
static enum tare_status read_rest(struct parser *p)
{
    enum tare_status s = TARE_OK;
    while (p->next < p->argc && s == TARE_OK)
        s = add_operand(p, p->argv[p->next++]);
    return s;
}

static enum tare_status read_options(struct parser *p, struct option_operands *out)
{
    const struct option_base *base = base_of(p->options);
    while (p->next < p->argc && !base->help && !base->version) {
        const char *word = p->argv[p->next++];
        const int from = p->next - 1;
        if (!strcmp(word, "--")) {
            keep_words(p, from);
            out->dashes = true;
            break;
        }
        p->stays = word[0] != '-' || word[1] == '\0';
        enum tare_status s = read_word(p, word);
        if (p->stays)
            keep_words(p, from);
        if (!p->operands.n)
            out->first = p->next;
        out->foreign = s == TARE_INVALID && (p->unknown ? p->operands.n > 0 : p->operands.n == 1 && word[1] != '-');
        if (s)
            return s;
    }
    return TARE_OK;
}

const char **option_words_without(const struct option_set *set, bool (*left_out)(const struct option *o), int argc,
                                  char *const *argv, struct arena *a)
{
    struct tare_err err;
    struct option_operands operands = {0};
    struct parser p = {.set = set, .argc = argc, .argv = argv, .left_out = left_out, .arena = a, .err = &err};
    p.options = arena_alloc(a, set->size);
    p.kept = arena_array(a, (size_t)argc + 1, sizeof *p.kept);
    if (!p.options || !p.kept)
        return NULL;
    option_defaults(set, p.options);
    if (read_options(&p, &operands))
        return NULL;
    const int rest = p.next;
    p.next = argc;
    keep_words(&p, rest);
    return p.kept;
}

enum tare_status option_parse(const struct option_set *set, void *options, int argc, char *const *argv,
                              struct option_operands *out, struct arena *a, struct tare_err *err)
{
    struct parser p = {.set = set, .options = options, .argc = argc, .argv = argv, .arena = a, .err = err};
    *out = (struct option_operands){0};
    p.unknown_name = out->unknown;
    enum tare_status s = read_options(&p, out);
    out->after = p.operands.n;
    if (!s)
        s = read_rest(&p);
    if (s == TARE_OK || s == TARE_INVALID)
        s = add_operand(&p, NULL) ? TARE_NO_MEMORY : s; /* closes the list and is not counted */
    out->items = p.operands.items;
    out->n = p.operands.n - 1;
    return s;
}

enum tare_status option_operands_end(const struct option_operands *operands, int n, const char *what, struct tare_err *err)
{
    return operands->n <= n ? TARE_OK : err_set(err, TARE_INVALID, "unexpected argument '%.60s'%s", operands->items[n], what);
}
