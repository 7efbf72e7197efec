/* SPDX-License-Identifier: MIT
 *
 * `tare fleet work`: a host takes units from a queue, one at a time, makes each by `tare fleet run --node N --block B` in a folder of its own, and brings its record
 * back. While a unit runs the queue hears of it now and then, between which nothing of ours runs but one look ten times a second.
 *
 *     note: plan 3f2a91c0b7d4 asks to run: tare run ./old ./new
 *     note: plan 3f2a91c0b7d4, unit 2 of 20: node 3, block 1
 *
 * What is executed comes from the database. So a plan is run only where --allow names its words, --yes allows all, or somebody at the terminal says yes; and it is
 * the text that was agreed to that is run, from the folder.
 */
#include "consent.h"
#include "fleet_child.h"
#include "fleet_queue.h"
#include "padding.h"
#include "plat.h"
#include "plat_state.h"
#include "quote.h"
#include "words.h"
#include <string.h>

#define SECOND_NS INT64_C(1000000000)
enum { BEATS = 4 /* before a host is lost */ };

/* ---- the folder of a worker ----
 *
 * In it is one for each plan, as tare fleet run has it, whose records stay until the plan has left the queue. So what could not be delivered is there after a
 * crash, and the blocks of a node are held against each other. What is in it is executed: it is refused where others may write to it. One worker at a time. */

struct spool {
    struct plat_state *lock;
    const char *dir;
};

enum { NAMES_BYTES = 1 << 26, PLAN_BYTES = 1 << 26 };

/* dir NULL: in the user's folder for state. BUSY: another worker has it. */
static enum tare_status spool_open(struct spool *s, const char *dir, struct arena *a, struct tare_err *err)
{
    struct buf home = BUF_INIT(1 << 16);
    if (!dir && !plat_state_home(false, &home))
        return err_set(err, TARE_INVALID,
                       "without HOME or XDG_STATE_HOME there is no place to keep records; name one with --dir");
    s->dir = dir ? dir : arena_format(a, "%s/tare/fleet", buf_text(&home));
    buf_finish(&home);
    const enum tare_status status = s->dir ? plat_state_open(&s->lock, s->dir, err) : err_no_memory(err);
    return status == TARE_BUSY
               ? err_set(err, status, "another worker keeps its records in %.400s; a machine has one worker", s->dir)
               : status;
}

static void spool_close(struct spool *s)
{
    plat_state_close(s->lock);
    s->lock = NULL;
}

/* NULL: no memory. */
static const char *spool_folder(const struct spool *s, const char *name, struct arena *a)
{
    return arena_format(a, "%s/%s", s->dir, name);
}

/* The names of the folders in it, behind those that the list has. */
static enum tare_status spool_list(const struct spool *s, struct arena *a, const char ***names, int *n, int *room,
                                   struct tare_err *err)
{
    struct buf list = BUF_INIT(NAMES_BYTES);
    int all = 0;
    enum tare_status status = plat_directory_list(s->dir, &list, &all, err);
    const char *name = status ? "" : buf_text(&list);
    for (int i = 0; i < all && !status; i++, name += strlen(name) + 1) {
        if (!queue_is_name(name))
            continue;
        const char *kept = arena_strdup(a, name);
        if (!kept || !arena_room(a, names, *n, room, sizeof **names))
            status = err_no_memory(err);
        else
            (*names)[(*n)++] = kept;
    }
    buf_finish(&list);
    return status;
}

/* A folder with this plan. FORMAT: one with another is there. */
static enum tare_status spool_put(const struct spool *s, const char *name, const char *plan, struct arena *a,
                                  struct tare_err *err)
{
    struct buf there = BUF_INIT(PLAN_BYTES);
    const char *folder = spool_folder(s, name, a), *path = arena_format(a, "%s/%s/plan.jsonl", s->dir, name);
    enum tare_status status = folder && path ? plat_directory_make(folder, err) : err_no_memory(err);
    if (!status)
        status = plat_file_read(path, &there, err);
    if (status == TARE_NOT_FOUND)
        status = plat_file_replace(path, plan, strlen(plan), err);
    else if (!status && (there.len != strlen(plan) || memcmp(there.data, plan, there.len) != 0))
        status = err_set(err, TARE_FORMAT, "%.400s holds another plan", folder);
    buf_finish(&there);
    return status;
}

static void spool_remove(const struct spool *s, const char *name, struct arena *a)
{
    const char *folder = spool_folder(s, name, a);
    if (folder)
        (void)plat_directory_remove(folder, NULL);
}

/* ---- one worker ---- */

struct offer {
    const char *name;
    bool allowed;
};

struct work {
    struct cli *cli;
    const struct fleet_options *o;
    struct spool spool;
    struct queue *q;
    const char *host, *program; /* of ours */
    const char *const *environment;
    const char *const **allowed; /* the words of each --allow */
    struct patience patience;
    struct offer *offers; /* that are in the queue, as far as we know */
    int n, room;
    bool unsent; /* some records may not be in the queue */
    int64_t rests_until_ns;
};

/* ---- what may be run ---- */

/* A word * stands for any one word. */
static bool matches(const char *const *pattern, const char *const *words)
{
    while (*pattern && *words && (!strcmp(*pattern, "*") || !strcmp(*pattern, *words)))
        pattern++, words++;
    return !*pattern && !*words;
}

static bool is_allowed(const struct work *w, const char *const *argv)
{
    bool allowed = w->o->yes;
    for (int i = 0; i < w->o->allow.n; i++)
        allowed |= matches(w->allowed[i], argv);
    return allowed;
}

static enum tare_status split_allowed(struct work *w, struct tare_err *err)
{
    struct arena *a = w->cli->arena;
    int n;
    enum tare_status status = TARE_OK;
    w->allowed = arena_array(a, (size_t)w->o->allow.n + 1, sizeof *w->allowed);
    if (!w->allowed)
        return err_no_memory(err);
    for (int i = 0; i < w->o->allow.n && !status; i++) {
        status = words_split(a, w->o->allow.items[i], &w->allowed[i], &n, err);
        if (!status && !n)
            status = err_set(err, TARE_INVALID, "empty; give the words of a plan, as in 'run ./old ./new'");
    }
    if (status)
        err_prefix(err, "--allow");
    return status;
}

static bool ask(struct work *w, const struct fleet_plan *plan)
{
    struct buf text = BUF_INIT(1 << 20);
    const bool allowed = is_allowed(w, plan->argv), asked = !w->o->yes && !w->o->allow.n;
    buf_format(&text, "plan %s %s:%s", plan->id, allowed || asked ? "asks to run" : "is left to others, as no --allow matches",
               asked ? "\n  tare " : " tare ");
    quote_words(&text, plan->argv, false); /* only ASCII: what looks like another word is not to be taken for it */
    if (asked) {
        buf_char(&text, '\n');
        return !cli_show_plan(w->cli, &w->cli->talk, &text) && !cli_consent(w->cli, false);
    }
    cli_say(w->cli, w->o->display.quiet, &text);
    return allowed;
}

/* A fleet over the folder of a plan; *own and *o are its. */
static struct fleet fleet_in(const struct work *w, const char *name, struct cli *own, struct fleet_options *o, struct arena *a)
{
    *own = *w->cli;
    own->arena = a;
    *o = *w->o;
    o->dir = spool_folder(&w->spool, name, a);
    return (struct fleet){.cli = own, .o = o};
}

/* What it is that was offered: one that is no plan of this name, or that this tare does not understand, is not taken. */
static bool consider(struct work *w, const char *name, const char *text, struct tare_err *err)
{
    struct arena a = {0};
    struct fleet_plan plan;
    struct cli own;
    struct fleet_options o;
    enum tare_status status = fleet_plan_read(&plan, text, strlen(text), &a, err);
    if (!status && strncmp(plan.id, name, FLEET_ID_BYTES - 1) != 0)
        status = err_set(err, TARE_FORMAT, "is of another name");
    if (status)
        err_prefix(err, arena_format(&a, "plan %s", name));
    bool allowed = !status && ask(w, &plan);
    if (allowed)
        status = spool_put(&w->spool, name, text, &a, err);
    if (status)
        cli_note(w->cli, "warning", err->text);
    struct fleet f = fleet_in(w, name, &own, &o, &a);
    if (allowed && !status)
        allowed = fleet_open(&f) == EXIT_ANSWERED;
    arena_finish(&a);
    return allowed && !status;
}

static void forget(struct work *w, const char *name)
{
    struct arena a = {0};
    for (int i = 0; i < w->n; i++)
        if (!strcmp(w->offers[i].name, name))
            w->offers[i--] = w->offers[--w->n];
    spool_remove(&w->spool, name, &a);
    arena_finish(&a);
}

static enum tare_status offered(void *context, const char *name, const char *plan, struct tare_err *err)
{
    struct work *w = context;
    if (!plan) {
        forget(w, name);
        return TARE_OK;
    }
    for (int i = 0; i < w->n; i++)
        if (!strcmp(w->offers[i].name, name))
            return TARE_OK;
    const char *kept = arena_strdup(w->cli->arena, name);
    if (!kept || !arena_room(w->cli->arena, &w->offers, w->n, &w->room, sizeof *w->offers))
        return err_no_memory(err);
    const bool allowed = consider(w, kept, plan, err);
    w->offers[w->n++] = (struct offer){kept, allowed};
    return TARE_OK;
}

/* The names of plans, in the arena: *all of them and, first, those that may be run. */
static enum tare_status list_plans(const struct work *w, struct arena *a, const char ***names, int *n, int *n_allowed,
                                   struct tare_err *err)
{
    int room = 0;
    *names = NULL;
    *n = *n_allowed = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < w->n; i++) {
            if (w->offers[i].allowed != !pass)
                continue;
            if (!arena_room(a, names, *n, &room, sizeof **names))
                return err_no_memory(err);
            (*names)[(*n)++] = w->offers[i].name;
        }
        *n_allowed = pass ? *n_allowed : *n;
    }
    return TARE_OK;
}

static enum tare_status look_for_plans(struct work *w, struct arena *a, struct tare_err *err)
{
    struct queue_question of = {.class = w->o->node_class};
    const char **known, **kept;
    int n_allowed, n_kept = 0, room = 0;
    enum tare_status status = list_plans(w, a, &known, &of.n_known, &n_allowed, err);
    kept = NULL;
    for (int i = 0; i < of.n_known && !status; i++) {
        if (!arena_room(a, &kept, n_kept, &room, sizeof *kept))
            status = err_no_memory(err);
        else
            kept[n_kept++] = known[i];
    }
    if (!status)
        status = spool_list(&w->spool, a, &kept, &n_kept, &room, err);
    of.known = known;
    of.kept = kept;
    of.n_kept = n_kept;
    return status ? status : queue_offers(w->q, &of, offered, w, err);
}

/* ---- a unit ---- */

struct unit_work {
    struct work *w;
    const struct queue_taken *t;
    struct fleet f;
    struct cli own;
    struct fleet_options o;
    struct arena a;
    int at;
};

static void say_unit(const struct unit_work *u, const char *what)
{
    const struct fleet_unit *of = &u->f.units[u->at];
    struct buf b = BUF_INIT(1 << 12);
    buf_format(&b, "plan %s, unit %d of %d: node %d, block %d%s%.600s", u->f.plan.id, of->number, u->f.n, of->node, of->block,
               *what ? ": " : "", what);
    cli_say(u->w->cli, u->w->o->display.quiet, &b);
}

/* For child_said. */
static int64_t beat(void *context)
{
    const struct unit_work *u = context;
    bool still;
    struct tare_err err;
    const enum tare_status status = queue_beat(u->w->q, u->t, u->w->host, &still, &err);
    if (status == TARE_IO || status == TARE_BUSY)
        (void)queue_again(u->w->q, &err);
    return u->t->lost_ns / BEATS;
}

static enum tare_status give_up(struct unit_work *u, const char *how, const char *why, struct tare_err *err)
{
    if (strcmp(how, "returned") != 0)
        say_unit(u, why);
    return queue_fail(u->w->q, u->t, u->w->host, how, why, err);
}

/* The text of its record goes to the queue as it is. What is there already, or is another's by now, is settled. */
static enum tare_status deliver(struct unit_work *u, struct tare_err *err)
{
    struct work *w = u->w;
    struct buf text = BUF_INIT(QUEUE_RECORD_MAX);
    enum queue_verdict verdict = QUEUE_OTHERS;
    const char *path = fleet_path(&u->f, &u->f.units[u->at], "jsonl");
    enum tare_status status = plat_file_read(path, &text, err);
    if (!status)
        status = queue_deliver(w->q, u->t, w->host, buf_text(&text), text.len, &verdict, err);
    buf_finish(&text);
    if (status == TARE_NOT_FOUND) /* with its plan */
        return TARE_OK;
    if (status == TARE_TOO_LARGE || status == TARE_FORMAT) { /* it will not be taken later either */
        plat_file_remove(path, NULL);
        return give_up(u, "failed", arena_strdup(&u->a, err->text), err);
    }
    if (status || verdict == QUEUE_ADDED || verdict == QUEUE_THERE)
        return status;
    if (verdict == QUEUE_GONE)
        forget(w, u->t->name);
    else {
        say_unit(u, "another host has it by now; this record is dropped");
        plat_file_remove(path, NULL);
    }
    return TARE_OK;
}

static bool open_unit(struct unit_work *u, struct work *w, const struct queue_taken *t)
{
    *u = (struct unit_work){.w = w, .t = t, .at = t->unit - 1};
    u->f = fleet_in(w, t->name, &u->own, &u->o, &u->a);
    return fleet_open(&u->f) == EXIT_ANSWERED && u->at < u->f.n;
}

static void close_unit(struct unit_work *u)
{
    fleet_close(&u->f);
    arena_finish(&u->a);
}

/* All records of a plan that this host has, as they say of themselves which attempt they are. */
static enum tare_status deliver_plan(struct work *w, const char *name, struct tare_err *err)
{
    struct queue_taken t = {.unit = 1};
    struct unit_work u;
    enum tare_status status = TARE_OK;
    memcpy(t.name, name, QUEUE_NAME_BYTES);
    if (!open_unit(&u, w, &t) ||
        fleet_load(&u.f)) { /* it stays: it may have records that another tare can deliver, or this one later */
        close_unit(&u);
        return TARE_OK;
    }
    for (u.at = 0; u.at < u.f.n && !status; u.at++) {
        if (!u.f.results[u.at].there)
            continue;
        t.unit = u.at + 1;
        const double attempt = facts_number(&u.f.results[u.at].record.build, "fleet_attempt");
        t.attempt = attempt >= 1 && attempt < 1e9 ? (int)attempt : 0;
        status = deliver(&u, err);
    }
    close_unit(&u);
    return status;
}

static enum tare_status deliver_all(struct work *w, struct arena *a, struct tare_err *err)
{
    const char **names = NULL;
    int n = 0, room = 0;
    enum tare_status status = spool_list(&w->spool, a, &names, &n, &room, err);
    for (int i = 0; i < n && !status; i++)
        status = deliver_plan(w, names[i], err);
    w->unsent = status != TARE_OK;
    return status;
}

/* That the record will say which attempt of the queue it is. */
static void note_attempt(struct unit_work *u)
{
    struct fleet_result *result = &u->f.results[u->at];
    const char *reason = *u->t->reason ? u->t->reason : "its host was lost";
    plat_file_remove(fleet_path(&u->f, &u->f.units[u->at], "failed"), NULL);
    result->attempts = u->t->attempt - 2;
    if (u->t->attempt > 1)
        fleet_keep_failure(&u->f, u->at, reason);
    result->attempts = u->t->attempt - 1;
}

static enum tare_status run_child(struct unit_work *u, struct said *said, struct tare_err *err)
{
    const struct work *w = u->w;
    const struct fleet_unit *of = &u->f.units[u->at];
    const char *const argv[] = {w->cli->argv[0],
                                "fleet",
                                "run",
                                "--dir",
                                u->o.dir,
                                "--node",
                                arena_format(&u->a, "%d", of->node),
                                "--block",
                                arena_format(&u->a, "%d", of->block),
                                "--yes",
                                "--quiet",
                                NULL};
    if (!argv[4] || !argv[6] || !argv[8])
        return err_no_memory(err);
    return child_said(
        w->program, argv,
        (struct limits){.timeout_ns = u->t->timeout_ns, .watch = beat, .watch_context = u, .environment = w->environment}, said,
        err);
}

/* One that this worker was killed over may be measured to its end all the same, and its record is as good. Any other was not wanted. */
static void wait_for_node(struct unit_work *u)
{
    if (!fleet_node_busy(&u->f, u->f.units[u->at].node))
        plat_file_remove(fleet_path(&u->f, &u->f.units[u->at], "jsonl"), NULL);
    const int64_t since = plat_now_ns(), most = u->t->timeout_ns;
    while (fleet_node_busy(&u->f, u->f.units[u->at].node) && !plat_signal() && !(most && plat_now_ns() - since >= most)) {
        beat(u);
        plat_sleep_ns(SECOND_NS);
    }
}

/* What is given back is for others first. */
static void leave_to_others(struct work *w)
{
    w->rests_until_ns = plat_now_ns() + 5 * SECOND_NS;
}

static enum tare_status measure(struct unit_work *u, struct tare_err *err)
{
    struct fleet_result *result = &u->f.results[u->at];
    struct said said = {.out = BUF_INIT(0)};
    wait_for_node(u);
    if (fleet_load(&u->f)) {
        leave_to_others(u->w);
        return give_up(u, "lost", "its worker has no memory", err);
    }
    if (result->there)
        return deliver(u, err);
    note_attempt(u);
    const int before = result->attempts;
    enum tare_status status = plat_signal() ? TARE_OK : run_child(u, &said, err);
    const char *why = status ? arena_strdup(&u->a, err->text) : said_reason(&said, &u->a);
    const bool here = said.ended.end == CHILD_EXITED && said.ended.code == EXIT_TOOL; /* by this machine, such as a full disk */
    said_finish(&said);
    fleet_load_unit(&u->f, u->at);
    if (result->there)
        return deliver(u, err);
    if (plat_signal())
        return give_up(u, "returned", "its worker was interrupted", err);
    const bool noted = result->attempts > before && result->failure, failed = noted && !here;
    if (!failed)
        leave_to_others(u->w);
    return give_up(u, failed ? "failed" : "lost",
                   noted             ? result->failure
                   : result->refused ? result->refused
                   : why             ? why
                                     : "",
                   err);
}

static enum tare_status work_on(struct work *w, const struct queue_taken *t, struct tare_err *err)
{
    struct unit_work u;
    enum tare_status status;
    if (!open_unit(&u, w, t)) {
        leave_to_others(w);
        status = queue_fail(w->q, t, w->host, "lost", "its worker could not read the plan", err);
    } else {
        say_unit(&u, "");
        status = measure(&u, err);
    }
    close_unit(&u);
    return status;
}

/* ---- one after the other ---- */

/* *busy: there was something to do. */
static enum tare_status work_once(struct work *w, bool *busy, struct tare_err *err)
{
    struct arena a = {0};
    struct queue_taken t;
    const char **names;
    int n, n_allowed = 0;
    *busy = false;
    enum tare_status status = queue_call(w->q, w->host, err);
    if (!status && w->unsent)
        status = deliver_all(w, &a, err);
    if (!status)
        status = look_for_plans(w, &a, err);
    if (!status)
        status = list_plans(w, &a, &names, &n, &n_allowed, err);
    if (!status && n_allowed && plat_now_ns() >= w->rests_until_ns)
        status = queue_take(w->q, names, n_allowed, w->host, w->o->node_class, &a, &t, busy, err);
    bool ours = false;
    for (int i = 0; i < n_allowed && !status && *busy; i++)
        ours |= !strcmp(names[i], t.name);
    if (!status && *busy)
        status =
            ours ? work_on(w, &t, err) : err_set(err, TARE_FORMAT, "the database gave a unit of a plan that was not asked for");
    arena_finish(&a);
    return status;
}

static enum tare_status work_on_all(struct work *w, struct tare_err *err)
{
    int64_t since = plat_now_ns();
    enum tare_status status = TARE_OK;
    while (!status && !plat_signal() && !(w->o->idle_ns && !w->patience.tries && plat_now_ns() - since >= w->o->idle_ns)) {
        bool busy;
        status = work_once(w, &busy, err);
        if (!status)
            patience_over(&w->patience);
        if (busy)
            since = plat_now_ns();
        if (status) {
            w->unsent = true;
            status = patience_after(&w->patience, w->q, status, err);
        } else if (!busy)
            plat_sleep_ns(SECOND_NS);
    }
    return plat_signal() ? TARE_OK : status;
}

static enum tare_status prepare(struct work *w, struct tare_err *err)
{
    struct arena *a = w->cli->arena;
    struct plat_uname here;
    struct buf path = BUF_INIT(1 << 16);
    plat_uname(&here);
    w->host = w->o->host ? w->o->host : arena_strdup(a, here.node);
    const char *variable = w->host ? arena_format(a, FLEET_HOST_VARIABLE "=%s", w->host) : NULL;
    const char *const *ours = child_environment(a, NULL);
    enum tare_status status =
        variable && ours && (w->environment = environment_with(a, ours, &variable, 1)) ? TARE_OK : err_no_memory(err);
    if (!status && (!*w->host || !utf8_valid(w->host) || strlen(w->host) > QUEUE_HOST_MAX))
        status = err_set(err, TARE_INVALID, "this machine has no usable name; give it one with --name");
    if (!status)
        status = plat_find_program(w->cli->argv[0], plat_environment(), NULL, &path, err);
    if (!status && !(w->program = arena_keep(a, &path)))
        status = err_no_memory(err);
    buf_finish(&path);
    if (!status)
        status = plat_signals_watch();
    if (!status)
        status = spool_open(&w->spool, w->o->dir, a, err);
    char key[QUEUE_TAG_BYTES];
    if (!status)
        status = fleet_queue_tag(arena_format(a, "%s/key", w->spool.dir), true, key, err);
    return status ? status : queue_open(&w->q, w->cli->operands.items[0], key, err);
}

int cmd_fleet_work(struct cli *cli, const void *options)
{
    const struct fleet_options *o = options;
    struct work w = {
        .cli = cli, .o = o, .unsent = true, .patience = {.cli = cli, .quiet = o->display.quiet, .most_ns = o->idle_ns}};
    struct tare_err err;
    enum tare_status status = TARE_OK;
    if (!o->yes && !o->allow.n && (!plat_is_terminal(0) || !plat_is_terminal(2)))
        status =
            err_set(&err, TARE_INVALID,
                    "the queue says what to run, and there is no terminal to ask on; name what it may be with --allow, or add "
                    "--yes");
    if (!status)
        status = split_allowed(&w, &err);
    if (!status)
        status = fleet_queue_check(cli->operands.items[0], &err);
    if (!status)
        status = prepare(&w, &err);
    if (!status)
        status = work_on_all(&w, &err);
    queue_close(w.q);
    spool_close(&w.spool);
    if (plat_signal())
        plat_die_of(plat_signal());
    return status ? cli_refuse(cli, status, &err) : EXIT_ANSWERED;
}
