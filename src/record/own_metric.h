/* SPDX-License-Identifier: MIT
 *
 * own_metric.h - a metric that the user defines: read out of a run's output by a pattern, told by a command of its own, or by name out of
 * a file with results that each run writes; or a counter of a benchmark program.
 *
 *     struct own_metric m;
 *     status = own_metric_parse(&m, "regex:rate:req/s:higher=([0-9.]+) req/s", &arena, &err);
 *     own_number(&m, "12.5k", 5, &value, &step);   // 12500, in steps of 100
 *
 * The grammar: KIND:NAME[:UNIT][:higher|lower]=TEXT. KIND is regex, cmd or result, whose unit is ns unless one is given; NAME begins with a letter or _ and has letters, digits, _ . -, at
 * most 40; UNIT is at most 16 bytes without blank, colon and equals sign. The first equals sign ends the head.
 * Less is better, but of a unit that ends with "/s" or begins with "ops/" more, unless it says which.
 * A time (ns us ms s min), a size (B kB MB GB TB) or a frequency (Hz kHz MHz GHz) is kept in ns, bytes or Hz; any other unit is a word.
 *
 * Does not start the command and does not know which names are taken.
 * Ownership: all is the arena's, or points into the text, which must live as long.
 */
#ifndef OWN_METRIC_H
#define OWN_METRIC_H

#include "pattern.h"
#include "record.h"
#include <stdbool.h>

enum own_kind { OWN_REGEX, OWN_COMMAND, OWN_RESULT, OWN_COUNTER };

struct own_metric {
    enum own_kind kind;
    const char *name;
    const char *unit;  /* as recorded: "ns", "bytes", "Hz", "1" or the user's word */
    const char *given; /* as the user wrote it; "" for none */
    double factor;     /* of a number without a unit of its own */
    enum metric_direction direction;
    bool direction_given;     /* of a counter: by the user */
    const char *text;         /* the pattern, the command, the name in the file, or the counter's name */
    struct pattern *pattern;  /* OWN_REGEX */
    const char *const *words; /* OWN_COMMAND: what is executed, closed by NULL; set by the caller */
};

enum { OWN_METRICS_MAX = 16, OWN_NAME_BYTES = 40, OWN_UNIT_BYTES = 16 };

/* Whether the word is meant as one: "regex:...", "cmd:..." or "result:...". */
bool own_metric_is(const char *text);

/* INVALID: err is one line that names the word. NO_MEMORY. */
enum tare_status own_metric_parse(struct own_metric *out, const char *text, struct arena *a, struct tare_err *err);
/* NAME[:higher|lower]: a counter of that name. Which is better is known of names that end with "/op", "/s" and "_per_second", and else lower. The same
 * errors. */
enum tare_status own_metric_counter(struct own_metric *out, const char *text, struct arena *a, struct tare_err *err);

/* One decimal number, alone but for blanks around it: sign, digits with a point, exponent; behind it, after a blank or at once, nothing, a unit of
 * the metric's scale ("ms" where it is a time), or one of k K M G T P (10^3 ...), Ki Mi Gi Ti Pi (2^10 ...), m u µ n
 * (10^-3 ...) and the metric's unit, each of them or both. Not: nan, inf, hexadecimal, signs that group digits.
 * *step: what its last digit counts in, in the metric's unit; 0: it is a count in ones (or bytes), which is exact. */
bool own_number(const struct own_metric *m, const char *text, size_t n, double *out, double *step);

/* Whether a scale or a unit that is not counted comes first in what follows a number: "k", " MB", "GiB", " ms", "%", " req/s". */
bool own_scaled_behind(const char *rest, size_t n);

#endif
