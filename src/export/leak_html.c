/* SPDX-License-Identifier: MIT
 *
 * One page: for each target its sentence, its figures as a table and its pictures. No script, nothing loaded from elsewhere. */
#include "chart_export.h"
#include "chart_svg.h"
#include "html.h"

enum { TEXT_MOST = 4000 };

static void head(struct buf *b, const char *title)
{
    buf_str(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    html_element(b, "title", title);
    buf_str(b,
            "<style>body{font:15px/1.45 sans-serif;color:#222;background:#fff;max-width:880px;margin:24px auto;padding:0 16px}"
            "h1{font-size:22px}h2{font-size:18px;border-top:1px solid #ccc;padding-top:16px;margin-top:32px}"
            ".verdict{font-weight:bold}table{border-collapse:collapse;margin:12px 0}td,th{border:1px solid #ccc;padding:3px 10px;"
            "text-align:left;font-weight:normal}th{background:#f4f4f4}figure{margin:18px 0}svg{max-width:100%;height:auto}\n"
            "text{font:12px sans-serif;fill:#222}.heading{font-weight:bold;font-size:14px}.end{text-anchor:end}"
            ".middle{text-anchor:middle}.grid{stroke:#ddd;fill:none}.axis{stroke:#222;fill:none}"
            ".c0{stroke:#2b6ca3;fill:#2b6ca3}.c1{stroke:#b45309;fill:#b45309}.c2{stroke:#2f7d32;fill:#2f7d32}"
            ".c3{stroke:#8e24aa;fill:#8e24aa}.bar{fill:none;stroke-width:1.5}");
    buf_str(b, chart_svg_style);
    buf_str(b, "</style>\n</head>\n<body>\n");
    html_element(b, "h1", title);
}

static void facts(struct buf *b, const struct chart_page *page)
{
    if (!page->n_facts)
        return;
    buf_str(b, "<table>\n");
    for (int i = 0; i < page->n_facts; i++) {
        buf_str(b, "<tr><th scope=\"row\">");
        svg_text(b, page->facts[i].name, TEXT_MOST);
        buf_str(b, "</th><td>");
        svg_text(b, page->facts[i].value, TEXT_MOST);
        buf_str(b, "</td></tr>\n");
    }
    buf_str(b, "</table>\n");
}

static void attribute(struct buf *b, const char *text)
{
    for (; *text; text++) /* of our own titles */
        buf_char(b, *text == '"' ? '\'' : *text == '<' || *text == '&' ? ' ' : *text);
}

static void picture(struct picture *p, const struct chart *c)
{
    struct buf *b = &p->out.text;
    int height = chart_svg_height(c);
    buf_format(
        b, "<figure>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" ",
        SVG_WIDTH, height, SVG_WIDTH, height);
    buf_str(b, "aria-label=\"");
    attribute(b, c->title);
    buf_str(b, "\">\n");
    chart_svg_panel(p, c, 0);
    buf_str(b, "</svg>\n</figure>\n");
    export_out_pass(&p->out);
}

static void target(struct picture *p, const struct chart_page *page)
{
    struct buf *b = &p->out.text;
    html_element(b, "h2", page->heading);
    buf_str(b, "<p class=\"verdict\">");
    svg_text(b, page->verdict ? page->verdict : "", TEXT_MOST);
    buf_str(b, "</p>\n");
    facts(b, page);
    for (int i = 0; i < page->n_charts; i++)
        picture(p, &page->charts[i]);
}

enum tare_status leak_html_write(const char *title, const char *const *remarks, int n_remarks, const struct chart_page *pages,
                                 int n, const struct sink *sink, struct tare_err *err)
{
    struct picture p = {.unit = {"", 1}};
    export_out_begin(&p.out, sink, err);
    head(&p.out.text, title);
    for (int i = 0; i < n_remarks; i++)
        html_element(&p.out.text, "p", remarks[i]);
    for (int i = 0; i < n; i++)
        target(&p, &pages[i]);
    html_foot(&p.out.text);
    return export_out_end(&p.out);
}
