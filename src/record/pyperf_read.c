/* SPDX-License-Identifier: MIT
 *
 * Files of pyperf (.json): benchmarks[] with runs[], each run one process with values[] and warmups[] ([loops, value]), all
 * already divided by the number of loops, in the unit of the metadata (second, byte, integer). A run with warmups and without the
 * member "values" calibrated the number of loops and is no sample; any other run without values has lost them. Metadata stand with the suite, the benchmark or the run, whichever they hold for.
 */
#include "foreign.h"
#include <math.h>
#include <string.h>

static const struct foreign_source source = {
    .format = "pyperf JSON",
    .value = "the mean of one batch of loops",
    .order = "one benchmark after the other, as pyperf does",
    .limits =
        "values of one pyperf process share its memory layout and hash seed and are not independent; each is a mean over loops",
};

struct pyperf {
    struct foreign *f;
    const struct json_value *suite, *benchmark; /* their metadata */
    double factor;                              /* from the file's unit to ours */
    int series;
};

static const struct json_value *metadata(const struct pyperf *p, const struct json_value *run, const char *key)
{
    const struct json_value *v = json_member(run, key);
    v = v ? v : json_member(p->benchmark, key);
    return v ? v : json_member(p->suite, key);
}

static enum tare_status choose_column(struct pyperf *p, const struct json_value *first_run, const char **column)
{
    static const struct metric memory = {"memory", "memory", "bytes", METRIC_SIZE, METRIC_LOWER, NULL},
                               integer = {"value", "value", "1", METRIC_COUNT, METRIC_NEUTRAL, NULL};
    const char *unit = "second";
    json_text_of(metadata(p, json_member(first_run, "metadata"), "unit"), &unit);
    bool bytes = !strcmp(unit, "byte");
    *column = "wall";
    p->factor = 1e9;
    if (!strcmp(unit, "second"))
        return TARE_OK;
    if (!bytes && strcmp(unit, "integer") != 0)
        return foreign_wrong(p->f, "a pyperf unit that is none of second, byte and integer");
    p->factor = 1;
    *column = bytes ? "memory" : "value";
    return foreign_metric(p->f, bytes ? &memory : &integer);
}

static enum tare_status add_value(struct pyperf *p, const struct json_value *v, double loops, int process, bool warmup)
{
    double value;
    if (!json_number_of(v, &value) || value < 0 || !isfinite(value * p->factor) ||
        !foreign_possible(p->f->r->series[p->series].columns[0], value * p->factor) || !foreign_possible("iterations", loops))
        return foreign_left_out(p->f, p->f->r->subjects[p->series].name);
    p->f->values[0] = value * p->factor;
    p->f->values[1] = isfinite(loops) ? loops : NAN;
    p->f->values[2] = process;
    return foreign_row(p->f, p->series, warmup);
}

/* Of a process; warm-ups have loops of their own. */
static double count_of(const struct pyperf *p, const struct json_value *run, const char *key)
{
    double count = 1;
    json_number_of(metadata(p, json_member(run, "metadata"), key), &count);
    return count;
}

static enum tare_status read_process(struct pyperf *p, const struct json_value *run, int process)
{
    const double loops = count_of(p, run, "loops"), inner = count_of(p, run, "inner_loops");
    enum tare_status status = TARE_OK;
    for (const struct json_value *w = json_first(json_member(run, "warmups")); w && !status; w = json_next(w)) {
        double own = NAN;
        json_number_of(json_first(w), &own);
        status = add_value(p, json_first(w) ? json_next(json_first(w)) : NULL, own * inner, process, true);
    }
    for (const struct json_value *v = json_first(json_member(run, "values")); v && !status; v = json_next(v))
        status = add_value(p, v, loops * inner, process, false);
    return status;
}

/* pyperf writes no empty lists. */
static bool is_calibration(const struct json_value *run)
{
    return !json_member(run, "values") && json_count(json_member(run, "warmups"));
}

static enum tare_status read_benchmark(struct foreign *f, const struct json_value *suite, const struct json_value *b)
{
    struct pyperf p = {.f = f, .suite = suite, .benchmark = json_member(b, "metadata")};
    const struct json_value *first = json_first(json_member(b, "runs"));
    const char *column, *name = "unnamed";
    int process = 0, calibrations = 0;
    json_text_of(metadata(&p, NULL, "name"), &name);
    enum tare_status status = choose_column(&p, first, &column);
    const struct subject s = {.name = name};
    if (!status)
        status = foreign_subject(f, &s, (const char *const[]){column, "iterations", "process"}, 3, &p.series);
    for (const struct json_value *run = first; run && !status; run = json_next(run)) {
        if (json_count(json_member(run, "values")))
            status = read_process(&p, run, process++);
        else if (is_calibration(run))
            calibrations++;
        else
            f->left_out++;
    }
    if (!status && calibrations)
        foreign_note(f, "'%s': %d calibration run%s no sample%s and left out", name, calibrations,
                     calibrations == 1 ? " is" : "s are", calibrations == 1 ? "" : "s");
    return status;
}

static bool pyperf_file(const struct json_value *root)
{
    return json_member(json_first(json_member(root, "benchmarks")), "runs");
}

static enum tare_status pyperf_read(struct foreign *f, const struct json_value *root)
{
    const struct json_value *suite = json_member(root, "metadata"), *list = json_member(root, "benchmarks");
    struct pyperf p = {.suite = suite, .benchmark = json_member(json_first(list), "metadata")};
    const struct json_value *run = json_member(json_first(json_member(json_first(list), "runs")), "metadata");
    static const struct {
        const char *ours, *theirs;
    } machine[] = {
        {"host_name", "hostname"}, {"cpu_brand", "cpu_model_name"}, {"kernel", "platform"}, {"cpus_online", "cpu_count"}};
    enum tare_status status = TARE_OK;
    for (size_t i = 0; i < sizeof machine / sizeof *machine && !status; i++)
        status = foreign_fact(f, &f->r->machine, machine[i].ours, metadata(&p, run, machine[i].theirs));
    if (!status)
        status = foreign_fact(f, &f->r->build, "python_version", metadata(&p, run, "python_version"));
    for (const struct json_value *b = json_first(list); b && !status; b = json_next(b))
        status = read_benchmark(f, suite, b);
    return status;
}

const struct json_format pyperf_format = {pyperf_file, pyperf_read, &source};
