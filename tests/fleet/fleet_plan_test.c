/* SPDX-License-Identifier: MIT */
#include "fleet_plan.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *const argv[] = {"run", "-r", "10", "./old", "a \"b\" \\ \n\xc3\xa4", NULL};

static struct fleet_plan plan_of(int nodes, int blocks, uint64_t seed)
{
    struct fleet_plan p = {.argv = argv, .argc = 5, .nodes = nodes, .blocks = blocks, .seed = seed};
    fleet_plan_name(&p);
    return p;
}

static struct buf text_of(const struct fleet_plan *p)
{
    struct buf b = BUF_INIT(1 << 26);
    fleet_plan_put(p, &b);
    assert_int_equal(b.status, TARE_OK);
    return b;
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
    (void)state;
    const struct fleet_plan p = plan_of(8, 2, 7), q = plan_of(8, 2, 8);
    struct buf a = text_of(&p), b = text_of(&p), c = text_of(&q);
    assert_int_equal(a.len, b.len);
    assert_memory_equal(a.data, b.data, a.len);
    assert_string_not_equal(p.id, q.id);
    assert_true(c.len != a.len || memcmp(a.data, c.data, a.len) != 0);
    buf_finish(&a);
    buf_finish(&b);
    buf_finish(&c);
}

static void each_node_has_each_block_once(void **state)
{
    (void)state;
    enum { NODES = 7, BLOCKS = 3 };
    const struct fleet_plan p = plan_of(NODES, BLOCKS, 1);
    struct fleet_unit units[NODES * BLOCKS];
    int seen[NODES][BLOCKS] = {{0}};
    fleet_plan_units(&p, units);
    for (int i = 0; i < NODES * BLOCKS; i++) {
        assert_int_equal(units[i].number, i + 1);
        assert_int_equal(units[i].block, i / NODES + 1); /* a block of all nodes before the next one */
        seen[units[i].node - 1][units[i].block - 1]++;
        for (int k = 0; k < i; k++)
            assert_true(units[k].seed != units[i].seed);
    }
    for (int i = 0; i < NODES * BLOCKS; i++)
        assert_int_equal(seen[i / BLOCKS][i % BLOCKS], 1);
}

static void a_plan_that_is_read_is_the_plan_that_was_written(void **state)
{
    (void)state;
    struct fleet_plan p = plan_of(5, 2, UINT64_MAX), q;
    struct buf text = text_of(&p);
    struct arena a = {0};
    struct tare_err err;
    assert_int_equal(fleet_plan_read(&q, buf_text(&text), text.len, &a, &err), TARE_OK);
    assert_string_equal(q.id, p.id);
    assert_true(q.seed == UINT64_MAX && q.nodes == 5 && q.blocks == 2 && q.argc == 5 && !q.argv[5]);
    for (int i = 0; i < 5; i++)
        assert_string_equal(q.argv[i], argv[i]);
    arena_finish(&a);
    buf_finish(&text);
}

static void whatever_was_changed_is_refused(void **state)
{
    (void)state;
    struct fleet_plan p = plan_of(3, 1, 7), q;
    struct buf text = text_of(&p);
    struct arena a = {0};
    struct tare_err err;
    for (size_t i = 0; i < text.len; i++) {
        assert_int_not_equal(fleet_plan_read(&q, buf_text(&text), i, &a, &err), TARE_OK);
        text.data[i] ^= 1;
        assert_int_not_equal(fleet_plan_read(&q, buf_text(&text), text.len, &a, &err), TARE_OK);
        text.data[i] ^= 1;
    }
    assert_int_equal(fleet_plan_read(&q, "{\"type\":\"plan\",\"schema\":2}", 26, &a, &err), TARE_UNSUPPORTED);
    static const char large[] =
        "{\"type\":\"plan\",\"schema\":1,\"id\":\"\",\"seed\":1,\"nodes\":1000000,\"blocks\":1,\"argv\":[]}\n";
    assert_int_equal(fleet_plan_read(&q, large, sizeof large - 1, &a, &err), TARE_FORMAT);
    arena_finish(&a);
    buf_finish(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(each_node_has_each_block_once),
        cmocka_unit_test(a_plan_that_is_read_is_the_plan_that_was_written),
        cmocka_unit_test(whatever_was_changed_is_refused),
    };
    return cmocka_run_group_tests_name("fleet plans", tests, NULL, NULL);
}
