/* SPDX-License-Identifier: MIT
 *
 * A program of 32 bits that needs no library of that size: fills 8 MiB, starts a child that fills 16 MiB more, and ends.
 */
enum { EXIT = 1, FORK = 2, WAITPID = 7, MIB = 1 << 20 };

static char own[8 * MIB], of_child[16 * MIB];

static int call(int number, int a, int b, int c)
{
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
    return result;
}

static void fill(volatile char *p, int n)
{
    for (int i = 0; i < n; i += 4096)
        p[i] = 1;
}

__attribute__((used, noreturn)) static void start(void)
{
    int status = 0;
    fill(own, sizeof own);
    int pid = call(FORK, 0, 0, 0);
    if (!pid)
        fill(of_child, sizeof of_child);
    else
        call(WAITPID, pid, (int)(long)&status, 0);
    for (;;)
        call(EXIT, pid && status ? 1 : 0, 0, 0);
}

__asm__(".globl _start\n_start:\nand $-16, %esp\ncall start\n");
