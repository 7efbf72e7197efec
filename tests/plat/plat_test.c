/* SPDX-License-Identifier: MIT
 *
 * The Linux platform, live: real children, signals, terminals and files. Orderings and facts only; nothing here depends on
 * how fast the machine is.
 */
#include "plat_world.h"
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--create")) { /* a copy of this program elsewhere: what does it say? */
        struct tare_err err;
        struct plat_spawner *s;
        enum tare_status status = plat_spawner_create(&s, NULL, &err);
        puts(status ? err.text : "created");
        if (!status)
            plat_spawner_destroy(s);
        return -status;
    }
    int failed = 0;
#define GROUP(part) _cmocka_run_group_tests(#part, part##_tests, (size_t)part##_test_count, world_begin, world_end)
    failed += GROUP(account);
    failed += GROUP(child);
    failed += GROUP(directory);
    failed += GROUP(end);
    failed += GROUP(fault);
    failed += GROUP(file);
    failed += GROUP(machine);
    failed += GROUP(share);
    failed += GROUP(terminal);
    return failed;
}
