/* SPDX-License-Identifier: MIT
 *
 * One page: for each target its sentence, its pictures and its figures as a table. */
#include "chart_export.h"
#include "chart_svg.h"
#include "html.h"

enum { TEXT_MOST = 4000 };

static const char page_style[] = ".target{border-top:1px solid #c5cad3;padding-top:16px}.verdict{font-weight:bold}";

static void facts(struct buf *b, const struct chart_page *page)
{
    if (!page->n_facts)
        return;
    buf_str(b, "<details><summary>All figures</summary><table>\n");
    for (int i = 0; i < page->n_facts; i++) {
        buf_str(b, "<tr><th scope=\"row\">");
        svg_text(b, page->facts[i].name, TEXT_MOST);
        buf_str(b, "</th><td>");
        svg_text(b, page->facts[i].value, TEXT_MOST);
        buf_str(b, "</td></tr>\n");
    }
    buf_str(b, "</table></details>\n");
}

static void target(struct picture *p, const struct chart_page *page)
{
    struct buf *b = &p->out.text;
    html_element(b, "h2 class=\"target\"", page->heading);
    buf_str(b, "<p class=\"verdict\">");
    svg_text(b, page->verdict ? page->verdict : "", TEXT_MOST);
    buf_str(b, "</p>\n");
    for (int i = 0; i < page->n_charts; i++)
        html_chart(p, &page->charts[i]);
    facts(b, page);
}

enum tare_status leak_html_write(const char *title, const struct record *r, const struct export_options *o,
                                 const struct sink *sink, struct tare_err *err)
{
    struct picture p = {.r = r, .unit = {"", 1}};
    struct buf style = BUF_INIT(1 << 16);
    buf_format(&style, "%s%s%s", page_style, svg_style, chart_svg_style);
    export_out_begin(&p.out, sink, err);
    html_begin(&p.out, r, o, title, buf_text(&style));
    for (int i = 0; i < r->n_pages; i++)
        target(&p, &r->pages[i]);
    html_end(&p.out, r, o);
    buf_finish(&style);
    return export_out_end(&p.out);
}
