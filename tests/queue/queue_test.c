/* SPDX-License-Identifier: MIT
 *
 * The queue of examples/queue against an array that is used in the same way. */
#include "queue.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 400, TEXT = 16 };

struct model {
    char texts[MOST][TEXT];
    size_t n;
};

static void check_same(const struct queue *q, const struct model *m)
{
    size_t i = 0;
    for (const struct queue_element *e = queue_next(q, NULL); e; e = queue_next(q, e), i++) {
        assert_true(i < m->n);
        assert_string_equal(queue_text(e), m->texts[i]);
    }
    assert_int_equal(i, m->n);
    assert_int_equal(queue_size(q), m->n);
    assert_int_equal(queue_size_walk(q), m->n);
}

static uint32_t roll(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static void model_insert(struct model *m, size_t at, const char *text)
{
    memmove(m->texts[at + 1], m->texts[at], (m->n - at) * TEXT);
    snprintf(m->texts[at], TEXT, "%s", text);
    m->n++;
}

static void model_remove(struct model *m, size_t at)
{
    m->n--;
    memmove(m->texts[at], m->texts[at + 1], (m->n - at) * TEXT);
}

static void one_step(struct queue *q, struct model *m, uint32_t *state)
{
    char text[TEXT], room[TEXT];
    snprintf(text, sizeof text, "%u", roll(state) % 50);
    switch (roll(state) % 6) {
    case 0:
        assert_true(queue_insert_head(q, text));
        model_insert(m, 0, text);
        break;
    case 1:
        assert_true(queue_insert_tail(q, text));
        model_insert(m, m->n, text);
        break;
    case 2:
        assert_true(queue_insert_tail_walk(q, text));
        model_insert(m, m->n, text);
        break;
    case 3:
    case 4:
        assert_int_equal(queue_remove_head(q, room, sizeof room), m->n > 0);
        if (m->n) {
            assert_string_equal(room, m->texts[0]);
            model_remove(m, 0);
        }
        break;
    default:
        assert_int_equal(queue_remove_tail(q, room, sizeof room), m->n > 0);
        if (m->n) {
            assert_string_equal(room, m->texts[m->n - 1]);
            model_remove(m, m->n - 1);
        }
    }
}

static void it_holds_what_an_array_used_alike_holds(void **unused)
{
    (void)unused;
    struct model *m = calloc(1, sizeof *m);
    struct queue *q = queue_new();
    uint32_t state = 1;
    for (int i = 0; i < 300; i++) {
        one_step(q, m, &state);
        check_same(q, m);
    }
    queue_free(q);
    free(m);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void sorting_and_turning_give_what_an_array_gives(void **unused)
{
    (void)unused;
    struct model *m = calloc(1, sizeof *m);
    for (size_t n = 0; n < 130; n++) {
        struct queue *q = queue_new();
        uint32_t state = (uint32_t)n;
        m->n = 0;
        for (size_t i = 0; i < n; i++) {
            snprintf(m->texts[m->n++], TEXT, "%u", roll(&state) % 40);
            assert_true(queue_insert_tail(q, m->texts[m->n - 1]));
        }
        qsort(m->texts, m->n, TEXT, by_text);
        queue_sort(q);
        check_same(q, m);
        queue_reverse(q);
        for (size_t i = 0; i < n / 2; i++) {
            char swap[TEXT];
            memcpy(swap, m->texts[i], TEXT);
            memcpy(m->texts[i], m->texts[n - 1 - i], TEXT);
            memcpy(m->texts[n - 1 - i], swap, TEXT);
        }
        check_same(q, m);
        queue_free(q);
    }
    free(m);
}

static void equal_texts_stay_in_order(void **unused)
{
    (void)unused;
    struct queue *q = queue_new();
    const struct queue_element *before[8], *e = NULL;
    for (int i = 0; i < 8; i++)
        assert_true(queue_insert_tail(q, "same"));
    for (int i = 0; i < 8; i++)
        before[i] = e = queue_next(q, e);
    queue_sort(q);
    e = NULL;
    for (int i = 0; i < 8; i++) {
        e = queue_next(q, e);
        assert_ptr_equal(e, before[i]);
    }
    queue_free(q);
}

static void mixing_keeps_all_and_changes_the_order(void **unused)
{
    (void)unused;
    struct queue *q = queue_new();
    char text[TEXT];
    int in_place = 0, i = 0;
    for (int k = 0; k < 200; k++) {
        snprintf(text, sizeof text, "%03d", k);
        assert_true(queue_insert_tail(q, text));
    }
    queue_shuffle(q, 5);
    for (const struct queue_element *e = queue_next(q, NULL); e; e = queue_next(q, e))
        in_place += atoi(queue_text(e)) == i++;
    assert_int_equal(i, 200);
    assert_true(in_place < 20);
    queue_sort(q);
    i = 0;
    for (const struct queue_element *e = queue_next(q, NULL); e; e = queue_next(q, e))
        assert_int_equal(atoi(queue_text(e)), i++);
    queue_free(q);
}

static void texts_are_cut_to_the_room_there_is(void **unused)
{
    (void)unused;
    struct queue *q = queue_new();
    char room[4] = "xxx";
    assert_true(queue_insert_head(q, "longer than that"));
    assert_true(queue_remove_head(q, room, sizeof room));
    assert_string_equal(room, "lon");
    assert_true(queue_insert_head(q, ""));
    assert_true(queue_remove_tail(q, NULL, 0));
    assert_int_equal(queue_size(q), 0);
    queue_free(q);
}

static void without_a_queue_nothing_happens(void **unused)
{
    (void)unused;
    assert_false(queue_insert_head(NULL, "a"));
    assert_false(queue_insert_tail(NULL, "a"));
    assert_false(queue_insert_tail_walk(NULL, "a"));
    assert_false(queue_remove_head(NULL, NULL, 0));
    assert_false(queue_remove_tail(NULL, NULL, 0));
    assert_int_equal(queue_size(NULL), 0);
    assert_int_equal(queue_size_walk(NULL), 0);
    assert_null(queue_next(NULL, NULL));
    queue_sort(NULL);
    queue_reverse(NULL);
    queue_shuffle(NULL, 1);
    queue_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_holds_what_an_array_used_alike_holds),
        cmocka_unit_test(sorting_and_turning_give_what_an_array_gives),
        cmocka_unit_test(equal_texts_stay_in_order),
        cmocka_unit_test(mixing_keeps_all_and_changes_the_order),
        cmocka_unit_test(texts_are_cut_to_the_room_there_is),
        cmocka_unit_test(without_a_queue_nothing_happens),
    };
    return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
