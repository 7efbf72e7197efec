/* SPDX-License-Identifier: MIT */
#include "chart_export.h"
#include "leak_ledger.h"
#include "leak_sentences.h"
#include "leak_session.h"
#include "render.h"
#include "screen.h"
#include <math.h>
#include <string.h>

/* ---- the answer ---- */

static enum exit_code verdict_code(const struct record *r, const struct leak_target *t)
{
    switch (t->verdict) {
    case VERDICT_LEAK:
        return EXIT_BAD;
    case VERDICT_LEAK_SMALL:
        return r->rule.leaks.strict ? EXIT_BAD : EXIT_ANSWERED;
    case VERDICT_NO_LEAK:
        return EXIT_ANSWERED;
    case VERDICT_UNDECIDED:
        return EXIT_UNDECIDED;
    default:
        return EXIT_INVALID;
    }
}

/* dudect has no word for "it does not leak"; lab0-c's pass is no proof of it. */
static enum exit_code dudect_code(const struct leak_target *t)
{
    bool lab0 = t->corrected_tries >= 0, bad = lab0 ? t->corrected_passed == 0 : t->corrected_over_after >= 0;
    return t->verdict == VERDICT_INVALID ? EXIT_INVALID : bad ? EXIT_BAD : EXIT_UNDECIDED;
}

static enum exit_code target_code(const struct record *r, int subject)
{
    const struct leak_target *t = record_leak_target(r, subject);
    if (r->subjects[subject].failure)
        return t && t->unfit > 0 ? EXIT_INVALID : EXIT_CHILD;
    return !t ? EXIT_UNDECIDED : r->rule.leaks.dudect ? dudect_code(t) : verdict_code(r, t);
}

enum exit_code leak_code(const struct record *r)
{
    enum exit_code code = EXIT_ANSWERED;
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].kind == SUBJECT_LEAK)
            code = cli_worse(code, target_code(r, i));
    return code;
}

/* ---- pictures ---- */

/* The figures of a target as lines: all that have a value, by the names that JSON and record give them. */
enum { FACTS_MOST = 160 };

struct facts_maker {
    struct arena *arena;
    struct chart_fact *facts;
    int n;
    bool failed;
};

static void add_fact(struct facts_maker *m, const char *name, const char *value)
{
    const char *kept = arena_strdup(m->arena, value);
    m->failed = m->failed || !kept;
    if (kept && m->n < FACTS_MOST)
        m->facts[m->n++] = (struct chart_fact){name, kept};
}

static void add_figure(struct facts_maker *m, const struct leak_figure *f, double value)
{
    char room[64];
    struct buf text = buf_over(room, sizeof room);
    if (isnan(value))
        return;
    if (isinf(value))
        buf_str(&text, value > 0 ? "unbounded" : "unbounded below");
    else
        buf_format(&text, fabs(value) < 1e6 && value == rint(value) ? "%.0f" : "%.4g", value);
    if (strcmp(f->unit, "1") != 0)
        buf_format(&text, " %s", f->unit);
    add_fact(m, f->id, buf_text(&text));
}

static const struct chart_fact *facts_of(struct leak_target *t, struct arena *arena, int *n)
{
    struct facts_maker m = {.arena = arena, .facts = arena_array(arena, FACTS_MOST, sizeof *m.facts)};
    *n = 0;
    if (!m.facts)
        return NULL;
    for (int i = 0; leak_text_at(i); i++) {
        const char *value = *leak_text_of(t, leak_text_at(i));
        if (value && *value)
            add_fact(&m, leak_text_at(i)->id, value);
    }
    for (int i = 0; leak_figure_at(i); i++)
        add_figure(&m, leak_figure_at(i), *leak_figure_of(t, leak_figure_at(i)));
    *n = m.n;
    return m.failed ? NULL : m.facts;
}

static const char *sentence_of(const struct record *r, const struct leak_target *t, struct arena *arena)
{
    struct buf b = BUF_INIT(1 << 16);
    leak_sentence(r, t, &b);
    const char *kept = arena_strdup(arena, buf_text(&b));
    buf_finish(&b);
    return kept;
}

bool leak_make_pages(const struct leak_judges *all, struct record *r, struct arena *arena)
{
    struct chart_page *pages = arena_array(arena, (size_t)all->n + 1, sizeof *pages);
    int n = 0;
    for (int i = 0; pages && i < all->n; i++) {
        const struct leak_target *found = record_leak_target(r, i);
        struct chart *charts = arena_array(arena, LEAK_CHARTS_MAX, sizeof *charts);
        if (!charts)
            return false;
        if (!found || r->subjects[i].failure)
            continue;
        struct leak_target t = *found;
        const int drawn = leak_judge_draw(all->of[i], &t, arena, charts);
        if (record_set_leak_target(r, &t))
            return false;
        if (drawn > 0) {
            struct chart_page page = {
                .heading = r->subjects[i].name, .verdict = sentence_of(r, &t, arena), .charts = charts, .n_charts = drawn};
            page.facts = facts_of(&t, arena, &page.n_facts);
            pages[n++] = page;
        }
    }
    r->pages = pages;
    r->n_pages = pages ? n : 0;
    return pages != NULL;
}

static enum tare_status open_ledger(struct leak *k, struct tare_err *err)
{
    struct buf note = BUF_INIT(1 << 16);
    enum tare_status status = k->o->ledger ? leak_ledger_open(&k->ledger, k->o->ledger, &note, err) : TARE_OK;
    if (note.len)
        run_note(&k->run, "%s", buf_text(&note));
    buf_finish(&note);
    return status;
}

static enum tare_status open_raw(struct leak *k, struct tare_err *err)
{
    if (!k->o->run.save)
        return TARE_OK;
    struct record *r = &k->run.record;
    struct buf name = BUF_INIT(1 << 16);
    leak_raw_name(k->o->run.save, &name);
    enum tare_status status = facts_add_text(r, &r->before, "raw_file", buf_text(&name));
    buf_finish(&name);
    return status ? err_set(err, status, "no memory for the record") : leak_raw_open(&k->raw, k->o->run.save, err);
}

enum tare_status leak_open_files(struct leak *k, struct tare_err *err)
{
    enum tare_status status = open_ledger(k, err);
    return status ? status : open_raw(k, err);
}

/* Also of a session that was interrupted: who stops when it goes badly has seen it too. */
enum exit_code leak_add_to_ledger(struct leak *k)
{
    const struct record *r = &k->run.record;
    struct tare_err err;
    enum tare_status status = TARE_OK;
    for (int i = 0; k->ledger && i < r->n_leak_targets && !status; i++) {
        const struct leak_target *t = &r->leak_targets[i];
        if (!r->subjects[t->subject].failure)
            status = leak_ledger_add(k->ledger, r, t, leak_judge_log_e(k->judges.of[t->subject]), &err);
    }
    if (!status)
        return EXIT_ANSWERED;
    err_prefix(&err, "--ledger");
    return (enum exit_code)cli_fail(k->run.cli, EXIT_TOOL, &err);
}

enum exit_code leak_close_raw(struct leak *k)
{
    struct tare_err err;
    enum tare_status status = leak_raw_close(&k->raw, &err);
    if (!status && leak_raw_describe(&k->raw, &k->run.record))
        status = err_set(&err, TARE_NO_MEMORY, "no memory for the record");
    if (!status)
        return EXIT_ANSWERED;
    err_prefix(&err, "the times of the calls");
    return (enum exit_code)cli_fail(k->run.cli, EXIT_TOOL, &err);
}

enum exit_code leak_draw(struct leak *k)
{
    struct tare_err err;
    if (!leak_make_pages(&k->judges, &k->run.record, k->run.cli->arena)) {
        err_set(&err, TARE_NO_MEMORY, "no memory for pictures");
        return (enum exit_code)cli_fail(k->run.cli, EXIT_TOOL, &err);
    }
    return EXIT_ANSWERED;
}

enum exit_code leak_show_pictures(struct cli *cli, const struct display_options *d, const struct record *r)
{
    struct render_options options = screen_options(d);
    struct buf b = BUF_INIT(1 << 24);
    for (int i = 0; i < r->n_pages && d->verbose > 0; i++) {
        buf_char(&b, '\n');
        render_charts(&r->pages[i], &options, &b);
    }
    return screen_text(cli, d, &b);
}

void leak_close(struct leak *k)
{
    leak_raw_close(&k->raw, NULL);
    leak_ledger_close(k->ledger);
    leak_judges_close(&k->judges);
    record_finish(&k->before);
}
