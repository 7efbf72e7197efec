/* SPDX-License-Identifier: MIT */
#include "catch2_walk.h"
#include "foreign.h"
#include "xml_read.h"
#include <math.h>
#include <string.h>

static const struct foreign_source source = {
    .format = "Catch2 XML",
    .value = "the mean of all samples of a benchmark in one process",
    .order = "as the benchmarks stand in the file",
    .limits = "a mean of Catch2 hides the spread of its samples, and its six digits are all that is known of it",
};

static bool catch2_file(const char *text, size_t n)
{
    const char *end = text + (n < 4096 ? n : 4096);
    return n && *text == '<' &&
           (xml_find(text, end, "<Catch ") || xml_find(text, end, "<Catch2TestRun ") ||
            xml_find(text, end, "<BenchmarkResults "));
}

static enum tare_status add_item(void *context, const struct catch2_item *item)
{
    struct foreign *f = context;
    if (item->kind != CATCH2_BENCHMARK)
        return TARE_OK;
    if (*item->failure) {
        foreign_note(f, "'%s' was left out: it failed (%s)", item->name, item->failure);
        return foreign_failed(f, item->name, false, item->failure);
    }
    const struct subject s = {.name = item->name};
    int series = foreign_find(f, item->name);
    enum tare_status status =
        series < 0 ? foreign_subject(f, &s, (const char *const[]){"wall", "wall:step", "iterations"}, 3, &series) : TARE_OK;
    /* Six digits, zeros at their end left out. */
    f->values[FOREIGN_STEP] = item->mean_ns > 0 ? pow(10, floor(log10(item->mean_ns)) - 5) : NAN;
    f->values[2] = item->iterations;
    return status ? status : foreign_value(f, series, item->mean_ns, 1);
}

static int times_there(const char *text, const char *end, const char *word)
{
    int n = 0;
    for (const char *at = text; (at = xml_find(at, end, word)); at++)
        n++;
    return n;
}

/* Behind the end of a run a program may print what it likes, but another run has values. */
static bool has_several_runs(const char *text, const char *end)
{
    return times_there(text, end, "<Catch ") + times_there(text, end, "<Catch2TestRun ") > 1;
}

static enum tare_status catch2_read(struct foreign *f, const char *text, size_t n)
{
    if (memchr(text, 0, n))
        return foreign_wrong(f, "XML with a zero byte");
    return has_several_runs(text, text + n) ? foreign_wrong(f, "several runs of Catch2 in one file; give each a file of its own")
                                            : catch2_walk(text, n, add_item, f, f->err);
}

const struct text_format catch2_format = {catch2_file, catch2_read, &source};
