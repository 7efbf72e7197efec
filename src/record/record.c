/* SPDX-License-Identifier: MIT */
#include "record.h"
#include "leak_target.h"
#include "record_arcs.h"
#include "record_fields.h"
#include "same_text.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void record_init(struct record *r)
{
    *r = (struct record){.rule = {.fail_if_slower = NAN}};
}

static void rows_finish(struct rows *rows, int n_columns)
{
    free(rows->round);
    free(rows->slot);
    free(rows->start_ns);
    free(rows->flags);
    for (int i = 0; rows->value && i < n_columns; i++)
        free(rows->value[i]);
    free(rows->value);
}

static void series_finish(struct series *s)
{
    rows_finish(&s->main, s->n_columns);
    rows_finish(&s->warmup, s->n_columns);
    rows_finish(&s->replaced, s->n_columns);
    rows_finish(&s->samples, s->n_sample_columns);
    for (int i = 0; i < s->n_counts; i++) {
        free(s->counts[i].round);
        free(s->counts[i].value);
    }
}

void record_finish(struct record *r)
{
    for (int i = 0; i < r->n_subjects; i++)
        series_finish(&r->series[i]);
    free(r->series);
    free(r->subjects);
    free(r->metrics);
    free(r->estimates);
    free(r->last_estimate);
    free(r->comparisons);
    free(r->findings);
    free(r->timelines);
    free(r->leak_targets);
    record_traced_finish(r);
    free(r->machine.items);
    free(r->before.items);
    free(r->after.items);
    free(r->build.items);
    arena_finish(&r->arena);
    *r = (struct record){0};
}

/* Growing: by half, so that at most a third of the memory is unused. */

static int larger_room(int room)
{
    return room < 16 ? 16 : room > INT32_MAX / 3 * 2 ? 0 : room + room / 2;
}

/* `items` is the address of a pointer to any type; it is copied as bytes because it may not be read as a void pointer. */
static bool resize_items(void *items, int room, size_t item_bytes)
{
    void *p;
    memcpy(&p, items, sizeof p);
    if ((size_t)room > SIZE_MAX / item_bytes || !(p = realloc(p, (size_t)room * item_bytes)))
        return false;
    memcpy(items, &p, sizeof p);
    return true;
}

/* NULL stays NULL; *ok becomes false when memory is exhausted. */
static const char *copy_text(struct record *r, const char *text, bool *ok)
{
    const char *p = arena_strdup(&r->arena, text);
    *ok = *ok && (p || !text);
    return p;
}

static const char **copy_names(struct record *r, const char *const *names, int n, bool *ok)
{
    const char **copies = arena_array(&r->arena, (size_t)n + 1, sizeof *copies);
    *ok = *ok && copies;
    for (int i = 0; *ok && i < n; i++)
        copies[i] = copy_text(r, names[i], ok);
    return copies;
}

static const struct parameter *copy_parameters(struct record *r, const struct parameter *items, int n, bool *ok)
{
    if (!n)
        return NULL;
    struct parameter *copies = arena_array(&r->arena, (size_t)n, sizeof *copies);
    *ok = *ok && copies;
    for (int i = 0; copies && i < n; i++)
        copies[i] = (struct parameter){copy_text(r, items[i].name, ok), copy_text(r, items[i].value, ok)};
    return copies;
}

const struct metric *record_metric(const struct record *r, const char *id)
{
    for (int i = 0; i < r->n_metrics; i++)
        if (!strcmp(r->metrics[i].id, id))
            return &r->metrics[i];
    return NULL;
}

int record_add_metric(struct record *r, const struct metric *m)
{
    const struct metric *there = record_metric(r, m->id);
    return there ? (int)(there - r->metrics)
                 : record_add_item(r, &r->metrics, &r->n_metrics, &r->room_metrics, metric_fields, m, sizeof *m);
}

enum tare_status record_add_arc_metric(struct record *r)
{
    const struct metric arc = {
        .id = "arc", .title = "time of a traversal", .unit = "ns", .kind = METRIC_TIME, .direction = METRIC_LOWER};
    return record_add_metric(r, &arc) < 0 ? TARE_NO_MEMORY : TARE_OK;
}

static enum tare_status fact_put(struct record *r, struct facts *f, const struct fact *given)
{
    bool ok = true;
    struct fact own = {copy_text(r, given->key, &ok), copy_text(r, given->text, &ok), given->number,
                       copy_text(r, given->reason, &ok)};
    const struct fact *there = facts_find(f, given->key);
    if (!ok || (!there && !array_room(&f->items, f->n, &f->room, sizeof own)))
        return TARE_NO_MEMORY;
    f->items[there ? there - f->items : f->n++] = own;
    return TARE_OK;
}

enum tare_status facts_add_text(struct record *r, struct facts *f, const char *key, const char *text)
{
    return fact_put(r, f, &(struct fact){.key = key, .text = text, .number = NAN});
}

enum tare_status facts_add_number(struct record *r, struct facts *f, const char *key, double number)
{
    if (!isfinite(number))
        return facts_add_unknown(r, f, key, "not a finite number");
    return fact_put(r, f, &(struct fact){.key = key, .number = number});
}

enum tare_status facts_add_unknown(struct record *r, struct facts *f, const char *key, const char *reason)
{
    return fact_put(r, f, &(struct fact){.key = key, .number = NAN, .reason = reason});
}

enum tare_status facts_copy(struct record *r, struct facts *to, const struct facts *from)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < from->n && !status; i++)
        status = fact_put(r, to, &from->items[i]);
    return status;
}

const struct fact *facts_find(const struct facts *f, const char *key)
{
    for (int i = 0; i < f->n; i++)
        if (!strcmp(f->items[i].key, key))
            return &f->items[i];
    return NULL;
}

const struct fact *revision_fact(const struct record *r, int number, const char *what)
{
    char key[64];
    buf_print(key, sizeof key, "revision_%d%s", number, what);
    return facts_find(&r->build, key);
}

const char *facts_text(const struct facts *f, const char *key)
{
    const struct fact *there = facts_find(f, key);
    return there ? there->text : NULL;
}

double facts_number(const struct facts *f, const char *key)
{
    const struct fact *there = facts_find(f, key);
    return there && !there->text ? there->number : NAN;
}

double facts_cpus_of_others(const struct facts *after)
{
    return facts_number(after, "cpu_users_seconds") / facts_number(after, "cpu_watch_seconds");
}

static bool names_twice(const char *const *names, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = 0; k < i; k++)
            if (!strcmp(names[i], names[k]))
                return true;
    return false;
}

enum tare_status record_set_columns(struct record *r, int series, const char *const *columns, int n_columns)
{
    struct series *s = &r->series[series];
    if (s->main.n || s->warmup.n || s->replaced.n || n_columns < 0 || names_twice(columns, n_columns))
        return TARE_INVALID;
    rows_finish(&s->main, s->n_columns); /* room made by an append that failed */
    rows_finish(&s->warmup, s->n_columns);
    rows_finish(&s->replaced, s->n_columns);
    bool ok = true;
    const char **copies = copy_names(r, columns, n_columns, &ok);
    s->main = s->warmup = s->replaced = (struct rows){0};
    s->subject = series;
    s->n_columns = ok ? n_columns : 0;
    s->columns = copies;
    return ok ? TARE_OK : TARE_NO_MEMORY;
}

static bool room_for_subject(struct record *r)
{
    int room = r->room_subjects;
    if (!array_room(&r->subjects, r->n_subjects, &room, sizeof *r->subjects))
        return false;
    if (room != r->room_subjects && !resize_items(&r->series, room, sizeof *r->series))
        return false; /* subjects are larger than room_subjects says: harmless */
    r->room_subjects = room;
    return true;
}

int record_add_subject(struct record *r, const struct subject *s, const char *const *columns, int n_columns)
{
    bool ok = room_for_subject(r);
    struct subject own = *s;
    ok = record_fields_own(r, subject_texts, &own) && record_fields_own(r, hook_fields, &own) && ok;
    own.argv = arena_words(&r->arena, s->argv);
    ok = ok && (own.argv || !s->argv);
    own.parameters = copy_parameters(r, s->parameters, s->n_parameters, &ok);
    if (s->kind == SUBJECT_TRACE)
        ok = ok && record_begin_traced(r);
    if (!ok)
        return -1;
    int index = r->n_subjects;
    r->subjects[index] = own;
    r->series[index] = (struct series){.subject = index};
    if (record_set_columns(r, index, columns, n_columns))
        return -1;
    return r->n_subjects++;
}

/* All arrays of a series' rows grow together; one that grew alone before a failure is only larger than `room` says. */
static bool room_for_row(struct rows *rows, int n_columns)
{
    if (rows->n < rows->room)
        return true;
    int room = larger_room(rows->room);
    if (!rows->value)
        rows->value = calloc((size_t)n_columns + 1, sizeof *rows->value);
    bool ok = room && rows->value && resize_items(&rows->round, room, sizeof *rows->round) &&
              resize_items(&rows->slot, room, sizeof *rows->slot) &&
              resize_items(&rows->start_ns, room, sizeof *rows->start_ns) &&
              resize_items(&rows->flags, room, sizeof *rows->flags);
    for (int i = 0; ok && i < n_columns; i++)
        ok = resize_items(&rows->value[i], room, sizeof *rows->value[i]);
    if (ok)
        rows->room = room;
    return ok;
}

static enum tare_status append_row(struct rows *rows, int n_columns, const struct row *row)
{
    if (!room_for_row(rows, n_columns))
        return TARE_NO_MEMORY;
    int i = rows->n++;
    rows->round[i] = row->round;
    rows->slot[i] = row->slot;
    rows->start_ns[i] = row->start_ns;
    rows->flags[i] = row->flags;
    for (int column = 0; column < n_columns; column++)
        rows->value[column][i] = row->values[column];
    return TARE_OK;
}

enum tare_status record_append_row(struct record *r, int series, const struct row *row)
{
    assert(series >= 0 && series < r->n_subjects);
    struct series *s = &r->series[series];
    return append_row(row->flags & ROW_WARMUP ? &s->warmup : &s->main, s->n_columns, row);
}

enum tare_status record_set_sample_columns(struct record *r, int series, const char *const *columns, int n_columns)
{
    struct series *s = &r->series[series];
    if (s->samples.n || n_columns < 0 || names_twice(columns, n_columns))
        return TARE_INVALID;
    bool ok = true;
    const char **copies = copy_names(r, columns, n_columns, &ok);
    rows_finish(&s->samples, s->n_sample_columns); /* room made by an append that failed */
    s->samples = (struct rows){0};
    s->n_sample_columns = ok ? n_columns : 0;
    s->sample_columns = copies;
    return ok ? TARE_OK : TARE_NO_MEMORY;
}

enum tare_status record_append_sample(struct record *r, int series, const struct row *row)
{
    assert(series >= 0 && series < r->n_subjects);
    struct series *s = &r->series[series];
    return append_row(&s->samples, s->n_sample_columns, row);
}

bool count_is_ours(const struct count *c)
{
    return !strcmp(c->name, COUNT_ALLOCATIONS) || !strcmp(c->name, COUNT_ALLOCATED);
}

struct count *series_count(const struct series *s, const char *name)
{
    for (int i = 0; i < s->n_counts; i++)
        if (!strcmp(s->counts[i].name, name))
            return &s->counts[i];
    return NULL;
}

static enum tare_status add_count_name(struct record *r, struct series *s, const struct count *what, struct count **out)
{
    if (s->n_counts == COUNTS_MAX)
        return TARE_INVALID;
    if (!s->counts)
        s->counts = arena_array(&r->arena, COUNTS_MAX, sizeof *s->counts);
    const char *name = arena_strdup(&r->arena, what->name), *unit = arena_strdup(&r->arena, what->unit ? what->unit : "");
    if (!s->counts || !name || !unit)
        return TARE_NO_MEMORY;
    *out = &s->counts[s->n_counts++];
    **out = (struct count){.name = name, .unit = unit, .per = what->per, .inverted = what->inverted};
    return TARE_OK;
}

static bool room_for_value(struct count *c)
{
    int room = c->n < c->room ? c->room : larger_room(c->room);
    bool ok = c->n < c->room ||
              (room && resize_items(&c->round, room, sizeof *c->round) && resize_items(&c->value, room, sizeof *c->value));
    c->room = ok ? room : c->room;
    return ok;
}

enum tare_status record_add_count(struct record *r, int series, int round, const struct count *what, double value)
{
    struct series *s = &r->series[series];
    struct count *c = series_count(s, what->name);
    enum tare_status status = c ? TARE_OK : add_count_name(r, s, what, &c);
    if (status)
        return status;
    int last = c->n ? c->round[c->n - 1] : -1;
    if (round < last)
        return TARE_INVALID;
    if (!room_for_value(c))
        return TARE_NO_MEMORY;
    c->n += round > last;
    c->round[c->n - 1] = round;
    c->value[c->n - 1] = value;
    return TARE_OK;
}

static void counts_forget(struct series *s, int round)
{
    for (int i = 0; i < s->n_counts; i++)
        if (s->counts[i].n && s->counts[i].round[s->counts[i].n - 1] == round)
            s->counts[i].n--;
}

/* The first one stays. */
static enum tare_status set_text(struct record *r, const char **text, const char *to)
{
    *text = *text ? *text : arena_strdup(&r->arena, to);
    return *text ? TARE_OK : TARE_NO_MEMORY;
}

enum tare_status record_set_failure(struct record *r, int subject, const char *why)
{
    return set_text(r, &r->subjects[subject].failure, why);
}

enum tare_status record_set_remark(struct record *r, int subject, const char *remark)
{
    return set_text(r, &r->subjects[subject].remark, remark);
}

enum tare_status record_set_label(struct record *r, int subject, const char *label)
{
    return set_text(r, &r->subjects[subject].label, label);
}

bool comparison_over_sets(const struct record *r, const struct comparison *c)
{
    return record_is_over_sessions(r) && c->rounds >= LIKELY_SESSIONS && c->reference_rounds >= LIKELY_SESSIONS;
}

enum verdict verdict_likely(enum verdict v)
{
    return v >= VERDICT_FASTER && v <= VERDICT_SAME ? v - VERDICT_FASTER + VERDICT_LIKELY_FASTER : v;
}

enum verdict verdict_plain(enum verdict v)
{
    return v >= VERDICT_LIKELY_FASTER && v <= VERDICT_LIKELY_SAME ? v - VERDICT_LIKELY_FASTER + VERDICT_FASTER : v;
}

bool verdict_differs(enum verdict v)
{
    const enum verdict plain = verdict_plain(v);
    return plain >= VERDICT_FASTER && plain <= VERDICT_HIGHER;
}

bool comparison_judged(const struct comparison *c)
{
    if (c->verdict == VERDICT_UNDECIDED)
        return isfinite(c->low) || isfinite(c->high);
    return c->verdict != VERDICT_NONE && c->verdict != VERDICT_INVALID && c->verdict != VERDICT_NOT_COMPARABLE;
}

bool subject_skipped(const struct subject *s)
{
    return s->failure && !strncmp(s->failure, "skipped", 7);
}

const char *subject_given_up(const struct subject *s)
{
    static const char away[] = "optimised-away";
    if (!s->failure)
        return NULL;
    return subject_skipped(s) ? "skipped" : strncmp(s->failure, away, sizeof away - 1) ? "failed" : away;
}

int record_reference(const struct record *r, int subject)
{
    const struct subject *s = &r->subjects[subject];
    if (s->kind == SUBJECT_LEAK || s->anchor)
        return -1;
    if (s->kind == SUBJECT_BENCH)
        return s->reference;
    return subject == r->rule.reference ? -1 : r->rule.reference;
}

int record_anchor(const struct record *r, int subject)
{
    const char *benchmark = r->subjects[subject].benchmark;
    for (int i = 0; i < r->n_subjects && !r->subjects[subject].anchor; i++) {
        const struct subject *s = &r->subjects[i];
        if (s->anchor && s->kind == r->subjects[subject].kind && same_text(s->benchmark, benchmark))
            return i;
    }
    return -1;
}

int record_first_anchor(const struct record *r)
{
    int i = 0;
    while (i < r->n_subjects && !r->subjects[i].anchor)
        i++;
    return i < r->n_subjects ? i : -1;
}

int record_anchors(const struct record *r)
{
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++)
        n += r->subjects[i].anchor;
    return n;
}

const struct estimate *record_ratio_to_anchor(const struct record *r, int subject)
{
    return record_estimate(r, subject, r->rule.metric, STATISTIC_OF_ANCHOR);
}

void record_put_anchor(const struct record *r, struct buf *out)
{
    const int i = record_first_anchor(r);
    if (i < 0)
        return;
    static const char *const parts[] = {"", "script_"};
    const struct subject *s = &r->subjects[i];
    buf_str(out, s->program ? s->program : s->command);
    for (int k = 0; k < 2 && !s->shell; k++) { /* else the program is the shell */
        char key[48];
        buf_print(key, sizeof key, "program_%d_%sfnv1a64", i + 1, parts[k]);
        const struct fact *hash = facts_find(&r->build, key);
        if (hash && hash->text)
            buf_format(out, " %s", hash->text);
    }
}

static bool room_for_estimates_of(struct record *r, int subject)
{
    int before = r->room_last_estimate, room = before;
    while (subject >= room && (room = larger_room(room)))
        ;
    if (subject < before)
        return true;
    if (!room || !resize_items(&r->last_estimate, room, sizeof *r->last_estimate))
        return false;
    memset(r->last_estimate + before, 0, (size_t)(room - before) * sizeof *r->last_estimate);
    r->room_last_estimate = room;
    return true;
}

/* It becomes the last one of its subject. */
static void link_estimate(struct record *r, int i)
{
    struct estimate *e = &r->estimates[i];
    e->before = r->last_estimate[e->subject];
    r->last_estimate[e->subject] = i + 1;
}

static void forget_estimates(struct record *r)
{
    if (r->room_last_estimate)
        memset(r->last_estimate, 0, (size_t)r->room_last_estimate * sizeof *r->last_estimate);
}

/* New index, or -1: gone. */
static int moved_to(const bool *keep, int subject)
{
    int to = 0;
    for (int i = 0; i < subject; i++)
        to += keep[i];
    return subject >= 0 && keep[subject] ? to : -1;
}

/* Of n items of `bytes` bytes those whose subject, an int at subject_at, stays; -1 is of the session. Returns how many. */
static int keep_items(void *items, int n, size_t bytes, size_t subject_at, const bool *keep)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        char *to = (char *)items + (size_t)kept * bytes;
        int subject;
        memmove(to, (char *)items + (size_t)i * bytes, bytes);
        memcpy(&subject, to + subject_at, sizeof subject);
        const int moved = moved_to(keep, subject);
        memcpy(to + subject_at, &moved, sizeof moved);
        kept += subject < 0 || moved >= 0;
    }
    return kept;
}

static void keep_estimates(struct record *r, const bool *keep)
{
    r->n_estimates = keep_items(r->estimates, r->n_estimates, sizeof *r->estimates, offsetof(struct estimate, subject), keep);
    forget_estimates(r);
    for (int i = 0; i < r->n_estimates; i++)
        link_estimate(r, i);
}

static void keep_comparisons(struct record *r, const bool *keep)
{
    int n = 0;
    for (int i = 0; i < r->n_comparisons; i++) {
        struct comparison c = r->comparisons[i];
        c.better = moved_to(keep, c.better);
        c.reference = moved_to(keep, c.reference);
        c.subject = moved_to(keep, c.subject);
        if (c.reference >= 0 && c.subject >= 0)
            r->comparisons[n++] = c;
    }
    r->n_comparisons = n;
}

void record_keep_subjects(struct record *r, const bool *keep)
{
    int n = 0, reference = r->rule.reference < r->n_subjects ? moved_to(keep, r->rule.reference) : -1;
    keep_estimates(r, keep);
    keep_comparisons(r, keep);
    r->n_findings = keep_items(r->findings, r->n_findings, sizeof *r->findings, offsetof(struct finding, subject), keep);
    r->n_timelines = keep_items(r->timelines, r->n_timelines, sizeof *r->timelines, offsetof(struct timeline, subject), keep);
    r->n_leak_targets =
        keep_items(r->leak_targets, r->n_leak_targets, sizeof *r->leak_targets, offsetof(struct leak_target, subject), keep);
    record_keep_traced(r, keep);
    for (int i = 0; i < r->n_subjects; i++) {
        if (!keep[i]) {
            series_finish(&r->series[i]);
            continue;
        }
        r->subjects[n] = r->subjects[i];
        r->series[n] = r->series[i];
        r->series[n].subject = n;
        r->subjects[n].reference = moved_to(keep, r->subjects[n].reference);
        n++;
    }
    r->n_subjects = n;
    r->rule.reference = reference < 0 ? 0 : reference;
}

const char *record_source(const struct record *r)
{
    return facts_text(&r->before, "source_format");
}

bool record_in_order(const struct record *r)
{
    return !facts_text(&r->before, "source_sorted");
}

bool record_has_alternatives(const struct record *r)
{
    const char *subjects = facts_text(&r->before, "source_subjects");
    return !subjects || strcmp(subjects, RECORD_SUITE) != 0;
}

bool record_is_over_sessions(const struct record *r)
{
    return r->sessions > 0 && !r->session;
}

bool record_is_complete(const struct record *r)
{
    return r->ended && !r->partial && !r->unverified;
}

const char *record_undeciding(const struct record *r)
{
    const bool interrupted = r->ended && !strcmp(r->ended, "interrupted");
    return r->unverified                              ? r->unverified
           : interrupted                              ? "its session was interrupted"
           : record_is_over_sessions(r) && r->partial ? RECORD_SESSIONS_MISSING
                                                      : NULL;
}

bool record_is_of_two_sessions(const struct record *r)
{
    return r->n_comparisons > 0 && r->comparisons[0].reference_rounds > 0;
}

const char *subject_parameter(const struct subject *s, const char *name)
{
    for (int i = 0; i < s->n_parameters; i++)
        if (!strcmp(s->parameters[i].name, name))
            return s->parameters[i].value;
    return NULL;
}

void rows_move(struct rows *to, int i, const struct rows *from, int k, int n_columns)
{
    to->round[i] = from->round[k];
    to->slot[i] = from->slot[k];
    to->start_ns[i] = from->start_ns[k];
    to->flags[i] = from->flags[k];
    for (int column = 0; column < n_columns; column++)
        to->value[column][i] = from->value[column][k];
}

enum tare_status record_replace_round(struct record *r, const int *subjects, int n_subjects, int round)
{
    for (int i = 0; i < n_subjects; i++) /* all or none */
        if (!room_for_row(&r->series[subjects[i]].replaced, r->series[subjects[i]].n_columns))
            return TARE_NO_MEMORY;
    for (int i = 0; i < n_subjects; i++) {
        struct series *s = &r->series[subjects[i]];
        record_drop_traced(r, subjects[i], round);
        if (!s->main.n || s->main.round[s->main.n - 1] != round)
            continue;
        rows_move(&s->replaced, s->replaced.n++, &s->main, --s->main.n, s->n_columns);
        while (s->samples.n && s->samples.round[s->samples.n - 1] == round) /* the file keeps them */
            s->samples.n--;
        counts_forget(s, round);
    }
    return TARE_OK;
}

int series_column(const struct series *s, const char *id)
{
    for (int i = 0; i < s->n_columns; i++)
        if (!strcmp(s->columns[i], id))
            return i;
    return -1;
}

const double *series_samples(const struct series *s, const char *id)
{
    for (int i = 0; i < s->n_sample_columns && s->samples.n; i++)
        if (!strcmp(s->sample_columns[i], id))
            return s->samples.value[i];
    return NULL;
}

const double *series_values(const struct series *s, const char *id)
{
    int column = series_column(s, id);
    return column < 0 || !s->main.n ? NULL : s->main.value[column];
}

int record_add_estimate(struct record *r, const struct estimate *e)
{
    const int at = !room_for_estimates_of(r, e->subject)
                       ? -1
                       : record_add_item(r, &r->estimates, &r->n_estimates, &r->room_estimates, estimate_fields, e, sizeof *e);
    if (at >= 0)
        link_estimate(r, at);
    return at;
}

int record_add_comparison(struct record *r, const struct comparison *c)
{
    return record_add_item(r, &r->comparisons, &r->n_comparisons, &r->room_comparisons, comparison_fields, c, sizeof *c);
}

int record_add_finding(struct record *r, const struct finding *f)
{
    return record_add_item(r, &r->findings, &r->n_findings, &r->room_findings, finding_fields, f, sizeof *f);
}

/* The samples' arrays, one after the other. */
static bool copy_samples(struct record *r, struct timeline *own, const struct timeline *t)
{
    size_t n = (size_t)t->n;
    own->at_ns = arena_array(&r->arena, n + 1, sizeof *own->at_ns);
    own->rss = arena_array(&r->arena, n + 1, sizeof *own->rss);
    own->heap = arena_array(&r->arena, n + 1, sizeof *own->heap);
    if (!own->at_ns || !own->rss || !own->heap)
        return false;
    if (n) {
        memcpy(own->at_ns, t->at_ns, n * sizeof *own->at_ns);
        memcpy(own->rss, t->rss, n * sizeof *own->rss);
        memcpy(own->heap, t->heap, n * sizeof *own->heap);
    }
    return true;
}

int record_add_timeline(struct record *r, const struct timeline *t)
{
    bool ok = true;
    struct timeline own = *t;
    own.exit_status = copy_text(r, t->exit_status, &ok);
    own.heap_reason = copy_text(r, t->heap_reason, &ok);
    if (!copy_samples(r, &own, t) || !ok || !array_room(&r->timelines, r->n_timelines, &r->room_timelines, sizeof own))
        return -1;
    r->timelines[r->n_timelines] = own;
    return r->n_timelines++;
}

void record_clear_results(struct record *r)
{
    r->n_estimates = r->n_comparisons = r->n_findings = r->n_leak_targets = 0;
    record_clear_arc_results(r);
    forget_estimates(r);
}

const char record_by_valley[] = "gaps and valley";

bool record_is_by_valley(const struct estimate *e)
{
    return e->method && !strcmp(e->method, record_by_valley);
}

const struct estimate *record_estimate(const struct record *r, int subject, const char *metric, const char *statistic)
{
    int at = subject >= 0 && subject < r->room_last_estimate ? r->last_estimate[subject] : 0;
    for (; at; at = r->estimates[at - 1].before) {
        const struct estimate *e = &r->estimates[at - 1];
        if (!strcmp(e->statistic, statistic) && !strcmp(e->metric, metric))
            return e;
    }
    return NULL;
}

const struct estimate *record_known(const struct record *r, int subject, const char *metric, const char *statistic)
{
    const struct estimate *e = record_estimate(r, subject, metric, statistic);
    return e && !isnan(e->point) ? e : NULL;
}

double record_point(const struct record *r, int subject, const char *metric, const char *statistic)
{
    const struct estimate *e = record_estimate(r, subject, metric, statistic);
    return e ? e->point : NAN;
}

const char *record_reference_clock(const struct record *r)
{
    for (int i = 0; i < r->n_subjects; i++) {
        const struct estimate *cost = record_known(r, i, "cost", "median");
        if (r->subjects[i].kind == SUBJECT_CLOCK && cost && !record_estimate(r, i, "rate", "session"))
            return r->subjects[i].name;
    }
    return "the reference clock";
}

const struct comparison *record_comparison(const struct record *r, int subject, const char *metric)
{
    for (int i = r->n_comparisons - 1; i >= 0; i--)
        if (r->comparisons[i].subject == subject && !strcmp(r->comparisons[i].metric, metric))
            return &r->comparisons[i];
    return NULL;
}
