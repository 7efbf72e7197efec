/* SPDX-License-Identifier: MIT
 *
 * Charts of targets, or of a host, as one SVG or as one HTML page. */
#include "chart_export.h"
#include "chart_svg.h"
#include "html.h"
#include <string.h>

/* The pictures of all targets below each other, in one SVG. */

enum { TARGET_HEAD = 58, LINE_MOST = 118 };

static int page_height(const struct chart_page *page)
{
    int height = TARGET_HEAD;
    for (int i = 0; i < page->n_charts; i++)
        height += chart_svg_height(&page->charts[i]);
    return height;
}

static double draw_target(struct picture *p, const struct chart_page *page, double top)
{
    struct buf *b = &p->out.text;
    buf_format(b, "<text class=\"target\" x=\"%d\" y=\"%.1f\">", SVG_RIGHT, top + 26);
    svg_text(b, page->heading, 90);
    buf_format(b, "</text>\n<text x=\"%d\" y=\"%.1f\">", SVG_RIGHT, top + 46);
    svg_text(b, page->verdict ? page->verdict : "", LINE_MOST);
    buf_str(b, "</text>\n");
    top += TARGET_HEAD;
    for (int i = 0; i < page->n_charts; i++) {
        chart_svg_panel(p, &page->charts[i], top);
        top += chart_svg_height(&page->charts[i]);
    }
    return top;
}

enum tare_status chart_pages_svg(const char *title, const struct chart_page *pages, int n, const struct sink *sink,
                                 struct tare_err *err)
{
    struct picture p = {.unit = {"", 1}};
    struct buf description = BUF_INIT(1 << 22);
    int height = 12;
    for (int i = 0; i < n; i++)
        height += page_height(&pages[i]);
    for (int i = 0; i < n; i++)
        buf_format(&description, "%s%s: %s", i ? " " : "", pages[i].heading, pages[i].verdict ? pages[i].verdict : "");
    export_out_begin(&p.out, sink, err);
    svg_head(&p, height, title, buf_text(&description));
    buf_format(&p.out.text, "<style>.target{font-weight:bold;font-size:18px}%s</style>\n", chart_svg_style);
    double top = 4;
    for (int i = 0; i < n; i++)
        top = draw_target(&p, &pages[i], top);
    buf_str(&p.out.text, "</svg>\n");
    buf_finish(&description);
    return export_out_end(&p.out);
}

enum { TEXT_MOST = 4000 };

/* The page: of each target its sentence, its pictures and its figures as a table. */

static const char page_style[] = ".target{border-top:1px solid #c5cad3;padding-top:16px}.verdict{font-weight:bold}";

static void facts(struct buf *b, const struct chart_page *page)
{
    if (!page->n_facts)
        return;
    buf_str(b, "<details class=\"figures\"><summary>All figures</summary><table>\n");
    for (int i = 0; i < page->n_facts; i++) {
        buf_str(b, "<tr><th scope=\"row\">");
        svg_text(b, page->facts[i].name, TEXT_MOST);
        buf_str(b, "</th><td>");
        svg_text(b, page->facts[i].value, TEXT_MOST);
        buf_str(b, "</td></tr>\n");
    }
    buf_str(b, "</table></details>\n");
}

/* Its verdict, unless the answer above says the same. */
static void target(struct picture *p, const struct chart_page *page, const struct export_options *o)
{
    struct buf *b = &p->out.text;
    html_element(b, "h2 class=\"target\"", page->heading);
    if (page->verdict && *page->verdict && !(o->answer && strstr(o->answer, page->verdict))) {
        buf_str(b, "<p class=\"verdict\">");
        html_words(b, page->verdict);
        buf_str(b, "</p>\n");
    }
    for (int i = 0; i < page->n_charts; i++)
        html_chart(p, &page->charts[i]);
    facts(b, page);
}

enum tare_status chart_pages_html(const char *title, const struct record *r, const struct export_options *o,
                                  const struct sink *sink, struct tare_err *err)
{
    struct picture p = {.r = r, .unit = {"", 1}};
    struct buf style = BUF_INIT(1 << 16);
    buf_format(&style, "%s%s%s", page_style, svg_style, chart_svg_style);
    export_out_begin(&p.out, sink, err);
    html_begin(&p.out, r, o, title, buf_text(&style));
    for (int i = 0; i < r->n_pages; i++)
        target(&p, &r->pages[i], o);
    html_end(&p.out, r, o);
    buf_finish(&style);
    return export_out_end(&p.out);
}
