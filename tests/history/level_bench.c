/* SPDX-License-Identifier: MIT
 *
 * A benchmark whose time is what the file `level` beside it says, so that commits differ by as much as they should.
 *
 *     level_bench      reads level in its own folder
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>

static double level_ns;

TARE_BENCH(parse, .manual_time = true)
{
    TARE_LOOP(st)
    {
        tare_manual_ns(st, level_ns);
    }
}

TARE_BENCH(print, .manual_time = true)
{
    TARE_LOOP(st)
    {
        tare_manual_ns(st, 500);
    }
}

int main(int argc, char **argv)
{
    char path[4096];
    const char *slash = strrchr(argv[0], '/');
    snprintf(path, sizeof path, "%.*s/level", slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".");
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%lf", &level_ns) != 1)
        return fprintf(stderr, "%s: no level\n", path), 1;
    fclose(file);
    return tare_bench_main(argc, argv, tare_write_stdout, NULL);
}
