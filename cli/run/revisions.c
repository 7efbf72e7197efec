/* SPDX-License-Identifier: MIT
 * From what the user typed to commits. All of it only reads the repository. */
#include "revisions.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

static enum tare_status no_memory(struct tare_err *err)
{
    return err_set(err, TARE_NO_MEMORY, "no memory for the revisions");
}

void revisions_say(const struct revisions *rs, const char *format, ...)
{
    struct buf b = BUF_INIT(1 << 20);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&b, format, ap);
    va_end(ap);
    rs->say(rs->context, buf_text(&b));
    buf_finish(&b);
}

const char *revisions_text(const struct revisions *rs, const char *format, ...)
{
    struct buf b = BUF_INIT(1 << 20);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&b, format, ap);
    va_end(ap);
    const char *kept = b.status ? NULL : arena_copy(rs->arena, buf_text(&b), b.len);
    buf_finish(&b);
    return kept;
}

/* git's answer, kept. CHILD: git refused. */
#define ASK(rs, kept, err, ...) \
    revisions_keep((rs), (kept), &answer, git_ask(&(rs)->git, &answer, (err), __VA_ARGS__, (char *)NULL), (err))

enum tare_status revisions_keep(const struct revisions *rs, const char **kept, struct buf *answer, enum tare_status status,
                                struct tare_err *err)
{
    *kept = status ? NULL : arena_copy(rs->arena, buf_text(answer), answer->len);
    buf_clear(answer);
    return status || *kept ? status : no_memory(err);
}

/* ---- the repository ---- */

/* The three answers of one question, a line each. */
static void read_nature(struct revisions *rs, const char *lines)
{
    rs->bare = strncmp(lines, "true", 4) != 0;
    lines += strcspn(lines, "\n");
    lines += *lines == '\n';
    rs->shallow = strncmp(lines, "true", 4) == 0;
    lines += strcspn(lines, "\n");
    rs->common = lines + (*lines == '\n');
}

static enum tare_status find_repository(struct revisions *rs, struct tare_err *err)
{
    struct buf answer = BUF_INIT(1 << 20);
    const char *nature;
    enum tare_status status = ASK(rs, &nature, err, "rev-parse", "--is-inside-work-tree", "--is-shallow-repository",
                                  "--path-format=absolute", "--git-common-dir");
    if (status == TARE_CHILD) {
        struct tare_err why = *err;
        status = err_set(err, TARE_INVALID, "--rev compares revisions of a git repository, to be started in it; git says: %s",
                         why.text);
    }
    rs->prefix = "";
    if (!status)
        read_nature(rs, nature);
    if (!status && !rs->bare)
        status = ASK(rs, &rs->top, err, "rev-parse", "--show-toplevel");
    if (!status && !rs->bare)
        status = ASK(rs, &rs->prefix, err, "rev-parse", "--show-prefix");
    size_t n = status ? 0 : strlen(rs->prefix);
    if (n && !(rs->prefix = arena_copy(rs->arena, rs->prefix, n - (rs->prefix[n - 1] == '/'))))
        status = no_memory(err);
    rs->git.cwd = rs->top;
    buf_finish(&answer);
    return status;
}

/* ---- one revision ---- */

static enum tare_status no_such(const struct revisions *rs, const char *given, struct tare_err *err)
{
    struct tare_err why = *err;
    const char *dots = strstr(given, "..");
    if (dots)
        return err_set(err, TARE_INVALID, "--rev %s is a range; name both ends: --rev %.*s --rev %s", given, (int)(dots - given),
                       given, dots + 2 + (dots[2] == '.'));
    if (rs->shallow)
        return err_set(err, TARE_INVALID,
                       "--rev %s: no such commit in this clone, which is shallow; git fetch --unshallow brings the rest", given);
    bool plain = !strcmp(why.text, "Needed a single revision");
    return err_set(err, TARE_INVALID, "--rev %s: no such commit in this repository%s%s; git log --oneline lists them", given,
                   plain ? "" : ": ", plain ? "" : why.text);
}

/* First what it names, then the commit behind: in ":/words" all that follows would belong to the words. */
static enum tare_status find_commit(struct revisions *rs, const char *given, struct revision *rev, struct tare_err *err)
{
    struct buf answer = BUF_INIT(1 << 20);
    const char *named;
    rev->hash = NULL;
    enum tare_status status = ASK(rs, &named, err, "rev-parse", "--verify", "--end-of-options", given);
    if (!status)
        status = (named = revisions_text(rs, "%s^{commit}", named)) ? TARE_OK : no_memory(err);
    if (!status)
        status = ASK(rs, &rev->hash, err, "rev-parse", "--verify", "--end-of-options", named);
    buf_finish(&answer);
    return status == TARE_CHILD ? no_such(rs, given, err) : status;
}

static enum tare_status name_commit(struct revisions *rs, struct revision *rev, struct tare_err *err)
{
    struct buf answer = BUF_INIT(1 << 10);
    const char *brief;
    enum tare_status status = ASK(rs, &brief, err, "rev-parse", "--short=7", rev->hash);
    buf_finish(&answer);
    if (status)
        return status;
    bool tells_more = strncmp(rev->hash, rev->given, strlen(rev->given)) != 0;
    rev->id = rev->dirty ? revisions_text(rs, "%s-dirty", rev->hash) : rev->hash;
    rev->label = !strcmp(rev->given, ".") ? revisions_text(rs, "working tree (%s%s)", brief, rev->dirty ? " + changes" : "")
                 : tells_more             ? revisions_text(rs, "%s (%s)", brief, rev->given)
                                          : brief;
    return rev->id && rev->label ? TARE_OK : no_memory(err);
}

/* Where the user stands must be there too, or nothing could be run. What the working tree holds, it holds. */
static enum tare_status find_folder(struct revisions *rs, const struct revision *rev, struct tare_err *err)
{
    if (!*rs->prefix || rev->dirty)
        return TARE_OK;
    struct buf answer = BUF_INIT(1 << 10);
    const char *place = revisions_text(rs, "%s:%s", rev->hash, rs->prefix);
    enum tare_status status = place ? git_ask(&rs->git, &answer, err, "cat-file", "-t", place, (char *)NULL) : no_memory(err);
    bool folder = !status && !strcmp(buf_text(&answer), "tree");
    buf_finish(&answer);
    if (folder || (status && status != TARE_CHILD))
        return status;
    return err_set(err, TARE_INVALID, "--rev %s: there is no folder %s in it; start in one that all revisions have", rev->given,
                   rs->prefix);
}

/* ---- the working tree ---- */

struct changes {
    int changed, untracked;
};

static enum tare_status count_changes(struct revisions *rs, struct changes *c, struct tare_err *err)
{
    *c = (struct changes){0};
    if (rs->bare)
        return TARE_OK;
    struct buf answer = BUF_INIT(16 << 20);
    enum tare_status status = git_ask(&rs->git, &answer, err, "status", "--porcelain", "--untracked-files=normal", (char *)NULL);
    for (const char *line = buf_text(&answer); !status && *line; line += strcspn(line, "\n"), line += *line == '\n')
        line[0] == '?' ? c->untracked++ : c->changed++;
    buf_finish(&answer);
    return status;
}

static enum tare_status find_working_tree(struct revisions *rs, const struct changes *c, struct revision *rev,
                                          struct tare_err *err)
{
    if (rs->bare)
        return err_set(err, TARE_INVALID, "--rev . is the working tree, and this repository has none here; give two commits");
    struct tare_err why;
    enum tare_status status = find_commit(rs, "HEAD", rev, &why);
    rev->dirty = c->changed || c->untracked;
    if (status == TARE_INVALID)
        return err_set(err, status, "--rev: there is no commit yet in this repository");
    return status ? err_set(err, status, "%s", why.text) : TARE_OK;
}

/* Of a repetition. What was not committed is kept by nobody but git, until it tidies up. */
static enum tare_status find_again(struct revisions *rs, const struct revision_commit *then, struct revision *rev,
                                   struct tare_err *err)
{
    struct revision taken;
    enum tare_status status = find_commit(rs, then->hash, rev, err);
    if (status || !then->changes)
        return status;
    status = find_commit(rs, then->changes, &taken, err);
    rev->dirty = true;
    rev->taken = taken.hash;
    if (status != TARE_INVALID)
        return status;
    return err_set(err, status, "--rev %s: the uncommitted changes that were measured then are no more in this repository",
                   rev->given);
}

static enum tare_status resolve(struct revisions *rs, const struct changes *c, const char *given, struct tare_err *err)
{
    const struct revision_commit *then = rs->commits ? &rs->commits[rs->n] : NULL;
    struct revision *rev = &rs->items[rs->n++];
    *rev = (struct revision){.given = given, .build_seconds = NAN};
    enum tare_status status = then                  ? find_again(rs, then, rev, err)
                              : !strcmp(given, ".") ? find_working_tree(rs, c, rev, err)
                                                    : find_commit(rs, given, rev, err);
    if (!status)
        status = name_commit(rs, rev, err);
    return status ? status : find_folder(rs, rev, err);
}

/* ---- all of them ---- */

static void note_twins(const struct revisions *rs)
{
    for (int i = 0; i < rs->n; i++)
        for (int j = 0; j < i; j++)
            if (!strcmp(rs->items[i].id, rs->items[j].id)) {
                revisions_say(rs, "%s and %s are the same: this compares them with themselves", rs->items[j].label,
                              rs->items[i].label);
                return;
            }
}

static void note_changes(const struct revisions *rs, const struct changes *c)
{
    for (int i = 0; i < rs->n; i++)
        if (rs->items[i].dirty)
            return;
    if (c->changed || c->untracked)
        revisions_say(rs, "your uncommitted changes (%d changed, %d untracked) are in no revision; --rev . would measure them",
                      c->changed, c->untracked);
}

enum tare_status revisions_resolve(struct revisions *rs, const struct option_list *given, struct tare_err *err)
{
    struct changes changes;
    rs->items = arena_array(rs->arena, (size_t)given->n + 1, sizeof *rs->items);
    enum tare_status status = rs->items ? git_open(&rs->git, rs->arena, plat_environment(), err) : no_memory(err);
    if (!status)
        status = find_repository(rs, err);
    if (!status)
        status = count_changes(rs, &changes, err);
    for (int i = 0; i < given->n && !status; i++)
        status = resolve(rs, &changes, given->items[i], err);
    if (!status && given->n == 1 && !strcmp(given->items[0], "."))
        return err_set(err, TARE_INVALID,
                       "--rev . alone has nothing to be compared with; --rev HEAD compares it with the last commit");
    if (!status && given->n == 1)
        status = resolve(rs, &changes, ".", err);
    if (status)
        return status;
    note_twins(rs);
    if (!rs->commits)
        note_changes(rs, &changes);
    return TARE_OK;
}

/* ---- the record ---- */

static enum tare_status add_text(struct record *r, int number, const char *what, const char *text)
{
    char room[64];
    struct buf key = buf_over(room, sizeof room);
    buf_format(&key, "revision_%d%s", number, what);
    return facts_add_text(r, &r->build, buf_text(&key), text);
}

static enum tare_status add_seconds(struct record *r, int number, double seconds)
{
    char room[64];
    struct buf key = buf_over(room, sizeof room);
    buf_format(&key, "revision_%d_build_seconds", number);
    return facts_add_number(r, &r->build, buf_text(&key), seconds);
}

static enum tare_status describe_one(struct record *r, int number, const struct revision *rev)
{
    enum tare_status status = add_text(r, number, "", rev->given);
    if (!status)
        status = add_text(r, number, "_hash", rev->hash);
    if (!status && rev->dirty)
        status = add_text(r, number, "_changes", rev->taken ? rev->taken : "not taken yet");
    return status || isnan(rev->build_seconds) ? status : add_seconds(r, number, rev->build_seconds);
}

enum tare_status revisions_describe(const struct revisions *rs, struct record *r)
{
    enum tare_status status = rs->build && rs->n ? facts_add_text(r, &r->build, "build_command", rs->build) : TARE_OK;
    if (!status && rs->n && *rs->prefix)
        status = facts_add_text(r, &r->build, "revision_folder", rs->prefix);
    for (int i = 0; i < rs->n && !status; i++)
        status = describe_one(r, i + 1, &rs->items[i]);
    return status;
}
