/* SPDX-License-Identifier: MIT */
#include "quota.h"
#include "plat.h"
#include "plat_thread.h"
#include "proc_text.h"
#include <string.h>

enum { TEXT_MAX = 1 << 20, PATH_MAX_BYTES = 1 << 16, STAT_MAX = 1024 };

struct walk {
    const struct quota_walk *by;
    enum proc_groups version;
    struct buf folder, path, text; /* the group's folder; a file in it; what it says */
    size_t top;                    /* length of the mount's path: the folder is never shorter */
};

static bool read_in(struct walk *w, const char *file)
{
    buf_clear(&w->path);
    buf_clear(&w->text);
    buf_format(&w->path, "%s/%s", buf_text(&w->folder), file);
    return !w->path.status && w->by->read(w->by->context, w->path.data, &w->text);
}

static bool number_in(struct walk *w, const char *file, int64_t *out)
{
    if (!read_in(w, file))
        return false;
    struct buf line = BUF_INIT(TEXT_MAX); /* a minus, which stands for no quota, is no digit and so no number */
    buf_format(&line, "value %s", buf_text(&w->text));
    bool known = proc_value_parse(buf_text(&line), line.len, "value", out);
    buf_finish(&line);
    return known;
}

/* 0: no quota here. */
static double group_cpus(struct walk *w)
{
    int64_t quota, period;
    double cpus = 0;
    if (w->version == PROC_GROUPS_2)
        return read_in(w, "cpu.max") && proc_cpu_max_parse(buf_text(&w->text), w->text.len, &cpus) ? cpus : 0;
    bool known = number_in(w, "cpu.cfs_quota_us", &quota) && number_in(w, "cpu.cfs_period_us", &period);
    return known && quota > 0 && period > 0 ? (double)quota / (double)period : 0;
}

static bool go_up(struct walk *w)
{
    size_t n = w->folder.len;
    while (n > w->top && w->folder.data[n - 1] != '/')
        n--;
    if (n <= w->top)
        return false;
    w->folder.len = n - 1 > w->top ? n - 1 : w->top;
    w->folder.data[w->folder.len] = 0;
    return true;
}

/* The part of `group` below `root`, the group that is mounted; "" when it lies elsewhere, as seen from a container. */
static const char *below(const char *group, const char *root)
{
    size_t n = strcmp(root, "/") ? strlen(root) : 0;
    if (strncmp(group, root, n) || (group[n] && group[n] != '/'))
        return "";
    return strcmp(group + n, "/") ? group + n : "";
}

/* False: this hierarchy is not there. */
static bool look_through(const struct quota_walk *by, enum proc_groups version, const char *groups, const char *mounts)
{
    struct walk w = {.by = by,
                     .version = version,
                     .folder = BUF_INIT(PATH_MAX_BYTES),
                     .path = BUF_INIT(PATH_MAX_BYTES),
                     .text = BUF_INIT(TEXT_MAX)};
    struct buf group = BUF_INIT(PATH_MAX_BYTES), root = BUF_INIT(PATH_MAX_BYTES);
    bool there = proc_group_parse(groups, version, &group) && proc_mount_parse(mounts, version, &root, &w.folder);
    if (there) {
        w.top = w.folder.len;
        buf_str(&w.folder, below(buf_text(&group), buf_text(&root)));
        if (!w.folder.status) {
            do {
                double cpus = group_cpus(&w);
                if (cpus > 0)
                    by->group(by->context, buf_text(&w.folder), cpus);
            } while (go_up(&w));
        }
    }
    struct buf *all[] = {&w.folder, &w.path, &w.text, &group, &root};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_finish(all[i]);
    return there;
}

bool quota_each(const struct quota_walk *w, const char *groups, const char *mounts)
{
    bool first = look_through(w, PROC_GROUPS_1, groups, mounts), second = look_through(w, PROC_GROUPS_2, groups, mounts);
    return first || second;
}

static bool read_file(void *context, const char *path, struct buf *out)
{
    (void)context;
    return plat_file_read(path, out, NULL) == TARE_OK;
}

static void add_group(void *context, const char *folder, double cpus)
{
    struct noise_quota *q = context;
    if (q->n == QUOTA_LEVELS)
        return;
    if (!q->n || cpus < q->cpus) {
        q->cpus = cpus;
        struct buf name = buf_over(q->group, sizeof q->group);
        name.longest = QUOTA_PATH - 1;
        buf_format(&name, "%s", folder);
    }
    struct buf path = BUF_INIT(PATH_MAX_BYTES);
    buf_format(&path, "%s/cpu.stat", folder);
    q->fd[q->n++] = plat_reread_open(buf_text(&path), NULL);
    buf_finish(&path);
}

enum tare_status noise_quota_open(struct noise_quota *q, struct tare_err *err)
{
    *q = (struct noise_quota){0};
    struct buf groups = BUF_INIT(TEXT_MAX), mounts = BUF_INIT(TEXT_MAX);
    enum tare_status status = plat_file_read("/proc/self/cgroup", &groups, err);
    if (!status)
        status = plat_file_read("/proc/self/mountinfo", &mounts, err);
    if (!status) {
        const struct quota_walk walk = {read_file, add_group, q};
        q->known = quota_each(&walk, buf_text(&groups), buf_text(&mounts));
        if (!q->known)
            status = err_set(err, TARE_UNSUPPORTED, "no control group of CPUs is mounted here");
    }
    buf_finish(&groups);
    buf_finish(&mounts);
    return status && status != TARE_NO_MEMORY ? TARE_UNSUPPORTED : status;
}

void noise_quota_close(struct noise_quota *q)
{
    for (int i = 0; i < q->n; i++)
        plat_reread_close(q->fd[i]);
    *q = (struct noise_quota){0};
}

/* What they say; nothing is allocated from here on. */

/* One of two keys: version 2 counts microseconds under another name than version 1 its nanoseconds. -1: neither is there. */
static int64_t value_of(int fd, const char *key, int64_t factor, const char *other_key)
{
    char text[STAT_MAX];
    int64_t n = plat_reread(fd, text, sizeof text), value;
    if (n <= 0)
        return -1;
    if (proc_value_parse(text, (size_t)n, key, &value))
        return value < INT64_MAX / factor ? value * factor : -1;
    return proc_value_parse(text, (size_t)n, other_key, &value) ? value : -1;
}

static int64_t sum_of(const struct noise_quota *q, const char *key, int64_t factor, const char *other_key)
{
    int64_t total = q->known ? 0 : -1;
    for (int i = 0; i < q->n; i++) {
        int64_t value = value_of(q->fd[i], key, factor, other_key);
        if (value < 0 || value > INT64_MAX - total)
            return -1;
        total += value;
    }
    return total;
}

int64_t noise_quota_throttled_ns(const struct noise_quota *q)
{
    return sum_of(q, "throttled_usec", 1000, "throttled_time");
}

int64_t noise_quota_periods(const struct noise_quota *q)
{
    return sum_of(q, "nr_throttled", 1, "nr_throttled");
}
