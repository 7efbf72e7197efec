/* SPDX-License-Identifier: MIT
 *
 * gate_options.h - the options of `tare gate`. Those of a repository's own file, .tare/gate, are read by the same table, before the command line.
 */
#ifndef GATE_OPTIONS_H
#define GATE_OPTIONS_H

#include "display_options.h"

struct gate_options {
    struct option_base base;
    /* what is compared */
    const char *base_revision, *head_revision; /* NULL: the merge base; HEAD */
    const char *build;
    struct option_list programs, carried; /* paths, from where the user stands */
    struct option_list command;           /* in place of programs: its words; from the check on */
    struct option_list inputs;            /* "PATH", "GLOB=PATH" as given */
    const char *build_log;                /* NULL: none */
    /* the question */
    struct option_list limits; /* "2%", "GLOB=P%" as given */
    struct option_list controls, accepted;
    double layout; /* ratio less 1; 0: not known */
    int64_t max_time_ns;
    uint64_t seed;
    int qualify;
    bool merge;
    /* how benchmarks run */
    struct option_list filters, excluded, env;
    const char *harness, *metric, *cwd;
    int64_t timeout_ns;
    int pin_cpu;
    /* the result */
    struct display_options display;
    const char *save, *junit, *comment;
    int summary, annotate; /* 0: no; 1: github */
    bool dry_run;
};

extern const struct option_set gate_option_set;
#define GATE_GIVEN(o, field) option_given(&gate_option_set, (o), offsetof(struct gate_options, field))

/* Once all were read. INVALID. */
enum tare_status gate_options_check(struct gate_options *o, const struct option_operands *operands, struct tare_err *err);
/* The slowdown that fails a benchmark of this name, as a ratio: of the last --fail-if-slower that fits it. */
double gate_options_limit(const struct gate_options *o, const char *benchmark);
bool gate_limit_fits(const char *given, const char *benchmark); /* of one "GLOB=P%" or "P%" */
/* The path of one "GLOB=PATH" or "PATH" that fits the program; NULL: it does not. */
const char *gate_inputs_of(const char *given, const char *program);
void gate_put_limits(const struct gate_options *o, const char *between, struct buf *b);
/* Whether a pattern matches the name from its first to its last character: * matches any characters, ? one. */
bool gate_name_fits(const char *glob, const char *name);
/* The words of a file's text, one option a line, closed by NULL. Comments begin with #. What follows an option's name is its value, in quotation marks or
 * not. INVALID: err names the line. */
enum tare_status gate_file_words(const char *text, const char ***words, int *n, struct arena *a, struct tare_err *err);

#endif
