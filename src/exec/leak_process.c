/* SPDX-License-Identifier: MIT */
#include "leak_process.h"
#include "plat.h"
#include <string.h>

void leak_variable(const struct leak_request *q, uint64_t seed, struct buf *out)
{
    struct wire_request w = wire_request_default(CHILD_REPORT);
    w.mode = WIRE_LEAK;
    w.seed = seed;
    w.leak_kind = q->kind;
    w.leak_ns = q->ns;
    w.spike_ns = q->spike_ns;
    w.spike_adds = q->spike_adds;
    w.selfcheck = q->selfcheck;
    w.cache = q->cache;
    w.noise = q->noise;
    w.repeat = q->repeat;
    w.dit = q->dit;
    w.bits = q->bits;
    w.tick_hz = q->tick_hz;
    w.tick_ppm = q->tick_ppm;
    w.tick_step = q->tick_step;
    w.chain_cycles = q->chain_cycles;
    w.clock = q->clock;
    w.clock_size = (uint32_t)strlen(q->clock);
    buf_str(out, WIRE_VARIABLE "=");
    wire_request_write(out, &w);
    wire_request_add(out, q->target, q->blocks);
}

/* ---- what the next processes are told ---- */

/* Of the processor's counter alone: other clocks need no measuring. What a program says may be anything, and what it would refuse is not sent. */
static bool can_be_told(const struct wire_clock *c)
{
    return c->counter && c->hz >= WIRE_HZ_LEAST && c->hz < WIRE_HZ_MOST && c->error_ppm >= 0 && c->error_ppm < 1e6 &&
           c->step_ticks >= 0 && c->step_ticks <= 1e9;
}

void leak_learn(struct leak_request *q, const struct leak_report *report)
{
    const struct wire_clock *c = &report->clock;
    if (q->tick_hz == 0 && can_be_told(c)) {
        q->tick_hz = c->hz;
        q->tick_ppm = c->error_ppm;
        q->tick_step = (int)c->step_ticks;
    }
    if (c->core && c->chain_cycles > 0 && c->chain_cycles <= 1e6)
        q->chain_cycles = (int)c->chain_cycles;
}
