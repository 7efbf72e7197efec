/* SPDX-License-Identifier: MIT
 *
 * `tare system show`: why results jitter on this machine, and what would help.
 */
#include "cli.h"
#include "html.h"
#include "layout.h"
#include "live.h"
#include "machine.h"
#include "outputs.h"
#include "plat.h"
#include "quote.h"
#include "regression_guard.h"
#include "screen.h"
#include "system_options.h"
#include "system_place.h"
#include "system_report.h"
#include "system_shown.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The page of `tare system show`: the answer as in the terminal, then everything that was examined, and each file that tune would write. */

static void put_html_headings(struct buf *b, const char *title, const char *const *headings)
{
    html_element(b, "h2", title);
    buf_str(b, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
    html_attribute(b, title, 100);
    buf_str(b, "\"><table class=\"list\"><thead><tr>");
    for (; *headings; headings++)
        html_element(b, "th scope=\"col\"", *headings);
    buf_str(b, "</tr></thead><tbody>\n");
}

static void put_html_row(struct buf *b, const struct look *l, const struct knob_row *row)
{
    const bool noisy = row->state == KNOB_NOISY;
    const char *const cells[] = {
        row->knob->title, row->knob->group, knob_state_text(row->state),
        row->value,       row->why,         noisy && system_row_tunable(l, row) ? "tare system tune" : noisy ? row->advice : ""};
    buf_str(b, "<tr>");
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
        html_element(b, k < 3 ? "td" : "td class=\"long\"", cells[k] ? cells[k] : "");
    buf_str(b, "</tr>\n");
}

/* What is noisy first. */
static void put_html_rows(struct buf *b, const struct look *l)
{
    put_html_headings(b, "What was examined",
                      (const char *const[]){"source", "group", "state", "now", "why", "what to do", NULL});
    for (int others = 0; others < 2; others++)
        for (int i = 0; i < l->n_rows; i++)
            if ((l->rows[i].state != KNOB_NOISY) == others)
                put_html_row(b, l, &l->rows[i]);
    buf_str(b, "</tbody></table></div>\n");
}

static void put_html_settings(struct buf *b, const struct look *l, const struct render_options *o)
{
    put_html_headings(b, "What tare system tune would do", (const char *const[]){"source", "file", "change", NULL});
    for (int i = 0; i < l->n_settings; i++) {
        const struct setting *s = &l->settings[i];
        struct page deed = page_over(NULL, o, b);
        if (!system_setting_pending(s))
            continue;
        system_put_deed(&deed, s);
        buf_str(b, "<tr>");
        html_element(b, "td", s->knob->title);
        html_element(b, "td", s->path);
        html_element(b, "td", buf_text(&deed.piece));
        buf_str(b, "</tr>\n");
        page_finish(&deed);
    }
    buf_str(b, "</tbody></table></div>\n");
}

static const char page_style[] =
    ".list td,.list th{overflow-wrap:break-word;min-width:5em}.list td:nth-child(n+4){min-width:11em}";

/* answer: what the terminal shows, and in ANSWER_NARROW columns; about: the command line, when, and the machine. */
static void system_show_html(const struct system_shown *s, const char *answer, const char *narrow, const struct record *about,
                             struct buf *out)
{
    const struct render_options o = {.unicode = true};
    const struct sink sink = sink_to_buf(out);
    struct export_out page;
    struct tare_err err;
    export_out_begin(&page, &sink, &err);
    html_page_begin(&page.text, "Noise of this machine", answer, narrow, page_style);
    put_html_rows(&page.text, s->look);
    if (system_pending(s->look))
        put_html_settings(&page.text, s->look, &o);
    if (s->look->command_line) {
        html_element(&page.text, "h2", "For the kernel's command line, where it cannot be done at run time");
        html_element(&page.text, "pre tabindex=\"0\"", s->look->command_line);
    }
    html_end(&page, about, &(struct export_options){0});
    if (export_out_end(&page) && !out->status)
        out->status = TARE_NO_MEMORY;
}

/*     noisy: 4 sources of noise; tare system tune can quiet 3, you 1
 *       source          now                        what to do
 *       CPUs kept free  CPU 3 shared with all      tare system tune
 *       just started    6 min ago                  wait a quarter of an hour
 *       15 quiet · 2 not visible here · measuring on CPU 3
 *
 * With -v every row by group, and what tune would write.
 */

struct show_page {
    struct page p;
    const struct system_shown *s;
    const struct look *look;
    int title_columns;
};

static void put_heading(struct show_page *sp, const char *text)
{
    blank_line(&sp->p);
    put_text(&sp->p, text);
    flow_line(&sp->p, 0, HUE_BOLD);
}

static void put_line(struct show_page *sp, int indent, int hang, const char *text, enum hue hue)
{
    flow_begin(&sp->p, indent, hang);
    put_text(&sp->p, text);
    flow_spread(&sp->p, "", hue);
    flow_end(&sp->p);
}

static void put_verdict_line(struct show_page *sp)
{
    struct page *p = &sp->p;
    struct buf verdict = BUF_INIT(1 << 12);
    system_verdict(&verdict, sp->s);
    const char *text = buf_text(&verdict);
    int word = (int)strcspn(text, ":");
    flow_begin(p, 0, 2);
    buf_format(&p->piece, "%.*s", word, text);
    flow_put_hued(p, "", sp->s->noisy ? HUE_BAD : HUE_GOOD);
    buf_str(&p->piece, text + word);
    flow_spread(p, "", HUE_PLAIN);
    flow_end(p);
    buf_finish(&verdict);
}

/* Settings that look odd because tare itself made them so. */
static void put_tuned_line(struct show_page *sp)
{
    const struct journal_notice *n = &sp->s->journal;
    struct buf text = BUF_INIT(1 << 12);
    if (n->state == JOURNAL_AT_WORK)
        buf_format(&text, "tuned by a running tare (pid %lld) until it ends", (long long)n->owner);
    else if (n->state == JOURNAL_LEFT && n->changes)
        buf_format(&text, "tuned by tare, %d change%s: tare system reset restores %s", n->changes, buf_plural(n->changes),
                   n->changes == 1 ? "it" : "them");
    else
        journal_notice_text(&text, n);
    if (text.len)
        put_line(sp, 0, 2, buf_text(&text), HUE_BOLD);
    buf_finish(&text);
}

struct mark {
    const char *sign, *plain;
    enum hue hue;
};

static const struct mark marks[] = {
    [KNOB_OK] = {"✓", "+", HUE_GOOD},
    [KNOB_NOISY] = {"✗", "!", HUE_BAD},
    [KNOB_UNKNOWN] = {"?", "?", HUE_PLAIN},
    [KNOB_NOT_APPLICABLE] = {"–", "-", HUE_DIM},
};

static void put_row(struct show_page *sp, const struct knob_row *row)
{
    struct page *p = &sp->p;
    const struct mark *mark = &marks[row->state];
    int value_column = 4 + sp->title_columns + 2; /* mark, blank, title, two blanks */
    flow_begin(p, 2, value_column);
    buf_str(&p->piece, p->o->unicode ? mark->sign : mark->plain);
    flow_put_hued(p, "", mark->hue);
    const char *name = row->knob->id, *why = row->why ? row->why : "";
    put_text(&sp->p, name);
    buf_repeat(&p->piece, ' ', sp->title_columns + 1 - text_columns(name, strlen(name)));
    flow_put(p, " ");
    put_text(&sp->p, *row->value ? row->value : why);
    flow_spread(p, " ", row->state == KNOB_OK || row->state == KNOB_NOISY ? HUE_PLAIN : HUE_DIM);
    flow_end(p);
    if (*row->value && *why)
        put_line(sp, value_column, value_column, why, HUE_DIM);
    if (row->state == KNOB_NOISY && row->advice && *row->advice)
        put_line(sp, value_column, value_column, row->advice, HUE_DIM);
}

static void measure_titles(struct show_page *sp, bool ids)
{
    sp->title_columns = 0;
    for (int i = 0; i < sp->look->n_rows; i++) {
        const struct knob_row *row = &sp->look->rows[i];
        const char *name = ids ? row->knob->id : row->knob->title;
        const int columns = text_columns(name, strlen(name));
        if ((ids || row->state == KNOB_NOISY) && columns > sp->title_columns)
            sp->title_columns = columns;
    }
}

/* Groups in the order in which their first rows come. */
static void put_rows(struct show_page *sp)
{
    const struct look *l = sp->look;
    measure_titles(sp, true);
    for (int i = 0; i < l->n_rows; i++) {
        const char *group = l->rows[i].knob->group;
        bool begun = false;
        for (int k = 0; k < i && !begun; k++)
            begun = !strcmp(l->rows[k].knob->group, group);
        if (begun)
            continue;
        put_heading(sp, group);
        for (int k = i; k < l->n_rows; k++)
            if (!strcmp(l->rows[k].knob->group, group))
                put_row(sp, &l->rows[k]);
    }
}

enum { NOISY_SHOWN = 14 };

/* Why tune leaves all settings of this knob alone; NULL: it does not. */
static const char *why_left(const struct look *l, const struct knob *k)
{
    const char *why = NULL;
    for (int i = 0; i < l->n_settings; i++) {
        const struct setting *s = &l->settings[i];
        if (s->knob == k && !s->why_not)
            return NULL;
        if (s->knob == k && !why)
            why = s->why_not;
    }
    return why;
}

/* Half of what the titles leave of a line; 0: no limit. */
static int cell_columns(const struct show_page *sp)
{
    enum { AROUND = 6, LEAST = 10 }; /* the indent and two gaps */
    const int half = (sp->p.o->width - AROUND - sp->title_columns) / 2;
    return cutting_width(&sp->p) <= 0 ? 0 : half < LEAST ? LEAST : half;
}

/* The first thing that helps, cut at its end; with -v the rows have all of them. */
static void do_cell(struct table *t, const struct show_page *sp, const struct knob_row *row)
{
    const enum relief relief = system_relief(sp->look, row);
    const char *left = why_left(sp->look, row->knob), *advice = row->advice ? row->advice : "";
    char first[128];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(advice, ";"), advice);
    put_cut(t->p,
            relief == RELIEF_TUNE   ? "tare system tune"
            : relief == RELIEF_HELD ? "tare run --tune"
            : *first                ? first
            : left                  ? left
                                    : "only a restart or the host",
            cell_columns(sp));
    table_cell(t);
}

static void put_noisy(struct show_page *sp)
{
    static const struct table_column columns[] = {{"source", SIDE_LEFT, 0}, {"now", SIDE_LEFT, 1}, {"what to do", SIDE_LEFT, 0}};
    const struct knob_row **rows = system_advice(sp->look, sp->s->arena);
    struct table t;
    int shown = 0, more = 0;
    if (!rows) {
        sp->p.out->status = TARE_NO_MEMORY;
        return;
    }
    table_begin(&t, &sp->p, columns, sizeof columns / sizeof *columns);
    for (; rows[shown] && (shown < NOISY_SHOWN || sp->p.o->verbosity > 0); shown++) {
        put_text(&sp->p, rows[shown]->knob->title);
        table_cell(&t);
        quote_cut(&sp->p.piece, rows[shown]->value, cell_columns(sp), true);
        table_cell(&t);
        do_cell(&t, sp, rows[shown]);
    }
    table_end(&t, 2);
    while (rows[shown + more])
        more++;
    if (more)
        buf_format(&sp->p.piece, "%d more with -v", more);
    flow_line(&sp->p, 2, HUE_DIM);
}

/* "15 quiet · 2 not visible here · measuring on CPU 3: the last core" */
static void put_counts(struct show_page *sp)
{
    struct page *p = &sp->p;
    const struct look *l = sp->look;
    int counts[KNOB_NOT_APPLICABLE + 1] = {0};
    for (int i = 0; i < l->n_rows; i++)
        counts[l->rows[i].state]++;
    flow_begin(p, 2, 4);
    summary_format(p, "%d quiet", counts[KNOB_OK]);
    if (counts[KNOB_UNKNOWN])
        buf_format(&p->piece, "%d not visible here", counts[KNOB_UNKNOWN]);
    summary_part(p);
    buf_format(&p->piece, "measuring on CPU%s ", buf_plural(cpu_list_count(&l->bench)));
    cpu_list_write(&p->piece, &l->bench);
    if (p->o->verbosity > 0 && l->why_bench && *l->why_bench) {
        buf_str(&p->piece, ": ");
        put_text(&sp->p, l->why_bench);
    }
    summary_part(p);
    flow_end(p);
    const char *sudo = l->windows ? "" : "sudo ";
    if (system_pending(l))
        buf_format(&p->piece, "%stare system tune changes %d setting%s, %stare system reset restores them%s", sudo,
                   system_pending(l), buf_plural(system_pending(l)), sudo, p->o->verbosity > 0 ? "" : "; details with -v");
    flow_line(p, 2, HUE_DIM);
}

struct knob_changes {
    int n;
    const struct setting *first;
    bool alike; /* all of them files, from the same value to the same value */
};

static struct knob_changes changes_of(const struct look *l, const struct knob *k)
{
    struct knob_changes c = {.alike = true};
    for (int i = 0; i < l->n_settings; i++) {
        const struct setting *s = &l->settings[i];
        if (s->knob != k || !system_setting_pending(s))
            continue;
        if (!c.n++)
            c.first = s;
        c.alike &= s->kind == SETTING_FILE && !strcmp(s->wanted, c.first->wanted) &&
                   !strcmp(s->now ? s->now : "", c.first->now ? c.first->now : "");
    }
    return c;
}

static void put_file(struct show_page *sp, const struct setting *s)
{
    struct page *p = &sp->p;
    put_text(&sp->p, s->path);
    buf_str(&p->piece, ": ");
    system_put_deed(p, s);
    flow_line(p, 6, HUE_DIM);
}

static void put_tune(struct show_page *sp)
{
    const struct look *l = sp->look;
    struct page *p = &sp->p;
    if (!system_pending(l))
        return;
    put_heading(sp, "What tare system tune would do");
    for (int k = 0; knob_at(k); k++) {
        const struct knob *knob = knob_at(k);
        struct knob_changes c = changes_of(l, knob);
        if (!c.n)
            continue;
        put_text(&sp->p, knob->title);
        buf_str(&p->piece, ": ");
        buf_format(&sp->p.piece, "%d file%s", c.n, buf_plural(c.n));
        if (c.alike && strlen(c.first->wanted) <= 40 && strlen(c.first->now ? c.first->now : "") <= 40) {
            buf_str(&sp->p.piece, ", ");
            system_put_deed(&sp->p, c.first);
        }
        flow_line(p, 2, HUE_PLAIN);
        for (int i = 0; i < l->n_settings; i++)
            if (l->settings[i].knob == knob && system_setting_pending(&l->settings[i]))
                put_file(sp, &l->settings[i]);
    }
}

static void put_command_line(struct show_page *sp)
{
    if (!sp->look->command_line)
        return;
    put_heading(sp, "For the kernel's command line, where it cannot be done at run time");
    put_line(sp, 4, 6, sp->look->command_line, HUE_BOLD);
    put_line(
        sp, 2, 4,
        "Debian, Ubuntu: add it to GRUB_CMDLINE_LINUX in /etc/default/grub, then sudo update-grub. Fedora, RHEL: sudo grubby "
        "--update-kernel=ALL --args='...'. It takes effect at the next boot, and other programs lose these CPUs.",
        HUE_DIM);
}

static void put_keep(struct show_page *sp)
{
    struct page *p = &sp->p;
    bool any = false;
    for (int i = 0; i < sp->look->n_rows; i++) {
        const struct knob_row *row = &sp->look->rows[i];
        if (!row->knob->keep || row->state != KNOB_NOISY || !system_row_tunable(sp->look, row))
            continue;
        if (!any)
            put_heading(sp, "To keep it over a reboot");
        any = true;
        put_text(&sp->p, row->knob->title);
        buf_str(&p->piece, ": ");
        put_text(&sp->p, row->knob->keep);
        flow_line(p, 2, HUE_PLAIN);
    }
}

static void lost_cell(struct table *t, const struct tare_interval *i)
{
    struct buf *b = &t->p->piece;
    figure_share(b, i->point);
    if (isfinite(i->low) && isfinite(i->high)) {
        buf_str(b, " (");
        figure_range(b, 100 * i->low, 100 * i->high, unit_one,
                     figure_decimals(100 * i->point, 100 * half_width(i->low, i->high)));
        buf_char(b, ')');
    }
    table_cell(t);
}

static void frequency_cell(struct table *t, const struct tare_interval *hz)
{
    if (isnan(hz[1].point)) {
        table_format(t, "-");
        return;
    }
    const struct unit u = unit_for("Hz", hz[1].point);
    figure_range(&t->p->piece, hz[0].point, hz[2].point, u, 2);
    unit_put(&t->p->piece, u);
    table_cell(t);
}

/* To whom the time was lost; the account is read between stretches, which takes some microseconds each time, to either side. */
static void to_cell(struct table *t, double seconds)
{
    if (isnan(seconds))
        buf_char(&t->p->piece, '-');
    else if (fabs(seconds) < 1e-3)
        buf_str(&t->p->piece, "< 1 ms");
    else
        figure_scaled(&t->p->piece, "ns", seconds * 1e9, FIGURE_DIGITS);
    table_cell(t);
}

static void interrupts_cell(struct table *t, const struct jitter_cpu *c)
{
    struct page *p = t->p;
    if (c->interrupts < 0)
        buf_char(&p->piece, '-');
    else
        buf_format(&p->piece, "%lld", (long long)c->interrupts);
    for (int i = 0; i < c->n_interrupts && i < 3 && p->o->verbosity > 0; i++) {
        buf_format(&p->piece, "%s%lld ", i ? ", " : ": ", (long long)c->top[i].count);
        put_text(p, c->top[i].name);
    }
    table_cell(t);
}

static void probe_row(struct table *t, const struct jitter_cpu *cpu, const struct jitter_figures *f)
{
    static const enum jitter_size sizes[] = {JITTER_OVER_1_US, JITTER_OVER_10_US, JITTER_OVER_100_US};
    table_format(t, "%s%d", t->p->o->stacked ? "CPU " : "", cpu->cpu); /* then the title is left out */
    lost_cell(t, &f->lost_share);
    figure_scaled(&t->p->piece, "ns", f->largest_ns, FIGURE_DIGITS);
    table_cell(t);
    for (int i = 0; i < 3; i++) {
        const double gaps = f->gaps[sizes[i]].point;
        figure_put(&t->p->piece, gaps, figure_digits(gaps, FIGURE_DIGITS));
        table_cell(t);
    }
    frequency_cell(t, f->core_hz);
    to_cell(t, f->others_seconds);
    /* A remainder of times that are read one after the other; NaN: not known. */
    to_cell(t, f->stolen_seconds < 0 ? 0 : f->stolen_seconds);
    to_cell(t, f->interrupt_seconds);
    interrupts_cell(t, cpu);
}

static void put_users(struct page *p, const struct jitter *j)
{
    /* The total is counted at ticks, a process's own time is exact: less than this between them says nothing. */
    bool unnamed =
        j->users_known && j->users.unnamed_seconds >= 0.1 && j->users.unnamed_seconds >= 0.02 * j->users.window_seconds;
    buf_str(&p->piece, "most CPU meanwhile: ");
    if (!j->users_known)
        buf_str(&p->piece, "not reported by the system");
    else if (!j->users.n && !unnamed)
        buf_str(&p->piece, "no process with 1 % of a CPU or more");
    for (int i = 0; j->users_known && i < j->users.n; i++) {
        const struct cpu_user *u = &j->users.top[i];
        buf_str(&p->piece, i ? ", " : "");
        put_text(p, u->name);
        if (u->processes > 1)
            buf_format(&p->piece, " (%d processes)", u->processes);
        buf_format(&p->piece, " %s", figure_text(figure_duration, u->seconds).at);
    }
    if (unnamed)
        buf_format(&p->piece, "%s%s by processes that came and went", j->users.n ? ", " : "",
                   figure_text(figure_duration, j->users.unnamed_seconds).at);
    flow_line(p, 2, HUE_DIM);
}

static void put_probe(const struct system_shown *s, const struct render_options *o, struct buf *out)
{
    static const struct table_column columns[] = {
        {"CPU", SIDE_RIGHT, 0},           {"time lost (95 % CI)", SIDE_LEFT, 0}, {"largest gap", SIDE_RIGHT, 0},
        {">1 µs /s", SIDE_RIGHT, 4},      {">10 µs /s", SIDE_RIGHT, 8},          {">100 µs /s", SIDE_RIGHT, 5},
        {"core", SIDE_RIGHT, 7},          {"to others", SIDE_RIGHT, 3},          {"to hypervisor", SIDE_RIGHT, 2},
        {"to interrupts", SIDE_RIGHT, 1}, {"interrupts", SIDE_LEFT, 6}};
    struct page p = page_over(NULL, o, out);
    struct table t;
    blank_line(&p);
    table_begin(&t, &p, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < s->jitter->n_cpus; i++)
        probe_row(&t, &s->jitter->cpus[i], &s->figures[i]);
    table_end(&t, 2);
    flow_begin(&p, 2, 4);
    summary_format(&p, "probe, %s a CPU", figure_text(figure_duration, s->jitter->n_cpus ? s->figures[0].seconds : 0).at);
    summary_format(&p, "gaps longer than 1, 10, 100 µs per second");
    flow_end(&p);
    put_users(&p, s->jitter);
    page_finish(&p);
}

static void system_show_page(const struct system_shown *s, const struct render_options *o, struct buf *out)
{
    struct show_page sp = {.p = page_over(NULL, o, out), .s = s, .look = s->look};
    if (o->verbosity >= 0 && *s->machine)
        put_line(&sp, 0, 2, s->machine, HUE_PLAIN);
    put_verdict_line(&sp);
    put_tuned_line(&sp);
    if (o->verbosity >= 0) {
        measure_titles(&sp, false);
        put_noisy(&sp);
        put_counts(&sp);
        if (s->jitter)
            put_probe(s, o, out);
    }
    if (o->verbosity > 0) {
        put_rows(&sp);
        put_tune(&sp);
        put_command_line(&sp);
        put_keep(&sp);
    }
    page_finish(&sp.p);
}

enum { TEXT_MAX = 1 << 24 };

static enum tare_status list_cpus(const struct cpu_list *list, const int **out, int *n, struct arena *a, struct tare_err *err)
{
    int *cpus = arena_array(a, (size_t)cpu_list_count(list) + 1, sizeof *cpus);
    if (!cpus)
        return err_no_memory(err);
    *n = 0;
    for (int cpu = cpu_list_next(list, 0); cpu >= 0; cpu = cpu_list_next(list, cpu + 1))
        cpus[(*n)++] = cpu;
    *out = cpus;
    return TARE_OK;
}

struct probe_progress {
    struct live live;
    double seconds; /* of all CPUs */
};

/* Between two stretches, so nothing is measured meanwhile; once a second, so that most is left to the probe. */
static void show_progress(void *context, int cpu, double done)
{
    static const struct record none = {0};
    struct probe_progress *p = context;
    (void)cpu;
    if (!p->live.shown || plat_now_ns() - p->live.drawn_ns >= 1000000000)
        live_wait(&p->live, &none, "probing", p->seconds * (1 - done));
}

static enum tare_status probe_cpus(struct cli *cli, struct system_shown *s, const struct system_show_options *options,
                                   struct tare_err *err)
{
    static const double level = 0.05;
    const struct render_options render = screen_options(&options->display);
    struct probe_progress progress;
    struct jitter *j = arena_alloc(s->arena, sizeof *j);
    struct jitter_options o = {
        .duration_ns = (int64_t)options->probe_s * 1000000000, .progress = show_progress, .context = &progress};
    enum tare_status status = j ? list_cpus(&s->look->bench, &o.cpus, &o.n_cpus, s->arena, err) : err_no_memory(err);
    if (!status && !plat_cpu_allowed(o.cpus[0]))
        system_enter(s->look, plat_pid()); /* they are kept free; where we may not enter, the probe says so */
    progress.seconds = (double)options->probe_s * o.n_cpus;
    live_begin(&progress.live, &render, cli->talk);
    if (!status)
        status = jitter_measure(j, &o, s->arena, err);
    live_end(&progress.live);
    if (status)
        return status;
    s->figures = arena_array(s->arena, (size_t)j->n_cpus + 1, sizeof *s->figures);
    if (!s->figures)
        return err_no_memory(err);
    for (int i = 0; i < j->n_cpus && !status; i++)
        status = jitter_figures(&s->figures[i], &j->cpus[i], level, err);
    s->jitter = j;
    return status;
}

static enum tare_status find_all(struct cli *cli, struct system_shown *s, struct look *l, const struct system_place *place,
                                 const struct system_show_options *o, struct tare_err *err)
{
    enum tare_status status = look_at_machine(l, &place->root, &place->wishes, s->arena, err);
    s->look = l;
    journal_look(&s->journal, NULL, &place->root);
    if (!status && o->probe_s)
        status = probe_cpus(cli, s, o, err);
    s->noisy = !status && system_noisy(l);
    return status;
}

static enum exit_code report_shown(struct cli *cli, const struct system_show_options *o, struct outputs *outputs,
                                   const struct system_shown *s)
{
    struct render_options render = screen_options(&o->display);
    struct buf text = BUF_INIT(TEXT_MAX), json = BUF_INIT(TEXT_MAX), page = BUF_INIT(TEXT_MAX);
    if (o->display.style != RENDER_NONE)
        system_show_page(s, &render, &text);
    enum exit_code code = screen_text(cli, &o->display, &text);
    if (o->display.export_file[EXPORT_TO_JSON])
        system_show_json(s, &json);
    code = cli_worse(code, outputs_text(outputs, cli, EXPORT_TO_JSON, &json));
    if (o->display.export_file[EXPORT_TO_HTML]) {
        struct buf answer = BUF_INIT(TEXT_MAX), narrow = BUF_INIT(TEXT_MAX);
        struct record about;
        record_init(&about);
        about.tool_version = CLI_VERSION;
        about.argv = (const char *const *)cli->argv;
        about.start_utc_ns = s->start_utc_ns;
        if (!*s->machine && machine_identity(&about, &about.machine))
            page.status = TARE_NO_MEMORY;
        system_show_page(s, &(struct render_options){.unicode = true, .width = ANSWER_WIDE, .stacked = true}, &answer);
        system_show_page(s, &(struct render_options){.unicode = true, .width = ANSWER_NARROW, .stacked = true}, &narrow);
        system_show_html(s, buf_text(&answer), buf_text(&narrow), &about, &page);
        buf_finish(&answer);
        buf_finish(&narrow);
        record_finish(&about);
    }
    code = cli_worse(code, outputs_text(outputs, cli, EXPORT_TO_HTML, &page));
    return cli_worse(code, s->noisy ? EXIT_BAD : EXIT_ANSWERED);
}

int cmd_system_show(struct cli *cli, const void *options)
{
    const struct system_show_options *o = options;
    struct system_place place;
    struct look look;
    struct system_shown shown = {.start_utc_ns = plat_utc_ns(), .machine = o->sysroot ? o->sysroot : "", .arena = cli->arena};
    struct outputs outputs;
    struct tare_err err;
    enum tare_status status = system_place_open(&place, o->sysroot, o->cpus, cli->arena, &err);
    if (!status && (status = plat_signals_watch()))
        err_set(&err, status, "cannot watch signals");
    if (status)
        return cli_refuse(cli, status, &err);
    place.wishes.probed = o->probe_s > 0;
    if ((status = outputs_open(&outputs, &o->display, NULL, &err)))
        return cli_refuse(cli, status, &err);
    status = find_all(cli, &shown, &look, &place, o, &err);
    enum exit_code code = status ? cli_refuse(cli, status, &err) : report_shown(cli, o, &outputs, &shown);
    outputs_finish(&outputs, NULL);
    if (plat_signal())
        plat_die_of(plat_signal());
    return code;
}
