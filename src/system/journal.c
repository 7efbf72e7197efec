/* SPDX-License-Identifier: MIT */
#include "journal.h"
#include "journal_parts.h"
#include "plat.h"
#include "plat_state.h"
#include <stdlib.h>
#include <string.h>

enum tare_status journal_folder(struct buf *out, const struct system_root *root, struct tare_err *err)
{
    if (root->path[0])
        buf_format(out, "%s/var/lib/tare", root->path);
    else if (plat_state_home(true, out))
        buf_str(out, "/tare");
    else
        return err_set(
            err, TARE_PERMISSION,
            "who is not root has no place for the journal of changes without HOME or XDG_STATE_HOME, an absolute path");
    if (out->status)
        return err_set(err, out->status, "the path of the journal is too long");
    return root_check_within(root, "/var/lib/tare", err);
}

static enum tare_status folder_of(struct buf *out, const char *folder, const struct system_root *root, struct tare_err *err)
{
    if (!folder)
        return journal_folder(out, root, err);
    buf_str(out, folder);
    return out->status ? err_set(err, out->status, "the path of the journal is too long") : TARE_OK;
}

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

/* Empty: it is not told. */
static void read_boot(char *out, size_t size, const struct system_root *root)
{
    struct buf b = BUF_INIT(256);
    out[0] = 0;
    if (!root_read(root, BOOT_ID, &b, NULL) && b.len && b.len < size)
        memcpy(out, b.data, b.len + 1);
    buf_finish(&b);
}

/* Of a journal that names one. What is not known must not pass for another boot, whose changes would be void. */
static bool boot_is_unknown(const struct journal_content *c, const char *boot)
{
    return c->boot && c->boot[0] && !boot[0];
}

/* A tree that was tuned without one may have one later: that is no reboot. */
static bool of_another_boot(const struct journal_content *c, const char *boot)
{
    return c->boot && c->boot[0] && strcmp(c->boot, boot) != 0;
}

static enum tare_status read_content(struct journal_content *c, struct plat_state *state, const char *name, bool *there,
                                     struct tare_err *err)
{
    struct buf text = BUF_INIT(JOURNAL_FILE_MAX);
    *c = (struct journal_content){.n = 0};
    enum tare_status status = plat_state_read(state, JOURNAL_NAME, &text, err);
    *there = status != TARE_NOT_FOUND;
    if (!status && text.len)
        status = journal_content_read(c, text.data, text.len, name, err);
    buf_finish(&text);
    return *there ? status : TARE_OK;
}

enum tare_status journal_open(struct journal **out, const char *folder, const struct system_root *root, struct tare_err *err)
{
    struct journal *j = *out = calloc(1, sizeof *j);
    if (!j)
        return err_set(err, TARE_NO_MEMORY, "cannot open the journal: out of memory");
    j->root = root;
    j->waiting = BUF_INIT(JOURNAL_FILE_MAX);
    struct buf place = BUF_INIT(4096), file = BUF_INIT(4096);
    enum tare_status status = folder_of(&place, folder, j->root, err);
    if (!status)
        status = plat_state_open(&j->state, buf_text(&place), err);
    buf_format(&file, "%s/" JOURNAL_NAME, buf_text(&place));
    j->path = strdup(buf_text(&file));
    if (!status && (!j->path || file.status))
        status = err_set(err, TARE_NO_MEMORY, "cannot open the journal: out of memory");
    read_boot(j->boot, sizeof j->boot, j->root);
    if (!status)
        status = read_content(&j->content, j->state, j->path, &j->on_disk, err);
    if (!status && boot_is_unknown(&j->content, j->boot))
        status =
            err_set(err, TARE_IO,
                    BOOT_ID " cannot be read, so whether the changes in %s still stand is not known: nothing is done", j->path);
    j->after_left = !status && j->content.left ? j->content.sequence + 1 : 1;
    buf_finish(&place);
    buf_finish(&file);
    if (status) {
        journal_close(j);
        *out = NULL;
    }
    return status;
}

void journal_close(struct journal *j)
{
    if (!j)
        return;
    journal_release(j);
    plat_state_close(j->state);
    journal_content_finish(&j->content);
    buf_finish(&j->waiting);
    free(j->path);
    free(j);
}

enum tare_status journal_refresh(struct journal *j, struct tare_err *err)
{
    journal_content_finish(&j->content);
    buf_clear(&j->waiting);
    j->writing = false;
    return read_content(&j->content, j->state, j->path, &j->on_disk, err);
}

int journal_n(const struct journal *j)
{
    return j->content.n;
}

const struct journal_entry *journal_at(const struct journal *j, int i)
{
    return &j->content.entries[i];
}

const struct journal_entry *journal_find(const struct journal *j, const char *path)
{
    return journal_content_find(&j->content, path);
}

static int count_open(const struct journal_content *c)
{
    int n = 0;
    for (int i = 0; i < c->n; i++)
        n += c->entries[i].open;
    return n;
}

int journal_open_entries(const struct journal *j)
{
    return count_open(&j->content);
}

bool journal_is_void(const struct journal *j)
{
    return of_another_boot(&j->content, j->boot);
}

int journal_interrupted(const struct journal *j)
{
    int first = 0;
    for (int i = 0; i < j->content.n; i++) {
        const struct journal_entry *e = &j->content.entries[i];
        if (e->open && !e->done && (!first || e->last < first))
            first = e->last;
    }
    return first;
}

bool journal_is_settled(const struct journal *j)
{
    return j->content.settled;
}

int journal_session_from(const struct journal *j)
{
    return j->session ? j->after_left : 1;
}

void journal_guarded(struct journal *j)
{
    j->session = true;
}

size_t journal_truncated_bytes(const struct journal *j)
{
    return j->content.truncated_bytes;
}

int journal_lost(const struct journal *j)
{
    const struct journal_content *c = &j->content;
    return c->damaged > c->missing ? c->damaged : c->missing; /* a line that is damaged may be the one that is missing */
}

const char *journal_path(const struct journal *j)
{
    return j->path;
}

int journal_descriptors(const struct journal *j, int fds[2])
{
    return plat_state_descriptors(j->state, fds);
}

static enum tare_status step(struct journal *j, struct tare_err *err)
{
    return j->root->before_write ? j->root->before_write(j->root->context, JOURNAL_NAME, err) : TARE_OK;
}

/* Applied as it will be read, and kept until the next flush. */
static enum tare_status add_line(struct journal *j, int n, const char *const *fields, struct tare_err *err)
{
    struct journal_line line = {.n = n};
    memcpy(line.fields, fields, (size_t)n * sizeof *fields);
    enum tare_status status = journal_content_apply(&j->content, &line, err);
    if (status) {
        err_prefix(err, "cannot note a change in the journal");
        return status;
    }
    journal_line_write(&j->waiting, n, fields);
    return j->waiting.status ? err_set(err, j->waiting.status, "the journal would become too large") : TARE_OK;
}

static enum tare_status open_file(struct journal *j, struct tare_err *err)
{
    if (j->writing)
        return TARE_OK;
    enum tare_status status = step(j, err);
    if (!status)
        status = j->on_disk ? plat_state_continue(j->state, JOURNAL_NAME, (int64_t)j->content.good_bytes, err)
                            : plat_state_create(j->state, JOURNAL_NAME, err);
    if (!status)
        j->writing = j->on_disk = true;
    return status;
}

/* After a write that failed: what the file holds counts, which may be a part of it, or all. Where even that cannot be read, to go by what we know is better than by nothing. */
static void read_anew(struct journal *j)
{
    struct journal_content c;
    bool there;
    if (read_content(&c, j->state, j->path, &there, NULL)) {
        journal_content_finish(&c);
        return;
    }
    journal_content_finish(&j->content);
    j->content = c;
    j->on_disk = there;
    j->writing = false; /* so that half a line is cut away before the next one */
}

static enum tare_status write_waiting(struct journal *j, bool durable, struct tare_err *err)
{
    if (!j->waiting.len)
        return TARE_OK;
    enum tare_status status = open_file(j, err);
    if (!status)
        status = step(j, err);
    if (!status)
        status = plat_state_append(j->state, j->waiting.data, j->waiting.len, durable, err);
    buf_clear(&j->waiting);
    if (status)
        read_anew(j);
    return status;
}

/* For lines that need not outlast the machine: after a power cut all changes are void. */
static enum tare_status write_line(struct journal *j, int n, const char *const *fields, struct tare_err *err)
{
    enum tare_status status = add_line(j, n, fields, err);
    return status ? status : write_waiting(j, false, err);
}

enum { DIGITS = 24 };

static const char *digits(char out[DIGITS], int64_t number)
{
    struct buf b = buf_over(out, DIGITS);
    buf_format(&b, "%lld", (long long)number);
    return out;
}

enum tare_status journal_begin(struct journal *j, struct tare_err *err)
{
    struct plat_uname u;
    char format[DIGITS], pid[DIGITS], began[DIGITS];
    int64_t since = plat_process_began(plat_pid());
    plat_uname(&u);
    if (journal_is_void(j))
        return err_set(err, TARE_INVALID, "%s is of an earlier boot", j->path);
    if (!j->boot[0] && !j->root->path[0])
        return err_set(err, TARE_IO, BOOT_ID " cannot be read: after a reboot nobody would know that the changes are void");
    /* Room for this session and its undoing is left: what was left in it must stay readable. */
    if (j->content.good_bytes > JOURNAL_FILE_MAX / 2 || j->content.n > JOURNAL_ENTRIES_MAX / 2)
        return err_set(err, TARE_TOO_LARGE, "%s holds too many changes: tare system reset takes them back, then tune again",
                       j->path);
    enum tare_status status = TARE_OK;
    j->session = true;
    if (!j->content.boot)
        status = add_line(
            j, 5, (const char *const[]){"tare-journal", digits(format, JOURNAL_FORMAT), TARE_SYSTEM_VERSION, j->boot, u.release},
            err);
    if (!status)
        status = add_line(
            j, 4,
            (const char *const[]){"owner", digits(pid, plat_pid()), digits(began, since < 0 ? 0 : since), TARE_SYSTEM_VERSION},
            err);
    return status ? status : write_waiting(j, true, err);
}

enum tare_status journal_intend(struct journal *j, const struct setting *s, const char *now, const char *wanted, int *sequence,
                                struct tare_err *err)
{
    char number[DIGITS], kind[DIGITS], form[DIGITS], stage[DIGITS];
    *sequence = j->content.sequence + 1;
    const char *const fields[] = {"intent",
                                  digits(number, *sequence),
                                  s->knob->id,
                                  digits(kind, s->kind),
                                  digits(form, s->form),
                                  digits(stage, s->stage),
                                  s->path,
                                  s->from,
                                  s->identity ? s->identity : "",
                                  s->identity_path,
                                  now,
                                  wanted};
    return add_line(j, sizeof fields / sizeof *fields, fields, err);
}

enum tare_status journal_flush(struct journal *j, struct tare_err *err)
{
    return write_waiting(j, true, err);
}

enum tare_status journal_done(struct journal *j, int sequence, int error, const char *seen, struct tare_err *err)
{
    char number[DIGITS], code[DIGITS];
    return write_line(j, 4, (const char *const[]){"done", digits(number, sequence), digits(code, error), seen}, err);
}

enum tare_status journal_saw(struct journal *j, int sequence, const char *seen, struct tare_err *err)
{
    char number[DIGITS];
    return write_line(j, 3, (const char *const[]){"saw", digits(number, sequence), seen}, err);
}

enum tare_status journal_settle(struct journal *j, struct tare_err *err)
{
    return write_line(j, 1, (const char *const[]){"settled"}, err);
}

enum tare_status journal_undoing(struct journal *j, struct tare_err *err)
{
    return write_line(j, 1, (const char *const[]){"undoing"}, err);
}

enum tare_status journal_leave(struct journal *j, struct tare_err *err)
{
    return write_line(j, 1, (const char *const[]){"left"}, err);
}

enum tare_status journal_leave_again(struct journal *j, struct tare_err *err)
{
    const char *const words[] = {"settled", "left"};
    enum tare_status status = TARE_OK;
    for (int i = 0; i < 2 && !status; i++)
        status = add_line(j, 1, &words[i], err);
    return status ? status : journal_flush(j, err);
}

enum tare_status journal_reverted(struct journal *j, int i, struct tare_err *err)
{
    char number[DIGITS];
    return add_line(j, 2, (const char *const[]){"reverted", digits(number, j->content.entries[i].first)}, err);
}

enum tare_status journal_remove(struct journal *j, struct tare_err *err)
{
    enum tare_status status = j->on_disk ? step(j, err) : TARE_OK;
    if (!status && j->on_disk)
        status = plat_state_remove(j->state, JOURNAL_NAME, err);
    if (status)
        return status;
    journal_content_finish(&j->content);
    buf_clear(&j->waiting);
    j->writing = j->on_disk = false;
    return TARE_OK;
}

bool journal_hold(struct journal *j, int fd)
{
    if (j->n_held == JOURNAL_HELD_MAX)
        return false;
    j->held[j->n_held++] = fd;
    return true;
}

void journal_release(struct journal *j)
{
    while (j->n_held)
        plat_close(j->held[--j->n_held]);
}

static enum journal_state state_of(const struct journal_content *c, const char *boot)
{
    if (of_another_boot(c, boot))
        return JOURNAL_PAST;
    if (c->owner && plat_process_began((int)c->owner) == c->owner_began)
        return JOURNAL_AT_WORK;
    return c->left ? JOURNAL_LEFT : JOURNAL_ORPHANED;
}

void journal_look(struct journal_notice *out, const char *folder, const struct system_root *root)
{
    struct buf place = BUF_INIT(4096);
    struct plat_state *state = NULL;
    struct journal_content c = {.n = 0};
    char boot[64];
    bool there = false;
    *out = (struct journal_notice){.state = JOURNAL_NONE};
    enum tare_status status = folder_of(&place, folder, root, NULL);
    if (!status)
        status = plat_state_look(&state, buf_text(&place), NULL);
    if (!status)
        status = read_content(&c, state, JOURNAL_NAME, &there, NULL);
    if (status && there)
        out->state = JOURNAL_UNKNOWN;
    if (!status && c.boot) {
        read_boot(boot, sizeof boot, root);
        enum journal_state state_now = boot_is_unknown(&c, boot) ? JOURNAL_UNKNOWN : state_of(&c, boot);
        *out = (struct journal_notice){state_now, count_open(&c), c.owner};
    }
    journal_content_finish(&c);
    plat_state_close(state);
    buf_finish(&place);
}

void journal_notice_text(struct buf *out, const struct journal_notice *n)
{
    if (n->state == JOURNAL_ORPHANED && n->changes)
        buf_format(
            out,
            "a tare (pid %lld) died before it could take back %d change%s of the machine's settings: `tare system reset` does it",
            (long long)n->owner, n->changes, buf_plural(n->changes));
    else if (n->state == JOURNAL_UNKNOWN)
        buf_str(out, "the journal of changes of the machine's settings cannot be read: `tare system reset` says why");
}
