/* SPDX-License-Identifier: MIT */
#include "layout.h"
#include "quote.h"
#include <string.h>

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

void render_style_apply(struct render_options *o, enum render_style style, const struct render_terminal *terminal)
{
    bool dumb = terminal->term && !strcmp(terminal->term, "dumb");
    if (style == RENDER_AUTO)
        style = !terminal->is_terminal || dumb ? RENDER_BASIC : is_set(terminal->no_color) ? RENDER_NOCOLOR : RENDER_FULL;
    o->colour = style == RENDER_FULL || style == RENDER_COLOR;
    o->live = (style == RENDER_FULL || style == RENDER_NOCOLOR) && terminal->is_terminal;
    const char *locale = is_set(terminal->lc_all)     ? terminal->lc_all
                         : is_set(terminal->lc_ctype) ? terminal->lc_ctype
                                                      : terminal->lang;
    o->unicode = locale && names_utf8(locale);
    o->width = terminal->is_terminal ? terminal->width : 0;
}

static const struct {
    const char *sign, *twin;
} twins[] = {{"µ", "u"},  {"×", "x"},   {"±", "+/-"}, {"−", "-"}, {"–", "-"}, {"…", "..."}, {"→", "->"}, {"≥", ">="},
             {"≤", "<="}, {"∞", "inf"}, {"▁", "_"},   {"▂", "."}, {"▃", ":"}, {"▄", "-"},   {"▅", "="},  {"▆", "+"},
             {"▇", "*"},  {"█", "#"},   {"░", ":"},   {"▒", "+"}, {"▼", "v"}, {"▽", "w"},   {"·", "|"}};

static size_t put_twin(struct buf *b, const char *text)
{
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
        if (!strncmp(text, twins[i].sign, strlen(twins[i].sign))) {
            buf_str(b, twins[i].twin);
            return strlen(twins[i].sign);
        }
    return 0;
}

void piece_adapt(struct page *p)
{
    struct buf shown = BUF_INIT(p->piece.cap);
    const char *text = buf_text(&p->piece);
    if (p->o->unicode)
        return;
    while (*text) {
        size_t n = (unsigned char)*text < 0x80 ? 1 : put_twin(&shown, text);
        if (n == 1)
            buf_char(&shown, *text);
        if (!n) {
            char one[5] = {*text};
            for (n = 1; n < 4 && (text[n] & 0xc0) == 0x80 && (one[0] & 0xc0) == 0xc0; n++)
                one[n] = text[n];
            quote_mask(&shown, one, false);
        }
        text += n;
    }
    shown.status = shown.status ? shown.status : p->piece.status;
    buf_finish(&p->piece);
    p->piece = shown;
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
