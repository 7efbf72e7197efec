/* SPDX-License-Identifier: MIT
 *
 * The tree becomes a list of instructions; the search advances a list of threads, each a place in that list with the positions it
 * passed, one byte at a time. A place is in the list once, the thread that the pattern prefers first, so that a byte costs at most one
 * step for each instruction. (R. Cox, "Regular expression matching: the virtual machine approach", 2009, explains the method.)
 */
#include "pattern.h"
#include "buf.h"
#include <stdbool.h>
#include <string.h>

enum node_kind { NODE_BYTE, NODE_ANY, NODE_CLASS, NODE_ASSERT, NODE_EMPTY, NODE_GROUP, NODE_REPEAT, NODE_THEN, NODE_EITHER };

enum pattern_place { PLACE_LINE_START, PLACE_LINE_END, PLACE_WORD, PLACE_NOT_WORD };

struct byte_set {
    uint32_t bits[8];
};

struct node {
    enum node_kind kind;
    unsigned char byte;       /* NODE_BYTE */
    enum pattern_place place; /* NODE_ASSERT */
    struct byte_set set;      /* NODE_CLASS */
    int group;                /* NODE_GROUP: 1 is the first; 0 captures nothing */
    int least, most;          /* NODE_REPEAT; most -1: no limit */
    bool lazy;
    struct node *a, *b; /* b: NODE_THEN, NODE_EITHER */
};

enum { DEPTH_MAX = 50, REPEAT_MAX = 255 };

struct parser {
    const char *at;
    struct arena *a;
    struct tare_err *err;
    enum tare_status status; /* the first failure */
    int groups, depth;
};

static struct node *wrong(struct parser *p, const char *what)
{
    if (!p->status)
        p->status = err_set(p->err, TARE_INVALID, "%s", what);
    return NULL;
}

static struct node *node(struct parser *p, struct node like)
{
    struct node *n = p->status ? NULL : arena_array(p->a, 1, sizeof *n);
    if (n)
        *n = like;
    else if (!p->status)
        p->status = err_set(p->err, TARE_NO_MEMORY, "out of memory");
    return n;
}

static bool byte_set_has(const struct byte_set *s, unsigned char c)
{
    return s->bits[c / 32] >> (c % 32) & 1;
}

static bool between(unsigned char c, char low, char high)
{
    return c >= (unsigned char)low && c <= (unsigned char)high;
}

static bool is_digit(unsigned char c)
{
    return between(c, '0', '9');
}

static bool is_upper(unsigned char c)
{
    return between(c, 'A', 'Z');
}

static bool is_lower(unsigned char c)
{
    return between(c, 'a', 'z');
}

static bool is_alpha(unsigned char c)
{
    return is_upper(c) || is_lower(c);
}

static bool is_alnum(unsigned char c)
{
    return is_alpha(c) || is_digit(c);
}

static bool byte_is_word(unsigned char c)
{
    return is_alnum(c) || c == '_';
}

static bool is_space(unsigned char c)
{
    return c == ' ' || between(c, '\t', '\r');
}

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t';
}

static bool is_xdigit(unsigned char c)
{
    return is_digit(c) || between(c, 'a', 'f') || between(c, 'A', 'F');
}

static bool is_punct(unsigned char c)
{
    return between(c, '!', '~') && !is_alnum(c);
}

typedef bool byte_test(unsigned char c);

static void set_where(struct byte_set *s, byte_test *test, bool wanted)
{
    for (int c = 0; c < 256; c++)
        if (test((unsigned char)c) == wanted)
            s->bits[c / 32] |= UINT32_C(1) << (c % 32);
}

/* \d \w \s and their opposites; false: another letter. */
static bool set_by_letter(struct byte_set *s, char letter)
{
    static const struct {
        char letter;
        byte_test *test;
    } all[] = {{'d', is_digit}, {'w', byte_is_word}, {'s', is_space}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((letter | 32) == all[i].letter) {
            set_where(s, all[i].test, letter & 32);
            return true;
        }
    return false;
}

static bool set_by_name(struct parser *p, struct byte_set *s)
{
    static const struct {
        const char *name;
        byte_test *test;
    } all[] = {{"[:digit:]", is_digit}, {"[:alpha:]", is_alpha},   {"[:alnum:]", is_alnum},
               {"[:space:]", is_space}, {"[:blank:]", is_blank},   {"[:upper:]", is_upper},
               {"[:lower:]", is_lower}, {"[:xdigit:]", is_xdigit}, {"[:punct:]", is_punct}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strncmp(p->at, all[i].name, strlen(all[i].name))) {
            set_where(s, all[i].test, true);
            p->at += strlen(all[i].name);
            return true;
        }
    return false;
}

/* One sign within brackets; -1: wrong. */
static int class_byte(struct parser *p)
{
    unsigned char c = (unsigned char)*p->at;
    if (!c || c >= 0x80) {
        wrong(p,
              c ? "a sign beyond ASCII in [...] would be taken byte by byte; write (?:a|b) instead" : "a [ is never closed by ]");
        return -1;
    }
    p->at++;
    if (c != '\\')
        return c;
    c = (unsigned char)*p->at;
    if (c == 't') {
        p->at++;
        return '\t';
    }
    if (!c || c >= 0x80 || is_alnum(c)) {
        wrong(p, "a backslash in [...] precedes a character that it does not change; known are \\d \\w \\s \\t and signs");
        return -1;
    }
    p->at++;
    return c;
}

static bool class_item(struct parser *p, struct byte_set *s)
{
    if (*p->at == '[' && p->at[1] == ':')
        return set_by_name(p, s) ||
               wrong(p, "a [: in brackets names no class; known are [:digit:], [:alpha:], [:alnum:], [:space:] ...");
    if (*p->at == '\\' && set_by_letter(s, p->at[1])) {
        p->at += 2;
        return true;
    }
    int low = class_byte(p), high = low;
    if (low >= 0 && *p->at == '-' && p->at[1] != ']') {
        p->at++;
        high = class_byte(p);
        if (high >= 0 && high < low)
            wrong(p, "a range in [...] ends before it begins");
    }
    if (low < 0 || high < low)
        return false;
    for (int c = (unsigned char)low; c <= (unsigned char)high; c++)
        s->bits[c / 32] |= UINT32_C(1) << (c % 32);
    return true;
}

static struct node *class(struct parser *p)
{
    struct node n = {.kind = NODE_CLASS};
    bool opposite = *p->at == '^';
    p->at += opposite;
    do
        if (!class_item(p, &n.set))
            return NULL;
    while (*p->at != ']');
    p->at++;
    for (int i = 0; opposite && i < 8; i++)
        n.set.bits[i] = ~n.set.bits[i];
    return node(p, n);
}

static struct node *either(struct parser *p);

static struct node *byte(struct parser *p, unsigned char c)
{
    return node(p, (struct node){.kind = NODE_BYTE, .byte = c});
}

static struct node *place_node(struct parser *p, enum pattern_place where)
{
    return node(p, (struct node){.kind = NODE_ASSERT, .place = where});
}

static struct node *escape(struct parser *p)
{
    struct node n = {.kind = NODE_CLASS};
    char c = *p->at++;
    if (c == 't')
        return byte(p, '\t');
    if (c == 'b' || c == 'B')
        return place_node(p, c == 'b' ? PLACE_WORD : PLACE_NOT_WORD);
    if (c >= '1' && c <= '9')
        return wrong(p, "it holds a backreference, for which no search with an end in sight exists");
    if (is_alpha((unsigned char)c) && set_by_letter(&n.set, c))
        return node(p, n);
    if (!c || is_alnum((unsigned char)c))
        return wrong(p, c ? "a backslash precedes a letter or digit that it does not change" : "a backslash ends it");
    return byte(p, (unsigned char)c);
}

static struct node *group(struct parser *p)
{
    bool captures = *p->at != '?';
    if (!captures && p->at[1] != ':')
        return wrong(p, "a group that begins with (? is not known; (?:...) is the only one");
    p->at += captures ? 0 : 2;
    struct node n = {.kind = NODE_GROUP, .group = captures ? ++p->groups : 0};
    if (++p->depth > DEPTH_MAX)
        return wrong(p, "its groups are nested too deep");
    n.a = either(p);
    p->depth--;
    if (!n.a)
        return NULL;
    if (*p->at != ')')
        return wrong(p, "a ( is never closed by )");
    p->at++;
    return node(p, n);
}

/* A character of several bytes is one atom, so that a ? behind it is meant for all of it. */
static struct node *character(struct parser *p)
{
    struct node *n = byte(p, (unsigned char)*p->at++);
    while (n && ((unsigned char)n->byte >= 0xc0 || n->kind == NODE_THEN) && ((unsigned char)*p->at & 0xc0) == 0x80) {
        struct node *next = byte(p, (unsigned char)*p->at++);
        n = next ? node(p, (struct node){.kind = NODE_THEN, .a = n, .b = next}) : NULL;
    }
    return n;
}

static struct node *atom(struct parser *p)
{
    switch (*p->at) {
    case '(':
        p->at++;
        return group(p);
    case '[':
        p->at++;
        return class(p);
    case '.':
        p->at++;
        return node(p, (struct node){.kind = NODE_ANY});
    case '^':
        p->at++;
        return place_node(p, PLACE_LINE_START);
    case '$':
        p->at++;
        return place_node(p, PLACE_LINE_END);
    case '\\':
        p->at++;
        return escape(p);
    case '*':
    case '+':
    case '?':
    case '{':
        return wrong(
            p, "a repetition (* + ? {) follows nothing that can be repeated; for the sign itself put a backslash before it");
    default:
        return character(p);
    }
}

static bool read_number(struct parser *p, int *out)
{
    if (!is_digit((unsigned char)*p->at))
        return false;
    for (*out = 0; is_digit((unsigned char)*p->at) && *out <= REPEAT_MAX; p->at++)
        *out = *out * 10 + (*p->at - '0');
    return true;
}

/* {m} {m,} {m,n} */
static bool braces(struct parser *p, struct node *n)
{
    bool good = read_number(p, &n->least);
    n->most = n->least;
    if (good && *p->at == ',') {
        p->at++;
        n->most = -1;
        good = *p->at == '}' || read_number(p, &n->most);
    }
    if (!good || *p->at != '}')
        return wrong(p, "a { does not begin a repetition like {2} or {1,3}; for the sign itself write \\{") != NULL;
    p->at++;
    if (n->least > REPEAT_MAX || n->most > REPEAT_MAX)
        return wrong(p, "a repetition of more than 255 times is too large") != NULL;
    if (n->most >= 0 && n->most < n->least)
        return wrong(p, "a repetition's second number is smaller than its first") != NULL;
    return true;
}

/* An atom may be repeated once: `a**` and `a{2}{3}` are slips. */
static struct node *repeated(struct parser *p)
{
    struct node n = {.kind = NODE_REPEAT, .a = atom(p)};
    if (!n.a || !*p->at || !strchr("*+?{", *p->at)) /* where an atom is refused, `at` says nothing any more */
        return n.a;
    n.least = *p->at == '+';
    n.most = *p->at == '?' ? 1 : -1;
    if (*p->at++ == '{' && !braces(p, &n))
        return NULL;
    n.lazy = *p->at == '?';
    p->at += n.lazy;
    return node(p, n);
}

static struct node *sequence(struct parser *p)
{
    struct node *all = node(p, (struct node){.kind = NODE_EMPTY});
    while (all && *p->at && *p->at != '|' && *p->at != ')') {
        struct node *next = repeated(p);
        all = next ? node(p, (struct node){.kind = NODE_THEN, .a = all, .b = next}) : NULL;
    }
    return all;
}

static struct node *either(struct parser *p)
{
    struct node *all = sequence(p);
    while (all && *p->at == '|') {
        p->at++;
        struct node *next = sequence(p);
        all = next ? node(p, (struct node){.kind = NODE_EITHER, .a = all, .b = next}) : NULL;
    }
    return all;
}

/* INVALID, NO_MEMORY. *groups: how many capture. */
static enum tare_status pattern_parse(struct node **out, int *groups, const char *text, struct arena *a, struct tare_err *err)
{
    struct parser p = {.at = text, .a = a, .err = err};
    *out = strlen(text) > PATTERN_BYTES ? wrong(&p, "it is longer than 1000 bytes") : either(&p);
    *groups = p.groups;
    if (!p.status && *p.at == ')')
        wrong(&p, "a ) closes nothing; for the sign itself write \\)");
    return p.status;
}

enum op { OP_BYTE, OP_ANY, OP_CLASS, OP_ASSERT, OP_SPLIT, OP_JUMP, OP_SAVE, OP_MATCH };

struct instruction {
    enum op op;
    int x, y; /* where it goes on (OP_SPLIT: x is preferred), byte, place or slot */
    const struct byte_set *set;
};

enum { SLOT_START, SLOT_END, SLOT_GROUP_START, SLOT_GROUP_END, SLOTS };

static const size_t UNSET = SIZE_MAX;

struct thread {
    int pc;
    size_t slot[SLOTS];
};

struct threads {
    struct thread *items;
    int n;
    int64_t *seen; /* of each instruction: the time at which it came into the list */
    int64_t now;
};

struct pattern {
    struct instruction *code;
    int n;
    bool full; /* more than PATTERN_STATES were needed */
    bool first[256];
    bool skips; /* no match begins with another byte than those of `first` */
    struct threads lists[2];
    /* the line being searched */
    const unsigned char *line;
    size_t length;
    int64_t steps_left;
};

static int emit(struct pattern *p, struct instruction i)
{
    if (p->n == PATTERN_STATES) {
        p->full = true;
        return 0;
    }
    p->code[p->n] = i;
    return p->n++;
}

static void translate(struct pattern *p, const struct node *n);

/* A split whose one side follows at once and whose other is set later; lazy prefers that other. */
static int emit_split(struct pattern *p, bool lazy)
{
    int at = emit(p, (struct instruction){.op = OP_SPLIT});
    *(lazy ? &p->code[at].y : &p->code[at].x) = at + 1;
    return at;
}

static void close_split(struct pattern *p, int at, bool lazy)
{
    *(lazy ? &p->code[at].x : &p->code[at].y) = p->n;
}

static void translate_repeat(struct pattern *p, const struct node *n)
{
    int splits[256], n_splits = 0;
    for (int i = 0; i < n->least && !p->full; i++)
        translate(p, n->a);
    if (n->most < 0) {
        int split = emit_split(p, n->lazy);
        translate(p, n->a);
        emit(p, (struct instruction){.op = OP_JUMP, .x = split});
        close_split(p, split, n->lazy);
    }
    for (int i = n->least; i < n->most && !p->full; i++) {
        splits[n_splits++] = emit_split(p, n->lazy);
        translate(p, n->a);
    }
    for (int i = 0; i < n_splits && !p->full; i++)
        close_split(p, splits[i], n->lazy);
}

static void translate_either(struct pattern *p, const struct node *n)
{
    int split = emit_split(p, false);
    translate(p, n->a);
    int jump = emit(p, (struct instruction){.op = OP_JUMP});
    close_split(p, split, false);
    translate(p, n->b);
    p->code[jump].x = p->n;
}

static void translate_group(struct pattern *p, const struct node *n)
{
    bool first = n->group == 1;
    if (first)
        emit(p, (struct instruction){.op = OP_SAVE, .x = SLOT_GROUP_START});
    translate(p, n->a);
    if (first)
        emit(p, (struct instruction){.op = OP_SAVE, .x = SLOT_GROUP_END});
}

static void translate(struct pattern *p, const struct node *n)
{
    if (p->full)
        return;
    switch (n->kind) {
    case NODE_EMPTY:
        return;
    case NODE_BYTE:
        emit(p, (struct instruction){.op = OP_BYTE, .x = n->byte});
        return;
    case NODE_ANY:
        emit(p, (struct instruction){.op = OP_ANY});
        return;
    case NODE_CLASS:
        emit(p, (struct instruction){.op = OP_CLASS, .set = &n->set});
        return;
    case NODE_ASSERT:
        emit(p, (struct instruction){.op = OP_ASSERT, .x = (int)n->place});
        return;
    case NODE_GROUP:
        translate_group(p, n);
        return;
    case NODE_REPEAT:
        translate_repeat(p, n);
        return;
    case NODE_THEN:
        translate(p, n->a);
        translate(p, n->b);
        return;
    case NODE_EITHER:
        translate_either(p, n);
        return;
    }
}

static void note_first(struct pattern *p, int pc, bool *seen)
{
    const struct instruction *i = &p->code[pc];
    if (seen[pc])
        return;
    seen[pc] = true;
    switch (i->op) {
    case OP_SPLIT:
        note_first(p, i->x, seen);
        note_first(p, i->y, seen);
        return;
    case OP_JUMP:
        note_first(p, i->x, seen);
        return;
    case OP_SAVE:
    case OP_ASSERT:
        note_first(p, pc + 1, seen);
        return;
    case OP_MATCH:
    case OP_ANY:
        p->skips = false;
        return;
    case OP_BYTE:
        p->first[i->x] = true;
        return;
    case OP_CLASS:
        for (int c = 0; c < 256; c++)
            p->first[c] |= byte_set_has(i->set, (unsigned char)c);
        return;
    }
}

static bool make_lists(struct pattern *p, struct arena *a)
{
    for (int i = 0; i < 2; i++) {
        p->lists[i].items = arena_array(a, (size_t)p->n, sizeof *p->lists[i].items);
        p->lists[i].seen = arena_array(a, (size_t)p->n, sizeof *p->lists[i].seen);
        if (!p->lists[i].items || !p->lists[i].seen)
            return false;
        memset(p->lists[i].seen, 0, (size_t)p->n * sizeof *p->lists[i].seen);
    }
    return true;
}

enum tare_status pattern_compile(struct pattern **out, const char *text, struct arena *a, struct tare_err *err)
{
    struct node *tree;
    int groups;
    *out = NULL;
    enum tare_status status = pattern_parse(&tree, &groups, text, a, err);
    if (status)
        return status;
    if (!groups)
        return err_set(err, TARE_INVALID, "it has no group; put parentheses around the number, like 'time: ([0-9.]+)'");
    struct pattern *p = arena_array(a, 1, sizeof *p);
    struct instruction *code = arena_array(a, PATTERN_STATES, sizeof *code);
    bool *seen = arena_array(a, PATTERN_STATES, sizeof *seen);
    if (!p || !code || !seen)
        return err_set(err, TARE_NO_MEMORY, "out of memory");
    *p = (struct pattern){.code = code, .skips = true};
    translate(p, tree);
    emit(p, (struct instruction){.op = OP_MATCH});
    if (p->full)
        return err_set(err, TARE_INVALID, "its repetitions multiply to more than %d states; repeat less", PATTERN_STATES);
    memset(seen, 0, PATTERN_STATES * sizeof *seen);
    note_first(p, 0, seen);
    if (!make_lists(p, a))
        return err_set(err, TARE_NO_MEMORY, "out of memory");
    *out = p;
    return TARE_OK;
}

static bool word_at(const struct pattern *p, size_t at)
{
    return at < p->length && byte_is_word(p->line[at]);
}

static bool place_holds(const struct pattern *p, int place, size_t at)
{
    switch ((enum pattern_place)place) {
    case PLACE_LINE_START:
        return at == 0;
    case PLACE_LINE_END:
        return at == p->length;
    case PLACE_WORD:
    case PLACE_NOT_WORD:
        return ((at > 0 && word_at(p, at - 1)) != word_at(p, at)) == (place == PLACE_WORD);
    }
    return false;
}

/* The thread and all that it becomes without taking a byte. Depth: at most one call for each instruction. */
static void add_thread(struct pattern *p, struct threads *list, struct thread t, size_t at)
{
    const struct instruction *i = &p->code[t.pc];
    if (list->seen[t.pc] == list->now)
        return;
    list->seen[t.pc] = list->now;
    p->steps_left--;
    switch (i->op) {
    case OP_JUMP:
        t.pc = i->x;
        add_thread(p, list, t, at);
        return;
    case OP_SPLIT:
        t.pc = i->x;
        add_thread(p, list, t, at);
        t.pc = i->y;
        add_thread(p, list, t, at);
        return;
    case OP_SAVE:
        t.pc++;
        t.slot[i->x] = at;
        add_thread(p, list, t, at);
        return;
    case OP_ASSERT:
        t.pc++;
        if (place_holds(p, i->x, at))
            add_thread(p, list, t, at);
        return;
    default:
        list->items[list->n++] = t;
    }
}

static bool takes(const struct instruction *i, unsigned char c)
{
    return i->op == OP_ANY || (i->op == OP_BYTE && i->x == c) || (i->op == OP_CLASS && byte_set_has(i->set, c));
}

static void restart(struct threads *list)
{
    list->n = 0;
    list->now++;
}

/* Moves all threads over the byte at `at`. A thread that matches ends those after it, which the pattern likes less. */
static bool advance(struct pattern *p, const struct threads *now, struct threads *next, size_t at, size_t *slots)
{
    bool matched = false;
    restart(next);
    for (int i = 0; i < now->n && !matched; i++) {
        struct thread t = now->items[i];
        p->steps_left--;
        if (p->code[t.pc].op == OP_MATCH) {
            memcpy(slots, t.slot, sizeof t.slot);
            slots[SLOT_END] = at;
            matched = true;
        } else if (at < p->length && takes(&p->code[t.pc], p->line[at])) {
            t.pc++;
            add_thread(p, next, t, at + 1);
        }
    }
    return matched;
}

/* The leftmost match that begins at `from` or after it. */
static bool match(struct pattern *p, size_t from, size_t *slots)
{
    struct threads *now = &p->lists[0], *next = &p->lists[1];
    bool matched = false;
    restart(now);
    for (size_t at = from; at <= p->length && p->steps_left > 0; at++) {
        if (!now->n && matched)
            break;
        while (!now->n && p->skips && at < p->length && !p->first[p->line[at]])
            at++;
        if (!matched)
            add_thread(p, now, (struct thread){0, {at, UNSET, UNSET, UNSET}}, at);
        if (advance(p, now, next, at, slots))
            matched = true;
        struct threads *swap = now;
        now = next;
        next = swap;
    }
    return matched;
}

static bool last_in_line(struct pattern *p, struct pattern_group *group)
{
    size_t slots[SLOTS] = {0}, from = 0;
    bool found = false;
    while (from <= p->length && match(p, from, slots)) {
        found = true;
        bool passed = slots[SLOT_GROUP_START] != UNSET && slots[SLOT_GROUP_END] != UNSET;
        *group = (struct pattern_group){.start = passed ? (const char *)p->line + slots[SLOT_GROUP_START] : NULL,
                                        .n = passed ? slots[SLOT_GROUP_END] - slots[SLOT_GROUP_START] : 0};
        from = slots[SLOT_END] + (slots[SLOT_END] == slots[SLOT_START]);
    }
    return found;
}

static size_t line_start(const char *text, size_t end)
{
    while (end && text[end - 1] != '\n')
        end--;
    return end;
}

enum pattern_result pattern_last(struct pattern *p, const char *text, size_t n, int64_t max_steps, struct pattern_group *group)
{
    p->steps_left = max_steps;
    size_t end = n && text[n - 1] == '\n' ? n - 1 : n;
    for (;;) {
        size_t start = line_start(text, end);
        p->line = (const unsigned char *)text + start;
        p->length = end - start - (end > start && text[end - 1] == '\r');
        bool found = last_in_line(p, group);
        if (--p->steps_left <= 0)
            return PATTERN_GAVE_UP;
        if (found)
            return PATTERN_FOUND;
        if (!start)
            return PATTERN_NONE;
        end = start - 1;
    }
}
