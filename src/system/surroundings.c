/* SPDX-License-Identifier: MIT */
#include "surroundings.h"
#include "plat.h"
#include "plat_thread.h"
#include "proc_text.h"
#include "quote.h"
#include <string.h>

enum { OTHERS_NAMED = 3, NAME_COLUMNS = 40 };

void surroundings_open(struct surroundings *s)
{
    *s = (struct surroundings){0};
    plat_presence_create(&s->presence, NULL);
    noise_quota_open(&s->quota, NULL);
}

void surroundings_close(struct surroundings *s)
{
    plat_presence_destroy(s->presence);
    noise_quota_close(&s->quota);
    cpu_watch_finish(&s->users);
    *s = (struct surroundings){0};
}

void surroundings_watch(struct surroundings *s, int spawner_pid, int64_t budget_ns)
{
    cpu_watch_begin(&s->users, spawner_pid, budget_ns);
}

void surroundings_look(struct surroundings *s)
{
    static const int64_t PAUSE_NS = 500000000, LOOK_NS = 1000000;
    int64_t now = plat_now_ns();
    if (now - s->looked_ns < PAUSE_NS)
        return;
    s->looked_ns = now;
    cpu_watch_look(&s->users, LOOK_NS);
}

void surroundings_listen(struct surroundings *s)
{
    if (s->presence)
        plat_presence_listen(s->presence);
}

/* ---- facts ---- */

struct adding {
    struct record *r;
    struct facts *f;
    enum tare_status status;
};

static void number(struct adding *a, const char *key, double value)
{
    if (!a->status)
        a->status = facts_add_number(a->r, a->f, key, value);
}

static void text(struct adding *a, const char *key, const char *value)
{
    if (!a->status)
        a->status = facts_add_text(a->r, a->f, key, value);
}

static void unknown(struct adding *a, const char *key, const char *reason)
{
    if (!a->status)
        a->status = facts_add_unknown(a->r, a->f, key, reason);
}

static void number_or(struct adding *a, const char *key, int64_t value, const char *reason)
{
    if (value < 0)
        unknown(a, key, reason);
    else
        number(a, key, (double)value);
}

static void add_quota(struct adding *a, const struct noise_quota *q)
{
    static const char reason[] = "no control group of CPUs to be seen here";
    if (!q->known)
        unknown(a, "cpu_quota_cpus", reason);
    else if (!q->n)
        text(a, "cpu_quota_cpus", "none");
    else
        number(a, "cpu_quota_cpus", q->cpus);
    if (q->n)
        text(a, "cpu_quota_group", q->group);
    number_or(a, "throttled_periods", noise_quota_periods(q), q->known ? "the group does not tell" : reason);
    number_or(a, "throttled_ns", noise_quota_throttled_ns(q), q->known ? "the group does not tell" : reason);
}

static void add_pressure(struct adding *a)
{
    struct buf b = BUF_INIT(1 << 16);
    int64_t us = -1;
    if (plat_file_read("/proc/pressure/cpu", &b, NULL) || !proc_pressure_parse(buf_text(&b), b.len, &us))
        us = -1;
    number_or(a, "cpu_pressure_us", us, "this kernel does not tell");
    buf_finish(&b);
}

static void add_others(struct adding *a, struct plat_presence *p)
{
    if (!p) {
        unknown(a, "other_tare", "sessions cannot see each other here");
        return;
    }
    int ids[OTHERS_NAMED], n = plat_presence_others(p, ids, OTHERS_NAMED);
    struct buf b = BUF_INIT(1 << 12);
    for (int i = 0; i < n && i < OTHERS_NAMED; i++) {
        buf_str(&b, i ? ", " : "");
        if (ids[i] > 0)
            buf_format(&b, "pid %d", ids[i]);
        else
            buf_str(&b, ids[i] ? "one that does not answer" : "in another container");
    }
    if (n > OTHERS_NAMED)
        buf_format(&b, " and %d more", n - OTHERS_NAMED);
    text(a, "other_tare", n ? buf_text(&b) : "no");
    buf_finish(&b);
}

enum tare_status surroundings_add(struct surroundings *s, struct record *r, struct facts *f)
{
    struct adding a = {r, f, TARE_OK};
    add_quota(&a, &s->quota);
    number_or(&a, "suspended_ns", plat_suspended_ns(), "the system does not tell");
    add_pressure(&a);
    add_others(&a, s->presence);
    return a.status;
}

/* ---- who used the CPUs ---- */

/* A name is what the process likes to call itself, so it is masked. */
static void add_names(struct adding *a, const struct cpu_users *u)
{
    struct buf b = BUF_INIT(1 << 14);
    for (int i = 0; i < u->n; i++) {
        buf_str(&b, i ? "; " : "");
        quote_cut(&b, u->top[i].name, NAME_COLUMNS, false);
        if (u->top[i].processes == 1)
            buf_format(&b, " (pid %lld) %.2f s", (long long)u->top[i].id, u->top[i].seconds);
        else
            buf_format(&b, " (%d processes) %.2f s", u->top[i].processes, u->top[i].seconds);
    }
    if (u->more)
        buf_format(&b, "; and %d more", u->more);
    text(a, "cpu_users", u->n ? buf_text(&b) : "none");
    buf_finish(&b);
}

enum tare_status surroundings_add_users(struct surroundings *s, struct record *r, struct facts *f)
{
    static const char *const keys[] = {"cpu_users", "cpu_users_seconds", "cpu_unnamed_seconds", "cpu_watch_seconds"};
    struct adding a = {r, f, TARE_OK};
    struct cpu_users u;
    if (cpu_watch_end(&s->users, &u, NULL)) {
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            unknown(&a, keys[i], "/proc does not tell");
        return a.status;
    }
    add_names(&a, &u);
    const double values[] = {u.seconds, u.unnamed_seconds, u.window_seconds};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        number(&a, keys[i + 1], values[i]);
    return a.status;
}
