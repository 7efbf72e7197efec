/* SPDX-License-Identifier: MIT */
#include "stored_file.h"
#include "analyse.h"
#include "buf.h"
#include "check.h"
#include "plat.h"
#include <string.h>

void stored_file_notes(struct cli *cli, const char *path, bool quiet, struct record_reading *reading)
{
    struct buf text = BUF_INIT(1 << 16);
    char *line = reading->notes.len && !quiet ? reading->notes.data : NULL;
    for (char *end; line && *line; line = end + 1) {
        end = line + strcspn(line, "\n");
        bool last = !*end;
        *end = 0;
        buf_clear(&text);
        buf_format(&text, "%s: %s", path, line);
        cli_note(cli, "note", buf_text(&text));
        if (last)
            break;
    }
    buf_finish(&text);
}

static bool any_prepare(const struct record *r)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].prepare)
            return true;
    return false;
}

enum tare_status stored_file_complete(struct record *r, struct tare_err *err)
{
    if (r->ended && (r->n_estimates || r->n_leak_targets)) /* what rows get from all samples together is not in the file */
        return record_is_of_benchmarks(r) ? analyse_processes(r, err) : TARE_OK;
    const struct check_facts facts = {.prepared = any_prepare(r)};
    /* of targets nothing can be redone without their times, which leak_rejudge has read or could not */
    enum tare_status status = record_is_of_leaks(r) ? TARE_OK : analyse_redo(r, err);
    return status ? status : check_record(r, &facts, err);
}

static enum tare_status read_one(struct cli *cli, const char *path, bool quiet, const struct buf *text, struct record *r,
                                 bool *changed, struct tare_err *err)
{
    struct record_reading reading;
    enum tare_status status = stored_read(r, buf_text(text), text->len, &reading, err);
    if (!status) {
        stored_file_notes(cli, path, quiet, &reading);
        *changed = reading.changed;
        if (reading.changed)
            status = err_set(err, TARE_FORMAT, "not as it was written, so nothing is concluded from it; tare show has it");
        else if (reading.consumed < text->len)
            status = err_set(err, TARE_INVALID, "holds several sessions; give a file with one");
        else if (record_is_of_leaks(r))
            status =
                err_set(err, TARE_INVALID,
                        "is of tare leak, whose targets are judged each by itself; tare show has it, and tare leak --replay");
        else if (record_is_of_clocks(r))
            status = err_set(err, TARE_INVALID, "is of tare clock, and clocks are not compared; tare show has it");
        else
            status = stored_file_complete(r, err);
    }
    record_reading_finish(&reading);
    return status;
}

enum exit_code stored_file_load(struct cli *cli, const char *path, bool quiet, struct record *r)
{
    struct tare_err err;
    struct buf text = BUF_INIT(STORED_FILE_MAX);
    bool changed = false;
    enum tare_status status = plat_input_read(path, &text, &err);
    if (!status) {
        status = read_one(cli, path, quiet, &text, r, &changed, &err);
        if (status)
            err_prefix(&err, path);
    }
    buf_finish(&text);
    return status ? (enum exit_code)cli_fail(cli,
                                             status == TARE_INVALID ? EXIT_USAGE
                                             : changed              ? EXIT_INVALID
                                                                    : EXIT_TOOL,
                                             &err)
                  : EXIT_ANSWERED;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

void stored_file_names(const char *first, const char *second, const char *out[2])
{
    out[0] = !strcmp(first, "-") ? "standard input" : file_name(first);
    out[1] = !strcmp(second, "-") ? "standard input" : file_name(second);
    if (strcmp(out[0], out[1]) != 0)
        return;
    out[0] = strcmp(first, second) ? first : "first";
    out[1] = strcmp(first, second) ? second : "second";
}
