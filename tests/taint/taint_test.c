/* SPDX-License-Identifier: MIT
 *
 * What valgrind and MSan write, as places. */
#include "taint_report.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                                                   \
    "<?xml version=\"1.0\"?>\n<valgrindoutput>\n<protocolversion>4</protocolversion>\n<protocoltool>memcheck</protocoltool>\n" \
    "<preamble>\n<line>Memcheck, a memory error detector</line>\n"                                                             \
    "<line>Using Valgrind-3.19.0 and LibVEX; rerun with -h for copyright info</line>\n</preamble>\n"
#define FRAME(fn, file, line)                                                                                               \
    "<frame><ip>0x1</ip><obj>/usr/bin/prog</obj><fn>" fn "</fn><dir>/src</dir><file>" file "</file><line>" line "</line></" \
    "frame>"
#define OBJECT(fn, obj) "<frame><ip>0x2</ip><obj>" obj "</obj><fn>" fn "</fn></frame>"
#define ERROR(unique, kind, frames)                                                                                 \
    "<error><unique>" unique "</unique><tid>1</tid><kind>" kind "</kind><what>text</what><stack>" frames "</stack>" \
    "<auxwhat>created here</auxwhat><stack>" FRAME("marker", "mark.c", "99") "</stack></error>\n"
#define TAIL                                                                                                            \
    "<errorcounts><pair><count>4</count><unique>0x0</unique></pair><pair><count>2</count><unique>0x1</unique></pair></" \
    "errorcounts>\n</valgrindoutput>\n"

static enum tare_status read_xml(const char *text, struct arena *arena, struct taint_report *r, struct tare_err *err)
{
    return taint_xml_read(text, strlen(text), arena, r, err);
}

static void check_frame(const struct taint_frame *f, const char *want)
{
    char room[256];
    struct buf b = buf_over(room, sizeof room);
    taint_put_frame(&b, f);
    assert_string_equal(buf_text(&b), want);
}

static void errors_are_counted_by_source_line_and_kind(void **state)
{
    (void)state;
    struct arena a = {0};
    struct taint_report r;
    struct tare_err err = {""};
    assert_int_equal(read_xml(HEAD ERROR("0x0", "UninitCondition", FRAME("compare", "c.c", "12") FRAME("main", "c.c", "40"))
                                  ERROR("0x1", "UninitCondition", FRAME("compare", "c.c", "12") FRAME("other", "c.c", "50"))
                                      ERROR("0x2", "UninitValue", FRAME("look", "c.c", "20")) TAIL,
                              &a, &r, &err),
                     TARE_OK);
    assert_true(r.complete);
    assert_string_equal(r.tool, "valgrind 3.19.0 memcheck");
    assert_int_equal(r.n_places, 2);
    assert_int_equal(r.places[0].kind, TAINT_JUMP);
    assert_int_equal(r.places[0].count, 6);
    assert_int_equal(r.places[0].stacks, 2);
    assert_int_equal(r.places[0].n_frames, 2);
    check_frame(&r.places[0].at, "c.c:12 (compare)");
    assert_int_equal(r.places[1].kind, TAINT_ADDRESS);
    assert_int_equal(r.places[1].count, 1); /* no count was given: at least once */
    assert_int_equal(r.count[TAINT_JUMP], 6);
    assert_int_equal(r.count[TAINT_ADDRESS], 1);
    arena_finish(&a);
}

static void the_tools_own_memcmp_stands_for_the_line_that_called_it(void **state)
{
    (void)state;
    struct arena a = {0};
    struct taint_report r;
    assert_int_equal(read_xml(HEAD ERROR("0x0", "UninitCondition",
                                         "<frame><obj>/usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so</obj><fn>bcmp</fn>"
                                         "<file>vg_replace_strmem.c</file><line>1113</line></frame>" FRAME("check", "t.c", "7"))
                                  TAIL,
                              &a, &r, NULL),
                     TARE_OK);
    check_frame(&r.places[0].at, "t.c:7 (check)");
    assert_string_equal(r.places[0].through, "bcmp");
    assert_int_equal(r.unreadable, 1); /* a count without its error */
    arena_finish(&a);
}

static void code_without_lines_is_grouped_by_function(void **state)
{
    (void)state;
    struct arena a = {0};
    struct taint_report r;
    assert_int_equal(read_xml(HEAD ERROR("0x0", "UninitValue", OBJECT("AES_encrypt", "/usr/lib/libcrypto.so.3"))
                                  ERROR("0x1", "UninitValue", OBJECT("AES_encrypt", "/usr/lib/libcrypto.so.3"))
                                      ERROR("0x2", "SyscallParam", OBJECT("write", "/lib/libc.so.6"))
                                          ERROR("0x3", "InvalidRead", OBJECT("f", "/x")) TAIL,
                              &a, &r, NULL),
                     TARE_OK);
    assert_int_equal(r.n_places, 3);
    check_frame(&r.places[0].at, "AES_encrypt in libcrypto.so.3");
    assert_int_equal(r.places[0].count, 6);
    assert_int_equal(r.count[TAINT_SYSCALL], 1);
    assert_int_equal(r.count[TAINT_MEMORY], 1);
    arena_finish(&a);
}

static void code_without_a_name_is_told_by_who_called_it(void **state)
{
    (void)state;
    struct arena a = {0};
    struct taint_report r;
    struct buf b = BUF_INIT(1 << 12);
    assert_int_equal(read_xml(HEAD ERROR("0x0", "UninitValue",
                                         "<frame><ip>0x1</ip><obj>/lib/libcrypto.so.3</obj></frame>" OBJECT(
                                             "AES_encrypt", "/lib/libcrypto.so.3") FRAME("target", "case.c", "40")) TAIL,
                              &a, &r, NULL),
                     TARE_OK);
    taint_put_place(&b, &r.places[0]);
    assert_string_equal(buf_text(&b), "code without a name in libcrypto.so.3, from AES_encrypt in libcrypto.so.3");
    buf_finish(&b);
    arena_finish(&a);
}

static void a_report_that_breaks_off_keeps_what_came(void **state)
{
    (void)state;
    struct arena a = {0};
    struct taint_report r;
    struct tare_err err = {""};
    assert_int_equal(
        read_xml(HEAD ERROR("0x0", "UninitCondition", FRAME("compare", "c.c", "12")) "<error><unique>0x1</un", &a, &r, &err),
        TARE_FORMAT);
    assert_non_null(strstr(err.text, "breaks off"));
    assert_false(r.complete);
    assert_int_equal(r.count[TAINT_JUMP], 1);
    arena_finish(&a);
}

static void an_error_inside_a_frame_has_no_frame_yet(void **state)
{
    (void)state;
    struct arena a = {0};
    struct taint_report r;
    struct tare_err err;
    assert_int_equal(read_xml(HEAD "<error><stack><frame><error><fn>f</fn></error></frame></stack></error>", &a, &r, &err),
                     TARE_FORMAT);
    assert_int_equal(r.n_places, 1);
    assert_int_equal(r.places[0].n_frames, 0);
    arena_finish(&a);
}

static void what_is_no_report_of_memcheck_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "<",
        "<valgrindoutput></valgrindoutput>",
        "not xml at all",
        "<valgrindoutput><protocolversion>4</protocolversion><protocoltool>helgrind</protocoltool></valgrindoutput>",
        "<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;&b;\">]><valgrindoutput>&c;</valgrindoutput>"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct arena a = {0};
        struct taint_report r;
        struct tare_err err = {""};
        assert_int_equal(read_xml(texts[i], &a, &r, &err), TARE_FORMAT);
        assert_true(*err.text);
        assert_int_equal(r.n_places, 0);
        arena_finish(&a);
    }
}

static void a_clean_report_is_whole_and_empty(void **state)
{
    (void)state;
    struct arena a = {0};
    struct taint_report r;
    assert_int_equal(read_xml(HEAD "<errorcounts></errorcounts>\n</valgrindoutput>\n", &a, &r, NULL), TARE_OK);
    assert_true(r.complete);
    assert_int_equal(r.n_places, 0);
    assert_int_equal(r.unreadable, 0);
    arena_finish(&a);
}

static void msan_tells_use_and_line(void **state)
{
    (void)state;
    static const char text[] = "something of the program\n"
                               "==12==WARNING: MemorySanitizer: use-of-uninitialized-value\n"
                               "    #0 0x4a5 in compare /home/x/c.c:12:9\n"
                               "    #1 0x4a6 in main src/./c.c:40:3\n"
                               "\n"
                               "  Memory was marked as uninitialized\n"
                               "    #0 0x4a7 in __msan_allocated_memory (/usr/bin/prog+0x4a7)\n"
                               "\n"
                               "SUMMARY: MemorySanitizer: use-of-uninitialized-value /home/x/c.c:12:9 in compare\n"
                               "==12==WARNING: MemorySanitizer: use-of-uninitialized-value\n"
                               "    #0 0x4a5 in compare /home/x/c.c:12:9\n"
                               "==12==WARNING: MemorySanitizer: use-of-uninitialized-value\n"
                               "    #0 0x4b5 in ns::f(int, char) (/usr/lib/libx.so.1+0x4b5) (BuildId: 12)\n"
                               "==12==ERROR: of another kind\n";
    struct arena a = {0};
    struct taint_report r;
    assert_int_equal(taint_msan_read(text, strlen(text), &a, &r, NULL), TARE_OK);
    assert_int_equal(r.n_places, 2);
    assert_int_equal(r.places[0].count, 2);
    assert_int_equal(r.places[0].n_frames, 2);
    check_frame(&r.places[0].at, "c.c:12 (compare)");
    check_frame(&r.places[0].frames[1], "c.c:40 (main)");
    check_frame(&r.places[1].at, "ns::f(int, char) in libx.so.1");
    assert_int_equal(r.count[TAINT_USE], 3);
    arena_finish(&a);
}

static void msan_text_of_any_kind_is_read_to_its_end(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "\n\n", "==1==WARNING: MemorySanitizer: ", "==1==WARNING: MemorySanitizer: x\n    #0 0x in \n",
        "==1==WARNING: MemorySanitizer: x\n    #0 in a /:9:\n    #1 in b (/+0x\n    #2 0x in c /d:999999999999:1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct arena a = {0};
        struct taint_report r;
        assert_int_equal(taint_msan_read(texts[i], strlen(texts[i]), &a, &r, NULL), TARE_OK);
        assert_true(r.n_places <= 1);
        arena_finish(&a);
    }
}

static void more_places_than_are_kept_are_counted(void **state)
{
    (void)state;
    struct arena a = {0};
    struct taint_report r = {{0}, NULL, 0, {0}, false, false, 0};
    for (int i = 0; i < TAINT_PLACES_MAX + 10; i++) {
        const struct taint_frame f = {"f", "o", "a.c", i + 1};
        assert_int_equal(taint_add(&r, &a, TAINT_JUMP, &f, 1, 1), TARE_OK);
    }
    assert_int_equal(r.n_places, TAINT_PLACES_MAX);
    assert_int_equal(r.count[TAINT_JUMP], TAINT_PLACES_MAX + 10);
    assert_true(r.crowded);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_counted_by_source_line_and_kind),
        cmocka_unit_test(the_tools_own_memcmp_stands_for_the_line_that_called_it),
        cmocka_unit_test(code_without_lines_is_grouped_by_function),
        cmocka_unit_test(code_without_a_name_is_told_by_who_called_it),
        cmocka_unit_test(a_report_that_breaks_off_keeps_what_came),
        cmocka_unit_test(an_error_inside_a_frame_has_no_frame_yet),
        cmocka_unit_test(what_is_no_report_of_memcheck_is_refused),
        cmocka_unit_test(a_clean_report_is_whole_and_empty),
        cmocka_unit_test(msan_tells_use_and_line),
        cmocka_unit_test(msan_text_of_any_kind_is_read_to_its_end),
        cmocka_unit_test(more_places_than_are_kept_are_counted),
    };
    return cmocka_run_group_tests_name("taint", tests, NULL, NULL);
}
