/* SPDX-License-Identifier: MIT */
#include "crc.h"
#include "trace_request.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct trace_request all_different(void)
{
    struct trace_request q = trace_request_default("/tmp/a folder");
    q.session = UINT64_MAX;
    q.mode = TRACE_BURST;
    q.modes[0] = TRACE_OFF;
    q.modes[7] = TRACE_COUNT;
    q.modes[31] = TRACE_OFF;
    q.order = TRACE_PRECISE;
    q.full = TRACE_FULL_STOP;
    q.limit_bytes = 1 << 20;
    q.seed = 12345678901234567890u;
    q.micro_hz = 2500000000123456u;
    q.burst = 17;
    q.burst_gap = 19;
    q.repeat = 3;
    strcpy(q.clock, "raw");
    return q;
}

static void what_is_written_is_read_again(void **state)
{
    const struct trace_request in = all_different();
    struct trace_request out;
    struct tare_err err;
    struct buf b = BUF_INIT(1 << 16);
    (void)state;
    trace_request_write(&b, &in);
    assert_int_equal(trace_request_read(buf_text(&b), &out, &err), TARE_OK);
    assert_string_equal(out.folder, in.folder);
    assert_string_equal(out.clock, in.clock);
    assert_true(out.session == in.session && out.seed == in.seed && out.limit_bytes == in.limit_bytes);
    assert_true(out.micro_hz == in.micro_hz);
    assert_int_equal(out.mode, in.mode);
    assert_memory_equal(out.modes, in.modes, sizeof in.modes);
    assert_int_equal(out.order, in.order);
    assert_int_equal(out.full, in.full);
    assert_int_equal(out.burst, in.burst);
    assert_int_equal(out.burst_gap, in.burst_gap);
    assert_int_equal(out.repeat, in.repeat);
    buf_finish(&b);
}

static void what_is_not_said_has_its_default(void **state)
{
    struct trace_request q;
    (void)state;
    assert_int_equal(trace_request_read("tare-trace 1\nfolder /x\nlimit 0\nburst 0\nburst-gap 0\nof-a-later-day 5", &q, NULL),
                     TARE_OK);
    assert_int_equal(q.mode, TRACE_TRACE);
    assert_int_equal(q.order, TRACE_ORDERED);
    assert_int_equal(q.full, TRACE_FULL_AGGREGATE);
    assert_true(q.limit_bytes == UINT64_C(64) << 30);
    assert_int_equal(q.burst, 1000);
    assert_int_equal(q.burst_gap, 100000);
    assert_int_equal(q.repeat, 1);
    assert_int_equal(q.modes[5], 0xFF);
    assert_string_equal(q.clock, "auto");
}

static void what_cannot_be_meant_is_refused(void **state)
{
    static const struct {
        const char *text;
        enum tare_status status;
    } cases[] = {{NULL, TARE_FORMAT},
                 {"", TARE_FORMAT},
                 {"something else", TARE_FORMAT},
                 {"tare-trace", TARE_FORMAT},
                 {"tare-trace x\nfolder /x", TARE_FORMAT},
                 {"tare-trace 2\nfolder /x", TARE_VERSION},
                 {"tare-trace 1\n", TARE_FORMAT},
                 {"tare-trace 1\nfolder x", TARE_FORMAT},
                 {"tare-trace 1\nfolder ", TARE_FORMAT},
                 {"tare-trace 1\nfolder /x\nmode fast", TARE_FORMAT},
                 {"tare-trace 1\nfolder /x\nmode", TARE_FORMAT},
                 {"tare-trace 1\nfolder /x\norder ", TARE_FORMAT},
                 {"tare-trace 1\nfolder /x\nrepeat 0", TARE_FORMAT},
                 {"tare-trace 1\nfolder /x\nrepeat 4", TARE_FORMAT},
                 {"tare-trace 1\nfolder /x\nburst -1", TARE_FORMAT},
                 {"tare-trace 1\nfolder /x\nlimit 18446744073709551616", TARE_FORMAT},
                 {"tare-trace 1\nfolder /x\nmodes off 32", TARE_FORMAT},
                 {"tare-trace 1\nfolder /x\nmodes", TARE_FORMAT},
                 {"tare-trace 1\nfolder /x\nmodes on 1", TARE_FORMAT},
                 {"tare-trace 1\nfolder /x\nclock tsc", TARE_FORMAT},
                 {"tare-trace 1\nfolder /x\nburst yes", TARE_FORMAT}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_request q;
        struct tare_err err = {{0}};
        const enum tare_status status = trace_request_read(cases[i].text, &q, &err);
        if (status != cases[i].status)
            fail_msg("case %zu: %s, not %s", i, tare_status_name(status), tare_status_name(cases[i].status));
        assert_true(err.text[0]);
    }
}

static void the_sum_is_the_one_that_all_know(void **state)
{
    (void)state;
    assert_int_equal(crc_of("", 0), 0);
    assert_int_equal(crc_of("123456789", 9), 0xCBF43926);
    assert_int_equal(crc_more(crc_of("1234", 4), "56789", 5), 0xCBF43926);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(what_is_not_said_has_its_default),
        cmocka_unit_test(what_cannot_be_meant_is_refused),
        cmocka_unit_test(the_sum_is_the_one_that_all_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
