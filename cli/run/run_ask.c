/* SPDX-License-Identifier: MIT */
#include "run_ask.h"
#include "padding.h"
#include "plat.h"
#include "result_file.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

enum { LIST_BYTES = 16 << 20 };

static const char *request_text(const struct run *run, const struct option_list *filters)
{
    struct wire_request q = wire_request_default(CHILD_REPORT);
    q.mode = WIRE_LIST;
    struct buf text = BUF_INIT(1 << 20);
    buf_str(&text, WIRE_VARIABLE "=");
    wire_request_write(&text, &q);
    for (int i = 0; i < filters->n; i++)
        wire_request_filter(&text, filters->items[i]);
    return arena_keep(run->cli->arena, &text);
}

/* Of an answer that takes no time a given --max-time is the limit too, but for the seconds that starting a large program may take. usual_ns: where no limit
 * is given; 0: none, as a benchmark takes as long as it takes. */
static int64_t patience_ns(const struct run *run, int64_t usual_ns)
{
    static const int64_t start_ns = 5000000000;
    const int64_t limit = run->o->max_time_ns > start_ns ? run->o->max_time_ns : start_ns;
    const bool limited = run->o->max_time_ns && (!run->o->timeout_ns || limit < run->o->timeout_ns);
    return limited ? limit : run->o->timeout_ns ? run->o->timeout_ns : usual_ns;
}

static const int64_t list_ns = INT64_C(60000000000); /* a program that lists runs nothing */

/* Files of plat_open_scratch; -1: what it writes there goes where its output goes. */
struct answers {
    int report, output, errors;
};

static enum tare_status ask_program(const struct run *run, const char *const *argv, const struct run_place *where,
                                    int64_t timeout_ns, const struct answers *to, struct plat_child_result *result,
                                    struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    int null = plat_open_null();
    enum tare_status status = where->environment && null >= 0 ? TARE_OK : err_no_memory(err);
    if (!status)
        status = plat_find_program(argv[0], where->environment, where->cwd, &path, err);
    status = status == TARE_NOT_FOUND || status == TARE_PERMISSION ? TARE_CHILD : status;
    const struct plat_child_spec spec = {.path = buf_text(&path),
                                         .argv = argv,
                                         .envp = where->environment,
                                         .cwd = where->cwd,
                                         .fd_in = null,
                                         .fd_out = to->output >= 0       ? to->output
                                                   : run->o->show_output ? 1
                                                                         : null,
                                         .fd_err = to->errors >= 0       ? to->errors
                                                   : run->o->show_output ? 2
                                                                         : null,
                                         .timeout_ns = timeout_ns,
                                         .pin_cpu = -1,
                                         .drain_fd = -1,
                                         .scratch_bytes = to->output >= 0 ? LIST_BYTES : 0,
                                         .fd_report = to->report < 0 ? 0 : to->report,
                                         .report_bytes = LIST_BYTES};
    if (!status)
        status = plat_child_run(run->session.spawner, &spec, result, err);
    plat_close(null);
    buf_finish(&path);
    return status == TARE_NOT_FOUND || status == TARE_PERMISSION ? TARE_IO : status; /* its folder (--cwd) */
}

static enum tare_status ask_libtare(const struct run *run, const char *const *argv, const struct run_place *where,
                                    const struct option_list *filters, const struct answers *to, struct plat_child_result *result,
                                    struct tare_err *err)
{
    const char *const request = request_text(run, filters);
    const struct run_place asked = {where->cwd,
                                    request ? environment_with(run->cli->arena, where->environment, &request, 1) : NULL};
    return ask_program(run, argv, &asked, patience_ns(run, list_ns), to, result, err);
}

struct told {
    bool hello, bye, twice, filtered;
    const char *errors; /* first line of what it wrote to standard error; "": nothing, or it is not known */
};

static void walk_report(struct program_answer *a, struct told *told)
{
    struct wire_reader reader = {a->bytes, a->n, 0};
    struct wire_frame f;
    while (!wire_next(&reader, &f, NULL)) {
        if (f.type == WIRE_HELLO) {
            told->twice = told->hello;
            told->hello = true;
            a->hello = f.u.hello;
        }
        a->benchmarks += f.type == WIRE_BENCH;
        a->targets += f.type == WIRE_TARGET;
        told->twice |= told->bye; /* nothing comes after it */
        told->bye |= f.type == WIRE_BYE;
    }
}

static enum tare_status judge_answer(const struct run *run, const char *path, const struct program_answer *a,
                                     const struct told *told, const struct plat_child_result *result, struct tare_err *err)
{
    if (result->end == CHILD_INTERRUPTED)
        return err_set(err, TARE_INTERRUPTED, "interrupted before the first process");
    if (result->end == CHILD_NOT_STARTED)
        return err_set(err, TARE_CHILD, "%s could not be started: %s%s", path, plat_errno_text(result->code),
                       plat_start_advice(result->code));
    if (!told->bye && result->end == CHILD_TIMED_OUT)
        return err_set(
            err, TARE_CHILD,
            "%s was stopped after %s without an answer: a program built with libtare answers at once; %s gives it more", path,
            figure_text(figure_limit, (double)patience_ns(run, list_ns) / 1e9).at,
            run->o->timeout_ns && patience_ns(run, list_ns) == run->o->timeout_ns ? "--timeout" : "--max-time");
    if (!told->hello && *told->errors && (result->end != CHILD_EXITED || result->code))
        return err_set(err, TARE_CHILD, "%s ended without an answer when asked for its list; it wrote: %s", path, told->errors);
    if (!told->hello && result->end == CHILD_SIGNALLED)
        return err_set(err, TARE_CHILD, "%s was ended by %s before it answered when asked for its list", path,
                       plat_signal_name(result->code));
    if (!told->hello)
        return err_set(err, TARE_CHILD,
                       "%s is not built with libtare: it did not answer when asked for its list "
                       "(#include <tare/tare.h>, TARE_MAIN())%s",
                       path, run->harnesses ? "; a program of another harness is named with --harness" : "");
    if (a->hello.version != WIRE_VERSION)
        return err_set(err, TARE_VERSION,
                       "%s speaks version %u of tare's record and this tare version %d: build it with %s libtare", path,
                       a->hello.version, WIRE_VERSION, a->hello.version < WIRE_VERSION ? "a newer" : "this tare's");
    if (a->hello.trouble && *a->hello.trouble)
        return err_set(err, TARE_CHILD, "%s: %s", path, a->hello.trouble);
    if (!told->bye)
        return err_set(err, TARE_CHILD, "%s ended before its list was complete", path);
    if (told->twice)
        return err_set(err, TARE_CHILD, "%s answered twice when asked for its list: a process that it forked went on", path);
    if (!told->filtered && a->hello.benchmarks != (uint32_t)a->benchmarks)
        return err_set(err, TARE_CHILD, "%s says that it has %u benchmarks, and its list has %d", path, a->hello.benchmarks,
                       a->benchmarks);
    return TARE_OK;
}

static enum tare_status read_answer(const struct run *run, const char *path, int report, struct told told,
                                    const struct plat_child_result *result, struct program_answer *out, struct tare_err *err)
{
    int64_t size = plat_scratch_size(report);
    out->n = size < LIST_BYTES ? (size_t)size : LIST_BYTES;
    out->bytes = malloc(out->n + 1);
    enum tare_status status = out->bytes ? plat_scratch_read(report, 0, out->bytes, out->n, err) : err_no_memory(err);
    if (!status) {
        walk_report(out, &told);
        status = judge_answer(run, path, out, &told, result, err);
    }
    if (status)
        program_answer_finish(out);
    return status;
}

void program_answer_finish(struct program_answer *a)
{
    free(a->bytes);
    *a = (struct program_answer){0};
}

/* What it wrote there, an empty text where that cannot be had; its first line in out. What is not text is masked where it is shown. */
static const char *take_errors(int fd, struct buf *all, char *line, size_t room)
{
    const int64_t size = plat_scratch_size(fd);
    const size_t n = size < (int64_t)room - 1 ? (size_t)size : room - 1;
    line[0] = 0;
    if (plat_scratch_read(fd, 0, line, n, NULL))
        return "";
    line[n] = 0;
    if (all)
        buf_add(all, line, n);
    line[strcspn(line, "\n")] = 0;
    return line;
}

enum tare_status run_ask(const struct run *run, const char *path, const char *const *argv, const struct run_place *where,
                         const struct option_list *filters, struct buf *errors, struct program_answer *out, struct tare_err *err)
{
    struct plat_child_result result = {0};
    char wrote[4096 + 1];
    *out = (struct program_answer){0};
    bool wanted = errors || !run->o->show_output;
    int report = plat_open_scratch(err), talk = wanted && report >= 0 ? plat_open_scratch(err) : -1;
    enum tare_status status = report < 0 || (wanted && talk < 0)
                                  ? TARE_IO
                                  : ask_libtare(run, argv, where, filters, &(struct answers){report, -1, talk}, &result, err);
    const bool ran = !status;
    const char *said = ran && talk >= 0 ? take_errors(talk, errors, wrote, sizeof wrote) : "";
    if (ran)
        status = read_answer(run, path, report, (struct told){.errors = said, .filtered = filters->n}, &result, out, err);
    out->exit_code = ran && result.end == CHILD_EXITED ? result.code : -1;
    plat_close(report);
    plat_close(talk);
    return status;
}

struct listing {
    const struct harness *h;
    const char *path;
    char *text; /* what it wrote to standard output */
    size_t n;
    const char *errors; /* the first line of what it wrote to standard error */
};

static enum tare_status judge_list(const struct listing *l, const struct plat_child_result *result, int64_t timeout_ns,
                                   struct tare_err *err)
{
    const struct harness *h = l->h;
    if (result->end == CHILD_INTERRUPTED)
        return err_set(err, TARE_INTERRUPTED, "interrupted before the first process");
    if (result->end == CHILD_NOT_STARTED)
        return err_set(err, TARE_CHILD, "%s could not be started: %s%s", l->path, plat_errno_text(result->code),
                       plat_start_advice(result->code));
    if (result->end == CHILD_EXITED && result->code >= 0 && result->code <= h->list_code)
        return TARE_OK;
    const bool runs = h->runs_to_list;
    struct buf b = BUF_INIT(1 << 13), last = BUF_INIT(1 << 15);
    buf_format(&b, "%s (%s) ", l->path, h->name);
    if (result->end == CHILD_TIMED_OUT)
        buf_format(&b, "was stopped after %s", figure_text(figure_limit, (double)timeout_ns / 1e9).at);
    else
        buf_str(&b, "failed");
    if (result->end == CHILD_EXITED)
        buf_format(&b, " with exit code %d", result->code);
    if (runs)
        harness_last_listed(h, l->text, l->n, &last);
    if (runs)
        buf_format(&b, " in %.100s: to list its benchmarks, each is run once", buf_text(&last));
    else
        buf_str(&b, " when asked for its benchmarks");
    if (*l->errors)
        buf_format(&b, "; it wrote: %s", l->errors);
    if (result->end == CHILD_TIMED_OUT)
        buf_str(&b, "; give more time with --timeout");
    enum tare_status status = err_set(err, TARE_CHILD, "%s", buf_text(&b));
    buf_finish(&last);
    buf_finish(&b);
    return status;
}

static enum tare_status read_list(const struct listing *l, struct program_answer *out, struct tare_err *err)
{
    struct buf frames = BUF_INIT(4 * LIST_BYTES);
    enum tare_status status = harness_list(l->h, l->text, l->n, &frames, err);
    struct told told = {.errors = ""};
    *out = (struct program_answer){.bytes = frames.data, .n = frames.len, .exit_code = -1};
    if (!status) {
        walk_report(out, &told);
        return TARE_OK;
    }
    err_prefix(err, l->path);
    if (*l->errors) {
        const struct tare_err what = *err;
        err_set(err, status, "%s; it wrote: %s", what.text, l->errors);
    }
    program_answer_finish(out);
    return status == TARE_FORMAT || status == TARE_TOO_LARGE ? TARE_CHILD : status;
}

enum tare_status run_ask_harness(const struct run *run, const struct harness *h, const char *path, const struct run_place *where,
                                 struct program_answer *out, struct tare_err *err)
{
    struct plat_child_result result = {0};
    char wrote[4096 + 1];
    struct listing l = {.h = h, .path = path};
    const char **argv = harness_ask_list(h, path, run->cli->arena);
    *out = (struct program_answer){.exit_code = -1};
    const int64_t patience = patience_ns(run, h->runs_to_list ? 0 : list_ns);
    const int output = plat_open_scratch(err), errors = output < 0 ? -1 : plat_open_scratch(err);
    enum tare_status status = errors < 0 ? TARE_IO : TARE_OK;
    if (!status && !argv)
        status = err_no_memory(err);
    if (!status)
        status = ask_program(run, argv, where, patience, &(struct answers){-1, output, errors}, &result, err);
    if (!status) {
        /* What it printed. */
        const int64_t size = plat_scratch_size(output);
        l.n = size < LIST_BYTES ? (size_t)size : LIST_BYTES;
        l.text = malloc(l.n + 1);
        status = l.text ? plat_scratch_read(output, 0, l.text, l.n, err) : err_no_memory(err);
    }
    l.errors = status ? "" : take_errors(errors, NULL, wrote, sizeof wrote);
    if (!status)
        status = judge_list(&l, &result, patience, err);
    if (!status)
        status = read_list(&l, out, err);
    free(l.text);
    plat_close(output);
    plat_close(errors);
    return status;
}

static enum tare_status judge_run(const struct run *run, const char *name, const struct result_file *s, const char *errors,
                                  const struct plat_child_result *result, struct tare_err *err)
{
    struct buf b = BUF_INIT(1 << 13);
    if (result->end == CHILD_INTERRUPTED)
        return err_set(err, TARE_INTERRUPTED, "interrupted before the first process");
    if (result->end == CHILD_EXITED && (!result->code || s->failure_reported) && result_file_any(s))
        return TARE_OK;
    if (result->end == CHILD_NOT_STARTED)
        buf_format(&b, "could not be started: %s%s", plat_errno_text(result->code), plat_start_advice(result->code));
    else if (result->end == CHILD_TIMED_OUT)
        buf_format(&b, "was stopped after %s; give more time with --timeout",
                   figure_text(figure_limit, (double)patience_ns(run, 0) / 1e9).at);
    else if (result->end == CHILD_SIGNALLED)
        buf_format(&b, "was ended by %s", plat_signal_name(result->code));
    else if (result->code)
        buf_format(&b, "ended with exit code %d", result->code);
    else if (s->trouble[0])
        buf_str(&b, s->trouble);
    else {
        buf_format(&b, "wrote no time into %.200s, only ", run->o->results);
        result_file_say_others(s, &b);
        buf_str(&b, "; a time has a unit, as in 'sort 12.5 ms', and other values are compared with tare run --metric "
                    "result:NAME:UNIT=NAME");
    }
    if (*errors && result->end != CHILD_NOT_STARTED)
        buf_format(&b, "; it wrote: %s", errors);
    enum tare_status status = err_set(err, TARE_CHILD, "'%s' %s", name, buf_text(&b));
    buf_finish(&b);
    return status;
}

/* Commands that write the same have one note. */
static void note_no_times(const struct run *run, const char *name, const struct result_file *s)
{
    struct buf others = BUF_INIT(1 << 13), before = BUF_INIT(1 << 13);
    result_file_say_others(s, &others);
    if (s > run->results)
        result_file_say_others(s - 1, &before);
    if (others.len && strcmp(buf_text(&others), buf_text(&before)) != 0)
        run_note(run,
                 "'%s' wrote values that are no times and are not compared: %s; to compare one: tare run --metric "
                 "result:NAME:UNIT=NAME",
                 name, buf_text(&others));
    buf_finish(&others);
    buf_finish(&before);
}

static enum tare_status list_results(const struct result_file *s, struct program_answer *out, struct tare_err *err)
{
    struct buf frames = BUF_INIT(4 * LIST_BYTES);
    struct told told = {.errors = ""};
    enum tare_status status = result_file_list(s, &frames, err);
    *out = (struct program_answer){.bytes = frames.data, .n = frames.len, .exit_code = -1};
    if (!status)
        walk_report(out, &told);
    else
        program_answer_finish(out);
    return status == TARE_TOO_LARGE ? TARE_CHILD : status;
}

enum tare_status run_ask_results(const struct run *run, const char *name, const char *const *argv, const struct run_place *where,
                                 struct result_file *s, struct program_answer *out, struct tare_err *err)
{
    struct plat_child_result result = {0};
    struct buf path = BUF_INIT(1 << 16);
    char wrote[4096 + 1];
    *out = (struct program_answer){.exit_code = -1};
    const int errors = run->o->show_output ? -1 : plat_open_scratch(err);
    enum tare_status status =
        errors < 0 && !run->o->show_output ? TARE_IO : exec_clear_results(run->o->results, where->cwd, &path, err);
    if (!status)
        status = ask_program(run, argv, where, patience_ns(run, 0), &(struct answers){-1, -1, errors}, &result, err);
    const char *said = status || errors < 0 ? "" : take_errors(errors, NULL, wrote, sizeof wrote);
    if (!status)
        status = result_file_read(s, buf_text(&path), err);
    if (!status)
        status = judge_run(run, name, s, said, &result, err);
    if (!status) {
        note_no_times(run, name, s);
        status = list_results(s, out, err);
    }
    plat_close(errors);
    buf_finish(&path);
    return status;
}

const char **run_program_argv(const struct run *run, const char *path)
{
    const char **argv = arena_array(run->cli->arena, 2, sizeof *argv);
    if (argv)
        argv[0] = path;
    return argv;
}

bool run_room_for_parts(struct run *run, int n)
{
    struct subject_plan *plan = &run->subjects;
    *plan = (struct subject_plan){.subjects = arena_array(run->cli->arena, (size_t)n, sizeof *plan->subjects),
                                  .hooks = arena_array(run->cli->arena, (size_t)n, sizeof *plan->hooks),
                                  .n = n,
                                  .n_texts = n,
                                  .per_revision = n,
                                  .same_setup_cleanup = true};
    return plan->subjects && plan->hooks;
}
