/* SPDX-License-Identifier: MIT
 *
 * Record files: any bytes end in records or in a reason. What was read is written and read again: nothing may be noted then,
 * and written once more it is the same text. Every exporter takes it.
 */
#include "export.h"
#include "record_arcs.h"
#include "record_kind.h"
#include "record_read.h"
#include "record_write.h"
#include "require.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_record(const struct record *r, struct buf *out)
{
    struct sink sink = sink_to_buf(out);
    struct tare_err err;
    require(!record_write(r, &sink, &err), "cannot be written", err.text);
}

static bool is_of_commands(const char *name)
{
    static const char *const names[] = {
#define EXPORTERS_OF_COMMANDS
#define EXPORTER(exporter, id, help, detail) #exporter,
#include "exporters.def"
#undef EXPORTER
#undef EXPORTERS_OF_COMMANDS
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

static void export_all(const struct record *r)
{
    for (int i = 0; exporter_at(i); i++) {
        struct buf b = BUF_INIT(1 << 28);
        struct sink sink = sink_to_buf(&b);
        struct tare_err err;
        const struct export_options options = {.sort_by_mean = i % 2, .file = r->n_subjects % 2 ? "x.svg" : "x.csv"};
        enum tare_status status = exporter_write(exporter_at(i), r, &options, &sink, &err);
        bool misses = !strcmp(exporter_at(i)->name, "timeline") && !r->n_timelines;
        bool other = record_kind(r)->id == RECORD_OF_clocks || record_kind(r)->arcs || !is_of_commands(exporter_at(i)->name);
        bool refused = status == TARE_UNSUPPORTED && (misses || other);
        require(!status || refused, exporter_at(i)->name, err.text);
        buf_finish(&b);
    }
}

static void check_again(const struct record *r)
{
    struct buf first = BUF_INIT(1 << 28), second = BUF_INIT(1 << 28);
    struct record again = {0};
    struct record_reading reading;
    struct tare_err err = {""};
    write_record(r, &first);
    require(!record_read(&again, first.data, first.len, &reading, &err), "cannot be read again", err.text);
    require(!reading.notes.len && reading.consumed == first.len, "is not clean", buf_text(&reading.notes));
    write_record(&again, &second);
    require(first.len == second.len && !memcmp(first.data, second.data, first.len), "changes", buf_text(&second));
    export_all(&again);
    record_reading_finish(&reading);
    record_finish(&again);
    buf_finish(&second);
    buf_finish(&first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size ? size : 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    for (size_t at = 0; at < size;) {
        struct record r = {0};
        struct record_reading reading;
        struct tare_err err = {""};
        enum tare_status status = record_read(&r, text + at, size - at, &reading, &err);
        require(!status || *err.text, "refused without a reason", "");
        require(status || (reading.consumed > 0 && reading.consumed <= size - at), "no progress", "");
        at = status ? size : at + reading.consumed;
        if (!status)
            check_again(&r);
        record_reading_finish(&reading);
        record_finish(&r);
    }
    free(text);
    return 0;
}
