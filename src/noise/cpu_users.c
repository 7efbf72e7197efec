/* SPDX-License-Identifier: MIT */
#include "cpu_users.h"
#include "arena.h"
#include "plat.h"
#include "plat_thread.h"
#include <stdlib.h>
#include <string.h>

enum { IDS_MAX = 1 << 16, STAT_MAX = 1024, LOOK_AT_CLOCK_EVERY = 8, TICKS_PER_SECOND = 100 };
static const int64_t END_NS = 1000000000; /* nothing waits for the last look */
static const double NAMED_SECONDS = 0.02, NAMED_SHARE = 0.01;

/* A process as it was at the first and the last look that saw it. */
struct cpu_seen {
    int64_t id, started, first_ticks, last_ticks;
    char name[PROC_NAME_MAX];
};

/* A hundred of these come before a first run, so: one open, one read, no heap. */
static bool read_process(int id, struct proc_process *p)
{
    char path[32], text[STAT_MAX];
    buf_print(path, sizeof path, "/proc/%d/stat", id);
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

/* What tare itself, its spawner and all that they have waited for have used so far: sessions within this one have spawners of their own, which have ended
 * by now. */
static int64_t own_ticks(const struct cpu_watch *w, int64_t *started)
{
    struct proc_process p;
    if (!read_process(plat_pid(), &p))
        return -1;
    int64_t ticks = p.ticks + p.children_ticks;
    if (started)
        *started = p.started;
    if (w->spawner && read_process(w->spawner, &p))
        ticks += p.ticks + p.children_ticks;
    return ticks;
}

static int by_id(const void *a, const void *b)
{
    int64_t x = ((const struct cpu_seen *)a)->id, y = ((const struct cpu_seen *)b)->id;
    return (x > y) - (x < y);
}

/* Among the first n, which are sorted. An id that came to another process is not found. */
static struct cpu_seen *find_seen(const struct cpu_watch *w, int n, const struct proc_process *p)
{
    struct cpu_seen key = {.id = p->id};
    struct cpu_seen *s = n ? bsearch(&key, w->seen, (size_t)n, sizeof key, by_id) : NULL;
    while (s && s > w->seen && s[-1].id == p->id)
        s--;
    for (; s && s < w->seen + n && s->id == p->id; s++)
        if (s->started == p->started)
            return s;
    return NULL;
}

/* A child that was there at the first look is of whoever was this process before its exec, or an orphan that came to us as process 1. The spawner of a session
 * around this one is idle meanwhile. */
static bool is_own_child(const struct cpu_watch *w, int sorted, const struct proc_process *p, bool first_look)
{
    return p->parent == plat_pid() && !first_look && !find_seen(w, sorted, p);
}

/* Of one that is older than we are and comes into sight only now it is not known what it used before. */
static void note_process(struct cpu_watch *w, int sorted, const struct proc_process *p, bool first_look)
{
    struct cpu_seen *s = find_seen(w, sorted, p);
    if (!s && w->n < 4 * IDS_MAX && array_room(&w->seen, w->n, &w->room, sizeof *w->seen)) {
        s = &w->seen[w->n++];
        *s = (struct cpu_seen){.id = p->id, .started = p->started};
        s->first_ticks = !first_look && p->started >= w->started ? 0 : p->ticks;
    }
    if (!s)
        return;
    s->last_ticks = p->ticks;
    memcpy(s->name, p->name, sizeof s->name);
}

static bool look_at_processes(struct cpu_watch *w, int64_t budget_ns, bool first_look)
{
    w->below_ticks = 0;
    int64_t end_ns = plat_now_ns() + budget_ns;
    int n, *ids = process_ids(&n), sorted = w->n;
    for (int i = 0; ids && i < n; i++) {
        struct proc_process p;
        if (i % LOOK_AT_CLOCK_EVERY == 0 && plat_now_ns() > end_ns)
            break;
        if (ids[i] == plat_pid() || ids[i] == w->spawner || !read_process(ids[i], &p))
            continue;
        /* The run that was measured last stays a zombie until the next one begins. */
        if (is_own_child(w, sorted, &p, first_look) || (p.ended && w->spawner && p.parent == w->spawner))
            w->below_ticks += p.ticks + p.children_ticks;
        else
            note_process(w, sorted, &p, first_look);
    }
    if (w->n)
        qsort(w->seen, (size_t)w->n, sizeof *w->seen, by_id);
    free(ids);
    return ids;
}

void cpu_watch_begin(struct cpu_watch *w, int spawner, int64_t budget_ns)
{
    cpu_watch_finish(w);
    w->spawner = spawner;
    w->began_ns = plat_now_ns();
    struct buf text = BUF_INIT(1 << 24);
    w->own_ticks = own_ticks(w, &w->started);
    w->known = w->own_ticks >= 0 && look_at_processes(w, budget_ns, true) && read_total(&text, &w->total);
    w->own_ticks += w->below_ticks;
    buf_finish(&text);
}

void cpu_watch_look(struct cpu_watch *w, int64_t budget_ns)
{
    if (w->known)
        look_at_processes(w, budget_ns, false);
}

void cpu_watch_finish(struct cpu_watch *w)
{
    free(w->seen);
    *w = (struct cpu_watch){0};
}

static void rank_user(struct cpu_users *out, const struct cpu_user *u)
{
    if (u->seconds < NAMED_SECONDS || u->seconds < NAMED_SHARE * out->window_seconds)
        return;
    int at = out->n;
    while (at > 0 && out->top[at - 1].seconds < u->seconds)
        at--;
    out->more += out->n == CPU_USERS_TOP;
    out->n += out->n < CPU_USERS_TOP;
    if (at == CPU_USERS_TOP)
        return;
    for (int i = out->n - 1; i > at; i--)
        out->top[i] = out->top[i - 1];
    out->top[at] = *u;
}

static int64_t used_ticks(const struct cpu_seen *s)
{
    return s->last_ticks - s->first_ticks;
}

/* Most first among those of one name. */
static int by_name(const void *a, const void *b)
{
    const struct cpu_seen *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (used_ticks(x) < used_ticks(y)) - (used_ticks(x) > used_ticks(y));
}

/* The sum over all processes that were seen. Leaves them in the order of their names. */
static int64_t name_users(struct cpu_watch *w, struct cpu_users *out)
{
    int64_t named = 0;
    if (w->n)
        qsort(w->seen, (size_t)w->n, sizeof *w->seen, by_name);
    for (int i = 0; i < w->n;) {
        const struct cpu_seen *first = &w->seen[i];
        struct cpu_user u = {.id = first->id};
        memcpy(u.name, first->name, sizeof u.name);
        int64_t ticks = 0;
        for (; i < w->n && !strcmp(w->seen[i].name, first->name); i++) {
            ticks += used_ticks(&w->seen[i]);
            u.processes += used_ticks(&w->seen[i]) > 0;
        }
        u.seconds = (double)ticks / TICKS_PER_SECOND;
        rank_user(out, &u);
        named += ticks;
    }
    return named;
}

static bool account_users(struct cpu_watch *w, struct cpu_users *out, struct buf *text)
{
    struct proc_cpu total;
    bool seen = look_at_processes(w, END_NS, false);
    int64_t own = own_ticks(w, NULL);
    if (!seen || own < 0 || !read_total(text, &total))
        return false;
    own += w->below_ticks;
    out->window_seconds = (double)(plat_now_ns() - w->began_ns) / 1e9;
    const int64_t others = total.busy - w->total.busy - (own - w->own_ticks), named = name_users(w, out);
    /* The kernel counts the ticks of CPUs and those of processes by themselves: where there is nothing to see they differ by one or two. All together used
     * no less than those with names. */
    const int64_t all = others > named ? others : named;
    out->seconds = (double)(all > 0 ? all : 0) / TICKS_PER_SECOND;
    out->unnamed_seconds = (double)(all - named) / TICKS_PER_SECOND;
    return true;
}

enum tare_status cpu_watch_end(struct cpu_watch *w, struct cpu_users *out, struct tare_err *err)
{
    *out = (struct cpu_users){0};
    struct buf text = BUF_INIT(1 << 24);
    bool good = w->known && account_users(w, out, &text);
    w->known = false; /* once: the order of what was seen is gone */
    buf_finish(&text);
    return good ? TARE_OK : err_set(err, TARE_UNSUPPORTED, "/proc does not tell who used the CPUs");
}
