/* SPDX-License-Identifier: MIT
 *
 * The machine itself: clock, power, heat, sorts of core, caches that are shared.
 */
#include "knob_look.h"
#include "units.h"
#include <string.h>

/* Those that programs read without a system call, and those for which they need one. Of others nobody knows. */
static enum tare_status look_clocksource(struct look *l, const struct knob *k)
{
    static const char *const fast[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "timebase"};
    static const char *const slow[] = {"hpet", "acpi_pm", "xen", "jiffies", "pit", "refined-jiffies", "hyperv_clocksource_msr"};
    const char *name = look_text(l, "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    if (!name)
        return row_absent(l, k, "the kernel names none");
    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++)
        if (!strcmp(name, fast[i]))
            return row_ok(l, k, name);
    bool known = false;
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
        known |= !strcmp(name, slow[i]);
    if (!known)
        return row_unknown(l, k, name, "whether programs read it without a system call is not known",
                           "'tare clock' measures what a reading costs");
    const char *others = look_text(l, "/sys/devices/system/clocksource/clocksource0/available_clocksource");
    static const char why[] = "each reading of the time is a system call, many times slower";
    if (others && text_has_word(others, "tsc"))
        return row_noisy(
            l, k, name, why,
            "switch it to tsc; as root, write tsc to /sys/devices/system/clocksource/clocksource0/current_clocksource");
    return row_stays_noisy(l, k, name, why,
                           "other firmware or machine; the kernel found the processor's counter unstable, and dmesg says why");
}

struct supplies {
    bool battery, mains, plugged, unplugged, discharging;
};

static void add_supply(struct look *l, const char *name, struct supplies *s)
{
    const char *type = look_text(l, "/sys/class/power_supply/%s/type", name), *state;
    const char *scope = type && !strcmp(type, "Battery") ? look_text(l, "/sys/class/power_supply/%s/scope", name) : NULL;
    int64_t online;
    if (!type || (scope && !strcmp(scope, "Device"))) /* of a mouse */
        return;
    if (!strcmp(type, "Battery")) {
        s->battery = true;
        state = look_text(l, "/sys/class/power_supply/%s/status", name);
        s->discharging |= state && !strcmp(state, "Discharging");
    } else if (!strcmp(type, "Mains") || !strncmp(type, "USB", 3)) {
        bool told = look_number(l, &online, "/sys/class/power_supply/%s/online", name), mains = *type == 'M';
        s->mains |= mains;
        s->plugged |= told && online > 0;
        s->unplugged |= told && !online && mains; /* a desktop has USB ports that nothing supplies it by */
    }
}

static enum tare_status look_power(struct look *l, const struct knob *k)
{
    struct supplies s = {0};
    struct buf names = BUF_INIT(ROOT_FILE_MAX);
    int n;
    enum tare_status read = root_list(l->root, "/sys/class/power_supply", &names, &n, NULL);
    for (const char *p = names.data; !read && n--; p += strlen(p) + 1)
        add_supply(l, p, &s);
    buf_finish(&names);
    l->sources->read = read;
    if (read || (!s.battery && !s.mains))
        return row_absent(l, k, "there is no battery");
    if (s.plugged || (!s.discharging && !s.mains))
        return row_ok(l, k, s.battery ? "mains, with a battery" : "mains");
    if (!s.discharging && !s.unplugged)
        return row_malformed(l, k);
    return row_noisy(l, k, s.discharging ? "battery" : "mains not plugged in",
                     "on its battery the machine saves power by being slow",
                     "plug it in; laptops also throttle when hot, so prefer a desktop or server");
}

static bool add_count(struct look *l, int cpu, const char *file, int64_t *sum)
{
    int64_t value;
    if (!look_number(l, &value, CPU "cpu%d/thermal_throttle/%s", cpu, file))
        return false;
    *sum += value < INT64_MAX / 4 ? value : 0;
    return true;
}

static enum tare_status look_throttling(struct look *l, const struct knob *k)
{
    int cpu = cpu_list_next(&l->bench, 0);
    int64_t core = 0, package = 0, ms = 0;
    bool told = add_count(l, cpu, "core_throttle_count", &core);
    enum tare_status read = l->sources->read;
    told |= add_count(l, cpu, "package_throttle_count", &package);
    if (!told) {
        l->sources->read = read;
        return l->sources->hypervisor ? row_hidden(l, k, "")
                                      : row_unknown(l, k, "", "this processor does not count it; the frequency shows it", "");
    }
    add_count(l, cpu, "core_throttle_total_time_ms", &ms);
    add_count(l, cpu, "package_throttle_total_time_ms", &ms);
    if (!core && !package)
        return row_ok(l, k, "never since boot");
    const char *value = look_say(l, "%lld times since boot%s", (long long)(core + package),
                                 ms ? look_say(l, ", %s in all", scaled_text("ns", (double)ms * 1e6).at) : "");
    return row_stays_noisy(l, k, value, "the processor was too hot, or took too much power, and slowed itself down",
                           "let it cool down; --freq base or lowest keeps it cool; improve the cooling");
}

static enum tare_status add_shared(struct look *l, const struct knob *k, const struct cpu_list *others)
{
    static const char why[] = "two threads of one core take its units and caches from each other";
    const char *value = look_say(l, "%s on the same core", look_named(l, others));
    if (cpu_list_next(&l->reserved, 0) >= 0)
        return row_noisy_by(l, k, value, why, "the isolated group keeps the other thread idle; --only smt takes it offline",
                            "isolation");
    if (cpus_overlap(others, &l->bench))
        return row_noisy(l, k, value, why, "choose other CPUs with --cpus; use one thread of each core");
    return row_stays_noisy(l, k, value, why, "a machine with more cores; no other core would be left here");
}

static enum tare_status look_smt(struct look *l, const struct knob *k)
{
    struct cpu_list threads, others = {{0}};
    for (int cpu = cpu_list_next(&l->bench, 0); cpu >= 0; cpu = cpu_list_next(&l->bench, cpu + 1)) {
        if (!look_core(l, cpu, &threads))
            return row_absent(l, k, "the system does not say which CPUs share a core");
        struct cpu_list self = {{0}};
        cpu_list_add(&self, cpu);
        cpu_list_remove(&threads, &self);
        cpus_join(&others, &threads);
    }
    cpu_list_keep(&others, &l->online);
    if (cpu_list_next(&others, 0) < 0)
        return l->sources->hypervisor
                   ? row_unknown(l, k, "each CPU is shown as a core", "the hypervisor may show threads of one core as cores",
                                 "'tare system qualify' measures it")
                   : row_ok(l, k, "each CPU is a core");
    if (cpus_within(&others, &l->isolated) && cpus_within(&others, &l->reserved))
        return row_ok(l, k, look_say(l, "%s of the same core kept idle", look_named(l, &others)));
    enum tare_status status = l->wishes->only ? save_masks(l, k, &l->reserved) : TARE_OK;
    for (int cpu = cpu_list_next(&l->reserved, 0); cpu >= 0 && !status; cpu = cpu_list_next(&l->reserved, cpu + 1))
        status = set_file(l, k, FORM_NUMBER, look_say(l, CPU "cpu%d/online", cpu), "1", "0");
    return status ? status : add_shared(l, k, &others);
}

static enum tare_status look_hybrid(struct look *l, const struct knob *k)
{
    const struct identity *m = &l->sources->machine;
    int used = 0;
    const char *kind = "";
    if (m->n_classes < 2)
        return m->n_classes ? row_none(l, k, "all cores are of one sort") : row_unknown(l, k, "", "the system does not say", "");
    for (int i = 0; i < m->n_classes; i++)
        if (cpus_overlap(&m->classes[i].cpus, &l->bench)) {
            used++;
            kind = m->classes[i].kind ? m->classes[i].kind : "one sort";
        }
    if (used == 1)
        return row_ok(l, k, look_say(l, "%d sorts, measured on: %s", m->n_classes, kind));
    return row_noisy(l, k, look_say(l, "%d of %d sorts among the CPUs measured on", used, m->n_classes),
                     "the same program takes a different time on each type", "choose CPUs of one type with --cpus");
}

/* Switches of the prefetchers are bits of model-specific registers, which root alone may read; no file of the kernel shows them. */
static enum tare_status look_prefetch(struct look *l, const struct knob *k)
{
    static const char advice[] = "compare only machines whose firmware has them alike: tare reads no MSRs";
    if (l->sources->hypervisor)
        return row_unknown(l, k, "", "the hypervisor keeps it to itself", "");
    if (text_has_word(l->sources->vendor, "GenuineIntel"))
        return row_unknown(l, k, "", "whether they are on says MSR 1A4H, to root alone", advice);
    if (text_has_word(l->sources->vendor, "AuthenticAMD"))
        return row_unknown(l, k, "", "whether they are on say MSRs C0000108H and C0011022H, to root alone", advice);
    return row_unknown(l, k, "", "no file of the kernel says whether they are on", advice);
}

#define HARDWARE "The hardware"
static const struct knob hardware[] = {
    {"clocksource", "kernel's clock", HARDWARE, RISK_BOOT, STAGE_NONE, 68, KEEP_BOOT ": clocksource=tsc, where it is stable",
     .look = look_clocksource},
    {"power", "power source", HARDWARE, RISK_BOOT, STAGE_NONE, 66, NULL, .look = look_power},
    {"throttling", "throttling by heat", HARDWARE, RISK_BOOT, STAGE_NONE, 64, NULL, .look = look_throttling},
    {"smt", "shared cores", HARDWARE, RISK_DISRUPTIVE, STAGE_OFFLINE, 74, KEEP_BOOT ": nosmt", .look = look_smt,
     .files = "w:" CPU "cpu#/online"
              " w:/proc/irq/#/smp_affinity"
              " r:/sys/kernel/irq/#/actions"},
    {"hybrid", "sorts of core", HARDWARE, RISK_BOOT, STAGE_NONE, 62, NULL, .look = look_hybrid},
    {"prefetch", "prefetchers", HARDWARE, RISK_BOOT, STAGE_NONE, 2, NULL, .look = look_prefetch},
};
const struct knob_group knobs_of_hardware = {hardware, sizeof hardware / sizeof *hardware};
