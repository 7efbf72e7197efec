/* SPDX-License-Identifier: MIT
 *
 * Benchmarks for Windows: STEPS says how much work there is, and ILL makes it a program of which most go wrong.
 */
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>
#include <windows.h>

TARE_BENCH(work)
{
    uint64_t x = tare_seed(st);
    TARE_LOOP(st)
    {
        for (int i = 0; i < STEPS; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            tare_chain(x);
        }
    }
}

#ifdef ILL
static void measured(struct tare_state *st)
{
    uint64_t x = tare_seed(st);
    TARE_LOOP(st)
    {
        x = x * 3;
        tare_chain(x);
    }
}

TARE_BENCH(faults)
{
    TARE_LOOP(st)
    {
        *(volatile int *)0 = 1;
    }
}

TARE_BENCH(divides)
{
    volatile int zero = 0;
    TARE_LOOP(st)
    {
        zero = 100 / zero;
    }
}

TARE_BENCH(exits)
{
    TARE_LOOP(st)
    {
        exit(3);
    }
}

TARE_BENCH(fails)
{
    tare_fail(st, "it needs a moon");
}

TARE_BENCH(closes)
{
    _close(3);
    measured(st);
}

static void report(const char *bytes, DWORD n)
{
    WriteFile((HANDLE)_get_osfhandle(3), bytes, n, &n, NULL);
}

TARE_BENCH(garbage)
{
    static const char text[] = "this is no report";
    report(text, sizeof text);
    measured(st);
}

/* More than any program may report. */
TARE_BENCH(floods)
{
    static char bytes[1 << 20];
    memset(bytes, 'r', sizeof bytes);
    for (int i = 0; i < 66; i++)
        report(bytes, sizeof bytes);
    measured(st);
}

/* A process of its own, which would make a file after 3 seconds, is ended with it. It says that it is there. */
TARE_BENCH(hangs)
{
    STARTUPINFOA start = {.cb = sizeof start};
    PROCESS_INFORMATION late;
    char line[] = "measured late late_bench.txt";
    TARE_LOOP(st)
    {
        CreateProcessA(NULL, line, NULL, NULL, FALSE, 0, NULL, NULL, &start, &late);
        FILE *f = fopen("hangs.txt", "w");
        fputs("it hangs", f);
        fclose(f);
        Sleep(INFINITE);
    }
}
#endif

TARE_MAIN()
