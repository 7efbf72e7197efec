/* SPDX-License-Identifier: MIT
 *
 * How the time of each operation grows with the number of elements: tare leak --growth. growth.tsv says what is expected. */
#include "queue.h"
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>

static uint64_t scattered(uint64_t i)
{
    i = (i + 1) * 0x9e3779b97f4a7c15u;
    return i ^ i >> 29;
}

/* Texts of seven letters in no order. */
static void seven_letters(uint64_t i, char text[8])
{
    uint64_t letters = scattered(i);
    for (int k = 0; k < 7; k++, letters /= 26)
        text[k] = (char)('a' + letters % 26);
    text[7] = 0;
}

static void *queue_of(void *state, int64_t n)
{
    struct queue *q = queue_new();
    (void)state;
    for (int64_t i = 0; q && i < n; i++) {
        char text[8];
        seven_letters((uint64_t)i, text);
        if (!queue_insert_tail(q, text)) {
            queue_free(q);
            q = NULL;
        }
    }
    return q;
}

static void drop_queue(void *q)
{
    queue_free(q);
}

static void remove_last(void *q)
{
    queue_remove_tail(q, NULL, 0);
}

static void remove_first(void *q)
{
    queue_remove_head(q, NULL, 0);
}

static void put_one_back(void *q)
{
    queue_insert_head(q, "another");
}

static void mix(void *q)
{
    queue_shuffle(q, 7);
}

TARE_LEAK(queue_size_kept, .build = queue_of, .destroy = drop_queue)
{
    return queue_size(state);
}

TARE_LEAK(queue_size_walk, .build = queue_of, .destroy = drop_queue, .growth = TARE_RANGE(1, 16384, 2))
{
    return queue_size_walk(state);
}

TARE_LEAK(queue_insert_head, .build = queue_of, .destroy = drop_queue, .undo = remove_first)
{
    return queue_insert_head(state, "another");
}

TARE_LEAK(queue_insert_tail_pointer, .build = queue_of, .destroy = drop_queue, .undo = remove_last)
{
    return queue_insert_tail(state, "another");
}

TARE_LEAK(queue_insert_tail_walk, .build = queue_of, .destroy = drop_queue, .undo = remove_last,
          .growth = TARE_RANGE(1, 16384, 2))
{
    return queue_insert_tail_walk(state, "another");
}

TARE_LEAK(queue_remove_head, .build = queue_of, .destroy = drop_queue, .undo = put_one_back)
{
    return queue_remove_head(state, NULL, 0);
}

/* Sorted is sorted: before the next call the elements are mixed again. */
TARE_LEAK(queue_sort, .build = queue_of, .destroy = drop_queue, .undo = mix, .growth = TARE_RANGE(16, 4096, 2))
{
    queue_sort(state);
    return queue_size(state);
}

TARE_LEAK(queue_reverse, .build = queue_of, .destroy = drop_queue, .growth = TARE_RANGE(64, 16384, 2))
{
    queue_reverse(state);
    return queue_size(state);
}

/* ---- a hash map and a tree of numbers, for comparison ---- */

struct map {
    uint64_t mask, n, turn;
    uint64_t *keys; /* open addressing, at most half full; 0: free */
};

static void map_drop(void *state)
{
    struct map *m = state;
    free(m->keys);
    free(m);
}

static void *map_of(void *state, int64_t n)
{
    struct map *m = calloc(1, sizeof *m);
    (void)state;
    if (!m)
        return NULL;
    m->n = (uint64_t)n;
    for (m->mask = 1; m->mask < 2 * m->n; m->mask = 2 * m->mask + 1)
        continue;
    m->keys = calloc((size_t)m->mask + 1, sizeof *m->keys);
    for (uint64_t i = 0; m->keys && i < m->n; i++) {
        uint64_t at = scattered(i) & m->mask;
        while (m->keys[at])
            at = (at + 1) & m->mask;
        m->keys[at] = scattered(i);
    }
    if (m->keys)
        return m;
    map_drop(m);
    return NULL;
}

/* Each call looks for another key. */
TARE_LEAK(map_get, .varies = true, .build = map_of, .destroy = map_drop)
{
    struct map *m = state;
    m->turn = m->turn + 1 < m->n ? m->turn + 1 : 0;
    uint64_t key = scattered(m->turn), at = key & m->mask;
    while (m->keys[at] && m->keys[at] != key)
        at = (at + 1) & m->mask;
    return at;
}

/* A perfect search tree in an array, the children of i at 2 i + 1 and 2 i + 2. */
struct tree {
    uint64_t n, turn;
    uint64_t keys[];
};

static uint64_t fill_in_order(struct tree *t, uint64_t at, uint64_t next)
{
    if (at >= t->n)
        return next;
    next = fill_in_order(t, 2 * at + 1, next);
    t->keys[at] = next;
    return fill_in_order(t, 2 * at + 2, next + 1);
}

static void *tree_of(void *state, int64_t n)
{
    struct tree *t = calloc(1, sizeof *t + (size_t)n * sizeof *t->keys);
    (void)state;
    if (t) {
        t->n = (uint64_t)n;
        fill_in_order(t, 0, 0);
    }
    return t;
}

TARE_LEAK(tree_get, .varies = true, .build = tree_of, .destroy = free)
{
    struct tree *t = state;
    uint64_t key = scattered(t->turn++) % (t->n ? t->n : 1), at = 0, steps = 0;
    while (at < t->n && t->keys[at] != key) {
        at = 2 * at + 1 + (t->keys[at] < key);
        steps++;
    }
    return steps;
}

TARE_MAIN()
