/* SPDX-License-Identifier: MIT */
#include "output_capture.h"
#include "buf.h"
#include "exec.h"
#include "plat.h"
#include "record_write.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t kept_bytes(int64_t size)
{
    return size < OWN_OUTPUT_BYTES ? (size_t)size : OWN_OUTPUT_BYTES;
}

enum tare_status output_capture_read(struct output_capture *h, int kept_out, int kept_err, struct tare_err *err)
{
    int64_t out = plat_scratch_size(kept_out), rest = plat_scratch_size(kept_err);
    *h = (struct output_capture){.out_too_long = out > OWN_OUTPUT_BYTES,
                                 .too_long = out > OWN_OUTPUT_BYTES || rest > OWN_OUTPUT_BYTES};
    size_t n_out = kept_bytes(out), n_rest = kept_bytes(rest);
    h->text = malloc(n_out + n_rest + 2);
    if (!h->text)
        return err_set(err, TARE_NO_MEMORY, "no memory for %zu bytes of a command's output", n_out + n_rest);
    enum tare_status status = plat_scratch_read(kept_out, 0, h->text, n_out, err);
    h->n = h->n_out = n_out;
    if (n_out && n_rest && h->text[n_out - 1] != '\n')
        h->text[h->n++] = '\n';
    if (!status)
        status = plat_scratch_read(kept_err, 0, h->text + h->n, n_rest, err);
    h->n += n_rest;
    if (status)
        output_capture_finish(h);
    return status;
}

void output_capture_finish(struct output_capture *h)
{
    free(h->text);
    *h = (struct output_capture){0};
}

int output_capture_search(const struct output_capture *h, const struct own_metric *m, double *value)
{
    struct pattern_group g;
    *value = NAN;
    if (h->too_long)
        return NULL_TOO_LONG;
    switch (pattern_last(m->pattern, h->text, h->n, PATTERN_STEPS, &g)) {
    case PATTERN_NONE:
        return NULL_NO_MATCH;
    case PATTERN_GAVE_UP:
        return NULL_TOO_COSTLY;
    case PATTERN_FOUND:
        break;
    }
    return g.start && own_number(m, g.start, g.n, value) ? 0 : NULL_NO_NUMBER;
}

double output_capture_hash(const struct output_capture *h)
{
    return h->out_too_long ? NAN : (double)(record_hash(RECORD_HASH_EMPTY, h->text, h->n_out) >> 12);
}

/* A reader that went away takes nothing from the measurement. */
void output_capture_show(const struct output_capture *h, int out, int err_fd)
{
    size_t rest = h->n_out < h->n && h->n_out && h->text[h->n_out - 1] != '\n' ? h->n_out + 1 : h->n_out;
    struct tare_err ignored;
    if (!plat_scratch_write(out, h->text, h->n_out, &ignored))
        plat_scratch_write(err_fd, h->text + rest, h->n - rest, &ignored);
}

int output_capture_as_input(const struct output_capture *h, struct tare_err *err)
{
    int fd = plat_open_scratch(err);
    if (fd >= 0 && plat_scratch_write(fd, h->text, h->n, err)) {
        plat_close(fd);
        return -1;
    }
    plat_rewind(fd);
    return fd;
}

int output_capture_number(int fd, const struct own_metric *m, double *value)
{
    char text[1024];
    int64_t n = plat_scratch_size(fd);
    bool read = n > 0 && n <= (int64_t)sizeof text && !plat_scratch_read(fd, 0, text, (size_t)n, NULL);
    return read && own_number(m, text, (size_t)n, value) ? 0 : NULL_METRIC_NO_NUMBER;
}
