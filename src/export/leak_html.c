/* SPDX-License-Identifier: MIT
 *
 * One page: for each target its sentence, its figures as a table and its pictures. No script, nothing loaded from elsewhere. */
#include "chart_export.h"
#include "chart_svg.h"
#include "html.h"

enum { TEXT_MOST = 4000 };

static const char page_style[] =
    "h2{border-top:1px solid #c5cad3;padding-top:16px}.verdict{font-weight:bold}"
    "table{border-collapse:collapse;margin:12px 0}td,th{border:1px solid #dfe3e8;padding:3px 10px;text-align:left;"
    "font-weight:normal}th{background:#eef1f5}svg{max-width:100%;height:auto}";

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

static void picture(struct picture *p, const struct chart *c)
{
    struct buf *b = &p->out.text;
    int height = chart_svg_height(c);
    buf_format(
        b, "<figure>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" ",
        SVG_WIDTH, height, SVG_WIDTH, height);
    buf_str(b, "aria-label=\"");
    html_attribute(b, c->title, TEXT_MOST);
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
    html_head(&p.out.text, title);
    buf_format(&p.out.text, "%s%s%s", page_style, svg_style, chart_svg_style);
    html_body(&p.out.text, title);
    for (int i = 0; i < n_remarks; i++)
        html_element(&p.out.text, "p", remarks[i]);
    for (int i = 0; i < n; i++)
        target(&p, &pages[i]);
    html_foot(&p.out.text);
    return export_out_end(&p.out);
}
