/* SPDX-License-Identifier: MIT
 *
 * tare/detail/bench_loop.h - two words of TARE_LOOP; a part of tare/bench.h, which includes it.
 *
 * gcc warns of each loop that was to be unrolled and turns out to be none, since the code under test always leaves it. It has no option against that, but
 * says nothing where the words that it points at, `for` in C and the first semicolon in C++, stand in a system header. No more than these: with the
 * pragma or a whole loop other warnings would go too, those of the program's own unused variables among them.
 */
#ifndef TARE_DETAIL_BENCH_LOOP_H
#define TARE_DETAIL_BENCH_LOOP_H
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#define TARE_FOR      for
#define TARE_NO_FIRST ;

#endif
