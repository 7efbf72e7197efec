/* SPDX-License-Identifier: MIT
 *
 * `tare history check`: the changes of all series, worst first, and with --confirm those measured again.
 *
 *       benchmark  metric     change                      commits                state
 *       parse      wall time  1.21× slower (1.18–1.24)    3f2a91c..77b0de2 (4)   nominated
 *       412 series: 2 with changes (2 nominated), 409 with none found, 1 with a drift
 */
#include "history_confirm.h"
#include "history_json.h"
#include "history_options.h"
#include "history_words.h"
#include "json_write.h"
#include "layout.h"
#include "outputs.h"
#include "plat.h"
#include "quote.h"
#include "screen.h"
#include "units.h"
#include <math.h>
#include <string.h>

enum { NAME_COLUMNS = 40, SUBJECT_COLUMNS = 40, PROBLEMS_SHOWN = 10 };

struct check {
    struct cli *cli;
    const struct history_check_options *o;
    struct history_found f;
    struct confirmation confirmation;
};

/* ---- the table ---- */

struct shown_change {
    const struct found_change *f;
    const struct history_line *line;
};

static void put_benchmark(struct page *p, const void *row)
{
    const struct found_change *f = ((const struct shown_change *)row)->f;
    history_put_name(&p->piece, f->series, NAME_COLUMNS, p->o->unicode);
}

static void put_metric(struct page *p, const void *row)
{
    history_put_metric(&p->piece, ((const struct shown_change *)row)->f->series, NAME_COLUMNS, p->o->unicode);
}

static void put_change(struct page *p, const void *row)
{
    const struct found_change *f = ((const struct shown_change *)row)->f;
    const struct view_change *c = &f->change;
    const enum hue hue = !change_open(c) ? HUE_PLAIN : c->worse ? HUE_BAD : HUE_GOOD;
    hue_on(p, &p->piece, hue);
    history_put_effect(&p->piece, f->series, c);
    hue_off(p, &p->piece, hue);
}

static void put_commits(struct page *p, const void *row)
{
    const struct shown_change *s = row;
    const struct view_change *c = &s->f->change;
    if (!s->line) {
        quote_cut(&p->piece, *s->f->after ? s->f->after : "?", HISTORY_BRIEF + 1, p->o->unicode);
    } else if (c->from == c->to) {
        history_put_commit(&p->piece, &s->line->commits[c->to], SUBJECT_COLUMNS, p->o->unicode);
    } else {
        history_put_range(&p->piece, s->line, c->from - 1, c->to);
    }
}

static void put_state(struct page *p, const void *row)
{
    const struct found_change *f = ((const struct shown_change *)row)->f;
    buf_str(&p->piece, history_state(f->change.state));
    buf_str(&p->piece, f->change.state == CHANGE_CONFIRMED && f->change.worse ? " worse" : "");
    if ((f->change.state == CHANGE_REFUTED || found_undecided(f)) && f->change.said && f->change.said->verdict) {
        buf_str(&p->piece, " (");
        quote_cut(&p->piece, f->change.said->verdict, SUBJECT_COLUMNS, p->o->unicode);
        buf_char(&p->piece, ')');
    }
}

static void put_class(struct page *p, const void *row)
{
    quote_cut(&p->piece, ((const struct shown_change *)row)->f->series->class, NAME_COLUMNS / 2, p->o->unicode);
}

static bool shown(const struct check *x, const struct found_change *f)
{
    const struct display_options *d = &x->o->display;
    return d->quiet ? f->change.state == CHANGE_CONFIRMED : d->verbose > 0 || f->change.state <= CHANGE_CONFIRMED;
}

static bool several_classes(const struct check *x)
{
    for (int i = 1; i < x->f.n_changes; i++)
        if (strcmp(x->f.changes[i].series->class, x->f.changes[0].series->class) != 0)
            return true;
    return false;
}

static void put_table(const struct check *x, struct page *p)
{
    static const struct table_column columns[] = {{"benchmark", SIDE_LEFT, 0, put_benchmark},
                                                  {"metric", SIDE_LEFT, 1, put_metric},
                                                  {"change", SIDE_LEFT, 0, put_change},
                                                  {"commits", SIDE_LEFT, 2, put_commits},
                                                  {"state", SIDE_LEFT, 0, put_state}};
    struct table t;
    table_begin(&t, columns, sizeof columns / sizeof *columns);
    if (several_classes(x))
        table_column(&t, (struct table_column){"class", SIDE_LEFT, 3, put_class});
    for (int i = 0; i < x->f.n_changes; i++) {
        const struct shown_change row = {&x->f.changes[i], x->f.r.line};
        if (shown(x, row.f))
            table_row(p, &t, &row);
    }
    table_end(p, &t, 2);
}

/* ---- totals ---- */

struct totals {
    int series, with_changes, nominated, undecided, open_worse /* both of those */, confirmed_worse, confirmed, others;
};

static struct totals count(const struct check *x)
{
    struct totals t = {.with_changes = x->f.of_kind[VIEW_STEPS]};
    for (int i = 0; i < 4; i++)
        t.series += x->f.of_kind[i];
    for (int i = 0; i < x->f.n_changes; i++) {
        const struct view_change *c = &x->f.changes[i].change;
        t.nominated += c->state == CHANGE_NOMINATED;
        t.open_worse += c->state == CHANGE_NOMINATED && c->worse;
        t.undecided += found_undecided(&x->f.changes[i]);
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

static void put_totals(const struct check *x, struct page *p)
{
    const struct totals t = count(x);
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
    put_count(p, &before, x->f.of_kind[VIEW_FLAT], "with none found");
    put_count(p, &before, x->f.of_kind[VIEW_DRIFT], "with a drift");
    put_count(p, &before, x->f.of_kind[VIEW_TOO_SHORT], "too short");
    if (!history_n_sessions(x->f.r.h))
        buf_str(&p->piece, ": tare run --history adds some, and tare bench --history");
    flow_line(p, 2, HUE_PLAIN);
    if (x->f.r.line || !t.series)
        return;
    buf_str(&p->piece, "by time of measurement: tare was not started in the repository");
    flow_line(p, 2, HUE_PLAIN);
}

static void put_advice(const struct check *x, struct page *p)
{
    const struct totals t = count(x);
    if (t.nominated > t.undecided && !x->o->confirm && x->f.r.line) {
        buf_str(&p->piece, "nominated: seen in the history alone; tare history check --confirm measures both sides again");
        flow_line(p, 2, HUE_PLAIN);
    }
    if (t.undecided) {
        buf_str(&p->piece, "undecided: measured again without a verdict; --confirm --max-time TIME measures longer");
        flow_line(p, 2, HUE_PLAIN);
    }
    if (x->f.of_kind[VIEW_DRIFT]) {
        buf_str(&p->piece, "drift: slow, without a clear step, and no alarm; tare history list shows where");
        flow_line(p, 2, HUE_PLAIN);
    }
}

static enum exit_code print_result(const struct check *x)
{
    struct render_options options = screen_options(&x->o->display);
    struct buf b = BUF_INIT(1 << 26);
    struct page p = page_over(NULL, &options, &b);
    put_table(x, &p);
    if (!x->o->display.quiet) {
        put_totals(x, &p);
        put_advice(x, &p);
    }
    page_finish(&p);
    return screen_text(x->cli, &x->o->display, &b);
}

/* ---- JSON ---- */

static void json_commit(struct json_write *j, const char *key, const struct history_line *line, int position)
{
    if (!line || position < 0)
        return;
    json_object(j, key);
    json_string(j, "hash", line->commits[position].hash);
    json_string(j, "subject", line->commits[position].subject);
    json_end(j);
}

static void json_change(struct json_write *j, const struct check *x, const struct found_change *f)
{
    const struct view_change *c = &f->change;
    const struct history_series *s = f->series;
    json_object(j, NULL);
    json_string(j, "series", s->id);
    json_string(j, "benchmark", s->benchmark);
    json_string(j, "arguments", s->arguments);
    json_string(j, "metric", s->metric.id);
    json_string(j, "class", s->class);
    json_string(j, "after", f->before);
    json_string(j, "until", f->after);
    history_json_change(j, c);
    json_commit(j, "first", x->f.r.line, c->from);
    json_commit(j, "last", x->f.r.line, c->to);
    json_end(j);
}

static void put_json(const struct check *x, struct buf *b)
{
    const struct totals t = count(x);
    struct json_write j = json_into(b, 2);
    json_object(&j, NULL);
    json_integer(&j, "series", t.series);
    json_integer(&j, "flat", x->f.of_kind[VIEW_FLAT]);
    json_integer(&j, "drift", x->f.of_kind[VIEW_DRIFT]);
    json_integer(&j, "too_short", x->f.of_kind[VIEW_TOO_SHORT]);
    json_integer(&j, "with_changes", t.with_changes);
    json_array(&j, "changes");
    for (int i = 0; i < x->f.n_changes; i++)
        json_change(&j, x, &x->f.changes[i]);
    json_end(&j);
    history_json_problems(&j, x->f.r.h);
    json_end(&j);
    buf_char(b, '\n');
}

static enum exit_code write_json(const struct check *x, struct outputs *out)
{
    struct buf b = BUF_INIT(1 << 28);
    if (x->o->display.export_file[EXPORT_TO_JSON])
        put_json(x, &b);
    return outputs_json(out, x->cli, &b);
}

/* ---- all together ---- */

/* The question is whether something became worse. What a damaged file said is not known, so without it nothing passes. */
static enum exit_code answer(const struct check *x)
{
    const struct totals t = count(x);
    const bool partial = history_n_problems(x->f.r.h) || t.series == x->f.of_kind[VIEW_TOO_SHORT];
    if (partial && !t.confirmed_worse)
        return EXIT_INVALID;
    return t.confirmed_worse ? EXIT_BAD : t.open_worse ? EXIT_UNDECIDED : EXIT_ANSWERED;
}

static void warn(const struct check *x, struct buf *b)
{
    cli_note(x->cli, "warning", buf_text(b));
    buf_finish(b);
}

/* Even where only confirmed changes are asked for: they decide on the exit code. */
static void say_problems(const struct check *x)
{
    const int n = history_n_problems(x->f.r.h), shown = n > PROBLEMS_SHOWN ? PROBLEMS_SHOWN : n;
    for (int i = 0; i < shown; i++) {
        const struct history_problem *p = history_problem_at(x->f.r.h, i);
        struct buf b = BUF_INIT(1 << 16);
        buf_format(&b, "%s: %s", p->path, p->text);
        warn(x, &b);
    }
    struct buf b = BUF_INIT(1 << 16);
    buf_format(&b, "%d more file%s could not be read; tare history list names them", n - shown, buf_plural(n - shown));
    if (n > shown)
        warn(x, &b);
    buf_finish(&b);
}

static void say_nothing_there(const struct check *x)
{
    struct buf b = BUF_INIT(1 << 16);
    const int n = history_n_series(x->f.r.h);
    if (n)
        buf_format(&b, "none of the %d series of the history is of this class and metric", n);
    else
        buf_format(&b, "%s has no results; tare run --history adds some", x->f.r.place.folder);
    if (!count(x).series)
        warn(x, &b);
    buf_finish(&b);
}

/* A change before the first commit that is there would be passed over. */
static enum tare_status refuse_shallow(const struct check *x, struct tare_err *err)
{
    return x->f.r.line && x->f.r.line->shallow
               ? err_set(err, TARE_INVALID,
                         "this clone is shallow, so older results have no place; git fetch --unshallow brings "
                         "the rest (fetch-depth: 0 in CI)")
               : TARE_OK;
}

static enum tare_status find(struct check *x, struct tare_err *err)
{
    const struct wanted_changes w = {
        .class = x->o->class, .since = x->o->since, .metrics = &x->o->metrics, .margin = x->o->margin, .series = -1};
    return history_found_changes(&x->f, &w, err);
}

static enum exit_code fail(const struct check *x, enum tare_status status, const struct tare_err *err)
{
    return (enum exit_code)cli_fail(x->cli, status == TARE_INVALID ? EXIT_USAGE : EXIT_TOOL, err);
}

/* With what was found then. */
static enum exit_code confirm(struct check *x)
{
    struct tare_err err;
    x->confirmation = (struct confirmation){.cli = x->cli,
                                            .found = &x->f,
                                            .margin = x->o->margin,
                                            .error = 0.05,
                                            .build = x->o->build,
                                            .class = x->o->class,
                                            .max_time_ns = x->o->max_time_ns,
                                            .yes = x->o->yes,
                                            .display = &x->o->display};
    enum exit_code code = history_confirm(&x->confirmation);
    if (code)
        return code;
    enum tare_status status = history_found_again(&x->f, &err);
    if (!status)
        status = find(x, &err);
    return status ? fail(x, status, &err) : EXIT_ANSWERED;
}

static enum exit_code check(struct check *x, struct outputs *out)
{
    struct tare_err err;
    enum tare_status status = history_found_open(&x->f, x->o->dir, x->cli->arena, &err);
    if (!status)
        status = refuse_shallow(x, &err);
    if (!status)
        status = find(x, &err);
    if (status)
        return fail(x, status, &err);
    say_problems(x);
    say_nothing_there(x);
    enum exit_code code = x->o->confirm ? confirm(x) : EXIT_ANSWERED;
    if (code)
        return code;
    code = cli_worse(print_result(x), answer(x));
    return cli_worse(code, write_json(x, out));
}

int cmd_history_check(struct cli *cli, const void *options)
{
    struct check x = {.cli = cli, .o = options};
    struct outputs out;
    struct tare_err err;
    if (outputs_open(&out, &x.o->display, NULL, &err))
        return cli_fail(cli, EXIT_TOOL, &err);
    enum exit_code code = check(&x, &out);
    history_found_close(&x.f);
    outputs_finish(&out, NULL);
    if (x.confirmation.signal)
        plat_die_of(x.confirmation.signal);
    return (int)code;
}
