/* SPDX-License-Identifier: MIT
 * Unit rss-bytes better=lower
 * BenchmarkGrep_foo 1 12300000 ns/op 2000000 rss-bytes
 *
 * Go's benchmark data format, which benchstat reads: a line a run, with every metric that has a value. In a name the first letter is a
 * capital and blanks are underscores, as the format wants. */
#include "exporters.h"
#include "medians.h"
#include "quote.h"
#include <string.h>

/* What ends a field for Go's unicode.IsSpace, so that it may be in none. */
static bool is_blank(const char *c)
{
    static const char *const wide[] = {"\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\xa8",
                                       "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};
    bool blank = (unsigned char)*c <= ' ' || *c == 0x7f;
    for (size_t i = 0; i < sizeof wide / sizeof *wide && !blank; i++)
        blank = !strncmp(c, wide[i], strlen(wide[i]));
    return blank || (!strncmp(c, "\xe2\x80", 2) && (unsigned char)c[2] >= 0x80 && (unsigned char)c[2] <= 0x8a);
}

static void put_field(struct buf *b, const char *text)
{
    char escape[QUOTE_ESCAPE];
    for (int n; (n = quote_character(text, escape)); text += n) {
        if (is_blank(text))
            buf_char(b, '_');
        else if (*escape)
            buf_str(b, escape);
        else
            buf_add(b, text, (size_t)n);
    }
}

static void put_name(struct buf *b, const char *name)
{
    static const char start[] = "Benchmark";
    const size_t n = sizeof start - 1;
    const bool named = !strncmp(name, start, n) && !(name[n] >= 'a' && name[n] <= 'z');
    if (!named)
        buf_str(b, start);
    if (!named && *name >= 'a' && *name <= 'z')
        buf_char(b, (char)(*name++ & ~32));
    put_field(b, name);
}

/* The samples of two commands must not become those of one. NULL: no memory. */
static const char **names_of(const struct medians *m)
{
    const char **names = arena_array(m->arena, (size_t)m->r->n_subjects + 1, sizeof *names);
    for (int i = 0; names && m->order[i] >= 0; i++) {
        struct buf b = BUF_INIT(1 << 20);
        int same = 0;
        put_name(&b, m->r->subjects[m->order[i]].name);
        for (int k = 0; k < i; k++)
            same += !strncmp(names[k], buf_text(&b), b.len) && (!names[k][b.len] || names[k][b.len] == '#');
        if (same)
            buf_format(&b, "#%02d", same);
        if (!(names[i] = arena_keep(m->arena, &b)))
            return NULL;
    }
    return names;
}

static void put_unit(struct buf *b, const struct medians *m, const struct metric *x)
{
    const char *kind = strchr(x->id, '/') ? "" : !strcmp(x->unit, "ns") ? "-ns" : !strcmp(x->unit, "bytes") ? "-bytes" : "";
    if (medians_is_time(m, x)) {
        buf_str(b, "ns/op");
        return;
    }
    put_field(b, x->id);
    buf_str(b, kind);
}

static bool has_values(const struct medians *m, const struct metric *x)
{
    bool any = false;
    for (const int *subject = m->order; *subject >= 0 && !any; subject++)
        any = series_values(&m->r->series[*subject], x->id);
    return any && medians_takes(m, x);
}

static void put_units(struct buf *b, const struct medians *m)
{
    for (int i = 0; i < m->r->n_metrics; i++) {
        const struct metric *x = &m->r->metrics[i];
        if (medians_is_time(m, x) || x->direction == METRIC_NEUTRAL || !has_values(m, x))
            continue;
        buf_str(b, "Unit ");
        put_unit(b, m, x);
        buf_format(b, " better=%s\n", x->direction == METRIC_HIGHER ? "higher" : "lower");
    }
}

static double value_in(const struct series *s, const char *id, int row)
{
    const double *values = series_values(s, id);
    return values ? values[row] : NAN;
}

static bool put_value(struct buf *b, const struct medians *m, const struct series *s, const struct metric *x, int row)
{
    const double value = value_in(s, x->id, row);
    if (!isfinite(value) || !medians_takes(m, x))
        return false;
    buf_format(b, " %g ", value);
    put_unit(b, m, x);
    return true;
}

static void put_run(struct buf *b, const struct medians *m, const struct series *s, const char *name, int row)
{
    const double iterations = value_in(s, "iterations", row);
    const size_t before = b->len;
    bool any = false;
    buf_format(b, "%s %lld", name, iterations >= 1 && iterations < 1e15 ? (long long)iterations : 1);
    for (int time = 1; time >= 0; time--) /* it comes first */
        for (int i = 0; i < m->r->n_metrics; i++)
            if (medians_is_time(m, &m->r->metrics[i]) == time)
                any |= put_value(b, m, s, &m->r->metrics[i], row);
    if (any)
        buf_char(b, '\n');
    else
        b->len = before;
}

static void put(struct export_out *out, const struct medians *m)
{
    const char **names = names_of(m);
    if (!names)
        out->text.status = TARE_NO_MEMORY;
    put_units(&out->text, m);
    for (int i = 0; names && m->order[i] >= 0; i++) {
        const struct series *s = &m->r->series[m->order[i]];
        for (int row = 0; row < medians_runs(m, m->order[i]); row++, export_out_pass(out))
            put_run(&out->text, m, s, names[i], row);
    }
}

const struct exporter exporter_go = {"go", "go.txt", .medians = put};
