/* SPDX-License-Identifier: MIT
 *
 * json_parts.h - the parts of the JSON export; json.c puts them together.
 */
#ifndef JSON_PARTS_H
#define JSON_PARTS_H

#include "export_out.h"
#include "json_write.h"
#include "record.h"

/* "results" and "comparisons". */
void json_results(struct json_write *j, struct export_out *out, const struct record *r, const int *order);
void json_subject(struct json_write *j, const char *key, const struct record *r, int subject); /* its name; -1: null */
/* The subject's parameters, or arguments. */
void json_parameters(struct json_write *j, const char *key, const struct subject *s);
/* Numbers on one line. */
void json_numbers(struct json_write *j, const char *key, const double *values, int n);
/* Where the session has an anchor: "anchor": true for it, "ratio_to_anchor" {point, low, high, n} or null for the others. */
void json_anchor(struct json_write *j, const struct record *r, int subject);
/* Point and interval of an estimate under these three keys. */
void json_interval(struct json_write *j, const struct record *r, int subject, const char *metric, const char *statistic,
                   const char *const keys[3]);
extern const char *const json_median_keys[3]; /* median, low, high */

/* The list of tare bench. */
void json_benchmarks(struct json_write *j, struct export_out *out, const struct record *r);
/* The list of tare leak. */
void json_targets(struct json_write *j, struct export_out *out, const struct record *r);
/* "arcs" and "points": the lists of tare trace. */
void json_traces(struct json_write *j, struct export_out *out, const struct record *r);
/* "from" and "to" of a result. */
void json_arc_ends(struct json_write *j, const struct record *r, int result);
/* The lists of tare clock. */
void json_clocks(struct json_write *j, struct export_out *out, const struct record *r);
/* "host": what tare system qualify says. */
void json_host(struct json_write *j, struct export_out *out, const struct record *r);

#endif
