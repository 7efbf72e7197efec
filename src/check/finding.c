/* SPDX-License-Identifier: MIT */
#include "finding.h"
#include "decimal_read.h"
#include "record_kind.h"
#include "same_text.h"
#include "units.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Among those that the test says it may make. */
static bool is_listed(const struct check_test *test, const char *id)
{
    return !test || text_lists(test->ids, strlen(test->ids), " ", id, strlen(id));
}

bool finding_can_be_followed(const struct check *c, const char *advice)
{
    static const char of_gate[] = "--max-time --pin --metric";
    static const char of_trace[] = "--clock --limit --max-runs --max-time --order --pin --runs --same-cpu --show-output --warmup";
    const char *taken = facts_find(&c->r->build, "gate_phase") ? of_gate : c->r->traced ? of_trace : NULL;
    bool can = true;
    for (const char *at = advice && taken ? strstr(advice, "--") : NULL; at; at = strstr(at + 2, "--"))
        can = can && text_lists(taken, strlen(taken), " ", at, 2 + strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-"));
    return can;
}

void finding_add(struct check *c, const char *id, enum severity severity, int subject, double weight, const char *advice,
                 const char *format, ...)
{
    bool listed = is_listed(c->test, id);
    assert(listed);
    (void)listed;
    if (c->failed)
        return;
    struct buf text = BUF_INIT(1 << 16);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&text, format, ap);
    va_end(ap);
    struct finding f = {.id = id,
                        .severity = severity,
                        .subject = subject,
                        .text = buf_text(&text),
                        .advice = finding_can_be_followed(c, advice) ? advice : NULL,
                        .weight = weight};
    c->failed = text.status || record_add_finding(c->r, &f) < 0;
    buf_finish(&text);
}

void finding_detail(struct check *c, const char *format, ...)
{
    if (c->failed)
        return;
    struct buf text = BUF_INIT(1 << 16);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&text, format, ap);
    va_end(ap);
    c->r->findings[c->r->n_findings - 1].detail = finding_keep(c, &text);
}

const char *finding_keep(struct check *c, struct buf *text)
{
    const char *copy = arena_strdup(&c->r->arena, buf_text(text));
    buf_finish(text);
    return copy ? copy : "?";
}

const char *finding_quantity(struct check *c, const char *unit, double value)
{
    struct buf text = BUF_INIT(256);
    figure_scaled(&text, unit, value, FIGURE_DIGITS);
    return finding_keep(c, &text);
}

const char *finding_share(struct check *c, double share)
{
    struct buf text = BUF_INIT(64);
    figure_rough(&text, share);
    return finding_keep(c, &text);
}

const char *finding_figure(struct check *c, double value, int decimals)
{
    struct buf text = BUF_INIT(64);
    figure_put(&text, value, decimals);
    return finding_keep(c, &text);
}

/* Takes "cc1 (pid 40) 0.50 s" from "cc1 (pid 40) 0.50 s; yes (pid 41) 0.30 s; and 3 more": the bytes of its name, and its time. A name may hold any
 * of these signs; the last ones are ours. False: none follows. */
static bool next_user(const char **at, size_t *name, double *seconds)
{
    const char *end = strstr(*at, " s; ");
    const size_t rest = strlen(*at), last = rest >= 2 && !strcmp(*at + rest - 2, " s") ? rest - 2 : 0;
    const size_t n = end ? (size_t)(end - *at) : last;
    size_t from = n;
    while (from && (*at)[from - 1] != ' ')
        from--;
    size_t bracket = from;
    while (bracket && (*at)[bracket] != '(')
        bracket--;
    *name = bracket ? bracket - 1 : 0;
    if (!*name || !decimal_read(*at + from, n - from, seconds))
        return false;
    *at += end ? n + 4 : rest;
    return true;
}

const char *finding_cpu_users(struct check *c, bool to_end)
{
    enum { NAMES = 2 };
    const char *at = facts_text(&c->r->after, "cpu_users"), *name = at;
    struct buf names = BUF_INIT(1 << 14);
    double sum = 0, seconds;
    size_t bytes;
    for (int i = 0; at && i < NAMES && next_user(&at, &bytes, &seconds); i++, name = at) {
        if (to_end && !strncmp(name + bytes, " (pid 1) ", sizeof " (pid 1) " - 1))
            continue;
        buf_str(&names, names.len ? " and " : "");
        buf_add(&names, name, bytes);
        sum += seconds;
    }
    if (!(sum > facts_number(&c->r->after, "cpu_users_seconds") / 2))
        buf_clear(&names);
    return finding_keep(c, &names);
}

const char *finding_change(struct check *c, double percent)
{
    struct buf text = BUF_INIT(64);
    figure_signed(&text, percent, 1);
    buf_str(&text, " %");
    return finding_keep(c, &text);
}

bool finding_of_benchmarks(const struct check *c)
{
    return record_kind(c->r)->processes;
}

const char *finding_runs(const struct check *c, ptrdiff_t n)
{
    return record_rows_word(c->r, n);
}

const char *finding_p(struct check *c, double p)
{
    struct buf text = BUF_INIT(64);
    if (p < 1e-4)
        buf_str(&text, "p < 0.0001");
    else
        buf_format(&text, "p = %.4f", p);
    return finding_keep(c, &text);
}

const char *finding_less_steal(const struct check *c)
{
    const bool in_blocks = c->r->n_comparisons && !c->r->rule.interleaved;
    return in_blocks ? "interleave the rounds, or use another host" : "use another host, or measure again at another time";
}

bool finding_several_threads(const struct check *c, int subject)
{
    const struct series *series = &c->r->series[subject];
    const int delay = series_column(series, "delay"), switches = series_column(series, "voluntary");
    const struct rows *const parts[] = {&series->warmup, &series->main};
    bool told = false, several = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && delay >= 0 && switches >= 0; i++)
        for (int row = 0; row < parts[i]->n; row++) {
            told |= !isnan(parts[i]->value[switches][row]); /* else it is the platform that does not tell */
            several |= isnan(parts[i]->value[delay][row]);
        }
    return told && several;
}
