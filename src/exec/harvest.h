/* SPDX-License-Identifier: MIT
 *
 * harvest.h - what a run's kept output says: own metrics by pattern, the hash, and the text as input for own metrics' commands.
 * Used by the files of exec only.
 *
 *     struct harvest h;
 *     harvest_read(&h, kept_out, kept_err, &err);
 *     double value;
 *     int why = harvest_search(&h, &metric, &value);     // 0, or an enum null_reason and value NaN
 *     harvest_finish(&h);
 *
 * The text is standard output, then (on a line of its own) standard error. Output of more than OWN_OUTPUT_BYTES is not looked at: what
 * came last in it is not known.
 */
#ifndef HARVEST_H
#define HARVEST_H

#include "own_metric.h"

struct harvest {
    char *text;
    size_t n, n_out; /* in all; of standard output */
    bool too_long, out_too_long;
};

/* NO_MEMORY, IO; the harvest is then empty. */
enum tare_status harvest_read(struct harvest *h, int kept_out, int kept_err, struct tare_err *err);
void harvest_finish(struct harvest *h);

int harvest_search(const struct harvest *h, const struct own_metric *m, double *value);
double harvest_hash(const struct harvest *h); /* 52 bits of FNV-1a of standard output; NaN: too long */
/* Writes the text where the descriptors lead, as the command would have. */
void harvest_show(const struct harvest *h, int out, int err_fd);
/* A new file in memory with the text, to be read from its start. -1: err says why not. */
int harvest_as_input(const struct harvest *h, struct tare_err *err);
/* What a metric's command printed into `fd`: one number. 0, or an enum null_reason. */
int harvest_number(int fd, const struct own_metric *m, double *value);

#endif
