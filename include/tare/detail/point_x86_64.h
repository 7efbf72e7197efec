/* SPDX-License-Identifier: MIT
 *
 * tare/detail/point_x86_64.h - how a hit is written on x86-64; a part of tare/point.h, which includes it. Its twin is point_aarch64.h.
 */
#ifndef TARE_DETAIL_POINT_X86_64_H
#define TARE_DETAIL_POINT_X86_64_H

/* All before it is done. Costs what lfence and rdtsc do, and tells the CPU. */
TARE_ALWAYS_INLINE uint64_t tare_point_ticks(uint32_t *cpu)
{
    uint32_t low, high;
    __asm__ __volatile__("rdtscp" : "=a"(low), "=d"(high), "=c"(*cpu) : : "memory");
    return TARE_AS(uint64_t, high) << 32 | low;
}

TARE_ALWAYS_INLINE uint64_t tare_point_ticks_fast(void)
{
    uint32_t low, high;
    __asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return TARE_AS(uint64_t, high) << 32 | low;
}

/* Likewise, where there is no rdtscp. */
TARE_ALWAYS_INLINE void tare_point_fence(void)
{
    __asm__ __volatile__("lfence" : : : "memory");
}

/* One instruction each: a signal handler that passes points comes before it or after it. Other threads have their own, so no lock. */
TARE_ALWAYS_INLINE void tare_point_increment(uint64_t *n)
{
    __asm__ __volatile__("incq %0" : "+m"(*n) : : "cc");
}

/* True: that made it 0. */
TARE_ALWAYS_INLINE bool tare_point_decrement(uint64_t *n)
{
    bool zero;
    __asm__ __volatile__("decq %0" : "+m"(*n), "=@ccz"(zero));
    return zero;
}

/* What stands in line of a pass that is written: the same few instructions whatever the compiler and its options. Room for it is reserved by one of
 * them (xadd), as above; then the clock is read, the tick shifted and the id added in steps that do not wait for each other where they need not, and the
 * word stored. Whether there was room is asked where nothing waits for the answer. A signal handler in between may have gone on to another
 * segment, so that what was reserved behind the room of the old one seems to fit: so much stays free behind the room of each.
 * (The thread's struct is never reached through a pointer here: what sanitizers make of that breaks when linkers shorten it.) */
#define TARE_POINT_RESERVE(bytes) "movl $" #bytes ", %%esi\n\txaddq %%rsi, %[cursor]\n\t"
#define TARE_POINT_WORD                                           \
    "\n\tshlq $48, %%rdx\n\tshlq $16, %%rax\n\taddq %[id], %%rax" \
    "\n\tcmpq %[room], %%rsi\n\tjae %l[full]"                     \
    "\n\taddq %%rdx, %%rax\n\tmovq %%rax, (%%rsi)"
#define TARE_POINT_BEHIND "\n\tmovq %[value], 8(%%rsi)"
#define TARE_POINT_CPU    "\n\tcmpl %[cpu], %%ecx\n\tjne %l[moved]"
#define TARE_POINT_ROOM   [cursor] "m"(TARE_TRACE_SELF.cursor), [room] "m"(TARE_TRACE_SELF.room)

/* The whole of a function that returns false where there is no room. */
#define TARE_POINT_ORDERED(code, ...)                                           \
    __asm__ goto(code TARE_POINT_CPU                                            \
                 :                                                              \
                 : TARE_POINT_ROOM, [cpu] "m"(TARE_TRACE_SELF.cpu), __VA_ARGS__ \
                 : "rax", "rcx", "rdx", "rsi", "cc", "memory"                   \
                 : full, moved);                                                \
    return true;                                                                \
    moved:                                                                      \
    tare_point_migrated();                                                      \
    return true;                                                                \
    full:                                                                       \
    return false
#define TARE_POINT_UNORDERED(code, ...)                                                               \
    __asm__ goto(code : : TARE_POINT_ROOM, __VA_ARGS__ : "rax", "rdx", "rsi", "cc", "memory" : full); \
    return true;                                                                                      \
    full:                                                                                             \
    return false

TARE_ALWAYS_INLINE bool tare_point_put(TARE_SELF_TAKEN uint64_t id)
{
    TARE_POINT_ORDERED(TARE_POINT_RESERVE(8) "rdtscp" TARE_POINT_WORD, [id] "r"(id));
}

TARE_ALWAYS_INLINE bool tare_point_put_value(TARE_SELF_TAKEN uint64_t id, uint64_t value)
{
    TARE_POINT_ORDERED(TARE_POINT_RESERVE(16) "rdtscp" TARE_POINT_WORD TARE_POINT_BEHIND, [id] "r"(id), [value] "r"(value));
}

TARE_ALWAYS_INLINE bool tare_point_put_fast(TARE_SELF_TAKEN uint64_t id)
{
    TARE_POINT_UNORDERED(TARE_POINT_RESERVE(8) "rdtsc" TARE_POINT_WORD, [id] "r"(id));
}

TARE_ALWAYS_INLINE bool tare_point_put_fast_value(TARE_SELF_TAKEN uint64_t id, uint64_t value)
{
    TARE_POINT_UNORDERED(TARE_POINT_RESERVE(16) "rdtsc" TARE_POINT_WORD TARE_POINT_BEHIND, [id] "r"(id), [value] "r"(value));
}

#undef TARE_POINT_RESERVE
#undef TARE_POINT_WORD
#undef TARE_POINT_BEHIND
#undef TARE_POINT_CPU
#undef TARE_POINT_ROOM
#undef TARE_POINT_ORDERED
#undef TARE_POINT_UNORDERED

#endif
