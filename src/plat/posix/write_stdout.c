/* SPDX-License-Identifier: MIT
 * What TARE_MAIN hands to libtare. Through stdio, whose buffer may hold what the program itself printed before. */
#include <stdio.h>
#include <tare/bench.h>

int tare_write_stdout(void *context, const char *text, size_t n)
{
    (void)context;
    return fwrite(text, 1, n, stdout) == n && fflush(stdout) == 0 ? 0 : -1;
}
