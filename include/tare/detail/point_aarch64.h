/* SPDX-License-Identifier: MIT
 *
 * tare/detail/point_aarch64.h - how a hit is written on aarch64; a part of tare/point.h, which includes it. Its twin is point_x86_64.h.
 */
#ifndef TARE_DETAIL_POINT_AARCH64_H
#define TARE_DETAIL_POINT_AARCH64_H

TARE_ALWAYS_INLINE uint64_t tare_point_ticks(uint32_t *cpu)
{
    uint64_t count;
    __asm__ __volatile__("isb\n\tmrs %0, cntvct_el0" : "=r"(count) : : "memory");
    *cpu = 0;
    return count;
}

TARE_ALWAYS_INLINE uint64_t tare_point_ticks_fast(void)
{
    uint64_t count;
    __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(count) : : "memory");
    return count;
}

TARE_ALWAYS_INLINE void tare_point_fence(void)
{
    __asm__ __volatile__("isb" : : : "memory");
}

TARE_ALWAYS_INLINE void tare_point_increment(uint64_t *n)
{
    __atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

TARE_ALWAYS_INLINE bool tare_point_decrement(uint64_t *n)
{
    return __atomic_sub_fetch(n, 1, __ATOMIC_RELAXED) == 0;
}

/* Between reserving and storing stands the reading alone. A signal handler there may have gone on to another segment, so that what was reserved behind the
 * room of the old one seems to fit: so much stays free behind the room of each. */
TARE_ALWAYS_INLINE bool tare_point_put_as(TARE_SELF_TAKEN uint64_t id, bool fast, bool has_value, uint64_t value)
{
    uint32_t cpu;
    const uintptr_t at = __atomic_fetch_add(&TARE_TRACE_SELF.cursor, has_value ? 16 : 8, __ATOMIC_RELAXED);
    const uint64_t word = (fast ? tare_point_ticks_fast() : tare_point_ticks(&cpu)) << 16 | id;
    if (__builtin_expect(at >= __atomic_load_n(&TARE_TRACE_SELF.room, __ATOMIC_RELAXED), 0))
        return false;
    __atomic_store_n((uint64_t *)at, word, __ATOMIC_RELAXED);
    if (has_value)
        __atomic_store_n((uint64_t *)(at + 8), value, __ATOMIC_RELAXED);
    return true;
}

TARE_ALWAYS_INLINE bool tare_point_put(TARE_SELF_TAKEN uint64_t id)
{
    return tare_point_put_as(TARE_SELF_GIVEN id, false, false, 0);
}

TARE_ALWAYS_INLINE bool tare_point_put_value(TARE_SELF_TAKEN uint64_t id, uint64_t value)
{
    return tare_point_put_as(TARE_SELF_GIVEN id, false, true, value);
}

TARE_ALWAYS_INLINE bool tare_point_put_fast(TARE_SELF_TAKEN uint64_t id)
{
    return tare_point_put_as(TARE_SELF_GIVEN id, true, false, 0);
}

TARE_ALWAYS_INLINE bool tare_point_put_fast_value(TARE_SELF_TAKEN uint64_t id, uint64_t value)
{
    return tare_point_put_as(TARE_SELF_GIVEN id, true, true, value);
}

#endif
