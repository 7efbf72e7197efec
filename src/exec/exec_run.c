/* SPDX-License-Identifier: MIT
 *
 * One run. Before it: its program is found and its spec made (exec_prepare_run), its descriptors are opened (streams_for_run), counters are read
 * (exec_measure). Then plat_child_run hands the spec to the starter, in which clone, execve and the two clock reads are: `child` in
 * src/plat/linux/spawn_helper.c shows all that happens between them; between the first clock read and execve nothing does. How the run ended is read after that.
 */
#include "exec_state.h"
#include "record_write.h"
#include "self_trace.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum tare_status exit_status_not_started(const struct plat_child_result *result, const char *what, const char *program,
                                         struct tare_err *err)
{
    return err_set(err, TARE_CHILD, "%s: '%s' could not be started: %s%s", what, program, plat_errno_text(result->code),
                   plat_start_advice(result->code));
}

/* What a system gives as a code for what went wrong is known by its hexadecimal number. */
static void name_code(struct buf *b, int code)
{
    const char *name = plat_exit_code_name(code);
    if (name || code < 0)
        buf_format(b, name ? "ended with exit code 0x%08x (%s)" : "ended with exit code 0x%08x", (unsigned)code, name);
    else
        buf_format(b, "ended with exit code %d", code);
}

void exit_status_describe(struct buf *b, const struct plat_child_result *result, int64_t timeout_ns)
{
    if (result->end == CHILD_TIMED_OUT)
        buf_format(b, "was stopped at the timeout of %s", figure_text(figure_limit, (double)timeout_ns / 1e9).at);
    else if (result->end == CHILD_SIGNALLED) {
        buf_str(b, "was ended by ");
        /* A signal without a name has its number. */
        const char *name = plat_signal_name(result->code);
        if (strncmp(name, "SIG", 3))
            buf_format(b, "signal %d", result->code);
        else
            buf_str(b, name);
    } else
        name_code(b, result->code);
}

/* SIGTTIN and SIGTTOU: a run that is not the terminal's foreground stops at them, and would never end. */
const char *exit_status_advice(const struct plat_child_result *result, bool shown)
{
    if (result->end == CHILD_TIMED_OUT)
        return "give more time with --timeout";
    if (result->end == CHILD_SIGNALLED && !strncmp(plat_signal_name(result->code), "SIGTT", 5))
        return "it needs the terminal, which it gets with --input - while tare is in the foreground";
    return shown ? "accept failures with -i" : "see its output with --show-output, or accept failures with -i";
}

bool exit_status_failed(const struct plat_child_result *result)
{
    return result->end != CHILD_EXITED || result->code != 0;
}

/* A signal has the code by which shells know it: 128 + its number. */
bool exit_status_bad(const struct exec_options *o, const struct plat_child_result *result)
{
    const int code = result->end == CHILD_SIGNALLED ? 128 + result->code : result->code;
    bool accepted = o->ignore_all;
    for (int i = 0; i < o->n_ignore_codes; i++)
        accepted |= o->ignore_codes[i] == code;
    return exit_status_failed(result) && (result->end == CHILD_TIMED_OUT || !accepted);
}

static const struct streams all_closed = {
    .null = -1, .input = -1, .output = -1, .pipe_read = -1, .pipe_write = -1, .kept_out = -1, .kept_err = -1, .report = -1};

static enum tare_status open_input(struct streams *s, const struct exec_options *o, struct tare_err *err)
{
    if (!o->input_file) {
        s->input = s->null;
        return TARE_OK;
    }
    s->input_is_ours = !strcmp(o->input_file, "-");
    s->input = s->input_is_ours ? 0 : plat_open_input(o->input_file, err);
    if (!s->input_is_ours && plat_is_file(s->input))
        s->input_path = o->input_file;
    return s->input < 0 ? TARE_IO : TARE_OK;
}

enum tare_status streams_open(struct streams *s, const struct exec_options *o, struct tare_err *err)
{
    *s = all_closed;
    s->null = plat_open_null();
    s->keep = o->n_own || o->compare_output;
    return s->null < 0 ? err_set(err, TARE_IO, "cannot open the null device") : open_input(s, o, err);
}

static void close_input(struct streams *s)
{
    if (s->input > 0 && s->input != s->null && !s->input_is_ours)
        plat_close(s->input);
    s->input = -1;
}

void streams_close(struct streams *s)
{
    streams_after_run(s);
    close_input(s);
    if (s->null > 0)
        plat_close(s->null);
    *s = all_closed;
}

/* Anew for each run: what a run left behind may go on writing into its own. */
static enum tare_status kept_anew(struct streams *s, struct plat_child_spec *spec, struct tare_err *err)
{
    s->kept_out = plat_open_scratch(err);
    s->kept_err = s->kept_out < 0 ? -1 : plat_open_scratch(err);
    if (s->kept_err < 0)
        return TARE_IO;
    spec->fd_out = s->kept_out;
    spec->fd_err = s->kept_err;
    spec->scratch_bytes = OWN_OUTPUT_BYTES;
    return TARE_OK;
}

static enum tare_status output_anew(struct streams *s, const struct exec_command *c, struct plat_child_spec *spec,
                                    struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    switch (c->output) {
    case OUTPUT_NULL:
        break;
    case OUTPUT_INHERIT:
        spec->fd_out = 1;
        spec->fd_err = 2;
        break;
    case OUTPUT_FILE:
        spec->fd_out = s->output = plat_open_output(c->output_file, err);
        status = s->output < 0 ? TARE_IO : TARE_OK;
        break;
    case OUTPUT_PIPE:
        status = plat_pipe(&s->pipe_read, &s->pipe_write, err);
        spec->fd_out = s->pipe_write;
        spec->drain_fd = s->pipe_read;
    }
    return status;
}

static enum tare_status streams_for_run(struct exec *x, const struct exec_command *c, struct plat_child_spec *spec,
                                        struct tare_err *err)
{
    struct streams *s = &x->streams;
    /* A pipe or terminal cannot go back: then each run reads on where the last one stopped. */
    if (s->input_path) {
        close_input(s);
        s->input = plat_open_input(s->input_path, err);
    } else if (s->input != s->null) {
        plat_rewind(s->input);
    }
    enum tare_status status = s->input < 0 ? TARE_IO : TARE_OK;
    spec->fd_in = s->input;
    spec->fd_out = spec->fd_err = s->null;
    spec->drain_fd = -1;
    spec->give_terminal = s->input_is_ours && plat_is_terminal(0);
    if (!status && c->bench && c->bench->translate)
        return kept_anew(s, spec, err);
    if (!status && x->kind->reports) {
        s->report = spec->fd_report = plat_open_scratch(err);
        spec->report_bytes = BENCH_REPORT_BYTES;
        status = s->report < 0 ? TARE_IO : TARE_OK;
    }
    if (status)
        return status;
    return s->keep && !c->own_part ? kept_anew(s, spec, err) : output_anew(s, c, spec, err);
}

void streams_after_run(struct streams *s)
{
    plat_close(s->output);
    plat_close(s->pipe_read);
    plat_close(s->pipe_write);
    plat_close(s->kept_out);
    plat_close(s->kept_err);
    plat_close(s->report);
    s->output = s->pipe_read = s->pipe_write = s->kept_out = s->kept_err = s->report = -1;
}

void streams_for_hook(const struct streams *s, bool show, struct plat_child_spec *spec)
{
    spec->fd_in = s->null;
    spec->fd_out = show ? 1 : s->null;
    spec->fd_err = show ? 2 : s->null;
    spec->drain_fd = -1;
    spec->give_terminal = false;
}

const char *exec_cwd(const struct exec *x, const char *own)
{
    return own ? own : x->o->cwd;
}

enum tare_status exec_resolve(struct exec *x, const char *program, const char *const *environment, const char *cwd,
                              const char *what, struct tare_err *err)
{
    buf_clear(&x->path);
    enum tare_status status = plat_find_program(program, environment, cwd, &x->path, err);
    if (status)
        err_prefix(err, what);
    return status == TARE_NOT_FOUND || status == TARE_PERMISSION ? TARE_CHILD : status;
}

struct plat_child_spec exec_spec_for(struct exec *x, const char *const *argv, const char *const *environment, const char *cwd)
{
    return (struct plat_child_spec){
        .path = buf_text(&x->path), .argv = argv, .envp = environment, .cwd = cwd, .pin_cpu = -1, .drain_fd = -1};
}

/* Hooks that end what others began run although a signal came before. */
static bool ends_something(const char *what)
{
    return !strcmp(what, "conclude") || !strcmp(what, "cleanup");
}

enum tare_status exec_hook_in(struct exec *x, const struct exec_hook *hook, const char *what, const char *const *environment,
                              struct tare_err *err)
{
    if (!hook->argv)
        return TARE_OK;
    const char *cwd = exec_cwd(x, hook->cwd);
    enum tare_status status = exec_resolve(x, hook->argv[0], environment, cwd, what, err);
    if (status)
        return status;
    struct plat_child_spec spec = exec_spec_for(x, hook->argv, environment, cwd);
    streams_for_hook(&x->streams, x->o->show_hook_output, &spec);
    spec.timeout_ns = x->o->timeout_ns;
    spec.after_signal = ends_something(what) && plat_signal();
    struct plat_child_result result;
    status = plat_child_run(x->spawner, &spec, &result, err);
    if (status)
        return status;
    if (result.end == CHILD_INTERRUPTED)
        return err_set(err, TARE_INTERRUPTED, "interrupted during %s", what);
    if (result.end == CHILD_NOT_STARTED)
        return exit_status_not_started(&result, what, hook->argv[0], err);
    if (!exit_status_failed(&result))
        return TARE_OK;
    const bool shown = x->o->show_hook_output;
    struct buf b = BUF_INIT(256);
    exit_status_describe(&b, &result, x->o->timeout_ns);
    status = err_set(err, TARE_CHILD, "%s '%s' %s; %s", what, hook->text, buf_text(&b),
                     result.end == CHILD_TIMED_OUT ? exit_status_advice(&result, shown)
                     : shown                       ? "append '|| true' to its text if that is fine"
                             : "append '|| true' to its text if that is fine, or see its output with --show-output");
    buf_finish(&b);
    return status;
}

enum tare_status exec_run_hook(struct exec *x, const struct exec_hook *hook, const char *what, struct tare_err *err)
{
    return exec_hook_in(x, hook, what, x->o->environment, err);
}

enum tare_status exec_open_counters(struct exec *x, struct tare_err *err)
{
    x->counters = calloc((size_t)x->o->n_counters + 1, sizeof *x->counters);
    if (!x->counters)
        return err_set(err, TARE_NO_MEMORY, "no memory for counters");
    for (int i = 0; i < x->o->n_counters; i++) {
        struct tare_err why = {0};
        enum tare_status status = plat_counter_open(&x->counters[i].open, x->spawner, x->o->counters[i], &why);
        if (status == TARE_INVALID) /* a misspelt name is wrong use, not a property of this machine */
            return err_set(err, status, "--metric perf:%s: %s", x->o->counters[i], why.text);
        if (status) {
            x->counters[i].open = NULL;
            x->counters[i].reason = arena_strdup(&x->arena, why.text);
        }
    }
    return TARE_OK;
}

const char *exec_counter_reason(const struct exec *x, int counter)
{
    return x->counters[counter].reason;
}

bool exec_counter_user_only(const struct exec *x, int counter)
{
    return x->counters[counter].open && plat_counter_user_only(x->counters[counter].open);
}

double exec_counter_uncounted(const struct exec *x, int counter)
{
    return x->counters ? x->counters[counter].uncounted : 0;
}

/* A permuted block: of the next n runs of the command each CPU has one. So every CPU has its share at any moment, and who changes with the time, as CPUs
 * do, cannot be in step with it. */
static int deal_cpu(struct exec *x, int index)
{
    const int n = x->o->n_pin_cpus, at = x->state[index].dealt++ % n;
    int *deck = x->state[index].deck;
    if (!at) {
        memcpy(deck, x->o->pin_cpus, (size_t)n * sizeof *deck);
        rng_shuffle(&x->cpus, deck, n);
    }
    return plat_cpu_allowed(deck[at]) ? deck[at] : -1;
}

static enum tare_status hash_piece(void *hash, const void *bytes, size_t n, struct tare_err *err)
{
    (void)err;
    *(uint64_t *)hash = fnv1a64(*(uint64_t *)hash, bytes, n);
    return TARE_OK;
}

static bool same_state(const struct plat_file_state *a, const struct plat_file_state *b)
{
    return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes && a->modified_utc_ns == b->modified_utc_ns;
}

/* Its date may have been set back. */
static bool is_untouched(const struct plat_file_state *a, const struct plat_file_state *b)
{
    return same_state(a, b) && a->changed_utc_ns == b->changed_utc_ns;
}

/* What the session noted of the program, or of a part of it, before its runs; NULL: nothing. */
static const char *noted_of(const struct exec *x, int index, const char *part, const char *what)
{
    char text[48];
    buf_print(text, sizeof text, "program_%d_%s%s", x->commands[index].subject + 1, part, what);
    const struct fact *noted = facts_find(&x->r->build, text);
    return noted ? noted->text : NULL;
}

/* Whether the file has the noted content; where none is noted, the size and date of its first run. */
static bool same_content(const char *noted, const char *path, const struct plat_file_state *first,
                         const struct plat_file_state *now)
{
    uint64_t hash = FNV1A64_EMPTY;
    char text[48];
    struct buf b = buf_over(text, sizeof text);
    if (!noted)
        return same_state(now, first);
    if (!now->regular) /* a pipe would be waited for */
        return false;
    if (plat_file_pour(path, &(struct sink){hash_piece, &hash}, NULL))
        return false;
    buf_format(&b, "%016llx", (unsigned long long)hash);
    return !strcmp(noted, buf_text(&b));
}

enum tare_status exec_run_prepare(struct exec *x, int index, struct tare_err *err)
{
    struct command_state *s = &x->state[index];
    const struct exec_hook *hook = &x->commands[index].prepare;
    if (s->program_path && plat_file_state(s->program_path, &s->before_prepare, NULL))
        s->before_prepare = (struct plat_file_state){.regular = false};
    return exec_hook_in(x, hook, "prepare", padding_environment(&x->padding, index), err);
}

/* Whether the prepare hook that just ran has changed it, other than before the first run. */
static bool made_anew(struct command_state *s, const char *path, const struct plat_file_state *now)
{
    s->made_anew = s->made_anew || (s->program_path && !same_state(now, &s->before_prepare));
    free(s->program_path);
    s->program_path = strdup(path);
    return s->made_anew;
}

static bool is_replaced(const char *noted, const char *path, struct plat_file_state *first, const struct plat_file_state *now)
{
    if (!first->regular || (!is_untouched(now, first) && same_content(noted, path, first, now)))
        *first = *now;
    return !is_untouched(now, first);
}

/* Where its name leads to, which a new file further ahead in PATH changes; NULL: it is not found by its name. */
static const char *found_by_name(const char *path, const char *const *environment, const char *cwd, struct buf *found)
{
    const char *name = plat_base_name(path);
    buf_clear(found);
    return name > path && !plat_find_program(name, environment, cwd, found, NULL) ? buf_text(found) : NULL;
}

/* The scripts of interpreters and the programs of shell lines, and what the first line of a script names; where there is a prepare hook it may make them anew. */
static bool part_replaced(struct exec *x, int index, const char *const *environment, const char *cwd)
{
    struct command_state *s = &x->state[index];
    struct buf found = BUF_INIT(1 << 17);
    bool any = false;
    for (int i = 0; i < PARTS_MOST && !x->commands[index].prepare.argv; i++) {
        struct plat_file_state now;
        char room[SCRIPT_PART_BYTES];
        const char *part = i < SCRIPTS_MOST ? record_script_part(i, room) : "interpreter_";
        const char *path = noted_of(x, index, part, "path");
        if (!path)
            continue;
        const char *by_name = !s->parts[i].regular || s->by_name[i] ? found_by_name(path, environment, cwd, &found) : NULL;
        s->by_name[i] = by_name && (s->by_name[i] || !strcmp(by_name, path));
        path = s->by_name[i] ? by_name : path;
        any |= !plat_file_state(path, &now, NULL) && is_replaced(noted_of(x, index, part, "fnv1a64"), path, &s->parts[i], &now);
    }
    buf_finish(&found);
    return any;
}

/* Whether the file that is about to run is that of the first run, or has its content: a build that made the same again changes nothing, and some
 * file systems number files anew. What a prepare hook makes anew is meant to be another. */
static void watch_program(struct exec *x, int index, const char *const *environment, const char *cwd)
{
    struct plat_file_state now, *first = &x->state[index].program;
    struct buf full = BUF_INIT(1 << 17);
    if (cwd && !plat_path_is_absolute(buf_text(&x->path)))
        buf_format(&full, "%s/", cwd);
    buf_str(&full, buf_text(&x->path));
    const bool known = !full.status && !plat_file_state(full.data, &now, NULL);
    const bool told = known && !(x->commands[index].prepare.argv && made_anew(&x->state[index], full.data, &now));
    x->state[index].replaced = (told && is_replaced(noted_of(x, index, "", "fnv1a64"), full.data, first, &now)) ||
                               part_replaced(x, index, environment, cwd);
    buf_finish(&full);
}

enum tare_status exec_prepare_run(struct exec *x, int index, struct plat_child_spec *spec, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    const char *const *environment = padding_environment(&x->padding, index);
    const char *cwd = exec_cwd(x, c->cwd);
    enum tare_status status = exec_resolve(x, c->argv[0], environment, cwd, c->name, err);
    if (status)
        return status;
    padding_set_path(&x->padding, index, buf_text(&x->path));
    watch_program(x, index, environment, cwd);
    *spec = exec_spec_for(x, c->argv, environment, cwd);
    spec->timeout_ns = x->limit_ns && (!x->o->timeout_ns || x->limit_ns < x->o->timeout_ns) ? x->limit_ns : x->o->timeout_ns;
    spec->pin_cpu = x->state[index].deck ? deal_cpu(x, index) : x->round_cpu;
    return streams_for_run(x, c, spec, err);
}

enum tare_status exec_measure(struct exec *x, struct exec_run *run, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[run->command];
    struct plat_child_spec spec;
    enum tare_status status = exec_prepare_run(x, run->command, &spec, err);
    if (!status) {
        spec.chain = x->account.chain;
        /* The waiting of all tasks is asked for (spec.count_waits) once a run was seen to have several, and as long as that is little of its time. */
        spec.count_waits =
            !x->kind->reports && x->account.commands[run->command].several && !x->account.commands[run->command].dear;
        double running;
        for (int i = 0; x->counters && i < x->o->n_counters; i++)
            if (!x->counters[i].open || plat_counter_read(x->counters[i].open, &x->counters[i].before, &running))
                x->counters[i].before = NAN;
        run_stats_before(&x->account);
        TARE_POINT_NAMED("child");
        status = plat_child_run(x->spawner, &spec, &run->result, err);
        TARE_POINT_NAMED("child ended");
    }
    if (status)
        return status;
    if (run->result.end == CHILD_INTERRUPTED)
        return err_set(err, TARE_INTERRUPTED, "interrupted in round %d", run->round + 1);
    if (run->result.end_ns < run->result.start_ns)
        return err_set(err, TARE_IO, "%s: the clock by which runs are timed went back by %s while it ran; measure again", c->name,
                       scaled_text("ns", (double)(run->result.start_ns - run->result.end_ns)).at);
    return run->result.end == CHILD_NOT_STARTED ? exit_status_not_started(&run->result, c->name, c->argv[0], err) : TARE_OK;
}
