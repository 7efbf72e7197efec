/* SPDX-License-Identifier: MIT
 * "scans": [{"parameter", "title", "commands": [...], "values": [...], "slope", "slope_low", ...}]: how the metric grows with each parameter, a member
 * for each line of a scan (scan_lines.h). */
#include "json_parts.h"
#include "scan_lines.h"

static const struct estimate *scan_estimate(const struct record *r, int subject, const struct scan_line *line,
                                            const char *statistic, struct arena *a)
{
    const char *id = scan_statistic(a, statistic, line->parameter);
    return id ? record_estimate(r, subject, r->rule.metric, id) : NULL;
}

static void scan_figure(struct json_write *j, const struct estimate *e, const char *key, const char *low, const char *high)
{
    json_number(j, key, e ? e->point : NAN);
    json_number(j, low, e ? e->low : NAN);
    json_number(j, high, e ? e->high : NAN);
}

static void scan_points(struct json_write *j, const struct record *r, const struct scan_line *line, struct arena *a)
{
    json_array(j, "points");
    for (int i = 0; i < line->n; i++) {
        const struct estimate *off = scan_estimate(r, line->subjects[i], line, "off_line", a);
        json_object(j, NULL);
        json_number(j, "value", line->values[i]);
        json_bytes(j, "command", r->subjects[line->subjects[i]].name);
        json_interval(j, r, line->subjects[i], r->rule.metric, "median", json_median_keys);
        scan_figure(j, off, "off_line", "off_line_low", "off_line_high");
        json_end(j);
    }
    json_end(j);
}

/* By how much each class of complexity misses more than the best one, whose excess is 0. Nothing where none was asked for. */
static void scan_classes(struct json_write *j, const struct record *r, const struct scan_line *line, struct arena *a)
{
    static const char *const names[][2] = {{"1", "excess_1"},       {"log_n", "excess_log"},
                                           {"n", "excess_linear"},  {"n_log_n", "excess_n_log_n"},
                                           {"n2", "excess_square"}, {"n3", "excess_cube"}};
    json_array(j, "classes");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct estimate *e = scan_estimate(r, line->subjects[0], line, names[i][1], a);
        if (!e)
            continue;
        json_object(j, NULL);
        json_string(j, "class", names[i][0]);
        scan_figure(j, e, "excess", "excess_low", "excess_high");
        json_end(j);
    }
    json_end(j);
}

static void one_line(struct json_write *j, const struct record *r, const struct scan_line *line, struct arena *a)
{
    int first = line->subjects[0];
    const struct estimate *slope = scan_estimate(r, first, line, "slope", a);
    json_object(j, NULL);
    json_bytes(j, "title", scan_title(r, line, a));
    json_string(j, "parameter", line->parameter);
    json_string(j, "metric", r->rule.metric);
    scan_figure(j, slope, "slope", "slope_low", "slope_high");
    scan_figure(j, scan_estimate(r, first, line, "slope_change", a), "slope_change", "slope_change_low", "slope_change_high");
    json_number(j, "confidence", slope && slope->confidence > 0 ? slope->confidence : NAN);
    json_number(j, "level", slope && slope->confidence > 0 ? slope->level : NAN);
    json_string(j, "method", slope ? slope->method : NULL);
    json_integer(j, "rounds", slope ? slope->n : 0);
    json_string(j, "reason", slope ? slope->reason : "not computed");
    scan_classes(j, r, line, a);
    scan_points(j, r, line, a);
    json_end(j);
}

void json_scans(struct json_write *j, struct export_out *out, const struct record *r)
{
    struct arena a = {0};
    const struct scan_line *lines;
    int n = scan_lines(r, &a, &lines);
    if (n < 0)
        out->text.status = TARE_NO_MEMORY;
    if (n > 0)
        json_array(j, "scans");
    for (int i = 0; i < n; i++) {
        one_line(j, r, &lines[i], &a);
        export_out_pass(out);
    }
    if (n > 0)
        json_end(j);
    arena_finish(&a);
}
