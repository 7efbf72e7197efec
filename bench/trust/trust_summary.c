/* SPDX-License-Identifier: MIT
 *
 * trust_summary FILE: the raw lines of bench/trust.sh as Markdown tables, one section for each label.
 *
 *     | scenario | tare | hyperfine |
 *     | drift | 2 of 70: 2.9 % [0.3, 9.9] | 31 of 70: 44.3 % [32.4, 56.7] |
 *
 * Shares carry the exact interval of Clopper and Pearson. Nothing is left out for being bad.
 */
#include "raw_lines.h"
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

/* A session of one tool, its columns in the file's head. */
struct trust_line {
    char label[RAW_WORD], scenario[RAW_WORD], tool[RAW_WORD], word[RAW_WORD];
    double block, unix_s, load;
    double size;          /* planted slowdown in per cent */
    double sign;          /* below 0: the first command is the slower one, else the second */
    double expected;      /* ln of the true ratio, second to first; 0 for A/A */
    double ln, low, high; /* what the tool (or Welch's test on its figures) found; NaN: no interval */
    double score;         /* |ln| in half-widths of the interval */
    double n, seconds, decided;
};

#define TEXT(member)   RAW_TEXT(struct trust_line, member)
#define NUMBER(member) RAW_NUMBER(struct trust_line, member)
static const struct raw_column columns[] = {TEXT(label),     TEXT(scenario), NUMBER(block), NUMBER(unix_s),   NUMBER(load),
                                            TEXT(tool),      NUMBER(size),   NUMBER(sign),  NUMBER(expected), TEXT(word),
                                            NUMBER(ln),      NUMBER(low),    NUMBER(high),  NUMBER(score),    NUMBER(n),
                                            NUMBER(seconds), NUMBER(decided)};
#undef TEXT
#undef NUMBER

/* Scenarios first..last-1 of one label; lines of a pool count together. */
struct pool {
    const char *name, *label;
    int first, last;
};

static const struct trust_line *line_at(const struct raw_lines *all, int i)
{
    return (const struct trust_line *)all->items + i;
}

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
    return l->sign < 0 ? -sign : sign;
}

struct counts {
    int n, right, wrong, same, undecided, invalid, covered, intervals;
};

static struct counts count(const struct raw_lines *all, const struct pool *p, const char *tool, double size)
{
    struct counts c = {0};
    for (int i = 0; i < all->n; i++) {
        const struct trust_line *l = line_at(all, i);
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

/* "2 of 70: 2.9 % [0.3, 9.9]" */
static void print_share(int k, int n)
{
    struct tare_interval share;
    if (n < 1 || tare_binomial_ci_clopper_pearson(k, n, .05, &share))
        printf(" |");
    else
        printf(" %d of %d: %.1f %% [%.1f, %.1f] |", k, n, 100 * share.point, 100 * share.low, 100 * share.high);
}

static double quantile(double *x, int n, double q)
{
    tare_sort(x, n);
    return tare_quantile_sorted(x, n, q);
}

/* One cell of a table, with the bar behind it. */
typedef void cell_writer(const struct raw_lines *all, const struct pool *p, const char *tool);

/* A row for each scenario that was run, then for the scripted and the real ones together; a column for each of the first n_tools. */
static void table(const struct raw_lines *all, const char *label, const char *title, int n_tools, cell_writer *cell)
{
    struct pool pools[SCENARIOS + 2];
    int n = 0;
    for (int s = 0; s < SCENARIOS; s++)
        pools[n++] = (struct pool){scenarios[s], label, s, s + 1};
    pools[n++] = (struct pool){"**scripted, without slow**", label, 0, FAST};
    pools[n++] = (struct pool){"**real**", label, FIRST_REAL, SCENARIOS};
    printf("### %s\n\n| scenario |", title);
    for (int t = 0; t < n_tools; t++)
        printf(" %s |", tools[t]);
    printf("\n|---|");
    for (int t = 0; t < n_tools; t++)
        printf("---|");
    putchar('\n');
    for (int i = 0; i < n; i++) {
        if (!count(all, &pools[i], tools[0], -1).n)
            continue;
        printf("| %s |", pools[i].name);
        for (int t = 0; t < n_tools; t++)
            cell(all, &pools[i], tools[t]);
        putchar('\n');
    }
    putchar('\n');
}

static void null_cell(const struct raw_lines *all, const struct pool *p, const char *tool)
{
    struct counts c = count(all, p, tool, 0);
    print_share(c.right + c.wrong, c.n);
}

static void answers_cell(const struct raw_lines *all, const struct pool *p, const char *tool)
{
    struct counts c = count(all, p, tool, 0);
    printf(" %d same, %d undecided, %d false, %d invalid |", c.same, c.undecided, c.right + c.wrong, c.invalid);
}

static void power_cell(const struct raw_lines *all, const struct pool *p, const char *tool)
{
    struct counts c[SIZES];
    int n = 0, wrong = 0;
    for (int i = 0; i < SIZES; i++) {
        c[i] = count(all, p, tool, sizes[i]);
        n += c[i].n;
        wrong += c[i].wrong;
    }
    for (int i = 0; n && i < SIZES; i++) {
        printf("%s", i ? " / " : " ");
        if (c[i].n)
            printf("%.0f", 100.0 * c[i].right / c[i].n);
        else
            putchar('-');
    }
    if (n)
        printf(" %%; %d of %d wrong", wrong, n);
    printf(" |");
}

/* `same` where the true difference is at least the margin of 1 %. */
static void dangerous_cell(const struct raw_lines *all, const struct pool *p, const char *tool)
{
    int n = 0, same = 0;
    for (int i = 0; i < all->n; i++) {
        const struct trust_line *l = line_at(all, i);
        if (!picked(l, p, tool, -1) || fabs(l->expected) < log(1.01) - 1e-6)
            continue;
        n++;
        same += !strcmp(l->word, "same");
    }
    print_share(same, n);
}

static void cover_cell(const struct raw_lines *all, const struct pool *p, const char *tool)
{
    struct counts c = count(all, p, tool, -1);
    print_share(c.covered, c.intervals);
}

static void width_cell(const struct raw_lines *all, const struct pool *p, const char *tool)
{
    double *half = malloc((size_t)all->n * sizeof *half), *off = malloc((size_t)all->n * sizeof *off);
    int n = 0;
    for (int i = 0; half && off && i < all->n; i++) {
        const struct trust_line *l = line_at(all, i);
        if (picked(l, p, tool, -1) && isfinite(l->low) && isfinite(l->high)) {
            half[n] = (l->high - l->low) / 2;
            off[n++] = fabs(l->ln - l->expected);
        }
    }
    if (n) {
        double width = quantile(half, n, .5);
        printf(" ±%.2f %%, off by %.2f %%", 100 * width, 100 * quantile(off, n, .5));
    }
    printf(" |");
    free(half);
    free(off);
}

static void time_cell(const struct raw_lines *all, const struct pool *p, const char *tool)
{
    double *s = malloc((size_t)all->n * sizeof *s);
    for (int i = -1; s && i < SIZES; i++) {
        int n = 0, decided = 0;
        for (int k = 0; k < all->n; k++) {
            const struct trust_line *l = line_at(all, k);
            if (!picked(l, p, tool, i < 0 ? 0 : sizes[i]))
                continue;
            s[n++] = l->seconds;
            decided += claimed(l) || !strcmp(l->word, "same");
        }
        double median = n ? quantile(s, n, .5) : NAN;
        printf("%s", i < 0 ? " " : " / ");
        if (n)
            printf("%.2f, %.2f s (%.0f %%)", median, quantile(s, n, .9), 100.0 * decided / n);
        else
            putchar('-');
    }
    printf(" |");
    free(s);
}

/* Two sessions of one tool on one question, one after the other in time: do their words contradict each other? */
static void contradiction_cell(const struct raw_lines *all, const struct pool *p, const char *tool)
{
    int pairs = 0, opposite = 0;
    for (int s = p->first; s < p->last; s++) {
        struct pool one = {p->name, p->label, s, s + 1};
        for (int i = -1; i < SIZES; i++) {
            const struct trust_line *before = NULL;
            for (int k = 0; k < all->n; k++) {
                const struct trust_line *l = line_at(all, k);
                if (!picked(l, &one, tool, i < 0 ? 0 : sizes[i]))
                    continue;
                pairs += before != NULL;
                opposite += before && claimed(l) * claimed(before) < 0;
                before = l;
            }
        }
    }
    print_share(opposite, pairs);
}

/* How far beyond its threshold a session is, above 1 for a word. An interval of tare need not be symmetric: the end nearer to 0 counts. */
static double score_of(const struct trust_line *l)
{
    if (strcmp(l->tool, "tare"))
        return l->score;
    double score = l->ln > 0 ? l->ln / (l->ln - l->low) : l->ln / (l->ln - l->high);
    return isfinite(score) ? score : 0;
}

/* The score that 1 in 20 of the A/A sessions of this scenario exceeds; NaN with fewer than 20. */
static double fair_threshold(const struct raw_lines *all, const struct pool *one, const char *tool, double *scores)
{
    int n = 0;
    for (int i = 0; i < all->n; i++)
        if (picked(line_at(all, i), one, tool, 0))
            scores[n++] = score_of(line_at(all, i));
    tare_sort(scores, n);
    return n < 20 ? NAN : scores[n - 1 - n / 20];
}

/* What each tool would find if its threshold were moved until 5 % of its A/A sessions had a word, scenario by scenario. */
static void fair_cell(const struct raw_lines *all, const struct pool *p, const char *tool)
{
    double *scores = malloc((size_t)all->n * sizeof *scores), last = NAN;
    int n[SIZES] = {0}, right[SIZES] = {0}, used = 0;
    for (int s = p->first; scores && s < p->last; s++) {
        struct pool one = {p->name, p->label, s, s + 1};
        double threshold = fair_threshold(all, &one, tool, scores);
        if (isnan(threshold))
            continue;
        last = threshold;
        used++;
        for (int k = 0; k < all->n * SIZES; k++) {
            const struct trust_line *l = line_at(all, k / SIZES);
            if (!picked(l, &one, tool, sizes[k % SIZES]))
                continue;
            n[k % SIZES]++;
            right[k % SIZES] += score_of(l) > threshold && l->ln * l->expected > 0;
        }
    }
    free(scores);
    for (int i = 0; i < SIZES && used; i++)
        printf("%s%.0f", i ? " / " : " ", n[i] ? 100.0 * right[i] / n[i] : 0);
    if (used)
        printf(" %%");
    if (used == 1)
        printf(" (at %.2f)", last);
    printf(" |");
}

static void day_of(double unix_s, char out[32])
{
    time_t t = (time_t)unix_s;
    strftime(out, 32, "%Y-%m-%d %H:%M", gmtime(&t));
}

static void heading(const struct raw_lines *all, const char *label)
{
    double *load = malloc((size_t)all->n * sizeof *load), first = INFINITY, last = -INFINITY;
    int n = 0;
    for (int i = 0; load && i < all->n; i++) {
        const struct trust_line *l = line_at(all, i);
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
    char wanted[RAW_WORD + 16];
    snprintf(wanted, sizeof wanted, " label %s;", label);
    for (int i = 0; i < all->n_heads && i < RAW_HEADS; i++)
        if (strstr(all->heads[i], wanted))
            printf("- %s\n", all->heads[i]);
    putchar('\n');
}

/* All worlds of a kind together. */
static void in_short(const struct raw_lines *all, const char *label)
{
    static const struct {
        const char *question;
        cell_writer *cell;
    } rows[] = {{"A/A: false words", null_cell},
                {"0.5 / 1 / 2 / 5 % found with the right sign; wrong signs", power_cell},
                {"the same at 5 % false words for each", fair_cell},
                {"intervals that hold the truth", cover_cell},
                {"half-width, distance from the truth: medians", width_cell},
                {"opposite words in succession", contradiction_cell},
                {"`same` at a difference of 1 % or more", dangerous_cell}};
    const struct pool pools[] = {{"scripted", label, 0, FAST}, {"real", label, FIRST_REAL, SCENARIOS}};
    printf("| worlds | question | %s | %s | %s |\n|---|---|---|---|---|\n", tools[0], tools[1], tools[2]);
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows && count(all, &pools[i], tools[0], -1).n; k++) {
            printf("| %s | %s |", pools[i].name, rows[k].question);
            for (int t = 0; t < 3; t++)
                if (rows[k].cell == dangerous_cell && t > 0)
                    printf(" |");
                else
                    rows[k].cell(all, &pools[i], tools[t]);
            putchar('\n');
        }
    putchar('\n');
}

static void section(const struct raw_lines *all, const char *label)
{
    heading(all, label);
    in_short(all, label);
    table(all, label, "A/A: false words", TOOLS, null_cell);
    table(all, label, "A/A: the answers of tare", 1, answers_cell);
    table(all, label, "Planted slowdowns of 0.5 / 1 / 2 / 5 %: found with the right sign; wrong signs in all", TOOLS, power_cell);
    table(all, label,
          "The same with each threshold moved (1 is the tool's own) until 5 % of the scenario's A/A sessions have a word", TOOLS,
          fair_cell);
    table(all, label, "`same` where the difference is the margin of 1 % or more (no other tool has that word)", 1,
          dangerous_cell);
    table(all, label, "Intervals that hold the truth", TOOLS, cover_cell);
    table(all, label, "Half-width of the interval, and distance of the estimate from the truth: medians", TOOLS, width_cell);
    table(all, label, "Seconds of a session of tare at A/A / 0.5 / 1 / 2 / 5 %: median, p90 (share of sessions with an answer)",
          1, time_cell);
    table(all, label, "Contradictions: two sessions in succession on one question, with opposite words", TOOLS,
          contradiction_cell);
}

static bool new_label(const struct raw_lines *all, int at)
{
    for (int i = 0; i < at; i++)
        if (!strcmp(line_at(all, i)->label, line_at(all, at)->label))
            return false;
    return true;
}

int main(int argc, char **argv)
{
    struct raw_lines all;
    if (argc != 2) {
        fprintf(stderr, "usage: trust_summary FILE\n");
        return 2;
    }
    if (!raw_read(argv[1], columns, sizeof columns / sizeof *columns, sizeof(struct trust_line), &all)) {
        fprintf(stderr, "trust_summary: %s cannot be read\n", argv[1]);
        return 6;
    }
    for (int i = 0; i < all.n; i++)
        if (new_label(&all, i))
            section(&all, line_at(&all, i)->label);
    if (all.broken)
        printf("%d lines were not understood and are left out.\n", all.broken);
    free(all.items);
    return fflush(stdout) || ferror(stdout) ? 6 : 0;
}
