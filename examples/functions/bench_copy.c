/* SPDX-License-Identifier: MIT
 *
 * memcpy from 16 bytes to 64 MB.
 *
 * Below 4 KB the call itself weighs most, then the first cache, then the next ones, and from some MB on memory. The blocks come from
 * tare_alloc, which puts them at another place in their page in each process: how the two lie to each other can cost more than a
 * change of the code would gain, and no single process shows it.
 */
#include <string.h>
#include <tare/tare.h>

TARE_BENCH(copy, .args = TARE_NAMED("bytes", 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864))
{
    size_t n = (size_t)tare_arg(st, 0);
    char *from = tare_alloc(st, n), *to = tare_alloc(st, n);
    if (!from || !to)
        return; /* libtare has noted it */
    /* Pages that nobody has written are all the same page of zeros, which any cache holds. */
    memset(from, 'x', n);
    memset(to, 'y', n);
    TARE_LOOP(st)
    {
        /* A length that the compiler knows becomes a few moves in line, and memcpy would not be measured at all. */
        memcpy(to, from, tare_opaque(n));
        tare_use_mem(to, n);
    }
    tare_check(st, memcmp(from, to, n) == 0);
    tare_bytes(st, (double)n);
}

TARE_MAIN()
