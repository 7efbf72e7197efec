/* SPDX-License-Identifier: MIT
 *
 * The system's settings, under paths as other systems have theirs, so that one table of knobs (src/system) and one journal do for all:
 *
 *     /windows/powercfg/active               the GUID of the power plan; to write one makes that plan the active one
 *     /windows/powercfg/PLAN                 PLAN: a GUID; to make the folder makes a copy of the active plan under that GUID, to remove it deletes the plan
 *     /windows/powercfg/PLAN/name            PLAN: a GUID, or "current"
 *     /windows/powercfg/PLAN/PROCTHROTTLEMIN for the power that the machine has now; written for mains and battery
 *     /windows/process/priority ...          of this process
 *     /windows/services/NAME                 "running", "stopped", "not installed"
 *
 * What is held (plat_setting_hold) is of this process, and is put back when its descriptor is closed.
 */
#include "nt.h"
#include "plat_setting.h"
#include <stdlib.h>
#include <string.h>

/* Of calls that return an error: a system that is none, or an old one, has the name and nothing behind it. */
static enum tare_status told(DWORD error, const char *what, struct tare_err *err)
{
    if (!error)
        return TARE_OK;
    if (nt()->wine_version)
        return err_set(err, TARE_UNSUPPORTED, "Wine has no %s", what);
    return win32_fail(err, error, "the system does not tell the %s", what);
}

static enum tare_status no_call(const char *what, struct tare_err *err)
{
    return err_set(err, TARE_UNSUPPORTED, "%s has no %s", nt()->wine_version ? "Wine" : "this Windows", what);
}

static enum tare_status unknown(const char *path, struct tare_err *err)
{
    return err_set(err, TARE_NOT_FOUND, "Windows has no %s", path);
}

static const char power[] = "power plans";

static const struct {
    const char *name;
    GUID guid;
} values[] = {
    /* Names as "powercfg /aliases" lists them; all are of the processor. */
    {"PROCTHROTTLEMIN", {0x893dee8e, 0x2bef, 0x41e0, {0x89, 0xc6, 0xb5, 0x5d, 0x09, 0x29, 0x96, 0x4c}}},
    {"PROCTHROTTLEMAX", {0xbc5038f7, 0x23e0, 0x4960, {0x96, 0xda, 0x33, 0xab, 0xaf, 0x59, 0x35, 0xec}}},
    {"PERFBOOSTMODE", {0xbe337238, 0x0d82, 0x4146, {0xa9, 0x60, 0x4f, 0x37, 0x49, 0xd4, 0x70, 0xc7}}},
    {"CPMINCORES", {0x0cc5b647, 0xc1df, 0x4637, {0x89, 0x1a, 0xde, 0xc3, 0x5c, 0x31, 0x85, 0x83}}},
};
enum { VALUES = sizeof values / sizeof *values };
static const GUID of_processor = {0x54533251, 0x82be, 0x4824, {0x96, 0xc1, 0x47, 0xb6, 0x0b, 0x74, 0x0d, 0x00}};

static void add_guid(struct buf *out, const GUID *g)
{
    buf_format(out, "%08lx-%04x-%04x-%02x%02x-", (unsigned long)g->Data1, g->Data2, g->Data3, g->Data4[0], g->Data4[1]);
    for (int i = 2; i < 8; i++)
        buf_format(out, "%02x", g->Data4[i]);
}

/* Of the first 36 bytes. */
static bool guid_of(const char *text, GUID *out)
{
    enum { LENGTH = 36 };
    char again[LENGTH + 1];
    unsigned long a = strtoul(text, NULL, 16);
    struct buf b = buf_over(again, sizeof again);
    if (strlen(text) < LENGTH)
        return false;
    *out = (GUID){.Data1 = a, .Data2 = (WORD)strtoul(text + 9, NULL, 16), .Data3 = (WORD)strtoul(text + 14, NULL, 16)};
    for (int i = 0; i < 8; i++) {
        const char two[] = {text[19 + 2 * i + (i > 1)], text[20 + 2 * i + (i > 1)], 0};
        out->Data4[i] = (BYTE)strtoul(two, NULL, 16);
    }
    add_guid(&b, out);
    return !b.status && !_strnicmp(again, text, LENGTH);
}

static enum tare_status find_active(GUID *out, struct tare_err *err)
{
    GUID *found = NULL;
    if (!nt()->power_active || !nt()->power_read[0] || !nt()->power_read[1])
        return no_call(power, err);
    enum tare_status status = told(nt()->power_active(NULL, &found), "active power plan", err);
    if (!status)
        *out = *found;
    LocalFree(found);
    return status;
}

/* `path` behind "/windows/powercfg/": a plan, and *rest behind its slash, or "". */
static enum tare_status find_plan(const char *path, GUID *plan, const char **rest, struct tare_err *err)
{
    const size_t n = strcspn(path, "/");
    *rest = path[n] ? path + n + 1 : path + n;
    if (n == strlen("current") && !strncmp(path, "current", n))
        return find_active(plan, err);
    return guid_of(path, plan) ? TARE_OK : unknown(path, err);
}

static const GUID *find_value(const char *name)
{
    for (int i = 0; i < VALUES; i++)
        if (!strcmp(values[i].name, name))
            return &values[i].guid;
    return NULL;
}

static bool on_battery(void)
{
    SYSTEM_POWER_STATUS s;
    return GetSystemPowerStatus(&s) && s.ACLineStatus == 0;
}

static enum tare_status add_name(const GUID *plan, struct buf *out, struct tare_err *err)
{
    wchar_t name[256] = L"";
    DWORD size = sizeof name - sizeof *name;
    if (!nt()->power_name)
        return no_call(power, err);
    const DWORD error = nt()->power_name(NULL, plan, NULL, NULL, (UCHAR *)name, &size);
    if (error == ERROR_FILE_NOT_FOUND)
        return err_set(err, TARE_NOT_FOUND, "there is no such power plan");
    if (!error)
        utf8_add(out, name);
    return told(error, "name of a power plan", err);
}

/* To write a value of a plan that is not there would make half of one. */
static enum tare_status check_plan(const GUID *plan, struct tare_err *err)
{
    struct buf nothing = BUF_INIT(1 << 10);
    enum tare_status status = add_name(plan, &nothing, err);
    buf_finish(&nothing);
    return status;
}

static enum tare_status read_plan(const char *path, struct buf *out, struct tare_err *err)
{
    GUID plan;
    DWORD value;
    const char *name;
    const bool active = !strcmp(path, "active");
    enum tare_status status = active ? find_active(&plan, err) : find_plan(path, &plan, &name, err);
    if (!status && active)
        add_guid(out, &plan);
    if (status || active)
        return status;
    if (!*name || !strcmp(name, "name"))
        return add_name(&plan, out, err);
    const GUID *which = find_value(name);
    if (!which)
        return unknown(path, err);
    status = check_plan(&plan, err);
    if (!status)
        status = told(nt()->power_read[on_battery()](NULL, &plan, &of_processor, which, &value), name, err);
    if (!status)
        buf_format(out, "%lu", (unsigned long)value);
    return status;
}

/* Changed values of the active plan hold from when it is made the active one once more. */
static DWORD write_value(const GUID *plan, const GUID *which, DWORD value)
{
    DWORD error = nt()->power_write[0](NULL, plan, &of_processor, which, value);
    return error ? error : nt()->power_write[1](NULL, plan, &of_processor, which, value);
}

static enum tare_status write_plan(const char *path, const char *text, DWORD *error, struct tare_err *err)
{
    GUID plan;
    const char *name;
    *error = ERROR_NOT_SUPPORTED;
    if (!nt()->power_set_active || !nt()->power_write[0] || !nt()->power_write[1])
        return no_call(power, err);
    if (!strcmp(path, "active")) {
        *error = guid_of(text, &plan) ? nt()->power_set_active(NULL, &plan) : ERROR_INVALID_PARAMETER;
        return *error ? win32_fail(err, *error, "cannot make power plan %s the active one", text) : TARE_OK;
    }
    enum tare_status status = find_plan(path, &plan, &name, err);
    const GUID *which = status ? NULL : find_value(name);
    if (!status)
        status = which ? check_plan(&plan, err) : unknown(path, err);
    if (status)
        return status;
    *error = write_value(&plan, which, strtoul(text, NULL, 10));
    return *error ? win32_fail(err, *error, "cannot set %s of a power plan", name) : TARE_OK;
}

static const char powercfg[] = "/windows/powercfg/";

static const char *behind(const char *path, const char *prefix)
{
    const size_t n = strlen(prefix);
    return strncmp(path, prefix, n) ? NULL : path + n;
}

enum tare_status plat_setting_folder_make(const char *path, int *error, struct tare_err *err)
{
    GUID from, to, *made = &to;
    const char *plan = behind(path, powercfg);
    *error = ERROR_NOT_SUPPORTED;
    if (!plan || !guid_of(plan, &to) || !nt()->power_duplicate)
        return no_call(power, err);
    enum tare_status status = find_active(&from, err);
    if (status)
        return status;
    *error = (int)nt()->power_duplicate(NULL, &from, &made);
    return *error ? win32_fail(err, (DWORD)*error, "cannot copy the active power plan") : TARE_OK;
}

enum tare_status plat_setting_folder_remove(const char *path, int *error, struct tare_err *err)
{
    GUID plan;
    const char *name = behind(path, powercfg);
    *error = ERROR_NOT_SUPPORTED;
    if (!name || !guid_of(name, &plan) || !nt()->power_delete)
        return no_call(power, err);
    *error = (int)nt()->power_delete(NULL, &plan);
    return *error ? win32_fail(err, (DWORD)*error, "cannot delete tare's copy of a power plan") : TARE_OK;
}

/* Of controls that are not taken the system decides. */
static enum tare_status read_throttling(ULONG which, const char *set, const char *cleared, struct buf *out, struct tare_err *err)
{
    struct nt_throttling t = {.version = 1};
    if (!nt()->get_process || !nt()->set_process)
        return no_call("power throttling of processes", err);
    if (!nt()->get_process(GetCurrentProcess(), POWER_THROTTLING, &t, sizeof t))
        return told(GetLastError() ? GetLastError() : ERROR_NOT_SUPPORTED, "power throttling of processes", err);
    buf_str(out, !(t.control & which) ? "automatic" : t.state & which ? set : cleared);
    return TARE_OK;
}

static bool control_throttling(ULONG which, bool take)
{
    struct nt_throttling t = {.version = 1};
    if (!nt()->get_process || !nt()->set_process || !nt()->get_process(GetCurrentProcess(), POWER_THROTTLING, &t, sizeof t))
        return false;
    t.control = take ? t.control | which : t.control & ~which;
    t.state &= ~which;
    return nt()->set_process(GetCurrentProcess(), POWER_THROTTLING, &t, sizeof t);
}

static enum tare_status read_speed(struct buf *out, struct tare_err *err)
{
    return read_throttling(THROTTLED_SPEED, "on", "off", out, err);
}

static enum tare_status read_timer_requests(struct buf *out, struct tare_err *err)
{
    return read_throttling(THROTTLED_TIMERS, "ignored", "honoured", out, err);
}

static enum tare_status read_priority(struct buf *out, struct tare_err *err)
{
    struct plat_scheduling s;
    enum tare_status status = plat_scheduling(&s, err);
    buf_str(out, s.policy);
    return status;
}

static enum tare_status read_boosts(struct buf *out, struct tare_err *err)
{
    BOOL off = FALSE;
    if (!nt()->get_boosts || !nt()->set_boosts || nt()->wine_version || !nt()->get_boosts(GetCurrentProcess(), &off))
        return no_call("priority boosts", err);
    buf_str(out, off ? "off" : "on");
    return TARE_OK;
}

static bool set_boosts(BOOL off)
{
    BOOL now = !off;
    return nt()->set_boosts(GetCurrentProcess(), off) && nt()->get_boosts(GetCurrentProcess(), &now) && now == off;
}

static enum tare_status read_period(struct buf *out, struct tare_err *err)
{
    struct plat_timer_period p;
    enum tare_status status = plat_timer_period(&p, err);
    if (!status)
        buf_format(out, "%lld", (long long)(p.now_ns / 1000));
    return status;
}

/* A share of the CPUs that a job around us leaves to it: what a quota is elsewhere. */
static enum tare_status read_job_rate(struct buf *out, struct tare_err *err)
{
    struct {
        DWORD flags, rate;
    } limit = {0, 0};
    enum { ENABLED = 1, HARD_CAP = 4, RATE_CONTROL = 15, HUNDREDTHS = 100 };
    BOOL within = FALSE;
    if (IsProcessInJob(GetCurrentProcess(), NULL, &within) && !within) {
        buf_str(out, "none");
        return TARE_OK;
    }
    if (!nt()->job(NULL, (JOBOBJECTINFOCLASS)RATE_CONTROL, &limit, sizeof limit, NULL))
        return told(GetLastError() ? GetLastError() : ERROR_NOT_SUPPORTED, "limit of the job around tare", err);
    if ((limit.flags & (ENABLED | HARD_CAP)) == (ENABLED | HARD_CAP))
        buf_format(out, "%lu.%02lu", (unsigned long)(limit.rate / HUNDREDTHS), (unsigned long)(limit.rate % HUNDREDTHS));
    else
        buf_str(out, "none");
    return TARE_OK;
}

static enum tare_status add_service(const char *name, struct buf *out, struct tare_err *err)
{
    DWORD state = 0;
    wchar_t *wide = wide_of(name);
    const DWORD error = wide ? nt()->service(wide, &state) : ERROR_OUTOFMEMORY;
    free(wide);
    if (error == ERROR_SERVICE_DOES_NOT_EXIST)
        buf_str(out, "not installed");
    else if (!error)
        buf_str(out, state == SERVICE_STOPPED ? "stopped" : "running");
    else
        return told(error, "state of services", err);
    return TARE_OK;
}

/* Of Windows' own; others take its place, and then its service does not run. */
static enum tare_status read_scan(struct buf *out, struct tare_err *err)
{
    static const wchar_t key[] = L"SOFTWARE\\Microsoft\\Windows Defender\\Real-Time Protection";
    uint32_t disabled = 0;
    struct buf service = BUF_INIT(1 << 8);
    enum tare_status status = add_service("WinDefend", &service, err);
    nt_registry_number(HKEY_LOCAL_MACHINE, key, L"DisableRealtimeMonitoring", &disabled);
    if (!status)
        buf_str(out, strcmp(buf_text(&service), "running") || disabled ? "off" : "on");
    buf_finish(&service);
    return status;
}

/* Virtualization-based security: Windows itself runs above a hypervisor. */
static enum tare_status read_isolation(struct buf *out, struct tare_err *err)
{
    enum { ISOLATED_USER_MODE = 165, SECURE_KERNEL = 1, MEMORY_INTEGRITY = 2 };
    unsigned char facts[16] = {0};
    if (!nt()->system || nt()->wine_version)
        return no_call("virtualization-based security", err);
    enum tare_status status =
        nt_status(nt()->system(ISOLATED_USER_MODE, facts, sizeof facts, NULL), "virtualization-based security", err);
    if (!status)
        buf_str(out, !(facts[0] & SECURE_KERNEL)   ? "not running"
                     : facts[0] & MEMORY_INTEGRITY ? "running, with memory integrity"
                                                   : "running");
    return status;
}

/* Settings of Windows outlast a reboot, so that what was changed is never void by itself: the same text for as long as this installation lives. */
static enum tare_status read_boot(struct buf *out, struct tare_err *err)
{
    return nt_registry_text(HKEY_LOCAL_MACHINE, L"SOFTWARE\\Microsoft\\Cryptography", L"MachineGuid", out)
               ? TARE_OK
               : err_set(err, TARE_NOT_FOUND, "this Windows has no number of its own");
}

static const struct {
    const char *path;
    enum tare_status (*read)(struct buf *out, struct tare_err *err);
} files[] = {
    {"/proc/sys/kernel/random/boot_id", read_boot},    {"/windows/job/cpu-rate", read_job_rate},
    {"/windows/process/power-throttling", read_speed}, {"/windows/process/priority", read_priority},
    {"/windows/process/priority-boosts", read_boosts}, {"/windows/process/timer-requests", read_timer_requests},
    {"/windows/security/real-time-scan", read_scan},   {"/windows/security/virtualization", read_isolation},
    {"/windows/timer/period-us", read_period},
};

bool setting_is(const char *path)
{
    return behind(path, "/windows/") || !strcmp(path, files[0].path);
}

enum tare_status setting_read(const char *path, struct buf *out, struct tare_err *err)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strcmp(path, files[i].path))
            return files[i].read(out, err);
    const char *plan = behind(path, powercfg), *service = behind(path, "/windows/services/");
    return plan ? read_plan(plan, out, err) : service ? add_service(service, out, err) : unknown(path, err);
}

bool plat_setting_there(const char *path)
{
    struct buf text = BUF_INIT(1 << 16);
    bool there = !strcmp(path, "/windows") || !strcmp(path, "/windows/powercfg");
    if (!there && setting_is(path))
        there = setting_read(path, &text, NULL) != TARE_NOT_FOUND;
    else if (!there)
        there = !strcmp(path, "/sys/devices/system/cpu") || facts_read(path, &text);
    buf_finish(&text);
    struct plat_file_state state;
    const bool fact = setting_is(path) || behind(path, "/proc/") || behind(path, "/sys/");
    return there || (!fact && !plat_file_state(path, &state, NULL));
}

bool plat_setting_read_only(const char *path)
{
    (void)path;
    return false;
}

enum tare_status plat_setting_write(const char *path, const char *text, enum plat_setting_mode mode, int *error,
                                    struct tare_err *err)
{
    const char *plan = behind(path, powercfg);
    DWORD code = ERROR_NOT_SUPPORTED;
    *error = 0;
    enum tare_status status = mode == PLAT_SETTING_COPIED
                                  ? err_set(err, TARE_UNSUPPORTED, "a copy of a machine is changed on Linux only")
                              : plan ? write_plan(plan, text, &code, err)
                                     : unknown(path, err);
    if (status)
        *error = (int)code;
    return status;
}

static struct held {
    int fd;
    bool taken;
    DWORD class;
    ULONG throttling; /* 0: it is the class, or the boosts */
    bool boosts;
} held[5];

static void release(int fd)
{
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        if (held[i].taken && held[i].fd == fd) {
            held[i].taken = false;
            if (held[i].throttling)
                control_throttling(held[i].throttling, false);
            else if (held[i].boosts)
                set_boosts(FALSE);
            else
                nt()->set_class(GetCurrentProcess(), held[i].class);
        }
}

static enum tare_status hold(struct held *h, const char *path, struct tare_err *err)
{
    h->class = nt()->get_class(GetCurrentProcess());
    h->throttling = !strcmp(path, "/windows/process/power-throttling") ? THROTTLED_SPEED
                    : !strcmp(path, "/windows/process/timer-requests") ? THROTTLED_TIMERS
                                                                       : 0;
    h->boosts = !strcmp(path, "/windows/process/priority-boosts");
    if (h->boosts)
        return set_boosts(TRUE) ? TARE_OK : no_call("priority boosts", err);
    if (h->throttling)
        return control_throttling(h->throttling, true) ? TARE_OK : no_call("power throttling of processes", err);
    return !strcmp(path, "/windows/process/priority") ? plat_set_priority(PRIORITY_HIGH, err) : unknown(path, err);
}

/* `text` is the one value that is of use: high, off, honoured. */
enum tare_status plat_setting_hold(const char *path, const char *text, int *fd, int *error, struct tare_err *err)
{
    struct held *h = held;
    (void)text;
    *fd = -1;
    *error = ERROR_NOT_SUPPORTED;
    while (h < held + sizeof held / sizeof *held && h->taken)
        h++;
    if (h == held + sizeof held / sizeof *held)
        return err_set(err, TARE_TOO_LARGE, "too many settings are held");
    const int mark = plat_open_null();
    enum tare_status status = mark < 0 ? err_set(err, TARE_NO_MEMORY, "no descriptor is left") : hold(h, path, err);
    if (status) {
        plat_close(mark);
        return status;
    }
    *error = 0;
    *fd = h->fd = mark;
    h->taken = true;
    win32_closing = release;
    return TARE_OK;
}
