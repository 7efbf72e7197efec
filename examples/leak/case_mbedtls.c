/* SPDX-License-Identifier: MIT */
#include "leak_cases.h"
#include <mbedtls/constant_time.h>

TARE_LEAK(mbedtls_ct_memcmp, .bytes = 64, .classes = TARE_CLASSES("equal", "random"))
{
    return (uint64_t)(int64_t)mbedtls_ct_memcmp(in, in + 32, 32);
}
