/* SPDX-License-Identifier: MIT
 *
 * Undoing. First all files are judged, then what is ours is put back, then all is read once more and what others of our own writes moved meanwhile is put back again: so
 * nothing that we do on the way can look like the hand of somebody else.
 */
#include "plat.h"
#include "tune_parts.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum judgement { OURS, OLD_ALREADY, FOREIGN, LOST, UNREADABLE };

struct item {
    int entry;
    enum judgement judgement;
    const char *found; /* NULL: nothing could be read */
    enum change_outcome outcome;
    int error;
    const char *note;
};

struct undoing {
    struct tuning *t;
    struct item *items;
    int n;
    struct buf text;
    bool force;
    bool settled; /* the tuning that is undone had come to its end, and no undoing was begun since */
    int from;     /* the first change that is to be undone; what older ones left stays */
};

static const struct journal_entry *entry_of(const struct undoing *u, const struct item *it)
{
    return journal_at(u->t->j, it->entry);
}

static bool is_older(const struct undoing *u, const struct journal_entry *e)
{
    return e->first < u->from;
}

/* What is put back. */
static const char *target(const struct undoing *u, const struct journal_entry *e)
{
    return is_older(u, e) ? e->before : e->old;
}

/* Texts of the report's arena: a note that finds no memory is none. */
static const char *keep_text(const struct undoing *u, const char *text)
{
    const char *copy = arena_strdup(u->t->report->arena, text);
    return copy ? copy : "";
}

/* An energy preference can be written only under a governor that leaves it alone, so it comes after the governor even where only its own change is known. */
static int rank(const struct journal_entry *e)
{
    return e->stage == STAGE_EPP ? STAGE_EPP_SAVED : (int)e->stage;
}

struct place {
    int rank, first, entry;
};

static int last_first(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->rank != y->rank ? y->rank - x->rank : y->first - x->first;
}

/* What stands in the file may have been left there by us. `interrupted`: see journal.h. */
static bool is_ours(const struct undoing *u, const struct journal_entry *e, int interrupted)
{
    const char *left = !e->done ? e->before : e->seen ? e->seen : e->wrote ? e->wrote : e->before;
    if (e->last == interrupted)
        return true;
    if (!u->settled && e->stage <= STAGE_TURBO) /* moved by one another */
        return true;
    return value_holds(u->t, e->form, left) || value_holds(u->t, e->form, e->wrote);
}

static void judge_file(struct undoing *u, struct item *it, const struct journal_entry *e, int interrupted)
{
    struct tare_err why = {.text = ""};
    enum tare_status status = value_read(u->t, e->path, e->form, target(u, e), &u->text, &why);
    if (status) {
        it->judgement = status == TARE_NOT_FOUND ? LOST : UNREADABLE;
        it->note = status == TARE_NOT_FOUND ? "it is not there any more" : keep_text(u, why.text);
        return;
    }
    it->found = keep_text(u, buf_text(&u->text));
    it->judgement = value_holds(u->t, e->form, target(u, e)) ? OLD_ALREADY : is_ours(u, e, interrupted) ? OURS : FOREIGN;
}

static void judge_item(struct undoing *u, struct item *it, int interrupted)
{
    const struct journal_entry *e = entry_of(u, it);
    struct tare_err why;
    enum tare_status status = identity_check(u->t, e->identity, e->identity_path, &u->text, &why);
    if (status) {
        it->judgement = status == TARE_NOT_FOUND ? LOST : UNREADABLE;
        it->note = keep_text(u, why.text);
    } else if (e->kind == SETTING_FILE && target(u, e)) {
        judge_file(u, it, e, interrupted);
    } else {
        it->judgement = root_exists(u->t->root, e->path) ? OURS : OLD_ALREADY;
    }
}

static bool puts_back(const struct undoing *u, const struct item *it)
{
    return it->judgement == OURS || it->judgement == OLD_ALREADY || (it->judgement == FOREIGN && u->force);
}

static void failed(const struct undoing *u, struct item *it, int error, const char *why)
{
    it->outcome = CHANGE_REFUSED;
    it->error = error;
    it->note = keep_text(u, why);
}

static void put_file(struct undoing *u, struct item *it, const struct journal_entry *e)
{
    struct tare_err why;
    int error = 0;
    it->error = 0;
    it->note = "";
    bool held = !value_read(u->t, e->path, e->form, target(u, e), &u->text, NULL) && value_holds(u->t, e->form, target(u, e));
    if (held ? root_mend(u->t->root, e->path, &error, &why) : root_write(u->t->root, e->path, target(u, e), &error, &why))
        failed(u, it, error, why.text);
    else
        it->outcome = held && it->judgement == OLD_ALREADY ? CHANGE_KEPT : CHANGE_UNDONE;
}

/* What joined it since goes to the group above. */
static void empty_group(struct undoing *u, const char *path)
{
    struct buf here = BUF_INIT(2 * JOURNAL_PATH_MAX), above = BUF_INIT(2 * JOURNAL_PATH_MAX);
    struct task_moves moves;
    const char *slash = strrchr(path, '/');
    buf_format(&here, "%s/cgroup.procs", path);
    buf_format(&above, "%.*s/cgroup.procs", slash ? (int)(slash - path) : 0, path);
    tasks_move(u->t, buf_text(&here), buf_text(&above), &moves, NULL);
    buf_finish(&here);
    buf_finish(&above);
}

enum { FOLDER_TRIES = 20 };
static const int64_t folder_wait_ns = 20000000;

static void put_folder(struct undoing *u, struct item *it, const struct journal_entry *e)
{
    struct tare_err why;
    int error = 0;
    if (it->judgement == OLD_ALREADY) {
        it->outcome = CHANGE_KEPT;
        return;
    }
    /* Programs in it that end just now keep it for a moment, and one that began another while it was moved left that behind. */
    enum tare_status status = TARE_IO;
    for (int i = 0; i < FOLDER_TRIES && status; i++) {
        if (i)
            plat_nap_ns(folder_wait_ns);
        empty_group(u, e->path);
        status = root_remove_folder(u->t->root, e->path, &error, &why);
        if (status && error != EBUSY)
            break;
    }
    if (status)
        failed(u, it, error, why.text);
    else
        it->outcome = CHANGE_UNDONE;
}

static void put_back(struct undoing *u, struct item *it)
{
    const struct journal_entry *e = entry_of(u, it);
    if (it->judgement == LOST)
        it->outcome = CHANGE_GONE;
    else if (it->judgement == UNREADABLE)
        it->outcome = CHANGE_REFUSED;
    else if (!puts_back(u, it))
        it->outcome = CHANGE_CONFLICT;
    else if (e->kind == SETTING_FOLDER)
        put_folder(u, it, e);
    else if (e->kind == SETTING_TASKS) {
        struct task_moves moves;
        struct tare_err why;
        it->outcome = CHANGE_UNDONE;
        if (it->judgement == OLD_ALREADY)
            it->outcome = CHANGE_KEPT;
        else if (tasks_move(u->t, e->path, e->from, &moves, &why))
            failed(u, it, 0, why.text);
        else if (moves.stayed)
            failed(u, it, moves.error, "some tasks could not be moved back");
    } else if (target(u, e))
        put_file(u, it, e);
    else
        it->outcome = CHANGE_KEPT; /* it goes with its folder */
}

/* The kernel may have moved it, as it put back another; or refused it, before it had put back another. */
static void look_again(struct undoing *u, struct item *it)
{
    const struct journal_entry *e = entry_of(u, it);
    if (e->kind != SETTING_FILE || !target(u, e) || !puts_back(u, it))
        return;
    if (!root_exists(u->t->root, e->path)) /* it went with its folder */
        return;
    put_file(u, it, e);
    if (it->outcome != CHANGE_UNDONE)
        return;
    if (!value_read(u->t, e->path, e->form, target(u, e), &u->text, NULL) && !value_holds(u->t, e->form, target(u, e))) {
        it->outcome = CHANGE_INEFFECTIVE;
        it->note = "it was written and reads otherwise";
    }
}

static enum tare_status note_item(struct undoing *u, const struct item *it)
{
    const struct journal_entry *e = entry_of(u, it);
    bool back = it->outcome == CHANGE_UNDONE || it->outcome == CHANGE_KEPT;
    if (is_older(u, e))
        return back ? journal_saw(u->t->j, e->last, e->before, u->t->err) : TARE_OK;
    return back || it->outcome == CHANGE_GONE ? journal_reverted(u->t->j, it->entry, u->t->err) : TARE_OK;
}

static enum tare_status note_all(struct undoing *u)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < u->n && !status; i++)
        status = note_item(u, &u->items[i]);
    if (status || u->t->goes_on)
        return status ? status : journal_flush(u->t->j, u->t->err);
    if (!journal_open_entries(u->t->j))
        return journal_remove(u->t->j, u->t->err);
    return u->from > 1 ? journal_leave_again(u->t->j, u->t->err) : journal_flush(u->t->j, u->t->err);
}

static const char *conflict_note(const struct undoing *u, const struct journal_entry *e)
{
    struct buf b = BUF_INIT(JOURNAL_TEXT_MAX * 2 + 256);
    const char *left = e->seen ? e->seen : e->wrote ? e->wrote : e->before;
    buf_format(&b, "somebody else changed it after tare wrote '%s', so it is left alone; it was '%s' before", left ? left : "",
               target(u, e));
    const char *note = keep_text(u, buf_text(&b));
    buf_finish(&b);
    return note;
}

static enum tare_status report_all(struct undoing *u)
{
    for (int i = 0; i < u->n; i++) {
        const struct item *it = &u->items[i];
        const struct journal_entry *e = entry_of(u, it);
        if (e->kind == SETTING_FILE && !target(u, e))
            continue;
        const char *note = it->outcome == CHANGE_CONFLICT ? conflict_note(u, e) : it->note;
        const char *to = e->kind == SETTING_TASKS ? e->from : target(u, e);
        const struct change c = {e->knob, e->path, it->found, to, it->outcome, it->error, note};
        if (report_add(u->t->report, &c))
            return err_set(u->t->err, TARE_NO_MEMORY, "cannot say what was undone: out of memory");
    }
    return TARE_OK;
}

static enum tare_status undo_items(struct undoing *u)
{
    int interrupted = journal_interrupted(u->t->j);
    u->settled = journal_is_settled(u->t->j);
    (void)journal_undoing(u->t->j, NULL); /* where even that cannot be written, putting back matters more */
    for (int i = 0; i < u->n; i++)
        judge_item(u, &u->items[i], interrupted);
    for (int i = 0; i < u->n; i++)
        put_back(u, &u->items[i]);
    for (int i = 0; i < u->n; i++)
        look_again(u, &u->items[i]);
    enum tare_status status = report_all(u), noted = note_all(u);
    return status ? status : noted;
}

enum tare_status undo_stages(struct tuning *t, enum knob_stage low, enum knob_stage high, bool force)
{
    struct undoing u = {.t = t, .text = BUF_INIT(ROOT_FILE_MAX), .force = force, .from = journal_session_from(t->j)};
    const struct journal *j = u.t->j;
    struct place *places = calloc((size_t)journal_n(j) + 1, sizeof *places);
    u.items = arena_array(u.t->report->arena, (size_t)journal_n(j) + 1, sizeof *u.items);
    for (int i = 0; places && i < journal_n(j); i++) {
        const struct journal_entry *e = journal_at(j, i);
        bool stays = e->last < u.from || (is_older(&u, e) && e->kind != SETTING_FILE);
        if (e->open && !stays && e->stage >= low && e->stage <= high)
            places[u.n++] = (struct place){rank(e), e->first, i};
    }
    if (places && u.items) {
        qsort(places, (size_t)u.n, sizeof *places, last_first);
        for (int i = 0; i < u.n; i++)
            u.items[i] = (struct item){.entry = places[i].entry, .note = ""};
    }
    bool good = places && u.items;
    free(places);
    enum tare_status status = good ? TARE_OK : err_set(u.t->err, TARE_NO_MEMORY, "cannot undo: out of memory");
    if (!status && u.n)
        status = undo_items(&u);
    buf_finish(&u.text);
    return status;
}

static enum tare_status report_void(struct tuning *t)
{
    for (int i = 0; i < journal_n(t->j); i++) {
        const struct journal_entry *e = journal_at(t->j, i);
        const struct change c = {e->knob, e->path, NULL, NULL, CHANGE_VOID, 0, "the machine has booted since, which undid it"};
        if (e->open && report_add(t->report, &c))
            return err_set(t->err, TARE_NO_MEMORY, "cannot say what is void: out of memory");
    }
    return journal_remove(t->j, t->err);
}

static enum tare_status warn_of_losses(struct tuning *t)
{
    struct buf b = BUF_INIT(1 << 12);
    enum tare_status status = TARE_OK;
    int lost = journal_lost(t->j);
    if (lost) {
        buf_format(&b, "%d line%s of %s cannot be read or %s missing: what %s of changes cannot be undone", lost,
                   buf_plural(lost), journal_path(t->j), lost == 1 ? "is" : "are", lost == 1 ? "it said" : "they said");
        status = report_warn(t->report, buf_text(&b));
    }
    buf_clear(&b);
    if (!status && journal_truncated_bytes(t->j)) {
        buf_format(&b, "the journal ends in the middle of a line (%zu bytes): what that was to note was not done",
                   journal_truncated_bytes(t->j));
        status = report_warn(t->report, buf_text(&b));
    }
    buf_finish(&b);
    return status ? err_set(t->err, status, "cannot undo: out of memory") : TARE_OK;
}

enum tare_status tune_reset(const struct system_root *root, struct journal *j, bool force, struct tune_report *report,
                            struct tare_err *err)
{
    struct tuning t = {.root = root, .j = j, .report = report, .file = BUF_INIT(ROOT_FILE_MAX), .err = err};
    enum tare_status status = warn_of_losses(&t);
    journal_release(j);
    if (!status && journal_is_void(j))
        status = report_void(&t);
    else if (!status && journal_open_entries(j))
        status = undo_stages(&t, STAGE_EPP_SAVED, STAGE_NONE, force);
    else if (!status)
        status = journal_remove(j, err);
    if (!status && report_read_only(report))
        status = err_set(err, TARE_NO_MEMORY, "cannot say what was undone: out of memory");
    buf_finish(&t.file);
    return status;
}
