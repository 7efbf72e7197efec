/* SPDX-License-Identifier: MIT */
#include "outputs.h"
#include "analyse.h"
#include "export.h"
#include "leak_sentences.h"
#include "record_kind.h"
#include "render.h"
#include "self_trace.h"
#include <stdlib.h>
#include <string.h>

enum { LEFT_OUT_MAX = 1 << 16 };

/* Standard input may be a file that has a name too. */
static const char *file_of(const struct outputs_place *p)
{
    return p->reads && !strcmp(p->path, "-") ? "/dev/stdin" : p->path;
}

static enum tare_status check_pair(const struct outputs_place *a, const struct outputs_place *b, struct tare_err *err)
{
    if (!a->path || !b->path || !strcmp(a->option, b->option) || (a->reads && b->reads))
        return TARE_OK;
    if (!a->reads && !b->reads && plat_same_stream(a->path, b->path))
        return err_set(err, TARE_INVALID, "%s '%s' and %s '%s' go to one stream; give two files", a->option, a->path, b->option,
                       b->path);
    if (!plat_same_file(file_of(a), file_of(b)))
        return TARE_OK;
    return err_set(err, TARE_INVALID, "%s '%s' and %s '%s' are one file; give two", a->option, a->path, b->option, b->path);
}

/* The file that a standard stream goes to may be named as that stream, but not by a name of its own: each would overwrite the other. */
static bool is_stream_by_another_name(const char *path)
{
    return strncmp(path, "/dev/std", 8) != 0 && strncmp(path, "/dev/fd/", 8) != 0 && strncmp(path, "/proc/self/fd/", 14) != 0 &&
           strncmp(path, "/proc/thread-self/fd/", 21) != 0 &&
           (plat_same_file(path, "/dev/stdout") || plat_same_file(path, "/dev/stderr"));
}

static enum tare_status check_place(const struct outputs_place *p, struct tare_err *err)
{
    if (!p->path)
        return TARE_OK;
    if (plat_is_directory(p->path))
        return err_set(err, TARE_INVALID, "%s '%s' is a directory; give a file", p->option, p->path);
    if (is_stream_by_another_name(p->path))
        return err_set(err, TARE_INVALID, "%s '%s' is the file that tare's own output goes to; give another, or '-'", p->option,
                       p->path);
    return TARE_OK;
}

enum tare_status outputs_check(const struct display_options *display, const struct outputs_place *more, int n,
                               struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < N_EXPORTS && !status; i++) {
        const struct outputs_place export = {display_export_name(i), display->export_file[i], false};
        status = check_place(&export, err);
        for (int j = 0; j < i && !status; j++)
            status = check_pair(&(struct outputs_place){display_export_name(j), display->export_file[j], false}, &export, err);
        for (int j = 0; j < n && !status; j++)
            status = check_pair(&more[j], &export, err);
    }
    for (int i = 0; i < n && !status; i++) {
        if (!more[i].reads || !strcmp(more[i].option, "--input"))
            status = check_place(&more[i], err);
        for (int j = 0; j < i && !status; j++)
            status = check_pair(&more[j], &more[i], err);
    }
    return status;
}

static enum tare_status write_to_file(void *file, const void *bytes, size_t n, struct tare_err *err)
{
    return plat_file_write(file, bytes, n, err);
}

static enum tare_status write_to_record(void *outputs, const void *bytes, size_t n, struct tare_err *err)
{
    struct outputs *o = outputs;
    enum tare_status status = plat_file_write(o->save, bytes, n, err);
    const bool held = o->held_back && *o->held_back;
    return status || held || !o->writer.worthwhile ? status : plat_file_settle_both(o->save, o->beside, err);
}

static enum tare_status open_exports(struct outputs *o, struct tare_err *err)
{
    for (int i = 0; i < N_EXPORTS; i++) {
        const char *path = o->display->export_file[i];
        enum tare_status status = path ? plat_file_create(&o->exports[i], path, PLAT_FILE_REPLACE, err) : TARE_OK;
        if (status) {
            err_prefix(err, display_export_name(i));
            return status;
        }
    }
    return TARE_OK;
}

static void begin_record(struct outputs *o)
{
    o->save_sink = (struct sink){.write = write_to_record, .context = o};
    if (o->save)
        record_writer_begin(&o->writer, &o->save_sink);
}

bool outputs_wanted(const struct display_options *display)
{
    bool any = false;
    for (int i = 0; i < N_EXPORTS; i++)
        any |= display->export_file[i] != NULL;
    return any;
}

enum tare_status outputs_open(struct outputs *o, const struct display_options *display, const char *save, struct tare_err *err)
{
    *o = (struct outputs){.display = display, .left_out = BUF_INIT(LEFT_OUT_MAX)};
    const struct outputs_place place = {"--save", save, false};
    enum tare_status status = outputs_check(display, &place, 1, err);
    if (!status)
        status = open_exports(o, err);
    if (!status && save) {
        status = plat_file_create(&o->save, save, PLAT_FILE_APPEND_ASIDE, err);
        o->save_path = save;
        if (status)
            err_prefix(err, "--save");
    }
    if (status) {
        outputs_finish(o, NULL);
        return status;
    }
    begin_record(o);
    return TARE_OK;
}

void outputs_lend(struct outputs *o, struct plat_file *save)
{
    o->save = save;
    o->save_is_lent = true;
    begin_record(o);
}

/* The screen's, without its remarks, which the page has; so many columns wide, 0: as wide as they are. In the arena; NULL: no memory. */
static const char *answer_of(const struct outputs *o, const struct record *r, int width, struct arena *a)
{
    const bool together = o->made_of[0].n && record_is_over_sessions(r) && !record_is_of_two_sessions(r);
    const struct render_options brief = {.unicode = true,
                                         .verbosity = -1,
                                         .design = !together,
                                         .sort = (enum render_sort)o->display->sort,
                                         .width = width,
                                         .stacked = width > 0},
                                plain = {.unicode = true, .width = width, .stacked = width > 0};
    struct buf answer = BUF_INIT(1 << 20);
    if (r->repetition) {
        render_repetition(r, r->repetition, r->repetition->name, &plain, &answer);
        buf_char(&answer, '\n');
    }
    struct record bare = *r; /* a host's figures are its answer */
    bare.n_findings = 0;
    if (together && width && r->n_comparisons) /* the verdict first, which the table has last */
        render_result(r, &brief, &answer);
    if (together)
        render_sessions(r, &plain, &answer);
    else if (record_kind(r)->own_commands)
        render_result(&bare, &plain, &answer);
    else
        render_result(r, &brief, &answer);
    return arena_keep(a, &answer);
}

/* Of commands, where the answer is a table of them. NULL, and no failure: as in the record. */
static enum tare_status order_page(const struct outputs *o, const struct record *r, struct arena *a, const int **order)
{
    if (record_kind(r)->id != RECORD_OF_commands || record_is_over_sessions(r) || record_is_of_two_sessions(r))
        return TARE_OK;
    int *found = render_order(r, &(struct render_options){.sort = (enum render_sort)o->display->sort}), *kept = NULL, n = 0;
    while (found && found[n] >= 0)
        n++;
    kept = found ? arena_array(a, (size_t)n + 1, sizeof *kept) : NULL;
    if (kept)
        memcpy(kept, found, ((size_t)n + 1) * sizeof *kept);
    free(found);
    *order = kept;
    return kept ? TARE_OK : TARE_NO_MEMORY;
}

/* What a page shows beyond the record. */
static enum tare_status add_to_page(const struct outputs *o, const struct record *r, struct arena *a,
                                    struct export_options *options, struct tare_err *err)
{
    options->title = o->title;
    memcpy(options->made_of, o->made_of, sizeof options->made_of);
    options->phases = o->phases;
    if (o->answer) {
        options->answer = o->answer;
        options->answer_narrow = o->answer_narrow;
    } else {
        options->answer = answer_of(o, r, 0, a);
        options->answer_narrow = answer_of(o, r, ANSWER_NARROW, a);
        if (!options->answer || !options->answer_narrow)
            return err_no_memory(err);
    }
    if (order_page(o, r, a, &options->order))
        return err_no_memory(err);
    const int n = o->phases.n;
    return analyse_shifts(r, a, &options->shifts) || (n > 1 && analyse_shifts(&o->phases.items[n - 1], a, &options->last_shifts))
               ? err_no_memory(err)
               : TARE_OK;
}

static enum tare_status export_one(struct outputs *o, int i, const struct record *r, struct tare_err *err)
{
    TARE_POINT_NAMED("export");
    const char *name = display_export_name(i);
    const struct exporter *exporter = exporter_find(name + sizeof "--export-" - 1);
    struct arena arena = {0};
    struct buf left_out = BUF_INIT(LEFT_OUT_MAX), claim = BUF_INIT(1 << 16);
    if (r->n_leak_targets)
        leak_claim(r, &claim);
    struct export_options options = {.about = claim.len ? buf_text(&claim) : NULL,
                                     .time_unit = o->display->time_unit,
                                     .file = o->display->export_file[i],
                                     .sort_by_mean = o->display->sort == RENDER_SORT_MEAN_TIME,
                                     .least_share = o->display->least_share,
                                     .most_arcs = o->display->most_arcs,
                                     .most_events = o->display->most_events,
                                     .traces = o->traces,
                                     .n_traces = o->n_traces,
                                     .left_out = &left_out};
    struct sink sink = {.write = write_to_file, .context = o->exports[i]};
    enum tare_status status = exporter == exporter_find("html") ? add_to_page(o, r, &arena, &options, err) : TARE_OK;
    if (!status)
        status = exporter_write(exporter, r, &options, &sink, err);
    if (status)
        plat_file_abandon(o->exports[i]);
    else
        status = plat_file_commit(o->exports[i], err);
    o->exports[i] = NULL;
    if (status)
        err_prefix(err, name);
    buf_finish(&claim);
    arena_finish(&arena);
    if (!status && left_out.len)
        buf_format(&o->left_out, "%s%s: %s", o->left_out.len ? "\n" : "", name, buf_text(&left_out));
    buf_finish(&left_out);
    return status;
}

enum tare_status outputs_renew_text(const struct plat_file *lost, const struct buf *text, struct tare_err *err)
{
    struct plat_file *file;
    enum tare_status status = plat_file_renew(&file, lost, err);
    if (status)
        return status;
    status = plat_file_write(file, text->data, text->len, err);
    if (!status)
        return plat_file_commit(file, err);
    plat_file_abandon(file);
    return status;
}

enum tare_status outputs_renew(const struct plat_file *lost, const struct record *const *records, int n, struct tare_err *err)
{
    struct buf text = BUF_INIT(SIZE_MAX / 2);
    const struct sink sink = sink_to_buf(&text);
    enum tare_status status = TARE_OK;
    for (int i = 0; i < n && !status; i++)
        status = record_write(records[i], &sink, err);
    if (!status)
        status = outputs_renew_text(lost, &text, err);
    buf_finish(&text);
    return status;
}

/* What was measured is in memory: a clean-up that swept the record away, or a second writer, costs nothing. */
static enum tare_status mend_record(struct outputs *o, const struct record *r, struct tare_err *err)
{
    if (!o->save || o->save_is_lent || o->writer.status || plat_file_intact(o->save)) /* a full disk was said already */
        return TARE_OK;
    enum tare_status status = outputs_renew(o->save, &r, 1, err);
    if (status)
        err_prefix(err, "--save: the file was deleted, replaced or changed while tare measured");
    else
        buf_format(&o->left_out, "%s--save: '%.200s' was deleted, replaced or changed while tare measured; it was written anew",
                   o->left_out.len ? "\n" : "", o->save_path);
    return status;
}

enum tare_status outputs_export(struct outputs *o, const struct record *r, struct tare_err *err)
{
    enum tare_status first = mend_record(o, r, err);
    for (int i = 0; i < N_EXPORTS; i++) {
        if (!o->exports[i])
            continue;
        struct tare_err later;
        enum tare_status status = export_one(o, i, r, first ? &later : err);
        first = first ? first : status;
    }
    return first;
}

enum exit_code outputs_text(struct outputs *o, struct cli *cli, enum display_export to, struct buf *text)
{
    struct plat_file *file = o->exports[to];
    struct tare_err err;
    enum tare_status status = TARE_OK;
    o->exports[to] = NULL;
    if (file)
        status = text->status ? err_set(&err, text->status, "%s while composing it", tare_status_text(text->status))
                              : plat_file_write(file, buf_text(text), text->len, &err);
    if (file && !status)
        status = plat_file_commit(file, &err);
    else
        plat_file_abandon(file);
    buf_finish(text);
    if (!status)
        return EXIT_ANSWERED;
    err_prefix(&err, display_export_name(to));
    return cli_fail(cli, EXIT_TOOL, &err);
}

void outputs_say_left_out(struct outputs *o, struct cli *cli)
{
    char *line = o->left_out.data;
    for (char *end; line && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = 0;
        cli_note(cli, "note", line);
    }
}

enum tare_status outputs_finish(struct outputs *o, struct tare_err *err)
{
    for (int i = 0; i < N_EXPORTS; i++) {
        plat_file_abandon(o->exports[i]);
        o->exports[i] = NULL;
    }
    buf_finish(&o->left_out);
    if (o->save)
        record_writer_finish(&o->writer);
    enum tare_status status = o->save && !o->save_is_lent ? plat_file_commit(o->save, err) : TARE_OK;
    o->save = NULL;
    return status;
}
