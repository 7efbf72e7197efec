/* SPDX-License-Identifier: MIT
 *
 *     ! outliers: 3 of 50 runs are more than 10 standard deviations above the median; read the median, not the mean (details with -v)
 */
#include "layout.h"
#include <stdlib.h>
#include <string.h>

enum { ON_SCREEN = 2 };

static void put_label(struct page *p, const char *id)
{
    struct buf label = BUF_INIT(1 << 10);
    finding_label(id, &label);
    put_text(p, buf_text(&label));
    buf_finish(&label);
}

/* What was found about a scan is shown with its line. A note about a warm-up that was asked for, or about missing intervals, which the figures
 * show, waits for -v. */
static bool is_shown_elsewhere(const struct page *p, const struct finding *f)
{
    if (!strcmp(f->id, GROWTH_FINDING))
        return true;
    return p->o->verbosity <= 0 && f->severity == SEVERITY_NOTE &&
           (!strcmp(f->id, "first_run") || (!strcmp(f->id, "few_runs") && p->r->rounds < 6));
}

static void put_head(struct page *p, const struct finding *f)
{
    enum { NAME_COLUMNS = 30 };
    /* Of a pair it is the command that is compared; what is about all rounds alike names none. */
    bool named = f->subject >= 0 && subject_measured(&p->r->subjects[f->subject]) && command_count(p->r) > 1;
    buf_str(&p->piece, "! ");
    put_label(p, f->id);
    buf_str(&p->piece, named ? "" : ":");
    flow_put_hued(p, "", f->severity >= SEVERITY_WARNING ? HUE_BOLD : HUE_PLAIN);
    if (!named)
        return;
    buf_char(&p->piece, '(');
    put_name(p, f->subject, NAME_COLUMNS);
    buf_str(&p->piece, "):");
    flow_put(p, " ");
}

/* The line, left open. */
static void put_finding(struct page *p, const struct finding *f)
{
    flow_begin(p, 2, 4);
    put_head(p, f);
    put_text(p, f->text);
    if (f->advice) {
        buf_str(&p->piece, "; ");
        put_text(p, f->advice);
    }
    flow_spread(p, " ", HUE_PLAIN);
}

static void put_more(struct page *p, const struct finding *f)
{
    buf_char(&p->piece, '[');
    put_text(p, f->id);
    buf_char(&p->piece, ']');
    flow_put_hued(p, " ", HUE_DIM);
    flow_end(p);
    flow_begin(p, 4, 4);
    put_text(p, f->detail);
    flow_spread(p, "", HUE_DIM);
    flow_end(p);
}

/* The others, gravest and then heaviest first, *n of them. Freed by the caller. */
static struct ranked *by_weight(struct page *p, int *n)
{
    struct ranked *ranked = malloc((size_t)(p->r->n_findings + 1) * sizeof *ranked);
    *n = 0;
    if (!ranked) {
        p->out->status = TARE_NO_MEMORY;
        return NULL;
    }
    for (int i = 0; i < p->r->n_findings; i++)
        if (!is_shown_elsewhere(p, &p->r->findings[i]))
            /* Severity first: a note does not hide a warning. Before them what must be read, of the weight 1000 and more. */
            ranked[(*n)++] = (struct ranked){
                p->r->findings[i].weight >= 1e3 ? -1e6 : -(1e4 * p->r->findings[i].severity + p->r->findings[i].weight), i};
    sort_ranked(ranked, *n);
    return ranked;
}

static void drop_repeated(const char **text, const char *before)
{
    if (*text && before && !strcmp(*text, before))
        *text = NULL;
}

/* Without what an earlier finding of the same kind, about another command, says too. */
static struct finding shown_finding(const struct page *p, const struct ranked *ranked, int index)
{
    struct finding f = p->r->findings[ranked[index].index];
    for (int i = 0; i < index; i++) {
        const struct finding *before = &p->r->findings[ranked[i].index];
        if (!strcmp(before->id, f.id)) {
            drop_repeated(&f.advice, before->advice);
            drop_repeated(&f.detail, before->detail);
        }
    }
    return f;
}

void render_findings(struct page *p)
{
    int n;
    struct ranked *ranked = by_weight(p, &n);
    bool all = p->o->verbosity > 0, detailed = false;
    int shown = all || n < ON_SCREEN ? n : ON_SCREEN;
    if (n && all)
        blank_line(p);
    for (int i = 0; i < shown; i++) {
        const struct finding f = shown_finding(p, ranked, i);
        detailed |= f.detail != NULL;
        put_finding(p, &f);
        if (all)
            put_more(p, &f);
        else if (i + 1 < shown)
            flow_end(p);
        else {
            /* What -v has beyond the lines shown, at the end of the last one. That there are details only where it fits. */
            if (n - shown)
                buf_format(&p->piece, "(%d more remark%s with -v)", n - shown, buf_plural(n - shown));
            else if (detailed && (p->o->width <= 0 || p->column + (int)strlen(" (details with -v)") <= p->o->width))
                buf_str(&p->piece, "(details with -v)");
            flow_put_hued(p, " ", HUE_DIM);
            flow_end(p);
        }
    }
    free(ranked);
}
