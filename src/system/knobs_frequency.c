/* SPDX-License-Identifier: MIT
 *
 * The core's frequency: governor, energy preference, limits, turbo; and idle states. Only the policies of the CPUs that are measured on are looked at and changed.
 *
 * Rules that the drivers dictate. Governor "performance" forces the energy preference, and amd-pstate does not put it back: it is saved first and put back
 * last. intel_pstate puts old limits back when turbo is allowed again unless they were written meanwhile: limits are written before turbo, so undone after
 * it. The driver's own "status" is never written: that resets every policy. The frequency to be fixed is the base one, not the top one, which turbo and heat
 * decide about.
 */
#include "knob_look.h"
#include "units.h"
#include "whole.h"
#include <string.h>

static int64_t khz(struct look *l, int cpu, const char *file)
{
    int64_t value;
    return look_number(l, &value, CPU "cpu%d/cpufreq/%s", cpu, file) ? value : -1;
}

/* "2401000 2400000 1800000": the first of two that are 1 MHz apart stands for turbo. Turbo is not listed at all by drivers that have a switch for it. */
static int64_t base_of_list(const char *text)
{
    int64_t first = -1, second = -1, value;
    for (const char *p = text; *p;) {
        p += strspn(p, " ");
        if (!whole_take(&p, p + strlen(p), 10, &value))
            break;
        if (value > first) {
            second = first;
            first = value;
        } else if (value > second && value < first) {
            second = value;
        }
    }
    return second > 0 && first - second == 1000 ? second : first;
}

/* The file may be in another unit, or hold anything: what the core cannot run at is not its base. Drivers round: a little above the top is the top. */
static int64_t believable_base(int64_t base, const struct policy *p)
{
    if (base <= 0 || (p->lowest_khz > 0 && base < p->lowest_khz))
        return -1;
    if (p->top_khz <= 0 || base <= p->top_khz)
        return base;
    return base - p->top_khz <= p->top_khz / 200 ? p->top_khz : -1;
}

static int64_t told_base_khz(struct look *l, int cpu)
{
    int64_t value = khz(l, cpu, "base_frequency"), mhz;
    if (value > 0)
        return value;
    if (look_number(l, &mhz, CPU "cpu%d/acpi_cppc/nominal_freq", cpu) && mhz > 0 && mhz < 100000)
        return mhz * 1000;
    const char *list = look_text(l, CPU "cpu%d/cpufreq/scaling_available_frequencies", cpu);
    return list ? base_of_list(list) : -1;
}

static void read_policy(struct look *l, struct policy *p, int cpu)
{
    *p = (struct policy){.cpu = cpu};
    p->driver = look_text(l, CPU "cpu%d/cpufreq/scaling_driver", cpu);
    p->governor = look_text(l, CPU "cpu%d/cpufreq/scaling_governor", cpu);
    p->governors = look_text(l, CPU "cpu%d/cpufreq/scaling_available_governors", cpu);
    p->epp = look_text(l, CPU "cpu%d/cpufreq/energy_performance_preference", cpu);
    p->epps = look_text(l, CPU "cpu%d/cpufreq/energy_performance_available_preferences", cpu);
    p->min_khz = khz(l, cpu, "scaling_min_freq");
    p->max_khz = khz(l, cpu, "scaling_max_freq");
    p->lowest_khz = khz(l, cpu, "cpuinfo_min_freq");
    p->top_khz = khz(l, cpu, "cpuinfo_max_freq");
    p->base_khz = believable_base(told_base_khz(l, cpu), p);
}

void look_policies(struct look *l)
{
    struct look_sources *s = l->sources;
    struct cpu_list rest = s->measured, related;
    s->policies = arena_array(l->arena, (size_t)cpu_list_count(&rest) + 1, sizeof *s->policies);
    s->no_memory |= !s->policies;
    for (int cpu; s->policies && (cpu = cpu_list_next(&rest, 0)) >= 0;) {
        if (!look_cpus(l, &related, CPU "cpu%d/cpufreq/related_cpus", cpu) &&
            !look_text(l, CPU "cpu%d/cpufreq/scaling_driver", cpu))
            related = (struct cpu_list){{0}};
        else
            read_policy(l, &s->policies[s->n_policies++], cpu);
        cpu_list_add(&related, cpu);
        cpu_list_remove(&rest, &related);
    }
}

static const char *file_of(struct look *l, const struct policy *p, const char *name)
{
    return look_say(l, CPU "cpu%d/cpufreq/%s", p->cpu, name);
}

static enum tare_status add_setting(struct look *l, const struct policy *p, struct setting s)
{
    s.identity = p->driver;
    s.identity_path = p->driver ? file_of(l, p, "scaling_driver") : NULL;
    return look_add_setting(l, &s);
}

static enum tare_status no_policy(struct look *l, const struct knob *k)
{
    l->sources->read = TARE_NOT_FOUND;
    return row_hidden(l, k, "no driver of the kernel changes the frequency");
}

static bool can_perform(const struct policy *p)
{
    return p->governors && text_has_word(p->governors, "performance");
}

/* A governor has nothing to choose between equal limits. */
static bool is_fixed(const struct policy *p)
{
    return p->min_khz > 0 && p->min_khz == p->max_khz;
}

static enum tare_status set_governor(struct look *l, const struct knob *k, const struct policy *p)
{
    struct setting s = {.knob = k,
                        .stage = STAGE_GOVERNOR,
                        .path = file_of(l, p, "scaling_governor"),
                        .now = p->governor,
                        .wanted = "performance",
                        .why_not = can_perform(p) ? NULL : "this driver has no governor 'performance'"};
    enum tare_status status = TARE_OK;
    if (p->epp && !s.why_not)
        status = add_setting(
            l, p,
            (struct setting){
                .knob = k, .stage = STAGE_EPP_SAVED, .path = file_of(l, p, "energy_performance_preference"), .now = p->epp});
    return status ? status : add_setting(l, p, s);
}

static enum tare_status look_governor(struct look *l, const struct knob *k)
{
    const struct look_sources *s = l->sources;
    const struct policy *shown = NULL; /* the first that moves; else the first that tells */
    int moving = 0;
    if (!s->n_policies)
        return no_policy(l, k);
    enum tare_status status = TARE_OK;
    for (int i = 0; i < s->n_policies && !status; i++) {
        const struct policy *p = &s->policies[i];
        if (!p->governor)
            continue;
        shown = shown ? shown : p;
        if ((p->governor && (!strcmp(p->governor, "performance") || !strcmp(p->governor, "userspace"))) || is_fixed(p))
            continue;
        shown = moving++ ? shown : p;
        status = set_governor(l, k, p);
    }
    if (!status && !shown)
        return row_malformed(l, k);
    const char *value = shown ? look_say(l, "%s (%s)", shown->governor, shown->driver ? shown->driver : "?") : "";
    if (status || !moving)
        return status ? status : row_ok(l, k, value);
    if (s->n_policies > 1)
        value = look_say(l, "%s on %d of %d frequency domains", value, moving, s->n_policies);
    return row_stays_noisy(l, k, value, "the frequency follows the load, so the first part of a run is slower", "");
}

/* With the governor "performance" the kernel sets it and refuses anything else. */
static enum tare_status look_epp(struct look *l, const struct knob *k)
{
    const struct look_sources *s = l->sources;
    const struct policy *noisy = NULL, *any = NULL;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < s->n_policies && !status; i++) {
        const struct policy *p = &s->policies[i];
        any = p->epp && !any ? p : any;
        if (!p->epp || !strcmp(p->epp, "performance") || !strcmp(p->epp, "0") || is_fixed(p))
            continue;
        noisy = noisy ? noisy : p;
        if (!can_perform(p) && p->epps && text_has_word(p->epps, "performance"))
            status = add_setting(l, p,
                                 (struct setting){.knob = k,
                                                  .stage = STAGE_EPP,
                                                  .path = file_of(l, p, "energy_performance_preference"),
                                                  .now = p->epp,
                                                  .wanted = "performance"});
    }
    if (status)
        return status;
    if (!any) {
        l->sources->read = TARE_NOT_FOUND;
        return s->n_policies ? row_absent(l, k, "this driver has none") : no_policy(l, k);
    }
    if (!noisy)
        return row_ok(l, k, any->epp);
    static const char why[] = "the processor saves energy by being slow to rise in frequency";
    if (can_perform(noisy))
        return row_noisy_by(l, k, noisy->epp, why, "the governor 'performance' sets it", "governor");
    return row_stays_noisy(l, k, noisy->epp, why, "");
}

static int64_t target_of(const struct look *l, const struct policy *p)
{
    if (l->wishes->frequency == FREQUENCY_HZ)
        return l->wishes->hz / 1000;
    return l->wishes->frequency == FREQUENCY_LOWEST ? p->lowest_khz : p->base_khz;
}

static enum tare_status set_limit(struct look *l, const struct knob *k, const struct policy *p, const char *file, int64_t now,
                                  int64_t wanted)
{
    if (now == wanted)
        return TARE_OK;
    return add_setting(l, p,
                       (struct setting){.knob = k,
                                        .stage = STAGE_LIMITS,
                                        .form = FORM_NUMBER,
                                        .path = file_of(l, p, file),
                                        .now = look_say(l, "%lld", (long long)now),
                                        .wanted = look_say(l, "%lld", (long long)wanted)});
}

/* Never a minimum above the maximum on the way: some kernels refuse that. Undone in reverse, which keeps the rule. */
static enum tare_status set_limits(struct look *l, const struct knob *k, const struct policy *p, int64_t wanted)
{
    bool minimum_first = wanted <= p->max_khz;
    for (int i = 0; i < 2; i++) {
        bool minimum = (i == 0) == minimum_first;
        enum tare_status status = minimum ? set_limit(l, k, p, "scaling_min_freq", p->min_khz, wanted)
                                          : set_limit(l, k, p, "scaling_max_freq", p->max_khz, wanted);
        if (status)
            return status;
    }
    return TARE_OK;
}

static const char *range(struct look *l, const struct policy *p)
{
    struct buf b = BUF_INIT(64);
    figure_chosen(&b, "Hz", 1e3 * (double)p->min_khz);
    if (!is_fixed(p)) {
        buf_str(&b, " to ");
        figure_chosen(&b, "Hz", 1e3 * (double)p->max_khz);
    }
    const char *text = look_say(l, "%s", buf_text(&b));
    buf_finish(&b);
    return text;
}

/* Fixed at or below base is fixed; above it the processor takes what heat allows. */
static bool is_steady_range(const struct policy *p)
{
    return is_fixed(p) && (p->base_khz < 0 || p->max_khz <= p->base_khz);
}

static enum tare_status look_limits(struct look *l, const struct knob *k)
{
    const struct look_sources *s = l->sources;
    const struct policy *noisy = NULL, *known = NULL, *without_base = NULL;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < s->n_policies && !status; i++) {
        const struct policy *p = &s->policies[i];
        int64_t wanted = target_of(l, p);
        if (p->min_khz <= 0 || p->max_khz <= 0)
            continue;
        known = known ? known : p;
        if (wanted <= 0)
            without_base = p;
        else if (!is_steady_range(p) || l->wishes->frequency != FREQUENCY_BASE)
            status = set_limits(l, k, p, wanted);
        noisy = noisy || is_steady_range(p) ? noisy : p;
    }
    if (status)
        return status;
    if (!known)
        return s->n_policies ? row_malformed(l, k) : no_policy(l, k);
    if (!noisy)
        return row_ok(l, k, range(l, known));
    return row_noisy(l, k, range(l, noisy), "each run may have another frequency",
                     without_base ? "tare system tune --freq lowest; the driver does not report the base frequency" : "");
}

static enum tare_status turbo_row(struct look *l, const struct knob *k, bool on, const char *which)
{
    if (!on)
        return row_ok(l, k, look_say(l, "off (%s)", which));
    return row_noisy(l, k, look_say(l, "on (%s)", which), "how far the frequency rises depends on heat and on the other cores",
                     "");
}

/* One switch for all CPUs. False: there is none. */
static bool one_switch(struct look *l, const struct knob *k, const char *path, bool on_is, const char *which,
                       enum tare_status *status)
{
    int64_t value;
    if (!look_number(l, &value, "%s", path)) {
        bool there = l->sources->read != TARE_NOT_FOUND;
        *status = there ? row_absent(l, k, "") : TARE_OK;
        return there;
    }
    bool on = (value != 0) == on_is;
    *status = on ? set_file(l, k, FORM_NUMBER, path, on_is ? "1" : "0", on_is ? "0" : "1") : TARE_OK;
    if (!*status)
        *status = turbo_row(l, k, on, which);
    return true;
}

/* amd-pstate and others have a switch for each policy; the one for all would set them all alike, and what they were be lost. */
static bool switch_of_each(struct look *l, const struct knob *k, const char *file, enum tare_status *status)
{
    const struct look_sources *s = l->sources;
    bool on = false;
    int64_t value;
    for (int i = 0; i < s->n_policies; i++)
        if (!look_number(l, &value, CPU "cpu%d/cpufreq/%s", s->policies[i].cpu, file))
            return false;
    *status = TARE_OK;
    for (int i = 0; i < s->n_policies && !*status; i++) {
        const struct policy *p = &s->policies[i];
        if (!look_number(l, &value, CPU "cpu%d/cpufreq/%s", p->cpu, file) || !value)
            continue;
        on = true;
        *status = add_setting(
            l, p,
            (struct setting){
                .knob = k, .stage = STAGE_TURBO, .form = FORM_NUMBER, .path = file_of(l, p, file), .now = "1", .wanted = "0"});
    }
    if (s->n_policies && !*status)
        *status = turbo_row(l, k, on, file);
    return s->n_policies > 0;
}

static enum tare_status look_turbo(struct look *l, const struct knob *k)
{
    enum tare_status status;
    if (one_switch(l, k, CPU "intel_pstate/no_turbo", false, "intel_pstate", &status))
        return status;
    if (switch_of_each(l, k, "boost", &status) || switch_of_each(l, k, "cpb", &status))
        return status;
    if (one_switch(l, k, CPU "cpufreq/boost", true, "cpufreq", &status))
        return status;
    if (!l->sources->hypervisor && text_has_word(l->sources->flags, "ida"))
        return row_unknown(l, k, "",
                           "the processor has turbo and no driver a switch for it: bit 38 of MSR 1A0H says, to root alone",
                           "switch it off in the firmware; tare does not write MSRs");
    return row_hidden(l, k, "there is no switch for it");
}

/* Idle states: how deep an idle CPU sleeps, and so how long it takes to wake and how cold its caches are then. */

/* C1 wakes in 1 to 2 us and keeps the caches. A latency of 0 would forbid even that: all CPUs would spin, and heat takes the frequency that this is to keep. */
#define SHALLOW "2"
enum { SHALLOW_US = 10, STATES_MAX = 16 };

struct deepest {
    const char *name;
    int64_t latency_us;
    int states;
};

static void look_at_state(struct look *l, int cpu, int i, struct deepest *d)
{
    int64_t latency, disabled;
    if (!look_number(l, &latency, CPU "cpu%d/cpuidle/state%d/latency", cpu, i))
        return;
    d->states++;
    if (look_number(l, &disabled, CPU "cpu%d/cpuidle/state%d/disable", cpu, i) && disabled)
        return;
    if (d->name && latency <= d->latency_us)
        return;
    const char *name = look_text(l, CPU "cpu%d/cpuidle/state%d/name", cpu, i);
    d->name = name ? name : look_say(l, "state %d", i);
    d->latency_us = latency;
}

static enum tare_status look_idle(struct look *l, const struct knob *k)
{
    struct deepest d = {0};
    int cpu = cpu_list_next(&l->bench, 0);
    for (int i = 0; i < STATES_MAX && d.states == i; i++)
        look_at_state(l, cpu, i, &d);
    if (!d.states && text_has_word(l->sources->command_line, "idle=poll"))
        return row_ok(l, k, "none: idle=poll");
    if (!d.states) {
        l->sources->read = root_exists(l->root, look_say(l, CPU "cpu%d/cpuidle/state0", cpu)) ? TARE_FORMAT : TARE_NOT_FOUND;
        return row_hidden(l, k, "no driver of the kernel chooses idle states");
    }
    const char *value = look_say(l, "down to %s, %s", d.name ? d.name : "none", scaled_text("ns", 1e3 * (double)d.latency_us).at);
    if (!d.name || d.latency_us <= SHALLOW_US)
        return row_ok(l, k, value);
    static const char path[] = "/dev/cpu_dma_latency";
    enum tare_status status = look_add_setting(
        l, &(struct setting){.knob = k,
                             .kind = SETTING_HELD,
                             .stage = STAGE_HELD,
                             .path = path,
                             .wanted = SHALLOW,
                             .why_not = root_exists(l->root, path) ? NULL : "there is no /dev/cpu_dma_latency here"});
    return status ? status : row_stays_noisy(l, k, value, "a CPU that waited wakes late and with cold caches", "");
}

#define SPEED "Frequency and sleep"
static const struct knob speed[] = {
    {"governor", "frequency governor", SPEED, RISK_REVERSIBLE, STAGE_GOVERNOR, 78,
     KEEP_BOOT ": cpufreq.default_governor=performance", .look = look_governor,
     .files = "w:" CPU "cpu#/cpufreq/scaling_governor"
              " w:" CPU "cpu#/cpufreq/energy_performance_preference"
              " r:" CPU "cpu#/cpufreq/scaling_driver"},
    {"epp", "energy preference", SPEED, RISK_REVERSIBLE, STAGE_EPP, 45, KEEP_AT_START, .look = look_epp,
     .files = "w:" CPU "cpu#/cpufreq/energy_performance_preference"
              " r:" CPU "cpu#/cpufreq/scaling_driver"},
    {"frequency-limits", "fixed frequency", SPEED, RISK_REVERSIBLE, STAGE_LIMITS, 72, KEEP_AT_START, .look = look_limits,
     .files = "w:" CPU "cpu#/cpufreq/scaling_min_freq"
              " w:" CPU "cpu#/cpufreq/scaling_max_freq"
              " r:" CPU "cpu#/cpufreq/scaling_driver"},
    {"turbo", "turbo, boost", SPEED, RISK_REVERSIBLE, STAGE_TURBO, 80, "the firmware's switch, or " KEEP_AT_START,
     .look = look_turbo,
     .files = "w:" CPU "intel_pstate/no_turbo"
              " w:" CPU "cpufreq/boost"
              " w:" CPU "cpu#/cpufreq/boost"
              " w:" CPU "cpu#/cpufreq/cpb"
              " r:" CPU "cpu#/cpufreq/scaling_driver"},
    {"idle", "idle states", SPEED, RISK_SELF_UNDOING, STAGE_HELD, 50,
     KEEP_BOOT ": processor.max_cstate=1 intel_idle.max_cstate=1", .look = look_idle},
};
const struct knob_group knobs_of_speed = {speed, sizeof speed / sizeof *speed};
