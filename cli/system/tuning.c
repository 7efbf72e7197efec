/* SPDX-License-Identifier: MIT */
#include "tuning.h"
#include "journal.h"
#include "knob.h"
#include "plat.h"
#include "plat_state.h"
#include "regression_guard.h"
#include "system_place.h"
#include "system_report.h"
#include "system_shown.h"
#include "tune.h"
#include "watchdog.h"
#include "whole.h"
#include <string.h>

enum { CHANGES_MAX = 1 << 16, KNOBS_MAX = 1 << 12 };

struct tuning {
    struct arena *arena;
    struct system_root root;
    struct wishes wishes;
    struct look look;
    struct journal *journal;
    struct watchdog *watchdog;
    struct tune_report made;
    bool asked, begun;
    bool forgone; /* asked for, and measured all the same without */
};

/* Settings that would be made or held, of one knob or, with NULL, of all. */
static int count_changes(const struct tuning *t, const struct knob *k)
{
    int n = 0;
    for (int i = 0; i < t->look.n_settings; i++) {
        const struct setting *s = &t->look.settings[i];
        n += (!k || s->knob == k) && (system_setting_pending(s) || system_setting_held(s));
    }
    return n;
}

static enum tare_status look_for_cpus(struct tuning *t, const char *list, int cpu, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    if (list && strcmp(list, "all") != 0)
        status = system_knob_ids(&(struct option_list){&list, 1}, "--tune", &t->wishes.only, t->arena, err);
    if (cpu >= 0)
        cpu_list_add(&t->wishes.cpus, cpu);
    if (status)
        return status;
    status = look_at_machine(&t->look, &t->root, &t->wishes, t->arena, err);
    if (!status && list && t->look.read_only && !count_changes(t, NULL))
        status = err_set(err, TARE_PERMISSION, "%s is mounted read-only here: tune the host", t->look.read_only);
    if (status)
        err_prefix(err, "--tune");
    return status;
}

enum tare_status tuning_plan(struct tuning **out, const char *list, int pin_cpu, struct arena *a, struct tare_err *err)
{
    *out = NULL;
    if (!list && (pin_cpu < 0 || plat_cpu_allowed(pin_cpu)))
        return TARE_OK;
    struct tuning *t = arena_alloc(a, sizeof *t);
    if (!t)
        return err_no_memory(err);
    *t = (struct tuning){.arena = a, .asked = list != NULL, .root = {.path = ""}};
    struct tare_err ignored;
    enum tare_status status = look_for_cpus(t, list, pin_cpu, list ? err : &ignored);
    bool standing = !list && !status && t->look.bench_tasks && cpu_list_has(&t->look.isolated, pin_cpu);
    if ((list && !status) || standing)
        *out = t;
    return list ? status : TARE_OK;
}

int tuning_cpu(const struct tuning *t)
{
    return t && t->asked ? cpu_list_next(&t->look.bench, 0) : -1;
}

bool tuning_has_group(const struct tuning *t)
{
    return t && t->look.bench_tasks;
}

const char *tuning_plan_text(const struct tuning *t)
{
    struct buf b = BUF_INIT(KNOBS_MAX);
    int files = 0, named = 0;
    if (!t || !t->asked)
        return NULL;
    for (int k = 0; knob_at(k); k++) {
        int n = count_changes(t, knob_at(k));
        files += n;
        if (n)
            buf_format(&b, "%s%s", named++ ? ", " : "", knob_at(k)->id);
    }
    struct buf whole = BUF_INIT(2 * KNOBS_MAX);
    if (files)
        buf_format(&whole, "%d file%s of %s before the first run, restored after the last", files, buf_plural(files),
                   buf_text(&b));
    else
        buf_str(&whole, "nothing to do");
    buf_format(&whole, "; everything runs on CPU %d", tuning_cpu(t));
    buf_finish(&b);
    const char *text = whole.status ? NULL : arena_strdup(t->arena, buf_text(&whole));
    buf_finish(&whole);
    return text;
}

static void forget_tuning(struct tuning *t)
{
    journal_close(t->journal);
    t->journal = NULL;
    t->begun = false;
}

/* After a tuning that failed, maybe in the middle of a change. What stays changed is said, behind the failure. */
static void take_back(struct tuning *t, struct tare_err *err)
{
    struct tune_report undone = {.arena = t->arena};
    struct tare_err why, gone;
    bool ok = tune_reset(&t->root, t->journal, false, &undone, &why) == TARE_OK && !undone.refused && !undone.conflicts;
    watchdog_end(t->watchdog, &gone);
    if (ok)
        return;
    const struct tare_err before = *err;
    err_set(err, TARE_IO, "%s; and not everything could be restored: tare system reset has the details", before.text);
}

enum tare_status tuning_begin(struct tuning *t, struct tare_err *err)
{
    if (!t || !t->asked)
        return TARE_OK;
    struct regression_guard watch = {.look = &t->look, .arena = t->arena};
    const struct tune_options options = {.worse = regression_guard, .context = &watch};
    enum tare_status status = journal_open(&t->journal, NULL, &t->root, err);
    if (!status)
        status = watchdog_start(&t->watchdog, &t->root, t->journal, err);
    t->made = (struct tune_report){.arena = t->arena};
    if (!status) {
        status = tune_apply(&t->look, t->journal, &options, &t->made, err);
        if (!status)
            status = system_check_allowed(&t->made, err);
        if (status)
            take_back(t, err);
    }
    t->begun = !status;
    if (!status)
        return status;
    forget_tuning(t);
    err_prefix(err, "--tune");
    if (plat_is_root() || status == TARE_INTERRUPTED || status == TARE_UNSUPPORTED)
        return status;
    const struct tare_err before = *err;
    return err_set(err, TARE_PERMISSION, "%s; %s", before.text,
                   plat_words_are_windows() ? "it needs the rights of an administrator"
                                            : "it needs root: measure with sudo, or before it sudo tare system tune");
}

void tuning_forgo(struct tuning *t)
{
    if (t)
        t->forgone = true;
}

/* The spawner holds the process of the next run ready, which may be older than this. */
enum tare_status tuning_enter(const struct tuning *t, int pid, struct tare_err *err)
{
    bool group = t && !t->forgone && t->look.bench_tasks && root_exists(&t->root, t->look.bench_tasks);
    bool entered = group && system_enter(&t->look, pid);
    if (entered) {
        /* One that ended meanwhile needs no CPU. */
        struct buf path = BUF_INIT(64), list = BUF_INIT(1 << 16);
        int64_t child;
        buf_format(&path, "/proc/%d/task/%d/children", pid, pid);
        if (!path.status && !root_read(&t->root, buf_text(&path), &list, NULL))
            for (const char *p = buf_text(&list), *end = p + strlen(p); p < end; p++)
                if (whole_take(&p, end, 10, &child))
                    system_enter(&t->look, (int)child);
        buf_finish(&path);
        buf_finish(&list);
    }
    if (entered || !group)
        return TARE_OK;
    return err_set(err, TARE_PERMISSION,
                   "CPU %d is kept free by tare system tune, and only root may let a program onto it: measure as root, or tune "
                   "with --without isolation",
                   cpu_list_next(&t->look.bench, 0));
}

enum tare_status tuning_end(struct tuning *t, struct buf *said, struct tare_err *err)
{
    struct tare_err guard;
    if (!t || !t->begun)
        return TARE_OK;
    struct tune_report undone = {.arena = t->arena};
    enum tare_status status = tune_reset(&t->root, t->journal, false, &undone, err);
    for (int i = 0; i < undone.n; i++) {
        const struct change *c = &undone.changes[i];
        if (c->outcome != CHANGE_CONFLICT && c->outcome != CHANGE_REFUSED && c->outcome != CHANGE_INEFFECTIVE)
            continue;
        buf_format(said, "%s%s differs from before the tuning (%s)", said->len ? "; " : "", c->path,
                   change_outcome_text(c->outcome));
    }
    if (said->len)
        buf_str(said, "; tare system reset has the details");
    if (!status && said->len)
        status = err_set(err, TARE_IO, "not everything could be restored");
    enum tare_status ended = watchdog_end(t->watchdog, status ? &guard : err);
    forget_tuning(t);
    return status ? status : ended;
}

void tuning_notice(struct buf *out)
{
    struct journal_notice notice;
    journal_look(&notice, NULL, &(struct system_root){.path = ""});
    journal_notice_text(out, &notice);
}

static int made_of(const struct tune_report *r, const char *id)
{
    int n = 0;
    for (int i = 0; i < r->n; i++)
        n += system_stands(r, i) && !strcmp(r->changes[i].knob, id);
    return n;
}

static void put_knobs(const struct tune_report *r, struct buf *out)
{
    for (int k = 0; knob_at(k); k++)
        if (made_of(r, knob_at(k)->id))
            buf_format(out, "%s%s", out->len ? ", " : "", knob_at(k)->id);
    if (!out->len)
        buf_str(out, "none");
}

static void put_changes(const struct tune_report *r, struct buf *out)
{
    for (int i = 0; i < r->n; i++) {
        const struct change *c = &r->changes[i];
        if (system_stands(r, i) && out->len < CHANGES_MAX / 2)
            buf_format(out, "%s%s: %s -> %s", out->len ? "; " : "", c->path, c->from ? c->from : "", c->to ? c->to : "");
    }
}

enum tare_status tuning_add_facts(const struct tuning *t, struct record *r, struct facts *f)
{
    if (t && t->forgone)
        return facts_add_text(r, f, "tune_knobs", "none");
    if (!t || !t->begun)
        return TARE_OK;
    struct buf named = BUF_INIT(KNOBS_MAX), changes = BUF_INIT(CHANGES_MAX);
    put_knobs(&t->made, &named);
    put_changes(&t->made, &changes);
    enum tare_status status = facts_add_number(r, f, "tune_cpu", tuning_cpu(t));
    if (!status)
        status = facts_add_text(r, f, "tune_knobs", buf_text(&named));
    if (!status)
        status = facts_add_number(r, f, "tune_files", system_standing(&t->made));
    if (!status)
        status = facts_add_number(r, f, "tune_refused", t->made.refused);
    if (!status)
        status = facts_add_text(r, f, "tune_changes", buf_text(&changes));
    if (!status && t->made.warning)
        status = facts_add_text(r, f, "tune_warning", t->made.warning);
    buf_finish(&named);
    buf_finish(&changes);
    return status;
}
