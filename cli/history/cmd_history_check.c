/* SPDX-License-Identifier: MIT
 *
 * `tare history check`: the changes of all series, worst first, and with --confirm those measured again.
 *
 *       benchmark  metric     change                      commits                state
 *       parse      wall time  1.21× slower (1.18–1.24)    3f2a91c..77b0de2 (4)   nominated
 *       412 series: 2 with changes (2 nominated), 409 with none found, 1 with a drift
 */
#include "history_confirm.h"
#include "history_reading.h"
#include "history_words.h"
#include "layout.h"
#include "quote.h"
#include <string.h>

static bool shown(const struct history_reading *r, const struct found_change *f)
{
    const struct display_options *d = &r->o->display;
    return d->quiet ? f->change.state == CHANGE_CONFIRMED : d->verbose > 0 || f->change.state <= CHANGE_CONFIRMED;
}

static void put_row(struct table *t, const struct found_change *f)
{
    history_cell_name(t, f->series);
    history_put_metric(&t->p->piece, f->series, TABLE_NAME_COLUMNS, t->p->o->unicode);
    table_cell(t);
    history_cell_effect(t, f);
    history_cell_commit(t, &f->change);
    history_cell_state(t, f);
    history_cell_class(t, f->series);
}

static void put_table(const struct history_reading *r, struct page *p)
{
    bool differ = false;
    for (int i = 1; i < r->n_changes && !differ; i++)
        differ = strcmp(r->changes[i].series->class, r->changes[0].series->class) != 0;
    const struct table_column columns[] = {{"benchmark", SIDE_LEFT, 0}, {"metric", SIDE_LEFT, 1},
                                           {"change", SIDE_LEFT, 0},    {"commits", SIDE_LEFT, 2},
                                           {"state", SIDE_LEFT, 0},     {"class", SIDE_LEFT, differ ? 3 : TABLE_NEVER}};
    struct table t;
    table_begin(&t, p, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < r->n_changes; i++)
        if (shown(r, &r->changes[i]))
            put_row(&t, &r->changes[i]);
    table_end(&t, 2);
}

struct totals {
    int series, with_changes, nominated, undecided, open_worse /* both of those */, imported, confirmed_worse, confirmed, others;
    const char *class[2]; /* of the first nominated change; of the first that is imported */
};

static struct totals count_series(const struct history_reading *r)
{
    struct totals t = {.with_changes = r->of_course[STATS_COURSE_STEPS]};
    for (int i = 0; i < STATS_COURSES; i++)
        t.series += r->of_course[i];
    for (int i = 0; i < r->n_changes; i++) {
        const struct view_change *c = &r->changes[i].change;
        t.nominated += c->state == CHANGE_NOMINATED;
        t.open_worse += c->state == CHANGE_NOMINATED && c->worse;
        const bool imported = !history_is_repeatable(r->h, r->changes[i].session);
        t.imported += c->state == CHANGE_NOMINATED && imported;
        if (c->state == CHANGE_NOMINATED && !t.class[imported])
            t.class[imported] = r->changes[i].series->class;
        t.undecided += found_undecided(&r->changes[i]) && !imported;
        t.confirmed_worse += c->state == CHANGE_CONFIRMED && c->worse;
        t.confirmed += c->state == CHANGE_CONFIRMED && !c->worse;
        t.others += c->state > CHANGE_CONFIRMED;
    }
    return t;
}

static void put_count(struct page *p, const char **before, int n, const char *what)
{
    if (!n)
        return;
    buf_format(&p->piece, "%s%d %s", *before, n, what);
    *before = ", ";
}

static void put_absent(const struct history_reading *r, struct page *p)
{
    if (!r->n_absent)
        return;
    buf_format(&p->piece, "; %d without a newest result (", r->n_absent);
    history_put_name(&p->piece, history_series_at(r->h, r->absent), TABLE_NAME_COLUMNS, p->o->unicode);
    buf_str(&p->piece, r->n_absent > 1 ? " ...)" : ")");
}

static void put_totals(const struct history_reading *r, struct page *p)
{
    const struct totals t = count_series(r);
    const char *before = ": ";
    buf_format(&p->piece, "%d series", t.series);
    put_count(p, &before, t.with_changes, "with changes");
    before = " (";
    put_count(p, &before, t.confirmed_worse, "confirmed worse");
    put_count(p, &before, t.confirmed, "confirmed");
    put_count(p, &before, t.nominated, "nominated");
    put_count(p, &before, t.others, "settled");
    buf_str(&p->piece, *before == ',' ? ")" : "");
    before = t.with_changes ? ", " : ": ";
    put_count(p, &before, r->of_course[STATS_COURSE_FLAT], "with none found");
    put_count(p, &before, r->of_course[STATS_COURSE_DRIFT], "with a drift");
    put_count(p, &before, r->of_course[STATS_COURSE_EITHER], "with a small step or a drift");
    put_count(p, &before, r->of_course[STATS_COURSE_SHORT], "too short");
    put_absent(r, p);
    flow_line(p, 2, HUE_PLAIN);
    if (r->line || !t.series)
        return;
    buf_str(&p->piece, "in the order of measurement: git knows no commits here");
    flow_line(p, 2, HUE_PLAIN);
}

/* With the option without which a series of another class than this machine's is not measured. */
static void put_how(struct page *p, const char *before, const char *class, const char *after)
{
    buf_str(&p->piece, before);
    if (*class && !history_is_here(class)) {
        buf_str(&p->piece, " --class ");
        quote_word(&p->piece, class, p->o->unicode);
    }
    buf_str(&p->piece, after);
    flow_line(p, 2, HUE_PLAIN);
}

static void put_advice(const struct history_reading *r, struct page *p)
{
    const struct totals t = count_series(r);
    if (t.nominated > t.undecided + t.imported && !r->o->confirm && r->line)
        put_how(p, "nominated: seen in the history alone; tare history check --confirm", t.class[0],
                " measures both sides again");
    if (t.imported && r->line)
        put_how(p, "nominated, imported: tare history bisect", t.class[1], " SERIES -- run COMMAND measures both sides");
    const struct {
        bool applies;
        const char *text;
    } lines[] = {
        {t.undecided, "undecided: measured again without a verdict; --confirm --max-time TIME measures longer"},
        {r->of_course[STATS_COURSE_DRIFT] || r->of_course[STATS_COURSE_EITHER],
         "drift: slow, without a clear step, and no alarm; tare history list shows where"},
        {r->n_absent,
         "no newest result: the last session of their command line lacks them, or newer ones are in another unit; of "
         "one that was removed: tare history note ID COMMIT --reset"},
        {r->n_noisy && !r->n_noisy_cpu,
         "noisy: times vary by more than 10 % without a change; --metric cpu and --anchor make a history steadier"},
        {r->n_noisy_cpu, "noisy: also CPU times vary by more than 10 % without a change; --anchor makes a history steadier"}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (lines[i].applies) {
            buf_str(&p->piece, lines[i].text);
            flow_line(p, 2, HUE_PLAIN);
        }
}

static void print(const void *context, struct page *p)
{
    const struct history_reading *r = context;
    put_table(r, p);
    if (r->o->display.quiet)
        return;
    put_totals(r, p);
    put_advice(r, p);
}

static void json_commit(struct json_write *j, const char *key, const struct history_line *line, int position)
{
    if (!line || position < 0)
        return;
    json_object(j, key);
    json_string(j, "hash", line->commits[position].hash);
    json_string(j, "subject", line->commits[position].subject);
    json_end(j);
}

static void put_json(const void *context, struct json_write *j)
{
    const struct history_reading *r = context;
    const struct totals t = count_series(r);
    json_object(j, NULL);
    json_integer(j, "series", t.series);
    json_integer(j, "flat", r->of_course[STATS_COURSE_FLAT]);
    json_integer(j, "drift", r->of_course[STATS_COURSE_DRIFT]);
    json_integer(j, "step_or_drift", r->of_course[STATS_COURSE_EITHER]);
    json_integer(j, "too_short", r->of_course[STATS_COURSE_SHORT]);
    json_integer(j, "with_changes", t.with_changes);
    json_integer(j, "without_newest", r->n_absent);
    json_array(j, "changes");
    for (int i = 0; i < r->n_changes; i++) {
        const struct view_change *c = &r->changes[i].change;
        const struct history_series *s = r->changes[i].series;
        json_object(j, NULL);
        json_string(j, "series", s->id);
        json_string(j, "benchmark", s->benchmark);
        json_string(j, "arguments", s->arguments);
        json_string(j, "metric", s->metric.id);
        json_string(j, "class", s->class);
        history_json_change(j, c);
        json_commit(j, "first", r->line, c->from);
        json_commit(j, "last", r->line, c->to);
        json_end(j);
    }
    json_end(j);
    history_json_problems(j, r->h);
    json_end(j);
}

/* The first --metric in which there is no series; NULL: there are some in all. */
static const char *absent_metric(const struct history_reading *r)
{
    for (int i = 0; i < r->o->metrics.n; i++) {
        struct history_options one = *r->o;
        int n = 0;
        one.metrics = (struct option_list){.items = &r->o->metrics.items[i], .n = 1};
        for (int s = 0; s < history_n_series(r->h) && !n; s++)
            n += history_wanted(history_series_at(r->h, s), &one);
        if (!n)
            return r->o->metrics.items[i];
    }
    return NULL;
}

/* The question is whether something became worse. What a damaged file said is not known, so without it nothing passes; nor where a metric
 * is asked for that has no series, or a benchmark gave no result when it was measured last. */
static enum exit_code answer(const struct history_reading *r)
{
    const struct totals t = count_series(r);
    const bool partial =
        history_n_problems(r->h) || t.series == r->of_course[STATS_COURSE_SHORT] || absent_metric(r) || r->n_absent;
    if (partial && !t.confirmed_worse)
        return EXIT_INVALID;
    return t.confirmed_worse ? EXIT_BAD : t.open_worse ? EXIT_UNDECIDED : EXIT_ANSWERED;
}

static void say_nothing_there(const struct history_reading *r)
{
    struct buf b = BUF_INIT(1 << 16);
    const int n = history_n_series(r->h);
    (void)history_say_empty(r); /* without results it fails anyhow */
    buf_format(&b, "none of the %d series of the history is of this class and metric", n);
    const bool some = count_series(r).series;
    const char *absent = absent_metric(r);
    if (some && absent) {
        buf_clear(&b);
        buf_format(&b, "no series of the history is in --metric %s", absent);
    }
    if (n && (absent || !some))
        cli_note(r->cli, "warning", buf_text(&b));
    buf_finish(&b);
}

/* A change before the first commit that is there would be passed over. */
static enum tare_status refuse_shallow(const struct history_reading *r, struct tare_err *err)
{
    return r->line && r->line->shallow
               ? err_set(err, TARE_INVALID,
                         "this clone is shallow, so older results have no place; git fetch --unshallow brings "
                         "the rest (fetch-depth: 0 in CI)")
               : TARE_OK;
}

/* With what was found then. */
static enum exit_code confirm(struct history_reading *r, enum tare_status *status, struct tare_err *err)
{
    enum exit_code code = history_confirm(r, 0.05);
    if (code)
        return code;
    *status = history_reading_again(r, err);
    if (!*status)
        *status = history_find_changes(r, -1, err);
    return EXIT_ANSWERED;
}

static enum tare_status check(void *context, enum exit_code *code, struct tare_err *err)
{
    struct history_reading *r = context;
    enum tare_status status = refuse_shallow(r, err);
    if (!status)
        status = history_find_changes(r, -1, err);
    if (status)
        return status;
    say_nothing_there(r);
    if (r->o->confirm)
        *code = confirm(r, &status, err);
    if (!status && !*code) {
        *code = cli_worse(history_print(r, print, r), answer(r));
        *code = cli_worse(*code, history_write_json(r, put_json, r));
    }
    return status;
}

int cmd_history_check(struct cli *cli, const void *options)
{
    struct history_reading r;
    return history_command(&r, cli, options, check, &r);
}
