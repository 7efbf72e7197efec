/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include "plat_setting.h"
#include "root.h"
#include "whole.h"
#include <string.h>

enum { PATH_ROOM = 4096 };

struct place {
    char text[PATH_ROOM];
    struct buf path;
};

static bool is_copied(const struct system_root *root)
{
    return root->path[0];
}

static enum tare_status outside(const struct system_root *root, const char *path, struct tare_err *err)
{
    return err_set(err, TARE_NOT_FOUND, "%s%s leads out of that tree", root->path, path);
}

static bool is_within(const struct system_root *root, const char *real)
{
    size_t n = strlen(root->path);
    return !strncmp(real, root->path, n) && (real[n] == '/' || !real[n]);
}

static enum tare_status find_place(const struct system_root *root, struct place *p, const char *path, struct tare_err *err)
{
    p->path = buf_over(p->text, sizeof p->text);
    if (is_copied(root)) {
        /* Through the links of a copied tree, which must not lead out of it: its files would then be this machine's. */
        char joined_text[PATH_ROOM];
        struct buf joined = buf_over(joined_text, sizeof joined_text);
        buf_format(&joined, "%s%s", root->path, path);
        if (joined.status)
            return err_set(err, TARE_NOT_FOUND, "the path of %s is too long", path);
        enum tare_status status = plat_directory_path(joined_text, &p->path, err);
        return status || is_within(root, buf_text(&p->path)) ? status : outside(root, path, err);
    }
    buf_str(&p->path, path);
    return p->path.status ? err_set(err, TARE_NOT_FOUND, "the path of %s is too long", path) : TARE_OK;
}

/* Of what is not there yet: its folder is. */
static enum tare_status find_new(const struct system_root *root, struct place *p, const char *path, struct tare_err *err)
{
    char folder[PATH_ROOM];
    const char *name = strrchr(path, '/');
    struct buf b = buf_over(folder, sizeof folder);
    if (!is_copied(root))
        return find_place(root, p, path, err);
    if (!name || !strcmp(name, "/..") || !strcmp(name, "/."))
        return outside(root, path, err);
    buf_format(&b, "%.*s", (int)(name - path), path);
    enum tare_status status = b.status ? TARE_NOT_FOUND : find_place(root, p, folder, err);
    buf_str(&p->path, name);
    return status ? status : p->path.status;
}

enum tare_status root_check_within(const struct system_root *root, const char *path, struct tare_err *err)
{
    char part[PATH_ROOM], joined[PATH_ROOM];
    for (const char *end = path; is_copied(root) && *end;) {
        struct buf b = buf_over(part, sizeof part), j = buf_over(joined, sizeof joined);
        struct place p;
        end += 1 + strcspn(end + 1, "/");
        buf_format(&b, "%.*s", (int)(end - path), path);
        buf_format(&j, "%s%s", root->path, part);
        if (!j.status && plat_setting_there(joined) && find_place(root, &p, part, NULL))
            return outside(root, part, err);
    }
    return TARE_OK;
}

/* A pipe in a copied tree would have us wait for its writer for good. */
static enum tare_status check_ordinary(const struct system_root *root, const struct place *p, struct tare_err *err)
{
    struct plat_file_state state;
    if (!is_copied(root) || plat_file_state(p->text, &state, NULL) || state.regular)
        return TARE_OK;
    return err_set(err, TARE_FORMAT, "%s is not a regular file", p->text);
}

static bool ends_a_line(const char *text, size_t n)
{
    return n && text[n - 1] == '\n';
}

enum tare_status root_read(const struct system_root *root, const char *path, struct buf *out, struct tare_err *err)
{
    struct place p;
    buf_clear(out);
    enum tare_status status = find_place(root, &p, path, err);
    if (!status)
        status = check_ordinary(root, &p, err);
    if (status)
        return status;
    size_t cap = out->cap;
    if (!out->fixed && cap > ROOT_FILE_MAX)
        out->cap = ROOT_FILE_MAX;
    status = plat_file_read(p.text, out, err);
    out->cap = cap;
    if (status)
        return status;
    if (ends_a_line(out->data, out->len))
        out->data[--out->len] = 0;
    if (out->len && memchr(out->data, 0, out->len))
        return err_set(err, TARE_FORMAT, "%s is not text", path);
    return TARE_OK;
}

bool root_exists(const struct system_root *root, const char *path)
{
    struct place p;
    return !find_place(root, &p, path, NULL) && plat_setting_there(p.text);
}

bool root_read_only(const struct system_root *root, const char *path)
{
    struct place p;
    return !find_place(root, &p, path, NULL) && plat_setting_read_only(p.text);
}

enum tare_status root_list(const struct system_root *root, const char *path, struct buf *names, int *n, struct tare_err *err)
{
    struct place p;
    buf_clear(names);
    *n = 0;
    enum tare_status status = find_place(root, &p, path, err);
    return status ? status : plat_directory_list(p.text, names, n, err);
}

/* What a file of a copied tree holds after something was written to it: what the kernel would do, which is not there.
 *     copied_file_takes(&b, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n", "never");   // "always madvise [never]\n"
 *
 * The word in brackets moves; "+cpuset" and "-cpuset" in a group's cgroup.subtree_control add and take a word; a task written to a group's list joins it, by number.
 * Anything else takes the place of what was there. The line end stays as it was. */

static const char blanks[] = " \t\r\n";

/* The next word at or behind p, *n bytes; its start is at *n = 0 the end. */
static const char *word_at(const char *p, size_t *n)
{
    p += strspn(p, blanks);
    *n = strcspn(p, blanks);
    return p;
}

static bool is_word(const char *at, size_t n, const char *word, size_t word_n)
{
    return n == word_n && !memcmp(at, word, n);
}

static bool offers(const char *held, const char *word, size_t word_n)
{
    size_t n;
    for (const char *p = word_at(held, &n); n; p = word_at(p + n, &n)) {
        bool chosen = n > 2 && p[0] == '[' && p[n - 1] == ']';
        if (is_word(p + chosen, n - 2 * (size_t)chosen, word, word_n))
            return true;
    }
    return false;
}

static bool select_word(struct buf *out, const char *held, const char *text)
{
    size_t n, word_n;
    const char *word = word_at(text, &word_n);
    if (!offers(held, word, word_n))
        return false;
    for (const char *last = held, *p = word_at(held, &n); n; last = p + n, p = word_at(last, &n)) {
        bool chosen = n > 2 && p[0] == '[' && p[n - 1] == ']';
        const char *bare = p + chosen;
        size_t bare_n = n - 2 * (size_t)chosen;
        bool now = is_word(bare, bare_n, word, word_n);
        buf_format(out, "%.*s%s%.*s%s", (int)(p - last), last, now ? "[" : "", (int)bare_n, bare, now ? "]" : "");
    }
    return true;
}

static void add_word(struct buf *out, size_t start, const char *at, size_t n)
{
    buf_str(out, out->len > start ? " " : "");
    buf_add(out, at, n);
}

static void switch_words(struct buf *out, const char *held, const char *text)
{
    size_t n, word_n, start = out->len;
    const char *word = word_at(text, &word_n);
    bool there = false;
    for (const char *p = word_at(held, &n); n; p = word_at(p + n, &n)) {
        bool same = is_word(p, n, word + 1, word_n - 1);
        there |= same;
        if (!same || *word == '+')
            add_word(out, start, p, n);
    }
    if (!there && *word == '+')
        add_word(out, start, word + 1, word_n - 1);
}

static void add_task(struct buf *out, int64_t id)
{
    buf_format(out, "%lld\n", (long long)id);
}

static void join(struct buf *out, const char *held, const char *text)
{
    const char *p = text, *end = held + strlen(held);
    int64_t task = -1, id;
    bool joined = !whole_take(&p, text + strlen(text), 10, &task);
    for (p = held; p < end;) {
        if (!whole_take(&p, end, 10, &id)) {
            p++;
            continue;
        }
        if (!joined && id >= task) {
            add_task(out, task);
            joined = true;
        }
        if (joined && id == task)
            continue;
        add_task(out, id);
    }
    if (!joined)
        add_task(out, task);
}

/* A group's list without this task: in a machine it leaves by joining another. */
static void copied_file_loses(struct buf *out, const char *held, const char *task)
{
    size_t n, task_n;
    const char *gone = word_at(task, &task_n);
    for (const char *p = word_at(held, &n); n; p = word_at(p + n, &n))
        if (!is_word(p, n, gone, task_n))
            buf_format(out, "%.*s\n", (int)n, p);
}

static bool is_named(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return !strcmp(slash ? slash + 1 : path, name);
}

/* What a file of a copied tree holds after a write; for the tests too. False: the kernel would not take it (a word that is not offered); out is then as it was. */
static bool copied_file_takes(struct buf *out, const char *path, const char *held, const char *text)
{
    if (is_named(path, "tasks") || is_named(path, "cgroup.procs")) {
        join(out, held, text);
        return true;
    }
    if (strchr(held, '[') && strchr(held, ']')) {
        if (!select_word(out, held, text))
            return false;
    } else if (is_named(path, "cgroup.subtree_control") && (*text == '+' || *text == '-')) {
        switch_words(out, held, text);
    } else {
        size_t n = strlen(text);
        while (n && text[n - 1] == '\n')
            n--;
        buf_add(out, text, n);
    }
    const size_t n = strlen(held);
    buf_str(out, n > 1 && !strcmp(held + n - 2, "\r\n") ? "\r\n" : ends_a_line(held, n) ? "\n" : "");
    return true;
}

static enum tare_status allowed(const struct system_root *root, const char *path, struct tare_err *err)
{
    return root->before_write ? root->before_write(root->context, path, err) : TARE_OK;
}

static enum tare_status find_to_change(const struct system_root *root, struct place *p, const char *path, bool is_new,
                                       struct tare_err *err)
{
    enum tare_status status = is_new ? find_new(root, p, path, err) : find_place(root, p, path, err);
    return status ? status : allowed(root, path, err);
}

/* Of a folder that the system fills itself: a control group, a power plan. */
static bool is_group_file(const char *path)
{
    static const char groups[] = "/sys/fs/cgroup/", plans[] = "/windows/powercfg/";
    return !strncmp(path, groups, sizeof groups - 1) || !strncmp(path, plans, sizeof plans - 1);
}

/* The bytes as they are, line end and all; nothing where there is no file yet. */
static enum tare_status read_held(const struct system_root *root, const struct place *p, struct buf *held, struct tare_err *err)
{
    enum tare_status status = check_ordinary(root, p, err);
    if (!status)
        status = plat_file_read(p->text, held, err);
    if (!status && held->len && memchr(held->data, 0, held->len))
        return err_set(err, TARE_FORMAT, "%s is not text", p->text);
    return status == TARE_NOT_FOUND ? TARE_OK : status;
}

/* In a copied tree there is no kernel to make of the value what the file then holds. */
static enum tare_status write_copy(const struct system_root *root, const struct place *p, const char *path, const char *text,
                                   int *error, struct tare_err *err)
{
    struct buf held = BUF_INIT(ROOT_FILE_MAX), now = BUF_INIT(ROOT_FILE_MAX);
    enum tare_status status = read_held(root, p, &held, err);
    bool taken = !status && copied_file_takes(&now, path, buf_text(&held), text);
    if (!status && !taken)
        status = err_set(err, TARE_INVALID, "cannot write '%s' to %s: it offers no such word", text, path);
    if (!status && now.status)
        status = err_set(err, now.status, "cannot write to %s: %s", path, tare_status_text(now.status));
    if (!status)
        status = plat_setting_write(p->text, buf_text(&now), PLAT_SETTING_COPIED, error, err);
    buf_finish(&held);
    buf_finish(&now);
    return status;
}

enum tare_status root_write(const struct system_root *root, const char *path, const char *text, int *error, struct tare_err *err)
{
    struct place p;
    *error = 0;
    bool made = is_copied(root) && is_group_file(path) && !root_exists(root, path);
    enum tare_status status = find_to_change(root, &p, path, made, err);
    if (status)
        return status;
    return is_copied(root) ? write_copy(root, &p, path, text, error, err)
                           : plat_setting_write(p.text, text, PLAT_SETTING_THERE, error, err);
}

/* Bytes without the blanks that such a write leaves behind the value. */
static size_t without_padding(const struct buf *held)
{
    size_t n = held->len;
    bool lines = ends_a_line(held->data, held->len);
    while (n > lines && held->data[n - 1 - lines] == (lines ? '\n' : ' '))
        n--;
    return n;
}

enum tare_status root_mend(const struct system_root *root, const char *path, int *error, struct tare_err *err)
{
    struct place p;
    struct buf held = BUF_INIT(ROOT_FILE_MAX);
    *error = 0;
    if (!is_copied(root))
        return TARE_OK;
    enum tare_status status = find_place(root, &p, path, err);
    if (!status)
        status = read_held(root, &p, &held, err);
    size_t n = status ? held.len : without_padding(&held);
    if (n < held.len) {
        held.data[held.len = n] = 0;
        status = allowed(root, path, err);
        status = status ? status : plat_setting_write(p.text, held.data, PLAT_SETTING_COPIED, error, err);
    }
    buf_finish(&held);
    return status;
}

enum tare_status root_task_left(const struct system_root *root, const char *path, const char *task, struct tare_err *err)
{
    struct place p;
    int error;
    if (!is_copied(root))
        return TARE_OK;
    struct buf held = BUF_INIT(ROOT_FILE_MAX), now = BUF_INIT(ROOT_FILE_MAX);
    enum tare_status status = find_place(root, &p, path, err);
    if (!status)
        status = read_held(root, &p, &held, err);
    if (!status) {
        copied_file_loses(&now, buf_text(&held), task);
        status = now.status ? now.status : plat_setting_write(p.text, buf_text(&now), PLAT_SETTING_COPIED, &error, err);
    }
    buf_finish(&held);
    buf_finish(&now);
    return status;
}

/* In a copied tree nothing would take back what was written. */
static enum tare_status hold_copy(const struct place *p, int *fd, struct tare_err *err)
{
    *fd = plat_open_input(p->text, err);
    return *fd < 0 ? TARE_IO : TARE_OK;
}

enum tare_status root_hold(const struct system_root *root, const char *path, const char *text, int *fd, int *error,
                           struct tare_err *err)
{
    struct place p;
    *error = 0;
    *fd = -1;
    enum tare_status status = find_to_change(root, &p, path, false, err);
    if (status)
        return status;
    return is_copied(root) ? hold_copy(&p, fd, err) : plat_setting_hold(p.text, text, fd, error, err);
}

enum tare_status root_make_folder(const struct system_root *root, const char *path, int *error, struct tare_err *err)
{
    struct place p;
    *error = 0;
    enum tare_status status = find_to_change(root, &p, path, true, err);
    return status ? status : plat_setting_folder_make(p.text, error, err);
}

/* A kernel takes a group's files along; in a copied tree they are files like others. Folders within keep it. */
static bool is_leaf(const struct system_root *root, const char *path, const struct buf *names)
{
    struct buf inner = BUF_INIT(PATH_ROOM), found = BUF_INIT(ROOT_FILE_MAX);
    bool leaf = true;
    for (const char *name = names->data, *end = names->data + names->len; leaf && name < end; name += strlen(name) + 1) {
        int n;
        buf_clear(&inner);
        buf_format(&inner, "%s/%s", path, name);
        leaf = !inner.status && root_list(root, buf_text(&inner), &found, &n, NULL);
    }
    buf_finish(&inner);
    buf_finish(&found);
    return leaf;
}

static enum tare_status remove_copy(const struct system_root *root, const char *path, const char *real, int *error,
                                    struct tare_err *err)
{
    struct buf names = BUF_INIT(ROOT_FILE_MAX);
    int n;
    enum tare_status status = root_list(root, path, &names, &n, err);
    if (!status && is_group_file(path) && is_leaf(root, path, &names))
        status = plat_directory_remove(real, err);
    else if (!status)
        status = plat_setting_folder_remove(real, error, err);
    buf_finish(&names);
    return status;
}

enum tare_status root_remove_folder(const struct system_root *root, const char *path, int *error, struct tare_err *err)
{
    struct place p;
    *error = 0;
    if (!root_exists(root, path))
        return TARE_OK;
    enum tare_status status = find_to_change(root, &p, path, false, err);
    if (status)
        return status;
    return is_copied(root) ? remove_copy(root, path, p.text, error, err) : plat_setting_folder_remove(p.text, error, err);
}
