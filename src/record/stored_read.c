/* SPDX-License-Identifier: MIT */
#include "stored_read.h"
#include "foreign.h"
#include "gunzip.h"
#include "record_kind.h"
#include "record_write.h"
#include <string.h>

/* What a file is must show within so much of it: Go's lines may stand behind those of its tests. */
enum { BEGINNING_MAX = 4 << 20 };

static size_t skip_bom(const char *text, size_t n)
{
    return n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

static size_t skip_blanks(const char *text, size_t n)
{
    size_t at = skip_bom(text, n);
    while (at < n && at < BEGINNING_MAX && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n'))
        at++;
    return at;
}

static bool has_go_line(const char *text, size_t n)
{
    n = n < BEGINNING_MAX ? n : BEGINNING_MAX;
    for (size_t at = 0, next; at < n; at = next) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t length = end ? (size_t)(end - (text + at)) : n - at;
        next = at + length + 1;
        if (memchr(text + at, 0, length))
            return false; /* no text */
        if (go_benchmark_line(text + at, length) || go_failure_line(text + at, length))
            return true;
    }
    return false;
}

/* Every line of a record begins with its type; a member of that name leads no other tool's file. */
static bool begins_as_record(const char *text, size_t n)
{
    static const char start[] = "{\"type\":\"";
    size_t m = n < sizeof start - 1 ? n : sizeof start - 1;
    return !memcmp(text, start, m);
}

static enum tare_status read_tree(struct foreign *f, const struct json_value *root)
{
    const struct json_value *benchmarks = json_member(root, "benchmarks"), *first = json_first(benchmarks);
    if (json_is_array(json_member(root, "results")) && json_member(json_first(json_member(root, "results")), "command"))
        return hyperfine_read(f, root);
    if (json_member(first, "runs"))
        return pyperf_read(f, root);
    if (pytest_benchmark_file(root))
        return pytest_benchmark_read(f, root);
    if (json_is_array(benchmarks) && (json_is_object(json_member(root, "context")) || json_member(first, "real_time")))
        return google_benchmark_read(f, root);
    if (jmh_file(root))
        return jmh_read(f, root);
    if (benchmarkdotnet_file(root))
        return benchmarkdotnet_read(f, root);
    if (criterion_file(root))
        return criterion_read(f, root);
    if (action_file(root))
        return action_read(f, root);
    if (tinybench_file(root))
        return tinybench_read(f, root);
    if (asv_file(root))
        return asv_read(f, root);
    if (lnt_file(root))
        return lnt_read(f, root);
    if (sampler_graph(root))
        return sampler_graph_read(f, root);
    if (bmf_file(root))
        return bmf_read(f, root);
    return foreign_wrong(
        f, "JSON, but neither a record of tare nor a result file of a tool that it knows (tare-export(5) has the list)");
}

static bool is_letter(char c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

/* Many tools write "NaN" and "Infinity", which are not JSON, where they have no number: an empty text stands there then, which is none either. */
static void leave_out_no_numbers(char *text, size_t n)
{
    static const char *const words[] = {"NaN", "nan", "Infinity", "inf"};
    bool in_string = false;
    for (size_t i = 0, length; i < n; i += length) {
        length = 1 + (in_string && text[i] == '\\');
        in_string ^= text[i] == '"';
        if (in_string || !is_letter(text[i]))
            continue;
        while (i + length < n && is_letter(text[i + length]))
            length++;
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (length == strlen(words[w]) && !memcmp(text + i, words[w], length)) {
                memset(text + i, ' ', length);
                memcpy(text + i - (i && text[i - 1] == '-'), "\"\"", 2);
            }
    }
}

static enum tare_status read_json(struct foreign *f, const char *text, size_t n)
{
    struct json_value *root = NULL;
    size_t at = skip_blanks(text, n);
    struct buf copy = BUF_INIT(SIZE_MAX / 2);
    buf_add(&copy, text + at, n - at);
    enum tare_status status = copy.status ? err_no_memory(f->err) : TARE_OK;
    if (!status) {
        leave_out_no_numbers(copy.data, copy.len);
        status = json_parse(&root, copy.data, copy.len, f->err);
    }
    buf_finish(&copy);
    if (status == TARE_FORMAT)
        err_prefix(f->err, "neither a record of tare nor complete JSON");
    if (!status)
        status = read_tree(f, root);
    json_free(root);
    return status;
}

/* What the script assigns. */
static enum tare_status read_script(struct foreign *f, const char *text, size_t n)
{
    const char *open = memchr(text, '{', n);
    size_t left = open ? n - (size_t)(open - text) : 0;
    while (left && strchr("; \t\r\n", open[left - 1]))
        left--;
    return read_json(f, open ? open : text, left);
}

static bool begins_as_json(const char *text, size_t n)
{
    return n && (*text == '[' || *text == '{');
}

static bool begins_as_script(const char *text, size_t n)
{
    return n >= sizeof ACTION_SCRIPT && !memcmp(text, ACTION_SCRIPT, sizeof ACTION_SCRIPT - 1);
}

/* Asked one after the other, of the text behind its blanks. */
static const struct text_format {
    bool (*is)(const char *text, size_t n);
    enum tare_status (*read)(struct foreign *f, const char *text, size_t n); /* NULL: a record */
} formats[] = {{perf_stat_file, perf_stat_read}, {sampler_line, sampler_lines_read}, {begins_as_record, NULL},
               {go_event_line, go_events_read},  {begins_as_json, read_json},        {junit_file, junit_read},
               {catch2_file, catch2_read},       {begins_as_script, read_script},    {criterion_csv_file, criterion_csv_read},
               {otava_file, otava_read},         {has_go_line, go_benchmark_read},   {value_lines_file, value_lines_read}};

/* NULL: a record, or nothing that is known, of which the record's reader says what is wrong. */
static const struct text_format *format_of(const char *text, size_t n)
{
    const size_t at = skip_blanks(text, n);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].is(text + at, n - at))
            return formats[i].read ? &formats[i] : NULL;
    return NULL;
}

static bool is_gzip(const char *text, size_t n)
{
    return n >= 2 && !memcmp(text, "\x1f\x8b", 2);
}

static enum tare_status read_foreign(struct foreign *f, const struct text_format *format, const char *text, size_t n)
{
    struct rule *rule = &f->r->rule;
    const size_t bom = skip_bom(text, n);
    text += bom;
    n -= bom;
    rule->confidence = 0.95;
    rule->margin = 0.01;
    f->r->tool_version = "";
    enum tare_status status = format->read(f, text, n);
    if (!status && !record_kind(f->r)->arcs)
        status = foreign_finish(f);
    return status || !f->out->notes.status ? status : err_no_memory(f->err);
}

static enum tare_status read_plain(struct record *r, const char *text, size_t n, struct record_reading *reading,
                                   struct tare_err *err)
{
    const struct text_format *format = format_of(text, n);
    const size_t at = skip_blanks(text, n);
    if (!format && at < n && text[at] != '{') {
        *reading = (struct record_reading){.notes = BUF_INIT(0)};
        return err_set(err, TARE_FORMAT,
                       "neither a record of tare nor a result file of a tool that it knows, nor lines as 'sort 12.5 ms'");
    }
    if (!format)
        return record_read(r, text, n, reading, err);
    struct foreign f = {.r = r, .out = reading, .err = err};
    *reading = (struct record_reading){.notes = BUF_INIT(1 << 16)};
    record_init(r);
    enum tare_status status = read_foreign(&f, format, text, n);
    arena_finish(&f.arena);
    if (!status) {
        reading->consumed = n;
        return TARE_OK;
    }
    record_finish(r);
    return status;
}

/* What is in it, once: a file compressed twice is somebody's joke. */
static enum tare_status read_compressed(struct record *r, const char *bytes, size_t n, struct record_reading *reading,
                                        struct tare_err *err)
{
    struct buf text = BUF_INIT(GUNZIP_MAX);
    *reading = (struct record_reading){.notes = BUF_INIT(1 << 16)};
    enum tare_status status = gunzip(bytes, n, &text, err);
    if (!status && is_gzip(buf_text(&text), text.len))
        status = err_set(err, TARE_FORMAT, "compressed with gzip twice");
    if (!status)
        status = read_plain(r, buf_text(&text), text.len, reading, err);
    if (!status && reading->consumed < text.len) {
        record_finish(r);
        status = err_set(err, TARE_UNSUPPORTED, "several sessions in one file compressed with gzip; decompress it first");
    }
    buf_finish(&text);
    reading->consumed = n;
    return status;
}

bool stored_unrecognised(const char *text, size_t n)
{
    size_t at = skip_blanks(text, n), left = n - at;
    if (is_gzip(text, n) || format_of(text, n))
        return false;
    if (!left || text[at] != '{')
        return n >= BEGINNING_MAX || memchr(text, 0, n);
    return (left >= RECORD_START_MAX && !record_starts(text + at, left)) ||
           (left > RECORD_LINE_MAX && !memchr(text + at, '\n', RECORD_LINE_MAX));
}

enum tare_status stored_read(struct record *r, const char *text, size_t n, struct record_reading *reading, struct tare_err *err)
{
    struct tare_err own = {""};
    enum tare_status status = (is_gzip(text, n) ? read_compressed : read_plain)(r, text, n, reading, &own);
    if (status && err)
        *err = own;
    return status;
}
