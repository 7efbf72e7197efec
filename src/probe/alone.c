/* SPDX-License-Identifier: MIT
 *
 * What a program with benchmarks prints when it is run alone:
 *
 *     benchmark             ns/iteration   95 % interval      cycles  samples
 *     sort_ints/100               1843.2   1839.9 … 1850.1    4976.1       30
 *     hash_latency                 4.012    4.011 … 4.013      10.83       30
 *
 *     One process: what differs from process to process is not in these intervals. `tare bench ./program` measures over many.
 */
#include "leak_part.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

enum { USAGE = 2, FAILED = 5, COULD_NOT = 6, TEXT_MAX = 1 << 20 };

struct screen {
    tare_write *write;
    void *context;
    bool broken;
    struct buf text; /* not shown yet */
};

BUF_FORMATS(2, 3) static void show_line(struct screen *s, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    buf_vformat(&s->text, format, ap);
    va_end(ap);
    buf_char(&s->text, '\n');
    if (!s->broken && s->write(s->context, s->text.data, s->text.len) != 0)
        s->broken = true;
    buf_clear(&s->text);
}

struct figures {
    struct tare_interval ns;
    double cycles; /* median; NaN: not to be had */
    int n;
};

/* Of a counter in coarse steps, over all rows: 0 where it is fine, and each row's own chains tell. room: two doubles for each row. */
static double mean_chain(const struct probe_session *s, const struct probe_rows *rows, double *room)
{
    int n = 0;
    for (int row = 0; s->chains && s->draws && row < rows->n; row++) {
        room[n++] = (double)rows->column[WIRE_CHAIN_BEFORE][row];
        room[n++] = (double)rows->column[WIRE_CHAIN_AFTER][row];
    }
    return n ? stepped_mean(room, n, (double)s->clock->step_ticks).mean : 0;
}

static double cycles_per_tick(const struct probe_session *s, int64_t *const column[], int row, double mean_chain)
{
    double before = (double)column[WIRE_CHAIN_BEFORE][row], after = (double)column[WIRE_CHAIN_AFTER][row];
    double chain = (mean_chain > 0 ? mean_chain : (before + after) / 2) - s->chain_empty_ticks;
    return s->chains && chain > 0 ? s->chain_cycles / chain : NAN;
}

static double per_iteration(int64_t *const column[], int row)
{
    return (double)(column[WIRE_TICKS][row] - column[WIRE_EMPTY_TICKS][row]) / (double)column[WIRE_ITERATIONS][row];
}

static enum tare_status find_figures(const struct tare_state *st, struct figures *out)
{
    const struct probe_rows *rows = &st->rows;
    const bool manual = st->the_case->bench->manual_time;
    double *ns = malloc(2 * (size_t)(rows->n + 1) * sizeof *ns), *cycles = ns + rows->n;
    if (!ns)
        return TARE_NO_MEMORY;
    int n = 0;
    const double chain = mean_chain(st->session, rows, ns);
    for (int row = 0; row < rows->n; row++) {
        if (rows->column[WIRE_FLAGS][row] & WIRE_WARMUP)
            continue;
        double ticks = per_iteration(rows->column, row);
        cycles[n] = ticks * cycles_per_tick(st->session, rows->column, row, chain);
        ns[n++] = manual ? ticks : ticks / st->session->hz * 1e9;
    }
    tare_sort(ns, n);
    tare_sort(cycles, n);
    out->n = n;
    out->cycles = manual ? NAN : tare_quantile_sorted(cycles, n, 0.5);
    enum tare_status status = tare_median_ci_binomial(ns, n, 0.05, &out->ns);
    free(ns);
    return status;
}

/* Not by units.h, which would make every program with benchmarks a tenth larger. */
static void add_figure(struct buf *text, int width, double value)
{
    char digits[32];
    struct buf b = buf_over(digits, sizeof digits);
    int decimals = fabs(value) < 10 ? 3 : fabs(value) < 1000 ? 2 : 1;
    if (isfinite(value))
        buf_format(&b, "%.*f", decimals, value);
    else
        buf_str(&b, "-");
    buf_format(text, "%*s", width, digits);
}

static void add_rate(struct buf *text, double per_iteration, double ns, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T"};
    double rate = per_iteration / ns * 1e9;
    size_t i = 0;
    for (; rate >= 1000 && i + 1 < sizeof prefixes / sizeof *prefixes; i++)
        rate /= 1000;
    if (per_iteration > 0 && ns > 0)
        buf_format(text, "  %.4g %s%s/s", rate, prefixes[i], unit + (!i && unit[0] == ' '));
}

static void add_counters(struct buf *text, const struct wire_end *e, double ns)
{
    for (uint32_t i = 0; i < e->n_counters; i++) {
        const struct wire_counter *c = &e->counters[i];
        bool rate = c->per == WIRE_PER_SECOND;
        if (c->inverted && c->value == 0)
            buf_format(text, "  %s -", c->name);
        else if (c->inverted)
            buf_format(text, "  %s %.4g%s each", c->name, (rate ? ns : 1) / c->value, rate ? " ns" : "");
        else
            buf_format(text, "  %s %.4g%s%s%s", c->name, rate ? c->value / ns * 1e9 : c->value, c->unit[0] ? " " : "", c->unit,
                       rate ? "/s" : "");
    }
}

static void add_measured(struct buf *text, const struct figures *f, const struct wire_end *e)
{
    char interval[64];
    struct buf b = buf_over(interval, sizeof interval);
    add_figure(text, 14, f->ns.point);
    if (isfinite(f->ns.low) && isfinite(f->ns.high)) {
        add_figure(&b, 1, f->ns.low);
        buf_str(&b, " to ");
        add_figure(&b, 1, f->ns.high);
    } else {
        buf_str(&b, "(needs 6 samples)");
    }
    buf_format(text, "  %-22s", interval);
    add_figure(text, 12, f->cycles);
    buf_format(text, "%9d", f->n);
    add_rate(text, e->items, f->ns.point, " items");
    add_rate(text, e->bytes, f->ns.point, "B");
    add_counters(text, e, f->ns.point);
    if (e->label[0])
        buf_format(text, "  %s", e->label);
    if (e->remark[0])
        buf_format(text, "  (%s)", e->remark);
}

struct table {
    struct screen *out;
    int width;
    bool failed; /* a benchmark */
};

/* One benchmark as a row. */
static enum tare_status add_row(void *context, const struct tare_state *states, const struct wire_end *end)
{
    struct table *t = context;
    struct buf *text = &t->out->text;
    struct figures figures = {{NAN, NAN, NAN, 0.05, 0}, NAN, 0};
    enum tare_status status = states->rows.n ? find_figures(states, &figures) : TARE_OK;
    buf_format(text, "%-*s", t->width, states->the_case->name);
    if (end->state == WIRE_OK)
        add_measured(text, &figures, end);
    else {
        static const char *const words[WIRE_STATES] = {"", "skipped", "FAILED", "OPTIMISED-AWAY"};
        buf_format(text, "  %s: %s", words[end->state], end->reason);
    }
    show_line(t->out, "%s", "");
    t->failed |= end->state == WIRE_FAILED;
    return status;
}

struct wanted {
    struct wire_request request;
    struct buf lines; /* filters */
    bool list, help;
};

static const char HELP[] =
    "Runs the benchmarks of this program, once each, in this one process. `tare bench PROGRAM` measures them over many.\n"
    "\n"
    "  WORD              only those whose name contains one of the words\n"
    "  --list            their names\n"
    "  --sample-time S   length of a sample in seconds (0.0001)\n"
    "  --samples N       samples of each (50; fewer where one takes over 20 ms)\n"
    "  --seed N          of tare_seed and of where tare_alloc puts things (0)\n"
    "  --clock NAME      auto, raw, monotonic, or the processor's counter: tsc, cntvct\n"
    "  --help            this text";

/* A number such as 0.25; false: none, negative, or more than `most`. */
static bool read_number(const char *text, double most, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end && *out >= 0 && *out <= most;
}

static bool set_option(struct wanted *w, const char *name, const char *value, struct tare_err *err)
{
    double number = 0;
    bool good = value != NULL;
    if (good && strcmp(name, "--clock") == 0) {
        w->request.clock = value;
        w->request.clock_size = (uint32_t)strlen(value);
        return true;
    }
    good = good && read_number(value,
                               strcmp(name, "--sample-time") == 0 ? 3600
                               : strcmp(name, "--samples") == 0   ? 1e6
                                                                  : 9e15,
                               &number);
    if (strcmp(name, "--sample-time") == 0)
        w->request.sample_ns = (int64_t)(number * 1e9);
    else if (strcmp(name, "--samples") == 0)
        w->request.samples = (int)number;
    else if (strcmp(name, "--seed") == 0)
        w->request.seed = (uint64_t)number;
    else
        return err_set(err, TARE_INVALID, "%s is not an option; --help lists them", name) == TARE_OK;
    return good || err_set(err, TARE_INVALID, "%s wants a number, not %s", name, value ? value : "nothing") == TARE_OK;
}

static bool read_arguments(struct wanted *w, int argc, char **argv, struct tare_err *err)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0)
            w->list = true;
        else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            w->help = true;
        else if (argv[i][0] != '-')
            wire_request_filter(&w->lines, argv[i]);
        else if (!set_option(w, argv[i], i + 1 < argc ? argv[i + 1] : NULL, err))
            return false;
        else
            i++;
    }
    w->request.lines = buf_text(&w->lines);
    w->request.size = w->lines.len;
    return true;
}

static int widest_name(const struct wire_request *q)
{
    struct probe_case c;
    size_t width = strlen("benchmark");
    for (int64_t next = 0; probe_case_wanted(q, &next, &c);)
        width = strlen(c.name) > width ? strlen(c.name) : width;
    return (int)width;
}

static int run_all(struct screen *out, struct probe_session *s)
{
    struct probe_case c;
    struct wire_note notes[WIRE_NOTES_MAX];
    struct table table = {out, widest_name(&s->request), false};
    enum tare_status status = TARE_OK;
    if (!probe_case_wanted(&s->request, &(int64_t){0}, &c)) {
        show_line(out, "no benchmark of this name; --list shows those that there are");
        return USAGE;
    }
    for (uint32_t i = 0, n = probe_notes(notes); i < n; i++)
        show_line(out, "%s: %s", notes[i].name, notes[i].text);
    show_line(out, "%-*s%14s  %-22s%12s%9s", table.width, "benchmark", "ns/iteration", "95 % interval", "cycles", "samples");
    for (int64_t next = 0; !status && !out->broken && probe_case_wanted(&s->request, &next, &c);)
        status = probe_run(s, &c, 0, add_row, &table);
    if (status)
        show_line(out, "stopped: %s", tare_status_text(status));
    else
        show_line(
            out,
            "\nOne process: what differs from process to process is not in these intervals. `tare bench` measures over many.");
    return status || out->broken ? COULD_NOT : table.failed ? FAILED : 0;
}

/* From i on; -1: there are no more. */
static int wanted_target(const struct wire_request *q, int i)
{
    while (i < leak_part_targets() && !wire_request_wants(q, leak_part->name(i)))
        i++;
    return i < leak_part_targets() ? i : -1;
}

static void list_targets(struct screen *out, const struct wire_request *q)
{
    for (int i = -1; (i = wanted_target(q, i + 1)) >= 0;)
        show_line(out, "%s", leak_part->name(i));
}

/* Leak targets are no matter of one process: they are named, and what runs them; and so is what keeps one from being run. */
static int name_targets(struct screen *out, const struct wire_request *q)
{
    const bool any = wanted_target(q, 0) >= 0;
    int code = 0;
    if (!leak_part_targets() || (probe_cases() && !any))
        return 0;
    show_line(out, "%sleak targets, which `tare leak` runs:", probe_cases() ? "\n" : "");
    list_targets(out, q);
    if (!any)
        show_line(out, "none of this name; --list shows those that there are");
    for (int i = -1; (i = wanted_target(q, i + 1)) >= 0;) {
        struct tare_err err = {{0}};
        if (leak_part->check(i, &err) == TARE_OK)
            continue;
        show_line(out, "%s cannot be run: %s", leak_part->name(i), err.text);
        code = FAILED;
    }
    return code;
}

static int show_error(struct screen *out, const struct tare_err *err, int code)
{
    show_line(out, "%s", err->text);
    return code;
}

static int run_wanted(struct screen *out, const struct wanted *w)
{
    struct probe_session s;
    struct probe_case c;
    struct tare_err err = {{0}};
    if (w->help) {
        show_line(out, "%s", HELP);
        return 0;
    }
    if (probe_check_list(&err) || leak_part_check(&err))
        return show_error(out, &err, COULD_NOT);
    if (w->list) {
        for (int64_t next = 0; probe_case_wanted(&w->request, &next, &c);)
            show_line(out, "%s", c.name);
        list_targets(out, &w->request);
        return 0;
    }
    if (!probe_cases() && !leak_part_targets() &&
        err_set(&err, TARE_INVALID, "this program has no benchmarks: write some with TARE_BENCH"))
        return show_error(out, &err, COULD_NOT);
    if (!probe_cases())
        return name_targets(out, &w->request);
    enum tare_status status = probe_session_open(&s, &w->request, &err);
    if (status)
        return show_error(out, &err, status == TARE_INVALID ? USAGE : COULD_NOT);
    int code = run_all(out, &s), named = name_targets(out, &w->request);
    return code ? code : named;
}

int probe_alone(int argc, char **argv, tare_write *write, void *context)
{
    struct screen out = {.write = write, .context = context, .text = BUF_INIT(TEXT_MAX)};
    struct wanted w = {.request = wire_request_default(-1), .lines = BUF_INIT(WIRE_REQUEST_MAX)};
    struct tare_err err = {{0}};
    int code = read_arguments(&w, argc, argv, &err) ? run_wanted(&out, &w) : show_error(&out, &err, USAGE);
    buf_finish(&w.lines);
    buf_finish(&out.text);
    return out.broken && code != USAGE ? COULD_NOT : code;
}
