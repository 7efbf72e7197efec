/* SPDX-License-Identifier: MIT
 *
 * Whether the counter may be believed. In this order, and the first objection is the reason:
 *   1. this process may read it, which is found out without reading it
 *   2. it runs evenly whatever the core does: on x86-64 the invariant bit of CPUID and, where the kernel shows them, its flags
 *      constant_tsc and nonstop_tsc; on aarch64 by the architecture
 *   3. the kernel has not dropped it: it holds the counters of all CPUs against each other and against other clocks, and goes
 *      over to another clock source when they differ; or a hypervisor promises what the kernel does not look after
 *   4. it does not go backwards or stand still while it is calibrated, and moves in steps of which that sees a thousand
 *   5. those who say a frequency agree with the one measured, to 100 ppm beyond what the measuring can be wrong by
 * Whether the CPUs' counters agree now is for clock_skew, which needs a thread.
 */
#include "buf.h"
#include "clock_core_state.h"
#include "clocks.h"
#include "cpu.h"
#include "plat.h"
#include "same_text.h"
#include <math.h>
#include <string.h>

const char *clock_source_name(enum clock_source source)
{
    static const char *const names[CLOCK_SOURCES] = {[SOURCE_KERNEL] = "kernel",
                                                     [SOURCE_CPUID_15] = "CPUID 15h",
                                                     [SOURCE_HYPERVISOR] = "CPUID 40000010h",
                                                     [SOURCE_REGISTER] = "cntfrq_el0",
                                                     [SOURCE_MEASURED] = "measured"};
    return names[source];
}

static bool is_tsc(void)
{
    return !strcmp(cpu_ticks_name(), "tsc");
}

BUF_FORMATS(2, 3) static bool distrust(struct clock_counter *c, const char *format, ...)
{
    if (c->reason[0])
        return false;
    struct buf b = buf_over(c->reason, sizeof c->reason);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&b, format, ap);
    va_end(ap);
    return false;
}

static bool readable(struct clock_counter *c)
{
    struct tare_err err = {{0}};
    c->readable = plat_ticks_allowed(&err) == TARE_OK;
    return c->readable || distrust(c, "%s", err.text);
}

/* Whether `word` stands among the blank-separated words of a line. */
static bool has_word(const char *line, const char *word)
{
    return text_lists(line, strlen(line), " \t:\n", word, strlen(word));
}

enum known { NO, YES, UNKNOWN };

static enum known invariant_by_cpuid(void)
{
    uint32_t r[4];
    cpu_cpuid(0x80000007, 0, r);
    return cpu_cpuid_available(NULL) ? UNKNOWN : r[3] >> 8 & 1 ? YES : NO;
}

/* The flags of the first processor; all of a machine that Linux runs on have the same. */
static enum known invariant_by_kernel(void)
{
    struct buf text = BUF_INIT(1 << 16);
    plat_file_read("/proc/cpuinfo", &text, NULL); /* of many processors: what fits is enough */
    enum known known = UNKNOWN;
    char *flags = text.data ? strstr(text.data, "\nflags") : NULL;
    if (flags) {
        char *end = strchr(flags + 1, '\n');
        if (end)
            *end = 0;
        known = has_word(flags, "constant_tsc") && has_word(flags, "nonstop_tsc") ? YES : NO;
    }
    buf_finish(&text);
    return known;
}

static bool even(struct clock_counter *c)
{
    if (!is_tsc())
        return true;
    enum known cpuid = invariant_by_cpuid(), kernel = invariant_by_kernel();
    if (cpuid == NO)
        return distrust(c, "the counter is not invariant: its rate may follow the core's (CPUID 80000007h, EDX bit 8 is 0)");
    if (kernel == NO)
        return distrust(c, "the kernel does not find the counter constant and nonstop (flags of /proc/cpuinfo)");
    return cpuid == YES || kernel == YES ||
           distrust(c, "neither cpuid nor /proc/cpuinfo can be asked whether the counter is invariant");
}

/* The first line of a small file without what closes it; empty when there is none. */
static void read_line(const char *path, char *line, size_t size)
{
    struct buf b = buf_over(line, size);
    line[0] = 0;
    enum tare_status status = plat_file_read(path, &b, NULL);
    if (status && status != TARE_TOO_LARGE) /* what fits is kept */
        line[0] = 0;
    size_t n = strcspn(line, "\n");
    while (n && line[n - 1] == ' ')
        n--;
    line[n] = 0;
}

#define CLOCK_SOURCE_FOLDER "/sys/devices/system/clocksource/clocksource0/"

static int64_t least_cost(int64_t (*read)(enum plat_clock))
{
    enum { TIMES = 16 };
    int64_t least = INT64_MAX, before = read(clock_reference());
    for (int i = 0; i < TIMES; i++) {
        const int64_t now = read(clock_reference());
        least = now - before < least ? now - before : least;
        before = now;
    }
    return least;
}

/* Whether programs read the kernel's clock without entering the kernel, judged as clock_path does. */
static bool by_programs(void)
{
    return 2 * least_cost(plat_clock_kernel_ns) > 3 * least_cost(plat_clock_ns);
}

/* kvm-clock and Hyper-V's page are worked out from the counter; a kernel that prefers them has not dropped it while it still
 * offers it. One that was told at its start to keep from the counter (tsc=unstable) does not; then programs read kvm-clock from the
 * counter by themselves only if the hypervisor promises that all CPUs' counters are one (PVCLOCK_TSC_STABLE_BIT). */
static bool kept(struct clock_counter *c)
{
    const char *current = c->kernel_clock, *ours = is_tsc() ? "tsc" : "arch_sys_counter";
    if (!current[0] || !strcmp(current, ours))
        return true;
    bool offered = has_word(c->kernel_clocks, ours);
    if (offered && (!strcmp(current, "kvm-clock") || !strcmp(current, "hyperv_clocksource_tsc_page")))
        return true;
    if (!strcmp(current, "kvm-clock") && by_programs())
        return true;
    return distrust(c, "the kernel keeps time by %s %s %s, as it does when it finds a counter unstable", current,
                    offered ? "although it still offers" : "and does not offer", ours);
}

static bool measured(struct clock_counter *c, int64_t calibrate_ns)
{
    struct clock_calibration found;
    struct tare_err err = {{0}};
    struct clock_source_said *said = &c->sources[SOURCE_MEASURED];
    said->status = clock_calibrate(&found, calibrate_ns, &err);
    if (said->status)
        return distrust(c, "%s", err.text);
    said->hz = found.hz;
    said->off_ppm = 0;
    c->error_ppm = found.error_ppm;
    c->step_ticks = found.step_ticks;
    return true;
}

/* Of steps of milliseconds a calibration sees one more or less; and the system's clock is finer. */
static bool fine(struct clock_counter *c, int64_t calibrate_ns)
{
    enum { STEPS = 1000 };
    const double ticks = c->sources[SOURCE_MEASURED].hz * (double)calibrate_ns / 1e9;
    return (c->step_ticks && (double)c->step_ticks * STEPS <= ticks) ||
           distrust(c, "it moves in steps too coarse to measure its frequency: fewer than %d in %.3g ms", STEPS,
                    (double)calibrate_ns / 1e6);
}

/* Those who know it without measuring it: hz where it is OK; UNSUPPORTED or PERMISSION with the reason.
 *
 * Not among them, as they are no frequency of the counter: CPUID 16h and the brand string (the nominal core clock, rounded),
 * cpuinfo_max_freq (the fastest core clock), bogomips (a loop of the kernel's).
 */

/* Family 6 models whose CPUID 15h gives a ratio without the crystal; the crystals by Intel's manual, volume 3, 19.7.3. */
static uint32_t crystal_of_model(void)
{
    static const struct {
        uint32_t model, hz;
    } crystals[] = {{0x4e, 24000000}, {0x5e, 24000000}, {0x8e, 24000000}, {0x9e, 24000000}, {0x5c, 19200000}, {0x5f, 25000000}};
    uint32_t r[4];
    cpu_cpuid(1, 0, r);
    uint32_t family = r[0] >> 8 & 0xf, model = (r[0] >> 4 & 0xf) | (r[0] >> 12 & 0xf0);
    for (size_t i = 0; family == 6 && i < sizeof crystals / sizeof *crystals; i++)
        if (crystals[i].model == model)
            return crystals[i].hz;
    return 0;
}

static enum tare_status from_cpuid_15(double *hz, struct tare_err *err)
{
    enum tare_status status = cpu_cpuid_available(err);
    if (status)
        return status;
    uint32_t r[4];
    cpu_cpuid(0x15, 0, r);
    if (!r[0] || !r[1])
        return err_set(err, TARE_UNSUPPORTED, "CPUID 15h does not give the ratio");
    uint32_t crystal = r[2] ? r[2] : crystal_of_model();
    if (!crystal)
        return err_set(err, TARE_UNSUPPORTED, "CPUID 15h does not give the crystal's frequency");
    *hz = (double)crystal * r[1] / r[0];
    return TARE_OK;
}

/* A leaf that VMware began and QEMU and Cloud Hypervisor took over: kHz in EAX. Xen and Hyper-V have no such leaf, or use it
 * otherwise, but do not count so far. */
static enum tare_status from_hypervisor(double *hz, struct tare_err *err)
{
    enum tare_status status = cpu_cpuid_available(err);
    if (status)
        return status;
    uint32_t r[4];
    cpu_cpuid(1, 0, r);
    if (!(r[2] >> 31))
        return err_set(err, TARE_UNSUPPORTED, "no hypervisor");
    cpu_cpuid(0x40000000, 0, r);
    if (r[0] < 0x40000010 || r[0] > 0x4000ffff)
        return err_set(err, TARE_UNSUPPORTED, "the hypervisor has no leaf 40000010h");
    cpu_cpuid(0x40000010, 0, r);
    if (!r[0])
        return err_set(err, TARE_UNSUPPORTED, "leaf 40000010h of the hypervisor is empty");
    *hz = r[0] * 1e3;
    return TARE_OK;
}

static enum tare_status from_register(double *hz, struct tare_err *err)
{
    uint64_t said = cpu_ticks_frequency_hz();
    if (!said)
        return err_set(err, TARE_UNSUPPORTED, "%s has no frequency register", cpu_ticks_name());
    *hz = (double)said;
    return TARE_OK;
}

static void ask(struct clock_counter *c, enum clock_source source, enum tare_status (*from)(double *, struct tare_err *))
{
    struct clock_source_said *said = &c->sources[source];
    const struct clock_source_said *measure = &c->sources[SOURCE_MEASURED];
    struct tare_err err = {{0}};
    said->status = from(&said->hz, &err);
    said->off_ppm = said->status || measure->status ? NAN : (said->hz / measure->hz - 1) * 1e6;
    struct buf b = buf_over(said->reason, sizeof said->reason);
    buf_str(&b, said->status ? err.text : "");
}

static void ask_all(struct clock_counter *c)
{
    ask(c, SOURCE_KERNEL, plat_ticks_kernel_hz);
    ask(c, SOURCE_CPUID_15, from_cpuid_15);
    ask(c, SOURCE_HYPERVISOR, from_hypervisor);
    ask(c, SOURCE_REGISTER, from_register);
}

static bool agreed(struct clock_counter *c)
{
    const double bound = CLOCK_DISAGREE_PPM + c->error_ppm;
    for (int i = 0; i < SOURCE_MEASURED; i++) {
        const struct clock_source_said *said = &c->sources[i];
        if (!said->status && !(fabs(said->off_ppm) <= bound))
            return distrust(c, "its frequency is in doubt: %s says %.6f MHz, measured %.6f MHz (%+.0f ppm; at most %.0f)",
                            clock_source_name((enum clock_source)i), said->hz / 1e6, c->sources[SOURCE_MEASURED].hz / 1e6,
                            said->off_ppm, bound);
    }
    return true;
}

static void begin_counter(struct clock_counter *out)
{
    *out = (struct clock_counter){.name = cpu_ticks_name(), .hz = NAN, .error_ppm = NAN};
    for (int i = 0; i < CLOCK_SOURCES; i++)
        out->sources[i] = (struct clock_source_said){.status = TARE_UNSUPPORTED, .hz = NAN, .off_ppm = NAN};
    read_line(CLOCK_SOURCE_FOLDER "current_clocksource", out->kernel_clock, sizeof out->kernel_clock);
    read_line(CLOCK_SOURCE_FOLDER "available_clocksource", out->kernel_clocks, sizeof out->kernel_clocks);
}

void clock_counter_believe(struct clock_counter *out, const struct clock_told *told)
{
    begin_counter(out);
    out->told = true;
    out->trusted = readable(out) && kept(out);
    out->hz = told->hz;
    out->error_ppm = told->error_ppm;
    out->step_ticks = told->step_ticks;
}

void clock_counter_examine(struct clock_counter *out, int64_t calibrate_ns)
{
    begin_counter(out);
    bool fit = readable(out) && even(out) && kept(out);
    bool known = out->readable && measured(out, calibrate_ns); /* its frequency is of interest even where it is not trusted */
    ask_all(out);
    out->trusted = fit && known && fine(out, calibrate_ns) && agreed(out);
    if (out->trusted) {
        int first = 0;
        while (out->sources[first].status)
            first++;
        out->chosen = (enum clock_source)first;
        out->hz = out->sources[first].hz;
        out->error_ppm += fabs(out->sources[first].off_ppm);
    }
}

void clock_counter_glance(struct clock_counter *out)
{
    begin_counter(out);
    out->trusted = readable(out) && even(out) && kept(out);
    if (!out->readable)
        return;
    out->step_ticks = (uint64_t)step_in_a_row(cpu_ticks_begin);
    ask_all(out);
    for (int i = 0; i < SOURCE_MEASURED && isnan(out->hz); i++)
        if (!out->sources[i].status) {
            out->chosen = (enum clock_source)i;
            out->hz = out->sources[i].hz;
        }
}
