/* SPDX-License-Identifier: MIT
 *
 * Other processes of the script, by their canned files, and other sessions.
 */
#include "buf.h"
#include "fake_state.h"
#include "plat.h"
#include "plat_guard.h"
#include "plat_process.h"
#include <stdlib.h>
#include <string.h>

enum { OUR_PID = 1000 };

int plat_pid(void)
{
    return OUR_PID;
}

/* 0: not /proc/PID/stat. */
static int id_of(const char *path)
{
    if (strncmp(path, "/proc/", 6))
        return 0;
    char *end;
    long id = strtol(path + 6, &end, 10);
    return id > 0 && id <= INT32_MAX && !strcmp(end, "/stat") ? (int)id : 0;
}

static bool stands_before(const struct fake_canned *first, const struct fake_canned *f)
{
    for (; first != f; first = first->next)
        if (!strcmp(first->path, f->path))
            return true;
    return false;
}

int plat_process_ids(int *ids, int room)
{
    const struct fake_state *w = fake_state();
    int n = 0;
    for (const struct fake_canned *f = w->script.files; f; f = f->next) {
        int id = fake_elapsed(w) >= f->from_ns && !stands_before(w->script.files, f) ? id_of(f->path) : 0;
        if (id && n < room)
            ids[n] = id;
        n += id > 0;
    }
    return n > 0 ? n : -1;
}

/* Processes of the fake end with their run. */
int64_t plat_process_began(int pid)
{
    return pid == plat_pid() ? 1 : -1;
}

int plat_process_below(int id, const char *text, int *ids, int room)
{
    (void)id;
    (void)text;
    (void)ids;
    (void)room;
    return 0;
}

void plat_process_image(int id, struct buf *path)
{
    buf_format(path, "/proc/%d/exe", id);
}

bool plat_process_mark(struct buf *out)
{
    (void)out;
    return false;
}

bool plat_process_mark_ended(const char *mark)
{
    (void)mark;
    return false;
}

struct plat_presence {
    char nothing;
};

enum tare_status plat_presence_create(struct plat_presence **out, struct tare_err *err)
{
    *out = NULL;
    if (fake_state()->script.presence_denied)
        return err_set(err, TARE_UNSUPPORTED, "unix sockets are not allowed here");
    *out = calloc(1, sizeof **out);
    return *out ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory for the sign that a session measures");
}

int plat_presence_others(struct plat_presence *p, int *pids, int room)
{
    (void)p;
    const struct fake_state *w = fake_state();
    int n = 0;
    for (const struct fake_other *o = w->script.others; o; o = o->next) {
        bool there = fake_elapsed(w) >= o->from_ns;
        if (there && n < room)
            pids[n] = (int)o->pid;
        n += there;
    }
    return n;
}

void plat_presence_listen(struct plat_presence *p)
{
    (void)p;
}

void plat_presence_destroy(struct plat_presence *p)
{
    free(p);
}

bool plat_process_memory(struct plat_process_memory *out)
{
    *out = (struct plat_process_memory){-1, -1};
    return false;
}

bool plat_process_peak_forget(void)
{
    return false;
}

enum tare_status plat_process_again(const char *variable, const char *value, int64_t timeout_ns, void *answer, size_t size,
                                    size_t *n, struct tare_err *err)
{
    (void)variable;
    (void)value;
    (void)timeout_ns;
    (void)answer;
    (void)size;
    *n = 0;
    return err_set(err, TARE_UNSUPPORTED, "the fake world starts no program again");
}

bool plat_process_take_variable(const char *variable, char *out, size_t size)
{
    (void)variable;
    (void)out;
    (void)size;
    return false;
}

bool plat_constructors_backwards(void)
{
    return false;
}

void plat_forks_watch(void)
{
}

int64_t plat_forks_seen(void)
{
    return 0;
}

void plat_forked_end(void)
{
}

void plat_process_end(int code)
{
    _Exit(code);
}

enum tare_status plat_threads_run(int n, void (*run)(void *context, int thread), void *context, struct tare_err *err)
{
    if (n > 1)
        return err_set(err, TARE_UNSUPPORTED, "the fake world has one thread");
    run(context, 0);
    return TARE_OK;
}

void plat_thread_watched(void (*run)(void *context), void (*ended)(void *context), void *context)
{
    (void)ended;
    run(context);
}

void plat_thread_yield(void)
{
}

static struct plat_guard {
    int unused;
} the_guard;

enum tare_status plat_guard_start(struct plat_guard **out, const struct plat_guard_spec *spec, struct tare_err *err)
{
    (void)spec;
    (void)err;
    *out = &the_guard;
    return TARE_OK;
}

int plat_guard_pid(const struct plat_guard *g)
{
    (void)g;
    return plat_pid() + 1;
}

enum tare_status plat_guard_end(struct plat_guard *g, struct tare_err *err)
{
    (void)g;
    (void)err;
    return TARE_OK;
}

void plat_say_alone(const char *line)
{
    (void)line;
}
