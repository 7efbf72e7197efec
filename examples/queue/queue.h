/* SPDX-License-Identifier: MIT
 *
 * queue.h - a queue of texts as a doubly linked list, and slow twins of two of its operations, so that there is something to find.
 *
 *     struct queue *q = queue_new();
 *     queue_insert_tail(q, "first");
 *     queue_remove_head(q, text, sizeof text);
 *     queue_free(q);
 *
 * The queue owns copies of its texts. Calls that insert return false without memory and leave the queue as it was; calls with a NULL
 * queue do nothing and return false, 0 or NULL.
 */
#ifndef QUEUE_H
#define QUEUE_H

#include <stdbool.h>
#include <stddef.h>

struct queue;

struct queue *queue_new(void);
void queue_free(struct queue *q);

bool queue_insert_head(struct queue *q, const char *text);
bool queue_insert_tail(struct queue *q, const char *text);      /* by the pointer to the last element: O(1) */
bool queue_insert_tail_walk(struct queue *q, const char *text); /* walks to the end first: O(n) */
/* The text goes to `room`, cut to size - 1 bytes and closed by a zero; room may be NULL. False: the queue is empty. */
bool queue_remove_head(struct queue *q, char *room, size_t size);
bool queue_remove_tail(struct queue *q, char *room, size_t size);

size_t queue_size(const struct queue *q);      /* kept: O(1) */
size_t queue_size_walk(const struct queue *q); /* counted: O(n) */

void queue_sort(struct queue *q);    /* rising by strcmp, equal ones stay in order: merges, O(n log n) */
void queue_reverse(struct queue *q); /* O(n) */
/* Another order, the same each time for the same seed: O(n). Without memory: nothing changes. */
void queue_shuffle(struct queue *q, unsigned long long seed);

/* From head to tail: NULL gives the first element, an element the next one; NULL after the last. */
struct queue_element;
const struct queue_element *queue_next(const struct queue *q, const struct queue_element *after);
const char *queue_text(const struct queue_element *e);

#endif
