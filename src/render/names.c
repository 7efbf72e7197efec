/* SPDX-License-Identifier: MIT */
#include "fnv.h"
#include "layout.h"
#include "quote.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void put_name_part(struct page *p, const char *text, size_t n, int columns)
{
    struct buf part = BUF_INIT(1 << 22);
    buf_add(&part, text, n);
    put_cut(p, buf_text(&part), columns);
    buf_finish(&part);
}

static bool shortens(const struct page *p, const char *name, int columns)
{
    struct buf whole = BUF_INIT(1 << 22);
    quote_mask(&whole, name, p->o->unicode);
    bool longer = columns > 0 && text_columns(buf_text(&whole), whole.len) > columns - 2;
    buf_finish(&whole);
    return longer;
}

static bool same_when_cut(const struct page *p, const char *a, const char *b, int columns)
{
    struct buf x = BUF_INIT(1 << 22), y = BUF_INIT(1 << 22);
    quote_name(&x, a, columns, p->o->unicode);
    quote_name(&y, b, columns, p->o->unicode);
    bool same = !strcmp(buf_text(&x), buf_text(&y));
    buf_finish(&x);
    buf_finish(&y);
    return same;
}

int command_number(const struct record *r, int subject)
{
    int number = 0;
    for (int i = 0; i <= subject; i++)
        number += subject_measured(&r->subjects[i]);
    return number;
}

static bool looks_like_another(const struct page *p, int subject, int columns)
{
    const char *name = p->r->subjects[subject].name;
    if (!shortens(p, name, columns))
        return false;
    for (int i = 0; i < p->r->n_subjects; i++)
        if (i != subject && same_when_cut(p, name, p->r->subjects[i].name, columns))
            return true;
    return false;
}

void put_name(struct page *p, int subject, int columns)
{
    if (looks_like_another(p, subject, columns))
        buf_format(&p->piece, "#%d ", command_number(p->r, subject));
    quote_name(&p->piece, p->r->subjects[subject].name, columns, p->o->unicode);
}

const char *role_of(const struct record *r, int subject)
{
    for (int i = 0; i < r->n_comparisons; i++)
        if (r->comparisons[i].reference == subject)
            return "reference";
    return r->subjects[subject].anchor ? "anchor" : "";
}

static char *cut_of(const struct page *p, const char *name, int columns)
{
    struct buf b = BUF_INIT(1 << 22);
    quote_cut(&b, name, columns, p->o->unicode);
    char *text = strdup(buf_text(&b));
    buf_finish(&b);
    return text;
}

/* Where a name differs from those that look like it when cut: name[from..to). False: from none. */
struct distinct {
    size_t from, to;
};

static bool is_continued(char byte)
{
    return (byte & 0xc0) == 0x80;
}

static void widen(struct distinct *d, const char *name, const char *other)
{
    const size_t n = strlen(name), m = strlen(other);
    size_t from = 0, back = 0;
    while (from < n && name[from] == other[from])
        from++;
    while (back < n - from && back + from < m && name[n - 1 - back] == other[m - 1 - back])
        back++;
    d->from = from < d->from ? from : d->from;
    d->to = n - back > d->to ? n - back : d->to;
    while (d->from && is_continued(name[d->from]))
        d->from--;
    while (is_continued(name[d->to]))
        d->to++;
}

static int by_cut(const void *a, const void *b)
{
    const struct name_cut *x = a, *y = b;
    return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1) : (x->index > y->index) - (x->index < y->index);
}

static uint64_t hash_of_cut(const char *cut)
{
    return fnv1a64(FNV1A64_EMPTY, cut, strlen(cut));
}

/* A list may have a hundred thousand names, and each is asked for. False: no memory. */
static bool cut_all(struct page *p, const struct name_list *list, int columns)
{
    struct name_cuts *c = &p->cuts;
    if (c->at && c->put == list->put && c->columns == columns && c->n == list->n)
        return true;
    free(c->at);
    *c = (struct name_cuts){list->put, columns, list->n, malloc(((size_t)list->n + 1) * sizeof *c->at)};
    struct buf name = BUF_INIT(1 << 22);
    for (int i = 0; c->at && i < list->n; i++) {
        buf_clear(&name);
        list->put(p, i, &name);
        char *cut = cut_of(p, buf_text(&name), columns);
        c->at[i] = (struct name_cut){hash_of_cut(cut ? cut : ""), i};
        free(cut);
    }
    buf_finish(&name);
    if (c->at)
        qsort(c->at, (size_t)c->n, sizeof *c->at, by_cut);
    return c->at != NULL;
}

/* Where those that look like this stand, in their order: the first of them; c->n: there is none. */
static int first_alike(const struct name_cuts *c, uint64_t hash)
{
    int low = 0, high = c->n;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (c->at[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool differs_where(struct page *p, const struct name_list *list, int which, int columns, struct distinct *d)
{
    struct buf name = BUF_INIT(1 << 22), other = BUF_INIT(1 << 22);
    list->put(p, which, &name);
    char *mine = cut_of(p, buf_text(&name), columns);
    bool found = false;
    *d = (struct distinct){name.len, 0};
    if (mine && cut_all(p, list, columns)) {
        const struct name_cuts *c = &p->cuts;
        const uint64_t hash = hash_of_cut(mine);
        for (int i = first_alike(c, hash); i < c->n && c->at[i].hash == hash; i++) {
            buf_clear(&other);
            list->put(p, c->at[i].index, &other);
            if (c->at[i].index == which || !other.len || (!list->all_differ && !strcmp(buf_text(&name), buf_text(&other))))
                continue;
            widen(d, buf_text(&name), buf_text(&other));
            found = true;
        }
    }
    free(mine);
    buf_finish(&name);
    buf_finish(&other);
    return found;
}

static int columns_of(const struct page *p, const char *name, size_t from, size_t to)
{
    struct buf part = BUF_INIT(1 << 22), shown = BUF_INIT(1 << 22);
    buf_add(&part, name + from, to - from);
    quote_mask(&shown, buf_text(&part), p->o->unicode);
    const int columns = text_columns(buf_text(&shown), shown.len);
    buf_finish(&part);
    buf_finish(&shown);
    return columns;
}

void put_listed_name(struct page *p, const struct name_list *list, int which, int columns)
{
    enum { PART_LEAST = 5 }; /* of quote_cut */
    struct buf name = BUF_INIT(1 << 22);
    struct distinct d;
    list->put(p, which, &name);
    const char *text = buf_text(&name);
    const bool alike = columns > 0 && columns_of(p, text, 0, name.len) > columns && differs_where(p, list, which, columns, &d);
    const int rest = alike ? columns - columns_of(p, text, d.from, d.to) : 0;
    if (!alike)
        quote_cut(&p->piece, text, columns, p->o->unicode);
    else if (rest < 2 * PART_LEAST) {
        const size_t start = p->piece.len;
        buf_format(&p->piece, "#%d ", list->number ? list->number(p->r, which) : which + 1);
        quote_cut(&p->piece, text, columns - (int)(p->piece.len - start), p->o->unicode);
    } else {
        const size_t n = strlen(text);
        const int before = columns_of(p, text, 0, d.from), after = columns_of(p, text, d.to, n);
        const int end = after <= rest / 2 ? after : before <= rest / 2 ? rest - before : rest / 2;
        put_name_part(p, text, d.from, rest - end);
        put_name_part(p, text + d.from, d.to - d.from, 0);
        put_name_part(p, text + d.to, n - d.to, end);
    }
    buf_finish(&name);
}

static void put_command(const struct page *p, int subject, struct buf *out)
{
    if (subject_measured(&p->r->subjects[subject]))
        buf_str(out, p->r->subjects[subject].name);
}

void put_short_name(struct page *p, int subject, int columns)
{
    const struct name_list commands = {p->r->n_subjects, true, put_command, command_number};
    put_listed_name(p, &commands, subject, columns);
}

int command_count(const struct record *r)
{
    return r->n_subjects ? command_number(r, r->n_subjects - 1) : 0;
}

int asked_count(const struct record *r)
{
    return command_count(r) - record_anchors(r);
}

int subject_with(const struct page *p, enum subject_kind kind, const char *metric)
{
    for (int i = 0; i < p->r->n_estimates; i++) {
        const struct estimate *e = &p->r->estimates[i];
        if (!strcmp(e->metric, metric) && p->r->subjects[e->subject].kind == kind)
            return e->subject;
    }
    return -1;
}

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->key != y->key && !(isnan(x->key) && isnan(y->key)))
        return isnan(x->key) ? 1 : isnan(y->key) ? -1 : x->key < y->key ? -1 : 1;
    return x->index - y->index;
}

void sort_ranked(struct ranked *items, int n)
{
    qsort(items, (size_t)n, sizeof *items, compare_ranked);
}

/* What failed is not the fastest: it comes last, and an anchor behind all that has a value. */
static double shown_value(const struct page *p, int subject)
{
    const struct estimate *e = lead_estimate(p, subject);
    const struct comparison *c = record_comparison(p->r, subject, p->r->rule.metric);
    return p->r->subjects[subject].anchor ? INFINITY : !e || (c && c->verdict == VERDICT_INVALID) ? NAN : e->point;
}

int *subject_order(struct page *p, enum render_sort sort, int *n)
{
    int subjects = p->r->n_subjects;
    struct ranked *ranked = malloc((size_t)(subjects + 1) * sizeof *ranked);
    int *order = malloc((size_t)(subjects + 1) * sizeof *order);
    *n = 0;
    for (int i = 0; ranked && i < subjects; i++)
        if (subject_measured(&p->r->subjects[i]))
            ranked[(*n)++] = (struct ranked){sort == RENDER_SORT_MEAN_TIME ? shown_value(p, i) : 0, i};
    if (ranked && order) {
        sort_ranked(ranked, *n);
        for (int i = 0; i < *n; i++)
            order[i] = ranked[i].index;
    } else {
        p->out->status = TARE_NO_MEMORY;
        *n = 0;
    }
    free(ranked);
    return order;
}

bool is_scan_of_commands(const struct record *r)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (subject_measured(&r->subjects[i]) && (has_revisions(r) || r->subjects[i].n_parameters < 1))
            return false;
    return command_count(r) > 2;
}

int *table_order(struct page *p, int *n)
{
    const bool by_time = !record_is_of_two_sessions(p->r) && /* a row there is a pair */
                         (p->o->sort == RENDER_SORT_MEAN_TIME ||
                          (p->o->sort == RENDER_SORT_AUTO && !is_scan_of_commands(p->r) && asked_count(p->r) > 2));
    return subject_order(p, by_time ? RENDER_SORT_MEAN_TIME : RENDER_SORT_COMMAND, n);
}
