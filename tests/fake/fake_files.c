/* SPDX-License-Identifier: MIT
 *
 * Real files, seen through the script: canned /proc, disks that fill up, descriptors that run out.
 */
#include "fake_real.h"
#include "fake_state.h"
#include "posix.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- reading ---- */

static const struct fake_canned *canned(const struct fake_state *w, const char *path)
{
    const struct fake_canned *found = NULL;
    for (const struct fake_canned *f = w->script.files; f; f = f->next)
        if (fake_elapsed(w) >= f->from_ns && !strcmp(f->path, path))
            found = f;
    return found;
}

static bool under(const char *path, const char *root)
{
    size_t n = strlen(root);
    return !strncmp(path, root, n) && (!path[n] || path[n] == '/');
}

/* What tells of the machine beneath, which must not show through. */
static bool of_this_machine(const char *path)
{
    return under(path, "/proc") || under(path, "/sys") || under(path, "/etc/os-release") || under(path, "/usr/lib/os-release");
}

enum tare_status plat_file_read(const char *path, struct buf *out, struct tare_err *err)
{
    const struct fake_canned *f = canned(fake_state(), path);
    if (!f && of_this_machine(path))
        return posix_fail(err, ENOENT, "cannot open %s", path);
    if (!f)
        return real_file_read(path, out, err);
    if (f->kind == CANNED_DENIED)
        return posix_fail(err, EACCES, "cannot open %s", path);
    buf_add(out, f->text.bytes, f->text.n);
    return out->status ? err_set(err, out->status, "cannot read %s: %s", path, tare_status_text(out->status)) : TARE_OK;
}

enum tare_status plat_file_pour(const char *path, const struct sink *sink, struct tare_err *err)
{
    const struct fake_canned *f = canned(fake_state(), path);
    if (f && f->kind != CANNED_DENIED)
        return f->text.n ? sink->write(sink->context, f->text.bytes, f->text.n, err) : TARE_OK;
    return posix_fail(err, f ? EACCES : ENOENT, "cannot open %s", path);
}

enum tare_status plat_input_pour(const char *path, const struct sink *sink, struct tare_err *err)
{
    bool real = !canned(fake_state(), path) && !of_this_machine(path);
    return real ? real_input_pour(path, sink, err) : plat_file_pour(path, sink, err);
}

/* Of canned files only: what real ones are differs from machine to machine. They are as old as the script's wall clock. One that takes another's place
 * is another file. */
enum tare_status plat_file_state(const char *path, struct plat_file_state *out, struct tare_err *err)
{
    const struct fake_state *w = fake_state();
    const struct fake_canned *f = canned(w, path);
    if (!f)
        return posix_fail(err, ENOENT, "cannot open %s", path);
    *out = (struct plat_file_state){
        .bytes = (int64_t)f->text.n, .modified_utc_ns = w->script.utc_ns, .inode = (uint64_t)f->from_ns, .regular = true};
    return TARE_OK;
}

/* ---- descriptors ---- */

static bool take_descriptors(int n)
{
    struct fake_state *w = fake_state();
    if (w->script.descriptors >= 0 && w->descriptors + n > w->script.descriptors)
        return false;
    w->descriptors += n;
    return true;
}

static void give_descriptors(int n)
{
    fake_state()->descriptors -= n;
}

static enum tare_status exhausted(struct tare_err *err, const char *what)
{
    return posix_fail(err, EMFILE, "cannot open %s", what);
}

/* An opened descriptor counts; a failure to open gives its place back. */
static int opened(int fd)
{
    if (fd < 0)
        give_descriptors(1);
    return fd;
}

int plat_open_null(void)
{
    return take_descriptors(1) ? opened(real_open_null()) : -1;
}

int plat_open_input(const char *path, struct tare_err *err)
{
    if (take_descriptors(1))
        return opened(real_open_input(path, err));
    exhausted(err, path);
    return -1;
}

int plat_open_output(const char *path, struct tare_err *err)
{
    if (take_descriptors(1))
        return opened(real_open_output(path, err));
    exhausted(err, path);
    return -1;
}

int plat_open_scratch(struct tare_err *err)
{
    if (take_descriptors(1))
        return opened(real_open_scratch(err));
    exhausted(err, "a file in memory");
    return -1;
}

enum tare_status plat_pipe(int *read_end, int *write_end, struct tare_err *err)
{
    if (!take_descriptors(2))
        return exhausted(err, "a pipe");
    enum tare_status status = real_pipe(read_end, write_end, err);
    if (status)
        give_descriptors(2);
    return status;
}

void plat_close(int fd)
{
    if (fd >= 0)
        give_descriptors(1);
    real_close(fd);
}

/* ---- writing ---- */

/* Only names temporary files; two fakes may write side by side, so it must differ between processes. */
uint64_t real_random_seed(void)
{
    static uint64_t calls;
    return (uint64_t)getpid() << 16 ^ ++calls;
}

struct plat_file {
    struct real_file *real;
    const char *path;
};

static bool applies(const struct fake_disk *d, const char *path)
{
    return !d->file || !strcmp(d->file, path);
}

static bool creation_denied(const char *path)
{
    for (const struct fake_disk *d = fake_state()->script.disks; d; d = d->next)
        if (d->denied && applies(d, path))
            return true;
    return false;
}

static struct plat_file *file_new(const char *path)
{
    struct plat_file *f = calloc(1, sizeof *f + strlen(path) + 1);
    if (f)
        f->path = strcpy((char *)(f + 1), path);
    return f;
}

enum tare_status plat_file_create(struct plat_file **out, const char *path, enum plat_file_mode mode, struct tare_err *err)
{
    *out = NULL;
    if (creation_denied(path))
        return posix_fail(err, EACCES, "cannot write %s", path);
    if (!take_descriptors(1))
        return exhausted(err, path);
    struct plat_file *f = file_new(path);
    enum tare_status status =
        f ? real_file_create(&f->real, path, mode, err) : err_set(err, TARE_NO_MEMORY, "cannot write %s: out of memory", path);
    if (status) {
        give_descriptors(1);
        free(f);
        return status;
    }
    *out = f;
    return TARE_OK;
}

/* What still fits on every disk the file is on, and is counted as written there. */
static size_t fitting(const char *path, size_t n)
{
    struct fake_disk *disks = fake_state()->script.disks;
    for (const struct fake_disk *d = disks; d; d = d->next)
        if (!d->denied && applies(d, path) && (int64_t)n > d->limit_bytes - d->written_bytes)
            n = (size_t)(d->limit_bytes - d->written_bytes);
    for (struct fake_disk *d = disks; d; d = d->next)
        if (!d->denied && applies(d, path))
            d->written_bytes += (int64_t)n;
    return n;
}

enum tare_status plat_file_write(struct plat_file *f, const void *bytes, size_t n, struct tare_err *err)
{
    size_t part = fitting(f->path, n);
    enum tare_status status = real_file_write(f->real, bytes, part, err);
    if (!status && part < n)
        return posix_fail(err, ENOSPC, "cannot write %s", f->path);
    return status;
}

enum tare_status plat_file_cut(struct plat_file *f, int64_t bytes, struct tare_err *err)
{
    return real_file_cut(f->real, bytes, err);
}

enum tare_status plat_file_settle(struct plat_file *f, struct tare_err *err)
{
    return real_file_settle(f->real, err);
}

enum tare_status plat_file_settle_both(struct plat_file *f, struct plat_file *beside, struct tare_err *err)
{
    return real_file_settle_both(f->real, beside ? beside->real : NULL, err);
}

bool plat_file_intact(const struct plat_file *f)
{
    return real_file_intact(f->real);
}

enum tare_status plat_file_renew(struct plat_file **out, const struct plat_file *lost, struct tare_err *err)
{
    struct plat_file *f = *out = file_new(lost->path);
    if (!f)
        return err_set(err, TARE_NO_MEMORY, "cannot write %s: out of memory", lost->path);
    enum tare_status status = TARE_OK;
    if (!take_descriptors(1))
        status = exhausted(err, lost->path);
    else if ((status = real_file_renew(&f->real, lost->real, err)))
        give_descriptors(1);
    if (status)
        free(f);
    return status;
}

static void file_free(struct plat_file *f)
{
    give_descriptors(1);
    free(f);
}

enum tare_status plat_file_commit(struct plat_file *f, struct tare_err *err)
{
    enum tare_status status = real_file_commit(f->real, err);
    file_free(f);
    return status;
}

void plat_file_abandon(struct plat_file *f)
{
    if (!f)
        return;
    real_file_abandon(f->real);
    file_free(f);
}
