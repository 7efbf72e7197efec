/* SPDX-License-Identifier: MIT */
#include "fleet_class.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct fleet_host hosts[] = {
    {"n1", NULL, 1.004e7, .008, 10, 0},
    {"n\"2\xc3\xa4", "governor is 'powersave', and on 2 of 3 nodes 'performance'", 1e7, NAN, 10, 3},
    {"n3", NULL, NAN, .1, 0, 0}};
static const struct fleet_class class_of_three = {
    .plan = "3f2a91c0b7d4", .metric = "wall", .bound = .05, .center = 1.001e7, .hosts = hosts, .n = 3};

static enum tare_status read(struct fleet_class *c, const char *text, size_t n, struct arena *a)
{
    struct tare_err err;
    return fleet_class_read(c, text, n, a, &err);
}

static int fails_at; /* 0: none does */
char *__real_arena_strdup(struct arena *a, const char *text);
char *__wrap_arena_strdup(struct arena *a, const char *text);

char *__wrap_arena_strdup(struct arena *a, const char *text)
{
    return fails_at && !--fails_at ? NULL : __real_arena_strdup(a, text);
}

static void no_memory_for_a_text_is_no_wrong_format(void **state)
{
    (void)state;
    struct buf text = BUF_INIT(1 << 20);
    struct arena a = {0};
    struct fleet_class c;
    fleet_class_put(&class_of_three, &text);
    for (int i = 1; i <= 6; i++) { /* plan, metric, three hosts and why one is out */
        fails_at = i;
        assert_int_equal(read(&c, buf_text(&text), text.len, &a), TARE_NO_MEMORY);
        assert_int_equal(fails_at, 0);
    }
    assert_int_equal(read(&c, buf_text(&text), text.len, &a), TARE_OK);
    arena_finish(&a);
    buf_finish(&text);
}

static void a_class_that_is_read_is_the_class_that_was_written(void **state)
{
    (void)state;
    struct buf text = BUF_INIT(1 << 20), again = BUF_INIT(1 << 20);
    struct arena a = {0};
    struct fleet_class c;
    fleet_class_put(&class_of_three, &text);
    assert_int_equal(read(&c, buf_text(&text), text.len, &a), TARE_OK);
    fleet_class_put(&c, &again);
    assert_string_equal(buf_text(&again), buf_text(&text));
    assert_null(fleet_class_out(&c, "n1"));
    assert_null(fleet_class_out(&c, "n4"));
    assert_null(fleet_class_find(&c, "n4"));
    assert_string_equal(fleet_class_out(&c, hosts[1].host), hosts[1].out);
    assert_true(isnan(fleet_class_find(&c, "n3")->reference));
    arena_finish(&a);
    buf_finish(&text);
    buf_finish(&again);
}

static void one_that_was_cut_is_refused(void **state)
{
    (void)state;
    struct buf text = BUF_INIT(1 << 20);
    struct arena a = {0};
    struct fleet_class c;
    fleet_class_put(&class_of_three, &text);
    for (size_t i = 0; i < text.len; i++) {
        assert_int_equal(read(&c, buf_text(&text), i, &a), TARE_FORMAT);
        assert_int_equal(c.n, 0);
    }
    arena_finish(&a);
    buf_finish(&text);
}

#define HEAD(more) "{\"type\":\"class\",\"schema\":1,\"plan\":\"a\",\"metric\":\"wall\",\"bound\":0.05,\"center\":null" more "}\n"
#define HOST(name, more) \
    "{\"type\":\"host\",\"host\":\"" name "\",\"out\":null,\"reference\":1,\"noise\":null,\"sessions\":10," more "}\n"

static void what_is_none_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\n",
        "[]\n",
        HEAD(""),
        HEAD(",\"hosts\":-1"),
        HEAD(",\"hosts\":1001"),
        HEAD(",\"hosts\":1"),
        HEAD(",\"hosts\":0") HOST("n1", "\"wrong\":0"),
        HEAD(",\"hosts\":2") HOST("n1", "\"wrong\":0") HOST("n1", "\"wrong\":0"),
        HEAD(",\"hosts\":1") HOST("", "\"wrong\":0"),
        HEAD(",\"hosts\":1") HOST("n\xff", "\"wrong\":0"),
        HEAD(",\"hosts\":1") HOST("n1", "\"wrong\":11"),
        HEAD(",\"hosts\":1") "{\"type\":\"host\",\"host\":\"n1\",\"out\":7,\"reference\":1,\"noise\":1,\"sessions\":1,\"wrong\":"
                             "0}\n",
        HEAD(",\"hosts\":1") "{\"type\":\"host\",\"host\":\"n1\",\"reference\":1,\"noise\":1,\"sessions\":1,\"wrong\":0}\n",
    };
    struct arena a = {0};
    struct fleet_class c;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (read(&c, texts[i], strlen(texts[i]), &a) != TARE_FORMAT) {
            print_error("not refused: %s\n", texts[i]);
            fail();
        }
    static const char good[] = HEAD(",\"hosts\":1") HOST("n1", "\"wrong\":0"), later[] = "{\"type\":\"class\",\"schema\":2}\n";
    assert_int_equal(read(&c, good, sizeof good - 1, &a), TARE_OK);
    assert_int_equal(read(&c, later, sizeof later - 1, &a), TARE_UNSUPPORTED);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_memory_for_a_text_is_no_wrong_format),
        cmocka_unit_test(a_class_that_is_read_is_the_class_that_was_written),
        cmocka_unit_test(one_that_was_cut_is_refused),
        cmocka_unit_test(what_is_none_is_refused),
    };
    return cmocka_run_group_tests_name("fleet classes", tests, NULL, NULL);
}
