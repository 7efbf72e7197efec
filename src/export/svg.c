/* SPDX-License-Identifier: MIT
 *
 * The figures that decide as one picture that needs nothing else. A scan: medians with their intervals over the parameter, and the straight
 * line of the growth. A traced program: the graph of its arcs. Other sessions: every run as a dot on its command's row, with the median's interval. The same record gives
 * the same bytes; sizes are pixels of the view box. Colour never carries meaning alone: marks differ in shape and are named.
 */
#include "arcs_export.h"
#include "chart_export.h"
#include "export_kind.h"
#include "svg_parts.h"
#include <math.h>
#include <string.h>

enum tare_status table_svg_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                                 struct tare_err *err)
{
    struct arena arena = {0};
    struct picture p = {.r = r, .arena = &arena, .unit = svg_unit(r, o->time_unit)};
    const struct scan_line *lines;
    int n = scan_lines(r, &arena, &lines);
    const int *order = results_order(r, o->sort_by_mean, &arena);
    enum tare_status status = n < 0 || !order ? err_set(err, TARE_NO_MEMORY, "%s", tare_status_text(TARE_NO_MEMORY)) : TARE_OK;
    if (!status) {
        export_out_begin(&p.out, sink, err);
        if (!svg_scan(&p, lines, n))
            svg_runs(&p, order);
        status = export_out_end(&p.out);
    }
    arena_finish(&arena);
    return status;
}
