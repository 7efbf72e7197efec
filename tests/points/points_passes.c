/* SPDX-License-Identifier: MIT
 *
 *     points_passes FOLDER NAME      how often the points of that name were passed, by the files there; fails where these are not right
 */
#include "points_seen.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const char *folder, *name;

static void count(void **state)
{
    (void)state;
    struct seen *s = seen_folder(folder);
    printf("%llu\n", (unsigned long long)seen_passes(s, name));
    seen_free(s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(count)};
    if (argc != 3)
        return 2;
    folder = argv[1];
    name = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
