/* SPDX-License-Identifier: MIT
 *
 * Title, one sentence, the frame with its lines, the legend. What lies outside of the frame is cut by a nested picture of the frame's
 * size, which needs no names that could collide on a page with several pictures. */
#include "chart_svg.h"
#include "quote.h"
#include <math.h>
#include <string.h>

enum {
    HEAD = 26,
    SAYS_LINE = 16,
    ABOVE = 22,
    PLOT = 230,
    FOOT = 44,
    LEGEND = 24,
    LEGEND_ROW = 18,
    LEGEND_NAME = 90,
    SAYS_COLUMNS = 124,
    BEYOND = 74,
    CELL = 22,
    LABELS = 84
};

/* What is stronger than the colours of svg_style: on a page these may come again later, with another picture. */
const char chart_svg_style[] =
    "path.line{fill:none;stroke-width:1.8}.line.c1{stroke-dasharray:7 3}.line.c2{stroke-dasharray:2 "
    "3}.line.c3{stroke-dasharray:9 3 "
    "2 3}"
    "path.trend{stroke-width:4}circle.hollow,rect.hollow{fill:#fff}path.band{stroke:none;fill-opacity:.16}.rule{stroke:#8f2f0b;"
    "stroke-dasharray:5 "
    "4;fill:none}.rulename{fill:#8f2f0b;paint-order:stroke;stroke:#fff;stroke-width:4px}"
    ".shaded{fill:#2f7d32;fill-opacity:.12;stroke:none}.says{fill:#555}.cell{stroke:#bbb;fill:#b45309}"
    ".proven{stroke:#222;stroke-width:2}.bar0{fill:#2b6ca3;fill-opacity:.75}.bar1{fill:#b45309;fill-opacity:.75}"
    ".bar0,.bar1{mix-blend-mode:multiply}"; /* two make the same colour whichever is in front */

struct legend_place {
    double x;
    int row;
};

/* Bytes of the first line of text of at most SAYS_COLUMNS, cut at a blank. */
static size_t line_bytes(const char *text)
{
    size_t n = strlen(text), at = SAYS_COLUMNS;
    if (n <= SAYS_COLUMNS)
        return n;
    while (at > 0 && text[at] != ' ')
        at--;
    return at ? at : n;
}

static int says_lines(const struct chart *c)
{
    int lines = 0;
    for (const char *at = c->says ? c->says : ""; *at; lines++) {
        at += line_bytes(at);
        at += *at == ' ';
    }
    return lines;
}

static int words_height(const struct chart *c)
{
    return (c->title ? HEAD : 0) + SAYS_LINE * says_lines(c);
}

static double draw_words(struct picture *p, const struct chart *c, double top)
{
    struct buf *b = &p->out.text;
    double y = top + (c->title ? HEAD : 0) - 6;
    if (c->title) {
        buf_format(b, "<text class=\"heading\" x=\"%d\" y=\"%.1f\">", SVG_RIGHT, y);
        svg_text(b, c->title, 100);
        buf_str(b, "</text>\n");
    }
    for (const char *at = c->says ? c->says : ""; *at;) {
        size_t n = line_bytes(at);
        struct buf line = BUF_INIT(1 << 16);
        buf_add(&line, at, n);
        y += SAYS_LINE;
        buf_format(b, "<text class=\"says\" x=\"%d\" y=\"%.1f\">", SVG_RIGHT, y);
        svg_text(b, buf_text(&line), SAYS_COLUMNS + 8);
        buf_str(b, "</text>\n");
        buf_finish(&line);
        at += n;
        at += *at == ' ';
    }
    return y;
}

static double clamp(double pixel)
{
    return fmin(fmax(pixel, -1e5), 1e5);
}

static bool place(const struct frame *f, double x, double y, double *px, double *py)
{
    *px = clamp(svg_x(f, x));
    *py = isinf(y) ? (y > 0 ? -1e5 : 1e5) : clamp(svg_y(f, y));
    return !isnan(svg_x(f, x)) && !isnan(y);
}

/* Of a line of which this is a part its number. */
static int own_number(const struct chart *c, int number)
{
    return c->part_of[number] ? c->part_of[number] - 1 : number;
}

static void put_line_class(struct buf *b, const struct chart *c, int number)
{
    buf_format(b, "line c%d%s", own_number(c, number), !c->part_of[number] ? "" : c->fitted ? " fit" : " trend");
}

static void draw_path(struct picture *p, const struct frame *f, const struct chart *c, int number)
{
    struct buf *b = &p->out.text;
    const struct chart_line *line = &c->lines[number];
    bool open = false;
    double px, py;
    buf_str(b, "<path class=\"");
    put_line_class(b, c, number);
    buf_str(b, "\" d=\"");
    for (int i = 0; i < line->n; i++) {
        if (!place(f, line->x[i], line->y[i], &px, &py)) {
            open = false;
            continue;
        }
        if (open && line->shape == CHART_STEPS)
            buf_format(b, "H%.1fV%.1f", px, py);
        else
            buf_format(b, "%c%.1f %.1f", open ? 'L' : 'M', px, py);
        open = true;
    }
    buf_str(b, "\"/>\n");
}

/* To the next corner of an edge; of steps in the order in which the path goes. */
static void band_corner(struct buf *b, double px, double py, bool steps, bool back)
{
    if (!steps)
        buf_format(b, "L%.1f %.1f", px, py);
    else if (back)
        buf_format(b, "V%.1fH%.1f", py, px);
    else
        buf_format(b, "H%.1fV%.1f", px, py);
}

/* Forward along the upper edge, back along the lower one, for each stretch that has both. */
static void draw_band(struct picture *p, const struct frame *f, const struct chart_line *line, int number)
{
    struct buf *b = &p->out.text;
    const bool steps = line->shape == CHART_STEPS;
    double px, py;
    buf_format(b, "<path class=\"c%d band\" d=\"", number);
    for (int from = 0, to; from < line->n; from = to + 1) {
        for (to = from; to < line->n && place(f, line->x[to], line->high[to], &px, &py) && !isnan(line->low[to]); to++)
            if (to == from)
                buf_format(b, "M%.1f %.1f", px, py);
            else
                band_corner(b, px, py, steps, false);
        for (int i = to - 1; i >= from; i--)
            if (place(f, line->x[i], line->low[i], &px, &py))
                band_corner(b, px, py, steps, true);
        if (to > from)
            buf_char(b, 'Z');
    }
    buf_str(b, "\"/>\n");
}

static void draw_mark(struct buf *b, const struct chart *c, int number, double x, double y)
{
    const int own = own_number(c, number);
    const char *hollow = c->part_of[number] ? " hollow" : "";
    if (own % 3) {
        buf_format(b, "<rect class=\"c%d%s\" x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\"", own, hollow, x - 3.5, y - 3.5);
        if (own % 3 == 2)
            buf_format(b, " transform=\"rotate(45 %.1f %.1f)\"", x, y);
        buf_str(b, "/>\n");
    } else
        buf_format(b, "<circle class=\"c%d%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>\n", own, hollow, x, y);
}

/* With a stroke at its end; with an arrow where that lies beyond the edge. */
static void put_end(struct buf *b, double x, double y, double edge, bool beyond, int inwards)
{
    if (beyond)
        buf_format(b, "M%.1f %.1fl4 %dl4 %d", x - 4, edge + 6 * inwards, -6 * inwards, 6 * inwards);
    else
        buf_format(b, "M%.1f %.1fh8", x - 4, y);
}

static void draw_interval(struct buf *b, const struct frame *f, int number, double x, double low, double high)
{
    buf_format(b, "<path class=\"bar c%d\" d=\"M%.1f %.1fV%.1f", number, x, fmin(fmax(low, f->top), f->bottom),
               fmin(fmax(high, f->top), f->bottom));
    put_end(b, x, high, f->top, high < f->top, 1);
    put_end(b, x, low, f->bottom, low > f->bottom, -1);
    buf_str(b, "\"/>");
}

/* An arrow at the edge beyond which a point lies, with its value. */
static void draw_arrow(struct buf *b, const struct frame *f, int number, double x, double value, bool above)
{
    const double y = above ? f->top + 2 : f->bottom - 2;
    const bool left = x > (f->left + f->right) / 2; /* where there is room */
    buf_format(b, "<path class=\"c%d\" d=\"M%.1f %.1fl-5 %dh10z\"/><text%s x=\"%.1f\" y=\"%.1f\">", number, x, y, above ? 9 : -9,
               left ? " class=\"end\"" : "", left ? x - 8 : x + 8, above ? y + 10 : y - 2);
    figure_put(b, value, figure_digits(value, FIGURE_DIGITS));
    buf_str(b, "</text>\n");
}

static void draw_points(struct picture *p, const struct frame *f, const struct chart *c, int number)
{
    struct buf *b = &p->out.text;
    const struct chart_line *line = &c->lines[number];
    for (int i = 0; i < line->n; i++) {
        double px, py, low, high, same;
        if (!place(f, line->x[i], line->y[i], &px, &py))
            continue;
        if (line->low && line->high && place(f, line->x[i], line->low[i], &same, &low) &&
            place(f, line->x[i], line->high[i], &same, &high))
            draw_interval(b, f, own_number(c, number), px, low, high);
        if (py < f->top || py > f->bottom)
            draw_arrow(b, f, own_number(c, number), px, line->y[i], py < f->top);
        else
            draw_mark(b, c, number, px, py);
    }
}

static void draw_line(struct picture *p, const struct frame *f, const struct chart *c, int number)
{
    const struct chart_line *line = &c->lines[number];
    if (line->shape == CHART_POINTS) {
        draw_points(p, f, c, number);
        return;
    }
    if (line->low && line->high)
        draw_band(p, f, line, number);
    draw_path(p, f, c, number);
}

static void draw_rules(struct picture *p, const struct frame *f, const struct chart *c)
{
    struct buf *b = &p->out.text;
    for (int i = 0; i < c->n_rules; i++) {
        double y = clamp(svg_y(f, c->rules[i].at));
        buf_format(b, "<path class=\"rule\" d=\"M%.1f %.1fH%.1f\"/>", f->left, y, f->right);
        if (c->legend_apart || !c->rules[i].name)
            continue;
        buf_format(b, "<text class=\"rulename\" x=\"%.1f\" y=\"%.1f\">", f->left + 6, y < f->top + 16 ? y + 13 : y - 4);
        svg_text(b, c->rules[i].name, 60);
        buf_str(b, "</text>\n");
    }
}

static void draw_lines(struct picture *p, const struct frame *f, const struct chart *c)
{
    struct buf *b = &p->out.text;
    double w = f->right - f->left, h = f->bottom - f->top;
    buf_format(b, "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" viewBox=\"%.1f %.1f %.1f %.1f\">\n", f->left, f->top,
               w, h, f->left, f->top, w, h);
    double high = clamp(svg_y(f, c->shaded.high)), low = clamp(svg_y(f, c->shaded.low));
    if (!isnan(c->shaded.low) && low > high)
        buf_format(&p->out.text, "<rect class=\"shaded\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", f->left, high,
                   f->right - f->left, low - high);
    draw_rules(p, f, c); /* their words may lie where the first mark is */
    for (int i = 0; i < c->n_lines; i++) {
        draw_line(p, f, c, c->fitted ? c->n_lines - 1 - i : i);
        export_out_pass(&p->out);
    }
    buf_str(b, "</svg>\n");
}

/* The legend: entries beside each other, in as many rows as they need. */

static int bar_rows(const struct chart *c)
{
    return !c->bars.n ? 0 : c->bars.count[1] ? 2 : 1;
}

/* Of the lines, or the rows of bars, and behind them the shaded stretch; NULL: it has none. Apart from the picture the rules too, whose names lie
 * in it elsewhere. */
int chart_svg_legend_entries(const struct chart *c)
{
    return c->n_lines + bar_rows(c) + 1 + (c->legend_apart ? c->n_rules : 0);
}

const char *chart_svg_legend_name(const struct chart *c, int i)
{
    const int rule = i - (c->n_lines + bar_rows(c) + 1);
    if (i < c->n_lines)
        return c->lines[i].name;
    if (rule >= 0)
        return c->rules[rule].name;
    return i - c->n_lines < bar_rows(c) ? c->bars.name[i - c->n_lines] : isnan(c->shaded.low) ? NULL : c->shaded.name;
}

/* Where the entry of this name begins, and in *next where one behind it would. */
static struct legend_place legend_place(struct legend_place at, const char *name, struct legend_place *next)
{
    const double width = 28 + 7.2 * fmin((double)text_columns(name, strlen(name)), LEGEND_NAME);
    if (at.x > SVG_LEFT && at.x + width > SVG_WIDTH)
        at = (struct legend_place){SVG_LEFT, at.row + 1};
    *next = (struct legend_place){at.x + width + 22, at.row};
    return at;
}

static int legend_rows(const struct chart *c)
{
    struct legend_place at = {SVG_LEFT, 0};
    for (int i = 0; i < chart_svg_legend_entries(c); i++)
        if (chart_svg_legend_name(c, i))
            legend_place(at, chart_svg_legend_name(c, i), &at);
    return at.row + 1;
}

static void legend_bar(struct buf *b, int row, bool outlined, double x, double y)
{
    buf_format(b, "<rect class=\"bar%d\" x=\"%.1f\" y=\"%.1f\" width=\"22\" height=\"10\"/>", row, x, y - 9);
    if (outlined)
        buf_format(b, "<path class=\"line c%d\" d=\"M%.1f %.1fh22\"/>", row, x, y - 9);
}

static void legend_mark(struct picture *p, const struct chart *c, int i, double x, double y)
{
    struct buf *b = &p->out.text;
    if (i < c->n_lines && c->lines[i].shape == CHART_POINTS) {
        draw_mark(b, c, i, x + 16, y - 4);
        return;
    }
    if (i >= c->n_lines && i - c->n_lines < bar_rows(c)) {
        legend_bar(b, i - c->n_lines, bar_rows(c) > 1, x, y);
        return;
    }
    const bool rule = i > c->n_lines + bar_rows(c);
    buf_str(b, rule ? "<path class=\"rule" : "<path class=\"");
    if (i < c->n_lines)
        put_line_class(b, c, i);
    buf_format(b, "%s\" d=\"M%.1f %.1fh22%s\"/>", i < c->n_lines || rule ? "" : "shaded", x, y - 4,
               i < c->n_lines || rule ? "" : "v-9h-22z");
}

void chart_svg_legend_mark(struct picture *p, const struct chart *c, int i)
{
    legend_mark(p, c, i, 0, 11);
}

static void draw_legend(struct picture *p, const struct frame *f, const struct chart *c)
{
    struct legend_place at, next = {SVG_LEFT, 0};
    for (int i = 0; i < chart_svg_legend_entries(c); i++) {
        const char *name = chart_svg_legend_name(c, i);
        if (!name)
            continue;
        at = legend_place(next, name, &next);
        const double y = f->bottom + FOOT + 12 + LEGEND_ROW * at.row;
        legend_mark(p, c, i, at.x, y);
        buf_format(&p->out.text, "<text x=\"%.1f\" y=\"%.1f\">", at.x + 28, y);
        svg_text(&p->out.text, name, LEGEND_NAME);
        buf_str(&p->out.text, "</text>\n");
    }
}

/* Of bin i; i == n: beyond the last one. */
static void one_bar(struct picture *p, const struct frame *f, const struct chart *c, int row, int i, double x, double w)
{
    const int64_t count = i < c->bars.n ? c->bars.count[row][i] : c->bars.beyond[row];
    const int decimals = figure_digits(c->bars.edge[1] - c->bars.edge[0], 2);
    struct buf *b = &p->out.text;
    double y = svg_y(f, (double)count);
    if (count <= 0)
        return;
    buf_format(b, "<rect class=\"bar%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>", row, x, y, fmax(w, 0.5),
               f->bottom - y);
    svg_text(b, c->bars.name[row] ? c->bars.name[row] : "", 60);
    buf_str(b, c->bars.name[row] ? ": " : "");
    figure_put(b, c->bars.edge[i], decimals);
    buf_str(b, i < c->bars.n ? " to " : " and more");
    if (i < c->bars.n)
        figure_put(b, c->bars.edge[i + 1], decimals);
    buf_format(b, ": %lld</title></rect>\n", (long long)count);
}

/* Both rows, one over the other: the lower bar last, so that neither is hidden from a pointer. */
static void draw_bin(struct picture *p, const struct frame *f, const struct chart *c, int i, double x, double w)
{
    const int64_t *const *count = (const int64_t *const *)c->bars.count;
    const int rows = bar_rows(c);
    const bool second_higher = rows > 1 && (i < c->bars.n ? count[1][i] > count[0][i] : c->bars.beyond[1] > c->bars.beyond[0]);
    for (int k = 0; k < rows; k++)
        one_bar(p, f, c, second_higher ? !k : k, i, x, w);
}

static void draw_beyond(struct picture *p, const struct frame *f, const struct chart *c)
{
    struct buf *b = &p->out.text;
    const double x = f->beyond - 18;
    if (!c->bars.beyond[0] && !c->bars.beyond[1])
        return;
    draw_bin(p, f, c, c->bars.n, x, 35);
    buf_format(b, "<path class=\"axis\" d=\"M%.1f %.1fh40\"/><text class=\"middle\" x=\"%.1f\" y=\"%.1f\">beyond</text>\n", x - 2,
               f->bottom, f->beyond, f->bottom + 18);
    for (int row = 0; row < bar_rows(c) && bar_rows(c) > 1; row++)
        buf_format(b, "<path class=\"line c%d\" d=\"M%.1f %.1fV%.1fh35V%.1f\"/>\n", row, x, f->bottom,
                   svg_y(f, (double)c->bars.beyond[row]), f->bottom);
    if (isfinite(c->bars.furthest))
        buf_format(b, "<text class=\"middle odd\" x=\"%.1f\" y=\"%.1f\">to %.4g</text>\n", f->beyond, f->bottom + 34,
                   c->bars.furthest);
}

/* So that two rows can be told apart without colour: the lines of the other charts are drawn alike. */
static void outline_bars(struct picture *p, const struct frame *f, const struct chart *c, int row)
{
    struct buf *b = &p->out.text;
    buf_format(b, "<path class=\"line c%d\" d=\"M%.1f %.1f", row, svg_x(f, c->bars.edge[0]), f->bottom);
    for (int i = 0; i < c->bars.n; i++)
        buf_format(b, "V%.1fH%.1f", svg_y(f, (double)c->bars.count[row][i]), svg_x(f, c->bars.edge[i + 1]));
    buf_format(b, "V%.1f\"/>\n", f->bottom);
}

static void draw_bars(struct picture *p, const struct frame *f, const struct chart *c)
{
    const bool both = bar_rows(c) > 1;
    for (int i = 0; i < c->bars.n; i++) {
        const double left = svg_x(f, c->bars.edge[i]);
        draw_bin(p, f, c, i, left, svg_x(f, c->bars.edge[i + 1]) - left - (both ? 0 : 0.4));
        export_out_pass(&p->out);
    }
    for (int row = 0; row < 2 && both; row++)
        outline_bars(p, f, c, row);
    draw_beyond(p, f, c);
}

/* Rows stand beside each other in as many blocks as there is room for. */
static int cell_blocks(const struct chart_cells *c)
{
    const int n = SVG_WIDTH / (LABELS + CELL * c->per_row);
    return n > 1 ? n : 1;
}

static int cell_rows(const struct chart_cells *c)
{
    const int all = (c->n + c->per_row - 1) / c->per_row, blocks = cell_blocks(c);
    return (all + blocks - 1) / blocks;
}

static void one_cell(struct picture *p, const struct chart *of, int i, double x, double y, double w)
{
    const struct chart_cells *c = &of->cells;
    struct buf *b = &p->out.text;
    double full = chart_fullness(c, i);
    bool special = c->special && c->special[i];
    buf_format(
        b,
        "<rect class=\"cell%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill-opacity=\"%.2f\"><title>%s %d, %s %d: ",
        special ? " proven" : "", x, y, w - 2, CELL - 2, isnan(full) ? 0 : full, c->row_name, i / c->per_row, c->cell_name,
        i % c->per_row);
    svg_text(b, of->y_title, 60);
    buf_char(b, ' ');
    figure_put(b, c->value[i], 2);
    buf_str(b, "</title></rect>");
    if (special)
        buf_format(b, "<text class=\"middle\" x=\"%.1f\" y=\"%.1f\">!</text>", x + w / 2 - 1, y + 14);
    buf_char(b, '\n');
}

void chart_svg_cells_legend(struct buf *b, const struct chart *c)
{
    const struct chart_cells *cells = &c->cells;
    buf_format(b, "left to right: %s 0 to %d; full colour: ", cells->cell_name, cells->per_row - 1);
    svg_text(b, c->y_title, 60);
    buf_str(b, " ");
    figure_tick(b, cells->full);
    buf_str(b, " and more; a frame with ! is proven");
}

static void draw_cells(struct picture *p, const struct chart *c, double top)
{
    const struct chart_cells *cells = &c->cells;
    double room = (double)(SVG_WIDTH - LABELS - SVG_RIGHT) / cells->per_row;
    double w = room < CELL ? room : CELL;
    struct buf *b = &p->out.text;
    for (int i = 0; i < cells->n; i++) {
        const int row = i / cells->per_row, block = row / cell_rows(cells);
        const double left = LABELS + block * (LABELS + w * cells->per_row), x = left + w * (i % cells->per_row),
                     y = top + CELL * (row % cell_rows(cells));
        if (i % cells->per_row == 0)
            buf_format(b, "<text class=\"end\" x=\"%.1f\" y=\"%.1f\">%s %d</text>\n", left - 8, y + 14, cells->row_name, row);
        one_cell(p, c, i, x, y, w);
        export_out_pass(&p->out);
    }
    if (c->legend_apart)
        return;
    buf_format(b, "<text class=\"says\" x=\"%d\" y=\"%.1f\">", LABELS, top + CELL * cell_rows(cells) + 18);
    chart_svg_cells_legend(b, c);
    buf_str(b, "</text>\n");
}

int chart_svg_height(const struct chart *c)
{
    const int words = words_height(c);
    return !chart_is_drawn(c) ? words + 14
           : c->cells.n       ? words + 14 + CELL * cell_rows(&c->cells) + (c->legend_apart ? 0 : 40)
           : c->legend_apart  ? words + ABOVE + PLOT + FOOT
                              : words + ABOVE + PLOT + FOOT + LEGEND + 12 + LEGEND_ROW * (legend_rows(c) - 1);
}

static bool has_beyond(const struct chart *c)
{
    return c->bars.n && (c->bars.beyond[0] || c->bars.beyond[1]);
}

static struct frame frame_below(const struct chart *c, double words_end)
{
    const double top = words_end + ABOVE + 8;
    const double right = SVG_WIDTH - SVG_RIGHT - (has_beyond(c) ? BEYOND : 0);
    return (struct frame){
        .left = SVG_LEFT, .right = right, .top = top, .bottom = top + PLOT - 16, .beyond = has_beyond(c) ? right + 40 : 0};
}

bool chart_svg_frame(const struct chart *c, struct frame *out)
{
    *out = frame_below(c, words_height(c) - 6);
    return chart_axes(c, &out->x, &out->y);
}

void chart_svg_panel(struct picture *p, const struct chart *c, double top)
{
    double words_end = draw_words(p, c, top);
    if (!chart_is_drawn(c))
        return;
    struct frame f = frame_below(c, words_end);
    if (c->cells.n) {
        draw_cells(p, c, words_end + 14);
        return;
    }
    if (!chart_axes(c, &f.x, &f.y)) {
        buf_format(&p->out.text, "<text x=\"%d\" y=\"%.1f\">There are no values for this picture.</text>\n", SVG_LEFT,
                   f.top + 20);
        return;
    }
    svg_y_axis(p, &f, c->y_title);
    svg_x_axis(p, &f, c->x_title);
    if (c->bars.n)
        draw_bars(p, &f, c);
    else
        draw_lines(p, &f, c);
    if (!c->legend_apart)
        draw_legend(p, &f, c);
    export_out_pass(&p->out);
}
