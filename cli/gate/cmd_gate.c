/* SPDX-License-Identifier: MIT
 *
 * `tare gate`: is a change slower? Two builds of the same benchmarks, measured on one machine in interleaved rounds.
 *
 *       FAIL: 1 of 12 benchmarks is slower by 2 % or more
 *
 *             benchmark      base      head  change (95 % bounds)
 *       FAIL  parse/4096  1.20 us  1.26 us  5.1 % slower (4.2–6.0)  measured again in 30 rounds
 *
 *       11 pass: at most 1.3 % slower each
 */
#include "gate_answer.h"
#include "gate_page.h"
#include "layout.h"
#include "quote.h"
#include "rng.h"
#include "screen.h"
#include "stored_file.h"
#include "units.h"
#include <math.h>
#include <string.h>

/* `tare gate --qualify N`: what a gate is worth on this machine. N gates of two builds of the base, made anew for each: what differs between
 * them is no change, so each FAIL is false. N more of the same builds, in each of which one benchmark is drawn whose figures of the head are multiplied by
 * what an injected delay would make of them: does the gate name it? */

/* Multiples of the limit, one after the other. */
static const double sizes[] = {1.5, 2.5, 5};
enum { SIZES = sizeof sizes / sizeof *sizes };

struct trials {
    struct gate *g;
    struct gate_trial *items; /* without an injected delay and with one in turns */
    int n;
    int beside; /* benchmarks that failed without a delay beside one */
    double seconds;
    double limit; /* the largest before the first gate: in a later one its benchmark may be skipped */
};

/* The largest of those that can fail: a delay that the gate finds there it finds where less is allowed. */
static double largest_limit(const struct gate *g)
{
    double limit = 0;
    for (int i = 0; i < g->n; i++)
        limit = gate_asked(&g->items[i]) ? fmax(limit, expm1(g->cases[i].limit)) : limit;
    return limit;
}

static int draw_benchmark(const struct gate *g, struct rng *r)
{
    int at = (int)rng_below(r, (uint64_t)g->n);
    for (int i = 0; i < g->n && !gate_asked(&g->items[at]); i++)
        at = (at + 1) % g->n;
    return at;
}

/* What two builds of one source differ by is drawn once a gate. */
static enum tare_status build_again(struct gate *g, struct tare_err *err)
{
    const enum tare_status status = gate_sides_build_again(g, err);
    return status ? status : gate_benchmarks_find(g, err);
}

/* at: the benchmark with the delay, -1: none. */
static enum tare_status make_gate(struct trials *t, int at, double size, struct tare_err *err)
{
    struct gate *g = t->g;
    gate_forget(g);
    enum tare_status status = at < 0 && t->n ? build_again(g, err) : TARE_OK;
    if (at >= 0)
        g->items[at].injected = log1p(size);
    g->number++;
    if (!status)
        status = gate_measure(g, err);
    if (status)
        return status;
    gate_conclude(g);
    t->seconds += g->seconds;
    struct gate_trial *trial = &t->items[t->n++];
    *trial = (struct gate_trial){.planted = at < 0 ? 0 : size, .verdict = g->verdict, .largest = gate_largest_of(g)};
    for (int i = 0; at >= 0 && i < g->n; i++) {
        const bool failed = g->items[i].result.verdict == GATE_FAIL;
        trial->named = trial->named || (failed && i == at);
        t->beside += failed && i != at;
    }
    return TARE_OK;
}

static enum tare_status make_gates(struct trials *t, struct tare_err *err)
{
    struct gate *g = t->g;
    t->limit = largest_limit(g);
    struct rng r = rng_seeded(GATE_GIVEN(g->o, seed) ? g->o->seed : (uint64_t)plat_utc_ns());
    enum tare_status status = TARE_OK;
    t->items = arena_array(g->cli->arena, 2 * (size_t)g->o->qualify, sizeof *t->items);
    if (!t->items)
        return err_no_memory(err);
    for (int i = 0; i < g->o->qualify && !status; i++) {
        gate_note(g, "gate %d of %d", i + 1, g->o->qualify);
        status = make_gate(t, -1, 0, err);
        if (!status)
            status = make_gate(t, draw_benchmark(g, &r), sizes[i % SIZES] * t->limit, err);
    }
    return status;
}

static void put_interval(struct buf *b, const struct tare_interval *i)
{
    buf_format(b, " (95 %% CI %s to %s)", figure_text(figure_share, i->low).at, figure_text(figure_share, i->high).at);
}

static void put_rate(const struct gate_qualified *q, struct page *p)
{
    char errors[80], way_on[80];
    if (!q->equal) {
        buf_str(&p->piece, "no result: no gate of equal builds came to an answer");
        flow_line(p, 2, HUE_BAD);
        return;
    }
    buf_print(errors, sizeof errors, "%d of %d gate%s of equal builds failed", q->failed, q->equal, buf_plural(q->equal));
    if (q->failed)
        buf_print(way_on, sizeof way_on, "more gates would narrow this (--qualify)");
    else
        buf_print(way_on, sizeof way_on, "--qualify %d without a FAIL would be enough", error_rate_trials(.05, GATE_ALPHA));
    render_error_rate(p, errors, q->false_positive.low, q->false_positive.high, GATE_ALPHA, way_on);
}

static void put_answers(const struct gate_qualified *q, struct page *p)
{
    buf_format(&p->piece, "of equal builds: %d FAIL, %d PASS, %d CANNOT TELL", q->failed, q->passed, q->undecided);
    flow_line(p, 2, HUE_PLAIN);
}

/* Where the interval of the power begins below, the trials are too few to speak of 90 %: up to 5 of 5. */
static const double FEWEST_KNOW = .5;

static void put_seen(const struct trials *t, const struct gate_qualified *q, struct page *p)
{
    const double most = sizes[SIZES - 1] * t->limit;
    if (isnan(q->seen))
        buf_format(&p->piece, "90 %% power for no slowdown up to %s", figure_text(figure_level, most).at);
    else {
        if (q->seen_share.low < FEWEST_KNOW)
            buf_format(&p->piece, "%d of %d slowdowns of %s named, too few to know the power", q->seen_named, q->seen_n,
                       figure_text(figure_level, q->seen).at);
        else
            buf_format(&p->piece, "90 %% power for a slowdown of %s", figure_text(figure_level, q->seen).at);
        put_interval(&p->piece, &q->seen_share);
    }
    flow_line(p, 2, HUE_BOLD);
}

static void put_injected(const struct trials *t, struct page *p)
{
    buf_str(&p->piece, "injected delays (one benchmark of the head, its figures multiplied) that FAIL named:");
    for (int k = 0; k < SIZES; k++) {
        int n = 0, named = 0;
        for (int i = 0; i < t->n; i++) {
            const bool of = fabs(t->items[i].planted - sizes[k] * t->limit) < 1e-12 && t->items[i].verdict != GATE_NO_RESULT;
            n += of;
            named += of && t->items[i].named;
        }
        if (n)
            buf_format(&p->piece, "%s %s: %d of %d", k ? "," : "", figure_text(figure_level, sizes[k] * t->limit).at, named, n);
    }
    buf_format(&p->piece, "; others named beside them: %d", t->beside);
    flow_line(p, 2, HUE_PLAIN);
}

static void put_layout(const struct gate_qualified *q, struct page *p)
{
    if (q->layout > 0)
        buf_format(&p->piece, "--layout %.2g%% makes a FAIL exceed what the two builds differ by here", 100 * expm1(q->layout));
    flow_line(p, 2, HUE_PLAIN);
}

static void put_basis(const struct trials *t, const struct gate_qualified *q, struct page *p)
{
    const struct gate *g = t->g;
    put_answers(q, p);
    put_injected(t, p);
    put_layout(q, p);
    figure_duration(&p->piece, t->seconds / t->n);
    buf_format(&p->piece, " a gate of %d benchmark%s; base %s, built twice for each", g->n, buf_plural(g->n),
               g->rs.items[GATE_BASE].label);
    flow_line(p, 2, HUE_DIM);
}

static void put_qualified(const struct trials *t, const struct gate_qualified *q, const struct render_options *o,
                          struct buf *text)
{
    struct page p = page_over(NULL, o, text);
    put_rate(q, &p);
    if (q->equal)
        put_seen(t, q, &p);
    if (q->equal && o->verbosity >= 0)
        put_basis(t, q, &p);
    page_finish(&p);
}

static enum exit_code print(const struct trials *t, const struct gate_qualified *q)
{
    const struct gate *g = t->g;
    struct render_options options = screen_options(&g->o->display);
    struct buf text = BUF_INIT(1 << 20);
    put_qualified(t, q, &options, &text);
    return screen_text(g->cli, &g->o->display, &text);
}

/* Its sessions are those of --save: dozens of gates are no page. */
static enum exit_code write_qualified(const struct trials *t, const struct gate_qualified *q, struct outputs *files)
{
    struct gate_text text = GATE_TEXT_INIT;
    struct record none;
    buf_format(&text.title, "tare gate --qualify: %s",
               error_rate_verdict(q->false_positive.low, q->false_positive.high, GATE_ALPHA));
    put_qualified(t, q, &(struct render_options){.unicode = true}, &text.wide);
    put_qualified(t, q, &(struct render_options){.unicode = true, .width = ANSWER_NARROW, .stacked = true}, &text.narrow);
    gate_record_none(t->g, &none);
    const bool copied = !t->g->n_records || !facts_copy(&none, &none.machine, &t->g->records[0].machine);
    const enum exit_code code = cli_worse(copied ? EXIT_ANSWERED : EXIT_TOOL, gate_write_page(t->g, files, &text, &none));
    gate_text_finish(&text);
    record_finish(&none);
    return code;
}

static bool asks_any(const struct gate *g)
{
    bool any = false;
    for (int i = 0; i < g->n; i++)
        any |= gate_asked(&g->items[i]);
    return any;
}

/* 1: it fails too often, beyond chance. */
static enum exit_code gate_try(struct gate *g, struct outputs *files)
{
    struct trials t = {.g = g};
    struct gate_qualified q;
    struct tare_err err;
    if (!asks_any(g)) {
        err_set(&err, TARE_INVALID, "--qualify: every benchmark is a control or accepted, so no gate of them can fail");
        return cli_refuse(g->cli, TARE_INVALID, &err);
    }
    const enum tare_status status = make_gates(&t, &err);
    if (status)
        return *err.text ? cli_fail(g->cli, status == TARE_CHILD ? EXIT_CHILD : EXIT_TOOL, &err) : EXIT_TOOL;
    gate_qualify(t.items, t.n, &q);
    enum exit_code code = print(&t, &q);
    if (g->o->display.export_file[EXPORT_TO_HTML])
        code = cli_worse(code, write_qualified(&t, &q, files));
    return cli_worse(code, q.equal < g->o->qualify ? EXIT_CHILD : q.false_positive.low > GATE_ALPHA ? EXIT_BAD : EXIT_ANSWERED);
}

enum { TEXT_MAX = 16 << 20 };

static enum tare_status find_file(struct gate *g, struct buf *text, const char **path, struct tare_err *err)
{
    struct git git;
    struct buf top = BUF_INIT(1 << 16);
    enum tare_status status = git_open(&git, g->cli->arena, plat_environment(), err);
    if (!status)
        status = git_ask(&git, &top, err, "rev-parse", "--show-toplevel", (char *)NULL);
    git_close(&git);
    *path = status ? NULL : arena_format(g->cli->arena, "%s/.tare/gate", buf_text(&top));
    buf_finish(&top);
    struct plat_file_state state;
    if (status == TARE_UNSUPPORTED || (status == TARE_CHILD && git_is_outside(err)))
        return TARE_OK; /* said later */
    if (status)
        return git_failed(status, err);
    if (!*path)
        return err_no_memory(err);
    if (!plat_file_state(*path, &state, NULL) && !state.regular)
        return err_set(err, TARE_INVALID, "%s is not a regular file", *path); /* the other end of a link may never end */
    status = plat_file_read(*path, text, err);
    if (status == TARE_NOT_FOUND && plat_is_link(*path))
        return err_set(err, TARE_INVALID, "%s is a link that leads nowhere", *path);
    if (status == TARE_NOT_FOUND) {
        *path = NULL;
        return TARE_OK;
    }
    return status;
}

/* Its words, then those of the command line, by one table. */
static enum tare_status parse_both(struct gate *g, const char *path, const char *text, struct gate_options *o,
                                   struct tare_err *err)
{
    enum { COMMAND_WORDS = 2 };
    int n = 0;
    const char **of_file;
    enum tare_status status = gate_file_words(text, &of_file, &n, g->cli->arena, err);
    if (status) {
        err_prefix(err, path);
        return status;
    }
    const int own = g->cli->argc - COMMAND_WORDS;
    const char **all = arena_array(g->cli->arena, (size_t)(n + own) + 1, sizeof *all);
    struct option_operands operands;
    if (!all)
        return err_no_memory(err);
    memcpy(all, of_file, (size_t)n * sizeof *all);
    for (int i = 0; i < own; i++)
        all[n + i] = g->cli->argv[COMMAND_WORDS + i];
    option_defaults(&gate_option_set, o);
    status = option_parse(&gate_option_set, o, n, (char *const *)(void *)of_file, &operands, g->cli->arena, err);
    if (status) {
        err_prefix(err, path);
        return status;
    }
    option_defaults(&gate_option_set, o);
    return option_parse(&gate_option_set, o, n + own, (char *const *)(void *)all, &g->cli->operands, g->cli->arena, err);
}

static enum tare_status check_programs(const struct gate_options *o, struct tare_err *err)
{
    for (int i = 0; i < o->programs.n; i++)
        if (plat_path_is_absolute(o->programs.items[i]))
            return err_set(err, TARE_INVALID,
                           "--bench %.200s: give its path from the current folder, as each work tree has its own",
                           o->programs.items[i]);
    return TARE_OK;
}

static enum exit_code read_options(struct gate *g, const struct gate_options *given, struct gate_options *all)
{
    struct buf text = BUF_INIT(1 << 20);
    struct tare_err err;
    const char *path = NULL;
    *all = *given;
    enum tare_status status = given->merge ? TARE_OK : find_file(g, &text, &path, &err);
    if (!status && path && strlen(buf_text(&text)) < text.len)
        status = err_set(&err, TARE_INVALID, "%s: it holds a zero byte, so it is no text", path);
    if (!status && path)
        status = parse_both(g, path, buf_text(&text), all, &err);
    if (!status)
        status = gate_options_check(all, &g->cli->operands, &err);
    if (!status)
        status = check_programs(all, &err);
    g->own_file = path != NULL;
    buf_finish(&text);
    g->o = all;
    return status ? cli_refuse(g->cli, status, &err) : EXIT_ANSWERED;
}

static enum exit_code print_plan(const struct gate *g)
{
    struct buf b = BUF_INIT(1 << 20);
    const struct gate_options *o = g->o;
    buf_str(&b, "Nothing was built or measured.\n");
    buf_format(&b, "  base   %s%s%s%s\n", g->rs.items[GATE_BASE].label, g->base_note ? " (" : "",
               g->base_note ? g->base_note : "", g->base_note ? ")" : "");
    buf_format(&b, "  head   %s\n  build  %s\n", g->rs.items[GATE_HEAD].label, o->build);
    for (int i = 0; i < o->carried.n; i++)
        buf_format(&b, "  carry  %s\n", o->carried.items[i]);
    for (int i = 0; i < o->programs.n; i++)
        buf_format(&b, "  bench  %s\n", o->programs.items[i]);
    for (int i = 0; i < o->inputs.n; i++)
        buf_format(&b, "  inputs %s\n", o->inputs.items[i]);
    if (o->command.n) {
        buf_str(&b, "  runs   ");
        quote_words(&b, o->command.items, true);
        buf_char(&b, '\n');
    }
    buf_str(&b, "  fail   if slower by ");
    gate_put_limits(o, ", ", &b);
    buf_format(&b, "\n  time   at most %s after the builds\n", figure_text(figure_duration, (double)o->max_time_ns / 1e9).at);
    return cli_print(g->cli, &b);
}

/* Where the page stands alone, nothing is above it. */
static const char *failure_text(struct arena *a, const char *text)
{
    const char *above = strstr(text, "; its last lines are above");
    return arena_copy(a, text, above ? (size_t)(above - text) : strlen(text));
}

/* Of a session that failed the line is there already. */
static enum exit_code say_failure(struct gate *g, enum exit_code code, const struct tare_err *err)
{
    return *err->text ? cli_fail(g->cli, code, err) : code;
}

/* What ended the gate before there was an answer. CHILD is an answer too, which the page gives: there is no result. */
static enum exit_code give_up(struct gate *g, enum tare_status status, const struct tare_err *err)
{
    g->signal_number = g->signal_number ? g->signal_number : plat_signal();
    if (status == TARE_INTERRUPTED || g->signal_number)
        return say_failure(g, EXIT_TOOL, err);
    if (status == TARE_CHILD && !g->o->qualify) {
        g->verdict = GATE_NO_RESULT;
        g->failure = failure_text(g->cli->arena, err->text);
    }
    if (g->failure)
        return EXIT_CHILD;
    return say_failure(g, status == TARE_CHILD ? EXIT_CHILD : status == TARE_INVALID ? EXIT_USAGE : EXIT_TOOL, err);
}

static enum exit_code measure_gate(struct gate *g, struct outputs *files)
{
    struct tare_err err;
    enum tare_status status = gate_sides_build(g, &err);
    if (!status)
        status = gate_benchmarks_find(g, &err);
    if (!status && g->o->qualify)
        return gate_try(g, files);
    if (!status)
        status = gate_measure(g, &err);
    if (status)
        return give_up(g, status, &err);
    gate_conclude(g);
    return gate_code(g->verdict);
}

enum { COMMENT_BYTES = 65000, SUMMARY_BYTES = 1 << 20, SUMMARY_ASIDE = 1 << 14 };

static const char *summary_file(void)
{
    return plat_getenv("GITHUB_STEP_SUMMARY");
}

/* Steps before may have written to it: all together have room for 1 MiB. */
static size_t summary_room(void)
{
    struct plat_file_state state;
    const int64_t there = plat_file_state(summary_file(), &state, NULL) ? 0 : state.bytes;
    return there + SUMMARY_ASIDE < SUMMARY_BYTES ? (size_t)(SUMMARY_BYTES - SUMMARY_ASIDE - there) : 0;
}

static enum tare_status append(const char *path, const struct buf *text, struct tare_err *err)
{
    struct plat_file *f;
    enum tare_status status = plat_file_create(&f, path, PLAT_FILE_APPEND, err);
    if (status)
        return status;
    status = plat_file_write(f, buf_text(text), text->len, err);
    const enum tare_status closed = plat_file_commit(f, status ? NULL : err);
    return status ? status : closed;
}

static enum exit_code keep_text(const struct gate *g, const char *option, const char *path, bool add, struct buf *text)
{
    struct tare_err err;
    enum tare_status status = text->status ? err_no_memory(&err) : TARE_OK;
    if (!status)
        status = add ? append(path, text, &err) : plat_file_replace(path, buf_text(text), text->len, &err);
    buf_finish(text);
    if (!status)
        return EXIT_ANSWERED;
    err_prefix(&err, option);
    return cli_fail(g->cli, EXIT_TOOL, &err);
}

static enum exit_code write_files(struct gate *g, struct outputs *files)
{
    enum exit_code code = EXIT_ANSWERED;
    struct buf text = BUF_INIT(TEXT_MAX);
    if (g->o->comment) {
        gate_put_markdown(g, COMMENT_BYTES, &text);
        code = cli_worse(code, keep_text(g, "--comment", g->o->comment, false, &text));
        text = BUF_INIT(TEXT_MAX);
    }
    if (g->o->summary) {
        gate_put_markdown(g, summary_room(), &text);
        code = cli_worse(code, keep_text(g, "--summary", summary_file(), true, &text));
        text = BUF_INIT(TEXT_MAX);
    }
    if (g->o->junit) {
        gate_put_junit(g, &text);
        code = cli_worse(code, keep_text(g, "--export-junit", g->o->junit, false, &text));
        text = BUF_INIT(TEXT_MAX);
    }
    if (g->o->display.export_file[EXPORT_TO_JSON]) {
        gate_put_json(g, &text);
        code = cli_worse(code, outputs_text(files, g->cli, EXPORT_TO_JSON, &text));
    }
    if (g->o->display.export_file[EXPORT_TO_HTML])
        code = cli_worse(code, gate_write_html(g, files));
    return g->o->annotate ? cli_worse(code, gate_print_annotations(g)) : code;
}

/* Whether it can be written, before anything is measured. A pipe is left alone: its reader would see an end. */
static enum tare_status try_place(const char *option, const char *path, struct tare_err *err)
{
    struct plat_file_state state;
    struct plat_file *f;
    if (!path || (!plat_file_state(path, &state, NULL) && !state.regular))
        return TARE_OK;
    enum tare_status status = plat_file_create(&f, path, PLAT_FILE_REPLACE, err);
    if (status)
        err_prefix(err, option);
    else
        plat_file_abandon(f);
    return status;
}

/* What it reads is none to write over: its own options, the records of --merge. */
static enum tare_status check_places(const struct gate *g, struct tare_err *err)
{
    const char *own = g->own_file ? arena_format(g->cli->arena, "%s/.tare/gate", g->top) : NULL;
    const struct option_operands *records = &g->cli->operands;
    const struct outputs_place written[] = {
        {"--save", g->o->save, false},           {"--comment", g->o->comment, false},
        {"--export-junit", g->o->junit, false},  {"--summary", g->o->summary ? summary_file() : NULL, false},
        {"--build-log", g->o->build_log, false}, {"the options in", own, true}};
    enum { WRITTEN = sizeof written / sizeof *written };
    struct outputs_place *places = arena_array(g->cli->arena, WRITTEN + (size_t)records->n, sizeof *places);
    if (!places)
        return err_no_memory(err);
    memcpy(places, written, sizeof written);
    for (int i = 0; i < records->n; i++)
        places[WRITTEN + i] = (struct outputs_place){"the record", records->items[i], true};
    return outputs_check(&g->o->display, places, WRITTEN + records->n, err);
}

static enum exit_code open_files(struct gate *g, struct outputs *files)
{
    struct tare_err err;
    enum tare_status status = plat_signals_watch();
    if (status)
        err_set(&err, status, "cannot watch signals");
    if (!status && g->o->summary && !summary_file())
        status =
            err_set(&err, TARE_INVALID, "--summary github needs the variable GITHUB_STEP_SUMMARY, which a GitHub runner sets");
    if (!status)
        status = check_places(g, &err);
    if (!status)
        status = try_place("--comment", g->o->comment, &err);
    if (!status)
        status = try_place("--export-junit", g->o->junit, &err);
    if (!status)
        status = outputs_open(files, &g->o->display, NULL, &err);
    if (!status && g->o->save) {
        status = stored_keep(g->o->save, (struct stored_keep){0}, &err);
        if (!status)
            status = plat_file_create(&g->save, g->o->save, PLAT_FILE_APPEND_ASIDE, &err);
        if (status)
            err_prefix(&err, "--save");
    }
    return status ? cli_refuse(g->cli, status, &err) : EXIT_ANSWERED;
}

static enum exit_code close_files(struct gate *g, struct outputs *files)
{
    struct tare_err err;
    enum exit_code code = EXIT_ANSWERED;
    if (g->save && plat_file_commit(g->save, &err))
        code = cli_fail(g->cli, EXIT_TOOL, &err);
    if (outputs_finish(files, &err))
        code = cli_fail(g->cli, EXIT_TOOL, &err);
    return code;
}

/* What was measured is in memory, as of other commands (outputs_export). */
static enum exit_code mend_record(const struct gate *g)
{
    struct tare_err err;
    if (!g->save || g->save_failed || plat_file_intact(g->save)) /* a full disk was said already */
        return EXIT_ANSWERED;
    if (g->saved.status ? err_set(&err, g->saved.status, "%s", tare_status_text(g->saved.status))
                        : outputs_renew_text(g->save, &g->saved, &err)) {
        err_prefix(&err, "--save: the file was deleted, replaced or changed while tare measured");
        return cli_fail(g->cli, EXIT_TOOL, &err);
    }
    gate_note(g, "--save: '%.200s' was deleted, replaced or changed while tare measured; it was written anew", g->o->save);
    return EXIT_ANSWERED;
}

static bool has_answer(const struct gate *g, enum exit_code code)
{
    return !g->signal_number && g->n + (g->failure != NULL) > 0 &&
           (code == EXIT_ANSWERED || code == EXIT_BAD || code == EXIT_UNDECIDED || code == EXIT_CHILD);
}

static enum exit_code keep_equal(struct gate *g)
{
    struct tare_err err;
    if (!gate_keep_equal(g, &err))
        return EXIT_ANSWERED;
    g->save_failed = true;
    err_prefix(&err, "--save");
    return cli_fail(g->cli, EXIT_TOOL, &err);
}

static enum exit_code run_gate(struct gate *g)
{
    struct outputs files = {.save = NULL};
    enum exit_code code = open_files(g, &files), kept = EXIT_ANSWERED;
    if (!code)
        code = g->o->merge ? gate_of_machines(g) : measure_gate(g, &files);
    if (g->save && !g->n_sessions && !code && gate_nothing_to_ask(g))
        kept = keep_equal(g);
    if (!g->o->qualify && has_answer(g, code)) {
        code = cli_worse(code, write_files(g, &files));
        code = cli_worse(code, gate_print(g));
    }
    kept = cli_worse(kept, mend_record(g));
    return cli_worse(cli_worse(code, kept), close_files(g, &files));
}

static enum exit_code end(struct gate *g, enum exit_code code)
{
    struct tare_err err;
    if (gate_sides_remove(g, &err))
        code = cli_worse(code, cli_fail(g->cli, EXIT_TOOL, &err));
    gate_drop_records(g);
    buf_finish(&g->saved);
    const int signal_number = g->signal_number ? g->signal_number : plat_signal();
    if (signal_number)
        plat_die_of(signal_number);
    return code;
}

enum { SAVED_MOST = 1 << 28 }; /* a thousand gates of --qualify may be more, which are in the file alone */

int cmd_gate(struct cli *cli, const void *options)
{
    struct gate g = {.cli = cli, .start_utc_ns = plat_utc_ns(), .verdict = GATE_NO_RESULT, .saved = BUF_INIT(SAVED_MOST)};
    struct gate_options o;
    struct tare_err err;
    enum exit_code code = read_options(&g, options, &o);
    if (code)
        return code;
    enum tare_status status = o.merge ? TARE_OK : gate_sides_find(&g, &err);
    if (status)
        code = cli_refuse(cli, status, &err);
    else
        code = o.dry_run ? print_plan(&g) : run_gate(&g);
    return end(&g, code);
}
