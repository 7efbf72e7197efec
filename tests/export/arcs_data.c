/* SPDX-License-Identifier: MIT */
#include "arcs_data.h"
#include <stdlib.h>
#include <string.h>

static double total_of(const struct arcs_data_arc *arcs, int n)
{
    double total = 0;
    for (int i = 0; i < n; i++)
        total += arcs[i].mean_ns * (double)arcs[i].passes;
    return total;
}

static void add_run(struct record *r, int subject, int first, const struct point *points, int n, const struct arcs_data_arc *arcs,
                    int n_arcs, int round)
{
    struct point_passes *passes = calloc((size_t)n, sizeof *passes);
    int kept = 0;
    for (int i = 0; i < n; i++) {
        uint64_t in = 0;
        for (int k = 0; k < n_arcs; k++)
            in += arcs[k].to == i ? arcs[k].passes : 0;
        if (!i || in)
            passes[kept++] = (struct point_passes){first + i, in + !i};
    }
    record_add_traced_run(r, &(struct traced_run){.subject = subject,
                                                  .round = round,
                                                  .clock = "tsc",
                                                  .order = "ordered",
                                                  .hz = 2e9,
                                                  .step = 1,
                                                  .repeat = 1,
                                                  .processes = 1,
                                                  .threads = 1,
                                                  .weight = 46,
                                                  .weight_sd = 1,
                                                  .weight_rows = 3,
                                                  .residual_ppm = NAN,
                                                  .passes = passes,
                                                  .n_passes = kept});
    (void)points;
    free(passes);
}

static void add_arc(struct record *r, int subject, int first, const struct arcs_data_arc *a, int runs, double total)
{
    struct arc_result x;
    arc_result_init(&x, subject, first + a->from, first + a->to);
    x.runs = x.runs_passed = runs;
    x.passes = x.n = x.clean = a->passes * (uint64_t)runs;
    x.mean_ns = a->mean_ns;
    x.low_ns = a->mean_ns < 1 ? a->mean_ns - 1.5 : a->mean_ns * 0.99;
    x.high_ns = a->mean_ns < 1 ? a->mean_ns + 1.5 : a->mean_ns * 1.01;
    x.total_ns = a->mean_ns * (double)a->passes;
    x.total_low = x.total_ns * 0.99;
    x.total_high = x.total_ns * 1.01;
    x.share = x.total_ns / total;
    x.std_ns = a->mean_ns * 0.05;
    x.var_ns2 = x.std_ns * x.std_ns;
    x.min_ns = a->mean_ns * 0.9;
    x.median_ns = a->mean_ns * 0.995;
    x.binned = a->passes > 2;
    x.p99_ns = a->mean_ns * 1.2;
    x.max_ns = a->mean_ns * 3;
    x.probe_ns = 23;
    x.probe_error_ns = 0.1;
    x.confidence = 0.95;
    x.level = 0.05;
    x.whole = true;
    x.below_resolution = a->mean_ns < 1;
    x.resolution_ns = 1.9;
    record_add_arc_result(r, &x);
}

void arcs_data_add(struct record *r, const char *name, const struct point *points, int n_points, const struct arcs_data_arc *arcs,
                   int n_arcs, int runs)
{
    int subject = record_add_subject(r, &(struct subject){.kind = SUBJECT_TRACE, .name = name, .command = name}, NULL, 0);
    int first = r->traced ? r->traced->n_points : 0;
    for (int i = 0; i < n_points; i++) {
        struct point p = points[i];
        p.subject = subject;
        p.partner = -1;
        record_add_point(r, &p);
    }
    for (int i = 0; i < runs; i++)
        add_run(r, subject, first, points, n_points, arcs, n_arcs, i);
    double total = total_of(arcs, n_arcs);
    struct arcs_data_arc *sorted = malloc((size_t)(n_arcs + 1) * sizeof *sorted);
    if (n_arcs > 0)
        memcpy(sorted, arcs, (size_t)n_arcs * sizeof *sorted);
    for (int i = 1; i < n_arcs; i++)
        for (int k = i;
             k > 0 && sorted[k].mean_ns * (double)sorted[k].passes > sorted[k - 1].mean_ns * (double)sorted[k - 1].passes; k--) {
            struct arcs_data_arc moving = sorted[k];
            sorted[k] = sorted[k - 1];
            sorted[k - 1] = moving;
        }
    for (int i = 0; i < n_arcs; i++)
        add_arc(r, subject, first, &sorted[i], runs, total);
    free(sorted);
}

void arcs_data_usual(struct record *r)
{
    static const struct point cyc[] = {
        {.file = "/src/test_cyc.c", .func = "main", .name = "", .line = 20},
        {.file = "/src/test_cyc.c", .func = "main", .name = "", .line = 24},
        {.file = "/src/test_cyc.c", .func = "main", .name = "", .line = 28},
        {.file = "/src/test_cyc.c", .func = "main", .name = "half", .line = 32},
        {.file = "/src/test_cyc.c", .func = "main", .name = "", .line = 36, .ordinal = 1},
        {.file = "/src/help/report.c", .func = "report_line", .name = "", .line = 7},
        {.file = "/src/help/report.c", .func = "report_never", .name = "", .line = 19},
    };
    static const struct arcs_data_arc arcs[] = {
        {0, 1, 3, 7.617e6}, {1, 2, 3, 1.5218e7}, {2, 3, 3, 3.8044e7}, {3, 4, 3, 7.6075e7},
        {4, 0, 2, 310},     {4, 5, 1, 4120},     {5, 5, 41, 950},     {5, 0, 1, 0.4},
    };
    static const struct point one[] = {{.file = "sort.c", .func = "main", .name = "", .line = 3},
                                       {.file = "sort.c", .func = "main", .name = "", .line = 9}};
    arcs_data_add(r, "./test_cyc 10000", cyc, 7, arcs, 8, 30);
    arcs_data_add(r, "./sort", one, 2, (const struct arcs_data_arc[]){{0, 1, 1, 1234.5}}, 1, 12);
}

void arcs_data_hostile(struct record *r)
{
    static char thousand[1001];
    static const char *const names[] = {
        "\"quotes\" and 'single' ones",
        "<script>alert(1)</script> & co",
        "two\nlines\tand\x1b[31mcolour\xc2\x9b",
        "turned \xe2\x80\xae round \xe2\x81\xa6",
        "back\\slash \\n \\l \\N %s %d $x$ #1 {brace} ~ ^ _ | ` ;",
        "bad \xff utf-8 \xc3",
        "漢字 and é",
        "]]> --> */ end\");} graph",
        thousand,
    };
    struct point points[sizeof names / sizeof *names];
    struct arcs_data_arc arcs[sizeof names / sizeof *names];
    int n = sizeof names / sizeof *names;
    memset(thousand, 'a', sizeof thousand - 1);
    for (int i = 0; i < n; i++) {
        points[i] = (struct point){
            .file = i % 2 ? names[i] : "a;b c.c", .func = names[n - 1 - i], .name = i % 3 ? names[i] : "", .line = i};
        arcs[i] = (struct arcs_data_arc){i, (i + 1) % n, (uint64_t)i + 1, 1000.0 * (i + 1)};
    }
    arcs_data_add(r, "./\"hostile\" <b>&\n\xff", points, n, arcs, n, 5);
}

void arcs_data_large(struct record *r, int n)
{
    struct point *points = calloc((size_t)n, sizeof *points);
    struct arcs_data_arc *arcs = calloc((size_t)n * 3, sizeof *arcs);
    for (int i = 0; i < n; i++) {
        points[i] = (struct point){.file = i % 2 ? "even.c" : "odd.c", .func = "work", .name = "", .line = 10 * i};
        arcs[3 * i] = (struct arcs_data_arc){i, (i + 1) % n, 10, 500 + i};
        arcs[3 * i + 1] = (struct arcs_data_arc){i, (7 * i + 3) % n, 2, 100 + i};
        arcs[3 * i + 2] = (struct arcs_data_arc){(5 * i + 1) % n, i, 1, 20 + i};
    }
    arcs_data_add(r, "./large", points, n, arcs, 3 * n, 3);
    free(points);
    free(arcs);
}
