/* SPDX-License-Identifier: MIT */
#include "json_read.h"
#include "random_record.h"
#include "record_lines.h"
#include "record_read.h"
#include "record_write.h"
#include "rng.h"
#include "same_record.h"
#include <locale.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- reading in one call ---- */

struct read {
    struct record r;
    struct record_reading reading;
    struct tare_err err;
    enum tare_status status;
};

static struct read *read_text(const char *text, size_t n)
{
    struct read *x = calloc(1, sizeof *x);
    char *own = malloc(n ? n : 1); /* without a closing zero: what reads past the end is found by the sanitizer */
    assert_non_null(x);
    assert_non_null(own);
    memcpy(own, text, n);
    x->status = record_read(&x->r, own, n, &x->reading, &x->err);
    free(own);
    return x;
}

static void read_done(struct read *x)
{
    record_reading_finish(&x->reading);
    record_finish(&x->r);
    free(x);
}

static void write_text(const struct record *r, struct buf *out)
{
    struct sink sink = sink_to_buf(out);
    struct tare_err err;
    if (record_write(r, &sink, &err))
        fail_msg("%s", err.text);
}

static void random_text(uint64_t seed, struct buf *out)
{
    struct record r = {0};
    random_record(&r, seed);
    write_text(&r, out);
    record_finish(&r);
}

static void assert_status(const struct read *x, enum tare_status expected, const char *in_message)
{
    if (x->status != expected || (in_message && !strstr(x->err.text, in_message)))
        fail_msg("%s '%s', expected %s '%s'", tare_status_name(x->status), x->status ? x->err.text : "",
                 tare_status_name(expected), in_message ? in_message : "");
}

static void assert_reads(const char *text, enum tare_status expected, const char *in_message)
{
    struct read *x = read_text(text, strlen(text));
    assert_status(x, expected, in_message);
    read_done(x);
}

/* ---- whole files ---- */

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        struct record r = {0};
        struct buf b = BUF_INIT(1 << 24);
        random_record(&r, seed);
        write_text(&r, &b);
        struct read *x = read_text(b.data, b.len);
        assert_status(x, TARE_OK, NULL);
        assert_string_equal(buf_text(&x->reading.notes), "");
        assert_null(x->r.unverified);
        assert_int_equal(x->reading.consumed, b.len);
        assert_same_record(&r, &x->r);
        read_done(x);
        buf_finish(&b);
        record_finish(&r);
    }
}

/* Rows are read straight from lines that are written as we write them, and from a tree of JSON where a blank makes them others. */
static void rows_are_the_same_however_their_lines_are_written(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct buf plain = BUF_INIT(1 << 24), spaced = BUF_INIT(1 << 24);
        random_text(seed, &plain);
        const char *trailer = strstr(buf_text(&plain), "{\"type\":\"trailer\"");
        for (const char *at = buf_text(&plain), *row; at < trailer; at = row) {
            row = strstr(at + 1, "\"row\":[[");
            row = row && row < trailer ? row + 6 : trailer;
            buf_add(&spaced, at, (size_t)(row - at));
            buf_str(&spaced, row < trailer ? " " : "");
        }
        struct read *x = read_text(plain.data, (size_t)(trailer - plain.data)), *y = read_text(spaced.data, spaced.len);
        assert_status(x, TARE_OK, NULL);
        assert_status(y, TARE_OK, NULL);
        assert_same_record(&x->r, &y->r);
        read_done(x);
        read_done(y);
        buf_finish(&plain);
        buf_finish(&spaced);
    }
}

#define PLAIN(flags, values) "{\"type\":\"row\",\"series\":0,\"row\":[[12,1],5," flags values "]}\n"

/* Of these the tree has to read the rest, or to say what is wrong with them. */
static void only_lines_as_we_write_them_are_read_without_a_tree(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool plain;
        double value; /* the first one */
    } cases[] = {
        {PLAIN("0", ",999999999999999"), true, 999999999999999},
        {PLAIN("0", ",-999999999999999"), true, -999999999999999},
        {PLAIN("0", ",0,7"), true, 0},
        {PLAIN("0", ",-1"), true, -1},
        {PLAIN("4294967295", ",null"), true, NAN},
        {PLAIN("4294967296", ",1"), false, 0},
        {PLAIN("-1", ",1"), false, 0},
        {PLAIN("0", ",1000000000000000"), false, 0},
        {PLAIN("0", ",-0"), false, 0},
        {PLAIN("0", ",01"), false, 0},
        {PLAIN("0", ",1.0"), false, 0},
        {PLAIN("0", ",1e3"), false, 0},
        {PLAIN("0", ",-"), false, 0},
        {PLAIN("0", ",\"1\""), false, 0},
        {PLAIN("0", ", 1"), false, 0},
        {PLAIN("0", ",1") "x", false, 0},
        {"{\"type\":\"row\",\"series\":0,\"row\":[[12,1],5,0,1]}", false, 0},
        {"{\"type\":\"row\",\"series\":0,\"row\":[[12,1],5,0,1]}\r\n", false, 0},
        {"{\"type\":\"row\",\"series\":0,\"row\":[[12,1],5,0,1]}x\n", false, 0},
        {"{\"type\":\"row\",\"series\":0,\"row\":[[12,1],5,0,1],\"x\":1}\n", false, 0},
        {"{\"type\":\"rows\",\"series\":0,\"row\":[[12,1],5,0,1]}\n", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double room[COLUMNS_MAX];
        struct row_text t;
        const char *line = cases[i].line;
        if (row_from_text(line, strlen(line), room, &t) != cases[i].plain)
            fail_msg("%s", line);
        if (!cases[i].plain)
            continue;
        assert_true(!t.sample && t.series == 0 && t.row.round == 12 && t.row.slot == 1 && t.row.start_ns == 5);
        assert_true(t.row.values == room && (isnan(cases[i].value) ? isnan(room[0]) : room[0] == cases[i].value));
        assert_true(t.row.flags == (isnan(cases[i].value) ? UINT32_MAX : 0));
    }
}

static void a_row_without_a_tree_has_no_more_values_than_columns(void **state)
{
    (void)state;
    for (int n = COLUMNS_MAX; n <= COLUMNS_MAX + 1; n++) {
        double room[COLUMNS_MAX];
        struct row_text t;
        struct buf b = BUF_INIT(1 << 16);
        buf_str(&b, "{\"type\":\"sample\",\"series\":2,\"row\":[[0,0],0,0");
        for (int i = 0; i < n; i++)
            buf_format(&b, ",%d", i);
        buf_str(&b, "]}\n");
        assert_int_equal(row_from_text(b.data, b.len, room, &t), n == COLUMNS_MAX);
        if (n == COLUMNS_MAX)
            assert_true(t.sample && t.series == 2 && t.n == n && room[n - 1] == n - 1);
        buf_finish(&b);
    }
}

/* A fraction, or a number of more digits than a double holds. */
static bool is_for_the_tree(const char *row)
{
    static const char digits[] = "0123456789";
    for (; *row != '\n'; row += strspn(row, digits) ? strspn(row, digits) : 1)
        if (*row == '.' || *row == 'e' || strspn(row, digits) > 15)
            return true;
    return false;
}

static void rows_that_are_written_are_read_without_a_tree(void **state)
{
    (void)state;
    static const char start[] = "{\"type\":\"row\",";
    int rows = 0, plain = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct buf b = BUF_INIT(1 << 24);
        random_text(seed, &b);
        for (const char *at = buf_text(&b), *end; *at; at = end + 1) {
            double room[COLUMNS_MAX];
            struct row_text t;
            end = strchr(at, '\n');
            const char *row = strstr(at, "\"row\":[[");
            if (strncmp(at, start, sizeof start - 1) != 0 || is_for_the_tree(row + 8))
                continue;
            rows++;
            plain += row_from_text(at, (size_t)(end - at) + 1, room, &t);
        }
        buf_finish(&b);
    }
    assert_true(rows > 0);
    assert_int_equal(plain, rows);
}

/* One sample of each schema stays in the tree. */
static void a_file_of_every_schema_stays_readable(void **state)
{
    (void)state;
    struct buf text = BUF_INIT(1 << 24), again = BUF_INIT(1 << 24);
    FILE *f = fopen(TESTS_DIR "/../data/schema1.tare.jsonl", "rb");
    assert_non_null(f);
    char block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        buf_add(&text, block, n);
    fclose(f);
    struct read *x = read_text(text.data, text.len);
    assert_status(x, TARE_OK, NULL);
    assert_null(x->r.unverified);
    assert_true(x->r.seed == UINT64_C(9007199254740993));
    assert_string_equal(x->r.subjects[2].argv[1], "caf\xe9");
    assert_string_equal(facts_find(&x->r.before, "label")->text, "caf\xe9");
    assert_int_equal(x->r.series[2].main.flags[3], ROW_FAILED);
    assert_int_equal(x->r.series[0].warmup.n, 1);
    assert_int_equal(x->r.rule.look_at[1], 10);
    assert_true(record_comparison(&x->r, 2, "wall")->low == -INFINITY);
    write_text(&x->r, &again);
    assert_string_equal(buf_text(&again), buf_text(&text));
    read_done(x);
    buf_finish(&text);
    buf_finish(&again);
}

static void numbers_survive_another_decimal_point(void **state)
{
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8", "ru_RU.UTF-8"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof locales / sizeof *locales && !found; i++)
        found = setlocale(LC_NUMERIC, locales[i]);
    if (!found)
        skip();
    char shown[8];
    snprintf(shown, sizeof shown, "%.1f", 1.5);
    assert_string_equal(shown, "1,5");
    struct record r = {0};
    struct buf b = BUF_INIT(1 << 24);
    random_record(&r, 5);
    write_text(&r, &b);
    struct read *x = read_text(b.data, b.len);
    setlocale(LC_NUMERIC, "C");
    if (x->status != TARE_UNSUPPORTED) { /* cJSON without locale support: refused, never misread */
        assert_status(x, TARE_OK, NULL);
        assert_same_record(&r, &x->r);
    }
    read_done(x);
    buf_finish(&b);
    record_finish(&r);
}

static int rows_in(const struct record *r)
{
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++)
        n += r->series[i].main.n + r->series[i].warmup.n + r->series[i].replaced.n;
    return n;
}

/* Whole row lines within the first n bytes; the last one counts without its end mark. */
static int row_lines(const char *text, size_t n)
{
    static const char start[] = "{\"type\":\"row\",";
    int rows = 0;
    for (size_t i = 0; i < n;) {
        const char *end = memchr(text + i, '\n', strlen(text + i));
        size_t length = (size_t)(end - text) - i;
        rows += !strncmp(text + i, start, sizeof start - 1) && i + length <= n;
        i += length + 1;
    }
    return rows;
}

static void check_cuts(const struct buf *b)
{
    const char *last_columns = NULL;
    for (const char *p = b->data; (p = strstr(p, "{\"type\":\"columns\"")); p++)
        last_columns = p;
    size_t head = (size_t)(strchr(last_columns, '\n') - b->data);
    for (size_t n = 0; n < b->len; n++) {
        struct read *x = read_text(b->data, n);
        if (n < head && x->status) {
            assert_status(x, TARE_TRUNCATED, n ? "nothing was measured" : "empty");
        } else {
            assert_status(x, TARE_OK, NULL);
            assert_int_equal(rows_in(&x->r), row_lines(b->data, n));
            assert_int_equal(x->reading.consumed, n);
            bool whole = n == b->len - 1; /* only the last end mark is missing */
            assert_int_equal(!x->r.unverified, whole);
            assert_int_equal(!x->r.ended, !whole);
            assert_true(whole || (x->r.partial && strstr(buf_text(&x->reading.notes), "no trailer")));
        }
        read_done(x);
    }
}

/* The price grows with the square of the length: of many records, the three shortest. */
static void cut_at_any_byte_only_the_last_line_is_lost(void **state)
{
    (void)state;
    enum { FILES = 3, SEEDS = 250 };
    struct buf shortest[FILES + 1] = {{0}};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        int at = (int)(seed <= FILES ? seed - 1 : FILES);
        shortest[at] = BUF_INIT(1 << 24);
        random_text(seed, &shortest[at]);
        for (; at > 0 && shortest[at].len < shortest[at - 1].len; at--) {
            const struct buf longer = shortest[at - 1];
            shortest[at - 1] = shortest[at];
            shortest[at] = longer;
        }
        buf_finish(&shortest[FILES]);
    }
    for (int i = 0; i < FILES; i++) {
        check_cuts(&shortest[i]);
        buf_finish(&shortest[i]);
    }
}

/* ---- several records in one text ---- */

static void files_put_one_after_the_other_are_read_one_by_one(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 24);
    size_t ends[4];
    for (uint64_t i = 0; i < 4; i++) {
        random_text(i + 1, &b);
        if (i == 1)
            buf_str(&b, "\n \r\n");
        if (i == 2)
            b.len -= 40; /* killed: its torn last line and the next header become one line */
        ends[i] = b.len;
    }
    size_t at = 0;
    for (uint64_t i = 0; i < 4; i++) {
        struct record expected = {0};
        random_record(&expected, i + 1);
        struct read *x = read_text(b.data + at, b.len - at);
        assert_status(x, TARE_OK, NULL);
        assert_int_equal(x->reading.consumed, ends[i] - at);
        assert_int_equal(!x->r.unverified, i != 2);
        assert_int_equal(x->reading.cut, i == 2);
        if (i == 2)
            assert_int_equal(rows_in(&x->r), rows_in(&expected));
        else
            assert_same_record(&expected, &x->r);
        at += x->reading.consumed;
        read_done(x);
        record_finish(&expected);
    }
    assert_int_equal(at, b.len);
    buf_finish(&b);
}

/* ---- small files by hand ---- */

#define HEADER     "{\"type\":\"header\",\"schema\":1,\"tool\":\"tare\",\"version\":\"0.1.0\"}\n"
#define SUBJECT_0  "{\"type\":\"subject\",\"index\":0,\"kind\":\"command\",\"name\":\"a\"}\n"
#define COLUMNS_0  "{\"type\":\"columns\",\"series\":0,\"subject\":0,\"ids\":[\"wall\",\"exit\"]}\n"
#define HEAD       HEADER SUBJECT_0 COLUMNS_0
#define ROW(round) "{\"type\":\"row\",\"series\":0,\"row\":[[" round ",0],5,0,100,0]}\n"

static void what_is_not_a_record_is_refused_with_a_reason(void **state)
{
    (void)state;
    assert_reads("", TARE_TRUNCATED, "empty");
    assert_reads("\n\n", TARE_TRUNCATED, "nothing was measured");
    assert_reads("{\n  \"results\": []\n}\n", TARE_FORMAT, "not a tare record");
    assert_reads("command,mean\n", TARE_FORMAT, "not a tare record");
    assert_reads("\x7f"
                 "ELF\n",
                 TARE_FORMAT, "not a tare record");
    assert_reads("{\"type\":\"header\",\"tool\":\"other\",\"schema\":1}\n" SUBJECT_0 COLUMNS_0, TARE_FORMAT, "not a tare record");
    assert_reads("{\"type\":\"header\",\"tool\":\"tare\"}\n" SUBJECT_0 COLUMNS_0, TARE_FORMAT, "not a tare record");
    assert_reads("{\"type\":\"header\",\"tool\":\"tare\",\"schema\":2,\"version\":\"9.1\"}\n", TARE_VERSION, "tare 9.1");
    assert_reads("{\"type\":\"header\",\"tool\":\"tare\",\"schema\":1e300}\n", TARE_VERSION, "newer tare");
    assert_reads(HEADER, TARE_TRUNCATED, "nothing was measured");
    assert_reads(HEADER SUBJECT_0, TARE_TRUNCATED, "nothing was measured");
}

static void a_damaged_head_is_refused_with_its_line(void **state)
{
    (void)state;
    assert_reads(HEADER "{\"type\":\"subject\",\"index\":1,\"kind\":\"command\",\"name\":\"a\"}\n", TARE_FORMAT,
                 "line 2: a subject is missing");
    assert_reads(HEADER "{\"type\":\"subject\",\"index\":-1,\"kind\":\"command\",\"name\":\"a\"}\n", TARE_FORMAT, "line 2");
    assert_reads(HEADER "{\"type\":\"subject\",\"index\":0,\"kind\":\"odd\",\"name\":\"a\"}\n", TARE_FORMAT, "known kind");
    assert_reads(HEADER "{\"type\":\"subj\n" SUBJECT_0 COLUMNS_0, TARE_FORMAT, "line 2: not JSON");
    assert_reads(HEADER SUBJECT_0 "{\"type\":\"columns\",\"series\":1,\"subject\":1,\"ids\":[]}\n", TARE_FORMAT,
                 "line 3: columns of a series");
    assert_reads(HEADER SUBJECT_0 "{\"type\":\"columns\",\"series\":0,\"subject\":0,\"ids\":[\"a\",\"a\"]}\n", TARE_FORMAT,
                 "same name");
    assert_reads(HEADER SUBJECT_0 "{\"type\":\"columns\",\"series\":0,\"subject\":0,\"ids\":[1]}\n", TARE_FORMAT, "not texts");
    assert_reads(HEAD ROW("0") COLUMNS_0, TARE_FORMAT, "after their rows");
    assert_reads(HEAD "{\"type\": \"header\",\"schema\":1,\"tool\":\"tare\"}\n", TARE_FORMAT, "second header");
    assert_reads(HEAD "{\"type\":\"metric\",\"id\":\"x\"}\n", TARE_FORMAT, "line 4: a metric without");
    assert_reads("{\"type\":\"header\",\"schema\":1,\"tool\":\"tare\",\"rule\":{\"metric\":\"odd\"}}\n" SUBJECT_0 COLUMNS_0,
                 TARE_FORMAT, "metric that decides");
    assert_reads("{\"type\":\"header\",\"schema\":1,\"tool\":\"tare\",\"rule\":{\"confidence\":1.5}}\n", TARE_FORMAT,
                 "out of range");
    assert_reads("{\"type\":\"header\",\"schema\":1,\"tool\":\"tare\",\"rule\":{\"leaks\":{\"alpha\":0}}}\n", TARE_FORMAT,
                 "out of range");
    assert_reads("{\"type\":\"header\",\"schema\":1,\"tool\":\"tare\",\"rule\":{\"method\":\"odd\"}}\n", TARE_FORMAT,
                 "method is not known");
}

/* The file is read; so many lines are left out, and one of the notes says this. */
static void assert_leaves_out(const char *text, int damaged, int rows, const char *in_notes)
{
    struct read *x = read_text(text, strlen(text));
    assert_status(x, TARE_OK, NULL);
    assert_int_equal(x->reading.damaged, damaged);
    assert_int_equal(x->r.series[0].main.n, rows);
    if (!strstr(buf_text(&x->reading.notes), in_notes))
        fail_msg("notes '%s' do not say '%s'", buf_text(&x->reading.notes), in_notes);
    read_done(x);
}

static void a_line_that_makes_no_sense_is_left_out_and_named(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"type\":\"row\",\"series\":1,\"row\":[[9,0],5,0,1,0]}\n",
        "{\"type\":\"row\",\"series\":-1,\"row\":[[9,0],5,0,1,0]}\n",
        "{\"type\":\"row\",\"series\":0.5,\"row\":[[9,0],5,0,1,0]}\n",
        "{\"type\":\"row\",\"series\":0,\"row\":[[9,0],5,0,1]}\n",
        "{\"type\":\"row\",\"series\":0,\"row\":[[9,0],5,0,1,0,2]}\n",
        "{\"type\":\"row\",\"series\":0,\"row\":[[9],5,0,1,0]}\n",
        "{\"type\":\"row\",\"series\":0,\"row\":[9,5,0,1,0]}\n",
        "{\"type\":\"row\",\"series\":0,\"row\":[[9,0],5,-1,1,0]}\n",
        "{\"type\":\"row\",\"series\":0,\"row\":[[9,0],5,0,\"x\",0]}\n",
        "{\"type\":\"row\",\"series\":0,\"row\":[[9,0],5,0,1e999,0]}\n",
        "{\"type\":\"row\",\"series\":0,\"row\":[[0,0],5,0,1,0]}\n",
        "{\"type\":\"row\",\"series\":0,\"row\":[]}\n",
        "{\"type\":\"row\",\"series\":0}\n",
        "{\"type\":\"row\",\"series\":0,\"row\":[[9,0],5,0,1,0]\n",
        "{\"type\":\"row\",\"series\":0,\"row\":[[2147483648,0],5,0,1,0]}\n",
        "[]\n",
        "7\n",
        "\"x\"\n",
        "{\"type\":\"estimate\",\"subject\":0,\"metric\":\"odd\",\"statistic\":\"mean\",\"n\":3}\n",
        "{\"type\":\"estimate\",\"subject\":0,\"metric\":\"wall\",\"statistic\":\"mean\",\"n\":-3}\n",
        "{\"type\":\"estimate\",\"subject\":7,\"metric\":\"wall\",\"statistic\":\"mean\",\"n\":3}\n",
        "{\"type\":\"estimate\",\"subject\":0,\"metric\":\"wall\",\"statistic\":\"mean\",\"n\":3,\"confidence\":-1e300}\n",
        "{\"type\":\"finding\",\"id\":\"x\",\"text\":\"x\",\"severity\":\"note\",\"subject\":4}\n",
        "{\"type\":\"comparison\",\"reference\":0,\"subject\":3}\n",
        "{\"type\":\"plan\",\"looks\":[{\"rounds\":10,\"level\":0.1},{\"rounds\":10,\"level\":0.1}]}\n",
        "{\"type\":\"conditions\",\"when\":\"during\"}\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct buf b = BUF_INIT(1 << 16);
        buf_format(&b, "%s%s%s", HEAD ROW("0"), lines[i], ROW("1"));
        assert_leaves_out(buf_text(&b), 1, 2, "line 5 was left out: ");
        buf_finish(&b);
    }
}

#define POINT_LINE                                                                                                             \
    "{\"type\":\"point\",\"index\":0,\"subject\":0,\"kind\":\"point\",\"file\":\"a\",\"line\":1,\"func\":\"f\",\"name\":\"\"," \
    "\"group\":0,\"partner\":null}\n"
#define TRACED_LINE                                                                                                             \
    "{\"type\":\"traced\",\"index\":0,\"subject\":0,\"round\":0,\"clock\":\"tsc\",\"order\":\"fast\",\"repeat\":1,\"passes\":[" \
    "0,5]}\n"
#define ARC(rest) "{\"type\":\"arc\",\"from\":0,\"to\":0,\"passes\":3,\"n\":2,\"sum\":20,\"min\":9,\"max\":11," rest "}\n"

static void a_line_of_control_points_that_makes_no_sense_is_left_out(void **state)
{
    (void)state;
    static const char *const lines[] = {
        POINT_LINE, /* there twice, and out of order */
        "{\"type\":\"point\",\"index\":1,\"subject\":1,\"kind\":\"point\",\"file\":\"a\",\"line\":1,\"func\":\"f\",\"name\":\"\","
        "\"group\":0}\n",
        "{\"type\":\"point\",\"index\":1,\"subject\":0,\"kind\":\"place\",\"file\":\"a\",\"line\":1,\"func\":\"f\",\"name\":\"\","
        "\"group\":0}\n",
        "{\"type\":\"point\",\"index\":1,\"subject\":0,\"kind\":\"point\",\"file\":\"a\",\"line\":-1,\"func\":\"f\",\"name\":"
        "\"\",\"group\":0}\n",
        "{\"type\":\"traced\",\"index\":1,\"subject\":0,\"round\":1,\"clock\":\"tsc\",\"order\":\"fast\",\"repeat\":0,\"passes\":"
        "[]}\n",
        "{\"type\":\"traced\",\"index\":1,\"subject\":0,\"round\":1,\"clock\":\"tsc\",\"order\":\"fast\",\"repeat\":1,\"hz\":-1,"
        "\"passes\":[]}\n",
        "{\"type\":\"traced\",\"index\":1,\"subject\":0,\"round\":1,\"clock\":\"tsc\",\"order\":\"fast\",\"repeat\":1,\"passes\":"
        "[1,5]}\n",
        "{\"type\":\"traced\",\"index\":1,\"subject\":0,\"round\":1,\"clock\":\"tsc\",\"order\":\"fast\",\"repeat\":1,\"passes\":"
        "[0]}\n",
        ARC("\"run\":1,\"bins\":[9,2]"),
        ARC("\"run\":0,\"bins\":[9,1]"),
        ARC("\"run\":0,\"bins\":[9,1,9,1]"),
        ARC("\"run\":0,\"bins\":[392,2]"),
        ARC("\"run\":0,\"bins\":[9]"),
        ARC("\"run\":0,\"bins\":[9,2],\"clean_n\":3"),
        ARC("\"run\":0,\"bins\":[9,2],\"gaps\":-1"),
        "{\"type\":\"arc\",\"run\":0,\"from\":0,\"to\":1,\"passes\":0,\"n\":0,\"sum\":0,\"min\":0,\"max\":0,\"clean_sum\":0,"
        "\"bins\":[]}\n",
        "{\"type\":\"arc\",\"run\":0,\"from\":0,\"to\":0,\"passes\":0,\"n\":1,\"sum\":0,\"min\":0,\"max\":0,\"clean_sum\":0,"
        "\"bins\":[0,1]}\n",
        "{\"type\":\"passage\",\"subject\":0,\"from\":0,\"to\":7}\n",
        "{\"type\":\"passage\",\"subject\":0,\"from\":0,\"to\":0,\"n\":0.5}\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct buf b = BUF_INIT(1 << 16);
        buf_format(&b, "%s%s%s", HEAD ROW("0") POINT_LINE TRACED_LINE, lines[i], ROW("1"));
        assert_leaves_out(buf_text(&b), 1, 2, "line 7 was left out: ");
        buf_finish(&b);
    }
}

#define INTERLEAVED  "{\"type\":\"header\",\"schema\":1,\"tool\":\"tare\",\"rule\":{\"interleaved\":true}}\n"
#define SUBJECT_1    "{\"type\":\"subject\",\"index\":1,\"kind\":\"command\",\"name\":\"b\"}\n"
#define COLUMNS_1    "{\"type\":\"columns\",\"series\":1,\"subject\":1,\"ids\":[\"wall\"]}\n"
#define TWO_HEADS    SUBJECT_0 COLUMNS_0 SUBJECT_1 COLUMNS_1
#define ROW_1(round) "{\"type\":\"row\",\"series\":1,\"row\":[[" round ",1],6,0,200" round "]}\n"

static void assert_rounds(const struct read *x, int series, const int *rounds, int n)
{
    const struct rows *rows = &x->r.series[series].main;
    assert_int_equal(rows->n, n);
    for (int i = 0; i < n; i++)
        assert_int_equal(rows->round[i], rounds[i]);
}

static void a_round_that_lost_a_run_goes_as_a_whole(void **state)
{
    (void)state;
    const char rows[] = ROW("0") ROW_1("0") ROW("1") "{\"type\":\"row\",\"ser#@\n" ROW("2")
        ROW_1("2") "{\"type\":\"r#w\"}\n" ROW_1("3") ROW("4") ROW_1("4") ROW("5");
    struct buf b = BUF_INIT(1 << 16);
    buf_format(&b, "%s%s", INTERLEAVED TWO_HEADS, rows);
    struct read *x = read_text(b.data, b.len);
    assert_status(x, TARE_OK, NULL);
    assert_rounds(x, 0, (const int[]){0, 2, 4, 5}, 4); /* the last one was under way when the session ended */
    assert_rounds(x, 1, (const int[]){0, 2, 4}, 3);
    assert_true(x->r.series[1].main.value[0][1] == 2002);
    assert_int_equal(x->r.rounds, 3);
    assert_non_null(strstr(buf_text(&x->reading.notes), "2 runs were left out, because"));
    read_done(x);
    buf_clear(&b);
    buf_format(&b, "%s%s", HEADER TWO_HEADS, rows); /* one after the other: rounds bind nothing */
    x = read_text(b.data, b.len);
    assert_rounds(x, 0, (const int[]){0, 1, 2, 4, 5}, 5);
    assert_rounds(x, 1, (const int[]){0, 2, 3, 4}, 4);
    read_done(x);
    buf_finish(&b);
}

/* Who left at a look is not missing in the rounds after it. */
static void a_round_after_somebody_left_is_complete_without_it(void **state)
{
    (void)state;
    const char rows[] = ROW("0") ROW_1("0") ROW("1")
        ROW_1("1") "{\"type\":\"look\",\"series\":0,\"look\":1,\"rounds\":2,\"level\":0.05}\n" ROW_1("2") ROW_1("3");
    struct buf b = BUF_INIT(1 << 16);
    buf_format(&b, "%s%s", INTERLEAVED TWO_HEADS, rows);
    struct read *x = read_text(b.data, b.len);
    assert_status(x, TARE_OK, NULL);
    assert_true(subject_left(&x->r, 0) && !subject_left(&x->r, 1));
    assert_rounds(x, 0, (const int[]){0, 1}, 2);
    assert_rounds(x, 1, (const int[]){0, 1, 2, 3}, 4);
    assert_int_equal(x->r.rounds, 4);
    assert_int_equal(record_rounds(&x->r, (const int[]){0, 1}, 2), 4);
    assert_null(strstr(buf_text(&x->reading.notes), "left out, because"));
    read_done(x);
    buf_clear(&b); /* a round that it lost before is lost for both */
    buf_format(&b, "%s%s", INTERLEAVED TWO_HEADS, rows + sizeof ROW("0") - 1);
    x = read_text(b.data, b.len);
    assert_rounds(x, 0, (const int[]){1}, 1);
    assert_rounds(x, 1, (const int[]){1, 2, 3}, 3);
    read_done(x);
    buf_finish(&b);
}

static void what_a_later_version_adds_is_skipped(void **state)
{
    (void)state;
    const char text[] = HEAD "{\"type\":\"orbit\",\"from\":1}\n{\"x\":1}\n"
                             "{\"type\":\"row\",\"colour\":{\"a\":[1]},\"series\":0,\"row\":[[0,0],5,1024,null,0]}\n";
    struct read *x = read_text(text, sizeof text - 1);
    assert_status(x, TARE_OK, NULL);
    assert_int_equal(x->reading.unknown, 2);
    assert_non_null(strstr(buf_text(&x->reading.notes), "2 lines were skipped, of a kind"));
    assert_int_equal(x->r.series[0].main.flags[0], 1024);
    assert_true(isnan(x->r.series[0].main.value[0][0]));
    assert_non_null(record_metric(&x->r, "wall"));
    read_done(x);
}

static void names_of_statistics_in_older_records_are_the_ones_of_today(void **state)
{
    (void)state;
    const char text[] =
        HEAD "{\"type\":\"estimate\",\"subject\":0,\"metric\":\"wall\",\"statistic\":\"aa_false_words\",\"n\":3}\n";
    struct read *x = read_text(text, sizeof text - 1);
    assert_status(x, TARE_OK, NULL);
    assert_non_null(record_estimate(&x->r, 0, "wall", "aa_false_positives"));
    assert_null(record_estimate(&x->r, 0, "wall", "aa_false_words"));
    read_done(x);
}

static void large_integers_come_as_text_or_number(void **state)
{
    (void)state;
    const char text[] =
        "{\"type\":\"header\",\"schema\":1,\"tool\":\"tare\",\"seed\":\"18446744073709551615\"}\n" SUBJECT_0 COLUMNS_0
        "{\"type\":\"row\",\"series\":0,\"row\":[[0,0],\"-9223372036854775808\",0,1,0]}\n"
        "{\"type\":\"row\",\"series\":0,\"row\":[[1,0],\"9223372036854775808\",0,1,0]}\n"
        "{\"type\":\"row\",\"series\":0,\"row\":[[2,0],9007199254740992,0,1,0]}\n";
    struct read *x = read_text(text, sizeof text - 1);
    assert_status(x, TARE_OK, NULL);
    assert_true(x->r.seed == UINT64_MAX);
    assert_int_equal(x->reading.damaged, 1); /* one more than fits */
    assert_true(x->r.series[0].main.start_ns[0] == INT64_MIN);
    assert_true(x->r.series[0].main.start_ns[1] == INT64_C(9007199254740992));
    read_done(x);
}

static void a_changed_file_is_read_with_a_warning(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 24);
    random_text(11, &b);
    char *row = strstr(b.data, "[[0,0],");
    assert_non_null(row);
    row[4] = '1';
    struct read *x = read_text(b.data, b.len);
    assert_status(x, TARE_OK, NULL);
    assert_non_null(x->r.unverified);
    assert_non_null(strstr(buf_text(&x->reading.notes), "was changed"));
    read_done(x);
    buf_finish(&b);
}

static void a_killed_session_says_how_far_it_came(void **state)
{
    (void)state;
    const char text[] = HEAD ROW("0") ROW("1") "{\"type\":\"row\",\"series\":0,\"row\":[[2,0],7000000000,0,500000000,0]}\n";
    struct read *x = read_text(text, sizeof text - 1);
    assert_status(x, TARE_OK, NULL);
    assert_true(x->r.partial);
    assert_null(x->r.ended);
    assert_int_equal(x->r.rounds, 3);
    assert_true(x->r.seconds == 7.5);
    assert_non_null(strstr(buf_text(&x->reading.notes), "3 finished runs"));
    read_done(x);
}

static void limits_stop_hostile_lines(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 26);
    buf_str(&b, HEADER "{\"a\":");
    buf_repeat(&b, '[', 100000);
    buf_str(&b, "\n");
    assert_reads(buf_text(&b), TARE_TOO_LARGE, "levels deep");
    buf_clear(&b);
    buf_str(&b, HEADER "{\"type\":\"machine\",\"facts\":[0");
    for (int i = 0; i < JSON_VALUES_MAX; i++)
        buf_str(&b, ",0");
    buf_str(&b, "]}\n");
    assert_reads(buf_text(&b), TARE_TOO_LARGE, "values");
    buf_clear(&b);
    buf_str(&b, HEADER "{\"x\":\"");
    buf_repeat(&b, 'x', RECORD_LINE_MAX);
    buf_str(&b, "\"}\n");
    assert_reads(buf_text(&b), TARE_TOO_LARGE, "line 2: longer than 16777216 bytes");
    buf_clear(&b);
    buf_str(&b, HEADER "{\"type\":\"machine\",\"facts\":{\"a\":0");
    for (int i = 0; i < 5000; i++)
        buf_format(&b, ",\"k%d\":0", i);
    buf_str(&b, "}}\n");
    assert_reads(buf_text(&b), TARE_FORMAT, "too many facts");
    buf_finish(&b);
    const char zero[] = HEAD "{\"type\":\"row\",\0}\n" ROW("0");
    struct read *x = read_text(zero, sizeof zero - 1);
    assert_status(x, TARE_OK, NULL);
    assert_non_null(strstr(buf_text(&x->reading.notes), "zero byte"));
    read_done(x);
}

static void other_line_ends_and_a_byte_order_mark_are_accepted(void **state)
{
    (void)state;
    const char text[] =
        "\xef\xbb\xbf" HEADER "\r\n\n" SUBJECT_0 COLUMNS_0 "{\"type\":\"row\",\"series\":0,\"row\":[[0,0],5,0,1,0]}\r\n";
    struct read *x = read_text(text, sizeof text - 1);
    assert_status(x, TARE_OK, NULL);
    assert_int_equal(rows_in(&x->r), 1);
    read_done(x);
}

/* Whatever happens to the bytes, reading ends with a record or with a reason, and such a record can be written. */
static void any_damage_ends_in_a_record_or_a_reason(void **state)
{
    (void)state;
    struct rng rng = rng_seeded(99);
    for (int i = 0; i < 300; i++) {
        struct buf b = BUF_INIT(1 << 24), again = BUF_INIT(1 << 24);
        random_text(1 + rng_below(&rng, 30), &b);
        for (uint64_t k = 1 + rng_below(&rng, 8); k > 0; k--) {
            static const char often[] = "{}[],:\"\\0129-.en\n";
            b.data[rng_below(&rng, b.len)] = rng_below(&rng, 2) ? often[rng_below(&rng, sizeof often)] : (char)rng_next(&rng);
        }
        struct read *x = read_text(b.data, b.len);
        if (x->status)
            assert_true(*x->err.text);
        else
            write_text(&x->r, &again);
        read_done(x);
        buf_finish(&b);
        buf_finish(&again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(rows_are_the_same_however_their_lines_are_written),
        cmocka_unit_test(only_lines_as_we_write_them_are_read_without_a_tree),
        cmocka_unit_test(a_row_without_a_tree_has_no_more_values_than_columns),
        cmocka_unit_test(rows_that_are_written_are_read_without_a_tree),
        cmocka_unit_test(a_file_of_every_schema_stays_readable),
        cmocka_unit_test(numbers_survive_another_decimal_point),
        cmocka_unit_test(cut_at_any_byte_only_the_last_line_is_lost),
        cmocka_unit_test(files_put_one_after_the_other_are_read_one_by_one),
        cmocka_unit_test(what_is_not_a_record_is_refused_with_a_reason),
        cmocka_unit_test(a_damaged_head_is_refused_with_its_line),
        cmocka_unit_test(a_line_that_makes_no_sense_is_left_out_and_named),
        cmocka_unit_test(a_line_of_control_points_that_makes_no_sense_is_left_out),
        cmocka_unit_test(a_round_that_lost_a_run_goes_as_a_whole),
        cmocka_unit_test(a_round_after_somebody_left_is_complete_without_it),
        cmocka_unit_test(what_a_later_version_adds_is_skipped),
        cmocka_unit_test(names_of_statistics_in_older_records_are_the_ones_of_today),
        cmocka_unit_test(large_integers_come_as_text_or_number),
        cmocka_unit_test(a_changed_file_is_read_with_a_warning),
        cmocka_unit_test(a_killed_session_says_how_far_it_came),
        cmocka_unit_test(limits_stop_hostile_lines),
        cmocka_unit_test(other_line_ends_and_a_byte_order_mark_are_accepted),
        cmocka_unit_test(any_damage_ends_in_a_record_or_a_reason),
    };
    return cmocka_run_group_tests_name("record_read", tests, NULL, NULL);
}
