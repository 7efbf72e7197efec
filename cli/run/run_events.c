/* SPDX-License-Identifier: MIT
 *
 * `tare bench --counters`: events of the kernel or the processor in an iteration. One more process of each benchmark, which nobody times, counts
 * them around its samples (src/probe/loop_events.c). What an event's name means, and why one cannot be counted here, is found out before.
 */
#include "plat.h"
#include "run.h"
#include "run_untimed_kinds.h"
#include <string.h>

/* ---- the process ---- */

struct counting {
    struct run *run;
    const char *variable; /* "TARE_WIRE=...": the request of this process */
};

static void adjust(void *context, struct plat_child_spec *spec)
{
    const struct counting *c = context;
    counted_ask(c->run, spec, c->variable);
}

static const char *request_of(struct run *run, int command, const struct bench_event *events, int n)
{
    struct bench_request q = *run->commands[command].bench;
    q.guard = q.signals = q.difference = false;
    q.events = events;
    q.n_events = n;
    return counted_variable(run, &q);
}

/* ---- which events ---- */

enum tare_status check_event_names(struct run *run, struct tare_err *err)
{
    for (int i = 0; i < run->o->events.n; i++) {
        struct plat_counter *c = NULL;
        struct tare_err why = {{0}};
        enum tare_status status = plat_counter_open(&c, run->spawner, run->o->events.items[i], &why);
        if (!status)
            plat_counter_close(c);
        if (status == TARE_INVALID)
            return err_set(err, status, "--counters: %s", why.text);
    }
    return TARE_OK;
}

/* "instructions:u" where the kernel counts no more than that. */
static const char *name_of(struct run *run, const char *asked, bool user_only)
{
    const char *modifier = strrchr(asked, ':');
    if (!user_only || (modifier && !strcmp(modifier, ":u")))
        return asked;
    char room[64];
    struct buf b = buf_over(room, sizeof room);
    buf_format(&b, "%s:u", asked);
    const char *kept = arena_strdup(run->cli->arena, room);
    return kept ? kept : asked;
}

/* Those that can be counted here, how many; the others are told of once. */
static int choose(struct run *run, struct bench_event *events, bool first)
{
    int n = 0;
    for (int i = 0; i < run->o->events.n; i++) {
        struct plat_counter *c = NULL;
        struct tare_err why = {{0}};
        if (plat_counter_open(&c, run->spawner, run->o->events.items[i], &why)) {
            if (first)
                counted_say(run, why.text);
            continue;
        }
        bool user_only = plat_counter_user_only(c);
        events[n] = (struct bench_event){.name = name_of(run, run->o->events.items[i], user_only), .user_only = user_only};
        plat_counter_event(c, &events[n].type, &events[n].config);
        plat_counter_close(c);
        n++;
    }
    return n;
}

/* ---- an iteration ---- */

static enum tare_status keep_all(struct run *run, int command, const struct exec_reported *r, int asked, struct tare_err *err)
{
    const int subject = run->commands[command].subject;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < r->n_events && !status; i++)
        status = counted_keep(run, subject, r->event[i].name, "", r->event[i].value, err);
    if (!status && r->n_events < asked) {
        struct buf text = BUF_INIT(1 << 16);
        buf_format(&text, "%d of %d events of %s were not counted%s%s", asked - r->n_events, asked,
                   run->record.subjects[subject].name,
                   *r->trouble ? ": its process " : ": its process could not open them, or its libtare is older than --counters",
                   r->trouble);
        counted_say(run, buf_text(&text));
        buf_finish(&text);
    }
    return status;
}

enum tare_status make_events(struct run *run, int command, struct tare_err *err)
{
    const struct bench_request *q = run->commands[command].bench;
    struct bench_event events[WIRE_EVENTS_MAX];
    if (!q || q->failure[0])
        return TARE_OK;
    int n = choose(run, events, !run->told_events);
    run->told_events = true;
    if (!n)
        return TARE_OK;
    struct counting c = {run, request_of(run, command, events, n)};
    struct exec_reported reported = {0};
    const struct exec_untimed how = {
        .what = "an untimed process for --counters", .adjust = adjust, .context = &c, .reported = &reported};
    struct plat_child_result result;
    if (!c.variable)
        return err_set(err, TARE_NO_MEMORY, "no memory to count events");
    live_phase(&run->live, &run->record, "counters");
    enum tare_status status = exec_untimed(run->exec, command, &how, &result, err);
    live_clear(&run->live);
    return status ? status : keep_all(run, command, &reported, n, err);
}
