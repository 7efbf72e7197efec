/* SPDX-License-Identifier: MIT
 *
 * A ring with the queue itself as its mark: head.next is the first element, head.previous the last. */
#include "queue.h"
#include <stdlib.h>
#include <string.h>

struct link {
    struct link *previous, *next;
};
struct queue_element {
    struct link link; /* first: an element is found by its link */
    char text[];
};
struct queue {
    struct link head;
    size_t size;
};

static struct queue_element *element_of(struct link *l)
{
    return (struct queue_element *)l;
}

static void empty(struct queue *q)
{
    q->head.previous = q->head.next = &q->head;
    q->size = 0;
}

struct queue *queue_new(void)
{
    struct queue *q = malloc(sizeof *q);
    if (q)
        empty(q);
    return q;
}

void queue_free(struct queue *q)
{
    while (queue_remove_head(q, NULL, 0))
        continue;
    free(q);
}

/* ---- in and out ---- */

static bool insert_before(struct queue *q, struct link *at, const char *text)
{
    size_t n = strlen(text) + 1;
    struct queue_element *e = malloc(sizeof *e + n);
    if (!e)
        return false;
    memcpy(e->text, text, n);
    e->link = (struct link){at->previous, at};
    at->previous->next = &e->link;
    at->previous = &e->link;
    q->size++;
    return true;
}

bool queue_insert_head(struct queue *q, const char *text)
{
    return q && insert_before(q, q->head.next, text);
}

bool queue_insert_tail(struct queue *q, const char *text)
{
    return q && insert_before(q, &q->head, text);
}

bool queue_insert_tail_walk(struct queue *q, const char *text)
{
    if (!q)
        return false;
    struct link *at = q->head.next;
    while (at != &q->head)
        at = at->next;
    return insert_before(q, at, text);
}

static bool take_out(struct queue *q, struct link *l, char *room, size_t size)
{
    if (l == &q->head)
        return false;
    struct queue_element *e = element_of(l);
    if (room && size) {
        size_t n = strlen(e->text);
        n = n < size ? n : size - 1;
        memcpy(room, e->text, n);
        room[n] = 0;
    }
    l->previous->next = l->next;
    l->next->previous = l->previous;
    q->size--;
    free(e);
    return true;
}

bool queue_remove_head(struct queue *q, char *room, size_t size)
{
    return q && take_out(q, q->head.next, room, size);
}

bool queue_remove_tail(struct queue *q, char *room, size_t size)
{
    return q && take_out(q, q->head.previous, room, size);
}

/* ---- size ---- */

size_t queue_size(const struct queue *q)
{
    return q ? q->size : 0;
}

size_t queue_size_walk(const struct queue *q)
{
    size_t n = 0;
    for (const struct link *l = q ? q->head.next : NULL; l && l != &q->head; l = l->next)
        n++;
    return n;
}

/* ---- order ---- */

/* Two chains that end in NULL, merged by their next alone. */
static struct link *merge(struct link *a, struct link *b)
{
    struct link *first = NULL, **end = &first;
    while (a && b) {
        struct link **least = strcmp(element_of(a)->text, element_of(b)->text) <= 0 ? &a : &b;
        *end = *least;
        end = &(*end)->next;
        *least = (*least)->next;
    }
    *end = a ? a : b;
    return first;
}

/* Makes the ring of a chain. */
static void close_ring(struct queue *q, struct link *first)
{
    struct link *before = &q->head;
    for (struct link *l = first; l; l = l->next) {
        l->previous = before;
        before->next = l;
        before = l;
    }
    before->next = &q->head;
    q->head.previous = before;
}

static struct link *open_ring(struct queue *q)
{
    if (q->head.next == &q->head)
        return NULL;
    q->head.previous->next = NULL;
    return q->head.next;
}

/* runs[i] is a sorted chain of 2^i elements or NULL: each new element is merged into them as one is added to a binary number. */
void queue_sort(struct queue *q)
{
    struct link *runs[64] = {NULL}, *all = NULL;
    for (struct link *l = q ? open_ring(q) : NULL, *next; l; l = next) {
        int i = 0;
        next = l->next;
        l->next = NULL;
        for (; runs[i]; i++) {
            l = merge(runs[i], l);
            runs[i] = NULL;
        }
        runs[i] = l;
    }
    for (int i = 0; i < 64; i++)
        all = merge(runs[i], all);
    if (q)
        close_ring(q, all);
}

void queue_reverse(struct queue *q)
{
    struct link *reversed = NULL;
    for (struct link *l = q ? open_ring(q) : NULL, *next; l; l = next) {
        next = l->next;
        l->next = reversed;
        reversed = l;
    }
    if (q)
        close_ring(q, reversed);
}

static unsigned long long next_random(unsigned long long *state)
{
    *state += 0x9e3779b97f4a7c15u;
    unsigned long long z = *state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void queue_shuffle(struct queue *q, unsigned long long seed)
{
    struct link **all = q && q->size ? malloc(q->size * sizeof *all) : NULL;
    size_t n = 0;
    if (!all)
        return;
    for (struct link *l = q->head.next; l != &q->head; l = l->next)
        all[n++] = l;
    for (size_t i = n - 1; i > 0; i--) {
        size_t j = (size_t)(next_random(&seed) % (i + 1));
        struct link *swap = all[i];
        all[i] = all[j];
        all[j] = swap;
    }
    for (size_t i = 0; i < n; i++)
        all[i]->next = i + 1 < n ? all[i + 1] : NULL;
    close_ring(q, all[0]);
    free(all);
}

/* ---- a look at each ---- */

const struct queue_element *queue_next(const struct queue *q, const struct queue_element *after)
{
    const struct link *next = after ? after->link.next : q ? q->head.next : NULL;
    return q && next != &q->head ? (const struct queue_element *)next : NULL;
}

const char *queue_text(const struct queue_element *e)
{
    return e ? e->text : NULL;
}
