/* SPDX-License-Identifier: MIT
 *
 * The page of `tare system show`: the answer as in the terminal, then everything that was examined, and each file that tune would write. */
#include "html.h"
#include "layout.h"
#include "system_report.h"
#include "system_shown.h"

static void put_headings(struct buf *b, const char *title, const char *const *headings)
{
    html_element(b, "h2", title);
    buf_str(b, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
    html_attribute(b, title, 100);
    buf_str(b, "\"><table class=\"list\"><thead><tr>");
    for (; *headings; headings++)
        html_element(b, "th scope=\"col\"", *headings);
    buf_str(b, "</tr></thead><tbody>\n");
}

static void put_row(struct buf *b, const struct look *l, const struct knob_row *row)
{
    const bool noisy = row->state == KNOB_NOISY;
    const char *const cells[] = {
        row->knob->title, row->knob->group, knob_state_text(row->state),
        row->value,       row->why,         noisy && system_row_tunable(l, row) ? "tare system tune" : noisy ? row->advice : ""};
    buf_str(b, "<tr>");
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
        html_element(b, k < 3 ? "td" : "td class=\"long\"", cells[k] ? cells[k] : "");
    buf_str(b, "</tr>\n");
}

/* What is noisy first. */
static void put_rows(struct buf *b, const struct look *l)
{
    put_headings(b, "What was examined", (const char *const[]){"source", "group", "state", "now", "why", "what to do", NULL});
    for (int others = 0; others < 2; others++)
        for (int i = 0; i < l->n_rows; i++)
            if ((l->rows[i].state != KNOB_NOISY) == others)
                put_row(b, l, &l->rows[i]);
    buf_str(b, "</tbody></table></div>\n");
}

static void put_settings(struct buf *b, const struct look *l, const struct render_options *o)
{
    put_headings(b, "What tare system tune would do", (const char *const[]){"source", "file", "change", NULL});
    for (int i = 0; i < l->n_settings; i++) {
        const struct setting *s = &l->settings[i];
        struct page deed = page_over(NULL, o, b);
        if (!system_setting_pending(s))
            continue;
        system_put_deed(&deed, s);
        buf_str(b, "<tr>");
        html_element(b, "td", s->knob->title);
        html_element(b, "td", s->path);
        html_element(b, "td", buf_text(&deed.piece));
        buf_str(b, "</tr>\n");
        page_finish(&deed);
    }
    buf_str(b, "</tbody></table></div>\n");
}

static const char page_style[] =
    ".list td,.list th{overflow-wrap:break-word;min-width:5em}.list td:nth-child(n+4){min-width:11em}";

void system_show_html(const struct system_shown *s, const char *answer, const char *narrow, const struct record *about,
                      struct buf *out)
{
    const struct render_options o = {.unicode = true};
    const struct sink sink = sink_to_buf(out);
    struct export_out page;
    struct tare_err err;
    export_out_begin(&page, &sink, &err);
    html_page_begin(&page.text, "Noise of this machine", answer, narrow, page_style);
    put_rows(&page.text, s->look);
    if (system_pending(s->look))
        put_settings(&page.text, s->look, &o);
    if (s->look->command_line) {
        html_element(&page.text, "h2", "For the kernel's command line, where it cannot be done at run time");
        html_element(&page.text, "pre tabindex=\"0\"", s->look->command_line);
    }
    html_end(&page, about, &(struct export_options){0});
    if (export_out_end(&page) && !out->status)
        out->status = TARE_NO_MEMORY;
}
