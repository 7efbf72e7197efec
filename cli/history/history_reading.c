/* SPDX-License-Identifier: MIT */
#include "history_reading.h"
#include "quote.h"
#include <string.h>

static enum tare_status open_history(struct history_reading *r, struct tare_err *err)
{
    enum tare_status status = history_open(&r->h, r->place.folder, NULL, err);
    if (!status && !(r->places = history_places(r->h, r->line, r->place.arena)))
        status = err_set(err, TARE_NO_MEMORY, "no memory for the sessions");
    return status;
}

enum tare_status history_reading_open(struct history_reading *r, const char *dir, struct arena *a, struct tare_err *err)
{
    *r = (struct history_reading){.h = NULL};
    enum tare_status status = history_place_open(&r->place, dir, a, err);
    if (!status && r->place.repository) {
        status = history_line_read(&r->commits, &r->place.git, "HEAD", a, err);
        if (!status)
            r->line = &r->commits;
        status = status == TARE_INVALID ? TARE_OK : status; /* no commit yet */
    }
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

enum how { BY_ID, BY_NAME, BY_PART, BY_NOTHING };

static bool matches(const struct history_series *s, const char *given, enum how how)
{
    switch (how) {
    case BY_ID:
        return strlen(given) >= 4 && !strncmp(s->id, given, strlen(given));
    case BY_NAME:
        return !strcmp(s->benchmark, given);
    case BY_PART:
        return strstr(s->benchmark, given);
    case BY_NOTHING:
        break;
    }
    return true;
}

struct finding_series {
    int n, times; /* that match; of those, times */
    int first, time;
    struct buf list;
};

static void consider(struct finding_series *f, const struct history_series *s, int i)
{
    const bool time = s->metric.kind == METRIC_TIME;
    f->first = f->n ? f->first : i;
    f->time = time && !f->times ? i : f->time;
    f->n++;
    f->times += time;
    buf_format(&f->list, "%s%.8s (", f->n > 1 ? ", " : "", s->id);
    quote_cut(&f->list, s->benchmark, 40, true);
    buf_format(&f->list, ", %.40s)", s->metric.id);
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
    struct finding_series f = {.list = BUF_INIT(1 << 16)};
    enum tare_status status = TARE_OK;
    for (enum how how = given ? BY_ID : BY_NOTHING; how <= (given ? BY_PART : BY_NOTHING) && !f.n; how++)
        for (int i = 0; i < history_n_series(r->h); i++) {
            const struct history_series *s = history_series_at(r->h, i);
            if (history_wanted(s, class, NULL) && matches(s, given, how))
                consider(&f, s, i);
        }
    *series = f.times == 1 ? f.time : f.first;
    if (!f.n)
        status = none(r, given, err);
    else if (f.n > 1 && f.times != 1)
        status = err_set(err, TARE_INVALID, "%s%.60s%sis one of %d series; give the id of one: %.700s", given ? "'" : "",
                         given ? given : "it ", given ? "' " : "", f.n, buf_text(&f.list));
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
