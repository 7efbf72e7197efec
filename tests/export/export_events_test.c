/* SPDX-License-Identifier: MIT
 * Events of traced programs, in every format that shows them; from trace files made up word by word. Golden files: events.EXTENSION and
 * events_hostile.EXTENSION; `test_export_events --record` writes them anew. */
#include "arcs_data.h"
#include "export.h"
#include "made_trace.h"
#include "spans.h"
#include "trace_sums.h"
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool recording;
static const char *const formats[] = {"callgrind", "chrome", "folded", "speedscope"};
enum { FORMATS = sizeof formats / sizeof *formats };

/* ---- a program: a loop with a scope in it, two threads, a counter, marks ---- */

enum { TOP = 1, BOTTOM, WORK, WORK_END, STEP, QUEUE };

static void add_points(struct made *m, bool hostile)
{
    const char *scope = hostile ? "q\"<;\n\xe2\x80\xae\xff" : "work", *func = hostile ? "f\"<;\n\x1b[31m" : "work_on";
    made_point(m, TOP, "/src/a.c", 12, "main", "");
    made_point(m, BOTTOM, "/src/a.c", 14, "main", "");
    struct trace_point *p = made_point(m, WORK, "/src/b.c", 20, func, scope);
    p->kind = TRACE_SCOPE_BEGIN;
    p->partner = WORK_END;
    made_seal(p);
    p = made_point(m, WORK_END, "/src/b.c", 30, func, scope);
    p->kind = TRACE_SCOPE_END;
    p->partner = WORK;
    made_seal(p);
    made_point(m, STEP, "/src/b.c", 24, func, "");
    p = made_point(m, QUEUE, "/src/b.c", 40, func, hostile ? "<queue>" : "queue");
    p->kind = TRACE_COUNTER;
    p->value = TRACE_VALUE_U64;
    made_seal(p);
}

static void mark(struct made *m, struct made_thread *t, unsigned id, uint64_t tick, const char *text)
{
    uint64_t words[4] = {3};
    memcpy(words + 1, text, strlen(text));
    made_word(m, t, id, tick, words, 4);
}

static uint64_t one_round(struct made *m, struct made_thread *t, uint64_t tick, int i)
{
    made_pass(m, t, TOP, tick);
    made_pass(m, t, WORK, tick += 120);
    for (int k = 0; k < i % 4; k++)
        made_pass(m, t, STEP, tick += 300 + (uint64_t)(i * 37 + k) % 50 + (i % 97 == 5 ? 20000 : 0));
    made_pass(m, t, WORK_END, tick += 50);
    if (i % 5 == 0)
        made_word(m, t, QUEUE, tick, &(uint64_t){(uint64_t)i}, 1);
    made_pass(m, t, BOTTOM, tick += 80);
    return tick + 30;
}

static void make(struct made *m, int rounds, bool hostile)
{
    made_begin(m);
    made_head(m)->pid = 4711;
    strcpy(made_head(m)->program, hostile ? "./\"p\" <b>\n\xff;" : "./prog");
    add_points(m, hostile);
    struct made_thread *threads[] = {made_thread(m, 0, 1), made_thread(m, 1, 1)};
    uint64_t tick[] = {1000000, 1000500};
    mark(m, threads[1], CONTROL_THREAD_NAME, tick[1], hostile ? "w;\"<\n" : "worker");
    for (int i = 0; i < rounds; i++)
        for (int k = 0; k < 2; k++) {
            tick[k] = one_round(m, threads[k], tick[k], i + k);
            if (i % 50 == 7)
                mark(m, threads[k], CONTROL_MARK, tick[k], hostile ? "m\"\n</script>" : "half time");
        }
    made_end(m);
}

struct subject_of_test {
    struct made made;
    struct trace_file *file;
    struct record record;
};

static void open_file(struct subject_of_test *x)
{
    struct tare_err err;
    if (trace_file_open_bytes(&x->file, "made", x->made.bytes, x->made.n, &err))
        fail_msg("%s", err.text);
    record_init(&x->record);
    x->record.rule.metric = "wall";
    x->record.tool_version = "0.1.0";
    record_add_subject(&x->record, &(struct subject){.kind = SUBJECT_TRACE, .name = "./prog 3", .command = "./prog 3"}, NULL, 0);
    record_add_point(&x->record, &(struct point){.file = "a.c", .func = "main", .name = "", .line = 1, .partner = -1});
}

static void begin(struct subject_of_test *x, int rounds, bool hostile)
{
    make(&x->made, rounds, hostile);
    open_file(x);
}

static void finish(struct subject_of_test *x)
{
    trace_file_close(x->file);
    made_finish(&x->made);
    record_finish(&x->record);
}

static enum tare_status export_events(const struct subject_of_test *x, const char *format, int64_t most, struct buf *out,
                                      struct buf *left, struct tare_err *err)
{
    const struct trace_file *const files[] = {x->file};
    struct sink sink = sink_to_buf(out);
    const struct export_options o = {.traces = files, .n_traces = 1, .most_events = most, .left_out = left};
    return exporter_write(exporter_find(format), &x->record, &o, &sink, err);
}

static void export_text(const struct subject_of_test *x, const char *format, int64_t most, struct buf *out, struct buf *left)
{
    struct tare_err err;
    if (export_events(x, format, most, out, left, &err))
        fail_msg("%s: %s", format, err.text);
}

/* ---- golden files ---- */

static void golden(const struct subject_of_test *x, const char *format, const char *name)
{
    char path[4096], block[4096];
    snprintf(path, sizeof path, "%s/golden/%s.%s", TESTS_DIR, name, exporter_find(format)->extension);
    struct buf text = BUF_INIT(1 << 24), expected = BUF_INIT(1 << 24);
    export_text(x, format, 0, &text, NULL);
    FILE *f = fopen(path, recording ? "wb" : "rb");
    if (!f)
        fail_msg("cannot open %s", path);
    if (recording)
        fwrite(buf_text(&text), 1, text.len, f);
    else
        for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
            buf_add(&expected, block, n);
    fclose(f);
    if (!recording && (text.len != expected.len || memcmp(text.data, expected.data, text.len) != 0))
        fail_msg("%s.%s is now:\n%s", name, exporter_find(format)->extension, buf_text(&text));
    buf_finish(&expected);
    buf_finish(&text);
}

static void events_in_every_format_are_as_agreed(void **state)
{
    (void)state;
    struct subject_of_test x;
    begin(&x, 12, false);
    for (int i = 0; i < FORMATS; i++)
        golden(&x, formats[i], "events");
    finish(&x);
}

/* Read back by readers of these formats in check_traces.py. */
static void no_name_breaks_out_of_its_place(void **state)
{
    (void)state;
    struct subject_of_test x;
    begin(&x, 12, true);
    for (int i = 0; i < FORMATS; i++)
        golden(&x, formats[i], "events_hostile");
    finish(&x);
}

/* The picture of folded stacks: as much as they have, and no name as an element. */
static void a_page_has_a_flame_graph_of_the_last_run(void **state)
{
    (void)state;
    struct subject_of_test x;
    begin(&x, 12, true);
    struct buf page = BUF_INIT(1 << 24);
    struct tare_err err;
    assert_int_equal(spans_keep_stacks(&x.record, (const struct trace_file *const[]){x.file}, &(int){0}, 1, &err), TARE_OK);
    export_text(&x, "html", 0, &page, NULL);
    const char *flame = strstr(buf_text(&page), "class=\"flame\"");
    assert_non_null(flame);
    int rows = 0;
    for (const char *at = flame; (at = strstr(at, "<rect class=\"k")); at++)
        rows++;
    assert_true(rows >= x.record.traced->n_results);
    assert_non_null(strstr(buf_text(&page), "Rows under 0.1 % of the picture are left out."));
    assert_true(!strncmp(strstr(buf_text(&page), "<script"), "<script>/* SPDX", 15) &&
                !strstr(strstr(buf_text(&page), "<script") + 1, "<script"));
    buf_finish(&page);
    finish(&x);
}

/* Whose program has no time of its own; names that fit are not cut. */
static void a_flame_graph_of_others_has_no_endless_share(void **state)
{
    (void)state;
    static const struct traced_stack stacks[] = {{-1, "program", "app", 0, 0},
                                                 {0, "scope", "eleven_wide", 50, 0},
                                                 {0, "scope", "twelve__wide", 50, 0},
                                                 {-1, "program", "other", 500, 0}};
    struct subject_of_test x;
    begin(&x, 12, true);
    struct buf page = BUF_INIT(1 << 24);
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++)
        assert_int_equal(record_add_stack(&x.record, &stacks[i]), i);
    export_text(&x, "html", 0, &page, NULL);
    const char *flame = strstr(buf_text(&page), "class=\"flame\"");
    assert_non_null(flame);
    assert_non_null(strstr(flame, "<title>eleven_wide: 50.0 ns</title>"));
    assert_non_null(strstr(flame, ">eleven_wide</text>"));
    assert_non_null(strstr(flame, ">twelve__wi\xe2\x80\xa6</text>"));
    buf_finish(&page);
    finish(&x);
}

/* In the order of the programs, though the last run of the second was made first. */
static void a_flame_graph_names_each_of_several_programs(void **state)
{
    (void)state;
    struct subject_of_test x[2];
    struct buf page = BUF_INIT(1 << 24);
    struct tare_err err;
    for (int i = 0; i < 2; i++)
        begin(&x[i], 12 + 12 * i, false);
    assert_int_equal(
        record_add_subject(&x->record, &(struct subject){.kind = SUBJECT_TRACE, .name = "other", .reference = -1}, NULL, 0), 1);
    const struct trace_file *const files[] = {x[1].file, x[0].file};
    assert_int_equal(spans_keep_stacks(&x->record, files, (const int[]){1, 0}, 2, &err), TARE_OK);
    const struct traced_stack *stacks = x->record.traced->stacks;
    const char *const names[] = {x->record.subjects[0].name, "other"};
    for (int i = 0; i < 2; i++) {
        assert_string_equal(stacks[i].kind, "program");
        assert_string_equal(stacks[i].name, names[i]);
    }
    double below[2] = {0};
    for (int i = 2; i < x->record.traced->n_stacks; i++) {
        const bool track = !strcmp(stacks[i].kind, "track");
        assert_int_equal(track, stacks[i].parent >= 0 && stacks[i].parent < 2);
        below[track ? stacks[i].parent : 0] += track ? stacks[i].ns : 0;
    }
    assert_true(stacks[1].ns > stacks[0].ns && fabs(below[0] - stacks[0].ns) < 1 && fabs(below[1] - stacks[1].ns) < 1);
    export_text(&x[0], "html", 0, &page, NULL);
    assert_non_null(strstr(buf_text(&page), "The last run of each program, all on one scale."));
    assert_non_null(strstr(strstr(buf_text(&page), "class=\"flame\""), "<title>other: "));
    buf_finish(&page);
    for (int i = 0; i < 2; i++)
        finish(&x[i]);
}

/* ---- sums ---- */

/* What the analyser makes of the same file, in ns: a tick of made traces is one. */
static double analysed(const struct subject_of_test *x, uint64_t *passages)
{
    struct trace_sums *s;
    struct tare_err err;
    const struct trace_arc_sum *arcs;
    double total = 0;
    if (trace_sums_create(&s, &(struct trace_sums_options){0}, &err) || trace_sums_add(s, x->file, &err) ||
        trace_sums_finish(s, &err))
        fail_msg("%s", err.text);
    int n = trace_sums_arcs(s, &arcs);
    *passages = 0;
    for (int i = 0; i < n; i++) {
        total += (double)arcs[i].sum / trace_sums_run(s)->hz * 1e9;
        *passages += arcs[i].n;
    }
    trace_sums_destroy(s);
    return total;
}

static double last_numbers(const char *text)
{
    double sum = 0;
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        const char *p = end;
        while (p > text && p[-1] != ' ')
            p--;
        sum += strtod(p, NULL);
    }
    return sum;
}

static double numbers_after(const char *text, const char *key)
{
    double sum = 0;
    for (; (text = strstr(text, key)); text += strlen(key))
        sum += strtod(text + strlen(key), NULL);
    return sum;
}

static double array_after(const char *text, const char *key)
{
    double sum = 0;
    for (const char *p = strstr(text, key); p; p = strstr(p, key)) {
        p += strlen(key);
        for (char *end; *p != ']'; p = *end == ',' ? end + 1 : end)
            sum += strtod(p, &end);
    }
    return sum;
}

static void sums_are_those_of_the_analyser_in_every_format(void **state)
{
    (void)state;
    struct subject_of_test x;
    begin(&x, 400, false);
    uint64_t passages;
    double total = analysed(&x, &passages), found[FORMATS];
    for (int i = 0; i < FORMATS; i++) {
        struct buf b = BUF_INIT(1 << 26);
        export_text(&x, formats[i], 300, &b, NULL);
        const char *text = buf_text(&b);
        found[i] = !strcmp(formats[i], "folded")       ? last_numbers(text)
                   : !strcmp(formats[i], "callgrind")  ? numbers_after(text, "summary: ")
                   : !strcmp(formats[i], "speedscope") ? array_after(text, "\"weights\":[")
                                                       : total; /* those of spans alone: counted below */
        if (!strcmp(formats[i], "chrome"))
            assert_true(numbers_after(text, "\"passages\":") >= (double)passages);
        buf_finish(&b);
        if (fabs(found[i] - total) > 1e-6 * total)
            fail_msg("%s: %.3f, analysed %.3f", formats[i], found[i], total);
    }
    finish(&x);
}

static int point_at(const struct traced *t, int line)
{
    for (int i = 0; i < t->n_points; i++)
        if (t->points[i].line == line)
            return i;
    fail_msg("no point at line %d", line);
    return -1;
}

static void add_weighed(struct record *r, int from_line, int to_line, double probe_ns)
{
    struct arc_result a;
    arc_result_init(&a, 0, point_at(r->traced, from_line), point_at(r->traced, to_line));
    a.probe_ns = probe_ns;
    assert_true(record_add_arc_result(r, &a) >= 0);
}

static void of_each_arc_its_own_overhead_is_taken_off(void **state)
{
    (void)state;
    struct subject_of_test x;
    struct tare_err err;
    struct trace_sums *sums;
    struct spans s;
    begin(&x, 12, false);
    if (trace_sums_create(&sums, &(struct trace_sums_options){0}, &err) || trace_sums_add(sums, x.file, &err) ||
        trace_sums_finish(sums, &err) || trace_sums_record(sums, &x.record, 0, 0, &err))
        fail_msg("%s", err.text);
    add_weighed(&x.record, 12, 20, 50);
    add_weighed(&x.record, 24, 30, 5);
    const struct trace_file *const files[] = {x.file};
    assert_int_equal(spans_read(&s, files, 1, &(struct spans_options){0}, &err), TARE_OK);
    assert_int_equal(spans_weigh(&s, &x.record, &err), TARE_OK);
    int weighed = 0;
    for (int i = 0; i < s.n_nodes; i++) {
        const struct span_frame *f = &s.frames[s.nodes[i].frame];
        const bool light = f->kind == FRAME_ARC && s.places[f->from].line == 24 && s.places[f->to].line == 30;
        const double probe_ns = light ? 5 : f->kind == FRAME_ARC ? 50 : 0;
        assert_true(spans_self_ns(&s, &s.nodes[i]) == llround(s.nodes[i].self_ns - (double)s.nodes[i].n * probe_ns));
        weighed += light;
    }
    assert_int_equal(weighed, 2); /* threads */
    spans_finish(&s);
    trace_sums_destroy(sums);
    finish(&x);
}

static void every_process_and_command_counts(void **state)
{
    (void)state;
    struct subject_of_test x, y;
    begin(&x, 12, false);
    begin(&y, 30, false);
    uint64_t of_x, of_y;
    analysed(&x, &of_x);
    analysed(&y, &of_y);
    const struct trace_file *const files[] = {x.file, y.file};
    for (int64_t most = -1; most <= 0; most++) {
        struct spans s;
        struct tare_err err;
        assert_int_equal(spans_read(&s, files, 2, &(struct spans_options){most, 5}, &err), TARE_OK);
        assert_int_equal(s.passages, of_x + of_y);
        assert_int_equal(s.shown, most ? of_x + of_y : 0);
        assert_int_equal(s.n_tracks, 4);
        for (int i = 0; i < s.n_tracks; i++)
            assert_int_equal(s.tracks[i].process, i / 2);
        spans_finish(&s);
    }
    finish(&x);
    finish(&y);
}

/* All spans of arcs, when all are shown, are all passages; with what is left out beside them likewise. */
static void every_passage_is_shown_or_said_to_be_left_out(void **state)
{
    (void)state;
    struct subject_of_test x;
    begin(&x, 400, false);
    uint64_t passages;
    double total = analysed(&x, &passages);
    for (int64_t most = -1; most <= 800; most += most < 0 ? 401 : 400) {
        struct spans s;
        struct tare_err err;
        const struct trace_file *const files[] = {x.file};
        assert_int_equal(spans_read(&s, files, 1, &(struct spans_options){most ? most : 20, 5}, &err), TARE_OK);
        uint64_t shown = 0, left = 0;
        double ns = 0, left_ns = 0;
        for (int i = 0; i < s.n_spans; i++) {
            const struct span *a = &s.spans[i];
            bool arc = s.frames[a->frame].kind == FRAME_ARC, out = s.frames[a->frame].kind == FRAME_LEFT_OUT;
            shown += arc;
            ns += arc ? (double)(a->end_ns - a->begin_ns) : 0;
            left += a->left_out;
            left_ns += out ? (double)(a->end_ns - a->begin_ns) : 0;
        }
        assert_int_equal(s.passages, passages);
        assert_int_equal(shown, s.shown);
        assert_int_equal(shown + left, passages);
        assert_true(fabs(ns + left_ns - total) < 1e-9 * total);
        assert_int_equal(left == 0, most < 0);
        assert_true(most < 0 || shown <= (uint64_t)(most < 20 ? 40 : most + 40));
        assert_true((s.left_out.len > 0) == (most >= 0));
        spans_finish(&s);
    }
    finish(&x);
}

/* Stacks of one name are one in the tools that read them. */
static void places_of_one_name_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *file, *func, *name, *shown;
        uint32_t line;
    } places[] = {
        {"/w/a/x.c", "f", "", "x.c:10", 10},
        {"/w/a/x.c", "f", "x.c:10", "x.c:10 (f, x.c:20)", 20},
        {"/w/a/x.c", "f", "on", "on", 30},
        {"/w/a/x.c", "f", "on", "on (f, x.c:40)", 40},
        {"/w/b/x.c", "f", "on", "on (f, b/x.c:40)", 40},
        {"/w/b/x.c", "f", "", "x.c:10 (f, b/x.c:10)", 10},
        {"/w/b/x.c", "g", "", "x.c:10 (g, x.c:10)", 10},
        {"/w/c/a/x.c", "f", "on", "on (f, c/a/x.c:40)", 40},
        {"/u/b/x.c", "f", "on", "on (f, /u/b/x.c:40)", 40},
    };
    enum { PLACES = sizeof places / sizeof *places };
    struct subject_of_test x;
    made_begin(&x.made);
    struct made_thread *t = made_thread(&x.made, 0, 1);
    for (unsigned i = 0; i < PLACES; i++) {
        made_point(&x.made, i + 1, places[i].file, places[i].line, places[i].func, places[i].name);
        made_pass(&x.made, t, i + 1, 1000 + 10 * i);
    }
    made_end(&x.made);
    open_file(&x);
    struct spans s;
    struct tare_err err;
    assert_int_equal(spans_read(&s, (const struct trace_file *const[]){x.file}, 1, &(struct spans_options){0}, &err), TARE_OK);
    for (int i = 0, at = 1; i < s.n_frames; i++)
        if (s.frames[i].kind == FRAME_ARC)
            assert_string_equal(strstr(s.frames[i].name, " → ") + strlen(" → "), places[at++].shown);
    assert_int_equal(s.n_frames, PLACES); /* the track has one */
    spans_finish(&s);
    finish(&x);
}

/* Whichever comes first. */
static void two_builds_have_the_same_names(void **state)
{
    (void)state;
    static const char *const programs[] = {"/w/1/prog", "/w/2/prog"}, *const sources[] = {"/w/1/x.c", "/w/2/x.c"};
    struct subject_of_test x[2];
    for (int i = 0; i < 2; i++) {
        made_begin(&x[i].made);
        strcpy(made_head(&x[i].made)->program, programs[i]);
        struct made_thread *t = made_thread(&x[i].made, 0, 1);
        for (unsigned k = 1; k <= 2; k++) {
            made_point(&x[i].made, k, sources[i], 10 * k, "f", "");
            made_pass(&x[i].made, t, k, 1000 + 10 * k);
        }
        made_end(&x[i].made);
        open_file(&x[i]);
    }
    struct spans s;
    struct tare_err err;
    assert_int_equal(
        spans_read(&s, (const struct trace_file *const[]){x[0].file, x[1].file}, 2, &(struct spans_options){0}, &err), TARE_OK);
    int arcs = 0;
    for (int i = 0; i < s.n_frames; i++)
        if (s.frames[i].kind == FRAME_ARC && ++arcs)
            assert_string_equal(s.frames[i].name, "x.c:10 → x.c:20");
    assert_int_equal(arcs, 2);
    spans_finish(&s);
    for (int i = 0; i < 2; i++)
        finish(&x[i]);
}

static void the_slowest_passages_are_always_shown(void **state)
{
    (void)state;
    struct subject_of_test x;
    begin(&x, 400, false);
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct spans s;
        struct tare_err err;
        const struct trace_file *const files[] = {x.file};
        assert_int_equal(spans_read(&s, files, 1, &(struct spans_options){400, seed}, &err), TARE_OK);
        int64_t longest = 0;
        int slow = 0;
        for (int i = 0; i < s.n_spans; i++)
            if (s.frames[s.spans[i].frame].kind == FRAME_ARC) {
                int64_t ns = s.spans[i].end_ns - s.spans[i].begin_ns;
                longest = ns > longest ? ns : longest;
                slow += ns > 20000;
            }
        assert_true(longest > 20000);
        assert_int_equal(slow, 2 * (1 + 2 + 3 + 0 + 1)); /* all that there are: steps of rounds 5, 102, 199, 296, 393 */
        spans_finish(&s);
    }
    finish(&x);
}

struct walking {
    int open[64], n;
    int64_t last;
    int begins, ends;
};

static void step(void *context, const struct span *x, bool is_begin)
{
    struct walking *w = context;
    assert_true((is_begin ? x->begin_ns : x->end_ns) >= w->last);
    w->last = is_begin ? x->begin_ns : x->end_ns;
    if (is_begin) {
        assert_true(w->n < 64);
        w->open[w->n++] = x->frame;
        w->begins++;
    } else {
        assert_int_equal(w->open[--w->n], x->frame);
        w->ends++;
    }
}

static void check_nesting(const struct spans *s)
{
    for (int i = 0; i < s->n_tracks; i++) {
        struct walking w = {.last = INT64_MIN};
        spans_walk(s, i, step, &w);
        assert_int_equal(w.n, 0);
        assert_int_equal(w.begins, s->tracks[i].n_spans);
        assert_int_equal(w.ends, w.begins);
    }
}

/* Random passes, scopes that do not match, handlers, gaps, breaks, lanes: spans are nested and in order whatever there is. */
static void spans_of_any_file_are_strictly_nested(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 60; seed++) {
        struct subject_of_test x;
        unsigned r = seed;
        made_begin(&x.made);
        add_points(&x.made, false);
        struct made_thread *t = made_thread(&x.made, 0, 1);
        uint64_t tick = 5000;
        for (int i = 0; i < 600; i++) {
            r = r * 1103515245u + 12345u;
            unsigned kind = r >> 20 & 31;
            tick += r >> 16 & 15;
            if (kind < 24)
                made_pass(&x.made, t, 1 + kind % 5, kind == 7 && tick > 6000 ? tick - 40 : tick); /* some within handlers */
            else if (kind < 26)
                made_word(&x.made, t, CONTROL_BREAK, tick, NULL, 0);
            else if (kind < 28)
                made_word(&x.made, t, CONTROL_GAP, tick, &(uint64_t){tick + 30}, 1), tick += 30;
            else
                made_word(&x.made, t, CONTROL_LANE, tick, &(uint64_t){kind % 3}, 1);
        }
        made_end(&x.made);
        open_file(&x);
        const struct trace_file *const files[] = {x.file};
        for (int64_t most = -1; most < 200; most += 67) {
            struct spans s;
            struct tare_err err;
            assert_int_equal(spans_read(&s, files, 1, &(struct spans_options){most ? most : 1, seed}, &err), TARE_OK);
            check_nesting(&s);
            spans_finish(&s);
        }
        finish(&x);
    }
}

/* ---- what is not there ---- */

static void scopes_may_stand_deep_in_each_other(void **state)
{
    (void)state;
    enum { DEEP = 300, SHOWN = 256 };
    struct subject_of_test x = {0};
    made_begin(&x.made);
    add_points(&x.made, false);
    struct made_thread *t = made_thread(&x.made, 0, 1);
    for (uint64_t i = 0; i < DEEP; i++)
        made_pass(&x.made, t, WORK, 1000 + 10 * i);
    made_pass(&x.made, t, STEP, 1000 + 10 * DEEP);
    made_end(&x.made);
    open_file(&x);
    struct buf text = BUF_INIT(1 << 24);
    export_text(&x, "folded", 0, &text, NULL);
    int deepest = 0, now = 0;
    for (const char *at = buf_text(&text); *at; at++) {
        now = *at == '\n' ? 0 : now + (*at == ';');
        deepest = now > deepest ? now : deepest;
    }
    if (deepest < SHOWN)
        fail_msg("%d levels where %d were to come", deepest, SHOWN);
    buf_finish(&text);
    finish(&x);
}

static void a_record_without_files_has_no_events(void **state)
{
    (void)state;
    struct subject_of_test x;
    begin(&x, 1, false);
    for (int i = 0; i < FORMATS; i++) {
        struct buf b = BUF_INIT(1 << 20);
        struct sink sink = sink_to_buf(&b);
        struct tare_err err;
        assert_int_equal(exporter_write(exporter_find(formats[i]), &x.record, &(struct export_options){0}, &sink, &err),
                         TARE_UNSUPPORTED);
        assert_non_null(strstr(err.text, "--trace-dir"));
        assert_int_equal(b.len, 0);
        buf_finish(&b);
    }
    finish(&x);
}

static void a_program_that_passed_nothing_gives_whole_files(void **state)
{
    (void)state;
    struct subject_of_test x;
    made_begin(&x.made);
    add_points(&x.made, false);
    made_end(&x.made);
    open_file(&x);
    for (int i = 0; i < FORMATS; i++) {
        struct buf b = BUF_INIT(1 << 20);
        export_text(&x, formats[i], 0, &b, NULL);
        assert_null(strstr(buf_text(&b), "nan,"));
        buf_finish(&b);
    }
    finish(&x);
}

static void what_is_left_out_is_said_to_who_asked_and_in_the_file(void **state)
{
    (void)state;
    struct subject_of_test x;
    begin(&x, 400, false);
    for (int i = 0; i < FORMATS; i++) {
        bool sums = !strcmp(formats[i], "folded") || !strcmp(formats[i], "callgrind");
        struct buf b = BUF_INIT(1 << 24), left = BUF_INIT(1 << 14);
        export_text(&x, formats[i], 400, &b, &left);
        assert_true(sums == !left.len);
        if (!sums) {
            bool in_file = false;
            for (size_t k = 0; k + left.len <= b.len && !in_file; k++)
                in_file = !memcmp(b.data + k, left.data, left.len);
            assert_true(in_file);
        }
        buf_finish(&left);
        buf_finish(&b);
    }
    finish(&x);
}

static enum tare_status refuse(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    (void)bytes;
    (void)n;
    ++*(int *)context;
    return err_set(err, TARE_IO, "disk full");
}

static void a_full_disk_is_reported_once(void **state)
{
    (void)state;
    struct subject_of_test x;
    begin(&x, 2000, false);
    const struct trace_file *const files[] = {x.file};
    for (int i = 0; i < FORMATS; i++) {
        int calls = 0;
        struct sink sink = {refuse, &calls};
        struct tare_err err;
        const struct export_options o = {.traces = files, .n_traces = 1};
        assert_int_equal(exporter_write(exporter_find(formats[i]), &x.record, &o, &sink, &err), TARE_IO);
        assert_string_equal(err.text, "disk full");
        assert_int_equal(calls, 1);
    }
    finish(&x);
}

int main(int argc, char **argv)
{
    recording = argc > 1 && !strcmp(argv[1], "--record");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_in_every_format_are_as_agreed),
        cmocka_unit_test(no_name_breaks_out_of_its_place),
        cmocka_unit_test(a_page_has_a_flame_graph_of_the_last_run),
        cmocka_unit_test(a_flame_graph_of_others_has_no_endless_share),
        cmocka_unit_test(a_flame_graph_names_each_of_several_programs),
        cmocka_unit_test(sums_are_those_of_the_analyser_in_every_format),
        cmocka_unit_test(of_each_arc_its_own_overhead_is_taken_off),
        cmocka_unit_test(every_process_and_command_counts),
        cmocka_unit_test(every_passage_is_shown_or_said_to_be_left_out),
        cmocka_unit_test(places_of_one_name_are_told_apart),
        cmocka_unit_test(two_builds_have_the_same_names),
        cmocka_unit_test(the_slowest_passages_are_always_shown),
        cmocka_unit_test(spans_of_any_file_are_strictly_nested),
        cmocka_unit_test(scopes_may_stand_deep_in_each_other),
        cmocka_unit_test(a_record_without_files_has_no_events),
        cmocka_unit_test(a_program_that_passed_nothing_gives_whole_files),
        cmocka_unit_test(what_is_left_out_is_said_to_who_asked_and_in_the_file),
        cmocka_unit_test(a_full_disk_is_reported_once),
    };
    return cmocka_run_group_tests_name("export_events", tests, NULL, NULL);
}
