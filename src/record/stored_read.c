/* SPDX-License-Identifier: MIT */
#include "stored_read.h"
#include "foreign.h"
#include "gunzip.h"
#include "record_kind.h"
#include "record_write.h"
#include <string.h>

enum kind {
    KIND_RECORD,
    KIND_JSON,
    KIND_ACTION_SCRIPT,
    KIND_GO,
    KIND_GO_EVENTS,
    KIND_SAMPLER,
    KIND_JUNIT,
    KIND_CATCH2,
    KIND_CRITERION_CSV,
    KIND_OTAVA,
    KIND_PERF_STAT,
    KIND_LINES,
    KIND_GZIP
};

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

static enum kind kind_of(const char *text, size_t n)
{
    size_t at = skip_blanks(text, n);
    if (n >= 2 && !memcmp(text, "\x1f\x8b", 2))
        return KIND_GZIP;
    if (perf_stat_file(text + at, n - at))
        return KIND_PERF_STAT;
    if (at < n && text[at] == '{' && sampler_line(text + at, n - at))
        return KIND_SAMPLER;
    if (at < n && text[at] == '[')
        return KIND_JSON;
    if (at < n && text[at] == '{')
        return begins_as_record(text + at, n - at) ? KIND_RECORD : go_event_line(text + at, n - at) ? KIND_GO_EVENTS : KIND_JSON;
    if (at < n && text[at] == '<' && junit_file(text + at, n - at))
        return KIND_JUNIT;
    if (at < n && text[at] == '<' && catch2_file(text + at, n - at))
        return KIND_CATCH2;
    if (n - at >= sizeof ACTION_SCRIPT && !memcmp(text + at, ACTION_SCRIPT, sizeof ACTION_SCRIPT - 1))
        return KIND_ACTION_SCRIPT;
    if (criterion_csv_file(text + at, n - at))
        return KIND_CRITERION_CSV;
    if (otava_file(text + at, n - at))
        return KIND_OTAVA;
    if (has_go_line(text + at, n - at))
        return KIND_GO;
    return value_lines_file(text + at, n - at) ? KIND_LINES : KIND_RECORD; /* whose reader says what is wrong */
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

static enum tare_status read_foreign(struct foreign *f, enum kind kind, const char *text, size_t n)
{
    struct rule *rule = &f->r->rule;
    const size_t bom = skip_bom(text, n);
    text += bom;
    n -= bom;
    rule->confidence = 0.95;
    rule->margin = 0.01;
    f->r->tool_version = "";
    static enum tare_status (*const readers[])(struct foreign *, const char *, size_t) = {
        [KIND_JSON] = read_json,           [KIND_ACTION_SCRIPT] = read_script,        [KIND_GO] = go_benchmark_read,
        [KIND_GO_EVENTS] = go_events_read, [KIND_SAMPLER] = sampler_lines_read,       [KIND_JUNIT] = junit_read,
        [KIND_CATCH2] = catch2_read,       [KIND_CRITERION_CSV] = criterion_csv_read, [KIND_OTAVA] = otava_read,
        [KIND_PERF_STAT] = perf_stat_read, [KIND_LINES] = value_lines_read,
    };
    enum tare_status status = readers[kind](f, text, n);
    if (!status && !record_kind(f->r)->arcs)
        status = foreign_finish(f);
    return status || !f->out->notes.status ? status : err_no_memory(f->err);
}

/* Neither JSON nor a line of Go's, and not the beginning of a record. */
static bool is_nothing_known(enum kind kind, const char *text, size_t n)
{
    size_t at = skip_blanks(text, n);
    return kind == KIND_RECORD && at < n && text[at] != '{';
}

static enum tare_status read_plain(struct record *r, enum kind kind, const char *text, size_t n, struct record_reading *reading,
                                   struct tare_err *err)
{
    if (is_nothing_known(kind, text, n)) {
        *reading = (struct record_reading){.notes = BUF_INIT(0)};
        return err_set(err, TARE_FORMAT,
                       "neither a record of tare nor a result file of a tool that it knows, nor lines as 'sort 12.5 ms'");
    }
    if (kind == KIND_RECORD)
        return record_read(r, text, n, reading, err);
    struct foreign f = {.r = r, .out = reading, .err = err};
    *reading = (struct record_reading){.notes = BUF_INIT(1 << 16)};
    record_init(r);
    enum tare_status status = read_foreign(&f, kind, text, n);
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
    enum kind kind = kind_of(buf_text(&text), text.len);
    if (!status && kind == KIND_GZIP)
        status = err_set(err, TARE_FORMAT, "compressed with gzip twice");
    if (!status)
        status = read_plain(r, kind, buf_text(&text), text.len, reading, err);
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
    if (kind_of(text, n) != KIND_RECORD)
        return false;
    if (!left || text[at] != '{')
        return n >= BEGINNING_MAX || memchr(text, 0, n);
    return (left >= RECORD_START_MAX && !record_starts(text + at, left)) ||
           (left > RECORD_LINE_MAX && !memchr(text + at, '\n', RECORD_LINE_MAX));
}

enum tare_status stored_read(struct record *r, const char *text, size_t n, struct record_reading *reading, struct tare_err *err)
{
    struct tare_err own = {""};
    enum kind kind = kind_of(text, n);
    enum tare_status status =
        kind == KIND_GZIP ? read_compressed(r, text, n, reading, &own) : read_plain(r, kind, text, n, reading, &own);
    if (status && err)
        *err = own;
    return status;
}
