/* SPDX-License-Identifier: MIT
 *
 * What all files of control points work on: the page that a forked child finds empty, the thread's own words, the process, and its lock.
 */
#include "point_state.h"
#include "cpu.h"
#include "plat_process.h"

__attribute__((aligned(TARE_TRACE_PAGE))) struct tare_trace_control tare_trace_control;

#define OF_GROUP(g)                                                    \
    {                                                                  \
        .id = CONTROL_ITERATION, .number = POINT_CONTROL, .group = (g) \
    }
#define OF_FOUR(g) OF_GROUP(g), OF_GROUP((g) + 1), OF_GROUP((g) + 2), OF_GROUP((g) + 3)
struct tare_point tare_point_iterations[TARE_GROUPS] = {OF_FOUR(0),  OF_FOUR(4),  OF_FOUR(8),  OF_FOUR(12),
                                                        OF_FOUR(16), OF_FOUR(20), OF_FOUR(24), OF_FOUR(28)};
#undef OF_GROUP
#undef OF_FOUR

struct point_process point_process;

_Static_assert(sizeof(struct tare_trace_control) == TARE_TRACE_PAGE, "the page that is wiped on fork is whole");
_Static_assert((int)TARE_GROUPS == 32, "each group has its point of iterations");
_Static_assert((int)TARE_TRACE_BURST == TRACE_BURST && (int)TARE_TRACE_EVENTS == TRACE_TRACE, "modes are those of the file");
_Static_assert((int)TARE_KIND_COUNTER == TRACE_COUNTER && (int)TARE_VALUE_I64 == TRACE_VALUE_I64, "kinds are those of the file");

struct point_shared *point_shared(void)
{
    return point_shared_here();
}

void point_lock(void)
{
    while (atomic_exchange_explicit(&point_shared()->lock, 1, memory_order_acquire) && !plat_process_ends())
        plat_thread_yield();
}

void point_unlock(void)
{
    atomic_store_explicit(&point_shared()->lock, 0, memory_order_release);
}

void point_modes_set(void)
{
    const bool in_line = plat_trace_thread_in_line(&tare_trace_control.slot);
    uint32_t epoch = ++point_process.epochs;
    atomic_store(&point_shared()->epoch, epoch);
    for (int g = 0; g < TRACE_GROUPS; g++) {
        const uint32_t word = point_word_of(epoch, (enum trace_mode)point_process.modes[g]);
        __atomic_store_n(&tare_trace_control.words[g], in_line || tare_trace_off(word) ? word : 0, __ATOMIC_RELEASE);
    }
}

uint64_t point_ticks(void)
{
    return point_process.counter ? cpu_ticks_begin() : (uint64_t)plat_clock_ns(clock_reference());
}

bool point_is_here(const struct point_thread *own)
{
    return own && point_process.head && own->instance == atomic_load(&point_shared()->instance);
}

int point_group_in(enum trace_mode mode)
{
    for (int g = 0; g < TRACE_GROUPS; g++)
        if (__atomic_load_n(&point_process.modes[g], __ATOMIC_RELAXED) == mode) /* another thread may change it */
            return g;
    return -1;
}

bool point_writes(void)
{
    return point_group_in(TRACE_TRACE) >= 0 || point_group_in(TRACE_BURST) >= 0;
}
