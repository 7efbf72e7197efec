/* SPDX-License-Identifier: MIT
 *
 *     Probe, 3 s on CPU 1
 *       gaps of 1 us and more     252 a second [246, 258]
 *       gaps of 10 us and more    31.2 a second [28.1, 34.5]
 *       gaps of 100 us and more   0.33 a second [0.01, 1.9]
 *       lost                      0.61 % of the time [0.52, 0.70], 4.2 ms at most at once
 *       frequency                 2.91 GHz, p5 2.41, p95 2.97
 *       steal                     0.02 s
 *       most CPU meanwhile        cc1 (4 processes) 2.1 s, dockerd 0.4 s
 */
#include "layout.h"
#include "quote.h"
#include "system_shown.h"
#include <math.h>
#include <string.h>

enum { NAME_COLUMN = 2, FIGURE_COLUMN = 28 };

static void put_label(struct page *p, const char *label)
{
    flow_field(p, FIGURE_COLUMN - NAME_COLUMN, label, HUE_PLAIN);
}

static void end_line(struct page *p)
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
        end_line(p);
    }
}

static void put_lost(struct page *p, const struct jitter_figures *f)
{
    put_label(p, "lost");
    put_with_interval(p, &f->lost_share, 100, " % of the time");
    buf_str(&p->piece, ", at most ");
    figure_scaled(&p->piece, "ns", f->largest_ns, FIGURE_DIGITS);
    buf_str(&p->piece, " at once");
    end_line(p);
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
        end_line(p);
}

static void put_frequency(struct page *p, const struct jitter_figures *f)
{
    put_label(p, "frequency of the core");
    if (isnan(f->core_hz[1].point)) {
        buf_str(&p->piece, "cannot be counted here");
        end_line(p);
        return;
    }
    figure_scaled(&p->piece, "Hz", f->core_hz[1].point, FIGURE_DIGITS);
    buf_str(&p->piece, ", p5 ");
    figure_scaled(&p->piece, "Hz", f->core_hz[0].point, FIGURE_DIGITS);
    buf_str(&p->piece, ", p95 ");
    figure_scaled(&p->piece, "Hz", f->core_hz[2].point, FIGURE_DIGITS);
    end_line(p);
}

static void put_steal(struct page *p, const struct jitter_cpu *c)
{
    put_label(p, "steal");
    if (isnan(c->steal_seconds))
        buf_str(&p->piece, "the system does not tell");
    else
        figure_scaled(&p->piece, "ns", c->steal_seconds * 1e9, FIGURE_DIGITS);
    end_line(p);
}

static void put_interrupts(struct page *p, const struct jitter_cpu *c)
{
    put_label(p, "interrupts");
    if (c->interrupts < 0)
        buf_str(&p->piece, "the system does not tell");
    else
        buf_format(&p->piece, "%lld", (long long)c->interrupts);
    for (int i = 0; i < c->n_interrupts && i < 3; i++) {
        buf_format(&p->piece, "%s%lld ", i ? ", " : ": ", (long long)c->top[i].count);
        quote_mask(&p->piece, c->top[i].name, p->o->unicode);
    }
    end_line(p);
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
        buf_str(&p->piece, "the system does not tell");
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
    end_line(p);
}

void system_probe_part(const struct system_shown *s, const struct render_options *o, struct buf *out)
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
