/* SPDX-License-Identifier: MIT
 *
 * JUnit XML, as test runners write it: <testcase classname="A" name="b" time="0.123"/>, the time in seconds. A test case of a name that was there
 * is one more value of it. One with <failure>, <error> or <skipped> within is no value. Of XML only what this needs is understood: tags with attributes,
 * comments, CDATA, processing instructions, and the entities of XML itself; a document type is refused, so nothing is expanded.
 */
#include "foreign.h"
#include "own_metric.h"
#include <string.h>

static const struct foreign_source source = {
    .format = "JUnit XML",
    .value = "one test case",
    .order = "as the test cases stand in the file",
    .limits = "the time of a JUnit test case often has three digits after the point, and the file does not name the machine",
};

enum { NAME_MAX = 1 << 14, REASON_MAX = 200 };

struct tag {
    const char *name, *end; /* behind "<" or "</"; its ">" */
    size_t n;               /* of the name */
    bool closing, empty;    /* "</x>", "<x/>" */
};

struct junit {
    struct foreign *f;
    const char *at, *end;
    struct buf name;   /* of the test case at hand */
    struct buf reason; /* why it failed or was skipped, in its own words */
    double seconds;
    bool open, bad, skipped; /* within a test case; it failed or was skipped; the latter */
};

static bool begins(const char *at, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - at) >= n && !memcmp(at, word, n);
}

static const char *find(const char *at, const char *end, const char *word)
{
    for (; (at = memchr(at, *word, (size_t)(end - at))); at++)
        if (begins(at, end, word))
            return at;
    return NULL;
}

bool junit_file(const char *text, size_t n)
{
    const char *end = text + (n < 4096 ? n : 4096);
    return find(text, end, "<testsuite") || find(text, end, "<testcase");
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The end of the tag: quoted values may have a ">" in them. */
static const char *tag_end(const char *at, const char *end)
{
    char quote = 0;
    for (; at < end; at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else if (*at == '>')
            return at;
    }
    return NULL;
}

/* 1: a tag, and j->at is behind it. 0: no more. -1: not XML as we read it. */
static int next_tag(struct junit *j, struct tag *t)
{
    static const char *const skipped[][2] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
    const char *at = j->at;
    while ((at = memchr(at, '<', (size_t)(j->end - at)))) {
        const char *close = NULL, *was = at;
        for (size_t i = 0; i < sizeof skipped / sizeof *skipped && at == was; i++)
            if (begins(at, j->end, skipped[i][0])) {
                if (!(close = find(at, j->end, skipped[i][1])))
                    return -1;
                at = close + strlen(skipped[i][1]);
            }
        if (at != was)
            continue;
        *t = (struct tag){.name = at + 1, .end = tag_end(at, j->end)};
        if (!t->end || at[1] == '!')
            return -1;
        t->closing = at[1] == '/';
        t->name += t->closing;
        t->empty = t->end[-1] == '/';
        while (t->name + t->n < t->end && !is_space(t->name[t->n]) && t->name[t->n] != '/')
            t->n++;
        j->at = t->end + 1;
        return 1;
    }
    return 0;
}

static bool is(const struct tag *t, const char *name)
{
    return t->n == strlen(name) && !memcmp(t->name, name, t->n);
}

static bool attribute(const struct tag *t, const char *name, const char **value, size_t *n)
{
    const char *at = t->name + t->n;
    while (at < t->end) {
        while (at < t->end && (is_space(*at) || *at == '/'))
            at++;
        const char *key = at;
        while (at < t->end && *at != '=' && !is_space(*at))
            at++;
        size_t length = (size_t)(at - key);
        while (at < t->end && *at != '"' && *at != '\'')
            at++;
        if (at == t->end)
            return false;
        const char *close = memchr(at + 1, *at, (size_t)(t->end - at - 1));
        if (!close)
            return false;
        *value = at + 1;
        *n = (size_t)(close - at - 1);
        at = close + 1;
        if (length == strlen(name) && !memcmp(key, name, length))
            return true;
    }
    return false;
}

/* With the five entities of XML; others stay as they stand. */
static void add_decoded(struct buf *b, const char *text, size_t n)
{
    static const struct {
        const char *entity;
        char sign;
    } entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (const char *at = text, *end = text + n; at < end;) {
        size_t i = 0;
        const size_t known = sizeof entities / sizeof *entities;
        while (i < known && !begins(at, end, entities[i].entity))
            i++;
        buf_char(b, i < known ? entities[i].sign : *at);
        at += i < known ? strlen(entities[i].entity) : 1;
    }
}

static enum tare_status begin_case(struct junit *j, const struct tag *t)
{
    const struct own_metric seconds = {.unit = "1", .given = "", .factor = 1};
    const char *text;
    size_t n;
    j->name.len = 0;
    j->open = true;
    j->bad = j->skipped = false;
    buf_clear(&j->reason);
    j->seconds = NAN;
    if (attribute(t, "classname", &text, &n) && n) {
        add_decoded(&j->name, text, n);
        buf_char(&j->name, '.');
    }
    if (!attribute(t, "name", &text, &n))
        return foreign_wrong(j->f, "a test case without its name");
    add_decoded(&j->name, text, n);
    if (j->name.status)
        return err_set(j->f->err, TARE_TOO_LARGE, "a name longer than %d bytes", (int)NAME_MAX);
    double step;
    if (attribute(t, "time", &text, &n) && !own_number(&seconds, text, n, &j->seconds, &step))
        j->seconds = NAN;
    return TARE_OK;
}

/* Of several the first counts, which of <failure> and <skipped> is one. */
static void take_failure(struct junit *j, const struct tag *t)
{
    const char *text;
    size_t n;
    if (j->bad || t->closing)
        return;
    j->bad = true;
    j->skipped = is(t, "skipped");
    if (attribute(t, "message", &text, &n))
        add_decoded(&j->reason, text, n < REASON_MAX ? n : REASON_MAX);
}

static enum tare_status end_case(struct junit *j)
{
    struct foreign *f = j->f;
    const char *name = buf_text(&j->name);
    enum tare_status status = TARE_OK;
    int series = foreign_find(f, name);
    j->open = false;
    if (j->bad) {
        foreign_note(f, "'%s' was left out: it failed or was skipped", name);
        return foreign_failed(f, name, j->skipped, buf_text(&j->reason));
    }
    const struct subject s = {.name = name};
    if (series < 0)
        status = foreign_subject(f, &s, (const char *const[]){"wall"}, 1, &series);
    return status ? status : foreign_value(f, series, j->seconds, 1e9);
}

enum tare_status junit_read(struct foreign *f, const char *text, size_t n)
{
    struct junit j = {.f = f, .at = text, .end = text + n, .name = BUF_INIT(NAME_MAX), .reason = BUF_INIT(2 * REASON_MAX)};
    struct tag t;
    int found = 0;
    enum tare_status status = memchr(text, 0, n) ? foreign_wrong(f, "XML with a zero byte") : foreign_describe(f, &source);
    while (!status && (found = next_tag(&j, &t)) > 0) {
        if (!t.closing && is(&t, "testcase"))
            status = begin_case(&j, &t);
        else if (is(&t, "failure") || is(&t, "error") || is(&t, "skipped"))
            take_failure(&j, &t);
        if (!status && j.open && is(&t, "testcase") && (t.closing || t.empty))
            status = end_case(&j);
    }
    buf_finish(&j.name);
    buf_finish(&j.reason);
    if (!status && (found < 0 || j.open))
        return foreign_wrong(f, "XML that is cut or has a document type");
    return status;
}
