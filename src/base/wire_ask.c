/* SPDX-License-Identifier: MIT
 *
 * The request of wire.h as a runner writes it. Apart from its reading, which is all that measured programs need.
 */
#include "wire.h"

static void write_leak(struct buf *out, const struct wire_request *q)
{
    buf_format(out, "leak-kind %s\nleak-ns %lld\nspike-ns %.9f\nselfcheck %d\ncache %s\n", wire_leak_kind_word(q->leak_kind),
               (long long)q->leak_ns, q->spike_ns, q->selfcheck, wire_cache_word(q->cache));
    buf_format(out, "noise %d\nrepeat %d\nbits %d\n", q->noise, q->repeat, q->bits);
    if (q->dit >= 0)
        buf_format(out, "dit %d\n", q->dit);
    if (q->tick_hz > 0)
        buf_format(out, "tick-hz %.6f\ntick-ppm %.6f\ntick-step %d\nchain-cycles %d\n", q->tick_hz, q->tick_ppm, q->tick_step,
                   q->chain_cycles);
}

void wire_request_write(struct buf *out, const struct wire_request *q)
{
    buf_format(out, "tare-wire %d %d\nmode %s\nprofile %s\nseed %llu\n", WIRE_VERSION, q->fd, wire_mode_word(q->mode),
               wire_profile_word(q->profile), (unsigned long long)q->seed);
    buf_format(out, "sample_ns %lld\nsamples %d\n", (long long)q->sample_ns, q->samples);
    if (q->warmup >= 0)
        buf_format(out, "warmup %d\n", q->warmup);
    if (q->difference)
        buf_str(out, "difference 1\n");
    buf_format(out, "guard %d\nsignals %d\nclock %.*s\n", q->guard, q->signals, (int)q->clock_size, q->clock);
    if (q->mode == WIRE_LEAK)
        write_leak(out, q);
}

void wire_request_add(struct buf *out, const char *name, uint64_t iterations)
{
    buf_format(out, "run %llu %s\n", (unsigned long long)iterations, name);
}

void wire_request_count(struct buf *out, const char *name, uint64_t type, uint64_t config, bool user_only)
{
    buf_format(out, "count %d %llu %llu %s\n", user_only, (unsigned long long)type, (unsigned long long)config, name);
}
