/* SPDX-License-Identifier: MIT
 *
 * spin N: N dependent multiplications and nothing else, a deterministic amount of work. The planted truth of the trust benches.
 */
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    uint64_t x = 88172645463325252u;
    for (long long n = argc > 1 ? atoll(argv[1]) : 0; n > 0; n--) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x)); /* the loop stays, and nothing goes to memory */
    }
    return 0;
}
