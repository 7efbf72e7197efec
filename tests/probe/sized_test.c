/* SPDX-License-Identifier: MIT
 *
 * Programs that were compiled with an older header have shorter option structs; what lies behind them in memory is none of libtare's business.
 */
#include "leak_harness.h"
#include "point_state.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/measure.h>
#include <unistd.h>

#include <cmocka.h>

static void run(struct tare_state *st)
{
    (void)st;
}

static uint64_t call(void *state, const unsigned char *in)
{
    (void)state;
    return in[0];
}

static void *build(void *state, int64_t n)
{
    (void)n;
    return state;
}

static void of_a_shorter_benchmark_nothing_behind_it_is_read(void **state)
{
    (void)state;
    static struct tare_bench old = TARE_INIT(struct tare_bench, .name = "old", .run = run, .file = "", .zip = true,
                                             .complexity = true, .setup = run, .context = &old);
    struct probe_case c;
    struct tare_err err = {{0}};
    old.size = offsetof(struct tare_bench, complexity);
    tare_bench_register(&old);
    assert_int_equal(probe_check_list(&err), TARE_OK);
    assert_true(probe_case_at(0, &c));
    assert_string_equal(c.bench->name, "old");
    assert_true(c.bench->zip);
    assert_false(c.bench->complexity);
    assert_null(c.bench->setup);
    assert_null(c.bench->context);
    tare_bench_register(&old);
    assert_int_equal(probe_cases(), 1);
}

static void a_benchmark_of_before_there_were_versions_has_none(void **state)
{
    (void)state;
    static struct tare_bench old =
        TARE_INIT(struct tare_bench, .name = "unversioned", .run = run, .file = "", .context = &old, .version = "behind it");
    static const struct tare_bench now =
        TARE_INIT(struct tare_bench, .name = "versioned", .run = run, .file = "", .version = "2");
    struct probe_case c;
    const int64_t before = probe_cases();
    old.size = offsetof(struct tare_bench, version);
    tare_bench_register(&old);
    tare_bench_register(&now);
    assert_true(probe_case_at(before, &c));
    assert_ptr_equal(c.bench->context, &old);
    assert_null(c.bench->version);
    assert_true(probe_case_at(before + 1, &c));
    assert_string_equal(c.bench->version, "2");
}

static void of_a_shorter_target_nothing_behind_it_is_read(void **state)
{
    (void)state;
    static const char *const classes[] = {"zero", "ones"};
    static struct tare_leak old =
        TARE_INIT(struct tare_leak, .name = "old", .run = call, .bytes = 8, .classes = {classes, 2}, .build = build);
    leak_forget();
    old.size = offsetof(struct tare_leak, build);
    tare_leak_register(&old);
    tare_leak_register(&old);
    assert_int_equal(tare_leak_add(&old), TARE_OK);
    assert_int_equal(leak_targets(), 2);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(leak_target_at(i)->classes.names[1], "ones");
        assert_null(leak_target_at(i)->build);
    }
    leak_forget();
}

static void shorter_options_of_a_trace_have_the_usual_limit(void **state)
{
    (void)state;
    char folder[] = "/tmp/tare-sized-XXXXXX", command[64];
    struct tare_err err = {{0}};
    assert_non_null(mkdtemp(folder));
    struct tare_trace_options old = TARE_INIT(struct tare_trace_options, .folder = folder, .limit_bytes = 1);
    old.size = offsetof(struct tare_trace_options, limit_bytes);
    assert_int_equal(tare_trace_start(&old, &err), TARE_OK);
    assert_int_equal(point_process.request.limit_bytes, UINT64_C(64) << 30);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void what_only_a_newer_libtare_has_is_refused_where_it_is_set(void **state)
{
    (void)state;
    struct {
        struct tare_leak known;
        long more;
    } target = {TARE_INIT(struct tare_leak, .name = "new", .run = call, .bytes = 8), 0};
    leak_forget();
    target.known.size = sizeof target;
    assert_int_equal(tare_leak_add(&target.known), TARE_OK);
    target.more = 1;
    assert_int_equal(tare_leak_add(&target.known), TARE_INVALID);
    leak_forget();
}

static void without_a_size_the_reason_says_what_sets_it(void **state)
{
    (void)state;
    static const struct tare_bench bench = {.name = "none", .run = run};
    static const struct tare_leak leak = {.name = "none", .run = call, .bytes = 8};
    static const struct tare_trace_options options = {.folder = "/tmp"};
    struct tare_err of_bench = {{0}}, of_leak = {{0}}, of_trace = {{0}};
    tare_bench_register(&bench);
    tare_leak_register(&leak);
    assert_int_equal(probe_check_list(&of_bench), TARE_INVALID);
    assert_int_equal(leak_check_list(&of_leak), TARE_INVALID);
    assert_int_equal(tare_leak_add(&leak), TARE_INVALID);
    assert_int_equal(tare_trace_start(&options, &of_trace), TARE_INVALID);
    assert_non_null(strstr(of_bench.text, "TARE_INIT"));
    assert_non_null(strstr(of_leak.text, "TARE_INIT"));
    assert_non_null(strstr(of_trace.text, "TARE_INIT"));
}

/* Of the first version of each, with pointers of 8 bytes: programs have them compiled in. New fields of option structs come at the end, with rows here. */
static void fields_stay_where_they_are(void **state)
{
    (void)state;
#define FIELD(type, field) #type "." #field, offsetof(struct type, field)
    static const struct {
        const char *name;
        size_t at, pinned;
    } fields[] = {
        {FIELD(tare_bench, name), 8},
        {FIELD(tare_bench, args), 40},
        {FIELD(tare_bench, threads), 424},
        {FIELD(tare_bench, zip), 488},
        {FIELD(tare_bench, inputs), 492},
        {FIELD(tare_bench, setup), 496},
        {FIELD(tare_bench, after), 520},
        {FIELD(tare_bench, context), 528},
        {FIELD(tare_leak, name), 8},
        {FIELD(tare_leak, bytes), 40},
        {FIELD(tare_leak, make), 64},
        {FIELD(tare_leak, secret_bytes), 88},
        {FIELD(tare_leak, setup), 104},
        {FIELD(tare_leak, varies), 136},
        {FIELD(tare_leak, memory), 144},
        {FIELD(tare_leak, growth), 160},
        {FIELD(tare_leak, build), 224},
        {FIELD(tare_leak, destroy), 248},
        {FIELD(tare_trace_options, folder), 8},
        {FIELD(tare_trace_options, mode), 16},
        {FIELD(tare_trace_options, limit_bytes), 24},
        {FIELD(tare_measure, version), 0},
        {FIELD(tare_measure, k), 32},
        {FIELD(tare_measure, verbose_context), 88},
        {FIELD(tare_values, step), 56},
        {FIELD(tare_names, n), 8},
    };
#undef FIELD
    for (size_t i = 0; sizeof(void *) == 8 && i < sizeof fields / sizeof *fields; i++)
        if (fields[i].at != fields[i].pinned)
            fail_msg("%s is at %zu, not %zu", fields[i].name, fields[i].at, fields[i].pinned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_shorter_benchmark_nothing_behind_it_is_read),
        cmocka_unit_test(a_benchmark_of_before_there_were_versions_has_none),
        cmocka_unit_test(of_a_shorter_target_nothing_behind_it_is_read),
        cmocka_unit_test(shorter_options_of_a_trace_have_the_usual_limit),
        cmocka_unit_test(what_only_a_newer_libtare_has_is_refused_where_it_is_set),
        cmocka_unit_test(without_a_size_the_reason_says_what_sets_it),
        cmocka_unit_test(fields_stay_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
