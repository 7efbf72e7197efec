/* SPDX-License-Identifier: MIT */
#include "plain.h"
#include "probe.h"
#include <math.h>
#include <tare/measure.h>

struct unit {
    double size;
    const char *name;
};

static const struct unit TIMES[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
static const struct unit SIZES[] = {{1, "B"}, {1024, "KiB"}, {1048576, "MiB"}, {1073741824, "GiB"}};

static const struct unit *unit_of(double value, bool bytes)
{
    const struct unit *u = bytes ? SIZES : TIMES;
    int i = 0;
    while (i < 3 && fabs(value) >= u[i + 1].size)
        i++;
    return &u[i];
}

static void number(struct buf *b, double value, const struct unit *u)
{
    double shown = value / u->size;
    buf_format(b, "%.*f", fabs(shown) < 10 ? 3 : fabs(shown) < 100 ? 2 : 1, shown);
}

void plain_quantity(struct buf *b, double value, bool bytes)
{
    const struct unit *u = unit_of(value, bytes);
    number(b, value, u);
    buf_format(b, " %s", u->name);
}

static void add_interval(struct buf *b, const struct tare_measured *m, const struct unit *u)
{
    buf_str(b, "between ");
    number(b, m->low, u);
    buf_str(b, " and ");
    number(b, m->high, u);
    buf_format(b, " %s with %.6g %% confidence; mean ", u->name, m->confidence * 100);
    number(b, m->mean, u);
    buf_format(b, " %s, standard deviation ", u->name);
    number(b, m->stddev, u);
    buf_format(b, " %s, width %.3g %%; n = %d, %s", u->name, m->width * 100, m->n,
               m->stopped_early ? "stopped early" : "reached ");
    if (!m->stopped_early)
        buf_format(b, "%d", m->runs);
    if (m->unsteady)
        buf_format(b, "; %d of %d processes did not become steady", m->unsteady, m->n);
}

const char *tare_measured_text(const struct tare_measured *m, char *text, size_t size)
{
    if (!size)
        return "";
    struct buf b = buf_over(text, size);
    bool bytes = m->kind == TARE_MEASURED_MEMORY;
    if (m->n == 0)
        buf_str(&b, "not measured");
    else if (m->n == 1)
        plain_quantity(&b, m->mean, bytes);
    else
        add_interval(&b, m, unit_of(m->mean, bytes));
    if (m->n == 1)
        buf_str(&b, ", once");
    return text;
}
