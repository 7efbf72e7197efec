/* SPDX-License-Identifier: MIT
 *
 *     To measure on CPU 3: the last core, away from CPU 0 and from the CPU with most interrupts
 *     noisy: 4 of 19 sources of noise that can be seen here; tare system tune can quiet 3
 *
 *     Frequency
 *       ✗ governor        powersave on 4 of 4 CPUs
 *       ✓ turbo           off
 *
 *     What would help most
 *       1. governor: the frequency follows the load
 *          → tare system tune: 4 files, powersave → performance
 */
#include "layout.h"
#include "quote.h"
#include "system_report.h"
#include "system_shown.h"
#include <math.h>
#include <string.h>

struct show_page {
    struct page p;
    const struct system_shown *s;
    const struct look *look;
    int title_columns;
};

static void add(struct show_page *sp, const char *text)
{
    quote_mask(&sp->p.piece, text, sp->p.o->unicode);
}

static void heading(struct show_page *sp, const char *text)
{
    blank_line(&sp->p);
    flow_begin(&sp->p, 0, 2);
    add(sp, text);
    flow_put_hued(&sp->p, "", HUE_BOLD);
    flow_end(&sp->p);
}

static void line(struct show_page *sp, int indent, int hang, const char *text, enum hue hue)
{
    flow_begin(&sp->p, indent, hang);
    add(sp, text);
    flow_spread(&sp->p, "", hue);
    flow_end(&sp->p);
}

/* ---- the head ---- */

static void put_head(struct show_page *sp)
{
    struct page *p = &sp->p;
    bool one = cpu_list_count(&sp->look->bench) == 1;
    if (*sp->s->machine)
        line(sp, 0, 2, sp->s->machine, HUE_PLAIN);
    flow_begin(p, 0, 2);
    buf_format(&p->piece, "To measure on CPU%s ", one ? "" : "s");
    cpu_list_write(&p->piece, &sp->look->bench);
    flow_put_hued(p, "", HUE_BOLD);
    if (sp->look->why_bench && *sp->look->why_bench) {
        buf_char(&p->piece, '(');
        add(sp, sp->look->why_bench);
        buf_char(&p->piece, ')');
        flow_spread(p, " ", HUE_DIM);
    }
    flow_end(p);
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
        buf_format(&text, "a tare (pid %lld) has tuned it for as long as it runs", (long long)n->owner);
    else if (n->state == JOURNAL_LEFT && n->changes)
        buf_format(&text, "tuned by tare, %d change%s: tare system reset puts %s back", n->changes, buf_plural(n->changes),
                   n->changes == 1 ? "it" : "them");
    else
        journal_notice_text(&text, n);
    if (text.len)
        line(sp, 0, 2, buf_text(&text), HUE_BOLD);
    buf_finish(&text);
}

/* ---- the rows ---- */

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

static bool row_shown(const struct show_page *sp, const struct knob_row *row)
{
    return row->state != KNOB_NOT_APPLICABLE || sp->p.o->verbosity > 0;
}

static const char *row_name(const struct show_page *sp, const struct knob_row *row)
{
    return sp->p.o->verbosity > 0 ? row->knob->id : row->knob->title;
}

static void put_row(struct show_page *sp, const struct knob_row *row)
{
    struct page *p = &sp->p;
    const struct mark *mark = &marks[row->state];
    int value_column = 4 + sp->title_columns + 2; /* mark, blank, title, two blanks */
    flow_begin(p, 2, value_column);
    buf_str(&p->piece, p->o->unicode ? mark->sign : mark->plain);
    flow_put_hued(p, "", mark->hue);
    const char *name = row_name(sp, row), *why = row->why ? row->why : "";
    add(sp, name);
    buf_repeat(&p->piece, ' ', sp->title_columns + 1 - text_columns(name, strlen(name)));
    flow_put(p, " ");
    add(sp, *row->value ? row->value : why);
    flow_spread(p, " ", row->state == KNOB_OK || row->state == KNOB_NOISY ? HUE_PLAIN : HUE_DIM);
    flow_end(p);
    if (*row->value && *why && p->o->verbosity > 0)
        line(sp, value_column, value_column, why, HUE_DIM);
}

static void measure_titles(struct show_page *sp)
{
    for (int i = 0; i < sp->look->n_rows; i++) {
        const struct knob_row *row = &sp->look->rows[i];
        int columns = text_columns(row_name(sp, row), strlen(row_name(sp, row)));
        if (row_shown(sp, row) && columns > sp->title_columns)
            sp->title_columns = columns;
    }
}

/* Groups in the order in which their first rows come. */
static void put_rows(struct show_page *sp)
{
    const struct look *l = sp->look;
    measure_titles(sp);
    for (int i = 0; i < l->n_rows; i++) {
        const char *group = l->rows[i].knob->group;
        bool begun = !row_shown(sp, &l->rows[i]);
        for (int k = 0; k < i && !begun; k++)
            begun = row_shown(sp, &l->rows[k]) && !strcmp(l->rows[k].knob->group, group);
        if (begun)
            continue;
        heading(sp, group);
        for (int k = i; k < l->n_rows; k++)
            if (row_shown(sp, &l->rows[k]) && !strcmp(l->rows[k].knob->group, group))
                put_row(sp, &l->rows[k]);
    }
}

/* ---- what tune would do ---- */

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

static void put_changes(struct show_page *sp, const struct knob_changes *c)
{
    buf_format(&sp->p.piece, "%d file%s", c->n, buf_plural(c->n));
    if (c->alike && strlen(c->first->wanted) <= 40 && strlen(c->first->now ? c->first->now : "") <= 40) {
        buf_str(&sp->p.piece, ", ");
        system_put_deed(&sp->p, c->first);
    }
}

static void put_file(struct show_page *sp, const struct setting *s)
{
    struct page *p = &sp->p;
    add(sp, s->path);
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
    heading(sp, "What tare system tune would do");
    for (int k = 0; knob_at(k); k++) {
        const struct knob *knob = knob_at(k);
        struct knob_changes c = changes_of(l, knob);
        if (!c.n)
            continue;
        add(sp, knob->title);
        buf_str(&p->piece, ": ");
        put_changes(sp, &c);
        flow_line(p, 2, HUE_PLAIN);
        for (int i = 0; i < l->n_settings && p->o->verbosity > 0; i++)
            if (l->settings[i].knob == knob && system_setting_pending(&l->settings[i]))
                put_file(sp, &l->settings[i]);
    }
    flow_label(p, 2, 4, "sudo tare system tune", HUE_BOLD);
    buf_str(&p->piece, "does it, sudo tare system reset restores every setting");
    flow_spread(p, " ", HUE_DIM);
    flow_end(p);
}

/* ---- what would help most ---- */

enum { ADVICE_SHOWN = 5 };

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

static void put_remedy(struct show_page *sp, const struct knob_row *row)
{
    struct page *p = &sp->p;
    struct knob_changes c = changes_of(sp->look, row->knob);
    bool held = system_relief(sp->look, row) == RELIEF_HELD;
    const char *left = why_left(sp->look, row->knob);
    if (!c.n && !held && !left && !(row->advice && *row->advice))
        return;
    flow_begin(p, 5, p->o->unicode ? 7 : 8);
    buf_str(&p->piece, "→ ");
    if (c.n) {
        buf_str(&p->piece, "tare system tune: ");
        put_changes(sp, &c);
    }
    if (held)
        buf_str(&p->piece, "tare run --tune holds it while it measures");
    if (left) {
        buf_str(&p->piece, "not by tare system tune: ");
        add(sp, left);
    }
    if (row->advice && *row->advice) {
        buf_str(&p->piece, c.n || held || left ? "; " : "");
        add(sp, row->advice);
    }
    flow_spread(p, "", HUE_PLAIN);
    flow_end(p);
}

static void put_advice(struct show_page *sp)
{
    struct page *p = &sp->p;
    const struct knob_row **rows = system_advice(sp->look, sp->s->arena);
    if (!rows)
        p->out->status = TARE_NO_MEMORY;
    if (!rows || !rows[0])
        return;
    heading(sp, "What would help most");
    int n = 0;
    for (; rows[n] && (n < ADVICE_SHOWN || p->o->verbosity > 0); n++) {
        flow_begin(p, 2, 5);
        buf_format(&p->piece, "%d. ", n + 1);
        add(sp, rows[n]->knob->title);
        buf_str(&p->piece, ": ");
        add(sp, rows[n]->why && *rows[n]->why ? rows[n]->why : rows[n]->value);
        flow_spread(p, "", HUE_PLAIN);
        flow_end(p);
        put_remedy(sp, rows[n]);
    }
    int more = 0;
    while (rows[n + more])
        more++;
    if (!more)
        return;
    flow_begin(p, 5, 5);
    buf_format(&p->piece, "%d more with -v", more);
    flow_put_hued(p, "", HUE_DIM);
    flow_end(p);
}

/* ---- what a reboot forgets, and what needs one ---- */

static void put_command_line(struct show_page *sp)
{
    if (!sp->look->command_line)
        return;
    heading(sp, "For the kernel's command line, where run time cannot do it");
    line(sp, 4, 6, sp->look->command_line, HUE_BOLD);
    line(sp, 2, 4,
         "Debian, Ubuntu: add it to GRUB_CMDLINE_LINUX in /etc/default/grub, then sudo update-grub. Fedora, RHEL: sudo grubby "
         "--update-kernel=ALL --args='...'. It holds from the next boot on, and costs everybody else these CPUs.",
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
            heading(sp, "To keep it over a reboot");
        any = true;
        add(sp, row->knob->title);
        buf_str(&p->piece, ": ");
        add(sp, row->knob->keep);
        flow_line(p, 2, HUE_PLAIN);
    }
}

/* ---- the probe ---- */

enum { NAME_COLUMN = 2, FIGURE_COLUMN = 28 };

static void put_label(struct page *p, const char *label)
{
    flow_field(p, FIGURE_COLUMN - NAME_COLUMN, label, HUE_PLAIN);
}

static void end_figure(struct page *p)
{
    flow_spread(p, " ", HUE_PLAIN);
    flow_end(p);
}

/* Figure and interval with the digits that the interval leaves, in units of which `factor` make one as it is kept. */
static void put_with_interval(struct page *p, const struct tare_interval *i, double factor, const char *unit)
{
    int decimals = figure_decimals(i->point * factor, half_width(i->low, i->high) * factor);
    figure_put(&p->piece, i->point * factor, decimals);
    buf_str(&p->piece, unit);
    if (isfinite(i->low) && isfinite(i->high)) {
        buf_char(&p->piece, ' ');
        figure_interval(&p->piece, i->low * factor, i->high * factor, unit_one, decimals);
    }
}

static void put_gaps(struct page *p, const struct jitter_figures *f)
{
    static const char *const labels[JITTER_SIZES] = {
        [JITTER_OVER_1_US] = "gaps of 1 us and more",
        [JITTER_OVER_10_US] = "gaps of 10 us and more",
        [JITTER_OVER_100_US] = "gaps of 100 us and more",
    };
    for (int i = 0; i < JITTER_SIZES; i++) {
        put_label(p, labels[i]);
        put_with_interval(p, &f->gaps[i], 1, " a second");
        end_figure(p);
    }
}

static void put_lost(struct page *p, const struct jitter_figures *f)
{
    put_label(p, "lost");
    put_with_interval(p, &f->lost_share, 100, " % of the time");
    buf_str(&p->piece, ", at most ");
    figure_scaled(&p->piece, "ns", f->largest_ns, FIGURE_DIGITS);
    buf_str(&p->piece, " at once");
    end_figure(p);
    static const char *const to[] = {"to other tasks", "to the hypervisor", "to interrupts"};
    const double seconds[] = {f->others_seconds, f->stolen_seconds, f->interrupt_seconds};
    bool any = false;
    for (int i = 0; i < 3; i++) {
        if (isnan(seconds[i]))
            continue;
        if (!any)
            put_label(p, "");
        buf_format(&p->piece, "%s", any ? ", " : "");
        if (fabs(seconds[i]) <
            1e-3) /* the account is read between stretches, which takes some microseconds each time, to either side */
            buf_str(&p->piece, "less than 1 ms");
        else
            figure_scaled(&p->piece, "ns", seconds[i] * 1e9, FIGURE_DIGITS);
        buf_format(&p->piece, " %s", to[i]);
        any = true;
    }
    if (any)
        end_figure(p);
}

static void put_frequency(struct page *p, const struct jitter_figures *f)
{
    put_label(p, "frequency of the core");
    if (isnan(f->core_hz[1].point)) {
        buf_str(&p->piece, "cannot be counted here");
        end_figure(p);
        return;
    }
    figure_scaled(&p->piece, "Hz", f->core_hz[1].point, FIGURE_DIGITS);
    buf_str(&p->piece, ", p5 ");
    figure_scaled(&p->piece, "Hz", f->core_hz[0].point, FIGURE_DIGITS);
    buf_str(&p->piece, ", p95 ");
    figure_scaled(&p->piece, "Hz", f->core_hz[2].point, FIGURE_DIGITS);
    end_figure(p);
}

static void put_steal(struct page *p, const struct jitter_cpu *c)
{
    put_label(p, "steal");
    if (isnan(c->steal_seconds))
        buf_str(&p->piece, "the system does not say");
    else
        figure_scaled(&p->piece, "ns", c->steal_seconds * 1e9, FIGURE_DIGITS);
    end_figure(p);
}

static void put_interrupts(struct page *p, const struct jitter_cpu *c)
{
    put_label(p, "interrupts");
    if (c->interrupts < 0)
        buf_str(&p->piece, "the system does not say");
    else
        buf_format(&p->piece, "%lld", (long long)c->interrupts);
    for (int i = 0; i < c->n_interrupts && i < 3; i++) {
        buf_format(&p->piece, "%s%lld ", i ? ", " : ": ", (long long)c->top[i].count);
        quote_mask(&p->piece, c->top[i].name, p->o->unicode);
    }
    end_figure(p);
}

/* The total is counted at ticks, a process's own time is exact: less than this between them says nothing. */
static bool is_unnamed_use(const struct cpu_users *u)
{
    return u->unnamed_seconds >= 0.1 && u->unnamed_seconds >= 0.02 * u->window_seconds;
}

static void put_users(struct page *p, const struct jitter *j)
{
    bool unnamed = j->users_known && is_unnamed_use(&j->users);
    put_label(p, "most CPU meanwhile");
    if (!j->users_known)
        buf_str(&p->piece, "the system does not say");
    else if (!j->users.n && !unnamed)
        buf_str(&p->piece, "no process with 1 % of a CPU or more");
    for (int i = 0; j->users_known && i < j->users.n; i++) {
        const struct cpu_user *u = &j->users.top[i];
        buf_str(&p->piece, i ? ", " : "");
        quote_mask(&p->piece, u->name, p->o->unicode);
        if (u->processes > 1)
            buf_format(&p->piece, " (%d processes)", u->processes);
        buf_format(&p->piece, " %.2f s", u->seconds);
    }
    if (unnamed)
        buf_format(&p->piece, "%s%.2f s by processes that came and went", j->users.n ? ", " : "", j->users.unnamed_seconds);
    end_figure(p);
}

static void put_probe(const struct system_shown *s, const struct render_options *o, struct buf *out)
{
    struct page p = page_over(NULL, o, out);
    for (int i = 0; i < s->jitter->n_cpus; i++) {
        const struct jitter_cpu *c = &s->jitter->cpus[i];
        const struct jitter_figures *f = &s->figures[i];
        blank_line(&p);
        flow_begin(&p, 0, 2);
        buf_format(&p.piece, "Probe, %.1f s on CPU %d", f->seconds, c->cpu);
        flow_put_hued(&p, "", HUE_BOLD);
        flow_end(&p);
        put_gaps(&p, f);
        put_lost(&p, f);
        put_frequency(&p, f);
        put_steal(&p, c);
        put_interrupts(&p, c);
    }
    put_users(&p, s->jitter);
    page_finish(&p);
}

void system_show_page(const struct system_shown *s, const struct render_options *o, struct buf *out)
{
    struct show_page sp = {.p = page_over(NULL, o, out), .s = s, .look = s->look};
    if (o->verbosity >= 0)
        put_head(&sp);
    put_verdict_line(&sp);
    put_tuned_line(&sp);
    if (o->verbosity >= 0) {
        put_rows(&sp);
        if (s->jitter)
            put_probe(s, o, out);
        put_advice(&sp);
        put_tune(&sp);
        put_command_line(&sp);
        put_keep(&sp);
    }
    page_finish(&sp.p);
}
