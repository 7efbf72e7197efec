/* SPDX-License-Identifier: MIT */
#include "same_record.h"
#include "leak_target.h"
#include "record_arcs.h"
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void same_text(const char *a, const char *b, const char *what)
{
    if (!a != !b || (a && strcmp(a, b)))
        fail_msg("%s: '%s' and '%s'", what, a ? a : "(null)", b ? b : "(null)");
}

static void same_number(double a, double b, const char *what)
{
    if (a != b && !(isnan(a) && isnan(b)))
        fail_msg("%s: %.17g and %.17g", what, a, b);
}

#define TEXT(member)   same_text(a->member, b->member, #member)
#define NUMBER(member) same_number((double)a->member, (double)b->member, #member)

static void same_words(const char *const *a, const char *const *b, const char *what)
{
    assert_true(!a == !b);
    int i = 0;
    for (; a && a[i]; i++)
        same_text(a[i], b[i], what);
    assert_true(!b || !b[i]);
}

static void same_facts(const struct facts *x, const struct facts *y)
{
    assert_int_equal(x->n, y->n);
    for (int i = 0; i < x->n; i++) {
        const struct fact *a = &x->items[i], *b = &y->items[i];
        TEXT(key);
        TEXT(text);
        NUMBER(number);
        TEXT(reason);
    }
}

static void same_rule(const struct rule *a, const struct rule *b)
{
    NUMBER(method);
    TEXT(metric);
    NUMBER(confidence);
    NUMBER(precision);
    NUMBER(margin);
    TEXT(margin_unit);
    NUMBER(spending);
    NUMBER(n_looks);
    for (int i = 0; i < a->n_looks; i++) {
        NUMBER(look_at[i]);
        NUMBER(look_level[i]);
        NUMBER(look_share[i]);
    }
    NUMBER(interleaved);
    NUMBER(against_itself);
    NUMBER(fail_if_slower);
    TEXT(leaks.kind);
    TEXT(leaks.cache);
    NUMBER(leaks.alpha);
    NUMBER(leaks.advantage);
    NUMBER(leaks.exact);
    NUMBER(leaks.strict);
    NUMBER(leaks.noise);
    NUMBER(leaks.dit);
    NUMBER(leaks.selfcheck);
    NUMBER(leaks.max_calls);
    NUMBER(leaks.latency_ns);
    NUMBER(leaks.dudect);
    NUMBER(leaks.measurements);
    NUMBER(leaks.drop);
    NUMBER(leaks.percentiles);
    NUMBER(leaks.order);
    NUMBER(leaks.threshold);
    NUMBER(reference);
    NUMBER(on_dirty);
    NUMBER(georges_runs);
    NUMBER(georges_min);
}

static void same_subject(const struct subject *a, const struct subject *b)
{
    NUMBER(kind);
    TEXT(name);
    TEXT(command);
    same_words(a->argv, b->argv, "argv");
    NUMBER(shell);
    NUMBER(anchor);
    TEXT(setup);
    TEXT(prepare);
    TEXT(conclude);
    TEXT(cleanup);
    TEXT(remark);
    TEXT(label);
    TEXT(version);
    NUMBER(complexity);
    NUMBER(n_parameters);
    for (int i = 0; i < a->n_parameters; i++) {
        TEXT(parameters[i].name);
        TEXT(parameters[i].value);
    }
}

static void same_rows(const struct rows *a, const struct rows *b, int n_columns)
{
    NUMBER(n);
    for (int i = 0; i < a->n; i++) {
        NUMBER(round[i]);
        NUMBER(slot[i]);
        assert_true(a->start_ns[i] == b->start_ns[i]);
        NUMBER(flags[i]);
        for (int column = 0; column < n_columns; column++)
            NUMBER(value[column][i]);
    }
}

static void same_count(const struct count *a, const struct count *b)
{
    TEXT(name);
    TEXT(unit);
    NUMBER(per);
    NUMBER(inverted);
    NUMBER(n);
    for (int i = 0; i < a->n; i++) {
        NUMBER(round[i]);
        NUMBER(value[i]);
    }
}

static void same_series(const struct series *a, const struct series *b)
{
    NUMBER(look.number);
    NUMBER(look.rounds);
    NUMBER(look.level);
    NUMBER(look.share);
    NUMBER(subject);
    NUMBER(n_columns);
    for (int i = 0; i < a->n_columns; i++)
        TEXT(columns[i]);
    same_rows(&a->main, &b->main, a->n_columns);
    same_rows(&a->warmup, &b->warmup, a->n_columns);
    same_rows(&a->replaced, &b->replaced, a->n_columns);
    NUMBER(n_counts);
    for (int i = 0; i < a->n_counts; i++)
        same_count(&a->counts[i], &b->counts[i]);
}

static void same_estimate(const struct estimate *a, const struct estimate *b)
{
    NUMBER(subject);
    TEXT(metric);
    TEXT(statistic);
    TEXT(method);
    NUMBER(point);
    NUMBER(low);
    NUMBER(high);
    NUMBER(confidence);
    NUMBER(level);
    NUMBER(n);
    NUMBER(n_effective);
    TEXT(reason);
}

static void same_comparison(const struct comparison *a, const struct comparison *b)
{
    NUMBER(reference);
    NUMBER(subject);
    TEXT(metric);
    NUMBER(kind);
    NUMBER(shift);
    NUMBER(low);
    NUMBER(high);
    NUMBER(mean_ratio);
    NUMBER(mean_low);
    NUMBER(mean_high);
    NUMBER(confidence);
    NUMBER(level);
    NUMBER(look);
    NUMBER(looks_planned);
    NUMBER(share);
    NUMBER(effective_rounds);
    NUMBER(widened);
    NUMBER(margin);
    NUMBER(verdict);
    NUMBER(beyond_margin);
    NUMBER(sign_proven);
    NUMBER(better);
    NUMBER(rounds);
    NUMBER(seconds);
    NUMBER(slot_effect);
    NUMBER(slot_p);
    NUMBER(rounds_needed);
    NUMBER(reference_rounds);
    NUMBER(assumed_no_drift);
    NUMBER(by_anchor);
    NUMBER(arc);
    NUMBER(reference_arc);
    TEXT(reason);
}

static void same_site(const struct leak_site *a, const struct leak_site *b)
{
    TEXT(kind);
    TEXT(file);
    TEXT(function);
    TEXT(object);
    NUMBER(line);
    NUMBER(count);
}

static void same_leak_target(const struct leak_target *one, const struct leak_target *other)
{
    struct leak_target first = *one, second = *other, *a = &first, *b = &second;
    NUMBER(subject);
    NUMBER(verdict);
    NUMBER(exact);
    NUMBER(decided);
    for (int i = 0; leak_figure_at(i); i++)
        same_number(*leak_figure_of(a, leak_figure_at(i)), *leak_figure_of(b, leak_figure_at(i)), leak_figure_at(i)->id);
    for (int i = 0; leak_text_at(i); i++)
        same_text(*leak_text_of(a, leak_text_at(i)), *leak_text_of(b, leak_text_at(i)), leak_text_at(i)->id);
    NUMBER(n_taint_sites);
    for (int i = 0; i < a->n_taint_sites; i++)
        same_site(&a->taint_sites[i], &b->taint_sites[i]);
    NUMBER(n_places);
    NUMBER(n_sizes);
    NUMBER(n_shift);
    for (int i = 0; i < a->n_places; i++) {
        NUMBER(places[i].cpu);
        NUMBER(places[i].ns);
        NUMBER(places[i].low_ns);
        NUMBER(places[i].high_ns);
    }
    for (int i = 0; i < a->n_sizes; i++) {
        NUMBER(sizes[i].second);
        NUMBER(sizes[i].clip);
        NUMBER(sizes[i].ns);
        NUMBER(sizes[i].cycles);
    }
    for (int i = 0; i < a->n_shift; i++) {
        NUMBER(shift[i].quantile);
        NUMBER(shift[i].ns);
        NUMBER(shift[i].low_ns);
        NUMBER(shift[i].high_ns);
    }
}

static void same_finding(const struct finding *a, const struct finding *b)
{
    TEXT(id);
    NUMBER(severity);
    NUMBER(subject);
    TEXT(text);
    TEXT(advice);
    TEXT(detail);
    NUMBER(weight);
    NUMBER(trend);
}

static void same_timeline(const struct timeline *a, const struct timeline *b)
{
    NUMBER(subject);
    NUMBER(start_ns);
    NUMBER(wall_ns);
    TEXT(exit_status);
    NUMBER(period_ns);
    NUMBER(rss_peak);
    NUMBER(rss_peak_ns);
    NUMBER(largest_process);
    NUMBER(processes);
    TEXT(heap_reason);
    NUMBER(heap_peak);
    NUMBER(heap_peak_ns);
    NUMBER(heap_peak_exact);
    NUMBER(heap_left);
    NUMBER(allocations);
    NUMBER(reallocations);
    NUMBER(frees);
    NUMBER(failures);
    NUMBER(allocated_bytes);
    NUMBER(unwatched);
    NUMBER(left_count);
    NUMBER(n);
    for (int i = 0; i < a->n; i++) {
        NUMBER(at_ns[i]);
        NUMBER(rss[i]);
        NUMBER(heap[i]);
    }
}

#define WHOLE(member)           \
    if (a->member != b->member) \
    fail_msg("%s: %lld and %lld", #member, (long long)a->member, (long long)b->member)

static void same_point(const struct point *a, const struct point *b)
{
    NUMBER(subject);
    NUMBER(kind);
    TEXT(file);
    TEXT(func);
    TEXT(name);
    NUMBER(line);
    NUMBER(group);
    NUMBER(partner);
}

static void same_traced_run(const struct traced_run *a, const struct traced_run *b)
{
    NUMBER(subject);
    NUMBER(round);
    TEXT(clock);
    TEXT(order);
    NUMBER(hz);
    NUMBER(step);
    NUMBER(repeat);
    NUMBER(processes);
    NUMBER(threads);
    WHOLE(events);
    NUMBER(degraded);
    NUMBER(burst);
    NUMBER(weight);
    NUMBER(weight_sd);
    WHOLE(weight_rows);
    NUMBER(residual_ppm);
    NUMBER(jumps);
    NUMBER(steps);
    NUMBER(jump_ns);
    NUMBER(step_ns);
    NUMBER(span_ns);
    TEXT(lost);
    NUMBER(n_passes);
    for (int i = 0; i < a->n_passes; i++) {
        NUMBER(passes[i].point);
        WHOLE(passes[i].n);
    }
}

static void same_traced_arc(const struct traced_arc *a, const struct traced_arc *b)
{
    NUMBER(run);
    NUMBER(from);
    NUMBER(to);
    WHOLE(passes);
    WHOLE(n);
    WHOLE(sum);
    WHOLE(square_low);
    WHOLE(square_high);
    WHOLE(min);
    WHOLE(max);
    WHOLE(clean_n);
    WHOLE(clean_sum);
    WHOLE(gaps);
    WHOLE(gap_units);
    WHOLE(migrated);
    WHOLE(handlers);
    WHOLE(nested);
    WHOLE(interrupted);
    WHOLE(backwards);
    NUMBER(estimated);
    NUMBER(n_bins);
    for (int i = 0; i < a->n_bins; i++) {
        NUMBER(bins[i].bin);
        WHOLE(bins[i].n);
    }
}

static void same_arc_result(const struct arc_result *a, const struct arc_result *b)
{
    NUMBER(subject);
    NUMBER(from);
    NUMBER(to);
    NUMBER(runs);
    NUMBER(runs_passed);
    NUMBER(below_resolution);
    NUMBER(whole);
    TEXT(reason);
#define FIGURE(id, unknown, meaning) NUMBER(id);
#define COUNT(id, meaning)           WHOLE(id);
#include "arc_figures.def"
}

static void same_traced(const struct traced *x, const struct traced *y)
{
    static const struct traced none;
    const struct traced *a = x ? x : &none, *b = y ? y : &none;
    NUMBER(n_points);
    for (int i = 0; i < a->n_points; i++)
        same_point(&a->points[i], &b->points[i]);
    NUMBER(n_runs);
    for (int i = 0; i < a->n_runs; i++)
        same_traced_run(&a->runs[i], &b->runs[i]);
    NUMBER(n_arcs);
    for (int i = 0; i < a->n_arcs; i++)
        same_traced_arc(&a->arcs[i], &b->arcs[i]);
    NUMBER(n_results);
    for (int i = 0; i < a->n_results; i++)
        same_arc_result(&a->results[i], &b->results[i]);
}

static void same_metric(const struct metric *a, const struct metric *b)
{
    TEXT(id);
    TEXT(title);
    TEXT(unit);
    NUMBER(kind);
    NUMBER(direction);
}

void assert_same_record(const struct record *a, const struct record *b)
{
    TEXT(tool_version);
    same_words(a->argv, b->argv, "argv");
    assert_true(a->seed == b->seed);
    assert_true(a->start_utc_ns == b->start_utc_ns);
    same_rule(&a->rule, &b->rule);
    same_facts(&a->machine, &b->machine);
    same_facts(&a->before, &b->before);
    same_facts(&a->after, &b->after);
    same_facts(&a->build, &b->build);
    NUMBER(n_metrics);
    for (int i = 0; i < a->n_metrics; i++)
        same_metric(&a->metrics[i], &b->metrics[i]);
    NUMBER(n_subjects);
    for (int i = 0; i < a->n_subjects; i++) {
        same_subject(&a->subjects[i], &b->subjects[i]);
        same_series(&a->series[i], &b->series[i]);
    }
    NUMBER(n_estimates);
    for (int i = 0; i < a->n_estimates; i++)
        same_estimate(&a->estimates[i], &b->estimates[i]);
    NUMBER(n_comparisons);
    for (int i = 0; i < a->n_comparisons; i++)
        same_comparison(&a->comparisons[i], &b->comparisons[i]);
    NUMBER(n_findings);
    for (int i = 0; i < a->n_findings; i++)
        same_finding(&a->findings[i], &b->findings[i]);
    NUMBER(n_leak_targets);
    for (int i = 0; i < a->n_leak_targets; i++)
        same_leak_target(&a->leak_targets[i], &b->leak_targets[i]);
    NUMBER(n_timelines);
    for (int i = 0; i < a->n_timelines; i++)
        same_timeline(&a->timelines[i], &b->timelines[i]);
    same_traced(a->traced, b->traced);
    NUMBER(seconds);
    NUMBER(look);
    NUMBER(rounds);
    TEXT(ended);
    NUMBER(partial);
}
