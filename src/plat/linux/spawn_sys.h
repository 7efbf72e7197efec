/* SPDX-License-Identifier: MIT
 *
 * spawn_sys.h - the kernel without a C library, for the two programs that must stay small in memory.
 *
 * A system call returns its value, or minus the errno value. Structures are those of the C library's headers where they
 * agree with the kernel's (they do on 64-bit systems for all that is used here), own ones where they do not.
 */
#ifndef SPAWN_SYS_H
#define SPAWN_SYS_H

#include <asm/unistd.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* The kernel's own form, not the C library's. */
struct sys_sigaction {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

struct sys_message { /* musl's has smaller lengths, with gaps beside them */
    void *name;
    int name_bytes;
    struct iovec *parts;
    size_t n_parts;
    void *control;
    size_t control_bytes;
    unsigned flags;
};

enum { SYS_SA_RESTORER = 0x04000000, SYS_SIGNALS = 64 };

#if defined(__x86_64__)

static inline long sys6(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#define SYS_START(entry)               \
    __asm__(".globl _start\n_start:\n" \
            "xor %ebp, %ebp\n"         \
            "and $-16, %rsp\n"         \
            "call " #entry "\n"        \
            "ud2\n")

/* long sys_clone(flags, stack_top, entry): the child runs entry(), which never returns, on its own stack. */
#define SYS_CLONE()                              \
    __asm__(".globl sys_clone\nsys_clone:\n"     \
            "mov %rdx, %r9\n"                    \
            "xor %edx, %edx\n"                   \
            "xor %r10d, %r10d\n"                 \
            "xor %r8d, %r8d\n"                   \
            "mov $56, %eax\n"                    \
            "syscall\n"                          \
            "test %rax, %rax\n"                  \
            "jz 1f\n"                            \
            "ret\n"                              \
            "1: xor %ebp, %ebp\n"                \
            "call *%r9\n"                        \
            "ud2\n"                              \
            ".globl sys_restore\nsys_restore:\n" \
            "mov $15, %eax\n"                    \
            "syscall\n")

#elif defined(__aarch64__)

static inline long sys6(long number, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}

#define SYS_START(entry)               \
    __asm__(".globl _start\n_start:\n" \
            "mov x29, #0\n"            \
            "mov x30, #0\n"            \
            "bl " #entry "\n"          \
            "brk #1\n")

#define SYS_CLONE()                              \
    __asm__(".globl sys_clone\nsys_clone:\n"     \
            "mov x5, x2\n"                       \
            "mov x2, #0\n"                       \
            "mov x3, #0\n"                       \
            "mov x4, #0\n"                       \
            "mov x8, #220\n"                     \
            "svc 0\n"                            \
            "cbz x0, 1f\n"                       \
            "ret\n"                              \
            "1: mov x29, #0\n"                   \
            "mov x30, #0\n"                      \
            "blr x5\n"                           \
            "brk #1\n"                           \
            ".globl sys_restore\nsys_restore:\n" \
            "mov x8, #139\n"                     \
            "svc 0\n")

#else
#error "spawn_sys.h knows x86-64 and aarch64"
#endif

#define SYS(number, ...)                      SYS_PICK(__VA_ARGS__, sys_6, sys_5, sys_4, sys_3, sys_2, sys_1)(number, __VA_ARGS__)
#define SYS_PICK(a, b, c, d, e, f, name, ...) name
#define sys_1(n, a)                           sys6(n, (long)(a), 0, 0, 0, 0, 0)
#define sys_2(n, a, b)                        sys6(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define sys_3(n, a, b, c)                     sys6(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define sys_4(n, a, b, c, d)                  sys6(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define sys_5(n, a, b, c, d, e)               sys6(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define sys_6(n, a, b, c, d, e, f)            sys6(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#endif
