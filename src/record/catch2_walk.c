/* SPDX-License-Identifier: MIT
 *
 * What the XML reporter of Catch2 prints (-r xml), of version 2.9 or newer and of version 3: <TestCase name>, in it <Section name> and
 * <BenchmarkResults name samples iterations> with <mean value> in ns, or with <failed message>. Other elements of XML files are passed over.
 */
#include "catch2_walk.h"
#include "buf.h"
#include "own_metric.h"
#include "xml_read.h"
#include <math.h>

enum { NAME_BYTES = 1 << 14, DEPTH_MAX = 64 };

struct walk {
    struct buf name;        /* "test case/section/section/benchmark" */
    size_t ends[DEPTH_MAX]; /* of the names of test case and sections in it */
    int depth;
    bool in_run, over;          /* between <Catch> and </Catch>; behind them, where a program may print what it likes */
    bool in_benchmark, skipped; /* skipped: the test case */
    double mean_ns, samples, iterations;
    struct buf failure, test_failure;
    enum tare_status (*take)(void *context, const struct catch2_item *item);
    void *context;
    struct tare_err *err;
};

static void add_attribute(const struct xml_tag *t, const char *name, struct buf *out)
{
    const char *text;
    size_t n;
    if (xml_attribute(t, name, &text, &n))
        xml_decode(out, text, n);
}

static double number_in(const struct xml_tag *t, const char *name)
{
    const struct own_metric plain = {.unit = "1", .given = "", .factor = 1};
    const char *text;
    size_t n;
    double value, step;
    return xml_attribute(t, name, &text, &n) && own_number(&plain, text, n, &value, &step) ? value : NAN;
}

static enum tare_status give_item(const struct walk *w, enum catch2_kind kind, const struct buf *failure, bool skipped)
{
    const struct catch2_item item = {.kind = kind,
                                     .name = buf_text(&w->name),
                                     .mean_ns = w->mean_ns,
                                     .iterations = w->samples * w->iterations,
                                     .failure = failure ? buf_text(failure) : "",
                                     .skipped = skipped};
    return w->name.status ? err_set(w->err, TARE_TOO_LARGE, "a name longer than %d bytes", (int)NAME_BYTES)
                          : w->take(w->context, &item);
}

static void cut_name(struct walk *w, size_t length)
{
    w->name.len = length;
    if (w->name.data)
        w->name.data[length] = 0;
}

static enum tare_status enter_tag(struct walk *w, const struct xml_tag *t)
{
    if (w->depth == DEPTH_MAX)
        return err_set(w->err, TARE_TOO_LARGE, "more than %d sections in each other", (int)DEPTH_MAX);
    if (w->depth)
        buf_char(&w->name, '/');
    add_attribute(t, "name", &w->name);
    w->ends[w->depth++] = w->name.len;
    return TARE_OK;
}

/* The first that went wrong in the test case: "REQUIRE in sort_test.cc:15". */
static void note_failure(struct walk *w, const struct xml_tag *t)
{
    const bool expression = xml_is(t, "Expression");
    if (w->test_failure.len || (!expression && !xml_is(t, "Exception") && !xml_is(t, "Failure") &&
                                !xml_is(t, "FatalErrorCondition") && !xml_is(t, "Skip")))
        return;
    w->skipped = xml_is(t, "Skip");
    if (expression)
        add_attribute(t, "type", &w->test_failure);
    else
        buf_format(&w->test_failure, "%.*s", (int)t->n, t->name);
    buf_str(&w->test_failure, " in ");
    add_attribute(t, "filename", &w->test_failure);
    buf_char(&w->test_failure, ':');
    add_attribute(t, "line", &w->test_failure);
}

static void in_benchmark(struct walk *w, const struct xml_tag *t)
{
    if (xml_is(t, "mean"))
        w->mean_ns = number_in(t, "value");
    else if (xml_is(t, "failed"))
        add_attribute(t, "message", &w->failure);
    if (xml_is(t, "failed") && !w->failure.len)
        buf_str(&w->failure, "no reason given");
}

static bool is_run(const struct xml_tag *t)
{
    return xml_is(t, "Catch") || xml_is(t, "Catch2TestRun");
}

static enum tare_status tag_opened(struct walk *w, const struct xml_tag *t)
{
    w->in_run |= is_run(t);
    if (xml_is(t, "TestCase")) {
        w->depth = 0;
        w->in_benchmark = w->skipped = false;
        cut_name(w, 0);
        buf_clear(&w->test_failure);
        enum tare_status status = enter_tag(w, t);
        return status ? status : give_item(w, CATCH2_BEGINS, NULL, false);
    }
    if (!w->depth)
        return TARE_OK;
    if (xml_is(t, "Section"))
        return enter_tag(w, t);
    if (xml_is(t, "BenchmarkResults")) {
        cut_name(w, w->ends[w->depth - 1]);
        buf_char(&w->name, '/');
        add_attribute(t, "name", &w->name);
        buf_clear(&w->failure);
        w->in_benchmark = true;
        w->mean_ns = NAN;
        w->samples = number_in(t, "samples");
        w->iterations = number_in(t, "iterations");
    } else if (w->in_benchmark)
        in_benchmark(w, t);
    else
        note_failure(w, t);
    return TARE_OK;
}

static enum tare_status tag_closed(struct walk *w, const struct xml_tag *t)
{
    w->over |= is_run(t);
    if (!w->depth)
        return TARE_OK;
    if (xml_is(t, "TestCase")) {
        cut_name(w, w->ends[0]);
        w->depth = 0;
        return give_item(w, CATCH2_ENDS, &w->test_failure, w->skipped);
    }
    if (xml_is(t, "Section")) {
        w->depth -= w->depth > 1;
        cut_name(w, w->ends[w->depth - 1]);
    } else if (w->in_benchmark && xml_is(t, "BenchmarkResults")) {
        enum tare_status status = give_item(w, CATCH2_BENCHMARK, &w->failure, false);
        cut_name(w, w->ends[w->depth - 1]);
        w->in_benchmark = false;
        return status;
    }
    return TARE_OK;
}

enum tare_status catch2_walk(const char *text, size_t n, enum tare_status (*take)(void *context, const struct catch2_item *item),
                             void *context, struct tare_err *err)
{
    struct walk w = {.name = BUF_INIT(NAME_BYTES),
                     .failure = BUF_INIT(NAME_BYTES),
                     .test_failure = BUF_INIT(NAME_BYTES),
                     .take = take,
                     .context = context,
                     .err = err};
    struct xml x = {text, text + n};
    struct xml_tag t;
    int found = 0;
    enum tare_status status = TARE_OK;
    while (!status && !w.over && (found = xml_next(&x, &t)) > 0) {
        if (!t.closing)
            status = tag_opened(&w, &t);
        if (!status && (t.closing || t.empty))
            status = tag_closed(&w, &t);
    }
    if (!status && (found < 0 || w.depth || (w.in_run && !w.over)))
        status = err_set(err, TARE_FORMAT, "XML of Catch2 that is cut");
    buf_finish(&w.name);
    buf_finish(&w.failure);
    buf_finish(&w.test_failure);
    return status;
}
