/* SPDX-License-Identifier: MIT
 *
 * Output of perf stat -j: a JSON object a line with "event", "counter-value" (a text) and "unit". The events of one perf stat are a row; an event that comes
 * again (perf stat --append, or -I) begins the next. duration_time, user_time and system_time are the times of a run as tare has
 * them; other events keep their names. What perf derives ("metric-value") is not read.
 */
#include "decimal_read.h"
#include "foreign.h"
#include "units.h"
#include <math.h>
#include <string.h>

static const struct foreign_source source = {
    .format = "perf stat JSON",
    .value = "the counts of one perf stat, of one interval, or with -r the mean of its runs",
    .order = "as the lines stand",
    .limits = "perf stat's file does not name the command, nor what each run of -r counted",
};

#define SUBJECT "perf stat"
enum { LINE_MAX = 1 << 16 };

/* The next line that is neither empty nor a comment; false: none. */
static bool next_line(const char *text, size_t n, size_t *at, const char **line, size_t *length)
{
    while (*at < n) {
        const char *start = text + *at, *end = memchr(start, '\n', n - *at);
        *length = end ? (size_t)(end - start) : n - *at;
        *at += *length + 1;
        *line = start;
        if (*length && *start != '#' && *start != '\r')
            return true;
    }
    return false;
}

static bool perf_stat_file(const char *text, size_t n)
{
    static const char key[] = "\"counter-value\"";
    const char *line;
    size_t length, at = 0;
    n = n < LINE_MAX ? n : LINE_MAX;
    if (memchr(text, 0, n) || !next_line(text, n, &at, &line, &length) || *line != '{')
        return false; /* no text, be it in a comment */
    for (size_t i = 0; i + sizeof key - 1 <= length; i++)
        if (!memcmp(line + i, key, sizeof key - 1))
            return true;
    return false;
}

/* The time of a run that an event is; NULL: it is none. */
static const char *time_of_run(const char *event)
{
    static const char *const ours[][2] = {{"duration_time", "wall"}, {"user_time", "user"}, {"system_time", "sys"}};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (!strcmp(event, ours[i][0]))
            return ours[i][1];
    return NULL;
}

static const char *id_of(struct foreign *f, const char *event)
{
    const char *time = time_of_run(event);
    return time ? time : arena_format(&f->arena, "perf:%s", event);
}

static enum tare_status unit_of(struct foreign *f, const char *event, const char *unit, struct foreign_unit *to)
{
    struct unit u = unit_one;
    const bool time = unit_named("ns", !strcmp(unit, "msec") ? "ms" : unit, &u);
    const char *id = id_of(f, event);
    if (!id)
        return err_no_memory(f->err);
    if (time_of_run(event))
        return foreign_named_unit(f, id, unit, to);
    const struct metric m = {.id = id,
                             .title = id + sizeof "perf:" - 1,
                             .unit = time    ? "ns"
                                     : *unit ? arena_strdup(&f->arena, unit)
                                             : "1",
                             .kind = time ? METRIC_TIME : METRIC_COUNT,
                             .direction = time ? METRIC_LOWER : METRIC_NEUTRAL};
    *to = (struct foreign_unit){id, u.factor};
    return m.unit ? foreign_metric(f, &m) : err_no_memory(f->err);
}

static bool is_of_a_part(const struct json_value *line)
{
    static const char *const parts[] = {"cpu", "core", "die", "socket", "node", "thread", "cgroup", "aggregate-number"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (json_member(line, parts[i]))
            return true;
    return false;
}

/* The metrics of the events that perf counted at least once: of the others there is no column. */
static enum tare_status find_metric(struct foreign *f, const struct json_value *line)
{
    const char *event, *text, *unit = "";
    double value;
    struct foreign_unit to;
    if (!json_text_of(json_member(line, "event"), &event) || !json_text_of(json_member(line, "counter-value"), &text) ||
        !decimal_read(text, strlen(text), &value))
        return TARE_OK;
    json_text_of(json_member(line, "unit"), &unit);
    return unit_of(f, event, unit, &to);
}

static enum tare_status read_event(struct foreign *f, const struct json_value *line)
{
    const char *event, *text = "", *unit = "";
    double value, share;
    struct foreign_unit to;
    if (!json_text_of(json_member(line, "event"), &event) || !json_member(line, "counter-value"))
        return TARE_OK; /* a figure that perf derived */
    if (is_of_a_part(line))
        return foreign_wrong(f, "counts of single CPUs, threads or groups; only totals can be read");
    json_text_of(json_member(line, "counter-value"), &text);
    json_text_of(json_member(line, "unit"), &unit);
    if (!decimal_read(text, strlen(text), &value)) {
        /* An event that was not counted this time is a gap in its row, so that the next one does not take its place. */
        const char *id = id_of(f, event);
        foreign_note(f, "'%s' was left out: perf says %s", event, *text ? text : "nothing");
        return !id ? err_no_memory(f->err) : record_metric(f->r, id) ? foreign_cell(f, SUBJECT, id, NAN) : TARE_OK;
    }
    if (json_number_of(json_member(line, "pcnt-running"), &share) && share < 100)
        foreign_note(f, "'%s' was counted only part of the time; perf extrapolated it", event);
    if (json_member(line, "variance"))
        foreign_note(f, "the counts are means of several runs (perf stat -r), of which the file has none");
    enum tare_status status = unit_of(f, event, unit, &to);
    return status ? status : foreign_cell(f, SUBJECT, to.column, value * to.factor);
}

static enum tare_status read_lines(struct foreign *f, const char *text, size_t n,
                                   enum tare_status (*read)(struct foreign *f, const struct json_value *line), int64_t *unread)
{
    struct tare_err why;
    const char *line;
    size_t length, at = 0;
    enum tare_status status = TARE_OK;
    while (!status && next_line(text, n, &at, &line, &length)) {
        struct json_value *v = NULL;
        const enum tare_status parsed = length <= LINE_MAX ? json_parse(&v, line, length, &why) : TARE_TOO_LARGE;
        if (!parsed)
            status = read(f, v);
        else if (parsed == TARE_NO_MEMORY)
            status = err_no_memory(f->err);
        else
            ++*unread;
        json_free(v);
    }
    return status;
}

static enum tare_status perf_stat_read(struct foreign *f, const char *text, size_t n)
{
    int64_t again = 0;
    enum tare_status status = read_lines(f, text, n, find_metric, &again);
    if (!status)
        status = read_lines(f, text, n, read_event, &f->left_out);
    return status ? status : foreign_cells_end(f);
}

const struct text_format perf_stat_format = {perf_stat_file, perf_stat_read, &source};
