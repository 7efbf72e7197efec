/* SPDX-License-Identifier: MIT */
#include "harness.h"
#include "plat.h"
#include "sink.h"
#include "stored_read.h"
#include "wire.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which there are ---- */

#define HARNESS(name) extern const struct harness name;
#include "harnesses.def"
#undef HARNESS

static const struct harness *const all[] = {
#define HARNESS(name) &name,
#include "harnesses.def"
#undef HARNESS
};

enum { HARNESSES = sizeof all / sizeof *all };

const struct harness *harness_at(int index)
{
    return index >= 0 && index < HARNESSES ? all[index] : NULL;
}

/* ---- whose program a file is ---- */

enum { MARK_MAX = 64, PIECE_BYTES = 1 << 16 };

struct marks { /* seen so far */
    bool ours, of[HARNESSES];
    char bytes[MARK_MAX + PIECE_BYTES]; /* the end of the last piece, and this one */
    size_t kept;
};

static bool holds(const struct marks *m, size_t n, const char *mark)
{
    const size_t length = strlen(mark);
    const char *at = m->bytes, *end = m->bytes + n;
    while ((size_t)(end - at) >= length && (at = memchr(at, *mark, (size_t)(end - at) - length + 1)))
        if (!memcmp(at, mark, length))
            return true;
        else
            at++;
    return false;
}

static void look(struct marks *m, size_t n)
{
    m->ours = m->ours || holds(m, n, WIRE_VARIABLE) || holds(m, n, "libtare.so");
    for (int i = 0; i < HARNESSES; i++)
        for (const char *const *mark = all[i]->marks; *mark && !m->of[i]; mark++)
            m->of[i] = holds(m, n, *mark);
}

static enum tare_status take_piece(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    struct marks *m = context;
    (void)err;
    for (size_t at = 0, some; at < n; at += some) {
        some = n - at < PIECE_BYTES ? n - at : PIECE_BYTES;
        memcpy(m->bytes + m->kept, (const char *)bytes + at, some);
        const size_t full = m->kept + some;
        look(m, full);
        m->kept = full < MARK_MAX ? full : MARK_MAX;
        memmove(m->bytes, m->bytes + full - m->kept, m->kept);
    }
    return TARE_OK;
}

const struct harness *harness_of_file(const char *path)
{
    struct marks *m = calloc(1, sizeof *m);
    const struct harness *found = NULL;
    if (m && !plat_file_pour(path, &(struct sink){take_piece, m}, NULL) && !m->ours)
        for (int i = HARNESSES; i-- > 0;)
            found = m->of[i] ? all[i] : found;
    free(m);
    return found;
}

/* ---- command lines ---- */

static size_t count(const char *const *words)
{
    size_t n = 0;
    while (words[n])
        n++;
    return n;
}

const char **harness_ask_list(const struct harness *h, const char *path, struct arena *a)
{
    const size_t n = count(h->list);
    const char **argv = arena_array(a, n + 2, sizeof *argv);
    if (!argv)
        return NULL;
    argv[0] = path;
    memcpy(argv + 1, h->list, (n + 1) * sizeof *argv);
    return argv;
}

/* "^name$"; of several levels "^name$/^sub$". */
static const char *name_word(const struct harness *h, const char *name, struct arena *a)
{
    struct buf b = BUF_INIT(1 << 12);
    buf_format(&b, "%s^", h->name_word);
    for (; *name; name++)
        if (h->levels && *name == '/')
            buf_str(&b, "$/^");
        else
            buf_format(&b, "%s%c", strchr("\\.[]{}()*+?|^$", *name) ? "\\" : "", *name);
    buf_char(&b, '$');
    return arena_keep(a, &b);
}

static const char *word_for(const struct harness *h, const char *word, const char *benchmark, struct harness_words *words,
                            struct arena *a)
{
    return !strcmp(word, HARNESS_NAME)      ? name_word(h, benchmark, a)
           : !strcmp(word, HARNESS_TIME)    ? words->time
           : !strcmp(word, HARNESS_SAMPLES) ? words->samples
                                            : word;
}

const char **harness_ask(const struct harness *h, const char *path, const char *benchmark, int samples,
                         struct harness_words *words, struct arena *a)
{
    const size_t n = count(h->one);
    const char **argv = arena_array(a, n + 2, sizeof *argv);
    if (!argv)
        return NULL;
    *words = (struct harness_words){.harness = h};
    struct buf b = buf_over(words->samples, sizeof words->samples);
    buf_format(&b, "%s%d", h->samples_word, samples);
    argv[0] = path;
    for (size_t i = 0; i < n; i++)
        if (!(argv[1 + i] = word_for(h, h->one[i], benchmark, words, a)))
            return NULL;
    argv[1 + n] = NULL;
    return argv;
}

void harness_set_time(struct harness_words *words, int64_t ns)
{
    const char *const *around = words->harness->time_word;
    struct buf b = buf_over(words->time, sizeof words->time);
    buf_format(&b, "%s%.6g%s", around[0], (double)ns / 1e9, around[1]);
}

/* ---- the list ---- */

struct names {
    char **items;
    int n;
};

/* What a program prints itself may be anything. */
static void fill_zeros(char *text, size_t n)
{
    for (char *end = text + n; (text = memchr(text, 0, (size_t)(end - text)));)
        *text = ' ';
}

static enum tare_status take_names(const struct harness *h, char *text, struct names *out, struct tare_err *err)
{
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        line[strcspn(line, "\r")] = 0;
        char *name = h->listed(line);
        if (!name)
            continue;
        if (out->n == HARNESS_LISTED_MAX)
            return err_set(err, TARE_TOO_LARGE, "it lists more than %d benchmarks", (int)HARNESS_LISTED_MAX);
        if (strlen(name) >= WIRE_NAME_MAX)
            return err_set(err, TARE_TOO_LARGE, "it lists a name of more than %d bytes: %.60s...", WIRE_NAME_MAX - 1, name);
        out->items[out->n++] = name;
    }
    return TARE_OK;
}

const char *harness_last_listed(const struct harness *h, char *text, size_t n)
{
    const char *last = "its first one";
    text[n] = 0; /* there is room for it */
    fill_zeros(text, n);
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        const char *name = h->listed(line);
        last = name ? name : last;
    }
    return last;
}

/* A benchmark that has others below it is none itself. They follow it. */
static void leave_out_parents(struct names *names)
{
    int n = 0;
    for (int i = 0; i < names->n; i++) {
        const char *name = names->items[i], *next = i + 1 < names->n ? names->items[i + 1] : "";
        const size_t length = strlen(name);
        if (strncmp(name, next, length) != 0 || next[length] != '/')
            names->items[n++] = names->items[i];
    }
    names->n = n;
}

static void put_bench(struct buf *frames, const struct harness *h, const char *name, uint32_t index)
{
    const bool manual = h->own_time && h->own_time(name);
    char group[WIRE_NAME_MAX];
    struct buf b = buf_over(group, sizeof group);
    buf_format(&b, "%.*s", (int)strcspn(name, "/"), name);
    wire_put_bench(frames, &(struct wire_bench){.index = index,
                                                .name = name,
                                                .group = group,
                                                .file = "",
                                                .flags = manual ? WIRE_MANUAL_TIME : 0,
                                                .threads = 1,
                                                .version = ""});
}

static void put_hello(struct buf *frames, const struct harness *h, int benchmarks, const char *trouble)
{
    wire_put_hello(frames,
                   &(struct wire_hello){
                       .version = WIRE_VERSION, .library = h->name, .benchmarks = (uint32_t)benchmarks, .trouble = trouble});
}

enum tare_status harness_list(const struct harness *h, const char *text, size_t n, struct buf *frames, struct tare_err *err)
{
    struct names names = {.items = calloc(HARNESS_LISTED_MAX, sizeof *names.items)};
    char *copy = malloc(n + 1);
    enum tare_status status = copy && names.items ? TARE_OK : err_no_memory(err);
    if (!status) {
        memcpy(copy, text, n);
        fill_zeros(copy, n);
        copy[n] = 0;
        status = take_names(h, copy, &names, err);
    }
    if (!status && h->runs_to_list)
        leave_out_parents(&names);
    if (!status)
        put_hello(frames, h, names.n, "");
    for (int i = 0; i < names.n && !status; i++)
        put_bench(frames, h, names.items[i], (uint32_t)i);
    if (!status)
        wire_put_bye(frames, &(struct wire_bye){.benchmarks = (uint32_t)names.n});
    free(copy);
    free(names.items);
    return status ? status : frames->status;
}

/* ---- a result ---- */

static int subject_of(const struct harness *h, const struct record *r, const char *benchmark)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (h->is_of(benchmark, r->subjects[i].name))
            return i;
    return -1;
}

/* Steps in which it prints are as good as steps of its clock. */
static void put_clock(struct buf *frames, const struct harness *h, const struct series *s)
{
    const double *ns = s->main.value[series_column(s, "wall")], *n = s->main.value[series_column(s, "iterations")];
    const double step_ns = h->step_ns && s->main.n ? h->step_ns(ns[0]) * n[0] : 0;
    wire_put_clock(frames, &(struct wire_clock){.name = h->name,
                                                .source = "its own clock",
                                                .hz = 1e9,
                                                .step_ticks = fmax(1, step_ns),
                                                .reason = "times are those that the program prints",
                                                .no_core = "times are those that the program prints",
                                                .chain_ratio = NAN});
}

static void put_samples(struct buf *frames, const struct series *s)
{
    const double *wall = s->main.value[series_column(s, "wall")], *count = s->main.value[series_column(s, "iterations")];
    for (int i = 0; i < s->main.n; i++) {
        const double n = count[i], ns = wall[i] * n;
        const int64_t iterations = n >= 1 && n < 1e18 ? (int64_t)n : 0, ticks = ns >= 0 && ns < 1e18 ? llround(ns) : -1,
                      empty = 0;
        const int64_t *columns[WIRE_COLUMNS_N] = {
            [WIRE_ITERATIONS] = &iterations, [WIRE_TICKS] = &ticks, [WIRE_EMPTY_TICKS] = &empty};
        wire_put_samples(frames, 0, 0, 1, columns);
    }
}

static double mean_of(const struct rows *rows, int column)
{
    double sum = 0;
    for (int i = 0; i < rows->n; i++)
        sum += rows->value[column][i];
    return sum / rows->n;
}

/* All other columns are counters, which the harness has put into their final form. */
static void put_counters(const struct harness *h, const struct record *r, const struct series *s, const char *benchmark,
                         struct wire_end *end)
{
    const int cpu = series_column(s, "cpu");
    const struct harness_means means = {.wall_ns = mean_of(&s->main, series_column(s, "wall")),
                                        .cpu_ns = cpu < 0 ? NAN : mean_of(&s->main, cpu)};
    for (int i = 0; i < s->n_columns && end->n_counters < WIRE_COUNTERS_MAX; i++) {
        const char *id = s->columns[i];
        const struct metric *m = record_metric(r, id);
        const double value = mean_of(&s->main, i);
        if (!strcmp(id, "wall") || !strcmp(id, "iterations") || !isfinite(value))
            continue;
        if (h->take && h->take(benchmark, id, value, &means, end))
            continue;
        const bool is_cpu = i == cpu;
        end->counters[end->n_counters++] = (struct wire_counter){.name = is_cpu          ? HARNESS_CPU_TIME
                                                                         : m && m->title ? m->title
                                                                                         : id,
                                                                 .unit = is_cpu ? "ns" : "",
                                                                 .value = value,
                                                                 .per = WIRE_AS_GIVEN};
    }
}

static struct wire_end nothing_known(void)
{
    return (struct wire_end){.state = WIRE_OK,
                             .reason = "",
                             .remark = "",
                             .label = "",
                             .peak_bytes = WIRE_NONE,
                             .before_bytes = WIRE_NONE,
                             .scaling = NAN,
                             .lone_ticks = NAN,
                             .floor_ticks = NAN};
}

static void put_result(const struct harness *h, const struct record *r, const struct series *s, const char *benchmark,
                       struct buf *frames)
{
    struct wire_end end = nothing_known();
    char remark[120];
    struct buf b = buf_over(remark, sizeof remark);
    if (r->n_subjects > 1) {
        buf_format(&b, "each process also ran %d other benchmark%s: the program ignores the filter", r->n_subjects - 1,
                   buf_plural(r->n_subjects - 1));
        end.remark = remark;
    }
    put_counters(h, r, s, benchmark, &end);
    put_hello(frames, h, 1, "");
    put_clock(frames, h, s);
    put_bench(frames, h, benchmark, 0);
    put_samples(frames, s);
    wire_put_end(frames, &end);
    wire_put_bye(frames, &(struct wire_bye){.drift_ppm = NAN, .drift_bound_ppm = NAN, .benchmarks = 1});
}

/* ---- no result ---- */

/* By its own word. */
static void put_failure(const struct harness *h, const char *benchmark, const struct record_reading *reading, struct buf *frames)
{
    struct wire_end end = nothing_known();
    end.state = reading->skipped ? WIRE_SKIPPED : WIRE_FAILED;
    end.reason = reading->failure;
    put_hello(frames, h, 1, "");
    put_bench(frames, h, benchmark, 0);
    wire_put_end(frames, &end);
    wire_put_bye(frames, &(struct wire_bye){.drift_ppm = NAN, .drift_bound_ppm = NAN, .benchmarks = 1});
}

static bool is_brace_alone(const char *at, const char *end)
{
    return end - at >= 2 && *at == '{' && (at[1] == '\n' || at[1] == '\r');
}

static bool begins_result(const struct harness *h, const char *at, const char *end)
{
    const size_t length = h->first ? strlen(h->first) : 0;
    return h->braces ? is_brace_alone(at, end) : (size_t)(end - at) >= length && !memcmp(at, h->first, length);
}

/* Other lines may stand around the result: what a program prints itself, even as another tool's file begins. Zero bytes are blanks. */
static void leave_out_others(const struct harness *h, char **text, size_t *n)
{
    char *at = *text, *end = at + *n, *last = end;
    while (at < end && !begins_result(h, at, end)) {
        char *line = memchr(at, '\n', (size_t)(end - at));
        at = line ? line + 1 : end;
    }
    while (h->braces && last > at + 1 && !(last[-1] == '}' && last[-2] == '\n'))
        last--;
    if (last > at + 1) {
        *text = at;
        *n = (size_t)(last - at);
    }
    fill_zeros(*text, *n);
}

enum tare_status harness_result(const struct harness *h, const char *benchmark, char *text, size_t n, struct buf *frames,
                                struct tare_err *err)
{
    struct record r = {0};
    struct record_reading reading;
    leave_out_others(h, &text, &n);
    struct tare_err why = {""};
    const enum tare_status read = stored_read(&r, text, n, &reading, &why);
    const int subject = read ? -1 : subject_of(h, &r, benchmark);
    char trouble[200];
    struct buf b = buf_over(trouble, sizeof trouble);
    if (*reading.failure && (subject < 0 || r.n_subjects == 1)) /* one of several samples, too */
        put_failure(h, benchmark, &reading, frames);
    else if (subject >= 0 &&
             (series_column(&r.series[subject], "wall") < 0 || series_column(&r.series[subject], "iterations") < 0))
        buf_str(&b, "printed no time of an iteration");
    else if (subject >= 0)
        put_result(h, &r, &r.series[subject], benchmark, frames);
    else if (!read)
        buf_format(&b, "ran %.100s instead of it", r.subjects[0].name);
    else if (read == TARE_TOO_LARGE)
        buf_format(&b, "printed more than can be read: %.100s", why.text);
    else
        buf_format(&b,
                   n < HARNESS_RESULT_BYTES ? "printed no %s with a result" : "printed more than 64 MB, and no %s with a result",
                   h->what);
    if (b.len)
        put_hello(frames, h, 0, trouble);
    record_reading_finish(&reading);
    if (!read)
        record_finish(&r);
    return frames->status ? err_set(err, frames->status, "no memory for the result of %s", benchmark) : TARE_OK;
}
