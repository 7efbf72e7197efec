/* SPDX-License-Identifier: MIT */
#include "history_reading.h"
#include "history_words.h"
#include "quote.h"
#include <string.h>

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
    return status == TARE_INVALID ? TARE_OK : status; /* no commit yet */
}

enum tare_status history_reading_open(struct history_reading *r, const char *dir, struct arena *a, struct tare_err *err)
{
    *r = (struct history_reading){.h = NULL};
    enum tare_status status = history_place_open(&r->place, dir, a, err);
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

void history_reading_close(struct history_reading *r)
{
    if (r->h)
        history_close(r->h);
    history_place_close(&r->place);
}

/* ---- which series ---- */

bool history_wanted(const struct history_series *s, const char *class, const struct option_list *filters)
{
    if (class && strcmp(class, s->class) != 0)
        return false;
    bool found = !filters || !filters->n;
    for (int i = 0; !found && i < filters->n; i++)
        found = strstr(s->benchmark, filters->items[i]);
    return found;
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

struct finding_series {
    const struct history_reading *r;
    int n, times; /* that match; of those, times: those of one benchmark, with and without an anchor, once */
    int first, time;
    struct buf list;
};

static int64_t newest(const struct finding_series *f, int series)
{
    struct history_points points;
    if (history_points(f->r->h, series, &points, NULL) || !points.n)
        return 0;
    return history_session_at(f->r->h, points.items[points.n - 1].session)->measured_utc_ns;
}

static bool alike(const struct history_series *a, const struct history_series *b)
{
    return !strcmp(a->benchmark, b->benchmark) && !strcmp(a->arguments, b->arguments) && !strcmp(a->class, b->class) &&
           !strcmp(a->metric.id, b->metric.id);
}

static void consider_time(struct finding_series *f, const struct history_series *s, int i)
{
    if (f->times && alike(history_series_at(f->r->h, f->time), s)) {
        f->time = newest(f, i) > newest(f, f->time) ? i : f->time;
        return;
    }
    f->time = f->times++ ? f->time : i;
}

static void consider(struct finding_series *f, const struct history_series *s, int i)
{
    f->first = f->n ? f->first : i;
    if (s->metric.kind == METRIC_TIME)
        consider_time(f, s, i);
    buf_format(&f->list, "%s%.8s (", f->n++ ? ", " : "", s->id);
    history_put_name(&f->list, s, 40, true);
    buf_str(&f->list, ", ");
    history_put_metric(&f->list, s, 40, true);
    buf_str(&f->list, ", ");
    quote_cut(&f->list, s->class, 40, true);
    buf_char(&f->list, ')');
}

static enum tare_status none(const struct history_reading *r, const char *given, struct tare_err *err)
{
    if (!history_n_series(r->h))
        return err_set(err, TARE_INVALID, "the history in %.200s has no results yet; tare run --history adds some",
                       r->place.folder);
    return err_set(err, TARE_INVALID, "no series is called '%.100s'; tare history list shows them", given ? given : "");
}

enum tare_status history_find(const struct history_reading *r, const char *class, const char *given, int *series,
                              struct tare_err *err)
{
    struct finding_series f = {.r = r, .list = BUF_INIT(1 << 16)};
    enum tare_status status = TARE_OK;
    for (enum how how = given ? BY_NAME : BY_NOTHING; how <= (given ? BY_PART : BY_NOTHING) && !f.n; how++)
        for (int i = 0; i < history_n_series(r->h); i++) {
            const struct history_series *s = history_series_at(r->h, i);
            if (history_wanted(s, class, NULL) && matches(s, given, how))
                consider(&f, s, i);
        }
    *series = f.times == 1 ? f.time : f.first;
    if (!f.n)
        status = none(r, given, err);
    else if (f.n > 1 && f.times != 1)
        status =
            err_set(err, TARE_INVALID, "%s%.60s%s%d series; give the name or id of one: %.700s", given ? "'" : "the history has",
                    given ? given : "", given ? "' may be any of " : " ", f.n, buf_text(&f.list));
    buf_finish(&f.list);
    return status;
}

enum tare_status history_since(struct history_reading *r, const char *since, int *position, struct tare_err *err)
{
    const char *hash;
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
