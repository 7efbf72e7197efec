/* SPDX-License-Identifier: MIT */
#include "units.h"
#include <math.h>
#include <string.h>

struct ladder {
    const char *base;
    int n;
    struct unit rungs[6];
};

const struct unit unit_one = {"", 1};

static const struct ladder ladders[] = {
    {"ns", 4, {{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}},
    {"bytes", 5, {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}},
    {"Hz", 4, {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}},
    {"1", 5, {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}}},
    {"1/s", 5, {{"/s", 1}, {"k/s", 1e3}, {"M/s", 1e6}, {"G/s", 1e9}, {"T/s", 1e12}}},
    {"bytes/s", 5, {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}}},
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
    while (i + 1 < l->n && fabs(value) >= l->rungs[i + 1].factor * 0.9995) /* 999.6 would print as 1000 */
        i++;
    return i == 1 && !strcmp(base, "1") ? l->rungs[0] : l->rungs[i];
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

bool unit_follows(const char *text)
{
    char word[8] = "";
    const size_t n = strcspn(text, " ,;:.)\033");
    if (n < sizeof word)
        memcpy(word, text, n);
    struct unit u;
    bool found = false;
    for (size_t i = 0; *word && !found && i < sizeof ladders / sizeof *ladders; i++)
        found = unit_named(ladders[i].base, word, &u);
    return found;
}

void unit_put(struct buf *b, struct unit u)
{
    if (*u.name)
        buf_format(b, " %s", u.name);
}

enum { DECIMALS_MAX = 12 }; /* a nanosecond in minutes has eleven */

double half_width(double low, double high)
{
    return isfinite(low) && isfinite(high) ? (high - low) / 2 : NAN;
}

static int decimals_of(double value, int digits)
{
    if (!isfinite(value) || fabs(value) < 0.5 * pow(10, -DECIMALS_MAX)) /* as many noughts would show */
        return 0;
    double decimals = digits - 1 - floor(log10(fabs(value)));
    return decimals < 0 ? 0 : decimals > DECIMALS_MAX ? DECIMALS_MAX : (int)decimals;
}

int figure_digits(double value, int digits)
{
    int decimals = decimals_of(value, digits);
    return decimals && rint(fabs(value) * pow(10, decimals)) >= pow(10, digits) ? decimals - 1 : decimals; /* 9.997 is 10.0 */
}

int figure_decimals(double value, double uncertainty)
{
    if (!isfinite(uncertainty) || uncertainty <= 0)
        return figure_digits(value, FIGURE_DIGITS);
    bool first_digit_is_large = uncertainty * pow(10, -floor(log10(uncertainty))) >= 4;
    return decimals_of(uncertainty, first_digit_is_large ? 1 : 2);
}

int figure_apart(double bound, double neutral, int decimals)
{
    while (decimals < 6 && isfinite(bound) && bound != neutral && rint((bound - neutral) * pow(10, decimals)) == 0)
        decimals++;
    return decimals;
}

static const double EXACT_BELOW = 1e15; /* from there on a double does not hold the digits that would be written */

static void put_decimals(struct buf *b, double value, int decimals, const char *plus)
{
    char room[64];
    struct buf digits = buf_over(room, sizeof room);
    if (isnan(value)) {
        buf_char(b, '?');
        return;
    }
    if (isinf(value))
        buf_str(&digits, "∞");
    else if (fabs(value) < EXACT_BELOW)
        buf_format(&digits, "%.*f", decimals, fabs(value));
    else
        buf_format(&digits, "%.4g", fabs(value));
    if (strspn(room, "0.") < digits.len)
        buf_str(b, value < 0 ? "−" : plus);
    buf_str(b, room);
}

void figure_put(struct buf *b, double value, int decimals)
{
    put_decimals(b, value, decimals, "");
}

void figure_signed(struct buf *b, double value, int decimals)
{
    put_decimals(b, value, decimals, "+");
}

void figure_with(struct buf *b, double value, struct unit u, int decimals)
{
    figure_put(b, value / u.factor, decimals);
    unit_put(b, u);
}

void figure_scaled(struct buf *b, const char *base, double value, int digits)
{
    struct unit u = unit_for(base, value);
    figure_with(b, value, u, figure_digits(value / u.factor, digits));
}

void figure_chosen(struct buf *b, const char *base, double value)
{
    struct unit u = unit_for(base, value);
    const double shown = fabs(value / u.factor);
    if (isfinite(shown))
        buf_format(b, "%s%.*g", value < 0 ? "−" : "", shown < 1000 ? 4 : 9, shown); /* 12345 s are not 12350 */
    else
        figure_put(b, value, 0);
    unit_put(b, u);
}

static void put_ends(struct buf *b, double low, double high, int decimals, bool with_sign)
{
    put_decimals(b, low, decimals, with_sign ? "+" : "");
    buf_str(b, with_sign ? " to " : "–");
    put_decimals(b, high, decimals, with_sign ? "+" : "");
}

void figure_range(struct buf *b, double low, double high, struct unit u, int decimals)
{
    if (!isnan(low) && !isnan(high))
        put_ends(b, low / u.factor, high / u.factor, decimals, low < 0);
}

/* " (1.31–1.38)", " (−0.8 to +2.6)"; nothing where an end is not finite. */
static void put_bounds(struct buf *b, double low, double high, int decimals, bool with_sign)
{
    if (isnan(half_width(low, high)))
        return;
    buf_str(b, " (");
    put_ends(b, low, high, decimals, with_sign);
    buf_char(b, ')');
}

void figure_exponent(struct buf *b, double point, double low, double high)
{
    int decimals = figure_decimals(point, half_width(low, high));
    decimals = decimals < 1 ? 1 : decimals > 3 ? 3 : decimals;
    figure_put(b, point, decimals);
    put_bounds(b, low, high, decimals, low < 0);
}

static bool reads_alike(double a, double b, int decimals)
{
    return rint(a * pow(10, decimals)) == rint(b * pow(10, decimals));
}

/* As the interval allows, and at most FIGURE_DIGITS, or what keeps its ends apart; without one so many digits. */
static int bounded_decimals(double point, double low, double high, double neutral, int digits)
{
    const double half = half_width(low, high);
    if (isnan(half))
        return figure_digits(point, digits);
    const int known = figure_decimals(point, half),
              most = figure_digits(fmax(fabs(point), fmax(fabs(low), fabs(high))), FIGURE_DIGITS);
    int decimals = known < most ? known : most;
    while (decimals < known && reads_alike(low, high, decimals))
        decimals++;
    return figure_apart(high, neutral, figure_apart(low, neutral, decimals));
}

int interval_decimals(double value, double low, double high)
{
    return bounded_decimals(value, low, high, NAN, FIGURE_DIGITS);
}

static double percent(double shift)
{
    return 100 * expm1(shift);
}

const char *const words_of_times[2] = {"faster", "slower"}, *const words_of_others[2] = {"less", "more"};

void figure_ratio(struct buf *b, double shift, double low, double high, const char *const words[2])
{
    const bool less = words && shift < 0, factor = words && fabs(shift) >= log(1.1);
    const double point = factor ? exp(fabs(shift)) : less ? -percent(shift) : percent(shift);
    const double from = factor ? exp(less ? -high : low) : less ? -percent(high) : percent(low);
    const double to = factor ? exp(less ? -low : high) : less ? -percent(low) : percent(high);
    const int decimals = bounded_decimals(point, from, to, factor, factor ? 3 : 2);
    put_decimals(b, point, decimals, words ? "" : "+");
    buf_format(b, "%s%s%s", factor ? "×" : " %", words ? " " : "", words ? words[!less] : "");
    put_bounds(b, from, to, decimals, !words);
}

static void put_bounded(struct buf *b, const char *base, double point, double low, double high, bool with_sign)
{
    const bool bounded = !isnan(half_width(low, high));
    const struct unit u = unit_for(base, bounded ? fmax(fabs(point), fmax(fabs(low), fabs(high))) : point);
    const bool whole = u.factor == 1 && point == floor(point) && (!bounded || (low == floor(low) && high == floor(high)));
    const int decimals = whole ? 0 : bounded_decimals(point / u.factor, low / u.factor, high / u.factor, 0, FIGURE_DIGITS);
    put_decimals(b, point / u.factor, decimals, with_sign ? "+" : "");
    unit_put(b, u);
    put_bounds(b, low / u.factor, high / u.factor, decimals, with_sign || low < 0);
}

void figure_difference(struct buf *b, const char *base, double shift, double low, double high)
{
    put_bounded(b, base, shift, low, high, true);
}

void figure_bounded(struct buf *b, const char *base, double point, double low, double high)
{
    put_bounded(b, base, point, low, high, false);
}

double figure_to_side(double value, bool up)
{
    if (!(value > 0) || isinf(value))
        return value;
    const int digits = 1 - (int)floor(log10(value));
    const double unit = pow(10, fabs((double)digits)), /* no fraction, so that the decimal is the nearest there is */
        scaled = digits > 0 ? value * unit : value / unit, rounded = up ? ceil(scaled - 1e-9) : floor(scaled + 1e-9);
    return digits > 0 ? rounded / unit : rounded * unit;
}

static bool is_tiny(double share)
{
    return share > 0 && share < 0.00001;
}

/* Of all; what sums miss in their last digits is nothing. */
static bool is_almost_all(double share)
{
    return 1 - share > 1e-9 && 1 - share < 0.00001;
}

void figure_share(struct buf *b, double share)
{
    if (is_tiny(share) || is_almost_all(share)) {
        buf_str(b, is_tiny(share) ? "under 0.001 %" : "over 99.999 %");
        return;
    }
    const double rest = 1 - share; /* 99.95 % are not all */
    const int decimals = figure_digits(100 * (rest > 1e-9 && rest < 0.0006 ? 10 * rest : share), 2);
    const bool whole = share == 0 || rest <= 1e-9 || share <= -0.9995;
    figure_put(b, 100 * share, whole ? 0 : decimals < 1 ? 1 : decimals > 3 ? 3 : decimals);
    buf_str(b, " %");
}

void figure_share_at_most(struct buf *b, double share)
{
    buf_str(b, is_tiny(share) ? "" : "≤ ");
    figure_share(b, is_almost_all(share) ? 1 : share);
}

void figure_rough(struct buf *b, double share)
{
    figure_put(b, 100 * share, figure_digits(100 * share, 2));
    buf_str(b, " %");
}

void figure_level(struct buf *b, double share)
{
    buf_format(b, "%g %%", round(share * 1e10) / 1e8); /* 0.07 * 100 is not 7 */
}

void figure_duration(struct buf *b, double seconds)
{
    const struct unit u = seconds < 120    ? (struct unit){"s", 1}
                          : seconds < 7200 ? (struct unit){"min", 60}
                                           : (struct unit){"h", 3600};
    figure_with(b, seconds, u, figure_digits(seconds / u.factor, 2));
}

void figure_limit(struct buf *b, double seconds)
{
    figure_chosen(b, "ns", seconds * 1e9);
}

static void count_with(struct buf *b, double n, int digits)
{
    static const struct unit rungs[] = {{"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}};
    for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++)
        if (fabs(n) >= (rungs[i].factor == 1e3 ? 1e4 : rungs[i].factor)) {
            figure_with(b, n, rungs[i], figure_digits(n / rungs[i].factor, digits));
            return;
        }
    figure_put(b, n, n == floor(n) ? 0 : figure_digits(n, digits));
}

void figure_count(struct buf *b, double n)
{
    count_with(b, n, FIGURE_DIGITS);
}

void figure_estimated_count(struct buf *b, double n)
{
    count_with(b, n, 2);
}

void figure_tick(struct buf *b, double value)
{
    int decimals = 0;
    for (double shown = fabs(value); decimals < 9 && fabs(shown - rint(shown)) > 1e-6 * shown; shown *= 10)
        decimals++;
    figure_put(b, value, decimals);
}

struct figure_text figure_text(void (*figure)(struct buf *b, double value), double value)
{
    struct figure_text text;
    struct buf b = buf_over(text.at, sizeof text.at);
    figure(&b, value);
    return text;
}

struct figure_text scaled_text(const char *base, double value)
{
    struct figure_text text;
    struct buf b = buf_over(text.at, sizeof text.at);
    figure_scaled(&b, base, value, FIGURE_DIGITS);
    return text;
}
