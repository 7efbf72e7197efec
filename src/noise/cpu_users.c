/* SPDX-License-Identifier: MIT */
#include "cpu_users.h"
#include "plat.h"
#include "plat_thread.h"
#include <stdlib.h>
#include <string.h>

enum { IDS_MAX = 1 << 16, STAT_MAX = 1024, LOOK_AT_CLOCK_EVERY = 8, TICKS_PER_SECOND = 100 };
static const double NAMED_SECONDS = 0.02, NAMED_SHARE = 0.01;

struct cpu_seen {
    int64_t id, started, ticks;
};

/* ---- one look ---- */

/* A hundred of these come before a first run, so: one open, one read, no heap. */
static bool read_process(int id, struct proc_process *p)
{
    char path[32], text[STAT_MAX];
    struct buf name = buf_over(path, sizeof path);
    buf_format(&name, "/proc/%d/stat", id);
    int fd = plat_reread_open(path, NULL);
    int64_t n = plat_reread(fd, text, sizeof text);
    plat_reread_close(fd);
    return n > 0 && proc_process_parse(text, (size_t)n, p) && p->id == id;
}

static bool read_total(struct buf *text, struct proc_cpu *out)
{
    buf_clear(text);
    return plat_file_read("/proc/stat", text, NULL) == TARE_OK && proc_cpu_parse(buf_text(text), text->len, out);
}

static int newest_first(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x < y) - (x > y);
}

/* All processes, newest first as far as ids tell; *n of them. The caller frees; NULL: no memory or no /proc. */
static int *process_ids(int *n)
{
    int *ids = malloc(IDS_MAX * sizeof *ids);
    *n = ids ? plat_process_ids(ids, IDS_MAX) : -1;
    if (*n < 0) {
        free(ids);
        return NULL;
    }
    *n = *n < IDS_MAX ? *n : IDS_MAX;
    qsort(ids, (size_t)*n, sizeof *ids, newest_first);
    return ids;
}

/* What tare itself, its spawner and the programs that this has waited for have used so far. */
static int64_t own_ticks(const struct cpu_watch *w, int64_t *started)
{
    struct proc_process p;
    if (!read_process(plat_pid(), &p))
        return -1;
    int64_t ticks = p.ticks;
    if (started)
        *started = p.started;
    if (w->spawner && read_process(w->spawner, &p))
        ticks += p.ticks + p.children_ticks;
    return ticks;
}

static bool is_ours(const struct cpu_watch *w, int id)
{
    return id == plat_pid() || id == w->spawner;
}

/* ---- begin ---- */

static int by_id(const void *a, const void *b)
{
    int64_t x = ((const struct cpu_seen *)a)->id, y = ((const struct cpu_seen *)b)->id;
    return (x > y) - (x < y);
}

static void look(struct cpu_watch *w, const int *ids, int n, int64_t end_ns)
{
    w->seen = malloc((size_t)(n + 1) * sizeof *w->seen);
    for (int i = 0; i < n && w->seen; i++) {
        struct proc_process p;
        if (i % LOOK_AT_CLOCK_EVERY == 0 && plat_now_ns() > end_ns)
            break;
        if (!is_ours(w, ids[i]) && read_process(ids[i], &p))
            w->seen[w->n++] = (struct cpu_seen){p.id, p.started, p.ticks};
    }
    if (w->seen)
        qsort(w->seen, (size_t)w->n, sizeof *w->seen, by_id);
}

void cpu_watch_begin(struct cpu_watch *w, int spawner, int64_t budget_ns)
{
    cpu_watch_finish(w);
    w->spawner = spawner;
    w->began_ns = plat_now_ns();
    struct buf text = BUF_INIT(1 << 24);
    int n, *ids = process_ids(&n);
    if (ids) {
        look(w, ids, n, w->began_ns + budget_ns);
        w->own_ticks = own_ticks(w, &w->started);
        w->known = w->seen && w->own_ticks >= 0 && read_total(&text, &w->total);
    }
    free(ids);
    buf_finish(&text);
}

void cpu_watch_finish(struct cpu_watch *w)
{
    free(w->seen);
    *w = (struct cpu_watch){0};
}

/* ---- end ---- */

/* Since the begin; 0 for one that is older than we are and was not looked at then. */
static int64_t used(const struct cpu_watch *w, const struct proc_process *p)
{
    struct cpu_seen key = {.id = p->id};
    const struct cpu_seen *before = bsearch(&key, w->seen, (size_t)w->n, sizeof key, by_id);
    if (before && before->started == p->started)
        return p->ticks - before->ticks;
    return p->started >= w->started ? p->ticks : 0;
}

static void rank(struct cpu_users *out, const struct proc_process *p, double seconds)
{
    if (seconds < NAMED_SECONDS || seconds < NAMED_SHARE * out->window_seconds)
        return;
    int at = out->n;
    while (at > 0 && out->top[at - 1].seconds < seconds)
        at--;
    out->more += out->n == CPU_USERS_TOP;
    out->n += out->n < CPU_USERS_TOP;
    if (at == CPU_USERS_TOP)
        return;
    for (int i = out->n - 1; i > at; i--)
        out->top[i] = out->top[i - 1];
    out->top[at] = (struct cpu_user){.id = p->id, .seconds = seconds};
    memcpy(out->top[at].name, p->name, sizeof p->name);
}

/* The sum over all processes that are not ours. */
static int64_t name_users(const struct cpu_watch *w, const int *ids, int n, struct cpu_users *out)
{
    int64_t named = 0;
    for (int i = 0; i < n; i++) {
        struct proc_process p;
        if (is_ours(w, ids[i]) || !read_process(ids[i], &p))
            continue;
        int64_t ticks = used(w, &p);
        named += ticks;
        rank(out, &p, (double)ticks / TICKS_PER_SECOND);
    }
    return named;
}

static bool account(struct cpu_watch *w, struct cpu_users *out, struct buf *text)
{
    struct proc_cpu total;
    int64_t own = own_ticks(w, NULL);
    if (own < 0 || !read_total(text, &total))
        return false;
    out->window_seconds = (double)(plat_now_ns() - w->began_ns) / 1e9;
    out->steal_seconds = (double)(total.steal - w->total.steal) / TICKS_PER_SECOND;
    int64_t others = total.busy - w->total.busy - (own - w->own_ticks);
    out->seconds = (double)others / TICKS_PER_SECOND;
    int n, *ids = process_ids(&n);
    if (ids)
        out->unnamed_seconds = (double)(others - name_users(w, ids, n, out)) / TICKS_PER_SECOND;
    free(ids);
    return ids;
}

enum tare_status cpu_watch_end(struct cpu_watch *w, struct cpu_users *out, struct tare_err *err)
{
    *out = (struct cpu_users){0};
    struct buf text = BUF_INIT(1 << 24);
    bool good = w->known && account(w, out, &text);
    buf_finish(&text);
    return good ? TARE_OK : err_set(err, TARE_UNSUPPORTED, "/proc does not tell who used the CPUs");
}
