/* SPDX-License-Identifier: MIT */
#include "html.h"
#include "chart_svg.h"
#include "quote.h"
#include "record_kind.h"
#include "record_write.h"
#include "repetition.h"
#include "same_text.h"
#include "sha2.h"
#include "utc.h"
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 4000, LEGEND_MOST = 80, PAGE_COLUMNS = 127 }; /* that a page has at its full width */

/* Written by cmake/embed.cmake. */
extern const unsigned char page_js[];
extern const unsigned long page_js_bytes;

const char html_style[] =
    "body{font:15px/1.45 system-ui,sans-serif;color:#1c1e22;background:#fff;max-width:1100px;margin:24px auto;"
    "padding:0 16px}h1{font-size:22px}h2{font-size:18px;margin-top:28px;overflow-wrap:anywhere}"
    "figure{margin:18px 0;overflow-x:auto}";

void html_open(struct buf *b, const char *title)
{
    buf_str(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    html_element(b, "title", title);
}

void html_foot(struct buf *b)
{
    buf_str(b, "</body>\n</html>\n");
}

static void base64(struct buf *b, const char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t three = (uint32_t)(unsigned char)bytes[i] << 16;
        three |= i + 1 < n ? (uint32_t)(unsigned char)bytes[i + 1] << 8 : 0;
        three |= i + 2 < n ? (unsigned char)bytes[i + 2] : 0;
        buf_char(b, digits[three >> 18]);
        buf_char(b, digits[three >> 12 & 63]);
        buf_char(b, i + 1 < n ? digits[three >> 6 & 63] : '=');
        buf_char(b, i + 2 < n ? digits[three & 63] : '=');
    }
}

/* Nothing is loaded, and no script but page.js runs, whatever stands in the texts of others. */
static void security_policy(struct buf *b)
{
    char hex[SHA256_TEXT], digest[33] = {0};
    sha256_digits(page_js, page_js_bytes, hex, sizeof hex);
    for (int i = 0; i < 32; i++) {
        const char byte[3] = {hex[2 * i], hex[2 * i + 1], 0};
        digest[i] = (char)strtoul(byte, NULL, 16);
    }
    buf_str(b, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src "
               "'sha256-");
    base64(b, digest, 32);
    buf_str(b, "'\">\n");
}

/* Pictures bring their own rules, later than these: in the dark those of a figure win by being longer. */
static const char session_style[] =
    ":root{color-scheme:light "
    "dark;--paper:#fff}h1{overflow-wrap:anywhere}.answer{font-size:clamp(var(--least,10px),calc((100vw - "
    "72px)/var(--c)/.62),var(--most,14px));line-height:1.5;overflow:auto}"
    ".answer>span{white-space:pre-wrap;display:inline-block;box-sizing:border-box;max-width:100%;padding-left:4ch;text-indent:-"
    "4ch}.noise td,.noise th{white-space:nowrap;text-align:right}.noise "
    "td:first-child,.noise th:first-child{white-space:normal;text-align:left}.noise td:first-child{min-width:10em}"
    ".soft{color:#59606b}.wide{overflow-x:auto}table{border-collapse:collapse;font-size:13px}"
    "th,td{padding:3px 10px;border-bottom:1px solid #dfe3e8;text-align:left;font-weight:normal;overflow-wrap:anywhere}"
    "th{background:#eef1f5}th[scope=row]{min-width:9em}pre{overflow-x:auto;background:#eef1f5;padding:8px "
    "12px}pre:not(.answer){white-space:pre-wrap;overflow-wrap:anywhere}.option{white-space:nowrap}.narrow{display:none}summary{"
    "cursor:pointer;margin:12px 0}"
    "details summary h2{display:inline}ul{padding-left:22px}li{margin:4px "
    "0}li,p{overflow-wrap:anywhere}svg{max-width:100%}svg:not(.fits){height:auto}a{color:#2b6ca3}"
    "th button{font:inherit;color:inherit;background:none;border:0;padding:0;text-align:inherit;cursor:pointer}"
    "[aria-sort=ascending] button::after{content:' \xe2\x96\xb2'}[aria-sort=descending] button::after{content:' \xe2\x96\xbc'}"
    "figcaption{position:sticky;left:0;margin-left:24px;max-width:60em;font-size:13px}figcaption b{display:block;font-size:15px}"
    ".legend{margin:0 0 0 24px;font-size:13px}.legend "
    "span{display:inline-block;margin-right:22px;padding-left:30px;text-indent:-30px}"
    "figure:has(output){margin:6px 0}.wide+.chart{margin-top:24px}figure>svg{display:block}.legend "
    "svg{vertical-align:middle;max-width:none}figure "
    "output{position:sticky;left:0;display:block;min-height:1.45em;"
    "font-size:13px}"
    "figure:focus-visible output:empty::after{content:'Arrow keys show the values.'}"
    ".range p{display:flex;flex-wrap:wrap;gap:0 16px;max-width:792px;margin:4px 24px 0;font:12px sans-serif}"
    ".range span+span{margin-left:auto;text-align:right}.range svg{display:block}"
    ".over{paint-order:stroke;stroke:#fff;stroke-width:4px}.here{fill:none;stroke:#1c1e22;stroke-width:1.5;pointer-events:none}"
    "input{font:inherit;width:12em;max-width:60vw}";
static const char dark_style[] =
    "@media screen and (prefers-color-scheme:dark){:root{--paper:#16181d}body{color:#e8eaed;background:#16181d}.soft,figure "
    ".says{color:#aab2bf}a{color:#8ab8e6}"
    "table th,pre{background:#262a32}table th,table td{border-color:#3a404b}figure text{fill:#e8eaed}"
    "figure text.says{fill:#aab2bf}figure svg>rect[fill]{fill:#16181d}figure .grid{stroke:#3a404b}figure .axis{stroke:#aab2bf}"
    "figure .c0{stroke:#6ca6d9;fill:#6ca6d9}figure .c1{stroke:#ffb74d;fill:#ffb74d}figure .c2{stroke:#81c784;fill:#81c784}"
    "figure .c3{stroke:#ce93d8;fill:#ce93d8}figure .line,figure .bar,figure .fit{fill:none}figure .band{stroke:none}figure "
    "circle.hollow,figure "
    "rect.hollow{fill:#16181d}"
    "figure .bar0,figure .bar1{mix-blend-mode:screen}figure .bar0{fill:#6ca6d9;fill-opacity:.6}figure "
    ".bar1{fill:#ffb74d;fill-opacity:.6}figure .cell{fill:#ffb74d}figure "
    ".shaded{fill:#81c784;fill-opacity:.25}figure .over{stroke:#16181d}figure "
    ".here{stroke:#fff}figure "
    ".run{fill:#6ca6d9;fill-opacity:.75}figure .rule,figure "
    ".median{stroke:#f0a58a}figure "
    ".rulename{fill:#f0a58a;stroke:#16181d}}"
    "@media (max-width:950px){.answer{--most:12px;white-space:pre-wrap}}@media print,(min-width:601px){.fits{height:auto}}";
/* Pictures that fit are squeezed from side to side to 252 or 360 pixels of their 840; what has a shape of its own is stretched back. What scrolls has a
 * shade where more is. */
static const char narrow_style[] =
    "@media screen and "
    "(min-width:1760px){body{max-width:1712px}.chart{display:inline-block;vertical-align:top;width:840px;margin-right:8px}}"
    ".wide{background:linear-gradient(var(--paper),var(--paper)) right/12px 100% no-repeat local,"
    "linear-gradient(to left,#8888,transparent) right/12px 100% no-repeat scroll}"
    "@media screen and (max-width:600px){.narrow{display:block;font-size:11px;padding:8px 4px}.narrow+.answer{display:none}"
    ".list th{white-space:nowrap}figure>svg{max-width:none}figure svg>rect[fill]{fill:none}"
    "figure:not(:has(.fits)){background:linear-gradient(var(--paper),var(--paper)) right/12px 100% no-repeat local,"
    "linear-gradient(to left,#8888,transparent) right/12px 100% no-repeat scroll}"
    "figure:has(.fits){overflow:hidden;--k:3.3333}.fits{width:252px;margin-left:24px;overflow:visible}figcaption,.legend{margin-"
    "left:0}"
    ".fits path,.fits rect{vector-effect:non-scaling-stroke}"
    ".fits text,.fits circle,.fits rect[class^=c]:not(.cell){transform:scaleX(var(--k));transform-box:fill-box}"
    ".fits text{transform-origin:0 0}.fits .end{transform-origin:100% 0}.fits .middle{transform-origin:50% 0}"
    ".fits .heading{font-size:10px}.fits circle,.fits rect{transform-origin:50% 50%}.fits .odd{display:none}.range p{margin:4px "
    "0 0}}"
    "@media screen and (min-width:440px) and (max-width:600px){figure:has(.fits){--k:2.3333}.fits{width:360px}}";
static const char print_style[] =
    "@media "
    "print{:root{color-scheme:light}body{max-width:none;margin:0;font-size:12px}figure{margin:0}figure,.range,tr,li,summary,h2,p{"
    "break-inside:avoid}"
    ".wide:not(:has(tr:nth-child(9))){break-inside:avoid}" /* of its own: a browser without :has drops the list that it is in */
    "summary,summary+p,h2,h2+p,h3,.verdict{break-after:avoid}summary+p,summary+figure,h2+figure,h2+p,.verdict+figure{"
    "break-before:avoid}"
    ".cells{display:inline-block;width:100%}" /* else its caption may be left behind */
    ".answer{--least:8px;--most:10px}.chart "
    "svg{max-height:6.2cm}svg.graph{max-height:22cm}.answer,.wide{max-height:none;overflow:visible}.wide{background:none}pre{"
    "white-space:pre-wrap;"
    "overflow-wrap:anywhere}"
    "table td,table th{white-space:normal!important;font-size:9px;padding:2px 4px!important}.list "
    "td:not(:first-child,.long){white-space:nowrap!important}th[scope=row]{min-width:15em}table "
    "td:first-child{min-width:0!important}.list td:not(:first-child){overflow-wrap:normal}"
    "th button{display:contents}.screen,.here,figure "
    "output{display:none}p:has(input){display:none}details:not(.figures,.folded)::details-content{content-visibility:visible;"
    "height:auto}."
    "figures{"
    "display:none}.folded h2::after{content:' (charts: in the page "
    "itself)';font-weight:normal}.pairs{columns:2}summary{list-style:none}table th{overflow-wrap:normal!important}}";

/* Has columns: a gap behind what it begins with. */
static bool is_row(const char *line, size_t n)
{
    for (size_t i = strspn(line, " "); i + 1 < n; i++)
        if (line[i] == ' ' && line[i + 1] == ' ')
            return true;
    return false;
}

/* Of tables that a page has room for; where the screen has less, letters are smaller. */
static int widest_row(const char *text)
{
    int widest = 1;
    for (size_t n; *text; text += n + (text[n] != 0)) {
        n = strcspn(text, "\n");
        const int columns = is_row(text, n) ? text_columns(text, n) : 0;
        if (columns > widest && columns <= PAGE_COLUMNS)
            widest = columns;
    }
    return widest;
}

/* Lines as they are, but sentences wrap on a narrow screen: what has no columns, or is wider than tables are. */
static void put_lines(struct buf *b, const char *text)
{
    while (*text) {
        const size_t n = strcspn(text, "\n");
        struct buf line = BUF_INIT(1 << 20);
        buf_add(&line, text, n);
        const char *shown = buf_text(&line);
        if (n && (!is_row(text, n) || text_columns(text, n) > ANSWER_WIDE)) {
            buf_str(b, "<span>");
            html_words(b, shown);
            buf_str(b, "</span>");
        } else
            svg_text(b, shown, TEXT_MOST);
        buf_str(b, text[n] ? "\n" : "");
        buf_finish(&line);
        text += n + (text[n] != 0);
    }
}

static void put_answer(struct buf *b, const char *class, const char *answer)
{
    if (!answer || !*answer)
        return;
    buf_format(b, "<pre class=\"answer%s\" tabindex=\"0\" style=\"--c:%d\">", class, widest_row(answer));
    put_lines(b, answer);
    buf_str(b, "</pre>\n");
}

void html_page_begin(struct buf *b, const char *title, const char *answer, const char *narrow, const char *style)
{
    html_open(b, title);
    security_policy(b);
    buf_format(b, "<style>%s%s%s%s%s%s</style>\n</head>\n<body>\n<main>\n", html_style, session_style, style, dark_style,
               narrow_style, print_style);
    html_element(b, "h1", title);
    put_answer(b, " narrow", narrow);
    put_answer(b, "", answer);
}

static void end_page(struct buf *b)
{
    buf_str(b, "</main>\n<script>");
    buf_add(b, (const char *)page_js, page_js_bytes);
    buf_str(b, "</script>\n");
    html_foot(b);
}

void html_begin_answer(struct export_out *out, const struct record *r, const struct export_options *o, const char *title,
                       const char *style)
{
    struct buf *b = &out->text;
    html_page_begin(b, title, o->answer, o->answer_narrow, style);
    if (o->about)
        html_element(b, "p", o->about);
    if ((r->partial || !r->ended) && !(o->answer && strstr(o->answer, "! partial")))
        html_element(b, "p", !r->ended ? "partial: the session was killed" : "partial: the session did not come to its end");
    export_out_pass(out);
}

void html_begin(struct export_out *out, const struct record *r, const struct export_options *o, const char *title,
                const char *style)
{
    html_begin_answer(out, r, o, title, style);
    html_remarks(&out->text, r, "Remarks", o->answer);
    export_out_pass(out);
}

static void open_svg(struct export_out *out, int height, bool fits, const char *name)
{
    svg_open(&out->text, height, fits ? svg_fits : "");
    buf_str(&out->text, " role=\"img\" aria-label=\"");
    html_attribute(&out->text, name, TEXT_MOST);
    buf_str(&out->text, "\">\n");
}

static void caption(struct buf *b, const char *title, const char *says)
{
    buf_str(b, "<figcaption>");
    html_element(b, "b", title);
    if (says && *says)
        html_element(b, "span class=\"soft\"", says);
    buf_str(b, "</figcaption>\n");
}

void html_figure_begin(struct export_out *out, const char *title, const char *says)
{
    buf_str(&out->text, "<figure tabindex=\"0\">\n");
    caption(&out->text, title, says);
}

static void put_axis(struct buf *b, const char *name, const struct axis *a, const char *title)
{
    buf_format(b, " data-%s=\"%.9g %.9g %d\" data-%sname=\"", name, a->low, a->high, a->logarithmic, name);
    html_attribute(b, title ? title : "", TEXT_MOST);
    buf_char(b, '"');
}

/* From which page.js reads what a mark is worth. */
static void put_scales(struct buf *b, const struct chart *c)
{
    struct frame f;
    if (!c->n_lines || !chart_svg_frame(c, &f))
        return;
    put_axis(b, "x", &f.x, c->x_title);
    put_axis(b, "y", &f.y, c->y_title);
    buf_format(b, " data-frame=\"%.9g %.9g %.9g %.9g\" data-lines=\"", f.left, f.right, f.bottom, f.top);
    for (int i = 0; i < c->n_lines; i++) {
        html_attribute(b, c->lines[i].name ? c->lines[i].name : "", TEXT_MOST);
        buf_str(b, i + 1 < c->n_lines ? "\n" : "\"");
    }
}

/* As text, which wraps. */
static void put_legend(struct picture *p, const struct chart *c)
{
    struct buf *b = &p->out.text;
    bool any = false;
    for (int i = 0; i < chart_svg_legend_entries(c); i++) {
        const char *name = chart_svg_legend_name(c, i);
        if (!name)
            continue;
        buf_format(b, "%s<span><svg width=\"30\" height=\"14\" viewBox=\"0 0 30 14\" aria-hidden=\"true\">",
                   any ? "" : "<p class=\"legend\">");
        chart_svg_legend_mark(p, c, i);
        buf_str(b, "</svg>");
        svg_text(b, name, LEGEND_MOST);
        buf_str(b, "</span>\n");
        any = true;
    }
    buf_str(b, any ? "</p>\n" : "");
}

/* Its words are the page's, so that they wrap. */
void html_chart(struct picture *p, const struct chart *c)
{
    struct chart bare = *c;
    bare.title = bare.says = NULL;
    bare.legend_apart = true;
    buf_format(&p->out.text, "<figure class=\"%s\" tabindex=\"0\"", c->cells.n ? "cells" : "chart");
    put_scales(&p->out.text, &bare);
    buf_str(&p->out.text, ">\n");
    caption(&p->out.text, c->title, c->says);
    if (chart_is_drawn(c)) {
        open_svg(&p->out, chart_svg_height(&bare), !c->cells.n, c->title);
        chart_svg_panel(p, &bare, 0);
        buf_str(&p->out.text, "</svg>\n");
        if (bare.cells.n) {
            buf_str(&p->out.text, "<p class=\"legend\">");
            chart_svg_cells_legend(&p->out.text, &bare);
            buf_str(&p->out.text, "</p>\n");
        } else
            put_legend(p, &bare);
    }
    buf_str(&p->out.text, "</figure>\n");
    export_out_pass(&p->out);
}

enum { RECORD_MOST = 1 << 20 };

static bool is_saved(const struct record *r)
{
    for (int i = 0; r->argv && r->argv[i] && strcmp(r->argv[i], "--") != 0; i++)
        if (!strcmp(r->argv[i], "--save") || !strncmp(r->argv[i], "--save=", strlen("--save=")))
            return true;
    return false;
}

static enum tare_status write_records(const struct export_sessions *all, struct buf *text)
{
    struct sink sink = sink_to_buf(text);
    struct tare_err err;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < all->n && !status; i++)
        status = record_write(&all->items[i], &sink, &err);
    return status;
}

static void put_sentence(struct buf *b, const char *text)
{
    buf_str(b, "<p>");
    html_words(b, text);
    buf_str(b, "</p>\n");
}

static void record_link(struct export_out *out, const struct record *r, const struct export_options *o)
{
    struct buf text = BUF_INIT(RECORD_MOST);
    const struct export_sessions alone = {r, 1};
    const bool gate = o->phases.n > 0;
    if (record_is_over_sessions(r)) /* whose rows are none that a file may hold */
        put_sentence(
            &out->text,
            record_is_of_two_sessions(r)
                ? "Each session is shown as its median. The page has none of the files that were compared."
                : "Each session is shown as its median. The page has no records of the sessions: --save FILE keeps them.");
    else if (write_records(gate ? &o->phases : &alone, &text)) {
        put_sentence(&out->text, is_saved(r)
                                     ? "The record is larger than 1 MiB and so not in the page: it is in the file of --save."
                                     : "The record is larger than 1 MiB and so not in the page: --save FILE keeps it.");
    } else {
        buf_str(&out->text, "<p class=\"screen\"><a download=\"session.jsonl\" href=\"data:application/jsonl;base64,");
        base64(&out->text, buf_text(&text), text.len);
        buf_format(&out->text, "\">Save the record of this %s</a>, then <code>tare show session.jsonl</code>%s.</p>\n",
                   gate                           ? "gate"
                   : record_is_of_two_sessions(r) ? "comparison"
                                                  : "session",
                   record_has_plan(r) && !gate && !r->rule.against_itself ? " or <code>tare rerun session.jsonl</code>" : "");
    }
    buf_finish(&text);
}

static void put_origin(struct buf *b, const struct record *r)
{
    struct buf start = BUF_INIT(64);
    utc_text(&start, r->start_utc_ns);
    buf_format(b, "%s, ", buf_text(&start));
    if (r->n_subjects)
        buf_format(b, "seed %llu, ", (unsigned long long)r->seed);
    buf_format(b, "tare %s", r->tool_version ? r->tool_version : "of an unknown version");
    buf_finish(&start);
}

static void put_foreign(struct buf *b, const struct record *r)
{
    buf_format(b, "read from a file (%s): tare cannot repeat its runs", record_source(r) ? record_source(r) : "unknown format");
}

static void put_line(struct buf *b, const struct buf *line)
{
    html_words(b, buf_text(line));
    buf_char(b, '\n');
}

static void put_command(struct buf *b, const struct record *r)
{
    struct buf words = BUF_INIT(1 << 20);
    quote_words(&words, r->argv, true);
    put_line(b, &words);
    buf_finish(&words);
}

/* Its own words are those of the session that it repeats. */
static void put_rerun(struct buf *b, const struct record *r)
{
    struct buf words = BUF_INIT(1 << 20);
    buf_str(&words, "tare rerun ");
    quote_word(&words, r->repetition->name, true);
    put_line(b, &words);
    buf_finish(&words);
}

/* The first behind `last` in time, and of those that began together by side and place; NULL: it was the last. */
static const struct record *next_session(const struct export_sessions *sides, const struct record *last)
{
    const struct record *next = NULL;
    bool passed = !last;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < sides[side].n; i++) {
            const struct record *r = &sides[side].items[i];
            const bool later = !last || r->start_utc_ns > last->start_utc_ns || (passed && r->start_utc_ns == last->start_utc_ns);
            if (r != last && later && (!next || r->start_utc_ns < next->start_utc_ns))
                next = r;
            passed = passed || r == last;
        }
    return next;
}

/* As they were made: those of two sides in turns are repeated in turns. A command line once, below the first of several in a row. */
static void put_sessions(struct buf *b, const struct export_sessions *sides)
{
    const struct record *last = NULL;
    for (const struct record *r; (r = next_session(sides, last)); last = r) {
        struct buf origin = BUF_INIT(1 << 10);
        const bool own = r->argv && r->argv[0];
        buf_str(&origin, "# ");
        if (own)
            put_origin(&origin, r);
        else
            put_foreign(&origin, r);
        put_line(b, &origin);
        if (own && !(last && same_words(last->argv, r->argv)))
            put_command(b, r);
        buf_finish(&origin);
    }
}

static void how_to_repeat(struct export_out *out, const struct record *r, const struct export_options *o)
{
    struct buf *b = &out->text, words = BUF_INIT(1 << 16);
    const bool own = r->argv && r->argv[0], joined = o->made_of[0].n;
    buf_str(b, "<section><h2>How to repeat it</h2>\n");
    if (own || joined) {
        buf_str(b, "<pre tabindex=\"0\">");
        put_sessions(b, o->made_of);
        if (own && r->repetition)
            put_rerun(b, r);
        else if (own)
            put_command(b, r);
        buf_str(b, "</pre>\n");
    }
    if (record_source(r) && !joined)
        put_foreign(&words, r);
    else if (record_is_of_two_sessions(r) && !joined) /* its date and seed are those of one of them */
        buf_str(&words, "Commands, dates and seeds of the sessions are in the files that were compared.");
    else if (r->start_utc_ns && !joined)
        put_origin(&words, r);
    if (words.len)
        html_element(b, "p class=\"soft\"", buf_text(&words));
    if (r->n_subjects) /* something was measured */
        record_link(out, r, o);
    buf_str(b, "</section>\n");
    buf_finish(&words);
}

void html_end(struct export_out *out, const struct record *r, const struct export_options *o)
{
    html_noise(out, r);
    how_to_repeat(out, r, o);
    html_environment(out, r);
    end_page(&out->text);
}
