/* SPDX-License-Identifier: MIT
 *
 * JUnit XML, as test runners write it: <testcase classname="A" name="b" time="0.123"/>, the time in seconds. A test case of a name that was there
 * is one more value of it. One with <failure>, <error> or <skipped> within, or that was not run, is no value.
 */
#include "foreign.h"
#include "own_metric.h"
#include "xml_read.h"
#include <string.h>

static const struct foreign_source source = {
    .format = "JUnit XML",
    .value = "one test case",
    .order = "as the test cases stand in the file",
    .limits = "the time of a JUnit test case often has three digits after the point, and the file does not name the machine",
};

enum { NAME_MAX = 1 << 14, REASON_MAX = 200 };

struct junit {
    struct foreign *f;
    struct xml xml;
    struct buf name;   /* of the test case at hand */
    struct buf reason; /* why it failed or was skipped, in its own words */
    double seconds, step;
    bool open, bad, skipped; /* within a test case; it failed or was skipped; the latter */
    bool not_run;            /* by its status, as of CTest and GoogleTest */
};

static bool junit_file(const char *text, size_t n)
{
    const char *end = text + (n < 4096 ? n : 4096);
    return n && *text == '<' && (xml_find(text, end, "<testsuite") || xml_find(text, end, "<testcase"));
}

static enum tare_status begin_case(struct junit *j, const struct xml_tag *t)
{
    const struct own_metric seconds = {.unit = "1", .given = "", .factor = 1};
    const char *text;
    size_t n;
    j->name.len = 0;
    j->open = true;
    j->bad = j->skipped = false;
    buf_clear(&j->reason);
    j->seconds = NAN;
    if (xml_attribute(t, "classname", &text, &n) && n) {
        xml_decode(&j->name, text, n);
        buf_char(&j->name, '.');
    }
    if (!xml_attribute(t, "name", &text, &n))
        return foreign_wrong(j->f, "a test case without its name");
    xml_decode(&j->name, text, n);
    if (j->name.status)
        return err_set(j->f->err, TARE_TOO_LARGE, "a name longer than %d bytes", (int)NAME_MAX);
    j->not_run = xml_attribute(t, "status", &text, &n) &&
                 ((n == 8 && !memcmp(text, "disabled", n)) || (n == 6 && !memcmp(text, "notrun", n)));
    if (xml_attribute(t, "time", &text, &n) && !own_number(&seconds, text, n, &j->seconds, &j->step))
        j->seconds = NAN;
    return TARE_OK;
}

/* Of several the first counts, which of <failure> and <skipped> is one. */
static void take_failure(struct junit *j, const struct xml_tag *t)
{
    const char *text;
    size_t n;
    if (j->bad || t->closing)
        return;
    j->bad = true;
    j->skipped = xml_is(t, "skipped");
    if (xml_attribute(t, "message", &text, &n))
        xml_decode(&j->reason, text, n < REASON_MAX ? n : REASON_MAX);
}

static enum tare_status end_case(struct junit *j)
{
    struct foreign *f = j->f;
    const char *name = buf_text(&j->name);
    enum tare_status status = TARE_OK;
    int series = foreign_find(f, name);
    j->open = false;
    j->skipped |= !j->bad && j->not_run;
    if (j->bad || j->skipped) {
        foreign_note(f, "'%s' was left out: it failed or was skipped", name);
        return foreign_failed(f, name, j->skipped, buf_text(&j->reason));
    }
    if (series < 0)
        status = foreign_printed_subject(f, name, "wall", &series);
    return status ? status : foreign_printed(f, series, j->seconds, j->step > 0 ? j->step : 1, 1e9);
}

static enum tare_status junit_read(struct foreign *f, const char *text, size_t n)
{
    struct junit j = {.f = f, .xml = {text, text + n}, .name = BUF_INIT(NAME_MAX), .reason = BUF_INIT(2 * REASON_MAX)};
    struct xml_tag t;
    int found = 0;
    enum tare_status status = memchr(text, 0, n) ? foreign_wrong(f, "XML with a zero byte") : TARE_OK;
    while (!status && (found = xml_next(&j.xml, &t)) > 0) {
        if (!t.closing && xml_is(&t, "testcase"))
            status = begin_case(&j, &t);
        else if (xml_is(&t, "failure") || xml_is(&t, "error") || xml_is(&t, "skipped"))
            take_failure(&j, &t);
        if (!status && j.open && xml_is(&t, "testcase") && (t.closing || t.empty))
            status = end_case(&j);
    }
    buf_finish(&j.name);
    buf_finish(&j.reason);
    if (!status && (found < 0 || j.open))
        return foreign_wrong(f, "XML that is cut or has a document type");
    /* All tests of a file have their times in the same format. */
    double finest = INFINITY;
    for (int i = 0; i < f->r->n_subjects; i++)
        finest = fmin(finest, foreign_least_step(&f->r->series[i], FOREIGN_STEP));
    for (int i = 0; i < f->r->n_subjects; i++)
        foreign_finest_step(&f->r->series[i], FOREIGN_STEP, finest);
    return status;
}

const struct text_format junit_format = {junit_file, junit_read, &source};
