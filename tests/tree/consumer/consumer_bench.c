/* SPDX-License-Identifier: MIT
 *
 * A stranger's benchmark.
 */
#include <tare/tare.h>

TARE_BENCH(triple, .args = TARE_ARGS(1, 2))
{
    uint64_t x = tare_seed(st);
    TARE_LOOP(st)
    {
        x = x * 3 + (uint64_t)tare_arg(st, 0);
        tare_chain(x);
    }
    tare_items(st, 1);
}

TARE_MAIN()
