/* SPDX-License-Identifier: MIT
 *
 * Pages and pictures of records whose texts are markup: no name, fact, remark or unit of others becomes an element or an attribute. */
#include "chart.h"
#include "export.h"
#include "leak_target.h"
#include "random_record.h"
#include "record_arcs.h"
#include "sink.h"
#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char hostile[] = "</title></script></style>--><evil evil=\"1\"'><!--&evil;]]> \" evil=1 ' evil=1";

/* ---- records of nothing else ---- */

static void spoil_facts(struct facts *f)
{
    for (int i = 0; i < f->n; i++) {
        f->items[i].key = hostile;
        f->items[i].text = f->items[i].text ? hostile : NULL;
        f->items[i].reason = hostile;
    }
}

static void spoil_subjects(struct record *r)
{
    static const struct parameter parameters[] = {{hostile, hostile}};
    for (int i = 0; i < r->n_subjects; i++) {
        struct subject *s = &r->subjects[i];
        s->name = s->command = s->program = s->benchmark = s->group = s->version = s->remark = s->label = hostile;
        s->parameters = parameters;
        s->n_parameters = 1;
    }
}

static void spoil_results(struct record *r)
{
    for (int i = 0; i < r->n_metrics; i++)
        r->metrics[i].title = r->metrics[i].unit = hostile;
    for (int i = 0; i < r->n_estimates; i++)
        r->estimates[i].reason = hostile;
    for (int i = 0; i < r->n_comparisons; i++)
        r->comparisons[i].reason = hostile;
    for (int i = 0; i < r->n_findings; i++) {
        struct finding *f = &r->findings[i];
        f->id = f->text = f->advice = f->detail = hostile;
    }
    for (int i = 0; i < r->n_leak_targets; i++)
        for (int k = 0; leak_text_at(k); k++)
            *leak_text_of(&r->leak_targets[i], leak_text_at(k)) = hostile;
}

static void spoil_traces(struct record *r)
{
    static struct traced_stack stacks[] = {{-1, hostile, hostile, 100, 1}, {0, hostile, hostile, 60, 2}};
    for (int i = 0; r->traced && i < r->traced->n_points; i++) {
        struct point *p = &r->traced->points[i];
        p->file = p->func = p->name = hostile;
    }
    for (int i = 0; r->traced && i < r->traced->n_runs; i++)
        r->traced->runs[i].lost = r->traced->runs[i].clock = hostile;
    if (r->traced) {
        r->traced->stacks = stacks;
        r->traced->n_stacks = 2;
    }
}

static void spoil(struct record *r)
{
    static const char *const argv[] = {hostile, hostile, NULL};
    static const double x[] = {1, 2, 3}, y[] = {1, 3, 2};
    static const struct chart charts[] = {{.id = "a",
                                           .title = hostile,
                                           .says = hostile,
                                           .x_title = hostile,
                                           .y_title = hostile,
                                           .lines = {{hostile, CHART_POINTS, 3, x, y, NULL, NULL}},
                                           .n_lines = 1,
                                           .rules = {{2, hostile}},
                                           .n_rules = 1,
                                           .shaded = {1, 2, hostile}}};
    static const struct chart_fact facts[] = {{hostile, hostile}};
    static const struct chart_page page = {
        .heading = hostile, .verdict = hostile, .facts = facts, .n_facts = 1, .charts = charts, .n_charts = 1};
    r->argv = argv;
    r->tool_version = hostile;
    spoil_facts(&r->machine);
    spoil_facts(&r->before);
    spoil_facts(&r->after);
    spoil_facts(&r->build);
    spoil_subjects(r);
    spoil_results(r);
    spoil_traces(r);
    r->pages = &page;
    r->n_pages = 1;
}

/* ---- reading what was written ---- */

static void fail_at(const char *file, const char *text, const char *at)
{
    const ptrdiff_t before = at - text < 300 ? at - text : 300;
    fail_msg("%s: [%.*s] >>> [%.300s]", file, (int)before, at - before, at);
}

static size_t name_length(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || strchr("-:", at[n] ? at[n] : ' '))
        n++;
    return n;
}

static bool is(const char *at, size_t n, const char *word)
{
    return n == strlen(word) && !strncmp(at, word, n);
}

/* Behind the name of an element: attributes, each with a value in double quotation marks but for "open". */
static const char *read_attributes(const char *file, const char *text, const char *at)
{
    while (*at && *at != '>') {
        at += strspn(at, " \n");
        const size_t n = name_length(at);
        if (*at == '/' || *at == '>') {
            at += *at == '/';
            continue;
        }
        if (!n || is(at, n, "evil") || !strncmp(at, "on", 2) || (at[n] != '=' && !is(at, n, "open")))
            fail_at(file, text, at);
        at += n;
        if (*at != '=')
            continue;
        if (at[1] != '"')
            fail_at(file, text, at);
        at += 2 + strcspn(at + 2, "\"");
        at += *at == '"';
    }
    return at + (*at == '>');
}

static const char *read_entity(const char *file, const char *text, const char *at)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strncmp(at, known[i], strlen(known[i])))
            return at + strlen(known[i]);
    fail_at(file, text, at);
    return at;
}

/* Of a script and of rules of style everything up to their end. */
static const char *skip_raw(const char *at, const char *name, size_t n)
{
    const char *end = is(name, n, "script") ? "</script>" : is(name, n, "style") ? "</style>" : NULL;
    const char *found = end ? strstr(at, end) : at;
    return found ? found : at + strlen(at);
}

static void assert_is_ours(const char *file, const char *text)
{
    for (const char *at = text; *at;) {
        if (*at == '&') {
            at = read_entity(file, text, at);
            continue;
        }
        if (*at != '<') {
            at++;
            continue;
        }
        const bool closes = at[1] == '/', doctype = !strncmp(at, "<!DOCTYPE html>", 15);
        const char *name = at + 1 + closes;
        const size_t n = name_length(name);
        if (!doctype && (!n || is(name, n, "evil")))
            fail_at(file, text, at);
        at = doctype ? at + 15 : read_attributes(file, text, name + n);
        at = doctype || closes ? at : skip_raw(at, name, n);
    }
}

static void no_text_of_others_becomes_markup(void **state)
{
    (void)state;
    static const char *const formats[] = {"html", "svg"};
    int written = 0;
    for (uint64_t seed = 1; seed < 400; seed++)
        for (int k = 0; k < 4; k++) {
            struct record r = {0};
            struct tare_err err;
            struct buf text = BUF_INIT(1 << 24);
            struct sink sink = sink_to_buf(&text);
            random_record(&r, seed);
            const struct export_sessions all = {&r, 1};
            const struct export_options o = {.title = k % 2 ? hostile : NULL,
                                             .answer = hostile,
                                             .answer_narrow = hostile,
                                             .about = hostile,
                                             .phases = k > 1 ? all : (struct export_sessions){NULL, 0}};
            struct traced_stack *const stacks = r.traced ? r.traced->stacks : NULL;
            const int n_stacks = r.traced ? r.traced->n_stacks : 0;
            spoil(&r);
            if (k > 1) /* commands and the like have pages of their own kind */
                r.n_pages = 0;
            const char *format = formats[k % 2];
            if (!exporter_write(exporter_find(format), &r, &o, &sink, &err)) {
                assert_is_ours(format, buf_text(&text));
                written++;
            }
            if (r.traced) {
                r.traced->stacks = stacks;
                r.traced->n_stacks = n_stacks;
            }
            buf_finish(&text);
            record_finish(&r);
        }
    assert_true(written > 400);
}

/* Whether the page of two commands with such remarks has the advice below an answer. */
static bool page_advises(const char *answer, int remarks)
{
    static const char *const columns[] = {"wall"};
    struct record r;
    struct tare_err err;
    struct buf text = BUF_INIT(1 << 24);
    struct sink sink = sink_to_buf(&text);
    const struct export_options o = {.answer = answer};
    record_init(&r);
    assert_true(record_add_metric(&r, metric_builtin_find("wall")) >= 0);
    r.rule.metric = "wall";
    for (int i = 0; i < 2; i++) {
        const struct subject s = {.name = i ? "two" : "one", .command = "command", .reference = -1};
        const struct finding f = {.id = "drift",
                                  .subject = i,
                                  .text = i ? "changed by +3 %" : "changed by +2 %",
                                  .advice = "measure again",
                                  .weight = i};
        assert_int_equal(record_add_subject(&r, &s, columns, 1), i);
        if (i >= 2 - remarks)
            assert_true(record_add_finding(&r, &f) >= 0);
    }
    assert_int_equal(exporter_write(exporter_find("html"), &r, &o, &sink, &err), TARE_OK);
    const char *below = strstr(buf_text(&text), "</pre>");
    assert_non_null(below);
    const bool advises = strstr(below, "measure again");
    buf_finish(&text);
    record_finish(&r);
    return advises;
}

static void only_a_remark_that_the_answer_repeats_is_left_out(void **state)
{
    (void)state;
    assert_true(page_advises("one: 10 ms", 1));
    assert_false(page_advises("! drift (two): changed by +3 %; measure again", 1));
    assert_true(page_advises("changed by +3 %", 1));                               /* without what to do */
    assert_true(page_advises("! drift (two): changed by +3 %; measure again", 2)); /* of one of the two */
}

static void facts_have_names_of_their_own_and_what_is_printed_alike_is_no_change(void **state)
{
    (void)state;
    struct record r;
    struct buf text = BUF_INIT(1 << 24);
    struct sink sink = sink_to_buf(&text);
    record_init(&r);
    facts_add_number(&r, &r.before, "cpu_pressure_seconds", 41412.31);
    facts_add_number(&r, &r.after, "cpu_pressure_seconds", 41412.32);
    facts_add_text(&r, &r.after, "cpu_users", "none");
    facts_add_number(&r, &r.after, "cpu_users_seconds", 0.04);
    facts_add_number(&r, &r.machine, "memory_bytes", 4e9);
    assert_int_equal(exporter_write(exporter_find("html"), &r, &(struct export_options){.answer = ""}, &sink, NULL), TARE_OK);
    const char *after = strstr(buf_text(&text), "After, where it differs");
    assert_non_null(after);
    assert_null(strstr(after, "cpu pressure"));
    assert_non_null(strstr(after, ">cpu users</th>\n<td>none<"));
    assert_non_null(strstr(after, ">cpu users time</th>\n<td>40.00 ms<"));
    assert_non_null(strstr(buf_text(&text), ">memory</th>\n<td>4"));
    buf_finish(&text);
    record_finish(&r);
}

static void begin_with_one(struct record *r)
{
    static const char *const columns[] = {"wall"};
    record_init(r);
    assert_true(record_add_metric(r, metric_builtin_find("wall")) >= 0);
    r->rule.metric = "wall";
    assert_int_equal(record_add_subject(r, &(struct subject){.name = "one", .command = "command", .reference = -1}, columns, 1),
                     0);
}

/* The legend of what disturbed the runs says what its times are where it has times. */
static void times_of_causes_are_explained_where_there_are_some(void **state)
{
    (void)state;
    for (int timed = 0; timed < 2; timed++) {
        struct record r;
        struct buf text = BUF_INIT(1 << 24);
        struct sink sink = sink_to_buf(&text);
        begin_with_one(&r);
        for (int i = 0; i < 10; i++)
            assert_int_equal(record_append_row(&r, 0, &(struct row){.round = i, .values = (double[]){1e6 + i}}), TARE_OK);
        struct estimate e = {.metric = "wall", .statistic = "disturbed_runs", .n = 10, .point = 3, .low = NAN, .high = NAN};
        assert_true(record_add_estimate(&r, &e) >= 0);
        e.statistic = "preempted_runs";
        assert_true(record_add_estimate(&r, &e) >= 0);
        e.statistic = "preempted_ns", e.point = 1e6 * timed;
        assert_true(record_add_estimate(&r, &e) >= 0);
        assert_int_equal(exporter_write(exporter_find("html"), &r, &(struct export_options){.answer = ""}, &sink, NULL), TARE_OK);
        assert_non_null(strstr(buf_text(&text), "a run may have several causes"));
        assert_int_equal(strstr(buf_text(&text), "times are sums over all runs") != NULL, timed);
        buf_finish(&text);
        record_finish(&r);
    }
}

/* As of a gate whose time ended before the rounds that it had asked for. */
static void a_heading_without_a_ratio_says_that_there_is_no_verdict(void **state)
{
    (void)state;
    static const char *const columns[] = {"wall"};
    struct record r;
    struct buf text = BUF_INIT(1 << 24);
    struct sink sink = sink_to_buf(&text);
    begin_with_one(&r);
    assert_int_equal(record_add_subject(&r, &(struct subject){.name = "two", .command = "command", .reference = 0}, columns, 1),
                     1);
    for (int i = 0; i < 20; i++)
        assert_int_equal(record_append_row(&r, i % 2, &(struct row){.round = i / 2, .values = (double[]){1e6 + i}}), TARE_OK);
    struct comparison c = {.metric = "wall", .subject = 1, .shift = NAN, .low = NAN, .high = NAN, .verdict = VERDICT_NONE};
    assert_true(record_add_comparison(&r, &c) >= 0);
    assert_int_equal(exporter_write(exporter_find("html"), &r, &(struct export_options){.answer = ""}, &sink, NULL), TARE_OK);
    assert_non_null(strstr(buf_text(&text), "<h2>two vs one: no verdict</h2>"));
    buf_finish(&text);
    record_finish(&r);
}

/* Whose values come again in turns, as many as the picture leaves out of each dot's. */
static void what_repeats_has_dots_of_each_value(void **state)
{
    (void)state;
    enum { RUNS = 20000, TURNS = 4 };
    struct record r;
    struct buf text = BUF_INIT(1 << 24);
    struct sink sink = sink_to_buf(&text);
    begin_with_one(&r);
    for (int i = 0; i < RUNS; i++) {
        const double value = 1e6 * (1 + i % TURNS);
        assert_int_equal(record_append_row(&r, 0, &(struct row){.round = i, .values = &value}), TARE_OK);
    }
    assert_int_equal(exporter_write(exporter_find("svg"), &r, &(struct export_options){.title = NULL}, &sink, NULL), TARE_OK);
    assert_non_null(strstr(buf_text(&text), "One run of 4"));
    double seen[TURNS + 1];
    int n = 0;
    for (const char *at = buf_text(&text); (at = strstr(at, "<circle cx=")); at++) {
        int k = 0;
        seen[n] = strtod(at + strlen("<circle cx=\""), NULL);
        while (seen[k] != seen[n])
            k++;
        n += k == n && n < TURNS;
    }
    assert_int_equal(n, TURNS);
    buf_finish(&text);
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_remark_that_the_answer_repeats_is_left_out),
        cmocka_unit_test(no_text_of_others_becomes_markup),
        cmocka_unit_test(times_of_causes_are_explained_where_there_are_some),
        cmocka_unit_test(what_repeats_has_dots_of_each_value),
        cmocka_unit_test(a_heading_without_a_ratio_says_that_there_is_no_verdict),
        cmocka_unit_test(facts_have_names_of_their_own_and_what_is_printed_alike_is_no_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
