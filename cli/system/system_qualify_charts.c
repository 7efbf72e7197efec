/* SPDX-License-Identifier: MIT
 *
 * Two pictures of a host: how often gaps of each size and larger came, and what the CPUs got done over the minutes. Values of rows as they are; nothing is claimed
 * from a picture that is no estimate.
 */
#include "chart.h"
#include "host_verdict.h"
#include "qualify.h"
#include "system_qualify.h"
#include <math.h>
#include <string.h>
#include <tare/stats.h>

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
        y[i] = log10((double)all / seconds);
        n = n == 0 && all ? i + 1 : n;
    }
    c->lines[c->n_lines++] = (struct chart_line){d->r->subjects[subject].name, CHART_STEPS, n, x, y, NULL, NULL};
}

static void add_gaps(struct drawing *d)
{
    struct chart *c =
        chart_add(&d->make, "gaps", "Gaps by size", "How often a loop that only computes was interrupted for at least so long.");
    c->x_title = "length, µs";
    c->y_title = "log10 of the gaps a second";
    c->logarithmic_x = true;
    for (int i = 0; i < d->r->n_subjects && !d->make.failed; i++)
        if (!strcmp(qualify_what(&d->r->subjects[i]), "jitter"))
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
        if (strcmp(qualify_what(&d->r->subjects[i]), "throughput") || !x)
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
        if (!strcmp(qualify_what(&d->r->subjects[i]), "throughput"))
            first = i;
    int n = first < 0 ? 0 : d->r->series[first].main.n;
    for (int i = first; i >= 0 && i < d->r->n_subjects; i++)
        if (!strcmp(qualify_what(&d->r->subjects[i]), "throughput") && d->r->series[i].main.n < n)
            n = d->r->series[i].main.n;
    double *seconds = chart_column(&d->make, n);
    if (d->make.failed || n < 2)
        return;
    for (int i = 0; i < n; i++)
        seconds[i] = (double)(d->r->series[first].main.start_ns[i] - d->r->series[first].main.start_ns[0]) / 1e9;
    struct chart *c =
        chart_add(&d->make, "throughput", "Throughput with all CPUs busy",
                  "Per wall time: what the CPUs got done. Per CPU time: how fast the cores were while they ran the program.");
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
