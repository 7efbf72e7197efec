/* SPDX-License-Identifier: MIT
 *
 * work.c - tare-work, see known_work.h: its start without a C library. It ends with code 0.
 */
#include "known_work.h"
#include "spawn_sys.h"

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

/* stack: the number of words, then the words, as the kernel leaves them. */
__attribute__((used, noreturn)) static void work(const long *stack)
{
    const long words = stack[0];
    known_work(words > 1 ? (const char *)stack[2] : NULL, words > 2 ? (const char *)stack[3] : NULL);
    for (;;)
        SYS(__NR_exit_group, 0);
}
