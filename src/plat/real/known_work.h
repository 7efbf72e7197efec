/* SPDX-License-Identifier: MIT
 *
 * known_work.h - tare-work, a program whose work is known, without its start: `tare-work THOUSANDS KIB` makes so many thousand multiplies that wait for each
 * other, then writes to each line of so much fresh memory and reads it again. A machine is judged by it: half a per cent more multiplies is a program that is
 * half a per cent slower. Words that are no numbers count as 0, as does what is missing.
 *
 *     known_work("1000", NULL);     // a million multiplies, no memory
 *
 * No C library is there.
 */
#ifndef KNOWN_WORK_H
#define KNOWN_WORK_H

#include "chain.h"

enum { KIB_MOST = 65536, LINE = 64, KIB = 1024 };

static char memory[KIB_MOST * KIB]; /* takes no room before it is touched */

/* A blank or the end is behind it. */
static long number(const char *text)
{
    long n = 0;
    for (; text && *text >= '0' && *text <= '9' && n < 1000000000; text++)
        n = n * 10 + (*text - '0');
    return text && *text && *text != ' ' ? 0 : n;
}

static void multiply(long thousands)
{
    uint64_t x = 3;
    for (; thousands > 0; thousands--)
        x = chain_multiply(x, 1000);
}

static void touch(long kib)
{
    volatile char *m = memory;
    char sum = 0;
    for (long i = 0; i < kib * KIB; i += LINE)
        m[i] = 1;
    for (long i = 0; i < kib * KIB; i += LINE)
        sum = (char)(sum + m[i]);
    m[0] = sum;
}

static void known_work(const char *thousands, const char *kib)
{
    const long wanted = number(kib);
    multiply(number(thousands));
    touch(wanted < KIB_MOST ? wanted : KIB_MOST);
}

#endif
