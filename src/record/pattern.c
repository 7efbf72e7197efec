/* SPDX-License-Identifier: MIT
 *
 * The tree becomes a list of instructions; the search advances a list of threads, each a place in that list with the positions it
 * passed, one byte at a time. A place is in the list once, the thread that the pattern prefers first, so that a byte costs at most one
 * step for each instruction. (R. Cox, "Regular expression matching: the virtual machine approach", 2009, explains the method.)
 */
#include "pattern.h"
#include "buf.h"
#include "pattern_parse.h"
#include <string.h>

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

/* ---- from the tree to instructions ---- */

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

static void translate_loop(struct pattern *p, const struct node *n)
{
    int split = emit_split(p, n->lazy);
    translate(p, n->a);
    emit(p, (struct instruction){.op = OP_JUMP, .x = split});
    close_split(p, split, n->lazy);
}

static void translate_repeat(struct pattern *p, const struct node *n)
{
    int splits[256], n_splits = 0;
    for (int i = 0; i < n->least && !p->full; i++)
        translate(p, n->a);
    if (n->most < 0)
        translate_loop(p, n);
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

/* ---- with which bytes a match can begin ---- */

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

/* ---- one line ---- */

static bool word_at(const struct pattern *p, size_t at)
{
    return at < p->length && byte_is_word(p->line[at]);
}

static bool holds(const struct pattern *p, int place, size_t at)
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
static void add(struct pattern *p, struct threads *list, struct thread t, size_t at)
{
    const struct instruction *i = &p->code[t.pc];
    if (list->seen[t.pc] == list->now)
        return;
    list->seen[t.pc] = list->now;
    p->steps_left--;
    switch (i->op) {
    case OP_JUMP:
        t.pc = i->x;
        add(p, list, t, at);
        return;
    case OP_SPLIT:
        t.pc = i->x;
        add(p, list, t, at);
        t.pc = i->y;
        add(p, list, t, at);
        return;
    case OP_SAVE:
        t.pc++;
        t.slot[i->x] = at;
        add(p, list, t, at);
        return;
    case OP_ASSERT:
        t.pc++;
        if (holds(p, i->x, at))
            add(p, list, t, at);
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
            add(p, next, t, at + 1);
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
            add(p, now, (struct thread){0, {at, UNSET, UNSET, UNSET}}, at);
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
