/* SPDX-License-Identifier: MIT
 * command,mean,stddev,median,user,system,min,max,parameter_n,median_low,...
 * grep foo,0.0123,0.0002,0.0122,0.011,0.001,0.0119,0.0131,1,0.01215,...
 *
 * Times in seconds. Quoting as in RFC 4180; lines end in one line feed, as hyperfine's do. */
#include "export_kind.h"
#include "export_out.h"
#include "quote.h"
#include "results.h"

struct csv {
    struct export_out out;
    bool in_line;
};

static void separate(struct csv *c)
{
    if (c->in_line)
        buf_char(&c->out.text, ',');
    c->in_line = true;
}

static void end_line(struct csv *c)
{
    buf_char(&c->out.text, '\n');
    c->in_line = false;
    export_out_pass(&c->out);
}

static void text(struct csv *c, const char *prefix, const char *value)
{
    separate(c);
    quote_csv(&c->out.text, prefix, value);
}

static void number(struct csv *c, double value)
{
    separate(c);
    if (isfinite(value))
        buf_format(&c->out.text, "%g", value);
}

static void seconds(struct csv *c, double ns)
{
    number(c, ns / 1e9);
}

static const char *const hyperfine_columns[] = {"command", "mean", "stddev", "median", "user", "system", "min", "max"};
static const char *const own_columns[] = {
    "median_low", "median_high", "mean_low",  "mean_high",  "runs",       "first_run",      "peak_rss_bytes",  "metric",
    "reference",  "ratio",       "ratio_low", "ratio_high", "difference", "difference_low", "difference_high", "verdict"};

/* Only where the session has one. */
static const char *const anchor_columns[] = {STATISTIC_OF_ANCHOR, STATISTIC_OF_ANCHOR "_low", STATISTIC_OF_ANCHOR "_high"};

static void heading(struct csv *c, const struct record *r, const char *const *parameters)
{
    for (size_t i = 0; i < sizeof hyperfine_columns / sizeof *hyperfine_columns; i++)
        text(c, "", hyperfine_columns[i]);
    for (; *parameters; parameters++)
        text(c, "parameter_", *parameters);
    for (size_t i = 0; i < sizeof own_columns / sizeof *own_columns; i++)
        text(c, "", own_columns[i]);
    for (size_t i = 0; i < sizeof anchor_columns / sizeof *anchor_columns && record_anchors(r); i++)
        text(c, "", anchor_columns[i]);
    end_line(c);
}

static void hyperfine_fields(struct csv *c, const struct record *r, int subject)
{
    text(c, "", r->subjects[subject].name);
    seconds(c, record_point(r, subject, results_time(r), "mean"));
    seconds(c, record_point(r, subject, results_time(r), "stddev"));
    seconds(c, record_point(r, subject, results_time(r), "median"));
    seconds(c, record_point(r, subject, "user", "mean"));
    seconds(c, record_point(r, subject, "sys", "mean"));
    seconds(c, record_point(r, subject, results_time(r), "min"));
    seconds(c, record_point(r, subject, results_time(r), "max"));
}

static void comparison_fields(struct csv *c, const struct record *r, const struct comparison *k)
{
    bool ratio = k && !results_by_difference(k), difference = k && !ratio;
    text(c, "", r->rule.metric);
    text(c, "", k ? r->subjects[k->reference].name : NULL);
    number(c, ratio ? exp(k->shift) : NAN);
    number(c, ratio && isfinite(k->low) ? exp(k->low) : NAN);
    number(c, ratio && isfinite(k->high) ? exp(k->high) : NAN);
    number(c, k ? results_difference(r, k) : NAN);
    number(c, difference ? k->low : NAN);
    number(c, difference ? k->high : NAN);
    text(c, "", k ? verdict_name(k->verdict) : NULL);
}

static void line(struct csv *c, const struct record *r, int subject, const char *const *parameters)
{
    hyperfine_fields(c, r, subject);
    for (; *parameters; parameters++)
        text(c, "", subject_parameter(&r->subjects[subject], *parameters));
    seconds(c, results_low(r, subject, results_time(r), "median"));
    seconds(c, results_high(r, subject, results_time(r), "median"));
    seconds(c, results_low(r, subject, results_time(r), "mean"));
    seconds(c, results_high(r, subject, results_time(r), "mean"));
    number(c, r->series[subject].main.n);
    seconds(c, results_first_run_ns(&r->series[subject]));
    number(c, record_point(r, subject, "rss", "median"));
    comparison_fields(c, r, results_comparison(r, subject));
    if (record_anchors(r)) {
        number(c, record_point(r, subject, r->rule.metric, STATISTIC_OF_ANCHOR));
        number(c, results_low(r, subject, r->rule.metric, STATISTIC_OF_ANCHOR));
        number(c, results_high(r, subject, r->rule.metric, STATISTIC_OF_ANCHOR));
    }
    end_line(c);
}

enum tare_status table_csv_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                                 struct tare_err *err)
{
    (void)o; /* neither unit nor order: a file for programs has one form */
    struct arena arena = {0};
    struct csv c = {.in_line = false};
    export_out_begin(&c.out, sink, err);
    const int *order = results_order(r, false, &arena);
    const char *const *parameters = results_parameters(r, &arena);
    if (order && parameters) {
        heading(&c, r, parameters);
        for (; *order >= 0; order++)
            line(&c, r, *order, parameters);
    } else {
        c.out.status = err_no_memory(err);
    }
    arena_finish(&arena);
    return export_out_end(&c.out);
}
