/* SPDX-License-Identifier: MIT
 *
 * The lines of a journal: their form, what they say, and which are none of ours.
 */
#include "crc.h"
#include "journal_parts.h"
#include "same_text.h"
#include "whole.h"
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 4096, NUMBER_MAX = 1 << 30 };

enum { CHECKSUM_DIGITS = 8 };

static void write_field(struct buf *out, const char *field)
{
    if (!field) {
        buf_str(out, "\\-");
        return;
    }
    for (const unsigned char *p = (const unsigned char *)field; *p; p++) {
        if (*p == '\\')
            buf_str(out, "\\\\");
        else if (*p == '\t')
            buf_str(out, "\\t");
        else if (*p == '\n')
            buf_str(out, "\\n");
        else if (*p == '\r')
            buf_str(out, "\\r");
        else if (*p < 0x20 || *p == 0x7f)
            buf_format(out, "\\x%02x", (unsigned)*p);
        else
            buf_char(out, (char)*p);
    }
}

void journal_line_write(struct buf *out, int n, const char *const *fields)
{
    struct buf body = BUF_INIT(out->cap);
    for (int i = 0; i < n; i++) {
        buf_str(&body, i ? "\t" : "");
        write_field(&body, fields[i]);
    }
    if (body.status && !out->status)
        out->status = body.status;
    buf_format(out, "%08x\t", (unsigned)crc_of(buf_text(&body), body.len));
    buf_add(out, buf_text(&body), body.len);
    buf_char(out, '\n');
    buf_finish(&body);
}

static bool hexadecimal(const char *digits, int n, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < n; i++) {
        const char *known = "0123456789abcdef", *at = digits[i] ? strchr(known, digits[i]) : NULL;
        if (!at)
            return false;
        *out = *out << 4 | (uint32_t)(at - known);
    }
    return true;
}

/* The byte that an escape stands for, 0 for none; *p moves to its last character. */
static char escaped(const char **p, const char *end)
{
    uint32_t byte;
    switch (**p) {
    case '\\':
        return '\\';
    case 't':
        return '\t';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 'x':
        if (end - *p < 3 || !hexadecimal(*p + 1, 2, &byte))
            return 0;
        *p += 2;
        return (char)byte;
    default:
        return 0;
    }
}

/* Text at [from, end) in its place, closed by a zero. */
static bool unescape(char *from, const char *end, const char **field)
{
    char *to = from;
    if (end - from == 2 && !memcmp(from, "\\-", 2)) {
        *field = NULL;
        return true;
    }
    for (const char *p = from; p < end; p++) {
        char c = *p;
        if (c == '\\' && ++p < end)
            c = escaped(&p, end);
        else if (c == '\\')
            return false;
        if (!c)
            return false;
        *to++ = c;
    }
    *to = 0;
    *field = from;
    return true;
}

bool journal_line_read(struct journal_line *out, char *text, size_t n)
{
    uint32_t sum;
    *out = (struct journal_line){.n = 0};
    if (n < CHECKSUM_DIGITS + 1 || !hexadecimal(text, CHECKSUM_DIGITS, &sum) || text[CHECKSUM_DIGITS] != '\t')
        return false;
    char *at = text + CHECKSUM_DIGITS + 1, *end = text + n;
    if (crc_of(at, (size_t)(end - at)) != sum)
        return false;
    for (;;) {
        char *tab = memchr(at, '\t', (size_t)(end - at)), *stop = tab ? tab : end;
        if (out->n == JOURNAL_FIELDS_MAX || !unescape(at, stop, &out->fields[out->n]))
            return false;
        out->n++;
        if (!tab)
            return true;
        at = tab + 1;
    }
}

static bool journal_number(const char *field, int64_t most, int64_t *out)
{
    const char *p = field;
    return field && whole_take(&p, field + strlen(field), 10, out) && !*p && *out <= most;
}

struct journal_entry *journal_content_find(const struct journal_content *c, const char *path)
{
    uint32_t sum = crc_of(path, strlen(path));
    for (int i = c->n - 1; i >= 0; i--)
        if (c->sums[i] == sum && c->entries[i].open && !strcmp(c->entries[i].path, path))
            return &c->entries[i];
    return NULL;
}

/* The newest that has this number as its first intent or its last one. */
static struct journal_entry *by_number(const struct journal_content *c, int64_t sequence, bool first)
{
    for (int i = c->n - 1; i >= 0; i--)
        if ((first ? c->entries[i].first : c->entries[i].last) == sequence)
            return &c->entries[i];
    return NULL;
}

static struct journal_entry *add_entry(struct journal_content *c, const char *path)
{
    int room = c->room;
    if (!array_room(&c->entries, c->n, &room, sizeof *c->entries) || !array_room(&c->sums, c->n, &c->room, sizeof *c->sums))
        return NULL; /* entries may have more room than c->room says, which is harmless */
    c->sums[c->n] = crc_of(path, strlen(path));
    c->entries[c->n] = (struct journal_entry){.open = true};
    return &c->entries[c->n++];
}

static enum tare_status foreign(struct tare_err *err, const char *what)
{
    return err_set(err, TARE_FORMAT, "%s", what);
}

/* An absent text stays absent; *lost: there was no memory for it. */
static const char *keep_text(struct journal_content *c, const char *text, bool *lost)
{
    const char *copy = arena_strdup(&c->arena, text);
    *lost |= text && !copy;
    return copy;
}

static bool is_name(const char *field)
{
    return field && strlen(field) < NAME_MAX_BYTES;
}

static bool is_value(const char *field)
{
    return !field || strlen(field) <= JOURNAL_TEXT_MAX;
}

static enum tare_status apply_header(struct journal_content *c, const struct journal_line *line, struct tare_err *err)
{
    int64_t format;
    bool lost = false;
    if (c->boot || line->n < 2 || !journal_number(line->fields[1], NUMBER_MAX, &format))
        return foreign(err, "a head that tare does not write");
    if (format != JOURNAL_FORMAT)
        return err_set(err, TARE_VERSION,
                       "made by %s tare (format %d, this one reads %d): reset with that one, or reboot, and remove the file",
                       format > JOURNAL_FORMAT ? "a newer" : "an older", (int)format, JOURNAL_FORMAT);
    if (line->n != 5 || !is_name(line->fields[2]) || !is_name(line->fields[3]) || !is_name(line->fields[4]))
        return foreign(err, "a head that tare does not write");
    c->boot = keep_text(c, line->fields[3], &lost);
    return lost ? err_no_memory(err) : TARE_OK;
}

static enum tare_status apply_owner(struct journal_content *c, const struct journal_line *line, struct tare_err *err)
{
    if (line->n != 4 || !journal_number(line->fields[1], NUMBER_MAX, &c->owner) ||
        !journal_number(line->fields[2], INT64_MAX, &c->owner_began))
        return foreign(err, "an owner that tare does not write");
    c->settled = c->left = false;
    return TARE_OK;
}

/* The places of an intent's fields. */
enum { F_SEQUENCE = 1, F_KNOB, F_KIND, F_FORM, F_STAGE, F_PATH, F_FROM, F_IDENTITY, F_IDENTITY_PATH, F_BEFORE, F_WROTE, F_N };

struct intent_numbers {
    int64_t sequence, kind, form, stage;
};

/* A number that was passed over is a line that is gone. The others are worked off all the same, as beside a line that is damaged. */
static bool read_numbers(const struct journal_content *c, const char *const *f, struct intent_numbers *out)
{
    return journal_number(f[F_SEQUENCE], NUMBER_MAX, &out->sequence) && out->sequence > c->sequence &&
           journal_number(f[F_KIND], SETTING_TASKS, &out->kind) && out->kind != SETTING_HELD &&
           journal_number(f[F_FORM], FORM_SWITCH, &out->form) && journal_number(f[F_STAGE], STAGE_NONE, &out->stage);
}

static bool are_texts(const char *const *f, enum setting_kind kind)
{
    bool tasks = kind == SETTING_TASKS;
    return is_name(f[F_KNOB]) && is_name(f[F_PATH]) && is_name(f[F_IDENTITY]) && is_value(f[F_BEFORE]) && is_value(f[F_WROTE]) &&
           tasks == (f[F_FROM] != NULL) && (kind == SETTING_FILE || !f[F_BEFORE]);
}

/* The identity is only read, and yet a path of ours. */
static bool are_paths(const char *const *f, enum setting_kind kind)
{
    static const enum knob_use uses[] = {
        [SETTING_FILE] = KNOB_WRITES, [SETTING_FOLDER] = KNOB_MAKES, [SETTING_TASKS] = KNOB_FILLS};
    return knob_may(uses[kind], f[F_PATH]) && (!f[F_FROM] || knob_may(KNOB_EMPTIES, f[F_FROM])) &&
           (!f[F_IDENTITY_PATH] || knob_may(KNOB_READS, f[F_IDENTITY_PATH]));
}

/* Up to this number changes were noted, whether their lines are there or not. */
static void pass_over(struct journal_content *c, int64_t sequence)
{
    if (sequence <= c->sequence)
        return;
    c->missing += (int)(sequence - c->sequence);
    c->sequence = (int)sequence;
}

static enum tare_status fill_entry(struct journal_content *c, struct journal_entry *e, bool again, const char *const *f,
                                   const struct intent_numbers *n, struct tare_err *err)
{
    bool lost = false;
    e->knob = keep_text(c, f[F_KNOB], &lost);
    e->before = keep_text(c, f[F_BEFORE], &lost);
    e->wrote = keep_text(c, f[F_WROTE], &lost);
    if (!again) {
        e->path = keep_text(c, f[F_PATH], &lost);
        e->from = keep_text(c, f[F_FROM], &lost);
        e->identity = keep_text(c, f[F_IDENTITY], &lost);
        e->identity_path = keep_text(c, f[F_IDENTITY_PATH], &lost);
        e->kind = (enum setting_kind)n->kind;
        e->form = (enum setting_form)n->form;
        e->stage = (enum knob_stage)n->stage;
        e->old = e->before;
        e->first = (int)n->sequence;
    }
    if (e->stage > (enum knob_stage)n->stage)
        e->stage = (enum knob_stage)n->stage;
    e->seen = NULL;
    e->done = false;
    pass_over(c, n->sequence - 1);
    e->last = c->sequence = (int)n->sequence;
    if (!lost)
        return TARE_OK;
    c->n -= !again;
    return err_no_memory(err);
}

static enum tare_status apply_intent(struct journal_content *c, const struct journal_line *line, struct tare_err *err)
{
    struct intent_numbers n;
    const char *const *f = line->fields;
    if (line->n != F_N || !read_numbers(c, f, &n) || !are_texts(f, (enum setting_kind)n.kind))
        return foreign(err, "a change that tare does not write");
    if (!are_paths(f, (enum setting_kind)n.kind))
        return foreign(err, "a change of a file that no setting of tare names");
    struct journal_entry *e = journal_content_find(c, f[F_PATH]);
    bool again = e;
    if (again && e->kind != (enum setting_kind)n.kind)
        return foreign(err, "a file that became something else");
    if (!again && c->n >= JOURNAL_ENTRIES_MAX)
        return err_set(err, TARE_TOO_LARGE, "more than %d changes", JOURNAL_ENTRIES_MAX);
    if (!again && !(e = add_entry(c, f[F_PATH])))
        return err_no_memory(err);
    return fill_entry(c, e, again, f, &n, err);
}

/* Of a change whose own line is damaged or missing nothing is known. */
static enum tare_status unknown_change(struct journal_content *c, int64_t sequence, struct tare_err *err)
{
    pass_over(c, sequence);
    return c->damaged || c->missing ? TARE_OK : foreign(err, "what became of a change that was never noted");
}

/* After a refusal: of tasks what was seen is how many went. */
static bool is_untouched(const struct journal_entry *e)
{
    switch (e->kind) {
    case SETTING_FILE:
        return same_text(e->seen, e->before);
    case SETTING_TASKS:
        return same_text(e->seen, "0");
    default:
        return true;
    }
}

static enum tare_status apply_done(struct journal_content *c, const struct journal_line *line, struct tare_err *err)
{
    int64_t sequence, error;
    bool lost = false;
    if (line->n != 4 || !journal_number(line->fields[1], NUMBER_MAX, &sequence) ||
        !journal_number(line->fields[2], NUMBER_MAX, &error) || !is_value(line->fields[3]))
        return foreign(err, "the end of a change that tare does not write");
    struct journal_entry *e = by_number(c, sequence, false);
    if (!e)
        return unknown_change(c, sequence, err);
    e->done = true;
    e->seen = keep_text(c, line->fields[3], &lost);
    if (error && is_untouched(e)) {
        /* A later change that was refused leaves what the earlier ones left, or the value that was only saved. */
        if (e->first == e->last)
            e->open = false;
        else
            e->wrote = same_text(e->before, e->old) ? NULL : e->before;
    }
    return lost ? err_no_memory(err) : TARE_OK;
}

static enum tare_status apply_saw(struct journal_content *c, const struct journal_line *line, struct tare_err *err)
{
    int64_t sequence;
    bool lost = false;
    if (line->n != 3 || !journal_number(line->fields[1], NUMBER_MAX, &sequence) || !is_value(line->fields[2]))
        return foreign(err, "a reading that tare does not write");
    struct journal_entry *e = by_number(c, sequence, false);
    if (!e)
        return unknown_change(c, sequence, err);
    e->seen = keep_text(c, line->fields[2], &lost);
    return lost ? err_no_memory(err) : TARE_OK;
}

static enum tare_status apply_reverted(struct journal_content *c, const struct journal_line *line, struct tare_err *err)
{
    int64_t sequence;
    if (line->n != 2 || !journal_number(line->fields[1], NUMBER_MAX, &sequence))
        return foreign(err, "an undoing that tare does not write");
    struct journal_entry *e = by_number(c, sequence, true);
    if (!e)
        return unknown_change(c, sequence, err);
    e->open = false;
    return TARE_OK;
}

/* "settled", "left", "undoing": words alone. */
static enum tare_status apply_mark(struct journal_content *c, const struct journal_line *line, struct tare_err *err)
{
    (void)err;
    const bool settled = !strcmp(line->fields[0], "settled"), left = !strcmp(line->fields[0], "left");
    c->settled = settled || (left && c->settled);
    c->left = left || (settled && c->left);
    return TARE_OK;
}

static const struct {
    const char *word;
    enum tare_status (*apply)(struct journal_content *c, const struct journal_line *line, struct tare_err *err);
} kinds[] = {
    {"tare-journal", apply_header}, {"owner", apply_owner},  {"intent", apply_intent}, {"done", apply_done}, {"saw", apply_saw},
    {"reverted", apply_reverted},   {"settled", apply_mark}, {"undoing", apply_mark},  {"left", apply_mark},
};

enum tare_status journal_content_apply(struct journal_content *c, const struct journal_line *line, struct tare_err *err)
{
    const char *word = line->n && line->fields[0] ? line->fields[0] : "";
    if (!c->boot && strcmp(word, kinds[0].word))
        return foreign(err, "no head");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(word, kinds[i].word))
            return kinds[i].apply(c, line, err);
    return foreign(err, "a line that tare does not write");
}

/* What a write of the head leaves when it is cut off anywhere. */
static bool begins_as_head(const char *text, size_t n)
{
    static const char word[] = "\ttare-journal\t";
    for (size_t i = 0; i < n && i < 8; i++)
        if (!text[i] || !strchr("0123456789abcdef", text[i]))
            return false;
    size_t more = n > 8 ? n - 8 : 0;
    return !memcmp(text + (more ? 8 : 0), word, more < sizeof word - 1 ? more : sizeof word - 1);
}

static enum tare_status refuse_line(struct journal_content *c, enum tare_status status, const char *name, int line,
                                    struct tare_err *err)
{
    struct tare_err why = {.text = "out of memory"};
    if (err)
        why = *err;
    journal_content_finish(c);
    if (status == TARE_VERSION || status == TARE_NO_MEMORY)
        return err_set(err, status, "%s: %s", name, why.text);
    return err_set(err, status, "%s: line %d has %s: nothing is done by it; look at it, and remove it", name, line, why.text);
}

enum tare_status journal_content_read(struct journal_content *c, char *text, size_t n, const char *name, struct tare_err *err)
{
    struct tare_err why;
    *c = (struct journal_content){.n = 0};
    for (int number = 1; c->good_bytes < n; number++) {
        char *at = text + c->good_bytes, *end = memchr(at, '\n', n - c->good_bytes);
        struct journal_line line;
        if (!end)
            break;
        size_t bytes = (size_t)(end - at);
        enum tare_status status = TARE_OK;
        if (journal_line_read(&line, at, bytes))
            status = journal_content_apply(c, &line, &why);
        else if (number == 1)
            status = err_set(&why, TARE_FORMAT, "no head of a journal of tare");
        else
            c->damaged++;
        if (status) {
            if (err)
                *err = why;
            return refuse_line(c, status, name, number, err);
        }
        c->good_bytes += bytes + 1;
    }
    c->truncated_bytes = n - c->good_bytes;
    if (!c->good_bytes && !begins_as_head(text, n))
        return err_set(err, TARE_FORMAT, "%s is not a journal of tare and was not used; check it, then remove it", name);
    return TARE_OK;
}

void journal_content_finish(struct journal_content *c)
{
    arena_finish(&c->arena);
    free(c->entries);
    free(c->sums);
    *c = (struct journal_content){.n = 0};
}
