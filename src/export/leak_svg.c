/* SPDX-License-Identifier: MIT
 *
 * The pictures of all targets below each other, in one SVG. */
#include "chart_export.h"
#include "chart_svg.h"

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

enum tare_status leak_svg_write(const char *title, const struct chart_page *pages, int n, const struct sink *sink,
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
    svg_end(&p);
    buf_finish(&description);
    return export_out_end(&p.out);
}
