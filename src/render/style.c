/* SPDX-License-Identifier: MIT */
#include "layout.h"
#include <string.h>

/* ---- which style ---- */

static bool is_set(const char *variable)
{
    return variable && *variable;
}

/* The codeset of a locale name stands after its point: "en_GB.UTF-8", "C.utf8". */
static bool names_utf8(const char *locale)
{
    const char *point = strchr(locale, '.');
    if (!point)
        return false;
    static const char *const spellings[] = {"utf-8", "utf8", "UTF-8", "UTF8", "Utf-8"};
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (!strncmp(point + 1, spellings[i], strlen(spellings[i])))
            return true;
    return false;
}

static bool locale_is_utf8(const struct render_terminal *t)
{
    const char *locale = is_set(t->lc_all) ? t->lc_all : is_set(t->lc_ctype) ? t->lc_ctype : t->lang;
    return locale && names_utf8(locale);
}

void render_style_apply(struct render_options *o, enum render_style style, const struct render_terminal *terminal)
{
    bool dumb = terminal->term && !strcmp(terminal->term, "dumb");
    if (style == RENDER_AUTO)
        style = !terminal->is_terminal || dumb ? RENDER_BASIC : is_set(terminal->no_color) ? RENDER_NOCOLOR : RENDER_FULL;
    o->colour = style == RENDER_FULL || style == RENDER_COLOR;
    o->live = (style == RENDER_FULL || style == RENDER_NOCOLOR) && terminal->is_terminal;
    o->unicode = locale_is_utf8(terminal);
    o->width = terminal->is_terminal ? terminal->width : 0;
}

/* ---- signs and hues ---- */

static const struct symbols unicode_symbols = {
    .minus = "−",
    .times = "×",
    .plus_minus = "±",
    .dots = "…",
    .arrow = "→",
    .infinity = "∞",
    .middle_dot = "·",
    .at_most = "≤",
    .shade = "░",
    .hollow = "▒",
    .peak = "▼",
    .other_peak = "▽",
    .levels = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
    .eighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"},
};

static const struct symbols ascii_symbols = {
    .minus = "-",
    .times = "x",
    .plus_minus = "+/-",
    .dots = "...",
    .arrow = "->",
    .infinity = "inf",
    .middle_dot = "|",
    .at_most = "<=",
    .shade = ":",
    .hollow = "+",
    .peak = "v",
    .other_peak = "w",
    .levels = {"_", ".", ":", "-", "=", "+", "*", "#"},
    .eighths = {"", "", "", "", "", "", "", ""},
};

const struct symbols *symbols_for(bool unicode)
{
    return unicode ? &unicode_symbols : &ascii_symbols;
}

void hue_on(struct page *p, struct buf *b, enum hue hue)
{
    static const char *const codes[] = {"", "\033[1m", "\033[2m", "\033[1;32m", "\033[1;31m"};
    if (p->o->colour)
        buf_str(b, codes[hue]);
}

void hue_off(struct page *p, struct buf *b, enum hue hue)
{
    if (p->o->colour && hue != HUE_PLAIN)
        buf_str(b, "\033[0m");
}
