/* SPDX-License-Identifier: MIT
 *
 * kernels.c as google/benchmark measures it.
 */
#define OTHER_BENCH
#include "kernels.c"
