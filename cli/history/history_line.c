/* SPDX-License-Identifier: MIT */
#include "history_view.h"
#include "same_text.h"
#include "units.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_COMMITS = 20000, PAGE_BYTES = 1 << 24, PATCH_COMMITS_MOST = 200, FIELDS = 4 };

struct reading {
    struct history_commit *commits; /* newest first, on the heap while it grows */
    int n, room;
    struct arena *arena;
};

/* "HASH\0SECONDS\0AUTHOR\0SUBJECT": the next line, NULL at the end. git writes no newline into any of them. */
static const char *take_commit(struct reading *r, const char *line, const char *end)
{
    const char *field[FIELDS], *at = line, *stop = memchr(line, '\n', (size_t)(end - line));
    stop = stop ? stop : end;
    for (int i = 0; i < FIELDS; i++) {
        const char *zero = at <= stop ? memchr(at, 0, (size_t)(stop - at)) : NULL;
        zero = zero && i < FIELDS - 1 ? zero : stop;
        field[i] = at <= stop ? arena_copy(r->arena, at, (size_t)(zero - at)) : "";
        if (!field[i])
            return NULL;
        at = zero + 1;
    }
    struct history_commit *grown = array_grown(r->commits, r->n, &r->room, sizeof *grown);
    if (!grown)
        return NULL;
    r->commits = grown;
    grown[r->n++] =
        (struct history_commit){.hash = field[0], .time_s = strtoll(field[1], NULL, 10), .author = field[2], .subject = field[3]};
    return stop < end ? stop + 1 : stop;
}

static enum tare_status read_page(struct reading *r, struct git *git, const char *hash, int *read, struct tare_err *err)
{
    char skip[40], most[40];
    struct buf b = buf_over(skip, sizeof skip), m = buf_over(most, sizeof most), text = BUF_INIT(PAGE_BYTES + 1);
    buf_format(&b, "--skip=%d", r->n);
    buf_format(&m, "--max-count=%d", PAGE_COMMITS);
    int before = r->n;
    enum tare_status status =
        git_ask(git, &text, err, "log", "--first-parent", "--no-show-signature", "--no-color", "--no-patch", "--encoding=UTF-8",
                "--format=tformat:%H%x00%ct%x00%an%x00%s", skip, most, hash, "--", (char *)NULL);
    if (!status && text.len >= PAGE_BYTES)
        status = err_set(err, TARE_TOO_LARGE, "the subjects of %d commits are over %s", PAGE_COMMITS,
                         scaled_text("bytes", PAGE_BYTES).at);
    const char *at = buf_text(&text), *end = at + text.len;
    while (!status && at < end)
        if (!(at = take_commit(r, at, end)))
            status = err_no_memory(err);
    buf_finish(&text);
    *read = r->n - before;
    return status;
}

enum tare_status history_commit_named(struct git *git, const char *revision, const char **hash, struct tare_err *err)
{
    struct tare_err why;
    const enum tare_status status = git_commit(git, revision, hash, &why);
    if (status == TARE_NOT_FOUND && !strcmp(revision, "HEAD"))
        return err_set(err, TARE_INVALID, "this branch has no commits yet, and results are kept by commit; commit first");
    if (status == TARE_NOT_FOUND)
        return err_set(err, TARE_INVALID, "%.200s: %s", revision, git_no_such_commit(git));
    return status ? err_set(err, status, "%s", why.text) : TARE_OK;
}

struct by_hash {
    const char *hash; /* first: text_order */
    int position;
};

static enum tare_status sort_line(struct history_line *line, struct arena *a, struct tare_err *err)
{
    struct by_hash *pairs = arena_array(a, (size_t)line->n + 1, sizeof *pairs);
    int *sorted = arena_array(a, (size_t)line->n + 1, sizeof *sorted);
    line->patches = arena_array(a, (size_t)line->n + 1, sizeof *line->patches);
    if (!pairs || !sorted || !line->patches)
        return err_no_memory(err);
    for (int i = 0; i < line->n; i++)
        pairs[i] = (struct by_hash){line->commits[i].hash, i};
    qsort(pairs, (size_t)line->n, sizeof *pairs, text_order);
    for (int i = 0; i < line->n; i++)
        sorted[i] = pairs[i].position;
    line->sorted = sorted;
    return TARE_OK;
}

static enum tare_status keep_commits(struct history_line *line, const struct reading *r, struct arena *a, struct tare_err *err)
{
    struct history_commit *oldest_first = arena_array(a, (size_t)r->n + 1, sizeof *oldest_first);
    if (!oldest_first)
        return err_no_memory(err);
    for (int i = 0; i < r->n; i++)
        oldest_first[i] = r->commits[r->n - 1 - i];
    line->commits = oldest_first;
    line->n = r->n;
    line->root = line->shallow || !r->n ? "" : oldest_first->hash;
    return sort_line(line, a, err);
}

enum tare_status history_line_read(struct history_line *line, struct git *git, const char *revision, struct arena *a,
                                   struct tare_err *err)
{
    *line = (struct history_line){.git = git, .arena = a, .root = ""};
    const char *shallow, *hash;
    struct tare_err why;
    enum tare_status status = git_text(git, &shallow, &why, "rev-parse", "--is-shallow-repository", (char *)NULL);
    if (status)
        return err_set(err, status == TARE_CHILD ? TARE_NOT_FOUND : status, "git: %s", why.text);
    line->shallow = !strcmp(shallow, "true");
    status = history_commit_named(git, revision, &hash, err);
    struct reading r = {.arena = a};
    for (int read = PAGE_COMMITS; !status && read == PAGE_COMMITS;)
        status = read_page(&r, git, hash, &read, err);
    if (!status)
        status = keep_commits(line, &r, a, err);
    free(r.commits);
    return status;
}

int history_position(const struct history_line *line, const char *hash)
{
    int low = 0, high = line->n;
    while (low < high) {
        int middle = low + (high - low) / 2, order = strcmp(line->commits[line->sorted[middle]].hash, hash);
        if (!order)
            return line->sorted[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

int history_candidates(const struct history_line *line, int from, int to)
{
    int n = 0;
    for (int i = from; i <= to; i++)
        n += !history_only_results(line, i);
    return n;
}

static void take_others(const struct history_line *line, const char *text, bool *only)
{
    for (int i = 0; i < line->n; i++)
        only[i] = true;
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *hash = arena_copy(line->arena, at, strcspn(at, "\n"));
        int position = hash ? history_position(line, hash) : -1;
        if (position >= 0)
            only[position] = false;
    }
}

enum tare_status history_line_results(struct history_line *line, const char *folder, struct tare_err *err)
{
    bool *only = arena_array(line->arena, (size_t)line->n + 1, sizeof *only);
    const char *below = arena_format(line->arena, ":(top,literal)%s", folder);
    const char *others = arena_format(line->arena, ":(top,exclude,literal)%s", folder);
    if (!only || !below || !others)
        return err_no_memory(err);
    if (!line->n)
        return TARE_OK;
    const char *head = line->commits[line->n - 1].hash;
    /* Whether any commit touches the folder: most histories are kept elsewhere, and the question below looks at all files. */
    const char *one;
    enum tare_status status =
        git_text(line->git, &one, err, "rev-list", "--first-parent", "--max-count=1", head, "--", below, (char *)NULL);
    if (status || !*one)
        return status;
    struct buf b = BUF_INIT(INT_MAX / 2);
    status = git_ask(line->git, &b, err, "rev-list", "--first-parent", head, "--", ":(top)", others, (char *)NULL);
    if (!status) {
        take_others(line, buf_text(&b), only);
        line->only_results = only;
    }
    buf_finish(&b);
    return status;
}

/* "PATCH HASH" a line. */
static enum tare_status take_patches(const struct history_line *line, const char *text, struct tare_err *err)
{
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        size_t n = strcspn(at, " \n"), m = at[n] == ' ' ? strcspn(at + n + 1, "\n") : 0;
        const char *patch = arena_copy(line->arena, at, n), *hash = arena_copy(line->arena, at + n + (m > 0), m);
        if (!patch || !hash)
            return err_no_memory(err);
        int position = m ? history_position(line, hash) : -1;
        if (position >= 0)
            line->patches[position] = patch;
    }
    return TARE_OK;
}

enum tare_status history_patches(const struct history_line *line, int from, int to, struct tare_err *err)
{
    while (from <= to && line->patches[from])
        from++;
    while (to >= from && line->patches[to])
        to--;
    if (from > to || to - from >= PATCH_COMMITS_MOST)
        return TARE_OK;
    struct buf b = BUF_INIT(1 << 20);
    char most[40];
    buf_print(most, sizeof most, "--max-count=%d", to - from + 1);
    struct tare_err why;
    enum tare_status status = git_patch_ids(line->git, &b, &why, most, line->commits[to].hash);
    if (!status)
        status = take_patches(line, buf_text(&b), &why);
    buf_finish(&b);
    for (int i = from; i <= to; i++) /* a commit without a change has none; where git refused they are not asked for again */
        if (!line->patches[i])
            line->patches[i] = "";
    return !status || status == TARE_CHILD ? TARE_OK : err_set(err, status, "%s", why.text);
}

enum tare_status history_patch(const struct history_line *line, const char *hash, const char **patch, struct tare_err *err)
{
    const int position = history_position(line, hash);
    enum tare_status status = position < 0 ? TARE_OK : history_patches(line, position, position, err);
    const char *found = status || position < 0 ? NULL : line->patches[position];
    *patch = found && *found ? found : NULL;
    return status;
}
