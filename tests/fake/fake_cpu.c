/* SPDX-License-Identifier: MIT
 *
 * The processor and the clocks of the fake world. Time is the world's; the counter is worked out from it, in parts of a
 * nanosecond, so that a read of 20 ticks at 2 GHz lasts exactly 10 ns and nothing else moves.
 */
#include "cpu.h"
#include "fake_state.h"
#include "plat.h"
#include "plat_clock.h"
#include "posix.h"
#include <math.h>
#include <string.h>

static const double TICK_HZ = 2e9, CORE_HZ = 3e9, READ_TICKS = 20;

static const struct fake_ticks *ticks(void)
{
    return &fake_state()->script.ticks;
}

static double rate_now(const struct fake_rate *rates, double otherwise)
{
    double hz = otherwise;
    for (; rates; rates = rates->next)
        if (fake_elapsed(fake_state()) >= rates->at_ns)
            hz = rates->hz;
    return hz;
}

static double core_hz(void)
{
    return rate_now(ticks()->core_rates, CORE_HZ);
}

/* ---- the counter ---- */

/* Ticks of the time from `from` to `to` at one rate: whole seconds apart, so that no digit is lost in a long session. */
static double span_ticks(double hz, int64_t from_ns, int64_t to_ns, double part_ns)
{
    int64_t whole_s = (to_ns - from_ns) / 1000000000;
    double rest_ns = (double)((to_ns - from_ns) % 1000000000) + part_ns;
    return (double)whole_s * hz + rest_ns * hz / 1e9;
}

/* Rates are meant in the order of their times. */
static double ticks_elapsed(const struct fake_state *w)
{
    int64_t now = fake_elapsed(w), since = 0;
    double hz = TICK_HZ, sum = 0;
    for (const struct fake_rate *r = w->script.ticks.rates; r && r->at_ns <= now; r = r->next) {
        sum += span_ticks(hz, since, r->at_ns, 0);
        since = r->at_ns;
        hz = r->hz;
    }
    return sum + span_ticks(hz, since, now, w->part_ns);
}

static uint64_t counter(const struct fake_state *w, int cpu)
{
    const struct fake_ticks *t = &w->script.ticks;
    int64_t value = 1000000000000 + (int64_t)floor(ticks_elapsed(w) + 1e-3);
    for (const struct fake_tick_jump *j = t->jumps; j; j = j->next)
        if (fake_elapsed(w) >= j->at_ns)
            value += j->by_ticks;
    for (const struct fake_tick_skew *s = t->skews; s; s = s->next)
        if (s->cpu == cpu)
            value += s->by_ticks;
    return (uint64_t)(value - value % t->step);
}

static void pass_ticks(struct fake_state *w, double n)
{
    fake_advance_part(w, n * 1e9 / rate_now(w->script.ticks.rates, TICK_HZ));
}

static void pass_cycles(double n)
{
    fake_advance_part(fake_state(), n * 1e9 / core_hz());
}

static uint64_t read_on(int cpu, double share)
{
    struct fake_state *w = fake_state();
    struct fake_ticks *t = &w->script.ticks;
    if (t->forbidden || t->missing)
        fake_fault("the processor's counter was read, which this script does not allow");
    double cost = t->cost.terms ? fake_model_draw(&t->cost, &w->tick_rng, ++w->tick_reads, READ_TICKS) : READ_TICKS;
    pass_ticks(w, cost * share);
    return counter(w, cpu);
}

const char *cpu_ticks_name(void)
{
    return ticks()->name;
}

uint64_t cpu_ticks_begin(void)
{
    return read_on(fake_state()->cpu, 1);
}

uint64_t cpu_ticks_end(int *cpu)
{
    if (cpu)
        *cpu = fake_state()->cpu;
    return cpu_ticks_begin();
}

enum tare_ticks_way cpu_ticks_way(void)
{
    return TARE_TICKS_BY_CALL;
}

uint64_t cpu_ticks_frequency_hz(void)
{
    return (uint64_t)ticks()->register_hz;
}

enum tare_status plat_ticks_allowed(struct tare_err *err)
{
    if (ticks()->missing)
        return err_set(err, TARE_UNSUPPORTED, "%s", ticks()->missing);
    if (ticks()->forbidden)
        return err_set(err, TARE_PERMISSION, "this process may not read the counter");
    return TARE_OK;
}

enum tare_status plat_ticks_kernel_hz(double *hz, struct tare_err *err)
{
    if (!ticks()->kernel_hz)
        return err_set(err, TARE_UNSUPPORTED, "the kernel does not say");
    *hz = ticks()->kernel_hz;
    return TARE_OK;
}

/* ---- orders and subjects: a fenced read, which sees everything, and a bare one of half its cost, which sees a tenth ---- */

bool cpu_order(int index, struct cpu_order *out)
{
    static const struct cpu_order orders[] = {
        {"fence", "fence; read; fence", "read; fence", NULL},
        {"none", "read", "read", NULL},
        {"absent", "absent; read", "absent; read", "the fake processor lacks it"},
    };
    if (index < 0 || index >= (int)(sizeof orders / sizeof *orders))
        return false;
    *out = orders[index];
    return true;
}

int64_t cpu_bracket(int index, enum cpu_subject subject)
{
    const double share = index ? 0.5 : 1, seen = index ? 0.1 : 1;
    const int here = fake_state()->cpu;
    uint64_t begin = read_on(here, share);
    pass_cycles(cpu_subject_multiplies(subject) * ticks()->multiply_cycles * seen);
    if (subject == SUBJECT_READ)
        read_on(here, 0.5);
    if (subject == SUBJECT_FENCE)
        pass_ticks(fake_state(), READ_TICKS / 2);
    return (int64_t)(read_on(here, share) - begin);
}

/* ---- chains ---- */

int64_t cpu_empty_ticks(void)
{
    return cpu_bracket(0, SUBJECT_NOTHING);
}

static double add_cycles(void)
{
    const struct fake_ticks *t = ticks();
    return t->add_until_ns && fake_elapsed(fake_state()) >= t->add_until_ns ? 1 : t->add_cycles;
}

bool cpu_evict(const void *p, size_t n)
{
    (void)p;
    (void)n;
    return false;
}

void cpu_chain_run(enum cpu_chain chain, int steps)
{
    pass_cycles(steps * (chain == CHAIN_OF_MULTIPLIES ? ticks()->multiply_cycles : add_cycles()));
}

int64_t cpu_chain_ticks(enum cpu_chain chain, int steps)
{
    uint64_t begin = cpu_ticks_begin();
    cpu_chain_run(chain, steps);
    return (int64_t)(cpu_ticks_end(NULL) - begin);
}

uintptr_t cpu_delay(int adds)
{
    pass_cycles(adds * add_cycles());
    return 0;
}

int cpu_multiply_cycles(void)
{
    return strcmp(ticks()->name, "tsc") ? 0 : 3;
}

/* ---- identification ---- */

enum tare_status cpu_cpuid_available(struct tare_err *err)
{
    if (ticks()->cpuid_denied)
        return err_set(err, TARE_PERMISSION, "this process may not execute cpuid");
    if (strcmp(ticks()->name, "tsc"))
        return err_set(err, TARE_UNSUPPORTED, "this processor has no cpuid instruction");
    return TARE_OK;
}

void cpu_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    memset(out, 0, 4 * sizeof *out);
    if (cpu_cpuid_available(NULL))
        return;
    if (!ticks()->cpuid && leaf == 0x80000007)
        out[3] = 1 << 8; /* the counter runs evenly */
    for (const struct fake_cpuid *c = ticks()->cpuid; c; c = c->next)
        if (c->leaf == leaf && c->subleaf == subleaf)
            memcpy(out, c->registers, sizeof c->registers);
}

/* ---- the system's clocks ---- */

static int64_t clock_at(const struct fake_state *w, enum plat_clock clock)
{
    const struct fake_ticks *t = &w->script.ticks;
    switch (clock) {
    case PLAT_CLOCK_RAW:
        return w->now_ns + (int64_t)((double)fake_elapsed(w) * t->raw_ratio);
    case PLAT_CLOCK_COARSE:
        return w->now_ns - w->now_ns % t->coarse_step_ns;
    case PLAT_CLOCK_REALTIME:
        return fake_utc_ns(w);
    case PLAT_CLOCK_PROCESS_CPU:
    case PLAT_CLOCK_THREAD_CPU:
        return fake_elapsed(w);
    default:
        return w->now_ns;
    }
}

static int64_t read_clock(enum plat_clock clock, int64_t cost_ns)
{
    struct fake_state *w = fake_state();
    fake_advance(w, cost_ns);
    return clock_at(w, clock);
}

int64_t plat_clock_ns(enum plat_clock clock)
{
    return read_clock(clock, fake_state()->script.step_ns);
}

int64_t plat_clock_kernel_ns(enum plat_clock clock)
{
    return ticks()->kernel_cost_ns < 0 ? plat_clock_ns(clock) : read_clock(clock, ticks()->kernel_cost_ns);
}

bool plat_clock_kernel_reads(enum plat_clock clock)
{
    (void)clock;
    return true;
}

const char *plat_clock_source(enum plat_clock clock)
{
    (void)clock;
    return NULL;
}

int64_t plat_clock_step_ns(enum plat_clock clock)
{
    const bool cpu = clock == PLAT_CLOCK_PROCESS_CPU || clock == PLAT_CLOCK_THREAD_CPU;
    return clock == PLAT_CLOCK_COARSE ? ticks()->coarse_step_ns : cpu && ticks()->cpu_step_ns ? ticks()->cpu_step_ns : 1;
}

void plat_clock_sleep_ns(int64_t ns)
{
    if (ns > 0)
        fake_advance(fake_state(), ns);
}

/* ---- CPUs ---- */

int plat_cpu_now(void)
{
    return fake_state()->cpu;
}

void plat_thread_cpus(struct plat_cpus *out)
{
    memset(out, 0, sizeof *out);
    out->bits[0] =
        (unsigned long)fake_state()->cpu; /* the fake scheduler moves nobody: where we are is all there is to put back */
}

void plat_thread_restore(const struct plat_cpus *cpus)
{
    fake_state()->cpu = (int)cpus->bits[0];
}

enum tare_status plat_thread_pin(int cpu, struct tare_err *err)
{
    if (!plat_cpu_allowed(cpu))
        return posix_pin_refused(cpu, err);
    fake_state()->cpu = cpu;
    return TARE_OK;
}

/* Each way of the turn takes a little longer than the fastest, as it would. */
enum tare_status plat_exchange(int here, int there, struct plat_exchange *rounds, int n, struct tare_err *err)
{
    struct fake_state *w = fake_state();
    if (here == there)
        return err_set(err, TARE_INVALID, "CPU %d has nothing to exchange with itself", here);
    if (!plat_cpu_allowed(here) || !plat_cpu_allowed(there))
        return posix_pin_refused(plat_cpu_allowed(here) ? there : here, err);
    for (int i = 0; i < n; i++) {
        rounds[i].here_before = read_on(here, 1);
        pass_ticks(w, 100 + i * 7 % 50);
        rounds[i].there = read_on(there, 1);
        pass_ticks(w, 100 + i * 11 % 50);
        rounds[i].here_after = read_on(here, 1);
    }
    return TARE_OK;
}
