/* SPDX-License-Identifier: MIT
 *
 * tare/detail/point_c.h - a place in C source that is a point; a part of tare/point.h, which includes it. Its twin is point_cxx.hpp.
 */
#ifndef TARE_DETAIL_POINT_C_H
#define TARE_DETAIL_POINT_C_H

/* The points of a program or shared object are found by a section of pointers to them, so those that are never passed are known too. */
#ifdef _WIN32
#include <tare/detail/point_pe.h>
#define TARE_POINT_ENTRY __attribute__((__section__("tare_poi"), __used__))
#ifndef TARE_POINTS_LIBRARY
TARE_POINT_SECTION(tare_points, tare_point, "tare_poi") /* 8 characters is what a name of a section has */
#endif
#elif defined(__ELF__)
#if defined(__has_attribute)
#if __has_attribute(__retain__)
#define TARE_POINT_ENTRY __attribute__((__section__("tare_points"), __used__, __retain__))
#endif
#endif
#ifndef TARE_POINT_ENTRY
#define TARE_POINT_ENTRY __attribute__((__section__("tare_points"), __used__))
#endif

extern struct tare_point *__start_tare_points[] __attribute__((__weak__, __visibility__("hidden")));
extern struct tare_point *__stop_tare_points[] __attribute__((__weak__, __visibility__("hidden")));
#ifndef TARE_POINTS_LIBRARY
void tare_points_enter(struct tare_point **first, struct tare_point **end) __attribute__((__weak__));
void tare_points_leave(struct tare_point **first) __attribute__((__weak__));

__attribute__((__constructor__(200))) static void tare_points_here(void)
{
    if (tare_points_enter && &__start_tare_points[0] != &__stop_tare_points[0])
        tare_points_enter(__start_tare_points, __stop_tare_points);
}

__attribute__((__destructor__(200))) static void tare_points_no_more(void)
{
    if (tare_points_leave && &__start_tare_points[0] != &__stop_tare_points[0])
        tare_points_leave(__start_tare_points);
}
#endif
#else
#define TARE_POINT_ENTRY __attribute__((__unused__))
#endif

#define TARE_POINT_INIT(title, kind, value, order, partner, count)                                                         \
    {                                                                                                                      \
        0, 0, __FILE__, __func__, title, __LINE__, kind, value, TARE_GROUP_NOW, order, partner, NULL, tare_point_row_here, \
            tare_point_unit, count                                                                                         \
    }
#define TARE_POINT_HERE(title, kind, value, order)                                                      \
    static struct tare_point tare_here = TARE_POINT_INIT(title, kind, value, order, NULL, __COUNTER__); \
    static struct tare_point *tare_here_entry TARE_POINT_ENTRY = &tare_here

#define TARE_PASS(title, kind, order, pass)                   \
    do {                                                      \
        TARE_POINT_HERE(title, kind, TARE_VALUE_NONE, order); \
        pass(&tare_here, TARE_GROUP_NOW);                     \
    } while (0)
#define TARE_PASS_VALUE(title, kind, type, value)                 \
    do {                                                          \
        TARE_POINT_HERE(title, kind, type, TARE_ORDERED);         \
        tare_point_pass_value(&tare_here, TARE_GROUP_NOW, value); \
    } while (0)

struct tare_scope {
    struct tare_point *end;
    unsigned group;
};
TARE_ALWAYS_INLINE void tare_scope_leave(struct tare_scope *scope)
{
    tare_point_pass(scope->end, scope->group);
}
/* A jump into the block past the declaration, as `case` makes, would leave what was never begun. clang refuses it; gcc does where the size of an array is
 * not constant, of which -Wvla is not to be told. */
#ifdef __clang__
#define TARE_SCOPE_QUIET
#define TARE_SCOPE_BARRIER(scope)
#else
#define TARE_SCOPE_QUIET _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wvla\"")
#define TARE_SCOPE_BARRIER(scope)                                                  \
    , (*TARE_JOIN(scope, _barrier))[scope.group + 1] __attribute__((__unused__)) = \
          __extension__({ _Pragma("GCC diagnostic pop")(void *) 0; })
#endif
/* One declaration, so that it cannot stand behind an `if` without braces; its first word is the one that compilers then complain of. */
typedef struct tare_scope TARE_SCOPE_needs_braces_around_it;
#define TARE_SCOPE_AS(title, number) TARE_SCOPE_OF(title, number, TARE_JOIN(tare_scope_, number))
#define TARE_SCOPE_OF(title, number, scope)                                                                    \
    TARE_SCOPE_needs_braces_around_it scope __attribute__((__cleanup__(tare_scope_leave), __unused__)) = {     \
        __extension__({                                                                                        \
            TARE_SCOPE_QUIET                                                                                   \
            static struct tare_point tare_ends[2] = {                                                          \
                TARE_POINT_INIT(title, TARE_KIND_BEGIN, TARE_VALUE_NONE, TARE_ORDERED, &tare_ends[1], number), \
                TARE_POINT_INIT(title, TARE_KIND_END, TARE_VALUE_NONE, TARE_ORDERED, &tare_ends[0], number)};  \
            static struct tare_point *tare_entries[2] TARE_POINT_ENTRY = {&tare_ends[0], &tare_ends[1]};       \
            tare_point_pass(&tare_ends[0], TARE_GROUP_NOW);                                                    \
            &tare_ends[1];                                                                                     \
        }),                                                                                                    \
        TARE_GROUP_NOW} TARE_SCOPE_BARRIER(scope)

#endif
