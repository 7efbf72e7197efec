/* SPDX-License-Identifier: MIT */
#include "streams.h"
#include <stdlib.h>
#include <string.h>

static enum tare_status open_input(struct streams *s, const struct exec_options *o, struct tare_err *err)
{
    if (!o->input_file) {
        s->input = s->null;
        return TARE_OK;
    }
    s->input_is_ours = !strcmp(o->input_file, "-");
    s->input = s->input_is_ours ? 0 : plat_open_input(o->input_file, err);
    return s->input < 0 ? TARE_IO : TARE_OK;
}

static enum tare_status open_outputs(struct streams *s, const struct exec_command *commands, int n, struct tare_err *err)
{
    for (int i = 0; i < n; i++)
        s->output_file[i] = -1;
    for (int i = 0; i < n; i++) {
        if (commands[i].output != OUTPUT_FILE)
            continue;
        s->output_file[i] = plat_open_output(commands[i].output_file, err);
        if (s->output_file[i] < 0)
            return TARE_IO;
    }
    return TARE_OK;
}

enum tare_status streams_open(struct streams *s, const struct exec_options *o, const struct exec_command *commands, int n,
                              struct tare_err *err)
{
    *s = (struct streams){.null = plat_open_null(), .input = -1, .n = n, .pipe_read = -1, .pipe_write = -1};
    if (s->null < 0)
        return err_set(err, TARE_IO, "cannot open the null device");
    s->output_file = malloc((size_t)(n ? n : 1) * sizeof *s->output_file);
    if (!s->output_file)
        return err_set(err, TARE_NO_MEMORY, "no memory for %d commands", n);
    enum tare_status status = open_outputs(s, commands, n, err);
    return status ? status : open_input(s, o, err);
}

void streams_close(struct streams *s)
{
    streams_after_run(s);
    for (int i = 0; s->output_file && i < s->n; i++)
        plat_close(s->output_file[i]);
    free(s->output_file);
    if (s->input > 0 && s->input != s->null && !s->input_is_ours)
        plat_close(s->input);
    if (s->null > 0)
        plat_close(s->null);
    *s = (struct streams){.null = -1, .input = -1, .pipe_read = -1, .pipe_write = -1};
}

enum tare_status streams_for_run(struct streams *s, const struct exec_command *c, int index, struct plat_child_spec *spec,
                                 struct tare_err *err)
{
    spec->fd_in = s->input;
    spec->fd_out = spec->fd_err = s->null;
    spec->drain_fd = -1;
    spec->give_terminal = s->input_is_ours && plat_is_terminal(0);
    if (s->input != s->null)
        plat_rewind(s->input); /* a pipe or terminal cannot go back: then each run reads on where the last one stopped */
    if (c->output == OUTPUT_INHERIT) {
        spec->fd_out = 1;
        spec->fd_err = 2;
    }
    if (c->output == OUTPUT_FILE) {
        spec->fd_out = s->output_file[index];
        plat_empty(spec->fd_out); /* or thousands of runs would fill the disk */
    }
    if (c->output == OUTPUT_PIPE) {
        enum tare_status status = plat_pipe(&s->pipe_read, &s->pipe_write, err);
        if (status)
            return status;
        spec->fd_out = s->pipe_write;
        spec->drain_fd = s->pipe_read;
    }
    return TARE_OK;
}

void streams_after_run(struct streams *s)
{
    if (s->pipe_read >= 0)
        plat_close(s->pipe_read);
    if (s->pipe_write >= 0)
        plat_close(s->pipe_write);
    s->pipe_read = s->pipe_write = -1;
}

void streams_for_hook(const struct streams *s, bool show, struct plat_child_spec *spec)
{
    spec->fd_in = s->null;
    spec->fd_out = show ? 1 : s->null;
    spec->fd_err = show ? 2 : s->null;
    spec->drain_fd = -1;
    spec->give_terminal = false;
}
