/* SPDX-License-Identifier: MIT
 *
 * A benchmark whose version is the compiler's word. */
#include <tare/tare.h>

TARE_BENCH(work, .version = VERSION)
{
    uint64_t x = tare_seed(st);
    TARE_LOOP(st)
    {
        x = x * 3 + 1;
        tare_chain(x);
    }
}

TARE_MAIN()
