/* SPDX-License-Identifier: MIT
 *
 * Benchmarks of two programs, or of two sessions: a row for each pair.
 *
 *       benchmark      ./old     ./new   change (95 % CI)
 *       hash/n:64    1.54 ns   1.56 ns   +1.0 % (−0.8 to +2.6)     undecided
 *       hash/n:1024  1.63 ns   1.21 ns   1.34× faster (1.31–1.38)
 *
 * Whose a benchmark is stands in brackets behind its name: "hash/n:64 (./new)".
 */
#include "bench_lines.h"
#include <string.h>

struct pair_row {
    int old, new; /* subjects; -1: the benchmark is not there */
    const struct table *t;
    int name_columns;
    bool brief; /* an open verdict has no room for its figures */
    struct side sides[2];
    const struct comparison *c; /* NULL: one of them is missing */
};

static void name_cell(struct page *p, const void *row)
{
    const struct pair_row *x = row;
    put_benchmark_base(p, x->old >= 0 ? x->old : x->new, x->name_columns);
}

static void side_cell(struct page *p, const void *row)
{
    const struct pair_row *x = row;
    const int subject = p->cell == x->t->columns + 1 ? x->old : x->new;
    if (subject >= 0 && !p->r->subjects[subject].failure && !put_multiple_of_anchor(p, x->c, subject))
        put_benchmark_value(p, subject);
}

/* "failed: was ended by SIGSEGV in process 4", with whose it is where that is one of them. */
static bool put_failure(struct page *p, const struct pair_row *x)
{
    const char *failure[2] = {x->old >= 0 ? p->r->subjects[x->old].failure : NULL,
                              x->new >= 0 ? p->r->subjects[x->new].failure : NULL};
    const int which = failure[0] ? 0 : 1;
    if (!failure[which])
        return false;
    if (!failure[!which] || strcmp(failure[0], failure[1])) {
        put_side(p, x->sides, which);
        buf_char(&p->piece, ' ');
    }
    put_benchmark_failure(p, which ? x->new : x->old);
    return true;
}

static void change_cell(struct page *p, const void *row)
{
    const struct pair_row *x = row;
    if (put_failure(p, x)) {
        p->rest = true;
    } else if (x->old >= 0 && x->new >= 0) {
        (x->brief ? brief_effect_cell : effect_cell)(p, x->c);
    } else {
        buf_str(&p->piece, "only in ");
        put_side(p, x->sides, x->old < 0);
    }
}

static void verdict_word_cell(struct page *p, const void *row)
{
    verdict_cell(p, ((const struct pair_row *)row)->c);
}

/* Of two benchmarks that failed there may be no comparison. */
static bool belongs_to(const struct page *p, int subject, int reference)
{
    const struct subject *s = &p->r->subjects[subject];
    const struct comparison *c = record_comparison(p->r, subject, p->r->rule.metric);
    return s->kind == SUBJECT_BENCH && (c ? c->reference : s->reference) == reference;
}

static int other_with(const struct page *p, int reference, struct side new)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        if (belongs_to(p, i, reference) && same_side(benchmark_side(&p->r->subjects[i]), new))
            return i;
    return -1;
}

static bool has_other(const struct page *p, int subject)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        if (belongs_to(p, i, subject) || (i != subject && belongs_to(p, subject, i)))
            return true;
    return false;
}

/* What one side alone has stands in the first table of that side. */
static void add_row(struct page *p, struct table *t, struct pair_row x, int subject, bool first)
{
    const struct side side = benchmark_side(&p->r->subjects[subject]);
    const bool old = same_side(side, x.sides[0]), new = same_side(side, x.sides[1]);
    const int other = old ? other_with(p, subject, x.sides[1]) : -1;
    x.t = t;
    x.old = old ? subject : -1;
    x.new = other >= 0 ? other : new ? subject : -1;
    x.c = other >= 0 ? record_comparison(p->r, other, p->r->rule.metric) : NULL;
    if (other >= 0 || ((new || (old && first)) && !has_other(p, subject)))
        table_row(p, t, &x);
}

static void no_cell(struct page *p, const void *row)
{
    (void)p, (void)row;
}

static void fill_sides(struct page *p, struct table *t, const struct pair_row *x, bool first)
{
    table_begin(t, NULL, 0);
    table_column(t, (struct table_column){"benchmark", SIDE_LEFT, 0, name_cell});
    for (int i = 0; i < 2; i++) {
        put_side(p, x->sides, i);
        table_titled(p, t, SIDE_RIGHT, 1 + i, side_cell);
    }
    table_column(t, (struct table_column){interval_title(p, t, "change (", ")"), SIDE_LEFT, 0, change_cell});
    table_column(
        t, (struct table_column){"", SIDE_LEFT, TABLE_KEPT, x->brief ? no_cell : verdict_word_cell}); /* failures go on over it */
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].kind == SUBJECT_BENCH)
            add_row(p, t, *x, i, first);
}

static bool has_table(const struct page *p, int index)
{
    const struct subject *s = p->r->subjects;
    const struct comparison *c = p->r->comparisons;
    for (int i = 0; i < index; i++)
        if (comparison_decides(p, &c[i]) &&
            same_side(benchmark_side(&s[c[i].reference]), benchmark_side(&s[c[index].reference])) &&
            same_side(benchmark_side(&s[c[i].subject]), benchmark_side(&s[c[index].subject])))
            return true;
    return false;
}

void render_benchmark_pairs(struct page *p)
{
    bool first = true;
    for (int i = 0; i < p->r->n_comparisons; i++)
        if (comparison_decides(p, &p->r->comparisons[i]) && !has_table(p, i)) {
            struct pair_row x = {.name_columns = benchmark_name_columns(p),
                                 .sides = {benchmark_side(&p->r->subjects[p->r->comparisons[i].reference]),
                                           benchmark_side(&p->r->subjects[p->r->comparisons[i].subject])}};
            struct table t;
            if (!first)
                blank_line(p);
            fill_sides(p, &t, &x, first);
            if (p->o->width > 0 && table_room(p, &t, 2) < 0) {
                table_drop(&t);
                x.brief = true;
                fill_sides(p, &t, &x, first);
            }
            table_end(p, &t, 2);
            first = false;
        }
}
