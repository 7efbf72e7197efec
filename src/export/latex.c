/* SPDX-License-Identifier: MIT
 * % ./prog: 3 of 3 points hit (100 %), 2 arcs, 30 runs; ...
 * \begin{tabular}{llrrrr}
 * From & To & Time of a run & Share & Calls a run & Mean \\ \hline
 * \texttt{a.c:12 (main)} & ... \\
 * \end{tabular}
 *
 * To be \input into a document: needs no package, with any of the engines. Letters beyond Latin-1 are written as their code points, because
 * not every engine has them. */
#include "arcs_export.h"
#include "exporters.h"
#include "quote.h"
#include <string.h>

enum { ARCS_SHOWN = 40, NODE_COLUMNS = 40 };

static const struct {
    const char *text, *latex;
} signs[] = {
    {"\\", "\\textbackslash{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"$", "\\$"},
    {"&", "\\&"},
    {"#", "\\#"},
    {"%", "\\%"},
    {"_", "\\_"},
    {"^", "\\^{}"},
    {"~", "\\~{}"},
    {"<", "\\ensuremath{<}"},
    {">", "\\ensuremath{>}"},
    {"|", "\\ensuremath{|}"},
    {"\"", "{\\char34}"},
    {"`", "{\\char96}"},
    {"'", "{\\char39}"},
    {"-", "-{}"},
    {"±", "\\ensuremath{\\pm}"},
    {"–", "--"},
    {"−", "\\ensuremath{-}"},
    {"≤", "\\ensuremath{\\le}"},
    {"µ", "\\ensuremath{\\mu}"},
    {"²", "\\ensuremath{^2}"},
    {"→", "\\ensuremath{\\to}"},
    {"…", "\\ldots{}"},
    {"\xe2\x80\xaf", "\\,"},
};

static bool sign(struct buf *b, const char *text, int bytes)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strlen(signs[i].text) == (size_t)bytes && !memcmp(signs[i].text, text, (size_t)bytes)) {
            buf_str(b, signs[i].latex);
            return true;
        }
    return false;
}

static unsigned code_point(const char *text, int bytes)
{
    unsigned char first = (unsigned char)*text;
    unsigned c = bytes == 1 ? first : first & (0xffu >> (bytes + 1));
    for (int i = 1; i < bytes; i++)
        c = c << 6 | ((unsigned char)text[i] & 0x3f);
    return c;
}

static void typeset(struct buf *b, const char *text)
{
    char escape[QUOTE_ESCAPE];
    for (int n; (n = quote_character(text, escape)); text += n) {
        if (*escape)
            typeset(b, escape); /* in ASCII */
        else if (sign(b, text, n))
            continue;
        else if (code_point(text, n) > 0xff)
            buf_format(b, "U+%x", code_point(text, n));
        else
            buf_add(b, text, (size_t)n);
    }
}

static void figure(struct buf *b, struct buf *scratch)
{
    buf_str(b, " & ");
    typeset(b, buf_text(scratch));
    buf_clear(scratch);
}

static void node(struct buf *b, const struct graph_node *n, struct buf *scratch)
{
    graph_node_label(scratch, n, NODE_COLUMNS);
    buf_str(b, "\\texttt{");
    typeset(b, buf_text(scratch));
    buf_char(b, '}');
    buf_clear(scratch);
}

static void row(struct buf *b, const struct graph *g, const struct graph_arc *a, struct buf *scratch)
{
    node(b, &g->nodes[a->from], scratch);
    buf_str(b, " & ");
    node(b, &g->nodes[a->to], scratch);
    graph_total(scratch, a);
    figure(b, scratch);
    graph_arc_share(scratch, a->found);
    figure(b, scratch);
    graph_count(scratch, a->per_run);
    figure(b, scratch);
    graph_mean(scratch, a);
    figure(b, scratch);
    graph_time(scratch, a->found->std_ns);
    figure(b, scratch);
    buf_str(b, " \\\\\n");
}

static enum tare_status program(struct export_out *out, const struct record *r, int subject, const struct export_options *o,
                                struct arena *arena)
{
    struct arcs_shown s;
    struct buf *b = &out->text, scratch = BUF_INIT(1 << 15);
    if (arcs_show(r, subject, o, ARCS_SHOWN, arena, &s))
        return TARE_NO_MEMORY;
    quote_mask(&scratch, s.graph.title, true);
    buf_format(b, "%% %s: ", buf_text(&scratch));
    buf_clear(&scratch);
    arcs_summary(b, &s.graph);
    buf_str(b, "\n\\begin{tabular}{llrrrrr}\nFrom & To & Time of a run & Share & Calls a run & Mean & Std.\\ deviation \\\\ "
               "\\hline\n");
    for (int i = 0; i < s.view.n_arcs; i++)
        row(b, &s.graph, s.view.arcs[i], &scratch);
    if (s.view.arcs_left || s.view.nodes_left) {
        buf_str(b, "\\hline\n\\multicolumn{7}{l}{\\footnotesize ");
        graph_left_out(&scratch, &s.view);
        typeset(b, buf_text(&scratch));
        buf_str(b, "} \\\\\n");
    }
    buf_str(b, "\\end{tabular}\n");
    buf_str(b, subject + 1 < r->n_subjects ? "\n" : "");
    enum tare_status status = scratch.status;
    buf_finish(&scratch);
    return status;
}

const struct exporter exporter_latex = {"latex", "tex", .arcs = program};
