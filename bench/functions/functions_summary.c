/* SPDX-License-Identifier: MIT
 *
 * functions_summary FILE: the raw lines of bench/functions.sh as Markdown tables, one section for each label.
 *
 *     | cycles | tare, cycles | tare, ns | google/benchmark |
 *     | 3 | 1.000 [0.999, 1.001], holds 19 of 20: 95.0 % [75.1, 99.9] | 1.003 [0.98, 1.02] ... | 1.01 [0.97, 1.05] |
 *
 * Shares carry the exact interval of Clopper and Pearson. Nothing is left out for being bad.
 */
#include "functions_lines.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

enum { WORDS_MOST = 64 };

/* ---- picking lines ---- */

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

static const struct line *next(const struct lines *all, const struct pick *p, int *at)
{
    while (*at < all->n)
        if (picked(&all->items[(*at)++], p))
            return &all->items[*at - 1];
    return NULL;
}

static int count(const struct lines *all, const struct pick *p, const char *word)
{
    int n = 0, at = 0;
    for (const struct line *l; (l = next(all, p, &at));)
        n += fits(word, l->word);
    return n;
}

/* The different values of one column, in the order of their first lines. */
struct words {
    const char *items[WORDS_MOST];
    int n;
};

static struct words different(const struct lines *all, const struct pick *p, size_t offset)
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

static double *figures(const struct lines *all, const struct pick *p, figure *of, int *n)
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

static double quantile_of(const struct lines *all, const struct pick *p, figure *of, double q)
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

/* ---- text ---- */

static void print_share(int k, int n)
{
    struct tare_interval share;
    if (n >= 1 && !tare_binomial_ci_clopper_pearson(k, n, .05, &share))
        printf("%d of %d: %.1f %% [%.1f, %.1f]", k, n, 100 * share.point, 100 * share.low, 100 * share.high);
}

static void head(const char *title, const char *const *columns, int n)
{
    printf("### %s\n\n|", title);
    for (int i = 0; i < n; i++)
        printf(" %s |", columns[i]);
    printf("\n|");
    for (int i = 0; i < n; i++)
        printf("---|");
    putchar('\n');
}

#define HEAD(title, ...) \
    head(title, (const char *const[]){__VA_ARGS__}, (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

static bool any(const struct lines *all, const char *label, const char *part)
{
    return count(all, &(struct pick){.label = label, .part = part}, NULL) > 0;
}

/* ---- known chains ---- */

static bool covers(const struct line *l)
{
    return l->low <= l->truth && l->truth <= l->high;
}

static void chain_cell(const struct lines *all, const struct pick *p, bool interval)
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
    if (n && interval) {
        printf("; ");
        print_share(held, with);
        printf("; %.3f %%", 100 * quantile_of(all, p, half_width, .5));
    }
    printf(" |");
}

static void chains(const struct lines *all, const char *label)
{
    struct pick part = {.label = label, .part = "chains"};
    struct words lengths = DIFFERENT(all, &part, size);
    HEAD("Known chains: reported / true", "cycles",
         "tare, cycles: median, range; interval holds the truth; its median half-width", "tare, ns: the same",
         "google/benchmark: median, range");
    sort_by_number(&lengths);
    for (int i = 0; i < lengths.n; i++) {
        printf("| %s |", lengths.items[i]);
        chain_cell(all, &(struct pick){label, "chains", "tare_cycles", NULL, lengths.items[i]}, true);
        chain_cell(all, &(struct pick){label, "chains", "tare_ns", NULL, lengths.items[i]}, true);
        chain_cell(all, &(struct pick){label, "chains", "google", NULL, lengths.items[i]}, false);
        putchar('\n');
    }
    putchar('\n');
}

/* ---- a program against itself ---- */

static void words_cell(const struct lines *all, const struct pick *p)
{
    int n = count(all, p, NULL);
    putchar(' ');
    print_share(count(all, p, "faster") + count(all, p, "slower"), n);
    if (n && strcmp(p->tool, "google") != 0)
        printf("; %d same, %d undecided", count(all, p, "same"), count(all, p, "undecided"));
    printf(" |");
}

static void against_itself(const struct lines *all, const char *label)
{
    struct pick part = {.label = label, .part = "aa"};
    struct words kernels = DIFFERENT(all, &part, kernel);
    HEAD("A program against itself: false words", "kernel", "tare", "google/benchmark, ten repetitions after ten, Mann-Whitney");
    for (int i = 0; i <= kernels.n; i++) {
        const char *kernel = i < kernels.n ? kernels.items[i] : NULL;
        printf("| %s |", kernel ? kernel : "**all**");
        words_cell(all, &(struct pick){label, "aa", "tare", kernel, NULL});
        words_cell(all, &(struct pick){label, "aa", "google", kernel, NULL});
        putchar('\n');
    }
    putchar('\n');
}

/* ---- the same figure again ---- */

static void spread_cell(const struct lines *all, const struct pick *p)
{
    int n = count(all, p, NULL);
    if (n >= 4) {
        double median = quantile_of(all, p, value_of, .5),
               iqr = quantile_of(all, p, value_of, .75) - quantile_of(all, p, value_of, .25);
        printf(" %.2f %%, %.2f, n %d", 100 * iqr / median, quantile_of(all, p, value_of, 1) / quantile_of(all, p, value_of, 0),
               n);
    }
    printf(" |");
}

static void spread(const struct lines *all, const char *label)
{
    struct pick part = {.label = label, .part = "spread"};
    struct words kernels = DIFFERENT(all, &part, kernel), budgets = DIFFERENT(all, &part, size);
    sort_by_number(&budgets);
    HEAD("The same figure again: interquartile range in % of the median, largest / smallest", "kernel", "wall time, s",
         "tare, cycles", "tare, ns", "google/benchmark");
    for (int k = 0; k < kernels.n; k++)
        for (int b = 0; b < budgets.n; b++) {
            printf("| %s | %s |", kernels.items[k], budgets.items[b]);
            spread_cell(all, &(struct pick){label, "spread", "tare_cycles", kernels.items[k], budgets.items[b]});
            spread_cell(all, &(struct pick){label, "spread", "tare_ns", kernels.items[k], budgets.items[b]});
            spread_cell(all, &(struct pick){label, "spread", "google", kernels.items[k], budgets.items[b]});
            putchar('\n');
        }
    putchar('\n');
}

static int within_a_percent(const struct lines *all, const struct pick *p, double reference)
{
    int at = 0, n = 0;
    for (const struct line *l; (l = next(all, p, &at));)
        n += fabs(l->value / reference - 1) <= 0.01;
    return n;
}

/* Of the budgets, ascending: the first at which 95 % of the figures are within 1 % of the median of all that this tool said. */
static void cpu_cell(const struct lines *all, struct pick p, const struct words *budgets)
{
    double reference = quantile_of(all, &p, value_of, .5);
    for (int i = 0; i < budgets->n; i++) {
        p.size = budgets->items[i];
        int n = count(all, &p, NULL), good = within_a_percent(all, &p, reference);
        if (n < 4 || good < 0.95 * n)
            continue;
        printf(" %.2f s (%d of %d) |", quantile_of(all, &p, cpu_of, .5), good, n);
        return;
    }
    p.size = budgets->n ? budgets->items[budgets->n - 1] : NULL;
    int n = count(all, &p, NULL);
    if (n)
        printf(" not in %.1f s (%d of %d)", quantile_of(all, &p, cpu_of, .5), within_a_percent(all, &p, reference), n);
    printf(" |");
}

static void cpu_to_precision(const struct lines *all, const char *label)
{
    struct pick part = {.label = label, .part = "spread"};
    struct words kernels = DIFFERENT(all, &part, kernel), budgets = DIFFERENT(all, &part, size);
    sort_by_number(&budgets);
    HEAD("CPU time until 95 % of the figures are within 1 % of what the tool says in the long run", "kernel", "tare, cycles",
         "tare, ns", "google/benchmark");
    for (int k = 0; k < kernels.n; k++) {
        printf("| %s |", kernels.items[k]);
        cpu_cell(all, (struct pick){label, "spread", "tare_cycles", kernels.items[k], NULL}, &budgets);
        cpu_cell(all, (struct pick){label, "spread", "tare_ns", kernels.items[k], NULL}, &budgets);
        cpu_cell(all, (struct pick){label, "spread", "google", kernels.items[k], NULL}, &budgets);
        putchar('\n');
    }
    putchar('\n');
}

/* ---- a planted difference ---- */

static int claimed(const struct line *l)
{
    int sign = !strcmp(l->word, "slower") ? 1 : !strcmp(l->word, "faster") ? -1 : 0;
    return l->truth > 1 ? sign : -sign;
}

static void planted_cell(const struct lines *all, const struct pick *p)
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
    if (n && strcmp(p->tool, "google") != 0)
        printf("; interval holds it %d; %.1f s", held, quantile_of(all, p, seconds_of, .5));
    printf(" |");
}

static void planted(const struct lines *all, const char *label)
{
    struct pick part = {.label = label, .part = "planted"};
    struct words kernels = DIFFERENT(all, &part, kernel), sizes = DIFFERENT(all, &part, size);
    sort_by_number(&sizes);
    HEAD("A planted difference: found", "kernel", "planted, %", "tare by cycles", "tare by ns",
         "google/benchmark, the wall time of tare");
    for (int k = 0; k < kernels.n; k++)
        for (int s = 0; s < sizes.n; s++) {
            printf("| %s | %s |", kernels.items[k], sizes.items[s]);
            planted_cell(all, &(struct pick){label, "planted", "tare_cycles", kernels.items[k], sizes.items[s]});
            planted_cell(all, &(struct pick){label, "planted", "tare_ns", kernels.items[k], sizes.items[s]});
            planted_cell(all, &(struct pick){label, "planted", "google", kernels.items[k], sizes.items[s]});
            putchar('\n');
        }
    putchar('\n');
}

/* ---- fresh inputs, load, invented worlds ---- */

static void bias_cell(const struct lines *all, const struct pick *p)
{
    int n = count(all, p, NULL);
    if (n)
        printf(" %+.1f ns, %+.2f %%, n %d", quantile_of(all, p, beyond_truth, .5),
               100 * (quantile_of(all, p, against_truth, .5) - 1), n);
    printf(" |");
}

static void fresh_inputs(const struct lines *all, const char *label)
{
    struct pick part = {.label = label, .part = "each"};
    struct words sizes = DIFFERENT(all, &part, size);
    sort_by_number(&sizes);
    HEAD("Sorting fresh input: beyond (copy and sort) - (copy) in long loops", "ints", "tare, TARE_EACH",
         "google/benchmark, PauseTiming");
    for (int s = 0; s < sizes.n; s++) {
        printf("| %s |", sizes.items[s]);
        bias_cell(all, &(struct pick){label, "each", "tare", NULL, sizes.items[s]});
        bias_cell(all, &(struct pick){label, "each", "google", NULL, sizes.items[s]});
        putchar('\n');
    }
    putchar('\n');
}

static void load_cell(const struct lines *all, const struct pick *p)
{
    int n = count(all, p, NULL);
    if (n)
        printf(" %+.2f %%", 100 * (quantile_of(all, p, against_truth, .5) - 1));
    if (n && strcmp(p->tool, "google") != 0)
        printf(", findings in %d of %d", n - count(all, p, "none"), n);
    printf(" |");
}

static void under_load(const struct lines *all, const char *label)
{
    struct pick part = {.label = label, .part = "load"};
    struct words kernels = DIFFERENT(all, &part, kernel), kinds = DIFFERENT(all, &part, size);
    HEAD("While others compute: median shift of the figure", "kernel", "load", "tare, cycles", "tare, ns", "google/benchmark");
    for (int k = 0; k < kernels.n; k++)
        for (int i = 0; i < kinds.n; i++) {
            printf("| %s | %s |", kernels.items[k], kinds.items[i]);
            load_cell(all, &(struct pick){label, "load", "tare_cycles", kernels.items[k], kinds.items[i]});
            load_cell(all, &(struct pick){label, "load", "tare_ns", kernels.items[k], kinds.items[i]});
            load_cell(all, &(struct pick){label, "load", "google", kernels.items[k], kinds.items[i]});
            putchar('\n');
        }
    putchar('\n');
}

static void world_cell(const struct lines *all, const struct pick *p)
{
    int n = count(all, p, NULL);
    if (n) {
        printf(" %+.2f %%, ", 100 * (quantile_of(all, p, against_truth, .5) - 1));
        print_share(n - count(all, p, "steady") - count(all, p, "single"), n);
    }
    printf(" |");
}

static void invented(const struct lines *all, const char *label)
{
    struct pick part = {.label = label, .part = "worlds"};
    struct words worlds = DIFFERENT(all, &part, kernel);
    HEAD("Invented times: beyond the long run, and sessions that say so (no steady state, slow-down, modes)", "world", "tare",
         "tare --method georges");
    for (int k = 0; k < worlds.n; k++) {
        printf("| %s |", worlds.items[k]);
        world_cell(all, &(struct pick){label, "worlds", "tare", worlds.items[k], NULL});
        world_cell(all, &(struct pick){label, "worlds", "georges", worlds.items[k], NULL});
        putchar('\n');
    }
    putchar('\n');
}

/* ---- optimisers ---- */

static void traps_cell(const struct lines *all, const struct pick *p)
{
    int n = count(all, p, NULL), silent = count(all, p, "silent");
    if (n)
        printf(" %d of %d; %d with a word", silent, n, count(all, p, "optimised-away") + count(all, p, "remark"));
    printf(" |");
}

static void traps(const struct lines *all, const char *label)
{
    struct pick part = {.label = label, .part = "traps"};
    struct words builds = DIFFERENT(all, &part, size);
    HEAD("What optimisers do: wrong figures without a word", "compiler", "tare", "google/benchmark");
    for (int b = 0; b < builds.n; b++) {
        printf("| %s |", builds.items[b]);
        traps_cell(all, &(struct pick){label, "traps", "tare", NULL, builds.items[b]});
        traps_cell(all, &(struct pick){label, "traps", "google", NULL, builds.items[b]});
        putchar('\n');
    }
    putchar('\n');
}

/* ---- weights ---- */

/* ---- the guard ---- */

static void guard_row(const struct lines *all, const struct pick *p)
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

static void guard(const struct lines *all, const char *label)
{
    struct pick p = {.label = label, .part = "guard"};
    const struct words tools = DIFFERENT(all, &p, tool), sizes = DIFFERENT(all, &p, size), kernels = DIFFERENT(all, &p, kernel);
    HEAD("Code that does its work, one process each", "program", "beside it", "benchmark", "OPTIMISED-AWAY (false)",
         "with core cycles");
    for (int i = 0; i < tools.n * sizes.n; i++) {
        p = (struct pick){label, "guard", tools.items[i / sizes.n], NULL, sizes.items[i % sizes.n]};
        guard_row(all, &p);
        for (int k = 0; k < kernels.n; k++) {
            p.kernel = kernels.items[k];
            if (count(all, &p, "optimised-away"))
                guard_row(all, &p);
        }
    }
    putchar('\n');
}

/* ---- memory ---- */

static void memory(const struct lines *all, const char *label)
{
    struct pick part = {.label = label, .part = "memory"};
    struct words kinds = DIFFERENT(all, &part, kernel), sizes = DIFFERENT(all, &part, size);
    HEAD("Memory: pages said beyond those touched, smallest to largest", "kind", "pages", "tare --profile memory");
    for (int k = 0; k < kinds.n; k++)
        for (int s = 0; s < sizes.n; s++) {
            const struct pick p = {label, "memory", "tare", kinds.items[k], sizes.items[s]};
            printf("| %s | %s | %+g to %+g |\n", kinds.items[k], sizes.items[s], quantile_of(all, &p, beyond_truth, 0),
                   quantile_of(all, &p, beyond_truth, 1));
        }
    putchar('\n');
}

static void weight(const struct lines *all, const char *label)
{
    struct pick part = {.label = label, .part = "weight"};
    struct words kinds = DIFFERENT(all, &part, kernel);
    HEAD("What it weighs", "what", "median");
    for (int k = 0; k < kinds.n; k++) {
        const struct pick p = {label, "weight", "tare", kinds.items[k], NULL};
        printf("| %s | %g |\n", kinds.items[k], quantile_of(all, &p, value_of, .5));
    }
    putchar('\n');
}

/* ---- the page ---- */

static const struct {
    const char *part;
    void (*print)(const struct lines *all, const char *label);
} tables[] = {{"chains", chains},   {"aa", against_itself}, {"spread", spread},   {"spread", cpu_to_precision},
              {"planted", planted}, {"each", fresh_inputs}, {"load", under_load}, {"worlds", invented},
              {"traps", traps},     {"guard", guard},       {"memory", memory},   {"weight", weight}};

static void print_label(const struct lines *all, const char *label)
{
    const struct pick p = {.label = label};
    const struct line *first = NULL, *last = NULL;
    int at = 0;
    for (const struct line *l; (l = next(all, &p, &at)); last = l)
        first = first ? first : l;
    printf("## %s\n\n%d lines, %.1f hours from the first to the last.\n\n", label, count(all, &p, NULL),
           (last->unix_s - first->unix_s) / 3600);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (any(all, label, tables[i].part))
            tables[i].print(all, label);
}

int main(int argc, char **argv)
{
    struct lines all;
    if (argc != 2)
        return 2;
    if (!lines_read(argv[1], &all)) {
        fprintf(stderr, "functions_summary: cannot read %s\n", argv[1]);
        return 6;
    }
    const struct pick everything = {NULL, NULL, NULL, NULL, NULL};
    struct words labels = DIFFERENT(&all, &everything, label);
    for (int i = 0; i < labels.n; i++)
        print_label(&all, labels.items[i]);
    printf("Runs:\n\n");
    for (int i = all.file.n_heads > RAW_HEADS ? all.file.n_heads - RAW_HEADS : 0; i < all.file.n_heads; i++)
        printf("- %s\n", all.file.heads[i % RAW_HEADS]);
    if (all.file.broken)
        printf("\n%d lines could not be read and are left out.\n", all.file.broken);
    lines_finish(&all);
    return fflush(stdout) ? 6 : 0;
}
