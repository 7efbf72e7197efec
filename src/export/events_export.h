/* SPDX-License-Identifier: MIT
 *
 * events_export.h - what the formats of events share. exporter_write has them write between opening and closing.
 */
#ifndef EVENTS_EXPORT_H
#define EVENTS_EXPORT_H

#include "export.h"
#include "export_out.h"
#include "spans.h"

struct events {
    struct spans spans;
    const struct export_options *o;
    const char *title; /* the first program; not masked */
    double probe_ns;   /* overhead of a probe in most arcs; 0: not known */
};

/* UNSUPPORTED: no record of traces, or without the files of a run. */
enum tare_status events_possible(const struct record *r, const struct export_options *o, struct tare_err *err);
/* Whose record it is, with files; reads them and has them written. What is left out goes to the options' buffer. */
enum tare_status events_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                              struct tare_err *err, bool spans,
                              enum tare_status (*write)(struct events *e, const struct sink *sink, struct tare_err *err));
/* A node's time without the overhead of its probes, rounded to nanoseconds; may be negative. */
int64_t events_self_ns(const struct events *e, const struct span_node *n);
/* Adds to spans.left_out what a format without negative sums cannot hold. */
void events_say_negative(struct events *e);
const char *events_program(const struct events *e, int process);                   /* its name, of the file's head */
const char *events_frame_file(const struct events *e, const struct span_frame *f); /* "" where it has none */
int events_frame_line(const struct events *e, const struct span_frame *f);

#endif
