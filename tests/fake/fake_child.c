/* SPDX-License-Identifier: MIT
 *
 * A child's life on the fake platform: which program it is, how long it takes, what ends it. Nothing runs; the virtual clock moves.
 * Order of draws within a run is fixed, so that one setting of a script does not change what another draws.
 */
#include "fake_command.h"
#include "fake_parts.h"
#include "fake_state.h"
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *plat_option_unknown(const char *option)
{
    (void)option;
    return NULL;
}

static const char noop_path[] = "/fake/libexec/tare-noop", work_path[] = "/fake/libexec/tare-work";

struct plat_spawner {
    int pid;
};

/* One run while it is worked out. */
struct run {
    struct fake_state *w;
    const struct plat_child_spec *spec;
    struct plat_child_result *result;
    struct fake_command command;
    struct fake_program *program; /* NULL: the script knows none */
    int64_t number;               /* of the program's runs, from 1 */
    int64_t bytes_read;
    double hz;                               /* 0: unknown */
    double delay, steal, blocked, throttled; /* of this run, ns */
};

/* ---- the spawner ---- */

enum tare_status plat_spawner_create(struct plat_spawner **out, const char *helper_path, struct tare_err *err)
{
    if (fake_state()->script.helper_missing)
        return posix_fail(err, ENOENT, "cannot start the helper %s", helper_path ? helper_path : "tare-spawn");
    struct plat_spawner *s = malloc(sizeof *s);
    if (!s)
        return err_set(err, TARE_NO_MEMORY, "cannot start the helper: out of memory");
    *s = (struct plat_spawner){.pid = 4242};
    *out = s;
    return TARE_OK;
}

void plat_spawner_destroy(struct plat_spawner *s)
{
    free(s);
}

int plat_spawner_pid(const struct plat_spawner *s)
{
    return s->pid;
}

const char *plat_noop_path(const struct plat_spawner *s)
{
    (void)s;
    return noop_path;
}

const char *plat_work_path(const struct plat_spawner *s)
{
    (void)s;
    return work_path;
}

/* ---- what the script says of this run ---- */

static bool covers(const struct fake_span *span, int64_t run)
{
    return run >= span->first && (span->last == FAKE_FOREVER || run <= span->last);
}

static struct fake_exit exit_status_of(const struct run *r)
{
    struct fake_exit found = {.kind = FATE_EXIT};
    if (!r->program)
        return r->command.shell ? (struct fake_exit){.kind = FATE_EXIT, .code = 127}
                                : (struct fake_exit){.kind = FATE_NOT_STARTED, .code = ENOENT};
    for (const struct fake_exit *f = r->program->exit_statuses; f; f = f->next)
        if (covers(&f->span, r->number))
            found = *f;
    return found;
}

static const struct fake_interrupt *interrupt_of(const struct run *r)
{
    const struct fake_interrupt *found = NULL;
    for (const struct fake_interrupt *i = r->program ? r->program->interrupts : NULL; i; i = i->next)
        if (covers(&i->span, r->number))
            found = i;
    return found;
}

static int64_t whole(double x)
{
    return x >= 9e18 ? (int64_t)9e18 : (int64_t)(x + 0.5);
}

static double draw(const struct run *r, struct fake_model *m, double wall, double otherwise)
{
    return m->terms ? fake_model_draw(m, &r->program->rng, r->number, wall) : otherwise;
}

/* What befalls the run: its core's frequency and the time it loses. */
static void draw_disturbances(struct run *r)
{
    struct fake_program *p = r->program;
    if (!p)
        return;
    r->hz = draw(r, &p->hz, 0, 0);
    r->delay = draw(r, &p->delay, 0, 0);
    r->steal = draw(r, &p->steal, 0, 0);
    r->blocked = draw(r, &p->blocked, 0, 0);
    r->throttled = draw(r, &p->throttled, 0, 0);
}

static double lost_ns(const struct run *r)
{
    return r->delay + r->steal + r->blocked + r->throttled;
}

static int64_t draw_wall_ns(const struct run *r)
{
    struct fake_program *p = r->program;
    double ns = r->command.shell ? (double)r->w->script.shell_ns : 0;
    if (p) {
        double own = draw(r, &p->wall, 0, 1e6);
        if (p->hz_exponent != 0)
            own *= pow(r->hz / p->hz_reference, p->hz_exponent);
        if (r->number <= p->first_runs)
            own *= p->first_factor;
        if (p->after && r->w->before && fake_program_named(r->w->before, p->after))
            own *= p->after_factor;
        ns += own;
    }
    int64_t rounded = whole(ns * fake_session_factor(r->w) + lost_ns(r));
    return rounded > 1 ? rounded : 1;
}

static void draw_account(const struct run *r, double own)
{
    struct fake_program *p = r->program;
    struct plat_child_result *result = r->result;
    result->whole = !(p && p->threads);
    result->run_ns = own;
    result->delay_ns = r->delay;
    if (r->spec->count_waits && p && p->tasks > 0) {
        double most = draw(r, &p->tree_delay, 0, 0), least = draw(r, &p->tree_least, 0, 0);
        result->tasks_counted = (int)p->tasks;
        result->tree_delay_ns = most < least ? NAN : most;
        result->tree_delay_least_ns = most < least ? NAN : least;
    }
    result->throttled_ns = r->throttled;
    result->core_hz = r->hz > 0 ? r->hz : NAN;
    int at = r->spec->pin_cpu > 0 ? r->spec->pin_cpu : 0;
    result->first_cpu = (int)whole(p ? draw(r, &p->first_cpu, 0, at) : at);
    result->last_cpu = p && p->last_cpu.terms ? (int)whole(draw(r, &p->last_cpu, 0, 0)) : result->first_cpu;
}

/* Counted as a timer's interrupts that meet it. */
static int64_t in_steps(const struct run *r, double ns)
{
    const int64_t step = r->w->script.ticks.cpu_step_ns;
    return r->program && step > 1 ? step * (int64_t)floor(ns / (double)step + rng_uniform(&r->program->rng)) : whole(ns);
}

static void draw_usage(const struct run *r)
{
    struct fake_program *p = r->program;
    struct plat_child_result *result = r->result;
    double wall = (double)(result->end_ns - result->start_ns);
    double own = wall > lost_ns(r) ? wall - lost_ns(r) : 0; /* shares are of what it ran; cut short it lost no more than it had */
    static struct fake_model nothing;                       /* never drawn from: it has no terms */
    result->user_ns = in_steps(r, draw(r, p ? &p->user : &nothing, own, 0.8 * own));
    result->sys_ns = in_steps(r, draw(r, p ? &p->sys : &nothing, own, 0.1 * own));
    result->rss_bytes = whole(draw(r, p ? &p->rss : &nothing, own, 2e6));
    result->minflt = whole(draw(r, p ? &p->minflt : &nothing, own, 100));
    result->majflt = whole(draw(r, p ? &p->majflt : &nothing, own, 0));
    result->ctx_voluntary = whole(draw(r, p ? &p->ctx_voluntary : &nothing, own, 1));
    result->ctx_involuntary = whole(draw(r, p ? &p->ctx_involuntary : &nothing, own, 0));
    for (struct fake_count *c = p ? p->counts : NULL; c; c = c->next)
        fake_counters_add(r->w, c->event, fake_model_draw(&c->model, &p->rng, r->number, own));
    draw_account(r, own);
}

/* ---- the log ---- */

static size_t vector_bytes(const char *const *words)
{
    size_t bytes = 0;
    for (; *words; words++)
        bytes += strlen(*words) + 1 + sizeof *words;
    return bytes;
}

static const char *value_in(const char *const *envp, const char *name)
{
    size_t n = strlen(name);
    for (; *envp; envp++)
        if (!strncmp(*envp, name, n) && (*envp)[n] == '=')
            return *envp + n + 1;
    return NULL;
}

static void log_end(struct buf *b, const struct plat_child_result *result)
{
    static const char *const names[] = {[CHILD_EXITED] = "exit",
                                        [CHILD_SIGNALLED] = "signal",
                                        [CHILD_TIMED_OUT] = "timeout",
                                        [CHILD_NOT_STARTED] = "notstarted",
                                        [CHILD_INTERRUPTED] = "interrupted"};
    if (result->end == CHILD_EXITED && !result->code)
        return;
    buf_format(b, "\tend=%s", names[result->end]);
    if (result->end != CHILD_TIMED_OUT && result->end != CHILD_INTERRUPTED)
        buf_format(b, ":%d", result->code);
}

static void log_line(struct buf *b, const struct run *r)
{
    const struct plat_child_spec *spec = r->spec;
    for (const char *s = r->command.shown; *s; s++)
        buf_char(b, *s == '\t' || *s == '\n' ? ' ' : *s);
    buf_format(b, "\tnth=%lld\tat=%lld\tsize=%zu", (long long)r->number, (long long)(r->result->start_ns - r->w->script.start_ns),
               strlen(spec->path) + 1 + vector_bytes(spec->argv) + vector_bytes(spec->envp));
    const char *iteration = value_in(spec->envp, "HYPERFINE_ITERATION");
    if (iteration)
        buf_format(b, "\titeration=%s", iteration);
    if (spec->cwd)
        buf_format(b, "\tcwd=%s", spec->cwd);
    if (spec->pin_cpu >= 0)
        buf_format(b, "\tpin=%d", spec->pin_cpu);
    if (r->program && r->program->reads)
        buf_format(b, "\tin=%lld", (long long)r->bytes_read);
    if (spec->peak)
        buf_str(b, "\tfollowed");
    log_end(b, r->result);
    buf_char(b, '\n');
}

static void log_run(const struct run *r)
{
    struct fake_state *w = r->w;
    struct buf line = BUF_INIT(1 << 20);
    log_line(&line, r);
    buf_add(&w->log, line.data, line.len);
    if (w->script.log && w->log_fd < 0) {
        w->log_fd = open(w->script.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (w->log_fd < 0)
            fake_fault("log %s: %s", w->script.log, plat_errno_text(errno));
    }
    if (w->script.log)
        fake_write(w->log_fd, line.data, line.len);
    buf_finish(&line);
}

/* ---- one run ---- */

static void ended(struct run *r, enum plat_child_end end, int code)
{
    r->result->end = end;
    r->result->code = code;
}

/* Time from now to the first signal that ends this child; INT64_MAX: none. *own: it is the program's own, not the session's. */
static int64_t time_to_signal(const struct run *r, int64_t wall, bool *own)
{
    int64_t at = fake_next_signal(r->w);
    at = at == INT64_MAX ? at : at - fake_elapsed(r->w);
    *own = interrupt_of(r) && wall / 2 < at;
    return *own ? wall / 2 : at;
}

/* How long the child lives and what ends it: itself, its timeout or the first signal. */
static int64_t lifetime(struct run *r, const struct fake_exit *exit_status, int64_t wall, int64_t signal_at)
{
    int64_t end = exit_status->kind == FATE_HANG ? INT64_MAX : wall;
    int64_t timeout = r->spec->timeout_ns > 0 ? r->spec->timeout_ns : INT64_MAX;
    int64_t alone = end < timeout ? end : timeout;
    if (signal_at < alone && !r->spec->after_signal) {
        ended(r, CHILD_INTERRUPTED, SIGKILL);
        return signal_at;
    }
    if (alone == INT64_MAX)
        fake_fault("'%s' hangs for ever: no timeout was given and no signal comes", r->command.shown);
    if (end > timeout)
        ended(r, CHILD_TIMED_OUT, SIGKILL);
    else
        ended(r, exit_status->kind == FATE_SIGNAL ? CHILD_SIGNALLED : CHILD_EXITED, exit_status->code);
    return alone;
}

/* So much time passes in the child, while somebody may look on. */
static void spend(struct run *r, int64_t ns)
{
    int64_t start = r->w->now_ns, end = start + ns, wait = 1;
    if (!r->spec->watch) {
        fake_advance(r->w, ns);
        return;
    }
    fake_memory_begin(r->program, r->spec);
    while (r->w->now_ns < end && wait > 0) {
        fake_memory_live((double)(r->w->now_ns - start) / (double)ns);
        wait = r->spec->watch(r->spec->watch_context);
        int64_t left = end - r->w->now_ns;
        fake_advance(r->w, wait <= 0 || wait > left ? left > 0 ? left : 0 : wait);
    }
    fake_memory_live(1);
    fake_memory_end();
}

static void live(struct run *r, const struct fake_exit *exit_status)
{
    draw_disturbances(r);
    int64_t wall = draw_wall_ns(r);
    if (r->program && wall < (int64_t)r->program->measured_ns)
        wall = (int64_t)r->program->measured_ns;
    bool own;
    int64_t signal_at = time_to_signal(r, wall, &own);
    int64_t lived = lifetime(r, exit_status, wall, signal_at);
    if (own && signal_at <= lived) {
        fake_advance(r->w, signal_at);
        fake_deliver(r->w, interrupt_of(r)->number);
        lived -= signal_at;
    }
    spend(r, lived);
    r->result->end_ns = r->w->now_ns;
}

static void shell_complaint(const struct run *r)
{
    struct buf b = BUF_INIT(4096);
    buf_format(&b, "sh: 1: %s: not found\n", r->command.n_words ? r->command.words[0] : "");
    fake_stream_write(r->spec, r->spec->fd_err, b.data, b.len);
    buf_finish(&b);
}

static void report(struct run *r)
{
    struct fake_program *p = r->program;
    if (!p->report.bytes)
        return;
    struct buf b = BUF_INIT(1 << 16);
    buf_format(&b, "%s%g\n", p->report.bytes, draw(r, &p->reported, 0, 0));
    fake_stream_write(r->spec, r->spec->fd_out, b.data, b.len);
    buf_finish(&b);
}

static void use_streams(struct run *r)
{
    const struct plat_child_spec *spec = r->spec;
    const struct fake_program *p = r->program;
    if (!p) {
        shell_complaint(r);
        return;
    }
    if (p->reads)
        r->bytes_read = fake_stream_read(spec->fd_in);
    fake_stream_write(spec, spec->fd_out, p->out.bytes, p->out.n);
    fake_stream_zeros(spec, spec->fd_out, p->prints_bytes);
    report(r);
    fake_stream_write(spec, spec->fd_err, p->err.bytes, p->err.n);
}

/* What a program with benchmarks reports; one that dies while it does has another fate. */
static void report_benchmarks(struct run *r, struct fake_exit *exit_status)
{
    if (!r->program || !r->spec->fd_report)
        return;
    struct buf b = BUF_INIT(16 << 20);
    r->program->measured_ns = 0;
    if (!fake_bench_report(r->program, r->spec, draw(r, &r->program->hz, 0, 0), &b))
        *exit_status = (struct fake_exit){.kind = FATE_SIGNAL, .code = SIGSEGV};
    fake_stream_write(r->spec, r->spec->fd_report, b.data, b.len);
    buf_finish(&b);
}

/* By the clock that times runs. */
static int64_t seen_ns(const struct fake_state *w, int64_t at_ns)
{
    int64_t by_ns = 0;
    for (const struct fake_jump *j = w->script.backs; j; j = j->next)
        by_ns += j->children && at_ns - w->script.start_ns >= j->at_ns ? j->by_ns : 0;
    return at_ns - by_ns;
}

static void play(struct run *r)
{
    struct fake_state *w = r->w;
    struct fake_exit exit_status = exit_status_of(r);
    fake_advance(w, w->script.before_ns);
    r->result->start_ns = r->result->end_ns = w->now_ns;
    if (w->noted && !r->spec->after_signal)
        ended(r, CHILD_INTERRUPTED, 0);
    else if (r->spec->cwd && access(r->spec->cwd, X_OK))
        ended(r, CHILD_NOT_STARTED, errno);
    else if (r->spec->pin_cpu >= 0 && !plat_cpu_allowed(r->spec->pin_cpu))
        ended(r, CHILD_NOT_STARTED, EINVAL);
    else if (exit_status.kind == FATE_NOT_STARTED)
        ended(r, CHILD_NOT_STARTED, exit_status.code);
    else {
        use_streams(r);
        report_benchmarks(r, &exit_status);
        if (r->program)
            fake_trace_leave(r->program, r->spec, w->now_ns, exit_status.kind == FATE_EXIT);
        live(r, &exit_status);
        draw_usage(r);
        if (r->spec->peak)
            fake_peak_draw(r->program, r->result);
    }
    log_run(r);
    r->result->start_ns = seen_ns(w, r->result->start_ns);
    r->result->end_ns = seen_ns(w, r->result->end_ns);
    fake_advance(w, w->script.after_ns);
}

enum tare_status plat_child_run(struct plat_spawner *s, const struct plat_child_spec *spec, struct plat_child_result *result,
                                struct tare_err *err)
{
    (void)s;
    struct fake_state *w = fake_state();
    *result = plat_child_unknown();
    if (++w->children == w->script.helper_dies_at)
        w->helper_dead = true;
    if (w->helper_dead)
        return err_set(err, TARE_IO, "the helper that starts programs has ended; start tare again");
    struct run r = {.w = w, .spec = spec, .result = result};
    if (!fake_command_read(&r.command, spec->argv))
        return err_set(err, TARE_NO_MEMORY, "cannot run '%s': out of memory", spec->argv[0]);
    r.program = fake_command_match(&r.command, w->script.programs);
    enum plat_peak_why why = spec->peak ? fake_peak_refusal(w, r.program) : PEAK_KNOWN;
    if (why) {
        result->end = CHILD_NOT_STARTED;
        result->peak_why = result->tree_why = why;
        fake_command_finish(&r.command);
        return TARE_OK;
    }
    r.number = r.program ? ++r.program->runs : 0;
    play(&r);
    w->before = r.program;
    fake_command_finish(&r.command);
    return TARE_OK;
}
