/* SPDX-License-Identifier: MIT
 *
 * The page of a gate for others to read: Markdown, annotations of a workflow, JUnit, JSON, HTML. Names and messages of programs are foreign text everywhere. */
#include "gate_page.h"
#include "json_write.h"
#include "plat.h"
#include "quote.h"
#include "screen.h"
#include "verdict.h"
#include <math.h>
#include <string.h>

enum { TEXT_MAX = 16 << 20, ANNOTATIONS_MOST = 10, LOG_BYTES = 7 << 10 /* a byte that is none of text takes 8 in Markdown */ };

/* Each of the characters `special` by its number, as Markdown and XML take it. `behind` follows those of mentions. */
static void put_numbers(struct buf *b, const char *text, const char *special, const char *behind)
{
    struct buf masked = BUF_INIT(1 << 20);
    quote_mask(&masked, text, true);
    for (const char *c = buf_text(&masked); *c; c++)
        if (strchr(special, *c))
            buf_format(b, "&#%d;%s", *c, strchr("@#", *c) ? behind : "");
        else
            buf_char(b, *c);
    buf_finish(&masked);
}

#define OF_XML "&<>\"'"

static void put_xml(struct buf *b, const char *text)
{
    put_numbers(b, text, OF_XML, "");
}

/* Any character that could begin markup, of a table or of HTML. */
#define OF_MARKDOWN OF_XML "|`*_[]\\@#~"

static void put_escaped(struct buf *b, const char *text)
{
    put_numbers(b, text, OF_MARKDOWN, "");
}

/* GitHub looks for mentions of people and issues in the page as it is shown, where an escaped @ or # is itself again: so a space of no width follows. */
static void put_prose(struct buf *b, const char *text)
{
    put_numbers(b, text, OF_MARKDOWN, "&#8203;");
}

static void end_cell(struct buf *text, struct buf *b)
{
    put_prose(b, buf_text(text));
    buf_str(b, " | ");
    buf_clear(text);
}

static void put_row(const struct gate *g, const struct gate_benchmark *i, struct buf *b)
{
    struct buf text = BUF_INIT(1 << 20);
    buf_format(b, "| %s | ", gate_word(g, i));
    buf_str(&text, i->c->name);
    end_cell(&text, b);
    gate_put_value(g, i, GATE_BASE, &text);
    end_cell(&text, b);
    gate_put_value(g, i, GATE_HEAD, &text);
    end_cell(&text, b);
    gate_put_change(g, i, &text);
    end_cell(&text, b);
    gate_put_remark(g, i, &text);
    end_cell(&text, b);
    buf_char(b, '\n');
    buf_finish(&text);
}

/* As many as there is room for, the worst first; how many it left out. */
static int put_rows(const struct gate *g, const int *order, bool listed, size_t most, struct buf *b)
{
    int rows = 0, left = 0;
    for (int i = 0; i < g->n; i++) {
        const struct gate_benchmark *x = &g->items[order[i]];
        if (x->kind != GATE_BOTH || gate_listed(x) != listed)
            continue;
        struct buf row = BUF_INIT(1 << 20); /* a name may be long */
        if (!left)
            put_row(g, x, &row);
        if (left || b->len + row.len > most)
            left++;
        else {
            if (!rows++)
                buf_str(b, "| | benchmark | base | head | change (95 % bounds) | |\n|---|---|---:|---:|---|---|\n");
            buf_add(b, buf_text(&row), row.len);
        }
        buf_finish(&row);
    }
    if (left)
        buf_format(b, "\n%d more do%s not fit here.\n", left, left == 1 ? "es" : "");
    return rows;
}

/* The end of what the failed build wrote. */
static void put_log(const struct gate *g, struct buf *b)
{
    const char *text = buf_text(&g->said);
    const size_t n = strlen(text);
    if (!g->failure || !n)
        return;
    buf_str(b, "\n<pre>\n");
    for (const char *line = text + (n > LOG_BYTES ? n - LOG_BYTES : 0); *line;) {
        struct buf one = BUF_INIT(1 << 20);
        const size_t length = strcspn(line, "\n");
        buf_add(&one, line, length);
        put_escaped(b, buf_text(&one));
        buf_char(b, '\n');
        buf_finish(&one);
        line += length + (line[length] == '\n');
    }
    buf_str(b, "</pre>\n");
}

static void put_notes(const struct gate *g, struct buf *b)
{
    struct buf text = BUF_INIT(1 << 20);
    int small = 0;
    for (int i = 0; gate_put_note(g, i, &text); i++) {
        if (text.len) {
            buf_str(b, i < GATE_NOTES_PLAIN ? "\n" : small++ ? "<br>\n" : "\n<sub>");
            put_prose(b, buf_text(&text));
            if (i < GATE_NOTES_PLAIN)
                buf_char(b, '\n');
        }
        buf_clear(&text);
    }
    buf_str(b, small ? "</sub>\n" : "");
    buf_finish(&text);
}

void gate_put_markdown(const struct gate *g, size_t most_bytes, struct buf *b)
{
    enum { RESERVE = 16 << 10 }; /* for a row and the end */
    const int *order = gate_order(g);
    struct buf text = BUF_INIT(1 << 20), notes = BUF_INIT(1 << 20);
    put_notes(g, &notes);
    const size_t most = most_bytes > RESERVE + notes.len ? most_bytes - RESERVE - notes.len : 0;
    gate_put_verdict(g, &text);
    buf_str(b, "<!-- tare gate -->\n**");
    put_prose(b, buf_text(&text));
    buf_str(b, "**\n\n");
    put_log(g, b);
    if (order)
        put_rows(g, order, true, most, b);
    buf_str(b, buf_text(&notes));
    buf_str(b, "\n<details><summary>benchmarks that did not change</summary>\n\n");
    const size_t before = b->len;
    if (order && !put_rows(g, order, false, most + notes.len, b) && b->len == before)
        buf_str(b, "none\n");
    buf_str(b, "\n</details>\n");
    buf_finish(&text);
    buf_finish(&notes);
}

/* A percent sign begins an escape. */
static void put_command_text(struct buf *b, const char *text)
{
    struct buf masked = BUF_INIT(1 << 20);
    quote_mask(&masked, text, true);
    for (const char *c = buf_text(&masked); *c; c++)
        if (*c == '%')
            buf_str(b, "%25"); /* line feeds were masked */
        else
            buf_char(b, *c);
    buf_finish(&masked);
}

static void put_sentence(const struct gate *g, const struct gate_benchmark *i, struct buf *b)
{
    struct buf remark = BUF_INIT(1 << 20);
    buf_format(b, "%s: ", i->c->name);
    gate_put_change(g, i, b);
    gate_put_remark(g, i, &remark);
    if (remark.len)
        buf_format(b, "%s%s", i->c->failure ? "" : ", ", buf_text(&remark));
    buf_finish(&remark);
}

enum exit_code gate_print_annotations(const struct gate *g)
{
    struct buf b = BUF_INIT(TEXT_MAX), text = BUF_INIT(1 << 20);
    const int *order = gate_order(g);
    int n = 0;
    if (g->failure) {
        buf_str(&b, "::error title=tare gate::");
        put_command_text(&b, g->failure);
        buf_char(&b, '\n');
    }
    for (int i = 0; order && i < g->n && n < ANNOTATIONS_MOST; i++) {
        const struct gate_benchmark *x = &g->items[order[i]];
        if (!gate_asked(x) || x->result.verdict == GATE_PASS)
            continue;
        n++;
        buf_clear(&text);
        put_sentence(g, x, &text);
        buf_format(&b, "::%s title=tare gate%%3A %s::", x->result.verdict == GATE_CANNOT_TELL ? "warning" : "error",
                   gate_verdict_words[x->result.verdict]);
        put_command_text(&b, buf_text(&text));
        buf_char(&b, '\n');
    }
    buf_finish(&text);
    if (!g->o->display.stdout_taken)
        return cli_print(g->cli, &b);
    g->cli->talk.write(g->cli->talk.context, buf_text(&b), b.len, NULL); /* the runner reads both streams */
    buf_finish(&b);
    return EXIT_ANSWERED;
}

static void put_junit_case(const struct gate *g, const struct gate_benchmark *i, struct buf *b)
{
    static const char *const elements[] = {[GATE_FAIL] = "failure", [GATE_CANNOT_TELL] = "skipped", [GATE_NO_RESULT] = "error"};
    struct buf text = BUF_INIT(1 << 20);
    buf_str(b, "  <testcase classname=\"");
    put_xml(b, g->n_programs ? g->programs[i->program].name : "tare gate");
    buf_str(b, "\" name=\"");
    put_xml(b, i->c->name);
    const bool asked = gate_asked(i), bad = asked && i->result.verdict != GATE_PASS;
    if (bad) {
        put_sentence(g, i, &text);
        buf_format(b, "\">\n    <%s message=\"%s: ", elements[i->result.verdict], gate_verdict_words[i->result.verdict]);
        put_xml(b, buf_text(&text));
        buf_str(b, "\"/>\n  </testcase>\n");
    } else if (!asked) {
        buf_format(b, "\">\n    <skipped message=\"%s\"/>\n  </testcase>\n",
                   i->control       ? "control"
                   : i->c->accepted ? "accepted"
                                    : gate_kind_words[i->kind]);
    } else
        buf_str(b, "\"/>\n");
    buf_finish(&text);
}

void gate_put_junit(const struct gate *g, struct buf *b)
{
    int n[GATE_NO_RESULT + 1] = {0}, skipped = 0;
    for (int i = 0; i < g->n; i++)
        if (gate_asked(&g->items[i]))
            n[g->items[i].result.verdict]++;
        else
            skipped++;
    const int failed = g->failure != NULL;
    buf_str(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    buf_format(b, "<testsuite name=\"tare gate\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"%.3f\">\n",
               g->n + failed, n[GATE_FAIL], n[GATE_NO_RESULT] + failed, n[GATE_CANNOT_TELL] + skipped, g->seconds);
    if (failed) {
        buf_str(b, "  <testcase classname=\"tare gate\" name=\"build\">\n    <error message=\"");
        put_xml(b, g->failure);
        buf_str(b, "\"/>\n  </testcase>\n");
    }
    for (int i = 0; i < g->n; i++)
        put_junit_case(g, &g->items[i], b);
    buf_str(b, "</testsuite>\n");
}

static const char *const verdict_ids[] = {"pass", "fail", "cannot_tell", "no_result"};
static const char *const kind_ids[] = {"compared", "new", "deleted", "equal", "skipped"};

static void json_side(struct json_write *j, const struct gate *g, enum gate_side side)
{
    const struct revision *own = g->rs.n > (int)side ? &g->rs.items[side] : NULL;
    if (!own && !g->hashes[side])
        return;
    json_object(j, gate_side_names[side]);
    json_string(j, "hash", own ? own->hash : g->hashes[side]);
    json_bool(j, "uncommitted_changes", own ? own->dirty : g->changes[side] && *g->changes[side]);
    json_number(j, "build_seconds", own ? own->build_seconds : NAN);
    json_end(j);
}

static void json_benchmark(struct json_write *j, const struct gate *g, const struct gate_benchmark *i)
{
    const bool compared = i->kind == GATE_BOTH;
    const struct gate_result *r = &i->result;
    struct buf remark = BUF_INIT(1 << 20);
    if (compared)
        gate_put_remark(g, i, &remark);
    json_object(j, NULL);
    json_bytes(j, "name", (i->side[GATE_HEAD] ? i->side[GATE_HEAD] : i->side[GATE_BASE])->name);
    json_bytes(j, "program", g->n_programs ? g->programs[i->program].name : i->program_name);
    json_string(j, "state", kind_ids[i->kind]);
    json_string(j, "verdict", compared ? verdict_ids[r->verdict] : NULL);
    json_bool(j, "control", i->control);
    json_bool(j, "accepted", i->c->accepted);
    json_number(j, "limit", expm1(i->c->limit));
    json_number(j, "ratio", compared ? exp(r->shift) : NAN);
    json_number(j, "low", compared && isfinite(r->low) ? exp(r->low) : NAN); /* no bound is no number */
    json_number(j, "high", compared ? exp(r->high) : NAN);
    const bool one = g->runners < 2; /* several machines have no common figure */
    json_number(j, "base", one ? i->ns[GATE_BASE] : NAN);
    json_number(j, "head", one ? i->ns[GATE_HEAD] : NAN);
    json_number(j, "decidable", compared ? r->decidable : NAN);
    json_integer(j, "rounds", i->c->n_screen);
    json_integer(j, "rounds_to_confirm", i->c->n_confirm);
    json_string(j, "failure", i->c->failure);
    json_string(j, "remark", remark.len ? buf_text(&remark) : NULL);
    buf_finish(&remark);
    json_end(j);
}

void gate_put_json(const struct gate *g, struct buf *b)
{
    struct json_write j = json_into(b, 2);
    json_object(&j, NULL);
    json_string(&j, "verdict", verdict_ids[g->verdict]);
    json_string(&j, "failure", g->failure);
    json_side(&j, g, GATE_BASE);
    json_side(&j, g, GATE_HEAD);
    json_number(&j, "seconds", g->seconds);
    json_array(&j, "benchmarks");
    for (int i = 0; i < g->n; i++)
        json_benchmark(&j, g, &g->items[i]);
    json_end(&j);
    json_array(&j, "sessions");
    for (int i = 0; i < g->n_sessions; i++) {
        json_object(&j, NULL);
        json_string(&j, "phase", gate_phase_names[g->sessions[i].phase]);
        json_integer(&j, "benchmarks", g->sessions[i].benchmarks);
        json_integer(&j, "rounds", g->sessions[i].rounds);
        json_number(&j, "seconds", g->sessions[i].seconds);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    buf_char(b, '\n');
}

static const struct gate_benchmark *benchmark_of(const struct gate *g, const struct subject *s)
{
    const char *name = gate_name_of(g->cli->arena, s);
    for (int i = 0; i < g->n && name; i++)
        if (g->items[i].kind == GATE_BOTH && (s->kind == SUBJECT_COMMAND || !strcmp(g->items[i].c->name, name)))
            return &g->items[i];
    return NULL;
}

/* To pass is not to be the same: it asks nothing of what is faster. NONE: it passed, and no more is shown. Of what fails nothing the plain rule says what it is. */
static enum verdict verdict_on_page(const struct gate *g, const struct gate_benchmark *x)
{
    const struct gate_result *r = &x->result;
    const bool is_time = gate_is_time(g), passes = r->verdict == GATE_PASS;
    if (r->verdict != GATE_NO_RESULT && (x->control || (x->c->accepted && !passes)))
        return verdict_of(r->low, r->high, x->c->limit, is_time);
    if (r->verdict == GATE_FAIL)
        return is_time ? VERDICT_SLOWER : VERDICT_HIGHER;
    if (r->verdict == GATE_CANNOT_TELL)
        return VERDICT_UNDECIDED;
    if (passes && x->faster)
        return is_time ? VERDICT_FASTER : VERDICT_LOWER;
    return passes && r->low > -x->c->limit ? VERDICT_SAME : VERDICT_NONE;
}

/* A session with the verdicts of the gate. Rounds that were to confirm a slowdown say nothing where they did not. */
static void mark_record(struct gate *g, struct record *r)
{
    const char *phase = facts_text(&r->build, "gate_phase");
    const bool confirms = phase && !strcmp(phase, gate_phase_names[GATE_CONFIRM]);
    for (int i = 0; i < r->n_comparisons; i++) {
        struct comparison *c = &r->comparisons[i];
        const struct gate_benchmark *x = benchmark_of(g, &r->subjects[c->subject]);
        if (!x)
            continue;
        const bool fails = x->result.verdict == GATE_FAIL;
        c->margin = expm1(x->c->limit);
        if (confirms && !fails) {
            c->verdict = VERDICT_NONE;
            c->reason = NULL;
            continue;
        }
        c->shift = x->result.shift;
        c->low = x->result.low;
        c->high = x->result.high;
        c->level = 2 * GATE_ALPHA; /* either bound may fail */
        c->verdict = verdict_on_page(g, x);
        c->reason = x->result.verdict == GATE_NO_RESULT ? c->reason
                    : x->result.verdict == GATE_PASS && c->verdict == VERDICT_NONE
                        ? "it passes; that it is faster, or the same, is not shown"
                        : NULL; /* of a verdict that the gate does not share */
        c->rounds = (fails ? 0 : x->c->n_screen) + x->c->n_confirm;
    }
}

enum exit_code gate_write_page(struct gate *g, struct outputs *files, const struct gate_text *text, const struct record *r)
{
    struct tare_err err;
    files->title = buf_text(&text->title);
    files->answer = buf_text(&text->wide);
    files->answer_narrow = buf_text(&text->narrow);
    const enum tare_status status = outputs_export(files, r, &err);
    files->title = files->answer = files->answer_narrow = NULL;
    return status ? cli_fail(g->cli, EXIT_TOOL, &err) : EXIT_ANSWERED;
}

void gate_text_finish(struct gate_text *text)
{
    buf_finish(&text->title);
    buf_finish(&text->wide);
    buf_finish(&text->narrow);
}

void gate_record_none(const struct gate *g, struct record *r)
{
    record_init(r);
    r->tool_version = CLI_VERSION;
    r->argv = (const char *const *)g->cli->argv;
    r->start_utc_ns = g->start_utc_ns;
    r->ended = g->failure ? "failed" : "answered";
}

enum exit_code gate_write_html(struct gate *g, struct outputs *files)
{
    struct gate_text text = GATE_TEXT_INIT;
    struct record none;
    gate_record_none(g, &none);
    for (int i = 0; i < g->n_records; i++)
        mark_record(g, &g->records[i]);
    buf_format(&text.title, "tare gate: %s", gate_verdict_words[g->verdict]);
    gate_put_text(g, 0, &text.wide);
    gate_put_text(g, ANSWER_NARROW, &text.narrow);
    files->phases = (struct export_sessions){g->records, g->n_records};
    const enum exit_code code = gate_write_page(g, files, &text, g->n_records ? &g->records[0] : &none);
    files->phases = (struct export_sessions){NULL, 0};
    gate_text_finish(&text);
    record_finish(&none);
    return code;
}
