/* SPDX-License-Identifier: MIT */
#include "leak_report.h"
#include "record_write.h"
#include "units.h"
#include <math.h>
#include <string.h>

static const char *const ids[] = {
#define LEAK_COLUMN(id, title, unit) #id,
#include "leak_columns.def"
};

const char *leak_column(int index)
{
    return index >= 0 && index < LEAK_COLUMNS ? ids[index] : NULL;
}

double leak_hash(const void *bytes, size_t n)
{
    return (double)(fnv1a64(FNV1A64_EMPTY, bytes, n) & ((UINT64_C(1) << 52) - 1));
}

static void trouble(struct leak_report *out, const char *text, const char *more)
{
    if (out->trouble[0])
        return;
    struct buf b = buf_over(out->trouble, sizeof out->trouble);
    buf_format(&b, "%s%s%.200s", text, more && *more ? ": " : "", more ? more : "");
}

static const char twice[] = "reported twice: a process that it forked went on measuring";

static void take_hello(struct leak_report *out, const struct wire_hello *h)
{
    if (out->has_hello)
        trouble(out, twice, NULL);
    out->has_hello = true;
    if (h->version != WIRE_VERSION)
        trouble(out, "speaks another version of tare's record; build it with this tare's library", NULL);
    else if (h->trouble && *h->trouble)
        trouble(out, h->trouble, NULL);
}

static void hold_target(struct leak_report *out, uint32_t of)
{
    if (!out->has_target || of != out->target.index)
        trouble(out, "reports times of a target that was not asked for", NULL);
}

static void take_end(struct leak_report *out, const struct wire_target_end *e)
{
    if (out->has_end)
        trouble(out, twice, NULL);
    hold_target(out, e->target);
    out->has_end = true;
    out->end = *e;
}

static double sum_of(const void *ticks, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t one = wire_ticks_at(ticks, i);
        sum += one == UINT32_MAX ? 0 : one;
    }
    return sum;
}

static void take_frame(struct leak_report *out, const struct wire_frame *f, const char *asked)
{
    if (f->type == WIRE_HELLO)
        take_hello(out, &f->u.hello);
    else if (f->type == WIRE_CLOCK) {
        if (out->has_clock)
            trouble(out, twice, NULL);
        out->has_clock = true;
        out->clock = f->u.clock;
    } else if (f->type == WIRE_TARGET) {
        if (out->has_target || strcmp(f->u.target.name, asked) != 0)
            trouble(out, "reports on a target that was not asked for", f->u.target.name);
        out->has_target = true;
        out->target = f->u.target;
    } else if (f->type == WIRE_BLOCKS && f->u.blocks.kind < WIRE_BLOCKS_KINDS) {
        const struct wire_blocks *blocks = &f->u.blocks;
        const size_t n = (size_t)blocks->n * blocks->k;
        hold_target(out, blocks->target);
        out->blocks[blocks->kind] += blocks->n;
        out->readings += n;
        /* at a size that takes longer, a reading is of fewer calls, one at least, and its time is written as that of `repeat` */
        out->ticks += sum_of(blocks->ticks, n) / (blocks->kind == WIRE_GROWTH_SIZES ? blocks->repeat : 1);
    } else if (f->type == WIRE_CALLS) {
        hold_target(out, f->u.calls.target);
        *(f->u.calls.kind == WIRE_MAIN ? &out->calls : &out->blocks[f->u.calls.kind]) += f->u.calls.n;
        out->readings += f->u.calls.n;
        out->ticks += sum_of(f->u.calls.ticks, f->u.calls.n);
    } else if (f->type == WIRE_TARGET_END)
        take_end(out, &f->u.target_end);
    else if (f->type == WIRE_BYE) {
        if (out->has_bye)
            trouble(out, twice, NULL);
        out->has_bye = true;
    }
}

static bool measured(const struct leak_report *out)
{
    return out->blocks[WIRE_MAIN] || out->blocks[WIRE_GROWTH_SIZES] || out->calls;
}

/* Calls follow one another, so all of them together fit into the time that the process had; what was too long to be kept is left out of the sum. What
 * no process measured here (another program's times in a file, a stored report) has clocks of any rate, in any number. */
static void hold_report(struct leak_report *out, double had_ns)
{
    const struct wire_target_end *e = &out->end;
    const double hz = out->clock.hz, took_ns = out->ticks / hz * 1e9;
    char text[120];
    struct buf b = buf_over(text, sizeof text);
    if (!(hz >= WIRE_HZ_LEAST && hz <= WIRE_HZ_MOST))
        buf_format(&b, "its clock cannot run at %s", scaled_text("Hz", hz).at);
    else if (took_ns > had_ns || e->elapsed_ns < 0 || (double)e->elapsed_ns > had_ns)
        buf_format(&b, "its calls cannot have taken %s: it had %s", scaled_text("ns", fmax(took_ns, (double)e->elapsed_ns)).at,
                   scaled_text("ns", had_ns).at);
    else if (e->saturated > e->calls || e->migrated > e->calls || (double)e->calls > had_ns)
        buf_format(&b, "it cannot have made %.3g calls in %s", (double)e->calls, scaled_text("ns", had_ns).at);
    else if (e->calls < out->readings)
        buf_format(&b, "times of %.4g calls, but made %.4g", (double)out->readings, (double)e->calls);
    if (b.len)
        trouble(out, "reports what is impossible", buf_text(&b));
}

static void judge_report(struct leak_report *out, double had_ns)
{
    if (!out->has_hello)
        trouble(out, "reported nothing: it closed descriptor 3, or is not built with libtare", NULL);
    else if (!out->has_target)
        trouble(out, "has no such target any more", NULL);
    else if (!out->has_end)
        trouble(out, "ended inside of the target", NULL);
    else if (out->end.state != WIRE_OK)
        trouble(out, wire_state_word(out->end.state), out->end.reason);
    else if (!measured(out))
        trouble(out, "measured no block", NULL);
    else if (!out->has_clock || !(out->clock.hz > 0))
        trouble(out, "does not say how fast its clock is", NULL);
    else if (!out->has_bye)
        trouble(out, "ended after the target, before its report was complete", NULL);
    else if (had_ns < INFINITY)
        hold_report(out, had_ns);
}

void leak_read(const void *bytes, size_t n, const char *target, double had_ns, struct leak_report *out)
{
    *out = (struct leak_report){.bytes = bytes, .n = n, .core_hz = NAN, .cpu = -1};
    struct wire_reader reader = {bytes, n, 0};
    struct wire_frame frame;
    struct tare_err err;
    enum tare_status status;
    while ((status = wire_next(&reader, &frame, &err)) == TARE_OK)
        take_frame(out, &frame, target);
    if (status == TARE_FORMAT)
        trouble(out, "reported what cannot be read", err.text);
    judge_report(out, had_ns);
}

int leak_cpu(double first_cpu, double last_cpu)
{
    return first_cpu == last_cpu && first_cpu >= 0 && first_cpu < 1e6 ? (int)first_cpu : -1;
}

void leak_fill(const struct leak_report *r, int64_t raw_at, double *values)
{
    const double in_order[] = {
        r->has_clock ? r->clock.hz : NAN,
        r->end.pair_ticks,
        r->end.repeat ? r->end.repeat : NAN,
        (double)(r->blocks[WIRE_MAIN] + r->blocks[WIRE_GROWTH_SIZES] + r->calls),
        (double)r->blocks[WIRE_AA],
        (double)r->blocks[WIRE_SPIKE],
        (double)r->end.calls,
        r->end.spike_ticks,
        r->end.spike_cycles,
        (double)r->end.saturated,
        (double)r->end.migrated,
        raw_at < 0 ? NAN : (double)raw_at,
        (double)r->n,
        leak_hash(r->bytes, r->n),
    };
    _Static_assert(sizeof in_order / sizeof *in_order == LEAK_COLUMNS, "one value for each column");
    memcpy(values, in_order, sizeof in_order);
}
