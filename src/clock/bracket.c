/* SPDX-License-Identifier: MIT
 *
 * The bracket of tare/clock.h. Empty brackets are made by the same inline code as the caller's, so they weigh the same.
 */
#include "buf.h"
#include "clock_core_state.h"
#include "cpu.h"
#include <math.h>

enum { HALF = TARE_BRACKET_EMPTIES / 2 };

void tare_bracket_prepare(struct tare_bracket *b)
{
    b->way = clock_state()->counter.trusted ? cpu_ticks_way() : TARE_TICKS_BY_CALL;
    b->start_cpu = plat_cpu_now();
    b->stop_cpu = -1;
    clock_bracket_weigh(b->empty, HALF, b->way);
}

void tare_bracket_close(struct tare_bracket *b)
{
    clock_bracket_weigh(b->empty + HALF, HALF, b->way);
    if (b->stop_cpu < 0)
        b->stop_cpu = plat_cpu_now();
}

/* What a result must be above to be told from nothing: all that it can be off by at once. Two readings are off by less than a step, the overhead by what empty
 * brackets scatter by, and as their phase is not drawn by a step again. */
static double finest_ticks(const struct clock_state *c, double spread)
{
    return spread + 2 * (double)c->step_ticks + c->floor_ticks;
}

void tare_bracket_elapsed(const struct tare_bracket *b, struct tare_elapsed *out)
{
    const struct clock_state *c = clock_state();
    int64_t empty[TARE_BRACKET_EMPTIES];
    for (int i = 0; i < TARE_BRACKET_EMPTIES; i++)
        empty[i] = b->empty[i];
    struct clock_spread weight = clock_spread_in_steps(empty, TARE_BRACKET_EMPTIES, (double)c->step_ticks);
    *out = (struct tare_elapsed){.gross_ticks = (int64_t)(b->stop.count - b->start.count),
                                 .empty_ticks = llround(weight.median),
                                 .spread_ticks = (int64_t)(weight.p90 - weight.p10),
                                 .moved = b->start_cpu >= 0 && b->stop_cpu >= 0 && b->start_cpu != b->stop_cpu,
                                 .backwards = b->stop.count < b->start.count};
    out->ticks = (int64_t)((uint64_t)out->gross_ticks - (uint64_t)out->empty_ticks); /* what ran backwards may be any number */
    out->ns = clock_ticks_ns(&c->scale, out->ticks);
    out->gross_ns = clock_ticks_ns(&c->scale, out->gross_ticks);
    double finest = finest_ticks(c, (double)out->spread_ticks);
    out->below_resolution = (double)out->ticks <= finest && (double)out->ticks >= -finest;
}

/* Nanoseconds as microseconds with three decimals, in whole numbers. */
static void add_us(struct buf *b, int64_t ns)
{
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    buf_format(b, "%s%llu.%03llu us", ns < 0 ? "-" : "", (unsigned long long)(size / 1000), (unsigned long long)(size % 1000));
}

size_t tare_bracket_text(const struct tare_bracket *b, char *text, size_t size)
{
    struct tare_elapsed e;
    if (!size)
        return 0;
    tare_bracket_elapsed(b, &e);
    struct buf out = buf_over(text, size);
    buf_format(&out, "%lld ticks, ", (long long)e.ticks);
    add_us(&out, e.ns);
    if (e.backwards)
        buf_str(&out, "; the clock ran backwards");
    else if (e.below_resolution)
        buf_str(&out, "; below resolution");
    else if (e.ticks < 0)
        buf_str(&out, "; negative: less than the timing overhead around it");
    if (e.moved)
        buf_format(&out, "; moved from CPU %d to CPU %d", b->start_cpu, b->stop_cpu);
    return out.len;
}

void tare_clock_describe(struct tare_clock_info *out)
{
    const struct clock_state *c = clock_state();
    *out = (struct tare_clock_info){.name = c->name,
                                    .source = !c->counter.trusted ? "system"
                                              : c->counter.told   ? "told"
                                                                  : clock_source_name(c->counter.chosen),
                                    .hz = c->hz,
                                    .error_ppm = c->error_ppm,
                                    .step_ns = (double)c->step_ticks / c->hz * 1e9,
                                    .counter = c->counter.trusted};
    struct buf b = buf_over(out->reason, sizeof out->reason);
    buf_str(&b, c->counter.reason);
}

int64_t tare_ticks_ns(int64_t ticks)
{
    return clock_ticks_ns(&clock_state()->scale, ticks);
}
