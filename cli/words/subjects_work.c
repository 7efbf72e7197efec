/* SPDX-License-Identifier: MIT */
#include "subjects_work.h"
#include <string.h>

enum { EXCERPT_BYTES = 60 };

enum tare_status subjects_note(struct work *w, struct buf *text)
{
    struct subject_plan *p = w->out;
    const bool room = arena_room(w->a, &p->notes, p->n_notes, &w->room_notes, sizeof *p->notes);
    const char *kept = room ? arena_strdup(w->a, buf_text(text)) : NULL;
    buf_finish(text);
    if (!kept)
        return err_no_memory(w->err);
    p->notes[p->n_notes++] = kept;
    return TARE_OK;
}

void subjects_excerpt(struct buf *b, const char *text)
{
    size_t n = strlen(text);
    if (n <= EXCERPT_BYTES) {
        buf_str(b, text);
        return;
    }
    for (n = EXCERPT_BYTES; n && ((unsigned char)text[n] & 0xc0) == 0x80;)
        n--;
    buf_add(b, text, n);
    buf_str(b, "...");
}
