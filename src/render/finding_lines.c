/* SPDX-License-Identifier: MIT
 *
 *     note: command 2: the first run took 38 ms, three times as long as the others
 *       → set it aside with --warmup 1
 */
#include "layout.h"
#include <stdlib.h>
#include <string.h>

enum { ON_SCREEN = 2 };

/* The lines of the command show its first run, and why so few runs have no interval, already. */
static bool is_told(const struct page *p, const struct finding *f)
{
    bool in_lines = !strcmp(f->id, "first_run") || (!strcmp(f->id, "few_runs") && p->r->rounds < 6);
    if (!strcmp(f->id, GROWTH_FINDING))
        return true; /* stands with the line of the scan */
    return p->o->verbosity <= 0 && f->severity == SEVERITY_NOTE && in_lines && command_count(p->r) <= LINES_UP_TO;
}

/* Of a pair it is the command that is compared; what is about all rounds alike names none. */
static bool names_command(const struct page *p, const struct finding *f)
{
    return f->subject >= 0 && subject_measured(&p->r->subjects[f->subject]) && command_count(p->r) > 1;
}

void put_finding_advice(struct page *p, int indent, const char *text)
{
    flow_begin(p, indent, indent + (p->o->unicode ? 2 : 3)); /* behind the arrow */
    buf_str(&p->piece, "→ ");
    put_text(p, text);
    flow_spread(p, "", HUE_PLAIN);
    flow_end(p);
}

/* `advised`: its advice stands there already, below a finding of another command. */
static void render_finding(struct page *p, const struct finding *f, bool advised)
{
    flow_begin(p, 0, 2);
    buf_format(&p->piece, "%s:", severity_name(f->severity));
    flow_put_hued(p, "", HUE_BOLD);
    if (names_command(p, f)) {
        if (p->r->subjects[f->subject].kind == SUBJECT_BENCH)
            put_name(p, f->subject, name_columns(p, 1));
        else
            buf_format(&p->piece, "command %d", command_number(p->r, f->subject));
        buf_char(&p->piece, ':');
        flow_put(p, " ");
    }
    put_text(p, f->text);
    flow_spread(p, " ", HUE_PLAIN);
    if (p->o->verbosity > 0) {
        buf_char(&p->piece, '[');
        put_text(p, f->id);
        buf_char(&p->piece, ']');
        flow_put_hued(p, " ", HUE_DIM);
    }
    flow_end(p);
    if (!f->advice || advised)
        return;
    put_finding_advice(p, 2, f->advice);
}

/* Severity first: a note does not hide a warning. Before them what must be read, of the weight 1000 and more. */
static double rank(const struct finding *f)
{
    return f->weight >= 1e3 ? -1e6 : -(1e4 * f->severity + f->weight);
}

/* The untold ones, gravest and then heaviest first, *n of them. Freed by the caller. */
static struct ranked *by_weight(struct page *p, int *n)
{
    struct ranked *ranked = malloc((size_t)(p->r->n_findings + 1) * sizeof *ranked);
    *n = 0;
    if (!ranked) {
        p->out->status = TARE_NO_MEMORY;
        return NULL;
    }
    for (int i = 0; i < p->r->n_findings; i++)
        if (!is_told(p, &p->r->findings[i]))
            ranked[(*n)++] = (struct ranked){rank(&p->r->findings[i]), i};
    sort_ranked(ranked, *n);
    return ranked;
}

void render_findings(struct page *p)
{
    int n;
    struct ranked *ranked = by_weight(p, &n);
    int shown = p->o->verbosity > 0 || n < ON_SCREEN ? n : ON_SCREEN;
    if (n)
        blank_line(p);
    for (int i = 0; i < shown; i++) {
        const struct finding *f = &p->r->findings[ranked[i].index];
        bool advised = false;
        for (int j = 0; j < i && f->advice && !advised; j++) {
            const struct finding *before = &p->r->findings[ranked[j].index];
            advised = before->advice && !strcmp(before->id, f->id) && !strcmp(before->advice, f->advice);
        }
        render_finding(p, f, advised);
    }
    free(ranked);
    if (shown == n)
        return;
    buf_format(&p->piece, "%d more remark%s with -v", n - shown, buf_plural(n - shown));
    flow_line(p, 0, HUE_DIM);
}
