/* SPDX-License-Identifier: MIT
 *
 * The examples of FIPS 180-4 for SHA-256 (those that NIST publishes with it), and that it does not matter in which pieces the bytes come.
 */
#include "sha2.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void of_text(const char *text, const char *expected)
{
    char name[SHA256_TEXT];
    struct sha256 s = sha256_begin();
    sha256_add(&s, text, strlen(text));
    sha256_text(&s, name);
    assert_string_equal(name, expected);
}

static void the_examples_of_the_standard_hold(void **state)
{
    (void)state;
    of_text("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    of_text("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    of_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    of_text("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

static void a_million_letters_in_pieces_of_any_length_are_those_of_the_standard(void **state)
{
    (void)state;
    enum { N = 1000000 };
    char *letters = malloc(N), name[SHA256_TEXT];
    assert_non_null(letters);
    memset(letters, 'a', N);
    for (size_t piece = 1; piece < N; piece = piece * 3 + 1) {
        struct sha256 s = sha256_begin();
        for (size_t at = 0; at < N; at += piece)
            sha256_add(&s, letters + at, at + piece < N ? piece : N - at);
        sha256_text(&s, name);
        assert_string_equal(name, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
    free(letters);
}

static void a_hash_on_the_way_changes_nothing(void **state)
{
    (void)state;
    char all[SHA256_TEXT], name[SHA256_TEXT];
    for (int n = 0; n < 200; n++) {
        struct sha256 s = sha256_begin(), t = sha256_begin();
        for (int i = 0; i < n; i++) {
            sha256_add(&s, "x", 1);
            sha256_text(&s, name);
        }
        char text[200];
        memset(text, 'x', sizeof text);
        sha256_add(&t, text, (size_t)n);
        sha256_text(&t, all);
        if (n)
            assert_string_equal(name, all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_examples_of_the_standard_hold),
                                       cmocka_unit_test(a_million_letters_in_pieces_of_any_length_are_those_of_the_standard),
                                       cmocka_unit_test(a_hash_on_the_way_changes_nothing)};
    return cmocka_run_group_tests_name("sha2", tests, NULL, NULL);
}
