/* SPDX-License-Identifier: MIT
 *
 * functions_summary FILE: the raw lines of bench/functions.sh as Markdown tables, one section for each label.
 *
 *     | cycles | tare, cycles | tare, ns | google/benchmark |
 *     | 3 | 1.000 [0.999, 1.001], holds 19 of 20: 95.0 % [75.1, 99.9] | 1.003 [0.98, 1.02] ... | 1.01 [0.97, 1.05] |
 *
 * Shares carry the exact interval of Clopper and Pearson. Nothing is left out for being bad.
 */
#include "raw_lines.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

enum { WORDS_MOST = 64 };

/* A figure or a session of one tool, its columns in the file's head. */
struct line {
    char label[RAW_WORD], part[RAW_WORD], tool[RAW_WORD], kernel[RAW_WORD], size[RAW_WORD], word[RAW_WORD];
    double block, unix_s, load;
    double truth, value, low, high; /* NaN: not known, or there is none */
    double n, seconds, cpu;
};

static const struct raw_column columns[] = {
    RAW_TEXT(struct line, label),    RAW_TEXT(struct line, part),    RAW_NUMBER(struct line, block),
    RAW_NUMBER(struct line, unix_s), RAW_NUMBER(struct line, load),  RAW_TEXT(struct line, tool),
    RAW_TEXT(struct line, kernel),   RAW_TEXT(struct line, size),    RAW_NUMBER(struct line, truth),
    RAW_TEXT(struct line, word),     RAW_NUMBER(struct line, value), RAW_NUMBER(struct line, low),
    RAW_NUMBER(struct line, high),   RAW_NUMBER(struct line, n),     RAW_NUMBER(struct line, seconds),
    RAW_NUMBER(struct line, cpu)};

/* NULL: any. */
struct pick {
    const char *label, *part, *tool, *kernel, *size;
};

static bool fits(const char *wanted, const char *have)
{
    return !wanted || !strcmp(wanted, have);
}

static bool picked(const struct line *l, const struct pick *p)
{
    return fits(p->label, l->label) && fits(p->part, l->part) && fits(p->tool, l->tool) && fits(p->kernel, l->kernel) &&
           fits(p->size, l->size);
}

static const struct line *next(const struct raw_lines *all, const struct pick *p, int *at)
{
    const struct line *items = all->items;
    while (*at < all->n)
        if (picked(&items[(*at)++], p))
            return &items[*at - 1];
    return NULL;
}

static int count(const struct raw_lines *all, const struct pick *p, const char *word)
{
    int n = 0, at = 0;
    for (const struct line *l; (l = next(all, p, &at));)
        n += fits(word, l->word);
    return n;
}

/* The different values of one column, in the order of their first lines. */
struct words {
    const char *items[WORDS_MOST + 1];
    int n;
};

static struct words different(const struct raw_lines *all, const struct pick *p, size_t offset)
{
    struct words w = {.n = 0};
    int at = 0;
    for (const struct line *l; (l = next(all, p, &at));) {
        const char *text = (const char *)l + offset;
        int i = 0;
        while (i < w.n && strcmp(w.items[i], text))
            i++;
        if (i == w.n && w.n < WORDS_MOST)
            w.items[w.n++] = text;
    }
    return w;
}

#define DIFFERENT(all, p, field) different(all, p, offsetof(struct line, field))

static int by_number(const void *a, const void *b)
{
    double x = atof(*(const char *const *)a), y = atof(*(const char *const *)b);
    return (x > y) - (x < y);
}

static void sort_by_number(struct words *w)
{
    qsort(w->items, (size_t)w->n, sizeof *w->items, by_number);
}

/* One figure of each line that has it, ascending; the caller frees. */
typedef double figure(const struct line *l);

static double *figures(const struct raw_lines *all, const struct pick *p, figure *of, int *n)
{
    double *x = malloc(((size_t)all->n + 1) * sizeof *x);
    int at = 0;
    *n = 0;
    if (!x)
        abort();
    for (const struct line *l; (l = next(all, p, &at));)
        if (!isnan(of(l)))
            x[(*n)++] = of(l);
    tare_sort(x, *n);
    return x;
}

static double quantile_of(const struct raw_lines *all, const struct pick *p, figure *of, double q)
{
    int n;
    double *x = figures(all, p, of, &n), value = tare_quantile_sorted(x, n, q);
    free(x);
    return value;
}

static double value_of(const struct line *l)
{
    return l->value;
}

static double against_truth(const struct line *l)
{
    return l->value / l->truth;
}

static double beyond_truth(const struct line *l)
{
    return l->value - l->truth;
}

static double half_width(const struct line *l)
{
    return (l->high - l->low) / 2 / l->truth;
}

static double seconds_of(const struct line *l)
{
    return l->seconds;
}

static double cpu_of(const struct line *l)
{
    return l->cpu;
}

static void print_share(int k, int n)
{
    struct tare_interval share;
    if (n >= 1 && !tare_binomial_ci_clopper_pearson(k, n, .05, &share))
        printf("%d of %d: %.1f %% [%.1f, %.1f]", k, n, 100 * share.point, 100 * share.low, 100 * share.high);
}

static bool is_google(const struct pick *p)
{
    return !strcmp(p->tool, "google");
}

static bool covers(const struct line *l)
{
    return l->low <= l->truth && l->truth <= l->high;
}

static void chain_cell(const struct raw_lines *all, const struct pick *p)
{
    int n = 0, at = 0, held = 0, with = 0;
    for (const struct line *l; (l = next(all, p, &at)); n++)
        if (!isnan(l->low)) {
            with++;
            held += covers(l);
        }
    if (n)
        printf(" %.3f, %.3f to %.3f", quantile_of(all, p, against_truth, .5), quantile_of(all, p, against_truth, 0),
               quantile_of(all, p, against_truth, 1));
    if (n && !is_google(p)) {
        printf("; ");
        print_share(held, with);
        printf("; %.3f %%", 100 * quantile_of(all, p, half_width, .5));
    }
}

static void words_cell(const struct raw_lines *all, const struct pick *p)
{
    int n = count(all, p, NULL);
    putchar(' ');
    print_share(count(all, p, "faster") + count(all, p, "slower"), n);
    if (n && !is_google(p))
        printf("; %d same, %d undecided", count(all, p, "same"), count(all, p, "undecided"));
}

static void spread_cell(const struct raw_lines *all, const struct pick *p)
{
    int n = count(all, p, NULL);
    if (n >= 4) {
        double median = quantile_of(all, p, value_of, .5),
               iqr = quantile_of(all, p, value_of, .75) - quantile_of(all, p, value_of, .25);
        printf(" %.2f %%, %.2f, n %d", 100 * iqr / median, quantile_of(all, p, value_of, 1) / quantile_of(all, p, value_of, 0),
               n);
    }
}

static int within_a_percent(const struct raw_lines *all, const struct pick *p, double reference)
{
    int at = 0, n = 0;
    for (const struct line *l; (l = next(all, p, &at));)
        n += fabs(l->value / reference - 1) <= 0.01;
    return n;
}

/* Of the budgets, ascending: the first at which 95 % of the figures are within 1 % of the median of all that this tool said. */
static void cpu_cell(const struct raw_lines *all, const struct pick *wanted)
{
    struct pick p = *wanted;
    struct words budgets = DIFFERENT(all, (&(struct pick){.label = p.label, .part = p.part}), size);
    sort_by_number(&budgets);
    double reference = quantile_of(all, &p, value_of, .5);
    for (int i = 0; i < budgets.n; i++) {
        p.size = budgets.items[i];
        int n = count(all, &p, NULL), good = within_a_percent(all, &p, reference);
        if (n < 4 || good < 0.95 * n)
            continue;
        printf(" %.2f s (%d of %d)", quantile_of(all, &p, cpu_of, .5), good, n);
        return;
    }
    p.size = budgets.n ? budgets.items[budgets.n - 1] : NULL;
    int n = count(all, &p, NULL);
    if (n)
        printf(" not in %.1f s (%d of %d)", quantile_of(all, &p, cpu_of, .5), within_a_percent(all, &p, reference), n);
}

static int claimed(const struct line *l)
{
    int sign = !strcmp(l->word, "slower") ? 1 : !strcmp(l->word, "faster") ? -1 : 0;
    return l->truth > 1 ? sign : -sign;
}

static void planted_cell(const struct raw_lines *all, const struct pick *p)
{
    int at = 0, n = 0, right = 0, wrong = 0, held = 0;
    for (const struct line *l; (l = next(all, p, &at)); n++) {
        right += claimed(l) > 0;
        wrong += claimed(l) < 0;
        held += covers(l);
    }
    putchar(' ');
    print_share(right, n);
    if (n)
        printf("; wrong %d", wrong);
    if (n && !is_google(p))
        printf("; interval holds it %d; %.1f s", held, quantile_of(all, p, seconds_of, .5));
}

static void bias_cell(const struct raw_lines *all, const struct pick *p)
{
    int n = count(all, p, NULL);
    if (n)
        printf(" %+.1f ns, %+.2f %%, n %d", quantile_of(all, p, beyond_truth, .5),
               100 * (quantile_of(all, p, against_truth, .5) - 1), n);
}

static void load_cell(const struct raw_lines *all, const struct pick *p)
{
    int n = count(all, p, NULL);
    if (n)
        printf(" %+.2f %%", 100 * (quantile_of(all, p, against_truth, .5) - 1));
    if (n && !is_google(p))
        printf(", findings in %d of %d", n - count(all, p, "none"), n);
}

static void world_cell(const struct raw_lines *all, const struct pick *p)
{
    int n = count(all, p, NULL);
    if (n) {
        printf(" %+.2f %%, ", 100 * (quantile_of(all, p, against_truth, .5) - 1));
        print_share(n - count(all, p, "steady") - count(all, p, "single"), n);
    }
}

static void traps_cell(const struct raw_lines *all, const struct pick *p)
{
    int n = count(all, p, NULL), silent = count(all, p, "silent");
    if (n)
        printf(" %d of %d; %d with a word", silent, n, count(all, p, "optimised-away") + count(all, p, "remark"));
}

static void pages_cell(const struct raw_lines *all, const struct pick *p)
{
    printf(" %+g to %+g", quantile_of(all, p, beyond_truth, 0), quantile_of(all, p, beyond_truth, 1));
}

static void weight_cell(const struct raw_lines *all, const struct pick *p)
{
    printf(" %g", quantile_of(all, p, value_of, .5));
}

static void guard_row(const struct raw_lines *all, const struct pick *p)
{
    int known;
    free(figures(all, p, value_of, &known));
    const int n = count(all, p, NULL);
    printf("| %s | %s | %s | ", p->tool, p->size, p->kernel ? p->kernel : "all");
    print_share(count(all, p, "optimised-away"), n);
    printf(" | ");
    print_share(known, n);
    printf(" |\n");
}

static void guard_rows(const struct raw_lines *all, const char *label)
{
    struct pick p = {.label = label, .part = "guard"};
    const struct words tools = DIFFERENT(all, &p, tool), sizes = DIFFERENT(all, &p, size), kernels = DIFFERENT(all, &p, kernel);
    for (int i = 0; i < tools.n * sizes.n; i++) {
        p = (struct pick){label, "guard", tools.items[i / sizes.n], NULL, sizes.items[i % sizes.n]};
        guard_row(all, &p);
        for (int k = 0; k < kernels.n; k++) {
            p.kernel = kernels.items[k];
            if (count(all, &p, "optimised-away"))
                guard_row(all, &p);
        }
    }
}

enum { CELLS_MOST = 3 };

struct table {
    const char *part, *title;
    const char *kernel, *size; /* heads of the columns that name a row; NULL: no row for each */
    bool in_order, total;      /* sizes by their numbers; a last row for all kernels */
    struct {
        const char *title, *tool;
        void (*put)(const struct raw_lines *all, const struct pick *p);
    } cells[CELLS_MOST];
    void (*rows)(const struct raw_lines *all, const char *label); /* not NULL: its own */
};

/* clang-format off */
static const struct table tables[] = {
    {"chains", "Known chains: reported / true", .size = "cycles", .in_order = true, .cells =
     {{"tare, cycles: median, range; interval holds the truth; its median half-width", "tare_cycles", chain_cell},
      {"tare, ns: the same", "tare_ns", chain_cell}, {"google/benchmark: median, range", "google", chain_cell}}},
    {"aa", "A program against itself: false words", .kernel = "kernel", .total = true, .cells =
     {{"tare", "tare", words_cell}, {"google/benchmark, ten repetitions after ten, Mann-Whitney", "google", words_cell}}},
    {"spread", "The same figure again: interquartile range in % of the median, largest / smallest", "kernel", "wall time, s", .in_order = true, .cells =
     {{"tare, cycles", "tare_cycles", spread_cell}, {"tare, ns", "tare_ns", spread_cell}, {"google/benchmark", "google", spread_cell}}},
    {"spread", "CPU time until 95 % of the figures are within 1 % of what the tool says in the long run", .kernel = "kernel", .cells =
     {{"tare, cycles", "tare_cycles", cpu_cell}, {"tare, ns", "tare_ns", cpu_cell}, {"google/benchmark", "google", cpu_cell}}},
    {"planted", "A planted difference: found", "kernel", "planted, %", .in_order = true, .cells =
     {{"tare by cycles", "tare_cycles", planted_cell}, {"tare by ns", "tare_ns", planted_cell},
      {"google/benchmark, the wall time of tare", "google", planted_cell}}},
    {"each", "Sorting fresh input: beyond (copy and sort) - (copy) in long loops", .size = "ints", .in_order = true, .cells =
     {{"tare, TARE_EACH", "tare", bias_cell}, {"google/benchmark, PauseTiming", "google", bias_cell}}},
    {"load", "While others compute: median shift of the figure", "kernel", "load", .cells =
     {{"tare, cycles", "tare_cycles", load_cell}, {"tare, ns", "tare_ns", load_cell}, {"google/benchmark", "google", load_cell}}},
    {"worlds", "Invented times: beyond the long run, and sessions that say so (no steady state, slow-down, modes)", .kernel = "world", .cells =
     {{"tare", "tare", world_cell}, {"tare --method georges", "georges", world_cell}}},
    {"traps", "What optimisers do: wrong figures without a word", .size = "compiler", .cells =
     {{"tare", "tare", traps_cell}, {"google/benchmark", "google", traps_cell}}},
    {"guard", "Code that does its work, one process each", "program", "beside it", .rows = guard_rows, .cells =
     {{.title = "benchmark"}, {.title = "OPTIMISED-AWAY (false)"}, {.title = "with core cycles"}}},
    {"memory", "Memory: pages said beyond those touched, smallest to largest", "kind", "pages", .cells =
     {{"tare --profile memory", "tare", pages_cell}}},
    {"weight", "What it weighs", .kernel = "what", .cells = {{"median", "tare", weight_cell}}},
};
/* clang-format on */

static void print_head(const struct table *t)
{
    const char *const names[] = {t->kernel, t->size, t->cells[0].title, t->cells[1].title, t->cells[2].title};
    int n = 0;
    printf("### %s\n\n|", t->title);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] && ++n)
            printf(" %s |", names[i]);
    printf("\n|");
    while (n--)
        printf("---|");
    putchar('\n');
}

static void print_rows(const struct raw_lines *all, const char *label, const struct table *t)
{
    const struct pick part = {.label = label, .part = t->part};
    struct words kernels = {.n = 1}, sizes = {.n = 1};
    if (t->kernel)
        kernels = DIFFERENT(all, &part, kernel);
    if (t->total)
        kernels.items[kernels.n++] = NULL;
    if (t->size)
        sizes = DIFFERENT(all, &part, size);
    if (t->in_order)
        sort_by_number(&sizes);
    for (int i = 0; i < kernels.n * sizes.n; i++) {
        const char *kernel = kernels.items[i / sizes.n], *size = sizes.items[i % sizes.n];
        putchar('|');
        if (t->kernel)
            printf(" %s |", kernel ? kernel : "**all**");
        if (t->size)
            printf(" %s |", size);
        for (int c = 0; c < CELLS_MOST && t->cells[c].put; c++) {
            t->cells[c].put(all, &(struct pick){label, t->part, t->cells[c].tool, kernel, size});
            printf(" |");
        }
        putchar('\n');
    }
}

static void print_label(const struct raw_lines *all, const char *label)
{
    const struct pick p = {.label = label};
    const struct line *first = NULL, *last = NULL;
    int at = 0;
    for (const struct line *l; (l = next(all, &p, &at)); last = l)
        first = first ? first : l;
    printf("## %s\n\n%d lines, %.1f hours from the first to the last.\n\n", label, count(all, &p, NULL),
           (last->unix_s - first->unix_s) / 3600);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const struct table *t = &tables[i];
        if (!count(all, &(struct pick){.label = label, .part = t->part}, NULL))
            continue;
        print_head(t);
        if (t->rows)
            t->rows(all, label);
        else
            print_rows(all, label, t);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    struct raw_lines all;
    if (argc != 2)
        return 2;
    if (!raw_read(argv[1], columns, sizeof columns / sizeof *columns, sizeof(struct line), &all)) {
        fprintf(stderr, "functions_summary: cannot read %s\n", argv[1]);
        return 6;
    }
    const struct pick everything = {NULL, NULL, NULL, NULL, NULL};
    struct words labels = DIFFERENT(&all, &everything, label);
    for (int i = 0; i < labels.n; i++)
        print_label(&all, labels.items[i]);
    printf("Runs:\n\n");
    for (int i = all.n_heads > RAW_HEADS ? all.n_heads - RAW_HEADS : 0; i < all.n_heads; i++)
        printf("- %s\n", all.heads[i % RAW_HEADS]);
    if (all.broken)
        printf("\n%d lines could not be read and are left out.\n", all.broken);
    free(all.items);
    return fflush(stdout) ? 6 : 0;
}
