/* SPDX-License-Identifier: MIT
 *
 * repeated.h - how often a test draws its data anew.
 *
 *     for (int i = 0; i < REPEATED(400); i++)
 *
 * A tenth of it where simulations are left out (TARE_SIMULATIONS, TareTests.cmake): a sanitizer sees in the first draws what it sees in all. Not for data of
 * which each takes another way through the code, as damaged files do.
 */
#ifndef REPEATED_H
#define REPEATED_H

#ifdef FEW_REPETITIONS
#define REPEATED(n) ((n) / 10)
#else
#define REPEATED(n) (n)
#endif

#endif
