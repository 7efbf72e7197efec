/* SPDX-License-Identifier: MIT
 *
 * output_capture.h - what a run's kept output says: own metrics by pattern, the hash, and the text as input for own metrics' commands.
 * Used by the files of exec only.
 *
 *     struct harvest h;
 *     output_capture_read(&h, kept_out, kept_err, &err);
 *     double value;
 *     int why = output_capture_search(&h, &metric, &value);     // 0, or an enum null_reason and value NaN
 *     output_capture_finish(&h);
 *
 * The text is standard output, then (on a line of its own) standard error. Output of more than OWN_OUTPUT_BYTES is not looked at: what
 * came last in it is not known.
 */
#ifndef OUTPUT_CAPTURE_H
#define OUTPUT_CAPTURE_H

#include "own_metric.h"

struct output_capture {
    char *text;
    size_t n, n_out; /* in all; of standard output */
    bool too_long, out_too_long;
};

/* NO_MEMORY, IO; the harvest is then empty. */
enum tare_status output_capture_read(struct output_capture *h, int kept_out, int kept_err, struct tare_err *err);
void output_capture_finish(struct output_capture *h);

int output_capture_search(const struct output_capture *h, const struct own_metric *m, double *value);
double output_capture_hash(const struct output_capture *h); /* 52 bits of FNV-1a of standard output; NaN: too long */
/* Writes the text where the descriptors lead, as the command would have. */
void output_capture_show(const struct output_capture *h, int out, int err_fd);
/* A new file in memory with the text, to be read from its start. -1: err says why not. */
int output_capture_as_input(const struct output_capture *h, struct tare_err *err);
/* What a metric's command printed into `fd`: one number. 0, or an enum null_reason. */
int output_capture_number(int fd, const struct own_metric *m, double *value);

#endif
