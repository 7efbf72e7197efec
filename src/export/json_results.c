/* SPDX-License-Identifier: MIT */
#include "causes.h"
#include "json_parts.h"
#include "record_fields.h"
#include "results.h"

void json_parameters(struct json_write *j, const char *key, const struct subject *s)
{
    json_object(j, key);
    for (int i = 0; i < s->n_parameters; i++)
        json_string(j, s->parameters[i].name, s->parameters[i].value);
    json_end(j);
}

void json_numbers(struct json_write *j, const char *key, const double *values, int n)
{
    int indent = j->indent;
    json_array(j, key);
    j->indent = 0;
    for (int i = 0; i < n; i++)
        json_number(j, NULL, values[i]);
    json_end(j);
    j->indent = indent;
}

const char *const json_median_keys[3] = {"median", "low", "high"};

void json_interval(struct json_write *j, const struct record *r, int subject, const char *metric, const char *statistic,
                   const char *const keys[3])
{
    json_number(j, keys[0], record_point(r, subject, metric, statistic));
    json_number(j, keys[1], results_low(r, subject, metric, statistic));
    json_number(j, keys[2], results_high(r, subject, metric, statistic));
}

enum column_form { AS_IS, AS_SECONDS };

/* All on one line: a thousand runs are to be read by programs. */
static void column(struct json_write *j, struct export_out *out, const char *key, const struct series *s, const struct rows *rows,
                   const char *id, enum column_form form)
{
    int at = series_column(s, id), indent = j->indent;
    json_array(j, key);
    j->indent = 0;
    for (int i = 0; at >= 0 && i < rows->n; i++) {
        json_number(j, NULL, form == AS_SECONDS ? rows->value[at][i] / 1e9 : rows->value[at][i]);
        export_out_pass(out);
    }
    json_end(j);
    j->indent = indent;
}

/* The words of each run's flags. */
static void flags(struct json_write *j, struct export_out *out, const struct rows *rows)
{
    int indent = j->indent;
    json_array(j, "flags");
    j->indent = 0;
    for (int i = 0; i < rows->n; i++) {
        json_array(j, NULL);
        for (int bit = 0; bit < 31; bit++)
            if (rows->flags[i] >> bit & 1 && row_flag_name((enum row_flag)(1 << bit)))
                json_string(j, NULL, row_flag_name((enum row_flag)(1 << bit)));
        json_end(j);
        export_out_pass(out);
    }
    json_end(j);
    j->indent = indent;
}

static void seconds(struct json_write *j, const char *key, double ns)
{
    json_number(j, key, ns / 1e9);
}

static void hyperfine_members(struct json_write *j, struct export_out *out, const struct record *r, int subject)
{
    const struct series *s = &r->series[subject];
    json_bytes(j, "command", r->subjects[subject].name);
    seconds(j, "mean", record_point(r, subject, results_time(r), "mean"));
    seconds(j, "stddev", record_point(r, subject, results_time(r), "stddev"));
    seconds(j, "median", record_point(r, subject, results_time(r), "median"));
    seconds(j, "user", record_point(r, subject, "user", "mean"));
    seconds(j, "system", record_point(r, subject, "sys", "mean"));
    seconds(j, "min", record_point(r, subject, results_time(r), "min"));
    seconds(j, "max", record_point(r, subject, results_time(r), "max"));
    column(j, out, "times", s, &s->main, results_time(r), AS_SECONDS);
    column(j, out, "memory_usage_byte", s, &s->main, "rss", AS_IS);
    column(j, out, "exit_codes", s, &s->main, "exit", AS_IS);
}

/* Only where they were asked for. */
static void percentiles(struct json_write *j, const struct record *r, int subject, const char *metric)
{
    static const char *const names[] = {"p1", "p5", "p25", "p50", "p75", "p90", "p95", "p99"};
    if (!record_estimate(r, subject, metric, names[0]))
        return;
    json_object(j, "percentiles");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct estimate *e = record_estimate(r, subject, metric, names[i]);
        json_object(j, names[i]);
        json_interval(j, r, subject, metric, names[i], (const char *const[]){"value", "low", "high"});
        json_string(j, "reason", e ? e->reason : NULL);
        json_end(j);
    }
    json_end(j);
}

/* Of a benchmark, with them: its single samples. */
static void sample_percentiles(struct json_write *j, const struct record *r, int subject, const char *metric)
{
    static const char *const names[] = {"min", "p1", "p5", "p25", "p50", "p75", "p90", "p95", "p99", "max", "iterations"};
    const struct estimate *first = record_estimate(r, subject, metric, "sample_min");
    if (!first)
        return;
    json_object(j, "sample_percentiles");
    json_number(j, "n", first->n);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char room[32];
        buf_print(room, sizeof room, "sample_%s", names[i]);
        json_number(j, names[i], record_point(r, subject, metric, room));
    }
    json_end(j);
}

static void metric(struct json_write *j, struct export_out *out, const struct record *r, int subject, const struct metric *m)
{
    const struct series *s = &r->series[subject];
    const struct estimate *median = record_estimate(r, subject, m->id, "median");
    json_object(j, m->id);
    json_string(j, "unit", m->unit);
    json_interval(j, r, subject, m->id, "median", json_median_keys);
    json_number(j, "mean", record_point(r, subject, m->id, "mean"));
    json_string(j, "reason", median ? median->reason : "not computed");
    percentiles(j, r, subject, m->id);
    sample_percentiles(j, r, subject, m->id);
    column(j, out, "values", s, &s->main, m->id, AS_IS);
    json_end(j);
}

static void cause_member(struct json_write *j, const struct record *r, int subject, const struct cause *c)
{
    json_object(j, c->word);
    json_number(j, "count", results_account_runs(r, subject, c->word));
    if (cause_column(c)) {
        json_number(j, "total_ns", results_account(r, subject, c->word, "_ns"));
        json_number(j, "time_share", results_account(r, subject, c->word, "_time_share"));
        json_number(j, "variance_share", results_account(r, subject, c->word, "_variance_share"));
    }
    json_end(j);
}

static void interval_member(struct json_write *j, const struct record *r, int subject, const char *key, const char *metric,
                            const char *statistic)
{
    const struct estimate *e = record_estimate(r, subject, metric, statistic);
    if (!e) {
        json_null(j, key);
        return;
    }
    json_object(j, key);
    record_fields_pick(j, estimate_fields, "point low high n", e);
    json_end(j);
}

/* null where no account was kept. */
static void causes(struct json_write *j, const struct record *r, int subject)
{
    const struct cause *c;
    const char *metric = r->rule.metric;
    if (!record_estimate(r, subject, "wall", "disturbed_runs")) {
        json_null(j, "causes");
        return;
    }
    json_object(j, "causes");
    json_number(j, "disturbed_runs", results_account_runs(r, subject, "disturbed"));
    json_number(j, "unseen_runs", results_account_runs(r, subject, "unseen"));
    json_number(j, "explained_variance_share", results_account(r, subject, "explained", "_variance_share"));
    for (int i = 0; (c = cause_at(i)); i++)
        cause_member(j, r, subject, c);
    interval_member(j, r, subject, "clean_median", metric, "clean_median");
    interval_member(j, r, subject, "clean_mean", metric, "clean_mean");
    interval_member(j, r, subject, "frequency_exponent", "cpu", "frequency_exponent");
    interval_member(j, r, subject, "cpu_median_at_frequency", "cpu", "median_at_frequency");
    json_integer(j, "rounds_made_again", r->series[subject].replaced.n);
    json_end(j);
}

void json_anchor(struct json_write *j, const struct record *r, int subject)
{
    if (r->subjects[subject].anchor)
        json_bool(j, "anchor", true);
    else if (record_anchors(r))
        interval_member(j, r, subject, STATISTIC_OF_ANCHOR, r->rule.metric, STATISTIC_OF_ANCHOR);
}

static void result(struct json_write *j, struct export_out *out, const struct record *r, int subject)
{
    const struct series *s = &r->series[subject];
    json_object(j, NULL);
    hyperfine_members(j, out, r, subject);
    if (r->subjects[subject].n_parameters) /* absent without, as in hyperfine */
        json_parameters(j, "parameters", &r->subjects[subject]);
    seconds(j, "median_low", results_low(r, subject, results_time(r), "median"));
    seconds(j, "median_high", results_high(r, subject, results_time(r), "median"));
    seconds(j, "mean_low", results_low(r, subject, results_time(r), "mean"));
    seconds(j, "mean_high", results_high(r, subject, results_time(r), "mean"));
    json_integer(j, "runs", s->main.n);
    json_anchor(j, r, subject);
    flags(j, out, &s->main);
    causes(j, r, subject);
    seconds(j, "first_run", results_first_run_ns(s));
    column(j, out, "warmup", s, &s->warmup, results_time(r), AS_SECONDS);
    json_object(j, "metrics");
    for (int i = 0; i < r->n_metrics; i++)
        if (series_column(s, r->metrics[i].id) >= 0)
            metric(j, out, r, subject, &r->metrics[i]);
    json_end(j);
    json_end(j);
}

void json_subject(struct json_write *j, const char *key, const struct record *r, int subject)
{
    if (subject < 0)
        json_null(j, key);
    else
        json_bytes(j, key, r->subjects[subject].name);
}

/* The end of a ratio from that of its logarithm; none where the interval is open. */
static double ratio_of(const struct comparison *c, double logarithm)
{
    return results_by_difference(c) || !isfinite(logarithm) ? NAN : exp(logarithm);
}

static double difference_of(const struct comparison *c, double value)
{
    return results_by_difference(c) ? value : NAN;
}

/* How far the sessions or nodes behind it differ, and where one more of them would lie. */
static void between(struct json_write *j, const struct record *r, const struct comparison *c)
{
    const struct estimate *another = record_estimate(r, c->subject, c->metric, STATISTIC_OF_ANOTHER);
    if (!another || c->reference_rounds) /* of two sets it would be that of one */
        return;
    json_object(j, "between");
    json_number(j, "sd", record_point(r, c->subject, c->metric, STATISTIC_OF_SHIFTS));
    json_number(j, "tau", record_point(r, c->subject, c->metric, STATISTIC_OF_TAU));
    json_number(j, "i_squared", record_point(r, c->subject, c->metric, STATISTIC_OF_SHARE));
    json_number(j, "another_low", results_by_difference(c) ? another->low : ratio_of(c, another->low));
    json_number(j, "another_high", results_by_difference(c) ? another->high : ratio_of(c, another->high));
    json_end(j);
}

/* What the rounds had each, where they are too few for an interval. */
static void observed(struct json_write *j, const struct record *r, const struct comparison *c)
{
    const struct observed o = comparison_observed(r, c);
    if ((isfinite(c->low) && isfinite(c->high)) || c->verdict == VERDICT_INVALID || !o.n)
        return;
    json_object(j, "observed");
    json_number(j, "low", o.low);
    json_number(j, "high", o.high);
    json_integer(j, "rounds", o.n);
    json_end(j);
}

static void comparison(struct json_write *j, const struct record *r, const struct comparison *c)
{
    static const char looks[] =
        "mean_ratio mean_ratio_low=mean_low mean_ratio_high=mean_high confidence level look looks_planned "
        "looks=look";
    static const char verdict[] = "margin verdict beyond_margin sign_proven";
    static const char rounds[] = "rounds rounds_needed seconds";
    static const char slots[] = "slot_effect slot_p reason";
    json_object(j, NULL);
    json_subject(j, "reference", r, c->reference);
    json_subject(j, "command", r, c->subject);
    json_subject(j, "subject", r, c->subject);
    json_string(j, "kind", subject_kind_name(r->subjects[c->subject].kind));
    json_string(j, "metric", c->metric);
    if (c->arc)
        json_arc_ends(j, r, c->arc - 1);
    json_number(j, "ratio", ratio_of(c, c->shift));
    json_number(j, "ratio_low", ratio_of(c, c->low));
    json_number(j, "ratio_high", ratio_of(c, c->high));
    json_number(j, "difference", results_difference(r, c));
    json_number(j, "difference_low", difference_of(c, c->low));
    json_number(j, "difference_high", difference_of(c, c->high));
    observed(j, r, c);
    between(j, r, c);
    record_fields_pick(j, comparison_fields, looks, c);
    json_number(j, "share", c->share > 0 ? c->share : NAN);
    record_fields_pick(j, comparison_fields, verdict, c);
    json_subject(j, "better", r, c->better);
    record_fields_pick(j, comparison_fields, rounds, c);
    json_unsigned(j, "seed", r->seed);
    json_string(j, "order", c->reference_rounds ? "sessions" : r->rule.interleaved ? "interleaved" : "blocks");
    if (c->reference_rounds) {
        json_integer(j, "reference_rounds", c->reference_rounds);
        json_bool(j, "assumed_no_drift", c->assumed_no_drift);
        json_bool(j, "by_anchor", c->by_anchor);
    }
    record_fields_pick(j, comparison_fields, slots, c);
    json_end(j);
}

void json_results(struct json_write *j, struct export_out *out, const struct record *r, const int *order)
{
    json_array(j, "results");
    for (; *order >= 0; order++)
        result(j, out, r, *order);
    json_end(j);
    json_array(j, "comparisons");
    for (int i = 0; i < r->n_comparisons; i++) {
        comparison(j, r, &r->comparisons[i]);
        export_out_pass(out);
    }
    json_end(j);
}
