/* SPDX-License-Identifier: MIT
 *
 * The page of commands and benchmarks: the answer, the comparisons as a picture, the table, and of each result its runs in pictures. Sessions of other
 * kinds that have no page of their own get the table, their pictures, and what all pages have. */
#include "chart_export.h"
#include "chart_svg.h"
#include "html.h"
#include "number_sort.h"
#include "quote.h"
#include "record_kind.h"
#include "same_text.h"
#include "verdict_text.h"
#include <math.h>
#include <string.h>

enum { SECTIONS_MOST = 60, SECTIONS_BYTES = 200 << 10, OPEN_MOST = 3, MARKS = 2000, MARKS_LEAST = 100, FOREST_MOST = 200 };

static const char measured_again[] = "what was measured again";

const char html_table_style[] =
    ".list td,.list th{text-align:right;padding:3px 5px}.list td{white-space:nowrap}.list "
    "td.long{white-space:normal;text-align:left;min-width:"
    "14em}.list th{vertical-align:bottom;overflow-wrap:normal}.list td:first-child,.list "
    "th:first-child{text-align:left;white-space:normal;"
    "overflow-wrap:break-word;min-width:5.5em;max-width:26em}.list td:first-child,.list th:first-child{position:sticky;left:0}"
    ".list td:first-child{background:var(--paper)}";

static bool in_forest(const struct comparison *c)
{
    return c && !results_by_difference(c) && isfinite(c->shift) && c->verdict != VERDICT_INVALID &&
           c->verdict != VERDICT_NOT_COMPARABLE;
}

static const struct comparison *comparison_of(const struct record *r, int subject)
{
    const struct comparison *c = subject_compared(&r->subjects[subject]) ? results_comparison(r, subject) : NULL;
    return c && !c->arc ? c : NULL;
}

static void put_verdict(struct buf *b, const struct record *r, const struct comparison *c)
{
    const bool refused = c->verdict == VERDICT_INVALID || c->verdict == VERDICT_NOT_COMPARABLE;
    if (refused || (c->verdict != VERDICT_NONE && !verdict_in_effect(c)))
        buf_format(b, "%s%s", verdict_word(c->verdict), refused ? "" : " ");
    if (refused || !isfinite(c->shift)) {
        buf_str(b, c->verdict == VERDICT_NONE ? "no verdict" : "");
        return;
    }
    const bool bounded = isfinite(c->low) && isfinite(c->high);
    if (bounded || results_by_difference(c))
        verdict_put_effect(b, r, c);
    else { /* as on the screen: a percentage looks like a verdict */
        buf_str(b, "ratio ");
        figure_put(b, exp(c->shift), figure_digits(exp(c->shift), FIGURE_DIGITS));
    }
    buf_str(b, bounded ? "" : " (no interval)");
}

/* "sort/100" of two programs, "new vs old"; masked. */
static void put_pair(struct buf *b, const struct record *r, const struct comparison *c, int most, int most_reference)
{
    const struct subject *one = &r->subjects[c->subject], *other = &r->subjects[c->reference];
    const bool same = one->benchmark && other->benchmark && !strcmp(one->benchmark, other->benchmark) && !r->rule.against_itself;
    quote_cut(b, same ? one->benchmark : one->name, same ? most + most_reference : most, true);
    if (same)
        return;
    buf_str(b, " vs ");
    quote_cut(b, other->name, most_reference, true);
}

/* On the logarithm; 0 without an interval. */
static double half_of(const struct ranged *c)
{
    const double half = (log(c->high) - log(c->low)) / 2;
    return isfinite(half) ? half : 0;
}

/* Of the intervals the one in the middle; those that are several times as wide would flatten all others, and end at the edge. */
static double typical_half(const struct ranges *m)
{
    double half[FOREST_MOST], room[FOREST_MOST];
    int n = 0;
    for (int i = 0; i < m->n; i++)
        if (half_of(&m->items[i]) > 0)
            half[n++] = half_of(&m->items[i]);
    number_sort(half, n, room);
    return n ? half[n / 2] : 0;
}

static bool forest_axis(const struct ranges *m, double margin, struct axis *out)
{
    const double most = 8 * typical_half(m);
    double low = 0, high = 0;
    for (int i = 0; i < m->n; i++) {
        const struct ranged *c = &m->items[i];
        const double point = log(c->point);
        low = fmin(low, isfinite(c->low) ? fmax(log(c->low), point - most) : point);
        high = fmax(high, isfinite(c->high) ? fmin(log(c->high), point + most) : point);
    }
    const double beside = fmax(log1p(margin > 0 ? margin : 0), (high - low) / 30);
    if (!isfinite(exp(high + beside)) || !(exp(low - beside) > 0) || !(high + beside > low - beside))
        return false;
    *out = axis_over(exp(low - beside), exp(high + beside), true);
    return true;
}

static struct ranged forest_row(const struct record *r, const struct comparison *c, struct arena *a)
{
    struct buf effect = BUF_INIT(1 << 10), pair = BUF_INIT(1 << 10);
    put_verdict(&effect, r, c);
    put_pair(&pair, r, c, 44, 24);
    return (struct ranged){.name = arena_keep(a, &pair),
                           .words = arena_keep(a, &effect),
                           .low = isfinite(c->low) ? exp(c->low) : NAN,
                           .point = exp(c->shift),
                           .high = exp(c->high)};
}

/* In the order of the answer; negative: there is no further one. */
static int nth_subject(const struct record *r, const struct export_options *o, int i)
{
    return o->order ? o->order[i] : i < r->n_subjects ? i : -1;
}

/* Each with its interval and verdict, against the line of no difference and the margin. */
static enum tare_status forest(struct picture *p, const struct export_options *o)
{
    const struct record *r = p->r;
    struct arena arena = {0};
    struct ranged rows[FOREST_MOST];
    struct ranges m = {.heading = "Comparisons", .x_title = "ratio; 1: equal", .items = rows, .rule = 1};
    double margin = 0;
    bool kept = true;
    for (int i = 0; nth_subject(r, o, i) >= 0 && m.n < FOREST_MOST && kept; i++) {
        const struct comparison *c = comparison_of(r, nth_subject(r, o, i));
        if (!in_forest(c))
            continue;
        margin = c->margin;
        rows[m.n] = forest_row(r, c, &arena);
        kept = rows[m.n].name && rows[m.n].words;
        if (isfinite(c->low) || isfinite(c->high))
            m.heading = "Comparisons, with their intervals";
        m.n++;
    }
    m.shaded = (struct chart_stretch){margin > 0 ? 1 / (1 + margin) : NAN, 1 + margin,
                                      arena_format(&arena, "within the margin of %s", figure_text(figure_level, margin).at)};
    kept = kept && m.shaded.name;
    if (m.n && kept && forest_axis(&m, margin, &m.x))
        html_ranges(p, &m);
    arena_finish(&arena);
    return kept ? TARE_OK : TARE_NO_MEMORY;
}

/* A subject that others are compared with alone has its runs in their pictures. */
static bool has_section(const struct record *r, int subject)
{
    if (!subject_measured(&r->subjects[subject]) || r->series[subject].main.n < 2)
        return false;
    if (comparison_of(r, subject))
        return true;
    for (int i = 0; i < r->n_subjects; i++)
        if (comparison_of(r, i) && comparison_of(r, i)->reference == subject)
            return false;
    return true;
}

/* What holds for all of so many comparisons and more; NULL: there is no such reason. */
static const char *reason_of_all(const struct record *r, int least)
{
    const char *reason = NULL;
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        const struct comparison *c = comparison_of(r, i);
        if (c && (!c->reason || (n && !same_text(c->reason, reason))))
            return NULL;
        reason = c ? c->reason : reason;
        n += c != NULL;
    }
    return n >= least ? reason : NULL;
}

/* The answer that the page begins with says in short why no ratio of two sessions has a verdict. */
static bool answer_has_reason(const struct record *r, const struct export_options *o)
{
    for (int i = 0; i < r->n_subjects; i++) {
        const struct comparison *c = comparison_of(r, i);
        if (c && (!c->reference_rounds || c->assumed_no_drift || !isfinite(c->shift) || c->verdict != VERDICT_UNDECIDED))
            return false;
    }
    return o->answer;
}

/* "if nothing drifted ..." is what a ratio holds under. */
static void put_reason(struct buf *b, const char *reason, const char *holds, const char *otherwise)
{
    const bool under = !strncmp(reason, "if ", 3), given = !strncmp(reason, "assuming ", 9);
    buf_format(b, "<p>%s%s", under || given ? holds : otherwise, under ? "only " : "");
    html_words(b, reason);
    buf_str(b, ".</p>\n");
}

/* No line breaks within the interval at its end. */
static void put_heading(struct buf *b, const char *text)
{
    const size_t n = strlen(text);
    const char *interval = n && text[n - 1] == ')' ? strrchr(text, '(') : NULL;
    struct buf before = BUF_INIT(1 << 16);
    buf_add(&before, text, interval ? (size_t)(interval - text) : n);
    buf_str(b, "<h2>");
    svg_text(b, buf_text(&before), 1 << 12);
    buf_finish(&before);
    buf_str(b, interval ? "<span class=\"option\">" : "");
    html_words(b, interval ? interval : "");
    buf_str(b, interval ? "</span></h2>\n" : "</h2>\n");
}

static void section_head(struct picture *p, int subject, bool open, const char **told)
{
    struct buf *b = &p->out.text;
    const struct record *r = p->r;
    const struct comparison *c = comparison_of(r, subject);
    struct buf text = BUF_INIT(1 << 16);
    buf_format(b, "<details%s><summary>", open ? " open" : " class=\"folded\""); /* on paper as they are on the screen */
    if (c) {
        put_pair(&text, r, c, 400, 400);
        buf_str(&text, ": ");
        put_verdict(&text, r, c);
        buf_format(&text, "%s%s", p->rounds ? "; charts of " : "", p->rounds ? p->rounds : "");
        put_heading(b, buf_text(&text));
    } else {
        html_element(b, "h2", r->subjects[subject].name);
    }
    buf_str(b, "</summary>\n");
    if (c && c->reason && !same_text(c->reason, *told))
        put_reason(b, *told = c->reason, "This holds ", "Reason: ");
    buf_finish(&text);
}

/* The runs of both on one axis. */
static void strip(struct picture *p, const int *order, int most)
{
    struct buf title = BUF_INIT(1 << 10);
    svg_runs_title(&title, p, order, most);
    html_figure_begin(&p->out, buf_text(&title), NULL);
    svg_runs(p, order, most, false);
    buf_str(&p->out.text, "</figure>\n");
    buf_finish(&title);
}

static struct unit own_unit(const struct record *r, int subject, struct unit otherwise)
{
    const struct metric *metric = record_metric(r, r->rule.metric);
    const double median = record_point(r, subject, r->rule.metric, "median");
    return metric && isfinite(median) ? unit_for(metric->unit, median) : otherwise;
}

static enum tare_status section(struct picture *p, const struct export_options *o, int subject, int marks, bool open,
                                const char **told)
{
    struct arena arena = {0};
    struct chart charts[RUNS_CHARTS_MAX];
    const struct comparison *c = comparison_of(p->r, subject);
    const struct unit of_page = p->unit;
    if (!o->time_unit) /* benchmarks of one page take nanoseconds and milliseconds */
        p->unit = own_unit(p->r, c ? c->reference : subject, of_page);
    struct runs_charts m = {.r = p->r,
                            .unit = p->unit,
                            .most = marks,
                            .shifts = o->shifts,
                            .noise_elsewhere = p->rounds == measured_again,
                            .make = {.arena = &arena, .out = charts}};
    charts_of_runs(&m, subject, c ? c->reference : -1);
    section_head(p, subject, open, told);
    strip(p, (const int[]){c ? c->reference : subject, c ? subject : -1, -1}, marks / 2);
    p->unit = unit_one; /* the titles of the axes have it */
    for (int i = 0; i < m.make.n && !m.make.failed; i++)
        html_chart(p, &charts[i]);
    p->unit = of_page;
    buf_str(&p->out.text, "</details>\n");
    arena_finish(&arena);
    return m.make.failed ? TARE_NO_MEMORY : TARE_OK;
}

/* Of its text, without what others wrote. */
static size_t bytes_so_far(const struct export_out *out)
{
    return out->handed_on + out->text.len;
}

/* Those that differ first. Each has some 20 kB: after three there is no further one once they take SECTIONS_BYTES; the record in the page counts for
 * nothing. */
static enum tare_status sections(struct picture *p, const struct export_options *o)
{
    const struct record *r = p->r;
    int n = 0, drawn = 0;
    const bool answered = answer_has_reason(r, o);
    const char *told = reason_of_all(r, answered ? 1 : 2);
    enum tare_status status = TARE_OK;
    if (told && !answered)
        put_reason(&p->out.text, told, "These hold ", "Of all comparisons: ");
    for (int i = 0; i < r->n_subjects; i++)
        n += has_section(r, i);
    const int shown = n < SECTIONS_MOST ? n : SECTIONS_MOST, share = shown ? 4 * MARKS / shown : MARKS;
    const size_t begun = bytes_so_far(&p->out);
    for (int differing = 1; differing >= 0; differing--)
        for (int k = 0, i; (i = nth_subject(r, o, k)) >= 0 && drawn < shown && !status; k++) {
            if (drawn >= OPEN_MOST && bytes_so_far(&p->out) - begun > SECTIONS_BYTES)
                break;
            const struct comparison *c = comparison_of(r, i);
            if (has_section(r, i) && (c && verdict_differs(c->verdict)) == differing)
                status = section(p, o, i,
                                 share > MARKS         ? MARKS
                                 : share < MARKS_LEAST ? MARKS_LEAST
                                                       : share,
                                 drawn++ < OPEN_MOST, &told);
        }
    if (drawn < n)
        html_some(&p->out.text, "Charts of", drawn, n, "results, first those that differ");
    return status;
}

/* A picture that is a file of its own elsewhere. NO_MEMORY: what there is none of leaves no trace. */
static enum tare_status figure_of(struct export_out *out, kind_write *write, const struct record *r,
                                  const struct export_options *o)
{
    struct buf svg = BUF_INIT(1 << 26);
    struct sink sink = sink_to_buf(&svg);
    struct tare_err err;
    enum tare_status status = write(r, o, &sink, &err);
    if (!status) {
        buf_str(&out->text, "<figure tabindex=\"0\">\n");
        buf_add(&out->text, buf_text(&svg), svg.len);
        buf_str(&out->text, "</figure>\n");
        export_out_pass(out);
    }
    buf_finish(&svg);
    return status == TARE_NO_MEMORY ? status : TARE_OK;
}

static enum tare_status memory_over_time(struct picture *p)
{
    struct arena arena = {0};
    const struct chart *charts;
    const int n = timeline_charts(p->r, &arena, &charts);
    if (n > 0)
        html_element(&p->out.text, "h2", "Memory over time");
    const struct unit unit = p->unit;
    p->unit = unit_one; /* the titles of the axes have it */
    for (int i = 0; i < n; i++)
        html_chart(p, &charts[i]);
    p->unit = unit;
    arena_finish(&arena);
    return n < 0 ? TARE_NO_MEMORY : TARE_OK;
}

/* The first benchmark of its program. */
static bool is_next_program(const struct record *r, int subject)
{
    const struct subject *s = &r->subjects[subject];
    for (int i = 0; s->program && i < subject; i++)
        if (r->subjects[i].program && !strcmp(r->subjects[i].program, s->program))
            return false;
    return s->program != NULL;
}

/* No benchmark of another program has its name. */
static bool is_next_benchmark(const struct record *r, int subject)
{
    const struct subject *s = &r->subjects[subject];
    for (int i = 0; s->benchmark && i < subject; i++)
        if (r->subjects[i].benchmark && !strcmp(r->subjects[i].benchmark, s->benchmark))
            return false;
    return subject_measured(s);
}

static void put_title(struct buf *b, const struct record *r)
{
    int n = 0, again = 0, programs = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        n += is_next_benchmark(r, i);
        again += is_next_benchmark(r, i) && record_is_of_two_sessions(r) && comparison_of(r, i);
        programs += is_next_program(r, i);
    }
    buf_str(b, "tare: ");
    if (r->rule.against_itself && !programs && n) {
        buf_format(b, "%s against itself", r->subjects[0].name);
        return;
    }
    for (int i = 0, k = 0; n <= 2 && i < r->n_subjects; i++)
        if (subject_measured(&r->subjects[i]))
            buf_format(b, "%s%s", k++ ? " and " : "", r->subjects[i].name);
    if (n > 2)
        buf_format(b, "%d ", n - again); /* each of two sessions once */
    if (n == 0 || n > 2)
        buf_str(b, record_kind(r)->results);
    if (n > 2 && programs > 1)
        buf_format(b, " in %d programs", programs);
    if (n > 2 && record_is_of_two_sessions(r))
        buf_str(b, " of two sessions");
}

/* Of sessions that are taken as one, too. */
static const char *unpaired_unit(const struct record *r, bool several)
{
    return record_kind(r)->processes ? (several ? "processes" : "process") : several ? "runs" : "run";
}

static void unpaired_legend(struct buf *b, const struct record *r, const char *what)
{
    if (record_is_over_sessions(r) && !r->comparisons[0].assumed_no_drift)
        buf_format(b, "Unpaired %s: that of the %smeans of the sessions' %s", what,
                   same_text(what, "ratio")        ? "geometric "
                   : same_text(what, "difference") ? ""
                                                   : "(geometric) ",
                   r->comparisons[0].by_anchor ? "ratios to the anchor" : "medians");
    else
        buf_format(b, "Unpaired %s: the typical %s between a %s of one and a %s of the other", what, what,
                   unpaired_unit(r, false), unpaired_unit(r, false));
}

static void widened_legend(struct buf *b, const struct record *r, const char *what)
{
    double most = 0;
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        const struct comparison *c = comparison_of(r, i);
        if (!c || !isfinite(c->low) || !isfinite(c->high))
            continue;
        most = fmax(most, c->widened);
        n++;
    }
    if (most >= 1.05) /* else it looks like 1 */
        buf_format(
            b,
            " The interval of the %s is %s%.2g times as wide as it would be if neighbouring %s were independent; intervals "
            "of medians are not widened.",
            what, n > 1 ? "up to " : "", most, record_is_of_two_sessions(r) ? unpaired_unit(r, true) : "rounds");
}

/* Two ratios stand beside each other, and neither is that of the medians. */
static void table_legend(struct buf *b, const struct record *r)
{
    const char *what = results_compared_by(r);
    if (!what)
        return;
    buf_str(b, "<p class=\"soft\">Relative: the ratio of the means beside it. ");
    const bool unpaired = record_is_of_two_sessions(r);
    if (unpaired)
        unpaired_legend(b, r, what);
    else if (r->rule.interleaved)
        buf_format(b, "Paired %s: the typical %s of the two within a %s", what, what,
                   record_is_over_sessions(r) ? "session" : "round");
    if (unpaired || r->rule.interleaved)
        buf_str(b, "; the verdict is about it. It may differ from that of the medians. ");
    if (r->rule.against_itself)
        buf_str(b, "Each copy with an even number is compared with the one before it: #2 with the first, #4 with #3. ");
    buf_str(b, "Mean \xc2\xb1 standard deviation.");
    widened_legend(b, r, what);
    buf_str(b, "</p>\n");
}

static enum tare_status table(struct picture *p, const struct kind_export *k, const char *label, const struct export_options *o,
                              const struct sink *sink, struct tare_err *err)
{
    buf_format(&p->out.text, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n", label);
    enum tare_status status = export_out_flush(&p->out);
    if (!status)
        status = k->table(&markup_html, p->r, o, sink, err);
    buf_str(&p->out.text, "</div>\n");
    return status;
}

/* The rounds of a gate that decide alone whether a slowdown that the others show is one. */
static enum tare_status confirmation(struct picture *p, const struct kind_export *k, const struct export_options *o,
                                     const struct sink *sink, struct tare_err *err)
{
    const struct record *const first = p->r, *const last = &o->phases.items[o->phases.n - 1];
    const char *phase = facts_text(&last->build, "gate_phase");
    struct export_options again = *o;
    again.shifts = o->last_shifts;
    if (!phase || strcmp(phase, "confirm") != 0)
        return TARE_OK;
    html_element(&p->out.text, "h2", "Measured again");
    html_element(
        &p->out.text, "p class=\"soft\"",
        "Slowdowns and, where there was time left, undecided benchmarks were measured again, by new processes in another order. "
        "These rounds alone decide what fails; all rounds, what passes.");
    html_remarks(&p->out.text, last, "Remarks on what was measured again", o->answer);
    p->r = last;
    p->rounds = measured_again;
    enum tare_status status = table(p, k, "Results measured again", &again, sink, err);
    if (!status)
        status = sections(p, &again);
    p->r = first;
    return status;
}

/* Of a gate of several sessions: those behind the first, and what of the first is shown. */
static enum tare_status further_rounds(struct picture *p, const struct kind_export *k, const struct export_options *o,
                                       const struct sink *sink, struct tare_err *err)
{
    if (o->phases.n < 2)
        return TARE_OK;
    enum tare_status status = confirmation(p, k, o, sink, err);
    html_element(&p->out.text, "h2", "First rounds, of all benchmarks");
    html_element(&p->out.text, "p class=\"soft\"",
                 p->rounds ? "Times and charts are of the first rounds. Ratio and verdict are the gate's: of a benchmark that "
                             "fails, from the rounds measured again alone; of any other, from all rounds."
                           : "Times and charts are of the first rounds. Ratio and verdict are the gate's, from all rounds.");
    p->rounds = "the first rounds";
    return status;
}

enum tare_status html_table_write(const struct kind_export *k, const struct record *r, const struct export_options *o,
                                  const struct sink *sink, struct tare_err *err)
{
    struct picture p = {.r = r, .unit = svg_unit(r, o->time_unit), .fits = true};
    struct buf title = BUF_INIT(1 << 20), style = BUF_INIT(1 << 16);
    const bool runs = k->table == markup_write;
    if (o->title)
        buf_str(&title, o->title);
    else
        put_title(&title, r);
    buf_format(&style, "%s%s%s", html_table_style, svg_style, chart_svg_style);
    export_out_begin(&p.out, sink, err);
    html_begin(&p.out, r, o, buf_text(&title), buf_text(&style));
    enum tare_status status = runs ? forest(&p, o) : TARE_OK;
    if (!status)
        status = further_rounds(&p, k, o, sink, err);
    if (!status && r->n_subjects)
        status = table(&p, k, "Results", o, sink, err);
    if (!status && runs)
        table_legend(&p.out.text, r);
    if (!status && runs)
        status = html_growth(&p, o);
    else if (!status && r->n_subjects && k->svg)
        status = figure_of(&p.out, k->svg, r, o);
    if (!status && runs)
        status = sections(&p, o);
    if (!status)
        status = memory_over_time(&p);
    html_end(&p.out, r, o);
    buf_finish(&title);
    buf_finish(&style);
    enum tare_status written = export_out_end(&p.out);
    return written ? written : status == TARE_NO_MEMORY ? err_no_memory(err) : status;
}
