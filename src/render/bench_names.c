/* SPDX-License-Identifier: MIT
 *
 * Of benchmarks: names, values and counters as their tables and the lines below show them. Benchmarks of two programs or sessions have names that differ
 * in the brackets behind them, their side. */
#include "bench_lines.h"
#include "quote.h"
#include <string.h>

static size_t opening_bracket(const char *name, size_t n)
{
    int depth = 0;
    for (size_t i = n; i-- > 0;) {
        depth += name[i] == ')';
        depth -= name[i] == '(';
        if (!depth)
            return i;
    }
    return n;
}

/* Behind the name that the program gave it, which may end in brackets too; n is 0 where nothing stands there. */
struct side benchmark_side(const struct subject *s)
{
    const size_t n = strlen(s->name), own = s->benchmark ? strlen(s->benchmark) : n;
    if (n < own + 4 || s->name[n - 1] != ')')
        return (struct side){"", 0};
    const size_t open = opening_bracket(s->name, n);
    return open > own && open < n ? (struct side){s->name + open + 1, n - open - 2} : (struct side){"", 0};
}

/* Bytes of the name before the side: "add". */
static size_t benchmark_base(const struct subject *s)
{
    const struct side side = benchmark_side(s);
    return side.n ? (size_t)(side.label - s->name) - 2 : strlen(s->name);
}

static struct side file_of(struct side a)
{
    size_t begin = a.n;
    while (begin && a.label[begin - 1] != '/')
        begin--;
    return (struct side){a.label + begin, a.n - begin};
}

/* Of a label that is too long what tells it from the other: the file, "new" of "/some/where/new", or the folder, "build-new" of "./build-new/bench". */
static struct side telling_part(struct side a, struct side b)
{
    const size_t least = a.n < b.n ? a.n : b.n;
    size_t before = 0, after = 0;
    if (!same_side(file_of(a), file_of(b)))
        return file_of(a);
    while (before < least && a.label[before] == b.label[before])
        before++;
    while (after < least - before && a.label[a.n - 1 - after] == b.label[b.n - 1 - after])
        after++;
    while (before && a.label[before - 1] != '/')
        before--;
    while (after && a.label[a.n - after] != '/')
        after--;
    return a.n > before + after ? (struct side){a.label + before, a.n - before - after} : a;
}

void put_side(struct page *p, const struct side sides[2], int which)
{
    const int columns = cutting_width(p) <= 0 ? 24 : p->o->width < 100 ? 10 : p->o->width / 8;
    const bool fits = text_columns(sides[0].label, sides[0].n) <= columns && text_columns(sides[1].label, sides[1].n) <= columns;
    const struct side shown = fits ? sides[which] : telling_part(sides[which], sides[!which]);
    put_name_part(p, shown.label, shown.n, columns);
}

bool comparison_decides(const struct page *p, const struct comparison *c)
{
    return !strcmp(c->metric, p->r->rule.metric);
}

static bool is_pair(const struct record *r, const struct comparison *c)
{
    const struct subject *old = &r->subjects[c->reference], *new = &r->subjects[c->subject];
    const size_t n = benchmark_base(old);
    return benchmark_side(old).n && benchmark_side(new).n && n == benchmark_base(new) && !memcmp(old->name, new->name, n);
}

bool benchmarks_are_pairs(const struct page *p)
{
    int pairs = 0;
    for (int i = 0; i < p->r->n_comparisons; i++)
        if (comparison_decides(p, &p->r->comparisons[i])) {
            if (!is_pair(p->r, &p->r->comparisons[i]))
                return false;
            pairs++;
        }
    return pairs > 0;
}

static const struct comparison *pair_of(const struct page *p, int subject)
{
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const struct comparison *c = &p->r->comparisons[i];
        if ((c->subject == subject || c->reference == subject) && is_pair(p->r, c))
            return c;
    }
    return NULL;
}

static void put_base(const struct page *p, int subject, struct buf *out)
{
    const struct subject *s = &p->r->subjects[subject];
    if (s->kind == SUBJECT_BENCH)
        buf_add(out, s->name, benchmark_base(s));
}

void put_benchmark_base(struct page *p, int subject, int columns)
{
    const struct name_list bases = {p->r->n_subjects, false, put_base, command_number};
    put_listed_name(p, &bases, subject, columns);
}

void put_benchmark_name(struct page *p, int subject, int columns)
{
    const struct subject *s = p->r->subjects;
    const struct comparison *c = pair_of(p, subject);
    if (!c) {
        put_short_name(p, subject, columns);
        return;
    }
    const struct side sides[2] = {benchmark_side(&s[c->reference]), benchmark_side(&s[c->subject])};
    put_benchmark_base(p, subject, columns);
    buf_str(&p->piece, " (");
    put_side(p, sides, subject == c->subject);
    buf_char(&p->piece, ')');
}

const char *benchmark_central(const struct page *p)
{
    return p->r->rule.method == METHOD_GEORGES ? "mean" : "median";
}

bool benchmark_below_resolution(const struct page *p, int subject)
{
    double resolution = record_point(p->r, subject, "ns", "resolution"),
           central = record_point(p->r, subject, "ns", benchmark_central(p));
    return !strcmp(p->r->rule.metric, "ns") && central < resolution;
}

void put_benchmark_failure(struct page *p, int subject)
{
    const struct subject *s = &p->r->subjects[subject];
    const bool says_so = strcmp(subject_given_up(s), "failed") != 0 || !strncmp(s->failure, "failed: ", strlen("failed: "));
    buf_str(&p->piece, says_so ? "" : "failed: ");
    put_text(p, s->failure);
}

/* Names are worth more than the columns behind them, up to two fifths of a line. */
int benchmark_name_columns(const struct page *p)
{
    enum { LEAST = 14, MOST = 60 };
    const int room = p->o->width * 2 / 5;
    return cutting_width(p) <= 0 || room > MOST ? MOST : room < LEAST ? LEAST : room;
}

void put_count_name(struct page *p, const struct count *c)
{
    put_text(p, !strcmp(c->name, COUNT_ALLOCATIONS) ? "allocations" : !strcmp(c->name, COUNT_ALLOCATED) ? "allocated" : c->name);
}

/* "1.2 ns each", "0.25 iterations each" */
static void put_inverted_count(struct page *p, const struct count *c, double value)
{
    if (c->per == COUNT_PER_SECOND) {
        put_time(p, value);
        buf_str(&p->piece, " each");
        return;
    }
    figure_count(&p->piece, value);
    buf_str(&p->piece, c->per == COUNT_PER_ITERATION ? " iterations each" : " for one in all");
}

/* A unit that scales does, a word of the program's own does not. */
void put_count(struct page *p, const struct count *c, double value, bool briefly)
{
    bool scales = !strcmp(c->unit, "ns") || !strcmp(c->unit, "bytes") || !strcmp(c->unit, "Hz");
    if (c->inverted) {
        put_inverted_count(p, c, value);
        return;
    }
    if (scales)
        figure_scaled(&p->piece, c->unit, value, FIGURE_DIGITS);
    else
        figure_count(&p->piece, value);
    if (!scales && *c->unit) {
        buf_char(&p->piece, ' ');
        put_text(p, c->unit);
    }
    buf_str(&p->piece, c->per == COUNT_PER_SECOND      ? "/s"
                       : c->per == COUNT_PER_ITERATION ? briefly ? "" : " per iteration"
                       : c->per == COUNT_TOTAL         ? " in all"
                                                       : "");
}

const struct estimate *benchmark_count(const struct page *p, int subject, const struct count *c)
{
    struct buf name = BUF_INIT(1 << 13);
    buf_format(&name, "count:%s", c->name);
    const struct estimate *e = record_estimate(p->r, subject, "ns", buf_text(&name));
    buf_finish(&name);
    return e;
}

static bool is_among(const struct count_names *names, const struct count *c)
{
    for (int i = 0; i < names->n; i++)
        if (!strcmp(names->count[i]->name, c->name))
            return true;
    return false;
}

struct count_names benchmark_counters(const struct page *p)
{
    struct count_names names = {.n = 0};
    for (int i = 0; i < p->r->n_subjects; i++)
        for (int k = 0; k < p->r->series[i].n_counts && names.n < BENCH_COUNTERS_MAX; k++)
            if (!is_among(&names, &p->r->series[i].counts[k]) && strcmp(p->r->series[i].counts[k].name, p->r->rule.metric) != 0 &&
                benchmark_count(p, i, &p->r->series[i].counts[k]))
                names.count[names.n++] = &p->r->series[i].counts[k];
    return names;
}
