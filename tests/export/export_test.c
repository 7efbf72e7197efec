/* SPDX-License-Identifier: MIT
 * Golden files: tests/data/RECORD.tare.jsonl in every format is tests/export/golden/RECORD.EXTENSION.
 * `test_export --record` writes them anew; read the difference before it is committed. */
#include "export.h"
#include "golden.h"
#include "record_read.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool recording;

/* ---- files ---- */

static void read_file(const char *path, struct buf *out)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("cannot read %s", path);
    char block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        buf_add(out, block, n);
    fclose(f);
}

static void write_file(const char *path, const struct buf *text)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(buf_text(text), 1, text->len, f) != text->len || fclose(f))
        fail_msg("cannot write %s", path);
}

static void load(const char *name, struct record *r)
{
    struct buf path = BUF_INIT(4096), text = BUF_INIT(1 << 24);
    struct record_reading reading;
    struct tare_err err;
    buf_format(&path, "%s/../data/%s.tare.jsonl", TESTS_DIR, name);
    read_file(buf_text(&path), &text);
    if (record_read(r, text.data, text.len, &reading, &err))
        fail_msg("%s: %s", name, err.text);
    assert_string_equal(buf_text(&reading.notes), "");
    record_reading_finish(&reading);
    buf_finish(&text);
    buf_finish(&path);
}

static void export_text(const struct record *r, const char *name, const struct export_options *o, struct buf *out)
{
    struct sink sink = sink_to_buf(out);
    struct tare_err err;
    if (exporter_write(exporter_find(name), r, o, &sink, &err))
        fail_msg("%s: %s", name, err.text);
}

/* ---- golden files ---- */

static void golden(const struct record *r, const char *exporter, const struct export_options *o, const char *file)
{
    struct buf text = BUF_INIT(1 << 24), expected = BUF_INIT(1 << 24), path = BUF_INIT(4096);
    export_text(r, exporter, o, &text);
    golden_without_record(&text);
    buf_format(&path, "%s/golden/%s", TESTS_DIR, file);
    if (recording)
        write_file(buf_text(&path), &text);
    read_file(buf_text(&path), &expected);
    if (strcmp(buf_text(&text), buf_text(&expected)))
        fail_msg("%s is now:\n%s", file, buf_text(&text));
    buf_finish(&path);
    buf_finish(&expected);
    buf_finish(&text);
}

static bool is_of_commands(const struct exporter *x)
{
    static const char *const names[] = {
#define EXPORTERS_OF_COMMANDS
#define EXPORTER(name, id, help, detail) #name,
#include "exporters.def"
#undef EXPORTER
#undef EXPORTERS_OF_COMMANDS
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], x->name))
            return true;
    return false;
}

/* Memory over time is exported of sessions that hold some; arcs of traced programs. */
static bool fits(const struct exporter *x, const struct record *r)
{
    return is_of_commands(x) && (r->n_timelines || strcmp(x->name, "timeline") != 0);
}

static void golden_in_every_format(const struct record *r, const char *name)
{
    for (int i = 0; exporter_at(i); i++) {
        if (!fits(exporter_at(i), r))
            continue;
        char file[64];
        struct buf b = buf_over(file, sizeof file);
        buf_format(&b, "%s.%s", name, exporter_at(i)->extension);
        golden(r, exporter_at(i)->name, &(struct export_options){0}, file);
    }
}

static void every_format_of_every_record_is_as_agreed(void **state)
{
    (void)state;
    static const char *const names[] = {"schema1", "counts", "scan", "timeline"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct record r = {0};
        load(names[i], &r);
        golden_in_every_format(&r, names[i]);
        record_finish(&r);
    }
}

static bool is_of_tables(const struct exporter *x)
{
    static const char *const names[] = {
#define EXPORTERS_OF_TABLES
#define EXPORTER(name, id, help, detail) #name,
#include "exporters.def"
#undef EXPORTER
#undef EXPORTERS_OF_TABLES
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], x->name))
            return true;
    return false;
}

/* Pictures of commands and arcs refuse it, and say which format does not. */
static void a_session_of_clocks_has_every_table(void **state)
{
    (void)state;
    struct record r = {0};
    load("clocks", &r);
    for (int i = 0; exporter_at(i); i++) {
        char file[64];
        struct buf b = BUF_INIT(1 << 20), name = buf_over(file, sizeof file);
        struct sink sink = sink_to_buf(&b);
        struct tare_err err = {{0}};
        buf_format(&name, "clocks.%s", exporter_at(i)->extension);
        if (is_of_tables(exporter_at(i))) {
            golden(&r, exporter_at(i)->name, &(struct export_options){0}, file);
        } else {
            assert_int_equal(exporter_write(exporter_at(i), &r, &(struct export_options){0}, &sink, &err), TARE_UNSUPPORTED);
            assert_true(!b.len && strstr(err.text, is_of_commands(exporter_at(i)) ? "clocks" : "tare trace"));
        }
        buf_finish(&b);
    }
    record_finish(&r);
}

static void memory_over_time_becomes_a_picture_by_the_name_of_its_file(void **state)
{
    (void)state;
    struct record r = {0};
    load("timeline", &r);
    assert_int_equal(r.n_timelines, 4);
    golden(&r, "timeline", &(struct export_options){.file = "a/b.svg"}, "timeline.memory.svg");
    golden(&r, "timeline", &(struct export_options){.file = ".svg"}, "timeline.timeline.csv");
    struct buf b = BUF_INIT(1 << 20);
    struct timeline *t = &r.timelines[0]; /* what a peak lacks */
    *t = (struct timeline){.subject = t->subject,
                           .wall_ns = 3e6,
                           .n = t->n,
                           .at_ns = t->at_ns,
                           .rss = t->rss,
                           .heap = t->heap,
                           .rss_peak = 2e6,
                           .rss_peak_ns = 1e6,
                           .processes = 4,
                           .heap_peak = 1e6,
                           .heap_peak_ns = 2e6,
                           .unwatched = 1,
                           .left_count = 2};
    export_text(&r, "html", &(struct export_options){0}, &b);
    assert_non_null(
        strstr(buf_text(&b), ", 4 processes in all; memory that they share counts in each. Peak live heap: at least "));
    assert_non_null(
        strstr(buf_text(&b),
               "; the largest total of several processes seen at one time; 1 process is not in it; "
               "2 processes were not watched to the end. From one additional run of 3.00\xc2\xa0ms, not one of the timed runs."));
    t->largest_process = 64e6; /* between two samples, or before the first */
    buf_clear(&b);
    export_text(&r, "html", &(struct export_options){0}, &b);
    assert_non_null(strstr(buf_text(&b), "counts in each; 64.0\xc2\xa0MB by the kernel's count of the largest process. Peak"));
    t->rss_peak = 0;
    buf_clear(&b);
    export_text(&r, "html", &(struct export_options){0}, &b);
    assert_non_null(strstr(buf_text(&b), "It ended before its memory was seen; 64.0\xc2\xa0MB by the kernel's count"));
    record_finish(&r);
    record_init(&r);
    buf_clear(&b);
    export_text(&r, "timeline", &(struct export_options){.file = "b.svg"}, &b);
    assert_non_null(strstr(buf_text(&b), "No memory over time was measured."));
    buf_finish(&b);
    record_finish(&r);
}

static void tables_follow_unit_and_order(void **state)
{
    (void)state;
    struct record r = {0};
    load("schema1", &r);
    golden(&r, "markdown", &(struct export_options){.time_unit = "s", .sort_by_mean = true}, "schema1_sorted_in_s.md");
    record_finish(&r);
}

/* What each format reads back from these files was compared with the names, by pandoc (Markdown, org) and asciidoctor. */
static void no_name_breaks_out_of_its_cell(void **state)
{
    (void)state;
    static const char *const names[] = {
        "!\"#$%&'()*+,-./0123456789:;<=>?@ABCXYZ[\\]^_`abcxyz{|}~",
        "a -- b ... c -> d => e (C) (TM) it's 'x' \"y\"",
        "http://example.com/x?a=1 me@example.com <<ref>> {author} ((idx)) [[a]] image:x[]",
        " lead and trail ",
        "a|b",
        "=x= ~y~ /z/ *b* _u_ +s+ a_b a^2 x=1",
        "`a``b",
        "``",
        "H~2~O and \\alpha $x$ [fn:1] <2026-01-01> #+x",
        "| pipe \\| esc \\\\|",
        "two\nlines\tand\x1b[31mcolour\xc2\x9b",
        "not \xff utf-8 \xc3",
        "turned \xe2\x80\xae round \xe2\x81\xa6 and \xe2\x80\x8b hidden \xef\xbb\xbf \xf3\xa0\x81\x81",
        "",
    };
    struct record r = {0};
    record_init(&r);
    r.rule.metric = "wall";
    r.ended = "answered";
    r.rule.confidence = 0.95;
    r.tool_version = "0.1.0";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        record_add_subject(&r, &(struct subject){.name = names[i], .command = names[i]}, NULL, 0);
    golden_in_every_format(&r, "names");
    record_finish(&r);
}

/* Formats with one name a value: names that could end it, be taken for another, or be two of one. */
static void no_name_breaks_out_of_its_line(void **state)
{
    (void)state;
    static const char *const names[] = {"a b",          "a\tb",
                                        "two\nlines",   "q\"uote \\ {x=\"1\"}",
                                        "=1+1, x",      "not \xff utf-8",
                                        "Benchmarks-8", "wide\xc2\xa0 and\xe2\x80\x83gap",
                                        "[wall]",       ""};
    struct record r = {0};
    record_init(&r);
    r.rule.metric = "wall";
    r.rule.confidence = 0.95;
    r.tool_version = "0.1.0";
    record_add_metric(&r, metric_builtin_find("wall"));
    record_add_metric(&r, &(struct metric){"a-b c", "q\"\n", "%", METRIC_OWN, METRIC_HIGHER, NULL});
    record_add_metric(&r, &(struct metric){"a_b_c", "", "s/op", METRIC_OWN, METRIC_NEUTRAL, NULL});
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
        record_add_subject(&r, &(struct subject){.name = names[i], .command = names[i]},
                           (const char *[]){"wall", "a-b c", "a_b_c"}, 3);
        record_append_row(&r, i, &(struct row){.values = (double[]){1e6 + i, 0.1 * i, i ? i : NAN}});
        for (int k = 0; k < 3; k++)
            record_add_estimate(&r, &(struct estimate){.subject = i,
                                                       .metric = r.metrics[k].id,
                                                       .statistic = "median",
                                                       .method = "",
                                                       .point = k == 1 ? 0.1 * i : i,
                                                       .low = k ? -INFINITY : i - 1,
                                                       .high = k ? INFINITY : i + 1,
                                                       .n = 1});
    }
    for (int i = 0; exporter_at(i); i++) {
        struct buf file = BUF_INIT(64);
        buf_format(&file, "hostile.%s", exporter_at(i)->extension);
        if (exporter_at(i)->medians)
            golden(&r, exporter_at(i)->name, &(struct export_options){0}, buf_text(&file));
        buf_finish(&file);
    }
    record_finish(&r);
}

/* ---- what golden files do not say ---- */

static void every_exporter_is_found_by_its_name(void **state)
{
    (void)state;
    enum { N = 25 };
    int n = 0;
    for (; exporter_at(n); n++) {
        const struct exporter *x = exporter_at(n);
        assert_ptr_equal(exporter_find(x->name), x);
        assert_true(*x->extension);
        assert_true(n == 0 || !is_of_commands(x) || strcmp(exporter_at(n - 1)->name, x->name) < 0);
    }
    assert_int_equal(n, N);
    assert_null(exporter_find("xml"));
    assert_null(exporter_at(-1));
}

struct failing {
    int calls;
};

static enum tare_status refuse(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    (void)bytes;
    (void)n;
    ((struct failing *)context)->calls++;
    return err_set(err, TARE_IO, "disk full");
}

static void a_full_disk_is_reported_once(void **state)
{
    (void)state;
    struct record r = {0};
    load("timeline", &r);
    for (int i = 0; exporter_at(i); i++) {
        if (!is_of_commands(exporter_at(i)))
            continue;
        struct failing f = {0};
        struct sink sink = {refuse, &f};
        struct tare_err err;
        assert_int_equal(exporter_write(exporter_at(i), &r, &(struct export_options){0}, &sink, &err), TARE_IO);
        assert_string_equal(err.text, "disk full");
        assert_int_equal(f.calls, 1);
    }
    record_finish(&r);
}

/* A session that was stopped before its first run: no rows, no results. */
static void a_record_without_results_can_be_exported(void **state)
{
    (void)state;
    struct record r = {0};
    record_init(&r);
    r.rule.metric = "wall";
    r.tool_version = "0.1.0";
    record_add_subject(&r, &(struct subject){.name = "", .command = ""}, NULL, 0);
    for (int i = 0; exporter_at(i); i++) {
        if (!is_of_commands(exporter_at(i)))
            continue;
        struct buf b = BUF_INIT(1 << 20);
        export_text(&r, exporter_at(i)->name, &(struct export_options){0}, &b);
        assert_true(b.len > 20 || exporter_at(i)->medians); /* of which there are none */
        assert_null(strstr(buf_text(&b), "nan"));
        assert_null(strstr(buf_text(&b), "inf\""));
        buf_finish(&b);
    }
    record_finish(&r);
}

static void a_long_session_goes_out_in_pieces(void **state)
{
    (void)state;
    struct record r = {0};
    record_init(&r);
    r.rule.metric = "wall";
    record_add_metric(&r, metric_builtin_find("wall"));
    record_add_subject(&r, &(struct subject){.name = "a", .command = "a"}, (const char *[]){"wall"}, 1);
    for (int i = 0; i < 100000; i++)
        record_append_row(&r, 0, &(struct row){.round = i, .values = &(double){1e6 + i}});
    struct buf b = BUF_INIT(1 << 24);
    export_text(&r, "json", &(struct export_options){0}, &b);
    assert_non_null(strstr(buf_text(&b), "0.001099999]")); /* the last time */
    assert_non_null(strstr(buf_text(&b), ",1099999]"));    /* and once more in ns */
    buf_finish(&b);
    record_finish(&r);
}

int main(int argc, char **argv)
{
    recording = argc > 1 && !strcmp(argv[1], "--record");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_of_every_record_is_as_agreed),
        cmocka_unit_test(a_session_of_clocks_has_every_table),
        cmocka_unit_test(memory_over_time_becomes_a_picture_by_the_name_of_its_file),
        cmocka_unit_test(tables_follow_unit_and_order),
        cmocka_unit_test(no_name_breaks_out_of_its_cell),
        cmocka_unit_test(no_name_breaks_out_of_its_line),
        cmocka_unit_test(every_exporter_is_found_by_its_name),
        cmocka_unit_test(a_full_disk_is_reported_once),
        cmocka_unit_test(a_record_without_results_can_be_exported),
        cmocka_unit_test(a_long_session_goes_out_in_pieces),
    };
    return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
