/* SPDX-License-Identifier: MIT */
#include "clock_choice.h"
#include "buf.h"
#include "clocks.h"
#include <string.h>

/* Of the processor's counters only its own is known here, and that one may be no clock in this process; the programs are started by it, and are no
 * better off. */
enum tare_status clock_check_choice(const char *name, struct tare_err *err)
{
    const struct clock_kind *kind = clock_kind_named(name);
    if (!kind) /* auto */
        return TARE_OK;
    if (!(kind->properties & CLOCK_COUNTS_TICKS)) {
        enum tare_status status = kind->probe(err);
        return status ? err_set(err, TARE_UNSUPPORTED, "--clock %s: this system has no %s; see tare clock", name, kind->title)
                      : TARE_OK;
    }
    if (strcmp(name, cpu_ticks_name()) != 0)
        return err_set(err, TARE_INVALID,
                       "--clock %s is the counter of another kind of processor; here there are auto, %s, raw and monotonic", name,
                       cpu_ticks_name());
    const struct clock_counter *counter = &clock_state()->counter;
    return counter->trusted
               ? TARE_OK
               : err_set(err, TARE_UNSUPPORTED, "--clock %s cannot be used here: %s; omit --clock to use the system's", name,
                         counter->reason);
}
