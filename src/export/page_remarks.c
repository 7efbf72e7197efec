/* SPDX-License-Identifier: MIT
 *
 *     - warning: unstable (sort/1000 (old)): standard deviation 143 % of the mean, extremes 43 % below and 786 % above (likewise: sort/10 (old), sort/100
 *       (old) and 5 more); read the median
 *
 * What qualifies the answer, below it: the gravest two, the others folded. What is found of several commands is one line, with the figures of the one
 * where it matters most. */
#include "arena.h"
#include "html.h"
#include "same_text.h"
#include "scan_lines.h"

enum { NAMED_MOST = 4, FOUND_MOST = 5000 /* each is held against all others */ };

static int found(const struct record *r)
{
    return r->n_findings < FOUND_MOST ? r->n_findings : FOUND_MOST;
}

static bool is_like(const struct finding *a, const struct finding *b)
{
    return a->severity == b->severity && !strcmp(a->id, b->id) && (a->subject < 0) == (b->subject < 0) &&
           same_text(a->advice, b->advice) && (a->subject >= 0 || !strcmp(a->text, b->text));
}

static bool is_first_of_its_kind(const struct record *r, int index)
{
    for (int i = 0; i < index; i++)
        if (is_like(&r->findings[i], &r->findings[index]))
            return false;
    return true;
}

static const struct finding *heaviest_like(const struct record *r, const struct finding *of)
{
    const struct finding *heaviest = of;
    for (int i = 0; i < found(r); i++)
        if (is_like(&r->findings[i], of) && r->findings[i].weight > heaviest->weight)
            heaviest = &r->findings[i];
    return heaviest;
}

/* "sort {n}": a remark on a scan is kept with the first command of it. */
static const char *name_of_scan(const struct record *r, int subject, struct arena *a)
{
    const struct scan_line *lines;
    const int n = scan_lines(r, a, &lines);
    for (int i = 0; i < n; i++)
        if (lines[i].n && lines[i].subjects[0] == subject)
            return scan_title(r, &lines[i], a);
    return NULL;
}

static const char *name_of(const struct record *r, const struct finding *f, struct arena *a)
{
    const char *scan = f->subject >= 0 && !strcmp(f->id, "not_a_power") ? name_of_scan(r, f->subject, a) : NULL;
    return scan || f->subject < 0 ? scan : r->subjects[f->subject].name;
}

static void put_others(struct buf *b, const struct record *r, const struct finding *told, struct arena *a)
{
    int n = 0;
    for (int i = 0; i < found(r); i++) {
        const struct finding *f = &r->findings[i];
        if (f != told && f->subject >= 0 && is_like(f, told) && n++ < NAMED_MOST)
            buf_format(b, "%s%s", n > 1 ? ", " : " (likewise: ", name_of(r, f, a));
    }
    if (n > NAMED_MOST)
        buf_format(b, " and %d more", n - NAMED_MOST);
    buf_str(b, n ? ")" : "");
}

static void put_remark(struct buf *b, const struct record *r, const struct finding *f)
{
    struct arena arena = {0};
    struct buf text = BUF_INIT(1 << 20);
    const char *name = name_of(r, f, &arena);
    buf_format(&text, "%s: ", severity_name(f->severity));
    finding_label(f->id, &text);
    if (name && (strncmp(f->text, name, strlen(name)) != 0 || (f->text[strlen(name)] != ' ' && f->text[strlen(name)] != ':')))
        buf_format(&text, " (%s)", name);
    buf_format(&text, ": %s", f->text);
    put_others(&text, r, f, &arena);
    if (f->advice) {
        const char *option = strstr(f->advice, " with -v"); /* what it shows is on the page */
        buf_str(&text, "; ");
        buf_add(&text, f->advice, option ? (size_t)(option - f->advice) : strlen(f->advice));
    }
    buf_str(b, "<li>");
    html_words(b, buf_text(&text));
    buf_str(b, "</li>\n");
    buf_finish(&text);
    arena_finish(&arena);
}

/* The gravest first, then the heaviest; a note never before a warning. */
static bool goes_before(const struct finding *a, const struct finding *b)
{
    return a->severity != b->severity ? a->severity > b->severity : a->weight > b->weight;
}

/* All of it: of this subject alone, with what to do. */
static bool is_in_answer(const struct record *r, const struct finding *f, const char *answer)
{
    int like = 0;
    if (!answer || !strstr(answer, f->text) || (f->advice && !strstr(answer, f->advice)))
        return false;
    for (int i = 0; i < found(r); i++)
        like += is_like(&r->findings[i], f);
    return like == 1;
}

/* One of each kind, in the order of the page, without what the answer says; *n of them. NULL: no memory. */
static const struct finding **by_gravity(const struct record *r, const char *answer, struct arena *a, int *n)
{
    const struct finding **of = arena_array(a, (size_t)found(r) + 1, sizeof *of);
    *n = 0;
    for (int i = 0; of && i < found(r); i++) {
        const struct finding *f = is_first_of_its_kind(r, i) ? heaviest_like(r, &r->findings[i]) : NULL;
        int at = *n;
        if (!f || is_in_answer(r, f, answer))
            continue;
        for (; at > 0 && goes_before(f, of[at - 1]); at--)
            of[at] = of[at - 1];
        of[at] = f;
        ++*n;
    }
    return of;
}

void html_remarks(struct buf *b, const struct record *r, const char *name, const char *answer)
{
    enum { SHOWN = 2 };
    struct arena arena = {0};
    int n;
    const struct finding **of = by_gravity(r, answer, &arena, &n);
    if (!of)
        b->status = TARE_NO_MEMORY;
    if (n)
        buf_format(b, "<section aria-label=\"%s\"><ul>\n", name);
    for (int i = 0; i < n; i++) {
        if (i == SHOWN)
            buf_format(b, "</ul><details><summary>%d more remark%s</summary><ul>\n", n - SHOWN, buf_plural(n - SHOWN));
        put_remark(b, r, of[i]);
    }
    buf_str(b, n ? n > SHOWN ? "</ul></details></section>\n" : "</ul></section>\n" : "");
    if (found(r) < r->n_findings)
        buf_format(b, "<p>The record has %d more remark%s, which tare show -v prints.</p>\n", r->n_findings - found(r),
                   buf_plural(r->n_findings - found(r)));
    arena_finish(&arena);
}
