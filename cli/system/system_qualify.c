/* SPDX-License-Identifier: MIT
 *
 * `tare system qualify`: which differences a host can resolve.
 *
 * One session of tare run --aa with a program of known work; its record also has what was measured of the host before: pairs of CPUs, gaps, throughput
 * over minutes, counters. Then sessions with injected differences, a row each.
 */
#include "system_qualify.h"
#include "chart.h"
#include "clocks.h"
#include "cpu.h"
#include "host_verdict.h"
#include "leak_session.h"
#include "plat.h"
#include "qualify.h"
#include "quote.h"
#include "run.h"
#include "system_options.h"
#include "units.h"
#include <math.h>
#include <string.h>
#include <tare/stats.h>

/* Two pictures of a host: how often gaps of each size and larger came, and what the CPUs got done over the minutes. Values of rows as they are; nothing is claimed
 * from a picture that is no estimate.
 */

struct drawing {
    struct chart_maker make;
    struct record *r;
};

static void add_gap_line(struct drawing *d, struct chart *c, int subject)
{
    struct jitter_cpu cpu;
    double *x = chart_column(&d->make, JITTER_CLASSES), *y = chart_column(&d->make, JITTER_CLASSES), seconds = 0;
    if (d->make.failed || c->n_lines >= CHART_LINES_MAX || !qualify_stretches(d->r, subject, &cpu, d->make.arena))
        return;
    int64_t gaps[JITTER_CLASSES] = {0}, all = 0;
    for (int s = 0; s < cpu.n; s++) {
        seconds += cpu.stretches[s].wall_ns / 1e9;
        for (int i = 0; i < JITTER_CLASSES; i++)
            gaps[i] += cpu.stretches[s].gaps[i];
    }
    int n = 0;
    for (int i = JITTER_CLASSES - 1; i >= 0; i--) {
        all += gaps[i];
        x[i] = (double)jitter_class_ns[i] / 1e3;
        y[i] = (double)all / seconds;
        n = n == 0 && all ? i + 1 : n;
    }
    c->lines[c->n_lines++] = (struct chart_line){d->r->subjects[subject].name, CHART_STEPS, n, x, y, NULL, NULL};
}

static void add_gaps(struct drawing *d)
{
    struct chart *c =
        chart_add(&d->make, "gaps", "Gaps by size", "How often a loop that only computes was interrupted for at least so long.");
    c->x_title = "length, µs";
    c->y_title = "gaps a second";
    c->logarithmic_x = c->logarithmic_y = true;
    for (int i = 0; i < d->r->n_subjects && !d->make.failed; i++)
        if (record_is_host_part(d->r, i, "jitter"))
            add_gap_line(d, c, i);
    d->make.n -= !c->n_lines;
}

/* Mean over the CPUs of a column, slice by slice; how many slices all have. */
static int mean_over_cpus(struct drawing *d, const char *id, double *out, int room)
{
    int n = room, cpus = 0;
    memset(out, 0, (size_t)room * sizeof *out);
    for (int i = 0; i < d->r->n_subjects; i++) {
        const struct series *s = &d->r->series[i];
        const double *x = series_values(s, id);
        if (!record_is_host_part(d->r, i, "throughput") || !x)
            continue;
        n = s->main.n < n ? s->main.n : n;
        for (int k = 0; k < n; k++)
            out[k] += x[k];
        cpus++;
    }
    for (int k = 0; k < n; k++)
        out[k] /= cpus;
    return cpus ? n : 0;
}

static void add_throughput_line(struct drawing *d, struct chart *c, const char *id, const char *name, const double *seconds,
                                int n)
{
    double *y = chart_column(&d->make, n), *sorted = chart_column(&d->make, n);
    if (d->make.failed || mean_over_cpus(d, id, y, n) < n)
        return;
    memcpy(sorted, y, (size_t)n * sizeof *y);
    tare_sort(sorted, n);
    double median = tare_quantile_sorted(sorted, n, 0.5);
    for (int i = 0; i < n; i++)
        y[i] = 100 * (y[i] / median - 1);
    c->lines[c->n_lines++] = (struct chart_line){name, CHART_LINE, n, seconds, y, NULL, NULL};
}

static void add_throughput(struct drawing *d)
{
    int first = -1;
    for (int i = 0; i < d->r->n_subjects && first < 0; i++)
        if (record_is_host_part(d->r, i, "throughput"))
            first = i;
    int n = first < 0 ? 0 : d->r->series[first].main.n;
    for (int i = first; i >= 0 && i < d->r->n_subjects; i++)
        if (record_is_host_part(d->r, i, "throughput") && d->r->series[i].main.n < n)
            n = d->r->series[i].main.n;
    double *seconds = chart_column(&d->make, n);
    if (d->make.failed || n < 2)
        return;
    for (int i = 0; i < n; i++)
        seconds[i] = (double)(d->r->series[first].main.start_ns[i] - d->r->series[first].main.start_ns[0]) / 1e9;
    struct buf says = BUF_INIT(1 << 10);
    buf_str(&says, "Per wall time: what the CPUs got done. Per CPU time: how fast the cores were while they ran the program.");
    if (record_known(d->r, first, "throughput", "all_change"))
        buf_str(&says, " The answer compares only the last quarter with the first; changes between them show here.");
    struct chart *c = chart_add(&d->make, "throughput", "Throughput with all CPUs busy", arena_keep(d->make.arena, &says));
    c->x_title = "seconds";
    c->y_title = "throughput, % off its median";
    add_throughput_line(d, c, "done", "per wall time", seconds, n);
    add_throughput_line(d, c, "of_cpu_time", "per CPU time", seconds, n);
    c->rules[c->n_rules++] = (struct chart_rule){0, "median"};
    d->make.n -= !c->n_lines;
}

bool qualify_make_pages(struct record *r, struct arena *a)
{
    struct host_verdict v;
    struct chart_page *page = arena_alloc(a, sizeof *page);
    struct chart *charts = arena_array(a, 2, sizeof *charts);
    struct drawing d = {.make = {.arena = a, .out = charts}, .r = r};
    if (!page || !charts)
        return false;
    add_gaps(&d);
    add_throughput(&d);
    host_verdict_read(r, &v);
    *page = (struct chart_page){.heading = "This host", .verdict = v.why, .charts = charts, .n_charts = d.make.n};
    r->pages = d.make.n ? page : NULL;
    r->n_pages = d.make.n > 0;
    return !d.make.failed;
}

enum { JITTER_NS = 2000000000, SESSION_NS = 1500000000 };
/* What is measured with itself: THOUSANDS of multiplies, KIB of memory. */
enum { WORK_THOUSANDS = 4000, WORK_KIB = 2048 };

static const char name[] = "a program of known work";

struct qualification {
    struct cli *cli;
    const struct qualify_options *o;
    struct cli as_run; /* with the words of the program that is measured */
    struct run_options run_options;
    struct run run;
    struct qualify host;
    struct host_verdict verdict;
    const char *work; /* path of the program */
    enum tare_status failed;
    struct tare_err why; /* why the record lacks it */
};

/* Of a session, as `tare run` would have them, and its words. */
static enum tare_status options_of_run(const struct qualification *x, struct run_options *out, struct option_operands *words,
                                       struct arena *a, struct tare_err *err)
{
    static const char *const names[] = {name, NULL};
    option_defaults(&run_option_set, out);
    out->margin.value = x->o->margin;
    out->pin_cpu = x->o->pin_cpu;
    out->names = (struct option_list){names, 1};
    out->display = x->o->display;
    return run_options_check(out, words, a, err);
}

static enum tare_status choose_cpus(struct qualification *x, struct tare_err *err)
{
    struct cpu_list *cpus = &x->host.cpus;
    enum tare_status status = TARE_OK;
    if (x->o->cpus && ((status = cpu_list_parse(cpus, x->o->cpus)) || cpu_list_next(cpus, 0) < 0))
        return err_set(err, TARE_INVALID, "--cpus %.60s is not a list of CPUs such as 1 or 2-5,7", x->o->cpus);
    for (int cpu = 0; !x->o->cpus && cpu < CPU_LIST_MAX; cpu++)
        if (plat_cpu_allowed(cpu))
            cpu_list_add(cpus, cpu);
    return TARE_OK;
}

static enum tare_status describe_run(struct qualification *x, struct tare_err *err)
{
    char thousands[16], kib[16];
    struct buf t = buf_over(thousands, sizeof thousands), k = buf_over(kib, sizeof kib);
    buf_format(&t, "%d", WORK_THOUSANDS);
    buf_format(&k, "%d", WORK_KIB);
    const char *const all[] = {x->work, thousands, kib, NULL};
    const char *const *items = arena_words(&x->run.record.arena, all);
    if (!items)
        return err_no_memory(err);
    x->as_run = *x->cli;
    x->as_run.operands = (struct option_operands){.items = items, .n = 3, .after = 0, .dashes = true};
    struct run_options *o = &x->run_options;
    enum tare_status status = options_of_run(x, o, &x->as_run.operands, x->cli->arena, err);
    o->aa_sessions = x->o->sessions;
    o->save = x->o->save;
    if (!QUALIFY_GIVEN(x->o, seed))
        return status ? status : run_describe(&x->run, err);
    x->run.shown_seed = &x->o->seed;
    return status ? status : run_describe(&x->run, err);
}

static void row_added(void *context, int series)
{
    struct qualification *x = context;
    const struct record *r = &x->run.record;
    struct session *s = &x->run.session;
    if (s->writer && !s->save_failed &&
        record_write_row(s->writer, r, series, false, r->series[series].main.n - 1, &s->save_error))
        s->save_failed = true;
}

static void show_phase(void *context, const char *what, double left_s)
{
    struct qualification *x = context;
    live_wait(&x->run.session.live, &x->run.record, what, left_s);
}

static enum tare_status describe_qualification(struct qualification *x, struct tare_err *err)
{
    enum tare_status status = choose_cpus(x, err);
    if (!status)
        status = run_start_spawner(&x->run, err);
    if (status)
        return status;
    x->work = plat_work_path(x->run.session.spawner);
    status = describe_run(x, err);
    x->host.record = &x->run.record;
    x->host.watch_ns = (int64_t)(x->o->minutes * 60e9);
    x->host.jitter_ns = JITTER_NS;
    x->host.after_row = row_added;
    x->host.phase = show_phase;
    x->host.context = x;
    if (!status && (status = qualify_describe(&x->host, err)) == TARE_INVALID)
        err_prefix(err, "--cpus");
    return status;
}

static enum exit_code dry_run(struct qualification *x)
{
    struct buf b = BUF_INIT(1 << 20);
    const struct qualify *q = &x->host;
    double pairs_s = q->n_pairs * QUALIFY_PAIR_ROUNDS * 0.06, gaps_s = q->n_probed * (double)q->jitter_ns / 1e9;
    double sessions_s = 1.5 * (x->o->sessions + x->o->planted);
    buf_format(&b, "Dry run: nothing was measured.\n  %s  %d pair%s of CPUs, each alone and both together\n  %s  gaps on CPU%s ",
               figure_text(figure_duration, pairs_s).at, q->n_pairs, buf_plural(q->n_pairs),
               figure_text(figure_duration, gaps_s).at, buf_plural(q->n_probed));
    for (int i = 0; i < q->n_probed; i++)
        buf_format(&b, "%s%d", i ? ", " : "", q->probed[i]);
    buf_format(&b,
               "\n  %s  throughput of %d CPU%s, all busy\n  at most %s  %d session%s of a program against itself, %d against "
               "itself with more work (seed %llu)\n",
               figure_text(figure_duration, (double)q->watch_ns / 1e9).at, q->n_cpus, buf_plural(q->n_cpus),
               figure_text(figure_duration, sessions_s).at, x->o->sessions, buf_plural(x->o->sessions), x->o->planted,
               (unsigned long long)x->run.record.seed);
    return cli_print(x->cli, &b);
}

/* Sessions whose answer is known: a program against itself with as much more work as one session of this host should find.
 *
 * A thousand multiplies that wait for each other take cycles / frequency of the core, by the reference chain; the program takes the median of its runs
 * in the sessions against itself. So the work that makes it slower by the share d is d times the one over the other, rounded to thousands, and the resulting share is in the
 * row. Each session is one of tare run, of two commands, with half of that share as its margin: it ends when the sign is
 * proven, or at its last interim analysis. */
struct planting {
    struct qualification *x;
    int more;       /* thousands of multiplies */
    double planted; /* ln of the ratio of the times */
    const char *words[3];
};

static double value_of(const struct record *r, const char *statistic)
{
    return record_point(r, 0, r->rule.metric, statistic);
}

static enum tare_status choose_size(struct planting *p, struct tare_err *err)
{
    const struct record *r = &p->x->run.record;
    double cycles, empty, hz, wanted = value_of(r, "aa_detectable"), takes_ns = value_of(r, "median");
    enum tare_status status = clock_chain_weights(&cycles, &empty, err);
    if (!status)
        status = clock_core_hz(&hz, err);
    if (status) {
        err_prefix(err, "no differences are injected");
        return TARE_UNSUPPORTED;
    }
    double thousand_ns = 1000 * cycles / CPU_PROBE_STEPS / hz * 1e9;
    if (!(wanted > 0 && wanted < 1 && takes_ns > 0))
        return err_set(err, TARE_UNSUPPORTED, "no differences are injected: the smallest detectable difference is not known");
    p->more = (int)ceil(wanted * takes_ns / thousand_ns);
    p->planted = log1p(p->more * thousand_ns / takes_ns);
    return TARE_OK;
}

static const char *command_of(struct planting *p, int thousands)
{
    struct buf b = BUF_INIT(1 << 16);
    quote_word(&b, p->x->work, false);
    buf_format(&b, " %d %d", thousands, WORK_KIB);
    const char *kept = arena_strdup(p->x->cli->arena, buf_text(&b));
    buf_finish(&b);
    return kept;
}

static enum tare_status measure_planted(struct planting *p, struct run *run, struct tare_err *err)
{
    enum tare_status status = run_describe(run, err);
    run->session.plan.budget_ns = SESSION_NS;
    if (!status)
        status = run_open(run, err);
    if (!status)
        status = run_measure(run, err);
    if (status)
        return status;
    struct qualify_planted found = {.planted = p->planted, .shift = NAN, .low = NAN, .high = NAN};
    if (run->record.n_comparisons) {
        const struct comparison *c = &run->record.comparisons[0];
        found.shift = c->shift;
        found.low = isfinite(c->low) ? c->low : NAN;
        found.high = isfinite(c->high) ? c->high : NAN;
        found.rounds = c->rounds;
        found.found = found.low > 0;
        found.wrong = found.high < 0;
    }
    return qualify_add_planted(&p->x->host, &found, err);
}

static enum tare_status one_session(struct planting *p, uint64_t seed, struct tare_err *err)
{
    struct qualification *x = p->x;
    struct run_options o;
    struct cli as_run = *x->cli;
    as_run.operands = (struct option_operands){.items = p->words, .n = 2, .after = 2};
    enum tare_status status = options_of_run(x, &o, &as_run.operands, x->cli->arena, err);
    struct run run = {.cli = &as_run, .o = &o, .shown_seed = &seed};
    o.margin.value = expm1(p->planted) / 2;
    o.names = (struct option_list){0};
    o.display.quiet = true; /* its result is a row, and what it would advise is not the user's to do */
    memset(o.display.export_file, 0, sizeof o.display.export_file);
    record_init(&run.record);
    if (!status)
        status = measure_planted(p, &run, err);
    if (run.session.signal_number)
        x->run.session.signal_number = run.session.signal_number;
    run_close(&run);
    return status;
}

static enum tare_status plant_program(struct qualification *x, struct tare_err *err)
{
    struct planting p = {.x = x};
    enum tare_status status = choose_size(&p, err);
    if (status)
        return status;
    p.words[0] = command_of(&p, WORK_THOUSANDS);
    p.words[1] = command_of(&p, WORK_THOUSANDS + p.more);
    if (!p.words[0] || !p.words[1])
        return err_no_memory(err);
    for (int i = 0; i < x->o->planted && !status; i++)
        status = x->run.session.signal_number /* it came when the session before was just over */
                     ? err_set(err, TARE_INTERRUPTED, "interrupted after %d of %d sessions with an injected difference", i,
                               x->o->planted)
                     : one_session(&p, x->run.record.seed + 1 + (uint64_t)i, err);
    return status;
}

/* Between the last run and the screen. */
static void settled(void *context, struct run *run)
{
    struct qualification *x = context;
    x->failed = qualify_estimates(&run->record, &x->why);
    if (!x->failed)
        x->failed = analyse_host(&run->record, &x->verdict, &x->why);
    if (!x->failed && !qualify_make_pages(&run->record, x->cli->arena))
        x->failed = err_no_memory(&x->why);
}

static enum exit_code concluded(void *context, struct run *run)
{
    struct qualification *x = context;
    if (x->failed)
        return cli_fail(x->cli, EXIT_TOOL, &x->why);
    const enum host_word word = x->verdict.word;
    enum exit_code code = word == HOST_GOOD ? EXIT_ANSWERED : word == HOST_UNDECIDED ? EXIT_UNDECIDED : EXIT_BAD;
    return cli_worse(leak_show_pictures(x->cli, &x->o->display, &run->record), code);
}

/* Without threads the rest is still measured. */
static enum tare_status measure_host(struct qualification *x, struct tare_err *err)
{
    live_begin(&x->run.session.live, &x->run.render, x->cli->talk);
    x->host.start_ns = exec_start_ns(x->run.session.exec);
    enum tare_status status = qualify_measure(&x->host, x->cli->arena, err);
    live_end(&x->run.session.live);
    if (status != TARE_UNSUPPORTED)
        return status;
    run_note(&x->run, "%s", err->text);
    return TARE_OK;
}

static enum tare_status measure_qualification(struct qualification *x, struct tare_err *err)
{
    enum tare_status status = measure_host(x, err);
    if (!status)
        status = run_measure(&x->run, err);
    if (!status && x->o->planted)
        status = plant_program(x, err);
    if (status != TARE_UNSUPPORTED)
        return status;
    run_note(&x->run, "%s", err->text);
    return TARE_OK;
}

static enum exit_code run_qualification(struct qualification *x)
{
    struct tare_err err;
    x->run.settled = settled;
    x->run.concluded = concluded;
    x->run.context = x;
    enum tare_status status = run_open(&x->run, &err);
    if (status)
        return cli_fail(x->cli, run_open_code(status), &err);
    status = measure_qualification(x, &err);
    if (plat_signal()) /* a session that it ended has noted it, and cleared it for its hooks */
        x->run.session.signal_number = plat_signal();
    if (status) {
        x->run.record.ended = status == TARE_INTERRUPTED ? "interrupted" : "failed";
        x->run.record.partial = true;
    }
    return run_report(&x->run, status, &err);
}

int cmd_system_qualify(struct cli *cli, const void *options)
{
    struct qualification x = {.cli = cli, .o = options};
    struct tare_err err;
    option_defaults(&run_option_set, &x.run_options);
    x.run_options.set = &run_option_set;
    x.run = (struct run){.cli = &x.as_run, .o = &x.run_options};
    x.as_run = *cli;
    record_init(&x.run.record);
    enum tare_status status = describe_qualification(&x, &err);
    enum exit_code code = status ? cli_fail(cli, run_code_of(status), &err) : x.o->dry_run ? dry_run(&x) : run_qualification(&x);
    return run_end(&x.run, code);
}
