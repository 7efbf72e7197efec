/* SPDX-License-Identifier: MIT
 *
 * Two hosts side by side, from their records of tare system qualify. No difference is tested: two sessions at two times on two machines.
 *
 *                                     one.jsonl  other.jsonl
 *     verdict                         usable     good
 *     90 % power for a difference of  2.1 %      0.4 %
 */
#include "layout.h"
#include <math.h>
#include <string.h>

/* The first subject of that kind that has a value. */
static const struct estimate *find_estimate(const struct record *r, const char *what, const char *metric, const char *statistic)
{
    for (int i = 0; i < r->n_subjects; i++) {
        const struct estimate *e = record_is_host_part(r, i, what) ? record_estimate(r, i, metric, statistic) : NULL;
        if (e && !isnan(e->point))
            return e;
    }
    return NULL;
}

/* Rows: each puts what one record says; nothing where it does not. */

static void put_verdict_of(struct page *p)
{
    const char *verdict = facts_text(&p->r->after, "host_verdict");
    put_text(p, verdict ? verdict : "undecided");
}

/* Rounded up, as the verdict has it. */
static void put_detectable(struct page *p)
{
    const double least = facts_number(&p->r->after, "host_good_for");
    if (!isnan(least))
        figure_share(&p->piece, least);
}

static void put_processor(struct page *p)
{
    const char *brand = facts_text(&p->r->machine, "cpu_brand");
    put_text(p, brand ? brand : "unknown");
}

static void put_hypervisor(struct page *p)
{
    const char *name = facts_text(&p->r->machine, "hypervisor"), *seen = facts_text(&p->r->machine, "virtual_machine");
    put_text(p, name ? name : seen && !strcmp(seen, "yes") ? "yes" : "not seen");
}

static void put_cpus(struct page *p)
{
    const double n = facts_number(&p->r->before, "cpus_allowed");
    if (!isnan(n))
        buf_format(&p->piece, "%.0f", n);
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
    const struct estimate *p5 = find_estimate(p->r, "jitter", "core_frequency", "p5"),
                          *p95 = find_estimate(p->r, "jitter", "core_frequency", "p95");
    if (!p5 || !p95)
        return;
    const struct unit u = unit_for("Hz", p95->point);
    figure_range(&p->piece, p5->point, p95->point, u, figure_digits(p95->point / u.factor, FIGURE_DIGITS));
    unit_put(&p->piece, u);
}

static void put_change(struct page *p)
{
    const struct estimate *e = find_estimate(p->r, "throughput", "throughput", "all_change");
    if (!e)
        return;
    const bool decided = has_interval(e) && (e->low > 0 || e->high < 0);
    const double low = 100 * expm1(e->low), high = 100 * expm1(e->high);
    if (decided || !has_interval(e)) {
        figure_signed(&p->piece, 100 * expm1(e->point), 1);
        buf_str(&p->piece, " %");
        return;
    }
    buf_str(&p->piece, "none detected (");
    figure_range(&p->piece, low, high, unit_one, figure_decimals(high, half_width(low, high)));
    buf_str(&p->piece, " %)");
}

static void put_false(struct page *p)
{
    const struct estimate *e = p->r->n_subjects ? record_estimate(p->r, 0, p->r->rule.metric, "aa_false_positives") : NULL;
    if (is_known(e))
        buf_format(&p->piece, "%.0f of %d", e->point * e->n, e->n);
}

static void put_found(struct page *p)
{
    const struct estimate *e = find_estimate(p->r, "planted", "planted", "found"),
                          *size = find_estimate(p->r, "planted", "planted", "size");
    if (!e || !size)
        return;
    buf_format(&p->piece, "%.0f of %d (%s)", e->point * e->n, e->n, figure_text(figure_share, size->point).at);
}

static void put_others(struct page *p)
{
    const struct fact *used = facts_find(&p->r->after, "cpu_users_seconds"),
                      *watched = facts_find(&p->r->after, "cpu_watch_seconds");
    if (used && watched && !used->text && !watched->text && used->number / watched->number >= 0)
        buf_format(&p->piece, "%.2f CPUs", used->number / watched->number);
}

static const struct figure_row {
    const char *title;
    void (*put)(struct page *p);
    const char *what, *metric, *statistic, *base; /* without put: one figure; base "%": a share, "": a count */
} rows[] = {
    {"verdict", .put = put_verdict_of},
    {"90 % power for a difference of", .put = put_detectable},
    {"false positives", .put = put_false},
    {"injected differences found", .put = put_found},
    {"processor", .put = put_processor},
    {"hypervisor", .put = put_hypervisor},
    {"CPUs", .put = put_cpus},
    {"two CPUs together, least of 2", .put = put_sharing},
    {"core frequency, p5–p95", .put = put_frequency},
    {"time lost in gaps", NULL, "jitter", "lost_share", "mean", "%"},
    {"gaps of 10 µs and more per second", NULL, "jitter", "gaps", "over_10us", ""},
    {"largest gap", NULL, "jitter", "gap", "max", "ns"},
    {"multiplies per CPU, all busy", NULL, "throughput", "throughput", "median", "1/s"},
    {"throughput change, last quarter", .put = put_change},
    {"CPU time that was ours", NULL, "throughput", "cpu_share", "mean", "%"},
    {"CPU use of other programs", .put = put_others},
};

static void put_one_figure(struct page *p, const struct figure_row *x)
{
    const struct estimate *e = find_estimate(p->r, x->what, x->metric, x->statistic);
    if (!e)
        return;
    if (!strcmp(x->base, "%"))
        figure_share(&p->piece, e->point);
    else if (*x->base)
        figure_scaled(&p->piece, x->base, e->point, FIGURE_DIGITS);
    else
        figure_put(&p->piece, e->point, figure_digits(e->point, FIGURE_DIGITS));
}

static void side_cell(struct table *t, const struct record *r, const struct figure_row *x)
{
    struct page *p = t->p;
    p->r = r;
    if (x->put)
        x->put(p);
    else
        put_one_figure(p, x);
    table_format(t, "%s", p->piece.len ? "" : "-");
}

void render_hosts(const struct record *one, const struct record *other, const char *const names[2],
                  const struct render_options *o, struct buf *out)
{
    struct page p = page_over(one, o, out);
    const struct table_column columns[] = {{"", SIDE_LEFT, 0}, {names[0], SIDE_LEFT, 0}, {names[1], SIDE_LEFT, 0}};
    struct table t;
    table_begin(&t, &p, columns, 3);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        table_format(&t, "%s", rows[i].title);
        side_cell(&t, one, &rows[i]);
        side_cell(&t, other, &rows[i]);
    }
    table_end(&t, 0);
    p.r = one;
    buf_str(&p.piece, "one session of each host; differences between them are not tested");
    flow_line(&p, 0, HUE_DIM);
    page_finish(&p);
}
