/* SPDX-License-Identifier: MIT */
#include "html.h"
#include "record_kind.h"
#include "svg_parts.h"
#include <string.h>

enum { TEXT_MOST = 4000 };

void html_element(struct buf *b, const char *tag, const char *text)
{
    buf_format(b, "<%s>", tag);
    svg_text(b, text, TEXT_MOST);
    buf_format(b, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

void html_attribute(struct buf *b, const char *text, int most)
{
    struct buf escaped = BUF_INIT(1 << 20);
    svg_text(&escaped, text, most);
    for (const char *c = buf_text(&escaped); *c; c++)
        if (*c == '"' || *c == '\'')
            buf_str(b, *c == '"' ? "&quot;" : "&#39;");
        else
            buf_char(b, *c);
    buf_finish(&escaped);
}

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

void html_head(struct buf *b, const char *title)
{
    html_open(b, title);
    buf_format(b, "<style>%s", html_style);
}

void html_body(struct buf *b, const char *title)
{
    buf_str(b, "</style>\n</head>\n<body>\n");
    html_element(b, "h1", title);
}

void html_foot(struct buf *b)
{
    buf_str(b, "</body>\n</html>\n");
}

/* ---- the table ---- */

static void cells(struct buf *b, const char *tag, const struct buf *texts, int n)
{
    buf_str(b, "<tr>");
    for (int i = 0; i < n; i++) {
        buf_format(b, "<%s>", tag);
        svg_text(b, buf_text(&texts[i]), TEXT_MOST);
        buf_format(b, "</%s>", tag);
    }
    buf_str(b, "</tr>\n");
}

static void head(struct buf *b, const struct buf *texts, int n)
{
    buf_str(b, "<table>\n");
    cells(b, "th", texts, n);
}

static void row(struct buf *b, const struct buf *texts, int n)
{
    cells(b, "td", texts, n);
}

static void foot(struct buf *b)
{
    buf_str(b, "</table>\n");
}

/* As it is: a row makes all of its cells harmless. */
static void command(struct buf *b, const char *text)
{
    buf_str(b, text);
}

const struct markup markup_html = {.head = head, .row = row, .foot = foot, .command = command};

/* ---- the page ---- */

static const char page_style[] =
    "table{border-collapse:collapse;display:block;overflow-x:auto;font-size:13px}"
    "th,td{padding:3px 10px;border-bottom:1px solid #dfe3e8;text-align:right;white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left;font-family:ui-monospace,'DejaVu Sans Mono',Consolas,monospace;"
    "white-space:normal;overflow-wrap:anywhere;min-width:12em}th{background:#eef1f5;font-weight:normal}"
    "svg{max-width:100%;height:auto}";

/* Of a session without a picture there is none. */
static enum tare_status picture(struct buf *b, const struct kind_export *k, const struct record *r,
                                const struct export_options *o)
{
    struct buf svg = BUF_INIT(1 << 26);
    struct sink sink = sink_to_buf(&svg);
    struct tare_err err;
    enum tare_status status = k->svg(r, o, &sink, &err);
    if (!status) {
        buf_str(b, "<figure>\n");
        buf_add(b, buf_text(&svg), svg.len);
        buf_str(b, "</figure>\n");
    }
    buf_finish(&svg);
    return status == TARE_NO_MEMORY ? status : TARE_OK;
}

static void findings(struct buf *b, const struct record *r)
{
    for (int i = 0; i < r->n_findings; i++) {
        const struct finding *f = &r->findings[i];
        struct buf text = BUF_INIT(1 << 16);
        buf_format(&text, "%s: ", severity_name(f->severity));
        if (f->subject >= 0)
            buf_format(&text, "%s: ", r->subjects[f->subject].name);
        buf_format(&text, "%s%s%s", f->text, f->advice ? "; " : "", f->advice ? f->advice : "");
        html_element(b, "p", buf_text(&text));
        buf_finish(&text);
    }
}

static enum tare_status pass(struct buf *b, const struct sink *sink, struct tare_err *err)
{
    enum tare_status status = b->status ? err_set(err, b->status, "%s", tare_status_text(b->status))
                                        : sink->write(sink->context, buf_text(b), b->len, err);
    buf_clear(b);
    return status;
}

enum tare_status html_table_write(const struct kind_export *k, const struct record *r, const struct export_options *o,
                                  const struct sink *sink, struct tare_err *err)
{
    struct buf b = BUF_INIT(1 << 27);
    buf_str(&b, "tare: ");
    buf_str(&b, record_kind(r)->results);
    struct buf title = b;
    b = BUF_INIT(1 << 27);
    html_head(&b, buf_text(&title));
    buf_str(&b, page_style);
    html_body(&b, buf_text(&title));
    if (o->about)
        html_element(&b, "p", o->about);
    if (r->partial || !r->ended)
        html_element(&b, "p", !r->ended ? "partial: the session was killed" : "partial: the session did not come to its end");
    enum tare_status status = pass(&b, sink, err);
    if (!status)
        status = k->table(&markup_html, r, o, sink, err);
    if (!status && picture(&b, k, r, o))
        status = err_no_memory(err);
    findings(&b, r);
    html_foot(&b);
    if (!status)
        status = pass(&b, sink, err);
    buf_finish(&title);
    buf_finish(&b);
    return status;
}
