/* SPDX-License-Identifier: MIT
 *
 * work.c - tare-work, a program whose work is known: `tare-work THOUSANDS KIB` makes so many thousand multiplies that wait for each other, then
 * writes to each line of so much fresh memory and reads it again, and ends with code 0. A machine is judged by it: half a per cent more multiplies is a program
 * that is half a per cent slower. Words that are no numbers count as 0, as does what is missing.
 */
#include "chain.h"
#include "spawn_sys.h"

enum { KIB_MOST = 65536, LINE = 64, KIB = 1024 };

static char memory[KIB_MOST * KIB]; /* takes no room before it is touched */

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n"
        "mov %rsp, %rdi\n"
        "xor %ebp, %ebp\n"
        "and $-16, %rsp\n"
        "call work\n"
        "ud2\n");
#elif defined(__aarch64__)
__asm__(".globl _start\n_start:\n"
        "mov x0, sp\n"
        "mov x29, #0\n"
        "mov x30, #0\n"
        "bl work\n"
        "brk #1\n");
#endif

static long number(const char *text)
{
    long n = 0;
    for (; *text >= '0' && *text <= '9' && n < 1000000000; text++)
        n = n * 10 + (*text - '0');
    return *text ? 0 : n;
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

/* stack: the number of words, then the words, as the kernel leaves them. */
__attribute__((used, noreturn)) static void work(const long *stack)
{
    long words = stack[0], kib = words > 2 ? number((const char *)stack[3]) : 0;
    multiply(words > 1 ? number((const char *)stack[2]) : 0);
    touch(kib < KIB_MOST ? kib : KIB_MOST);
    for (;;)
        SYS(__NR_exit_group, 0);
}
