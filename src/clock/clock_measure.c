/* SPDX-License-Identifier: MIT
 *
 * What any clock of the table costs, how fine it is, and whether it keeps its place in the order of instructions; the ways to bring a read of the counter into
 * order; the counters of two CPUs.
 *
 * Costs are means of batches, because a reading may cost less than the bracket around it; their spread is that of the batches.
 * The weight of the bracket, the median of empty ones, is taken off each batch; where a clock's steps are coarser than what scatters, medians are means
 * (clock_spread_in_steps). Sample sizes are fixed; ties and constant data need no care.
 */
#include "buf.h"
#include "clock_core_state.h"
#include <math.h>

enum { BATCHES = 301, BATCH = 16, CHAIN = 1000, PAIRS = 201 };

/* Time is looked at only now and then, as that costs more than most readings. */
static struct step_count read_in_a_row(const struct clock_kind *kind)
{
    enum { CHANGES = 2000, LONGEST_NS = 60000000, ROW = 64 };
    struct step_count d = {0};
    int64_t end = plat_clock_ns(clock_reference()) + LONGEST_NS;
    while (d.n < CHANGES && plat_clock_ns(clock_reference()) < end)
        for (int64_t i = 0, last = kind->read(), now; i < ROW; i++, last = now) {
            now = kind->read();
            step_add(&d, now - last);
        }
    return d;
}

/* Who shares a CPU loses it at ticks and gets it back at ticks: without a break such a thread may see only multiples of a step that is
 * a tick. One that sleeps is let in soon, so where the kernel promises less than was seen we look again, between short sleeps. */
static void read_between_sleeps(const struct clock_kind *kind, struct step_count *d)
{
    enum { PARTS = 8, LONGEST_NS = 200000000, TICK_NS = 100000 };
    const int64_t promised = kind->promised_ns();
    if (promised < TICK_NS)
        return;
    const int64_t end = plat_clock_ns(clock_reference()) + LONGEST_NS;
    for (int64_t last = kind->read(), now; d->n && d->closest > promised + promised / 4 && plat_clock_ns(clock_reference()) < end;
         last = now) {
        plat_clock_sleep_ns(promised / PARTS);
        now = kind->read();
        step_add(d, now - last);
    }
}

enum tare_status clock_step(const struct clock_kind *kind, struct clock_step *out, struct tare_err *err)
{
    struct step_count d = read_in_a_row(kind);
    read_between_sleeps(kind, &d);
    const double ns = 1e9 / kind->hz();
    *out = (struct clock_step){
        .ns = (double)step_of(&d) * ns, .closest_ns = (double)d.closest * ns, .changes = d.n, .backwards = d.backwards};
    if (d.n)
        return TARE_OK;
    return err_set(err, TARE_TOO_FEW, "%s did not change in 60 ms", kind->title);
}

static double empty_ticks(void)
{
    int64_t ticks[BATCHES];
    for (int i = 0; i < BATCHES; i++) {
        uint64_t begin = clock_ticks_now();
        ticks[i] = (int64_t)(clock_ticks_now() - begin);
    }
    return clock_spread_in_steps(ticks, BATCHES, (double)clock_state()->step_ticks).median;
}

static int64_t batch_ticks(int64_t (*read)(void))
{
    uint64_t begin = clock_ticks_now();
    for (int i = 0; i < BATCH; i++)
        read();
    return (int64_t)(clock_ticks_now() - begin);
}

static struct clock_spread per_reading(struct clock_spread s, double empty)
{
    double *const figures[] = {&s.min, &s.p10, &s.median, &s.p90, &s.p99, &s.max};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        *figures[i] = (*figures[i] - empty) / BATCH * (1e9 / clock_state()->hz);
    return s;
}

static struct clock_spread cost_of(int64_t (*read)(void))
{
    int64_t ticks[BATCHES];
    clock_state();
    for (int i = 0; i < BATCHES; i++)
        ticks[i] = batch_ticks(read);
    return per_reading(clock_spread_in_steps(ticks, BATCHES, (double)clock_state()->step_ticks), empty_ticks());
}

struct clock_spread clock_cost(const struct clock_kind *kind)
{
    return cost_of(kind->read);
}

struct clock_spread clock_kernel_cost(const struct clock_kind *kind)
{
    const bool by_kernel = kind->read_kernel && plat_clock_kernel_reads(kind->clock);
    return by_kernel ? cost_of(kind->read_kernel) : clock_spread_of(NULL, 0);
}

/* A system call takes 50 ns and more beyond the clock's own work, with mitigations several hundred: half as much again is far
 * from what a measurement is off by. */
enum clock_path clock_path(const struct clock_kind *kind, double cost_ns, double kernel_cost_ns)
{
    if (!kind->read_kernel || isnan(kernel_cost_ns))
        return CLOCK_BY_INSTRUCTION;
    return kernel_cost_ns > 1.5 * cost_ns ? CLOCK_IN_USER_SPACE : CLOCK_IN_KERNEL;
}

static int64_t around_chain(const struct clock_kind *kind, int multiplies)
{
    int64_t begin = kind->read();
    if (multiplies)
        cpu_chain_run(CHAIN_OF_MULTIPLIES, multiplies);
    return kind->read() - begin;
}

static enum tare_status fine_enough(const struct clock_kind *kind, double chain_ns, struct clock_step *step, struct tare_err *err)
{
    enum tare_status status = clock_step(kind, step, err);
    if (!status && !(step->ns <= chain_ns / 20))
        return err_set(err, TARE_UNSUPPORTED, "its step of %.6g ns is too coarse for a chain of %.4g ns", step->ns, chain_ns);
    return status;
}

enum tare_status clock_order_error(const struct clock_kind *kind, double *error_ratio, struct tare_err *err)
{
    int64_t empty[PAIRS], full[PAIRS], chain[PAIRS];
    double core_hz;
    struct clock_phase phase;
    struct clock_step step;
    enum tare_status status = clock_core_hz(&core_hz, err);
    if (!status)
        status = fine_enough(kind, CHAIN * clock_core_state()->multiply_cycles / core_hz * 1e9, &step, err);
    if (status)
        return status;
    clock_phase_open(&phase, PAIRS, clock_step_ns());
    for (int i = 0; i < PAIRS; i++) {
        clock_phase_draw(&phase);
        empty[i] = around_chain(kind, 0);
        clock_phase_draw(&phase);
        full[i] = around_chain(kind, CHAIN);
        clock_phase_draw(&phase);
        chain[i] = cpu_chain_ticks(CHAIN_OF_MULTIPLIES, CHAIN);
    }
    const double of_kind = step.ns * kind->hz() / 1e9;
    double net = clock_spread_in_steps(full, PAIRS, of_kind).median - clock_spread_in_steps(empty, PAIRS, of_kind).median;
    double truth =
        clock_spread_in_steps(chain, PAIRS, (double)clock_state()->step_ticks).median - clock_core_state()->empty_ticks;
    *error_ratio = net / kind->hz() / (truth / clock_state()->hz) - 1;
    return TARE_OK;
}

void clock_moment(const struct clock_kind *kind, struct clock_moment *out)
{
    enum { TRIES = 31 };
    out->width_ns = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        int64_t before = plat_clock_ns(clock_reference()), reading = kind->read(), after = plat_clock_ns(clock_reference());
        if (after - before < out->width_ns)
            *out = (struct clock_moment){reading, before + (after - before) / 2, after - before};
    }
}

enum tare_status clock_ppm(const struct clock_kind *kind, const struct clock_moment *from, const struct clock_moment *to,
                           double *ppm, double *bound_ppm, struct tare_err *err)
{
    if (kind->properties & CLOCK_OF_CPU)
        return err_set(err, TARE_UNSUPPORTED, "%s runs only while the program does", kind->title);
    double hz = kind->hz();
    if (!(hz > 0))
        return err_set(err, TARE_UNSUPPORTED, "the frequency of %s is not known", kind->title);
    double there_ns = (double)(to->reading - from->reading) / hz * 1e9;
    double here_ns = (double)(to->reference_ns - from->reference_ns);
    if (here_ns <= 0 || there_ns < 0)
        return err_set(err, TARE_INVALID, "%s went backwards or the reference clock stood still", kind->title);
    *ppm = (there_ns / here_ns - 1) * 1e6;
    const bool counts = kind->properties & CLOCK_COUNTS_TICKS;
    if (counts && !clock_state()->counter.step_ticks)
        return err_set(err, TARE_UNSUPPORTED, "%s moves too seldom for its step to be seen", kind->title);
    double step_ns = counts ? (double)clock_state()->counter.step_ticks / hz * 1e9 : (double)kind->promised_ns();
    *bound_ppm = ((double)(from->width_ns + to->width_ns) / 2 + 2 * step_ns) / here_ns * 1e6;
    return TARE_OK;
}

/* The ways to bring a read of the counter into order, on the same subjects: an empty bracket is what each costs, and a chain of
 * known length is what each sees of the code it stands around.
 *
 * Every bracket is followed by a fenced chain of 1000 multiplies, the yardstick, so that a core that changes its frequency
 * changes both. Cycles = net ticks / net ticks of the yardstick * its cycles, from medians of 201 (means where the counter's steps are coarser than what
 * scatters: clock_spread_in_steps), phases drawn; net: less the median empty bracket of that order.
 */

enum { SAMPLES = 201, YARDSTICK = 1000, ORDER_PAIRS = 301, ROW = 8 };

static const enum cpu_subject subjects[CLOCK_CHAINS] = {SUBJECT_NOTHING, SUBJECT_MULTIPLY_20, SUBJECT_MULTIPLY_100,
                                                        SUBJECT_MULTIPLY_1000};

struct medians {
    struct clock_spread subject;
    double yardstick;
};

static struct medians sample(int index, enum cpu_subject subject)
{
    int64_t ticks[SAMPLES], yardstick[SAMPLES];
    const double step = (double)clock_state()->counter.step_ticks;
    struct clock_phase phase;
    clock_phase_open(&phase, SAMPLES, clock_step_ns());
    for (int i = 0; i < SAMPLES; i++) {
        clock_phase_draw(&phase);
        ticks[i] = cpu_bracket(index, subject);
        yardstick[i] = cpu_chain_ticks(CHAIN_OF_MULTIPLIES, YARDSTICK);
    }
    return (struct medians){clock_spread_in_steps(ticks, SAMPLES, step), clock_spread_in_steps(yardstick, SAMPLES, step).median};
}

static void measure_chain(struct clock_order *o, int index, int i)
{
    const struct clock_core_state *core = clock_core_state();
    struct medians m = sample(index, subjects[i]);
    double empty = sample(index, SUBJECT_NOTHING).subject.median; /* next to the sample: it moves with the core's frequency */
    double net = m.subject.median - empty,
           per_tick = YARDSTICK * (double)core->multiply_cycles / (m.yardstick - core->empty_ticks);
    o->chain[i].net_ticks = net;
    o->chain[i].expected_cycles = core->usable ? o->chain[i].multiplies * (double)core->multiply_cycles : NAN;
    o->chain[i].cycles = core->usable ? net * per_tick : NAN;
}

static double pair_cost(int index)
{
    int64_t ticks[ORDER_PAIRS];
    struct clock_phase phase;
    clock_phase_open(&phase, ORDER_PAIRS, clock_step_ns());
    for (int i = 0; i < ORDER_PAIRS; i++) {
        clock_phase_draw(&phase);
        uint64_t begin = cpu_ticks_begin();
        for (int k = 0; k < ROW; k++)
            cpu_bracket(index, SUBJECT_NOTHING);
        ticks[i] = (int64_t)(cpu_ticks_end(NULL) - begin);
    }
    return (clock_spread_in_steps(ticks, ORDER_PAIRS, (double)clock_state()->counter.step_ticks).median -
            clock_core_state()->empty_ticks) /
           ROW;
}

static void measure_nothing(struct clock_order *o)
{
    o->empty = clock_spread_of(NULL, 0);
    o->pair_ticks = NAN;
    for (int i = 0; i < CLOCK_CHAINS; i++) {
        o->chain[i].multiplies = cpu_subject_multiplies(subjects[i]);
        o->chain[i].expected_cycles = o->chain[i].cycles = o->chain[i].net_ticks = NAN;
    }
}

bool clock_order(int index, struct clock_order *out)
{
    measure_nothing(out);
    if (!cpu_order(index, &out->order))
        return false;
    if (!clock_state()->counter.readable && !out->order.missing)
        out->order.missing = clock_state()->counter.reason;
    if (out->order.missing)
        return true;
    out->pair_ticks = pair_cost(index);
    out->empty = sample(index, SUBJECT_NOTHING).subject;
    for (int i = 0; i < CLOCK_CHAINS; i++)
        measure_chain(out, index, i);
    return true;
}

/* The counters of two CPUs against each other. In each exchange the answer was stamped between question and arrival, so
 * offset = answer - middle is wrong by at most half of the way there and back. The truth lies in all of these intervals at
 * once; their intersection is what is known, its middle the estimate. When both counters agree, 0 is in it.
 * Assumes one rate on both, which the invariant counter of one machine has. One exchange suffices; empty intersection (a clock
 * that jumped meanwhile): the interval of the shortest exchange counts.
 */

enum { ROUNDS = 1000 };

struct range {
    double low, high;
};

/* There minus here lies between these: the answer came after the question and before the arrival. */
static struct range range_of(const struct plat_exchange *e)
{
    return (struct range){(double)(int64_t)(e->there - e->here_after), (double)(int64_t)(e->there - e->here_before)};
}

static struct range known_range(const struct plat_exchange *e, int n)
{
    struct range all = {-INFINITY, INFINITY}, shortest = all;
    for (int i = 0; i < n; i++) {
        struct range r = range_of(&e[i]);
        all.low = r.low > all.low ? r.low : all.low;
        all.high = r.high < all.high ? r.high : all.high;
        if (r.high - r.low < shortest.high - shortest.low)
            shortest = r;
    }
    return all.low <= all.high ? all : shortest;
}

enum tare_status clock_skew(int here, int there, struct clock_skew *out, struct tare_err *err)
{
    struct plat_exchange e[ROUNDS];
    enum tare_status status = plat_ticks_allowed(err);
    if (!status)
        status = plat_exchange(here, there, e, ROUNDS, err);
    if (status)
        return status;
    struct range r = known_range(e, ROUNDS);
    *out = (struct clock_skew){.ticks = (r.low + r.high) / 2, .bound_ticks = (r.high - r.low) / 2};
    for (int i = 0; i < ROUNDS; i++) {
        struct range one = range_of(&e[i]);
        out->impossible += one.low > 0 || one.high < 0;
    }
    return TARE_OK;
}
