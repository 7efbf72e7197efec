/* SPDX-License-Identifier: MIT
 *
 * Marks on secret bytes. memcheck takes them as requests, instructions without effect outside of valgrind; they are compiled in where its
 * header was there. MSan's calls are in the program when it is an MSan build, and else nowhere: they are looked for by weak names, so that
 * one library serves both. libtare itself is not instrumented; so what it writes is said to MSan by hand (and see leak_watch.c).
 */
#include "leak_harness.h"
#ifdef TARE_HAS_MEMCHECK
#include <valgrind/memcheck.h>
#endif

__attribute__((weak)) void __msan_poison(const volatile void *p, size_t n);
__attribute__((weak)) void __msan_unpoison(const volatile void *p, size_t n);
__attribute__((weak)) void __msan_unpoison_param(size_t n);
__attribute__((weak)) intptr_t __msan_test_shadow(const volatile void *p, size_t n);

uint32_t leak_taint_ways(void)
{
    uint32_t ways = __msan_poison && __msan_unpoison ? WIRE_TAINT_MSAN | WIRE_TAINT_ACTIVE : 0;
#ifdef TARE_HAS_MEMCHECK
    ways |= WIRE_TAINT_MEMCHECK | (RUNNING_ON_VALGRIND ? WIRE_TAINT_ACTIVE : 0u);
#endif
    return ways;
}

bool tare_taint_active(void)
{
    return leak_taint_ways() & WIRE_TAINT_ACTIVE;
}

void tare_secret(const void *p, size_t n)
{
#ifdef TARE_HAS_MEMCHECK
    (void)VALGRIND_MAKE_MEM_UNDEFINED(p, n);
#endif
    if (__msan_poison)
        __msan_poison(p, n);
}

void tare_public(const void *p, size_t n)
{
#ifdef TARE_HAS_MEMCHECK
    (void)VALGRIND_MAKE_MEM_DEFINED(p, n);
#endif
    leak_written(p, n);
}

/* Without a request that reports: each byte's bits are asked for. 1: the answer is there. */
static bool memcheck_secret(const unsigned char *at, size_t n)
{
    bool secret = false;
    (void)at; /* requests are empty on processors that valgrind does not run on */
    (void)n;
#ifdef TARE_HAS_MEMCHECK
    for (size_t i = 0; i < n && !secret; i++) {
        unsigned char bits = 0;
        secret = VALGRIND_GET_VBITS(at + i, &bits, 1) == 1 && bits != 0;
    }
#endif
    return secret;
}

bool tare_is_secret(const void *p, size_t n)
{
    if (__msan_test_shadow && __msan_test_shadow(p, n) >= 0)
        return true;
    return memcheck_secret(p, n);
}

void leak_written(const void *p, size_t n)
{
    if (__msan_unpoison)
        __msan_unpoison(p, n);
}

void leak_written_arguments(size_t n)
{
    if (__msan_unpoison_param)
        __msan_unpoison_param(n);
}
