/* SPDX-License-Identifier: MIT
 *
 * `tare clock`: the machine, its clocks, and the overhead of measuring with them.
 */
#include "clock_session.h"
#include "plat.h"

static enum tare_status measure_timers(struct clock_session *s, struct tare_err *err)
{
    clock_phase(s, "sleeps");
    enum tare_status status = timers_measure_sleeps(&s->timers, err);
    if (status)
        return status;
    clock_phase(s, "slices of the scheduler");
    return timers_measure_slices(&s->timers, err);
}

static enum tare_status measure(struct clock_session *s, struct tare_err *err)
{
    clock_phase(s, "clocks");
    enum tare_status status = clock_measure_core(s, err);
    if (!status)
        status = clock_measure_clocks(s, err);
    if (!status)
        status = timers_describe(&s->timers, err);
    if (!status)
        status = clock_describe_experiments(s, err);
    clock_write_head(s); /* after a signal too: the record is then complete */
    if (!status)
        status = measure_timers(s, err);
    if (!status)
        status = clock_measure_experiments(s, err);
    if (!status)
        status = clock_measure_rates(s, err);
    return status;
}

int cmd_clock(struct cli *cli, const void *options)
{
    struct clock_session s = {.cli = cli, .o = options};
    struct tare_err err;
    enum tare_status status = clock_open(&s, &err);
    int code;
    if (status)
        code = cli_fail(cli, status == TARE_INVALID ? EXIT_USAGE : EXIT_TOOL, &err);
    else {
        status = measure(&s, &err);
        code = clock_report(&s, status, &err);
    }
    clock_close(&s);
    if (plat_signal())
        plat_die_of(plat_signal());
    return code;
}
