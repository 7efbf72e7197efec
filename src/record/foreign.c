/* SPDX-License-Identifier: MIT */
#include "foreign.h"
#include "fnv.h"
#include "units.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum tare_status foreign_wrong(struct foreign *f, const char *what)
{
    return err_set(f->err, TARE_FORMAT, "%s", what);
}

void foreign_note(struct foreign *f, const char *format, ...)
{
    enum { NOTES_MOST = 60 << 10 }; /* of 64 KB: what the notes at the end need is left */
    struct buf line = BUF_INIT(1 << 16), *notes = &f->out->notes;
    va_list ap;
    if (!f->at_end && notes->len > NOTES_MOST) {
        f->notes_left_out = true;
        return;
    }
    line.longest = FOREIGN_NAME_IN_TEXT;
    va_start(ap, format);
    buf_vformat(&line, format, ap);
    va_end(ap);
    buf_char(&line, '\n');
    if (line.status)
        notes->status = line.status;
    else if (!strstr(buf_text(notes), buf_text(&line))) /* a benchmark that fails does so in each repetition */
        buf_add(notes, line.data, line.len);
    buf_finish(&line);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum tare_status foreign_names_room(struct foreign *f, struct foreign_names *s, int most)
{
    *s = (struct foreign_names){.names = arena_array(&f->arena, (size_t)most + 1, sizeof *s->names)};
    return s->names ? TARE_OK : err_no_memory(f->err);
}

void foreign_names_sort(struct foreign_names *s)
{
    qsort(s->names, (size_t)s->n, sizeof *s->names, by_text);
}

bool foreign_names_have(const struct foreign_names *s, const char *name)
{
    return bsearch(&name, s->names, (size_t)s->n, sizeof *s->names, by_text) != NULL;
}

enum tare_status foreign_fact(struct foreign *f, struct facts *facts, const char *key, const struct json_value *v)
{
    const char *text;
    double number;
    bool truth;
    enum tare_status status = TARE_OK;
    if (json_text_of(v, &text))
        status = facts_add_text(f->r, facts, key, text);
    else if (json_number_of(v, &number))
        status = facts_add_number(f->r, facts, key, number);
    else if (json_bool_of(v, &truth))
        status = facts_add_text(f->r, facts, key, truth ? "yes" : "no");
    return status ? err_no_memory(f->err) : TARE_OK;
}

enum tare_status foreign_metric(struct foreign *f, const struct metric *m)
{
    if (f->r->n_metrics >= FOREIGN_METRICS_MAX)
        return err_set(f->err, TARE_TOO_LARGE, "more than %d metrics", (int)FOREIGN_METRICS_MAX);
    return record_add_metric(f->r, m) < 0 ? err_no_memory(f->err) : TARE_OK;
}

/* Some write an empty text, which is no name elsewhere. */
static const char *name_of(const char *given)
{
    return *given ? given : "unnamed";
}

/* A place in the table of names: files may have thousands of them, and millions of rows. */
struct foreign_name {
    uint64_t hash;
    int subject; /* + 1; 0: the place is free */
    int copies;  /* that got a number */
};

enum { NAME_PLACES = 4 * FOREIGN_SUBJECTS_MAX };

/* Where it is, or would be. */
static struct foreign_name *place_of(const struct foreign *f, const char *name)
{
    const uint64_t hash = fnv1a64(FNV1A64_EMPTY, name, strlen(name));
    uint64_t at = hash;
    struct foreign_name *p;
    while ((p = &f->names[at % NAME_PLACES])->subject &&
           (p->hash != hash || strcmp(f->r->subjects[p->subject - 1].name, name) != 0))
        at++;
    p->hash = hash;
    return p;
}

/* "sleep 1", "sleep 1 #2" ...; NULL: no memory. */
static const char *free_name(struct foreign *f, const char *name)
{
    struct foreign_name *first = place_of(f, name);
    struct buf b = BUF_INIT(1 << 24);
    if (!first->subject)
        return name;
    do {
        buf_clear(&b);
        buf_format(&b, "%s #%d", name, ++first->copies + 1);
    } while (!b.status && place_of(f, buf_text(&b))->subject);
    return arena_keep(&f->arena, &b);
}

int foreign_add_column(const char **columns, int n, const char *id)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(columns[i], id))
            return n;
    columns[n] = id;
    return n + 1;
}

enum tare_status foreign_subject(struct foreign *f, const struct subject *s, const char *const *columns, int n, int *series)
{
    struct subject own = *s;
    if (f->r->n_subjects >= FOREIGN_SUBJECTS_MAX)
        return err_set(f->err, TARE_TOO_LARGE, "more than %d benchmarks", (int)FOREIGN_SUBJECTS_MAX);
    if (!f->names && !(f->names = arena_array(&f->arena, NAME_PLACES, sizeof *f->names)))
        return err_no_memory(f->err);
    own.kind = SUBJECT_COMMAND;
    own.name = free_name(f, name_of(s->name));
    own.command = own.command ? own.command : s->name;
    for (int i = 0; i < n; i++)
        if (metric_builtin_find(columns[i]) && record_add_metric(f->r, metric_builtin_find(columns[i])) < 0)
            return err_no_memory(f->err);
    if (!own.name || (*series = record_add_subject(f->r, &own, columns, n)) < 0)
        return err_no_memory(f->err);
    place_of(f, own.name)->subject = *series + 1;
    return TARE_OK;
}

bool foreign_possible(const char *column, double value)
{
    static const char *const counted[] = {"iterations", "process", "memory", "B/op", "allocs/op", "MB/s"};
    const bool builtin = metric_builtin_find(column) != NULL;
    bool never_negative = builtin;
    for (size_t i = 0; i < sizeof counted / sizeof *counted && !never_negative; i++)
        never_negative = !strcmp(counted[i], column);
    if (builtin && (value > RECORD_NS_MOST || fpclassify(value) == FP_SUBNORMAL))
        return false; /* our own reader takes none */
    return !never_negative || !(value < 0);
}

enum tare_status foreign_row(struct foreign *f, int series, bool warmup)
{
    const struct series *s = &f->r->series[series];
    struct row row = {.round = (warmup ? &s->warmup : &s->main)->n, .flags = warmup ? ROW_WARMUP : 0, .values = f->values};
    int exit_code = series_column(s, "exit");
    if (exit_code >= 0 && f->values[exit_code] != 0) /* not known: killed by a signal */
        row.flags |= ROW_FAILED;
    return record_append_row(f->r, series, &row) ? err_no_memory(f->err) : TARE_OK;
}

enum tare_status foreign_failed(struct foreign *f, const char *benchmark, bool skipped, const char *reason)
{
    struct record_reading *out = f->out;
    const struct record_failure one = {arena_strdup(&out->arena, name_of(benchmark)), arena_format(&out->arena, "%.199s", reason),
                                       skipped, false};
    if (!one.benchmark || !one.reason ||
        !arena_room(&out->arena, &out->failures, out->n_failures, &out->failures_room, sizeof *out->failures))
        return err_no_memory(f->err);
    out->failures[out->n_failures++] = one;
    return TARE_OK;
}

enum tare_status foreign_without_values(struct foreign *f, const char *benchmark, const char *reason)
{
    foreign_note(f, "'%s' was left out: %s", benchmark, reason);
    enum tare_status status = foreign_failed(f, benchmark, false, reason);
    if (!status)
        f->out->failures[f->out->n_failures - 1].unmeasured = true;
    return status;
}

/* JMH writes an entry for each mode. */
static void forget_measured(struct foreign *f)
{
    struct record_failure *all = f->out->failures;
    int kept = 0;
    for (int i = 0; i < f->out->n_failures; i++)
        if (!all[i].unmeasured || foreign_find(f, all[i].benchmark) < 0)
            all[kept++] = all[i];
    f->out->n_failures = kept;
}

enum tare_status foreign_left_out(struct foreign *f, const char *benchmark)
{
    f->left_out++;
    return foreign_failed(f, benchmark, false, "a value that cannot be read, or cannot be");
}

int foreign_find(const struct foreign *f, const char *name)
{
    return f->names ? place_of(f, name_of(name))->subject - 1 : -1;
}

enum tare_status foreign_value(struct foreign *f, int series, double value, double factor)
{
    const char *column = f->r->series[series].columns[0];
    f->values[0] = value * factor;
    if (isfinite(f->values[0]) && foreign_possible(column, f->values[0]))
        return foreign_row(f, series, false);
    return foreign_left_out(f, f->r->subjects[series].name);
}

void foreign_summed(struct foreign *f, int series, bool is_median)
{
    if (is_median && !f->medians.n++)
        f->medians.first = f->r->subjects[series].name;
    if (!is_median && !f->means.n++)
        f->means.first = f->r->subjects[series].name;
}

static void note_summed(struct foreign *f, int n, const char *first, const char *what)
{
    if (n == 1)
        foreign_note(f, "'%s': it has no samples, only their %s, which is taken as one value", first, what);
    if (n > 1)
        foreign_note(f, "%d benchmarks have no samples, only their %s, which is taken as one value", n, what);
}

bool foreign_is_summary(const struct json_value *median, const struct json_value *mean)
{
    double value;
    return json_number_of(median, &value) || json_number_of(mean, &value);
}

static bool possible_at(const struct foreign *f, int series, const struct json_value *v, double factor)
{
    const double value = json_double(v) * factor;
    return isfinite(value) && foreign_possible(f->r->series[series].columns[0], value);
}

enum tare_status foreign_summary(struct foreign *f, int series, const struct json_value *median, const struct json_value *mean,
                                 double factor)
{
    const bool is_median = possible_at(f, series, median, factor);
    if (is_median || possible_at(f, series, mean, factor))
        foreign_summed(f, series, is_median);
    return foreign_value(f, series, json_double(is_median ? median : mean), factor);
}

enum tare_status foreign_printed_subject(struct foreign *f, const char *name, const char *metric, int *series)
{
    char room[NULL_COLUMN_BYTES];
    const struct subject s = {.name = name};
    return foreign_subject(f, &s, (const char *const[]){metric, step_column(metric, room)}, 2, series);
}

enum tare_status foreign_printed(struct foreign *f, int series, double value, double step, double factor)
{
    f->values[FOREIGN_STEP] = step * factor;
    return foreign_value(f, series, value, factor);
}

double foreign_least_step(const struct series *s, int column)
{
    double least = INFINITY;
    for (int i = 0; i < s->main.n; i++)
        least = fmin(least, s->main.value[column][i]);
    return least;
}

void foreign_finest_step(struct series *s, int column, double finest)
{
    for (int i = 0; i < s->main.n && isfinite(finest); i++)
        s->main.value[column][i] = finest;
}

static enum metric_direction direction_of(const char *unit)
{
    size_t n = strlen(unit);
    if ((n > 2 && !strcmp(unit + n - 2, "/s")) || (n > 4 && !strcmp(unit + n - 4, "/sec")) || !strncmp(unit, "ops/", 4))
        return METRIC_HIGHER;
    return n > 3 && !strcmp(unit + n - 3, "/op") ? METRIC_LOWER : METRIC_NEUTRAL;
}

/* "ms/op" and "ms/iter" are times as "ms" is. */
static bool time_named(const char *unit, struct unit *out)
{
    const char *per = strchr(unit, '/');
    size_t n = per && (!strcmp(per, "/op") || !strcmp(per, "/iter")) ? (size_t)(per - unit) : strlen(unit);
    char name[8] = "";
    if (n >= sizeof name)
        return false;
    memcpy(name, unit, n);
    return unit_named("ns", name, out);
}

enum tare_status foreign_unit(struct foreign *f, const char *unit, struct foreign_unit *out)
{
    struct unit u;
    *out = (struct foreign_unit){"wall", 1};
    if (time_named(unit, &u)) {
        out->factor = u.factor;
        return TARE_OK;
    }
    struct metric m = {.id = *unit ? unit : "value",
                       .title = *unit ? unit : "value",
                       .unit = *unit ? unit : "1",
                       .kind = METRIC_COUNT,
                       .direction = direction_of(unit)};
    if (unit_named("bytes", unit, &u)) {
        out->factor = u.factor;
        m = (struct metric){"memory", "memory", "bytes", METRIC_SIZE, METRIC_LOWER, NULL};
    } else if (metric_builtin_find(unit) || !strcmp(unit, "process") || !(m.id = arena_strdup(&f->arena, m.id)))
        return m.id ? foreign_wrong(f, "a unit that is the name of a metric of tare") : err_no_memory(f->err);
    out->column = m.id;
    return foreign_metric(f, &m);
}

const char *foreign_metric_id(struct foreign *f, const char *id, const char *unit)
{
    const struct metric *there = record_metric(f->r, id);
    const bool other = there && strcmp(there->unit, unit) != 0;
    f->units_differ |= other;
    return other ? arena_format(&f->arena, "%s (%s)", id, unit) : arena_strdup(&f->arena, id);
}

enum tare_status foreign_named_unit(struct foreign *f, const char *id, const char *unit, struct foreign_unit *out)
{
    const struct metric *known = id ? metric_builtin_find(id) : NULL;
    struct unit u = unit_one;
    if (!id || !*id || !strcmp(id, "ns"))
        return foreign_unit(f, id && *id && !*unit ? "ns" : unit, out);
    if (!strcmp(id, "process") || !strcmp(id, "iterations") || !strcmp(id, "exit"))
        return err_set(f->err, TARE_FORMAT, "a metric named '%s', as a column of tare", id);
    if (known && *unit && strcmp(unit, known->unit) != 0 && !unit_named(known->unit, unit, &u))
        return err_set(f->err, TARE_FORMAT, "metric '%s' in '%.40s', a unit that it cannot have", id, unit);
    const bool time = !known && time_named(unit, &u),
               size = !known && !time && (!strcmp(unit, "bytes") || unit_named("bytes", unit, &u));
    const char *kept_in = time ? "ns" : size ? "bytes" : *unit ? unit : "1";
    *out = (struct foreign_unit){known ? known->id : foreign_metric_id(f, id, kept_in), u.factor};
    const struct metric m = {.id = out->column,
                             .title = out->column,
                             .unit = kept_in,
                             .kind = time   ? METRIC_TIME
                                     : size ? METRIC_SIZE
                                            : METRIC_COUNT,
                             .direction = time || size ? METRIC_LOWER : direction_of(unit)};
    return !out->column ? err_no_memory(f->err) : foreign_metric(f, known ? known : &m);
}

static bool has_columns(const struct foreign *f, int series)
{
    const struct series *s = &f->r->series[series];
    bool same = s->n_columns == f->row.n;
    for (int i = 0; i < f->row.n && same; i++)
        same = !strcmp(s->columns[i], f->row.columns[i]);
    return same;
}

/* With the columns of the row, and of its benchmark, whatever number its name got; -1: none. */
static int subject_of_row(const struct foreign *f)
{
    for (int i = f->r->n_subjects - 1; i >= 0; i--)
        if (!strcmp(f->r->subjects[i].command, f->row.benchmark) && has_columns(f, i))
            return i;
    return -1;
}

enum tare_status foreign_cells_end(struct foreign *f)
{
    const struct subject s = {.name = f->row.benchmark};
    bool measured = false;
    for (int i = 0; i < f->row.n; i++)
        measured |= isfinite(f->values[i]);
    int series = measured ? subject_of_row(f) : -1;
    enum tare_status status = TARE_OK;
    if (measured && series < 0)
        status = foreign_subject(f, &s, f->row.columns, f->row.n, &series);
    if (measured && !status)
        status = foreign_row(f, series, false);
    f->left_out += !measured && f->row.gap; /* else the gap is in the row */
    f->row.gap = false;
    f->row.n = 0;
    return status;
}

enum tare_status foreign_cell(struct foreign *f, const char *benchmark, const char *column, double value)
{
    bool other = f->row.n == FOREIGN_COLUMNS_MAX || (f->row.n && strcmp(f->row.benchmark, benchmark) != 0);
    for (int i = 0; i < f->row.n && !other; i++)
        other = !strcmp(f->row.columns[i], column);
    enum tare_status status = other ? foreign_cells_end(f) : TARE_OK;
    if (status)
        return status;
    f->row.benchmark = benchmark;
    f->row.gap |= isnan(value);
    f->row.columns[f->row.n] = column;
    f->values[f->row.n++] = foreign_possible(column, value) ? value : NAN;
    return isnan(value) || (isfinite(value) && foreign_possible(column, value)) ? TARE_OK : foreign_left_out(f, benchmark);
}

/* As of lines that were joined with themselves, whose interval would be narrower than what was measured. */
static bool is_there_twice(const struct series *s, const char *metric)
{
    const double *x = series_values(s, metric);
    const int n = s->main.n;
    for (int period = 1; x && period <= n / 2; period++) {
        int i = period;
        while (i < n && n % period == 0 && x[i] == x[i - period])
            i++;
        if (i == n && values_tell(x, period))
            return true;
    }
    return false;
}

enum tare_status foreign_gaps(struct foreign *f)
{
    struct record *r = f->r;
    struct buf why = BUF_INIT(1 << 16);
    why.longest = FOREIGN_NAME_IN_TEXT;
    forget_measured(f);
    if (f->left_out)
        buf_format(&why, "%lld value%s in it %s missing or impossible", (long long)f->left_out, buf_plural(f->left_out),
                   f->left_out == 1 ? "is" : "are");
    else if (f->tests_failed)
        buf_str(&why, "the tests that it is of failed");
    for (int i = f->out->n_failures - 1; i >= 0 && !why.len; i--)
        if (foreign_find(f, f->out->failures[i].benchmark) >= 0)
            buf_format(&why, "some repetitions of '%s' failed or were skipped", f->out->failures[i].benchmark);
    for (int i = 0; i < r->n_subjects && !why.len && r->rule.metric; i++)
        if (is_there_twice(&r->series[i], r->rule.metric))
            buf_format(&why, "the values of '%s' are there twice, in the same order", r->subjects[i].name);
    if (why.len)
        r->unverified = arena_strdup(&r->arena, buf_text(&why));
    bool kept = !why.status && (!why.len || r->unverified);
    buf_finish(&why);
    return kept ? TARE_OK : err_no_memory(f->err);
}

static const char *deciding_metric(const struct record *r)
{
    if (record_metric(r, "wall"))
        return "wall";
    return r->n_metrics ? r->metrics[0].id : NULL;
}

static void notes_at_end(struct foreign *f)
{
    f->at_end = true;
    if (f->notes_left_out)
        foreign_note(f, "further notes were left out");
    note_summed(f, f->medians.n, f->medians.first, "median");
    note_summed(f, f->means.n, f->means.first, "mean");
    if (f->left_out)
        foreign_note(f, "%lld value%s left out: not understood, or negative where nothing can be", (long long)f->left_out,
                     f->left_out == 1 ? " was" : "s were");
}

/* What `m` is of: its id without the unit, where it has that because another metric had the name. */
static bool shares_name(const struct metric *m, const char *id)
{
    const size_t n = strlen(id), unit = strlen(m->unit);
    const char *end = strncmp(m->id, id, n) ? "" : m->id + n;
    return strlen(end) == unit + strlen(" ()") && !strncmp(end, " (", 2) && !strncmp(end + 2, m->unit, unit) &&
           end[unit + 2] == ')';
}

static bool rename_metric(struct record *r, struct metric *m)
{
    const char *old = m->id, *id = arena_format(&r->arena, "%s (%s)", old, m->unit),
               *title = arena_format(&r->arena, "%s (%s)", m->title, m->unit);
    if (!id || !title)
        return false;
    for (int i = 0; i < r->n_subjects; i++)
        for (int c = 0; c < r->series[i].n_columns; c++)
            if (!strcmp(r->series[i].columns[c], old))
                r->series[i].columns[c] = id;
    m->id = id;
    m->title = title;
    return true;
}

/* The first of a name has its unit too, where others have. */
static enum tare_status qualify_metrics(struct foreign *f)
{
    struct record *r = f->r;
    bool memory = true;
    for (int i = 0; i < r->n_metrics && f->units_differ && memory; i++) {
        bool shared = false;
        for (int other = i + 1; other < r->n_metrics && !shared && !metric_builtin_find(r->metrics[i].id); other++)
            shared = shares_name(&r->metrics[other], r->metrics[i].id);
        memory = !shared || rename_metric(r, &r->metrics[i]);
    }
    return memory ? TARE_OK : err_no_memory(f->err);
}

enum tare_status foreign_finish(struct foreign *f)
{
    struct record *r = f->r;
    int rows = 0;
    r->rounds = r->n_subjects ? INT32_MAX : 0;
    for (int i = 0; i < r->n_subjects; i++) {
        rows += r->series[i].main.n;
        r->rounds = r->series[i].main.n < r->rounds ? r->series[i].main.n : r->rounds;
    }
    notes_at_end(f);
    if (qualify_metrics(f))
        return TARE_NO_MEMORY;
    if (!rows || !deciding_metric(r))
        return foreign_wrong(f, "holds no measured value: nothing can be shown of it");
    r->rule.metric = arena_strdup(&r->arena, deciding_metric(r));
    r->ended = "answered";
    return r->rule.metric ? foreign_gaps(f) : err_no_memory(f->err);
}
