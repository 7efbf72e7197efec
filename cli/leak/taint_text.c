/* SPDX-License-Identifier: MIT
 *
 *     taint by valgrind 3.19.0 memcheck:
 *       memcmp_32       found: 4 jumps
 *              4  jump     case_compare.c:12 (tare_target_memcmp_32), within memcmp
 *
 * Targets that are clean are named with -v alone: the line of each verdict has what was found. */
#include "quote.h"
#include "taint.h"
#include <string.h>

enum { PLACES_SHOWN = 8, NAME_COLUMNS = 40 };

/* Sentences, closed by NULL. */
static const char *const *taint_blind_spots(bool msan)
{
    static const char executed[] = "Only what was executed was watched: a path that no class of inputs took is not covered.";
    static const char latency[] =
        "Instructions whose own time depends on their operands (division, square root, denormal numbers) are not reported.";
    static const char binary[] =
        "Another compiler, optimisation or code path of a processor makes another program: this is about this binary.";
    static const char *const of_memcheck[] = {
        executed, latency, binary,
        "memcheck offers fewer processor features (no AVX-512), so libraries may choose other code than natively, and replaces "
        "memcmp, strlen and similar functions with its own.",
        NULL};
    static const char *const of_msan[] = {executed,
                                          latency,
                                          binary,
                                          "Code that was not compiled with MSan, such as most libraries, is not watched; what it "
                                          "writes may be reported wrongly.",
                                          "MSan does not tell a jump from an address.",
                                          NULL};
    return msan ? of_msan : of_memcheck;
}

static void put_counts(struct buf *b, const struct taint_report *r)
{
    static const char *const plural[TAINT_KINDS] = {"jumps", "addresses", "system calls", "uses", "memory errors"};
    const char *comma = "";
    for (int i = 0; i < TAINT_KINDS; i++)
        if (r->count[i]) {
            buf_format(b, "%s%lld %s", comma, (long long)r->count[i],
                       r->count[i] == 1 ? taint_kind_word((enum taint_kind)i) : plural[i]);
            comma = ", ";
        }
}

static void put_masked_frame(struct buf *out, const struct taint_frame *f, bool unicode)
{
    char room[512];
    struct buf text = buf_over(room, sizeof room);
    taint_put_frame(&text, f);
    quote_mask(out, buf_text(&text), unicode);
}

static void put_place(struct buf *out, const struct taint_place *p, const struct render_options *o)
{
    char room[1024];
    struct buf place = buf_over(room, sizeof room);
    buf_format(out, "    %9lld  %-11s ", (long long)p->count, taint_kind_word(p->kind));
    taint_put_place(&place, p);
    quote_mask(out, buf_text(&place), o->unicode);
    if (p->through && *p->through) {
        buf_str(out, ", within ");
        quote_mask(out, p->through, o->unicode);
    }
    buf_char(out, '\n');
    for (int i = 0; i < p->n_frames && o->verbosity > 0; i++) {
        buf_format(out, "               %s ", i ? "by" : "at");
        put_masked_frame(out, &p->frames[i], o->unicode);
        buf_char(out, '\n');
    }
}

static void put_places(struct buf *out, const struct taint_report *r, const struct render_options *o)
{
    int shown = o->verbosity > 0 || r->n_places <= PLACES_SHOWN ? r->n_places : PLACES_SHOWN;
    for (int i = 0; i < shown; i++)
        put_place(out, &r->places[i], o);
    if (shown < r->n_places)
        buf_format(out, "               and %d more place%s (-v shows them)\n", r->n_places - shown,
                   buf_plural(r->n_places - shown));
    if (r->crowded)
        buf_format(out, "               and more places than %d, counted but not kept\n", TAINT_PLACES_MAX);
}

static int name_width(const struct taint_result *result)
{
    int width = 8;
    for (int i = 0; i < result->n_targets; i++) {
        int columns = text_columns(result->targets[i].name, strlen(result->targets[i].name));
        width = columns > width ? columns : width;
    }
    return width < NAME_COLUMNS ? width : NAME_COLUMNS;
}

static bool is_clean(const struct taint_target *t)
{
    return t->state == TAINT_CLEAN && !t->report.count[TAINT_MEMORY] && !*t->why;
}

static void put_target(struct buf *out, const struct taint_target *t, int width, const struct render_options *o)
{
    size_t before = out->len;
    buf_str(out, "  ");
    quote_cut(out, t->name, NAME_COLUMNS, o->unicode);
    buf_repeat(out, ' ', width + 4 - text_columns(buf_text(out) + before, out->len - before));
    buf_str(out, taint_state_word(t->state));
    if (t->state == TAINT_FOUND || t->report.count[TAINT_MEMORY]) {
        buf_str(out, ": ");
        put_counts(out, &t->report);
    }
    if (*t->why) {
        buf_str(out, "; ");
        quote_mask(out, t->why, o->unicode);
    }
    buf_char(out, '\n');
    put_places(out, &t->report, o);
}

void taint_text(const struct taint_result *result, const struct render_options *o, struct buf *out)
{
    bool clean = true;
    buf_str(out, "taint by ");
    quote_mask(out, result->tool, o->unicode);
    for (int i = 0; i < result->n_targets; i++)
        clean = clean && is_clean(&result->targets[i]);
    buf_str(out, clean ? ": nothing found\n" : ":\n");
    for (int i = 0; i < result->n_targets; i++)
        if (o->verbosity > 0 || !is_clean(&result->targets[i]))
            put_target(out, &result->targets[i], name_width(result), o);
    if (o->verbosity <= 0)
        return;
    buf_str(out, "What taint does not show:\n");
    for (const char *const *spot = taint_blind_spots(result->msan); *spot; spot++)
        buf_format(out, "  - %s\n", *spot);
}

void taint_line(const struct taint_target *t, struct buf *out)
{
    buf_str(out, taint_state_word(t->state));
    if (t->state == TAINT_FOUND || t->report.count[TAINT_MEMORY]) {
        buf_str(out, ": ");
        put_counts(out, &t->report);
    }
    for (int i = 0; i < t->report.n_places && i < PLACES_SHOWN; i++) {
        const struct taint_place *p = &t->report.places[i];
        buf_format(out, "; %lld x %s at ", (long long)p->count, taint_kind_word(p->kind));
        taint_put_place(out, p);
    }
    if (t->report.n_places > PLACES_SHOWN)
        buf_format(out, "; and %d more places", t->report.n_places - PLACES_SHOWN);
    if (*t->why)
        buf_format(out, "; %s", t->why);
}
