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

static void put_rows(struct buf *b, const struct look *l)
{
    put_headings(b, "What was examined", (const char *const[]){"source", "group", "state", "now", "why", "what to do", NULL});
    for (int i = 0; i < l->n_rows; i++) {
        const struct knob_row *row = &l->rows[i];
        const bool noisy = row->state == KNOB_NOISY;
        const char *const cells[] = {row->knob->title,
                                     row->knob->group,
                                     knob_state_text(row->state),
                                     row->value,
                                     row->why,
                                     noisy && system_row_tunable(l, row) ? "tare system tune" : noisy ? row->advice : ""};
        buf_str(b, "<tr>");
        for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
            html_element(b, "td", cells[k] ? cells[k] : "");
        buf_str(b, "</tr>\n");
    }
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

void system_show_html(const struct system_shown *s, const char *answer, struct buf *out)
{
    const struct render_options o = {.unicode = true};
    html_page_begin(out, "Noise of this machine", answer, NULL, "");
    put_rows(out, s->look);
    if (system_pending(s->look))
        put_settings(out, s->look, &o);
    if (s->look->command_line) {
        html_element(out, "h2", "For the kernel's command line, where it cannot be done at run time");
        html_element(out, "pre tabindex=\"0\"", s->look->command_line);
    }
    html_page_end(out);
}
