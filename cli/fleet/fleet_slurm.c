/* SPDX-License-Identifier: MIT
 *
 * The engine slurm: one exclusive allocation of as many nodes as have units to measure, and in it a step for each of these units, which is
 *
 *     srun --jobid=7 --nodelist=n3 ... tare fleet run --dir DIR --node 3 --block 1 --yes --quiet
 *
 * so what happens on a node is what happens without Slurm, and a result is a file in the folder that all share. Each node has a process here that
 * places its units one after the other. A step that ended without a result and without a word of tare about it was lost, with its node or alone,
 * and is placed again.
 * The allocation has no script (salloc --no-shell) and survives the loss of nodes. Slurm's commands get their words as they are, by no shell.
 * A step has all processors of its node (no --exact) and is bound to none. --overlap: Slurm goes on counting a step whose manager died, and would
 * start no other beside it; the lock in the folder keeps two from measuring at once on a node.
 * A leader that is killed has a guard, which gives the allocation back when the steps that run have ended; it is made before the allocation is asked for, as
 * Slurm may grant one that nobody waits for any more.
 */
#include "fleet.h"
#include "fleet_child.h"
#include "fnv.h"
#include "plat.h"
#include "plat_guard.h"
#include <string.h>

#define SECOND_NS INT64_C(1000000000)
enum {
    ASKED = 3, /* times */
    CANCEL_S = 60,
    SEEN_S = 65 /* after which a file server shows a new file where it was missed before: acdirmax of NFS is 60 */
};

struct slurm {
    struct fleet *f;
    int leader;
    int64_t leader_began;
    const char *name, *job; /* of the allocation: of this plan in this folder; job NULL: there is none */
    const char *mark;       /* its comment, by which it is this leader's and not that of one that goes on */
    const char *dir;        /* as every node calls it */
    const char *const *environment;
    const char **hosts;    /* where node I + 1 is; NULL: not known */
    int *nodes, n, shares; /* which have units to measure */
};

/* What the user set for commands of Slurm that are typed would change what ours answer and do: SQUEUE_FORMAT, SLURM_NNODES. Where its configuration is
 * stays, and SALLOC_ACCOUNT and the like. The name of a worker of a queue is that of no node. */
static bool changes_slurm(const char *variable)
{
    static const char *const kept[] = {"SLURM_CONF=", "SLURM_CONF_SERVER=", "SLURM_JWT="};
    bool changes = !strncmp(variable, FLEET_HOST_VARIABLE "=", sizeof FLEET_HOST_VARIABLE) || !strncmp(variable, "SLURM_", 6) ||
                   !strncmp(variable, "SQUEUE_", 7) || !strncmp(variable, "SCANCEL_", 8);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        changes &= strncmp(variable, kept[i], strlen(kept[i])) != 0;
    return changes;
}

/* A command of Slurm, however it ends; finish `said` in any case. */
static enum tare_status run_slurm(const struct slurm *s, const char *const *argv, struct limits limits, struct said *said,
                                  struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    *said = (struct said){.out = BUF_INIT(0)};
    limits.environment = s->environment;
    enum tare_status status = plat_find_program(argv[0], plat_environment(), NULL, &path, NULL);
    status = status ? err_set(err, TARE_UNSUPPORTED,
                              "--engine slurm needs %s, which is not on PATH; install Slurm's commands (Debian: slurm-client)",
                              argv[0])
                    : child_said(buf_text(&path), argv, limits, said, err);
    buf_finish(&path);
    return status;
}

static bool said_well(const struct said *s)
{
    return s->ended.end == CHILD_EXITED && s->ended.code == 0;
}

/* Once more where it fails: its controller drops connections when it is busy, of which a command may die. */
static enum tare_status ask_slurm(const struct slurm *s, const char *const *argv, bool ending, const char **answer,
                                  struct tare_err *err)
{
    const struct limits limits = {.after_signal = ending, .timeout_ns = ending ? CANCEL_S * SECOND_NS : 0};
    struct said said;
    enum tare_status status = run_slurm(s, argv, limits, &said, err);
    for (int again = 1; again < ASKED && !status && !said_well(&said) && said.ended.end <= CHILD_SIGNALLED; again++) {
        said_finish(&said);
        ending ? plat_nap_ns(SECOND_NS) : plat_sleep_ns(SECOND_NS); /* once a signal came, only a nap lasts */
        status = run_slurm(s, argv, limits, &said, err);
    }
    if (!status && said.ended.end == CHILD_INTERRUPTED)
        status = err_set(err, TARE_INTERRUPTED, "interrupted");
    else if (!status && !said_well(&said))
        status = err_set(err, TARE_IO, "%s: %s", argv[0], said_reason(&said, s->f->cli->arena));
    if (!status && answer && !(*answer = arena_strdup(s->f->cli->arena, buf_text(&said.out))))
        status = err_no_memory(err);
    said_finish(&said);
    return status;
}

/* The next line of a text, the arena's; NULL: it is at its end. */
static const char *next_line(const char **text, struct arena *a)
{
    const size_t n = strcspn(*text, "\n");
    const char *line = n ? arena_copy(a, *text, n) : NULL;
    *text += n + ((*text)[n] == '\n');
    return line;
}

/* All allocations of this folder's plan: ours, and one of a leader that was killed with all that it had started. */
static enum tare_status give_back(const struct slurm *s, struct tare_err *err)
{
    const char *const list[] = {
        "squeue", "--me", "--noheader", "--format=%i", arena_format(s->f->cli->arena, "--name=%s", s->name), NULL};
    const char *ids = "", *id;
    enum tare_status status = list[4] ? ask_slurm(s, list, true, &ids, err) : err_no_memory(err);
    while (!status && (id = next_line(&ids, s->f->cli->arena))) {
        const char *const cancel[] = {"scancel", id, NULL};
        status = ask_slurm(s, cancel, true, NULL, err);
    }
    return status;
}

/* "7.0", and not the "7.extern" of the allocation itself. */
static bool is_step(const char *id)
{
    const char *dot = strchr(id, '.');
    return dot && dot[1] >= '0' && dot[1] <= '9';
}

/* In the guard: gives the leader's allocation back. True: a step still measures, and its record is kept. */
static bool is_measuring(const struct slurm *s)
{
    struct arena *a = s->f->cli->arena;
    const char *const list[] = {"squeue", "--me", "--noheader", "--format=%i %k", arena_format(a, "--name=%s", s->name), NULL};
    const char *lines = "", *line, *steps = "", *step;
    bool measuring = false;
    if (!list[4] || ask_slurm(s, list, true, &lines, NULL))
        return false;
    while ((line = next_line(&lines, a))) {
        const size_t n = strcspn(line, " ");
        const char *id = arena_copy(a, line, n), *jobs = id ? arena_format(a, "--jobs=%s", id) : NULL;
        if (!jobs || !line[n] || strcmp(line + n + 1, s->mark) != 0)
            continue;
        const char *const running[] = {"squeue", "--steps", "--noheader", "--format=%i", jobs, NULL};
        const char *const cancel[] = {"scancel", id, NULL};
        bool runs = ask_slurm(s, running, true, &steps, NULL) != TARE_OK;
        while ((step = next_line(&steps, a)))
            runs |= is_step(step);
        if (!runs)
            ask_slurm(s, cancel, true, NULL, NULL);
        measuring |= runs;
    }
    return measuring;
}

/* In the guard. What salloc asked for just before its end is granted some seconds later. */
static int give_back_later(void *context)
{
    enum { LOOKS = 10, MEASURING_S = 5 };
    for (int i = 0; i < LOOKS; i++) {
        plat_nap_ns(SECOND_NS);
        while (is_measuring(context))
            plat_nap_ns(MEASURING_S * SECOND_NS);
    }
    return 0;
}

/* A host of a record goes into a list for Slurm, which takes others for lists, ranges and names of files. */
static bool is_node_name(const char *host)
{
    return *host && *host != '-' && !host[strspn(host, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")];
}

static void list_host(struct buf *b, const char *option, const char *host)
{
    buf_str(b, b->len ? "" : option);
    buf_format(b, "%c%s", b->len == strlen(option) ? '=' : ',', host);
}

/* "--nodelist=a,b" of the nodes that were measured in part and so must be these, "--exclude=c" of those that are complete and, with `choosy`, of hosts that
 * are none of the class. */
static const char *list_hosts(const struct slurm *s, const char *option, bool missing, bool choosy)
{
    const struct fleet_class *class = &s->f->class;
    struct buf b = BUF_INIT(1 << 20);
    for (int node = 1; node <= s->f->plan.nodes; node++) {
        bool wanted = false;
        for (int i = 0; i < s->n; i++)
            wanted |= s->nodes[i] == node;
        if (s->hosts[node - 1] && wanted == missing)
            list_host(&b, option, s->hosts[node - 1]);
    }
    for (int i = 0; choosy && i < class->n; i++)
        if (class->hosts[i].out && is_node_name(class->hosts[i].host))
            list_host(&b, option, class->hosts[i].host);
    const char *text = b.len ? arena_keep(s->f->cli->arena, &b) : NULL;
    buf_finish(&b);
    return text;
}

static void note_waiting(const struct slurm *s)
{
    struct buf b = BUF_INIT(1 << 10);
    buf_format(&b, "asking Slurm for %d node%s", s->n, buf_plural(s->n));
    if (s->f->o->node_class)
        buf_format(&b, " with the feature %.60s", s->f->o->node_class);
    cli_say(s->f->cli, s->f->o->display.quiet, &b);
}

static enum tare_status ask_for_nodes(struct slurm *s, bool choosy, struct tare_err *err)
{
    struct arena *a = s->f->cli->arena;
    const char *argv[13] = {"salloc",
                            "--no-shell",
                            "--no-kill",
                            "--exclusive",
                            arena_format(a, "--nodes=%d", s->n),
                            arena_format(a, "--job-name=%s", s->name),
                            arena_format(a, "--comment=%s", s->mark)};
    const char *more[] = {s->f->o->node_class ? arena_format(a, "--constraint=%s", s->f->o->node_class) : NULL,
                          list_hosts(s, "--nodelist", true, false), list_hosts(s, "--exclude", false, choosy)};
    for (int i = 0, n = 7; i < 3; i++)
        if (more[i])
            argv[n++] = more[i];
    if (!argv[4] || !argv[5] || !argv[6])
        return err_no_memory(err);
    struct said said;
    enum tare_status status = run_slurm(s, argv, (struct limits){0}, &said, err);
    if (!status && said.ended.end == CHILD_INTERRUPTED)
        status = err_set(err, TARE_INTERRUPTED, "interrupted while Slurm had no nodes");
    else if (!status && (!said_well(&said) || !(s->job = said_behind(&said.err, "Granted job allocation ", a))))
        status = err_set(err, TARE_IO, "salloc: %s", said_reason(&said, a));
    said_finish(&said);
    return status;
}

static bool excludes(const struct fleet_class *class)
{
    bool any = false;
    for (int i = 0; i < class->n; i++)
        any |= class->hosts[i].out != NULL;
    return any;
}

/* Where Slurm has too few nodes without those that are none of the class, it gives them too, and tare there declines. */
static enum tare_status allocate(struct slurm *s, struct tare_err *err)
{
    const bool choosy = excludes(&s->f->class);
    note_waiting(s);
    enum tare_status status = ask_for_nodes(s, choosy, err);
    return status == TARE_IO && choosy ? ask_for_nodes(s, false, err) : status;
}

/* The nodes of the allocation take the places that have no host yet, in the order in which Slurm lists them. */
static enum tare_status name_hosts(struct slurm *s, struct tare_err *err)
{
    struct arena *a = s->f->cli->arena;
    const char *const jobs[] = {"squeue", "--noheader", "--format=%N", arena_format(a, "--jobs=%s", s->job), NULL};
    const char *text, *host;
    enum tare_status status = jobs[3] ? ask_slurm(s, jobs, false, &text, err) : err_no_memory(err);
    if (!status) {
        const char *list = next_line(&text, a);
        const char *const expand[] = {"scontrol", "show", "hostnames", list ? list : "", NULL};
        status = ask_slurm(s, expand, false, &text, err);
    }
    while (!status && (host = next_line(&text, a))) {
        int node = 0, known = 0;
        for (int i = 0; i < s->f->plan.nodes; i++)
            known |= s->hosts[i] && !strcmp(s->hosts[i], host);
        while (!known && node < s->n && s->hosts[s->nodes[node] - 1])
            node++;
        if (!known && node < s->n)
            s->hosts[s->nodes[node] - 1] = host;
    }
    return status;
}

static bool leader_lives(const struct slurm *s)
{
    return plat_process_began(s->leader) == s->leader_began;
}

static void note_unit(const struct slurm *s, int at, const char *lost, int attempt)
{
    const struct fleet_unit *u = &s->f->units[at];
    const int most = s->f->o->attempts;
    struct buf b = BUF_INIT(1 << 12);
    buf_format(&b, "unit %d of %d: node %d, %.60s", u->number, s->f->n, u->node, s->hosts[u->node - 1]);
    if (lost && attempt < most)
        buf_format(&b, ": %.400s; placed again, attempt %d of %d", lost, attempt + 1, most);
    else if (lost)
        buf_format(&b, ": %.400s; given up after %d attempt%s", lost, most, buf_plural(most));
    cli_say(s->f->cli, s->f->o->display.quiet, &b);
}

/* A step goes on without its srun, and its tare would hold the node: those of this name are ended. */
static void end_step(const struct slurm *s, const char *name)
{
    struct arena *a = s->f->cli->arena;
    const char *const list[] = {"squeue", "--steps", "--noheader", "--format=%i %j", arena_format(a, "--jobs=%s", s->job), NULL};
    const char *lines = "", *line;
    if (!name || !list[4] || ask_slurm(s, list, true, &lines, NULL))
        return;
    while ((line = next_line(&lines, a))) {
        const size_t id = strcspn(line, " ");
        const char *const cancel[] = {"scancel", arena_copy(a, line, id), NULL};
        if (line[id] && !strcmp(line + id + 1, name) && cancel[1])
            ask_slurm(s, cancel, true, NULL, NULL);
    }
}

/* By the host that has it now, and not by one that had it before. */
static bool has_declined(const struct slurm *s, int at)
{
    const char *excluded = s->f->results[at].excluded;
    return excluded && !strcmp(excluded, s->hosts[s->f->units[at].node - 1]);
}

/* Whether it is known what became of a unit; before: attempts that had failed. */
static bool is_settled(const struct slurm *s, int at, int before)
{
    const struct fleet_result *r = &s->f->results[at];
    return r->there || has_declined(s, at) || r->refused || r->attempts > before;
}

/* What a step that ended well has left may be seen later than its end. */
static void load_ended(const struct slurm *s, int at, bool ended, int before)
{
    enum exit_code code = fleet_load_unit(s->f, at);
    for (int i = 0; i < SEEN_S && !code && ended && !is_settled(s, at, before) && !plat_signal() && leader_lives(s); i++) {
        plat_sleep_ns(SECOND_NS);
        code = fleet_load_unit(s->f, at);
    }
}

/* NULL: the unit is measured, or tare on the node has noted why not. Else why the step was lost. */
static const char *run_step(struct slurm *s, int at, struct tare_err *err)
{
    struct arena *a = s->f->cli->arena;
    struct fleet *f = s->f;
    struct fleet_result *result = &f->results[at];
    const struct fleet_unit *u = &f->units[at];
    const char *name = arena_format(a, "unit-%d", u->number);
    const char *const argv[] = {"srun",
                                arena_format(a, "--jobid=%s", s->job),
                                arena_format(a, "--nodelist=%s", s->hosts[u->node - 1]),
                                arena_format(a, "--job-name=%s", name),
                                "--nodes=1",
                                "--ntasks=1",
                                "--input=none",
                                "--export=ALL",
                                "--cpu-bind=none",
                                "--overlap",
                                "--quiet",
                                f->cli->argv[0],
                                "fleet",
                                "run",
                                "--dir",
                                s->dir,
                                "--node",
                                arena_format(a, "%d", u->node),
                                "--block",
                                arena_format(a, "%d", u->block),
                                "--yes",
                                "--quiet",
                                NULL};
    const int before = result->attempts;
    struct said said;
    const enum tare_status status = run_slurm(s, argv, (struct limits){.timeout_ns = fleet_step_limit_ns(f)}, &said, err);
    const char *lost = status ? err->text : said_reason(&said, a);
    const bool ended = !status && said_well(&said), interrupted = !status && said.ended.end == CHILD_INTERRUPTED;
    const bool late = !status && said.ended.end == CHILD_TIMED_OUT,
               cancelled = !status && said_behind(&said.err, " CANCELLED AT ", a);
    if (late)
        end_step(s, name);
    said_finish(&said);
    load_ended(s, at, ended, before);
    if (late || cancelled) { /* its program was ended before tare there, which may have noted that as a failure */
        result->attempts = before;
        lost = cancelled ? "Slurm cancelled its step" : lost;
    }
    return result->there || has_declined(s, at) || result->attempts > before || (ended && result->refused) || interrupted ? NULL
                                                                                                                          : lost;
}

/* Attempts wait longer each time: a node daemon that is started again needs some seconds. */
static void place_unit(struct slurm *s, int at)
{
    struct tare_err err;
    const char *lost = "";
    note_unit(s, at, NULL, 1);
    for (int attempt = 1; lost && attempt <= s->f->o->attempts && !plat_signal() && leader_lives(s); attempt++) {
        if (attempt > 1)
            plat_sleep_ns((int64_t)attempt * SECOND_NS);
        lost = run_step(s, at, &err);
        if (!lost || !leader_lives(s))
            return;
        note_unit(s, at, lost, attempt);
        fleet_keep_failure(s->f, at, lost);
    }
}

static enum tare_status place_nodes(void *context, int share, struct buf *out, struct tare_err *err)
{
    struct slurm *s = context;
    (void)out, (void)err;
    for (int k = share; k < s->n; k += s->shares)
        for (int i = 0; i < s->f->n && !plat_signal() && leader_lives(s); i++)
            if (s->f->units[i].node == s->nodes[k] && !s->f->results[i].there && s->hosts[s->nodes[k] - 1])
                place_unit(s, i);
    return TARE_OK;
}

static enum tare_status place_all(struct slurm *s, struct tare_err *err)
{
    struct buf none[PLAT_SHARES_MOST];
    const struct buf empty = BUF_INIT(1 << 10);
    for (int i = 0; i < PLAT_SHARES_MOST; i++)
        none[i] = empty;
    s->shares = s->n < PLAT_SHARES_MOST ? s->n : PLAT_SHARES_MOST;
    enum tare_status status = plat_share(s->shares, place_nodes, s, none, err);
    for (int i = 0; i < PLAT_SHARES_MOST; i++)
        buf_finish(&none[i]);
    for (int i = 0; i < s->f->n; i++)
        if (!status && !s->f->results[i].there && fleet_load_unit(s->f, i))
            status = err_no_memory(err);
    return status;
}

/* Which nodes have units to measure, and where those are of which something is measured. */
static enum tare_status prepare(struct slurm *s, struct tare_err *err)
{
    struct fleet *f = s->f;
    struct arena *a = f->cli->arena;
    struct buf dir = BUF_INIT(1 << 16);
    const size_t nodes = (size_t)f->plan.nodes;
    s->hosts = arena_array(a, nodes, sizeof *s->hosts);
    s->nodes = arena_array(a, nodes, sizeof *s->nodes);
    s->environment = child_environment(a, changes_slurm);
    s->leader = plat_pid();
    s->leader_began = plat_process_began(s->leader);
    enum tare_status status = plat_directory_path(f->o->dir, &dir, err);
    if (!status)
        s->name = arena_format(a, "tare-%s-%08x", f->plan.id, (unsigned)(fnv1a64(FNV1A64_EMPTY, buf_text(&dir), dir.len) >> 32));
    s->mark = arena_format(a, "%d-%lld", s->leader, (long long)s->leader_began);
    if (!status &&
        (!s->mark || !s->environment || !s->hosts || !s->nodes || !s->name || !(s->dir = arena_strdup(a, buf_text(&dir)))))
        status = err_no_memory(err);
    buf_finish(&dir);
    for (int node = 1; node <= f->plan.nodes && !status; node++) {
        bool missing = false;
        s->hosts[node - 1] = NULL;
        for (int i = 0; i < f->n; i++)
            if (f->units[i].node == node && f->results[i].there) {
                const char *host = fleet_host(&f->results[i].record);
                s->hosts[node - 1] = is_node_name(host) ? host : NULL;
            } else
                missing |= f->units[i].node == node;
        if (missing)
            s->nodes[s->n++] = node;
    }
    return status;
}

static enum exit_code measure_by_slurm(struct fleet *f)
{
    struct slurm s = {.f = f};
    struct tare_err err, other;
    enum tare_status status = prepare(&s, &err);
    if (!status && !s.n)
        return EXIT_ANSWERED;
    if (!status)
        status = give_back(&s, &err);
    const bool asked = !status;
    struct plat_guard *guard = NULL;
    if (!status)
        status = plat_guard_start(&guard, &(struct plat_guard_spec){.when_gone = give_back_later, .context = &s}, &err);
    if (!status)
        status = allocate(&s, &err);
    if (!status)
        status = name_hosts(&s, &err);
    if (!status)
        status = place_all(&s, &err);
    const bool kept = asked && give_back(&s, &other);
    plat_guard_end(guard, NULL);
    f->signal_number = plat_signal();
    if (kept)
        status =
            err_set(&err, TARE_IO, "the nodes may still be held (%.200s); scancel --name=%s gives them back", other.text, s.name);
    else if (f->signal_number)
        status = err_set(&err, TARE_INTERRUPTED, "interrupted, and the nodes were given back; the same command continues");
    return status ? cli_fail(f->cli, EXIT_TOOL, &err) : EXIT_ANSWERED;
}

const struct fleet_engine fleet_slurm = {"slurm", measure_by_slurm};
