/* SPDX-License-Identifier: MIT */
#include "harness.h"
#include "harness_frames.h"
#include "plat.h"
#include "sink.h"
#include "stored_read.h"
#include "wire.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HARNESS(name) extern const struct harness name;
#include "harnesses.def"

static const struct harness *const all[] = {
#define HARNESS(name) &name,
#include "harnesses.def"
};

enum { HARNESSES = sizeof all / sizeof *all };

const struct harness *harness_at(int index)
{
    return index >= 0 && index < HARNESSES ? all[index] : NULL;
}

enum { ITERATIONS_MOST = 1000000000 };

enum { MARK_MAX = 64, PIECE_BYTES = 1 << 16 };

struct marks { /* seen so far */
    bool ours, of[HARNESSES];
    char release[HARNESSES][HARNESS_RELEASE_MAX];
    char bytes[MARK_MAX + PIECE_BYTES]; /* the end of the last piece, and this one */
    size_t kept;
};

static const char *find_mark(const char *at, const char *end, const char *mark)
{
    const size_t length = strlen(mark);
    while ((size_t)(end - at) >= length && (at = memchr(at, *mark, (size_t)(end - at) - length + 1)))
        if (!memcmp(at, mark, length))
            return at;
        else
            at++;
    return NULL;
}

static bool holds_mark(const struct marks *m, size_t n, const char *mark)
{
    return find_mark(m->bytes, m->bytes + n, mark) != NULL;
}

/* "/criterion-0.5.1/": digits and points up to the next slash. */
static void look_for_release(struct marks *m, size_t n, int harness)
{
    const char *mark = all[harness]->release, *end = m->bytes + n;
    char *to = m->release[harness];
    for (const char *at = m->bytes; mark && !*to && (at = find_mark(at, end, mark));) {
        at += strlen(mark);
        size_t length = 0;
        while (at + length < end && strchr("0123456789.", at[length]) && at[length])
            length++;
        if (length > 0 && length < HARNESS_RELEASE_MAX && at + length < end && (at[length] == '/' || at[length] == '\\'))
            memcpy(to, at, length);
    }
}

static enum tare_status take_piece(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    struct marks *m = context;
    (void)err;
    for (size_t at = 0, some; at < n; at += some) {
        some = n - at < PIECE_BYTES ? n - at : PIECE_BYTES;
        memcpy(m->bytes + m->kept, (const char *)bytes + at, some);
        const size_t full = m->kept + some;
        m->ours = m->ours || holds_mark(m, full, WIRE_VARIABLE) || holds_mark(m, full, "libtare.so");
        for (int i = 0; i < HARNESSES; i++) {
            for (const char *const *mark = all[i]->marks; *mark && !m->of[i]; mark++)
                m->of[i] = holds_mark(m, full, *mark);
            look_for_release(m, full, i);
        }
        m->kept = full < MARK_MAX ? full : MARK_MAX;
        memmove(m->bytes, m->bytes + full - m->kept, m->kept);
    }
    return TARE_OK;
}

const struct harness *harness_of_file(const char *path, char release[HARNESS_RELEASE_MAX])
{
    struct marks *m = calloc(1, sizeof *m);
    int found = -1;
    if (m && !plat_file_pour(path, &(struct sink){take_piece, m}, NULL) && !m->ours)
        for (int i = HARNESSES; i-- > 0;)
            found = m->of[i] ? i : found;
    memset(release, 0, HARNESS_RELEASE_MAX);
    if (found >= 0)
        memcpy(release, m->release[found], HARNESS_RELEASE_MAX);
    free(m);
    return harness_at(found);
}

bool harness_knows(const struct harness *h, const char *release)
{
    bool known = !*release || !h->releases;
    for (int i = 0; !known && h->releases[i]; i++)
        known = !strncmp(release, h->releases[i], strlen(h->releases[i]));
    return known;
}

static size_t count_words(const char *const *words)
{
    size_t n = 0;
    while (words[n])
        n++;
    return n;
}

const char **harness_ask_list(const struct harness *h, const char *path, struct arena *a)
{
    const size_t n = count_words(h->list);
    const char **argv = arena_array(a, n + 2, sizeof *argv);
    if (!argv)
        return NULL;
    argv[0] = path;
    memcpy(argv + 1, h->list, (n + 1) * sizeof *argv);
    return argv;
}

/* "^name$"; of several levels "^name$/^sub$". */
static void put_name(struct buf *b, const struct harness *h, const char *name)
{
    buf_format(b, "%s^", h->name_word);
    for (size_t n = 0; h->levels && name[n = strcspn(name, "/")]; name += n + 1) {
        harness_put_pattern(b, name, n);
        buf_str(b, "$/^");
    }
    harness_put_pattern(b, name, strlen(name));
    buf_char(b, '$');
}

static const char *name_word(const struct harness *h, const char *name, struct arena *a)
{
    struct buf b = BUF_INIT(1 << 16);
    if (h->put_name)
        h->put_name(&b, name);
    else
        put_name(&b, h, name);
    return arena_keep(a, &b);
}

static const char *word_for(const struct harness *h, const char *word, const char *benchmark, struct harness_words *words,
                            struct arena *a)
{
    return !strcmp(word, HARNESS_NAME)      ? name_word(h, benchmark, a)
           : !strcmp(word, HARNESS_TIME)    ? words->time
           : !strcmp(word, HARNESS_SAMPLES) ? words->samples_word
           : !strcmp(word, HARNESS_WARMUP)  ? words->warmup
                                            : word;
}

const char **harness_ask(const struct harness *h, const char *path, const char *benchmark, int samples, const char *release,
                         struct harness_words *words, struct arena *a)
{
    const size_t n = count_words(h->one);
    const char **argv = arena_array(a, n + 2, sizeof *argv);
    if (!argv)
        return NULL;
    *words = (struct harness_words){.harness = h, .samples = samples, .release = release};
    struct buf b = buf_over(words->samples_word, sizeof words->samples_word),
               warmup = buf_over(words->warmup, sizeof words->warmup);
    if (h->samples_word)
        buf_format(&b, "%s%d", h->samples_word, samples);
    if (h->put_warmup)
        h->put_warmup(&warmup, words);
    argv[0] = path;
    for (size_t i = 0; i < n; i++)
        if (!(argv[1 + i] = word_for(h, h->one[i], benchmark, words, a)))
            return NULL;
    argv[1 + n] = NULL;
    return argv;
}

/* A number of iterations is as many in all processes, whatever else the machine does, and need not be looked for in each. */
static void put_iterations(struct buf *b, struct harness_words *w, int64_t ns)
{
    w->own_samples = (int)fmin(ITERATIONS_MOST, fmax(1, round((double)ns / w->own_ns)));
    buf_format(b, "%s%d%s", w->harness->iterations_word[0], w->own_samples, w->harness->iterations_word[1]);
}

void harness_set_time(struct harness_words *words, int64_t ns)
{
    const struct harness *h = words->harness;
    struct buf b = buf_over(words->time, sizeof words->time);
    if (h->put_time)
        h->put_time(&b, words, ns);
    else if (h->iterations_word[0] && words->own_ns > 0)
        put_iterations(&b, words, ns);
    else
        buf_format(&b, "%s%.6g%s", h->time_word[0], (double)ns / 1e9, h->time_word[1]);
}

void harness_share(struct harness_words *first, struct harness_words *words)
{
    first->first = words->first = first;
    words->next = first->next;
    first->next = words;
}

static bool is_brace_alone(const char *at, const char *end)
{
    return end - at >= 2 && *at == '{' && (at[1] == '\n' || at[1] == '\r');
}

static void skip_to_line(const char *begins, char **text, size_t *n)
{
    char *end = *text + *n, *at = *text;
    while (at && (size_t)(end - at) >= strlen(begins) && memcmp(at, begins, strlen(begins)) != 0) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at || (size_t)(end - at) < strlen(begins))
        return;
    *text = at;
    *n = (size_t)(end - at);
}

/* What a program prints itself may be anything. */
static void fill_zeros(char *text, size_t n)
{
    for (char *end = text + n; (text = memchr(text, 0, (size_t)(end - text)));)
        *text = ' ';
}

static void take_braces(char **text, size_t *n)
{
    char *at = *text, *end = at + *n, *last = end;
    while (at < end && !is_brace_alone(at, end)) {
        char *line = memchr(at, '\n', (size_t)(end - at));
        at = line ? line + 1 : end;
    }
    while (last > at + 1 && !(last[-1] == '}' && last[-2] == '\n'))
        last--;
    if (last > at + 1) {
        *text = at;
        *n = (size_t)(last - at);
    }
}

/* Other lines may stand around the result: what a program prints itself, even as another tool's file begins. Zero bytes are blanks. */
static void leave_out_others(const struct harness *h, char **text, size_t *n)
{
    if (h->begins)
        skip_to_line(h->begins, text, n);
    if (h->braces)
        take_braces(text, n);
    fill_zeros(*text, *n);
}

static enum tare_status take_lines(const struct harness *h, char *text, struct harness_names *out, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (char *line = text, *next; line && !status; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        line[strcspn(line, "\r")] = 0;
        char *name = h->listed(line);
        if (name)
            status = harness_add_name(out, name, err);
    }
    return status;
}

void harness_last_listed(const struct harness *h, char *text, size_t n, struct buf *out)
{
    const char *last = "";
    text[n] = 0; /* there is room for it */
    fill_zeros(text, n);
    if (h->last_name)
        h->last_name(text, n, out);
    for (char *line = h->last_name ? NULL : text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        const char *name = h->listed(line);
        last = name ? name : last;
    }
    buf_str(out, last);
    if (!out->len)
        buf_str(out, "its first one");
}

/* A benchmark that has others below it is none itself. They follow it. */
static void leave_out_parents(struct harness_names *names)
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

void harness_put_bench(struct buf *frames, const struct harness *h, const char *name, uint32_t index)
{
    const bool manual = h->own_time ? h->own_time(name) : h->any_time;
    char group[WIRE_NAME_MAX];
    buf_print(group, sizeof group, "%.*s", (int)strcspn(name, "/"), name);
    wire_put_bench(frames, &(struct wire_bench){.index = index,
                                                .name = name,
                                                .group = group,
                                                .file = "",
                                                .flags = manual ? WIRE_MANUAL_TIME : 0,
                                                .threads = 1,
                                                .version = ""});
}

void harness_put_hello(struct buf *frames, const struct harness *h, int benchmarks, const char *trouble)
{
    wire_put_hello(frames,
                   &(struct wire_hello){
                       .version = WIRE_VERSION, .library = h->name, .benchmarks = (uint32_t)benchmarks, .trouble = trouble});
}

enum tare_status harness_list(const struct harness *h, const char *text, size_t n, struct buf *frames, struct tare_err *err)
{
    struct harness_names names = {.items = calloc(HARNESS_LISTED_MAX, sizeof *names.items)};
    char *copy = malloc(n + 1);
    enum tare_status status = copy && names.items ? TARE_OK : err_no_memory(err);
    if (!status) {
        memcpy(copy, text, n);
        copy[n] = 0;
        fill_zeros(copy, n);
        char *at = copy;
        if (h->take_names)
            leave_out_others(h, &at, &n);
        status = h->take_names ? h->take_names(at, n, &names, err) : take_lines(h, copy, &names, err);
    }
    if (!status && h->runs_to_list && !h->take_names)
        leave_out_parents(&names);
    if (!status)
        harness_put_hello(frames, h, names.n, "");
    for (int i = 0; i < names.n && !status; i++)
        harness_put_bench(frames, h, names.items[i], (uint32_t)i);
    if (!status)
        wire_put_bye(frames, &(struct wire_bye){.benchmarks = (uint32_t)names.n});
    free(copy);
    free(names.items);
    arena_finish(&names.arena);
    return status ? status : frames->status;
}

static int subject_of(const struct harness *h, const struct record *r, const char *benchmark)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (h->is_of ? h->is_of(benchmark, r->subjects[i].name) : !strcmp(benchmark, r->subjects[i].name))
            return i;
    return -1;
}

double harness_scale(double ns, double iterations)
{
    double scale = 1;
    while (ns > 0 && scale * ns < 1e7 && !(fabs(scale * ns - round(scale * ns)) <= 1e-6 * scale * ns)) {
        if (!(1000 * scale * iterations < 1e18))
            return scale * ns >= 1e4 ? scale : 0;
        scale *= 1000;
    }
    return scale;
}

static bool keeps_digits(const struct series *s)
{
    const double *wall = s->main.value[series_column(s, "wall")], *count = s->main.value[series_column(s, "iterations")];
    bool kept = true;
    for (int i = 0; i < s->main.n; i++)
        kept = kept && harness_scale(wall[i] * count[i], count[i]) > 0;
    return kept;
}

/* Steps in which it prints are as good as steps of its clock. */
static void put_clock(struct buf *frames, const struct harness *h, const struct series *s, const double *steps)
{
    const double *wall = s->main.value[series_column(s, "wall")], *n = s->main.value[series_column(s, "iterations")];
    const double step_ns = s->main.n ? fmax(1 / harness_scale(wall[0] * n[0], n[0]), steps[0] * n[0]) : 1;
    wire_put_clock(frames, &(struct wire_clock){.name = h->name,
                                                .source = "its own clock",
                                                .hz = 1e9,
                                                .step_ticks = step_ns,
                                                .reason = "times are those that the program prints",
                                                .no_core = "times are those that the program prints",
                                                .chain_ratio = NAN});
}

void harness_put_sample(struct buf *frames, double ns, double iterations)
{
    const double by = harness_scale(ns, iterations), n = by * iterations, in_all = by * ns;
    const int64_t count = n >= 1 && n < 1e18 ? (int64_t)n : 0, ticks = in_all >= 0 && in_all < 1e18 ? llround(in_all) : -1,
                  empty = 0, scale = (int64_t)by;
    const int64_t *columns[WIRE_COLUMNS_N] = {
        [WIRE_ITERATIONS] = &count, [WIRE_TICKS] = &ticks, [WIRE_EMPTY_TICKS] = &empty, [WIRE_SCALE] = &scale};
    wire_put_samples(frames, 0, 0, 1, columns);
}

static void put_samples(struct buf *frames, const struct series *s)
{
    const double *wall = s->main.value[series_column(s, "wall")], *count = s->main.value[series_column(s, "iterations")];
    for (int i = 0; i < s->main.n; i++)
        harness_put_sample(frames, wall[i] * count[i], count[i]);
}

static double mean_of(const struct rows *rows, int column)
{
    double sum = 0;
    for (int i = 0; i < rows->n; i++)
        sum += rows->value[column][i];
    return sum / rows->n;
}

static bool is_no_counter(const char *id)
{
    static const char *const others[] = {"iterations", "process", "exit"};
    bool found = is_step_column(id);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        found |= !strcmp(id, others[i]);
    return found;
}

/* All other columns are counters, which the harness has put into their final form. */
void harness_put_counters(const struct harness *h, const struct record *r, const struct series *s, const char *benchmark,
                          const char *time, struct wire_end *end, double *steps)
{
    const int cpu = series_column(s, "cpu");
    steps[0] = series_step(s, time);
    for (int i = 0; i < s->n_columns && end->n_counters < WIRE_COUNTERS_MAX; i++) {
        const char *id = s->columns[i];
        const struct metric *m = record_metric(r, id);
        const double value = mean_of(&s->main, i);
        if (!strcmp(id, time) || is_no_counter(id) || !isfinite(value))
            continue;
        const struct harness_column column = {
            .value = s->main.value[i], .wall_ns = series_values(s, time), .cpu_ns = series_values(s, "cpu"), .n = s->main.n};
        if (h->take && h->take(benchmark, id, &column, end))
            continue;
        const bool is_cpu = i == cpu;
        const double step = series_step(s, id);
        steps[1 + end->n_counters] = isnan(step) ? 0 : step; /* other texts have all digits */
        end->counters[end->n_counters++] = (struct wire_counter){.name = is_cpu          ? HARNESS_CPU_TIME
                                                                         : m && m->title ? m->title
                                                                                         : id,
                                                                 .unit = is_cpu ? "ns" : "",
                                                                 .value = value,
                                                                 .per = WIRE_AS_GIVEN};
    }
}

struct wire_end harness_end(void)
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

static void put_result(struct harness_words *words, const struct record *r, const struct series *s, const char *benchmark,
                       struct buf *frames)
{
    const struct harness *h = words->harness;
    struct wire_end end = harness_end();
    char remark[120];
    struct buf b = buf_over(remark, sizeof remark);
    if (r->n_subjects > 1 && !h->runs_others) {
        buf_format(&b, "each process also ran %d other benchmark%s: the program ignores the filter", r->n_subjects - 1,
                   buf_plural(r->n_subjects - 1));
        end.remark = remark;
    }
    harness_put_counters(h, r, s, benchmark, "wall", &end, words->steps);
    harness_put_hello(frames, h, 1, "");
    put_clock(frames, h, s, words->steps);
    harness_put_bench(frames, h, benchmark, 0);
    put_samples(frames, s);
    wire_put_end(frames, &end);
    wire_put_bye(frames, &(struct wire_bye){.drift_ppm = NAN, .drift_bound_ppm = NAN, .benchmarks = 1});
}

/* By its own word. */
void harness_put_failure(const struct harness *h, const char *benchmark, const struct record_failure *failure, struct buf *frames)
{
    struct wire_end end = harness_end();
    end.state = failure->skipped ? WIRE_SKIPPED : WIRE_FAILED;
    end.reason = failure->reason;
    harness_put_hello(frames, h, 1, "");
    harness_put_bench(frames, h, benchmark, 0);
    wire_put_end(frames, &end);
    wire_put_bye(frames, &(struct wire_bye){.drift_ppm = NAN, .drift_bound_ppm = NAN, .benchmarks = 1});
}

/* What it takes for one of the harness's own samples, or an iteration, once; anew where it was far from right. The least is disturbed least. */
static void learn_own(struct harness_words *w, const struct series *s)
{
    const double *ns = s->main.value[series_column(s, "wall")], *n = s->main.value[series_column(s, "iterations")];
    const bool iterations = w->harness->iterations_word[0];
    const int own_samples = w->first ? w->first->own_samples : w->own_samples;
    double own_ns = INFINITY;
    for (int i = 0; i < s->main.n; i++) { /* no fmin: gcc 12 ends with an error of its own there for aarch64 at -O3 */
        const double one_ns = iterations ? ns[i] : ns[i] * n[i] / own_samples;
        own_ns = one_ns < own_ns ? one_ns : own_ns;
    }
    if (own_ns > 0 && isfinite(own_ns) && (own_ns > 1.5 * w->own_ns || own_ns < w->own_ns / 1.5))
        w->own_ns = own_ns;
}

/* Garbage is collected at the earliest when that much was allocated. Where the usual samples would see it, short ones would leave its time out. */
static void learn_least(struct harness_words *w, const struct series *s)
{
    static const double heap_bytes = 4 << 20; /* GOGC's least heap */
    const int column = w->harness->allocated ? series_column(s, w->harness->allocated) : -1;
    if (column < 0)
        return;
    const double iterations = (double)HARNESS_USUAL_NS / w->samples / mean_of(&s->main, series_column(s, "wall"));
    w->least_ns = mean_of(&s->main, column) * iterations >= heap_bytes ? HARNESS_USUAL_NS / w->samples : 0;
}

/* Whether the benchmark failed, by its own word. */
static bool find_failure(const struct harness *h, const char *benchmark, const char *text, size_t n,
                         const struct record_reading *reading, bool only_one, struct buf *why, bool *skipped)
{
    *skipped = false;
    if (h->failure)
        h->failure(text, n, benchmark, why, skipped);
    else if (only_one && reading->n_failures) { /* one of several samples, too */
        buf_str(why, reading->failures[0].reason);
        *skipped = reading->failures[0].skipped;
        return true;
    }
    return why->len > 0;
}

static void put_what_is_missing(const struct harness *h, const char *refusal, bool full, struct buf *trouble)
{
    if (*refusal)
        buf_format(trouble, "wrote what cannot be read: %s", refusal);
    else if (full)
        buf_format(trouble, "printed more than 64 MB, and no %s with a result", h->what);
    else
        buf_format(trouble, "%s no %s with a result", h->home ? "wrote" : "printed", h->what);
}

static enum tare_status read_result(struct harness_words *words, const char *benchmark, const char *text, size_t n, bool full,
                                    struct buf *frames, struct tare_err *err)
{
    const struct harness *h = words->harness;
    struct record r = {0};
    struct record_reading reading;
    struct tare_err refused = {""};
    const enum tare_status read = stored_read(&r, text, n, &reading, &refused);
    const int subject = read ? -1 : subject_of(h, &r, benchmark);
    char trouble[200], failure[200];
    struct buf b = buf_over(trouble, sizeof trouble), why = buf_over(failure, sizeof failure);
    bool skipped;
    if (read == TARE_NO_MEMORY)
        err_no_memory(err);
    else if (find_failure(h, benchmark, text, n, &reading, subject < 0 || r.n_subjects == 1, &why, &skipped))
        harness_put_failure(h, benchmark, &(struct record_failure){.reason = failure, .skipped = skipped}, frames);
    else if (subject >= 0 && (!r.series[subject].main.n || series_column(&r.series[subject], "wall") < 0 ||
                              series_column(&r.series[subject], "iterations") < 0))
        buf_str(&b, "printed no time of an iteration");
    else if (subject >= 0 && isnan(series_values(&r.series[subject], "iterations")[0]))
        buf_str(&b, "printed no repetition, only summaries (ReportAggregatesOnly, DisplayAggregatesOnly)");
    else if (subject >= 0 && !keeps_digits(&r.series[subject]))
        buf_str(&b, "printed times that are too short to be kept");
    else if (subject >= 0) {
        put_result(words, &r, &r.series[subject], benchmark, frames);
        learn_own(words, &r.series[subject]);
        learn_least(words, &r.series[subject]);
    } else if (!read)
        buf_format(&b, "ran %.100s instead of it", r.subjects[0].name);
    else if (read == TARE_TOO_LARGE)
        buf_format(&b, "printed more than can be read: %.100s", refused.text);
    else
        put_what_is_missing(h, h->home && n ? refused.text : "", full, &b);
    if (b.len)
        harness_put_hello(frames, h, 0, trouble);
    record_reading_finish(&reading);
    if (!read)
        record_finish(&r);
    return read == TARE_NO_MEMORY ? read : TARE_OK;
}

enum tare_status harness_result(struct harness_words *words, const char *benchmark, char *text, size_t n, struct buf *frames,
                                struct tare_err *err)
{
    const struct harness *h = words->harness;
    struct buf files = BUF_INIT(HARNESS_RESULT_BYTES);
    struct tare_err unread = {""};
    const bool full = n >= HARNESS_RESULT_BYTES;
    enum tare_status status = h->gather ? h->gather(words->home, &files, &unread) : TARE_OK;
    if (status == TARE_NO_MEMORY) {
        err_no_memory(err);
    } else if (status) {
        harness_put_hello(frames, h, 0, unread.text);
        status = TARE_OK;
    } else if (h->gather) {
        status = read_result(words, benchmark, buf_text(&files), files.len, false, frames, err);
    } else {
        leave_out_others(h, &text, &n);
        status = read_result(words, benchmark, text, n, full, frames, err);
    }
    buf_finish(&files);
    return status ? status : frames->status ? err_set(err, frames->status, "no memory for the result of %s", benchmark) : TARE_OK;
}
