/* SPDX-License-Identifier: MIT
 *
 * Files of hyperfine --export-json (and of tools that write the same, tare among them): results[] with command, times[] in
 * seconds and, from later versions on, exit_codes[] and memory_usage_byte[]. User and system time are means over all runs, so
 * they are no rows. hyperfine runs one command after the other, and a run of 1.12 and older may lack some members. Its
 * development version has, in place of the lists, measurements[] with {"value", "unit"} of each run, user and system time too.
 */
#include "foreign.h"
#include <float.h>
#include <math.h>
#include <string.h>

static const struct foreign_source source = {
    .format = "hyperfine JSON",
    .value = "one run",
    .order = "one command after the other, as hyperfine does",
    .limits = "a hyperfine file does not name the machine, its conditions or the programs",
    .alternatives = true,
};

/* Parameters have texts as values; other tools write numbers. */
static const char *value_text(struct foreign *f, const struct json_value *v)
{
    const char *text = "";
    double number;
    if (json_text_of(v, &text) || !json_number_of(v, &number))
        return text;
    text = arena_format(&f->arena, "%g", number);
    return text ? text : "";
}

static enum tare_status add_command(struct foreign *f, const struct json_value *result, const char *command,
                                    const char *const *columns, int n, int *series)
{
    struct parameter parameters[FOREIGN_PARAMETERS_MAX];
    struct subject s = {.name = command, .parameters = parameters};
    for (const struct json_value *p = json_first(json_member(result, "parameters")); p; p = json_next(p))
        if (json_key(p) && s.n_parameters < FOREIGN_PARAMETERS_MAX)
            parameters[s.n_parameters++] = (struct parameter){json_key(p), value_text(f, p)};
    return foreign_subject(f, &s, columns, n, series);
}

/* Its clock counts nanoseconds: seconds that a whole number of them gives are brought back to it. Others, as a mean over iterations that tare wrote, stay. */
static bool time_of(const struct json_value *v, double *ns)
{
    double seconds;
    if (!json_number_of(v, &seconds) || seconds < 0 || seconds > 1e9)
        return false;
    const double whole = round(seconds * 1e9);
    *ns = fabs(seconds * 1e9 - whole) <= 4 * DBL_EPSILON * whole ? whole : seconds * 1e9;
    return foreign_possible("wall", *ns);
}

/* A list that has anything has an item for each time. */
static bool is_complete(struct foreign *f, const struct json_value *list, const struct json_value *times)
{
    bool complete = json_count(list) == json_count(times);
    f->left_out += json_count(list) && !complete;
    return complete;
}

enum { MEASURED = 5 };

/* NULL: there is none, or in another unit. */
static const struct json_value *quantity_of(const struct json_value *run, const char *name, const char *unit)
{
    const struct json_value *v = json_member(run, name);
    const char *own = unit;
    json_text_of(json_member(v, "unit"), &own);
    return strcmp(own, unit) ? NULL : json_member(v, "value");
}

static bool measurement_of(const struct json_value *run, double values[MEASURED])
{
    static const char *const times[] = {"time_wall_clock", "time_user", "time_system"};
    bool possible = true;
    for (int i = 0; i < 3; i++)
        possible &= time_of(quantity_of(run, times[i], "second"), &values[i]);
    values[3] = json_double(quantity_of(run, "peak_memory_usage", "byte"));
    values[4] = json_double(json_member(run, "exit_code"));
    return possible && foreign_possible("rss", values[3]);
}

static enum tare_status read_measurements(struct foreign *f, const struct json_value *result, const char *command)
{
    static const char *const columns[MEASURED] = {"wall", "user", "sys", "rss", "exit"};
    int series;
    enum tare_status status = add_command(f, result, command, columns, MEASURED, &series);
    for (const struct json_value *m = json_first(json_member(result, "measurements")); m && !status; m = json_next(m))
        status = measurement_of(m, f->values) ? foreign_row(f, series, false) : foreign_left_out(f, command);
    return status;
}

static enum tare_status read_summary(struct foreign *f, const struct json_value *result, const char *command)
{
    const struct json_value *median = json_member(result, "median"), *mean = json_member(result, "mean");
    int series;
    if (!foreign_is_summary(median, mean))
        return foreign_without_values(f, command, "it has no times");
    enum tare_status status = add_command(f, result, command, (const char *const[]){"wall"}, 1, &series);
    return status ? status : foreign_summary(f, series, median, mean, 1e9);
}

static enum tare_status read_result(struct foreign *f, const struct json_value *result)
{
    const char *command, *columns[3] = {"wall"};
    int n = 1;
    const struct json_value *times = json_member(result, "times"), *memory = json_member(result, "memory_usage_byte"),
                            *codes = json_member(result, "exit_codes");
    if (!json_text_of(json_member(result, "command"), &command))
        return foreign_wrong(f, "a result without its command");
    if (json_count(json_member(result, "measurements")))
        return read_measurements(f, result, command);
    int series;
    if (!json_count(times))
        return read_summary(f, result, command);
    bool with_memory = is_complete(f, memory, times), with_codes = is_complete(f, codes, times);
    if (with_memory)
        columns[n++] = "rss";
    if (with_codes)
        columns[n++] = "exit";
    enum tare_status status = add_command(f, result, command, columns, n, &series);
    const struct json_value *m = json_first(memory), *c = json_first(codes);
    for (const struct json_value *t = json_first(times); t && !status; t = json_next(t)) {
        double rss = with_memory ? json_double(m) : NAN, code = with_codes ? json_double(c) : NAN;
        f->values[1] = with_memory ? rss : code;
        f->values[2] = code;
        m = m ? json_next(m) : NULL;
        c = c ? json_next(c) : NULL;
        if (time_of(t, &f->values[0]) && foreign_possible("rss", rss))
            status = foreign_row(f, series, false);
        else
            status = foreign_left_out(f, command);
    }
    return status;
}

static bool hyperfine_file(const struct json_value *root)
{
    const struct json_value *results = json_member(root, "results");
    return json_is_array(results) && json_member(json_first(results), "command");
}

static enum tare_status hyperfine_read(struct foreign *f, const struct json_value *root)
{
    enum tare_status status = TARE_OK;
    for (const struct json_value *v = json_first(json_member(root, "results")); v && !status; v = json_next(v))
        status = read_result(f, v);
    if (!status && facts_add_unknown(f->r, &f->r->machine, "cpu_brand", "a hyperfine file does not name the machine"))
        status = err_no_memory(f->err);
    return status;
}

const struct json_format hyperfine_format = {hyperfine_file, hyperfine_read, &source};
