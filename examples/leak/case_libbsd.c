/* SPDX-License-Identifier: MIT */
#include "leak_cases.h"
#include <bsd/string.h>

TARE_LEAK(timingsafe_bcmp, .bytes = 64, .classes = TARE_CLASSES("equal", "random"))
{
    return (uint64_t)(int64_t)timingsafe_bcmp(in, in + 32, 32);
}
