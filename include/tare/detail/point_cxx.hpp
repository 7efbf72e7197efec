/* SPDX-License-Identifier: MIT
 *
 * tare/detail/point_cxx.hpp - a place in C++17 source that is a point; a part of tare/point.h, which includes it. Its twin is point_c.h.
 *
 * A point in an inline function or a template cannot go into a section, as points in C do. So each place has a type of its own, and its
 * point is a static member of a template over that type: one in each program or shared object, however often the function is compiled.
 * Each puts itself on the list of its program or shared object before main, so that points that are never passed are known.
 */
#ifndef TARE_DETAIL_POINT_CXX_HPP
#define TARE_DETAIL_POINT_CXX_HPP

namespace tare
{

/* The points of this program or shared object. */
struct TARE_HIDDEN point_list {
    tare_point *first = nullptr;

    bool append(tare_point &p) noexcept
    {
        p.next = first;
        first = &p;
        tare_points_add(&p);
        return true;
    }
    ~point_list()
    {
        tare_points_remove(first);
    }
    static point_list &here() noexcept
    {
        static point_list list;
        return list;
    }
};

/* Place: a type with the functions file(), function() and line(), and what the point is. */
template <class Place> struct TARE_HIDDEN point_of {
    static inline tare_point point = {0,
                                      0,
                                      Place::file(),
                                      Place::function(),
                                      Place::title(),
                                      Place::line(),
                                      Place::kind,
                                      Place::value,
                                      Place::group,
                                      Place::order,
                                      nullptr,
                                      nullptr,
                                      tare_point_row_here,
                                      tare_point_unit,
                                      Place::count};
    static inline const bool listed = point_list::here().append(point);

    __attribute__((__always_inline__)) static tare_point *address() noexcept
    {
        (void)&listed;
        return &point;
    }
};

template <class BeginPlace, class EndPlace> class TARE_HIDDEN scope
{
    static bool pair() noexcept
    {
        point_of<BeginPlace>::point.partner = &point_of<EndPlace>::point;
        point_of<EndPlace>::point.partner = &point_of<BeginPlace>::point;
        return point_of<BeginPlace>::listed && point_of<EndPlace>::listed;
    }
    static inline const bool paired = pair();

  public:
    __attribute__((__always_inline__)) scope() noexcept
    {
        (void)&paired;
        tare_point_pass(point_of<BeginPlace>::address(), BeginPlace::group);
    }
    __attribute__((__always_inline__)) ~scope()
    {
        tare_point_pass(point_of<EndPlace>::address(), EndPlace::group);
    }
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;
};

} // namespace tare

/* The type of a place. Its function's name is found in that of its own members, which stand in that function. */
#define TARE_WHERE(where, text, kind_of_point, type_of_value, order_of_reads, number)                                \
    struct where {                                                                                                   \
        static constexpr const char *file() noexcept                                                                 \
        {                                                                                                            \
            return __FILE__;                                                                                         \
        }                                                                                                            \
        static constexpr const char *function() noexcept                                                             \
        {                                                                                                            \
            return __extension__ __PRETTY_FUNCTION__;                                                                \
        }                                                                                                            \
        static constexpr const char *title() noexcept                                                                \
        {                                                                                                            \
            return text;                                                                                             \
        }                                                                                                            \
        static constexpr uint32_t line() noexcept                                                                    \
        {                                                                                                            \
            return __LINE__;                                                                                         \
        }                                                                                                            \
        enum : unsigned char { kind = kind_of_point, value = type_of_value, group = TARE_GROUP_NOW, order = order_of_reads }; \
        enum : uint32_t { count = number };                                                                          \
    }

#define TARE_PASS(text, kind, order, pass)                                                          \
    do {                                                                                            \
        TARE_WHERE(tare_where, text, kind, TARE_VALUE_NONE, order, __COUNTER__);                    \
        pass(::tare::point_of<tare_where>::address(), TARE_GROUP_NOW);                                  \
    } while (0)
#define TARE_PASS_VALUE(text, kind, type, number)                                                   \
    do {                                                                                            \
        TARE_WHERE(tare_where, text, kind, type, TARE_ORDERED, __COUNTER__);                        \
        tare_point_pass_value(::tare::point_of<tare_where>::address(), TARE_GROUP_NOW, number);         \
    } while (0)
/* The types are named by the line: by __COUNTER__ one of an inline function would be another place in other object files. Behind an `if` without braces
 * the object does not see them: their names say what is wrong. */
#define TARE_SCOPE_AS(text, number)                                                                     \
    TARE_SCOPE_OF(text, TARE_JOIN(tare_where_TARE_SCOPE_needs_braces_begin_, __LINE__),                 \
                  TARE_JOIN(tare_where_TARE_SCOPE_needs_braces_end_, __LINE__), TARE_JOIN(tare_scope_, number), number)
#define TARE_SCOPE_OF(text, begin, end, object, number)                              \
    TARE_WHERE(begin, text, TARE_KIND_BEGIN, TARE_VALUE_NONE, TARE_ORDERED, number); \
    TARE_WHERE(end, text, TARE_KIND_END, TARE_VALUE_NONE, TARE_ORDERED, number);     \
    ::tare::scope<begin, end> object

#endif
