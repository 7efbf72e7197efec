/* SPDX-License-Identifier: MIT
 *
 * arcs_export.h - the tables and pictures of arcs, for the exporters that have another form for records of commands too; and what all of
 * them share.
 */
#ifndef ARCS_EXPORT_H
#define ARCS_EXPORT_H

#include "export.h"
#include "export_out.h"
#include "graph.h"
#include "record_arcs.h"

enum tare_status arcs_csv_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                                struct tare_err *err);
enum tare_status arcs_markdown_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                                     struct tare_err *err);
enum tare_status arcs_html_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                                 struct tare_err *err);
enum tare_status arcs_svg_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                                struct tare_err *err);

/* A format of arcs alone cannot hold a session without them. */
enum tare_status arcs_refuse(const struct record *r, struct tare_err *err); /* UNSUPPORTED */

/* The program's graph and what of it fits: by the options, or for a picture GRAPH_ARCS_SHOWN arcs (0: all). What is left out goes to
 * options->left_out, with the program's name where there are several. */
struct arcs_shown {
    struct graph graph;
    struct graph_view view;
};
enum tare_status arcs_show(const struct record *r, int subject, const struct export_options *o, int most, struct arena *arena,
                           struct arcs_shown *s);
/* Passes of each point of the record in all runs; NULL: no memory. */
const uint64_t *arcs_passes(const struct record *r, struct arena *arena);
/* "5 of 6 points hit (83.3 %), 7 arcs, 30 runs; in brackets the 95 % interval of the mean over runs." */
void arcs_summary(struct buf *b, const struct graph *g);

/* Calls `part` for each traced program of the record, between opening and closing the output. */
typedef enum tare_status arcs_part(struct export_out *out, const struct record *r, int subject, const struct export_options *o,
                                   struct arena *arena);
enum tare_status arcs_write(const struct record *r, const struct export_options *o, const struct sink *sink, struct tare_err *err,
                            arcs_part *part);

bool arcs_is_first(const struct record *r, int subject); /* of the traced programs */
bool arcs_is_last(const struct record *r, int subject);

/* The members of record_fields.h that lines of arcs have, and how many of the passages were of a class. */
extern const char *const arcs_figures, *const arcs_classes;

#endif
