/* SPDX-License-Identifier: MIT
 *
 * The settings of a Windows that Wine is not: its power plans, its scanner and what it makes of this process are scripted behind nt.h. It is shown, tuned and
 * restored by the table of knobs, the journal and the watchdog's order that Linux has.
 */
#include "journal.h"
#include "nt.h"
#include "plat_setting.h"
#include "same.h"
#include "tune.h"

/* ---- a scripted system: Windows 11 with its usual plan ---- */

static const GUID balanced = {0x381b4222, 0xf694, 0x41f0, {0x96, 0x85, 0xff, 0x5b, 0xb2, 0x60, 0xdf, 0x2e}};

enum { PLANS = 4, VALUES = 4 };
static struct plan {
    GUID guid;
    bool there;
    DWORD mains[VALUES], battery[VALUES]; /* by the first bytes of their GUIDs */
} plans[PLANS];
static GUID active;
static DWORD refuse;

static int index_of(const GUID *value)
{
    static const DWORD first[VALUES] = {0x893dee8e, 0xbc5038f7, 0xbe337238, 0x0cc5b647};
    for (int i = 0; i < VALUES; i++)
        if (first[i] == value->Data1)
            return i;
    return -1;
}

static struct plan *find(const GUID *guid)
{
    for (int i = 0; i < PLANS; i++)
        if (plans[i].there && !memcmp(&plans[i].guid, guid, sizeof *guid))
            return &plans[i];
    return NULL;
}

static DWORD WINAPI get_active(HKEY root, GUID **out)
{
    (void)root;
    *out = LocalAlloc(LMEM_FIXED, sizeof **out);
    **out = active;
    return 0;
}

static DWORD WINAPI set_active(HKEY root, const GUID *plan)
{
    (void)root;
    if (!find(plan))
        return ERROR_FILE_NOT_FOUND;
    active = *plan;
    return 0;
}

static DWORD WINAPI duplicate(HKEY root, const GUID *from, GUID **to)
{
    (void)root;
    if (refuse)
        return refuse;
    for (int i = 0; i < PLANS; i++)
        if (!plans[i].there) {
            plans[i] = *find(from);
            plans[i].guid = **to;
            return 0;
        }
    return ERROR_OUTOFMEMORY;
}

static DWORD WINAPI delete_plan(HKEY root, const GUID *plan)
{
    (void)root;
    if (!find(plan) || !memcmp(plan, &active, sizeof *plan))
        return ERROR_ACCESS_DENIED;
    find(plan)->there = false;
    return 0;
}

static DWORD WINAPI read_mains(HKEY root, const GUID *plan, const GUID *group, const GUID *value, DWORD *out)
{
    (void)root, (void)group;
    if (!find(plan))
        return ERROR_FILE_NOT_FOUND;
    *out = find(plan)->mains[index_of(value)];
    return 0;
}

static DWORD WINAPI write_mains(HKEY root, const GUID *plan, const GUID *group, const GUID *value, DWORD to)
{
    (void)root, (void)group;
    find(plan)->mains[index_of(value)] = to;
    return 0;
}

static DWORD WINAPI write_battery(HKEY root, const GUID *plan, const GUID *group, const GUID *value, DWORD to)
{
    (void)root, (void)group;
    find(plan)->battery[index_of(value)] = to;
    return 0;
}

static DWORD WINAPI name(HKEY root, const GUID *plan, const GUID *group, const GUID *value, UCHAR *out, DWORD *size)
{
    (void)root, (void)group, (void)value;
    if (!find(plan))
        return ERROR_FILE_NOT_FOUND;
    wcscpy((wchar_t *)(void *)out, L"Ausbalanciert"); /* in the language of the system */
    *size = sizeof L"Ausbalanciert";
    return 0;
}

static struct {
    ULONG version, control, state;
} throttling;

static BOOL WINAPI get_process(HANDLE of, int class, void *out, DWORD size)
{
    (void)of, (void)class;
    memcpy(out, &throttling, size);
    return TRUE;
}

static BOOL WINAPI set_process(HANDLE of, int class, void *in, DWORD size)
{
    (void)of, (void)class;
    memcpy(&throttling, in, size);
    return TRUE;
}

static BOOL boosts_off;

static BOOL WINAPI get_boosts(HANDLE of, BOOL *off)
{
    (void)of;
    *off = boosts_off;
    return TRUE;
}

static BOOL WINAPI set_boosts(HANDLE of, BOOL off)
{
    (void)of;
    boosts_off = off;
    return TRUE;
}

static LONG WINAPI isolation(int class, void *out, ULONG size, ULONG *needed)
{
    (void)size, (void)needed;
    *(unsigned char *)out = 3;
    return class == 165 ? 0 : (LONG)0xC0000003;
}

static DWORD running(const wchar_t *service, DWORD *state)
{
    (void)service;
    *state = SERVICE_RUNNING;
    return 0;
}

static LONG WINAPI process_class(HANDLE of, int information, void *out, ULONG size, ULONG *needed)
{
    struct nt_process *p = out;
    (void)information, (void)size, (void)needed;
    p->base_priority = GetPriorityClass(of) == HIGH_PRIORITY_CLASS ? 13 : 8;
    return 0;
}

static void script(struct nt_calls *c)
{
    *c = *nt();
    c->wine_version = NULL;
    c->power_active = get_active;
    c->power_set_active = set_active;
    c->power_duplicate = duplicate;
    c->power_delete = delete_plan;
    c->power_read[0] = c->power_read[1] = read_mains;
    c->power_write[0] = write_mains;
    c->power_write[1] = write_battery;
    c->power_name = name;
    c->get_process = get_process;
    c->set_process = set_process;
    c->get_boosts = get_boosts;
    c->set_boosts = set_boosts;
    c->system = isolation;
    c->service = running;
    c->process = process_class;
    active = balanced;
    plans[0] = (struct plan){.guid = balanced, .there = true, .mains = {5, 100, 2, 10}, .battery = {5, 100, 2, 10}};
    throttling.version = 1;
}

/* ---- the checks ---- */

static const struct system_root here = {.path = ""};

static const struct knob_row *row_of(const struct look *l, const char *id)
{
    for (int i = 0; i < l->n_rows; i++)
        if (!strcmp(l->rows[i].knob->id, id))
            return &l->rows[i];
    return &l->rows[0];
}

static void same_row(const struct look *l, const char *id, enum knob_state state, const char *value)
{
    same_number(id, row_of(l, id)->state, state);
    same_text(id, row_of(l, id)->value, value);
}

static void look(struct look *l, struct arena *a)
{
    struct tare_err err = {""};
    same_number("look", look_at_machine(l, &here, NULL, a, &err), TARE_OK);
    same_text("its message", err.text, "");
}

static void all_is_shown(struct arena *a)
{
    struct look l;
    look(&l, a);
    same_row(&l, "power-plan", KNOB_NOISY, "Ausbalanciert");
    same_row(&l, "processor-state", KNOB_NOISY, "5 to 100 %");
    same_row(&l, "boost-mode", KNOB_NOISY, "on (mode 2)");
    same_row(&l, "core-parking", KNOB_NOISY, "10 % of the cores stay awake");
    same_row(&l, "ecoqos", KNOB_NOISY, "automatic");
    same_row(&l, "priority", KNOB_NOISY, "normal");
    same_row(&l, "priority-boosts", KNOB_NOISY, "on");
    same_row(&l, "antivirus", KNOB_NOISY, "on");
    same_row(&l, "indexer", KNOB_NOISY, "running");
    same_row(&l, "virtualization", KNOB_NOISY, "running, with memory integrity");
}

static int n_plans(void)
{
    int n = 0;
    for (int i = 0; i < PLANS; i++)
        n += plans[i].there;
    return n;
}

static void all_comes_back(const char *folder, struct arena *a)
{
    struct look l;
    struct journal *j;
    struct tare_err err = {""};
    struct tune_report made = {.arena = a}, undone = {.arena = a};
    const struct plan before = plans[0];
    look(&l, a);
    same_number("journal", journal_open(&j, folder, &here, &err), TARE_OK);
    same_number("tune", tune_apply(&l, j, NULL, &made, &err), TARE_OK);
    same_number("changes", made.made, 8);
    same_number("100 % already", made.kept, 1);
    same_number("plans", n_plans(), 2);
    same_number("another one is active", memcmp(&active, &balanced, sizeof active) != 0, true);
    same_number("its minimum", find(&active)->mains[0], 100);
    same_number("on battery", find(&active)->battery[0], 100);
    same_number("its boost", find(&active)->mains[2], 0);
    same_number("nobody's plan was changed", memcmp(&before, &plans[0], sizeof before), 0);
    same_number("priority", GetPriorityClass(GetCurrentProcess()), HIGH_PRIORITY_CLASS);
    same_number("no priority boosts", boosts_off, TRUE);
    same_number("no EcoQoS", throttling.control == 1 && !throttling.state, true);
    look(&l, a);
    same_row(&l, "power-plan", KNOB_OK, "tare's copy of a plan");
    same_row(&l, "processor-state", KNOB_OK, "100 to 100 %");
    same_row(&l, "ecoqos", KNOB_OK, "off");
    journal_close(j); /* as if it had been killed: what was held went with it, another one comes */
    same_number("journal", journal_open(&j, folder, &here, &err), TARE_OK);
    same_number("it outlasts a restart", journal_is_void(j), false);
    same_number("reset", tune_reset(&here, j, false, &undone, &err), TARE_OK);
    same_number("undone", undone.undone, 2);
    same_number("in conflict", undone.conflicts + undone.refused + undone.ineffective + undone.gone, 0);
    same_number("the old plan is active", memcmp(&active, &balanced, sizeof active), 0);
    same_number("plans", n_plans(), 1);
    same_number("priority", GetPriorityClass(GetCurrentProcess()), NORMAL_PRIORITY_CLASS);
    same_number("priority boosts", boosts_off, FALSE);
    same_number("EcoQoS as it was", throttling.control, 0);
    journal_close(j);
}

/* Somebody chose a plan meanwhile: it stays. */
static void a_plan_that_somebody_chose_stays(const char *folder, struct arena *a)
{
    struct look l;
    struct journal *j;
    struct tare_err err = {""};
    struct tune_report made = {.arena = a}, undone = {.arena = a};
    const GUID third = {.Data1 = 3};
    look(&l, a);
    same_number("journal", journal_open(&j, folder, &here, &err), TARE_OK);
    same_number("tune", tune_apply(&l, j, NULL, &made, &err), TARE_OK);
    plans[3] = plans[0];
    plans[3].guid = third;
    active = third;
    same_number("reset", tune_reset(&here, j, false, &undone, &err), TARE_OK);
    same_number("in conflict", undone.conflicts, 1);
    same_number("theirs is active", memcmp(&active, &third, sizeof active), 0);
    same_number("the copy went", n_plans(), 2);
    journal_close(j);
    active = balanced;
    plans[3].there = false;
}

static void a_refusal_is_told(const char *folder, struct arena *a)
{
    struct look l;
    struct journal *j;
    struct tare_err err = {""};
    struct tune_report made = {.arena = a}, undone = {.arena = a};
    refuse = ERROR_ACCESS_DENIED;
    look(&l, a);
    same_number("journal", journal_open(&j, folder, &here, &err), TARE_OK);
    tune_apply(&l, j, NULL, &made, &err);
    same_number("the plan stays", memcmp(&active, &balanced, sizeof active), 0);
    same_number("plans", n_plans(), 1);
    tune_reset(&here, j, false, &undone, &err);
    journal_close(j);
    refuse = 0;
}

int main(void)
{
    struct nt_calls scripted;
    struct arena a = {0};
    struct buf folder = BUF_INIT(1 << 12);
    struct tare_err err = {""};
    script(&scripted);
    nt_replace(&scripted);
    same_number("folder", plat_directory_private(&folder, "tare-settings-", &err), TARE_OK);
    all_is_shown(&a);
    all_comes_back(folder.data, &a);
    a_plan_that_somebody_chose_stays(folder.data, &a);
    a_refusal_is_told(folder.data, &a);
    plat_directory_remove(folder.data, NULL);
    buf_finish(&folder);
    arena_finish(&a);
    return same_end();
}
