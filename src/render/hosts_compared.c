/* SPDX-License-Identifier: MIT
 *
 * Two hosts side by side, from their records of tare system qualify. Nothing is tested: two sessions at two times on two machines.
 *
 *                             one.jsonl                 other.jsonl
 *     good for                usable, 2.1 % and more    good, 0.4 % and more
 *     CPUs                    2                         16
 */
#include "layout.h"
#include <math.h>
#include <string.h>

static bool is(const struct record *r, int subject, const char *what)
{
    const struct subject *s = &r->subjects[subject];
    const char *found = s->kind == SUBJECT_HOST ? subject_parameter(s, "what") : NULL;
    return found && !strcmp(found, what);
}

/* The first subject of that kind that has a value. */
static const struct estimate *find(const struct record *r, const char *what, const char *metric, const char *statistic)
{
    for (int i = 0; i < r->n_subjects; i++) {
        const struct estimate *e = is(r, i, what) ? record_estimate(r, i, metric, statistic) : NULL;
        if (e && !isnan(e->point))
            return e;
    }
    return NULL;
}

static const struct estimate *of_sessions(const struct record *r, const char *statistic)
{
    const struct estimate *e = r->n_subjects ? record_estimate(r, 0, r->rule.metric, statistic) : NULL;
    return e && !isnan(e->point) ? e : NULL;
}

/* ---- rows: each puts what one record says; nothing where it does not ---- */

static void put_word(struct page *p)
{
    const struct fact *word = facts_find(&p->r->after, "host_verdict"), *least = facts_find(&p->r->after, "host_good_for");
    put_text(p, word && word->text ? word->text : "undecided");
    if (!least || least->text || isnan(least->number))
        return;
    buf_str(&p->piece, ", ");
    figure_share(&p->piece, least->number);
}

static void put_processor(struct page *p)
{
    const struct fact *brand = facts_find(&p->r->machine, "cpu_brand");
    put_text(p, brand && brand->text ? brand->text : "unknown");
}

static void put_hypervisor(struct page *p)
{
    const struct fact *name = facts_find(&p->r->machine, "hypervisor"), *seen = facts_find(&p->r->machine, "virtual_machine");
    put_text(p, name && name->text ? name->text : seen && seen->text && !strcmp(seen->text, "yes") ? "yes" : "not seen");
}

static void put_cpus(struct page *p)
{
    const struct fact *n = facts_find(&p->r->before, "cpus_allowed");
    if (n && !n->text && !isnan(n->number))
        buf_format(&p->piece, "%.0f", n->number);
}

static void put_sharing(struct page *p)
{
    const struct estimate *least = NULL;
    for (int i = 0; i < p->r->n_estimates; i++) {
        const struct estimate *e = &p->r->estimates[i];
        if (!strcmp(e->metric, "sharing") && !isnan(e->point) && (!least || e->point < least->point))
            least = e;
    }
    if (least)
        figure_put(&p->piece, 2 * least->point, 2);
}

static void put_frequency(struct page *p)
{
    const struct estimate *p5 = find(p->r, "jitter", "core_frequency", "p5"),
                          *p95 = find(p->r, "jitter", "core_frequency", "p95");
    if (!p5 || !p95)
        return;
    figure_scaled(&p->piece, "Hz", p5->point, FIGURE_DIGITS);
    buf_str(&p->piece, " to ");
    figure_scaled(&p->piece, "Hz", p95->point, FIGURE_DIGITS);
}

static void put_lost(struct page *p)
{
    const struct estimate *e = find(p->r, "jitter", "lost_share", "mean");
    if (e)
        figure_share(&p->piece, e->point);
}

static void put_gaps(struct page *p)
{
    const struct estimate *e = find(p->r, "jitter", "gaps", "over_10us");
    if (e)
        figure_put(&p->piece, e->point, figure_digits(e->point, FIGURE_DIGITS));
}

static void put_largest(struct page *p)
{
    const struct estimate *e = find(p->r, "jitter", "gap", "max");
    if (!e)
        return;
    figure_scaled(&p->piece, "ns", e->point, 3);
}

static void put_throughput(struct page *p)
{
    const struct estimate *e = find(p->r, "throughput", "throughput", "median");
    if (e)
        figure_scaled(&p->piece, "1/s", e->point, FIGURE_DIGITS);
}

static void put_change(struct page *p)
{
    const struct estimate *e = find(p->r, "throughput", "throughput", "all_change");
    if (!e)
        return;
    figure_signed(&p->piece, 100 * expm1(e->point), 1);
    buf_str(&p->piece, " %");
}

static void put_ours(struct page *p)
{
    const struct estimate *e = find(p->r, "throughput", "cpu_share", "mean");
    if (e)
        figure_share(&p->piece, e->point);
}

static void put_false(struct page *p)
{
    const struct estimate *e = of_sessions(p->r, "aa_false_words");
    if (e)
        buf_format(&p->piece, "%.0f of %d", e->point * e->n, e->n);
}

static void put_detectable(struct page *p)
{
    const struct estimate *e = of_sessions(p->r, "aa_detectable");
    if (e)
        figure_share(&p->piece, e->point);
}

static void put_found(struct page *p)
{
    const struct estimate *e = find(p->r, "planted", "planted", "found"), *size = find(p->r, "planted", "planted", "size");
    if (!e || !size)
        return;
    buf_format(&p->piece, "%.0f of %d, of ", e->point * e->n, e->n);
    figure_share(&p->piece, size->point);
}

static void put_others(struct page *p)
{
    const struct fact *used = facts_find(&p->r->after, "cpu_users_seconds"),
                      *watched = facts_find(&p->r->after, "cpu_watch_seconds");
    if (used && watched && !used->text && !watched->text && used->number / watched->number >= 0)
        buf_format(&p->piece, "%.2f CPUs", used->number / watched->number);
}

static const struct {
    const char *title;
    void (*put)(struct page *p);
} rows[] = {
    {"good for", put_word},
    {"processor", put_processor},
    {"hypervisor", put_hypervisor},
    {"CPUs", put_cpus},
    {"two CPUs do, at the least", put_sharing},
    {"core frequency", put_frequency},
    {"time lost in gaps", put_lost},
    {"gaps of 10 us and more, a second", put_gaps},
    {"largest gap", put_largest},
    {"multiplies of one CPU, all busy", put_throughput},
    {"throughput, last quarter against first", put_change},
    {"time that busy CPUs were ours", put_ours},
    {"false words", put_false},
    {"one session shows", put_detectable},
    {"planted differences found", put_found},
    {"other programs used meanwhile", put_others},
};

struct host_row {
    const struct record *records[2];
    size_t i;
};

static void title_cell(struct page *p, const void *row)
{
    buf_str(&p->piece, rows[((const struct host_row *)row)->i].title);
}

static void put_side(struct page *p, const struct host_row *x, int side)
{
    p->r = x->records[side];
    rows[x->i].put(p);
    if (!p->piece.len)
        buf_str(&p->piece, "-");
}

static void one_cell(struct page *p, const void *row)
{
    put_side(p, row, 0);
}

static void other_cell(struct page *p, const void *row)
{
    put_side(p, row, 1);
}

void render_hosts(const struct record *one, const struct record *other, const char *const names[2],
                  const struct render_options *o, struct buf *out)
{
    struct page p = page_over(one, o, out);
    const struct table_column columns[] = {
        {"", SIDE_LEFT, 0, title_cell}, {names[0], SIDE_LEFT, 0, one_cell}, {names[1], SIDE_LEFT, 0, other_cell}};
    struct table t;
    table_begin(&t, columns, 3);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        table_row(&p, &t, &(struct host_row){{one, other}, i});
    table_end(&p, &t, 0);
    p.r = one;
    page_finish(&p);
}
