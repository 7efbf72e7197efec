/* SPDX-License-Identifier: MIT
 *
 * Text of `go test -bench` (Go's benchmark data format): configuration lines "key: value", unit lines "Unit UNIT better=higher",
 * and result lines "BenchmarkName/k=v-8  N  VALUE UNIT  VALUE UNIT ...", each the mean of N iterations. All other lines say nothing.
 * ns/op becomes the wall time; every other unit is a metric of its own under Go's name for it. Lines of one name are the samples of
 * one benchmark, in the order of the file; the same name in two packages is two benchmarks.
 */
#include "foreign.h"
#include "own_metric.h"
#include "same_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct foreign_source source = {
    .format = "Go benchmark text",
    .value = "the mean of N iterations",
    .order = "as the lines stand; whether they were interleaved between programs is not said",
    .limits = "a Go benchmark file describes the machine by goos, goarch and cpu alone; each value is a mean over iterations",
};

enum { LINE_MAX = 1 << 16, WORDS_MAX = 2 + 2 * (FOREIGN_COLUMNS_MAX - 1) };

struct go {
    struct foreign *f;
    const char *package; /* the last "pkg:" */
    char *line;          /* closed copy of the line at hand */
    char *words[WORDS_MAX];
    int n_words;
    int64_t longer; /* results with units that their benchmark's first line lacks */
    char said[200]; /* the first indented line since a benchmark began or ended */
    struct {
        bool yes, skipped;
        char name[200];
    } ended; /* a benchmark, with "--- FAIL:" or "--- SKIP:"; what it said may still follow */
};

static bool begins(const char *text, size_t n, const char *start)
{
    size_t m = strlen(start);
    return n >= m && !memcmp(text, start, m);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool go_benchmark_line(const char *line, size_t n)
{
    static const char start[] = "Benchmark";
    const size_t m = sizeof start - 1;
    if (n <= m || memcmp(line, start, m) != 0 || (line[m] >= 'a' && line[m] <= 'z'))
        return false;
    size_t i = m;
    while (i < n && !is_blank(line[i]))
        i++;
    while (i < n && is_blank(line[i]))
        i++;
    return i < n && line[i] >= '0' && line[i] <= '9';
}

static bool go_failure_line(const char *line, size_t n)
{
    return begins(line, n, "--- FAIL: Benchmark") || begins(line, n, "--- SKIP: Benchmark");
}

static void split_line(struct go *g)
{
    g->n_words = 0;
    for (char *c = g->line; *c && g->n_words < WORDS_MAX;) {
        while (is_blank(*c))
            *c++ = 0;
        if (*c)
            g->words[g->n_words++] = c;
        while (*c && !is_blank(*c))
            c++;
    }
}

/* Decimal numbers only: what strtod takes beyond them is in no Go file. */
static bool number_of(const char *word, double *out)
{
    char *end;
    if (word[strspn(word, "0123456789+-.eE")])
        return false;
    *out = strtod(word, &end);
    return end != word && !*end && isfinite(*out);
}

/* As Go prints what is no number or too large: not known. */
static bool is_no_number(const char *word)
{
    return !strcmp(word, "NaN") || !strcmp(word, "+Inf") || !strcmp(word, "-Inf");
}

/* The metric's id: Go's name, unless we mean something else by it. NULL: no memory. */
static const char *column_of(struct go *g, const char *unit)
{
    if (!strcmp(unit, "ns/op"))
        return "wall";
    if (!metric_builtin_find(unit) && strcmp(unit, "iterations") != 0)
        return unit;
    return arena_format(&g->f->arena, "go:%s", unit);
}

static enum metric_direction direction_of(const char *unit)
{
    size_t n = strlen(unit);
    if (n > 3 && !strcmp(unit + n - 3, "/op"))
        return METRIC_LOWER;
    return n > 2 && !strcmp(unit + n - 2, "/s") ? METRIC_HIGHER : METRIC_NEUTRAL;
}

static enum tare_status add_unit(struct go *g, const char *unit, enum metric_direction direction)
{
    const struct metric m = {.id = column_of(g, unit), .title = unit, .unit = unit, .kind = METRIC_COUNT, .direction = direction};
    if (!m.id)
        return err_no_memory(g->f->err);
    return metric_builtin_find(m.id) ? TARE_OK : foreign_metric(g->f, &m);
}

/* "Unit allocs/op better=lower" stands before the results that it is about. */
static enum tare_status read_unit(struct go *g)
{
    for (int i = 2; i < g->n_words; i++)
        if (!strcmp(g->words[i], "better=higher"))
            return add_unit(g, g->words[1], METRIC_HIGHER);
        else if (!strcmp(g->words[i], "better=lower"))
            return add_unit(g, g->words[1], METRIC_LOWER);
    return TARE_OK;
}

/* In which its value is printed; NULL: such a long name has no room for it. */
static const char *step_of_column(const char *id, char room[NULL_COLUMN_BYTES])
{
    return strlen(id) + sizeof ":step" <= NULL_COLUMN_BYTES ? step_column(id, room) : NULL;
}

/* Of the last digit. What is counted has none. */
static double step_of(const char *word, const char *unit)
{
    const struct own_metric m = {.unit = strcmp(unit, "ns/op") ? unit : "ns", .given = "", .factor = 1};
    double value, step;
    return own_number(&m, word, strlen(word), &value, &step) ? step : NAN;
}

/* name=value in "BenchmarkX/size=10/kind=a-8"; the name is cut into pieces in place. */
static int split_parameters(char *name, struct parameter *parameters)
{
    int n = 0;
    for (char *piece = strchr(name, '/'); piece && n < FOREIGN_PARAMETERS_MAX;) {
        char *next = strchr(piece + 1, '/'), *equals;
        *piece++ = 0;
        if (next)
            *next = 0;
        if ((equals = strchr(piece, '=')) && equals != piece) {
            *equals = 0;
            parameters[n++] = (struct parameter){piece, equals + 1};
        }
        if (next)
            *next = '/';
        piece = next;
    }
    return n;
}

/* With the processors ("-8") as a parameter of its own. */
static int parameters_of(char *name, const char *package, struct parameter *parameters)
{
    char *dash = strrchr(name, '-');
    int n = 0;
    if (dash && dash[1] && !dash[1 + strspn(dash + 1, "0123456789")]) {
        *dash = 0;
        n = 1;
    }
    struct parameter processors = {"gomaxprocs", n ? dash + 1 : NULL}, all[FOREIGN_PARAMETERS_MAX];
    int found = split_parameters(name, all);
    n = 0;
    if (package)
        parameters[n++] = (struct parameter){"pkg", package};
    if (processors.value)
        parameters[n++] = processors;
    for (int i = 0; i < found && n < FOREIGN_PARAMETERS_MAX; i++)
        parameters[n++] = all[i];
    return n;
}

static int find_benchmark(const struct go *g, const char *name)
{
    const struct record *r = g->f->r;
    for (int i = r->n_subjects - 1; i >= 0; i--)
        if (!strcmp(r->subjects[i].command, name) && same_text(subject_parameter(&r->subjects[i], "pkg"), g->package))
            return i;
    return -1;
}

static enum tare_status add_columns(struct go *g, const char *unit, const char **columns, int *n)
{
    char room[NULL_COLUMN_BYTES];
    const char *id = column_of(g, unit), *step = id ? step_of_column(id, room) : NULL;
    if (!id || (step && !(step = arena_strdup(&g->f->arena, step))))
        return err_no_memory(g->f->err);
    *n = foreign_add_column(columns, *n, id);
    if (step && *n < FOREIGN_COLUMNS_MAX)
        *n = foreign_add_column(columns, *n, step);
    return TARE_OK;
}

static enum tare_status add_benchmark(struct go *g, const char *name, int *series)
{
    const char *columns[FOREIGN_COLUMNS_MAX] = {"iterations"};
    struct parameter parameters[FOREIGN_PARAMETERS_MAX];
    int n = 1;
    for (int i = 3; i < g->n_words && n < FOREIGN_COLUMNS_MAX; i += 2) {
        enum tare_status status = add_unit(g, g->words[i], direction_of(g->words[i]));
        if (!status)
            status = add_columns(g, g->words[i], columns, &n);
        if (status)
            return status;
    }
    char *pieces = arena_strdup(&g->f->arena, name);
    if (!pieces)
        return err_no_memory(g->f->err);
    const struct subject s = {
        .name = name, .command = name, .parameters = parameters, .n_parameters = parameters_of(pieces, g->package, parameters)};
    return foreign_subject(g->f, &s, columns, n, series);
}

static enum tare_status add_values(struct go *g, int series, double iterations)
{
    struct foreign *f = g->f;
    const struct series *s = &f->r->series[series];
    for (int i = 0; i < s->n_columns; i++)
        f->values[i] = NAN;
    f->values[0] = iterations;
    for (int i = 2; i + 1 < g->n_words; i += 2) {
        const char *id = column_of(g, g->words[i + 1]);
        if (!id)
            return err_no_memory(f->err);
        char room[NULL_COLUMN_BYTES];
        double *values = g->f->values;
        const int column = series_column(s, id);
        const char *step = step_of_column(id, room);
        if (column > 0 && isnan(values[column]) && number_of(g->words[i], &values[column]) && step && series_column(s, step) > 0)
            values[series_column(s, step)] = step_of(g->words[i], g->words[i + 1]);
        g->longer += column < 0;
    }
    return foreign_row(f, series, false);
}

static bool unit_possible(const char *unit, double value)
{
    if (metric_builtin_find(unit)) /* a name of ours is but a word of the user's here */
        return true;
    return foreign_possible(strcmp(unit, "ns/op") ? unit : "wall", value);
}

/* A line that is no result of a benchmark may be what a program printed itself. */
static enum tare_status leave_out(struct go *g)
{
    for (int i = 3; i < g->n_words; i += 2)
        if (!strcmp(g->words[i], "ns/op"))
            return foreign_left_out(g->f, g->words[0]);
    g->f->left_out++;
    return TARE_OK;
}

static enum tare_status read_result(struct go *g)
{
    double iterations, value;
    bool good = g->n_words >= 4 && g->n_words % 2 == 0 && number_of(g->words[1], &iterations) && iterations > 0;
    for (int i = 2; good && i < g->n_words; i += 2)
        good = number_of(g->words[i], &value) ? unit_possible(g->words[i + 1], value)
                                              : is_no_number(g->words[i]) && strcmp(g->words[i + 1], "ns/op") != 0;
    if (!good)
        return leave_out(g);
    int series = find_benchmark(g, g->words[0]);
    enum tare_status status = series < 0 ? add_benchmark(g, g->words[0], &series) : TARE_OK;
    return status ? status : add_values(g, series, iterations);
}

/* "key: value": the key begins with a lower-case letter and has neither blanks nor upper-case ones. */
static char *config_value(char *line)
{
    char *colon = strchr(line, ':');
    if (!colon || *line < 'a' || *line > 'z')
        return NULL;
    for (const char *c = line; c < colon; c++)
        if (is_blank(*c) || (*c >= 'A' && *c <= 'Z'))
            return NULL;
    if (colon[1] && !is_blank(colon[1]))
        return NULL;
    *colon = 0;
    for (colon++; is_blank(*colon);)
        colon++;
    for (size_t n = strlen(colon); n && is_blank(colon[n - 1]); n--)
        colon[n - 1] = 0;
    return colon;
}

/* Results of one name are one benchmark's, whatever stands between them: files may be put together of several machines or commits. */
static void note_change(struct go *g, const char *key, const char *before, const char *value)
{
    if (before && strcmp(before, value) != 0)
        foreign_note(g->f, "'%s' changes within the file: results of the same name before and after it were put together", key);
}

static enum tare_status read_config(struct go *g, const char *key, const char *value)
{
    static const struct {
        const char *theirs, *ours;
    } machine[] = {{"goos", "os"}, {"goarch", "architecture"}, {"cpu", "cpu_brand"}};
    struct record *r = g->f->r;
    if (!strcmp(key, "pkg")) {
        g->package = arena_strdup(&g->f->arena, value);
        return g->package ? TARE_OK : err_no_memory(g->f->err);
    }
    for (size_t i = 0; i < sizeof machine / sizeof *machine; i++)
        if (!strcmp(machine[i].theirs, key)) {
            note_change(g, key, facts_text(&r->machine, machine[i].ours), value);
            return facts_add_text(r, &r->machine, machine[i].ours, value) ? err_no_memory(g->f->err) : TARE_OK;
        }
    note_change(g, key, facts_text(&r->build, key), value);
    if (r->build.n >= FOREIGN_SUBJECTS_MAX)
        return err_set(g->f->err, TARE_TOO_LARGE, "more than %d configuration lines", (int)FOREIGN_SUBJECTS_MAX);
    return facts_add_text(r, &r->build, key, value) ? err_no_memory(g->f->err) : TARE_OK;
}

/* What go test prints of a package whose benchmarks did not come to their end, or whose checks failed. */
static bool is_failure(const char *line)
{
    static const char *const starts[] = {"panic: ", "fatal error: ", "signal: ", "exit status ", "*** Test killed"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (!strncmp(line, starts[i], strlen(starts[i])))
            return true;
    return (!strncmp(line, "FAIL", 4) && (!line[4] || strchr("\t\r ", line[4]))) || strstr(line, "--- FAIL: ");
}

static void keep_said(char *out, size_t room, const char *text)
{
    struct buf b = buf_over(out, room);
    buf_format(&b, "%.*s", (int)room - 1, text);
}

/* A benchmark around one that failed has failed too. */
static bool is_around_a_failure(const struct go *g, const char *name)
{
    const struct record_reading *out = g->f->out;
    const struct record_failure *last = out->n_failures ? &out->failures[out->n_failures - 1] : NULL;
    const size_t n = strlen(name);
    return last && !strncmp(last->benchmark, name, n) && last->benchmark[n] == '/';
}

static enum tare_status read_end(struct go *g)
{
    const char *reason = *g->said ? g->said : "no reason given";
    const bool first = g->ended.yes && !is_around_a_failure(g, g->ended.name);
    g->ended.yes = false;
    if (!first)
        return TARE_OK;
    foreign_note(g->f, "'%s' was left out: it failed or was skipped (%s)", g->ended.name, reason);
    return foreign_failed(g->f, g->ended.name, g->ended.skipped, reason);
}

/* With -test.v what it said stands before "--- FAIL: BenchmarkX", and else behind. */
static enum tare_status take_progress(struct go *g)
{
    const bool ends = go_failure_line(g->line, strlen(g->line));
    if (is_blank(*g->line)) {
        if (!*g->said)
            keep_said(g->said, sizeof g->said, g->line + strspn(g->line, " \t"));
        return TARE_OK;
    }
    const bool ended = g->ended.yes;
    enum tare_status status = read_end(g);
    if (ended || !ends)
        g->said[0] = 0;
    if (ends) {
        g->ended.yes = true;
        g->ended.skipped = !strncmp(g->line, "--- S", 5);
        keep_said(g->ended.name, sizeof g->ended.name, g->line + strlen("--- FAIL: "));
        g->ended.name[strcspn(g->ended.name, " \t\r")] = 0;
    }
    return status;
}

static enum tare_status read_line(struct go *g)
{
    char *value;
    enum tare_status status = take_progress(g);
    if (status)
        return status;
    g->f->tests_failed |= is_failure(g->line);
    if (go_benchmark_line(g->line, strlen(g->line))) {
        split_line(g);
        return read_result(g);
    }
    if (!strncmp(g->line, "Unit ", 5)) {
        split_line(g);
        return g->n_words > 2 ? read_unit(g) : TARE_OK;
    }
    return (value = config_value(g->line)) ? read_config(g, g->line, value) : TARE_OK;
}

static enum tare_status go_benchmark_read(struct foreign *f, const char *text, size_t n)
{
    struct go g = {.f = f};
    enum tare_status status = TARE_OK;
    for (size_t at = 0, next; at < n && !status; at = next) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t length = end ? (size_t)(end - (text + at)) : n - at;
        next = at + length + 1;
        if (length > LINE_MAX && !go_benchmark_line(text + at, length)) /* of a test's log */
            continue;
        if (length > LINE_MAX)
            return err_set(f->err, TARE_TOO_LARGE, "a line longer than %d bytes", (int)LINE_MAX);
        struct buf copy = BUF_INIT(LINE_MAX + 1);
        buf_add(&copy, text + at, length);
        if (copy.status)
            status = err_no_memory(f->err);
        g.line = copy.data;
        f->left_out += memchr(text + at, 0, length) != NULL; /* as a crash leaves in a file: what stood there is lost */
        if (!status && length)
            status = read_line(&g);
        buf_finish(&copy);
    }
    if (!status)
        status = read_end(&g);
    /* What writes such text without zeros at the end has one step all the same. */
    for (int i = 0; i < f->r->n_subjects; i++) {
        struct series *s = &f->r->series[i];
        for (int k = 0; k < s->n_columns; k++)
            if (is_step_column(s->columns[k]))
                foreign_finest_step(s, k, foreign_least_step(s, k));
    }
    if (g.longer)
        foreign_note(f, "%lld value%s left out: their benchmark's first line has no such unit", (long long)g.longer,
                     g.longer == 1 ? " was" : "s were");
    return status;
}

/* A line that only this format has: Go's may stand behind those of its tests. */
static bool go_benchmark_file(const char *text, size_t n)
{
    n = n < FOREIGN_BEGINNING_MAX ? n : FOREIGN_BEGINNING_MAX;
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

const struct text_format go_benchmark_format = {go_benchmark_file, go_benchmark_read, &source};

/* `go test -json -bench`: a JSON object a line, whose "Output" is a piece of the text that go test would have printed. Pieces are
 * put together by package, for packages run side by side and a result line comes in two pieces. */

enum { PACKAGES_MAX = 4096, TEXT_MAX = 1 << 28 };

struct package {
    const char *name;
    struct buf text;
};

struct events {
    struct foreign *f;
    struct package *packages; /* PACKAGES_MAX */
    int n;
    size_t bytes; /* of all texts */
};

static bool go_event_line(const char *text, size_t n)
{
    const char *end = memchr(text, '\n', n);
    return end && (begins(text, n, "{\"Time\":\"") || begins(text, n, "{\"Action\":\"") || begins(text, n, "{\"ImportPath\":\""));
}

static struct package *package_of(struct events *e, const char *name)
{
    for (int i = e->n - 1; i >= 0; i--)
        if (!strcmp(e->packages[i].name, name))
            return &e->packages[i];
    if (e->n == PACKAGES_MAX || !(name = arena_strdup(&e->f->arena, name)))
        return NULL;
    e->packages[e->n] = (struct package){name, BUF_INIT(TEXT_MAX)};
    return &e->packages[e->n++];
}

static enum tare_status read_event(struct events *e, const struct json_value *line)
{
    const char *action = "", *output = "", *name = "";
    json_text_of(json_member(line, "Action"), &action);
    json_text_of(json_member(line, "Package"), &name);
    e->f->tests_failed |= !strcmp(action, "fail");
    if (strcmp(action, "output") != 0 || !json_text_of(json_member(line, "Output"), &output))
        return TARE_OK;
    struct package *p = package_of(e, name);
    if (!p && e->n < PACKAGES_MAX)
        return err_no_memory(e->f->err);
    e->bytes += strlen(output);
    if (!p || e->bytes > TEXT_MAX)
        return err_set(e->f->err, TARE_TOO_LARGE, "more than %d packages or %d bytes of output", (int)PACKAGES_MAX,
                       (int)TEXT_MAX);
    buf_str(&p->text, output);
    return p->text.status ? err_no_memory(e->f->err) : TARE_OK;
}

static enum tare_status read_lines(struct events *e, const char *text, size_t n)
{
    enum tare_status status = TARE_OK;
    for (size_t at = 0, next; at < n && !status; at = next) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t length = end ? (size_t)(end - (text + at)) : n - at;
        struct json_value *line;
        next = at + length + 1;
        if (text[at] != '{') /* what was printed beside */
            continue;
        status = json_parse(&line, text + at, length, NULL);
        if (status == TARE_NO_MEMORY)
            return err_no_memory(e->f->err);
        if (status) {
            e->f->left_out++;
            status = TARE_OK;
            continue;
        }
        status = read_event(e, line);
        json_free(line);
    }
    return status;
}

static enum tare_status go_events_read(struct foreign *f, const char *text, size_t n)
{
    struct events e = {.f = f, .packages = calloc(PACKAGES_MAX, sizeof *e.packages)};
    struct buf all = BUF_INIT(TEXT_MAX + PACKAGES_MAX);
    enum tare_status status = e.packages ? read_lines(&e, text, n) : err_no_memory(f->err);
    for (int i = 0; i < e.n; i++) {
        buf_add(&all, buf_text(&e.packages[i].text), e.packages[i].text.len);
        buf_char(&all, '\n');
        buf_finish(&e.packages[i].text);
    }
    if (!status)
        status = all.status ? err_no_memory(f->err) : go_benchmark_read(f, buf_text(&all), all.len);
    buf_finish(&all);
    free(e.packages);
    return status;
}

const struct text_format go_events_format = {go_event_line, go_events_read, &source};
