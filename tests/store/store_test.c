/* SPDX-License-Identifier: MIT
 *
 * A history from its files and back: what is added is read, in order; files that are damaged are named and the rest is served.
 */
#include "history_file.h"
#include "plat.h"
#include "rng_normal.h"
#include "store_samples.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[256], folder[280];

static int begin(void **state)
{
    (void)state;
    sample_folder(root);
    struct buf b = buf_over(folder, sizeof folder);
    buf_format(&b, "%s/.tare/history", root);
    return 0;
}

static int end(void **state)
{
    (void)state;
    sample_folder_remove(root);
    return 0;
}

static bool add(int i, char id[HISTORY_ID_BYTES])
{
    struct sample_session s;
    struct tare_err err = {""};
    bool added;
    sample_session(&s, i);
    sample_ok(history_add(folder, &s.entry, id, &added, &err), &err);
    return added;
}

static void add_event(const struct history_event *e)
{
    char id[HISTORY_ID_BYTES];
    struct tare_err err = {""};
    sample_ok(history_add_event(folder, e, id, &err), &err);
}

static struct history *opened(void)
{
    struct history *h;
    struct tare_err err = {""};
    sample_ok(history_open(&h, folder, &err), &err);
    return h;
}

static struct history_points points_of(struct history *h, int series)
{
    struct history_points p;
    struct tare_err err = {""};
    sample_ok(history_points(h, series, &p, &err), &err);
    return p;
}

static void path_of(struct buf *b, const char *name)
{
    buf_clear(b);
    buf_format(b, "%s/%s", folder, name);
}

static void put(const char *name, const char *text, size_t n)
{
    char room[400];
    struct buf path = buf_over(room, sizeof room);
    struct plat_file *f;
    struct tare_err err = {""};
    path_of(&path, name);
    sample_ok(plat_file_create(&f, buf_text(&path), PLAT_FILE_REPLACE, &err), &err);
    sample_ok(plat_file_write(f, text, n, &err), &err);
    sample_ok(plat_file_commit(f, &err), &err);
}

/* A file that is named by its content, whatever that is. */
static void put_named(const char *text, size_t n)
{
    char id[HISTORY_ID_BYTES], name[HISTORY_ID_BYTES + 8];
    struct buf b = buf_over(name, sizeof name);
    history_text_id(text, n, id);
    buf_format(&b, "%s.jsonl", id);
    put(name, text, n);
}

static void take(const char *id, struct buf *out)
{
    char room[400];
    struct buf path = buf_over(room, sizeof room);
    struct tare_err err = {""};
    buf_format(&path, "%s/%s.jsonl", folder, id);
    sample_ok(plat_file_read(buf_text(&path), out, &err), &err);
}

/* ---- round trips ---- */

static void a_folder_that_is_not_there_is_an_empty_history(void **state)
{
    (void)state;
    struct history *h = opened();
    assert_int_equal(history_n_sessions(h), 0);
    assert_int_equal(history_n_series(h), 0);
    assert_int_equal(history_n_events(h), 0);
    assert_int_equal(history_n_problems(h), 0);
    history_close(h);
    assert_false(plat_is_directory(folder));
}

static void what_is_added_is_read_in_the_order_of_measuring(void **state)
{
    (void)state;
    enum { N = 5 };
    char ids[N][HISTORY_ID_BYTES];
    for (int i = N - 1; i >= 0; i--)
        assert_true(add(i, ids[i]));
    struct history *h = opened();
    assert_int_equal(history_n_sessions(h), N);
    assert_int_equal(history_n_series(h), 2);
    assert_int_equal(history_n_problems(h), 0);
    for (int i = 0; i < N; i++) {
        struct sample_session expected;
        sample_session(&expected, i);
        const struct history_session *s = history_session_at(h, i), *e = &expected.entry.session;
        assert_string_equal(s->id, ids[i]);
        assert_string_equal(s->revision, e->revision);
        assert_string_equal(s->project, e->project);
        assert_int_equal(s->dirty, e->dirty);
        assert_true(s->measured_utc_ns == e->measured_utc_ns);
        assert_string_equal(s->tool, e->tool);
        assert_string_equal(s->class, e->class);
        assert_string_equal(s->machine, e->machine);
        assert_true(s->confidence == e->confidence);
        assert_string_equal(s->words[2], e->words[2]);
        assert_null(s->words[3]);
        assert_string_equal(s->folder, e->folder);
        assert_string_equal(s->build, e->build);
        assert_string_equal(s->anchor, e->anchor);
        assert_true(e->note ? s->note && !strcmp(s->note, e->note) : !s->note);
    }
    for (int k = 0; k < 2; k++) {
        const struct history_series *s = history_series_at(h, k);
        const struct history_points p = points_of(h, k);
        assert_string_equal(s->benchmark, "sort");
        assert_string_equal(s->arguments, k ? "n=2" : "n=1");
        assert_string_equal(s->metric.id, "wall");
        assert_string_equal(s->metric.unit, "ns");
        assert_int_equal(strlen(s->id), 12);
        assert_int_equal(s->n, N);
        assert_int_equal(p.n, N);
        for (int i = 0; i < N; i++) {
            struct sample_session expected;
            sample_session(&expected, i);
            const struct history_point *x = &p.items[i], *y = &expected.results[k].point;
            assert_int_equal(x->session, i);
            assert_true(x->median == y->median && x->low == y->low && x->high == y->high && x->n == y->n);
            assert_true(k ? x->ratio == y->ratio && x->ratio_low == y->ratio_low && x->ratio_high == y->ratio_high
                          : isnan(x->ratio) && isnan(x->ratio_low) && isnan(x->ratio_high));
            double *values, step;
            int n;
            struct tare_err err = {""};
            sample_ok(history_values(h, x, &values, &n, &step, &err), &err);
            assert_int_equal(n, SAMPLE_VALUES);
            assert_memory_equal(values, expected.values[k], sizeof expected.values[k]);
            free(values);
        }
    }
    history_close(h);
}

static void the_same_session_twice_is_there_once(void **state)
{
    (void)state;
    char one[HISTORY_ID_BYTES], two[HISTORY_ID_BYTES];
    assert_true(add(0, one));
    assert_false(add(0, two));
    assert_string_equal(one, two);
    struct history *h = opened();
    assert_int_equal(history_n_sessions(h), 1);
    history_close(h);
}

static void events_are_read_by_time(void **state)
{
    (void)state;
    for (int kind = HISTORY_UNBUILDABLE; kind >= HISTORY_CONFIRMED; kind--) {
        struct history_event e = sample_event((enum history_event_kind)kind, kind);
        if (kind == HISTORY_ALIAS)
            e.from = "old", e.to = "new";
        e.high = kind % 2 ? NAN : -0.3; /* none either: it does not hold the size */
        add_event(&e);
    }
    struct history *h = opened();
    assert_int_equal(history_n_events(h), HISTORY_UNBUILDABLE + 1);
    for (int kind = 0; kind <= HISTORY_UNBUILDABLE; kind++) {
        const struct history_event *e = history_event_at(h, kind);
        const struct history_event expected = sample_event((enum history_event_kind)kind, kind);
        assert_int_equal(e->kind, kind);
        assert_true(e->at_utc_ns == expected.at_utc_ns);
        assert_string_equal(e->series, expected.series);
        assert_string_equal(e->revision, expected.revision);
        assert_string_equal(e->who, expected.who);
        assert_string_equal(e->note, expected.note);
        assert_string_equal(e->verdict, expected.verdict);
        assert_true(e->shift == expected.shift && e->low == expected.low && isnan(e->high));
        assert_null(e->patch);
    }
    history_close(h);
}

/* ---- values ---- */

static void values_are(const double *x, int n)
{
    struct buf b = BUF_INIT(1 << 20);
    struct sample_session s;
    struct tare_err err = {""};
    double *values, step;
    int read;
    sample_session(&s, 0);
    s.entry.n = 1;
    s.results[0].values = x;
    s.results[0].n_values = n;
    sample_ok(history_entry_text(&s.entry, &b, &err), &err);
    const char *line = strstr(buf_text(&b), "{\"type\":\"result\"");
    sample_ok(history_line_values(line, strcspn(line, "\n"), &values, &read, &step, &err), &err);
    assert_int_equal(read, n);
    for (int i = 0; i < n; i++)
        if (isnan(x[i]) ? !isnan(values[i]) : memcmp(&x[i], &values[i], sizeof *x) != 0)
            fail_msg("%.17g was read as %.17g from %s", x[i], values[i], line);
    free(values);
    buf_finish(&b);
}

static void values_are_read_as_they_were_written(void **state)
{
    (void)state;
    static const double lists[][4] = {{0, 0, 0, 0},
                                      {1, -1, 2, -2},
                                      {0x1p53, -0x1p53, 0x1p53 - 1, -0x1p53 + 1},
                                      {0x1p53 - 1, -0x1p53 + 1, 1, 0},
                                      {0.1, 0.2, 0.3, 1e-12},
                                      {0.1, 1. / 3, 2. / 3, 5},
                                      {-0.0, 1, 2, 3},
                                      {NAN, 1, 2, 3},
                                      {1e300, 5e-324, -1e-300, 1.7976931348623157e308},
                                      {123456.789, 123456.788, -0.001, 1e9},
                                      {512346000, 512341000, 0, -7000},
                                      {5e18, 5e18 + 1e9, 1e21, 1e9}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (int n = 1; n <= 4; n++)
            values_are(lists[i], n);
    struct rng rng = rng_seeded(7);
    for (int i = 0; i < 2000; i++) {
        double x[30], step = 1;
        for (uint64_t k = rng_below(&rng, 13); k; k--)
            step *= 10;
        for (int k = 0; k < 30; k++)
            x[k] = floor(1e6 * (1 + 0.1 * rng_normal(&rng))) / step;
        values_are(x, 1 + (int)rng_below(&rng, 30));
    }
}

static void values_that_cannot_be_understood_are_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"values\":7}",
        "{\"values\":{}}",
        "{\"values\":[1,\"x\"]}",
        "{\"values\":[1],\"decimals\":13}",
        "{\"values\":[1],\"decimals\":-10}",
        "{\"values\":[1],\"decimals\":1.5}",
        "{\"values\":[1,",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct tare_err err = {""};
        double *values, step;
        int n;
        if (!history_line_values(lines[i], strlen(lines[i]), &values, &n, &step, &err))
            fail_msg("%s is taken", lines[i]);
        assert_true(*err.text);
        assert_null(values);
    }
}

/* ---- names that changed ---- */

static void an_alias_joins_the_results_of_both_names(void **state)
{
    (void)state;
    char id[HISTORY_ID_BYTES];
    struct sample_session s;
    struct tare_err err = {""};
    bool added;
    add(0, id);
    sample_session(&s, 1);
    s.results[0].benchmark = s.results[1].benchmark = "sort_ints";
    sample_ok(history_add(folder, &s.entry, id, &added, &err), &err);
    sample_session(&s, 2);
    s.results[0].benchmark = s.results[1].benchmark = "sort_numbers";
    sample_ok(history_add(folder, &s.entry, id, &added, &err), &err);

    struct history *h = opened();
    assert_int_equal(history_n_series(h), 6);
    history_close(h);
    struct history_event e = sample_event(HISTORY_ALIAS, 1);
    e.series = NULL;
    e.from = "sort_ints", e.to = "sort_numbers";
    add_event(&e);
    e.from = "sort", e.to = "sort_ints";
    e.at_utc_ns++;
    add_event(&e);
    h = opened();
    assert_int_equal(history_n_series(h), 2);
    for (int k = 0; k < 2; k++) {
        const struct history_points p = points_of(h, k);
        assert_string_equal(history_series_at(h, k)->benchmark, "sort_numbers");
        assert_int_equal(history_series_at(h, k)->n, 3);
        assert_int_equal(p.n, 3);
        for (int i = 0; i < 3; i++)
            assert_true(p.items[i].session == i && p.items[i].median == 1000 + i + 100 * k);
    }
    history_close(h);
}

static void aliases_in_a_circle_end(void **state)
{
    (void)state;
    char id[HISTORY_ID_BYTES];
    add(0, id);
    struct history_event e = sample_event(HISTORY_ALIAS, 1);
    e.series = NULL;
    e.from = "sort", e.to = "b";
    add_event(&e);
    e.from = "b", e.to = "sort";
    add_event(&e);
    struct history *h = opened();
    assert_int_equal(history_n_series(h), 2);
    history_close(h);
}

/* Noted in any order: the chain is followed to its end however long it is. */
static void a_long_chain_of_aliases_ends_at_its_last_name(void **state)
{
    (void)state;
    enum { NAMES = 150 };
    static char names[NAMES + 1][8];
    char id[HISTORY_ID_BYTES];
    add(0, id);
    struct history_event e = sample_event(HISTORY_ALIAS, 1);
    e.series = NULL;
    for (int i = 0; i <= NAMES; i++)
        snprintf(names[i], sizeof names[i], i ? "name%d" : "sort", i);
    for (int i = 0; i < NAMES; i++) {
        const int k = i * 7 % NAMES; /* 7 does not divide it, so each comes once */
        e.from = names[k], e.to = names[k + 1], e.at_utc_ns++;
        add_event(&e);
    }
    struct history *h = opened();
    assert_string_equal(history_series_at(h, 0)->benchmark, names[NAMES]);
    history_close(h);
}

static void a_benchmark_that_is_renamed_back_has_its_first_name(void **state)
{
    (void)state;
    char id[HISTORY_ID_BYTES];
    struct sample_session s;
    struct tare_err err = {""};
    bool added;
    add(0, id);
    sample_session(&s, 1);
    s.results[0].benchmark = s.results[1].benchmark = "b";
    sample_ok(history_add(folder, &s.entry, id, &added, &err), &err);
    struct history_event e = sample_event(HISTORY_ALIAS, 1);
    e.series = NULL;
    e.from = "sort", e.to = "b";
    add_event(&e);
    e.from = "b", e.to = "sort";
    e.at_utc_ns++;
    add_event(&e);
    struct history *h = opened();
    assert_int_equal(history_n_series(h), 2);
    assert_string_equal(history_series_at(h, 0)->benchmark, "sort");
    const struct history_points p = points_of(h, 0);
    assert_int_equal(p.n, 2);
    assert_string_equal(p.items[0].benchmark, "sort");
    assert_string_equal(p.items[1].benchmark, "b");
    history_close(h);
}

static void what_was_said_of_a_series_goes_with_its_new_name(void **state)
{
    (void)state;
    char id[HISTORY_ID_BYTES];
    add(0, id);
    struct history *h = opened();
    struct history_event e = sample_event(HISTORY_ACCEPTED, 1);
    e.series = history_series_at(h, 0)->id;
    add_event(&e);
    e = sample_event(HISTORY_ALIAS, 2);
    e.series = NULL;
    e.from = "sort", e.to = "b";
    add_event(&e);
    history_close(h);
    h = opened();
    assert_string_equal(history_event_at(h, 0)->series, history_series_at(h, 0)->id);
    history_close(h);
}

/* ---- thinning ---- */

static void a_thinned_session_takes_the_place_of_the_old_one(void **state)
{
    (void)state;
    char id[HISTORY_ID_BYTES];
    struct sample_session s;
    struct tare_err err = {""};
    add(0, id);
    sample_session(&s, 0);
    s.entry.session.note = "samples thinned to quantiles";
    s.results[0].n_values = s.results[1].n_values = 3;
    struct history *h = opened();
    history_close(h);
    sample_ok(history_replace(folder, id, &s.entry, &err), &err);
    h = opened();
    assert_int_equal(history_n_sessions(h), 1);
    assert_int_equal(history_n_problems(h), 0);
    assert_string_equal(history_session_at(h, 0)->note, "samples thinned to quantiles");
    const struct history_points p = points_of(h, 0);
    double *values, step;
    int n;
    assert_int_equal(p.n, 1);
    sample_ok(history_values(h, &p.items[0], &values, &n, &step, &err), &err);
    assert_int_equal(n, 3);
    free(values);
    history_close(h);
    assert_int_equal(history_replace(folder, "../../x", &s.entry, &err), TARE_INVALID);
}

/* ---- files that others wrote ---- */

/* What is said of the only problem of a folder that also holds session 0, which is served. */
static void only_problem(const char *expected)
{
    struct history *h = opened();
    if (history_n_problems(h) != 1)
        fail_msg("%d problems", history_n_problems(h));
    if (!strstr(history_problem_at(h, 0)->text, expected))
        fail_msg("\"%s\" is not said, but \"%s\"", expected, history_problem_at(h, 0)->text);
    assert_true(history_n_sessions(h) >= 1);
    assert_int_equal(points_of(h, 0).n, 1);
    history_close(h);
}

static void remove_files(void)
{
    struct tare_err err = {""};
    sample_ok(plat_directory_remove(folder, &err), &err);
}

static void files_that_are_none_of_a_history_are_named_and_the_rest_is_served(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"", "it is empty"},
        {"garbage\n", "not JSON"},
        {"\xff\xfe{}\n", "not UTF-8"},
        {"{\"type\":\"header\",\"tool\":\"tare\"}\n", "not a file of a history"},
        {"[1,2]\n", "not a file of a history"},
        {"{\"type\":\"history\"}\n", "names no schema"},
        {"{\"type\":\"history\",\"schema\":2}\n", "use a newer tare"},
        {"{\"type\":\"history\",\"schema\":1}\n", "when it was measured"},
        {"{\"type\":\"history_event\",\"schema\":1,\"kind\":\"blessed\"}\n", "does not know"},
        {"{\"type\":\"history_event\",\"schema\":1,\"kind\":\"note\"}\n", "when it was made"},
        {"{\"type\":\"history_event\",\"schema\":1,\"at\":\"2026-01-02T03:04:05.000000006Z\",\"kind\":\"alias\",\"from\":\"a\"}"
         "\n",
         "alias without"},
        {"{\"type\":\"history\",\"schema\":1,\"measured\":\"2026-02-30T03:04:05.000000006Z\"}\n", "when it was measured"},
        {"{\"type\":\"history\",\"schema\":1,\"measured\":\"2026-02-28T24:08:05.000000006Z\"}\n", "when it was measured"},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n", "levels deep"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char id[HISTORY_ID_BYTES];
        add(0, id);
        put_named(cases[i].text, strlen(cases[i].text));
        only_problem(cases[i].expected);
        remove_files();
    }
}

static const char head[] =
    "{\"type\":\"history\",\"schema\":1,\"measured\":\"2026-01-02T03:04:05.000000006Z\",\"unknown\":[1,{}]}\n";
static const char metric[] = "{\"type\":\"metric\",\"id\":\"wall\",\"unit\":\"ns\",\"kind\":\"time\",\"direction\":\"lower\"}\n";

static void lines_that_cannot_be_understood_are_left_out_and_noted(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"type\":\"result\",\"benchmark\":\"b\",\"metric\":1,\"n\":1}",
        "{\"type\":\"result\",\"benchmark\":\"b\",\"metric\":-1,\"n\":1}",
        "{\"type\":\"result\",\"benchmark\":\"\",\"metric\":0,\"n\":1}",
        "{\"type\":\"result\",\"metric\":0,\"n\":1}",
        "{\"type\":\"result\",\"benchmark\":\"b\",\"metric\":0,\"n\":-1}",
        "{\"type\":\"result\",\"benchmark\":\"b\",\"metric\":0,\"n\":1,\"median\":[]}",
        "{\"type\":\"result\",\"benchmark\":\"b\",\"metric\":0,\"n\":1,\"median\":[\"x\"]}",
        "{\"type\":\"result\",\"benchmark\":\"b\",\"metric\":0,\"n\":1,\"median\":[1,2,3]}",
        "{\"type\":\"result\",\"benchmark\":\"b\",\"metric\":0,\"n\":1,\"median\":[1,0,1e999]}",
        "{\"type\":\"metric\",\"id\":\"x\"}",
        "{\"type\":7}",
        "{}",
        "\xc3(",
        "{\"type\":\"trailer\",\"metrics\":2,\"results\":0}",
        "",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct buf b = BUF_INIT(1 << 16);
        char id[HISTORY_ID_BYTES];
        add(0, id);
        buf_format(
            &b, "%s%s%s\n{\"type\":\"result\",\"benchmark\":\"a\",\"metric\":0,\"median\":[7],\"n\":1}\n{\"type\":\"later\"}\n",
            head, metric, lines[i]);
        put_named(b.data, b.len);
        struct history *h = opened();
        assert_int_equal(history_n_problems(h), 1);
        const char *text = history_problem_at(h, 0)->text;
        if (!strstr(text, "line 3: ") || !strstr(text, "1 line was left out") || !strstr(text, "1 line of a type"))
            fail_msg("%s: %s", lines[i], text);
        assert_int_equal(history_n_series(h), 3);
        assert_string_equal(history_series_at(h, 0)->benchmark, "a");
        assert_true(points_of(h, 0).items[0].median == 7);
        history_close(h);
        remove_files();
        buf_finish(&b);
    }
}

/* Each may be a benchmark of its own, and a series of its own takes memory. */
static void of_a_file_with_too_many_results_the_first_are_served_and_it_is_said(void **state)
{
    (void)state;
    enum { MOST = 100000, MORE = 2 };
    struct buf b = BUF_INIT(1 << 24);
    char id[HISTORY_ID_BYTES];
    add(0, id);
    buf_format(&b, "%s%s", head, metric);
    for (int i = 0; i < MOST + MORE; i++)
        buf_format(&b, "{\"type\":\"result\",\"benchmark\":\"a\",\"metric\":0,\"median\":[%d],\"n\":1}\n", i + 1);
    buf_format(&b, "{\"type\":\"trailer\",\"metrics\":1,\"results\":%d}\n", MOST);
    put_named(b.data, b.len);
    struct history *h = opened();
    assert_int_equal(history_n_series(h), 3);
    assert_int_equal(points_of(h, 0).n, MOST);
    assert_int_equal(history_n_problems(h), 1);
    assert_non_null(strstr(history_problem_at(h, 0)->text, "line 100003: a result after the first 100 000"));
    assert_non_null(strstr(history_problem_at(h, 0)->text, "2 lines were left out"));
    history_close(h);
    buf_finish(&b);
}

static enum tare_status count_result(void *context, const struct history_result *r, struct tare_err *err)
{
    (void)r, (void)err;
    ++*(int *)context;
    return TARE_OK;
}

/* How many results are taken from a line with these values and what stands after them. */
static int results_with(const char *values, const char *after)
{
    struct buf b = BUF_INIT(1 << 16), notes = BUF_INIT(1 << 12);
    struct tare_err err = {""};
    int n = 0;
    buf_format(&b, "%s%s{\"type\":\"result\",\"benchmark\":\"a\",\"metric\":0,\"n\":1,\"values\":%s%s}\n", head, metric, values,
               after);
    sample_ok(history_text_read(b.data, b.len, &(struct history_visit){.result = count_result, .context = &n}, &notes, &err),
              &err);
    assert_int_equal(n, notes.len && strstr(notes.data, "line 3") ? 0 : 1);
    buf_finish(&notes);
    buf_finish(&b);
    return n;
}

/* Values at the end of a line are passed over when it is indexed; with a member behind them they are not. */
static void a_line_is_taken_whether_or_not_its_values_are_passed_over(void **state)
{
    (void)state;
    static const char *const lists[] = {"[]",
                                        "[1]",
                                        "[-1.5e-7,null,0,1E+3]",
                                        "[1,,2]",
                                        "[,1]",
                                        "[1,]",
                                        "[1 2]",
                                        "[-]",
                                        "[1e]",
                                        "[1.]",
                                        "[.5]",
                                        "[nul]",
                                        "[null1]",
                                        "[01]",
                                        "[+1]",
                                        "[ 1 ]",
                                        "[\"x\"]",
                                        "[[1]]",
                                        "[1]]",
                                        "[1",
                                        "1]",
                                        "[1]}",
                                        "\"[1]\"",
                                        "\"[1]",
                                        "\"a\\\",\"values\":[1]",
                                        "{\"values\":[1]}",
                                        "{\"a\":1,\"values\":[1]}",
                                        "7,\"values\":[1]",
                                        "[1e999]"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (results_with(lists[i], "") != results_with(lists[i], ",\"later\":1"))
            fail_msg("%s is taken, or not, by what stands after it", lists[i]);
    assert_int_equal(results_with("[-1.5e-7,null,0,1E+3]", ""), 1);
    assert_int_equal(results_with("[1,,2]", ""), 0);
    static const char letters[] = "[],,]-+.eE0127nul\"{}: ";
    struct rng rng = rng_seeded(11);
    for (int i = 0; i < 20000; i++) {
        char text[16] = "[";
        const int n = 2 + (int)rng_below(&rng, 10);
        for (int k = 1; k < n; k++)
            text[k] = letters[rng_below(&rng, sizeof letters - 1)];
        text[n] = rng_below(&rng, 4) ? ']' : 0;
        if (results_with(text, "") != results_with(text, ",\"later\":1"))
            fail_msg("%s is taken, or not, by what stands after it", text);
    }
}

static void a_file_that_was_changed_anywhere_is_named_and_nothing_is_taken_from_it(void **state)
{
    (void)state;
    char id[HISTORY_ID_BYTES], other[HISTORY_ID_BYTES], name[HISTORY_ID_BYTES + 8];
    struct buf text = BUF_INIT(1 << 20), b = buf_over(name, sizeof name);
    add(1, other);
    take(other, &text);
    remove_files();
    buf_format(&b, "%s.jsonl", other);
    add(0, id);
    for (size_t n = 0; n < text.len; n += 7) { /* cut */
        put(name, text.data, n);
        only_problem("changed after it was written");
    }
    for (size_t i = 0; i < text.len; i += 11) { /* a byte that is another */
        text.data[i] ^= 1;
        put(name, text.data, text.len);
        only_problem("changed after it was written");
        text.data[i] ^= 1;
    }
    put(name, text.data, text.len);
    struct history *h = opened();
    assert_int_equal(history_n_problems(h), 0);
    assert_int_equal(history_n_sessions(h), 2);
    history_close(h);
    buf_finish(&text);
}

static void be_root(bool root_again)
{
    if (getuid() == 0)
        assert_int_equal(seteuid(root_again ? 0 : 65534), 0);
}

static void a_file_that_could_not_be_read_is_tried_again(void **state)
{
    (void)state;
    char id[HISTORY_ID_BYTES], room[400];
    struct buf path = buf_over(room, sizeof room);
    add(0, id);
    buf_format(&path, "%s/%s.jsonl", folder, id);
    assert_int_equal(chmod(root, 0777) | chmod(folder, 0777) | chmod(buf_text(&path), 0), 0);
    be_root(false);
    struct history *h = opened();
    be_root(true);
    assert_int_equal(history_n_sessions(h), 0);
    assert_int_equal(history_n_problems(h), 1);
    history_close(h);
    assert_int_equal(chmod(buf_text(&path), 0644), 0);
    h = opened();
    assert_int_equal(history_n_problems(h), 0);
    assert_int_equal(history_n_sessions(h), 1);
    history_close(h);
}

static void a_file_of_another_name_is_told_its_own(void **state)
{
    (void)state;
    char id[HISTORY_ID_BYTES], other[HISTORY_ID_BYTES];
    struct buf text = BUF_INIT(1 << 20);
    add(1, other);
    take(other, &text);
    remove_files();
    add(0, id);
    put("copy.jsonl", text.data, text.len);
    only_problem(other);
    buf_finish(&text);
}

static void what_is_no_file_of_results_is_passed_over(void **state)
{
    (void)state;
    char id[HISTORY_ID_BYTES];
    struct tare_err err = {""};
    add(0, id);
    put("README", "x", 1);
    put(".hidden.jsonl", "x", 1);
    put("0123.jsonl.0123abcd.tmp", "x", 1);
    struct history *h = opened();
    assert_int_equal(history_n_problems(h), 0);
    history_close(h);
    char room[400];
    struct buf path = buf_over(room, sizeof room);
    path_of(&path, "folder.jsonl");
    sample_ok(plat_directory_make(buf_text(&path), &err), &err);
    only_problem("no regular file");
    assert_int_equal(rmdir(buf_text(&path)), 0);
    assert_int_equal(symlink("nowhere", buf_text(&path)), 0);
    only_problem("link to a file that is not there");
}

static void what_could_not_be_read_again_is_not_written(void **state)
{
    (void)state;
    struct sample_session s;
    struct tare_err err = {""};
    char id[HISTORY_ID_BYTES];
    bool added;
    char *text = calloc(1, HISTORY_TEXT_MAX + 2);
    assert_non_null(text);
    memset(text, 'x', HISTORY_TEXT_MAX + 1);
    sample_session(&s, 0);
    s.results[1].benchmark = text;
    assert_int_equal(history_add(folder, &s.entry, id, &added, &err), TARE_INVALID);
    s.results[1].benchmark = "";
    assert_int_equal(history_add(folder, &s.entry, id, &added, &err), TARE_INVALID);
    sample_session(&s, 0);
    s.results[1].point.low = s.results[1].point.median + 1;
    assert_int_equal(history_add(folder, &s.entry, id, &added, &err), TARE_INVALID);
    sample_session(&s, 0);
    s.entry.session.note = text;
    assert_int_equal(history_add(folder, &s.entry, id, &added, &err), TARE_INVALID);
    s.entry.session.note = NULL;
    const int64_t measured = s.entry.session.measured_utc_ns;
    s.entry.session.measured_utc_ns = 0;
    assert_int_equal(history_add(folder, &s.entry, id, &added, &err), TARE_INVALID);
    s.entry.session.measured_utc_ns = measured;
    static const char *const bytes[] = {"tare", "\xff", NULL};
    s.entry.session.words = bytes;
    assert_int_equal(history_add(folder, &s.entry, id, &added, &err), TARE_INVALID);
    assert_false(plat_is_directory(folder));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_folder_that_is_not_there_is_an_empty_history, begin, end),
        cmocka_unit_test_setup_teardown(what_is_added_is_read_in_the_order_of_measuring, begin, end),
        cmocka_unit_test_setup_teardown(the_same_session_twice_is_there_once, begin, end),
        cmocka_unit_test_setup_teardown(events_are_read_by_time, begin, end),
        cmocka_unit_test_setup_teardown(an_alias_joins_the_results_of_both_names, begin, end),
        cmocka_unit_test_setup_teardown(aliases_in_a_circle_end, begin, end),
        cmocka_unit_test_setup_teardown(a_long_chain_of_aliases_ends_at_its_last_name, begin, end),
        cmocka_unit_test_setup_teardown(a_benchmark_that_is_renamed_back_has_its_first_name, begin, end),
        cmocka_unit_test_setup_teardown(what_was_said_of_a_series_goes_with_its_new_name, begin, end),
        cmocka_unit_test_setup_teardown(a_thinned_session_takes_the_place_of_the_old_one, begin, end),
        cmocka_unit_test_setup_teardown(files_that_are_none_of_a_history_are_named_and_the_rest_is_served, begin, end),
        cmocka_unit_test_setup_teardown(lines_that_cannot_be_understood_are_left_out_and_noted, begin, end),
        cmocka_unit_test_setup_teardown(of_a_file_with_too_many_results_the_first_are_served_and_it_is_said, begin, end),
        cmocka_unit_test_setup_teardown(a_file_that_was_changed_anywhere_is_named_and_nothing_is_taken_from_it, begin, end),
        cmocka_unit_test_setup_teardown(a_file_that_could_not_be_read_is_tried_again, begin, end),
        cmocka_unit_test_setup_teardown(a_file_of_another_name_is_told_its_own, begin, end),
        cmocka_unit_test_setup_teardown(what_is_no_file_of_results_is_passed_over, begin, end),
        cmocka_unit_test_setup_teardown(what_could_not_be_read_again_is_not_written, begin, end),
        cmocka_unit_test(values_are_read_as_they_were_written),
        cmocka_unit_test(a_line_is_taken_whether_or_not_its_values_are_passed_over),
        cmocka_unit_test(values_that_cannot_be_understood_are_refused),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
