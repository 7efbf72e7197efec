/* SPDX-License-Identifier: MIT
 * What the processes of one run left in its folder, added up into the record between two runs. */
#include "plat.h"
#include "self_trace.h"
#include "trace_session.h"
#include <math.h>
#include <string.h>
#include <tare/stats.h>

/* Between two runs, so the live line makes room. */
static void say_left_out(void *trace, const char *text)
{
    struct trace *t = trace;
    session_note(&t->run.session, "%s", text);
}

/* ---- a run without files ---- */

struct search {
    const char *word;
    size_t matched;
    bool found;
};

/* The word has its first letter once, so that a mismatch can only begin it anew. */
static enum tare_status look_for(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    struct search *s = context;
    const char *at = bytes;
    (void)err;
    for (size_t i = 0; i < n && !s->found; i++) {
        s->matched = at[i] == s->word[s->matched] ? s->matched + 1 : at[i] == s->word[0];
        s->found = !s->word[s->matched];
    }
    return TARE_OK;
}

/* Whether the program's file has the section of points, or what they are called by, also when it was stripped: "tare_points". */
static bool file_has_points(const char *path)
{
    struct search s = {.word = "tare_poin"};
    plat_file_pour(path, &(struct sink){look_for, &s}, NULL);
    return s.found;
}

static bool has_points(const struct trace *t, int command)
{
    struct buf path = BUF_INIT(1 << 17);
    const char *const *environment = t->run.exec_options.environment;
    const bool found = !run_find_file(t->run.commands[command].argv[0], environment, run_cwd(&t->run, command), &path, NULL) &&
                       file_has_points(buf_text(&path));
    buf_finish(&path);
    return found;
}

/* What a process writes first fits. Nothing stays of it. */
static enum tare_status find_room(const char *folder, struct tare_err *err)
{
    static const char bytes[1 << 16];
    struct buf path = BUF_INIT(1 << 16);
    struct plat_file *f;
    buf_format(&path, "%s/room", folder);
    enum tare_status status = plat_file_create(&f, buf_text(&path), PLAT_FILE_REPLACE, err);
    if (!status) {
        status = plat_file_write(f, bytes, sizeof bytes, err);
        plat_file_abandon(f);
    }
    buf_finish(&path);
    return status;
}

static enum tare_status nothing_left(const struct trace *t, const struct exec_left *left, struct tare_err *err)
{
    const int command = left->subject;
    const char *name = t->run.commands[command].name;
    if (t->files.no_room)
        return err_set(err, TARE_IO, "'%s' had no space for its files: free some where they are written (TMPDIR or --trace-dir)",
                       name);
    if (t->files.left_out)
        return err_set(err, TARE_CHILD, "'%s' left only files that cannot be read: build it and this tare from one version",
                       name);
    if (find_room(left->folder, err)) {
        err_prefix(err, name);
        return TARE_IO;
    }
    if (!has_points(t, command))
        return err_set(err, TARE_CHILD,
                       "'%s' has no points: put TARE_POINT() where arcs begin and end, with #include <tare/point.h>, and link "
                       "it with libtare (of a script or a shared object: no program that it runs left a file)",
                       name);
    return err_set(
        err, TARE_CHILD,
        "'%s' has points and left no file: it hit none, or it runs as another user (setuid), in another root, or without the "
        "variable " TRACE_VARIABLE " in its environment",
        name);
}

/* ---- processes that go on ---- */

/* "PID-START.trace" */
static bool has_file(const char *folder, int pid)
{
    char begin[16];
    struct buf text = buf_over(begin, sizeof begin), names = BUF_INIT(1 << 26);
    int n = 0;
    bool found = false;
    buf_format(&text, "%d-", pid);
    plat_directory_list(folder, &names, &n, NULL);
    const char *name = names.data;
    for (int i = 0; i < n && !names.status && !found; i++, name += strlen(name) + 1)
        found = !strncmp(name, begin, text.len);
    buf_finish(&names);
    return found;
}

/* Those that have a file are counted when it is read. */
static void count_silent(struct trace_sums *sums, const struct exec_left *left)
{
    for (int i = 0; i < left->n_alive; i++) {
        struct buf path = BUF_INIT(1 << 12);
        plat_process_image(left->alive[i], &path);
        if (!has_file(left->folder, left->alive[i]) && file_has_points(buf_text(&path)))
            trace_sums_silent(sums);
        buf_finish(&path);
    }
}

/* ---- the run ---- */

void trace_run_values(const struct trace_run *run, double *values)
{
    double unit_ns = run->hz > 0 ? 1e9 / run->hz : NAN, rows = (double)run->weight.rows;
    double quantile = rows > 1 ? tare_student_quantile(.975, rows - 1) : NAN;
    const double in_order[] = {
        run->files,
        (double)run->events,
        (double)run->loss.words,
        run->weight.mean * unit_ns,
        quantile * run->weight.sd / sqrt(rows) * unit_ns,
        run->weight.mean * unit_ns * (double)run->events * (run->repeat ? run->repeat : 1),
    };
    _Static_assert(sizeof in_order / sizeof *in_order == TRACE_RUN_COLUMNS, "a value for each column");
    for (int i = 0; i < TRACE_RUN_COLUMNS; i++)
        values[i] = isfinite(in_order[i]) ? in_order[i] : NAN;
}

/* Clocks that nobody calibrated are known to some per cent. A clock that jumped is reported, and so is a run that failed. */
static enum tare_status check_possible(const struct trace *t, struct trace_sums *sums, const struct exec_left *left,
                                       struct tare_err *err)
{
    static const double slack_ns = 1e7;
    const struct trace_run *run = trace_sums_run(sums);
    const struct trace_arc_sum *arcs;
    const double most_ns = 1.05 * (double)left->had_ns + slack_ns;
    double longest_ns = (double)run->last_ns - (double)run->first_ns;
    for (int i = trace_sums_arcs(sums, &arcs) - 1; i >= 0 && run->hz > 0; i--)
        longest_ns = fmax(longest_ns, (double)arcs[i].max / run->hz * 1e9);
    if (left->failed || run->jumps || run->steps || longest_ns <= most_ns)
        return TARE_OK;
    return err_set(err, TARE_CHILD, "'%s' left impossible files: times of %.3g s, and its run had %.3g s",
                   t->run.commands[left->subject].name, longest_ns / 1e9, most_ns / 1e9);
}

static enum tare_status take_sums(struct trace *t, struct trace_sums *sums, const struct exec_left *left, double *values,
                                  struct tare_err *err)
{
    enum tare_status status = trace_files_add_folder(&t->files, sums, left->folder, err);
    if (status)
        return status;
    if (!trace_sums_run(sums)->files)
        return left->failed ? TARE_OK : nothing_left(t, left, err);
    count_silent(sums, left);
    status = trace_sums_finish(sums, err);
    if (status)
        return status;
    status = check_possible(t, sums, left, err);
    if (status)
        return status;
    trace_run_values(trace_sums_run(sums), values);
    return left->warmup ? TARE_OK : trace_sums_record(sums, &t->run.record, left->subject, left->round, err);
}

enum tare_status trace_take(void *run, const struct exec_left *left, double *values, struct tare_err *err)
{
    struct trace *t = run;
    struct trace_sums *sums;
    TARE_POINT_NAMED("read back");
    t->files.note = say_left_out;
    t->files.context = t;
    struct trace_sums_options options = {.workers = plat_cpus_allowed()};
    enum tare_status status = trace_sums_create(&sums, &options, err);
    if (status)
        return status;
    t->files.keep = !left->warmup && display_wants_events(&t->run.o->display) ? &t->kept : NULL;
    if (t->files.keep)
        trace_kept_next(&t->kept, left->subject);
    status = take_sums(t, sums, left, values, err);
    t->run.session.outputs.traces = (const struct trace_file *const *)t->kept.files;
    t->run.session.outputs.n_traces = t->kept.n;
    trace_sums_destroy(sums);
    TARE_POINT_NAMED("was read");
    return status;
}
