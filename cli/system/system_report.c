/* SPDX-License-Identifier: MIT
 *
 *     governor                 4 files, powersave → performance
 *     interrupts               17 files
 *       refused: /proc/irq/25/smp_affinity: f → 7: Operation not permitted; the kernel manages it
 *     21 changed, 1 refused
 */
#include "system_report.h"
#include "layout.h"
#include "plat.h"
#include "plat_state.h"
#include "quote.h"
#include "system_shown.h"
#include <string.h>

static void add_value(struct page *p, const char *value)
{
    if (!value)
        buf_str(&p->piece, "(not there)");
    else if (!value[strspn(value, "\n")])
        buf_str(&p->piece, "(empty)");
    else
        put_text(p, value);
}

static void add_change(struct page *p, const char *from, const char *to)
{
    add_value(p, from);
    buf_str(&p->piece, " → ");
    add_value(p, to);
}

static void end_line(struct page *p, enum hue hue)
{
    flow_spread(p, "", hue);
    flow_end(p);
}

static void begin_knob(struct page *p, const char *id)
{
    flow_begin(p, 0, 4);
    put_text(p, id);
    flow_put_hued(p, "", HUE_BOLD);
}

int system_pending(const struct look *l)
{
    int n = 0;
    for (int i = 0; i < l->n_settings; i++)
        n += system_setting_pending(&l->settings[i]);
    return n;
}

void system_put_deed(struct page *p, const struct setting *s)
{
    switch (s->kind) {
    case SETTING_FILE:
        add_change(p, s->now, s->wanted);
        if (!s->now)
            buf_str(&p->piece, " (goes with its folder)");
        return;
    case SETTING_FOLDER:
        buf_str(&p->piece, "is made (and removed)");
        return;
    case SETTING_HELD:
        return; /* never pending */
    case SETTING_TASKS:
        buf_str(&p->piece, "processes are moved here (and back)");
        return;
    }
}

static void put_setting(struct page *p, const struct setting *s)
{
    flow_begin(p, 2, 4);
    put_text(p, s->path);
    if (system_setting_pending(s)) {
        buf_str(&p->piece, ": ");
        system_put_deed(p, s);
    } else if (system_setting_held(s)) {
        buf_str(&p->piece, " stays: only --tune of a measuring command can hold it");
    } else if (s->why_not) {
        buf_str(&p->piece, " stays: ");
        put_text(p, s->why_not);
    } else {
        buf_str(&p->piece, ": ");
        add_value(p, s->now);
        buf_str(&p->piece, s->wanted ? ", as wanted" : ", noted only");
    }
    end_line(p, system_setting_pending(s) ? HUE_PLAIN : HUE_DIM);
}

/* The settings of one knob are together, else in the order of writing. */
static void put_knob_plan(struct page *p, const struct look *l, const struct knob *k)
{
    const struct setting *first = NULL;
    for (int i = 0; i < l->n_settings; i++) {
        const struct setting *s = &l->settings[i];
        if (s->knob != k || (!system_setting_pending(s) && p->o->verbosity <= 0))
            continue;
        if (!first) {
            begin_knob(p, k->id);
            buf_format(&p->piece, "(risk %s)", knob_risk_text(k->risk));
            flow_spread(p, " ", HUE_DIM);
            flow_end(p);
            first = s;
        }
        put_setting(p, s);
    }
}

void system_plan_page(const struct look *l, const struct render_options *o, struct buf *out)
{
    struct page p = page_over(NULL, o, out);
    for (int k = 0; knob_at(k) && o->verbosity >= 0; k++)
        put_knob_plan(&p, l, knob_at(k));
    int n = system_pending(l);
    flow_begin(&p, 0, 2);
    if (n)
        buf_format(&p.piece, "%d change%s would be made; tare system reset writes the old values back", n, buf_plural(n));
    else if (l->read_only) {
        buf_str(&p.piece, "nothing can be changed here: ");
        put_text(&p, l->read_only);
        buf_str(&p.piece, " is mounted read-only, as in containers; tune the host");
    } else
        buf_str(&p.piece, "nothing to do: what tune may set is as it should be");
    end_line(&p, HUE_BOLD);
    page_finish(&p);
}

bool system_stands(const struct tune_report *r, int i)
{
    bool stands = r->changes[i].outcome == CHANGE_MADE;
    for (int k = i + 1; k < r->n && stands; k++)
        stands = r->changes[k].outcome != CHANGE_UNDONE || strcmp(r->changes[k].path, r->changes[i].path) != 0;
    return stands;
}

int system_standing(const struct tune_report *r)
{
    int n = 0;
    for (int i = 0; i < r->n; i++)
        n += system_stands(r, i);
    return n;
}

enum tare_status system_check_allowed(const struct tune_report *r, struct tare_err *err)
{
    if (plat_is_root() || !r->refused || system_standing(r))
        return TARE_OK;
    return err_set(err, TARE_PERMISSION, "no setting could be changed");
}

/* What people need to see one by one. What tune never tries has no error of the kernel, and was known before. */
static bool is_trouble(const struct change *c, bool undoing)
{
    return (c->outcome == CHANGE_REFUSED && (c->error || undoing)) || c->outcome == CHANGE_CONFLICT ||
           c->outcome == CHANGE_INEFFECTIVE;
}

static int left_alone(const struct tune_report *r)
{
    int n = 0;
    for (int i = 0; i < r->n; i++)
        n += r->changes[i].outcome == CHANGE_REFUSED && !r->changes[i].error;
    return n;
}

static void put_one(struct page *p, const struct change *c, bool undoing)
{
    bool trouble = is_trouble(c, undoing);
    flow_begin(p, 2, 4);
    buf_format(&p->piece, "%s: ", c->outcome == CHANGE_REFUSED && !trouble ? "left alone" : change_outcome_text(c->outcome));
    flow_put_hued(p, "", trouble ? HUE_BAD : HUE_PLAIN);
    put_text(p, c->path);
    buf_str(&p->piece, ": ");
    add_change(p, c->from, c->to);
    const char *why = c->error ? plat_errno_text(c->error) : NULL;
    if (why)
        buf_format(&p->piece, ": %s", why);
    if (c->note && *c->note && !(why && strstr(c->note, why))) { /* "cannot write '1' to ...: " and that reason */
        buf_str(&p->piece, "; ");
        put_text(p, c->note);
    }
    end_line(p, HUE_PLAIN);
}

static bool same_value(const char *a, const char *b)
{
    return !strcmp(a ? a : "", b ? b : "");
}

/* Those that went well in one line, the others each. */
static void put_knob_report(struct page *p, const struct tune_report *r, int first, bool undoing)
{
    const char *id = r->changes[first].knob;
    const struct change *good = NULL;
    int n = 0;
    bool alike = true, begun = false;
    for (int i = first; i < r->n; i++) {
        const struct change *c = &r->changes[i];
        if (strcmp(c->knob, id) || !(undoing ? c->outcome == CHANGE_UNDONE : system_stands(r, i)))
            continue;
        good = good ? good : c;
        alike &= same_value(c->from, good->from) && same_value(c->to, good->to);
        n++;
    }
    if (good && p->o->verbosity >= 0) {
        begin_knob(p, id);
        buf_format(&p->piece, "%d file%s", n, buf_plural(n));
        if (alike && strlen(good->to ? good->to : "") <= 40 && strlen(good->from ? good->from : "") <= 40) {
            buf_str(&p->piece, ", ");
            add_change(p, good->from, good->to);
        }
        flow_spread(p, "  ", HUE_PLAIN);
        flow_end(p);
        begun = true;
    }
    for (int i = first; i < r->n; i++) {
        const struct change *c = &r->changes[i];
        bool shown = is_trouble(c, undoing) || p->o->verbosity > 0;
        if (strcmp(c->knob, id) || !shown)
            continue;
        if (!begun) {
            begin_knob(p, id);
            flow_end(p);
            begun = true;
        }
        put_one(p, c, undoing);
    }
}

static bool named_before(const struct tune_report *r, int i)
{
    for (int k = 0; k < i; k++)
        if (!strcmp(r->changes[k].knob, r->changes[i].knob))
            return true;
    return false;
}

static void put_sum(struct page *p, const struct tune_report *r, bool undoing)
{
    static const struct {
        enum change_outcome outcome;
        const char *text;
    } others[] = {{CHANGE_KEPT, "already set"},     {CHANGE_REFUSED, "refused"}, {CHANGE_INEFFECTIVE, "without effect"},
                  {CHANGE_CONFLICT, "in conflict"}, {CHANGE_GONE, "gone"},       {CHANGE_VOID, "of an earlier boot"},
                  {CHANGE_UNDONE, "undone at once"}};
    int good = undoing ? r->undone : system_standing(r);
    flow_begin(p, 0, 2);
    buf_format(&p->piece, "%d %s", good, undoing ? "restored" : "changed");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        int n = r->outcomes[others[i].outcome];
        if (others[i].outcome == CHANGE_REFUSED && !undoing)
            n -= left_alone(r);
        if (n && !(undoing && others[i].outcome == CHANGE_UNDONE))
            buf_format(&p->piece, ", %d %s", n, others[i].text);
    }
    if (!undoing && left_alone(r))
        buf_format(&p->piece, ", %d left alone%s", left_alone(r), p->o->verbosity > 0 ? "" : " (-v says why)");
    end_line(p, HUE_BOLD);
}

void system_report_page(const struct tune_report *r, bool undoing, const struct render_options *o, struct buf *out)
{
    struct page p = page_over(NULL, o, out);
    for (int i = 0; i < r->n; i++)
        if (!named_before(r, i))
            put_knob_report(&p, r, i, undoing);
    if (r->warning) {
        flow_begin(&p, 0, 2);
        put_text(&p, r->warning);
        end_line(&p, HUE_PLAIN);
    }
    put_sum(&p, r, undoing);
    page_finish(&p);
}

enum exit_code system_denied(struct cli *cli, struct tare_err *err)
{
    if (!plat_is_root() && plat_words_are_windows()) {
        err_set(err, TARE_PERMISSION, "this needs the rights of an administrator: run it in a console that has them");
    } else if (!plat_is_root()) {
        struct buf room = err_room(err);
        buf_str(&room, "this needs root: sudo tare");
        for (int i = 1; i < cli->argc; i++) {
            buf_char(&room, ' ');
            quote_word(&room, cli->argv[i], true);
        }
    }
    return cli_fail(cli, EXIT_TOOL, err);
}
