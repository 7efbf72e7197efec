/* SPDX-License-Identifier: MIT
 *
 * units.h - figures with units for people: which unit fits, how many digits are shown, how signs look. Nothing else in tare decides any of it.
 *
 *     figure_scaled(&b, "ns", 12345678, 3);                            // "12.3 ms"
 *     struct unit u = unit_for("ns", mean);
 *     int decimals = figure_decimals(mean / u.factor, half_width(low, high) / u.factor);
 *     figure_with(&b, mean, u, decimals);                              // "12.34 ms"
 *     figure_range(&b, low, high, u, decimals);                        // "12.28–12.41"
 *
 * A scale is a ladder of units for one base unit (ns, bytes, 1). Text is locale-free UTF-8, with U+2212 as the minus sign; who may show
 * ASCII only replaces the signs afterwards (layout.h).
 */
#ifndef UNITS_H
#define UNITS_H

#include "buf.h"

struct unit {
    const char *name; /* "ms" */
    double factor;    /* base units in one of it */
};

extern const struct unit unit_one; /* no name, factor 1 */

/* The rung of the ladder of `base` ("ns", "bytes", "Hz", "1", "1/s", "bytes/s"; anything else: no ladder) in which `value` has 1 to 3 digits
 * before the point. Counts ("1") are read as they are below a million. */
struct unit unit_for(const char *base, double value);
/* The rung by its name ("ns" "us" "µs" "ms" "s" "min"; "B" "kB"...). Returns false and leaves *out when the name is not on the ladder. */
bool unit_named(const char *base, const char *name, struct unit *out);
void unit_put(struct buf *b, struct unit u); /* " ms"; nothing of one without a name */
bool unit_follows(const char *text);         /* its first word is a unit of some ladder */

/* ---- how many digits ---- */

enum { FIGURE_DIGITS = 3 }; /* of a figure without uncertainty */

/* NaN when an end is infinite or missing. */
double half_width(double low, double high);
/* Decimals down to the uncertainty's second digit, or its first where that is large (4 and up): a reader never sees digits that
 * say nothing. Both arguments in the unit shown. Without uncertainty (0, NaN, infinite) FIGURE_DIGITS of the value. */
int figure_decimals(double value, double uncertainty);
/* As figure_decimals by an interval, but FIGURE_DIGITS digits at most, or what keeps its ends apart. All in the unit shown. */
int interval_decimals(double value, double low, double high);
/* Decimals that show so many digits of the value; 0 for 0 and what is not finite. */
int figure_digits(double value, int digits);

/* ---- as text ---- */

/* "−12.34"; "∞", "?" for NaN; what rounds to 0 has no sign; from 1e15 on four digits, "1.234e+23". */
void figure_put(struct buf *b, double value, int decimals);
void figure_signed(struct buf *b, double value, int decimals);                 /* with + too */
void figure_with(struct buf *b, double value, struct unit u, int decimals);    /* "12.34 ms" of a value in base units */
void figure_scaled(struct buf *b, const char *base, double value, int digits); /* "12.3 ms": in the unit that fits */
/* "5 ns", "2.5 kB": somebody chose it. As few digits as it has, at most four; from 1000 on all. */
void figure_chosen(struct buf *b, const char *base, double value);
/* "131–178", "−0.8 to +2.6" where an end is negative, without the unit: an interval or what was observed; nothing where an end is NaN. */
void figure_range(struct buf *b, double low, double high, struct unit u, int decimals);
/* So many decimals, or as many more as show that the end of an interval is not this value: "slower (0–9)" would contradict itself. */
int figure_apart(double bound, double value, int decimals);
/* To two digits, up or down: what is "at most" or "at least" is not rounded to the nearest. What is not above 0 or not finite stays. */
double figure_to_side(double value, bool up);
/* "1.02 (0.99–1.05)": of a power, with one to three decimals; without an interval where an end is not finite. */
void figure_exponent(struct buf *b, double point, double low, double high);
/* A ratio by its logarithm, with the ends of its interval where they are finite: "1.34× faster (1.31–1.38)", below 10 % "3.1 % slower (2.4–3.8)";
 * words: of a ratio below 1 and above, as those of times ("faster", "slower") and of others ("less", "more"). NULL where nothing is decided: "+1.0 % (−0.8 to +2.6)". */
extern const char *const words_of_times[2], *const words_of_others[2];
void figure_ratio(struct buf *b, double shift, double low, double high, const char *const words[2]);
/* A difference likewise, in the unit that fits: "−120 kB (−130 to −110)". */
void figure_difference(struct buf *b, const char *base, double shift, double low, double high);
/* A size, without a sign: "12.4 ns (12.1–12.7)", "0.4 ns (−0.2 to +1.0)". */
void figure_bounded(struct buf *b, const char *base, double point, double low, double high);
/* "41.2 %", "1.1 %", "0.012 %": one decimal, below 1 % and just below 100 % two digits; "0 %" and "100 %" are exact. */
void figure_share(struct buf *b, double share);
void figure_share_at_most(struct buf *b, double share); /* "≤ 4.4 %", "under 0.001 %" */
void figure_rough(struct buf *b, double share);         /* "17 %", "9.1 %", "0.26 %": two digits, of what is known no better */
void figure_level(struct buf *b, double share);         /* "95 %", "99.9 %": as many digits as it has */
/* "0.20 s", "41 s", "12 min", "2.5 h": how long tare itself takes, two digits. */
void figure_duration(struct buf *b, double seconds);
void figure_limit(struct buf *b, double seconds);     /* "5 s", "500 ms": somebody chose it */
void figure_count(struct buf *b, double n);           /* "1234", "214 k", "1.20 M" */
void figure_estimated_count(struct buf *b, double n); /* of two digits: "1200", "210 k", "1.2 M" */
void figure_tick(struct buf *b, double value);        /* a value marked on an axis: as many decimals as it has, at most 9 */

/* ---- as values, for formats: err_set(err, status, "stopped after %s", figure_text(figure_limit, seconds).at) ---- */

struct figure_text {
    char at[64];
};
struct figure_text figure_text(void (*figure)(struct buf *b, double value), double value);
struct figure_text scaled_text(const char *base, double value); /* figure_scaled with FIGURE_DIGITS */

#endif
