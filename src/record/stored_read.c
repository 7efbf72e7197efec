/* SPDX-License-Identifier: MIT */
#include "stored_read.h"
#include "foreign.h"
#include "gunzip.h"
#include "record_kind.h"
#include "record_write.h"
#include <string.h>

static size_t skip_bom(const char *text, size_t n)
{
    return n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

static size_t skip_blanks(const char *text, size_t n)
{
    size_t at = skip_bom(text, n);
    while (at < n && at < FOREIGN_BEGINNING_MAX && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n'))
        at++;
    return at;
}

/* Every line of a record begins with its type; a member of that name leads no other tool's file. */
static bool begins_as_record(const char *text, size_t n)
{
    static const char start[] = "{\"type\":\"";
    size_t m = n < sizeof start - 1 ? n : sizeof start - 1;
    return !memcmp(text, start, m);
}

/* Asked one after the other: that of Bencher last, for any object of objects of objects with a value is one. */
static const struct json_format *const json_formats[] = {&hyperfine_format,
                                                         &pyperf_format,
                                                         &pytest_benchmark_format,
                                                         &google_benchmark_format,
                                                         &jmh_format,
                                                         &benchmarkdotnet_format,
                                                         &criterion_format,
                                                         &action_format,
                                                         &tinybench_format,
                                                         &asv_format,
                                                         &lnt_format,
                                                         &sampler_graph_format,
                                                         &bmf_format};

static bool add_fact(struct foreign *f, const char *key, const char *text)
{
    return !facts_add_text(f->r, &f->r->before, key, text);
}

static enum tare_status foreign_describe(struct foreign *f, const struct foreign_source *s)
{
    bool kept = add_fact(f, "source_format", s->format) && add_fact(f, "source_value", s->value) &&
                add_fact(f, "source_order", s->order) && add_fact(f, "source_limits", s->limits) &&
                add_fact(f, "source_subjects", s->alternatives ? "alternatives" : RECORD_SUITE) &&
                (!s->sorted || add_fact(f, "source_sorted", "yes"));
    return kept ? TARE_OK : err_no_memory(f->err);
}

static enum tare_status read_tree(struct foreign *f, const struct json_value *root)
{
    for (size_t i = 0; i < sizeof json_formats / sizeof *json_formats; i++)
        if (json_formats[i]->is(root)) {
            enum tare_status status = foreign_describe(f, json_formats[i]->source);
            return status ? status : json_formats[i]->read(f, root);
        }
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

/* Readers of JSON differ in which of two counts, and the other's values would be left out unsaid. */
static enum tare_status refuse_repeated(struct foreign *f, const struct json_value *root)
{
    const char *key;
    if (json_repeated_key(root, &key))
        return err_no_memory(f->err);
    return key ? err_set(f->err, TARE_FORMAT, "it has \"%.100s\" twice, and only one of them could be read", key) : TARE_OK;
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
        status = refuse_repeated(f, root);
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

static const struct text_format record_format = {begins_as_record, NULL, NULL},
                                json_text_format = {begins_as_json, read_json, NULL},
                                script_format = {begins_as_script, read_script, NULL};

/* Asked one after the other, of the text behind its blanks. */
static const struct text_format *const text_formats[] = {&perf_stat_format, &sampler_lines_format, &record_format,
                                                         &go_events_format, &json_text_format,     &junit_format,
                                                         &catch2_format,    &script_format,        &criterion_csv_format,
                                                         &otava_format,     &go_benchmark_format,  &value_lines_format};

/* NULL: a record, or nothing that is known, of which the record's reader says what is wrong. */
static const struct text_format *format_of(const char *text, size_t n)
{
    const size_t at = skip_blanks(text, n);
    for (size_t i = 0; i < sizeof text_formats / sizeof *text_formats; i++)
        if (text_formats[i]->is(text + at, n - at))
            return text_formats[i]->read ? text_formats[i] : NULL;
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
    enum tare_status status = format->source ? foreign_describe(f, format->source) : TARE_OK;
    if (!status)
        status = format->read(f, text, n);
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
                       "neither a record of tare nor a result file of a tool that it knows, nor lines like 'sort 12.5 ms'");
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
        return n >= FOREIGN_BEGINNING_MAX || memchr(text, 0, n);
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
