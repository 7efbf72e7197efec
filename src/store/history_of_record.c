/* SPDX-License-Identifier: MIT
 *
 * What of a session's record goes into a history.
 *
 * Commands: the metric that decided, wall and rss, by their medians. The metric that decided has the ratio to the anchor, which is no result itself. Benchmarks: the metric that decided (ns). Traced programs: besides wall each arc
 * by its mean, which has no values. Values lose what is below a hundredth of their scatter, and so take few bytes.
 */
#include "history.h"
#include "number_sort.h"
#include "record_arcs.h"
#include "record_kind.h"
#include "sha2.h"
#include <stdlib.h>
#include <string.h>

struct taking {
    const struct record *r;
    struct arena *a;
    struct history_result *items; /* the arena's, room for them all */
    int n, unsound, failed;
    bool no_memory;
};

static void put_fact(struct buf *b, const struct facts *f, const char *key)
{
    const struct fact *fact = facts_find(f, key);
    if (fact && fact->text)
        buf_str(b, fact->text);
    else if (fact && !isnan(fact->number))
        buf_format(b, "%g", fact->number);
    else
        buf_char(b, '?');
}

/* The processor and its topology by what stays the same from one day to the next, and between machines that are bought together: never a frequency,
 * free memory, a name or a kernel. */
const char *history_class_of(const struct record *r, struct arena *a)
{
    static const char *const keys[] = {"architecture", "cpu_vendor", "cpu_family",      "cpu_model",        "cpu_stepping",
                                       "packages",     "cores",      "cpus_online",     "threads_per_core", "l1d_bytes",
                                       "l2_bytes",     "l3_bytes",   "virtual_machine", "hypervisor"};
    struct buf b = BUF_INIT(1 << 12);
    char hash[9];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        put_fact(&b, &r->machine, keys[i]);
        buf_char(&b, '\n');
    }
    sha256_digits(buf_text(&b), b.len, hash, sizeof hash);
    buf_clear(&b);
    put_fact(&b, &r->machine, "cpu_vendor");
    for (int i = 2; i < 5; i++) {
        buf_char(&b, i == 2 ? ' ' : '-');
        put_fact(&b, &r->machine, keys[i]);
    }
    buf_format(&b, " %s", hash);
    return arena_keep(a, &b);
}

static const char *machine_of(const struct record *r, struct arena *a)
{
    struct buf b = BUF_INIT(1 << 12);
    put_fact(&b, &r->machine, "cpu_brand");
    buf_str(&b, ", ");
    put_fact(&b, &r->machine, "cpus_online");
    buf_str(&b, " CPUs");
    const struct fact *virtual = facts_find(&r->machine, "hypervisor");
    if (virtual && virtual->text)
        buf_format(&b, ", %s", virtual->text);
    return arena_keep(a, &b);
}

/* A benchmark of libtare by the name it was registered with; what follows its full name distinguishes programs. */
static const char *name_of(struct taking *t, const struct subject *s)
{
    const size_t n = s->benchmark ? strlen(s->benchmark) : 0;
    if (!n || !s->group || !s->n_parameters || strncmp(s->name, s->benchmark, n) != 0)
        return s->name;
    const char *name = arena_format(t->a, "%s%s", s->group, s->name + n);
    t->no_memory |= !name;
    return name;
}

/* "n=1000 k=3" */
static const char *arguments_of(struct taking *t, const struct subject *s)
{
    struct buf b = BUF_INIT(1 << 16);
    for (int i = 0; i < s->n_parameters; i++)
        buf_format(&b, "%s%s=%s", i ? " " : "", s->parameters[i].name, s->parameters[i].value);
    const char *text = arena_keep(t->a, &b);
    t->no_memory |= !text;
    return text;
}

/* The benchmark's own, or that of all of its program. */
static const char *version_of(const struct record *r, const struct subject *s)
{
    if (s->version)
        return s->version;
    const struct fact *f = facts_find(&r->build, RECORD_NOTE "benchmark_version");
    return f && f->text ? f->text : "";
}

static double finite_or_nan(double x)
{
    return isfinite(x) ? x : NAN;
}

static double rounded(double x, int decimals)
{
    const double power = pow(10, abs(decimals)), scaled = round(decimals < 0 ? x / power : x * power);
    return fabs(scaled) >= 0x1p52 ? x : decimals < 0 ? scaled * power : scaled / power;
}

/* What is below a hundredth of the range of their middle half says nothing: by that a variance grows by 1 in 60 000. Nor does what is beyond nine digits. */
static int decimals_for(struct taking *t, const double *x, int n, double median)
{
    double *sorted = arena_array(t->a, 2 * (size_t)n + 1, sizeof *sorted);
    t->no_memory |= !sorted;
    bool all_integers = true;
    for (int i = 0; sorted && i < n; i++) {
        sorted[i] = x[i];
        all_integers &= x[i] == round(x[i]);
    }
    if (!sorted || !n)
        return 0;
    number_sort(sorted, n, sorted + n);
    const double finest = fmax((sorted[n - 1 - n / 4] - sorted[n / 4]) / 100, fabs(median) / 1e9);
    const int decimals = finest > 0 ? -(int)floor(log10(fmax(finest, 1e-300))) : 0;
    return all_integers && decimals > 0 ? 0 : decimals;
}

static void put_values(struct taking *t, struct history_result *out, int subject, const char *metric)
{
    const double *x = series_values(&t->r->series[subject], metric);
    const int n = x ? record_rounds(t->r, &subject, 1) : 0;
    double *values = n > 0 ? arena_array(t->a, (size_t)n, sizeof *values) : NULL;
    t->no_memory |= n > 0 && !values;
    if (!values)
        return;
    for (int i = 0; i < n; i++)
        if (isfinite(x[i]))
            values[out->n_values++] = x[i];
    const int decimals = decimals_for(t, values, out->n_values, out->point.median);
    for (int i = 0; i < out->n_values; i++)
        values[i] = rounded(values[i], decimals);
    out->values = values;
}

/* Ten digits are finer than any clock. The item, which lacks values and a ratio. */
static struct history_result *take_result(struct taking *t, const char *benchmark, const struct subject *s,
                                          const struct metric *m, struct history_point p)
{
    double *const figures[] = {&p.median, &p.low, &p.high};
    const int decimals = p.median != 0 ? 9 - (int)floor(log10(fabs(p.median))) : 0;
    for (int i = 0; i < 3; i++) {
        *figures[i] = finite_or_nan(*figures[i]);
        if (decimals > 0 && decimals < 22)
            *figures[i] = rounded(*figures[i], decimals);
    }
    p.ratio = p.ratio_low = p.ratio_high = NAN;
    struct history_result *r = &t->items[t->n++];
    *r = (struct history_result){
        .benchmark = benchmark, .arguments = arguments_of(t, s), .version = version_of(t->r, s), .metric = m, .point = p};
    return r;
}

static void put_ratio(struct history_point *p, const struct record *r, int subject, const char *metric)
{
    const struct estimate *e = record_ratio_to_anchor(r, subject);
    if (!e || strcmp(e->metric, metric) != 0 || !isfinite(e->point))
        return;
    p->ratio = e->point;
    p->ratio_low = finite_or_nan(e->low);
    p->ratio_high = finite_or_nan(e->high);
}

static void take_metric(struct taking *t, int subject, const char *id)
{
    const struct subject *s = &t->r->subjects[subject];
    const struct estimate *e = record_estimate(t->r, subject, id, "median");
    const struct metric *m = record_metric(t->r, id);
    if (!m || !e || !isfinite(e->point))
        return;
    struct history_result *result = take_result(
        t, name_of(t, s), s, m, (struct history_point){.median = e->point, .low = e->low, .high = e->high, .n = e->n});
    put_ratio(&result->point, t->r, subject, id);
    put_values(t, result, subject, id);
    result->step = fmax(series_step(&t->r->series[subject], id), 0);
}

enum { FOLLOWED_MAX = 3 };

/* The metrics of a subject that a history follows when nobody says which. */
static int followed(const struct record *r, const struct subject *s, const char *out[FOLLOWED_MAX])
{
    const char *const candidates[FOLLOWED_MAX] = {r->rule.metric ? r->rule.metric : record_kind(r)->time, "wall", "rss"};
    const int n_candidates = s->kind == SUBJECT_COMMAND ? FOLLOWED_MAX : s->kind == SUBJECT_TRACE ? 2 : 1;
    int n = 0;
    for (int i = 0; i < n_candidates; i++) {
        bool twice = false;
        for (int k = 0; k < n; k++)
            twice |= !strcmp(out[k], candidates[i]);
        if (!twice)
            out[n++] = candidates[i];
    }
    return n;
}

static void take_subject(struct taking *t, int subject)
{
    const struct record *r = t->r;
    const struct subject *s = &r->subjects[subject];
    const char *own[FOLLOWED_MAX];
    struct buf unused = BUF_INIT(1 << 10);
    const bool of_two_programs = record_other_program(&r->series[subject], &unused);
    buf_finish(&unused);
    const bool measured = s->kind == SUBJECT_COMMAND || s->kind == SUBJECT_BENCH || s->kind == SUBJECT_TRACE;
    if (!measured || s->anchor || of_two_programs || record_first_copy(r, subject) != subject)
        return;
    t->failed += s->failure && !subject_skipped(s);
    if (s->failure)
        return;
    const int n = followed(r, s, own), before = t->n;
    for (int i = 0; i < n; i++)
        take_metric(t, subject, own[i]);
    /* Files of other tools may have benchmarks with a time and others with a rate. */
    for (int i = 0; i < r->n_metrics && t->n == before && s->kind == SUBJECT_COMMAND; i++)
        take_metric(t, subject, r->metrics[i].id);
}

static const struct metric arc_metric = {"arc", "mean time of an arc", "ns", METRIC_TIME, METRIC_LOWER, NULL};

static void take_arc(struct taking *t, const struct arc_result *a)
{
    struct buf b = BUF_INIT(1 << 16);
    const struct subject *s = &t->r->subjects[a->subject];
    const struct arcs_unsound u = record_arcs_unsound(t->r->traced, a->subject);
    if (!isfinite(a->mean_ns) || !a->whole || s->failure)
        return;
    if (u.runs || u.jumped || arc_goes_back(a, &u)) {
        t->unsound++;
        return;
    }
    if (t->r->n_subjects > 1)
        buf_format(&b, "%s: ", s->name);
    point_label(&b, t->r->traced, a->from);
    buf_str(&b, " -> ");
    point_label(&b, t->r->traced, a->to);
    const char *name = arena_keep(t->a, &b);
    t->no_memory |= !name;
    take_result(t, name, s, &arc_metric,
                (struct history_point){.median = a->mean_ns, .low = a->low_ns, .high = a->high_ns, .n = a->runs_passed});
}

static const char *why_not(const struct record *r)
{
    const struct record_kind *k = record_kind(r);
    if (k->targets)
        return "a session of tare leak has no figure that could be followed: its targets are judged each by itself";
    if (k->id == RECORD_OF_clocks || k->id == RECORD_OF_hosts)
        return "a session of this kind describes a machine, and a history follows programs";
    if (record_is_of_two_sessions(r) || record_is_over_sessions(r))
        return "it is made of several sessions: add each of them";
    return NULL;
}

static void fill_session(struct history_session *s, const struct record *r, struct arena *a, bool *no_memory)
{
    const char *const texts[] = {s->project, s->revision, s->folder};
    const char **const places[] = {&s->project, &s->revision, &s->folder};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *places[i] = texts[i] ? texts[i] : "";
    if (r->start_utc_ns)
        s->measured_utc_ns = r->start_utc_ns;
    const char *source = record_source(r);
    s->tool = source ? arena_strdup(a, source) : arena_format(a, "tare %s", r->tool_version ? r->tool_version : "");
    if (!s->class || !*s->class)
        s->class = history_class_of(r, a);
    s->machine = machine_of(r, a);
    s->confidence = r->rule.confidence;
    if (record_anchors(r)) {
        struct buf b = BUF_INIT(1 << 16);
        record_put_anchor(r, &b);
        s->anchor = arena_keep(a, &b);
        *no_memory |= !s->anchor;
    }
    *no_memory |= !s->tool || !s->class || !s->machine;
}

enum tare_status history_of_record(struct history_entry *e, const struct record *r, struct arena *a, struct tare_err *err)
{
    const char *why = why_not(r);
    if (why)
        return err_set(err, TARE_INVALID, "%s", why);
    struct taking t = {.r = r, .a = a};
    t.items =
        arena_array(a, (size_t)(r->n_subjects * FOLLOWED_MAX + (r->traced ? r->traced->n_results : 0)) + 1, sizeof *t.items);
    t.no_memory = !t.items;
    for (int i = 0; !t.no_memory && i < r->n_subjects; i++)
        take_subject(&t, i);
    for (int i = 0; !t.no_memory && r->traced && i < r->traced->n_results; i++)
        take_arc(&t, &r->traced->results[i]);
    fill_session(&e->session, r, a, &t.no_memory);
    if (!e->session.words && r->argv)
        t.no_memory |= !(e->session.words = arena_words(a, r->argv));
    if (t.no_memory)
        return err_no_memory(err);
    e->results = t.items;
    e->n = t.n;
    e->unsound = t.unsound;
    e->failed = t.failed;
    return t.n ? TARE_OK : err_set(err, TARE_NOT_FOUND, "none of its subjects has a result");
}
