/* SPDX-License-Identifier: MIT */
#include "history_file.h"
#include "history_series.h"
#include "json_write.h"
#include "quote.h"
#include "record_lines.h"
#include "sha2.h"
#include "utc.h"
#include <stdlib.h>
#include <string.h>

#define AT(member) .offset = offsetof(struct history_session, member)
static const struct field session_fields[] = {{"project", FIELD_TEXT, AT(project)},
                                              {"revision", FIELD_TEXT, AT(revision)},
                                              {"dirty", FIELD_FLAG, AT(dirty), .sparse = true},
                                              {"tool", FIELD_TEXT, AT(tool)},
                                              {"class", FIELD_TEXT, AT(class)},
                                              {"machine", FIELD_TEXT, AT(machine)},
                                              {"confidence", FIELD_NUMBER, AT(confidence), .sparse = true},
                                              {"folder", FIELD_TEXT, AT(folder)},
                                              {"build", FIELD_TEXT, AT(build)},
                                              {"anchor", FIELD_TEXT, AT(anchor)},
                                              {"note", FIELD_TEXT, AT(note)},
                                              {0}};
#undef AT

static const char *const event_kinds[] = {
    [HISTORY_CONFIRMED] = "confirmed", [HISTORY_REFUTED] = "refuted", [HISTORY_ACCEPTED] = "accepted",
    [HISTORY_FALSE] = "false",         [HISTORY_FIXED] = "fixed",     [HISTORY_NOTE] = "note",
    [HISTORY_RESET] = "reset",         [HISTORY_ALIAS] = "alias",     [HISTORY_UNBUILDABLE] = "unbuildable"};
static const struct words event_words = {sizeof event_kinds / sizeof *event_kinds, event_kinds};

#define AT(member) .offset = offsetof(struct history_event, member)
static const struct field event_fields[] = {{"kind", FIELD_WORD, AT(kind), .needed = true, .known = true, .words = &event_words},
                                            {"project", FIELD_TEXT, AT(project)},
                                            {"series", FIELD_TEXT, AT(series)},
                                            {"revision", FIELD_TEXT, AT(revision)},
                                            {"before", FIELD_TEXT, AT(before)},
                                            {"reference", FIELD_TEXT, AT(reference)},
                                            {"last", FIELD_TEXT, AT(last)},
                                            {"patch", FIELD_TEXT, AT(patch)},
                                            {"who", FIELD_TEXT, AT(who)},
                                            {"note", FIELD_TEXT, AT(note)},
                                            {"from", FIELD_TEXT, AT(from)},
                                            {"to", FIELD_TEXT, AT(to)},
                                            {"shift", FIELD_NUMBER, AT(shift), .absent = NAN},
                                            {"low", FIELD_NUMBER, AT(low), .absent = NAN},
                                            {"high", FIELD_NUMBER, AT(high), .absent = NAN},
                                            {"difference", FIELD_FLAG, AT(difference), .sparse = true},
                                            {"verdict", FIELD_TEXT, AT(verdict)},
                                            {0}};
#undef AT

const char *history_event_name(enum history_event_kind kind)
{
    return event_kinds[kind];
}

void history_text_id(const char *text, size_t n, char id[HISTORY_ID_BYTES])
{
    sha256_digits(text, n, id, HISTORY_ID_BYTES);
}

static enum tare_status made(const struct buf *out, struct tare_err *err)
{
    return out->status ? err_set(err, out->status, "a file of the history could not be made: %s (limit %zu bytes)",
                                 tare_status_text(out->status), out->cap)
                       : TARE_OK;
}

static struct json_write line_begin(struct buf *out, const char *type)
{
    struct json_write j = json_into(out, 0);
    json_object(&j, NULL);
    json_string(&j, "type", type);
    return j;
}

static void line_end(struct json_write *j)
{
    json_end(j);
    buf_char(j->out, '\n');
}

static void put_time(struct json_write *j, const char *key, int64_t utc_ns)
{
    char text[40];
    struct buf b = buf_over(text, sizeof text);
    utc_text(&b, utc_ns);
    json_string(j, key, text);
}

static bool fits(const char *text)
{
    return !text || strlen(text) <= HISTORY_TEXT_MAX;
}

static enum tare_status check_texts(const struct field *fields, const void *object, struct tare_err *err)
{
    for (const struct field *f = fields; f->key; f++)
        if (f->kind == FIELD_TEXT && !fits(*(const char *const *)(const void *)((const char *)object + f->offset)))
            return err_set(err, TARE_INVALID, "the %s is longer than %d bytes", f->key, (int)HISTORY_TEXT_MAX);
    return TARE_OK;
}

static enum tare_status put_words(struct json_write *j, const char *const *words, struct tare_err *err)
{
    if (!words)
        return TARE_OK;
    json_array(j, "command");
    for (; *words; words++) {
        if (!fits(*words) || !utf8_valid(*words))
            return err_set(err, TARE_INVALID, "a word of the command line is no UTF-8, or longer than %d bytes",
                           (int)HISTORY_TEXT_MAX);
        json_string(j, NULL, *words);
    }
    json_end(j);
    return TARE_OK;
}

static enum tare_status put_session(struct buf *out, const struct history_session *s, struct tare_err *err)
{
    enum tare_status status = check_texts(session_fields, s, err);
    if (!status && !s->measured_utc_ns)
        status = err_set(err, TARE_INVALID, "it is not known when it was measured");
    if (status)
        return status;
    struct json_write j = line_begin(out, "history");
    json_integer(&j, "schema", HISTORY_SCHEMA);
    put_time(&j, "measured", s->measured_utc_ns);
    record_fields_write(&j, session_fields, s);
    status = put_words(&j, s->words, err);
    if (!status)
        line_end(&j);
    return status;
}

static bool same_metric(const struct metric *a, const struct metric *b)
{
    return a == b || (!strcmp(a->id, b->id) && !strcmp(a->unit, b->unit) && a->kind == b->kind && a->direction == b->direction);
}

/* Its place among those of the file; it is written before the first result that has it. */
static int metric_place(struct buf *out, const struct metric **seen, int *n, const struct metric *m)
{
    for (int i = *n - 1; i >= 0; i--)
        if (same_metric(seen[i], m))
            return i;
    if (*n == HISTORY_METRICS_MAX)
        return -1;
    struct json_write j = line_begin(out, "metric");
    record_fields_write(&j, metric_fields, m);
    line_end(&j);
    seen[*n] = m;
    return (*n)++;
}

static void put_three(struct json_write *j, const char *key, double point, double low, double high)
{
    if (isnan(point))
        return;
    json_array(j, key);
    json_number(j, NULL, point);
    if (isfinite(low) || isfinite(high)) {
        json_number(j, NULL, low);
        json_number(j, NULL, high);
    }
    json_end(j);
}

enum { DECIMALS_MAX = 12, ZEROS_MAX = 9 };

static double power_of_ten(int k)
{
    double power = 1;
    for (; k > 0; k--)
        power *= 10; /* exact up to 10^22 */
    return power;
}

static double scaled_back(double integer, int decimals)
{
    return decimals < 0 ? integer * power_of_ten(-decimals) : integer / power_of_ten(decimals);
}

/* x times 10^decimals as an integer; NaN: it is none, would not read back to the same double, or differences of such may not be exact. */
static double integer_of(double x, int decimals)
{
    const double integer = round(decimals < 0 ? x / power_of_ten(-decimals) : x * power_of_ten(decimals));
    return fabs(integer) < 0x1p52 && scaled_back(integer, decimals) == x && !(x == 0 && signbit(x)) ? integer : NAN;
}

static bool all_integers(const double *x, int n, int decimals)
{
    for (int i = 0; i < n; i++)
        if (isnan(integer_of(x[i], decimals)))
            return false;
    return true;
}

/* Differences from the first one are short: 30 values that scatter by 1 % take some 150 bytes. */
static void put_values(struct json_write *j, const double *x, int n)
{
    int decimals = 0;
    while (decimals <= DECIMALS_MAX && !all_integers(x, n, decimals))
        decimals++;
    while (x[0] != 0 && decimals <= 0 && decimals > -ZEROS_MAX && all_integers(x, n, decimals - 1))
        decimals--;
    const bool differences = decimals <= DECIMALS_MAX;
    const double base = differences ? integer_of(x[0], decimals) : 0;
    if (differences) {
        json_number(j, "base", base);
        json_integer(j, "decimals", decimals);
    }
    json_array(j, "values");
    for (int i = 0; i < n; i++)
        json_number(j, NULL, differences ? integer_of(x[i], decimals) - base : x[i]);
    json_end(j);
}

/* Of a ratio: more than its interval ever needs. */
static double seven_digits(double x)
{
    char text[40];
    buf_print(text, sizeof text, "%.7g", x);
    return isfinite(x) ? strtod(text, NULL) : x;
}

static enum tare_status put_result(struct buf *out, const struct history_result *r, int metric, struct tare_err *err)
{
    const struct history_point *p = &r->point;
    if (!r->benchmark || !*r->benchmark || !fits(r->benchmark) || !fits(r->arguments) || !fits(r->version))
        return err_set(err, TARE_INVALID, "a result without a name, or with one longer than %d bytes", (int)HISTORY_TEXT_MAX);
    if (metric < 0 || r->n_values > HISTORY_VALUES_MAX)
        return err_set(err, TARE_INVALID, "more than %d metrics, or more than %d values of one result", (int)HISTORY_METRICS_MAX,
                       (int)HISTORY_VALUES_MAX);
    if (p->low > p->median || p->high < p->median || p->ratio_low > p->ratio || p->ratio_high < p->ratio || p->n < 0)
        return err_set(err, TARE_INVALID, "a result of %.100s whose interval does not hold it, or with fewer than 0 runs",
                       r->benchmark);
    struct json_write j = line_begin(out, "result");
    json_bytes(&j, "benchmark", r->benchmark);
    if (r->arguments && *r->arguments)
        json_bytes(&j, "arguments", r->arguments);
    if (r->version && *r->version)
        json_bytes(&j, "version", r->version);
    json_integer(&j, "metric", metric);
    put_three(&j, "median", p->median, p->low, p->high);
    put_three(&j, "ratio", seven_digits(p->ratio), seven_digits(p->ratio_low), seven_digits(p->ratio_high));
    json_integer(&j, "n", p->n);
    if (r->values && r->n_values > 0)
        put_values(&j, r->values, r->n_values);
    if (r->step > 0)
        json_number(&j, "step", r->step);
    line_end(&j);
    return TARE_OK;
}

enum tare_status history_entry_text(const struct history_entry *e, struct buf *out, struct tare_err *err)
{
    const struct metric *seen[HISTORY_METRICS_MAX];
    int n_metrics = 0;
    enum tare_status status = e->n > HISTORY_RESULTS_MAX
                                  ? err_set(err, TARE_INVALID, "more than %d results in one session", (int)HISTORY_RESULTS_MAX)
                                  : put_session(out, &e->session, err);
    for (int i = 0; !status && i < e->n; i++)
        status = put_result(out, &e->results[i], metric_place(out, seen, &n_metrics, e->results[i].metric), err);
    if (status)
        return status;
    /* A hash of the content would say nothing new: it is the file's name. */
    struct json_write j = line_begin(out, "trailer");
    json_integer(&j, "metrics", n_metrics);
    json_integer(&j, "results", e->n);
    line_end(&j);
    return made(out, err);
}

enum tare_status history_event_text(const struct history_event *e, struct buf *out, struct tare_err *err)
{
    enum tare_status status = check_texts(event_fields, e, err);
    if (status)
        return status;
    struct json_write j = line_begin(out, "history_event");
    json_integer(&j, "schema", HISTORY_SCHEMA);
    put_time(&j, "at", e->at_utc_ns);
    record_fields_write(&j, event_fields, e);
    line_end(&j);
    return made(out, err);
}

struct text_reader {
    struct reader line; /* of the members of a line */
    const char *text;
    const struct history_visit *visit;
    struct buf *notes;
    struct arena arena; /* the metrics */
    const struct metric **metrics;
    int n_metrics, room_metrics, n_results;
    int64_t at, number; /* of the line: its first byte, and which one it is */
    int64_t damaged, unknown;
    bool is_event, has_trailer;
    struct buf cut; /* a line without its values */
};

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

static enum tare_status read_schema(struct text_reader *t, struct tare_err *err)
{
    const double schema = number(t->line.line, "schema", NAN);
    if (!(schema >= 1))
        return err_set(err, TARE_FORMAT, "its first line names no schema: not a file of a history");
    if (schema >= HISTORY_SCHEMA + 1)
        return err_set(err, TARE_VERSION, "it has schema %g; this tare reads up to %d: use a newer tare", schema,
                       (int)HISTORY_SCHEMA);
    return TARE_OK;
}

static enum tare_status read_words(struct text_reader *t, struct history_session *s)
{
    const struct json_value *words = json_member(t->line.line, "command");
    if (!json_is_array(words))
        return TARE_OK;
    const char **items = arena_array(&t->line.arena, (size_t)json_count(words) + 1, sizeof *items);
    int n = 0;
    for (const struct json_value *v = json_first(words); items && v; v = json_next(v))
        n += json_text_of(v, &items[n]);
    s->words = items;
    return items ? TARE_OK : TARE_NO_MEMORY;
}

static enum tare_status read_session(struct text_reader *t, struct tare_err *err)
{
    struct history_session s = {0};
    reader_fields(&t->line, t->line.line, session_fields, &s);
    s.measured_utc_ns = utc_from_text(reader_text(&t->line, t->line.line, "measured"));
    if (!(s.confidence >= 0 && s.confidence < 1))
        return err_set(err, TARE_FORMAT, "the confidence is out of range");
    if (!s.measured_utc_ns)
        return err_set(err, TARE_FORMAT, "it does not say when it was measured");
    const char **const texts[] = {&s.project, &s.revision, &s.tool, &s.class, &s.machine, &s.folder};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = text_or_empty(*texts[i]);
    if (read_words(t, &s))
        return err_no_memory(err);
    return t->visit->session ? t->visit->session(t->visit->context, &s, err) : TARE_OK;
}

static enum tare_status read_event(struct text_reader *t, struct tare_err *err)
{
    struct history_event e = {0};
    if (!reader_fields(&t->line, t->line.line, event_fields, &e))
        return err_set(err, TARE_FORMAT, "an event of a kind that this version does not know");
    e.at_utc_ns = utc_from_text(reader_text(&t->line, t->line.line, "at"));
    e.who = text_or_empty(e.who);
    if (!(e.low <= e.shift)) /* an interval that does not hold its size has no such end */
        e.low = NAN;
    if (!(e.high >= e.shift))
        e.high = NAN;
    if (!e.at_utc_ns)
        return err_set(err, TARE_FORMAT, "it does not say when it was made");
    if (e.kind == HISTORY_ALIAS && (!e.from || !e.to || !*e.from || !*e.to))
        return err_set(err, TARE_FORMAT, "an alias without the old or the new name");
    return t->visit->event ? t->visit->event(t->visit->context, &e, err) : TARE_OK;
}

static enum tare_status damaged(struct text_reader *t, const char *what)
{
    if (!t->damaged++)
        buf_format(t->notes, "line %lld: %s; ", (long long)t->number, what);
    return TARE_OK;
}

static enum tare_status read_metric(struct text_reader *t, struct tare_err *err)
{
    struct metric m = {0};
    if (!reader_fields(&t->line, t->line.line, metric_fields, &m))
        return damaged(t, "a metric without id, unit, known kind and known direction");
    if (t->n_metrics == HISTORY_METRICS_MAX)
        return damaged(t, "too many metrics");
    struct metric *kept = arena_alloc(&t->arena, sizeof *kept);
    if (!kept || !array_room(&t->metrics, t->n_metrics, &t->room_metrics, sizeof *t->metrics))
        return err_no_memory(err);
    *kept = m;
    kept->title = m.title ? m.title : m.id;
    /* It is put behind figures everywhere, so what could steer a terminal is made visible here. */
    enum { UNIT_COLUMNS = 40 };
    struct buf b = BUF_INIT(HISTORY_LINE_MAX);
    quote_cut(&b, m.unit, UNIT_COLUMNS, true);
    kept->unit = arena_keep(&t->arena, &b);
    if (!kept->unit || !HISTORY_KEEP(&t->arena, &kept->id, &kept->title, &kept->definition))
        return err_no_memory(err);
    t->metrics[t->n_metrics++] = kept;
    return TARE_OK;
}

/* A point and its interval; NaN where there is none. False: it is no such list. */
static bool read_three(const struct json_value *list, double *point, double *low, double *high)
{
    double *const out[] = {point, low, high};
    int n = 0;
    *point = *low = *high = NAN;
    if (!list)
        return true;
    for (const struct json_value *v = json_first(list); v && n < 3; v = json_next(v))
        if (!json_number_of(v, out[n++]) && !json_is_null(v))
            return false;
    return json_is_array(list) && n > 0 && !(*low > *point) && !(*high < *point);
}

static enum tare_status read_result(struct text_reader *t, struct tare_err *err)
{
    const struct json_value *v = t->line.line;
    struct history_result r = {.benchmark = reader_text(&t->line, v, "benchmark"),
                               .arguments = reader_text(&t->line, v, "arguments"),
                               .version = reader_text(&t->line, v, "version")};
    int metric;
    if (!r.benchmark || !*r.benchmark || !fits(r.benchmark) || !fits(r.arguments) || !fits(r.version))
        return damaged(t, "a result without a name, or with one that is too long");
    if (!integer_in(v, "metric", 0, t->n_metrics - 1, &metric))
        return damaged(t, "a result of a metric that is not described before it");
    if (!integer_in(v, "n", 0, INT32_MAX, &r.point.n) ||
        !read_three(json_member(v, "median"), &r.point.median, &r.point.low, &r.point.high) ||
        !read_three(json_member(v, "ratio"), &r.point.ratio, &r.point.ratio_low, &r.point.ratio_high))
        return damaged(t, "a result whose numbers make no sense");
    if (t->n_results == HISTORY_RESULTS_MAX)
        return damaged(t, "a result after the first 100 000, as many as are read of a file");
    t->n_results++;
    r.arguments = text_or_empty(r.arguments);
    r.version = text_or_empty(r.version);
    r.metric = t->metrics[metric];
    r.point.place = t->at;
    return t->visit->result ? t->visit->result(t->visit->context, &r, err) : TARE_OK;
}

static enum tare_status read_body(struct text_reader *t, const char *type, struct tare_err *err)
{
    if (t->is_event)
        return damaged(t, "a line after an event, which is one line");
    if (!strcmp(type, "result"))
        return read_result(t, err);
    if (!strcmp(type, "metric"))
        return read_metric(t, err);
    if (!strcmp(type, "trailer")) {
        const struct json_value *v = t->line.line;
        t->has_trailer = true;
        if (!reader_count_is(v, "metrics", t->n_metrics) || !reader_count_is(v, "results", t->n_results))
            return damaged(t, "the trailer does not agree with the lines before it");
        return TARE_OK;
    }
    t->unknown++;
    return TARE_OK;
}

static enum tare_status read_head(struct text_reader *t, const char *type, struct tare_err *err)
{
    const bool event = t->is_event = !strcmp(type, "history_event");
    if (!event && strcmp(type, "history") != 0)
        return err_set(err, TARE_FORMAT, "not a file of a history (its first line is of type \"%.40s\")", type);
    enum tare_status status = read_schema(t, err);
    if (status)
        return status;
    t->has_trailer = event; /* it needs none */
    return event ? read_event(t, err) : read_session(t, err);
}

static bool all_utf8(const char *text, size_t n)
{
    uint32_t c;
    for (const char *at = text; at < text + n; at++)
        if ((unsigned char)*at >= 0x80) {
            const int bytes = quote_decode(at, &c);
            if (!bytes)
                return false;
            at += bytes - 1;
        }
    return true;
}

static enum tare_status parse_line(struct json_value **v, const char *line, size_t n, struct tare_err *err)
{
    *v = NULL;
    if (n > HISTORY_LINE_MAX)
        return err_set(err, TARE_TOO_LARGE, "longer than %d bytes", (int)HISTORY_LINE_MAX);
    if (!all_utf8(line, n))
        return err_set(err, TARE_FORMAT, "not UTF-8");
    return json_parse(v, line, n, err);
}

static const char *past_digits(const char *p)
{
    while (*p >= '0' && *p <= '9')
        p++;
    return p;
}

/* What is behind a number of JSON; NULL: it is none, or longer than tare writes one. */
static const char *past_number(const char *p)
{
    enum { LONGEST = 40 };
    const char *from = p, *digits = p += *p == '-';
    p = past_digits(p);
    bool ok = p > digits && (*digits != '0' || p == digits + 1);
    if (*p == '.') {
        digits = ++p;
        p = past_digits(p);
        ok &= p > digits;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        digits = p += *p == '+' || *p == '-';
        p = past_digits(p);
        ok &= p > digits;
    }
    return ok && p - from < LONGEST ? p : NULL;
}

/* What is behind the numbers of a list, from its bracket on; NULL: they are none, or many. */
static const char *past_numbers(const char *p)
{
    int n = 0;
    do
        p = !strncmp(p + 1, "null", 4) ? p + 5 : past_number(p + 1);
    while (p && *p == ',' && ++n < HISTORY_VALUES_MAX);
    return p;
}

/* The length of a line up to the bracket that opens its values; 0: it does not end with a list of numbers of that name. Where it does, the line is JSON with
 * an empty list just when it is with this one: no quote follows that could end a text. */
static size_t values_begin(const char *line, size_t n)
{
    static const char key[] = ",\"values\":[";
    size_t at = n;
    if (n < 2 || memcmp(line + n - 2, "]}", 2) != 0)
        return 0;
    while (at && line[at - 1] != '[')
        at--;
    const bool is_key = at >= sizeof key && !memcmp(line + at + 1 - sizeof key, key, sizeof key - 1);
    return is_key && past_numbers(line + at - 1) == line + n - 2 ? at : 0;
}

/* Without its values, which are most of it and are read when they are asked for. */
static enum tare_status parse_rest(struct text_reader *t, struct json_value **v, size_t n, struct tare_err *err)
{
    const char *line = t->text + t->at;
    const size_t begin = n <= HISTORY_LINE_MAX ? values_begin(line, n) : 0;
    if (!begin)
        return parse_line(v, line, n, err);
    buf_clear(&t->cut);
    buf_add(&t->cut, line, begin);
    buf_str(&t->cut, "]}");
    return t->cut.status ? err_set(err, t->cut.status, "no memory for a line") : parse_line(v, t->cut.data, t->cut.len, err);
}

static enum tare_status read_line(struct text_reader *t, size_t n, struct tare_err *err)
{
    struct json_value *v = NULL;
    struct tare_err why = {""};
    const char *type;
    enum tare_status status = parse_rest(t, &v, n, &why);
    t->line.line = v;
    if (status == TARE_NO_MEMORY || (status && t->number == 1))
        status = err_set(err, status, "line %lld: %s", (long long)t->number, why.text);
    else if (status)
        status = damaged(t, why.text);
    else if (!json_text_of(json_member(v, "type"), &type))
        status = t->number == 1 ? err_set(err, TARE_FORMAT, "not a file of a history") : damaged(t, "a line without a type");
    else
        status = t->number == 1 ? read_head(t, type, err) : read_body(t, type, err);
    json_free(v);
    arena_finish(&t->line.arena);
    return status;
}

static void note_rest(const struct text_reader *t)
{
    if (t->damaged)
        buf_format(t->notes, "%lld line%s left out; ", (long long)t->damaged, t->damaged == 1 ? " was" : "s were");
    if (t->unknown)
        buf_format(t->notes, "%lld line%s of a type that this version does not know %s skipped; ", (long long)t->unknown,
                   buf_plural(t->unknown), t->unknown == 1 ? "was" : "were");
    if (!t->has_trailer)
        buf_str(t->notes, "it has no trailer; ");
}

enum tare_status history_text_read(const char *text, size_t n, const struct history_visit *visit, struct buf *notes,
                                   struct tare_err *err)
{
    struct text_reader t = {.text = text, .visit = visit, .notes = notes, .cut = BUF_INIT(HISTORY_LINE_MAX)};
    enum tare_status status = n ? TARE_OK : err_set(err, TARE_FORMAT, "it is empty");
    for (size_t at = 0; !status && at < n;) {
        const char *end = memchr(text + at, '\n', n - at);
        const size_t length = end ? (size_t)(end - text) - at : n - at;
        t.at = (int64_t)at;
        t.number++;
        status = read_line(&t, length, err);
        at += length + 1;
    }
    if (!status)
        note_rest(&t);
    if (notes->len >= 2 && !strcmp(notes->data + notes->len - 2, "; "))
        notes->data[notes->len -= 2] = 0;
    buf_finish(&t.cut);
    arena_finish(&t.arena);
    free(t.metrics);
    return status;
}

static enum tare_status read_values(const struct json_value *line, double *x, struct tare_err *err)
{
    int decimals = 0;
    const double base = number(line, "base", -0.0); /* the zero that leaves the other one as it is */
    if (json_member(line, "decimals") && !integer_in(line, "decimals", -ZEROS_MAX, DECIMALS_MAX, &decimals))
        return err_set(err, TARE_FORMAT, "values with decimals that are out of range");
    for (const struct json_value *v = json_first(json_member(line, "values")); v; v = json_next(v), x++) {
        *x = NAN;
        if (!json_number_of(v, x) && !json_is_null(v))
            return err_set(err, TARE_FORMAT, "a value that is no number");
        *x = scaled_back(base + *x, decimals);
    }
    return TARE_OK;
}

enum tare_status history_line_values(const char *line, size_t n, double **values, int *n_values, double *step,
                                     struct tare_err *err)
{
    struct json_value *v;
    *values = NULL;
    *n_values = 0;
    *step = 0;
    enum tare_status status = parse_line(&v, line, n, err);
    const struct json_value *list = status ? NULL : json_member(v, "values");
    const int found = json_is_array(list) ? json_count(list) : 0;
    if (!status && ((list && !json_is_array(list)) || found > HISTORY_VALUES_MAX))
        status = err_set(err, TARE_FORMAT, "values that are no list, or more than %d", (int)HISTORY_VALUES_MAX);
    double *x = status ? NULL : malloc(((size_t)found + 1) * sizeof *x);
    if (!status)
        status = x ? read_values(v, x, err) : err_set(err, TARE_NO_MEMORY, "no memory for %d values", found);
    *step = status ? 0 : fmax(number(v, "step", 0), 0);
    json_free(v);
    if (status) {
        free(x);
        return status;
    }
    *values = x;
    *n_values = found;
    return TARE_OK;
}
