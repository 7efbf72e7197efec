/* SPDX-License-Identifier: MIT
 *
 * What every program needs: the place of its leak part, and that MSan, which does not know what libtare writes, does not look at the arguments of
 * the C library's functions while libtare runs.
 */
#include "leak_part.h"

__attribute__((weak)) void __msan_scoped_disable_interceptor_checks(void);
__attribute__((weak)) void __msan_scoped_enable_interceptor_checks(void);

const struct leak_part *leak_part;

void leak_unwatched(bool begin)
{
    if (begin && __msan_scoped_disable_interceptor_checks)
        __msan_scoped_disable_interceptor_checks();
    if (!begin && __msan_scoped_enable_interceptor_checks)
        __msan_scoped_enable_interceptor_checks();
}
