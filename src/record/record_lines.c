/* SPDX-License-Identifier: MIT */
#include "record_lines.h"
#include "leak_target.h"
#include "record_write.h"
#include "utc.h"
#include <string.h>

enum { SUBJECTS_MAX = RECORD_SUBJECTS_MAX, METRICS_MAX = 1024, FACTS_MAX = 4096 };

static const char *text_or(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

/* Texts are the reader's yet. */
static void read_leaks(struct reader *rd, const struct json_value *v)
{
    struct rule_leaks *u = &rd->r->rule.leaks;
    const struct json_value *dudect = json_member(v, "dudect");
    if (!json_is_object(v))
        return;
    reader_fields(rd, v, rule_leaks_fields, u);
    u->kind = text_or(u->kind, "pairs");
    u->cache = text_or(u->cache, "warm");
    u->dudect = json_is_object(dudect);
    if (u->dudect)
        reader_fields(rd, dudect, rule_dudect_fields, u);
}

static enum tare_status read_rule(struct reader *rd, const struct json_value *v)
{
    struct rule *u = &rd->r->rule;
    const struct json_value *georges = json_member(v, "georges");
    if (!reader_fields(rd, v, rule_fields, u))
        return reader_wrong(rd, "the method is not known");
    if (!reader_fields(rd, v, rule_bench_fields, u))
        return reader_wrong(rd, "the profile, or the correction for many comparisons, is not known");
    if (georges)
        reader_fields(rd, georges, rule_georges_fields, u);
    read_leaks(rd, json_member(v, "leaks"));
    u->metric = text_or(u->metric, "wall");
    if (!record_fields_own(rd->r, rule_fields, u) || !record_fields_own(rd->r, rule_leaks_fields, &u->leaks))
        return err_no_memory(&rd->err);
    if (u->leaks.kind && !(u->leaks.alpha > 0 && u->leaks.alpha < 1))
        return reader_wrong(rd, "the rule has an alpha out of range");
    if (!(u->confidence > 0 && u->confidence < 1) || u->precision < 0 || u->margin < 0 || u->margin > RECORD_MARGIN_MAX)
        return reader_wrong(rd, "the rule has a confidence, precision or margin out of range");
    return TARE_OK;
}

/* All of it or nothing. */
static void read_session(struct record *r, const struct json_value *v)
{
    int number, of;
    int64_t every_ns;
    if (!integer_in(v, "number", 1, INT32_MAX, &number) || !integer_in(v, "of", 1, INT32_MAX, &of) ||
        !json_integer_of(json_member(v, "every_ns"), 0, INT64_MAX, &every_ns))
        return;
    r->session = number;
    r->sessions = of;
    r->every_ns = every_ns;
}

/* Words of an array, closed by NULL, in the reader's arena; NULL when it is no array. */
static const char *const *reader_words(struct reader *rd, const struct json_value *words, const struct json_value *hex)
{
    if (!json_is_array(words))
        return NULL;
    const char **items = arena_array(&rd->arena, (size_t)json_count(words) + 1, sizeof *items);
    int n = 0;
    const struct json_value *h = json_first(hex);
    for (const struct json_value *v = json_first(words); items && v; v = json_next(v)) {
        const char *text = reader_text_with(rd, v, h);
        if (text)
            items[n++] = text;
        h = h ? json_next(h) : NULL;
    }
    return items;
}

static enum tare_status read_header(struct reader *rd)
{
    struct record *r = rd->r;
    if (rd->has_header)
        return reader_wrong(rd, "a second header within the record");
    const char *tool = reader_text(rd, rd->line, "tool"), *version = reader_text(rd, rd->line, "version");
    double schema = number(rd->line, "schema", NAN);
    if (!tool || strcmp(tool, "tare") || !(schema >= 1))
        return reader_wrong(rd, "the first line is not a tare record's header");
    if (schema >= RECORD_SCHEMA + 1)
        return err_set(&rd->err, TARE_VERSION, "the record has schema %g (tare %s); this tare reads up to %d: use a newer tare",
                       schema, version ? version : "of unknown version", RECORD_SCHEMA);
    const char *const *argv = reader_words(rd, json_member(rd->line, "argv"), json_member(rd->line, "argv_hex"));
    r->tool_version = arena_strdup(&r->arena, version ? version : "");
    r->argv = arena_words(&r->arena, argv);
    if (!r->tool_version || (argv && !r->argv))
        return err_no_memory(&rd->err);
    json_unsigned_of(json_member(rd->line, "seed"), &r->seed);
    r->start_utc_ns = utc_from_text(reader_text(rd, rd->line, "start"));
    read_session(r, json_member(rd->line, "session"));
    rd->has_header = true;
    rd->bytes = rd->lines = 0;
    return read_rule(rd, json_member(rd->line, "rule"));
}

static enum tare_status read_fact(struct reader *rd, struct facts *f, const struct json_value *v)
{
    const char *key = json_key(v), *text, *reason = NULL;
    double x;
    bool yes;
    if (json_text_of(v, &text))
        return facts_add_text(rd->r, f, key, reader_text_with(rd, v, json_member(json_member(rd->line, "hex"), key)));
    if (json_number_of(v, &x))
        return facts_add_number(rd->r, f, key, x);
    if (json_bool_of(v, &yes))
        return facts_add_text(rd->r, f, key, yes ? "true" : "false");
    if (!json_is_null(v))
        return TARE_OK; /* a form of a later version */
    json_text_of(json_member(json_member(rd->line, "reasons"), key), &reason);
    return facts_add_unknown(rd->r, f, key, reason);
}

static enum tare_status read_facts(struct reader *rd, struct facts *f)
{
    const struct json_value *facts = json_member(rd->line, "facts");
    if (facts && !json_is_object(facts))
        return reader_wrong(rd, "facts without names");
    if (json_count(facts) > FACTS_MAX - f->n)
        return reader_wrong(rd, "too many facts");
    for (const struct json_value *v = json_first(facts); v; v = json_next(v))
        if (read_fact(rd, f, v))
            return err_no_memory(&rd->err);
    return TARE_OK;
}

static enum tare_status read_machine(struct reader *rd)
{
    return read_facts(rd, &rd->r->machine);
}

static enum tare_status read_build(struct reader *rd)
{
    return read_facts(rd, &rd->r->build);
}

static enum tare_status read_conditions(struct reader *rd)
{
    const char *when = reader_text(rd, rd->line, "when");
    if (when && !strcmp(when, "before"))
        return read_facts(rd, &rd->r->before);
    return when && !strcmp(when, "after") ? read_facts(rd, &rd->r->after)
                                          : reader_wrong(rd, "conditions are neither before nor after");
}

static enum tare_status read_metric(struct reader *rd)
{
    struct metric m = {0};
    if (!reader_fields(rd, rd->line, metric_fields, &m))
        return reader_wrong(rd, "a metric without id, unit, known kind and known direction");
    if (!m.title)
        m.title = m.id;
    if (rd->r->n_metrics >= METRICS_MAX)
        return reader_wrong(rd, "too many metrics");
    return reader_added(rd, record_add_metric(rd->r, &m));
}

static bool read_parameters(struct reader *rd, struct subject *s)
{
    const struct json_value *list = json_member(rd->line, "parameters");
    struct parameter *items = arena_array(&rd->arena, (size_t)json_count(list) + 1, sizeof *items);
    if (!items)
        return false;
    for (const struct json_value *v = json_first(list); v; v = json_next(v)) {
        struct parameter p = {reader_text(rd, v, "name"), reader_text(rd, v, "value")};
        if (p.name && p.value)
            items[s->n_parameters++] = p;
    }
    s->parameters = items;
    return true;
}

/* A benchmark's reference may stand behind it: that it is there is seen at the end. */
static bool read_benchmark(struct reader *rd, struct subject *s)
{
    s->program = reader_text(rd, rd->line, "program");
    s->benchmark = reader_text(rd, rd->line, "benchmark");
    s->group = reader_text(rd, rd->line, "group");
    if (s->kind == SUBJECT_LEAK) {
        s->benchmark = s->benchmark ? s->benchmark : s->name;
        s->reference = -1;
    }
    if (s->kind != SUBJECT_BENCH)
        return true;
    s->version = reader_text(rd, rd->line, "version");
    s->complexity = json_flag(rd->line, "complexity");
    s->program = s->program ? s->program : s->name;
    s->benchmark = s->benchmark ? s->benchmark : s->name;
    return index_or_null(rd->line, "reference", SUBJECTS_MAX, &s->reference);
}

static enum tare_status read_subject(struct reader *rd)
{
    int index;
    const char *kind = reader_text(rd, rd->line, "kind");
    struct subject s = {.name = reader_text(rd, rd->line, "name"), .command = reader_text(rd, rd->line, "command")};
    if (rd->r->n_subjects >= SUBJECTS_MAX || !integer_in(rd->line, "index", rd->r->n_subjects, rd->r->n_subjects, &index))
        return reader_wrong(rd, "a subject is missing, there twice, or one too many");
    const int value = kind ? words_value(&subject_kind_words, kind) : -1;
    if (!s.name || value < 0)
        return reader_wrong(rd, "a subject without name and known kind");
    s.kind = (enum subject_kind)value;
    if (!read_benchmark(rd, &s))
        return reader_wrong(rd, "a benchmark whose reference is no subject");
    if (!s.command)
        s.command = s.name;
    s.argv = reader_words(rd, json_member(rd->line, "argv"), json_member(rd->line, "argv_hex"));
    s.shell = json_flag(rd->line, "shell");
    s.anchor = json_flag(rd->line, "anchor");
    reader_fields(rd, rd->line, hook_fields, &s);
    return read_parameters(rd, &s) ? reader_added(rd, record_add_subject(rd->r, &s, NULL, 0)) : err_no_memory(&rd->err);
}

static enum tare_status read_ids(struct reader *rd, const char *columns[COLUMNS_MAX], int *series, int *n)
{
    int subject;
    *n = 0;
    if (!integer_in(rd->line, "series", 0, rd->r->n_subjects - 1, series) ||
        !integer_in(rd->line, "subject", *series, *series, &subject))
        return reader_wrong(rd, "columns of a series that is not there");
    for (const struct json_value *v = json_first(json_member(rd->line, "ids")); v; v = json_next(v))
        if (*n >= COLUMNS_MAX || !json_text_of(v, &columns[(*n)++]))
            return reader_wrong(rd, "columns that are not texts, or too many");
    return TARE_OK;
}

static enum tare_status read_sample_columns(struct reader *rd)
{
    int series, n;
    const char *columns[COLUMNS_MAX];
    enum tare_status status = read_ids(rd, columns, &series, &n);
    if (!status)
        status = record_set_sample_columns(rd->r, series, columns, n);
    if (status == TARE_INVALID)
        return reader_wrong(rd, "columns of samples with the same name, or after their samples");
    return status == TARE_NO_MEMORY ? err_no_memory(&rd->err) : status;
}

static enum tare_status read_columns(struct reader *rd)
{
    int series, n;
    const char *columns[COLUMNS_MAX];
    enum tare_status wrong = read_ids(rd, columns, &series, &n);
    if (wrong)
        return wrong;
    for (int i = 0; i < n; i++)
        if (metric_builtin_find(columns[i]) && record_add_metric(rd->r, metric_builtin_find(columns[i])) < 0)
            return err_no_memory(&rd->err);
    enum tare_status status = record_set_columns(rd->r, series, columns, n);
    if (status == TARE_INVALID)
        return reader_wrong(rd, "columns with the same name, or after their rows");
    rd->subjects_with_columns += rd->subjects_with_columns == series;
    return status ? err_no_memory(&rd->err) : TARE_OK;
}

static enum tare_status read_plan(struct reader *rd)
{
    struct rule u = rd->r->rule;
    u.n_looks = 0;
    u.spending = number(rd->line, "spending", 0);
    int before = 0;
    double used = 0;
    if (!(u.spending >= 0 && u.spending <= 1000))
        return reader_wrong(rd, "interim analyses whose spending is no exponent");
    for (const struct json_value *v = json_first(json_member(rd->line, "looks")); v; v = json_next(v)) {
        double level = number(v, "level", NAN), share = u.spending > 0 ? number(v, "share", NAN) : 0;
        if (u.n_looks == LOOKS_MAX || !integer_in(v, "rounds", before + 1, INT32_MAX, &before) || !(level >= 0 && level <= 1) ||
            !(share >= used && share <= 1))
            return reader_wrong(rd, "interim analyses that are too many, not in order or without a level");
        u.look_at[u.n_looks] = before;
        u.look_share[u.n_looks] = used = share;
        u.look_level[u.n_looks++] = level;
    }
    rd->r->rule = u;
    return TARE_OK;
}

static enum tare_status read_look(struct reader *rd)
{
    int series;
    struct own_look look = {.level = number(rd->line, "level", NAN), .share = number(rd->line, "share", 0)};
    if (!integer_in(rd->line, "series", 0, rd->r->n_subjects - 1, &series) ||
        !integer_in(rd->line, "look", 1, LOOKS_MAX, &look.number) ||
        !integer_in(rd->line, "rounds", 1, INT32_MAX, &look.rounds) || !(look.level >= 0 && look.level <= 1) ||
        !(look.share >= 0 && look.share <= 1))
        return reader_wrong(rd, "an interim analysis without series, number, rounds or level");
    rd->r->series[series].look = look;
    return TARE_OK;
}

static bool follows(const struct rows *rows, int round)
{
    return !rows->n || round > rows->round[rows->n - 1];
}

/* Where rounds are made again, the first row of the new round, or what explains it and stands before it, takes all rows of the old one out of the
 * figures: those of the other commands too, so that no pair is ever half old and half new. */
static enum tare_status make_way(struct reader *rd, int series, int round)
{
    struct record *r = rd->r;
    const struct rows *rows = &r->series[series].main;
    if (r->rule.on_dirty != DIRTY_RERUN || !rows->n || round != rows->round[rows->n - 1])
        return TARE_OK;
    for (int i = 0; i < r->n_subjects; i++)
        if (record_shares_rounds(r, series, i) && record_replace_round(r, &i, 1, round))
            return err_no_memory(&rd->err);
    return TARE_OK;
}

static bool read_values(struct reader *rd, const struct json_value *v, int n)
{
    int i = 0;
    for (; v && i < n; v = json_next(v), i++) {
        rd->values[i] = NAN;
        if (!json_is_null(v) && !json_number_of(v, &rd->values[i]))
            return false;
    }
    return !v && i == n;
}

/* What rows and samples have in common. */
static enum tare_status read_line_values(struct reader *rd, int n_columns, struct row *row)
{
    int64_t round, slot, flags;
    row->values = rd->values;
    const struct json_value *path = json_first(json_member(rd->line, "row"));
    const struct json_value *start = path ? json_next(path) : NULL, *bits = start ? json_next(start) : NULL;
    if (json_count(path) != 2 || !json_integer_of(json_first(path), 0, INT32_MAX, &round) ||
        !json_integer_of(json_next(json_first(path)), 0, INT32_MAX, &slot) ||
        !json_integer_of(start, INT64_MIN, INT64_MAX, &row->start_ns) || !json_integer_of(bits, 0, UINT32_MAX, &flags) ||
        !read_values(rd, json_next(bits), n_columns))
        return reader_wrong(rd, "a row that does not fit its columns");
    row->round = (int32_t)round;
    row->slot = (int32_t)slot;
    row->flags = (uint32_t)flags;
    return TARE_OK;
}

/* A clock that ran backwards is noted in the flags. Iterations of a sample are at least one. */
static bool sample_is_possible(const struct series *s, const struct row *row)
{
    for (int i = 0; i < s->n_sample_columns; i++) {
        const char *id = s->sample_columns[i];
        if (!strcmp(id, "iterations") && !(row->values[i] >= 1))
            return false;
        if (!strcmp(id, "ticks") && row->values[i] < 0 && !(row->flags & ROW_CLOCK))
            return false;
    }
    return true;
}

static enum tare_status take_sample(struct reader *rd, int series, const struct row *row)
{
    if (!sample_is_possible(&rd->r->series[series], row))
        return reader_wrong(rd, "a sample with a value that none can have");
    enum tare_status status = make_way(rd, series, row->round);
    if (status)
        return status;
    const struct rows *samples = &rd->r->series[series].samples;
    int last = samples->n - 1;
    if (last >= 0 &&
        (row->round < samples->round[last] || (row->round == samples->round[last] && row->slot <= samples->slot[last])))
        return reader_wrong(rd, "a sample that was there already, or out of order");
    rd->samples++;
    return record_append_sample(rd->r, series, row) ? err_no_memory(&rd->err) : TARE_OK;
}

static enum tare_status read_sample(struct reader *rd)
{
    int series;
    struct row row;
    if (!integer_in(rd->line, "series", 0, rd->r->n_subjects - 1, &series) || !rd->r->series[series].n_sample_columns)
        return reader_wrong(rd, "a sample of a series that is not there or has none");
    enum tare_status status = read_line_values(rd, rd->r->series[series].n_sample_columns, &row);
    return status ? status : take_sample(rd, series, &row);
}

/* A line that says a text of a subject. */
static enum tare_status read_text(struct reader *rd, const char *wrong,
                                  enum tare_status (*set)(struct record *r, int subject, const char *text))
{
    int subject;
    const char *text = reader_text(rd, rd->line, "text");
    if (!text || !integer_in(rd->line, "subject", 0, rd->r->n_subjects - 1, &subject))
        return reader_wrong(rd, wrong);
    return set(rd->r, subject, text) ? err_no_memory(&rd->err) : TARE_OK;
}

static enum tare_status read_failure(struct reader *rd)
{
    return read_text(rd, "a failure without subject or text", record_set_failure);
}

static enum tare_status read_remark(struct reader *rd)
{
    return read_text(rd, "a remark without subject or text", record_set_remark);
}

static enum tare_status read_label(struct reader *rd)
{
    return read_text(rd, "a label without subject or text", record_set_label);
}

/* one of these, or of an event: made by processes after all others */
static bool count_comes_last(const struct count *c)
{
    return count_is_ours(c) || !strncmp(c->name, COUNT_EVENT, strlen(COUNT_EVENT));
}

static enum tare_status read_count(struct reader *rd)
{
    int series, process;
    const char *per = reader_text(rd, rd->line, "per");
    struct count c = {.name = reader_text(rd, rd->line, "name"), .unit = reader_text(rd, rd->line, "unit")};
    if (!integer_in(rd->line, "series", 0, rd->r->n_subjects - 1, &series) ||
        !integer_in(rd->line, "process", 0, INT32_MAX, &process))
        return reader_wrong(rd, "a count of a series or process that is not there");
    const int value_per = per ? words_value(&count_per_words, per) : -1;
    if (!c.name || value_per < 0)
        return reader_wrong(rd, "a count without name and known per");
    c.per = (enum count_per)value_per;
    json_bool_of(json_member(rd->line, "inverted"), &c.inverted);
    if (!count_comes_last(&c) && make_way(rd, series, process)) /* those of ours come after all rows */
        return err_no_memory(&rd->err);
    const double value = number(rd->line, "value", NAN);
    if (count_comes_last(&c) && value < 0)
        return reader_wrong(rd, "a count below 0");
    enum tare_status status = record_add_count(rd->r, series, process, &c, value);
    if (status == TARE_INVALID)
        return reader_wrong(rd, "a count out of order, or one name too many");
    return status ? err_no_memory(&rd->err) : TARE_OK;
}

/* What tare itself measures of each run are whole numbers, from 0. Other tools have means. */
static bool value_is_possible(const struct record *r, double value)
{
    return value >= 0 && value <= RECORD_NS_MOST && (value == (double)(int64_t)value || (isnormal(value) && record_source(r)));
}

/* The ticks of a file of times are as fine as its digits. */
static double fastest_clock(const struct record *r)
{
    return r->rule.leaks.kind && !strcmp(r->rule.leaks.kind, "csv") ? 1e21 : 1e11;
}

/* Names are looked at last: rows are many, and almost all of their values could be of any column. */
static bool row_is_possible(const struct record *r, const struct series *s, const double *values)
{
    const struct subject *subject = &r->subjects[s->subject];
    if (!subject_measured(subject) && subject->kind != SUBJECT_NOOP)
        return true; /* clocks have means among their values */
    for (int i = 0; i < s->n_columns; i++) {
        if (isnan(values[i]))
            continue;
        if (!value_is_possible(r, values[i]) && metric_builtin_find(s->columns[i]))
            return false;
        if (!(values[i] >= 1 && values[i] <= fastest_clock(r)) && !strcmp(s->columns[i], "clock_hz"))
            return false;
    }
    return true;
}

static enum tare_status take_row(struct reader *rd, int series, const struct row *row)
{
    if (!row_is_possible(rd->r, &rd->r->series[series], row->values))
        return reader_wrong(rd, "a row with a value that no run can have");
    bool warmup = row->flags & ROW_WARMUP;
    enum tare_status status = warmup ? TARE_OK : make_way(rd, series, row->round);
    if (status)
        return status;
    if (!follows(warmup ? &rd->r->series[series].warmup : &rd->r->series[series].main, row->round))
        return reader_wrong(rd, "a row of a round that was there already");
    ++*(warmup ? &rd->warmup_rows : &rd->rows);
    return record_append_row(rd->r, series, row) ? err_no_memory(&rd->err) : TARE_OK;
}

static enum tare_status read_row(struct reader *rd)
{
    int series;
    struct row row;
    if (!integer_in(rd->line, "series", 0, rd->r->n_subjects - 1, &series))
        return reader_wrong(rd, "a row of a series that is not there");
    enum tare_status status = read_line_values(rd, rd->r->series[series].n_columns, &row);
    return status ? status : take_row(rd, series, &row);
}

bool reader_plain_row(struct reader *rd, const char *line, size_t n, enum tare_status *status)
{
    struct row_text t;
    if (!row_from_text(line, n, rd->values, &t) || t.series >= rd->r->n_subjects)
        return false;
    const struct series *s = &rd->r->series[t.series];
    if (t.n != (t.sample ? s->n_sample_columns : s->n_columns) || (t.sample && !t.n))
        return false;
    *status = (t.sample ? take_sample : take_row)(rd, t.series, &t.row);
    return true;
}

static enum tare_status read_timeline_samples(struct reader *rd, struct timeline *t)
{
    const struct json_value *list = json_member(rd->line, "samples");
    int64_t before = -1;
    if (json_count(list) > TIMELINE_MOST)
        return reader_wrong(rd, "a timeline with too many samples");
    for (const struct json_value *v = json_first(list); v; v = json_next(v), t->n++) {
        const struct json_value *at = json_first(v), *rss = at ? json_next(at) : NULL, *heap = rss ? json_next(rss) : NULL;
        if (!heap || !json_integer_of(at, before + 1, INT64_MAX, &before))
            return reader_wrong(rd, "a timeline whose samples have no values or are not in order");
        t->at_ns[t->n] = before;
        json_number_of(rss, &t->rss[t->n]);
        json_number_of(heap, &t->heap[t->n]);
    }
    return TARE_OK;
}

static bool possible_or_unknown(double value)
{
    return isnan(value) || (value >= 0 && value <= RECORD_NS_MOST);
}

static bool timeline_is_possible(const struct timeline *t)
{
    bool possible = possible_or_unknown(t->wall_ns) && possible_or_unknown(t->rss_peak) && possible_or_unknown(t->heap_peak) &&
                    possible_or_unknown(t->largest_process) && possible_or_unknown(t->allocated_bytes);
    for (int i = 0; i < t->n; i++)
        possible = possible && possible_or_unknown(t->rss[i]) && possible_or_unknown(t->heap[i]);
    return possible;
}

static enum tare_status read_timeline(struct reader *rd)
{
    const struct json_value *v = rd->line;
    struct timeline_samples *samples = arena_alloc(&rd->arena, sizeof *samples);
    struct timeline t;
    if (!samples)
        return err_no_memory(&rd->err);
    timeline_init(&t, samples, 0);
    for (int i = 0; i < TIMELINE_MOST; i++)
        samples->rss[i] = samples->heap[i] = NAN;
    if (rd->r->n_timelines >= RESULTS_MAX || !integer_in(v, "subject", 0, rd->r->n_subjects - 1, &t.subject) ||
        !json_integer_of(json_member(v, "period_ns"), 1, INT64_MAX, &t.period_ns))
        return reader_wrong(rd, "a timeline without subject or period");
    json_integer_of(json_member(v, "start_ns"), -1, INT64_MAX, &t.start_ns);
    reader_fields(rd, v, timeline_fields, &t);
    t.exit_status = t.exit_status ? t.exit_status : reader_text(rd, v, "fate"); /* as it was called before */
    t.heap_reason = reader_text(rd, v, "heap_reason");
    if (!t.heap_reason)
        reader_fields(rd, v, timeline_heap_fields, &t);
    enum tare_status status = read_timeline_samples(rd, &t);
    if (!status && !timeline_is_possible(&t))
        return reader_wrong(rd, "a timeline with a value that no run can have");
    return status ? status : reader_added(rd, record_add_timeline(rd->r, &t));
}

/* What older records call otherwise. */
static const char *statistic_now(const char *statistic)
{
    static const char *const names[][2] = {{"aa_false_words", "aa_false_positives"},
                                           {"aa_false_words_of_all", "aa_false_positives_of_all"},
                                           {"wished", "requested"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(statistic, names[i][0]))
            return names[i][1];
    return statistic;
}

/* 0: there is no interval. */
static bool is_confidence(double x)
{
    return x >= 0 && x < 1;
}

static enum tare_status read_estimate(struct reader *rd)
{
    struct estimate e = {0};
    if (!reader_fields(rd, rd->line, estimate_fields, &e) || !record_metric(rd->r, e.metric) || !is_confidence(e.confidence) ||
        rd->r->n_estimates >= RESULTS_MAX)
        return reader_wrong(rd, "an estimate without subject, metric, statistic or n");
    e.statistic = statistic_now(e.statistic);
    return reader_added(rd, record_add_estimate(rd->r, &e));
}

static enum tare_status read_comparison(struct reader *rd)
{
    struct comparison c = {0};
    if (!reader_fields(rd, rd->line, comparison_fields, &c) || !record_metric(rd->r, c.metric) || c.better >= rd->r->n_subjects ||
        !is_confidence(c.confidence) || rd->r->n_comparisons >= RESULTS_MAX)
        return reader_wrong(rd, "a comparison without subjects, metric, kind, verdict or counts");
    if (!c.reference_arc) /* results stand behind the comparisons: that both are there is seen at the end */
        c.arc = 0;
    return reader_added(rd, record_add_comparison(rd->r, &c));
}

static enum tare_status read_finding(struct reader *rd)
{
    struct finding f = {0};
    if (!reader_fields(rd, rd->line, finding_fields, &f) || f.subject >= rd->r->n_subjects || rd->r->n_findings >= RESULTS_MAX)
        return reader_wrong(rd, "a finding without id, text, severity or subject");
    return reader_added(rd, record_add_finding(rd->r, &f));
}

/* Infinite is a word, absent has no value. */
static double figure_of(struct reader *rd, const struct json_value *figures, const char *id)
{
    const char *word = reader_text(rd, figures, id);
    return !word ? number(figures, id, NAN) : !strcmp(word, "inf") ? INFINITY : !strcmp(word, "-inf") ? -INFINITY : NAN;
}

/* Up to `most` objects of an array, `size` bytes each. One that cannot be understood is left out. */
static int read_list(struct reader *rd, const struct json_value *list, const struct field *fields,
                     bool (*is_possible)(const void *item), void *out, size_t size, int most)
{
    int n = 0;
    for (const struct json_value *v = json_first(list); v && n < most; v = json_next(v)) {
        void *item = (char *)out + (size_t)n * size;
        memset(item, 0, size);
        if (reader_fields(rd, v, fields, item) && is_possible(item))
            n++;
    }
    return n;
}

static bool site_is_possible(const void *item)
{
    return ((const struct leak_site *)item)->count > 0;
}

static bool place_is_possible(const void *item)
{
    return ((const struct leak_place *)item)->processes > 0;
}

static bool size_is_possible(const void *item)
{
    return ((const struct leak_pair_size *)item)->clip > 0;
}

static bool quantile_is_possible(const void *item)
{
    const struct leak_quantile *q = item;
    return q->quantile > 0 && q->quantile < 1;
}

static enum tare_status read_leak_target(struct reader *rd)
{
    const struct json_value *v = rd->line, *figures = json_member(v, "figures");
    struct leak_site sites[LEAK_SITES_MAX];
    struct leak_place places[LEAK_PLACES_MAX];
    struct leak_pair_size sizes[LEAK_PAIR_SIZES_MAX];
    struct leak_quantile quantiles[LEAK_QUANTILES_MAX];
    struct leak_target t;
    leak_target_init(&t, 0);
    if (!reader_fields(rd, v, leak_target_ends, &t) || record_leak_target(rd->r, t.subject))
        return reader_wrong(rd, "a target without subject or known verdict, or twice");
    for (int i = 0; leak_text_at(i); i++)
        *leak_text_of(&t, leak_text_at(i)) = reader_text(rd, v, leak_text_at(i)->id);
    for (int i = 0; leak_figure_at(i); i++)
        *leak_figure_of(&t, leak_figure_at(i)) = figure_of(rd, figures, leak_figure_at(i)->id);
    t.n_taint_sites =
        read_list(rd, json_member(v, "taint_sites"), leak_site_fields, site_is_possible, sites, sizeof *sites, LEAK_SITES_MAX);
    t.taint_sites = sites;
    t.n_places =
        read_list(rd, json_member(v, "places"), leak_place_fields, place_is_possible, places, sizeof *places, LEAK_PLACES_MAX);
    t.places = places;
    t.n_sizes = read_list(rd, json_member(v, "sizes"), leak_pair_size_fields, size_is_possible, sizes, sizeof *sizes,
                          LEAK_PAIR_SIZES_MAX);
    t.sizes = sizes;
    t.n_shift = read_list(rd, json_member(v, "shift"), leak_quantile_fields, quantile_is_possible, quantiles, sizeof *quantiles,
                          LEAK_QUANTILES_MAX);
    t.shift = quantiles;
    return record_set_leak_target(rd->r, &t) ? err_no_memory(&rd->err) : TARE_OK;
}

static bool counts_agree(const struct reader *rd, const struct json_value *counts)
{
    const struct record *r = rd->r;
    return reader_count_is(counts, "subjects", r->n_subjects) && reader_count_is(counts, "rows", rd->rows) &&
           reader_count_is(counts, "warmup_rows", rd->warmup_rows) &&
           (!rd->samples || reader_count_is(counts, "samples", rd->samples)) &&
           reader_count_is(counts, "estimates", r->n_estimates) && reader_count_is(counts, "comparisons", r->n_comparisons) &&
           reader_count_is(counts, "findings", r->n_findings) &&
           (!json_member(counts, "targets") || reader_count_is(counts, "targets", r->n_leak_targets)) &&
           (!json_member(counts, "timelines") || reader_count_is(counts, "timelines", r->n_timelines)) &&
           traced_counts_agree(rd, counts) && reader_count_is(counts, "lines", rd->lines) &&
           reader_count_is(counts, "bytes", rd->bytes);
}

/* 1 it is right, 0 it is not, -1 a hash that we cannot make. */
static int hash_agrees(struct reader *rd)
{
    char expected[20];
    const uint64_t own = fnv1a64(FNV1A64_EMPTY, rd->text - rd->bytes, (size_t)rd->bytes);
    buf_print(expected, sizeof expected, "%016llx", (unsigned long long)own);
    const char *name = reader_text(rd, rd->line, "hash_name"), *hash = reader_text(rd, rd->line, "hash");
    if (!name || strcmp(name, "fnv1a-64"))
        return -1;
    return hash && !strcmp(hash, expected);
}

static enum tare_status read_trailer(struct reader *rd)
{
    struct record *r = rd->r;
    const struct json_value *v = rd->line;
    const char *ended = reader_text(rd, v, "ended");
    r->seconds = number(v, "seconds", 0);
    integer_in(v, "look", 0, INT32_MAX, &r->look);
    integer_in(v, "rounds", 0, INT32_MAX, &r->rounds);
    r->ended = arena_strdup(&r->arena, ended);
    r->partial = json_flag(v, "partial");
    if (ended && !r->ended)
        return err_no_memory(&rd->err);
    int hash = hash_agrees(rd);
    bool counts = counts_agree(rd, json_member(v, "counts"));
    if (!hash)
        reader_note(rd, "the file was changed after it was written: its content does not match the hash in its trailer");
    else if (!counts)
        reader_note(rd, "the counts in the trailer do not match the lines before it: some are missing or doubled");
    else if (hash < 0)
        reader_note(rd, "the trailer's hash is of a kind that this tare does not know: not checked");
    rd->agrees = hash == 1 && counts;
    rd->contradicts = !hash || !counts;
    rd->has_trailer = true;
    return TARE_OK;
}

static const struct line_type line_types[] = {{"header", read_header, true},
                                              {"machine", read_machine, true},
                                              {"conditions", read_conditions, false},
                                              {"build", read_build, true},
                                              {"metric", read_metric, true},
                                              {"subject", read_subject, true},
                                              {"columns", read_columns, true},
                                              {"plan", read_plan, false},
                                              {"look", read_look, false},
                                              {"sample_columns", read_sample_columns, true},
                                              {"sample", read_sample, false},
                                              {"failure", read_failure, false},
                                              {"row", read_row, false},
                                              {"count", read_count, false},
                                              {"remark", read_remark, false},
                                              {"label", read_label, false},
                                              {"timeline", read_timeline, false},
                                              {"estimate", read_estimate, false},
                                              {"comparison", read_comparison, false},
                                              {"target", read_leak_target, false},
                                              {"point", read_point, false},
                                              {"traced", read_traced, false},
                                              {"arc", read_arc, false},
                                              {"passage", read_passage, false},
                                              {"stack", read_stack, false},
                                              {"finding", read_finding, false},
                                              {"trailer", read_trailer, false}};

const struct line_type *line_type_of(const struct json_value *line)
{
    const char *name;
    if (json_text_of(json_member(line, "type"), &name))
        for (size_t i = 0; i < sizeof line_types / sizeof *line_types; i++)
            if (!strcmp(line_types[i].name, name))
                return &line_types[i];
    return NULL;
}
