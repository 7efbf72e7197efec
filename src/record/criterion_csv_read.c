/* SPDX-License-Identifier: MIT
 *
 * raw.csv of criterion.rs (feature csv_output): a line a sample, with the time of all its iterations. A benchmark is group/function/value, as in
 * criterion's own reports.
 */
#include "csv_read.h"
#include "decimal_read.h"
#include "foreign.h"
#include <math.h>
#include <string.h>

static const struct foreign_source source = {
    .format = "criterion.rs raw.csv",
    .value = "the mean of one sample's iterations",
    .order = "the samples follow one another in one process",
    .limits = "all samples of a criterion.rs file come from one process, and its first ones have fewer iterations",
};

#define HEAD "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count"

static bool criterion_csv_file(const char *text, size_t n)
{
    const size_t head = sizeof HEAD - 1;
    return n > head && !memcmp(text, HEAD, head) && memchr(",\r\n", text[head], 3);
}

static double number_in(const struct csv_reader *c, const char *column)
{
    double value;
    const char *text = csv_reader_field(c, column);
    return decimal_read(text, strlen(text), &value) ? value : NAN;
}

static const char *name_of(struct foreign *f, const struct csv_reader *c)
{
    const char *function = csv_reader_field(c, "function"), *value = csv_reader_field(c, "value");
    return arena_format(&f->arena, "%s%s%s%s%s", csv_reader_field(c, "group"), *function ? "/" : "", function, *value ? "/" : "",
                        value);
}

static enum tare_status read_line(struct foreign *f, const struct csv_reader *c)
{
    struct foreign_unit to;
    const struct subject s = {.name = name_of(f, c)};
    double iterations = number_in(c, "iteration_count");
    enum tare_status status = s.name ? foreign_unit(f, csv_reader_field(c, "unit"), &to) : err_no_memory(f->err);
    if (status)
        return status;
    int series = foreign_find(f, s.name);
    if (series < 0)
        status = foreign_subject(f, &s, (const char *const[]){to.column, "iterations"}, 2, &series);
    if (status)
        return status;
    if (strcmp(f->r->series[series].columns[0], to.column) != 0) /* another unit than its first sample */
        return foreign_left_out(f, s.name);
    f->values[1] = iterations >= 1 ? iterations : NAN;
    return foreign_value(f, series, number_in(c, "sample_measured_value") / f->values[1], to.factor);
}

static enum tare_status criterion_csv_read(struct foreign *f, const char *text, size_t n)
{
    struct csv_reader c = csv_reader_over(text, n, &f->arena);
    enum tare_status status = csv_reader_head(&c, f->err);
    for (bool more = true; !status && more;) {
        status = csv_reader_next(&c, &more, f->err);
        if (!status && more)
            status = read_line(f, &c);
    }
    return status;
}

const struct text_format criterion_csv_format = {criterion_csv_file, criterion_csv_read, &source};
