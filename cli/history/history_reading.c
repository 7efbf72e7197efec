/* SPDX-License-Identifier: MIT */
#include "history_reading.h"
#include "fnv.h"
#include "history_words.h"
#include "layout.h"
#include "plat.h"
#include "quote.h"
#include "same_text.h"
#include "screen.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* On the logarithmic scale, above 0 where it is worse; of a difference relative to the level before. */
static double found_change_size(const struct found_change *f)
{
    const struct view_change *c = &f->change;
    double size = !c->difference ? fabs(log(c->ratio)) : c->before != 0 ? fabs(c->ratio / c->before) : fabs(c->ratio);
    return c->worse ? size : -size;
}

bool found_undecided(const struct found_change *f)
{
    const struct history_event *said = f->change.said;
    return f->change.state == CHANGE_NOMINATED && said && said->kind == HISTORY_REFUTED;
}

bool history_is_repeatable(const struct history *h, int session)
{
    const struct history_session *s = history_session_at(h, session);
    return s->words && s->words[0];
}

static int compare_changes(const void *a, const void *b)
{
    const struct found_change *x = a, *y = b;
    if (change_open(&x->change) != change_open(&y->change))
        return change_open(&y->change) - change_open(&x->change);
    double s = found_change_size(x), t = found_change_size(y);
    if (s != t)
        return (s < t) - (s > t);
    return strcmp(x->series->id, y->series->id);
}

struct looking {
    struct history_reading *r;
    struct view_options o;
    int *series; /* that are wanted */
    int *due;    /* of each session the newest place of those with its command line, folder and class of machines */
    struct head *heads;
};

struct head {
    int course;
    bool noisy;
    int last, due; /* place of the last point, and where there should be one; -1: none */
    bool unknown;  /* there should be one, and no command line says where */
};

/* Changes as large as this cannot be seen, and there is a remedy. Where a time is 0, as one printed in few digits, the noise is not relative. */
static bool is_noisy(const struct history_view *v, const struct history_series *s)
{
    static const double MUCH = 0.1;
    return v->course != STATS_COURSE_SHORT && s->metric.kind == METRIC_TIME && !s->anchor && !v->difference && v->noise > MUCH;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return text ? fnv1a64(hash, text, strlen(text) + 1) : hash;
}

struct measured {
    uint64_t line; /* of the session; 0: nobody knows it */
    int session;
};

static struct measured measured_by(const struct history *h, int session)
{
    const struct history_session *s = history_session_at(h, session);
    uint64_t hash = hash_text(hash_text(hash_text(FNV1A64_EMPTY, s->project), s->class), s->folder);
    for (int i = 0; s->words && s->words[i]; i++)
        hash = hash_text(hash, s->words[i]);
    return (struct measured){s->words ? hash : 0, session};
}

static int by_line(const void *a, const void *b)
{
    const struct measured *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

static bool find_due(struct looking *x)
{
    const struct history_reading *r = x->r;
    const int n = history_n_sessions(r->h);
    struct measured *all = arena_array(r->place.arena, (size_t)n + 1, sizeof *all);
    x->due = arena_array(r->place.arena, (size_t)n + 1, sizeof *x->due);
    for (int i = 0; all && i < n; i++)
        all[i] = measured_by(r->h, i);
    if (all && n)
        qsort(all, (size_t)n, sizeof *all, by_line);
    for (int i = 0, end; all && x->due && i < n; i = end) {
        int newest = -1;
        for (end = i; end < n && all[end].line == all[i].line; end++)
            newest = r->places[all[end].session] > newest ? r->places[all[end].session] : newest;
        for (int k = i; k < end; k++)
            x->due[all[k].session] = all[k].line ? newest : -1;
    }
    return all && x->due;
}

static bool of_one_name(const struct history_series *a, const struct history_series *b)
{
    return !strcmp(a->benchmark, b->benchmark) && !strcmp(a->arguments, b->arguments) && !strcmp(a->class, b->class) &&
           !strcmp(a->metric.id, b->metric.id) && !strcmp(a->project, b->project);
}

/* The end of those of one name, or of one name and unit; *newest: the one with the last point. */
static int end_of_name(const struct looking *x, int i, int n, bool by_unit, int *newest)
{
    const struct history_series *first = history_series_at(x->r->h, x->series[i]), *s;
    for (*newest = i; ++i < n && of_one_name(first, s = history_series_at(x->r->h, x->series[i]));) {
        if (by_unit && strcmp(first->metric.unit, s->metric.unit) != 0)
            break;
        *newest = x->heads[i].last > x->heads[*newest].last ? i : *newest;
    }
    return i;
}

/* With a new version or anchor a series goes on in another one, which stands next to it. Not so in another unit, which nobody asked for. */
static void count_absent(struct looking *x, int n)
{
    struct history_reading *r = x->r;
    for (int i = 0, end, all_end = 0, newest, of_all = 0; i < n; i = end) {
        if (i == all_end)
            all_end = end_of_name(x, i, n, false, &of_all);
        end = end_of_name(x, i, n, true, &newest);
        const struct head *head = &x->heads[newest];
        if (head->last < (head->unknown ? x->heads[of_all].last : head->due) && !r->n_absent++)
            r->absent = x->series[newest];
    }
}

/* Where its points should end; those of an arc are where the program went, and before a reset nothing counts. */
static void fill_due(const struct looking *x, const struct history_view *v, struct head *h)
{
    const bool asked = v->n && v->start < v->n && strcmp(history_series_at(x->r->h, v->series)->metric.id, "arc") != 0;
    h->due = asked ? x->due[v->points[v->n - 1].last] : -1;
    h->unknown = asked && h->due < 0;
}

/* For history_share: the head, then the changes. */
static enum tare_status make_changes(void *context, int item, struct buf *out, struct tare_err *err)
{
    const struct looking *x = context;
    struct history_reading *r = x->r;
    struct arena arena = {0};
    struct history_view v;
    enum tare_status status = history_view_make(&v, r->h, x->series[item], r->line, &x->o, &arena, err);
    struct head head = {.course = v.course == STATS_COURSE_STEPS && !v.n_changes ? STATS_COURSE_FLAT : (int)v.course,
                        .noisy = !status && is_noisy(&v, history_series_at(r->h, v.series)),
                        .last = !status && v.n ? r->places[v.points[v.n - 1].last] : -1,
                        .due = -1};
    if (!status)
        fill_due(x, &v, &head);
    buf_add(out, &head, sizeof head);
    for (int i = 0; !status && i < v.n_changes; i++) {
        const struct found_change c = {history_series_at(r->h, v.series), v.changes[i], v.points[v.changes[i].last].last};
        buf_add(out, &c, sizeof c);
    }
    arena_finish(&arena);
    return status;
}

static enum tare_status take_changes(void *context, int item, const char *bytes, size_t n, struct tare_err *err)
{
    const struct looking *x = context;
    struct history_reading *r = x->r;
    struct head head;
    memcpy(&head, bytes, sizeof head);
    x->heads[item] = head;
    r->of_course[head.course]++;
    r->n_noisy += head.noisy;
    r->n_noisy_cpu += head.noisy && !strcmp(history_series_at(r->h, x->series[item])->metric.id, "cpu");
    for (size_t at = sizeof head; at < n; at += sizeof(struct found_change)) {
        struct found_change *grown = array_grown(r->changes, r->n_changes, &r->room, sizeof *grown);
        if (!grown)
            return err_set(err, TARE_NO_MEMORY, "no memory for %d changes", r->n_changes);
        r->changes = grown;
        memcpy(&grown[r->n_changes++], bytes + at, sizeof *grown);
    }
    return TARE_OK;
}

enum tare_status history_find_changes(struct history_reading *r, int series, struct tare_err *err)
{
    const int all = history_n_series(r->h);
    struct looking x = {.r = r, .o = {.margin = r->o->margin, .places = r->places}};
    struct history_share share = {.r = r, .make = make_changes, .take = take_changes, .context = &x};
    enum tare_status status = history_since(r, &x.o.since, err);
    r->n_changes = r->n_noisy = r->n_noisy_cpu = r->n_absent = 0;
    memset(r->of_course, 0, sizeof r->of_course);
    x.series = arena_array(r->place.arena, (size_t)all + 1, sizeof *x.series);
    x.heads = arena_array(r->place.arena, (size_t)all + 1, sizeof *x.heads);
    if (!status && (!x.series || !x.heads || !find_due(&x)))
        status = err_set(err, TARE_NO_MEMORY, "no memory for %d series", all);
    for (int i = 0; !status && i < all; i++)
        if ((series < 0 || series == i) && history_wanted(history_series_at(r->h, i), r->o))
            x.series[share.n++] = i;
    if (!status) {
        history_expect(r->h, x.series, share.n);
        status = history_share(&share, err);
    }
    if (!status)
        count_absent(&x, share.n);
    if (!status && r->n_changes)
        qsort(r->changes, (size_t)r->n_changes, sizeof *r->changes, compare_changes);
    return status;
}

const char *history_event_project(const struct history_reading *r, const char *series)
{
    for (int i = 0; series && history_is_url(r->place.folder) && i < history_n_series(r->h); i++)
        if (!strcmp(history_series_at(r->h, i)->id, series))
            return history_series_at(r->h, i)->project;
    return r->place.project;
}

/* It was built when it was measured: what failed later was the machine. */
static bool measured(const struct history *h, const char *revision)
{
    for (int i = 0; i < history_n_sessions(h); i++)
        if (!history_session_at(h, i)->dirty && !strcmp(history_session_at(h, i)->revision, revision))
            return true;
    return false;
}

bool history_unbuildable(const struct history *h, const struct history_series *s, const char *words, const char *revision)
{
    for (int i = 0; i < history_n_events(h); i++) {
        const struct history_event *e = history_event_at(h, i);
        if (e->kind == HISTORY_UNBUILDABLE && same_text(e->revision, revision) &&
            (!e->series || (s && !strcmp(e->series, s->id))) && (!e->project || !s || !strcmp(e->project, s->project)) &&
            (e->note ? same_text(e->note, words) : !measured(h, revision)))
            return true;
    }
    return false;
}

enum { TEXT_MAX = 1 << 28 };

static enum tare_status open_history(struct history_reading *r, struct tare_err *err)
{
    enum tare_status status = history_open(&r->h, r->place.folder, err);
    if (!status && !(r->places = history_places(r->h, r->line, r->place.arena)))
        status = err_set(err, TARE_NO_MEMORY, "no memory for the sessions");
    return status;
}

static enum tare_status read_commits(struct history_reading *r, struct tare_err *err)
{
    enum tare_status status = history_line_read(&r->commits, &r->place.git, "HEAD", r->place.arena, err);
    const char *folder = status ? NULL : history_place_in_tree(&r->place);
    if (folder)
        status = history_line_results(&r->commits, folder, err);
    if (!status)
        r->line = &r->commits;
    if (status != TARE_INVALID)
        return git_failed(status, err);
    r->place.no_commits = arena_strdup(r->place.arena, err->text);
    return r->place.no_commits ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory for the commits");
}

static enum tare_status open_reading(struct history_reading *r, struct tare_err *err)
{
    enum tare_status status = history_place_open(&r->place, r->o->dir, r->cli->arena, err);
    if (!status && r->place.repository)
        status = read_commits(r, err);
    return status ? status : open_history(r, err);
}

enum tare_status history_reading_again(struct history_reading *r, struct tare_err *err)
{
    history_close(r->h);
    r->h = NULL;
    return open_history(r, err);
}

enum tare_status history_need_line(const struct history_reading *r, struct tare_err *err)
{
    return r->line ? TARE_OK : err_set(err, TARE_INVALID, "%s", r->place.no_commits);
}

bool history_is_missing(const struct history_reading *r)
{
    return r->o->dir && !history_is_url(r->o->dir) && !plat_is_directory(r->o->dir);
}

static enum tare_status why_empty(const struct history_reading *r, struct tare_err *err)
{
    const char *folder = r->place.folder;
    if (history_n_problems(r->h))
        return err_set(err, TARE_INVALID, "no file of results in %.200s could be read", folder);
    if (history_is_missing(r))
        return err_set(err, TARE_INVALID, "there is no folder %.200s; tare run --history=DIR makes one", folder);
    return err_set(err, TARE_INVALID, "%.200s has no results yet; tare run --history adds some", folder);
}

enum exit_code history_say_empty(const struct history_reading *r)
{
    struct tare_err why;
    (void)why_empty(r, &why);
    if (!history_n_sessions(r->h) && !history_n_problems(r->h)) /* each problem was a line of its own */
        cli_note(r->cli, "warning", why.text);
    return history_is_missing(r) ? EXIT_INVALID : EXIT_ANSWERED;
}

static void say_problems(const struct history_reading *r)
{
    enum { SHOWN = 10 };
    const int n = history_n_problems(r->h), shown = n > SHOWN ? SHOWN : n;
    for (int i = 0; i <= shown && i < n; i++) {
        const struct history_problem *p = history_problem_at(r->h, i);
        struct buf b = BUF_INIT(1 << 16);
        if (i < shown)
            buf_format(&b, "%s: %s", p->path, p->text);
        else
            buf_format(&b, "%d more file%s could not be read; tare history list --export-json - names them", n - shown,
                       buf_plural(n - shown));
        cli_note(r->cli, "warning", buf_text(&b));
        buf_finish(&b);
    }
}

int64_t history_time_of_event(const struct history_reading *r)
{
    const int n = history_n_events(r->h);
    const int64_t now = plat_utc_ns(), last = n ? history_event_at(r->h, n - 1)->at_utc_ns : now;
    return last < now ? now : last < INT64_MAX ? last + 1 : last;
}

int history_command(struct history_reading *r, struct cli *cli, const struct history_options *o, history_work *work,
                    void *context)
{
    struct tare_err err;
    enum exit_code code = EXIT_ANSWERED;
    *r = (struct history_reading){.cli = cli, .o = o};
    enum tare_status status = outputs_open(&r->out, &o->display, NULL, &err);
    if (status)
        return cli_refuse(cli, status, &err);
    status = open_reading(r, &err);
    if (!status)
        status = history_place_spared(&r->place, &o->display, "", NULL, &err);
    if (!status) {
        say_problems(r);
        status = work(context, &code, &err);
    }
    if (!r->signal) /* it may have come while git was asked something */
        r->signal = plat_signal();
    if (status && !r->signal)
        code = cli_refuse(cli, status, &err);
    if (r->h)
        history_close(r->h);
    history_place_close(&r->place);
    free(r->changes);
    outputs_finish(&r->out, NULL);
    if (r->signal)
        plat_die_of(r->signal);
    return (int)code;
}

enum exit_code history_print(const struct history_reading *r, void (*put)(const void *context, struct page *p),
                             const void *context)
{
    struct render_options options = screen_options(&r->o->display);
    struct buf text = BUF_INIT(TEXT_MAX);
    struct page p = page_over(NULL, &options, &text);
    put(context, &p);
    page_finish(&p);
    return screen_text(r->cli, &r->o->display, &text);
}

enum exit_code history_write_json(struct history_reading *r, void (*put)(const void *context, struct json_write *j),
                                  const void *context)
{
    struct buf text = BUF_INIT(TEXT_MAX);
    struct json_write j = json_into(&text, 2);
    if (r->o->display.export_file[EXPORT_TO_JSON]) {
        put(context, &j);
        buf_char(&text, '\n');
    }
    return outputs_text(&r->out, r->cli, EXPORT_TO_JSON, &text);
}

static bool any(const struct option_list *list, const char *text, bool (*fits)(const char *text, const char *item))
{
    bool found = !list->n;
    for (int i = 0; !found && i < list->n; i++)
        found = fits(text, list->items[i]);
    return found;
}

static bool contains(const char *text, const char *part)
{
    return strstr(text, part);
}

bool history_wanted(const struct history_series *s, const struct history_options *o)
{
    return (!o->class || !strcmp(o->class, s->class)) && any(&o->filters, s->benchmark, contains) &&
           any(&o->metrics, s->metric.id, same_text);
}

/* A name comes first: a benchmark may be called "face", as an id begins. */
enum how { BY_NAME, BY_ID, BY_PART, BY_NOTHING };

static bool is_name(struct buf *name, const char *given)
{
    const bool same = !strcmp(buf_text(name), given);
    buf_finish(name);
    return same;
}

/* "parse n=1000", as a history shows it. */
static bool is_listed(const struct history_series *s, const char *given)
{
    struct buf b = BUF_INIT(1 << 20);
    buf_format(&b, "%s %s", s->benchmark, s->arguments);
    return is_name(&b, given);
}

/* "parse/n:1000", as tare bench shows it; of arguments without names, which are arg1 and so on, the values alone. */
static bool is_bench_name(const struct history_series *s, const char *given)
{
    struct buf b = BUF_INIT(1 << 20);
    buf_str(&b, s->benchmark);
    for (const char *at = s->arguments; *at; at += strcspn(at, " "), at += *at == ' ') {
        const size_t n = strcspn(at, " "), name = strcspn(at, "="), skip = name < n ? name + 1 : 0;
        const bool unnamed = !skip || (!strncmp(at, "arg", 3) && strspn(at + 3, "0123456789") + 3 == name);
        buf_char(&b, '/');
        if (!unnamed)
            buf_format(&b, "%.*s:", (int)name, at);
        buf_add(&b, at + skip, n - skip);
    }
    return is_name(&b, given);
}

static bool matches(const struct history_series *s, const char *given, enum how how)
{
    switch (how) {
    case BY_ID:
        return strlen(given) >= 4 && !strncmp(s->id, given, strlen(given));
    case BY_NAME:
        return !strcmp(s->benchmark, given) || is_listed(s, given) || is_bench_name(s, given);
    case BY_PART:
        return *given && strstr(s->benchmark, given); /* an empty word is a slip: it is in all of them */
    case BY_NOTHING:
        break;
    }
    return true;
}

static int64_t newest(const struct history_reading *r, int series)
{
    struct history_points points;
    if (history_points(r->h, series, &points, NULL) || !points.n)
        return 0;
    return history_session_at(r->h, points.items[points.n - 1].session)->measured_utc_ns;
}

static bool of_one_benchmark(const struct history_series *a, const struct history_series *b)
{
    return !strcmp(a->benchmark, b->benchmark) && !strcmp(a->arguments, b->arguments) && !strcmp(a->class, b->class);
}

/* The better one of two times; -1: neither is. With and without an anchor they are one: what was measured last. Of several metrics it is the one with an
 * anchor, for that one decided. */
static int better(const struct history_reading *r, int a, int b)
{
    const struct history_series *x = history_series_at(r->h, a), *y = history_series_at(r->h, b);
    if (!of_one_benchmark(x, y))
        return -1;
    if (!strcmp(x->metric.id, y->metric.id))
        return newest(r, b) > newest(r, a) ? b : a;
    return !x->anchor == !y->anchor ? -1 : x->anchor ? a : b;
}

/* The only one, or the only time; -1: neither. */
static int choose(const struct history_reading *r, const int *found, int n)
{
    int time = -1;
    for (int i = 0; i < n && n > 1; i++) {
        const struct history_series *s = history_series_at(r->h, found[i]);
        if (s->metric.kind != METRIC_TIME)
            continue;
        time = time < 0 ? found[i] : better(r, time, found[i]);
        if (time < 0)
            return -1;
    }
    return n == 1 ? *found : time;
}

static enum tare_status several(const struct history_reading *r, const char *given, const int *found, int n, struct tare_err *err)
{
    enum { SHOWN = 4, COLUMNS = 24 }; /* as many as a message has room for */
    struct buf list = BUF_INIT(1 << 16);
    for (int i = 0; i < n && i < SHOWN; i++) {
        const struct history_series *s = history_series_at(r->h, found[i]);
        buf_format(&list, "%s%.8s (", i ? ", " : "", s->id);
        history_put_name(&list, s, COLUMNS, true);
        buf_str(&list, ", ");
        history_put_metric(&list, s, COLUMNS, true);
        buf_str(&list, ", ");
        quote_cut(&list, s->class, COLUMNS, true);
        buf_char(&list, ')');
    }
    if (n > SHOWN)
        buf_format(&list, " and %d more", n - SHOWN);
    err_set(err, TARE_INVALID, "%s%.60s%s%d series; give the name or id of one: %.700s", given ? "'" : "the history has",
            given ? given : "", given ? "' may be any of " : " ", n, buf_text(&list));
    buf_finish(&list);
    return TARE_INVALID;
}

enum tare_status history_find(const struct history_reading *r, const char *given, int *series, struct tare_err *err)
{
    const int all = history_n_series(r->h);
    int *found = arena_array(r->place.arena, (size_t)all + 1, sizeof *found), n = 0;
    if (!found)
        return err_set(err, TARE_NO_MEMORY, "no memory for %d series", all);
    if (!all)
        return why_empty(r, err);
    for (enum how how = given ? BY_NAME : BY_NOTHING; how <= (given ? BY_PART : BY_NOTHING) && !n; how++)
        for (int i = 0; i < all; i++)
            if (history_wanted(history_series_at(r->h, i), r->o) && matches(history_series_at(r->h, i), given, how))
                found[n++] = i;
    if (!n)
        return err_set(err, TARE_INVALID, "no series is called '%.100s'; tare history list shows them", given ? given : "");
    *series = choose(r, found, n);
    return *series < 0 ? several(r, given, found, n, err) : TARE_OK;
}

enum tare_status history_since(struct history_reading *r, int *position, struct tare_err *err)
{
    const char *hash, *since = r->o->since;
    *position = 0;
    if (!since)
        return TARE_OK;
    enum tare_status status = history_place_commit(&r->place, since, &hash, err);
    int at = status || !r->line ? -1 : history_position(r->line, hash);
    if (!status && at < 0)
        status = err_set(err, TARE_INVALID, "--since %.100s: the commit is not among the first parents of HEAD", since);
    *position = at + 1;
    return status;
}
