/* SPDX-License-Identifier: MIT
 *
 * What Windows steers by itself: the power plan, what it makes of a process, its scanners, its own hypervisor. The paths are those of src/plat/win32/settings.c.
 *
 * Nobody's power plan is changed: a copy of the active one gets the values, and is active while the machine is tuned. So restoring is to make the old plan active and to
 * delete the copy.
 */
#include "knob_look.h"
#include <string.h>

#define POWERCFG "/windows/powercfg/"
#define OURS     "7a5e7c1d-8f24-4d0b-9c36-51a0e2b4d8f3"

static enum tare_status unavailable(struct look *l, const struct knob *k)
{
    const char *why = l->sources->reason.text;
    return row_unknown(l, k, "", look_say(l, "unavailable: %s", *why ? why : "the system does not tell"), "");
}

static bool is_text(const char *text, const char *word)
{
    return !strcmp(text, word);
}

static enum tare_status add_setting(struct look *l, const struct knob *k, struct setting s)
{
    s.knob = k;
    return look_add_setting(l, &s);
}

/* The copy, without which none of its values can be set: with --only of one of these too. */
static enum tare_status add_plan(struct look *l, const struct knob *k, const char *active)
{
    for (int i = 0; i < l->n_settings; i++)
        if (is_text(l->settings[i].path, POWERCFG "active"))
            return TARE_OK;
    if (is_text(active, OURS))
        return TARE_OK;
    enum tare_status status =
        add_setting(l, k, (struct setting){.kind = SETTING_FOLDER, .stage = STAGE_GOVERNOR, .path = POWERCFG OURS, .wanted = ""});
    return status ? status
                  : add_setting(
                        l, k, (struct setting){.stage = STAGE_SYSCTL, .path = POWERCFG "active", .now = active, .wanted = OURS});
}

static enum tare_status set_value(struct look *l, const struct knob *k, const char *name, const char *value)
{
    const char *active = look_text(l, POWERCFG "active");
    if (!active || is_text(active, OURS))
        return TARE_OK;
    enum tare_status status = add_plan(l, k, active);
    return status ? status
                  : add_setting(l, k,
                                (struct setting){.form = FORM_NUMBER,
                                                 .stage = STAGE_LIMITS,
                                                 .path = look_say(l, POWERCFG OURS "/%s", name),
                                                 .wanted = value});
}

static enum tare_status look_plan(struct look *l, const struct knob *k)
{
    const char *active = look_text(l, POWERCFG "active");
    const char *name = active ? look_text(l, POWERCFG "current/name") : NULL;
    if (!active)
        return unavailable(l, k);
    const char *value = look_say(l, "%s", name ? name : active);
    if (is_text(active, OURS))
        return row_ok(l, k, "tare's copy of a plan");
    static const char *const steady[] = {"8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c", "e9a42b02-d5df-448d-aa00-03f14749eb61"};
    for (int i = 0; i < 2; i++) /* "High performance", "Ultimate Performance", whatever they are called here */
        if (is_text(active, steady[i]))
            return row_ok(l, k, value);
    enum tare_status status = add_plan(l, k, active);
    return status ? status : row_noisy(l, k, value, "it saves power by slowing cores down between pieces of work", "");
}

static enum tare_status look_throttle(struct look *l, const struct knob *k)
{
    int64_t least, most;
    if (!look_number(l, &least, POWERCFG "current/PROCTHROTTLEMIN") || !look_number(l, &most, POWERCFG "current/PROCTHROTTLEMAX"))
        return unavailable(l, k);
    const char *value = look_say(l, "%lld to %lld %%", (long long)least, (long long)most);
    if (least >= most)
        return row_ok(l, k, value);
    enum tare_status status = set_value(l, k, "PROCTHROTTLEMIN", "100");
    if (!status)
        status = set_value(l, k, "PROCTHROTTLEMAX", "100");
    return status ? status : row_noisy(l, k, value, "the frequency follows what runs", "");
}

static enum tare_status look_boost(struct look *l, const struct knob *k)
{
    int64_t mode;
    if (!look_number(l, &mode, POWERCFG "current/PERFBOOSTMODE"))
        return unavailable(l, k);
    if (!mode)
        return row_ok(l, k, "off");
    enum tare_status status = set_value(l, k, "PERFBOOSTMODE", "0");
    return status ? status
                  : row_noisy(l, k, look_say(l, "on (mode %lld)", (long long)mode),
                              "how far it goes depends on heat and on other cores", "");
}

static enum tare_status look_parking(struct look *l, const struct knob *k)
{
    int64_t least;
    if (!look_number(l, &least, POWERCFG "current/CPMINCORES"))
        return unavailable(l, k);
    const char *value = look_say(l, "%lld %% of the cores stay awake", (long long)least);
    if (least >= 100)
        return row_ok(l, k, value);
    enum tare_status status = set_value(l, k, "CPMINCORES", "100");
    return status ? status : row_noisy(l, k, value, "a parked core takes work only after it woke up", "");
}

static enum tare_status hold_setting(struct look *l, const struct knob *k, const char *path, const char *wanted)
{
    return add_setting(l, k, (struct setting){.kind = SETTING_HELD, .stage = STAGE_HELD, .path = path, .wanted = wanted});
}

static enum tare_status look_ecoqos(struct look *l, const struct knob *k)
{
    static const char path[] = "/windows/process/power-throttling";
    const char *text = look_text(l, "%s", path);
    if (!text)
        return unavailable(l, k);
    if (is_text(text, "off"))
        return row_ok(l, k, "off");
    enum tare_status status = hold_setting(l, k, path, "off");
    return status ? status : row_noisy(l, k, text, "Windows runs a program without a window on slow cores at low frequency", "");
}

static enum tare_status look_priority(struct look *l, const struct knob *k)
{
    static const char path[] = "/windows/process/priority";
    const char *text = look_text(l, "%s", path);
    if (!text)
        return unavailable(l, k);
    if (is_text(text, "high") || is_text(text, "realtime"))
        return row_ok(l, k, text);
    enum tare_status status = hold_setting(l, k, path, "high");
    return status ? status : row_noisy(l, k, text, "threads that waited, and those of the window in front, go first", "");
}

static enum tare_status look_boosts(struct look *l, const struct knob *k)
{
    static const char path[] = "/windows/process/priority-boosts";
    const char *text = look_text(l, "%s", path);
    if (!text)
        return unavailable(l, k);
    if (is_text(text, "off"))
        return row_ok(l, k, text);
    enum tare_status status = hold_setting(l, k, path, "off");
    return status ? status : row_noisy(l, k, text, "a thread that waited goes before others for a while", "");
}

static enum tare_status look_timers(struct look *l, const struct knob *k)
{
    static const char path[] = "/windows/process/timer-requests";
    int64_t period_us;
    const bool told = look_number(l, &period_us, "/windows/timer/period-us");
    const char *text = look_text(l, "%s", path);
    if (!text)
        return unavailable(l, k);
    const char *value =
        told ? look_say(l, "requests %s, period %.1f ms", text, (double)period_us / 1e3) : look_say(l, "requests %s", text);
    if (!is_text(text, "ignored"))
        return row_ok(l, k, value);
    enum tare_status status = hold_setting(l, k, path, "honoured");
    return status ? status : row_noisy(l, k, value, "sleeps end together with those of others, up to 15.6 ms late", "");
}

static enum tare_status look_job(struct look *l, const struct knob *k)
{
    const char *text = look_text(l, "/windows/job/cpu-rate");
    if (!text)
        return unavailable(l, k);
    if (is_text(text, "none"))
        return row_ok(l, k, "none");
    return row_stays_noisy(l, k, look_say(l, "%s %% of all CPUs", text), "the job object stops its programs when that is used up",
                           "measure outside of that container or job");
}

static enum tare_status look_scan(struct look *l, const struct knob *k)
{
    const char *text = look_text(l, "/windows/security/real-time-scan");
    if (!text)
        return unavailable(l, k);
    if (is_text(text, "off"))
        return row_ok(l, k, "off in Microsoft Defender");
    return row_noisy(l, k, text, "it reads each program that starts and each file that is written",
                     "Add-MpPreference -ExclusionPath with the folder of what is measured");
}

static enum tare_status look_indexer(struct look *l, const struct knob *k)
{
    const char *text = look_text(l, "/windows/services/WSearch");
    if (!text)
        return unavailable(l, k);
    return is_text(text, "running") ? row_noisy(l, k, text, "it reads files after they were written", "net stop wsearch")
                                    : row_ok(l, k, text);
}

static enum tare_status look_isolation(struct look *l, const struct knob *k)
{
    const char *text = look_text(l, "/windows/security/virtualization");
    if (!text)
        return unavailable(l, k);
    if (is_text(text, "not running"))
        return row_ok(l, k, text);
    return row_stays_noisy(l, k, text, "the hypervisor takes part in page faults and interrupts",
                           "compare only machines that have it alike; it goes with bcdedit /set hypervisorlaunchtype off");
}

#define PLAN    "Power plan"
#define PROCESS "What Windows makes of this process"
#define OTHERS  "Scanners and the hypervisor"
#define KEEP    "powercfg /setactive SCHEME_MIN, which is High performance"
#define FILES   "m:" POWERCFG OURS " w:" POWERCFG "active w:" POWERCFG OURS

static const struct knob windows[] = {
    {"power-plan", "power plan", PLAN, RISK_REVERSIBLE, STAGE_SYSCTL, 90, KEEP, look_plan, FILES "/PROCTHROTTLEMIN",
     .windows = true},
    {"processor-state", "processor throttling", PLAN, RISK_REVERSIBLE, STAGE_LIMITS, 88, KEEP, look_throttle,
     FILES "/PROCTHROTTLEMIN w:" POWERCFG OURS "/PROCTHROTTLEMAX", .windows = true},
    {"boost-mode", "boost", PLAN, RISK_REVERSIBLE, STAGE_LIMITS, 86, KEEP, look_boost, FILES "/PERFBOOSTMODE", .windows = true},
    {"core-parking", "core parking", PLAN, RISK_REVERSIBLE, STAGE_LIMITS, 60, KEEP, look_parking, FILES "/CPMINCORES",
     .windows = true},
    {"ecoqos", "EcoQoS", PROCESS, RISK_SELF_UNDOING, STAGE_HELD, 84, "powercfg /powerthrottling disable /path PROGRAM",
     look_ecoqos, .windows = true},
    {"priority", "priority class", PROCESS, RISK_SELF_UNDOING, STAGE_HELD, 50, "start /high PROGRAM", look_priority,
     .windows = true},
    {"priority-boosts", "priority boosts", PROCESS, RISK_SELF_UNDOING, STAGE_HELD, 22,
     "in PowerShell (Get-Process PROGRAM).PriorityBoostEnabled = $false", look_boosts, .windows = true},
    {"timer-coalescing", "timer coalescing", PROCESS, RISK_SELF_UNDOING, STAGE_HELD, 20,
     "GlobalTimerResolutionRequests = 1 in the registry", look_timers, .windows = true},
    {"job-limit", "CPU rate of the job", PROCESS, RISK_BOOT, STAGE_NONE, 82, NULL, look_job, .windows = true},
    {"antivirus", "real-time scan", OTHERS, RISK_BOOT, STAGE_NONE, 80, NULL, look_scan, .windows = true},
    {"indexer", "search indexer", OTHERS, RISK_BOOT, STAGE_NONE, 48, NULL, look_indexer, .windows = true},
    {"virtualization", "VBS and Hyper-V", OTHERS, RISK_BOOT, STAGE_NONE, 40, NULL, look_isolation, .windows = true},
};
const struct knob_group knobs_of_windows = {windows, sizeof windows / sizeof *windows};
