/* SPDX-License-Identifier: MIT */
#include "same_program.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
    TEXT_AT = 64,
    TEXT_BYTES = 48,
    NAMES_AT = 160,
    ARCHIVE_AT = 208,
    ARCHIVE_BYTES = 16,
    HEADERS_AT = 256,
    SECTIONS = 5,
    SIZE = HEADERS_AT + SECTIONS * 64
};

static const char names[] = "\0.text\0.debug_line\0.shstrtab\0pydata";
static const char one[] = "/tmp/x-01", other[] = "/tmp/x-02";

struct image {
    char bytes[SIZE];
};

static void put(struct image *i, size_t at, uint64_t value, int bytes)
{
    for (int k = 0; k < bytes; k++)
        i->bytes[at + (size_t)k] = (char)(value >> 8 * k);
}

static void put_section(struct image *i, int index, uint64_t name, uint64_t flags, uint64_t at, uint64_t bytes)
{
    const size_t header = HEADERS_AT + (size_t)index * 64;
    put(i, header, name, 4);
    put(i, header + 4, 1, 4);
    put(i, header + 8, flags, 8);
    put(i, header + 24, at, 8);
    put(i, header + 32, bytes, 8);
}

/* Code with a text in it, and debug information. */
static struct image made(const char *text, const char *debug)
{
    struct image i = {{0}};
    memcpy(i.bytes, "\177ELF\2\1", 6);
    put(&i, 40, HEADERS_AT, 8);
    put(&i, 58, 64, 2);
    put(&i, 60, SECTIONS, 2);
    put(&i, 62, 3, 2);
    memcpy(i.bytes + TEXT_AT, text, strlen(text));
    memcpy(i.bytes + TEXT_AT + TEXT_BYTES, debug, strlen(debug));
    memcpy(i.bytes + NAMES_AT, names, sizeof names);
    put_section(&i, 1, 1, 2, TEXT_AT, TEXT_BYTES);
    put_section(&i, 2, 7, 0, TEXT_AT + TEXT_BYTES, TEXT_BYTES);
    put_section(&i, 3, 19, 0, NAMES_AT, sizeof names);
    put_section(&i, 4, 29, 0, ARCHIVE_AT, ARCHIVE_BYTES);
    return i;
}

static bool same(const struct image *a, const struct image *b)
{
    return same_program(&(struct program_image){a->bytes, SIZE, one}, &(struct program_image){b->bytes, SIZE, other});
}

static void programs_with_equal_code_are_the_same_whatever_their_debug_information_is(void **state)
{
    (void)state;
    const struct image a = made("code", "line 1"), b = made("code", "line 2"), c = made("cade", "line 1");
    assert_true(same(&a, &a));
    assert_true(same(&a, &b));
    assert_false(same(&a, &c));
}

static void each_folder_may_have_its_own_name_in_the_code(void **state)
{
    (void)state;
    const struct image a = made("in /tmp/x-01/a.c", ""), b = made("in /tmp/x-02/a.c", ""), c = made("in /tmp/y-02/a.c", ""),
                       d = made("in /tmp/x-03/a.c", "");
    assert_true(same(&a, &b));
    assert_false(same(&a, &c));
    assert_false(same(&a, &d));
    assert_false(same(&b, &a)); /* the folders the wrong way round */
}

static void what_a_program_may_read_from_its_own_file_counts(void **state)
{
    (void)state;
    const struct image a = made("code", "line 1");
    struct image b = made("code", "line 2");
    b.bytes[ARCHIVE_AT]++; /* a section that is not loaded */
    assert_false(same(&a, &b));
    char one_file[SIZE + 4], other_file[SIZE + 4]; /* behind all sections */
    b = made("code", "line 2");
    memcpy(one_file, a.bytes, SIZE);
    memcpy(other_file, b.bytes, SIZE);
    memcpy(one_file + SIZE, "data", 4);
    memcpy(other_file + SIZE, "data", 4);
    assert_true(
        same_program(&(struct program_image){one_file, SIZE + 4, one}, &(struct program_image){other_file, SIZE + 4, other}));
    other_file[SIZE]++;
    assert_false(
        same_program(&(struct program_image){one_file, SIZE + 4, one}, &(struct program_image){other_file, SIZE + 4, other}));
    assert_false(
        same_program(&(struct program_image){one_file, SIZE, one}, &(struct program_image){other_file, SIZE + 4, other}));
}

static void files_that_are_cut_or_point_outside_of_themselves_are_no_programs(void **state)
{
    (void)state;
    const struct image whole = made("code", "line 1");
    struct image b = made("code", "line 2");
    for (size_t n = 0; n < SIZE; n++)
        assert_false(same_program(&(struct program_image){whole.bytes, SIZE, one}, &(struct program_image){b.bytes, n, other}));
    for (size_t at = 0; at < SIZE; at++) { /* no such file is read past its end */
        b = whole;
        b.bytes[at] = (char)0xff;
        same(&whole, &b);
    }
    put(&b, HEADERS_AT + 64 + 32, UINT64_MAX, 8);
    assert_false(same(&b, &whole));
}

static void programs_of_windows_are_programs_and_scripts_are_none(void **state)
{
    (void)state;
    static const char windows[TEXT_AT] = "MZ", others[TEXT_AT] = "MZ\1";
    const struct program_image a = {windows, sizeof windows, one}, b = {others, sizeof others, one};
    assert_true(is_program(&a));
    assert_true(same_program(&a, &a));
    assert_false(same_program(&a, &b));
    assert_false(is_program(&(struct program_image){"#!/bin/sh\n", 10, one}));
}

static void only_documentation_is_read_by_nobody(void **state)
{
    (void)state;
    static const char *const nobody[] = {"README.md",  "NEWS",         "docs/a.c",      "doc/x/y",        ".github/w.yml",
                                         ".tare/gate", "a/.gitignore", "a/b/README.md", "a/CHANGELOG.rst"};
    static const char *const maybe[] = {"a.c",     "data/readme.md", "test/docs/a.txt",    "testdata/x.go", "words.txt",  "docs",
                                        "x.md.gz", "Makefile",       "src/CMakeLists.txt", "a/READMES.md",  "a/x.README", ""};
    for (size_t i = 0; i < sizeof nobody / sizeof *nobody; i++)
        assert_true(read_by_nobody(nobody[i]));
    for (size_t i = 0; i < sizeof maybe / sizeof *maybe; i++)
        assert_false(read_by_nobody(maybe[i]));
}

static void a_name_in_the_program_is_one_that_it_may_read(void **state)
{
    (void)state;
    static const char bytes[] = "\0R\0../data/README.md\0REA";
    const struct program_image p = {bytes, sizeof bytes - 1, one};
    assert_true(program_names(&p, "README.md"));
    assert_true(program_names(&p, "a/b/README.md"));
    assert_false(program_names(&p, "READMES"));
    assert_false(program_names(&p, "READ.md"));
}

static void libraries_are_known_by_their_names(void **state)
{
    (void)state;
    static const char *const libraries[] = {"libx.so", "libx.so.1.2", "plugin.so", "libx.sort.so", ".so", "x.soft.so.1", "x.dll"},
                             *const others[] = {"x.sort", "libx.a", "so", "x.s.o", "x.so1", "dll"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        assert_true(named_as_library(libraries[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(named_as_library(others[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_are_known_by_their_names),
        cmocka_unit_test(only_documentation_is_read_by_nobody),
        cmocka_unit_test(a_name_in_the_program_is_one_that_it_may_read),
        cmocka_unit_test(programs_with_equal_code_are_the_same_whatever_their_debug_information_is),
        cmocka_unit_test(each_folder_may_have_its_own_name_in_the_code),
        cmocka_unit_test(what_a_program_may_read_from_its_own_file_counts),
        cmocka_unit_test(files_that_are_cut_or_point_outside_of_themselves_are_no_programs),
        cmocka_unit_test(programs_of_windows_are_programs_and_scripts_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
