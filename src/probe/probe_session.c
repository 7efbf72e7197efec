/* SPDX-License-Identifier: MIT
 *
 * What all benchmarks and targets of a process share: the clock that samples read, what a request leaves open, what the kernel counted.
 */
#include "cpu.h"
#include "probe.h"
#include <math.h>
#include <string.h>

/* Long enough for the clock, short enough that most samples meet no interrupt: a machine has one each millisecond or so, and then the median of
 * samples of a millisecond has their time in it. */
enum { SAMPLE_NS = 100000 };

static struct tare_ticks read_counter(void)
{
    return (struct tare_ticks){cpu_ticks_begin()};
}

static struct tare_ticks read_reference(void)
{
    return (struct tare_ticks){(uint64_t)plat_clock_ns(clock_reference())};
}

static struct tare_ticks read_monotonic(void)
{
    return (struct tare_ticks){(uint64_t)plat_clock_ns(PLAT_CLOCK_MONOTONIC)};
}

static bool asked_for(const struct wire_request *q, const char *name)
{
    return strlen(name) == q->clock_size && memcmp(q->clock, name, q->clock_size) == 0;
}

static enum tare_status choose_clock(struct probe_session *s, struct tare_err *err)
{
    const struct wire_request *q = &s->request;
    const struct clock_counter *counter = &s->clock->counter;
    bool any = asked_for(q, "auto");
    s->hz = 1e9;
    s->read = asked_for(q, "monotonic") ? read_monotonic : read_reference;
    if (asked_for(q, counter->name) || (any && counter->trusted)) {
        if (!counter->trusted)
            return err_set(err, TARE_UNSUPPORTED, "the clock %s cannot be used here: %s", counter->name, counter->reason);
        s->read = read_counter;
        s->way = cpu_ticks_way();
        s->hz = s->clock->hz;
    } else if (!any && !asked_for(q, "raw") && !asked_for(q, "monotonic")) {
        return err_set(err, TARE_INVALID, "there is no clock %.*s for benchmarks: auto, %s, raw or monotonic", (int)q->clock_size,
                       q->clock, counter->name);
    }
    return TARE_OK;
}

/* Of what is read, in its ticks. Where the kernel trusts the processor's counter its clock is made of it and moves by its steps, whatever it is rounded to;
 * of other sources (hpet, acpi_pm) nobody says the step. */
static double step_ticks(const struct probe_session *s)
{
    const struct clock_counter *counter = &s->clock->counter;
    if (s->read == read_counter)
        return (double)s->clock->step_ticks;
    if (!counter->trusted) {
        /* The least distance between readings in a row: a step at least. */
        enum { READINGS = 64 };
        int64_t least = 1;
        uint64_t before = s->read().count;
        for (int i = 0; i < READINGS; i++) {
            const uint64_t now = s->read().count;
            const int64_t step = (int64_t)(now - before);
            least = step > 0 && (least == 1 || step < least) ? step : least;
            before = now;
        }
        return (double)least;
    }
    return counter->hz > 0 ? fmax(1, (double)counter->step_ticks / counter->hz * 1e9) : 1;
}

/* A sample is so long that neither a step of the clock nor the overhead of its reads matters: 1000 steps and 200 pairs, whatever was asked for. */
static int64_t sample_ticks(const struct probe_session *s)
{
    double wanted = (double)s->request.sample_ns * s->hz / 1e9, step = s->step_ticks;
    return (int64_t)fmax(wanted, fmax(1000 * step, 200 * s->pair_ticks));
}

double probe_pair_ticks(const struct probe_session *s)
{
    enum { BRACKETS = 101 };
    double ticks[BRACKETS];
    struct clock_phase phase;
    clock_phase_open(&phase, 1, clock_step_ns());
    for (int i = 0; i < BRACKETS; i++) {
        clock_phase_draw(&phase);
        uint64_t begin = s->way ? cpu_ticks_begin() : s->read().count;
        uint64_t end = s->way ? cpu_ticks_end(NULL) : s->read().count;
        ticks[i] = (double)(int64_t)(end - begin);
    }
    return stepped_mean(ticks, BRACKETS, s->step_ticks).mean;
}

enum tare_status probe_session_open(struct probe_session *s, const struct wire_request *q, struct tare_err *err)
{
    clock_tell(&(struct clock_told){q->tick_hz, q->tick_ppm, (uint64_t)q->tick_step, q->chain_cycles});
    *s = (struct probe_session){.request = *q, .clock = clock_state()};
    if (!s->request.sample_ns)
        s->request.sample_ns = SAMPLE_NS;
    enum tare_status status = choose_clock(s, err);
    if (status)
        return status;
    clock_phase_open(&s->phase, s->request.seed, clock_step_ns());
    s->step_ticks = step_ticks(s);
    s->pair_ticks = probe_pair_ticks(s);
    s->floor_ticks = probe_floor_ticks(s);
    s->sample_ticks = sample_ticks(s);
    const bool counter = s->read == read_counter;
    s->chains = counter && clock_chain_weights(&s->chain_cycles, &s->chain_empty_ticks, &s->no_core) == TARE_OK;
    s->draws = s->chains && clock_step_ns() * 1e-9 * CLOCK_FASTEST_HZ > CLOCK_STEP_MATTERS * s->chain_cycles;
    if (!counter)
        err_set(&s->no_core, TARE_UNSUPPORTED, "samples do not read the processor's counter");
    return TARE_OK;
}

static const char *clock_name(const struct probe_session *s)
{
    if (s->read == read_counter)
        return s->clock->counter.name;
    return s->read == read_monotonic || clock_reference() == PLAT_CLOCK_MONOTONIC ? "monotonic" : "raw";
}

void probe_clock_frame(const struct probe_session *s, struct wire_clock *out)
{
    bool counter = s->read == read_counter;
    *out = (struct wire_clock){.name = clock_name(s),
                               .source = !counter                 ? "system"
                                         : s->clock->counter.told ? "told"
                                                                  : clock_source_name(s->clock->counter.chosen),
                               .hz = s->hz,
                               .error_ppm = counter ? s->clock->error_ppm : 0,
                               .step_ticks = s->step_ticks,
                               .pair_ticks = s->pair_ticks,
                               .counter = counter,
                               .reason = counter ? "" : "another clock was asked for",
                               .core = s->chains,
                               .no_core = s->chains ? "" : s->no_core.text,
                               .chain_cycles = s->chain_cycles,
                               .chain_empty_ticks = s->chain_empty_ticks,
                               .chain_ratio = NAN,
                               .chain_drawn = s->draws};
    if (!counter && !s->clock->counter.trusted)
        out->reason = s->clock->counter.reason;
}

int64_t probe_whole(double value)
{
    return isnan(value) ? WIRE_NONE : (int64_t)value;
}

struct wire_account probe_account(struct noise_thread *t, int64_t wall_ns)
{
    const struct noise_delta d = noise_thread_end(t, (double)wall_ns);
    return (struct wire_account){.wall_ns = wall_ns,
                                 .cpu_ns = probe_whole(d.cpu_ns),
                                 .delay_ns = probe_whole(d.delay_ns),
                                 .throttled_ns = probe_whole(d.throttled_ns),
                                 .voluntary = probe_whole(d.voluntary),
                                 .involuntary = probe_whole(d.involuntary),
                                 .minflt = probe_whole(d.minflt),
                                 .majflt = probe_whole(d.majflt)};
}
