/* SPDX-License-Identifier: MIT
 *
 * finding.h - how a check reports: text built in place, added to the record. Used by the files of this folder only.
 */
#ifndef FINDING_H
#define FINDING_H

#include "buf.h"
#include "check.h"

struct check {
    struct record *r;
    const struct check_facts *facts;
    const struct check_test *test; /* that is made; NULL: none of the lists */
    double *scratch;               /* room for 4 doubles a round */
    double *sorted;                /* the values of the sample at hand, ascending; of a pair those of the one filled last */
    bool failed;                   /* no memory: later calls do nothing */
};

enum { INTERVAL_FROM = 6 }; /* fewest values with an interval for the median without assumptions, at 95 % */

struct sample { /* one command's values of the deciding metric, in the order of the rounds; all finite */
    int subject;
    const char *unit;
    enum metric_kind kind;
    const double *values;
    int n;
    double median; /* > 0 */
};

/* text: what and how much, in about 70 columns; advice: what to do, in about 50, with an option where there is one. Neither begins
 * with a capital nor ends with a full stop: they are shown as "! outliers: TEXT; ADVICE".
 * weight: how far the numbers may mislead, roughly as a relative error in percent; the screen shows two, warnings before notes, then the
 * heaviest. 1000 and more: it must be read, and comes first. */
BUF_FORMATS(7, 8)
void finding_add(struct check *c, const char *id, enum severity severity, int subject, double weight, const char *advice,
                 const char *format, ...);

/* What the advice names must be an option: a gate takes few of those of the sessions that it makes, and tare trace not all of tare run's. */
bool finding_can_be_followed(const struct check *c, const char *advice);

/* One or two more sentences about the finding that was added last, for -v. */
BUF_FORMATS(2, 3) void finding_detail(struct check *c, const char *format, ...);

/* "12.3 ms" in a unit that fits; memory lasts until the text is built. */
const char *finding_quantity(struct check *c, const char *unit, double value);
const char *finding_figure(struct check *c, double value, int decimals);
/* "cc1 and yes": the programs that used most of the CPU time of all others during the session, two at most; empty where none is known, or where others
 * used as much. to_end: without process 1, which ends with the system. */
const char *finding_cpu_users(struct check *c, bool to_end);
const char *finding_share(struct check *c, double share); /* "17 %", "9.1 %" */
/* "+1.2 %", "−81.5 %": a change. */
const char *finding_change(struct check *c, double percent);
/* Made by tare bench: a run is a process, and some options are not there. */
bool finding_of_benchmarks(const struct check *c);
/* "run", "processes": as record_rows_word. */
const char *finding_runs(const struct check *c, ptrdiff_t n);
/* "p = 0.0021", and below that "p < 0.0001"; memory lasts until the text is built. */
const char *finding_p(struct check *c, double p);
/* The text of b, which is finished here, for as long as the record. */
const char *finding_keep(struct check *c, struct buf *b);
/* Against the other machines of a host; rounds that take turns already cannot be interleaved. */
const char *finding_less_steal(const struct check *c);
/* An account that is kept, and says of no run that it was one thread without children. */
bool finding_several_threads(const struct check *c, int subject);
/* Others leave less than half a CPU of the machine idle, or its runs waited for a quarter of the time: another CPU is no better. */
bool finding_cpus_busy(const struct check *c, int subject);

struct paired_sample {
    const struct comparison *comparison;
    struct sample reference, subject;
};

/* A test with the findings that it may make: of the session, one command or one pair. Each file has a list of its own, closed by one without ids. */
struct check_test {
    const char *ids; /* "id id ..."; docs/findings.md says what each means */
    void (*session)(struct check *c);
    void (*sample)(struct check *c, const struct sample *s);
    void (*pair)(struct check *c, const struct paired_sample *p);
};

extern const struct check_test bench_tests[], cause_tests[], clock_tests[], growth_tests[], host_tests[], own_tests[],
    pair_tests[], placement_tests[], sample_tests[], session_tests[], trace_tests[];

/* Tests that are made of more than the list says. */
bool check_trend(struct check *c, const struct sample *s);
void check_stability(struct check *c, const struct sample *s);
void check_mean_ratio(struct check *c, const struct paired_sample *p);
void check_dependent_rounds(struct check *c, const struct paired_sample *p);

#endif
