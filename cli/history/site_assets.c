/* SPDX-License-Identifier: MIT */
#include "html.h"
#include "site.h"
#include "svg_parts.h"

/* Written by cmake/embed.cmake; of uPlot empty where the build had none. */
#define ASSET(name)                    \
    extern const unsigned char name[]; \
    extern const unsigned long name##_bytes;
ASSET(site_css)
ASSET(site_js)
ASSET(uplot_js)
ASSET(uplot_css)
ASSET(uplot_license)

struct site_asset site_asset(int i)
{
    const struct site_asset all[] = {{"site.js", site_js, site_js_bytes, false},
                                     {"uPlot.min.js", uplot_js, uplot_js_bytes, true},
                                     {"uPlot.min.css", uplot_css, uplot_css_bytes, true},
                                     {"uPlot.LICENSE.txt", uplot_license, uplot_license_bytes, true},
                                     {0}};
    return all[i];
}

bool site_has_uplot(void)
{
    return uplot_js_bytes > 0;
}

void site_style(struct buf *b)
{
    buf_format(b, "%s\n%s\n", html_style, svg_style);
    buf_add(b, site_css, site_css_bytes);
}
