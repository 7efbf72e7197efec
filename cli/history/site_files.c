/* SPDX-License-Identifier: MIT */
#include "site_files.h"
#include "plat.h"
#include "same_text.h"
#include <stdlib.h>
#include <string.h>

/* The manifest: MARKER, and "state TEXT" once all files are there. */
#define MANIFEST "site.manifest"
#define MARKER   "tare history html 1\n"
enum { PATH_MOST = 1 << 16, MANIFEST_MOST = 1 << 30 };

static enum tare_status no_memory(struct tare_err *err)
{
    return err_set(err, TARE_NO_MEMORY, "no memory for the list of the pages");
}

static const char *path_of(const struct site_files *f, const char *name, struct buf *b)
{
    buf_clear(b);
    buf_format(b, "%s/%s", f->folder, name);
    return buf_text(b);
}

static enum tare_status remove_file(const struct site_files *f, const char *name, struct tare_err *err)
{
    struct buf path = BUF_INIT(PATH_MOST);
    enum tare_status status = plat_file_remove(path_of(f, name, &path), err);
    buf_finish(&path);
    return status;
}

/* Nothing else that is complete is ever removed. */
static bool is_page(const char *name, size_t n)
{
    return n == SITE_NAME_BYTES - 1 + strlen(".html") && strspn(name, "0123456789abcdef") == SITE_NAME_BYTES - 1 &&
           !strncmp(name + SITE_NAME_BYTES - 1, ".html", strlen(".html"));
}

static bool is_ours(const char *name, size_t n)
{
    static const char *const others[] = {MANIFEST, "index.html", "feed.xml", "style.css", "commits.js"};
    struct site_asset asset;
    bool ours = is_page(name, n);
    for (size_t i = 0; !ours && i < sizeof others / sizeof *others; i++)
        ours = n == strlen(others[i]) && !strncmp(name, others[i], n);
    for (int i = 0; !ours && (asset = site_asset(i)).name; i++)
        ours = n == strlen(asset.name) && !strncmp(name, asset.name, n);
    return ours;
}

static bool left_over(const char *name)
{
    const size_t n = plat_file_left_over(name);
    return n && is_ours(name, n);
}

static enum tare_status read_manifest(struct site_files *f, struct tare_err *err)
{
    struct buf path = BUF_INIT(PATH_MOST), text = BUF_INIT(MANIFEST_MOST), expected = BUF_INIT(PATH_MOST);
    struct plat_file_state state;
    enum tare_status status = plat_file_state(path_of(f, MANIFEST, &path), &state, err);
    if (!status && !state.regular)
        status = err_set(err, TARE_INVALID, "%s: its %s is no regular file; give an empty folder", f->folder, MANIFEST);
    if (!status)
        status = plat_file_read(buf_text(&path), &text, err);
    if (!status && strncmp(buf_text(&text), MARKER, strlen(MARKER)))
        status = err_set(err, TARE_INVALID, "%s: its %s is not one of tare's; give an empty folder", f->folder, MANIFEST);
    buf_format(&expected, MARKER "state\t%s\n", f->state);
    f->same = !status && !strcmp(buf_text(&text), buf_text(&expected));
    buf_finish(&path);
    buf_finish(&text);
    buf_finish(&expected);
    return status;
}

static enum tare_status look_at(struct site_files *f, struct tare_err *err)
{
    const char *foreign = NULL;
    bool ours = false;
    for (int i = 0; i < f->n; i++) {
        ours |= !strcmp(f->names[i], MANIFEST);
        foreign = *f->names[i] == '.' ? foreign : f->names[i];
    }
    if (!ours && foreign)
        return err_set(err, TARE_INVALID, "%s has files that tare did not write, as %.200s; give a new or an empty folder",
                       f->folder, foreign);
    enum tare_status status = ours ? read_manifest(f, err) : TARE_OK;
    for (int i = 0; i < f->n && !status; i++)
        if (left_over(f->names[i]))
            status = remove_file(f, f->names[i], err);
    return status;
}

enum tare_status site_files_open(struct site_files *f, const char *folder, const char *state, struct arena *a,
                                 struct tare_err *err)
{
    struct buf names = BUF_INIT(1 << 28);
    *f = (struct site_files){.folder = folder, .state = state};
    enum tare_status status = plat_directory_make(folder, err);
    if (!status)
        status = plat_directory_list(folder, &names, &f->n, err);
    const char *name = status ? NULL : arena_copy(a, buf_text(&names), names.len);
    f->names = arena_array(a, (size_t)f->n + 1, sizeof *f->names);
    f->kept = arena_array(a, (size_t)f->n + 1, sizeof *f->kept);
    if (!status && (!name || !f->names || !f->kept))
        status = no_memory(err);
    for (int i = 0; i < f->n && !status; i++, name += strlen(name) + 1)
        f->names[i] = name;
    buf_finish(&names);
    return status ? status : look_at(f, err);
}

bool site_files_keep(struct site_files *f, const char *name)
{
    const char **found = f->n ? bsearch(&name, f->names, (size_t)f->n, sizeof *f->names, text_order) : NULL;
    if (found)
        f->kept[found - f->names] = true;
    return found;
}

static bool same_content(const char *path, const void *bytes, size_t n)
{
    struct plat_file_state state;
    struct tare_err ignored;
    struct buf there = BUF_INIT(n + 1);
    bool same = !plat_file_state(path, &state, &ignored) && state.regular && state.bytes == (int64_t)n &&
                !plat_file_read(path, &there, &ignored) && there.len == n && !memcmp(buf_text(&there), bytes, n);
    buf_finish(&there);
    return same;
}

enum tare_status site_files_put(const struct site_files *f, const char *name, const void *bytes, size_t n, bool *written,
                                struct tare_err *err)
{
    struct buf path = BUF_INIT(PATH_MOST);
    *written = !same_content(path_of(f, name, &path), bytes, n);
    enum tare_status status = *written ? plat_file_put(buf_text(&path), bytes, n, err) : TARE_OK;
    buf_finish(&path);
    return status;
}

static enum tare_status put_manifest(const struct site_files *f, const char *state, struct tare_err *err)
{
    bool written;
    struct buf text = BUF_INIT(MANIFEST_MOST);
    buf_format(&text, MARKER "%s%s%s", state ? "state\t" : "", state ? state : "", state ? "\n" : "");
    enum tare_status status = text.status ? no_memory(err) : site_files_put(f, MANIFEST, text.data, text.len, &written, err);
    buf_finish(&text);
    return status;
}

enum tare_status site_files_begin(const struct site_files *f, struct tare_err *err)
{
    return put_manifest(f, NULL, err);
}

enum tare_status site_files_close(const struct site_files *f, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < f->n && !status; i++)
        if (!f->kept[i] && is_page(f->names[i], strlen(f->names[i])))
            status = remove_file(f, f->names[i], err);
    return status ? status : put_manifest(f, f->state, err);
}
