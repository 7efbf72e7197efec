/* SPDX-License-Identifier: MIT
 *
 * `tare trace`: the arcs between the points of a program.
 *
 *       from → to                  time   share  calls     mean  95 % CI
 *       queue.c:41 → queue.c:52  1.20 ms  61.2 %   1000  1.20 µs  1.19–1.22
 *       30 runs · 8 of 8 points hit · probe overhead 23.1 ns, subtracted · nothing lost
 */
#include "clocks.h"
#include "padding.h"
#include "plat.h"
#include "quote.h"
#include "record_arcs.h"
#include "self_trace.h"
#include "trace_session.h"
#include "units.h"
#include <math.h>
#include <string.h>
#include <tare/stats.h>

/* From the words of the command line to traced programs, and where their files go. */

static bool is_program_file(const struct trace *t, const char *word)
{
    struct buf path = BUF_INIT(1 << 16);
    bool found =
        plat_base_name(word) > word && !plat_find_program(word, t->run.exec_options.environment, t->o->run.cwd, &path, NULL);
    buf_finish(&path);
    return found;
}

static bool all_commands(const struct trace *t)
{
    const struct option_operands *words = &t->run.cli->operands;
    for (int i = 0; i < words->n; i++)
        /* A word that can only be an entire command: it holds blanks, or names a program's file. */
        if (!strpbrk(words->items[i], " \t") && !is_program_file(t, words->items[i]))
            return false;
    return true;
}

static void say_reading(const struct trace *t, bool several)
{
    const struct option_operands *words = &t->run.cli->operands;
    struct buf text = BUF_INIT(1 << 20);
    quote_words(&text, words->items, false);
    if (several)
        run_note(&t->run, "%d programs that are compared; for one program with its arguments put -- in front of it", words->n);
    else
        run_note(&t->run, "one program with its arguments: %s", buf_text(&text));
    buf_finish(&text);
}

/* Without dashes, one word is a command as everywhere, and several are read as what they can be. */
static void read_words(struct trace *t)
{
    struct option_operands *words = &t->run.cli->operands;
    if (words->dashes || words->n < 2)
        return;
    bool several = all_commands(t);
    say_reading(t, several);
    t->run.reading_told = true;
    if (!several)
        words->after = 0;
}

/* What an outer session asks is not meant for these programs. */
static enum tare_status take_environment(struct trace *t, struct tare_err *err)
{
    static const char *const name = TRACE_VARIABLE;
    const struct option_list *env = &t->o->run.env;
    for (int i = 0; i < env->n; i++)
        if (!strncmp(env->items[i], TRACE_VARIABLE "=", sizeof TRACE_VARIABLE))
            return err_set(err, TARE_INVALID,
                           "--env " TRACE_VARIABLE ": tare sets this variable itself, anew for each run; omit it");
    t->run.exec_options.environment = environment_with(t->run.cli->arena, t->run.exec_options.environment, &name, 1);
    return t->run.exec_options.environment ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory for the environment");
}

static const char *suffix(const struct trace *t, int i)
{
    return t->run.subjects.n > 1 ? arena_format(t->run.cli->arena, "-%03d", i + 1) : "";
}

static struct trace_request request_of(const struct trace *t)
{
    const struct trace_options *o = t->o;
    struct trace_request q = trace_request_default("");
    const struct clock_state *known = clock_state();
    q.micro_hz = known->counter.trusted ? (uint64_t)llround(known->hz * 1e6) : 0;
    q.session = t->run.record.seed;
    q.mode = o->mode;
    memcpy(q.modes, o->group_modes, sizeof q.modes);
    q.order = (enum trace_order)(o->order + 1);
    q.full = q.order == TRACE_PRECISE ? TRACE_FULL_STOP : TRACE_FULL_AGGREGATE; /* four stamps cannot be added up */
    q.limit_bytes = (uint64_t)o->limit_bytes;
    q.burst_gap = (uint32_t)o->burst_gap;
    struct buf clock = buf_over(q.clock, sizeof q.clock);
    buf_str(&clock, o->clock);
    return q;
}

static enum tare_status make_requests(struct trace *t, struct tare_err *err)
{
    t->asked = arena_array(t->run.cli->arena, (size_t)t->run.subjects.n, sizeof *t->asked);
    for (int i = 0; t->asked && i < t->run.subjects.n; i++) {
        t->asked[i] = (struct trace_asked){.request = request_of(t), .suffix = suffix(t, i), .prove = t->o->prove};
        if (!t->asked[i].suffix)
            return err_set(err, TARE_NO_MEMORY, "no memory for %d programs", t->run.subjects.n);
        t->run.commands[i].trace = &t->asked[i];
    }
    return t->asked ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory for %d programs", t->run.subjects.n);
}

/* "every hit stored; clock read in order; up to 64 GiB a process, the rest aggregated" */
static const char *in_words(const struct trace *t)
{
    static const char *const modes[TRACE_MODES] = {"nothing", "hits counted", "arcs aggregated in the program",
                                                   "every hit stored", "windows of hits stored, all counted"};
    static const char *const orders[] = {"the clock read in order", "the clock read out of order", "four time stamps per hit"};
    const struct trace_options *o = t->o;
    struct buf text = BUF_INIT(1 << 14);
    buf_str(&text, modes[o->mode]);
    for (int i = 0; i < TRACE_GROUPS; i++)
        if (o->group_modes[i] != 0xFF)
            buf_format(&text, ", in group %d %s", i, modes[o->group_modes[i]]);
    buf_format(&text, "; %s; up to ", orders[o->order]);
    if (o->limit_bytes)
        buf_format(&text, "%lld bytes", (long long)o->limit_bytes);
    else
        buf_str(&text, "64 GiB");
    buf_format(&text, " a process, the rest %s", o->order + 1 == TRACE_PRECISE ? "counted as lost" : "aggregated");
    if (o->prove)
        buf_str(&text, "; runs that store each hit 1, 2 and 3 times, in turn");
    if (o->trace_dir)
        buf_format(&text, "; raw files stay in %s", o->trace_dir);
    return arena_keep(t->run.cli->arena, &text);
}

/* What a point costs and what hides of it is another with each. */
static const char *sampled_by(const struct trace *t)
{
    static const char *const orders[] = {"ordered", "fast", "precise"};
    struct buf b = BUF_INIT(1 << 16);
    for (int i = 0; i < t->o->modes.n; i++)
        if (strcmp(t->o->modes.items[i], "trace") != 0)
            run_put_option(&b, "--mode", t->o->modes.items[i]);
    if (t->o->order)
        run_put_option(&b, "--order", orders[t->o->order]);
    if (strcmp(t->o->clock, "auto") != 0)
        run_put_option(&b, "--clock", t->o->clock);
    return arena_keep(t->run.cli->arena, &b);
}

enum tare_status trace_add_metric(struct record *r, struct tare_err *err)
{
    return record_add_arc_metric(r) ? err_set(err, TARE_NO_MEMORY, "no memory for metrics") : TARE_OK;
}

enum { PROVE_LEAST = 6 }; /* runs: two of each kind, for the mean of the plain ones and the line through all */

static enum tare_status settle_rule(struct trace *t, struct tare_err *err)
{
    struct rule *rule = &t->run.record.rule;
    const struct run_options *o = &t->o->run;
    static const double usual = 0.02;
    bool one = t->run.subjects.n == 1;
    rule->correction = CORRECTION_BH;
    if (isnan(o->precision))
        rule->precision = one && !o->runs ? usual : 0;
    t->run.session.plan.sharing = 1;
    if (t->o->prove && !one)
        return err_set(err, TARE_INVALID, "--prove measures the probe in one program, and %d are given; give one",
                       t->run.subjects.n);
    if (t->o->prove && o->runs && o->runs < PROVE_LEAST)
        return err_set(err, TARE_INVALID, "--prove needs runs of three kinds, and --runs is %d; make it %d or more", o->runs,
                       PROVE_LEAST);
    return TARE_OK;
}

enum tare_status trace_describe(struct trace *t, struct tare_err *err)
{
    enum tare_status status = run_choose_environment(&t->run, err);
    if (!status)
        status = take_environment(t, err);
    if (!status) {
        read_words(t);
        status = run_make_subjects(&t->run, err);
    }
    for (int i = 0; i < t->run.subjects.n && !status; i++)
        t->run.subjects.subjects[i].kind = SUBJECT_TRACE;
    if (!status)
        status = run_describe_subjects(&t->run, err);
    if (!status)
        status = trace_add_metric(&t->run.record, err);
    if (!status)
        status = settle_rule(t, err);
    t->run.traced_how = status ? NULL : in_words(t);
    t->run.sampled_by = status ? NULL : sampled_by(t);
    return status ? status : make_requests(t, err);
}

/* Runs of another session in it would be taken for those of this one. */
static enum tare_status check_empty(const char *path, struct tare_err *err)
{
    struct buf names = BUF_INIT(1 << 24);
    int n;
    enum tare_status status = plat_directory_list(path, &names, &n, err);
    if (!status && n)
        status = err_set(err, TARE_INVALID, "'%.200s' is not empty (%.60s); name another folder, or remove what is in it", path,
                         buf_text(&names));
    buf_finish(&names);
    return status;
}

/* --trace-dir, or a folder of ours. INVALID: it holds something. */
static enum tare_status trace_make_base(struct trace *t, struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    const char *dir = t->o->trace_dir;
    enum tare_status status = dir ? plat_directory_make(dir, err) : run_folder(&t->run, "tare-trace-", &path, err);
    if (!status && dir)
        status = check_empty(dir, err);
    if (!status && dir)
        status = plat_directory_path(dir, &path, err);
    const bool ours = !status && !dir;
    if (!status && strchr(buf_text(&path), '\n')) /* the program is told of it in a line */
        status = err_set(err, TARE_INVALID, "the folder '%.200s' has a line feed in its path; name another one with --trace-dir",
                         buf_text(&path));
    if (!status && !(t->base = arena_strdup(t->run.cli->arena, buf_text(&path))))
        status = err_set(err, TARE_NO_MEMORY, "no memory for a path");
    if (status && ours)
        plat_directory_remove(buf_text(&path), NULL);
    if (status && dir)
        err_prefix(err, "--trace-dir");
    t->run.exec_options.trace_base = t->base;
    t->run.exec_options.keep_traces = dir != NULL;
    buf_finish(&path);
    return status;
}

/* Runs whose folder is gone: a clean-up took it. */
static int count_swept_away(const struct trace *t)
{
    const struct traced *traced = t->run.record.traced;
    int gone = 0;
    for (int i = 0; traced && i < traced->n_runs; i++) {
        const struct traced_run *run = &traced->runs[i];
        struct buf path = BUF_INIT(1 << 16);
        trace_folder(&path, t->base, &t->asked[run->subject], run->round, false);
        gone += !plat_is_directory(buf_text(&path));
        buf_finish(&path);
    }
    return gone;
}

/* A folder of ours goes, the user's has all runs. EXIT_TOOL: it could not be removed, or has not. */
static enum exit_code trace_end_base(struct trace *t)
{
    struct tare_err err;
    const int gone = t->base && t->o->trace_dir ? count_swept_away(t) : 0;
    if (gone)
        err_set(&err, TARE_IO, "--trace-dir: the files of %d run%s were deleted while tare measured", gone, buf_plural(gone));
    else if (!t->base || t->o->trace_dir || !plat_directory_remove(t->base, &err))
        return EXIT_ANSWERED;
    return cli_fail(t->run.cli, EXIT_TOOL, &err);
}

/* What the processes of one run left in its folder, added up into the record between two runs. */

/* Between two runs, so the live line makes room. */
static void say_left_out(void *trace, const char *text)
{
    struct trace *t = trace;
    session_note(&t->run.session, "%s", text);
}

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

/* Whether the program's file has the section of points, or what they are called by, also when it was stripped: "tare_points", on Windows "tare_poi". */
static bool file_has_points(const char *path)
{
    struct search s = {.word = "tare_poi"};
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

/* What a process writes first fits, and a few times over: what tare itself had open is free again by now. Nothing stays of it. */
static enum tare_status find_room(const char *folder, struct tare_err *err)
{
    enum { FILES = 4 };
    static char bytes[1 << 16]; /* not const: 64 KiB of zeros would be in the file of tare */
    struct plat_file *files[FILES] = {NULL};
    enum tare_status status = TARE_OK;
    for (int i = 0; i < FILES && !status; i++) {
        struct buf path = BUF_INIT(1 << 16);
        buf_format(&path, "%s/room%d", folder, i);
        status = plat_file_create(&files[i], buf_text(&path), PLAT_FILE_REPLACE, err);
        status = status ? status : plat_file_write(files[i], bytes, sizeof bytes, err);
        buf_finish(&path);
    }
    for (int i = 0; i < FILES && files[i]; i++)
        plat_file_abandon(files[i]);
    return status;
}

/* A program of benchmarks, or one that only includes the header, has the name of points in its file and has none. */
static enum tare_status no_point(const struct trace *t, int command, struct tare_err *err)
{
    const char *name = t->run.commands[command].name;
    if (!has_points(t, command))
        return err_set(err, TARE_CHILD,
                       "'%s' has no points: put TARE_POINT() where arcs begin and end, with #include <tare/point.h>, and link "
                       "it with libtare (of a script or a shared object: no program that it runs left a file)",
                       name);
    return err_set(
        err, TARE_CHILD,
        "'%s' is built with libtare and hit no point: put TARE_POINT() where arcs begin and end; if it has points, none was "
        "reached, or it runs as another user (setuid), in another root, or without the variable " TRACE_VARIABLE
        " in its environment, or its files were removed meanwhile",
        name);
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
    return no_point(t, command, err);
}

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
    return err_set(err, TARE_CHILD, "'%s' left impossible files: times of %s, and its run had %s",
                   t->run.commands[left->subject].name, scaled_text("ns", longest_ns).at, scaled_text("ns", most_ns).at);
}

/* A bit for each. Asked before files are read, which takes a while: who has ended has no image, and may have left the rest to a child of its own. */
static uint64_t alive_with_points(const struct exec_left *left)
{
    uint64_t bits = 0;
    for (int i = 0; i < left->n_alive; i++) {
        struct buf path = BUF_INIT(1 << 12);
        plat_process_image(left->alive[i], &path);
        bits |= (uint64_t)file_has_points(buf_text(&path)) << i;
        buf_finish(&path);
    }
    return bits;
}

static enum tare_status take_sums(struct trace *t, struct trace_sums *sums, const struct exec_left *left, double *values,
                                  struct tare_err *err)
{
    const uint64_t with_points = alive_with_points(left);
    enum tare_status status = trace_files_add_folder(&t->files, sums, left->folder, err);
    if (status)
        return status;
    if (!trace_sums_run(sums)->files)
        return left->failed ? TARE_OK : nothing_left(t, left, err);
    for (int i = 0; i < left->n_alive; i++)
        if (with_points >> i & 1 && !has_file(left->folder, left->alive[i])) /* else it is counted when its file is read */
            trace_sums_silent(sums);
    status = trace_sums_finish(sums, err);
    if (status)
        return status;
    status = check_possible(t, sums, left, err);
    if (status)
        return status;
    trace_run_values(trace_sums_run(sums), values);
    return left->warmup ? TARE_OK : trace_sums_record(sums, &t->run.record, left->subject, left->round, err);
}

/* For exec_options.take; the context is the trace's run. */
static enum tare_status trace_take(void *run, const struct exec_left *left, double *values, struct tare_err *err)
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
    const bool wanted = t->run.session.outputs.save || display_wants_events(&t->run.o->display);
    t->files.keep = !left->warmup && wanted ? &t->kept : NULL;
    if (t->files.keep)
        trace_kept_next(&t->kept, left->subject);
    status = take_sums(t, sums, left, values, err);
    t->run.session.outputs.traces = (const struct trace_file *const *)t->kept.files;
    t->run.session.outputs.traced = t->kept.subject;
    t->run.session.outputs.n_traces = t->kept.n;
    trace_sums_destroy(sums);
    TARE_POINT_NAMED("was read");
    return status;
}

static bool has_arc(const struct traced *traced, int subject)
{
    for (int i = 0; i < traced->n_results; i++)
        if (traced->results[i].subject == subject)
            return true;
    return false;
}

/* What the first run lacks; NULL: nothing is missing. */
static const char *what_is_lost(const struct traced *traced, int subject)
{
    for (int i = 0; i < traced->n_runs; i++)
        if (traced->runs[i].subject == subject && traced->runs[i].lost)
            return traced->runs[i].lost;
    return NULL;
}

/* All went well, and nothing can be said. */
static enum exit_code say_no_arc(const struct trace *t)
{
    const struct record *r = &t->run.record;
    struct tare_err err;
    for (int i = 0; i < r->n_subjects && r->traced; i++) {
        if (has_arc(r->traced, i))
            continue;
        struct arc_coverage c = record_arc_coverage(r, i);
        const char *lost = what_is_lost(r->traced, i);
        if (lost)
            err_set(&err, TARE_IO, "no arc of '%s' is left: %.*s; raise --limit, or use another --trace-dir", r->subjects[i].name,
                    (int)strcspn(lost, "\n"), lost);
        else if (!c.points)
            no_point(t, i, &err);
        else
            err_set(&err, TARE_CHILD, "'%s' hit %d of its %d points and no arc: an arc goes from one point to the next",
                    r->subjects[i].name, c.points_passed, c.points);
        return cli_fail(t->run.cli, lost ? EXIT_TOOL : EXIT_CHILD, &err);
    }
    return EXIT_ANSWERED;
}

enum exit_code trace_measure(struct trace *t)
{
    struct tare_err err;
    enum tare_status status = trace_make_base(t, &err);
    if (status)
        return cli_refuse(t->run.cli, status, &err);
    t->run.exec_options.take = trace_take;
    const enum exit_code code = run_session(&t->run);
    return code == EXIT_ANSWERED || code == EXIT_UNDECIDED ? cli_worse(code, say_no_arc(t)) : code;
}

void trace_begin(struct trace *t, struct cli *cli, const struct trace_options *options)
{
    *t = (struct trace){.o = options};
    t->run = (struct run){.cli = cli, .o = &options->run, .traced = true};
    record_init(&t->run.record);
}

enum exit_code trace_end(struct trace *t, enum exit_code code)
{
    trace_kept_close(&t->kept); /* Windows removes no file that is open */
    code = cli_worse(code, trace_end_base(t));
    return run_end(&t->run, code);
}

int cmd_trace(struct cli *cli, const void *options)
{
    struct trace t;
    struct tare_err err;
    trace_begin(&t, cli, options);
    enum tare_status status = trace_describe(&t, &err);
    enum exit_code code;
    if (status) {
        code = cli_fail(cli, run_code_of(status), &err);
    } else {
        run_print_notes(&t.run);
        code = t.run.o->dry_run ? run_dry(&t.run) : trace_measure(&t);
    }
    return trace_end(&t, code);
}
