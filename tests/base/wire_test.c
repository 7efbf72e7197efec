/* SPDX-License-Identifier: MIT
 *
 * Both directions of wire.h: what is written is what is read; what is torn, turned or foreign is refused; every cut of a record leaves its
 * whole frames.
 */
#include "wire.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ---- the request ---- */

static void a_request_reads_back_as_it_was_written(void **state)
{
    (void)state;
    struct buf text = BUF_INIT(WIRE_REQUEST_MAX);
    struct wire_request q = wire_request_default(7), back;
    q.profile = WIRE_STARTUP;
    q.seed = UINT64_MAX;
    q.sample_ns = 250000;
    q.samples = 12;
    q.warmup = 0;
    q.guard = 0;
    q.signals = 1;
    q.clock = "raw!";
    q.clock_size = 3;
    wire_request_write(&text, &q);
    wire_request_add(&text, "sort ints/n:100", 5000);
    wire_request_add(&text, "other", 0);
    assert_int_equal(wire_request_read(buf_text(&text), &back, NULL), TARE_OK);
    assert_int_equal(back.fd, 7);
    assert_int_equal(back.mode, WIRE_MEASURE);
    assert_int_equal(back.profile, WIRE_STARTUP);
    assert_true(back.seed == UINT64_MAX && back.sample_ns == 250000 && back.samples == 12);
    assert_true(back.warmup == 0 && back.guard == 0 && back.signals == 1);
    assert_int_equal(back.clock_size, 3);
    assert_memory_equal(back.clock, "raw", 3);
    struct wire_run run;
    size_t at = 0;
    assert_true(wire_request_run(&back, &at, &run));
    assert_int_equal(run.size, strlen("sort ints/n:100"));
    assert_memory_equal(run.name, "sort ints/n:100", run.size);
    assert_true(run.iterations == 5000);
    assert_true(wire_request_run(&back, &at, &run));
    assert_true(run.iterations == 0 && run.size == 5);
    assert_false(wire_request_run(&back, &at, &run));
    buf_finish(&text);
}

static void filters_are_words_any_of_which_is_enough(void **state)
{
    (void)state;
    struct wire_request q;
    assert_int_equal(wire_request_read("tare-wire 1 3\nfilter sort\nfilter x y", &q, NULL), TARE_OK);
    assert_true(wire_request_wants(&q, "my_sort/3"));
    assert_true(wire_request_wants(&q, "ax yb"));
    assert_false(wire_request_wants(&q, "x"));
    assert_int_equal(wire_request_read("tare-wire 1 3", &q, NULL), TARE_OK);
    assert_true(wire_request_wants(&q, "anything"));
}

static void a_word_of_a_later_day_is_passed_over(void **state)
{
    (void)state;
    struct wire_request q;
    assert_int_equal(wire_request_read("tare-wire 1 3\nfuture 1 2 3\n\nseed 5\n", &q, NULL), TARE_OK);
    assert_true(q.seed == 5);
}

static void another_version_is_said_and_nothing_else_is_believed(void **state)
{
    (void)state;
    struct wire_request q;
    struct tare_err err = {{0}};
    assert_int_equal(wire_request_read("tare-wire 99 3\nseed x\n", &q, &err), TARE_VERSION);
    assert_int_equal(q.version, 99);
    assert_int_equal(q.fd, 3);
    assert_non_null(strstr(err.text, "99"));
}

static void what_is_no_request_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "x",
                                      "tare-wire",
                                      "tare-wire 1",
                                      "tare-wire 1 ",
                                      "tare-wire 1 x",
                                      "tare-wire 1 3 4",
                                      "tare-wire -1 3",
                                      "tare-wire 1 99999999999",
                                      "tare-wire 1 3\nseed -1",
                                      "tare-wire 1 3\nseed 18446744073709551616",
                                      "tare-wire 1 3\nsamples 1000001",
                                      "tare-wire 1 3\nguard 2",
                                      "tare-wire 1 3\nmode dance",
                                      "tare-wire 1 3\nprofile ",
                                      "tare-wire 1 3\nclock "};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct wire_request q;
        if (wire_request_read(bad[i], &q, NULL) != TARE_FORMAT)
            fail_msg("\"%s\" is taken for a request", bad[i]);
    }
    struct wire_request q;
    assert_int_equal(wire_request_read(NULL, &q, NULL), TARE_FORMAT);
}

/* ---- frames ---- */

static const int64_t ITERATIONS[] = {10, 20, 30}, TICKS[] = {1, -2, INT64_MAX};

static void put_all(struct buf *out)
{
    const int64_t *columns[WIRE_COLUMNS_N] = {[WIRE_ITERATIONS] = ITERATIONS, [WIRE_TICKS] = TICKS};
    struct wire_bench bench = {.index = 4,
                               .name = "a/100",
                               .group = "a",
                               .file = "a.c",
                               .line = 7,
                               .flags = WIRE_BASELINE,
                               .threads = 2,
                               .n_args = 2,
                               .version = "v3"};
    bench.args[0] = (struct wire_arg){"n", -100, ""};
    bench.args[1] = (struct wire_arg){NULL, 1, "word"};
    struct wire_end end = {.bench = 4,
                           .state = WIRE_FAILED,
                           .reason = "no",
                           .iterations = 9,
                           .items = 2.5,
                           .peak_bytes = WIRE_NONE,
                           .scaling = NAN,
                           .n_counters = 1};
    end.account.cpu_ns = 77;
    end.counters[0] = (struct wire_counter){"swaps", "1", 1e300, WIRE_TOTAL, true};
    end.label = "sse4.2";
    struct wire_hello hello = {.version = WIRE_VERSION,
                               .library = "0.1.0",
                               .pid = 1234,
                               .benchmarks = 5,
                               .trouble = "",
                               .targets = 3,
                               .taint = WIRE_TAINT_MEMCHECK,
                               .n_notes = 2};
    hello.notes[0] = (struct wire_note){"allocator", "jemalloc"};
    hello.notes[1] = (struct wire_note){"data", "short"};
    wire_put_hello(out, &hello);
    wire_put_clock(out, &(struct wire_clock){.name = "tsc",
                                             .source = "measured",
                                             .hz = 2e9,
                                             .counter = true,
                                             .core = true,
                                             .chain_cycles = 12000,
                                             .chain_ratio = NAN,
                                             .chain_drawn = true});
    wire_put_bench(out, &bench);
    wire_put_samples(out, 4, 1, 3, columns);
    wire_put_end(out, &end);
    wire_put_bye(out, &(struct wire_bye){NAN, 3, true, 1});
}

static void each_frame_reads_back_as_it_was_written(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 20);
    put_all(&b);
    struct wire_reader r = {b.data, b.len, 0};
    struct wire_frame f;
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_true(f.type == WIRE_HELLO && f.u.hello.version == WIRE_VERSION && f.u.hello.pid == 1234 && f.u.hello.benchmarks == 5);
    assert_true(f.u.hello.targets == 3 && f.u.hello.taint == WIRE_TAINT_MEMCHECK);
    assert_string_equal(f.u.hello.library, "0.1.0");
    assert_int_equal(f.u.hello.n_notes, 2);
    assert_string_equal(f.u.hello.notes[0].name, "allocator");
    assert_string_equal(f.u.hello.notes[1].text, "short");
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_true(f.type == WIRE_CLOCK && f.u.clock.hz == 2e9 && f.u.clock.core && isnan(f.u.clock.chain_ratio) &&
                f.u.clock.chain_drawn);
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_true(f.type == WIRE_BENCH && f.u.bench.line == 7 && f.u.bench.threads == 2 && f.u.bench.args[0].value == -100);
    assert_string_equal(f.u.bench.args[1].word, "word");
    assert_string_equal(f.u.bench.version, "v3");
    assert_string_equal(f.u.bench.args[1].name, "");
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_true(f.type == WIRE_SAMPLES && f.u.samples.n == 3 && f.u.samples.columns == 2 && f.u.samples.thread == 1);
    assert_true(wire_sample(&f.u.samples, WIRE_TICKS, 1) == -2 && wire_sample(&f.u.samples, WIRE_TICKS, 2) == INT64_MAX);
    assert_true(wire_sample(&f.u.samples, WIRE_FLAGS, 0) == WIRE_NONE && wire_sample(&f.u.samples, WIRE_TICKS, 3) == WIRE_NONE);
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_true(f.type == WIRE_END && f.u.end.state == WIRE_FAILED && f.u.end.items == 2.5 && f.u.end.peak_bytes == WIRE_NONE);
    assert_true(f.u.end.counters[0].inverted);
    assert_string_equal(f.u.end.label, "sse4.2");
    assert_true(f.u.end.account.cpu_ns == 77 && f.u.end.counters[0].value == 1e300 && f.u.end.counters[0].per == WIRE_TOTAL);
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_true(f.type == WIRE_BYE && isnan(f.u.bye.drift_ppm) && f.u.bye.drift_bound_ppm == 3 && f.u.bye.backwards);
    assert_int_equal(wire_next(&r, &f, NULL), TARE_TRUNCATED);
    buf_finish(&b);
}

static int frames_in(const char *bytes, size_t n, enum tare_status *end)
{
    struct wire_reader r = {bytes, n, 0};
    struct wire_frame f;
    int frames = 0;
    while ((*end = wire_next(&r, &f, NULL)) == TARE_OK)
        frames++;
    return frames;
}

static void a_record_cut_anywhere_keeps_its_whole_frames(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 20);
    put_all(&b);
    int before = 0;
    for (size_t n = 0; n <= b.len; n++) {
        enum tare_status end;
        int frames = frames_in(b.data, n, &end);
        if (frames < before || frames > before + 1 || end != TARE_TRUNCATED)
            fail_msg("%zu of %zu bytes: %d frames after %d, status %d", n, b.len, frames, before, end);
        before = frames;
    }
    assert_int_equal(before, 6);
    buf_finish(&b);
}

static void a_turned_bit_is_found(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 20);
    put_all(&b);
    for (size_t at = 0; at < b.len; at++)
        for (int bit = 0; bit < 8; bit++) {
            enum tare_status end;
            b.data[at] ^= (char)(1 << bit);
            int frames = frames_in(b.data, b.len, &end);
            b.data[at] ^= (char)(1 << bit);
            if (frames >= 6)
                fail_msg("bit %d of byte %zu can be turned unseen", bit, at);
        }
    buf_finish(&b);
}

static void a_frame_that_does_not_fit_leaves_nothing(void **state)
{
    (void)state;
    char place[40];
    struct buf b = buf_over(place, sizeof place);
    wire_put_hello(&b, &(struct wire_hello){.version = WIRE_VERSION, .library = "a library with a long version"});
    assert_int_equal(b.status, TARE_TOO_LARGE);
    assert_int_equal(b.len, 0);
}

static void a_hello_of_another_version_says_which(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(4096);
    wire_put_hello(&b, &(struct wire_hello){.version = WIRE_VERSION + 1, .library = "9.9"});
    struct wire_reader r = {b.data, b.len, 0};
    struct wire_frame f;
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_int_equal(f.u.hello.version, WIRE_VERSION + 1);
    assert_string_equal(f.u.hello.library, "");
    buf_finish(&b);
}

static void infinite_figures_are_refused(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(4096);
    wire_put_end(&b, &(struct wire_end){.items = INFINITY});
    enum tare_status end;
    assert_int_equal(frames_in(b.data, b.len, &end), 0);
    assert_int_equal(end, TARE_FORMAT);
    buf_finish(&b);
}

static void a_label_or_note_that_is_too_long_is_refused(void **state)
{
    (void)state;
    char text[WIRE_LABEL_MAX + 2];
    enum tare_status end;
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    struct buf b = BUF_INIT(8192);
    wire_put_end(&b, &(struct wire_end){.label = text});
    assert_int_equal(frames_in(b.data, b.len, &end), 0);
    assert_int_equal(end, TARE_FORMAT);
    struct wire_hello hello = {.version = WIRE_VERSION, .n_notes = 1};
    hello.notes[0] = (struct wire_note){"a", text};
    buf_clear(&b);
    wire_put_hello(&b, &hello);
    assert_int_equal(frames_in(b.data, b.len, &end), 0);
    assert_int_equal(end, TARE_FORMAT);
    buf_finish(&b);
}

/* A program that says four thousand million samples of no column each, in a frame of some bytes. */
static void samples_without_columns_are_refused(void **state)
{
    (void)state;
    const int64_t *none[WIRE_COLUMNS_N] = {0};
    enum tare_status end;
    struct buf b = BUF_INIT(4096);
    wire_put_samples(&b, 0, 0, 4000000000u, none);
    assert_int_equal(frames_in(b.data, b.len, &end), 0);
    assert_int_equal(end, TARE_FORMAT);
    buf_clear(&b);
    wire_put_samples(&b, 0, 0, 0, none);
    assert_int_equal(frames_in(b.data, b.len, &end), 1);
    buf_finish(&b);
}

/* ---- leaks ---- */

static void a_request_for_leaks_reads_back_as_it_was_written(void **state)
{
    (void)state;
    struct buf text = BUF_INIT(WIRE_REQUEST_MAX);
    struct wire_request q = wire_request_default(3), back;
    assert_int_equal(q.selfcheck, 5);
    q.mode = WIRE_LEAK;
    q.leak_kind = WIRE_SCAN;
    q.leak_ns = 250000000;
    q.spike_ns = 12.5;
    q.spike_adds = 40;
    q.selfcheck = 7;
    q.cache = WIRE_RANDOM;
    q.repeat = 64;
    q.dit = 0;
    q.bits = 128;
    wire_request_write(&text, &q);
    wire_request_add(&text, "memcmp32", 0);
    assert_int_equal(wire_request_read(buf_text(&text), &back, NULL), TARE_OK);
    assert_int_equal(back.mode, WIRE_LEAK);
    assert_int_equal(back.leak_kind, WIRE_SCAN);
    assert_true(back.leak_ns == 250000000 && back.spike_ns == 12.5 && back.selfcheck == 7 && back.cache == WIRE_RANDOM);
    assert_true(back.repeat == 64 && back.dit == 0 && back.bits == 128 && back.spike_adds == 40);
    buf_clear(&text);
    q.dit = -1;
    q.spike_adds = 0;
    wire_request_write(&text, &q);
    assert_int_equal(wire_request_read(buf_text(&text), &back, NULL), TARE_OK);
    assert_int_equal(back.dit, -1);
    assert_int_equal(back.spike_adds, 0);
    assert_null(strstr(buf_text(&text), "tick-"));
    assert_true(back.tick_hz == 0 && back.tick_ppm == 0 && back.tick_step == 0 && back.chain_cycles == 0);
    buf_clear(&text);
    q.tick_hz = 2994375123.765625;
    q.tick_ppm = 1.5;
    q.tick_step = 62;
    q.chain_cycles = 12000;
    wire_request_write(&text, &q);
    assert_int_equal(wire_request_read(buf_text(&text), &back, NULL), TARE_OK);
    assert_true(back.tick_hz == 2994375123.765625 && back.tick_ppm == 1.5 && back.tick_step == 62 && back.chain_cycles == 12000);
    buf_finish(&text);
}

static void what_is_no_request_for_leaks_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"leak-kind dance",
                                      "leak-ns x",
                                      "leak-ns 3600000000001",
                                      "spike-ns -1",
                                      "spike-ns 1.",
                                      "spike-ns .5",
                                      "spike-ns 1.2.3",
                                      "selfcheck 46",
                                      "cache tepid",
                                      "repeat 65537",
                                      "dit 2",
                                      "bits 8193",
                                      "bits",
                                      "tick-hz 0",
                                      "tick-hz 0.999",
                                      "tick-hz 1e9",
                                      "tick-hz 100000000000.5",
                                      "tick-ppm -1",
                                      "tick-ppm 1000001",
                                      "tick-step 1.5",
                                      "tick-step 1000000001",
                                      "chain-cycles 1000001",
                                      "spike-adds 10000001"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[128];
        struct wire_request q;
        struct buf b = buf_over(text, sizeof text);
        buf_format(&b, "tare-wire 1 3\nmode leak\n%s\n", bad[i]);
        if (wire_request_read(text, &q, NULL) != TARE_FORMAT)
            fail_msg("\"%s\" is taken for a request", bad[i]);
    }
}

static void put_leak(struct buf *out)
{
    static const uint8_t classes[] = {0, 1, 2, 2, 1, 0}, secrets[] = {1, 2, 3, 4};
    static const uint32_t ticks[] = {10, UINT32_MAX, 30, 40, 50, 60};
    struct wire_target target = {.index = 2,
                                 .name = "memcmp32",
                                 .file = "t.c",
                                 .line = 9,
                                 .flags = WIRE_TARGET_CLASSES,
                                 .input_bytes = 64,
                                 .secret_at = 32,
                                 .secret_bytes = 32,
                                 .n_classes = 3,
                                 .classes = {"equal", "random", "zero"},
                                 .n_sizes = 2,
                                 .sizes = {0, 1024},
                                 .dit = WIRE_DIT_OFF,
                                 .dit_words = "off",
                                 .trouble = "no"};
    struct wire_target_end end = {.target = 2,
                                  .state = WIRE_FAILED,
                                  .reason = "no",
                                  .remark = "hm",
                                  .facts = WIRE_CRASHED,
                                  .checked = WIRE_CRASHED | WIRE_ALLOCATED,
                                  .repeat = 4,
                                  .pair_ticks = 26,
                                  .spike_ticks = NAN,
                                  .spike_cycles = 5,
                                  .calls = 6,
                                  .saturated = 1,
                                  .migrated = 2,
                                  .elapsed_ns = 77};
    end.account.minflt = 8;
    wire_put_target(out, &target);
    wire_put_blocks(out, &(struct wire_blocks){.target = 2, .kind = WIRE_MAIN, .k = 3, .n = 2, .start_ns = -5, .repeat = 4},
                    classes, ticks);
    wire_put_calls(out, &(struct wire_calls){.target = 2, .n = 2, .secret_bytes = 2, .start_ns = 6, .repeat = 1}, secrets, ticks);
    wire_put_target_end(out, &end);
}

static void frames_of_leaks_read_back_as_they_were_written(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 20);
    put_leak(&b);
    struct wire_reader r = {b.data, b.len, 0};
    struct wire_frame f;
    uint32_t ticks[6];
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_int_equal(f.type, WIRE_TARGET);
    assert_string_equal(f.u.target.classes[2], "zero");
    assert_true(f.u.target.secret_at == 32 && f.u.target.sizes[1] == 1024 && f.u.target.dit == WIRE_DIT_OFF);
    assert_string_equal(f.u.target.trouble, "no");
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_true(f.type == WIRE_BLOCKS && f.u.blocks.k == 3 && f.u.blocks.n == 2 && f.u.blocks.start_ns == -5);
    assert_int_equal(f.u.blocks.classes[3], 2);
    wire_ticks_copy(f.u.blocks.ticks, 6, ticks);
    assert_true(ticks[0] == 10 && ticks[1] == UINT32_MAX && ticks[5] == 60 && wire_ticks_at(f.u.blocks.ticks, 5) == 60);
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_true(f.type == WIRE_CALLS && f.u.calls.n == 2 && f.u.calls.secrets[3] == 4 && wire_ticks_at(f.u.calls.ticks, 0) == 10);
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_true(f.type == WIRE_TARGET_END && f.u.target_end.facts == WIRE_CRASHED && f.u.target_end.repeat == 4);
    assert_true(f.u.target_end.pair_ticks == 26 && isnan(f.u.target_end.spike_ticks) && f.u.target_end.account.minflt == 8);
    assert_true(f.u.target_end.saturated == 1 && f.u.target_end.migrated == 2 && f.u.target_end.elapsed_ns == 77);
    assert_string_equal(f.u.target_end.remark, "hm");
    assert_int_equal(wire_next(&r, &f, NULL), TARE_TRUNCATED);
    buf_finish(&b);
}

static void refused(const struct buf *b, const char *what)
{
    enum tare_status end;
    if (frames_in(b->data, b->len, &end) != 0 || end != TARE_FORMAT)
        fail_msg("%s is taken", what);
}

static void frames_of_leaks_that_contradict_themselves_are_refused(void **state)
{
    (void)state;
    static const uint8_t twice[] = {0, 0}, above[] = {0, 2}, good[] = {1, 0};
    static const uint32_t ticks[] = {1, 2};
    struct buf b = BUF_INIT(1 << 20);
    struct wire_blocks w = {.k = 2, .n = 1, .repeat = 1};
    wire_put_blocks(&b, &w, twice, ticks);
    refused(&b, "a block with one class twice");
    buf_clear(&b);
    wire_put_blocks(&b, &w, above, ticks);
    refused(&b, "a class that there is not");
    buf_clear(&b);
    w.repeat = 0;
    wire_put_blocks(&b, &w, good, ticks);
    refused(&b, "a bracket around no calls");
    buf_clear(&b);
    wire_put_target(&b, &(struct wire_target){.name = "x", .input_bytes = 4, .secret_at = 2, .secret_bytes = 3});
    refused(&b, "a secret outside of the input");
    buf_clear(&b);
    wire_put_target(&b, &(struct wire_target){.name = "x", .n_classes = 1, .classes = {"one"}});
    refused(&b, "one class");
    buf_clear(&b);
    wire_put_target(&b, &(struct wire_target){.name = "x", .n_sizes = 2, .sizes = {2, 2}});
    refused(&b, "sizes that do not rise");
    buf_clear(&b);
    wire_put_calls(&b, &(struct wire_calls){.n = 1, .repeat = 1}, good, ticks);
    refused(&b, "calls without a secret");
    buf_finish(&b);
}

static void a_cut_record_of_leaks_keeps_its_whole_frames(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 20);
    put_leak(&b);
    int before = 0;
    for (size_t n = 0; n <= b.len; n++) {
        enum tare_status end;
        int frames = frames_in(b.data, n, &end);
        if (frames < before || frames > before + 1 || end != TARE_TRUNCATED)
            fail_msg("%zu of %zu bytes: %d frames after %d, status %d", n, b.len, frames, before, end);
        before = frames;
    }
    assert_int_equal(before, 4);
    buf_finish(&b);
}

static void as_many_inputs_are_asked_for_as_a_process_holds(void **state)
{
    (void)state;
    assert_int_equal(wire_repeat_most(65536, 2), 2047);
    assert_int_equal(wire_repeat_most(65536, 0), 2047);
    assert_int_equal(wire_repeat_most(65536, 16), 255);
    assert_int_equal(wire_repeat_most(2049, 2), 32767);
    assert_int_equal(wire_repeat_most(32, 2), WIRE_REPEAT_MAX);
    assert_int_equal(wire_repeat_most(0, 2), WIRE_REPEAT_MAX);
    assert_int_equal(wire_repeat_most(WIRE_INPUTS_BYTES, 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_reads_back_as_it_was_written),
        cmocka_unit_test(filters_are_words_any_of_which_is_enough),
        cmocka_unit_test(a_word_of_a_later_day_is_passed_over),
        cmocka_unit_test(another_version_is_said_and_nothing_else_is_believed),
        cmocka_unit_test(what_is_no_request_is_refused),
        cmocka_unit_test(each_frame_reads_back_as_it_was_written),
        cmocka_unit_test(a_record_cut_anywhere_keeps_its_whole_frames),
        cmocka_unit_test(a_turned_bit_is_found),
        cmocka_unit_test(a_frame_that_does_not_fit_leaves_nothing),
        cmocka_unit_test(a_hello_of_another_version_says_which),
        cmocka_unit_test(infinite_figures_are_refused),
        cmocka_unit_test(a_label_or_note_that_is_too_long_is_refused),
        cmocka_unit_test(samples_without_columns_are_refused),
        cmocka_unit_test(a_request_for_leaks_reads_back_as_it_was_written),
        cmocka_unit_test(what_is_no_request_for_leaks_is_refused),
        cmocka_unit_test(frames_of_leaks_read_back_as_they_were_written),
        cmocka_unit_test(frames_of_leaks_that_contradict_themselves_are_refused),
        cmocka_unit_test(a_cut_record_of_leaks_keeps_its_whole_frames),
        cmocka_unit_test(as_many_inputs_are_asked_for_as_a_process_holds),
    };
    return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
