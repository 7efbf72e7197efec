/* SPDX-License-Identifier: MIT
 *
 * Who belongs to a run: its child, whose parent is the helper, and every process whose parent belongs to it when it is first seen. One
 * whose parents have ended comes to the helper and still belongs. All others are strangers, remembered so that they are looked at
 * once; a stranger's id that is given to a process of the run between two looks over /proc would be missed.
 *
 * The look over all of /proc takes a tenth of the time at most; between two of them the processes that are known are read. What
 * is resident comes from statm, which recent kernels sum up exactly.
 */
#include "arena.h"
#include "linux.h"
#include "plat_memory.h"
#include "spawner.h"
#include "task_text.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 1024, STAT_STACK = 28, LOOK_SHARE = 10 };

static const int64_t LOOK_LATEST_NS = 20000000;

struct ids {
    int *items;
    int n, room;
};

struct plat_tree {
    struct plat_spawner *spawner;
    struct plat_tree_process *members;
    int n, room;
    struct ids strangers, unknown, still; /* strangers by rising id */
    int64_t looked_ns, look_cost_ns;
    int64_t page_bytes;
};

static bool ids_add(struct ids *ids, int id)
{
    if (!array_room(&ids->items, ids->n, &ids->room, sizeof *ids->items))
        return false;
    ids->items[ids->n++] = id;
    return true;
}

static int by_id(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static bool is_stranger(const struct plat_tree *t, int id)
{
    return t->strangers.n && bsearch(&id, t->strangers.items, (size_t)t->strangers.n, sizeof id, by_id);
}

static bool is_member(const struct plat_tree *t, int id)
{
    for (int i = 0; i < t->n; i++)
        if (t->members[i].pid == id)
            return true;
    return false;
}

static void add_member(struct plat_tree *t, int id)
{
    if (array_room(&t->members, t->n, &t->room, sizeof *t->members)) /* else one process less is seen */
        t->members[t->n++] = (struct plat_tree_process){.pid = id};
}

/* False: it has ended. */
static bool read_member(const struct plat_tree *t, struct plat_tree_process *p)
{
    char text[TEXT_BYTES];
    if (!task_read(p->pid, "statm", text, sizeof text))
        return false;
    const char *resident = strchr(text, ' ');
    p->rss_bytes = resident ? (int64_t)strtoull(resident + 1, NULL, 10) * t->page_bytes : 0;
    if (!task_read(p->pid, "stat", text, sizeof text))
        return false;
    const int64_t stack = task_stat_number(text, STAT_STACK);
    p->image = stack > 0 ? (uint64_t)stack : 0;
    return true;
}

static bool digits_only(const char *name)
{
    return *name && !name[strspn(name, "0123456789")];
}

/* Sorts the ids in /proc into members, strangers that are still there, and those not seen before. */
static bool sort_ids(struct plat_tree *t)
{
    DIR *folder = opendir("/proc");
    if (!folder)
        return false;
    t->unknown.n = t->still.n = 0;
    for (struct dirent *e; (e = readdir(folder));) {
        int id = digits_only(e->d_name) ? atoi(e->d_name) : 0;
        if (id && !is_member(t, id))
            ids_add(is_stranger(t, id) ? &t->still : &t->unknown, id);
    }
    closedir(folder);
    return true;
}

/* The child of the run in progress, 0 between runs. */
static int running(const struct plat_tree *t)
{
    return __atomic_load_n(&t->spawner->block->child, __ATOMIC_ACQUIRE);
}

/* A new process whose parent is new too may stand before it in the list. Once the run is over the helper makes the next run's child,
 * which is none of this one. */
static void adopt(struct plat_tree *t)
{
    int helper = plat_spawner_pid(t->spawner), before;
    do {
        before = t->n;
        int left = 0;
        for (int i = 0; i < t->unknown.n; i++) {
            int id = t->unknown.items[i], parent = process_parent(id);
            if ((parent == helper && running(t)) || is_member(t, parent))
                add_member(t, id);
            else
                t->unknown.items[left++] = id;
        }
        t->unknown.n = left;
    } while (t->n > before);
}

static void keep_strangers(struct plat_tree *t)
{
    for (int i = 0; i < t->unknown.n; i++)
        ids_add(&t->still, t->unknown.items[i]);
    struct ids old = t->strangers;
    t->strangers = t->still;
    t->still = old;
    qsort(t->strangers.items, (size_t)t->strangers.n, sizeof *t->strangers.items, by_id);
}

static bool look_is_due(const struct plat_tree *t)
{
    int64_t wait = LOOK_SHARE * t->look_cost_ns;
    return plat_now_ns() - t->looked_ns >= (wait < LOOK_LATEST_NS ? wait : LOOK_LATEST_NS);
}

static void forget(struct ids *ids, int id)
{
    int kept = 0;
    for (int i = 0; i < ids->n; i++)
        if (ids->items[i] != id)
            ids->items[kept++] = ids->items[i];
    ids->n = kept;
}

enum tare_status plat_tree_create(struct plat_tree **out, struct plat_spawner *s, struct tare_err *err)
{
    struct plat_tree *t = calloc(1, sizeof *t);
    if (!t)
        return err_no_memory(err);
    t->spawner = s;
    t->page_bytes = sysconf(_SC_PAGESIZE);
    if (!sort_ids(t) || process_parent(plat_pid()) < 0) {
        plat_tree_destroy(t);
        return err_set(err, TARE_UNSUPPORTED, "/proc cannot be read");
    }
    keep_strangers(t); /* all that live now */
    *out = t;
    return TARE_OK;
}

int plat_tree_sample(struct plat_tree *t, bool new_ones, const struct plat_tree_process **processes)
{
    int root = running(t), kept = 0;
    *processes = t->members;
    if (!root)
        return 0;
    if (!is_member(t, root)) {
        forget(&t->strangers, root); /* the helper had made it already when we noted who lives */
        add_member(t, root);
    }
    if (new_ones || look_is_due(t)) {
        int64_t start = plat_now_ns();
        if (sort_ids(t)) {
            adopt(t);
            keep_strangers(t);
        }
        t->looked_ns = plat_now_ns();
        t->look_cost_ns = t->looked_ns - start;
    }
    for (int i = 0; i < t->n; i++)
        if (read_member(t, &t->members[i]))
            t->members[kept++] = t->members[i];
    t->n = kept;
    *processes = t->members;
    return kept;
}

void plat_tree_destroy(struct plat_tree *t)
{
    if (!t)
        return;
    free(t->members);
    free(t->strangers.items);
    free(t->unknown.items);
    free(t->still.items);
    free(t);
}
