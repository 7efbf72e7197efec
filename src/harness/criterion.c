/* SPDX-License-Identifier: MIT
 *
 * criterion.rs (https://github.com/bheisler/criterion.rs): a process keeps its samples in files below $CRITERION_HOME, which are read. They are private to
 * criterion, so its version is looked up in the program, where the paths of its sources are, and one that is not known is refused. Version 0.3 takes whole
 * seconds only, and so does what a program of an unknown one is asked for.
 */
#include "harness.h"
#include "plat.h"
#include "sink.h"
#include <math.h>
#include <string.h>

enum { SAMPLES = 10, DEPTH_MAX = 8, TITLE_MAX = 100 };

/* The name of the variable may be in the code, in pieces; the text of --help is in one. */
static const char *const marks[] = {"is a Criterion.rs benchmark", "CRITERION_HOME", NULL};
static const char *const releases[] = {"0.3.", "0.4.", "0.5.", "0.6.", "0.7.", NULL};
static const char *const list[] = {"--bench", "--list", NULL};
static const char *const one[] = {"--bench",           "--noplot",     "--output-format=bencher",
                                  "--nresamples=1000", HARNESS_WARMUP, HARNESS_TIME,
                                  HARNESS_SAMPLES,     HARNESS_NAME,   NULL};

/* "name: bench", from 0.4 on "name: benchmark" */
static char *listed_name(char *line)
{
    static const char *const ends[] = {": bench", ": benchmark"};
    const size_t n = strlen(line);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t length = strlen(ends[i]);
        if (n > length && !strcmp(line + n - length, ends[i])) {
            line[n - length] = 0;
            return line;
        }
    }
    return NULL;
}

/* A name of more than 100 bytes is listed up to there, and "..." behind it. */
static void put_name(struct buf *b, const char *name)
{
    const size_t n = strlen(name), length = n > TITLE_MAX - 4 && !strcmp(name + n - 3, "...") ? n - 3 : n;
    buf_char(b, '^');
    harness_put_pattern(b, name, length);
    if (length == n)
        buf_char(b, '$');
}

static bool takes_fractions(const struct harness_words *w)
{
    return *w->release && strncmp(w->release, "0.3.", 4) != 0;
}

static void put_seconds(struct buf *b, const struct harness_words *w, const char *word, double seconds)
{
    buf_format(b, "%s%.6g", word, takes_fractions(w) ? seconds : fmax(1, ceil(seconds)));
}

static void put_time(struct buf *b, struct harness_words *w, int64_t ns)
{
    put_seconds(b, w, "--measurement-time=", (double)ns * w->samples / 1e9);
}

static void put_warmup(struct buf *b, const struct harness_words *w)
{
    put_seconds(b, w, "--warm-up-time=", 0.01);
}

/* The same in all samples of a process. */
static bool take_value(const char *benchmark, const char *id, const struct harness_column *column, struct wire_end *end)
{
    (void)benchmark;
    double *to = !strcmp(id, "counter:elements") ? &end->items : !strcmp(id, "counter:bytes") ? &end->bytes : NULL;
    if (to)
        *to = column->value[0];
    return to != NULL;
}

/* "MEMBER":..., nothing where there is no such file. */
static enum tare_status add_file(struct buf *text, const char *folder, const char *member, struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    struct plat_file_state state;
    const struct sink sink = sink_to_buf(text);
    buf_format(&path, "%s/%s.json", folder, member);
    enum tare_status status = path.status;
    if (!status && !plat_file_state(buf_text(&path), &state, NULL) && state.regular) {
        buf_format(text, "%s\"%s\":", text->data[text->len - 1] == '{' ? "" : ",", member);
        status = plat_file_pour(buf_text(&path), &sink, err);
    }
    buf_finish(&path);
    return status;
}

static enum tare_status add_pair(struct buf *text, const char *folder, struct tare_err *err)
{
    const size_t before = text->len;
    buf_str(text, text->data[before - 1] == '[' ? "{" : ",{");
    const size_t within = text->len;
    enum tare_status status = text->status ? text->status : add_file(text, folder, "sample", err);
    if (status || text->len == within) {
        text->len = before;
        return status;
    }
    status = add_file(text, folder, "benchmark", err);
    buf_char(text, '}');
    return status;
}

static enum tare_status add_below(struct buf *text, const char *folder, int depth, struct tare_err *err)
{
    struct buf names = BUF_INIT(1 << 24), path = BUF_INIT(1 << 16);
    int n = 0;
    enum tare_status status = plat_directory_list(folder, &names, &n, err);
    const char *name = names.data;
    for (int i = 0; i < n && !status; i++, name += strlen(name) + 1) {
        buf_clear(&path);
        buf_format(&path, "%s/%s", folder, name);
        if (!plat_directory_own(buf_text(&path)))
            continue;
        if (!strcmp(name, "new"))
            status = add_pair(text, buf_text(&path), err);
        else if (depth < DEPTH_MAX)
            status = add_below(text, buf_text(&path), depth + 1, err);
    }
    buf_finish(&names);
    buf_finish(&path);
    return status;
}

/* As criterion_read.c takes them. */
static enum tare_status gather_samples(const char *folder, struct buf *text, struct tare_err *err)
{
    static const char begin[] = "{\"criterion\":[";
    buf_str(text, begin);
    enum tare_status status = text->status ? text->status : add_below(text, folder, 0, err);
    if (text->len == sizeof begin - 1)
        buf_clear(text); /* nothing */
    else
        buf_str(text, "]}");
    return status ? status : text->status;
}

const struct harness criterion = {
    .name = "criterion",
    .what = "sample.json of criterion",
    .marks = marks,
    .release = "/criterion-",
    .releases = releases,
    .list = list,
    .one = one,
    .name_word = "",
    .samples_word = "--sample-size=",
    .samples = SAMPLES,
    .least_samples = SAMPLES,
    .home = "CRITERION_HOME",
    .listed = listed_name,
    .put_name = put_name,
    .put_time = put_time,
    .put_warmup = put_warmup,
    .gather = gather_samples,
    .any_time = true, /* b.iter_custom() reports any */
    .take = take_value,
};
