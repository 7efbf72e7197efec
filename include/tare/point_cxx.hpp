/* SPDX-License-Identifier: MIT
 *
 * tare/point_cxx.hpp - control points in C++17. Include tare/point.h, which says how they are used.
 *
 * A point in an inline function or a template cannot go into a section, as a point in C does. So each place has a type of its own, and the
 * point is a static member of a template over it, which exists once in a program or shared object and is put on the list of its
 * points before main.
 */
#ifndef TARE_POINT_CXX_HPP
#define TARE_POINT_CXX_HPP

#include <tare/point.h>

namespace tare
{

/* Of one program or shared object: hidden. */
struct __attribute__((visibility("hidden"))) point_list {
    ::tare_point *first;
    ~point_list();
};

} // namespace tare
#endif
