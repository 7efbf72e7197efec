/* SPDX-License-Identifier: MIT */
#include "streams.h"
#include <string.h>

static enum tare_status open_input(struct streams *s, const struct exec_options *o, struct tare_err *err)
{
    if (!o->input_file) {
        s->input = s->null;
        return TARE_OK;
    }
    s->input_is_ours = !strcmp(o->input_file, "-");
    s->input = s->input_is_ours ? 0 : plat_open_input(o->input_file, err);
    if (!s->input_is_ours && plat_is_file(s->input))
        s->input_path = o->input_file;
    return s->input < 0 ? TARE_IO : TARE_OK;
}

enum tare_status streams_open(struct streams *s, const struct exec_options *o, struct tare_err *err)
{
    *s = (struct streams){.null = plat_open_null(),
                          .input = -1,
                          .output = -1,
                          .pipe_read = -1,
                          .pipe_write = -1,
                          .kept_out = -1,
                          .kept_err = -1,
                          .report = -1};
    s->keep = o->n_own || o->compare_output;
    return s->null < 0 ? err_set(err, TARE_IO, "cannot open the null device") : open_input(s, o, err);
}

static void close_input(struct streams *s)
{
    if (s->input > 0 && s->input != s->null && !s->input_is_ours)
        plat_close(s->input);
    s->input = -1;
}

void streams_close(struct streams *s)
{
    streams_after_run(s);
    close_input(s);
    if (s->null > 0)
        plat_close(s->null);
    *s = (struct streams){
        .null = -1, .input = -1, .output = -1, .pipe_read = -1, .pipe_write = -1, .kept_out = -1, .kept_err = -1, .report = -1};
}

/* A pipe or terminal cannot go back: then each run reads on where the last one stopped. */
static enum tare_status input_anew(struct streams *s, struct tare_err *err)
{
    if (s->input_path) {
        close_input(s);
        s->input = plat_open_input(s->input_path, err);
    } else if (s->input != s->null) {
        plat_rewind(s->input);
    }
    return s->input < 0 ? TARE_IO : TARE_OK;
}

/* Anew for each run: what a run left behind may go on writing into its own. */
static enum tare_status kept_anew(struct streams *s, struct plat_child_spec *spec, struct tare_err *err)
{
    s->kept_out = plat_open_scratch(err);
    s->kept_err = s->kept_out < 0 ? -1 : plat_open_scratch(err);
    if (s->kept_err < 0)
        return TARE_IO;
    spec->fd_out = s->kept_out;
    spec->fd_err = s->kept_err;
    spec->scratch_bytes = OWN_OUTPUT_BYTES;
    return TARE_OK;
}

static enum tare_status output_anew(struct streams *s, const struct exec_command *c, struct plat_child_spec *spec,
                                    struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    switch (c->output) {
    case OUTPUT_NULL:
        break;
    case OUTPUT_INHERIT:
        spec->fd_out = 1;
        spec->fd_err = 2;
        break;
    case OUTPUT_FILE:
        spec->fd_out = s->output = plat_open_output(c->output_file, err);
        status = s->output < 0 ? TARE_IO : TARE_OK;
        break;
    case OUTPUT_PIPE:
        status = plat_pipe(&s->pipe_read, &s->pipe_write, err);
        spec->fd_out = s->pipe_write;
        spec->drain_fd = s->pipe_read;
    }
    return status;
}

enum tare_status streams_for_run(struct streams *s, const struct exec_command *c, struct plat_child_spec *spec,
                                 struct tare_err *err)
{
    enum tare_status status = input_anew(s, err);
    spec->fd_in = s->input;
    spec->fd_out = spec->fd_err = s->null;
    spec->drain_fd = -1;
    spec->give_terminal = s->input_is_ours && plat_is_terminal(0);
    if (!status && (c->bench || c->leak)) {
        s->report = plat_open_scratch(err);
        status = s->report < 0 ? TARE_IO : TARE_OK;
    }
    if (status)
        return status;
    return s->keep && !c->own_part ? kept_anew(s, spec, err) : output_anew(s, c, spec, err);
}

void streams_after_run(struct streams *s)
{
    plat_close(s->output);
    plat_close(s->pipe_read);
    plat_close(s->pipe_write);
    plat_close(s->kept_out);
    plat_close(s->kept_err);
    plat_close(s->report);
    s->output = s->pipe_read = s->pipe_write = s->kept_out = s->kept_err = s->report = -1;
}

void streams_for_hook(const struct streams *s, bool show, struct plat_child_spec *spec)
{
    spec->fd_in = s->null;
    spec->fd_out = show ? 1 : s->null;
    spec->fd_err = show ? 2 : s->null;
    spec->drain_fd = -1;
    spec->give_terminal = false;
}
