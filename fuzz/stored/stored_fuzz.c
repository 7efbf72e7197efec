/* SPDX-License-Identifier: MIT
 *
 * Other tools' files: any bytes end in a record or in a reason. What was read holds together, can be written, and reads again
 * as our own record with the same subjects and rows.
 */
#include "record_write.h"
#include "require.h"
#include "stored_read.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(const struct record *a, const struct record *b)
{
    require(a->n_subjects == b->n_subjects, "subjects are lost", "");
    for (int i = 0; i < a->n_subjects; i++) {
        require(a->series[i].main.n == b->series[i].main.n, "rows are lost", a->subjects[i].name);
        require(a->series[i].warmup.n == b->series[i].warmup.n, "warm-up rows are lost", a->subjects[i].name);
    }
}

static void check_again(const struct record *r)
{
    struct buf text = BUF_INIT(1 << 28);
    struct sink sink = sink_to_buf(&text);
    struct record again = {0};
    struct record_reading reading;
    struct tare_err err = {""};
    require(!record_write(r, &sink, &err), "cannot be written", err.text);
    require(!stored_read(&again, text.data, text.len, &reading, &err), "cannot be read again", err.text);
    check_same(r, &again);
    record_reading_finish(&reading);
    record_finish(&again);
    buf_finish(&text);
}

static void check_record(const struct record *r)
{
    int rows = 0;
    require(record_metric(r, r->rule.metric) != NULL, "the metric that decides is not there", r->rule.metric);
    for (int i = 0; i < r->n_subjects; i++) {
        rows += r->series[i].main.n;
        for (int k = 0; k < i && r->n_subjects < 100; k++)
            require(strcmp(r->subjects[i].name, r->subjects[k].name) != 0, "a name stands twice", r->subjects[i].name);
    }
    require(rows > 0 || !record_source(r), "no rows", "");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct record r = {0};
    struct record_reading reading;
    struct tare_err err = {""};
    char *text = calloc(size ? size : 1, 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    enum tare_status status = stored_read(&r, text, size, &reading, &err);
    require(!status || *err.text, "refused without a reason", "");
    for (size_t n = 1; n <= size; n = n < size && 2 * n > size ? size : 2 * n)
        require(status || !stored_unrecognised(text, n), "read, but not by who looks at its first bytes", "");
    if (!status && record_source(&r)) {
        require(reading.consumed == size, "not read to its end", "");
        check_record(&r);
        check_again(&r);
    }
    record_reading_finish(&reading);
    record_finish(&r);
    free(text);
    return 0;
}
