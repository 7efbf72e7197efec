/* SPDX-License-Identifier: MIT */
#include "units.h"
#include <math.h>
#include <string.h>

struct ladder {
    const char *base;
    int n;
    struct unit rungs[6];
};

static const struct ladder ladders[] = {
    {"ns", 4, {{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}},
    {"bytes", 5, {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}},
    {"Hz", 4, {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}},
    {"1", 5, {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}}},
};

static const struct {
    const char *name;
    struct unit unit;
} aliases[] = {
    {"us", {"µs", 1e3}},    {"nanosecond", {"ns", 1}}, {"microsecond", {"µs", 1e3}}, {"millisecond", {"ms", 1e6}},
    {"second", {"s", 1e9}}, {"min", {"min", 60e9}},    {"minute", {"min", 60e9}},
};

static const struct ladder *ladder_of(const char *base)
{
    for (size_t i = 0; i < sizeof ladders / sizeof *ladders; i++)
        if (!strcmp(ladders[i].base, base))
            return &ladders[i];
    return NULL;
}

struct unit unit_for(const char *base, double value)
{
    const struct ladder *l = ladder_of(base);
    if (!l)
        return (struct unit){base, 1};
    int i = 0;
    while (i + 1 < l->n && fabs(value) >= l->rungs[i + 1].factor * 0.99995) /* 999.96 would print as 1000.0 */
        i++;
    return l->rungs[i];
}

bool unit_named(const char *base, const char *name, struct unit *out)
{
    const struct ladder *l = ladder_of(base);
    for (int i = 0; l && i < l->n; i++)
        if (!strcmp(l->rungs[i].name, name)) {
            *out = l->rungs[i];
            return true;
        }
    if (strcmp(base, "ns"))
        return false;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (!strcmp(aliases[i].name, name)) {
            *out = aliases[i].unit;
            return true;
        }
    return false;
}

static const double EXACT_BELOW = 1e15; /* from there on a double does not hold the digits that would be written */

static int clamp_places(double places)
{
    return places < 0 ? 0 : places > 6 ? 6 : (int)places;
}

int unit_decimals(double value, double uncertainty)
{
    if (isfinite(uncertainty) && uncertainty > 0)
        return clamp_places(1 - floor(log10(uncertainty)));
    if (!isfinite(value) || value == 0)
        return 0;
    return clamp_places(3 - floor(log10(fabs(value))));
}

void unit_number(struct buf *b, double value, struct unit u, int decimals)
{
    const double shown = value / u.factor;
    if (fabs(shown) < EXACT_BELOW || !isfinite(shown))
        buf_format(b, "%.*f", decimals, shown);
    else
        buf_format(b, "%.4g", shown);
}

void unit_quantity(struct buf *b, double value, struct unit u, int decimals)
{
    unit_number(b, value, u, decimals);
    if (*u.name)
        buf_format(b, " %s", u.name);
}
