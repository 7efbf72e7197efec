/* SPDX-License-Identifier: MIT
 *
 * A tare that was built without libpq says so of each URL, and makes no folder of that name.
 */
#include "history.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char url[] = "postgresql://host/name";

static void assert_says_so(enum tare_status status, const struct tare_err *err)
{
    assert_int_equal(status, TARE_UNSUPPORTED);
    assert_non_null(strstr(err->text, "built without libpq"));
}

static void a_url_is_refused_wherever_a_folder_may_be_named(void **state)
{
    (void)state;
    struct history *h = NULL;
    struct tare_err err = {""};
    char id[HISTORY_ID_BYTES];
    const struct history_event note = {.kind = HISTORY_NOTE, .who = "Ann", .at_utc_ns = 1};
    assert_true(history_is_url(url) && history_is_url("postgres://") && !history_is_url("postgresql:/host"));
    assert_says_so(history_check_url(url, &err), &err);
    assert_says_so(history_open(&h, url, &err), &err);
    assert_null(h);
    assert_says_so(history_make_folder(url, &err), &err);
    assert_says_so(history_add_event(url, &note, id, &err), &err);
    assert_int_not_equal(access("postgresql:", F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_url_is_refused_wherever_a_folder_may_be_named)};
    return cmocka_run_group_tests_name("server_absent", tests, NULL, NULL);
}
