/* SPDX-License-Identifier: MIT
 *
 * The page of a gate, and the texts that all its pages share. */
#include "gate_page.h"
#include "layout.h"
#include "quote.h"
#include "screen.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 16 << 20, NAME_COLUMNS = 48, NAMED_MOST = 8 };

const char *const gate_verdict_words[] = {"PASS", "FAIL", "CANNOT TELL", "NO RESULT"};

static int count_verdict(const struct gate *g, enum gate_verdict v)
{
    int n = 0;
    for (int i = 0; i < g->n; i++)
        n += gate_asked(&g->items[i]) && g->items[i].result.verdict == v;
    return n;
}

static int count_asked(const struct gate *g)
{
    int n = 0;
    for (int i = 0; i < g->n; i++)
        n += gate_asked(&g->items[i]);
    return n;
}

static int count_kind(const struct gate *g, enum gate_kind kind)
{
    int n = 0;
    for (int i = 0; i < g->n; i++)
        n += g->items[i].kind == kind;
    return n;
}

static bool has_accepted(const struct gate *g)
{
    for (int i = 0; i < g->n; i++)
        if (g->items[i].kind == GATE_BOTH && g->items[i].c->accepted && !g->items[i].control)
            return true;
    return false;
}

static double limit_of(const struct gate_benchmark *b)
{
    return expm1(b->c->limit);
}

/* The one that all asked benchmarks share; NaN: they differ. */
static double common_limit(const struct gate *g)
{
    double limit = NAN;
    for (int i = 0; i < g->n; i++) {
        if (!gate_asked(&g->items[i]))
            continue;
        if (!isnan(limit) && fabs(limit - limit_of(&g->items[i])) > 1e-9)
            return NAN;
        limit = limit_of(&g->items[i]);
    }
    return limit;
}

bool gate_is_time(const struct gate *g)
{
    return g->unit ? !strcmp(g->unit, "ns") : !g->o->metric || !strcmp(g->o->metric, "ns") || !strcmp(g->o->metric, "cpu_time");
}

static void put_question(const struct gate *g, struct buf *b)
{
    const double limit = common_limit(g);
    buf_str(b, gate_is_time(g) ? "slower " : "worse ");
    if (isnan(limit))
        buf_str(b, "than allowed");
    else
        buf_format(b, "by %s or more", figure_text(figure_level, limit).at);
}

static void put_count(struct buf *b, int n, int of, const char *is)
{
    if (of == 1)
        buf_format(b, "the benchmark %s ", is);
    else
        buf_format(b, "%d of %d benchmarks %s ", n, of, is);
}

void gate_put_verdict(const struct gate *g, struct buf *b)
{
    const int asked = count_asked(g), n = count_verdict(g, g->verdict);
    buf_format(b, "%s: ", gate_verdict_words[g->verdict]);
    if (g->failure)
        buf_str(b, g->failure);
    else if (g->verdict == GATE_PASS && !asked)
        buf_str(b, has_accepted(g) ? "every benchmark that was compared is accepted"
                   : count_kind(g, GATE_EQUAL) == g->n
                       ? "both builds make the same programs, so nothing was measured"
                       : "both builds make the same programs, apart from benchmarks that decide nothing");
    else if (g->verdict == GATE_PASS) {
        buf_format(b, asked == 1 ? "the benchmark is not " : "none of %d benchmarks is ", asked);
        put_question(g, b);
    } else if (g->verdict == GATE_NO_RESULT && !asked)
        buf_str(b, count_kind(g, GATE_BOTH) ? "every benchmark that both builds have is a control, which decides nothing"
                   : count_kind(g, GATE_SKIPPED)
                       ? "both builds skip every benchmark that they have in common, so nothing was compared"
                       : "no benchmark is in both builds, so nothing was compared");
    else {
        put_count(b, n, asked,
                  g->verdict == GATE_NO_RESULT     ? "gave no result"
                  : g->verdict == GATE_CANNOT_TELL ? "may be"
                  : n == 1                         ? "is"
                                                   : "are");
        if (g->verdict == GATE_NO_RESULT)
            b->len--, b->data[b->len] = 0;
        else
            put_question(g, b);
    }
}

static bool is_slower(const struct gate_benchmark *b)
{
    return b->result.verdict != GATE_PASS && b->result.low > 0;
}

const char *gate_word(const struct gate *g, const struct gate_benchmark *b)
{
    if (b->result.verdict == GATE_NO_RESULT)
        return gate_verdict_words[GATE_NO_RESULT];
    if (b->control)
        return "control";
    if (b->c->accepted && b->result.verdict != GATE_PASS)
        return "accepted";
    if (b->result.verdict != GATE_PASS)
        return gate_verdict_words[b->result.verdict];
    return !b->faster ? "passes" : gate_is_time(g) ? "faster" : "better";
}

bool gate_listed(const struct gate_benchmark *b)
{
    return b->kind == GATE_BOTH && (b->control || b->result.verdict != GATE_PASS || b->faster);
}

void gate_put_change(const struct gate *g, const struct gate_benchmark *i, struct buf *b)
{
    const struct gate_result *r = &i->result;
    if (i->result.verdict == GATE_NO_RESULT || isnan(r->shift))
        return;
    figure_ratio(b, r->shift, r->low, r->high,
                 !(is_slower(i) || i->faster) ? NULL
                 : gate_is_time(g)            ? words_of_times
                                              : words_of_others);
}

void gate_put_value(const struct gate *g, const struct gate_benchmark *i, enum gate_side side, struct buf *b)
{
    const struct metric *m = g->n_records ? record_metric(&g->records[0], g->records[0].rule.metric) : NULL;
    const char *unit = m ? m->unit : g->unit ? g->unit : "ns";
    if (!isfinite(i->ns[side]))
        return;
    const size_t from = b->len;
    figure_scaled(b, unit, i->ns[side], 3);
    if (g->runners < 2 || !(i->most_ns[side] > i->ns[side]))
        return;
    struct buf most = BUF_INIT(1 << 10);
    figure_scaled(&most, unit, i->most_ns[side], 3);
    if (strcmp(buf_text(&most), buf_text(b) + from) != 0)
        buf_format(b, "–%s", buf_text(&most));
    buf_finish(&most);
}

static void put_mean(const struct gate *g, double percent, struct buf *b)
{
    buf_str(b, "the mean is ");
    figure_put(b, percent, figure_digits(percent, 2));
    buf_str(b, gate_is_time(g) ? " % slower: rare slow processes" : " % more: rare processes");
}

void gate_put_remark(const struct gate *g, const struct gate_benchmark *i, struct buf *b)
{
    if (i->c->failure)
        buf_str(b, i->c->failure);
    else if (i->remark)
        buf_str(b, i->remark);
    else if (i->result.verdict == GATE_FAIL)
        buf_format(b, "measured again in %d rounds", i->c->n_confirm);
    else if (i->result.verdict == GATE_CANNOT_TELL && i->c->n_screen < GATE_FIRST_FEWEST)
        buf_format(b, "only %d round%s", i->c->n_screen, buf_plural(i->c->n_screen));
    else if (i->result.verdict == GATE_CANNOT_TELL && i->result.rare_mean > 0)
        put_mean(g, 100 * expm1(i->result.rare_mean), b);
    else if (i->result.verdict == GATE_CANNOT_TELL && i->result.decidable > 0 && gate_asked(i))
        buf_format(b, "would pass a limit of %s", figure_text(figure_level, upper_bound(i->result.decidable)).at);
}

const char *const gate_kind_words[] = {[GATE_BOTH] = "",
                                       [GATE_NEW] = "new, so not compared",
                                       [GATE_DELETED] = "in the base only",
                                       [GATE_EQUAL] = "equal in both builds",
                                       [GATE_SKIPPED] = "skipped by both programs"};

static void put_names(const struct gate *g, enum gate_kind kind, struct buf *b)
{
    const int n = count_kind(g, kind);
    int named = 0;
    if (!n)
        return;
    buf_format(b, "%s: ", gate_kind_words[kind]);
    for (int i = 0; i < g->n; i++)
        if (g->items[i].kind == kind && named++ < NAMED_MOST)
            buf_format(b, "%s%.100s", named > 1 ? ", " : "", g->items[i].c->name);
    if (n > NAMED_MOST)
        buf_format(b, " and %d more", n - NAMED_MOST);
}

static void put_passed(const struct gate *g, struct buf *b)
{
    int n = 0;
    double most = 0;
    for (int i = 0; i < g->n; i++) {
        const struct gate_benchmark *x = &g->items[i];
        if (x->kind != GATE_BOTH || gate_listed(x))
            continue;
        n++;
        most = fmax(most, expm1(x->result.high));
    }
    if (n)
        buf_format(b, "%d pass%s: at most %s %s%s", n, n > 1 ? "" : "es", figure_text(figure_level, upper_bound(most)).at,
                   gate_is_time(g) ? "slower" : "more", n > 1 ? " each" : "");
}

/* Rounded up, as the option is written. */
static void put_max_time(struct buf *b, double seconds)
{
    if (seconds > 100)
        buf_format(b, "--max-time %.0fmin", ceil(seconds / 60));
    else
        buf_format(b, "--max-time %.0fs", ceil(fmax(seconds, 1)));
}

/* CANNOT TELL: what would decide, or that no time does. */
static void put_advice(const struct gate *g, struct buf *b)
{
    const struct gate_advice *a = &g->advice;
    if (a->few) {
        buf_format(b, "a bound needs %d rounds: ", GATE_FIRST_FEWEST);
        put_max_time(b, a->time_s);
        buf_str(b, g->n > 1 ? ", or fewer benchmarks (--filter)" : "");
    } else if (a->hopeless < a->open) {
        put_max_time(b, a->time_s);
        if (a->open == 1)
            buf_str(b, " would probably decide it");
        else if (!a->hopeless)
            buf_format(b, " would probably decide all %d", a->open);
        else
            buf_format(b, " would probably decide %d of these %d", a->open - a->hopeless, a->open);
    }
    if (a->hopeless && !a->few)
        buf_format(b, "%sno time would decide %s: %s", a->hopeless < a->open ? "; " : "",
                   a->hopeless == a->open ? a->open > 1 ? "them" : "it"
                   : a->hopeless > 1      ? "the others"
                                          : "the other one",
                   a->rare == a->hopeless     ? "slower only in rare processes"
                   : a->hidden == a->hopeless ? "printed in steps that hide such a difference"
                                              : "too close to the limit, or too noisy");
}

static void put_equal(const struct gate *g, struct buf *b)
{
    const char *const equal = g->programs ? g->programs[0].equal : NULL;
    const int n = count_kind(g, GATE_EQUAL);
    if (n)
        buf_format(b, "%d not measured: %s", n, equal ? equal : "their programs are equal in both builds");
}

static void put_sides(const struct gate *g, struct buf *b)
{
    if (g->hashes[GATE_BASE])
        buf_format(b, "base %.7s, head %.7s", g->hashes[GATE_BASE], g->hashes[GATE_HEAD]);
    if (g->runners)
        buf_format(b, ", %d record%s", g->runners, buf_plural(g->runners));
    if (g->rs.n < 2)
        return;
    buf_format(b, "base %s", g->rs.items[GATE_BASE].label);
    if (g->base_note)
        buf_format(b, " (%s)", g->base_note);
    buf_format(b, ", head %s", g->rs.items[GATE_HEAD].label);
}

static void put_sessions(const struct gate *g, struct buf *b)
{
    for (int i = 0; i < g->n_sessions; i++) {
        const struct gate_session *s = &g->sessions[i];
        if (s->phase == GATE_SCREEN)
            buf_format(b, "%d round%s of %d benchmark%s", s->rounds, buf_plural(s->rounds), s->benchmarks,
                       buf_plural(s->benchmarks));
        else
            buf_format(b, ", then %d round%s of %d%s", s->rounds, buf_plural(s->rounds), s->benchmarks,
                       s->phase == GATE_CONFIRM ? " to confirm" : " of them");
    }
    if (!g->n_sessions)
        return;
    buf_format(b, " in %s", figure_text(figure_duration, g->seconds).at);
    if (g->build_seconds > 0)
        buf_format(b, ", builds %s", figure_text(figure_duration, g->build_seconds).at);
}

static void put_fact(struct buf *b, const struct facts *f, const char *key, const char *before)
{
    const struct fact *k = facts_find(f, key);
    if (k && k->text)
        buf_format(b, "%s%s", b->len ? before : "", k->text);
}

static void put_disturbance(const struct gate *g, struct buf *b)
{
    if (g->disturbance)
        buf_format(b, "! %s", g->disturbance);
}

static void put_environment(const struct gate *g, struct buf *b)
{
    if (!g->n_records)
        return;
    put_fact(b, &g->records[0].machine, "cpu_brand", "");
    put_fact(b, &g->records[0].machine, "hypervisor", ", under ");
    put_fact(b, &g->records[0].machine, "distribution", ", ");
    put_fact(b, &g->records[0].machine, "kernel", ", kernel ");
}

static void put_new(const struct gate *g, struct buf *b)
{
    put_names(g, GATE_NEW, b);
}

static void put_deleted(const struct gate *g, struct buf *b)
{
    put_names(g, GATE_DELETED, b);
}

static void put_skipped(const struct gate *g, struct buf *b)
{
    put_names(g, GATE_SKIPPED, b);
}

static void put_file(const struct gate *g, struct buf *b)
{
    if (g->file_changed)
        buf_str(b, g->own_file ? "this change also changes .tare/gate, which has options of this gate"
                               : "this gate has no options from .tare/gate, which the base or the change has");
}

bool gate_put_note(const struct gate *g, int index, struct buf *b)
{
    static void (*const notes[])(const struct gate *, struct buf *) = {put_advice,   put_passed,      put_equal,      put_new,
                                                                       put_deleted,  put_skipped,     put_file,       put_sides,
                                                                       put_sessions, put_disturbance, put_environment};
    if (index >= (int)(sizeof notes / sizeof *notes))
        return false;
    notes[index](g, b);
    return true;
}

struct place {
    int rank, index;
    double shift;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->shift != y->shift)
        return x->shift > y->shift ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int rank_of(const struct gate_benchmark *b)
{
    static const int ranks[] = {[GATE_FAIL] = 0, [GATE_NO_RESULT] = 1, [GATE_CANNOT_TELL] = 2, [GATE_PASS] = 4};
    return b->kind != GATE_BOTH                               ? 6
           : b->control                                       ? 5
           : b->c->accepted && b->result.verdict != GATE_PASS ? 3
                                                              : ranks[b->result.verdict];
}

int *gate_order(const struct gate *g)
{
    int *order = arena_array(g->cli->arena, (size_t)g->n + 1, sizeof *order);
    struct place *places = arena_array(g->cli->arena, (size_t)g->n + 1, sizeof *places);
    if (!order || !places)
        return NULL;
    for (int i = 0; i < g->n; i++)
        places[i] = (struct place){rank_of(&g->items[i]), i, isnan(g->items[i].result.shift) ? 0 : g->items[i].result.shift};
    qsort(places, (size_t)g->n, sizeof *places, compare_places);
    for (int i = 0; i < g->n; i++)
        order[i] = places[i].index;
    return order;
}

static void put_row(struct table *t, const struct gate *g, const struct gate_benchmark *b)
{
    struct page *p = t->p;
    struct buf remark = BUF_INIT(1 << 16);
    const enum gate_verdict v = b->result.verdict;
    const enum hue hue = !gate_asked(b)                          ? HUE_PLAIN
                         : v == GATE_FAIL || v == GATE_NO_RESULT ? HUE_BAD
                         : b->faster                             ? HUE_GOOD
                                                                 : HUE_PLAIN;
    hue_on(p, &p->piece, hue);
    buf_str(&p->piece, gate_word(g, b));
    hue_off(p, &p->piece, hue);
    table_cell(t);
    quote_cut(&p->piece, b->c->name, NAME_COLUMNS, p->o->unicode);
    table_cell(t);
    gate_put_value(g, b, GATE_BASE, &p->piece);
    table_cell(t);
    gate_put_value(g, b, GATE_HEAD, &p->piece);
    table_cell(t);
    gate_put_change(g, b, &p->piece);
    table_cell(t);
    gate_put_remark(g, b, &remark);
    quote_mask(&p->piece, buf_text(&remark), true);
    buf_finish(&remark);
    table_rest(t);
}

static void put_table(const struct gate *g, struct page *p)
{
    static const struct table_column columns[] = {{"", SIDE_LEFT, 0},
                                                  {"benchmark", SIDE_LEFT, 0},
                                                  {"base", SIDE_RIGHT, 20},
                                                  {"head", SIDE_RIGHT, 20},
                                                  {"change (95 % bounds)", SIDE_LEFT, 0},
                                                  {"", SIDE_LEFT, 10}};
    struct table t;
    const int *order = gate_order(g);
    int rows = 0;
    table_begin(&t, p, columns, sizeof columns / sizeof *columns);
    for (int i = 0; order && i < g->n; i++) {
        const struct gate_benchmark *b = &g->items[order[i]];
        if (!gate_listed(b) && !(g->o->display.verbose && b->kind == GATE_BOTH))
            continue;
        put_row(&t, g, b);
        rows++;
    }
    if (rows)
        blank_line(p);
    table_end(&t, 2);
    if (rows)
        blank_line(p);
}

static void put_page(const struct gate *g, struct page *p, bool quiet)
{
    struct buf b = BUF_INIT(1 << 20);
    gate_put_verdict(g, &b);
    quote_mask(&p->piece, buf_text(&b), true);
    flow_line(p, 2, g->verdict == GATE_PASS ? HUE_GOOD : g->verdict == GATE_CANNOT_TELL ? HUE_BOLD : HUE_BAD);
    if (quiet) {
        buf_finish(&b);
        return;
    }
    put_table(g, p);
    buf_clear(&b);
    for (int i = 0; gate_put_note(g, i, &b); i++) {
        quote_mask(&p->piece, buf_text(&b), true);
        flow_line(p, 2, i < GATE_NOTES_PLAIN ? HUE_PLAIN : HUE_DIM);
        buf_clear(&b);
    }
    buf_finish(&b);
}

enum exit_code gate_print(const struct gate *g)
{
    struct render_options options = screen_options(&g->o->display);
    struct buf text = BUF_INIT(TEXT_MAX);
    struct page p = page_over(NULL, &options, &text);
    put_page(g, &p, g->o->display.quiet);
    page_finish(&p);
    return screen_text(g->cli, &g->o->display, &text);
}

void gate_put_text(const struct gate *g, int width, struct buf *b)
{
    const struct render_options options = {.unicode = true, .width = width, .stacked = width > 0};
    struct page p = page_over(NULL, &options, b);
    put_page(g, &p, false);
    page_finish(&p);
    if (g->failure && buf_text(&g->said)[0])
        buf_format(b, "\n%s", buf_text(&g->said));
}
