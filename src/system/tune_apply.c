/* SPDX-License-Identifier: MIT
 *
 * Making changes, group by group. Of each stage in a group all intents are noted and flushed at once, then the changes are made one by one.
 */
#include "plat.h"
#include "tune_parts.h"
#include <errno.h>
#include <string.h>

/* What is measured together, when somebody measures. */
static const struct group {
    const char *name;
    enum knob_stage low, high;
} groups[] = {
    {"frequency", STAGE_EPP_SAVED, STAGE_TURBO},
    {"isolation", STAGE_PARTITION, STAGE_TASKS},
    {"interrupts and kernel threads", STAGE_MASKS, STAGE_MASKS},
    {"kernel settings", STAGE_SYSCTL, STAGE_OFFLINE},
    {"held states", STAGE_HELD, STAGE_HELD},
};

struct attempt {
    const struct setting *setting;
    const char *now; /* as it was just before; NULL: nothing is written back */
    int sequence;
};

struct applying {
    struct tuning t;
    const struct look *look;
    const struct tune_options *options;
    struct other_tuners others;
    struct buf text;
    struct attempt *attempts; /* of this stage */
    bool *foreign;            /* of each setting: see apply_all */
    int n;
    int forbidden, failed; /* refused for lack of rights, and for other reasons */
    int read_only;         /* of those forbidden: on a mount that nobody may write */
};

static enum tare_status no_memory(struct applying *a)
{
    return err_set(a->t.err, TARE_NO_MEMORY, "cannot tune: out of memory");
}

static enum tare_status report(struct applying *a, const struct setting *s, const char *from, enum change_outcome outcome,
                               int error, const char *note)
{
    const struct change c = {s->knob->id, s->path, from, s->wanted, outcome, error, note};
    return report_add(a->t.report, &c) ? no_memory(a) : TARE_OK;
}

static enum tare_status refuse_setting(struct applying *a, const struct setting *s, const char *note)
{
    return report(a, s, s->now, CHANGE_REFUSED, 0, note);
}

/* A note made of a format with one text. */
BUF_FORMATS(4, 5)
static enum tare_status refuse_by(struct applying *a, const struct setting *s, const char *from, const char *format, ...)
{
    struct buf b = BUF_INIT(1 << 12);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&b, format, ap);
    va_end(ap);
    enum tare_status status = report(a, s, from, CHANGE_REFUSED, 0, buf_text(&b));
    buf_finish(&b);
    return status;
}

/* A file in a group that this tuning makes. */
static bool is_in_new_folder(const struct applying *a, const char *path)
{
    for (int i = 0; i < a->look->n_settings; i++) {
        const struct setting *s = &a->look->settings[i];
        size_t n = strlen(s->path);
        if (s->kind == SETTING_FOLDER && !strncmp(path, s->path, n) && path[n] == '/')
            return true;
    }
    return false;
}

static enum tare_status intend(struct applying *a, const struct setting *s, const char *now)
{
    struct tare_err why;
    struct attempt *next = &a->attempts[a->n];
    *next = (struct attempt){.setting = s, .now = now};
    enum tare_status status = journal_intend(a->t.j, s, now, s->wanted, &next->sequence, &why);
    if (status == TARE_FORMAT || status == TARE_TOO_LARGE)
        return refuse_by(a, s, now, "%s", why.text);
    if (status)
        return err_set(a->t.err, status, "%s", why.text);
    a->n++;
    return TARE_OK;
}

static enum tare_status unreadable(struct applying *a, const struct setting *s, enum tare_status status,
                                   const struct tare_err *why)
{
    if (status == TARE_NO_MEMORY)
        return err_set(a->t.err, status, "cannot tune: %s", why->text);
    if (status != TARE_NOT_FOUND)
        return refuse_by(a, s, s->now, "it cannot be read, so it could not be restored: %s", why->text);
    return is_in_new_folder(a, s->path) ? intend(a, s, s->now) : report(a, s, s->now, CHANGE_GONE, 0, "it is not there any more");
}

static enum tare_status prepare_file(struct applying *a, const struct setting *s)
{
    struct tare_err why = {.text = ""};
    enum tare_status status = value_read(&a->t, s->path, s->form, s->wanted ? s->wanted : s->now, &a->text, &why);
    if (status)
        return unreadable(a, s, status, &why);
    const char *now = s->now || !is_in_new_folder(a, s->path) ? arena_strdup(a->t.report->arena, buf_text(&a->text)) : NULL;
    if (!now && s->now)
        return no_memory(a);
    if (s->wanted && value_holds(&a->t, s->form, s->wanted))
        return report(a, s, now, CHANGE_KEPT, 0, NULL);
    if (a->foreign[s - a->look->settings])
        return report(a, s, now, CHANGE_CONFLICT, 0, "somebody else changed it since tare did, so it is left alone");
    if (!s->wanted && journal_find(a->t.j, s->path)) /* saved already */
        return TARE_OK;
    return intend(a, s, now);
}

static enum tare_status prepare_known(struct applying *a, const struct setting *s)
{
    switch (s->kind) {
    case SETTING_FILE:
        return prepare_file(a, s);
    case SETTING_FOLDER:
        return root_exists(a->t.root, s->path) ? report(a, s, NULL, CHANGE_KEPT, 0, NULL) : intend(a, s, NULL);
    case SETTING_TASKS:
        return intend(a, s, NULL);
    case SETTING_HELD:
        a->attempts[a->n++] = (struct attempt){.setting = s};
        return TARE_OK;
    }
    return TARE_OK;
}

static enum tare_status prepare_setting(struct applying *a, const struct setting *s)
{
    struct tare_err why;
    const char *other = a->others.names[s->stage];
    if (s->why_not)
        return refuse_setting(a, s, s->why_not);
    if (other[0] && !(a->options && a->options->beside_others) && s->kind != SETTING_TASKS)
        return refuse_by(a, s, s->now, "%s steers it too: stop that one, or ask for it all the same", other);
    if (s->kind == SETTING_HELD && a->options && a->options->lasting)
        return refuse_setting(a, s, "it holds only as long as a process holds it open: ask for it where something is measured");
    buf_clear(&a->text);
    enum tare_status status = identity_check(&a->t, s->identity ? s->identity : "", s->identity_path, &a->text, &why);
    if (status == TARE_NOT_FOUND)
        return report(a, s, s->now, CHANGE_GONE, 0, why.text);
    if (status == TARE_NO_MEMORY)
        return unreadable(a, s, status, &why);
    if (status)
        return refuse_by(a, s, s->now, "whose it is cannot be read: %s", why.text);
    return prepare_known(a, s);
}

/* What is in a group that could not be made fails with that. */
static void count_refusal(struct applying *a, const struct setting *s, enum tare_status why, int error)
{
    a->forbidden += why == TARE_PERMISSION;
    a->read_only += why == TARE_PERMISSION && error == EROFS;
    a->failed += why && why != TARE_PERMISSION && !(why == TARE_NOT_FOUND && is_in_new_folder(a, s->path));
}

/* What the file holds now, NULL where nothing can be read. It stays in a->text. */
static const char *read_back(struct applying *a, const struct setting *s)
{
    return value_read(&a->t, s->path, s->form, s->wanted ? s->wanted : s->now, &a->text, NULL) ? NULL : buf_text(&a->text);
}

static enum tare_status refused(struct applying *a, const struct attempt *t, enum tare_status how, int error, const char *why)
{
    count_refusal(a, t->setting, how, error);
    enum tare_status status = journal_done(a->t.j, t->sequence, error ? error : EIO, read_back(a, t->setting), a->t.err);
    return status ? status : report(a, t->setting, t->now, CHANGE_REFUSED, error, why);
}

static enum tare_status done(struct applying *a, const struct attempt *t, const char *wrote, const char *note)
{
    const struct setting *s = t->setting;
    const char *seen = read_back(a, s);
    bool holds = !seen || value_holds(&a->t, s->form, wrote);
    struct buf b = BUF_INIT(JOURNAL_TEXT_MAX + 256);
    if (!holds)
        buf_format(&b, "it reads '%s' now", seen);
    else
        buf_str(&b, note);
    enum tare_status status = journal_done(a->t.j, t->sequence, 0, seen, a->t.err);
    const struct change c = {s->knob->id, s->path, t->now, wrote, holds ? CHANGE_MADE : CHANGE_INEFFECTIVE, 0, buf_text(&b)};
    if (!status && report_add(a->t.report, &c))
        status = no_memory(a);
    buf_finish(&b);
    return status;
}

/* Written without complaint, and yet not so: an isolated partition of CPUs is refused in this way. */
static enum tare_status try_otherwise(struct applying *a, struct attempt *t)
{
    const struct setting *s = t->setting;
    struct tare_err why;
    int error;
    enum tare_status status = journal_done(a->t.j, t->sequence, 0, read_back(a, s), a->t.err);
    if (!status)
        status = journal_intend(a->t.j, s, read_back(a, s), s->otherwise, &t->sequence, a->t.err);
    if (!status)
        status = journal_flush(a->t.j, a->t.err);
    if (status)
        return status;
    status = root_write(a->t.root, s->path, s->otherwise, &error, &why);
    if (status)
        return refused(a, t, status, error, why.text);
    return done(a, t, s->otherwise, "the second best: the first was not taken");
}

static enum tare_status make_file(struct applying *a, struct attempt *t)
{
    const struct setting *s = t->setting;
    struct tare_err why;
    int error = 0;
    if (!s->wanted) /* saved: what others of our changes make of it is seen at the end */
        return journal_done(a->t.j, t->sequence, 0, t->now, a->t.err);
    enum tare_status status = root_write(a->t.root, s->path, s->wanted, &error, &why);
    if (status)
        return refused(a, t, status, error, why.text);
    if (s->otherwise && read_back(a, s) && !value_holds(&a->t, s->form, s->wanted))
        return try_otherwise(a, t);
    return done(a, t, s->wanted, "");
}

static enum tare_status make_folder(struct applying *a, const struct attempt *t)
{
    struct tare_err why;
    int error = 0;
    enum tare_status made = root_make_folder(a->t.root, t->setting->path, &error, &why);
    enum tare_status status = journal_done(a->t.j, t->sequence, made && !error ? EIO : error, NULL, a->t.err);
    if (status)
        return status;
    count_refusal(a, t->setting, made, error);
    return made ? report(a, t->setting, NULL, CHANGE_REFUSED, error, why.text)
                : report(a, t->setting, NULL, CHANGE_MADE, 0, NULL);
}

static enum tare_status report_moves(struct applying *a, const struct attempt *t, const struct task_moves *moves, const char *why)
{
    const struct setting *s = t->setting;
    struct buf b = BUF_INIT(1 << 12);
    if (why)
        buf_str(&b, why);
    else
        buf_format(&b, "%d moved, %d stay", moves->moved, moves->stayed);
    bool none = why || (!moves->moved && moves->stayed);
    const struct change c = {s->knob->id, s->path, s->from, s->path, none ? CHANGE_REFUSED : CHANGE_MADE, none ? moves->error : 0,
                             buf_text(&b)};
    enum tare_status status = report_add(a->t.report, &c) ? no_memory(a) : TARE_OK;
    buf_finish(&b);
    return status;
}

static enum tare_status move(struct applying *a, const struct attempt *t)
{
    struct task_moves moves;
    struct tare_err why;
    char count[24];
    struct buf b = buf_over(count, sizeof count);
    if (!t->setting->wanted) /* they come later, by themselves, and go back at the end */
        return journal_done(a->t.j, t->sequence, 0, NULL, a->t.err);
    enum tare_status moved = tasks_move(&a->t, t->setting->from, t->setting->path, &moves, &why);
    buf_format(&b, "%d", moves.moved);
    bool none = moved || (!moves.moved && moves.stayed);
    enum tare_status status = journal_done(a->t.j, t->sequence, none ? moves.error ? moves.error : EIO : 0, count, a->t.err);
    return status ? status : report_moves(a, t, &moves, moved ? why.text : NULL);
}

static enum tare_status hold_setting(struct applying *a, const struct attempt *t)
{
    struct tare_err why;
    int fd, error = 0;
    enum tare_status status = root_hold(a->t.root, t->setting->path, t->setting->wanted, &fd, &error, &why);
    if (status) {
        count_refusal(a, t->setting, status, error);
        return report(a, t->setting, NULL, CHANGE_REFUSED, error, why.text);
    }
    if (journal_hold(a->t.j, fd))
        return report(a, t->setting, NULL, CHANGE_MADE, 0, "held until the end");
    plat_close(fd);
    return refuse_setting(a, t->setting, "too many descriptors are held");
}

static enum tare_status make_attempt(struct applying *a, struct attempt *t)
{
    switch (t->setting->kind) {
    case SETTING_FILE:
        return make_file(a, t);
    case SETTING_FOLDER:
        return make_folder(a, t);
    case SETTING_TASKS:
        return move(a, t);
    case SETTING_HELD:
        return hold_setting(a, t);
    }
    return TARE_OK;
}

static enum tare_status apply_stage(struct applying *a, enum knob_stage stage)
{
    enum tare_status status = TARE_OK;
    a->n = 0;
    for (int i = 0; i < a->look->n_settings && !status; i++)
        if (a->look->settings[i].stage == stage)
            status = prepare_setting(a, &a->look->settings[i]);
    if (!status && a->n)
        status = journal_flush(a->t.j, a->t.err);
    for (int i = 0; i < a->n && !status; i++)
        status = plat_signal() ? err_set(a->t.err, TARE_INTERRUPTED, "interrupted while the machine was tuned")
                               : make_attempt(a, &a->attempts[i]);
    return status;
}

/* What is held is not in the journal: it ends with its descriptor. */
static enum tare_status release(struct applying *a)
{
    enum tare_status status = TARE_OK;
    journal_release(a->t.j);
    for (int i = 0, n = a->t.report->n; i < n && !status; i++) {
        const struct change c = a->t.report->changes[i];
        for (int k = 0; k < a->n && !status; k++)
            if (c.outcome == CHANGE_MADE && !strcmp(c.path, a->attempts[k].setting->path))
                status = report_add(a->t.report, &(struct change){c.knob, c.path, c.to, c.from, CHANGE_UNDONE, 0, NULL})
                             ? no_memory(a)
                             : TARE_OK;
    }
    return status;
}

/* The group is undone by itself; the entries say so in the report. */
static enum tare_status undo_group(struct applying *a, const struct group *g, const char *why)
{
    struct buf b = BUF_INIT(1 << 12);
    buf_format(&b, "%s: undone, because it made things worse (%s)", g->name, why);
    enum tare_status status = report_warn(a->t.report, buf_text(&b)) ? no_memory(a) : TARE_OK;
    buf_finish(&b);
    if (!status && g->low == STAGE_HELD)
        status = release(a);
    return status ? status : undo_stages(&a->t, g->low, g->high, false);
}

static enum tare_status apply_group(struct applying *a, const struct group *g)
{
    int made = a->t.report->made + a->t.report->ineffective;
    enum tare_status status = TARE_OK;
    for (enum knob_stage s = g->low; s <= g->high && !status; s++)
        status = apply_stage(a, s);
    if (status || !a->options || !a->options->worse || a->t.report->made + a->t.report->ineffective == made)
        return status;
    buf_clear(&a->text);
    return a->options->worse(a->options->context, g->name, &a->text) ? undo_group(a, g, buf_text(&a->text)) : TARE_OK;
}

/* What changes did to each other: a governor moves the energy preference, turbo the limits. */
static enum tare_status settle(struct applying *a)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < journal_n(a->t.j) && !status; i++) {
        const struct journal_entry *e = journal_at(a->t.j, i);
        if (!e->open || e->kind != SETTING_FILE || !e->seen)
            continue;
        if (value_read(&a->t, e->path, e->form, e->seen, &a->text, NULL))
            continue;
        if (!value_holds(&a->t, e->form, e->seen))
            status = journal_saw(a->t.j, e->last, buf_text(&a->text), a->t.err);
    }
    return status ? status : journal_settle(a->t.j, a->t.err);
}

/* Nothing but saved values is left: there is nothing to undo. */
static bool is_idle(const struct journal *j)
{
    for (int i = 0; i < journal_n(j); i++)
        if (journal_at(j, i)->open && journal_at(j, i)->wrote)
            return false;
    return true;
}

static enum tare_status finish(struct applying *a)
{
    enum tare_status status = is_idle(a->t.j) ? journal_remove(a->t.j, a->t.err) : settle(a);
    if (status)
        return status;
    if (a->t.report->made + a->t.report->ineffective || !a->forbidden || a->failed)
        return report_read_only(a->t.report) ? no_memory(a) : TARE_OK;
    if (a->read_only == a->forbidden)
        return err_set(a->t.err, TARE_UNSUPPORTED, "no setting could be changed: %s", read_only_text);
    return err_set(a->t.err, TARE_PERMISSION,
                   "no setting could be changed: it takes root, and a /sys and /proc that may be written");
}

static bool was_changed_since(struct applying *a, const struct setting *s)
{
    const struct journal_entry *e = journal_find(a->t.j, s->path);
    const char *left = e ? e->seen ? e->seen : e->wrote : NULL;
    return left && e->old && !value_read(&a->t, s->path, s->form, e->old, &a->text, NULL) && !value_holds(&a->t, s->form, left) &&
           !value_holds(&a->t, s->form, e->old) && !value_holds(&a->t, s->form, e->wrote);
}

/* as its row says */
static bool on_battery(const struct look *look)
{
    for (int i = 0; i < look->n_rows; i++)
        if (!strcmp(look->rows[i].knob->id, "power"))
            return look->rows[i].state == KNOB_NOISY;
    return false;
}

static enum tare_status begin_applying(struct applying *a)
{
    enum tare_status status = TARE_OK;
    if (journal_is_void(a->t.j))
        status = journal_remove(a->t.j, a->t.err);
    if (!status)
        status = journal_begin(a->t.j, a->t.err);
    if (!status && on_battery(a->look) && report_warn(a->t.report, "the machine runs on its battery, which steers its frequency"))
        status = no_memory(a);
    return status;
}

static bool wants_anything(const struct look *look)
{
    for (int i = 0; i < look->n_settings; i++)
        if (!look->settings[i].why_not && look->settings[i].wanted)
            return true;
    return false;
}

static enum tare_status apply_all(struct applying *a)
{
    /* Somebody changed what an earlier tuning had changed: whose value would we save? Found before anything of ours moves. */
    for (int i = 0; i < a->look->n_settings && journal_is_settled(a->t.j) && !journal_is_void(a->t.j); i++)
        a->foreign[i] = was_changed_since(a, &a->look->settings[i]);
    enum tare_status status = begin_applying(a);
    buf_clear(&a->text);
    if (!status && a->options && a->options->worse)
        a->options->worse(a->options->context, NULL, &a->text);
    for (size_t g = 0; g < sizeof groups / sizeof *groups && !status; g++)
        status = apply_group(a, &groups[g]);
    return status ? status : finish(a);
}

static enum tare_status only_report(struct applying *a)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < a->look->n_settings && !status; i++)
        if (a->look->settings[i].why_not)
            status = refuse_setting(a, &a->look->settings[i], a->look->settings[i].why_not);
    return status;
}

enum tare_status tune_apply(const struct look *look, struct journal *j, const struct tune_options *options,
                            struct tune_report *report, struct tare_err *err)
{
    struct applying a = {
        .t = {.root = look->root, .j = j, .report = report, .file = BUF_INIT(ROOT_FILE_MAX), .goes_on = true, .err = err},
        .look = look,
        .options = options,
        .text = BUF_INIT(ROOT_FILE_MAX)};
    if (!cpu_list_count(&look->bench))
        return err_set(err, TARE_INVALID, "no CPU to measure on");
    if (journal_lost(j) && !journal_is_void(j)) /* what is tuned by such a line would be saved as if it had been there before */
        return err_set(err, TARE_FORMAT,
                       "%s has lines that cannot be read or are missing, which may tell of changes: tare system reset first",
                       journal_path(j));
    a.attempts = arena_array(report->arena, (size_t)look->n_settings + 1, sizeof *a.attempts);
    a.foreign = arena_array(report->arena, (size_t)look->n_settings + 1, sizeof *a.foreign);
    if (!a.attempts || !a.foreign)
        return no_memory(&a);
    others_find(&a.others, look->root);
    enum tare_status status = wants_anything(look) ? apply_all(&a) : only_report(&a);
    buf_finish(&a.t.file);
    buf_finish(&a.text);
    return status;
}
