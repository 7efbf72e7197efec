/* SPDX-License-Identifier: MIT
 *
 * Checks of one comparison: where its runs took place, and where the programs lie in memory.
 *
 * CPU placement: do pairs whose runs were on different CPUs, or moved between them, scatter more than pairs that had one CPU for
 * both? Deviations of ln(ratio) from the median of their own group, compared by the rank sum: Brown and Forsythe's (1974) idea with ranks
 * in place of means, since times have far tails. One-sided at a level of .01, with at least 10 pairs on each side; told from a ratio of
 * 1.5 and a scatter of half a percent on.
 */
#include "finding.h"
#include "record_arcs.h"
#include <math.h>
#include <string.h>
#include <tare/stats.h>

enum { PAIRS_LEAST = 10 };
static const double PLACEMENT_LEVEL = 0.01, RATIO_LEAST = 1.5, SCATTER_LEAST = 0.005, MAD_TO_SD = 1.482602218505602;

/* The CPU that a run stayed on; NaN: it moved, or nobody knows. *known: somebody does. */
static double cpu_of(const struct series *s, int row, bool *known)
{
    const double *first = series_values(s, "first_cpu"), *last = series_values(s, "last_cpu");
    *known = first && last && !isnan(first[row]) && !isnan(last[row]);
    return *known && first[row] == last[row] ? first[row] : NAN;
}

struct scatter {
    double *deviations;
    int n;
    double sd;
};

static void scatter_of(struct scatter *s, double *scratch)
{
    memcpy(scratch, s->deviations, (size_t)s->n * sizeof *scratch);
    tare_sort(scratch, s->n);
    double median = tare_quantile_sorted(scratch, s->n, 0.5);
    s->sd = MAD_TO_SD * tare_mad(s->deviations, s->n, scratch);
    for (int i = 0; i < s->n; i++)
        s->deviations[i] = fabs(s->deviations[i] - median);
}

/* Sorts the pairs into those on one CPU and the others. */
static void split_pairs(const struct check *c, const struct paired_sample *p, int n, struct scatter *shared,
                        struct scatter *apart)
{
    for (int i = 0; i < n; i++) {
        bool known[2];
        double a = cpu_of(&c->r->series[p->reference.subject], i, &known[0]),
               b = cpu_of(&c->r->series[p->subject.subject], i, &known[1]);
        struct scatter *s = a == b ? shared : apart; /* NaN equals nothing */
        if (known[0] && known[1])
            s->deviations[s->n++] = log(p->subject.values[i] / p->reference.values[i]);
    }
}

static bool may_be_pinned(const struct check *c, const struct paired_sample *p)
{
    return !finding_several_threads(c, p->reference.subject) && !finding_several_threads(c, p->subject.subject);
}

static void check_placement(struct check *c, const struct paired_sample *p)
{
    int n = p->reference.n < p->subject.n ? p->reference.n : p->subject.n;
    struct scatter shared = {.deviations = c->scratch}, apart = {.deviations = c->scratch + n};
    struct tare_rank_sum t;
    if (c->facts->pinned || p->comparison->kind == METRIC_COUNT)
        return;
    split_pairs(c, p, n, &shared, &apart);
    if (shared.n < PAIRS_LEAST || apart.n < PAIRS_LEAST)
        return;
    scatter_of(&shared, c->scratch + 2 * n);
    scatter_of(&apart, c->scratch + 2 * n);
    tare_rank_sum_test(apart.deviations, apart.n, shared.deviations, shared.n, c->scratch + 2 * n, &t);
    if (!(t.z > 0 && t.p / 2 < PLACEMENT_LEVEL) || !(apart.sd > RATIO_LEAST * shared.sd) || !(apart.sd > SCATTER_LEAST))
        return;
    finding_add(c, "cpu_placement", SEVERITY_NOTE, p->comparison->subject, 100 * (apart.sd - shared.sd),
                may_be_pinned(c, p) ? "use --same-cpu" : "use more rounds", "pairs scatter by %s on different CPUs, by %s on one",
                finding_share(c, expm1(apart.sd)), finding_share(c, expm1(shared.sd)));
    finding_detail(c, "%d and %d pairs, rank sum %s. %s", apart.n, shared.n, finding_p(c, t.p / 2),
                   may_be_pinned(c, p) ? "On one CPU fewer rounds decide."
                                       : "A program with threads or children needs several CPUs.");
}

struct fact_key { /* "program_2_path" */
    char at[64];
};

static struct fact_key program_key(const struct record *r, int subject, const char *what)
{
    struct fact_key key;
    int number = 0;
    for (int i = 0; i <= subject; i++)
        number += subject_measured(&r->subjects[i]);
    buf_print(key.at, sizeof key.at, "program_%d_%s", number, what);
    return key;
}

/* What the record knows about the program file of a command ("path", "fnv1a64"); NULL: nothing. */
static const char *program_fact(const struct record *r, int subject, const char *what)
{
    return facts_text(&r->build, program_key(r, subject, what).at);
}

/* NaN: not known. */
static double program_bytes(const struct record *r, int subject)
{
    return facts_number(&r->build, program_key(r, subject, "bytes").at);
}

static bool differ(const struct record *r, int a, int b, const char *what)
{
    const char *x = program_fact(r, a, what), *y = program_fact(r, b, what);
    return x && y && strcmp(x, y);
}

/* Files of one name in two places and, as far as their hashes are known, of different content: two builds of one program. Programs
 * of other names differ in more than their layout. */
static bool two_builds(const struct record *r, int a, int b)
{
    const char *x = program_fact(r, a, "path"), *y = program_fact(r, b, "path");
    if (r->subjects[a].shell || r->subjects[b].shell || !x || !y || !strcmp(x, y) || strcmp(point_base(x), point_base(y)))
        return false;
    bool hashed = program_fact(r, a, "fnv1a64") && program_fact(r, b, "fnv1a64");
    return !hashed || differ(r, a, b, "fnv1a64");
}

static void check_layout(struct check *c, const struct paired_sample *p)
{
    const struct comparison *k = p->comparison;
    if (k->kind != METRIC_TIME || !two_builds(c->r, k->reference, k->subject))
        return;
    bool small = k->sign_proven && fabs(k->shift) < 0.05;
    finding_add(c, "layout", SEVERITY_NOTE, k->subject, small ? 2 : 0.1, "compare several builds that differ in link order",
                "another memory layout alone can change times by a few percent");
    finding_detail(c, "These are two builds of a program, with code and data at different addresses.");
}

static bool is_same_file(const struct record *r, int a, int b)
{
    const char *x = program_fact(r, a, "fnv1a64"), *y = program_fact(r, b, "fnv1a64");
    const struct subject *one = &r->subjects[a], *other = &r->subjects[b];
    return one->kind == SUBJECT_BENCH && one->program && other->program && strcmp(one->program, other->program) && x && y &&
           !strcmp(x, y) && program_bytes(r, a) == program_bytes(r, b);
}

/* Of the first pair alone: it is one of programs, not of benchmarks. */
static void check_same_program(struct check *c)
{
    for (int i = 0; i < c->r->n_comparisons && !c->r->rule.against_itself; i++) {
        const struct comparison *k = &c->r->comparisons[i];
        if (!is_same_file(c->r, k->reference, k->subject))
            continue;
        finding_add(c, "same_program", SEVERITY_NOTE, -1, 3, "check that both were built from what is to be compared",
                    "%s and %s have the same bytes", c->r->subjects[k->reference].program, c->r->subjects[k->subject].program);
        return;
    }
}

const struct check_test placement_tests[] = {{.ids = "cpu_placement", .pair = check_placement},
                                             {.ids = "layout", .pair = check_layout},
                                             {.ids = "same_program", .session = check_same_program},
                                             {0}};
