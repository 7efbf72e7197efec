/* SPDX-License-Identifier: MIT
 * Raw files that traced programs left, as the record of a session whose runs they are. */
#include "analyse.h"
#include "plat.h"
#include "trace_session.h"
#include <math.h>
#include <string.h>

struct raw {
    struct cli *cli;
    const char *path;
    bool quiet;
    struct record *r;
    struct trace_files files;
    struct trace_sums *before; /* of the last run; NULL: this is the first */
    int runs;
};

static bool is_folder(const char *path)
{
    struct buf names = BUF_INIT(1 << 26);
    int n;
    bool folder = !plat_directory_list(path, &names, &n, NULL);
    buf_finish(&names);
    return folder;
}

struct begin {
    char bytes[sizeof TRACE_MAGIC - 1];
    size_t n;
};

static enum tare_status take_begin(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    struct begin *b = context;
    size_t left = sizeof b->bytes - b->n, part = n < left ? n : left;
    memcpy(b->bytes + b->n, bytes, part);
    b->n += part;
    return b->n < sizeof b->bytes ? TARE_OK : err_set(err, TARE_TOO_LARGE, "seen enough");
}

bool trace_is_raw(const char *path)
{
    struct begin b = {.n = 0};
    if (is_folder(path) || trace_files_named(path))
        return true;
    struct plat_file_state state;
    if (plat_file_state(path, &state, NULL) || !state.regular) /* a pipe can be read once */
        return false;
    plat_file_pour(path, &(struct sink){take_begin, &b}, NULL);
    return b.n == sizeof b.bytes && !memcmp(b.bytes, TRACE_MAGIC, sizeof b.bytes);
}

bool trace_is_in(const char *folder, const char *path)
{
    struct buf around = BUF_INIT(1 << 16), of_path = BUF_INIT(1 << 16), place = BUF_INIT(1 << 16);
    const char *name = plat_base_name(path);
    buf_format(&of_path, "%.*s", name > path ? (int)(name - path) : 1, name > path ? path : ".");
    const bool known = trace_files_named(path) && is_folder(folder) && !plat_directory_path(folder, &around, NULL) &&
                       !plat_directory_path(buf_text(&of_path), &place, NULL);
    const bool within = known && !strncmp(buf_text(&place), buf_text(&around), around.len) &&
                        (!place.data[around.len] || plat_is_slash(place.data[around.len]));
    buf_finish(&place);
    buf_finish(&of_path);
    buf_finish(&around);
    return within;
}

static void say_left_out(void *context, const char *text)
{
    struct raw *raw = context;
    if (!raw->quiet)
        cli_note(raw->cli, "note", text);
}

static enum tare_status begin_record(struct raw *raw, struct tare_err *err)
{
    struct record *r = raw->r;
    static const char *const columns[] = {
#define TRACE_COLUMN(id, title, unit) #id,
#include "trace_columns.def"
    };
    static const double confidence = 0.95, margin = 0.01;
    record_init(r);
    r->tool_version = CLI_VERSION;
    r->rule = (struct rule){.metric = "wall",
                            .confidence = confidence,
                            .margin = margin,
                            .interleaved = true,
                            .fail_if_slower = NAN,
                            .correction = CORRECTION_BH};
    struct subject s = {.kind = SUBJECT_TRACE, .name = raw->path, .command = raw->path, .reference = -1};
    if (!(r->argv = arena_words(&r->arena, (const char *const *)raw->cli->argv)) ||
        record_add_subject(r, &s, columns, sizeof columns / sizeof *columns) < 0)
        return err_set(err, TARE_NO_MEMORY, "no memory for a record");
    return trace_add_metric(r, err);
}

static enum tare_status take_run(struct raw *raw, struct trace_sums *sums, struct tare_err *err)
{
    double values[TRACE_RUN_COLUMNS];
    struct row row = {.round = raw->runs, .values = values};
    enum tare_status status = trace_sums_finish(sums, err);
    if (!status)
        status = trace_sums_record(sums, raw->r, 0, raw->runs, err);
    if (status)
        return status;
    trace_run_values(trace_sums_run(sums), values);
    raw->runs++;
    return record_append_row(raw->r, 0, &row) ? err_set(err, TARE_NO_MEMORY, "no memory for another run") : TARE_OK;
}

/* A file, or the files of a folder, as one run; nothing where there is none. */
static enum tare_status add_run(struct raw *raw, const char *path, bool folder, struct tare_err *err)
{
    struct trace_sums *sums;
    struct trace_sums_options options = {.workers = plat_cpus_allowed(), .one_process = !folder};
    const int left_out = raw->files.left_out;
    enum tare_status status = trace_sums_create(&sums, &options, err);
    if (status)
        return status;
    if (raw->before)
        trace_sums_follow(sums, raw->before);
    trace_sums_destroy(raw->before);
    raw->before = sums;
    if (raw->files.keep)
        trace_kept_next(raw->files.keep, 0);
    status = folder ? trace_files_add_folder(&raw->files, sums, path, err) : trace_files_add(&raw->files, sums, path, err);
    if (!status && trace_sums_run(sums)->files)
        status = take_run(raw, sums, err);
    else if (!status && folder && raw->files.left_out == left_out) {
        /* A run that left files once. */
        struct buf text = BUF_INIT(1 << 16);
        buf_format(&text, "left out: %s: no traces (*.trace) in it", path);
        if (path != raw->path)
            say_left_out(raw, buf_text(&text));
        buf_finish(&text);
    }
    return status;
}

/* Of --trace-dir: other folders beside them, as in /tmp, are other people's. */
static enum tare_status add_folders(struct raw *raw, struct tare_err *err)
{
    struct buf names = BUF_INIT(1 << 26), path = BUF_INIT(1 << 16);
    int n;
    enum tare_status status = plat_directory_list(raw->path, &names, &n, err);
    const char *name = names.data;
    for (int i = 0; i < n && !status; i++, name += strlen(name) + 1) {
        buf_clear(&path);
        buf_format(&path, "%s/%s", raw->path, name);
        if (!strncmp(name, "run-", sizeof "run-" - 1) && is_folder(buf_text(&path)))
            status = add_run(raw, buf_text(&path), true, err);
    }
    buf_finish(&path);
    buf_finish(&names);
    return status;
}

/* All runs that there are, looked at once. */
static enum tare_status conclude_raw(struct raw *raw, struct tare_err *err)
{
    struct record *r = raw->r;
    if (!raw->runs)
        return err_set(err, TARE_NOT_FOUND,
                       raw->files.left_out
                           ? "%s: nothing in it can be read"
                           : "%s: a folder without traces (*.trace); name a record, or a folder that --trace-dir wrote",
                       raw->path);
    r->rule.n_looks = 1;
    r->rule.look_at[0] = raw->runs;
    r->rule.look_level[0] = 1 - r->rule.confidence;
    r->ended = "runs";
    r->rounds = raw->runs;
    return analyse_redo(r, err);
}

enum tare_status trace_read_raw(struct cli *cli, const char *path, bool quiet, struct trace_kept *keep, struct record *r,
                                struct tare_err *err)
{
    struct raw raw = {.cli = cli, .path = path, .quiet = quiet, .r = r};
    raw.files = (struct trace_files){.keep = keep, .note = say_left_out, .context = &raw};
    bool folder = is_folder(path);
    enum tare_status status = begin_record(&raw, err);
    if (!status)
        status = add_run(&raw, path, folder, err);
    if (!status && folder && !raw.runs)
        status = add_folders(&raw, err);
    trace_sums_destroy(raw.before);
    return status ? status : conclude_raw(&raw, err);
}
