/* SPDX-License-Identifier: MIT
 *
 * trust_summary FILE: the raw lines of bench/trust.sh as Markdown tables, one section for each label.
 *
 *     | scenario | tool | sessions | false words | share | 95 % interval |
 *     | drift | tare | 70 | 2 | 2.9 % | 0.3 to 9.9 % |
 *
 * Shares carry the exact interval of Clopper and Pearson. Nothing is left out for being bad.
 */
#include "trust_lines.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>
#include <time.h>

static const char *const scenarios[] = {"quiet", "drift", "ar",     "regimes", "spikes",   "modes",  "mixed",
                                        "slow",  "spin",  "stream", "chase",   "syscalls", "malloc", "startup"};
static const char *const tools[] = {"tare", "hyperfine", "perf", "multitime"};
static const double sizes[] = {.5, 1, 2, 5};
enum { SCENARIOS = 14, FAST = 7, FIRST_REAL = 8, TOOLS = 4, SIZES = 4 };

/* Scenarios first..last-1 of one label; lines of a pool count together. */
struct pool {
    const char *name, *label;
    int first, last;
};

/* ---- picking lines ---- */

static int scenario_of(const struct trust_line *l)
{
    int i = 0;
    while (i < SCENARIOS && strcmp(scenarios[i], l->scenario))
        i++;
    return i;
}

static bool picked(const struct trust_line *l, const struct pool *p, const char *tool, double size)
{
    int s = scenario_of(l);
    return s >= p->first && s < p->last && !strcmp(l->label, p->label) && !strcmp(l->tool, tool) && (size < 0 || l->size == size);
}

/* The sign that the word claims, in the direction of the planted slowdown: 1 right, -1 wrong, 0 none claimed. */
static int claimed(const struct trust_line *l)
{
    int sign = !strcmp(l->word, "slower") ? 1 : !strcmp(l->word, "faster") ? -1 : 0;
    return sign * l->sign;
}

struct counts {
    int n, right, wrong, same, undecided, invalid, covered, intervals;
};

static struct counts count(const struct trust_lines *all, const struct pool *p, const char *tool, double size)
{
    struct counts c = {0};
    for (int i = 0; i < all->n; i++) {
        const struct trust_line *l = &all->items[i];
        if (!picked(l, p, tool, size))
            continue;
        c.n++;
        c.right += claimed(l) > 0;
        c.wrong += claimed(l) < 0;
        c.same += !strcmp(l->word, "same");
        c.undecided += !strcmp(l->word, "undecided") || !strcmp(l->word, "none");
        c.invalid += !strcmp(l->word, "invalid");
        if (isfinite(l->low) && isfinite(l->high)) {
            c.intervals++;
            c.covered += l->low <= l->expected && l->expected <= l->high;
        }
    }
    return c;
}

/* ---- text ---- */

static void print_share(int k, int n)
{
    struct tare_interval share;
    if (n < 1 || tare_binomial_ci_clopper_pearson(k, n, .05, &share))
        printf(" %d of %d | | |", k, n);
    else
        printf(" %d of %d | %.1f %% | %.1f to %.1f %% |", k, n, 100 * share.point, 100 * share.low, 100 * share.high);
}

static double quantile(double *x, int n, double q)
{
    tare_sort(x, n);
    return tare_quantile_sorted(x, n, q);
}

/* Calls row for each pool of the label that has sessions: every scenario, then the scripted and the real ones together. */
typedef void row_writer(const struct trust_lines *all, const struct pool *p, const char *tool);

static void each_pool(const struct trust_lines *all, const char *label, row_writer *row)
{
    struct pool pools[SCENARIOS + 2];
    int n = 0;
    for (int s = 0; s < SCENARIOS; s++)
        pools[n++] = (struct pool){scenarios[s], label, s, s + 1};
    pools[n++] = (struct pool){"**scripted, without slow**", label, 0, FAST};
    pools[n++] = (struct pool){"**real**", label, FIRST_REAL, SCENARIOS};
    for (int i = 0; i < n; i++)
        for (int t = 0; t < TOOLS; t++)
            if (count(all, &pools[i], tools[t], -1).n)
                row(all, &pools[i], tools[t]);
    putchar('\n');
}

/* ---- the tables ---- */

static void null_row(const struct trust_lines *all, const struct pool *p, const char *tool)
{
    struct counts c = count(all, p, tool, 0);
    printf("| %s | %s |", p->name, tool);
    print_share(c.right + c.wrong, c.n);
    printf(" %d | %d |\n", c.same, c.undecided);
}

static void power_row(const struct trust_lines *all, const struct pool *p, const char *tool)
{
    printf("| %s | %s |", p->name, tool);
    for (int i = 0; i < SIZES; i++) {
        struct counts c = count(all, p, tool, sizes[i]);
        if (c.n)
            printf(" %d + %d of %d (%.0f %%) |", c.right, c.wrong, c.n, 100.0 * c.right / c.n);
        else
            printf(" |");
    }
    putchar('\n');
}

/* `same` where the true difference is at least the margin of 1 %. */
static void dangerous_row(const struct trust_lines *all, const struct pool *p, const char *tool)
{
    if (strcmp(tool, "tare"))
        return;
    int n = 0, at_margin = 0, beyond = 0, n_beyond = 0;
    for (int i = 0; i < all->n; i++) {
        const struct trust_line *l = &all->items[i];
        double d = fabs(l->expected);
        if (!picked(l, p, tool, -1) || d < log(1.01) - 1e-6)
            continue;
        bool same = !strcmp(l->word, "same");
        if (l->size <= 1)
            n++, at_margin += same;
        else
            n_beyond++, beyond += same;
    }
    printf("| %s |", p->name);
    print_share(at_margin, n);
    print_share(beyond, n_beyond);
    putchar('\n');
}

static void cover_row(const struct trust_lines *all, const struct pool *p, const char *tool)
{
    struct counts c = count(all, p, tool, -1);
    double *half = malloc((size_t)c.n * sizeof *half), *off = malloc((size_t)c.n * sizeof *off);
    int n = 0;
    for (int i = 0; half && off && i < all->n; i++) {
        const struct trust_line *l = &all->items[i];
        if (picked(l, p, tool, -1) && isfinite(l->low) && isfinite(l->high)) {
            half[n] = (l->high - l->low) / 2;
            off[n++] = fabs(l->ln - l->expected);
        }
    }
    printf("| %s | %s |", p->name, tool);
    print_share(c.covered, c.intervals);
    if (n)
        printf(" %.2f %% | %.2f %% |\n", 100 * quantile(half, n, .5), 100 * quantile(off, n, .5));
    else
        printf(" | |\n");
    free(half);
    free(off);
}

static void time_row(const struct trust_lines *all, const struct pool *p, const char *tool)
{
    double *s = malloc((size_t)all->n * sizeof *s);
    printf("| %s | %s |", p->name, tool);
    for (int i = -1; s && i < SIZES; i++) {
        int n = 0, decided = 0;
        for (int k = 0; k < all->n; k++) {
            const struct trust_line *l = &all->items[k];
            if (!picked(l, p, tool, i < 0 ? 0 : sizes[i]))
                continue;
            s[n++] = l->seconds;
            decided += claimed(l) || !strcmp(l->word, "same");
        }
        if (n)
            printf(" %.2f, %.2f (%.0f %%) |", quantile(s, n, .5), quantile(s, n, .9), 100.0 * decided / n);
        else
            printf(" |");
    }
    putchar('\n');
    free(s);
}

/* Two sessions of one tool on one question, one after the other in time: do their words contradict each other? */
static void contradiction_row(const struct trust_lines *all, const struct pool *p, const char *tool)
{
    int pairs = 0, opposite = 0;
    for (int s = p->first; s < p->last; s++) {
        struct pool one = {p->name, p->label, s, s + 1};
        for (int i = -1; i < SIZES; i++) {
            const struct trust_line *before = NULL;
            for (int k = 0; k < all->n; k++) {
                const struct trust_line *l = &all->items[k];
                if (!picked(l, &one, tool, i < 0 ? 0 : sizes[i]))
                    continue;
                pairs += before != NULL;
                opposite += before && claimed(l) * claimed(before) < 0;
                before = l;
            }
        }
    }
    printf("| %s | %s |", p->name, tool);
    print_share(opposite, pairs);
    putchar('\n');
}

/* The score that 1 in 20 of the A/A sessions of this scenario exceeds; NaN with fewer than 20. */
static double fair_threshold(const struct trust_lines *all, const struct pool *one, const char *tool, double *scores)
{
    int n = 0;
    for (int i = 0; i < all->n; i++)
        if (picked(&all->items[i], one, tool, 0))
            scores[n++] = isfinite(all->items[i].score) ? all->items[i].score : 0;
    tare_sort(scores, n);
    return n < 20 ? NAN : scores[n - 1 - n / 20];
}

/* What each tool would find if its threshold were moved until 5 % of its A/A sessions had a word, scenario by scenario. */
static void fair_row(const struct trust_lines *all, const struct pool *p, const char *tool)
{
    double *scores = malloc((size_t)all->n * sizeof *scores);
    int n[SIZES] = {0}, right[SIZES] = {0}, used = 0;
    double last = NAN;
    for (int s = p->first; scores && s < p->last; s++) {
        struct pool one = {p->name, p->label, s, s + 1};
        double threshold = fair_threshold(all, &one, tool, scores);
        if (isnan(threshold))
            continue;
        last = threshold;
        used++;
        for (int k = 0; k < all->n; k++)
            for (int i = 0; i < SIZES; i++) {
                const struct trust_line *l = &all->items[k];
                if (!picked(l, &one, tool, sizes[i]))
                    continue;
                n[i]++;
                right[i] += l->score > threshold && l->ln * l->expected > 0;
            }
    }
    free(scores);
    if (!used)
        return;
    printf("| %s | %s |", p->name, tool);
    if (used == 1)
        printf(" %.2f |", last);
    else
        printf(" |");
    for (int i = 0; i < SIZES; i++)
        printf(" %d of %d (%.0f %%) |", right[i], n[i], n[i] ? 100.0 * right[i] / n[i] : 0);
    putchar('\n');
}

/* ---- a label ---- */

static void day_of(double unix_s, char out[32])
{
    time_t t = (time_t)unix_s;
    strftime(out, 32, "%Y-%m-%d %H:%M", gmtime(&t));
}

static void heading(const struct trust_lines *all, const char *label)
{
    double *load = malloc((size_t)all->n * sizeof *load), first = INFINITY, last = -INFINITY;
    int n = 0;
    for (int i = 0; load && i < all->n; i++) {
        const struct trust_line *l = &all->items[i];
        if (strcmp(l->label, label))
            continue;
        load[n++] = l->load;
        first = fmin(first, l->unix_s);
        last = fmax(last, l->unix_s);
    }
    char from[32], to[32];
    day_of(first, from);
    day_of(last, to);
    printf("## %s machine: %d sessions, %s to %s UTC\n\n", label, n, from, to);
    if (n) {
        double median = quantile(load, n, .5);
        printf("Load average (1 minute): median %.1f, 90 %% of the sessions below %.1f.\n\n", median, quantile(load, n, .9));
    }
    free(load);
    char wanted[64];
    snprintf(wanted, sizeof wanted, " label %s;", label);
    for (int i = 0; i < all->n_heads && i < TRUST_HEADS; i++)
        if (strstr(all->heads[i], wanted))
            printf("- %s\n", all->heads[i]);
    putchar('\n');
}

static void section(const struct trust_lines *all, const char *label)
{
    heading(all, label);
    printf("### A/A: false words\n\n| scenario | tool | words of sessions | share | 95 %% interval | same | no word "
           "|\n|---|---|---:|---:|---:|---:|---:|\n");
    each_pool(all, label, null_row);
    printf("### Planted slowdowns: right + wrong words of sessions\n\n| scenario | tool | 0.5 %% | 1 %% | 2 %% | 5 %% "
           "|\n|---|---|---:|---:|---:|---:|\n");
    each_pool(all, label, power_row);
    printf("### The same at equal false-alarm rate\n\nThe threshold of each tool (1 = its own) is moved until 5 %% of its A/A "
           "sessions in that scenario have a word.\n\n"
           "| scenario | tool | threshold | 0.5 %% | 1 %% | 2 %% | 5 %% |\n|---|---|---:|---:|---:|---:|---:|\n");
    each_pool(all, label, fair_row);
    printf("### `same` when it is not (margin 1 %%; tare alone has that word)\n\n| scenario | at the margin | share | 95 %% "
           "interval | beyond it | share | 95 %% interval |\n|---|---:|---:|---:|---:|---:|---:|\n");
    each_pool(all, label, dangerous_row);
    printf("### Intervals: how many hold the truth\n\n| scenario | tool | hold | share | 95 %% interval | half-width, median | "
           "estimate off by, median |\n|---|---|---:|---:|---:|---:|---:|\n");
    each_pool(all, label, cover_row);
    printf("### Seconds of a session: median, p90 (share with an answer)\n\n| scenario | tool | A/A | 0.5 %% | 1 %% | 2 %% | 5 "
           "%% |\n|---|---|---:|---:|---:|---:|---:|\n");
    each_pool(all, label, time_row);
    printf("### Contradictions: two sessions on the same question, opposite words\n\n| scenario | tool | of pairs | share | 95 "
           "%% interval |\n|---|---|---:|---:|---:|\n");
    each_pool(all, label, contradiction_row);
}

static bool new_label(const struct trust_lines *all, int at)
{
    for (int i = 0; i < at; i++)
        if (!strcmp(all->items[i].label, all->items[at].label))
            return false;
    return true;
}

int main(int argc, char **argv)
{
    struct trust_lines all;
    if (argc != 2) {
        fprintf(stderr, "usage: trust_summary FILE\n");
        return 2;
    }
    if (!trust_lines_read(argv[1], &all)) {
        fprintf(stderr, "trust_summary: %s cannot be read\n", argv[1]);
        trust_lines_finish(&all);
        return 6;
    }
    for (int i = 0; i < all.n; i++)
        if (new_label(&all, i))
            section(&all, all.items[i].label);
    if (all.broken)
        printf("%d lines were not understood and are left out.\n", all.broken);
    trust_lines_finish(&all);
    return fflush(stdout) || ferror(stdout) ? 6 : 0;
}
