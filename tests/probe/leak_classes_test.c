/* SPDX-License-Identifier: MIT
 *
 * What the ready classes fill in, that none of them leaves its bytes, and what is no class or no target, or too short for the clock.
 */
#include "leak_harness.h"
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 64, AROUND = 32, TIMES = 200 };

static uint64_t nothing(void *state, const unsigned char *in)
{
    (void)state;
    return in[0];
}

/* A filled input, with bytes around it that must stay. */
struct filled {
    unsigned char before[AROUND], in[BYTES], behind[AROUND];
};

static void fill(const char *name, size_t bytes, const void *reference, struct filled *out)
{
    static struct tare_random random;
    struct tare_leak leak = {.name = "t", .run = nothing, .bytes = bytes, .reference = reference};
    struct leak_class c;
    struct tare_err err = {{0}};
    if (leak_class_open(&c, &leak, name, &err))
        fail_msg("%s for %zu bytes: %s", name, bytes, err.text);
    memset(out, 0x77, sizeof *out);
    if (!random.rng.s[0])
        random.rng = rng_seeded(1);
    c.fill(&c, out->in, bytes, &random);
    leak_class_close(&c);
    for (size_t i = bytes; i < BYTES; i++)
        if (out->in[i] != 0x77)
            fail_msg("%s for %zu bytes: byte %zu was written", name, bytes, i);
    for (int i = 0; i < AROUND; i++)
        assert_true(out->before[i] == 0x77 && out->behind[i] == 0x77);
}

static int bits_set(const unsigned char *in, size_t n)
{
    int set = 0;
    for (size_t i = 0; i < 8 * n; i++)
        set += in[i / 8] >> i % 8 & 1;
    return set;
}

static double mean_bits(const char *name)
{
    struct filled f;
    double sum = 0;
    for (int i = 0; i < TIMES; i++) {
        fill(name, BYTES, NULL, &f);
        sum += bits_set(f.in, BYTES);
    }
    return sum / TIMES / (8 * BYTES);
}

static void no_class_leaves_its_bytes(void **state)
{
    (void)state;
    static const char *const names[] = {"zero",         "ones",        "minus-one", "random", "fixed",         "fixed2",
                                        "low-weight",   "high-weight", "one-hot",   "equal",  "differs-first", "differs-middle",
                                        "differs-last", "prefix:0",    "short",     "long",   "leading-zeros", "trailing-zeros",
                                        "sparse",       "length:0",    "length:1",  "small",  "large",         "power-of-two",
                                        "normal",       "denormal",    "infinite",  "nan",    "normal32",      "denormal32"};
    static const unsigned char reference[BYTES];
    struct filled f;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t bytes = 1; bytes <= BYTES; bytes++)
            fill(names[i], bytes, reference, &f);
}

static void weights_are_as_said(void **state)
{
    (void)state;
    assert_true(mean_bits("zero") == 0 && mean_bits("ones") == 1);
    assert_true(fabs(mean_bits("random") - 0.5) < 0.01);
    assert_true(fabs(mean_bits("low-weight") - 1 / 16.0) < 0.01);
    assert_true(fabs(mean_bits("high-weight") - 15 / 16.0) < 0.01);
    assert_true(mean_bits("one-hot") == 1.0 / (8 * BYTES));
}

static void fixed_values_stay_and_differ(void **state)
{
    (void)state;
    struct filled a, b, other;
    fill("fixed", 32, NULL, &a);
    fill("fixed", 32, NULL, &b);
    fill("fixed2", 32, NULL, &other);
    assert_memory_equal(a.in, b.in, 32);
    assert_true(memcmp(a.in, other.in, 32) != 0);
}

/* Bytes of the second half that are as in the first. */
static size_t equal_from_start(const struct filled *f, size_t n)
{
    size_t i = 0;
    while (i < n && f->in[i] == f->in[n + i])
        i++;
    return i;
}

static void comparisons_differ_where_they_say(void **state)
{
    (void)state;
    struct filled f;
    static const struct {
        const char *name;
        size_t equal;
    } cases[] = {{"equal", 32},        {"differs-first", 0}, {"differs-middle", 16},
                 {"differs-last", 31}, {"prefix:5", 5},      {"prefix:31", 31}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int i = 0; i < TIMES; i++) {
            fill(cases[c].name, 64, NULL, &f);
            assert_int_equal(equal_from_start(&f, 32), cases[c].equal);
        }
    fill("differs-middle", 64, NULL, &f);
    assert_memory_equal(f.in + 17, f.in + 32 + 17, 15);
}

static void a_reference_is_what_is_compared_with(void **state)
{
    (void)state;
    static const unsigned char reference[7] = {1, 2, 3, 4, 5, 6, 7};
    struct filled f;
    fill("equal", 7, reference, &f);
    assert_memory_equal(f.in, reference, 7);
    fill("differs-last", 7, reference, &f);
    assert_memory_equal(f.in, reference, 6);
    assert_true(f.in[6] != 7);
}

static void big_numbers_have_their_zeros(void **state)
{
    (void)state;
    static const unsigned char zeros[BYTES];
    struct filled f;
    fill("short", 64, NULL, &f);
    assert_memory_equal(f.in, zeros, 48);
    assert_true(bits_set(f.in + 48, 16) > 30);
    fill("long", 64, NULL, &f);
    assert_true(f.in[0] & 0x80);
    fill("leading-zeros", 64, NULL, &f);
    assert_memory_equal(f.in, zeros, 16);
    fill("trailing-zeros", 64, NULL, &f);
    assert_memory_equal(f.in + 48, zeros, 16);
    fill("sparse", 64, NULL, &f);
    int set = 0;
    for (int i = 0; i < 64; i++)
        set += f.in[i] != 0;
    assert_int_equal(set, 8);
    fill("length:9", 64, NULL, &f);
    assert_int_equal(strlen((const char *)f.in), 9);
    assert_memory_equal(f.in + 9, zeros, 55);
}

static void numbers_of_the_machine_are_what_they_say(void **state)
{
    (void)state;
    struct filled f;
    uint64_t w[8];
    double d[8];
    float s[16];
    fill("small", 64, NULL, &f);
    memcpy(w, f.in, 64);
    for (int i = 0; i < 8; i++)
        assert_true(w[i] >= 1 && w[i] <= 15);
    fill("power-of-two", 64, NULL, &f);
    memcpy(w, f.in, 64);
    for (int i = 0; i < 8; i++)
        assert_true(w[i] && !(w[i] & (w[i] - 1)));
    fill("normal", 64, NULL, &f);
    memcpy(d, f.in, 64);
    for (int i = 0; i < 8; i++)
        assert_true(d[i] >= 1 && d[i] < 2);
    fill("denormal", 64, NULL, &f);
    memcpy(d, f.in, 64);
    for (int i = 0; i < 8; i++)
        assert_true(fpclassify(d[i]) == FP_SUBNORMAL && d[i] < DBL_MIN);
    fill("infinite", 64, NULL, &f);
    memcpy(d, f.in, 64);
    assert_true(isinf(d[0]) && isinf(d[7]));
    fill("nan", 64, NULL, &f);
    memcpy(d, f.in, 64);
    assert_true(isnan(d[0]) && isnan(d[7]));
    fill("normal32", 64, NULL, &f);
    memcpy(s, f.in, 64);
    for (int i = 0; i < 16; i++)
        assert_true(s[i] >= 1 && s[i] < 2);
    fill("denormal32", 64, NULL, &f);
    memcpy(s, f.in, 64);
    for (int i = 0; i < 16; i++)
        assert_int_equal(fpclassify(s[i]), FP_SUBNORMAL);
}

static void records_come_from_a_file(void **state)
{
    (void)state;
    static const char path[] = "leak_classes_test.records";
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite("aaaabbbbcccc", 1, 12, file), 12);
    assert_int_equal(fclose(file), 0);
    char name[64];
    struct buf b = buf_over(name, sizeof name);
    buf_format(&b, "file:%s", path);
    struct filled f;
    unsigned seen = 0;
    for (int i = 0; i < TIMES; i++) {
        fill(name, 4, NULL, &f);
        assert_true(f.in[0] == f.in[3] && f.in[0] >= 'a' && f.in[0] <= 'c');
        seen |= 1u << (f.in[0] - 'a');
    }
    assert_int_equal(seen, 7);
    struct leak_class c;
    struct tare_leak leak = {.name = "t", .run = nothing, .bytes = 5};
    assert_int_equal(leak_class_open(&c, &leak, name, NULL), TARE_FORMAT);
    leak_class_close(&c);
    assert_int_equal(remove(path), 0);
}

static void what_is_no_class_is_refused_with_those_that_are(void **state)
{
    (void)state;
    struct tare_err err = {{0}};
    assert_int_equal(leak_class_check("zeros", 8, false, &err), TARE_INVALID);
    assert_non_null(strstr(err.text, "low-weight"));
    assert_non_null(strstr(err.text, "file:PATH"));
    static const char *const bad[] = {"",         "prefix:", "prefix:4", "prefix:-1", "prefix:x",
                                      "length:9", "length:", "file:",    "Zero",      "equal2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (leak_class_check(bad[i], 8, false, &err) != TARE_INVALID)
            fail_msg("\"%s\" is taken for a class of 8 bytes", bad[i]);
    assert_int_equal(leak_class_check("equal", 7, false, &err), TARE_INVALID);
    assert_int_equal(leak_class_check("equal", 7, true, &err), TARE_OK);
    assert_int_equal(leak_class_check("prefix:3", 8, false, &err), TARE_OK);
    assert_int_equal(leak_class_check("length:8", 8, false, &err), TARE_OK);
}

#define TARGET(...) &(struct tare_leak)TARE_INIT(struct tare_leak, __VA_ARGS__)

static void refused(const struct tare_leak *leak, const char *why)
{
    struct tare_err err = {{0}};
    leak_forget();
    assert_int_equal(tare_leak_add(leak), TARE_OK);
    if (leak_check_target(leak_target_at(0), &err) != TARE_INVALID || !strstr(err.text, why))
        fail_msg("said: %s; expected: %s", err.text, why);
    leak_forget();
}

static void *build(void *state, int64_t n)
{
    (void)n;
    return state;
}

static void what_is_no_target_is_refused_with_the_reason(void **state)
{
    (void)state;
    static const char *const one[] = {"zero"}, *const two[] = {"zero", "ones"}, *const wrong[] = {"zero", "nothing"},
                             *const missing[] = {"zero", NULL};
    static const int64_t falling[] = {2, 1};
    refused(TARGET(.name = "t", .run = nothing), "nothing to vary");
    refused(TARGET(.name = "t\n", .run = nothing, .bytes = 1), "cannot be printed");
    refused(TARGET(.name = "t", .run = nothing, .bytes = (size_t)1 << 25), "at most");
    refused(TARGET(.name = "t", .run = nothing, .bytes = 8, .classes = {one, 1}), "2 to 16");
    refused(TARGET(.name = "t", .run = nothing, .classes = {two, 2}), "say .bytes");
    refused(TARGET(.name = "t", .run = nothing, .bytes = 8, .classes = {wrong, 2}), "there is no predefined class");
    refused(TARGET(.name = "t", .run = nothing, .bytes = 8, .secret_at = 4, .secret_bytes = 5), "outside");
    refused(TARGET(.name = "t", .run = nothing, .bytes = 8, .align = 3), "power of two");
    refused(TARGET(.name = "t", .run = nothing, .bytes = 8, .growth = {.values = falling, .n = 2}), "no .build");
    refused(TARGET(.name = "t", .run = nothing, .build = build, .growth = {.values = falling, .n = 2}), "rise");
    refused(TARGET(.name = "t", .run = nothing, .build = build, .growth = {.low = 1, .high = 9, .factor = 1}), "range");
    assert_int_equal(tare_leak_add(TARGET(.name = "t")), TARE_INVALID);
    assert_int_equal(tare_leak_add(TARGET(.name = "t", .run = nothing, .bytes = 8, .classes = {missing, 2})), TARE_INVALID);
    assert_int_equal(tare_leak_add(NULL), TARE_INVALID);
}

static void twins_are_refused_and_copies_are_our_own(void **state)
{
    (void)state;
    char name[] = "first", class[] = "zero";
    const char *names[] = {class, "ones"};
    struct tare_err err = {{0}};
    leak_forget();
    assert_int_equal(tare_leak_add(TARGET(.name = name, .run = nothing, .bytes = 8, .classes = {names, 2})), TARE_OK);
    name[0] = class[0] = 'x';
    assert_string_equal(leak_target_at(0)->name, "first");
    assert_string_equal(leak_target_at(0)->classes.names[0], "zero");
    assert_int_equal(leak_check_target(leak_target_at(0), &err), TARE_OK);
    assert_int_equal(tare_leak_add(TARGET(.name = "first", .run = nothing, .bytes = 8)), TARE_OK);
    for (int i = 0; i < 2; i++) /* neither can be meant */
        assert_int_equal(leak_check_target(leak_target_at(i), &err), TARE_INVALID);
    assert_int_equal(leak_check_list(&err), TARE_OK);
    assert_non_null(strstr(err.text, "two targets have the name first"));
    leak_forget();
}

static void sizes_are_powers_of_two_unless_said(void **state)
{
    (void)state;
    int64_t sizes[WIRE_SIZES_MAX];
    struct tare_leak leak = {.name = "t", .run = nothing, .build = build};
    assert_int_equal(leak_sizes(&leak, sizes), 18);
    assert_true(sizes[0] == 1 && sizes[17] == 131072);
    leak.growth = (struct tare_values){.low = 3, .high = 100, .factor = 4};
    assert_int_equal(leak_sizes(&leak, sizes), 4); /* 3 12 48 100 */
    assert_int_equal(sizes[3], 100);
    leak.growth = (struct tare_values){.low = 10, .high = 110, .step = 30};
    assert_int_equal(leak_sizes(&leak, sizes), 4); /* 10 40 70 100 */
    assert_int_equal(sizes[3], 100);
    leak.growth = (struct tare_values){.low = 1, .high = INT64_MAX, .factor = 2};
    assert_true(leak_sizes(&leak, sizes) > WIRE_SIZES_MAX);
}

/* ---- the clock ---- */

static uint64_t virtual_calls;

static uint64_t counted(void *state, const unsigned char *in)
{
    virtual_calls++;
    return nothing(state, in);
}

/* 1000 calls take one tick. */
static struct tare_ticks after_a_thousand(void)
{
    return (struct tare_ticks){virtual_calls / 1000};
}

static uint64_t seen_inputs[8];
static int n_seen;

static uint64_t sees(void *state, const unsigned char *in)
{
    (void)state;
    uint64_t input;
    memcpy(&input, in, sizeof input);
    if (n_seen < 8)
        seen_inputs[n_seen++] = input;
    return input;
}

static struct leak_job opened(const struct tare_leak *target, int repeat, enum wire_cache cache)
{
    static struct probe_session session;
    static struct wire_request q;
    struct leak_job job = {.session = &session, .q = &q, .target = target, .n_classes = target->classes.n};
    struct tare_err err = {{0}};
    session = (struct probe_session){.read = after_a_thousand, .hz = 1e9};
    q = wire_request_default(3);
    q.repeat = repeat;
    q.cache = cache;
    job.order = chacha_seeded(1);
    job.random = (struct tare_random){rng_seeded(1)};
    virtual_calls = 0;
    if (leak_input_open(&job, &err))
        fail_msg("%s", err.text);
    leak_timer_open(&job);
    assert_int_equal(job.end, WIRE_OK);
    return job;
}

static void a_reading_has_one_call_however_coarse_the_clock_is(void **state)
{
    (void)state;
    const struct tare_leak target = {.name = "t", .run = counted, .bytes = 8};
    struct leak_job job = opened(&target, 0, WIRE_WARM);
    assert_int_equal(job.timer.repeat, 1);
    assert_false(job.facts & WIRE_OWN_INPUTS);
    leak_input_close(&job);
}

static void each_of_several_calls_has_an_input_of_its_own(void **state)
{
    (void)state;
    static const char *const names[] = {"zero", "random"};
    const struct tare_leak target = {.name = "t", .run = sees, .bytes = 8, .classes = {names, 2}};
    struct leak_job job = opened(&target, 4, WIRE_WARM);
    assert_int_equal(job.timer.repeat, 4);
    assert_true(job.facts & WIRE_OWN_INPUTS);
    leak_make_all(&job);
    for (int class = 1; class >= 0; class --) {
        n_seen = 0;
        leak_one_call(&job, class, NULL, false, LEAK_NO_DELAY);
        assert_int_equal(n_seen, 4);
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < i; k++)
                assert_true(class ? seen_inputs[i] != seen_inputs[k] : seen_inputs[i] == 0);
    }
    assert_false(leak_input_strayed(&job.input));
    leak_input_close(&job);
}

static void cold_calls_are_alone(void **state)
{
    (void)state;
    const struct tare_leak target = {.name = "t", .run = counted, .bytes = 8};
    struct leak_job job = opened(&target, 4, WIRE_COLD);
    assert_int_equal(job.timer.repeat, 1);
    assert_non_null(strstr(job.remark, "only the first of several finds the caches cold"));
    leak_input_close(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_class_leaves_its_bytes),
        cmocka_unit_test(weights_are_as_said),
        cmocka_unit_test(fixed_values_stay_and_differ),
        cmocka_unit_test(comparisons_differ_where_they_say),
        cmocka_unit_test(a_reference_is_what_is_compared_with),
        cmocka_unit_test(big_numbers_have_their_zeros),
        cmocka_unit_test(numbers_of_the_machine_are_what_they_say),
        cmocka_unit_test(records_come_from_a_file),
        cmocka_unit_test(what_is_no_class_is_refused_with_those_that_are),
        cmocka_unit_test(what_is_no_target_is_refused_with_the_reason),
        cmocka_unit_test(twins_are_refused_and_copies_are_our_own),
        cmocka_unit_test(sizes_are_powers_of_two_unless_said),
        cmocka_unit_test(a_reading_has_one_call_however_coarse_the_clock_is),
        cmocka_unit_test(each_of_several_calls_has_an_input_of_its_own),
        cmocka_unit_test(cold_calls_are_alone),
    };
    return cmocka_run_group_tests_name("leak_classes", tests, NULL, NULL);
}
